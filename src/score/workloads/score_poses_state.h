/* A random deck on a device, for the workloads of score_poses and score_poses_near. */
#ifndef QN_SCORE_WORKLOADS_SCORE_POSES_STATE_H
#define QN_SCORE_WORKLOADS_SCORE_POSES_STATE_H

#include <quern/workload.h>

#include "score/deck.h"
#include "tune/workload_inputs.h"

typedef struct qn_score_poses_state {
    qn_deck deck;
    qn_deck_run run;
} qn_score_poses_state;

/* Functions of a workload; `name` is the name of the workload. */
QN_MUST_CHECK qn_status qn_score_poses_state_create(const char *name, qn_queue *queue,
                                                    const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, bool cull,
                                                    void **state);
QN_MUST_CHECK qn_status qn_score_poses_state_clear(void *state, qn_queue *queue);
QN_MUST_CHECK qn_status qn_score_poses_state_check(void *state, qn_queue *queue, double *largest_error);
void qn_score_poses_state_class(const int sizes[QN_WORKLOAD_SIZES], char text[64]);
void qn_score_poses_state_destroy(void **state);

#endif
