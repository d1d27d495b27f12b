/* Peaks of correlation maps. */
#include <math.h>
#include <stdio.h>

#include <quern/workload.h>

#include "base/error.h"
#include "base/memory.h"
#include "movie/align/kernels/find_peaks.h"
#include "tune/workload_inputs.h"

enum { SIDE_MAX = 4096, MAPS_MAX = 1 << 16, CHECKED = 32 };

typedef struct peaks_state {
    qn_peaks_problem problem;
    uint64_t seed;
    qn_buffer *maps, *peaks;
} peaks_state;

static void destroy(void **pointer)
{
    peaks_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->maps);
    qn_buffer_release(&state->peaks);
    qn_release(pointer);
}

static size_t pixels_of(const peaks_state *state)
{
    return (size_t)state->problem.size[0] * (size_t)state->problem.size[1];
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    static const char name[] = "movie/find_peaks";
    void *memory;
    QN_TRY(qn_workload_check_size(name, "side", sizes[0], 5, SIDE_MAX, 1));
    QN_TRY(qn_workload_check_size(name, "reach", sizes[1], 1, (sizes[0] - 3) / 2, 1));
    QN_TRY(qn_workload_check_size(name, "maps", sizes[2], 1, MAPS_MAX, 1));
    QN_TRY(qn_allocate(1, sizeof(peaks_state), &memory));
    peaks_state *state = memory;
    state->seed = seed;
    state->problem = (qn_peaks_problem){{sizes[0], sizes[0]}, {sizes[1], sizes[1]}, sizes[2]};
    qn_status status = qn_workload_make_inputs(queue, seed, pixels_of(state) * (size_t)sizes[2], &state->maps);
    if (status == QN_OK) status = qn_buffer_create(qn_queue_device(queue), 16 * (size_t)sizes[2], &state->peaks);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((peaks_state *)pointer)->peaks, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    peaks_state *state = pointer;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    const qn_status status = qn_find_peaks(queue, configuration, &state->problem, state->maps, state->peaks, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

static qn_status check_map(const peaks_state *state, qn_queue *queue, size_t map, float *values, double *largest_error)
{
    qn_peaks_problem alone = state->problem;
    const size_t pixels = pixels_of(state);
    float peak[4];
    double wanted[4];
    alone.maps = 1;
    for (size_t i = 0; i < pixels; i++) values[i] = qn_workload_input(state->seed, map * pixels + i);
    qn_find_peaks_reference(&alone, values, wanted);
    QN_TRY(qn_workload_read(queue, state->peaks, 16 * map, peak, sizeof peak));
    for (int i = 0; i < 4; i++)
        *largest_error = qn_workload_larger_error(*largest_error,
                                                  fabs((double)peak[i] - wanted[i]) / (1e-6 * state->problem.size[0]));
    return QN_OK;
}

/* Some maps from the first to the last. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const peaks_state *state = pointer;
    const size_t last = (size_t)state->problem.maps - 1;
    void *values;
    qn_status status = qn_allocate(pixels_of(state), sizeof(float), &values);
    *largest_error = 0;
    for (size_t i = 0; status == QN_OK && i < CHECKED; i++)
        status = check_map(state, queue, last * i / (CHECKED - 1), values, largest_error);
    qn_release(&values);
    return status;
}

static const void *problem_of(const void *pointer)
{
    return &((const peaks_state *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_movie_find_peaks_family.kernels[0].work(&((const peaks_state *)pointer)->problem, least);
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    qn_peaks_problem_class(&(qn_peaks_problem){{sizes[0], sizes[0]}, {sizes[1], sizes[1]}, sizes[2]}, text);
}

extern const qn_workload qn_movie_find_peaks_workload;
const qn_workload qn_movie_find_peaks_workload = {
    .name = "movie/find_peaks",
    .summary = "peaks of correlation maps near shift 0",
    .family = &qn_movie_find_peaks_family,
    .size_names = {"side", "reach", "maps"},
    .gpu_sizes = {192, 8, 3240},
    .cpu_sizes = {128, 8, 96},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};
