/* What a run has found so far, as it stands in the journals of its ranks: "journal.0", "journal.1", … */
#ifndef QN_SCREEN_RESULTS_H
#define QN_SCREEN_RESULTS_H

#include "screen/poses.h"

/* One molecule of a record; its texts and poses live until the callback returns. */
typedef struct qn_screen_entry {
    uint64_t index;
    uint64_t line;
    uint32_t library;
    int32_t heavy_atoms, conformers;
    const char *name, *reason; /* reason: NULL when it was not rejected */
    const char *made;          /* see molecule.h; ends in a zero byte; NULL */
    size_t made_size;
    const qn_screen_kept *poses; /* best first */
    int pose_count;
} qn_screen_entry;

/* A record: a piece and what it cost. */
typedef struct qn_screen_piece {
    uint64_t number;
    uint32_t molecule_count;
    uint32_t broken_off; /* 1: the library could not be read behind them; a piece to be done again */
    double interactions;
} qn_screen_piece;

typedef qn_status (*qn_screen_entry_callback)(const qn_screen_entry *entry, void *user);

/* Begin a record, then add each molecule of its piece in order. */
QN_MUST_CHECK qn_status qn_screen_record_begin(const qn_screen_piece *piece, qn_text *record);
QN_MUST_CHECK qn_status qn_screen_record_add(const qn_screen_entry *entry, qn_text *record);

/* Take a record apart. `callback` may be NULL. QN_BAD_FORMAT when it is none of ours. */
QN_MUST_CHECK qn_status qn_screen_record_read(uint64_t number, const void *data, size_t size, qn_screen_piece *piece,
                                              qn_screen_entry_callback callback, void *user);

/* Name inputs, and add everything that journals depend on to the job's key. */
QN_MUST_CHECK qn_status qn_screen_make_key(qn_screen_state *run);

/* Every piece of all journals once; one that was broken off only where it is nowhere whole. Either callback may be
 * NULL. */
typedef struct qn_screen_scan {
    qn_status (*piece)(const qn_screen_piece *piece, void *user);
    qn_screen_entry_callback entry; /* of the piece that `piece` was told before */
    void *user;
} qn_screen_scan;
QN_MUST_CHECK qn_status qn_screen_results_scan(const qn_screen_state *run, const qn_screen_scan *scan);

/* Fill run->rows, rejections, texts and counts from the journals. QN_BAD_FORMAT when a piece is missing or cut, or they
 * are not run->library_molecules, where that is known. */
QN_MUST_CHECK qn_status qn_screen_results_gather(qn_screen_state *run);
void qn_screen_results_clear(qn_screen_state *run);

#endif
