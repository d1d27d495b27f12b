/* Maps of the interaction of a receptor with probe atoms, as AutoDock 4 and Vina read them.
 *
 * For each probe type and each point of a grid the map has the energy of this atom in the receptor's surroundings:
 * dispersion and repulsion, hydrogen bonds and desolvation. Two more maps have the electrostatic potential and the
 * desolvation of charges. The maps agree with those of AutoGrid 4.2.6 within the rounding of their last digits.
 *
 * Thread rule: one run per context at a time.
 *
 *     qn_potential_options options = qn_potential_default_options();
 *     qn_potential_result *result;
 *     options.receptor = "receptor.pdbqt", options.types = "C,OA";
 *     options.centre = "auto", options.npts[0] = 20;
 *     if (qn_potential_run(context, &options, &result) != QN_OK) return 1;
 *     printf("%s: %g kcal/mol\n", result->maps[0].name, result->maps[0].least);
 *     qn_potential_result_destroy(&result);
 */
#ifndef QUERN_POTENTIAL_H
#define QUERN_POTENTIAL_H

#include <quern/device.h>
#include <quern/option.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Whose maps: those of AutoDock 4, of AutoDock Vina, or both in one run. */
typedef enum qn_potential_score { QN_POTENTIAL_AUTODOCK, QN_POTENTIAL_VINA, QN_POTENTIAL_BOTH } qn_potential_score;

/* `gpf`, or at least `receptor` and one of `extent`, `npts` and `site`, must be given. */
typedef struct qn_potential_options {
    size_t size;             /* of this struct in bytes */
    qn_run_options run;      /* memory_bytes: of maps and work; files of larger maps are made in parts */
    const char *receptor;    /* PDBQT, PDB or mmCIF; NULL: the one that `gpf` names */
    const char *gpf;         /* AutoGrid's grid parameter file; its paths are relative to the working folder */
    const char *output;      /* folder; NULL: the files that `gpf` names, or nothing is written */
    const char *centre;      /* "auto": the mean of the receptor's atoms, or "x,y,z" in Å */
    const char *extent;      /* "60x60x60" in Å, rounded up to an even number of spacings */
    int npts[3];             /* instead of `extent`: spacings along each axis, even; 0: as the axis before */
    double spacing_angstrom; /* default 0.375 */
    const char *types; /* "C,HD,OA" or "all"; of Vina's maps alone "C_H,O_DA"; NULL: A,C,HD,N,NA,OA, all of Vina's */
    double smooth_angstrom; /* width of the window whose least energy counts; default 0.5 */
    double dielectric;      /* constant; below 0: depends on distance; default −0.1465 */
    const char *parameters; /* file of atom types in the format of AD4.1_bound.dat; NULL: AutoGrid's */
    bool keep_maps;         /* return the maps in memory although they are written */
    bool in_memory;         /* write nothing, also where `gpf` names files */
    const char *ligand;     /* SDF, MOL2, PDBQT or SMILES, one molecule or many, whose types replace `types` */
    const char *site;       /* a known ligand: SDF, MOL2, PDBQT, PDB or mmCIF; the grid is laid around it */
    double margin_angstrom; /* of the grid around the known ligand's atoms; default 4 */
    qn_potential_score score;
    const char *format; /* of the files: "map" (the default), "dx", "mrc", or several: "map,mrc" */
    bool coulomb; /* instead of all maps: Σ 332.06371 q / r in kcal/mol/e over all atoms; `output` is a .mrc or .dx
                     file */
} qn_potential_options;

const qn_option_table *qn_potential_option_table(void); /* see <quern/option.h> */

static inline qn_potential_options qn_potential_default_options(void)
{
    qn_potential_options options;
    qn_option_defaults(qn_potential_option_table(), &options, sizeof options);
    return options;
}

/* A map in kcal/mol ("e", "d" and "coulomb": kcal/mol/e; "f": Å). Values of AutoDock's maps are rounded to 0.001. */
typedef struct qn_potential_map {
    const char *name;    /* type of the probe; "e": electrostatics; "d": desolvation; "f": distance of the nearest atom;
                            of Vina's maps "C_H", "O_DA" …; or "coulomb" alone */
    const char *file;    /* path; NULL: not written */
    double least, most;  /* value */
    const float *values; /* x fastest, then y; NULL: written and not kept */
} qn_potential_map;

/* Results of a run. On ranks other than 0 maps have no values, and their least and most are 0. */
typedef struct qn_potential_result {
    int points[3]; /* of a map along x, y, z */
    double spacing_angstrom, centre_angstrom[3];
    const qn_potential_map
        *maps; /* probes in the order of the options, then "e", "d" and, if asked for, "f", then Vina's */
    size_t map_count, atom_count;
    const char *folder; /* of the files, or the beginning of their paths; "" when nothing was written */
    double seconds, compute_seconds, write_seconds;
} qn_potential_result;

/* Files appear when they are complete. `result` may be NULL; on failure *result is NULL.
 *
 * Errors: QN_NOT_FOUND, QN_BAD_FORMAT (receptor, grid parameter file, parameters), QN_INVALID_ARGUMENT (options),
 * QN_ALREADY_EXISTS, QN_OUT_OF_MEMORY, QN_NO_DEVICE, QN_DEVICE_LOST, QN_CANCELLED, QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_potential_run(qn_context *context, const qn_potential_options *options,
                                         qn_potential_result **result);
void qn_potential_result_destroy(qn_potential_result **result);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
