/* The search of a whole library: one thread cuts the library into pieces and has their molecules read and typed, every
 * device searches what it is handed, and finished pieces go into the journal. Queues are bounded, so memory does not
 * grow with the library. */
#ifndef QN_SCREEN_PIPELINE_H
#define QN_SCREEN_PIPELINE_H

#include "screen/results.h"

/* Search every piece that is not in run->job->done and is dealt to this rank; record each. Adds to run->scoring_s. */
QN_MUST_CHECK qn_status qn_screen_pipeline_run(qn_screen_state *run);

#endif
