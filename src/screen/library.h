/* The libraries of a run as one long row of molecules, counted through all files from 0.
 *
 * Life cycle: open → seek, forwards only → close. Thread rule: one thread at a time.
 */
#ifndef QN_SCREEN_LIBRARY_H
#define QN_SCREEN_LIBRARY_H

#include "format/compound/compound_stream.h"

typedef struct qn_screen_library qn_screen_library;

/* `paths` must live as long as the library. Every file is looked at, so that the last one's absence is known before
 * the first one's molecules are searched. Errors: those of qn_compound_stream_open; QN_UNSUPPORTED for "-" and what is
 * no regular file. */
QN_MUST_CHECK qn_status qn_screen_library_open(const char *const *paths, size_t count, qn_screen_library **library);
void qn_screen_library_close(qn_screen_library **library);

/* Get past the molecules before `index` and read its record; size 0 when there are fewer. record->path lives as long as
 * the paths. */
QN_MUST_CHECK qn_status qn_screen_library_seek(qn_screen_library *library, uint64_t index, qn_compound_record *record);

/* The molecule behind the last one read or got past: how many there are once a seek has found nothing. */
uint64_t qn_screen_library_position(const qn_screen_library *library);

/* The file of the last record read. */
size_t qn_screen_library_file(const qn_screen_library *library);

/* How many molecules there will be, from those so far and their bytes. */
uint64_t qn_screen_library_estimate(const qn_screen_library *library);

/* Bytes of all files; 0 when not known. */
uint64_t qn_screen_library_bytes(const qn_screen_library *library);

#endif
