#include <math.h>
#include <stdio.h>
#include <string.h>

#include <quern/workload.h>

#include "base/error.h"
#include "base/memory.h"
#include "movie/correct/kernels/correct_frames.h"
#include "tune/workload_inputs.h"

/* One frame of bytes, padded by a sixteenth on each axis. Samples are the repeating numbers 0 … 4 as electrons counted;
 * every 4096th pixel is bad, and every 64th of these has no neighbour to take its value from. */
enum { SAMPLES = 2000, BAD_STEP = 4096, ALONE_STEP = 64 };

typedef struct correct_state {
    qn_correct_problem problem;
    uint64_t seed;
    unsigned char *samples;
    float *gain;
    int32_t *moves;
    double mean; /* expected; 0: not computed yet */
    qn_correct_buffers buffers;
} correct_state;

static size_t pixels_of(const correct_state *state)
{
    return (size_t)state->problem.width * (size_t)state->problem.height;
}

static size_t padded_of(const correct_state *state)
{
    return (size_t)state->problem.padded[0] * (size_t)state->problem.padded[1];
}

static void destroy(void **pointer)
{
    correct_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->buffers.samples);
    qn_buffer_release(&state->buffers.gain);
    qn_buffer_release(&state->buffers.moves);
    qn_buffer_release(&state->buffers.block_sums);
    qn_buffer_release(&state->buffers.mean);
    qn_buffer_release(&state->buffers.frame);
    qn_release(&state->samples);
    qn_release(&state->gain);
    qn_release(&state->moves);
    qn_release(pointer);
}

static int32_t padded_index(const correct_state *state, size_t pixel)
{
    const size_t width = (size_t)state->problem.width;
    return (int32_t)(pixel / width * (size_t)state->problem.padded[0] + pixel % width);
}

static qn_status make_inputs(correct_state *state)
{
    const size_t pixels = pixels_of(state), bad = pixels / BAD_STEP;
    void *memory;
    QN_TRY(qn_allocate(qn_correct_samples_bytes(&state->problem), 1, &memory));
    state->samples = memory;
    QN_TRY(qn_allocate(pixels, sizeof(float), &memory));
    state->gain = memory;
    QN_TRY(qn_allocate(2 * bad, sizeof(int32_t), &memory));
    state->moves = memory;
    state->problem.bad_count = (int)bad;
    for (size_t i = 0; i < pixels; i++) {
        const float input = qn_workload_input(state->seed, i);
        state->samples[i] = (unsigned char)(2.5f * (1 + input));
        state->gain[i] = 1 + 0.25f * qn_workload_input(state->seed + 1, i);
    }
    for (size_t i = 0; i < bad; i++) {
        const size_t pixel = i * BAD_STEP + 1;
        state->gain[pixel] = 0;
        state->moves[2 * i] = padded_index(state, pixel);
        state->moves[2 * i + 1] = i % ALONE_STEP == 0 ? -1 : padded_index(state, pixel - 1);
    }
    return QN_OK;
}

static qn_status make_buffers(correct_state *state, qn_queue *queue)
{
    const qn_correct_problem *problem = &state->problem;
    qn_correct_buffers *b = &state->buffers;
    const size_t word = sizeof(float);
    QN_TRY(make_inputs(state));
    const size_t moves = 2 * (size_t)problem->bad_count * sizeof(int32_t);
    QN_TRY(qn_workload_make_buffer(queue, state->samples, qn_correct_samples_bytes(problem), &b->samples));
    QN_TRY(qn_workload_make_buffer(queue, state->gain, pixels_of(state) * word, &b->gain));
    if (moves > 0) QN_TRY(qn_workload_make_buffer(queue, state->moves, moves, &b->moves));
    QN_TRY(qn_buffer_create(qn_queue_device(queue), qn_correct_sums(problem) * word, &b->block_sums));
    QN_TRY(qn_buffer_create(qn_queue_device(queue), word, &b->mean));
    return qn_buffer_create(qn_queue_device(queue), padded_of(state) * word, &b->frame);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    static const char name[] = "movie/correct_frames";
    void *memory;
    QN_TRY(qn_workload_check_size(name, "width", sizes[0], 8, 16384, 1));
    QN_TRY(qn_workload_check_size(name, "height", sizes[1], 8, 16384, 1));
    QN_TRY(qn_allocate(1, sizeof(correct_state), &memory));
    correct_state *state = memory;
    state->seed = seed;
    state->problem = (qn_correct_problem){.width = sizes[0],
                                          .height = sizes[1],
                                          .padded = {sizes[0] + sizes[0] / 16, sizes[1] + sizes[1] / 16},
                                          .kind = QN_SAMPLE_UINT8};
    const qn_status status = make_buffers(state, queue);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    const correct_state *state = pointer;
    QN_TRY(qn_workload_fill(queue, state->buffers.mean, 0xff));
    return qn_workload_fill(queue, state->buffers.frame, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    correct_state *state = pointer;
    qn_event *events[3] = {NULL};
    if (seconds) *seconds = 0;
    const qn_status status = qn_correct_frame(queue, configuration, &state->problem, &state->buffers, events);
    return qn_workload_take_seconds(status, events, 3, seconds);
}

static double value_at(const correct_state *state, size_t pixel)
{
    return (double)state->samples[pixel] * (double)state->gain[pixel];
}

/* Expected value of a pixel of the padded frame. */
static double expected_at(const correct_state *state, size_t x, size_t y)
{
    const size_t width = (size_t)state->problem.width, pixel = y * width + x;
    if (x >= width || y >= (size_t)state->problem.height) return state->mean;
    const size_t bad = pixel / BAD_STEP;
    if (pixel % BAD_STEP != 1 || bad >= (size_t)state->problem.bad_count) return value_at(state, pixel);
    return bad % ALONE_STEP == 0 ? state->mean : value_at(state, pixel - 1);
}

/* Values are 0 to 5; the tolerance of 1e-5 is absolute. */
static qn_status check_pixel(const correct_state *state, qn_queue *queue, size_t x, size_t y, double *largest_error)
{
    float value;
    const size_t at = y * (size_t)state->problem.padded[0] + x;
    QN_TRY(qn_workload_read(queue, state->buffers.frame, at * sizeof value, &value, sizeof value));
    *largest_error = qn_workload_larger_error(*largest_error, fabs((double)value - expected_at(state, x, y)) / 1e-5);
    return QN_OK;
}

static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    correct_state *state = pointer;
    float mean;
    *largest_error = 0;
    if (state->mean == 0) {
        for (size_t i = 0; i < pixels_of(state); i++) state->mean += value_at(state, i);
        state->mean /= (double)pixels_of(state) - state->problem.bad_count;
    }
    QN_TRY(qn_workload_read(queue, state->buffers.mean, 0, &mean, sizeof mean));
    *largest_error = qn_workload_larger_error(*largest_error, fabs((double)mean - state->mean) / 1e-5);
    for (uint64_t i = 0; i < SAMPLES; i++) {
        const double u = 0.5 + 0.5 * (double)qn_workload_input(state->seed + 2, 2 * i);
        const double v = 0.5 + 0.5 * (double)qn_workload_input(state->seed + 2, 2 * i + 1);
        QN_TRY(check_pixel(state, queue, (size_t)(u * state->problem.padded[0]), (size_t)(v * state->problem.padded[1]),
                           largest_error));
    }
    for (size_t i = 0; i < (size_t)state->problem.bad_count && i < SAMPLES; i++) {
        const size_t pixel = i * BAD_STEP + 1, width = (size_t)state->problem.width;
        QN_TRY(check_pixel(state, queue, pixel % width, pixel / width, largest_error));
    }
    return QN_OK;
}

static const void *problem_of(const void *pointer)
{
    return &((const correct_state *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_correct_work(&((const correct_state *)pointer)->problem, least);
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    qn_correct_problem_class(&(qn_correct_problem){.width = sizes[0], .height = sizes[1], .kind = QN_SAMPLE_UINT8},
                             text);
}

extern const qn_workload qn_movie_correct_frames_workload;
const qn_workload qn_movie_correct_frames_workload = {
    .name = "movie/correct_frames",
    .summary = "a frame of a movie with its gain, mean and padding",
    .family = &qn_movie_correct_frames_family,
    .size_names = {"width", "height"},
    .gpu_sizes = {5760, 4092},
    .cpu_sizes = {2048, 2048},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};
