/* Tapered patches of frames. */
#include <math.h>
#include <stdio.h>

#include <quern/workload.h>

#include "base/error.h"
#include "base/memory.h"
#include "movie/align/kernels/cut_patches.h"
#include "tune/workload_inputs.h"

enum { SIDE_MAX = 4096, FRAMES_MAX = 1024, ALONG = 9, PATCHES = ALONG * ALONG }; /* patches along a side */

typedef struct cut_state {
    qn_cut_problem problem;
    uint64_t seed;
    int corners[2 * PATCHES];
    qn_buffer *frames, *corner_buffer, *taper, *patches;
} cut_state;

static void destroy(void **pointer)
{
    cut_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->frames);
    qn_buffer_release(&state->corner_buffer);
    qn_buffer_release(&state->taper);
    qn_buffer_release(&state->patches);
    qn_release(pointer);
}

static size_t frame_pixels(const cut_state *state)
{
    return (size_t)state->problem.size[0] * (size_t)state->problem.size[1];
}

static size_t patch_pixels(const cut_state *state)
{
    return (size_t)state->problem.patch[0] * (size_t)state->problem.patch[1];
}

static qn_status make_buffers(cut_state *state, qn_queue *queue)
{
    const size_t frames = (size_t)state->problem.frames, sides = (size_t)2 * (size_t)state->problem.patch[0];
    const int room = state->problem.size[0] - state->problem.patch[0];
    for (int p = 0; p < PATCHES; p++) {
        state->corners[2 * p] = room * (p % ALONG) / (ALONG - 1);
        state->corners[2 * p + 1] = room * (p / ALONG) / (ALONG - 1);
    }
    QN_TRY(qn_workload_make_inputs(queue, state->seed, frame_pixels(state) * frames, &state->frames));
    QN_TRY(qn_workload_make_inputs(queue, state->seed + 1, sides, &state->taper));
    QN_TRY(qn_workload_make_buffer(queue, state->corners, sizeof state->corners, &state->corner_buffer));
    return qn_buffer_create(qn_queue_device(queue), 4 * patch_pixels(state) * frames * PATCHES, &state->patches);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    static const char name[] = "movie/cut_patches";
    void *memory;
    QN_TRY(qn_workload_check_size(name, "side", sizes[0], ALONG, SIDE_MAX, 1));
    QN_TRY(qn_workload_check_size(name, "patch", sizes[1], 1, sizes[0], 1));
    QN_TRY(qn_workload_check_size(name, "frames", sizes[2], 1, FRAMES_MAX, 1));
    QN_TRY(qn_allocate(1, sizeof(cut_state), &memory));
    cut_state *state = memory;
    state->seed = seed;
    state->problem = (qn_cut_problem){
        .size = {sizes[0], sizes[0]}, .patch = {sizes[1], sizes[1]}, .frames = sizes[2], .count = PATCHES};
    const qn_status status = make_buffers(state, queue);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((cut_state *)pointer)->patches, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    cut_state *state = pointer;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    const qn_status status = qn_cut_patches(queue, configuration, &state->problem, state->frames, state->corner_buffer,
                                            state->taper, state->patches, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

/* One patch of one frame, all its pixels. */
static qn_status check_patch(const cut_state *state, qn_queue *queue, size_t patch, size_t frame, float *values,
                             double *largest_error)
{
    const size_t side = (size_t)state->problem.size[0], width = (size_t)state->problem.patch[0];
    const size_t corner =
        (frame * side + (size_t)state->corners[2 * patch + 1]) * side + (size_t)state->corners[2 * patch];
    const size_t pixels = patch_pixels(state), place = (patch * (size_t)state->problem.frames + frame) * pixels;
    double mean = 0;
    for (size_t i = 0; i < pixels; i++)
        mean += (double)qn_workload_input(state->seed, corner + i / width * side + i % width) / (double)pixels;
    QN_TRY(qn_workload_read(queue, state->patches, 4 * place, values, 4 * pixels));
    for (size_t i = 0; i < pixels; i++) {
        const double taper = (double)qn_workload_input(state->seed + 1, i % width) *
                             (double)qn_workload_input(state->seed + 1, width + i / width);
        const double value = (double)qn_workload_input(state->seed, corner + i / width * side + i % width) - mean;
        *largest_error = qn_workload_larger_error(*largest_error, fabs((double)values[i] - value * taper) / 2e-6);
    }
    return QN_OK;
}

/* Some patches from the first to the last. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const cut_state *state = pointer;
    void *values;
    qn_status status = qn_allocate(patch_pixels(state), sizeof(float), &values);
    *largest_error = 0;
    for (size_t patch = 0; status == QN_OK && patch < PATCHES; patch += ALONG + 1)
        status = check_patch(state, queue, patch, ((size_t)state->problem.frames - 1) * patch / (PATCHES - 1), values,
                             largest_error);
    qn_release(&values);
    return status;
}

static const void *problem_of(const void *pointer)
{
    return &((const cut_state *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_movie_cut_patches_family.kernels[0].work(&((const cut_state *)pointer)->problem, least);
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    qn_cut_problem_class(&(qn_cut_problem){.size = {sizes[0], sizes[0]}, .patch = {sizes[1], sizes[1]}}, text);
}

extern const qn_workload qn_movie_cut_patches_workload;
const qn_workload qn_movie_cut_patches_workload = {
    .name = "movie/cut_patches",
    .summary = "81 tapered patches of each frame, less their means",
    .family = &qn_movie_cut_patches_family,
    .size_names = {"side", "patch", "frames"},
    .gpu_sizes = {1024, 192, 40},
    .cpu_sizes = {512, 128, 4},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};
