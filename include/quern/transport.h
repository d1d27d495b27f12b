/* Transport: a flexible ligand through a tunnel of a receptor, and the energies on its way.
 *
 * The tunnel becomes a row of discs. The lower bound is the lowest energy on each disc by itself; the upper bound is
 * the energy along a way on which no atom moves more than a step at once. Each receptor, tunnel and ligand make a
 * passage.
 *
 * Thread rule: one run per context at a time.
 *
 *     qn_transport_options options = qn_transport_default_options();
 *     const char *const inputs[] = {"host.pdb", "guest.sdf"}, *const tunnels[] = {"tunnel.dsd"};
 *     qn_transport_result *result;
 *     options.inputs = inputs, options.input_count = 2, options.tunnels = tunnels, options.tunnel_count = 1;
 *     options.direction = "in";
 *     if (qn_transport_run(context, &options, &result) != QN_OK) return 1;
 *     printf("barrier %.1f kcal/mol\n", result->passages[0].highest - result->passages[0].bound);
 *     qn_transport_result_destroy(&result);
 */
#ifndef QUERN_TRANSPORT_H
#define QUERN_TRANSPORT_H

#include <quern/device.h>
#include <quern/option.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef enum qn_transport_bound { QN_TRANSPORT_BOTH, QN_TRANSPORT_LOWER, QN_TRANSPORT_UPPER } qn_transport_bound;
typedef enum qn_transport_types {
    QN_TRANSPORT_TYPES_OWN, /* atom types and rotatable bonds by chemistry */
    QN_TRANSPORT_TYPES_FILE /* as PDBQT files state them */
} qn_transport_types;

typedef enum qn_transport_objective {
    QN_TRANSPORT_HIGHEST, /* least highest energy on the way, then least sum */
    QN_TRANSPORT_SUM      /* least sum of energies */
} qn_transport_objective;

typedef enum qn_transport_schedule {
    QN_TRANSPORT_ROADMAP,  /* from both ends, then drawn to each other at the highest place */
    QN_TRANSPORT_PUBLISHED /* as CaverDock's: forward, and back where the energy is high */
} qn_transport_schedule;

typedef struct qn_transport_options {
    size_t size;               /* of this struct in bytes */
    qn_run_options run;        /* `threads`, `seed` and progress; passages are computed by processors */
    const char *const *inputs; /* receptors (PDB, mmCIF, PDBQT) and ligands (SDF, MOL2, PDBQT with ROOT, SMILES) */
    size_t input_count;
    const char *output;         /* folder; NULL: nothing is written */
    const char *const *tunnels; /* files with spheres or discs, or folders of them */
    size_t tunnel_count;
    const char *direction;      /* "in": from the mouth inwards; "out" */
    qn_transport_bound bound;   /* default both */
    qn_transport_types types;   /* default own */
    const char *drag;           /* number (from 1) or name of the atom on the discs; NULL: the heavy one nearest the
                                 * centroid */
    double delta_angstrom;      /* between the rims of discs made of spheres, at most; default 0.3 */
    double extend_angstrom;     /* the tunnel goes on beyond its mouth by this length, in steps of 0.2 Å; default 2 */
    double effort;              /* random starts on each disc, relative to the usual number; default 1 */
    int poses;                  /* minima that are kept on each disc, and poses that travel at once; default 24 */
    double continuity_angstrom; /* no atom moves more in a step of the upper bound; default 0.8 */
    int rounds;                 /* of improving the upper bound at its highest place, at most; default 8 */
    qn_transport_objective objective; /* of the upper bound; default the highest energy */
    qn_transport_schedule schedule;   /* how the upper bound is searched; default roadmap */
} qn_transport_options;

const qn_option_table *qn_transport_option_table(void); /* see <quern/option.h> */

static inline qn_transport_options qn_transport_default_options(void)
{
    qn_transport_options options;
    qn_option_defaults(qn_transport_option_table(), &options, sizeof options);
    return options;
}

/* Energies in kcal/mol: (inter + intra − intra of the best pose) / (1 + 0.05846 N), N Vina's number of torsions. Arrays
 * are in the order of travel; of a run with an output, only the first 1,000 passages have them, and those of the others
 * are NULL: their files have them. */
typedef struct qn_transport_passage {
    const char *receptor, *tunnel, *ligand; /* names */
    size_t disc_count;
    const double *distances_angstrom; /* Σ |(c_i+1 − c_i)·n_i+1| up to each disc */
    const double *radii_angstrom;
    const double *lower;                    /* NaN where there is no bound, here and below */
    const double *upper_least, *upper_most; /* of the way's poses on each disc */
    double highest;                         /* of the upper bound, or else of the lower */
    double bound, surface; /* of the lower bound, or else of the upper: lowest energy between the highest place and the
                            * inner end; at the mouth */
    double gap;            /* highest of the upper bound over that of the lower */
} qn_transport_passage;

/* Results of a run. On ranks other than 0 there are no passages. */
typedef struct qn_transport_result {
    const qn_transport_passage *passages; /* by receptor, then by tunnel, then by ligand */
    size_t passage_count;
    size_t receptor_count, tunnel_count, ligand_count;
    const char *folder; /* of the files; "" when nothing was written */
    double seconds;
    uint64_t earlier_passage_count; /* of a finished run that was resumed: its files have them, and `passages` is
                                     * empty; else 0 */
} qn_transport_result;

/* Files appear when they are complete. `result` may be NULL; on failure *result is NULL.
 *
 * Errors: QN_NOT_FOUND (files), QN_BAD_FORMAT, QN_INVALID_ARGUMENT (options; a tunnel outside of the receptor; two
 * inputs of one name), QN_ALREADY_EXISTS, QN_UNSUPPORTED, QN_OUT_OF_MEMORY, QN_CANCELLED, QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_transport_run(qn_context *context, const qn_transport_options *options,
                                         qn_transport_result **result);
void qn_transport_result_destroy(qn_transport_result **result);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
