/* Partial results of frames in the journals of a run's ranks, "journal.0", "journal.1", …: a record is a piece of
 * consecutive frames, compressed. */
#ifndef QN_TRAJECTORY_RECORDS_H
#define QN_TRAJECTORY_RECORDS_H

#include "trajectory/run.h"

/* A record that is being filled. Zero-initialise; released with qn_text_clear(&record.bytes). */
typedef struct qn_piece_record {
    qn_text bytes;
    uint64_t piece;
    uint32_t frames;
} qn_piece_record;

QN_MUST_CHECK qn_status qn_piece_record_add(qn_piece_record *record, const qn_trajectory_frame *frame,
                                            const double *partials, size_t count);
/* Append the record to the journal, and empty it for the next piece. */
QN_MUST_CHECK qn_status qn_piece_record_write(qn_piece_record *record, qn_job *job);

/* Fill run->job->done with the pieces in the journals, if the run is resumed. */
QN_MUST_CHECK qn_status qn_trajectory_find_known(qn_trajectory_state *run);

/* Pass all frames of all journals, and then those of run->tail, to the queries in order. QN_BAD_FORMAT if one is
 * missing. */
QN_MUST_CHECK qn_status qn_trajectory_gather(qn_trajectory_state *run);

#endif
