/* Sums that a run saves, so that it can be resumed after it was killed.
 *
 * The sums lie in the folder of the job's journals, which is removed when the run is complete: one file of sums for
 * each device. The last record of each rank's journal names the files and the batches in them. A file is complete
 * before a record names it, and is removed only when no record names it.
 *
 * Life cycle: open → save, again and again → add → close. Thread rule: one thread at a time. */
#ifndef QN_RECONSTRUCT_SAVED_SUMS_H
#define QN_RECONSTRUCT_SAVED_SUMS_H

#include "job/job.h"
#include "reconstruct/accumulator.h"

typedef struct qn_saved_sums qn_saved_sums;

/* Open the saved sums; the job's journal is open. Batches in files of earlier runs are added to job->done.
 * QN_BAD_FORMAT when a file is damaged. */
QN_MUST_CHECK qn_status qn_saved_sums_open(qn_job *job, int side, int halves, qn_saved_sums **saved);
void qn_saved_sums_close(qn_saved_sums **saved);

/* Save the sums of device `writer`, which hold `batches`: all that the device has inserted since the run began. */
QN_MUST_CHECK qn_status qn_saved_sums_write(qn_saved_sums *saved, int writer, qn_accumulator *accumulator,
                                            const uint64_t *batches, size_t count);

/* sums += this rank's share of the sums that earlier runs saved. QN_BAD_FORMAT when a file was damaged. */
QN_MUST_CHECK qn_status qn_saved_sums_add(const qn_saved_sums *saved, int half, qn_fourier_sums *sums);

#endif
