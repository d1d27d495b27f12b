#include <math.h>
#include <string.h>

#include <quern/workload.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/measure/kernels/contacts.h"
#include "tune/workload_inputs.h"

enum { SEPARATION = 3, CHECKED = 8 };

static const double CUTOFF = 8;

typedef struct contacts_state {
    qn_contact_problem problem;
    float *positions;
    qn_buffer *structures, *places, *bits, *counts, *shared;
} contacts_state;

static void destroy(void **pointer)
{
    contacts_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->structures);
    qn_buffer_release(&state->places);
    qn_buffer_release(&state->bits);
    qn_buffer_release(&state->counts);
    qn_buffer_release(&state->shared);
    qn_release(&state->positions);
    qn_release(pointer);
}

/* Chains with steps of a few Å that stay compact. Coordinates are multiples of 1/64 Å and squared distances are exact,
 * so contacts at the cut-off are the same in both precisions. */
static qn_status make_structures(contacts_state *state, uint64_t seed)
{
    const size_t atoms = (size_t)state->problem.atoms;
    void *memory;
    QN_TRY(qn_allocate((size_t)state->problem.structures * 3 * atoms, sizeof(float), &memory));
    state->positions = memory;
    for (size_t row = 0; row < 3 * (size_t)state->problem.structures; row++) {
        float place = 0;
        for (size_t i = 0; i < atoms; i++) {
            const float common = qn_workload_input(seed, row % 3 * atoms + i);
            place += 3 * common + qn_workload_input(seed + 1, row * atoms + i) - 0.1f * place;
            state->positions[row * atoms + i] = rintf(64 * place) / 64;
        }
    }
    return QN_OK;
}

static qn_status make_buffers(contacts_state *state, qn_queue *queue)
{
    const size_t count = (size_t)state->problem.structures, words = (size_t)state->problem.words;
    void *places;
    QN_TRY(qn_workload_make_buffer(queue, state->positions, count * 12 * (size_t)state->problem.atoms,
                                   &state->structures));
    QN_TRY(qn_allocate(2 * words, sizeof(int32_t), &places));
    qn_contact_places(state->problem.atoms, SEPARATION, places);
    const qn_status status = qn_workload_make_buffer(queue, places, 8 * words, &state->places);
    qn_release(&places);
    QN_TRY(status);
    QN_TRY(qn_buffer_create(qn_queue_device(queue), 4 * count * words, &state->bits));
    QN_TRY(qn_buffer_create(qn_queue_device(queue), 4 * count, &state->counts));
    return qn_buffer_create(qn_queue_device(queue), 4 * count * count, &state->shared);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    static const char name[] = "cluster/contacts";
    void *memory;
    QN_TRY(qn_workload_check_size(name, "structures", sizes[0], 2, 8192, 1));
    QN_TRY(qn_workload_check_size(name, "atoms", sizes[1], SEPARATION + 1, 2048, 1));
    QN_TRY(qn_allocate(1, sizeof(contacts_state), &memory));
    contacts_state *state = memory;
    *out = state;
    state->problem = (qn_contact_problem){.structures = sizes[0],
                                          .columns = sizes[0],
                                          .atoms = sizes[1],
                                          .words = qn_contact_places(sizes[1], SEPARATION, NULL),
                                          .square_cutoff = (float)(CUTOFF * CUTOFF),
                                          .triangle = true};
    qn_status status = make_structures(state, seed);
    if (status == QN_OK) status = make_buffers(state, queue);
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    contacts_state *state = pointer;
    QN_TRY(qn_workload_fill(queue, state->bits, 0xff));
    return qn_workload_fill(queue, state->shared, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    contacts_state *state = pointer;
    qn_event *events[2] = {NULL, NULL};
    if (seconds) *seconds = 0;
    QN_TRY(qn_queue_fill(queue, state->counts, 0, qn_buffer_bytes(state->counts), 0, NULL));
    qn_status status = qn_contact_find(queue, configuration, &state->problem, state->structures, state->places,
                                       state->bits, state->counts, &events[0]);
    if (status == QN_OK)
        status = qn_contact_share(queue, configuration, &state->problem, state->bits, state->bits, state->shared,
                                  &events[1]);
    return qn_workload_take_seconds(status, events, 2, seconds);
}

/* Pairs of the first with other structures. Counts are exact. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const contacts_state *state = pointer;
    const size_t count = (size_t)state->problem.structures, floats = 3 * (size_t)state->problem.atoms;
    *largest_error = 0;
    for (size_t which = 0; which < CHECKED; which++) {
        const size_t column = 1 + which * (count - 2) / (CHECKED - 1);
        size_t of_first, of_column, expected;
        int32_t found;
        qn_contact_reference(state->problem.atoms, SEPARATION, CUTOFF, state->positions,
                             state->positions + column * floats, &of_first, &of_column, &expected);
        QN_TRY(qn_workload_read(queue, state->shared, 4 * column, &found, sizeof found));
        *largest_error = qn_workload_larger_error(*largest_error, 2 * fabs((double)found - (double)expected));
    }
    return QN_OK;
}

static const void *problem_of(const void *pointer)
{
    return &((const contacts_state *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_work other;
    const void *problem = problem_of(pointer);
    qn_cluster_contacts_family.kernels[0].work(problem, least);
    qn_cluster_contacts_family.kernels[1].work(problem, &other);
    least->bytes_read += other.bytes_read;
    least->bytes_written += other.bytes_written;
    least->multiply_adds += other.multiply_adds;
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    (void)sizes;
    memcpy(text, "any", 4);
}

extern const qn_workload qn_cluster_contacts_workload;
const qn_workload qn_cluster_contacts_workload = {
    .name = "cluster/contacts",
    .summary = "shared contacts of all pairs of structures",
    .family = &qn_cluster_contacts_family,
    .size_names = {"structures", "atoms"},
    .gpu_sizes = {4096, 214},
    .cpu_sizes = {512, 214},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};
