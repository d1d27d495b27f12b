/* What a killed run leaves behind: the hits of every finished batch, so that --resume goes on where it stopped.
 *
 * Journals of job/journal.h, one of each process: a key that names everything the hits depend on (inputs, options,
 * device, engine), then a record for each batch.
 */
#ifndef QN_DOCK_JOURNAL_H
#define QN_DOCK_JOURNAL_H

#include "dock/search/search.h"

typedef struct qn_dock_journal qn_dock_journal;

/* What journals have of a run of `rotation_count` × `per_rotation` hits: done[rotation] is set. */
typedef struct qn_dock_known {
    int rotation_count, per_rotation;
    unsigned char *done;
    qn_dock_hit *hits; /* [rotations][per_rotation]; NULL: not wanted */
} qn_dock_known;

/* Open this rank's journal in the folder under `key`. With `resume` an existing one is kept and what it has goes into
 * `known`; without it, or when there is none, a new one is begun. QN_INVALID_ARGUMENT, naming what differs, when the
 * journal belongs to another run; QN_ALREADY_EXISTS when another process has it. */
QN_MUST_CHECK qn_status qn_dock_journal_open(const char *folder, int rank, const char *key, bool resume,
                                             const qn_dock_known *known, qn_dock_journal **journal);

/* What all journals of the folder have, whatever the number of ranks that wrote them. Errors: the first above. */
QN_MUST_CHECK qn_status qn_dock_journals_read(const char *folder, const char *key, const qn_dock_known *known);

/* Append the hits of rotations first … first + count − 1. */
QN_MUST_CHECK qn_status qn_dock_journal_append(qn_dock_journal *journal, int first, int count, const qn_dock_hit *hits);

/* Copy the value of line "name=value" of the keys of the folder's journals into `value`; "" when there is none. */
QN_MUST_CHECK qn_status qn_dock_journals_value(const char *folder, const char *name, char *value, size_t capacity);

void qn_dock_journal_close(qn_dock_journal **journal);

/* How many rotations are done. */
int qn_dock_known_count(const qn_dock_known *known);

#endif
