/* The search of a whole library. One thread cuts the library into pieces, whose molecules the thread pool reads and
 * types. A thread for each device takes pieces from a queue, searches their conformers and records finished pieces in
 * the journal. The capacity of the queue bounds memory, whatever the size of the library. */
#ifndef QN_SCREEN_PIPELINE_H
#define QN_SCREEN_PIPELINE_H

#include "flexible/searcher.h"
#include "screen/results.h"

/* Search and record all pieces that are dealt to this rank and are not in run->job->done. Adds device times to
 * run->scoring_s and run->evolving_s. */
QN_MUST_CHECK qn_status qn_screen_pipeline_run(qn_screen_state *run);

/* Whether the library caused an error. If so, reading ends, and the results so far are kept. */
static inline bool qn_screen_is_librarys_fault(qn_status status)
{
    return status == QN_BAD_FORMAT || status == QN_IO_ERROR || status == QN_NOT_FOUND || status == QN_UNSUPPORTED;
}

/* Memory that a run of flexible molecules holds at the same time. */
typedef struct qn_screen_room {
    const qn_flexible_searcher *searchers[QN_DEVICES_MAX]; /* of each device; NULL: molecules are not searched */
    int searchers_of_a_gpu;
    size_t molecules;      /* read and waiting, at most */
    int pieces;            /* that a searcher takes together, at most */
    size_t piece_bytes;    /* of a piece while its poses are chosen */
    double resident_bytes; /* of the process, before searches were made */
} qn_screen_room;

/* With options->run.explain tell how much memory the run will take, as the first molecules of the library and the
 * memory so far suggest. QN_OUT_OF_MEMORY: more than options->run.memory_bytes. */
QN_MUST_CHECK qn_status qn_screen_check_memory(const qn_screen_state *run, const qn_screen_room *room);

#endif
