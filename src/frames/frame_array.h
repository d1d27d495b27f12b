/* Read frames from an array in memory, for frames/source.h. */
#ifndef QN_FRAMES_FRAME_ARRAY_H
#define QN_FRAMES_FRAME_ARRAY_H

#include <quern/frame.h>

/* Copy the description of an array, with name and strides filled in. QN_INVALID_ARGUMENT if there are no frames or
 * positions, or if the number of atoms is not that of the topology `topology_name`. */
QN_MUST_CHECK qn_status qn_frame_array_view(const qn_frame_array *given, size_t atom_count, const char *topology_name,
                                            qn_frame_array *view);

/* Copy frame `index` of a view into `frame`, but not its number. QN_INVALID_ARGUMENT as of qn_frame_check. Thread rule:
 * any thread. */
QN_MUST_CHECK qn_status qn_frame_array_copy(const qn_frame_array *view, size_t index, qn_trajectory_frame *frame);

/* Refuse a frame from memory with positions or a box that are not finite, or an infinite time: QN_INVALID_ARGUMENT. The
 * message names the source, `name`, and the frame. */
QN_MUST_CHECK qn_status qn_frame_check(const char *name, const qn_trajectory_frame *frame);

/* Number of bytes of the positions, and a SHA-256 of positions, boxes and times. If positions have more than 256 MiB,
 * only those of the first and the last frame are hashed. */
void qn_frame_array_digest(const qn_frame_array *view, uint64_t *bytes, char digest[65]);

#endif
