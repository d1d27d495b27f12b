/* Frames of a trajectory file, one after the other: read as bytes by one thread, decoded by many.
 *
 * The format is recognised by content (a few by the file name): XTC, TRR, DCD, GRO, PDB, mmCIF, XYZ, LAMMPS dump, Amber
 * NetCDF, H5MD; gzipped or not, from a file, a FIFO or "-". TNG is refused; the message says how to convert it.
 *
 * Life cycle: open → read, decode, read … → close. Thread rule: one thread reads; any threads decode.
 *
 *     while (qn_trajectory_stream_read(stream, &bytes, &end) == QN_OK && !end)
 *         qn_trajectory_stream_decode(stream, &bytes, &frame);
 */
#ifndef QN_FORMAT_TRAJECTORY_TRAJECTORY_STREAM_H
#define QN_FORMAT_TRAJECTORY_TRAJECTORY_STREAM_H

#include <quern/frame.h>
#include <quern/status.h>
#include <stdbool.h>

typedef struct qn_trajectory_stream qn_trajectory_stream;

/* One frame as stored in the file. Zero-initialise; the same struct may be reused for many frames; released with
 * qn_frame_bytes_clear. */
typedef struct qn_frame_bytes {
    uint64_t number; /* from 0 in this file */
    uint64_t offset; /* of its first byte; in text formats the number of its first line, from 1 */
    char *data;
    size_t size, capacity;
    int64_t step;   /* known before decoding, or -1 */
    double time_ps; /* known before decoding, or NaN */
} qn_frame_bytes;
void qn_frame_bytes_clear(qn_frame_bytes *bytes);

/* `atom_count`: the number of atoms that frames must have, from the topology; 0: that of the first frame. QN_NOT_FOUND,
 * QN_BAD_FORMAT, QN_UNSUPPORTED, QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_trajectory_stream_open(const char *path, size_t atom_count, qn_trajectory_stream **stream);
void qn_trajectory_stream_close(qn_trajectory_stream **stream);

size_t qn_trajectory_stream_atom_count(const qn_trajectory_stream *stream);
const char *qn_trajectory_stream_format(const qn_trajectory_stream *stream); /* "XTC" */

/* Read the next frame; *end is true, without a frame, after the last one. Where a file ends inside a frame, the frame
 * before it is the last, and qn_trajectory_stream_ending describes the rest. Errors name file, frame and byte (or
 * line). */
QN_MUST_CHECK qn_status qn_trajectory_stream_read(qn_trajectory_stream *stream, qn_frame_bytes *bytes, bool *end);

/* Skip `count` frames, or all up to the end: by the index of offsets where one exists or frames have a fixed size, else
 * by reading. *skipped (may be NULL): the number of frames skipped. */
QN_MUST_CHECK qn_status qn_trajectory_stream_skip(qn_trajectory_stream *stream, uint64_t count, uint64_t *skipped);

/* NULL, or one sentence about the bytes after the last complete frame. */
const char *qn_trajectory_stream_ending(const qn_trajectory_stream *stream);

/* NULL, or one sentence about a contradiction in the file, which is complete after the last frame was read. */
const char *qn_trajectory_stream_remark(const qn_trajectory_stream *stream);

/* Number of frames without positions that were skipped so far; they are not counted as frames. */
uint64_t qn_trajectory_stream_left_out(const qn_trajectory_stream *stream);

/* Bytes of the stored file; `all_bytes` is 0 when not known. */
void qn_trajectory_stream_progress(const qn_trajectory_stream *stream, uint64_t *done_bytes, uint64_t *all_bytes);

/* Decode a frame. `frame` has room for its positions: atom_count × 3 floats, at least as many atoms as the stream has.
 * All other members except `number` are filled in. */
QN_MUST_CHECK qn_status qn_trajectory_stream_decode(const qn_trajectory_stream *stream, const qn_frame_bytes *bytes,
                                                    qn_trajectory_frame *frame);

#endif
