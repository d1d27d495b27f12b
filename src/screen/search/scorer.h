/* Scoring functions of the search, one table of functions for each. */
#ifndef QN_SCREEN_SEARCH_SCORER_H
#define QN_SCREEN_SEARCH_SCORER_H

#include <quern/queue.h>

#include "score/kernels/score_poses_near.h"
#include "screen/search/search.h"

/* Arguments of a scoring launch. Buffers are those of score_poses.h; shares: one float for each job, see
 * qn_screen_scorer.share. */
typedef struct qn_screen_scoring {
    int slot;         /* of the search, 0 … QN_SCREEN_SLOTS − 1; each slot has one queue */
    int jobs, poses;  /* poses of a job: a multiple of 64 */
    int ligand_atoms; /* of all jobs together */
    bool exact;
    qn_buffer *job_ranges, *shares, *atoms, *transforms, *energies;
} qn_screen_scoring;

typedef struct qn_screen_scorer {
    /* `hardness`: factor of the energy of overlap. */
    qn_status (*create)(qn_device *device, const qn_score_receptor *receptor, const qn_screen_search_options *options,
                        double hardness, void **state);
    void (*destroy)(void **state);
    /* `events` gets the events of the commands. */
    qn_status (*score)(qn_queue *queue, const void *state, const qn_screen_scoring *scoring,
                       qn_score_poses_events *events);
    float (*share)(const qn_score_ligand *ligand); /* factor applied to the energies of a ligand; NULL: 1 */
} qn_screen_scorer;

/* Find the scorer of a score. QN_UNSUPPORTED: the score has no kernels. */
QN_MUST_CHECK qn_status qn_screen_scorer_find(qn_ligand_score_kind kind, const qn_screen_scorer **scorer);

/* Do the same as qn_screen_search_create with a given scorer, for tests. */
QN_MUST_CHECK qn_status qn_screen_search_create_with(qn_device *device, const qn_screen_scorer *scorer,
                                                     const qn_score_receptor *receptor,
                                                     const qn_screen_search_options *options,
                                                     qn_screen_search **search);

#endif
