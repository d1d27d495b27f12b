#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "dock/search/kernels/correlate.h"
#include "tune/workload_inputs.h"

/* Six grids, as in a search with default options: shape, charge and four pair terms. The default sizes have the three
 * coefficient sets "others". RUNS runs of RUN_BINS consecutive bins are checked. */
enum { CELLS, ROTATIONS, SETS, GRIDS = 6, RUNS = 12, RUN_BINS = 64, CELLS_MAX = 1024, MAX = 4096 };

extern const qn_workload qn_dock_correlate_workload;

typedef struct correlate_state {
    qn_correlate_problem problem;
    uint64_t seed;
    qn_buffer *receptor, *ligand, *product;
} correlate_state;

/* Bins of the half spectrum of a cube of real numbers. */
static qn_correlate_problem problem_of(const int sizes[QN_WORKLOAD_SIZES])
{
    const int n = sizes[CELLS];
    return (qn_correlate_problem){
        .grids = GRIDS, .bins = (n / 2 + 1) * n * n, .rotations = sizes[ROTATIONS], .sets = sizes[SETS]};
}

static void destroy(void **pointer)
{
    correlate_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->receptor);
    qn_buffer_release(&state->ligand);
    qn_buffer_release(&state->product);
    qn_release(pointer);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    void *memory;
    QN_TRY(qn_workload_check_size("dock/correlate", "cells", sizes[CELLS], 8, CELLS_MAX, 1));
    QN_TRY(qn_workload_check_size("dock/correlate", "rotations", sizes[ROTATIONS], 1, MAX, 1));
    QN_TRY(qn_workload_check_size("dock/correlate", "sets", sizes[SETS], 1, MAX, 1));
    QN_TRY(qn_allocate(1, sizeof(correlate_state), &memory));
    correlate_state *state = memory;
    state->problem = problem_of(sizes);
    state->seed = seed;
    const size_t complex_floats = 2 * (size_t)state->problem.bins, sets = (size_t)sizes[SETS],
                 rotations = (size_t)sizes[ROTATIONS];
    qn_status status = qn_workload_make_inputs(queue, seed, sets * GRIDS * complex_floats, &state->receptor);
    if (status == QN_OK)
        status = qn_workload_make_inputs(queue, seed + 1, rotations * GRIDS * complex_floats, &state->ligand);
    if (status == QN_OK)
        status = qn_buffer_create(qn_queue_device(queue), sets * rotations * complex_floats * sizeof(float),
                                  &state->product);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((correlate_state *)pointer)->product, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    correlate_state *state = pointer;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    qn_status status =
        qn_correlate(queue, configuration, &state->problem, state->receptor, state->ligand, state->product, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

/* Compute inputs first … first + RUN_BINS − 1 of each of `spectra` spectra. */
static void gather(const correlate_state *state, uint64_t seed, size_t spectra, size_t first, float *values)
{
    const size_t bins = (size_t)state->problem.bins;
    for (size_t spectrum = 0; spectrum < spectra; spectrum++)
        for (size_t i = 0; i < 2 * RUN_BINS; i++)
            values[spectrum * 2 * RUN_BINS + i] = qn_workload_input(seed, 2 * (spectrum * bins + first) + i);
}

/* Check a run of bins of all sets and rotations. Sums have 2 · GRIDS products of at most 1 and are rounded after each.
 */
static qn_status check_run(const correlate_state *state, qn_queue *queue, size_t first, float *inputs, double *expected,
                           double *largest_error)
{
    const qn_correlate_problem *problem = &state->problem;
    const double tolerance = 4 * GRIDS * GRIDS * 0x1p-24;
    const size_t sets = (size_t)problem->sets, rotations = (size_t)problem->rotations, bins = (size_t)problem->bins;
    qn_correlate_problem small = *problem;
    float found[2 * RUN_BINS], *ligand = inputs + sets * GRIDS * 2 * RUN_BINS;
    small.bins = RUN_BINS;
    gather(state, state->seed, sets * GRIDS, first, inputs);
    gather(state, state->seed + 1, rotations * GRIDS, first, ligand);
    qn_correlate_reference(&small, inputs, ligand, expected);
    for (size_t pair = 0; pair < sets * rotations; pair++) {
        QN_TRY(qn_workload_read(queue, state->product, (pair * bins + first) * 8, found, sizeof found));
        for (size_t i = 0; i < 2 * RUN_BINS; i++)
            *largest_error = qn_workload_larger_error(*largest_error,
                                                      fabs(found[i] - expected[pair * 2 * RUN_BINS + i]) / tolerance);
    }
    return QN_OK;
}

/* Check runs of bins: the first, the last, and others. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const correlate_state *state = pointer;
    const qn_correlate_problem *problem = &state->problem;
    const size_t sets = (size_t)problem->sets, rotations = (size_t)problem->rotations;
    const size_t last = (size_t)problem->bins - RUN_BINS;
    void *inputs, *expected;
    *largest_error = 0;
    QN_TRY(qn_allocate((sets + rotations) * GRIDS * 2 * RUN_BINS, sizeof(float), &inputs));
    qn_status status = qn_allocate(sets * rotations * 2 * RUN_BINS, sizeof(double), &expected);
    for (int i = 0; i < RUNS && status == QN_OK; i++) {
        size_t first = (size_t)((0.5 + 0.5 * (double)qn_workload_input(state->seed + 2, (uint64_t)i)) * (double)last);
        if (i < 2) first = i == 0 ? 0 : last;
        status = check_run(state, queue, first, inputs, expected, largest_error);
    }
    qn_release(&expected);
    qn_release(&inputs);
    return status;
}

static void work(const void *pointer, qn_work *least)
{
    qn_dock_correlate_family.kernels[0].work(&((const correlate_state *)pointer)->problem, least);
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    const qn_correlate_problem problem = problem_of(sizes);
    qn_correlate_problem_class(&problem, text);
}

const qn_workload qn_dock_correlate_workload = {
    .name = "dock/correlate",
    .summary = "products of receptor and ligand spectra, summed over grids",
    .family = &qn_dock_correlate_family,
    .size_names = {"cells", "rotations", "sets"},
    .gpu_sizes = {128, 16, 3},
    .cpu_sizes = {96, QN_SIZE_COMPUTE_UNITS, 3},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
};
