#include <math.h>
#include <stdio.h>

#include <quern/workload.h>

#include "base/error.h"
#include "base/memory.h"
#include "movie/warp/kernels/weigh_sums.h"
#include "tune/workload_inputs.h"

enum { SIDE_LEAST = 8, SIDE_MOST = 16384, ROWS = 6, BINS = 4096, SAMPLES = 400 };

typedef struct weigh_state {
    qn_weigh_problem problem;
    uint64_t seed;
    float weights[ROWS * BINS];
    qn_buffer *spectrum, *weights_on_device, *weighted;
} weigh_state;

static void destroy(void **pointer)
{
    weigh_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->spectrum);
    qn_buffer_release(&state->weights_on_device);
    qn_buffer_release(&state->weighted);
    qn_release(pointer);
}

static size_t numbers_of(const qn_weigh_problem *problem)
{
    return 2 * (size_t)problem->padded[1] * (size_t)(problem->padded[0] / 2 + 1);
}

static qn_status make_buffers(weigh_state *state, qn_queue *queue)
{
    for (int i = 0; i < ROWS * BINS; i++) /* smooth, as weights are */
        state->weights[i] = (float)sin(1e-3 * (i / BINS + 1) * (i % BINS));
    QN_TRY(qn_workload_make_inputs(queue, state->seed, numbers_of(&state->problem), &state->spectrum));
    QN_TRY(qn_workload_make_buffer(queue, state->weights, sizeof state->weights, &state->weights_on_device));
    return qn_buffer_create(qn_queue_device(queue), sizeof(float) * numbers_of(&state->problem), &state->weighted);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    static const char name[] = "movie/weigh_sums";
    void *memory;
    QN_TRY(qn_workload_check_size(name, "width", sizes[0], SIDE_LEAST, SIDE_MOST, 1));
    QN_TRY(qn_workload_check_size(name, "height", sizes[1], SIDE_LEAST, SIDE_MOST, 1));
    QN_TRY(qn_allocate(1, sizeof(weigh_state), &memory));
    weigh_state *state = memory;
    state->seed = seed;
    state->problem = (qn_weigh_problem){.size = {sizes[0], sizes[1]},
                                        .padded = {sizes[0], sizes[1]},
                                        .sums = ROWS,
                                        .rows = ROWS,
                                        .bins = BINS,
                                        .bins_a_frequency = {1.4 * BINS / sizes[0], 1.4 * BINS / sizes[1]}};
    const qn_status status = make_buffers(state, queue);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((const weigh_state *)pointer)->weighted, 0xff);
}

/* A first sum and another one. */
static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    weigh_state *state = pointer;
    qn_event *events[2] = {NULL};
    qn_status status = QN_OK;
    if (seconds) *seconds = 0;
    for (int i = 0; i < 2 && status == QN_OK; i++)
        status = qn_weigh_sum(queue, configuration, &state->problem, i == 0 ? 0 : ROWS - 1, i == 0, state->spectrum,
                              state->weights_on_device, state->weighted, &events[i]);
    return qn_workload_take_seconds(status, events, 2, seconds);
}

/* Check samples. A place among the bins is right to 3e-4, and a weight changes by at most 6e-3 from bin to bin. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const weigh_state *state = pointer;
    const int columns = state->problem.padded[0] / 2 + 1, height = state->problem.padded[1];
    *largest_error = 0;
    for (uint64_t i = 0; i < SAMPLES; i++) {
        const uint64_t at = i * 2654435761u % ((uint64_t)columns * (uint64_t)height);
        const int x = (int)(at % (uint64_t)columns), row = (int)(at / (uint64_t)columns);
        const int y = row <= height / 2 ? row : row - height;
        const double weight = qn_weigh_reference(&state->problem, state->weights, x, y) +
                              qn_weigh_reference(&state->problem, state->weights + (ROWS - 1) * BINS, x, y);
        float found[2];
        QN_TRY(qn_workload_read(queue, state->weighted, 2 * sizeof(float) * at, found, sizeof found));
        for (uint64_t c = 0; c < 2; c++) {
            const double expected = weight * (double)qn_workload_input(state->seed, 2 * at + c);
            *largest_error = qn_workload_larger_error(*largest_error, fabs((double)found[c] - expected) / 1e-5);
        }
    }
    return QN_OK;
}

static const void *problem_of(const void *pointer)
{
    return &((const weigh_state *)pointer)->problem;
}

/* Work of the first sum and of the other one. */
static void work(const void *pointer, qn_work *least)
{
    qn_weigh_problem problem = *(const qn_weigh_problem *)problem_of(pointer);
    qn_work first;
    problem.first = true;
    qn_movie_weigh_sums_family.kernels[1].work(&problem, &first);
    problem.first = false;
    qn_movie_weigh_sums_family.kernels[1].work(&problem, least);
    least->bytes_read += first.bytes_read;
    least->bytes_written += first.bytes_written;
    least->multiply_adds += first.multiply_adds;
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    (void)sizes;
    snprintf(text, 64, "any");
}

extern const qn_workload qn_movie_weigh_sums_workload;
const qn_workload qn_movie_weigh_sums_workload = {
    .name = "movie/weigh_sums",
    .summary = "spectra of sums of frames, weighted and added",
    .family = &qn_movie_weigh_sums_family,
    .size_names = {"width", "height"},
    .gpu_sizes = {5760, 4096},
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
