/* Frames of trajectories: the positions of all atoms of a simulation at one time; and frames in memory.
 *
 *     const float positions[2][2][3] = {{{0, 0, 0}, {0.1f, 0, 0}}, {{0, 0, 0}, {0.2f, 0, 0}}};
 *     const double times[2] = {0, 10};
 *     qn_frame_array frames = {.positions_nm = &positions[0][0][0], .frame_count = 2, .atom_count = 2};
 *     frames.times_ps = times;
 *     printf("%zu frames of %zu atoms\n", frames.frame_count, frames.atom_count);
 */
#ifndef QUERN_FRAME_H
#define QUERN_FRAME_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct qn_trajectory_frame {
    uint64_t number;  /* from 0, counted through all files of a run */
    int64_t step;     /* of the simulation; -1: not known */
    double time_ps;   /* NaN: not known */
    double box_nm[9]; /* rows a, b, c; all 0: not periodic */
    size_t atom_count;
    float *positions_nm; /* atom_count × 3 */
} qn_trajectory_frame;

/* Frames that a caller holds in memory. Strides may be of any sign, so that a view of a larger array will do. */
typedef struct qn_frame_array {
    const char *name;          /* stands for the file in messages and reports; NULL: "the frames in memory" */
    const float *positions_nm; /* x of the first atom of the first frame */
    size_t frame_count, atom_count;
    ptrdiff_t frame_stride_bytes, atom_stride_bytes, axis_stride_bytes; /* all 0: packed */
    const double *boxes_nm; /* frame_count × 9, rows a, b, c; a box of 0: not periodic; NULL: no frame is periodic */
    const double *times_ps; /* frame_count; NULL: not known */
    double nm_per_unit;     /* positions are multiplied by it, in single precision: 0.1 for Å; 0: they are in nm */
} qn_frame_array;

/* A function that makes the next frame: it fills in positions_nm, for which the library has room, and step, time and
 * box where they are known; or it sets *end where there is no further frame. It is called by one thread at a time and
 * raises its failures with qn_error_raise. */
typedef qn_status (*qn_next_frame)(qn_trajectory_frame *frame, bool *end, void *user);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
