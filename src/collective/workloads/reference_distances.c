#include <math.h>
#include <quern/workload.h>

#include "base/error.h"
#include "base/memory.h"
#include "collective/kernels/reference_distances.h"
#include "tune/workload_inputs.h"

enum { SAMPLES = 200 };
static const double TOLERANCE = 2e-6; /* of positions in a cube of side 2 */

typedef struct distances_state {
    qn_reference_distances_problem problem;
    uint64_t seed;
    float *frame;
    qn_buffer *references, *frame_buffer, *rmsd;
} distances_state;

static void destroy(void **pointer)
{
    distances_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->references);
    qn_buffer_release(&state->frame_buffer);
    qn_buffer_release(&state->rmsd);
    qn_release(&state->frame);
    qn_release(pointer);
}

/* References and frame are random points with equal weights; their centres need not be 0 for the sums. */
static qn_status make_inputs(distances_state *state, qn_queue *queue)
{
    const size_t count = (size_t)state->problem.count, stride = (size_t)state->problem.stride;
    void *memory;
    QN_TRY(qn_allocate(4 * stride, sizeof(float), &memory));
    state->frame = memory;
    for (size_t i = 0; i < 3 * stride; i++) state->frame[i] = qn_workload_input(state->seed + 1, i);
    for (size_t i = 0; i < stride; i++) state->frame[3 * stride + i] = 1;
    QN_TRY(qn_workload_make_inputs(queue, state->seed, count * 3 * stride, &state->references));
    QN_TRY(qn_workload_make_buffer(queue, state->frame, 4 * stride * sizeof(float), &state->frame_buffer));
    return qn_buffer_create(qn_queue_device(queue), count * sizeof(float), &state->rmsd);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    static const char name[] = "collective/reference_distances";
    void *memory;
    QN_TRY(qn_workload_check_size(name, "references", sizes[0], 1, 1 << 20, 1));
    QN_TRY(qn_workload_check_size(name, "atoms", sizes[1], QN_REFERENCE_DISTANCES_STEP, 1 << 16,
                                  QN_REFERENCE_DISTANCES_STEP));
    QN_TRY(qn_allocate(1, sizeof(distances_state), &memory));
    distances_state *state = memory;
    state->seed = seed;
    state->problem = (qn_reference_distances_problem){sizes[0], sizes[1], sizes[1], sizes[1]};
    const qn_status status = make_inputs(state, queue);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((distances_state *)pointer)->rmsd, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    distances_state *state = pointer;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    const qn_status status = qn_reference_distances(queue, configuration, &state->problem, state->references,
                                                    state->frame_buffer, state->rmsd, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

static qn_status check_place(const distances_state *state, size_t place, float found, double *largest_error)
{
    const size_t numbers = 3 * (size_t)state->problem.stride;
    void *memory;
    QN_TRY(qn_allocate(numbers, sizeof(float), &memory));
    float *reference = memory;
    for (size_t i = 0; i < numbers; i++) reference[i] = qn_workload_input(state->seed, place * numbers + i);
    const double exact = qn_reference_distance_exact(&state->problem, reference, state->frame);
    *largest_error = qn_workload_larger_error(*largest_error, fabs((double)found - exact) / TOLERANCE);
    qn_release(&memory);
    return QN_OK;
}

static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const distances_state *state = pointer;
    const size_t count = (size_t)state->problem.count;
    *largest_error = 0;
    for (size_t i = 0; i < SAMPLES && i < count; i++) {
        const size_t place = i == 0 ? count - 1 : i * (count / SAMPLES > 0 ? count / SAMPLES : 1);
        float found;
        QN_TRY(qn_workload_read(queue, state->rmsd, place * sizeof found, &found, sizeof found));
        QN_TRY(check_place(state, place, found, largest_error));
    }
    return QN_OK;
}

static const void *problem_of(const void *pointer)
{
    return &((const distances_state *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_collective_reference_distances_family.kernels[0].work(problem_of(pointer), least);
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    qn_reference_distances_class(&(qn_reference_distances_problem){sizes[0], sizes[1], sizes[1]}, text);
}

extern const qn_workload qn_collective_reference_distances_workload;
const qn_workload qn_collective_reference_distances_workload = {
    .name = "collective/reference_distances",
    .summary = "RMSD of a frame from many references after superposition",
    .family = &qn_collective_reference_distances_family,
    .size_names = {"references", "atoms"},
    .gpu_sizes = {100000, 208},
    .cpu_sizes = {4000, 208},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};
