/* The scores a search can use, behind one table. */
#ifndef QN_SCREEN_SEARCH_SCORER_H
#define QN_SCREEN_SEARCH_SCORER_H

#include <quern/queue.h>

#include "score/kernels/score_poses_near.h"
#include "screen/search/search.h"

/* What a launch of scoring is given. Buffers as in score_poses.h; shares: a float a job, see qn_screen_scorer.share. */
typedef struct qn_screen_scoring {
    int slot;         /* of the search, 0 … QN_SCREEN_SLOTS − 1, which is of one queue */
    int jobs, poses;  /* poses of a job: a multiple of 64 */
    int ligand_atoms; /* of all jobs together */
    bool exact;
    qn_buffer *job_ranges, *shares, *atoms, *transforms, *energies;
} qn_screen_scoring;

typedef struct qn_screen_scorer {
    /* hardness: factor of what atoms that overlap cost */
    qn_status (*create)(qn_device *device, const qn_score_receptor *receptor, const qn_screen_search_options *options,
                        double hardness, void **state);
    void (*destroy)(void **state);
    /* events: of the commands it takes */
    qn_status (*score)(qn_queue *queue, const void *state, const qn_screen_scoring *scoring,
                       qn_score_poses_events *events);
    float (*share)(const qn_score_ligand *ligand); /* factor of a ligand's energies; NULL: 1 */
} qn_screen_scorer;

/* QN_UNSUPPORTED for a score that has no kernels. */
QN_MUST_CHECK qn_status qn_screen_scorer_find(qn_ligand_score_kind kind, const qn_screen_scorer **scorer);

/* qn_screen_search_create with a scorer of one's own. */
QN_MUST_CHECK qn_status qn_screen_search_create_with(qn_device *device, const qn_screen_scorer *scorer,
                                                     const qn_score_receptor *receptor,
                                                     const qn_screen_search_options *options,
                                                     qn_screen_search **search);

#endif
