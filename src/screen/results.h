/* The results of a run so far: the records in the journals of its ranks, "journal.0", "journal.1", …, or in memory. */
#ifndef QN_SCREEN_RESULTS_H
#define QN_SCREEN_RESULTS_H

#include "screen/poses.h"

/* One molecule of a record; its texts and poses live until the callback returns. */
typedef struct qn_screen_entry {
    uint64_t index;
    uint64_t line;
    uint32_t library;
    int32_t heavy_atoms, conformers;
    int32_t unsettled;         /* number of conformers with an unsettled search */
    const char *name, *reason; /* reason of the rejection; NULL: not rejected */
    const char *made;          /* record that Open Babel made, with a zero byte at its end; NULL: none */
    size_t made_size;
    const qn_screen_kept *poses;    /* best first */
    const qn_flexible_pose *states; /* of a flexible molecule, one for each pose; NULL: rigid */
    int torsions;                   /* bonds of a flexible molecule that turn */
    double torsion_count;           /* Vina's N of a flexible molecule */
    int pose_count;
} qn_screen_entry;

/* The head of a record. */
typedef struct qn_screen_piece {
    uint64_t number;
    uint32_t molecule_count;
    uint32_t broken_off; /* 1: the library could not be read to the end of the piece; search it again */
    double interactions;
} qn_screen_piece;

typedef qn_status (*qn_screen_entry_callback)(const qn_screen_entry *entry, void *user);

/* Begin a record, then add each molecule of its piece in order. */
QN_MUST_CHECK qn_status qn_screen_record_begin(const qn_screen_piece *piece, qn_text *record);
QN_MUST_CHECK qn_status qn_screen_record_add(const qn_screen_entry *entry, qn_text *record);

/* Read the head of a record into `piece`, then call `callback` (may be NULL) for each molecule. QN_BAD_FORMAT: the
 * bytes are not a record of this version. */
QN_MUST_CHECK qn_status qn_screen_record_read(uint64_t number, const void *data, size_t size, qn_screen_piece *piece,
                                              qn_screen_entry_callback callback, void *user);

/* Add the inputs and all facts that results depend on to the job's key. */
QN_MUST_CHECK qn_status qn_screen_make_key(qn_screen_state *run);

/* Callbacks of a scan, which calls them once for every piece of all journals. A piece that was broken off is reported
 * only if no journal has the whole piece. Either callback may be NULL. */
typedef struct qn_screen_scan {
    qn_status (*piece)(const qn_screen_piece *piece, void *user);
    qn_screen_entry_callback entry; /* called for each molecule, after the call for its piece */
    void *user;
} qn_screen_scan;
QN_MUST_CHECK qn_status qn_screen_results_scan(const qn_screen_state *run, const qn_screen_scan *scan);

/* Fill run->rows, rejections, texts and counts from the journals. QN_BAD_FORMAT: a piece is missing or cut, or the
 * number of molecules differs from run->library_molecules, if that is known. */
QN_MUST_CHECK qn_status qn_screen_results_gather(qn_screen_state *run);
void qn_screen_results_clear(qn_screen_state *run);

#endif
