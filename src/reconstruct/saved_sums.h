/* Sums that a run puts aside, so that a killed one goes on where it stopped.
 *
 * They lie in the folder of the job's journals, which is removed when the run is complete: a file of sums for each
 * device, and in each rank's journal a last record that says which files hold what. A file is complete before a record
 * names it, and removed only when no record does.
 *
 * Life cycle: open → save, again and again → add → close. Thread rule: one thread at a time.
 */
#ifndef QN_RECONSTRUCT_SAVED_SUMS_H
#define QN_RECONSTRUCT_SAVED_SUMS_H

#include "job/job.h"
#include "reconstruct/accumulator.h"

typedef struct qn_saved_sums qn_saved_sums;

/* The job's journal is open. The batches that are in files of runs before become job->done. QN_BAD_FORMAT when a file
 * is damaged. */
QN_MUST_CHECK qn_status qn_saved_sums_open(qn_job *job, int side, int halves, qn_saved_sums **saved);
void qn_saved_sums_close(qn_saved_sums **saved);

/* Put the sums of device `writer` aside: all `batches` that it has inserted since the run began. */
QN_MUST_CHECK qn_status qn_saved_sums_write(qn_saved_sums *saved, int writer, qn_accumulator *accumulator,
                                            const uint64_t *batches, size_t count);

/* sums += this rank's share of what runs before put aside. QN_BAD_FORMAT when a file was damaged. */
QN_MUST_CHECK qn_status qn_saved_sums_add(const qn_saved_sums *saved, int half, qn_fourier_sums *sums);

#endif
