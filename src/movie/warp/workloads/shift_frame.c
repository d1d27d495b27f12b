#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <quern/workload.h>

#include "base/error.h"
#include "base/memory.h"
#include "movie/warp/kernels/shift_frame.h"
#include "tune/workload_inputs.h"

enum { SIDE_LEAST = 8, SIDE_MOST = 16384, SAMPLES = 400 };

typedef struct shift_state {
    qn_shift_problem problem;
    uint64_t seed;
    qn_buffer *from, *factors, *to;
} shift_state;

static void destroy(void **pointer)
{
    shift_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->from);
    qn_buffer_release(&state->factors);
    qn_buffer_release(&state->to);
    qn_release(pointer);
}

static size_t numbers_of(const int size[2])
{
    return 2 * (size_t)size[1] * (size_t)(size[0] / 2 + 1);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    static const char name[] = "movie/shift_frame";
    void *memory;
    QN_TRY(qn_workload_check_size(name, "width", sizes[0], SIDE_LEAST, SIDE_MOST, 1));
    QN_TRY(qn_workload_check_size(name, "height", sizes[1], SIDE_LEAST, SIDE_MOST, 1));
    QN_TRY(qn_allocate(1, sizeof(shift_state), &memory));
    shift_state *state = memory;
    state->seed = seed;
    for (int d = 0; d < 2; d++) {
        state->problem.from[d] = sizes[d];
        state->problem.to[d] = sizes[d] + (sizes[d] + 3) / 4;
        state->problem.limit[d] = sizes[d] / 2;
        state->problem.shift_px[d] = d == 0 ? 3.7 : -11.2;
    }
    const size_t factors = (size_t)(state->problem.limit[0] + state->problem.limit[1] + 2);
    qn_status status = qn_workload_make_inputs(queue, seed, numbers_of(state->problem.from), &state->from);
    if (status == QN_OK) status = qn_workload_make_inputs(queue, seed + 1, factors, &state->factors);
    if (status == QN_OK)
        status = qn_buffer_create(qn_queue_device(queue), sizeof(float) * numbers_of(state->problem.to), &state->to);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((const shift_state *)pointer)->to, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    shift_state *state = pointer;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    const qn_status status =
        qn_shift_frame(queue, configuration, &state->problem, state->from, state->factors, state->to, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

static void expect(const shift_state *state, int x, int y, double value[2])
{
    const qn_shift_problem *problem = &state->problem;
    value[0] = value[1] = 0;
    if (x > problem->limit[0] || abs(y) > problem->limit[1] || (x == 0 && y == 0)) return;
    const uint64_t row = (uint64_t)(y < 0 ? y + problem->from[1] : y);
    const uint64_t at = 2 * (row * (uint64_t)(problem->from[0] / 2 + 1) + (uint64_t)x);
    const double number[2] = {(double)qn_workload_input(state->seed, at),
                              (double)qn_workload_input(state->seed, at + 1)};
    const double factor_x = (double)qn_workload_input(state->seed + 1, (uint64_t)x);
    const double factor_y =
        (double)qn_workload_input(state->seed + 1, (uint64_t)problem->limit[0] + 1 + (uint64_t)abs(y));
    qn_shift_reference(problem, number, x, y, factor_x * factor_y, value);
}

/* Check samples. Values are of the order of 1; phases are right to 4e-6 at the largest frequencies. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const shift_state *state = pointer;
    const int columns = state->problem.to[0] / 2 + 1, height = state->problem.to[1];
    *largest_error = 0;
    for (uint64_t i = 0; i < SAMPLES; i++) {
        const size_t at = (size_t)(i * 2654435761u % ((uint64_t)columns * (uint64_t)height));
        const int x = (int)(at % (size_t)columns), row = (int)(at / (size_t)columns);
        double expected[2];
        float found[2];
        expect(state, x, row <= height / 2 ? row : row - height, expected);
        QN_TRY(qn_workload_read(queue, state->to, 2 * sizeof(float) * at, found, sizeof found));
        for (int c = 0; c < 2; c++)
            *largest_error = qn_workload_larger_error(*largest_error, fabs((double)found[c] - expected[c]) / 1e-5);
    }
    return QN_OK;
}

static const void *problem_of(const void *pointer)
{
    return &((const shift_state *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_movie_shift_frame_family.kernels[0].work(problem_of(pointer), least);
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    (void)sizes;
    snprintf(text, 64, "any");
}

extern const qn_workload qn_movie_shift_frame_workload;
const qn_workload qn_movie_shift_frame_workload = {
    .name = "movie/shift_frame",
    .summary = "spectrum of a movie's frame, shifted, on a finer grid",
    .family = &qn_movie_shift_frame_family,
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
