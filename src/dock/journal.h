/* What a killed run leaves behind: the hits of every finished batch, so that --resume goes on where it stopped.
 *
 * A journal of job/journal.h: a key that names everything the hits depend on (inputs, options, device, engine), then a
 * record for each batch.
 */
#ifndef QN_DOCK_JOURNAL_H
#define QN_DOCK_JOURNAL_H

#include "dock/search.h"

typedef struct qn_dock_journal qn_dock_journal;

/* Open `path` for a run of `rotation_count` × `per_rotation` hits under `key`. With `resume` an existing journal is
 * read: its hits are put into `hits` and done[rotation] is set; without it, or when there is none, a new one is begun.
 * QN_INVALID_ARGUMENT, naming what differs, when the journal belongs to another run. */
QN_MUST_CHECK qn_status qn_dock_journal_open(const char *path, const char *key, int rotation_count, int per_rotation,
                                             bool resume, qn_dock_hit *hits, unsigned char *done,
                                             qn_dock_journal **journal);

/* Append the hits of rotations first … first + count − 1. */
QN_MUST_CHECK qn_status qn_dock_journal_append(qn_dock_journal *journal, int first, int count, const qn_dock_hit *hits);

/* Copy the value of line "name=value" of a journal's key into `value`; "" when there is no journal or no such line. */
QN_MUST_CHECK qn_status qn_dock_journal_value(const char *path, const char *name, char *value, size_t capacity);

void qn_dock_journal_close(qn_dock_journal **journal);

#endif
