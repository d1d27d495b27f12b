/* Sets of pieces of work, and the journals of the ranks in which finished pieces are recorded.
 *
 * Thread rule: one thread at a time.
 */
#ifndef QN_JOB_PIECES_H
#define QN_JOB_PIECES_H

#include <stdbool.h>

#include "job/ranks.h"

/* A set of piece numbers. Zero-initialise; release with qn_release(&set.bits). */
typedef struct qn_piece_set {
    unsigned char *bits; /* one for each piece */
    size_t capacity;     /* bytes of `bits` */
    uint64_t count;      /* number of pieces in the set */
} qn_piece_set;

bool qn_piece_set_has(const qn_piece_set *set, uint64_t piece);
QN_MUST_CHECK qn_status qn_piece_set_add(qn_piece_set *set, uint64_t piece);

/* "folder/journal.<rank>"; released with qn_release. */
QN_MUST_CHECK qn_status qn_rank_journal_path(const char *folder, int rank, char **path);

/* The rank in a file name such as "journal.12"; −1 for names that qn_rank_journal_path does not make. */
int qn_rank_of_journal(const char *name);

/* Ranks that have a journal in the folder, ascending; released with qn_release. */
QN_MUST_CHECK qn_status qn_rank_journal_list(const char *folder, int **list, size_t *count);

/* Compare the key of each rank with that of rank 0 before the work begins. QN_INVALID_ARGUMENT names the first line
 * that differs; if this line is a device, `device_advice` (NULL: none) is appended. Every rank must call. */
QN_MUST_CHECK qn_status qn_ranks_same_key(qn_ranks *ranks, const char *key, const char *device_advice);

#endif
