/* Distances between structures: models of a molecule, or frames of a trajectory, each with each or with references.
 *
 * Structures come from files or from memory. Distances are written where an output is named, and otherwise returned in
 * memory.
 *
 *     qn_distance_options options = qn_distance_default_options();
 *     qn_distance_result *result;
 *     options.structures.files = (const char *const[]){"models.pdb"}, options.structures.file_count = 1;
 *     if (qn_distance_run(context, &options, &result) != QN_OK) return 1;
 *     printf("model 0 to model 1: %.2f Å\n", (double)result->values[0]);
 *     qn_distance_result_destroy(&result);
 */
#ifndef QUERN_DISTANCE_H
#define QUERN_DISTANCE_H

#include <quern/device.h>
#include <quern/frame.h>
#include <quern/option.h>
#include <quern/topology.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef enum qn_structure_whole { QN_WHOLE_AUTO, QN_WHOLE_YES, QN_WHOLE_NO } qn_structure_whole;

/* Structures to compare, and the atoms of each. The struct is embedded in the options of programs, so it cannot grow:
 * later options take the place of `reserved`. */
typedef struct qn_structure_input {
    const char *const *files; /* PDB, mmCIF, PDBQT or GRO, of one or many models; or a topology (see <quern/topology.h>)
                               * followed by trajectories; for ligand RMSD, SDF, MOL2 or PDBQT of one or many poses */
    size_t file_count;
    const char *list;            /* a text file that names one more file of models in each line; NULL: none */
    const qn_topology *topology; /* this and `frames`, instead of files; read only */
    const qn_frame_array *frames;
    const char *select;     /* atoms to compare, as many in each model: "name CA" (default) */
    const char *index_file; /* GROMACS .ndx: its groups are `group "NAME"` in selections; NULL: none */

    /* Frames or models that are taken: those within both ranges, then every `stride`-th of them. */
    double begin_ps, end_ps;          /* inclusive; default -inf, inf. Other ranges leave out those without a time */
    uint64_t first_frame, last_frame; /* inclusive, from 0 through all files; default 0, UINT64_MAX */
    uint64_t stride;                  /* default 1 */
    qn_structure_whole whole;         /* make molecules whole that the box cuts; auto: where the topology has bonds */
    const char *molecule;             /* of poses: only those of molecules with this title; NULL: all */
    uint64_t reserved[8];             /* 0 */
} qn_structure_input;

typedef enum qn_distance_measure {
    QN_DISTANCE_DRMSD,
    QN_DISTANCE_RMSD,
    QN_DISTANCE_TM_SCORE,
    QN_DISTANCE_GDT_TS,
    QN_DISTANCE_MAXSUB,
    QN_DISTANCE_CONTACT,
    QN_DISTANCE_LIGAND_RMSD
} qn_distance_measure;

/* Contacts that two structures have in common, as a share of those that either has, or of the reference's. */
typedef enum qn_contact_share { QN_CONTACT_SHARE_OF_UNION, QN_CONTACT_SHARE_OF_REFERENCE } qn_contact_share;

/* dRMSD by squares of differences of distances, or by products, |a|² + |b|² − 2 a·b: half the operations, exact to 1e-5
 * of a value; pairs that are alike are measured by squares. */
typedef enum qn_drmsd_form { QN_DRMSD_SQUARES, QN_DRMSD_PRODUCTS } qn_drmsd_form;

/* Parameters of measures. The struct is embedded in the options of programs, so it cannot grow: later options take the
 * place of `reserved`. */
typedef struct qn_measure_options {
    const char *weights; /* of atoms, for RMSD and dRMSD: "none" (default), "mass", "occupancy", "b-factor" (of the
                          * first file of models), or a text file with a number for each selected atom */
    double contact_cutoff_angstrom; /* contact: atoms within this distance, default 8, */
    uint64_t contact_separation;    /* that are at least so many places apart among the selected atoms; default 3 */
    qn_contact_share contact_share;
    bool align; /* TM-score, GDT-TS, MaxSub: models may have different length; their sequences are aligned, and scores
                 * are normalised by the reference's length, without references by that of the shorter of two */
    qn_drmsd_form drmsd_form;
    uint64_t reserved[8]; /* 0 */
} qn_measure_options;

/* How values are stored: as 32-bit floats, or as multiples of a step in 16 bits. */
typedef enum qn_distance_storage { QN_DISTANCE_FLOAT32, QN_DISTANCE_UINT16 } qn_distance_storage;

typedef struct qn_distance_options {
    size_t size;        /* of this struct in bytes */
    qn_run_options run; /* `memory_bytes`: of structures and of values that are returned */
    qn_structure_input structures;
    const char *const *to; /* references: files of models, each with one or many; NULL: each structure with each */
    size_t to_count;
    const char *between; /* instead of `to`: a text file that names a file of models in each line */
    qn_distance_measure measure;
    qn_measure_options measuring;
    qn_distance_storage matrix;
    const char *output; /* ending in .npy or .csv; the names of the structures are written beside it; NULL: nothing is
                         * written */
    bool keep_values;   /* return the values in memory although they are written */
} qn_distance_options;

const qn_option_table *qn_distance_option_table(void); /* see <quern/option.h> */

static inline qn_distance_options qn_distance_default_options(void)
{
    qn_distance_options options;
    qn_option_defaults(qn_distance_option_table(), &options, sizeof options);
    return options;
}

/* Results of a run. On ranks other than 0 there are neither names nor values. */
typedef struct qn_distance_result {
    size_t count;           /* structures */
    size_t reference_count; /* 0: each structure with each */
    size_t atom_count;      /* selected, of each structure */
    size_t value_count;     /* count (count − 1) / 2, or count × reference_count */
    const char *unit;       /* of the values: "Å"; "": none */
    float step;             /* of `steps` */
    float *values;   /* pairs i < j in the order of scipy's pdist, or one row for each structure; NULL where they were
                      * written, unless keep_values, and where `steps` are stored */
    uint16_t *steps; /* values / step, rounded; NULL as above */
    char **names;    /* of the structures, then of the references; NULL where the earlier run had finished */
    char **warnings; /* sentences */
    size_t warning_count;
    double smallest, mean, largest; /* of the values; NaN where the earlier run had finished */
    double seconds;                 /* of the whole run */
    double pairs_per_s;             /* of pairs that were not resumed, over the time that pairs were measured */
    uint64_t resumed_pairs;         /* that came from an earlier run */
} qn_distance_result;

/* The file of values appears when it is complete. `result` may be NULL; on failure *result is NULL.
 *
 * Errors: QN_NOT_FOUND, QN_BAD_FORMAT (naming file and model: atoms that differ in number, coordinates that are not
 * finite), QN_INVALID_ARGUMENT (options; selections; an input that is given neither or both ways; fewer than two
 * structures), QN_ALREADY_EXISTS (files of these names, without resume or overwrite), QN_UNSUPPORTED (also several
 * ranks without an output), QN_OUT_OF_MEMORY, QN_NO_DEVICE, QN_DEVICE_LOST, QN_CANCELLED (resumable where there is an
 * output), QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_distance_run(qn_context *context, const qn_distance_options *options,
                                        qn_distance_result **result);
void qn_distance_result_destroy(qn_distance_result **result);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
