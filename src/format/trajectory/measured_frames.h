/* Reading, skipping and indexing for formats whose frames tell their size at their beginning: XTC and TRR.
 *
 * A format's read, skip and jump call these with its own way of measuring a frame.
 */
#ifndef QN_FORMAT_TRAJECTORY_MEASURED_FRAMES_H
#define QN_FORMAT_TRAJECTORY_MEASURED_FRAMES_H

#include "format/trajectory/trajectory_format.h"

/* At least as long as what any format looks at to measure a frame. */
enum { QN_FRAME_HEAD_BYTES = 192 };

typedef struct qn_measured_frame {
    uint64_t bytes; /* of the whole frame; 0: the head is cut off */
    bool positions; /* a frame without them does not count as one */
} qn_measured_frame;

/* `head`: the first bytes of a frame, QN_FRAME_HEAD_BYTES unless the file ends before, which lies at byte `offset` and
 * would be frame `number`. */
typedef qn_status (*qn_measure_frame)(const qn_trajectory_stream *stream, uint64_t number, uint64_t offset,
                                      const char *head, size_t size, qn_measured_frame *frame);

QN_MUST_CHECK qn_status qn_measured_frame_read(qn_trajectory_stream *stream, qn_measure_frame measure,
                                               qn_frame_bytes *bytes, bool *end);
QN_MUST_CHECK qn_status qn_measured_frame_skip(qn_trajectory_stream *stream, qn_measure_frame measure, bool *end);

/* By the index of the file's frames: the one that was saved, or, for a jump over many, one that is made now and saved.
 * *offsets is the stream's, made when it is first needed; freed with qn_frame_offsets_destroy. */
typedef struct qn_frame_offsets qn_frame_offsets;
QN_MUST_CHECK qn_status qn_measured_frame_jump(qn_trajectory_stream *stream, qn_measure_frame measure, uint64_t count,
                                               qn_frame_offsets **offsets, uint64_t *jumped);
void qn_frame_offsets_destroy(qn_frame_offsets **offsets);

#endif
