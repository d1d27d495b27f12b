/* Pieces of work of a run in several processes: which are done, and where the journals that say so lie.
 *
 * Thread rule: one thread at a time.
 */
#ifndef QN_JOB_PIECES_H
#define QN_JOB_PIECES_H

#include <stdbool.h>

#include "job/ranks.h"

/* Pieces, each seen or not. Zero-initialise; release with qn_release(&set.bits). */
typedef struct qn_piece_set {
    unsigned char *bits;
    size_t capacity;
    uint64_t count;
} qn_piece_set;

bool qn_piece_set_has(const qn_piece_set *set, uint64_t piece);
QN_MUST_CHECK qn_status qn_piece_set_add(qn_piece_set *set, uint64_t piece);

/* "folder/journal.<rank>"; released with qn_release. */
QN_MUST_CHECK qn_status qn_rank_journal_path(const char *folder, int rank, char **path);

/* The rank in a name such as "journal.12", written as we write it; −1 for other names. */
int qn_rank_of_journal(const char *name);

/* Ranks that have a journal in the folder, ascending; released with qn_release. */
QN_MUST_CHECK qn_status qn_rank_journal_list(const char *folder, int **list, size_t *count);

/* Refuse ranks whose journals' keys differ from the first one's, before they work for hours: QN_INVALID_ARGUMENT,
 * naming what differs; where it is a device, `device_advice` (may be NULL) is put behind. Every rank must call. */
QN_MUST_CHECK qn_status qn_ranks_same_key(qn_ranks *ranks, const char *key, const char *device_advice);

#endif
