/* The libraries of a run as one sequence of molecules, counted through all libraries from 0.
 *
 * Life cycle: open → seek, forwards only → close. Thread rule: one thread at a time.
 */
#ifndef QN_SCREEN_LIBRARY_H
#define QN_SCREEN_LIBRARY_H

#include "screen/sources.h"

typedef struct qn_screen_library qn_screen_library;

/* Paths and contents of the sources must live as long as the library. All files are opened once, so that a missing
 * file is reported before any molecule is searched. Errors: those of qn_compound_stream_open and qn_file_open;
 * QN_UNSUPPORTED for "-". */
QN_MUST_CHECK qn_status qn_screen_library_open(const qn_screen_sources *sources, qn_screen_library **library);
void qn_screen_library_close(qn_screen_library **library);

/* Skip the molecules before `index` and read its record; record->size is 0 if there are fewer molecules. record->path
 * lives as long as the sources. */
QN_MUST_CHECK qn_status qn_screen_library_seek(qn_screen_library *library, uint64_t index, qn_compound_record *record);

/* Number of molecules read or skipped; after a seek that found nothing, the number of all molecules. */
uint64_t qn_screen_library_position(const qn_screen_library *library);

/* Index of the library that the last record was read from. */
size_t qn_screen_library_file(const qn_screen_library *library);

/* Number of all molecules, estimated from the molecules read so far and their bytes. */
uint64_t qn_screen_library_estimate(const qn_screen_library *library);

/* Whether all molecules are read, so that their number is known. */
bool qn_screen_library_is_over(const qn_screen_library *library);

/* Bytes of all libraries; 0: not known. */
uint64_t qn_screen_library_bytes(const qn_screen_library *library);

#endif
