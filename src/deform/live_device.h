/* A device that solves states for the workers of a crew: those that wait together become a batch. */
#ifndef QN_DEFORM_LIVE_DEVICE_H
#define QN_DEFORM_LIVE_DEVICE_H

#include "deform/batch/batch.h"
#include "deform/space/grid.h"

/* Workers that may wait at once, and so the largest batch. */
enum { QN_LIVE_DEVICE_WORKERS = 16 };

typedef struct qn_live_device qn_live_device;

/* The device, the pool and the problem outlive it. */
QN_MUST_CHECK qn_status qn_live_device_create(qn_device *device, const qn_problem *problem, double tolerance,
                                              qn_pool *pool, qn_live_device **live);
void qn_live_device_destroy(qn_live_device **live);

/* Solve one state, called by many threads at once: the first of them takes all that wait into a batch. What is found is
 * in the arrays of `state`, whose place and parent are set. */
QN_MUST_CHECK qn_status qn_live_device_solve(qn_live_device *live, qn_batch_state *state);

#endif
