/* Run all frames through all queries. One thread reads, the threads of the pool decode and measure, two threads per GPU
 * (one per CPU device) keep its queues filled, and one thread collects in the order of frames. Frames in flight lie in
 * a ring of slots of a fixed size, so memory does not grow with the number of frames. */
#ifndef QN_TRAJECTORY_ENGINE_H
#define QN_TRAJECTORY_ENGINE_H

#include "trajectory/records.h"

/* Analyse every frame of the pieces that are dealt to this rank and are not in run->job->done. If run->records is set,
 * record the partial results of each piece. Adds to run->frames (if run->collects is set), analysed_here and
 * client_seconds. A damaged file ends the frames and sets run->damage. */
QN_MUST_CHECK qn_status qn_trajectory_engine_run(qn_trajectory_state *run);

#endif
