#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dock/search/kernels/best_cells.h"
#include "tune/workload_inputs.h"

/* The scores of DIFFERENT rotations are different and are repeated for the others, because the reference, which sorts
 * all cells of a rotation, is slow. DIFFERENT is a prime, so that neighbours in any grouping differ. */
enum { CELLS, ROTATIONS, KEEP, DIFFERENT = 5, RADIUS = 4, CELLS_MAX = 1024, MAX = 4096 };

extern const qn_workload qn_dock_best_cells_workload;

typedef struct best_cells_state {
    qn_best_cells_problem problem;
    qn_buffer *scores, *scratch, *energies, *cells;
    float expected_energies[DIFFERENT][QN_BEST_CELLS_MAX];
    int32_t expected_cells[DIFFERENT][QN_BEST_CELLS_MAX];
} best_cells_state;

/* All translations of a cube are searched. `rotations` is the number of rotations of a batch times that of sets. */
static qn_best_cells_problem problem_of(const int sizes[QN_WORKLOAD_SIZES])
{
    qn_best_cells_problem problem = {.rotations = sizes[ROTATIONS], .keep = sizes[KEEP], .radius = RADIUS};
    for (int axis = 0; axis < 3; axis++) {
        problem.cells[axis] = sizes[CELLS];
        problem.first_shift[axis] = -(sizes[CELLS] - 1) / 2;
        problem.last_shift[axis] = sizes[CELLS] / 2;
    }
    return problem;
}

static void destroy(void **pointer)
{
    best_cells_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->scores);
    qn_buffer_release(&state->scratch);
    qn_buffer_release(&state->energies);
    qn_buffer_release(&state->cells);
    qn_release(pointer);
}

/* Make the scores, and compute the expected cells with the reference. */
static qn_status make_scores(best_cells_state *state, qn_queue *queue, uint64_t seed)
{
    const size_t n = (size_t)state->problem.cells[0], volume = n * n * n, rotations = (size_t)state->problem.rotations;
    void *memory;
    QN_TRY(qn_allocate(volume, sizeof(float), &memory));
    float *scores = memory;
    qn_status status = QN_OK;
    for (size_t d = 0; d < DIFFERENT && d < rotations && status == QN_OK; d++) {
        for (size_t i = 0; i < volume; i++) scores[i] = qn_workload_input(seed + d, i);
        status =
            qn_best_cells_reference(&state->problem, scores, state->expected_energies[d], state->expected_cells[d]);
        for (size_t r = d; r < rotations && status == QN_OK; r += DIFFERENT)
            status =
                qn_queue_write(queue, state->scores, r * volume * sizeof(float), scores, volume * sizeof(float), NULL);
        if (status == QN_OK) status = qn_queue_finish(queue);
    }
    qn_release(&memory);
    return status;
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    void *memory;
    QN_TRY(qn_workload_check_size("dock/best_cells", "cells", sizes[CELLS], 2 * RADIUS + 1, CELLS_MAX, 1));
    QN_TRY(qn_workload_check_size("dock/best_cells", "rotations", sizes[ROTATIONS], 1, MAX, 1));
    QN_TRY(qn_workload_check_size("dock/best_cells", "keep", sizes[KEEP], 1, QN_BEST_CELLS_MAX, 1));
    QN_TRY(qn_allocate(1, sizeof(best_cells_state), &memory));
    best_cells_state *state = memory;
    qn_device *device = qn_queue_device(queue);
    state->problem = problem_of(sizes);
    const size_t n = (size_t)sizes[CELLS], hits = (size_t)sizes[ROTATIONS] * (size_t)sizes[KEEP];
    qn_status status = qn_buffer_create(device, (size_t)sizes[ROTATIONS] * n * n * n * sizeof(float), &state->scores);
    if (status == QN_OK)
        status = qn_buffer_create(device, qn_best_cells_scratch_bytes(&state->problem), &state->scratch);
    if (status == QN_OK) status = qn_workload_fill(queue, state->scratch, 0);
    if (status == QN_OK) status = qn_buffer_create(device, hits * sizeof(float), &state->energies);
    if (status == QN_OK) status = qn_buffer_create(device, hits * sizeof(int32_t), &state->cells);
    if (status == QN_OK) status = make_scores(state, queue, seed);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    best_cells_state *state = pointer;
    QN_TRY(qn_workload_fill(queue, state->scratch, 0xff));
    QN_TRY(qn_workload_fill(queue, state->energies, 0xff));
    return qn_workload_fill(queue, state->cells, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    best_cells_state *state = pointer;
    qn_event *events[2] = {NULL, NULL};
    if (seconds) *seconds = 0;
    qn_status status = qn_best_cells(queue, configuration, &state->problem, state->scores, state->scratch,
                                     state->energies, state->cells, events);
    return qn_workload_take_seconds(status, events, 2, seconds);
}

/* Check that all energies and cells are equal to the expected ones: energies are copied, not computed. *largest_error
 * is 0, or 1 plus the number of differences. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const best_cells_state *state = pointer;
    const size_t keep = (size_t)state->problem.keep, rotations = (size_t)state->problem.rotations;
    float energies[QN_BEST_CELLS_MAX];
    int32_t cells[QN_BEST_CELLS_MAX];
    int wrong = 0;
    for (size_t r = 0; r < rotations; r++) {
        QN_TRY(qn_workload_read(queue, state->energies, r * keep * sizeof(float), energies, keep * sizeof(float)));
        QN_TRY(qn_workload_read(queue, state->cells, r * keep * sizeof(int32_t), cells, keep * sizeof(int32_t)));
        for (size_t k = 0; k < keep; k++)
            wrong += memcmp(&energies[k], &state->expected_energies[r % DIFFERENT][k], sizeof(float)) != 0 ||
                     cells[k] != state->expected_cells[r % DIFFERENT][k];
    }
    *largest_error = wrong ? 1 + wrong : 0;
    return QN_OK;
}

static void work(const void *pointer, qn_work *least)
{
    qn_dock_best_cells_family.kernels[0].work(&((const best_cells_state *)pointer)->problem, least);
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    const qn_best_cells_problem problem = problem_of(sizes);
    qn_best_cells_problem_class(&problem, text);
}

const qn_workload qn_dock_best_cells_workload = {
    .name = "dock/best_cells",
    .summary = "the best translations of each rotation's scores",
    .family = &qn_dock_best_cells_family,
    .size_names = {"cells", "rotations", "keep"},
    .gpu_sizes = {128, 48, 1},
    .cpu_sizes = {96, 3 * QN_SIZE_COMPUTE_UNITS, 1},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
};
