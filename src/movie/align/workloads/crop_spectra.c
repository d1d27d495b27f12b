/* The low frequencies of a frame's spectrum. */
#include <math.h>
#include <stdio.h>

#include <quern/workload.h>

#include "base/error.h"
#include "base/memory.h"
#include "movie/align/kernels/crop_spectra.h"
#include "tune/workload_inputs.h"

enum { SIDE_MAX = 1 << 14, SAMPLES = 300 };

static const float SCALE = 0.75f;

typedef struct crop_state {
    qn_crop_problem problem;
    uint64_t seed;
    qn_buffer *spectrum, *stack;
} crop_state;

static void destroy(void **pointer)
{
    crop_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->spectrum);
    qn_buffer_release(&state->stack);
    qn_release(pointer);
}

static size_t numbers_of(const int size[2])
{
    return (size_t)2 * (size_t)size[1] * (size_t)(size[0] / 2 + 1);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    static const char name[] = "movie/crop_spectra";
    void *memory;
    QN_TRY(qn_workload_check_size(name, "side", sizes[0], 4, SIDE_MAX, 1));
    QN_TRY(qn_workload_check_size(name, "coarse", sizes[1], 4, sizes[0], 2));
    QN_TRY(qn_allocate(1, sizeof(crop_state), &memory));
    crop_state *state = memory;
    state->seed = seed;
    state->problem = (qn_crop_problem){
        .from = {sizes[0], sizes[0]}, .size = {sizes[1], sizes[1]}, .frames = 1, .frame = 0, .scale = SCALE};
    qn_status status = qn_workload_make_inputs(queue, seed, numbers_of(state->problem.from), &state->spectrum);
    if (status == QN_OK)
        status = qn_buffer_create(qn_queue_device(queue), 4 * numbers_of(state->problem.size), &state->stack);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((crop_state *)pointer)->stack, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    crop_state *state = pointer;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    const qn_status status =
        qn_crop_spectra(queue, configuration, &state->problem, state->spectrum, state->stack, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

/* Samples from the first number to the last. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const crop_state *state = pointer;
    const qn_crop_problem *problem = &state->problem;
    const size_t columns = (size_t)(problem->size[0] / 2 + 1), from_columns = (size_t)(problem->from[0] / 2 + 1);
    const size_t height = (size_t)problem->size[1], last = columns * height - 1;
    *largest_error = 0;
    for (size_t sample = 0; sample < SAMPLES; sample++) {
        const size_t place = last * sample / (SAMPLES - 1), row = place / columns, x = place % columns;
        const size_t from_row = row < height / 2 ? row : row + (size_t)problem->from[1] - height;
        const bool lost = place == 0 || row == height / 2 || x == columns - 1;
        float number[2];
        QN_TRY(qn_workload_read(queue, state->stack, 8 * place, number, sizeof number));
        for (size_t c = 0; c < 2; c++) {
            const size_t source = 2 * (from_row * from_columns + x) + c;
            const double wanted = lost ? 0 : (double)(SCALE * qn_workload_input(state->seed, source));
            *largest_error = qn_workload_larger_error(*largest_error, fabs((double)number[c] - wanted) / 1e-7);
        }
    }
    return QN_OK;
}

static const void *problem_of(const void *pointer)
{
    return &((const crop_state *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_movie_crop_spectra_family.kernels[0].work(&((const crop_state *)pointer)->problem, least);
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    qn_crop_problem_class(&(qn_crop_problem){.size = {sizes[1], sizes[1]}}, text);
}

extern const qn_workload qn_movie_crop_spectra_workload;
const qn_workload qn_movie_crop_spectra_workload = {
    .name = "movie/crop_spectra",
    .summary = "the low frequencies of a frame's spectrum",
    .family = &qn_movie_crop_spectra_family,
    .size_names = {"side", "coarse"},
    .gpu_sizes = {5760, 1200},
    .cpu_sizes = {4096, 1024},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};
