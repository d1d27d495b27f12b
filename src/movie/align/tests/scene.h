/* A small movie with known motion: blobs at random places that move by a path and, if wanted, expand from a centre;
 * with noise. Include it after kernel_check.h, in one file. */
#ifndef QN_MOVIE_ALIGN_SCENE_H
#define QN_MOVIE_ALIGN_SCENE_H

#include <math.h>
#include <quern/fft.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/random.h"
#include "movie/align/coarse_stack.h"

enum { SCENE_WIDTH = 720, SCENE_HEIGHT = 600, SCENE_PADDED = 750, SCENE_BLOBS = 700 };

static const double SCENE_PIXEL_ANGSTROM = 1.5;

typedef struct scene_motion {
    int frames;
    double (*path)[2]; /* [frame] x, y; NULL: no motion */
    double expansion;  /* in the last frame, of the distance from the middle; it grows as √t */
    double noise;      /* standard deviation; the blobs' height is 1 */
    bool empty;        /* noise alone */
    const bool *blank; /* [frame]: a frame of zeros; NULL: none */
} scene_motion;

__attribute__((unused)) static double scene_normal(uint64_t stream, uint64_t index)
{
    const double u = qn_random_uniform(11, stream, 2 * index), v = qn_random_uniform(11, stream, 2 * index + 1);
    return sqrt(-2 * log(1 - u)) * cos(6.283185307179586 * v);
}

/* Displacement of the content at a place of frame t. */
__attribute__((unused)) static void scene_displacement(const scene_motion *motion, int t, double x, double y,
                                                       double displacement[2])
{
    const double grown = motion->expansion * sqrt(t / (motion->frames - 1.0));
    displacement[0] = (motion->path ? motion->path[t][0] : 0) + grown * (x - SCENE_WIDTH / 2.0);
    displacement[1] = (motion->path ? motion->path[t][1] : 0) + grown * (y - SCENE_HEIGHT / 2.0);
}

__attribute__((unused)) static void scene_frame(const scene_motion *motion, int t, float *padded)
{
    const double sigma = 3;
    const int reach = 12;
    memset(padded, 0, sizeof(float) * (size_t)SCENE_PADDED * SCENE_PADDED);
    if (motion->blank && motion->blank[t]) return;
    for (int y = 0; y < SCENE_HEIGHT; y++)
        for (int x = 0; x < SCENE_WIDTH; x++)
            padded[(size_t)y * SCENE_PADDED + (size_t)x] =
                (float)(motion->noise * scene_normal((uint64_t)(100 + t), (uint64_t)(y * SCENE_WIDTH + x)));
    for (uint64_t b = 0; b < SCENE_BLOBS && !motion->empty; b++) {
        const double height = qn_random_uniform(11, 2, b) < 0.5 ? 1 : -1;
        double at[2] = {qn_random_uniform(11, 0, b) * (SCENE_WIDTH + 80) - 40,
                        qn_random_uniform(11, 1, b) * (SCENE_HEIGHT + 80) - 40};
        double moved[2];
        scene_displacement(motion, t, at[0], at[1], moved);
        for (int d = 0; d < 2; d++) at[d] += moved[d];
        for (int y = (int)floor(at[1]) - reach; y <= (int)floor(at[1]) + reach; y++)
            for (int x = (int)floor(at[0]) - reach; x <= (int)floor(at[0]) + reach; x++) {
                if (x < 0 || y < 0 || x >= SCENE_WIDTH || y >= SCENE_HEIGHT) continue;
                const double squared = (x - at[0]) * (x - at[0]) + (y - at[1]) * (y - at[1]);
                padded[(size_t)y * SCENE_PADDED + (size_t)x] += (float)(height * exp(-squared / (2 * sigma * sigma)));
            }
    }
}

/* Transform all frames into a coarse stack: one is made, or *stack, of the same number of frames, is used again. */
__attribute__((unused)) static qn_status scene_stack(const scene_motion *motion, qn_coarse_stack **stack)
{
    const int padded[2] = {SCENE_PADDED, SCENE_PADDED};
    const size_t pixels = (size_t)SCENE_PADDED * SCENE_PADDED;
    const qn_fft_options options = {.size_bytes = sizeof options,
                                    .size = {SCENE_PADDED, SCENE_PADDED},
                                    .kind = QN_FFT_REAL_FORWARD,
                                    .engine = qn_fft_engine_of(device)};
    qn_movie_grid grid;
    qn_buffer *real = NULL, *spectrum = NULL;
    qn_fft_plan *plan = NULL;
    void *frame = NULL;
    qn_status status = qn_movie_grid_make(SCENE_WIDTH, SCENE_HEIGHT, padded, SCENE_PIXEL_ANGSTROM, &grid);
    if (*stack) qn_coarse_stack_reset(*stack);
    if (status == QN_OK && !*stack) status = qn_coarse_stack_create(device, queue, &grid, motion->frames, stack);
    if (status == QN_OK) status = qn_fft_plan_create(device, &options, &plan);
    if (status == QN_OK) status = qn_buffer_create(device, 4 * pixels, &real);
    if (status == QN_OK) status = qn_buffer_create(device, 8 * qn_half_pixels(padded), &spectrum);
    if (status == QN_OK) status = qn_allocate(pixels, sizeof(float), &frame);
    for (int t = 0; status == QN_OK && t < motion->frames; t++) {
        scene_frame(motion, t, frame);
        status = qn_queue_write(queue, real, 0, frame, 4 * pixels, NULL);
        if (status == QN_OK) status = qn_fft_execute(plan, queue, real, spectrum, NULL);
        if (status == QN_OK) status = qn_coarse_stack_add(*stack, t, spectrum);
        if (status == QN_OK) status = qn_queue_finish(queue);
    }
    qn_release(&frame);
    qn_fft_plan_destroy(&plan);
    qn_buffer_release(&real);
    qn_buffer_release(&spectrum);
    return status;
}

#endif
