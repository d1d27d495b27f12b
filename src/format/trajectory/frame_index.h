/* Where the frames of a file begin, kept beside it as .NAME.quern-index or, where that folder cannot be written, in
 * the cache folder. It belongs to a file of one size and one time of modification; a damaged or outdated one is as
 * good as none.
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

/* Take down what the file at `path` is like now. QN_NOT_FOUND, QN_IO_ERROR; QN_UNSUPPORTED: not a plain file. */
QN_MUST_CHECK qn_status qn_frame_index_begin(qn_frame_index *index, const char *path);

QN_MUST_CHECK qn_status qn_frame_index_add(qn_frame_index *index, uint64_t offset);

/* Begin, and fill in what was saved for this very file: *found false where nothing fit was. */
QN_MUST_CHECK qn_status qn_frame_index_load(qn_frame_index *index, const char *path, bool *found);

/* Best effort in either place: QN_OK too where neither can be written. */
QN_MUST_CHECK qn_status qn_frame_index_save(const qn_frame_index *index, const char *path);

/* Frames it knows: offsets but the last. */
size_t qn_frame_index_frames(const qn_frame_index *index);

void qn_frame_index_clear(qn_frame_index *index);

#endif
