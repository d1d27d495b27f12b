/* The search of a whole library. One thread cuts the library into pieces, whose molecules the thread pool reads and
 * types. A thread for each device takes pieces from a queue, searches their conformers and records finished pieces in
 * the journal. The capacity of the queue bounds memory, whatever the size of the library. */
#ifndef QN_SCREEN_PIPELINE_H
#define QN_SCREEN_PIPELINE_H

#include "screen/results.h"

/* Search and record all pieces that are dealt to this rank and are not in run->job->done. Adds device times to
 * run->scoring_s and run->evolving_s. */
QN_MUST_CHECK qn_status qn_screen_pipeline_run(qn_screen_state *run);

#endif
