/* Reading, skipping and indexing for formats whose frames begin with their size: XTC and TRR.
 *
 * A format's read, skip and jump call these functions with its own function that measures a frame.
 */
#ifndef QN_FORMAT_TRAJECTORY_MEASURED_FRAMES_H
#define QN_FORMAT_TRAJECTORY_MEASURED_FRAMES_H

#include "format/trajectory/trajectory_format.h"

/* At least as long as any format's frame head. */
enum { QN_FRAME_HEAD_BYTES = 192 };

typedef struct qn_measured_frame {
    uint64_t bytes; /* of the whole frame; 0: the head is cut off */
    bool positions; /* a frame without positions is not counted */
} qn_measured_frame;

/* Measure a frame. `head`: the first bytes of the frame, QN_FRAME_HEAD_BYTES unless the file ends before; the frame is
 * at byte `offset` and would get `number`. */
typedef qn_status (*qn_measure_frame)(const qn_trajectory_stream *stream, uint64_t number, uint64_t offset,
                                      const char *head, size_t size, qn_measured_frame *frame);

QN_MUST_CHECK qn_status qn_measured_frame_read(qn_trajectory_stream *stream, qn_measure_frame measure,
                                               qn_frame_bytes *bytes, bool *end);
QN_MUST_CHECK qn_status qn_measured_frame_skip(qn_trajectory_stream *stream, qn_measure_frame measure, bool *end);

/* Jump by the index of the file's frames: the saved one or, for a jump over many frames, one that is made now and
 * saved. *offsets belongs to the stream and is made when first needed; freed with qn_frame_offsets_destroy. */
typedef struct qn_frame_offsets qn_frame_offsets;
QN_MUST_CHECK qn_status qn_measured_frame_jump(qn_trajectory_stream *stream, qn_measure_frame measure, uint64_t count,
                                               qn_frame_offsets **offsets, uint64_t *jumped);
void qn_frame_offsets_destroy(qn_frame_offsets **offsets);

#endif
