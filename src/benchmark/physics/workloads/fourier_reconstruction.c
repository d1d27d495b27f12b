#include <math.h>
#include <stdio.h>

#include <quern/workload.h>

#include "base/error.h"
#include "base/memory.h"
#include "benchmark/physics/kernels/fourier_reconstruction.h"
#include "tune/workload_inputs.h"

enum { SAMPLES = 200, PROJECTIONS_MAX = 1 << 20 };

typedef struct reconstruction_state {
    qn_reconstruction_problem problem;
    uint64_t seed;
    float *matrices_data;
    qn_buffer *images, *matrices, *blob, *sums, *weights;
    bool has_expected;
    double expected[SAMPLES][3]; /* of the sampled voxels, computed by the first check */
} reconstruction_state;

static void destroy(void **pointer)
{
    reconstruction_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->images);
    qn_buffer_release(&state->matrices);
    qn_buffer_release(&state->blob);
    qn_buffer_release(&state->sums);
    qn_buffer_release(&state->weights);
    qn_release(&state->matrices_data);
    qn_release(pointer);
}

/* Make the rotation matrix of a random quaternion from [-1, 1)^4, whose length does not matter. */
static void make_matrix(uint64_t seed, uint64_t index, float matrix[12])
{
    double q[4], length = 1e-30;
    for (uint64_t i = 0; i < 4; i++) {
        q[i] = qn_workload_input(seed, 4 * index + i);
        length += q[i] * q[i];
    }
    const double s = 2 / length, w = q[0], x = q[1], y = q[2], z = q[3];
    const double rows[3][3] = {{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
                               {s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)},
                               {s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}};
    for (int i = 0; i < 12; i++) matrix[i] = i % 4 < 3 ? (float)rows[i / 4][i % 4] : 0;
}

static qn_status make_buffers(reconstruction_state *state, qn_queue *queue)
{
    const size_t side = (size_t)state->problem.side, projections = (size_t)state->problem.projections;
    const size_t half_plane = side * (side / 2 + 1), pixels = projections * half_plane;
    qn_device *device = qn_queue_device(queue);
    float table[QN_RECONSTRUCTION_BLOB_ENTRIES];
    void *memory;
    QN_TRY(qn_allocate(12 * projections, sizeof(float), &memory));
    state->matrices_data = memory;
    for (size_t p = 0; p < projections; p++) make_matrix(state->seed + 1, p, state->matrices_data + 12 * p);
    qn_reconstruction_blob(table);
    QN_TRY(qn_workload_make_buffer(queue, state->matrices_data, 12 * projections * sizeof(float), &state->matrices));
    QN_TRY(qn_workload_make_buffer(queue, table, sizeof table, &state->blob));
    QN_TRY(qn_buffer_create(device, 2 * pixels * sizeof(float), &state->images));
    QN_TRY(qn_buffer_create(device, 2 * side * half_plane * sizeof(float), &state->sums));
    QN_TRY(qn_buffer_create(device, side * half_plane * sizeof(float), &state->weights));
    return qn_workload_write_inputs(queue, state->images, state->seed, 0, 2 * pixels);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    void *memory;
    QN_TRY(
        qn_workload_check_size("benchmark/fourier_reconstruction", "side", sizes[0], 8, QN_RECONSTRUCTION_SIDE_MAX, 2));
    QN_TRY(qn_workload_check_size("benchmark/fourier_reconstruction", "projections", sizes[1], 1, PROJECTIONS_MAX, 1));
    QN_TRY(qn_allocate(1, sizeof(reconstruction_state), &memory));
    reconstruction_state *state = memory;
    state->problem = (qn_reconstruction_problem){sizes[0], sizes[1]};
    state->seed = seed;
    qn_status status = make_buffers(state, queue);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    const reconstruction_state *state = pointer;
    QN_TRY(qn_workload_fill(queue, state->sums, 0xff));
    return qn_workload_fill(queue, state->weights, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    reconstruction_state *state = pointer;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    qn_status status = qn_reconstruction(queue, configuration, &state->problem, state->images, state->matrices,
                                         state->blob, state->sums, state->weights, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

static float pixel(int projection, int row, int column, int component, const void *user)
{
    const reconstruction_state *state = user;
    const uint64_t side = (uint64_t)state->problem.side, columns = side / 2 + 1;
    return qn_workload_input(state->seed,
                             2 * (((uint64_t)projection * side + (uint64_t)row) * columns + (uint64_t)column) +
                                 (uint64_t)component);
}

static int draw(uint64_t seed, uint64_t index, int end)
{
    return (int)((0.5 + 0.5 * (double)qn_workload_input(seed, index)) * end);
}

/* Choose a sampled voxel: the origin, the corner, otherwise a random one. */
static void sampled_voxel(const reconstruction_state *state, int sample, int voxel[3])
{
    const int side = state->problem.side, half = side / 2;
    const uint64_t first = 3 * (uint64_t)sample, seed = state->seed + 2;
    voxel[0] = draw(seed, first, half + 1);
    voxel[1] = draw(seed, first + 1, side) - half;
    voxel[2] = draw(seed, first + 2, side) - half;
    if (sample == 0) voxel[0] = voxel[1] = voxel[2] = 0;
    if (sample == 1) voxel[0] = half, voxel[1] = voxel[2] = half - 1;
}

/* Tolerance of a voxel of weight w. Coordinates have rounding errors of side · 2^-24, which change the blob by about as
 * much for each pixel; its table has errors of 4e-7. The sum of n pixels with total weight w, where each addition
 * rounds the sum so far by half a unit in the last place, has an error of at most 2^-25 n w. Errors are that large only
 * at the origin, where every projection adds the same nine numbers, 1.49 in all, so that roundings do not cancel: there
 * n = 6 w. */
static double tolerance_of(const reconstruction_state *state, double weight)
{
    return (1 + weight) * (2e-5 + 1e-7 * state->problem.side + 6 * 0x1p-25 * weight);
}

static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    reconstruction_state *state = pointer;
    const int side = state->problem.side, half = side / 2;
    *largest_error = 0;
    for (int i = 0; i < SAMPLES; i++) {
        int voxel[3];
        float sum[2], weight;
        double *expected = state->expected[i];
        sampled_voxel(state, i, voxel);
        const size_t place =
            ((size_t)(voxel[2] + half) * (size_t)side + (size_t)(voxel[1] + half)) * (size_t)(half + 1) +
            (size_t)voxel[0];
        QN_TRY(qn_queue_read(queue, state->sums, 2 * place * sizeof(float), sum, sizeof sum, NULL));
        QN_TRY(qn_workload_read(queue, state->weights, place * sizeof(float), &weight, sizeof weight));
        if (!state->has_expected)
            qn_reconstruction_reference(&state->problem, state->matrices_data, pixel, state, voxel, expected);
        const double tolerance = tolerance_of(state, expected[2]);
        *largest_error = qn_workload_larger_error(*largest_error, fabs(sum[0] - expected[0]) / tolerance);
        *largest_error = qn_workload_larger_error(*largest_error, fabs(sum[1] - expected[1]) / tolerance);
        *largest_error = qn_workload_larger_error(*largest_error, fabs(weight - expected[2]) / tolerance);
    }
    state->has_expected = true;
    return QN_OK;
}

static const void *problem_of(const void *pointer)
{
    return &((const reconstruction_state *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_benchmark_fourier_reconstruction_family.kernels[0].work(&((const reconstruction_state *)pointer)->problem,
                                                               least);
}

/* Classes by the side alone, because the number of projections does not matter if there are enough of them. */
static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    snprintf(text, 64, "side=%d", sizes[0]);
}

extern const qn_workload qn_benchmark_fourier_reconstruction_workload;
const qn_workload qn_benchmark_fourier_reconstruction_workload = {
    .name = "benchmark/fourier_reconstruction",
    .summary = "a volume's transform gathered from its projections",
    .family = &qn_benchmark_fourier_reconstruction_family,
    .size_names = {"side", "projections"},
    .gpu_sizes = {256, 2048},
    .cpu_sizes = {64, 200},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};
