/* A docking run while it is under way: what its stages hand on to each other. */
#ifndef QN_DOCK_RUN_H
#define QN_DOCK_RUN_H

#include <quern/dock.h>

#include "compare/cluster.h"
#include "dock/pose.h"
#include "dock/search/search.h"
#include "job/job.h"

/* What transforms rotations; the engine counts on the library path. */
typedef struct qn_dock_transforms {
    qn_dock_path path;
    qn_fft_engine engine;
    bool halves; /* of the fused path */
} qn_dock_transforms;

typedef struct qn_dock_timings {
    double prepare_s, search_s, rank_s, cluster_s, refine_s, write_s, total_s;
} qn_dock_timings;

/* A ranked answer: of one coefficient set, or merged from several. */
typedef struct qn_dock_result {
    const char *name;    /* the set's, or "merged" */
    char folder[40];     /* of its files in the output folder: "balanced/", or "" */
    qn_dock_pose *poses; /* best first */
    size_t pose_count;
    qn_cluster *clusters;
    size_t cluster_count;                      /* at most options->clusters */
    size_t *assignment;                        /* cluster of each pose or SIZE_MAX */
    qn_dock_pose *refined;                     /* cluster centres moved to a minimum; NULL without refinement */
    double *receptor_contact, *ligand_contact; /* per residue: share of the poses that have it in the interface */
} qn_dock_result;

/* What a device of the run works with. */
typedef struct qn_dock_worker {
    int batch;
    size_t device_bytes;
    const char *transforms; /* their name */
} qn_dock_worker;

typedef struct qn_dock_state {
    const qn_dock_options *options;
    qn_job *job;
    qn_dock_worker workers[QN_MOST_DEVICES]; /* of the job's devices */
    qn_dock_partner receptor, ligand;
    qn_coefficients *coefficients; /* of the energy's sets, in their order; NULL: the score has none */
    qn_dock_energy energy;
    qn_dock_restraints restraints;
    qn_dock_grid grid;
    qn_dock_ligand ligand_sites;
    int rotation_count;
    double *matrices;         /* rotation_count × 9 */
    int32_t *rotations;       /* the same in 1/2^30 */
    double neighbour_degrees; /* mean angle between neighbouring rotations */
    int exclusion_cells;
    qn_dock_transforms asked;      /* by the options */
    qn_dock_transforms transforms; /* of the first device and those of its driver, on all ranks */
    int resumed_rotations;         /* taken from journals */
    qn_dock_hit *hits;       /* [rotations][sets][per_rotation]; this and what is made of it: on the first rank only */
    qn_dock_result *results; /* the sets' answers in their order; with several sets, the merged one after them */
    size_t result_count;
    bool models_as_mmcif; /* PDB columns do not suffice */
    qn_dock_timings timings;
} qn_dock_state;

/* The pose of a cluster's model. */
static inline const qn_dock_pose *qn_dock_model_pose(const qn_dock_result *result, size_t cluster)
{
    return result->refined ? &result->refined[cluster] : &result->poses[result->clusters[cluster].centre];
}

/* The answer that goes into the output folder itself. */
static inline qn_dock_result *qn_dock_main_result(const qn_dock_state *run)
{
    return &run->results[run->result_count - 1];
}

/* rotations.c: fill matrices, rotations, rotation_count, neighbour_degrees. */
QN_MUST_CHECK qn_status qn_dock_make_rotations(qn_dock_state *run);

/* tuning.c: options->tune and tune_budget; the tuner of the context while the search runs. */
QN_MUST_CHECK qn_status qn_dock_tuning_start(qn_dock_state *run);
/* Explore on a search's first batch until nothing more is to be gained, when options->tune is "offline". */
QN_MUST_CHECK qn_status qn_dock_tuning_explore(qn_dock_state *run, qn_dock_search *search);

/* key.c: everything the hits depend on but the transforms, a line each. */
QN_MUST_CHECK qn_status qn_dock_make_key(qn_dock_state *run);
/* Transforms by name, as the option and the key's line "transforms" have it: "auto", "fused", or an FFT engine's. */
const char *qn_dock_transforms_name(const qn_dock_transforms *transforms);
bool qn_dock_read_transforms(const char *name, qn_dock_transforms *transforms);

/* search_loop.c: all rotations through the devices of all ranks, journals and progress; fills hits. Nothing is done
 * where job->over is set. Every rank must call. */
QN_MUST_CHECK qn_status qn_dock_search_all(qn_dock_state *run);

/* results.c: rank and cluster each set's poses, merge the sets' clusters, refine their centres. */
QN_MUST_CHECK qn_status qn_dock_rank_results(qn_dock_state *run);
QN_MUST_CHECK qn_status qn_dock_cluster_results(qn_dock_state *run);
QN_MUST_CHECK qn_status qn_dock_refine_results(qn_dock_state *run);
void qn_dock_results_clear(qn_dock_state *run);

/* contacts.c: interface frequencies of residues (heavy atoms within 5 Å) over the poses. */
QN_MUST_CHECK qn_status qn_dock_count_contacts(qn_dock_state *run, qn_dock_result *result);

/* output_*.c: one file or kind of file each, complete or absent. */
QN_MUST_CHECK qn_status qn_dock_write_tables(const qn_dock_state *run, const qn_dock_result *result);
QN_MUST_CHECK qn_status qn_dock_write_models(qn_dock_state *run, const qn_dock_result *result);
QN_MUST_CHECK qn_status qn_dock_write_report(const qn_dock_state *run, const qn_dock_result *result);
QN_MUST_CHECK qn_status qn_dock_write_run_json(const qn_dock_state *run);

/* The path of a result's file, which run.json will list; released with qn_release. */
QN_MUST_CHECK qn_status qn_dock_result_path(const qn_dock_state *run, const qn_dock_result *result, const char *name,
                                            char **path);

/* Name of a cluster's model file: "cluster_01.pdb" or ".cif", known once the models are written. */
void qn_dock_model_name(const qn_dock_state *run, size_t cluster, char name[32]);

#endif
