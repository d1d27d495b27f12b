/* Frames of patches against the sums of the patch's other frames. */
#include <math.h>
#include <stdio.h>

#include <quern/workload.h>

#include "base/error.h"
#include "base/memory.h"
#include "movie/align/kernels/correlate.h"
#include "tune/workload_inputs.h"

enum { SIDE_MAX = 2048, FRAMES_MAX = 1024, PATCHES_MAX = 4096 };

typedef struct correlate_state {
    qn_frames_problem problem;
    uint64_t seed;
    double *displacements; /* [patch][frame][2] */
    qn_buffer *spectra, *turns, *filter, *products, *halves;
} correlate_state;

static size_t pixels_of(const correlate_state *state)
{
    return (size_t)state->problem.size[1] * (size_t)(state->problem.size[0] / 2 + 1);
}

static void destroy(void **pointer)
{
    correlate_state *state = *pointer;
    if (!state) return;
    qn_buffer *buffers[] = {state->spectra, state->turns, state->filter, state->products, state->halves};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) qn_buffer_release(&buffers[i]);
    qn_release(&state->displacements);
    qn_release(pointer);
}

/* Displacements of up to 16 pixels. */
static qn_status make_turns(correlate_state *state, qn_queue *queue)
{
    const size_t count = (size_t)2 * (size_t)state->problem.frames * (size_t)state->problem.count;
    void *memory;
    QN_TRY(qn_allocate(count, sizeof(double), &memory));
    state->displacements = memory;
    QN_TRY(qn_allocate(count, sizeof(uint32_t), &memory));
    uint32_t *turns = memory;
    for (size_t i = 0; i < count; i++) {
        state->displacements[i] = 16 * (double)qn_workload_input(state->seed + 1, i);
        turns[i] = qn_shift_turns(state->displacements[i], state->problem.size[i % 2]);
    }
    const qn_status status = qn_workload_make_buffer(queue, turns, 4 * count, &state->turns);
    qn_release(&memory);
    return status;
}

static qn_status make_buffers(correlate_state *state, qn_queue *queue)
{
    const size_t pixels = pixels_of(state), patches = (size_t)state->problem.count;
    const size_t all = pixels * patches * (size_t)state->problem.frames;
    qn_device *device = qn_queue_device(queue);
    QN_TRY(make_turns(state, queue));
    QN_TRY(qn_workload_make_inputs(queue, state->seed, 2 * all, &state->spectra));
    QN_TRY(qn_workload_make_inputs(queue, state->seed + 2, pixels, &state->filter));
    QN_TRY(qn_buffer_create(device, 8 * all, &state->products));
    return qn_buffer_create(device, 16 * pixels * patches, &state->halves);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    static const char name[] = "movie/correlate";
    void *memory;
    QN_TRY(qn_workload_check_size(name, "side", sizes[0], 4, SIDE_MAX, 2));
    QN_TRY(qn_workload_check_size(name, "frames", sizes[1], 1, FRAMES_MAX, 1));
    QN_TRY(qn_workload_check_size(name, "patches", sizes[2], 1, PATCHES_MAX, 1));
    QN_TRY(qn_allocate(1, sizeof(correlate_state), &memory));
    correlate_state *state = memory;
    state->seed = seed;
    state->problem = (qn_frames_problem){.size = {sizes[0], sizes[0]}, .frames = sizes[1], .count = sizes[2]};
    const qn_status status = make_buffers(state, queue);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    const correlate_state *state = pointer;
    QN_TRY(qn_workload_fill(queue, state->products, 0xff));
    return qn_workload_fill(queue, state->halves, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    correlate_state *state = pointer;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    const qn_status status = qn_correlate_frames(queue, configuration, &state->problem, state->spectra, state->turns,
                                                 state->filter, state->products, state->halves, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

/* Arrays of one patch. */
typedef struct patch_check {
    float *spectra, *filter, *products, *halves;
    double *wanted, *wanted_halves;
} patch_check;

/* Values of `frames` frames are of the order of √frames; so are their errors. */
static double largest_error_of(const float *values, const double *wanted, size_t count, double tolerance)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = qn_workload_larger_error(largest, fabs((double)values[i] - wanted[i]) / tolerance);
    return largest;
}

static qn_status check_patch(const correlate_state *state, qn_queue *queue, size_t patch, const patch_check *room,
                             double *largest_error)
{
    const size_t pixels = pixels_of(state), frames = (size_t)state->problem.frames, all = 2 * pixels * frames;
    const double tolerance = 4e-6 * sqrt((double)frames);
    qn_frames_problem alone = state->problem;
    alone.count = 1;
    for (size_t i = 0; i < all; i++) room->spectra[i] = qn_workload_input(state->seed, patch * all + i);
    for (size_t i = 0; i < pixels; i++) room->filter[i] = qn_workload_input(state->seed + 2, i);
    qn_correlate_frames_reference(&alone, room->spectra, state->displacements + 2 * patch * frames, room->filter,
                                  room->wanted, room->wanted_halves);
    QN_TRY(qn_workload_read(queue, state->products, 4 * patch * all, room->products, 4 * all));
    QN_TRY(qn_workload_read(queue, state->halves, 16 * patch * pixels, room->halves, 16 * pixels));
    double error = largest_error_of(room->products, room->wanted, all, tolerance);
    error = fmax(error, largest_error_of(room->halves, room->wanted_halves, 4 * pixels, tolerance));
    *largest_error = qn_workload_larger_error(*largest_error, error);
    return QN_OK;
}

/* The first patch and the last. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const correlate_state *state = pointer;
    const size_t pixels = pixels_of(state), frames = (size_t)state->problem.frames, all = 2 * pixels * frames;
    void *memory;
    QN_TRY(qn_allocate(6 * all + 13 * pixels, sizeof(float), &memory));
    double *wanted = memory;
    float *values = (float *)(wanted + all + 4 * pixels);
    const patch_check room = {.spectra = values,
                              .filter = values + 2 * all,
                              .products = values + all,
                              .halves = values + 2 * all + pixels,
                              .wanted = wanted,
                              .wanted_halves = wanted + all};
    *largest_error = 0;
    qn_status status = check_patch(state, queue, 0, &room, largest_error);
    if (status == QN_OK) status = check_patch(state, queue, (size_t)state->problem.count - 1, &room, largest_error);
    qn_release(&memory);
    return status;
}

static const void *problem_of(const void *pointer)
{
    return &((const correlate_state *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_movie_correlate_family.kernels[0].work(&((const correlate_state *)pointer)->problem, least);
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    qn_frames_problem_class(&(qn_frames_problem){.size = {sizes[0], sizes[0]}, .frames = sizes[1], .count = sizes[2]},
                            text);
}

extern const qn_workload qn_movie_correlate_workload;
const qn_workload qn_movie_correlate_workload = {
    .name = "movie/correlate",
    .summary = "products of shifted frames of patches with the sums of their other frames",
    .family = &qn_movie_correlate_family,
    .size_names = {"side", "frames", "patches"},
    .gpu_sizes = {192, 40, 32},
    .cpu_sizes = {128, 24, 4},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};
