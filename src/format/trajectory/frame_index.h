/* Offsets of the frames of a file, kept beside the file as .NAME.quern-index or, where that folder is not writable, in
 * the cache folder. An index belongs to a file with one size and one modification time; a damaged or outdated index is
 * ignored.
 *
 * Life cycle: zero-initialise → load or add … save → clear. Thread rule: one thread at a time.
 */
#ifndef QN_FORMAT_TRAJECTORY_FRAME_INDEX_H
#define QN_FORMAT_TRAJECTORY_FRAME_INDEX_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct qn_frame_index {
    uint64_t file_size;
    int64_t modified_s, modified_ns;
    uint64_t *offsets; /* of frames, ascending, and of the end of the last one */
    size_t count, capacity;
} qn_frame_index;

/* Store size and modification time of the file at `path`. QN_NOT_FOUND, QN_IO_ERROR; QN_UNSUPPORTED: not a plain
 * file. */
QN_MUST_CHECK qn_status qn_frame_index_begin(qn_frame_index *index, const char *path);

QN_MUST_CHECK qn_status qn_frame_index_add(qn_frame_index *index, uint64_t offset);

/* Begin, and load the offsets saved for this file in its present state; *found is false where there are none. */
QN_MUST_CHECK qn_status qn_frame_index_load(qn_frame_index *index, const char *path, bool *found);

/* Save in either place; also QN_OK where neither is writable. */
QN_MUST_CHECK qn_status qn_frame_index_save(const qn_frame_index *index, const char *path);

/* Number of frames: offsets except the last. */
size_t qn_frame_index_frames(const qn_frame_index *index);

void qn_frame_index_clear(qn_frame_index *index);

#endif
