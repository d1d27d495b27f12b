#include <math.h>
#include <stdio.h>

#include <quern/workload.h>

#include "base/error.h"
#include "base/memory.h"
#include "cryoem/blob.h"
#include "math/rotation.h"
#include "reconstruct/kernels/insert_slices.h"
#include "tune/workload_inputs.h"

enum { SAMPLES = 300, IMAGES_MAX = 1 << 16 };

typedef struct insert_state {
    qn_insert_problem problem;
    uint64_t seed;
    float *images, *image_weights, *matrices;
    qn_buffer *image_buffer, *weight_buffer, *matrix_buffer, *blob, *numerator, *weight;
    bool has_expected;
    double expected[SAMPLES][3]; /* of the sampled voxels; set by the first check */
} insert_state;

static void destroy(void **pointer)
{
    insert_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->image_buffer);
    qn_buffer_release(&state->weight_buffer);
    qn_buffer_release(&state->matrix_buffer);
    qn_buffer_release(&state->blob);
    qn_buffer_release(&state->numerator);
    qn_buffer_release(&state->weight);
    qn_release(&state->images);
    qn_release(&state->image_weights);
    qn_release(&state->matrices);
    qn_release(pointer);
}

static void make_matrix(uint64_t seed, float matrix[9])
{
    double rotation[9];
    qn_rotation_from_seed(seed, rotation);
    for (int i = 0; i < 9; i++) matrix[i] = (float)rotation[i];
}

static qn_status allocate_floats(size_t count, float **floats)
{
    void *memory;
    QN_TRY(qn_allocate(count, sizeof(float), &memory));
    *floats = memory;
    return QN_OK;
}

/* Make inputs. Weights are 0 to 1, as CTF² is. */
static qn_status make_inputs(insert_state *state)
{
    const qn_insert_problem *problem = &state->problem;
    const size_t side = (size_t)problem->image_side, pixels = side * (side / 2 + 1) * (size_t)problem->images;
    const size_t slices = (size_t)problem->images;
    QN_TRY(allocate_floats(2 * pixels, &state->images));
    QN_TRY(allocate_floats(pixels, &state->image_weights));
    QN_TRY(allocate_floats(9 * slices, &state->matrices));
    for (size_t i = 0; i < 2 * pixels; i++) state->images[i] = qn_workload_input(state->seed, i);
    for (size_t i = 0; i < pixels; i++) state->image_weights[i] = 0.5f + 0.5f * qn_workload_input(state->seed + 1, i);
    for (size_t s = 0; s < slices; s++) make_matrix(state->seed + 1 + s, state->matrices + 9 * s);
    return QN_OK;
}

static qn_status make_buffers(insert_state *state, qn_queue *queue)
{
    float table[QN_BLOB_ENTRIES];
    const qn_insert_problem *problem = &state->problem;
    const size_t side = (size_t)problem->side, voxels = side * side * (side / 2 + 1), word = sizeof(float);
    const size_t n = (size_t)problem->image_side, pixels = n * (n / 2 + 1), images = (size_t)problem->images;
    qn_blob_table(table);
    QN_TRY(qn_workload_make_buffer(queue, state->images, 2 * pixels * images * word, &state->image_buffer));
    QN_TRY(qn_workload_make_buffer(queue, state->image_weights, pixels * images * word, &state->weight_buffer));
    QN_TRY(qn_workload_make_buffer(queue, state->matrices, 9 * images * word, &state->matrix_buffer));
    QN_TRY(qn_workload_make_buffer(queue, table, sizeof table, &state->blob));
    QN_TRY(qn_buffer_create(qn_queue_device(queue), 2 * voxels * word, &state->numerator));
    return qn_buffer_create(qn_queue_device(queue), voxels * word, &state->weight);
}

/* Images are not padded: their pixels lie side / image_side voxels apart, as in a reconstruction. */
static qn_insert_problem problem_of_sizes(const int sizes[QN_WORKLOAD_SIZES])
{
    return (qn_insert_problem){.side = sizes[0],
                               .image_side = sizes[2],
                               .spacing = (float)sizes[0] / (float)sizes[2],
                               .images = sizes[1],
                               .operators = 1,
                               .radius = (float)QN_BLOB_RADIUS,
                               .most = 0.5f * (float)sizes[0]};
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    static const char name[] = "reconstruct/insert_slices";
    void *memory;
    QN_TRY(qn_workload_check_size(name, "side", sizes[0], 8, 1024, 1));
    QN_TRY(qn_workload_check_size(name, "images", sizes[1], 1, IMAGES_MAX, 1));
    QN_TRY(qn_workload_check_size(name, "image side", sizes[2], sizes[0] / 4 > 8 ? sizes[0] / 4 : 8, sizes[0], 1));
    QN_TRY(qn_allocate(1, sizeof(insert_state), &memory));
    insert_state *state = memory;
    state->seed = seed;
    state->problem = problem_of_sizes(sizes);
    qn_status status = make_inputs(state);
    if (status == QN_OK) status = make_buffers(state, queue);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    const insert_state *state = pointer;
    QN_TRY(qn_workload_fill(queue, state->numerator, 0xff));
    return qn_workload_fill(queue, state->weight, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    insert_state *state = pointer;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    QN_TRY(qn_workload_fill(queue, state->numerator, 0));
    QN_TRY(qn_workload_fill(queue, state->weight, 0));
    qn_status status =
        qn_insert_slices(queue, configuration, &state->problem, state->image_buffer, state->weight_buffer,
                         state->matrix_buffer, state->blob, state->numerator, state->weight, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

static int draw(uint64_t seed, uint64_t index, int end)
{
    return (int)((0.5 + 0.5 * (double)qn_workload_input(seed, index)) * end);
}

/* Choose a voxel: sample 0 is the origin, sample 1 a corner, the others are random. */
static void sampled_voxel(const insert_state *state, int sample, int voxel[3])
{
    const int side = state->problem.side, low = side / 2;
    const uint64_t first = 3 * (uint64_t)sample, seed = state->seed + 3;
    voxel[0] = draw(seed, first, side / 2 + 1);
    voxel[1] = draw(seed, first + 1, side) - low;
    voxel[2] = draw(seed, first + 2, side) - low;
    if (sample == 0) voxel[0] = voxel[1] = voxel[2] = 0;
    if (sample == 1) voxel[0] = side / 2, voxel[1] = voxel[2] = side - 1 - low;
}

/* Each addition may be off by half a unit in the last place of the sum: 2^-25 of 1 + weight. A voxel has at most one
 * addition for each slice, and about 10 (1 + weight) of them. Blob values are good to 1e-6, and to 4e-6 at their rim.
 */
static double tolerance_of(const insert_state *state, double weight)
{
    const double slices = (double)state->problem.images;
    return (1 + weight) * (1e-5 + 0x1p-25 * fmin(slices, 10 * (1 + weight)));
}

static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    insert_state *state = pointer;
    const int side = state->problem.side, low = side / 2, columns = side / 2 + 1;
    *largest_error = 0;
    for (int i = 0; i < SAMPLES; i++) {
        int voxel[3];
        float sum[2], weight;
        double *expected = state->expected[i];
        sampled_voxel(state, i, voxel);
        const size_t place =
            ((size_t)(voxel[2] + low) * (size_t)side + (size_t)(voxel[1] + low)) * (size_t)columns + (size_t)voxel[0];
        QN_TRY(qn_queue_read(queue, state->numerator, 2 * place * sizeof(float), sum, sizeof sum, NULL));
        QN_TRY(qn_workload_read(queue, state->weight, place * sizeof(float), &weight, sizeof weight));
        if (!state->has_expected)
            qn_insert_slices_reference_voxel(&state->problem, state->images, state->image_weights, state->matrices,
                                             voxel, expected);
        const double tolerance = tolerance_of(state, expected[2]);
        *largest_error = qn_workload_larger_error(*largest_error, fabs((double)sum[0] - expected[0]) / tolerance);
        *largest_error = qn_workload_larger_error(*largest_error, fabs((double)sum[1] - expected[1]) / tolerance);
        *largest_error = qn_workload_larger_error(*largest_error, fabs((double)weight - expected[2]) / tolerance);
    }
    state->has_expected = true;
    return QN_OK;
}

static const void *problem_of(const void *pointer)
{
    return &((const insert_state *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_reconstruct_insert_slices_family.kernels[0].work(&((const insert_state *)pointer)->problem, least);
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    const qn_insert_problem problem = problem_of_sizes(sizes);
    qn_insert_problem_class(&problem, text);
}

extern const qn_workload qn_reconstruct_insert_slices_workload;
const qn_workload qn_reconstruct_insert_slices_workload = {
    .name = "reconstruct/insert_slices",
    .summary = "slices of transformed images into a Fourier volume",
    .family = &qn_reconstruct_insert_slices_family,
    .size_names = {"side", "images", "image side"},
    .gpu_sizes = {312, 512, 156},
    .cpu_sizes = {128, 64, 64},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};
