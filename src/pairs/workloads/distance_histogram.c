#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "pairs/kernels/distance_histogram.h"
#include "tune/workload_inputs.h"

#include <quern/workload.h>

/* Unordered pairs in a cube of 10 nm, 400 bins of 0.05 nm. The cube is made of 8 × 8 × 8 copies of a small cube.
 * Positions are multiples of 2^-16 nm, so that differences are exact in single precision. All copies of an atom then
 * have the same distances, and the distances from one copy are enough to check a histogram of any size. */
enum { REPEATS = 8, COPIES = REPEATS * REPEATS * REPEATS, BINS = 400 };
static const double WIDTH_NM = 0.05, EDGE_NM = 10, SMALL_EDGE_NM = 1.25, GRID_NM = 0x1p-16;

typedef struct histogram_state {
    qn_histogram_problem problem;
    qn_histogram_cell cell;
    qn_histogram_bins bins;
    qn_box box;
    float *atoms; /* packed */
    uint64_t *expected;
    qn_buffer *atom_buffer, *edges, *cell_buffer, *counts;
} histogram_state;

static void destroy(void **pointer)
{
    histogram_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->atom_buffer);
    qn_buffer_release(&state->edges);
    qn_buffer_release(&state->cell_buffer);
    qn_buffer_release(&state->counts);
    qn_release(&state->atoms);
    qn_release(&state->expected);
    qn_release(pointer);
}

/* Atoms of the first small cube come first, then those of the others. */
static qn_status make_atoms(histogram_state *state, uint64_t seed)
{
    const size_t count = (size_t)state->problem.first_count, small = count / COPIES;
    void *memory;
    QN_TRY(qn_allocate(3 * count, sizeof(float), &memory));
    float *positions = memory;
    for (size_t i = 0; i < count; i++)
        for (size_t axis = 0; axis < 3; axis++) {
            const size_t copy = i / small, atom = i % small;
            const size_t step = (axis == 0 ? copy : axis == 1 ? copy / REPEATS : copy / REPEATS / REPEATS) % REPEATS;
            const double place = 0.5 * (1 + qn_workload_input(seed, 3 * atom + axis)) * SMALL_EDGE_NM;
            positions[3 * i + axis] = (float)(floor(place / GRID_NM) * GRID_NM + (double)step * SMALL_EDGE_NM);
        }
    qn_status status = qn_allocate(4 * count, sizeof(float), &memory);
    if (status == QN_OK) {
        state->atoms = memory;
        qn_histogram_pack(&state->box, positions, NULL, count, state->atoms);
    }
    qn_release(&positions);
    return status;
}

static qn_status make_buffers(histogram_state *state, qn_queue *queue)
{
    float edges[BINS + 1];
    qn_histogram_bins_squared_edges(&state->bins, edges);
    QN_TRY(qn_workload_make_buffer(queue, state->atoms, (size_t)state->problem.first_count * 4 * sizeof(float),
                                   &state->atom_buffer));
    QN_TRY(qn_workload_make_buffer(queue, edges, sizeof edges, &state->edges));
    QN_TRY(qn_workload_make_buffer(queue, state->cell.values, sizeof state->cell.values, &state->cell_buffer));
    return qn_workload_make_buffer(queue, NULL, BINS * sizeof(uint64_t), &state->counts);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    const double vectors[9] = {EDGE_NM, 0, 0, 0, EDGE_NM, 0, 0, 0, EDGE_NM};
    void *memory;
    QN_TRY(qn_workload_check_size("pairs/distance_histogram", "atoms", sizes[0], COPIES, 1 << 24, COPIES));
    QN_TRY(qn_allocate(1, sizeof(histogram_state), &memory));
    histogram_state *state = memory;
    state->bins = (qn_histogram_bins){BINS, false, WIDTH_NM};
    state->problem = (qn_histogram_problem){.first_count = sizes[0], .cell = &state->cell, .bins = &state->bins};
    qn_status status = qn_box_from_vectors(vectors, &state->box);
    if (status == QN_OK) status = qn_histogram_cell_make(&state->box, &state->cell);
    if (status == QN_OK) status = make_atoms(state, seed);
    if (status == QN_OK) status = make_buffers(state, queue);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((histogram_state *)pointer)->counts, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    histogram_state *state = pointer;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    QN_TRY(qn_workload_fill(queue, state->counts, 0));
    qn_status status = qn_distance_histogram(queue, configuration, &state->problem, state->atom_buffer, NULL,
                                             state->edges, state->cell_buffer, state->counts, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

/* Twice the expected counts: pairs of the atoms of the first small cube with all other atoms, times the number of
 * copies. */
static qn_status make_expected(histogram_state *state)
{
    const size_t count = (size_t)state->problem.first_count;
    float edges[BINS + 1];
    void *memory;
    QN_TRY(qn_allocate(BINS, sizeof(uint64_t), &memory));
    state->expected = memory;
    qn_histogram_bins_squared_edges(&state->bins, edges);
    for (size_t i = 0; i < count / COPIES; i++)
        for (size_t j = 0; j < count; j++) {
            if (j == i) continue;
            const float square = qn_distance_histogram_square(&state->cell, state->atoms + 4 * i, state->atoms + 4 * j);
            const int bin = qn_distance_histogram_bin(&state->bins, edges, square);
            if (bin < BINS) state->expected[bin] += COPIES;
        }
    return QN_OK;
}

/* The error is the largest difference of a bin, as twice the number of pairs; any difference is above the tolerance. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    histogram_state *state = pointer;
    uint64_t counts[BINS];
    *largest_error = 0;
    if (!state->expected) QN_TRY(make_expected(state));
    QN_TRY(qn_workload_read(queue, state->counts, 0, counts, sizeof counts));
    for (int bin = 0; bin < BINS; bin++) {
        const double difference = 2 * (double)counts[bin] - (double)state->expected[bin];
        *largest_error = qn_workload_larger_error(*largest_error, fabs(difference));
    }
    return QN_OK;
}

static void work(const void *pointer, qn_work *least)
{
    qn_pairs_distance_histogram_family.kernels[0].work(&((const histogram_state *)pointer)->problem, least);
}

static const void *problem_of(const void *pointer)
{
    return &((const histogram_state *)pointer)->problem;
}

/* The class follows the number of atoms, because the best size of tiles depends on it. */
static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    snprintf(text, 64, "%s", qn_histogram_problem_class(sizes[0]));
}

extern const qn_workload qn_pairs_distance_histogram_workload;
const qn_workload qn_pairs_distance_histogram_workload = {
    .name = "pairs/distance_histogram",
    .summary = "distances of all pairs of atoms in a periodic cube",
    .family = &qn_pairs_distance_histogram_family,
    .size_names = {"atoms"},
    .gpu_sizes = {98304},
    .cpu_sizes = {16384},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};
