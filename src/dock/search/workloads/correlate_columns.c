#include <math.h>

#include "base/error.h"
#include "dock/search/kernels/correlate_columns.h"
#include "dock/search/workloads/rotation_inputs.h"

/* SAMPLES: number of columns that are checked: the first of all, the last of all, and others. */
enum { CELLS, BOX, GRIDS, SETS, ROTATIONS, SAMPLES = 32, GRIDS_MAX = 64, SETS_MAX = 256 };

extern const qn_workload qn_dock_correlate_columns_workload;

typedef struct correlate_columns_state {
    qn_correlate_columns_problem problem;
    uint64_t seed;
    size_t columns;
    qn_buffer *planes, *receptor, *roots, *products;
    float *found;     /* [nz] */
    double *expected; /* [SAMPLES][nz] */
} correlate_columns_state;

static qn_correlate_columns_problem problem_of(const int sizes[QN_WORKLOAD_SIZES])
{
    return (qn_correlate_columns_problem){.grid = rotation_inputs_grid(sizes[CELLS], sizes[BOX]),
                                          .grids = sizes[GRIDS],
                                          .rotations = sizes[ROTATIONS],
                                          .sets = sizes[SETS]};
}

static void destroy(void **pointer)
{
    correlate_columns_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->planes);
    qn_buffer_release(&state->receptor);
    qn_buffer_release(&state->roots);
    qn_buffer_release(&state->products);
    qn_release(&state->found);
    qn_release(&state->expected);
    qn_release(pointer);
}

static void place_of(const correlate_columns_state *state, int sample, size_t *output, size_t *column)
{
    const size_t outputs = (size_t)state->problem.rotations * (size_t)state->problem.sets;
    const double share = 0.5 + 0.5 * (double)qn_workload_input(state->seed + 2, (uint64_t)sample);
    *output = sample == 1 ? outputs - 1 : (size_t)sample % outputs;
    *column = sample == 0 ? 0 : sample == 1 ? state->columns - 1 : (size_t)(share * (double)(state->columns - 1));
}

/* Compute `count` complex inputs of a column, from plane `first`. */
static void gather(uint64_t seed, const correlate_columns_state *state, size_t first, size_t column, size_t count,
                   double *numbers)
{
    for (size_t i = 0; i < 2 * count; i++)
        numbers[i] = (double)qn_workload_input(seed, 2 * ((first + i / 2) * state->columns + column) + i % 2);
}

static qn_status compute_expected(correlate_columns_state *state)
{
    const qn_correlate_columns_problem *problem = &state->problem;
    const size_t nz = (size_t)problem->grid.cells[2], box = (size_t)problem->grid.box;
    const size_t grids = (size_t)problem->grids, rotations = (size_t)problem->rotations;
    void *memory;
    QN_TRY(qn_allocate(nz, 2 * sizeof(float), &memory));
    state->found = memory;
    QN_TRY(qn_allocate(SAMPLES * nz, 2 * sizeof(double), &memory));
    state->expected = memory;
    QN_TRY(qn_allocate(grids * (box + nz), 2 * sizeof(double), &memory));
    double *planes = memory, *receptor = planes + 2 * grids * box;
    for (int sample = 0; sample < SAMPLES; sample++) {
        size_t output, column;
        place_of(state, sample, &output, &column);
        gather(state->seed, state, output % rotations * grids * box, column, grids * box, planes);
        gather(state->seed + 1, state, output / rotations * grids * nz, column, grids * nz, receptor);
        qn_correlate_columns_reference(problem, planes, receptor, state->expected + 2 * nz * (size_t)sample);
    }
    qn_release(&memory);
    return QN_OK;
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    static const char name[] = "dock/correlate_columns";
    void *memory;
    QN_TRY(rotation_inputs_check(name, sizes[CELLS], sizes[BOX], sizes[ROTATIONS]));
    QN_TRY(qn_workload_check_size(name, "grids", sizes[GRIDS], 1, GRIDS_MAX, 1));
    QN_TRY(qn_workload_check_size(name, "sets", sizes[SETS], 1, SETS_MAX, 1));
    QN_TRY(qn_allocate(1, sizeof(correlate_columns_state), &memory));
    correlate_columns_state *state = memory;
    state->problem = problem_of(sizes);
    state->seed = seed;
    state->columns = (size_t)qn_rotation_columns(&state->problem.grid);
    const size_t nz = (size_t)sizes[CELLS], box = (size_t)sizes[BOX], grids = (size_t)sizes[GRIDS];
    const size_t sets = (size_t)sizes[SETS], rotations = (size_t)sizes[ROTATIONS];
    qn_status status = rotation_inputs_start(queue, &state->problem.grid, &state->roots);
    if (status == QN_OK)
        status = qn_workload_make_inputs(queue, seed, rotations * grids * box * state->columns * 2, &state->planes);
    if (status == QN_OK)
        status = qn_workload_make_inputs(queue, seed + 1, sets * grids * nz * state->columns * 2, &state->receptor);
    if (status == QN_OK)
        status = qn_workload_make_buffer(queue, NULL, sets * rotations * nz * state->columns * 8, &state->products);
    if (status == QN_OK) status = compute_expected(state);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((correlate_columns_state *)pointer)->products, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    correlate_columns_state *state = pointer;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    qn_status status = qn_correlate_columns(queue, configuration, &state->problem, state->planes, state->receptor,
                                            state->roots, state->products, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

/* Check one column. Each number is a sum over the whole column, so that rounding errors are proportional to the norm of
 * the column. */
static qn_status check_sample(const correlate_columns_state *state, qn_queue *queue, int sample, double *largest_error)
{
    const size_t nz = (size_t)state->problem.grid.cells[2];
    const double *expected = state->expected + 2 * nz * (size_t)sample;
    double squares = 0;
    size_t output, column;
    place_of(state, sample, &output, &column);
    for (size_t z = 0; z < nz; z++)
        QN_TRY(qn_queue_read(queue, state->products, 8 * ((output * nz + z) * state->columns + column),
                             state->found + 2 * z, 8, NULL));
    QN_TRY(qn_queue_finish(queue));
    for (size_t i = 0; i < 2 * nz; i++) squares += expected[i] * expected[i];
    const double tolerance = 3e-6 * sqrt(squares / (double)nz);
    for (size_t i = 0; i < 2 * nz; i++)
        *largest_error =
            qn_workload_larger_error(*largest_error, fabs((double)state->found[i] - expected[i]) / tolerance);
    return QN_OK;
}

static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    *largest_error = 0;
    for (int sample = 0; sample < SAMPLES; sample++) QN_TRY(check_sample(pointer, queue, sample, largest_error));
    return QN_OK;
}

static void work(const void *pointer, qn_work *least)
{
    qn_dock_correlate_columns_family.kernels[0].work(&((const correlate_columns_state *)pointer)->problem, least);
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    const qn_correlate_columns_problem problem = problem_of(sizes);
    qn_correlate_columns_problem_class(&problem, text);
}

const qn_workload qn_dock_correlate_columns_workload = {
    .name = "dock/correlate_columns",
    .summary = "products of receptor and ligand columns between transforms along them",
    .family = &qn_dock_correlate_columns_family,
    .size_names = {"cells", "box", "grids", "sets", "rotations"},
    .gpu_sizes = {160, 84, 8, 1, 16},
    .cpu_sizes = {96, 48, 8, 1, 8},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
};
