#include <math.h>

#include <quern/workload.h>

#include "base/error.h"
#include "base/memory.h"
#include "movie/warp/kernels/warp_frames.h"
#include "tune/workload_inputs.h"

enum { SIDE_LEAST = 8, SIDE_MOST = 16384, SAMPLES = 400 };

static const double FINER = 1.25;

typedef struct warp_state {
    qn_warp_problem problem;
    qn_warp_pass pass;
    uint64_t seed;
    float coefficients[QN_WARP_FRAMES_MAX * QN_WARP_COEFFICIENTS];
    qn_buffer *grids[QN_WARP_FRAMES_MAX], *field, *rows, *sums;
} warp_state;

static void destroy(void **pointer)
{
    warp_state *state = *pointer;
    if (!state) return;
    for (int f = 0; f < QN_WARP_FRAMES_MAX; f++) qn_buffer_release(&state->grids[f]);
    qn_buffer_release(&state->field);
    qn_buffer_release(&state->rows);
    qn_buffer_release(&state->sums);
    qn_release(pointer);
}

static size_t sum_bytes(const qn_warp_problem *problem)
{
    return sizeof(float) * (size_t)problem->sums * (size_t)problem->size[0] * (size_t)problem->size[1];
}

/* Displacements of up to four samples, so that some pixels at the border are not covered. */
static void make_pass(warp_state *state)
{
    const qn_warp_problem *problem = &state->problem;
    state->pass.frames = problem->frames;
    for (int f = 0; f < problem->frames; f++) {
        state->pass.frame[f] = f;
        for (int d = 0; d < 2; d++) {
            state->pass.low[f][d] = -0.6125f;
            state->pass.high[f][d] = (float)problem->fine[d] - 0.6125f;
        }
        for (int i = 0; i < problem->sums; i++)
            state->pass.share[f][i] = qn_workload_input(state->seed + 2, (uint64_t)(f * QN_WARP_SUMS_MAX + i));
    }
    for (int i = 0; i < problem->frames * QN_WARP_COEFFICIENTS; i++)
        state->coefficients[i] = 4 * qn_workload_input(state->seed + 1, (uint64_t)i);
}

static qn_status make_buffers(warp_state *state, qn_queue *queue)
{
    const qn_warp_problem *problem = &state->problem;
    qn_device *device = qn_queue_device(queue);
    const size_t samples = (size_t)problem->fine[0] * (size_t)problem->fine[1];
    for (int f = 0; f < problem->frames; f++) {
        QN_TRY(qn_buffer_create(device, samples * sizeof(float), &state->grids[f]));
        QN_TRY(qn_workload_write_inputs(queue, state->grids[f], state->seed, samples * (uint64_t)f, samples));
    }
    QN_TRY(qn_workload_make_buffer(queue, state->coefficients, sizeof state->coefficients, &state->field));
    QN_TRY(qn_buffer_create(device, qn_warp_rows_bytes(problem), &state->rows));
    return qn_buffer_create(device, sum_bytes(problem), &state->sums);
}

static qn_warp_problem problem_of_sizes(const int sizes[QN_WORKLOAD_SIZES])
{
    qn_warp_problem problem = {.size = {sizes[0], sizes[1]}, .frames = sizes[2], .sums = sizes[3], .taps = sizes[4]};
    for (int d = 0; d < 2; d++) {
        problem.fine[d] = sizes[4] > 1 ? (int)ceil(FINER * sizes[d]) : sizes[d];
        problem.step[d] = (double)problem.fine[d] / sizes[d];
        problem.intervals[d] = 4.0 / (sizes[d] - 1);
    }
    if (sizes[4] > 1) problem.window = qn_window_make(sizes[4], FINER);
    return problem;
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    static const char name[] = "movie/warp_frames";
    void *memory;
    QN_TRY(qn_workload_check_size(name, "width", sizes[0], SIDE_LEAST, SIDE_MOST, 1));
    QN_TRY(qn_workload_check_size(name, "height", sizes[1], SIDE_LEAST, SIDE_MOST, 1));
    QN_TRY(qn_workload_check_size(name, "frames", sizes[2], 1, QN_WARP_FRAMES_MAX, 1));
    QN_TRY(qn_workload_check_size(name, "sums", sizes[3], 1, QN_WARP_SUMS_MAX, 1));
    if (sizes[4] != 1 && sizes[4] != 4 && sizes[4] != 6)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: %d taps; expected 1, 4 or 6", name, sizes[4]);
    QN_TRY(qn_allocate(1, sizeof(warp_state), &memory));
    warp_state *state = memory;
    state->seed = seed;
    state->problem = problem_of_sizes(sizes);
    make_pass(state);
    const qn_status status = make_buffers(state, queue);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    const warp_state *state = pointer;
    QN_TRY(qn_workload_fill(queue, state->rows, 0xff));
    return qn_workload_fill(queue, state->sums, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    warp_state *state = pointer;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    QN_TRY(qn_queue_fill(queue, state->sums, 0, sum_bytes(&state->problem), 0, NULL));
    if (state->problem.taps > 1)
        QN_TRY(qn_warp_field_rows(queue, &state->problem, &state->pass, state->field, state->rows, NULL));
    const qn_status status = qn_warp_frames(queue, configuration, &state->problem, &state->pass, state->grids,
                                            state->rows, state->sums, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

static double sample_of(int f, size_t index, const void *user)
{
    const warp_state *state = user;
    const size_t samples = (size_t)state->problem.fine[0] * (size_t)state->problem.fine[1];
    return (double)qn_workload_input(state->seed, samples * (uint64_t)f + index);
}

/* Check samples of all sums. Values are of the order of 1 for each frame. The place of a sample far from the origin is
 * right to 1e-6, except where the border of a frame is that near. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const warp_state *state = pointer;
    const qn_warp_problem *problem = &state->problem;
    const size_t pixels = (size_t)problem->size[0] * (size_t)problem->size[1];
    *largest_error = 0;
    for (uint64_t i = 0; i < SAMPLES; i++) {
        const size_t pixel = i < 2 ? (size_t)i * (pixels - 1) : (size_t)(i * 2654435761u % pixels);
        const int x = (int)(pixel % (size_t)problem->size[0]), y = (int)(pixel / (size_t)problem->size[0]);
        double expected[QN_WARP_SUMS_MAX] = {0};
        qn_warp_frames_reference(problem, &state->pass, state->coefficients, sample_of, state, x, y, expected);
        for (int sum = 0; sum < problem->sums; sum++) {
            float found;
            QN_TRY(qn_workload_read(queue, state->sums, sizeof(float) * (pixels * (size_t)sum + pixel), &found,
                                    sizeof found));
            *largest_error = qn_workload_larger_error(*largest_error, fabs((double)found - expected[sum]) / 5e-5);
        }
    }
    return QN_OK;
}

static const void *problem_of(const void *pointer)
{
    return &((const warp_state *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_movie_warp_frames_family.kernels[1].work(problem_of(pointer), least);
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    const qn_warp_problem problem = problem_of_sizes(sizes);
    qn_warp_problem_class(&problem, text);
}

extern const qn_workload qn_movie_warp_frames_workload;
const qn_workload qn_movie_warp_frames_workload = {
    .name = "movie/warp_frames",
    .summary = "frames of a movie moved along their fields and added into weighted sums",
    .family = &qn_movie_warp_frames_family,
    .size_names = {"width", "height", "frames", "sums", "taps"},
    .gpu_sizes = {5760, 4092, 8, 7, 4},
    .cpu_sizes = {2048, 2048, 4, 7, 4},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};
