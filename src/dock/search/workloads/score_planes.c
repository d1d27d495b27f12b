#include <math.h>

#include "base/error.h"
#include "dock/search/kernels/score_planes.h"
#include "dock/search/workloads/rotation_inputs.h"

/* The products of DIFFERENT rotations are different and are repeated for the others. DIFFERENT is a prime, so that
 * neighbours in any grouping differ. */
enum { CELLS, ROTATIONS, DIFFERENT = 3, KERNELS = 2 };

extern const qn_workload qn_dock_score_planes_workload;

typedef struct score_planes_state {
    qn_score_planes_problem problem;
    size_t volume;
    double tolerance;
    double write_error; /* largest error of `scores` in the checked planes, in units of the tolerance */
    float *scores;      /* [DIFFERENT][volume] */
    double lowest[DIFFERENT];
    float *found_energies;
    int32_t *found_cells;
    qn_buffer *products, *roots, *scratch, *energies, *cells;
} score_planes_state;

/* All translations of a cube are searched. `rotations` is the number of rotations of a batch times that of sets. */
static qn_score_planes_problem problem_of(const int sizes[QN_WORKLOAD_SIZES])
{
    qn_score_planes_problem problem = {.grid = rotation_inputs_grid(sizes[CELLS], sizes[CELLS]),
                                       .outputs = sizes[ROTATIONS]};
    for (int axis = 0; axis < 3; axis++) {
        problem.first_shift[axis] = -(sizes[CELLS] - 1) / 2;
        problem.last_shift[axis] = sizes[CELLS] / 2;
    }
    return problem;
}

static void destroy(void **pointer)
{
    score_planes_state *state = *pointer;
    if (!state) return;
    qn_release(&state->scores);
    qn_release(&state->found_energies);
    qn_release(&state->found_cells);
    qn_buffer_release(&state->products);
    qn_buffer_release(&state->roots);
    qn_buffer_release(&state->scratch);
    qn_buffer_release(&state->energies);
    qn_buffer_release(&state->cells);
    qn_release(pointer);
}

static int different(const score_planes_state *state)
{
    return state->problem.outputs < DIFFERENT ? state->problem.outputs : DIFFERENT;
}

/* Make the products; those of a rotation are `numbers` floats. */
static qn_status make_products(score_planes_state *state, qn_queue *queue, uint64_t seed, size_t numbers)
{
    const size_t outputs = (size_t)state->problem.outputs, bytes = numbers * sizeof(float);
    QN_TRY(qn_buffer_create(qn_queue_device(queue), outputs * bytes, &state->products));
    QN_TRY(qn_workload_write_inputs(queue, state->products, seed, 0, (size_t)different(state) * numbers));
    for (size_t r = DIFFERENT; r < outputs; r++)
        QN_TRY(qn_queue_copy(queue, state->products, r % DIFFERENT * bytes, state->products, r * bytes, bytes, NULL));
    return qn_queue_finish(queue);
}

static qn_status make_buffers(score_planes_state *state, qn_queue *queue, uint64_t seed)
{
    const qn_rotation_grid *grid = &state->problem.grid;
    const size_t numbers = 2 * (size_t)grid->cells[2] * (size_t)qn_rotation_columns(grid);
    const size_t bests = 4 * (size_t)state->problem.outputs;
    void *memory;
    QN_TRY(rotation_inputs_start(queue, &state->problem.grid, &state->roots));
    QN_TRY(make_products(state, queue, seed, numbers));
    QN_TRY(qn_workload_make_buffer(queue, NULL, qn_score_planes_scratch_bytes(&state->problem), &state->scratch));
    QN_TRY(qn_workload_make_buffer(queue, NULL, bests, &state->energies));
    QN_TRY(qn_workload_make_buffer(queue, NULL, bests, &state->cells));
    QN_TRY(qn_allocate(bests, 1, &memory));
    state->found_energies = memory;
    QN_TRY(qn_allocate(bests, 1, &memory));
    state->found_cells = memory;
    return QN_OK;
}

/* Compute the scores of the different rotations with the family's kernel `write` and its fallback configuration. */
static qn_status write_scores(score_planes_state *state, qn_queue *queue)
{
    const qn_configuration fallback = qn_family_fallback(&qn_dock_score_planes_family);
    const size_t bytes = (size_t)different(state) * state->volume * sizeof(float);
    qn_score_planes_problem few = state->problem;
    qn_buffer *scores = NULL;
    void *memory;
    few.outputs = different(state);
    QN_TRY(qn_allocate(bytes, 1, &memory));
    state->scores = memory;
    QN_TRY(qn_workload_make_buffer(queue, NULL, bytes, &scores));
    qn_status status = qn_score_planes_write(queue, &fallback, &few, state->products, state->roots, scores, NULL);
    if (status == QN_OK) status = qn_workload_read(queue, scores, 0, state->scores, bytes);
    qn_buffer_release(&scores);
    return status;
}

/* Compare the plane with the best translation of a rotation with that of the reference. */
static qn_status check_plane(score_planes_state *state, uint64_t seed, size_t rotation, size_t z, double *products,
                             double *expected)
{
    const qn_rotation_grid *grid = &state->problem.grid;
    const size_t numbers = 2 * (size_t)qn_rotation_columns(grid), cells = (size_t)(grid->cells[0] * grid->cells[1]);
    const size_t first = numbers * (rotation * (size_t)grid->cells[2] + z);
    const float *scores = state->scores + rotation * state->volume + z * cells;
    for (size_t i = 0; i < numbers; i++) products[i] = (double)qn_workload_input(seed, first + i);
    QN_TRY(qn_score_planes_reference(&state->problem, products, expected));
    for (size_t i = 0; i < cells; i++)
        state->write_error =
            qn_workload_larger_error(state->write_error, fabs((double)scores[i] - expected[i]) / state->tolerance);
    return QN_OK;
}

/* Find the lowest score of each different rotation. A score is a sum over the whole spectrum of a plane, two conjugate
 * halves of random numbers, whose squares are 1/3 on average: the tolerance is a multiple of their norm. */
static qn_status find_lowest(score_planes_state *state, uint64_t seed)
{
    const qn_rotation_grid *grid = &state->problem.grid;
    const size_t numbers = 2 * (size_t)qn_rotation_columns(grid), cells = (size_t)(grid->cells[0] * grid->cells[1]);
    void *memory;
    qn_status status = QN_OK;
    state->tolerance = 5e-6 * sqrt(2.0 / 3 * (double)numbers);
    QN_TRY(qn_allocate(numbers + cells, sizeof(double), &memory));
    double *products = memory;
    for (size_t d = 0; d < (size_t)different(state) && status == QN_OK; d++) {
        const float *scores = state->scores + d * state->volume;
        size_t best = 0;
        for (size_t i = 1; i < state->volume; i++)
            if (scores[i] < scores[best]) best = i;
        state->lowest[d] = (double)scores[best];
        status = check_plane(state, seed, d, best / cells, products, products + numbers);
    }
    qn_release(&memory);
    return status;
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    void *memory;
    QN_TRY(rotation_inputs_check("dock/score_planes", sizes[CELLS], sizes[CELLS], sizes[ROTATIONS]));
    QN_TRY(qn_allocate(1, sizeof(score_planes_state), &memory));
    score_planes_state *state = memory;
    state->problem = problem_of(sizes);
    state->volume = (size_t)sizes[CELLS] * (size_t)sizes[CELLS] * (size_t)sizes[CELLS];
    qn_status status = make_buffers(state, queue, seed);
    if (status == QN_OK) status = write_scores(state, queue);
    if (status == QN_OK) status = find_lowest(state, seed);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    score_planes_state *state = pointer;
    QN_TRY(qn_workload_fill(queue, state->scratch, 0xff));
    QN_TRY(qn_workload_fill(queue, state->energies, 0xff));
    return qn_workload_fill(queue, state->cells, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    score_planes_state *state = pointer;
    qn_event *events[KERNELS] = {NULL, NULL};
    if (seconds) *seconds = 0;
    qn_status status = qn_score_planes_best(queue, configuration, &state->problem, state->products, state->roots,
                                            state->scratch, state->energies, state->cells, events);
    return qn_workload_take_seconds(status, events, KERNELS, seconds);
}

/* Check the energies and the scores of the cells, not the cells themselves: configurations round differently, so that
 * the best cell may differ if two scores are nearly equal. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    score_planes_state *state = pointer;
    const size_t outputs = (size_t)state->problem.outputs;
    QN_TRY(qn_workload_read(queue, state->energies, 0, state->found_energies, 4 * outputs));
    QN_TRY(qn_workload_read(queue, state->cells, 0, state->found_cells, 4 * outputs));
    *largest_error = state->write_error;
    for (size_t r = 0; r < outputs; r++) {
        const int32_t cell = state->found_cells[r];
        const double lowest = state->lowest[r % DIFFERENT], energy = (double)state->found_energies[r];
        const bool is_cell = cell >= 0 && (size_t)cell < state->volume;
        const double score = is_cell ? (double)state->scores[r % DIFFERENT * state->volume + (size_t)cell] : INFINITY;
        *largest_error = qn_workload_larger_error(*largest_error, fabs(energy - lowest) / state->tolerance);
        *largest_error = qn_workload_larger_error(*largest_error, fabs(score - energy) / state->tolerance);
    }
    return QN_OK;
}

static void work(const void *pointer, qn_work *least)
{
    qn_dock_score_planes_family.kernels[0].work(&((const score_planes_state *)pointer)->problem, least);
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    const qn_score_planes_problem problem = problem_of(sizes);
    qn_score_planes_problem_class(&problem, text);
}

const qn_workload qn_dock_score_planes_workload = {
    .name = "dock/score_planes",
    .summary = "scores of planes of products, and the best translation of each rotation",
    .family = &qn_dock_score_planes_family,
    .size_names = {"cells", "rotations"},
    .gpu_sizes = {160, 16},
    .cpu_sizes = {96, 8},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
};
