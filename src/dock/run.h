/* The state of a docking run, which its stages share, and the functions of the stages. */
#ifndef QN_DOCK_RUN_H
#define QN_DOCK_RUN_H

#include <quern/dock.h>

#include "base/text.h"
#include "compare/cluster.h"
#include "dock/pose.h"
#include "dock/ranking/model.h"
#include "dock/search/search.h"
#include "job/job.h"

/* The choice of transforms; `engine` is used on the library path only. */
typedef struct qn_dock_transforms {
    qn_dock_path path;
    qn_fft_engine engine;
    bool halves; /* fused path: intermediates in half precision */
} qn_dock_transforms;

typedef struct qn_dock_timings {
    double prepare_s, search_s, rank_s, cluster_s, refine_s, write_s, total_s;
} qn_dock_timings;

/* An answer: the ranked and clustered poses of one coefficient set, or those of several sets merged. */
typedef struct qn_dock_answer {
    const char *name;    /* name of the set, or "merged" */
    char folder[40];     /* folder of the answer's files below the output folder: "balanced/", or "" */
    qn_dock_pose *poses; /* best first */
    size_t pose_count;
    qn_cluster *clusters;
    size_t cluster_count;                      /* at most options->clusters */
    size_t *assignment;                        /* cluster of each pose or SIZE_MAX */
    bool by_weight;                            /* the scores are weights of poses, not of the ranking model */
    double *scores;                            /* of each cluster by the model or the weight; NULL: by size */
    qn_dock_pose *refined;                     /* cluster centres moved to a minimum; NULL without refinement */
    double *receptor_contact, *ligand_contact; /* per residue: share of the poses that have it in the interface */
} qn_dock_answer;

/* Facts about the search of one device. */
typedef struct qn_dock_worker {
    int batch;
    size_t device_bytes;
    const char *transforms; /* name of the transforms */
} qn_dock_worker;

typedef struct qn_dock_state {
    const qn_dock_options *options;
    qn_job *job;
    qn_dock_worker workers[QN_DEVICES_MAX]; /* of the job's devices */
    qn_dock_partner receptor, ligand;
    qn_coefficients *coefficients; /* of the energy's sets, in their order; NULL: the score has none */
    qn_dock_energy energy;
    qn_ranking_model ranking;
    qn_dock_restraints restraints;
    qn_dock_grid grid;
    qn_dock_ligand ligand_sites;
    int rotation_count;
    double *matrices;         /* rotation_count × 9 */
    int32_t *rotations;       /* the same in 1/2^30 */
    double neighbour_degrees; /* mean angle between neighbouring rotations */
    int exclusion_cells;
    qn_dock_transforms asked;      /* as the options ask */
    qn_dock_transforms transforms; /* of the first device and other devices of its driver, on all ranks */
    int resumed_rotations;         /* taken from journals */
    qn_dock_cells cells;           /* of the energy, for the ranking; on the first rank only */
    qn_dock_hit *hits;             /* [rotations][sets][per_rotation]; like the members below, on the first rank only */
    qn_text page;                  /* of the main answer's report, for a run without an output */
    qn_dock_answer *answers;       /* the sets' answers in their order; with several sets, the merged one after them */
    size_t answer_count;
    bool models_as_mmcif; /* models do not fit the PDB format */
    qn_dock_timings timings;
} qn_dock_state;

/* The pose of a cluster's model. */
static inline const qn_dock_pose *qn_dock_model_pose(const qn_dock_answer *answer, size_t cluster)
{
    return answer->refined ? &answer->refined[cluster] : &answer->poses[answer->clusters[cluster].centre];
}

/* The answer whose files lie in the output folder itself: that of the only set, or the merged one. */
static inline qn_dock_answer *qn_dock_main_answer(const qn_dock_state *run)
{
    return &run->answers[run->answer_count - 1];
}

/* rotations.c: make the rotations of the run; sets matrices, rotations, rotation_count and neighbour_degrees. */
QN_MUST_CHECK qn_status qn_dock_make_rotations(qn_dock_state *run);

/* tuning.c: attach the tuner that options->run.tune and tune_budget ask for. */
QN_MUST_CHECK qn_status qn_dock_tuning_start(qn_dock_state *run);
/* If options->run.tune is "offline", repeat the first batch of a search until the tuner has tried all configurations
 * that it wants to try. */
QN_MUST_CHECK qn_status qn_dock_tuning_explore(qn_dock_state *run, qn_dock_search *search);

/* run.c: the restraints' file, or other words for where they come from, in messages. */
const char *qn_dock_restraints_source(const qn_dock_options *options);

/* memory.c: estimate the memory of this process before its grids are computed. QN_OUT_OF_MEMORY: the run would take
 * more than is allowed or free, or than a device has. */
QN_MUST_CHECK qn_status qn_dock_check_memory(const qn_dock_state *run);
/* Options of the search on the device with index i of the job. */
qn_dock_search_options qn_dock_search_options_of(const qn_dock_state *run, int i);

/* key.c: add the inputs and options to the key, except the transforms, which are chosen later. */
QN_MUST_CHECK qn_status qn_dock_make_key(qn_dock_state *run);
/* Name of transforms, as in the option and in the key's line "transforms": "auto", "fused", "fused-half" or the name of
 * an FFT engine. */
const char *qn_dock_transforms_name(const qn_dock_transforms *transforms);
/* Transforms that a value of the option stands for. */
qn_dock_transforms qn_dock_transforms_of(qn_dock_fft engine);
/* "piper" or "rpsc". */
const char *qn_dock_score_name(qn_dock_score score);
/* Transforms of a name. Returns false if no transforms have this name. */
bool qn_dock_read_transforms(const char *name, qn_dock_transforms *transforms);

/* search_loop.c: search all rotations on the devices of all ranks, with journals and progress, and collect the hits.
 * Returns at once if job->over is set. Every rank must call this function. */
QN_MUST_CHECK qn_status qn_dock_search_all(qn_dock_state *run);

/* answers.c: rank and cluster each set's poses, merge the sets' clusters, refine their centres. */
QN_MUST_CHECK qn_status qn_dock_rank_answers(qn_dock_state *run);
QN_MUST_CHECK qn_status qn_dock_cluster_answers(qn_dock_state *run);
QN_MUST_CHECK qn_status qn_dock_refine_answers(qn_dock_state *run);
void qn_dock_answers_clear(qn_dock_state *run);

/* rank.c: replace the clusters of the main answer, which are ordered by size, by those of the ranking by the model or
 * by weight where the options say so. */
QN_MUST_CHECK qn_status qn_dock_rank_main_answer(qn_dock_state *run);

/* The lowest energy of a cluster's poses that have the coefficient set of its centre. */
double qn_dock_lowest_energy(const qn_dock_answer *answer, size_t cluster);

/* result.c: make the caller's result; moves both molecules and the contacts of the answers from the run to it. */
QN_MUST_CHECK qn_status qn_dock_result_make(qn_dock_state *run, qn_dock_result **result);

/* contacts.c: interface frequencies of residues (heavy atoms within 5 Å) over the poses. */
QN_MUST_CHECK qn_status qn_dock_count_contacts(qn_dock_state *run, qn_dock_answer *answer);

/* output_*.c: each function writes one file or one kind of file; files are complete or absent. */
QN_MUST_CHECK qn_status qn_dock_write_tables(const qn_dock_state *run, const qn_dock_answer *answer);
QN_MUST_CHECK qn_status qn_dock_write_models(qn_dock_state *run, const qn_dock_answer *answer);
/* Write view.pml and view.cxc, which show the first model. `renamed`: the ligand with the names that its chains have in
 * the models; `ligand_chains`: these names, separated by commas. */
QN_MUST_CHECK qn_status qn_dock_write_views(const qn_dock_state *run, const qn_dock_answer *answer,
                                            const qn_molecule *renamed, const char *ligand_chains);
/* Append the page of an answer's report to a text. */
QN_MUST_CHECK qn_status qn_dock_report_page(const qn_dock_state *run, const qn_dock_answer *answer, qn_text *page);
QN_MUST_CHECK qn_status qn_dock_write_report(const qn_dock_state *run, const qn_dock_answer *answer);
QN_MUST_CHECK qn_status qn_dock_write_run_json(const qn_dock_state *run);

/* Path of an answer's file, which run.json will list; released with qn_release. */
QN_MUST_CHECK qn_status qn_dock_answer_path(const qn_dock_state *run, const qn_dock_answer *answer, const char *name,
                                            char **path);

/* Rename those chains of `renamed`, a copy of the ligand, whose names the receptor has too. `remarks` gets a line for
 * each renamed chain. */
QN_MUST_CHECK qn_status qn_dock_rename_chains(const qn_molecule *receptor, const qn_molecule *ligand,
                                              qn_molecule *renamed, qn_text *remarks);

/* Name of a cluster's model file: "cluster_01.pdb" or ".cif", known once the models are written. */
void qn_dock_model_name(const qn_dock_state *run, size_t cluster, char name[32]);

#endif
