#include <math.h>
#include <string.h>

#include <quern/workload.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/measure/kernels/tm_score.h"
#include "tune/workload_inputs.h"

enum { CHECKED = 4 }; /* pairs of a check */

typedef struct score_state {
    qn_score_plan plan;
    qn_tm_score_problem problem;
    float *packed;
    qn_buffer *structures, *seeds, *phases, *results;
    double expected[CHECKED];
    bool known;
} score_state;

static void destroy(void **pointer)
{
    score_state *state = *pointer;
    if (!state) return;
    qn_score_plan_clear(&state->plan);
    qn_buffer_release(&state->structures);
    qn_buffer_release(&state->seeds);
    qn_buffer_release(&state->phases);
    qn_buffer_release(&state->results);
    qn_release(&state->packed);
    qn_release(pointer);
}

/* Chains with steps of a few Å. Structures are copies of the first with growing noise, as decoys are. */
static qn_status make_structures(score_state *state, uint64_t seed, size_t count, size_t atoms)
{
    void *rows, *packed;
    QN_TRY(qn_allocate(count * 4 * atoms, sizeof(float), &packed));
    state->packed = packed;
    QN_TRY(qn_allocate(3 * atoms, sizeof(float), &rows));
    float *one = rows;
    for (size_t k = 0; k < count; k++) {
        const float noise = 4.0f * (float)k / (float)count;
        for (size_t axis = 0; axis < 3; axis++) {
            float place = 0, drift = 0;
            for (size_t i = 0; i < atoms; i++) {
                place += 3.0f * qn_workload_input(seed, 3 * i + axis) - 0.05f * place;
                drift += noise * qn_workload_input(seed + 1 + k, 3 * i + axis) - 0.05f * drift;
                one[axis * atoms + i] = place + drift;
            }
        }
        qn_tm_score_pack(one, atoms, state->packed + k * 4 * atoms);
    }
    qn_release(&rows);
    return QN_OK;
}

static qn_status make_buffers(score_state *state, qn_queue *queue, size_t count, size_t atoms)
{
    QN_TRY(qn_workload_make_buffer(queue, state->packed, count * 16 * atoms, &state->structures));
    QN_TRY(qn_workload_make_buffer(queue, state->plan.seeds, 8 * (size_t)state->plan.seed_count, &state->seeds));
    QN_TRY(qn_workload_make_buffer(queue, state->plan.phases, sizeof state->plan.phases, &state->phases));
    return qn_buffer_create(qn_queue_device(queue), 4 * count * count, &state->results);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    static const char name[] = "cluster/tm_score";
    void *memory;
    QN_TRY(qn_workload_check_size(name, "structures", sizes[0], 2, 512, 1));
    QN_TRY(qn_workload_check_size(name, "atoms", sizes[1], QN_SCORE_ATOMS_LEAST, 4096, 1));
    const size_t count = (size_t)sizes[0], atoms = (size_t)sizes[1];
    QN_TRY(qn_allocate(1, sizeof(score_state), &memory));
    score_state *state = memory;
    *out = state;
    qn_status status = qn_score_plan_make(QN_SCORE_TM, atoms, (double)atoms, &state->plan);
    if (status == QN_OK) status = make_structures(state, seed, count, atoms);
    if (status == QN_OK) status = make_buffers(state, queue, count, atoms);
    state->problem = (qn_tm_score_problem){.plan = &state->plan,
                                           .row_count = sizes[0],
                                           .column_count = sizes[0],
                                           .row_stride = sizes[0],
                                           .column_stride = 1,
                                           .triangle = true};
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((const score_state *)pointer)->results, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    score_state *state = pointer;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    QN_TRY(qn_queue_fill(queue, state->results, 0, qn_buffer_bytes(state->results), 0, NULL));
    const qn_status status = qn_tm_score(queue, configuration, &state->problem, state->structures, state->structures,
                                         state->seeds, state->phases, state->results, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

static void checked_pair(const score_state *state, size_t which, size_t *row, size_t *column)
{
    const size_t count = (size_t)state->problem.row_count;
    *row = which * (count - 2) / (CHECKED - 1);
    *column = count - 1;
}

/* Scores of the first structures with the last one, which differs most. The tolerance allows for another way at a
 * plateau than in double precision. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    score_state *state = pointer;
    const size_t count = (size_t)state->problem.row_count, atoms = (size_t)state->plan.atom_count;
    *largest_error = 0;
    for (size_t which = 0; which < CHECKED; which++) {
        size_t row, column;
        float found;
        checked_pair(state, which, &row, &column);
        if (!state->known)
            QN_TRY(qn_tm_score_reference(&state->plan, state->packed + row * 4 * atoms,
                                         state->packed + column * 4 * atoms, &state->expected[which]));
        QN_TRY(qn_workload_read(queue, state->results, 4 * (row * count + column), &found, sizeof found));
        const double error = fabs((double)found - state->expected[which]) / (0.002 * (double)atoms);
        *largest_error = qn_workload_larger_error(*largest_error, error);
    }
    state->known = true;
    return QN_OK;
}

static const void *problem_of(const void *pointer)
{
    return &((const score_state *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_cluster_tm_score_family.kernels[0].work(&((const score_state *)pointer)->problem, least);
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    qn_tm_score_problem_class(&(qn_score_plan){.score = QN_SCORE_TM, .atom_count = sizes[1]}, text);
}

extern const qn_workload qn_cluster_tm_score_workload;
const qn_workload qn_cluster_tm_score_workload = {
    .name = "cluster/tm_score",
    .summary = "TM-scores of all pairs of structures, best superpositions by search",
    .family = &qn_cluster_tm_score_family,
    .size_names = {"structures", "atoms"},
    .gpu_sizes = {128, 214},
    .cpu_sizes = {24, 214},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};
