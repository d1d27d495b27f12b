/* The frames of a run through all queries: one thread reads, the pool's decode and measure, two threads a device keep
 * its queues filled, one collects in the order of frames. What is under way lies in a ring of slots of a fixed size, so
 * memory does not grow with the number of frames. */
#ifndef QN_TRAJECTORY_ENGINE_H
#define QN_TRAJECTORY_ENGINE_H

#include "trajectory/records.h"

/* Analyse every frame of the pieces that are not in run->job->done and are dealt to this rank; where run->records, each
 * piece's partials are recorded. Adds to run->frames (where run->collects), analysed_here, client_seconds. A file that
 * is damaged ends the frames: run->damage. */
QN_MUST_CHECK qn_status qn_trajectory_engine_run(qn_trajectory_state *run);

#endif
