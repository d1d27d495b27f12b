/* Rigid protein-protein docking by FFT correlation: two structures in, ranked and clustered poses out.
 *
 * qn_dock_run searches all rotations and translations of the ligand around the receptor, rescores the best poses and
 * clusters them. Receptor and ligand are files or molecules in memory. Results come back in memory; with options.output
 * they are also written as poses.csv, clusters.csv, contacts.csv, cluster_*.pdb|cif, run.json, report.html, view.pml
 * and view.cxc. A pose is x' = R·x + t applied to the ligand's input coordinates; lower energy is better.
 *
 * Thread rule: one run per context at a time. Any thread may read a result.
 *
 *     qn_dock_options options = qn_dock_default_options();
 *     qn_dock_result *result;
 *     options.receptor = "receptor.pdb", options.ligand = "ligand.pdb", options.rotations = 400;
 *     if (qn_dock_run(context, &options, &result) != QN_OK) return 1;
 *     printf("%zu poses in %zu clusters\n", result->pose_count, result->cluster_count);
 *     qn_dock_result_destroy(&result);
 */
#ifndef QUERN_DOCK_H
#define QUERN_DOCK_H

#include <quern/device.h>
#include <quern/molecule.h>
#include <quern/option.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- options ---- */

typedef enum qn_dock_score {
    QN_DOCK_PIPER, /* shape, electrostatics and a pair potential (Kozakov et al. 2006) */
    QN_DOCK_RPSC   /* rough and fast: shape and electrostatics (Ohue et al. 2014) */
} qn_dock_score;

/* The order of the main answer's clusters. */
typedef enum qn_dock_ranking {
    QN_DOCK_RANKING_AUTO,  /* by the model, but by weight with sets for antibodies and by size with rpsc */
    QN_DOCK_RANKING_MODEL, /* by a model of the interface, fitted to known complexes */
    QN_DOCK_RANKING_SIZE,  /* by size; clusters of several coefficient sets by their ranks in the sets */
    QN_DOCK_RANKING_WEIGHT /* by the poses of all sets around a pose, those of low energy counting more */
} qn_dock_ranking;

/* Code that transforms grids. */
typedef enum qn_dock_fft {
    QN_DOCK_FFT_AUTO,       /* fused on the host and on GPUs where the grid allows it, else the fastest library */
    QN_DOCK_FFT_FUSED,      /* kernels that do all steps of a rotation; at most 512 cells a side, no prime factor > 7 */
    QN_DOCK_FFT_FUSED_HALF, /* the same on GPUs, with intermediate values in half precision */
    QN_DOCK_FFT_OWN,        /* the others are FFT libraries, see <quern/fft.h> */
    QN_DOCK_FFT_FFTW,
    QN_DOCK_FFT_VKFFT,
    QN_DOCK_FFT_CUFFT
} qn_dock_fft;

/* A receptor and a ligand must be given, each in one of its forms. */
typedef struct qn_dock_options {
    size_t size;          /* of this struct in bytes */
    qn_run_options run;   /* seed: turns the whole rotation set, 0: does not turn it; batch: rotations of a launch */
    const char *receptor; /* PDB or mmCIF, gzipped or not; "file:AB" picks chains */
    const char *ligand;
    const qn_molecule *receptor_molecule; /* instead of `receptor`; read only, its waters are left out */
    const qn_molecule *ligand_molecule;   /* instead of `ligand`; likewise */
    const char *output;                   /* folder, see resume and overwrite; NULL: nothing is written */
    qn_dock_score score;                  /* default QN_DOCK_PIPER */
    const char *coefficients;     /* coefficient sets of the piper energy: names and families separated by commas, or a
                                   * weights file; default "auto": "antibody" when a partner is one, else "others" */
    const char *rotations_file;   /* 3×3 matrices, nine numbers a line, instead of `rotations`; NULL: none */
    qn_dock_fft fft_engine;       /* default QN_DOCK_FFT_AUTO */
    const char *const *blocked;   /* selections of residues whose contacts cost energy: "receptor:A:30-40" */
    size_t blocked_count;         /* syntax: docs/formats/docking_inputs.md */
    const char *const *attracted; /* selections of residues whose contacts gain energy */
    size_t attracted_count;
    double block_penalty;        /* energy added for each pair of heavy atoms in contact; default 1 */
    double attract_bonus;        /* energy subtracted for each pair of heavy atoms in contact; default 1 */
    const char *restraints_file; /* cross-links: pairs of residues with their largest distances; NULL: none */
    int restraints_required;   /* number of restraints that a pose must satisfy, or below 0 a percentage; 0: all between
                                * two residues */
    int pair_terms;            /* eigenvectors of the pair potential, 0 … 18; default 4 */
    int rotations;             /* number of rotations, a super-Fibonacci set; default 70000 */
    double spacing_angstrom;   /* side of a grid cell; default 1.0 */
    int grid_cells;            /* side of a cubic grid; 0: for each axis the smallest fast size that cannot wrap */
    int per_rotation;          /* number of poses kept for each rotation, at most 16; default 1 */
    int keep;                  /* number of poses ranked and clustered; default 1000 */
    int clusters;              /* largest number of clusters; default 30 */
    double radius_angstrom;    /* cluster radius; default 9 */
    int model;                 /* model number of files with several models; 0: the first */
    bool refinement;           /* move cluster centres to the nearest minimum; default true */
    bool write_zdock;          /* also write the poses as a ZDOCK output file, zdock.out; needs `output` */
    const char *const *active; /* selections of residues that should be close to active and passive ones of the other */
    size_t active_count;       /* partner; contacts of active residues gain energy, by attract_bonus times a rule */
    const char *const *passive; /* selections of residues that active ones may be close to */
    size_t passive_count;
    const char *const *antibodies; /* chains of antibodies, "receptor:H,L", instead of those found by sequence */
    size_t antibody_count;
    const char *const *plddt; /* residues with a lower pLDDT are masked: "50", or "receptor:50" for one partner */
    size_t plddt_count;
    const char *ranking_model; /* file of the model; NULL: the shipped one */
    qn_dock_ranking ranking;   /* default QN_DOCK_RANKING_AUTO */
} qn_dock_options;

const qn_option_table *qn_dock_option_table(void); /* see <quern/option.h> */

static inline qn_dock_options qn_dock_default_options(void)
{
    qn_dock_options options;
    qn_option_defaults(qn_dock_option_table(), &options, sizeof options);
    return options;
}

/* ---- results ---- */

typedef struct qn_dock_result_pose {
    double rotation[9]; /* R of x' = R·x + t, row-major */
    double translation_angstrom[3];
    double energy;       /* weighted sum of the terms, by the coefficient set `set` */
    const double *terms; /* unweighted, term_count of the result */
    size_t set;          /* index into `sets` of the result */
    int rotation_index;  /* in the set of rotations, from 0 */
    int cluster;         /* index into the clusters beside the poses; −1: in none of them */
} qn_dock_result_pose;

typedef struct qn_dock_result_cluster {
    size_t pose_count;
    size_t centre;             /* index of the centre into the poses beside the clusters */
    double lowest_energy;      /* of its poses that have the coefficient set of the centre */
    qn_dock_result_pose model; /* the centre moved to the nearest minimum; without refinement the centre itself */
} qn_dock_result_cluster;

/* The answer of one coefficient set. */
typedef struct qn_dock_result_set {
    const char *name;
    const qn_dock_result_pose *poses; /* best first */
    size_t pose_count;
    const qn_dock_result_cluster *clusters; /* largest first */
    size_t cluster_count;
    const double *receptor_contacts, *ligand_contacts; /* as in qn_dock_result */
} qn_dock_result_set;

/* Results of a run. With several coefficient sets, poses, clusters and contacts are merged from the answers of all
 * sets, which are in `sets`; energies of different sets cannot be compared. There are no poses and
 * clusters on MPI ranks other than 0, nor where an earlier run is finished and its journals were deleted. */
typedef struct qn_dock_result {
    const qn_molecule *receptor, *ligand; /* as they were docked: input coordinates, without waters */
    size_t term_count;
    const char *const *term_names;    /* term_count */
    const qn_dock_result_pose *poses; /* best first */
    size_t pose_count;
    const qn_dock_result_cluster *clusters; /* in the order of options.ranking */
    size_t cluster_count;
    const double *receptor_contacts, *ligand_contacts; /* for each residue of receptor and ligand, the share of poses
                                                        * that have it in the interface (heavy atoms within 5 Å) */
    const qn_dock_result_set *sets;                    /* in order of the options */
    size_t set_count;
    double best_energy; /* of the first pose, by its set */
    int grid[3];        /* cells of each axis */
    int rotation_count;
    int resumed_rotations;        /* number of rotations taken from the journals of an earlier run */
    double rotations_per_s;       /* of the search of this run; 0: all rotations came from journals */
    double seconds;               /* of the whole run */
    char report[4096];            /* path of report.html; "": none was written by this call */
    const double *cluster_scores; /* of `clusters`, by model or weight; NULL: they are ranked by size */
    const char *page;             /* of the report, HTML, of a run without an output; NULL: no, it is in `report` */
    const size_t *restraints_satisfied; /* of `clusters`, by their models; NULL: no restraint counts */
    size_t restraint_total;             /* number of restraints that count */
} qn_dock_result;

/* Dock. *result is released by qn_dock_result_destroy; `result` may be NULL. On failure *result is NULL.
 *
 * Errors: QN_NOT_FOUND, QN_BAD_FORMAT (inputs; a molecule in memory without atoms or with coordinates that are not
 * finite), QN_ALREADY_EXISTS (other files in the output folder, a run without resume or
 * overwrite, a journal of other options on resume), QN_INVALID_ARGUMENT (options; a partner that is given neither or
 * both ways),
 * QN_UNSUPPORTED (several ranks without an output), QN_OUT_OF_MEMORY (with the bytes needed), QN_NO_DEVICE,
 * QN_DEVICE_LOST, QN_CANCELLED (resumable with an output), QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_dock_run(qn_context *context, const qn_dock_options *options, qn_dock_result **result);
void qn_dock_result_destroy(qn_dock_result **result);

/* Make the model of a cluster of the result or of one of its sets: the complex of receptor and placed ligand as
 * cluster_*.pdb has it, at full precision. Chains of the ligand whose names the receptor has are renamed. *model is
 * released by qn_molecule_destroy. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_dock_result_model(const qn_dock_result *result, const qn_dock_result_cluster *cluster,
                                             qn_molecule **model);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
