#include <math.h>
#include <stdio.h>

#include <quern/workload.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/measure/kernels/rmsd.h"
#include "cluster/measure/superposed.h"
#include "tune/workload_inputs.h"

/* Bits of all pairs of a set of structures: a chain with noise, so that about half of the pairs are within the cut-off.
 */
enum { CHECKED = 2000, COLUMNS_CHECKED = 50 /* of a row */ };
static const double SPREAD = 1.2, CUTOFF = 1.7; /* Å */

typedef struct rmsd_state {
    qn_rmsd_problem problem;
    qn_structures structures;
    qn_superposed superposed;
    qn_rmsd_set set;
    qn_rmsd_doubts doubts;
    qn_buffer *bits;
    float *positions;
    uint64_t seed;
} rmsd_state;

static void destroy(void **pointer)
{
    rmsd_state *state = *pointer;
    if (!state) return;
    qn_superposed_clear(&state->superposed);
    qn_buffer_release(&state->set.positions);
    qn_buffer_release(&state->set.terms);
    qn_buffer_release(&state->doubts.pairs);
    qn_buffer_release(&state->doubts.count);
    qn_buffer_release(&state->bits);
    qn_release(&state->positions);
    qn_release(pointer);
}

static qn_status make_structures(rmsd_state *state)
{
    const size_t atoms = (size_t)state->problem.atoms, count = (size_t)state->problem.rows;
    void *memory;
    QN_TRY(qn_allocate(count * 3 * atoms, sizeof(float), &memory));
    state->positions = memory;
    for (size_t row = 0; row < 3 * count; row++) {
        float place = 0;
        for (size_t k = 0; k < atoms; k++) {
            place += 3 * qn_workload_input(state->seed, row % 3 * atoms + k) - 0.02f * place;
            state->positions[row * atoms + k] =
                place + (float)SPREAD * qn_workload_input(state->seed + 1, row * atoms + k);
        }
    }
    state->structures = (qn_structures){.count = count, .atom_count = atoms, .positions_angstrom = state->positions};
    return qn_superposed_make(&state->structures, NULL, &state->superposed);
}

static qn_status make_buffers(rmsd_state *state, qn_queue *queue)
{
    const size_t atoms = (size_t)state->problem.atoms, count = (size_t)state->problem.rows;
    const size_t doubtful = (size_t)state->problem.doubtful_capacity * sizeof(uint32_t);
    QN_TRY(qn_workload_make_buffer(queue, state->superposed.positions, qn_superposed_position_bytes(atoms, count),
                                   &state->set.positions));
    QN_TRY(qn_workload_make_buffer(queue, state->superposed.terms, qn_superposed_term_bytes(count), &state->set.terms));
    QN_TRY(qn_workload_make_buffer(queue, NULL, doubtful, &state->doubts.pairs));
    QN_TRY(qn_workload_make_buffer(queue, NULL, sizeof(uint32_t), &state->doubts.count));
    return qn_workload_make_buffer(queue, NULL, count * ((count + 31) / 32) * sizeof(uint32_t), &state->bits);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    void *memory;
    QN_TRY(qn_workload_check_size("cluster/rmsd", "structures", sizes[0], 64, QN_RMSD_TILE_MAX, 1));
    QN_TRY(qn_workload_check_size("cluster/rmsd", "atoms", sizes[1], 3, 1 << 16, 1));
    QN_TRY(qn_allocate(1, sizeof(rmsd_state), &memory));
    rmsd_state *state = memory;
    *out = state;
    state->seed = seed;
    state->problem = (qn_rmsd_problem){.atoms = sizes[1],
                                       .rows = sizes[0],
                                       .columns = sizes[0],
                                       .doubtful_capacity = 1 << 20,
                                       .cutoff_angstrom = CUTOFF};
    qn_status status = make_structures(state);
    if (status == QN_OK) status = make_buffers(state, queue);
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    rmsd_state *state = pointer;
    return qn_workload_fill(queue, state->bits, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    rmsd_state *state = pointer;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    QN_TRY(qn_queue_fill(queue, state->doubts.count, 0, sizeof(uint32_t), 0, NULL));
    const qn_status status = qn_rmsd_near(queue, configuration, &state->problem, &state->set, &state->set, state->bits,
                                          &state->doubts, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

/* Pairs here and there, and the bits beyond the last column. Pairs that may be in doubt are left out: the kernel's
 * errors are far below 0.01 Å. A wrong bit is above the tolerance. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const rmsd_state *state = pointer;
    const size_t count = (size_t)state->problem.rows, words = (count + 31) / 32;
    void *memory;
    *largest_error = 0;
    QN_TRY(qn_allocate(words, sizeof(uint32_t), &memory));
    const uint32_t *bits = memory;
    qn_status status = QN_OK;
    for (size_t k = 0; k < CHECKED && status == QN_OK; k++) {
        const size_t row = k / COLUMNS_CHECKED * 7919 % count;
        if (k % COLUMNS_CHECKED == 0)
            status =
                qn_workload_read(queue, state->bits, row * words * sizeof(uint32_t), memory, words * sizeof(uint32_t));
        const size_t column = (k * 104729 + 1) % count;
        const double value = qn_rmsd_reference(&state->structures, row, column);
        const bool bit = bits[column / 32] >> column % 32 & 1, past = count % 32 && bits[words - 1] >> count % 32;
        if (past || (fabs(value - CUTOFF) > 0.01 && bit != (value < CUTOFF))) *largest_error = INFINITY;
    }
    qn_release(&memory);
    return status;
}

static void work(const void *pointer, qn_work *least)
{
    qn_cluster_rmsd_family.kernels[0].work(&((const rmsd_state *)pointer)->problem, least);
}

static const void *problem_of(const void *pointer)
{
    return &((const rmsd_state *)pointer)->problem;
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    snprintf(text, 64, "%s", qn_rmsd_problem_class(sizes[1]));
}

extern const qn_workload qn_cluster_rmsd_workload;
const qn_workload qn_cluster_rmsd_workload = {
    .name = "cluster/rmsd",
    .summary = "pairs of structures whose RMSD is within a cut-off",
    .family = &qn_cluster_rmsd_family,
    .size_names = {"structures", "atoms"},
    .gpu_sizes = {16384, 100},
    .cpu_sizes = {3000, 100},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};
