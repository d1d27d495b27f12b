/* Patches of frames, less their mean, and tapered.
 *
 * Shapes: frames [frames][height][width] floats, corners int32 [patches][2] (x, y of a patch's first pixel), taper
 * [patch width] floats along x followed by [patch height] along y, patches [count][frames][patch height][patch width].
 */
#ifndef QN_MOVIE_CUT_PATCHES_H
#define QN_MOVIE_CUT_PATCHES_H

#include <quern/family.h>

extern const qn_family qn_movie_cut_patches_family;

typedef struct qn_cut_problem {
    int size[2];  /* width, height of a frame */
    int patch[2]; /* width, height of a patch, at most `size`; corners must leave room for it */
    int frames;
    int first, count; /* patches of the launch */
} qn_cut_problem;

/* QN_INVALID_ARGUMENT for impossible problems and buffers that are too small. */
QN_MUST_CHECK qn_status qn_cut_patches(qn_queue *queue, const qn_configuration *configuration,
                                       const qn_cut_problem *problem, qn_buffer *frames, qn_buffer *corners,
                                       qn_buffer *taper, qn_buffer *patches, qn_event **event);

/* Name of the problem's class, the key of tuning results. */
void qn_cut_problem_class(const qn_cut_problem *problem, char text[64]);

/* Reference in double precision (cut_patches_reference.c). */
void qn_cut_patches_reference(const qn_cut_problem *problem, const float *frames, const int *corners,
                              const float *taper, double *patches);

#endif
