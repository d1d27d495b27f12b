/* Sums that a run puts aside, so that a killed one goes on where it stopped.
 *
 * They lie in a folder beside the output that is removed when the run is complete: a file of sums for each device, and
 * for each rank a journal (job/journal.h) whose last record says which files hold what. A file is complete before a
 * record names it, and removed only when no record does.
 *
 * Life cycle: open → save, again and again → add → destroy (remove). Thread rule: one thread at a time.
 */
#ifndef QN_RECONSTRUCT_SAVED_SUMS_H
#define QN_RECONSTRUCT_SAVED_SUMS_H

#include "job/pieces.h"
#include "reconstruct/accumulator.h"

typedef struct qn_saved_sums qn_saved_sums;

/* `folder` exists. With `resume` the batches that are in files become `done`; without it the folder must hold none:
 * QN_ALREADY_EXISTS. QN_INVALID_ARGUMENT when they are of another run, naming what differs in `key`. */
QN_MUST_CHECK qn_status qn_saved_sums_open(const char *folder, const char *key, bool resume, const qn_ranks *ranks,
                                           int side, int halves, qn_piece_set *done, qn_saved_sums **saved);
void qn_saved_sums_close(qn_saved_sums **saved);

/* Whether neither this rank nor one that it adopted has put anything aside. */
bool qn_saved_sums_are_none(const qn_saved_sums *saved);

/* Put the sums of device `writer` aside: all `batches` that it has inserted since the run began. */
QN_MUST_CHECK qn_status qn_saved_sums_write(qn_saved_sums *saved, int writer, qn_accumulator *accumulator,
                                            const uint64_t *batches, size_t count);

/* sums += this rank's share of what runs before put aside. QN_BAD_FORMAT when a file was damaged. */
QN_MUST_CHECK qn_status qn_saved_sums_add(const qn_saved_sums *saved, int half, qn_fourier_sums *sums);

/* The first rank, once results are written: the folder and what runs put there are gone. */
QN_MUST_CHECK qn_status qn_saved_sums_remove(const char *folder);

#endif
