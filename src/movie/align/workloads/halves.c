/* Sums over rings of the halves of patches. */
#include <math.h>
#include <stdio.h>

#include <quern/workload.h>

#include "base/error.h"
#include "base/memory.h"
#include "movie/align/kernels/halves.h"
#include "movie/align/rings.h"
#include "tune/workload_inputs.h"

enum { SIDE_MIN = 32, SIDE_MAX = 2048, PATCHES_MAX = 4096 };

typedef struct halves_state {
    qn_halves_problem problem;
    uint64_t seed;
    qn_ring_places places;
    qn_buffer *halves, *pixels, *starts, *sums;
} halves_state;

static size_t numbers_of(const halves_state *state) /* of the halves of a patch */
{
    return (size_t)4 * (size_t)state->problem.size[1] * (size_t)(state->problem.size[0] / 2 + 1);
}

static void destroy(void **pointer)
{
    halves_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->halves);
    qn_buffer_release(&state->pixels);
    qn_buffer_release(&state->starts);
    qn_buffer_release(&state->sums);
    qn_ring_places_release(&state->places);
    qn_release(pointer);
}

static qn_status make_buffers(halves_state *state, qn_queue *queue)
{
    const double coarse_px[2] = {4, 4};
    const qn_halves_problem *problem = &state->problem;
    const qn_ring_places *places = &state->places;
    const size_t patches = (size_t)problem->count;
    QN_TRY(qn_ring_places_make(problem->size, coarse_px, &state->places));
    state->problem.pixels = places->count;
    QN_TRY(qn_workload_make_inputs(queue, state->seed, numbers_of(state) * patches, &state->halves));
    QN_TRY(qn_workload_make_buffer(queue, places->pixels, 4 * (size_t)places->count, &state->pixels));
    QN_TRY(qn_workload_make_buffer(queue, places->starts, sizeof places->starts, &state->starts));
    return qn_buffer_create(qn_queue_device(queue), 12 * (size_t)problem->rings * patches, &state->sums);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    static const char name[] = "movie/halves";
    void *memory;
    QN_TRY(qn_workload_check_size(name, "side", sizes[0], SIDE_MIN, SIDE_MAX, 2));
    QN_TRY(qn_workload_check_size(name, "patches", sizes[1], 1, PATCHES_MAX, 1));
    QN_TRY(qn_allocate(1, sizeof(halves_state), &memory));
    halves_state *state = memory;
    state->seed = seed;
    state->problem = (qn_halves_problem){.size = {sizes[0], sizes[0]}, .rings = QN_ALIGN_RINGS + 1, .count = sizes[1]};
    const qn_status status = make_buffers(state, queue);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((halves_state *)pointer)->sums, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    halves_state *state = pointer;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    const qn_status status = qn_sum_rings(queue, configuration, &state->problem, state->halves, state->pixels,
                                          state->starts, state->sums, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

/* Errors relative to 1e-6 of the largest sum of a patch. */
static qn_status check_patch(const halves_state *state, qn_queue *queue, size_t patch, float *halves, double *wanted,
                             double *largest_error)
{
    const size_t numbers = numbers_of(state), sums = 3 * (size_t)state->problem.rings;
    qn_halves_problem alone = state->problem;
    float found[3 * (QN_ALIGN_RINGS + 1)];
    double largest = 1e-30;
    alone.count = 1;
    for (size_t i = 0; i < numbers; i++) halves[i] = qn_workload_input(state->seed, patch * numbers + i);
    qn_sum_rings_reference(&alone, halves, state->places.pixels, state->places.starts, wanted);
    QN_TRY(qn_workload_read(queue, state->sums, 4 * sums * patch, found, sizeof found));
    for (size_t i = 0; i < sums; i++) largest = fmax(largest, fabs(wanted[i]));
    for (size_t i = 0; i < sums; i++)
        *largest_error =
            qn_workload_larger_error(*largest_error, fabs((double)found[i] - wanted[i]) / (1e-6 * largest));
    return QN_OK;
}

/* The first patch and the last. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const halves_state *state = pointer;
    const size_t numbers = numbers_of(state), sums = 3 * (size_t)state->problem.rings;
    void *memory;
    QN_TRY(qn_allocate(numbers + 2 * sums, sizeof(float), &memory));
    double *wanted = memory;
    float *halves = (float *)(wanted + sums);
    *largest_error = 0;
    qn_status status = check_patch(state, queue, 0, halves, wanted, largest_error);
    if (status == QN_OK)
        status = check_patch(state, queue, (size_t)state->problem.count - 1, halves, wanted, largest_error);
    qn_release(&memory);
    return status;
}

static const void *problem_of(const void *pointer)
{
    return &((const halves_state *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_movie_halves_family.kernels[0].work(&((const halves_state *)pointer)->problem, least);
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    qn_halves_problem_class(&(qn_halves_problem){.size = {sizes[0], sizes[0]}}, text);
}

extern const qn_workload qn_movie_halves_workload;
const qn_workload qn_movie_halves_workload = {
    .name = "movie/halves",
    .summary = "sums over rings of spectra of the even and of the odd frames of patches",
    .family = &qn_movie_halves_family,
    .size_names = {"side", "patches"},
    .gpu_sizes = {192, 81},
    .cpu_sizes = {128, 24},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};
