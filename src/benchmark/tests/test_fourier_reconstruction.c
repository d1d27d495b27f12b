/* devices: host opencl:0 cuda:0 checking:host */
/* fourier_reconstruction is compared with its reference on one device, in a sample of the corners of its space. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "benchmark/physics/kernels/fourier_reconstruction.h"
#include "check_workload.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

enum { CORNERS_MAX = 24, SIDE = 22, COLUMNS = SIDE / 2 + 1, PROJECTIONS = 19 };
enum { HALF_PLANE = SIDE * COLUMNS, VOXELS = SIDE * HALF_PLANE };

static const qn_reconstruction_problem problem = {SIDE, PROJECTIONS};

static qn_device *device;
static qn_queue *queue;
static float images[2 * PROJECTIONS * HALF_PLANE], matrices[12 * PROJECTIONS], sums[2 * VOXELS], weights[VOXELS];
static double expected[VOXELS][3];

static float pixel(int projection, int row, int column, int component, const void *user)
{
    (void)user;
    return images[2 * (projection * HALF_PLANE + row * COLUMNS + column) + component];
}

/* Make rotations about axes in the x-y plane. Axis and angle differ for each projection; the first angle is 0. */
static void make_inputs(void)
{
    for (size_t i = 0; i < sizeof images / sizeof *images; i++) images[i] = qn_workload_input(5, i);
    for (int p = 0; p < PROJECTIONS; p++) {
        const double angle = 1.1 * p, c = cos(angle), s = sin(angle), x = cos(2.3 * p), y = sin(2.3 * p);
        const double rows[3][3] = {{c + x * x * (1 - c), x * y * (1 - c), y * s},
                                   {x * y * (1 - c), c + y * y * (1 - c), -x * s},
                                   {-y * s, x * s, c}};
        for (int i = 0; i < 12; i++) matrices[12 * p + i] = i % 4 < 3 ? (float)rows[i / 4][i % 4] : 0;
    }
    for (int i = 0; i < VOXELS; i++) {
        const int voxel[3] = {i % COLUMNS, i / COLUMNS % SIDE - SIDE / 2, i / HALF_PLANE - SIDE / 2};
        qn_reconstruction_reference(&problem, matrices, pixel, NULL, voxel, expected[i]);
    }
}

static double error_of(const qn_configuration *configuration)
{
    float table[QN_RECONSTRUCTION_BLOB_ENTRIES];
    qn_buffer *image_buffer = NULL, *matrix_buffer = NULL, *blob = NULL, *sum_buffer = NULL, *weight_buffer = NULL;
    double worst = 0;
    qn_reconstruction_blob(table);
    CHECK_OK(qn_workload_make_buffer(queue, images, sizeof images, &image_buffer));
    CHECK_OK(qn_workload_make_buffer(queue, matrices, sizeof matrices, &matrix_buffer));
    CHECK_OK(qn_workload_make_buffer(queue, table, sizeof table, &blob));
    CHECK_OK(qn_buffer_create(device, sizeof sums, &sum_buffer));
    CHECK_OK(qn_buffer_create(device, sizeof weights, &weight_buffer));
    CHECK_OK(qn_workload_fill(queue, sum_buffer, 0xff));
    CHECK_OK(qn_workload_fill(queue, weight_buffer, 0xff));
    CHECK_OK(qn_reconstruction(queue, configuration, &problem, image_buffer, matrix_buffer, blob, sum_buffer,
                               weight_buffer, NULL));
    CHECK_OK(qn_queue_read(queue, sum_buffer, 0, sums, sizeof sums, NULL));
    CHECK_OK(qn_queue_read(queue, weight_buffer, 0, weights, sizeof weights, NULL));
    CHECK_OK(qn_queue_finish(queue));
    for (int i = 0; i < VOXELS; i++) {
        const double got[3] = {sums[2 * i], sums[2 * i + 1], weights[i]};
        for (int c = 0; c < 3; c++)
            worst = qn_workload_larger_error(worst, fabs(got[c] - expected[i][c]) / (1 + expected[i][2]));
    }
    qn_buffer_release(&image_buffer);
    qn_buffer_release(&matrix_buffer);
    qn_buffer_release(&blob);
    qn_buffer_release(&sum_buffer);
    qn_buffer_release(&weight_buffer);
    return worst;
}

/* Coordinates up to 8 have a relative error of 2^-24, and the blob's slope is at most about 1. At its radius the blob
 * jumps from 3e-6 to 0. */
static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    ++*(int *)user;
    if (!CHECK(error_of(configuration) <= 1e-5))
        for (int t = 0; t < qn_benchmark_fourier_reconstruction_family.tunable_count; t++)
            fprintf(stderr, " %s=%d", qn_benchmark_fourier_reconstruction_family.tunables[t].name,
                    configuration->value[t]);
    return QN_OK;
}

static void sampled_corners_are_right(void)
{
    int corners = 0;
    const char *name = qn_device_get_info(device)->identifier;
    /* The host's kernel has no tunables, so one corner is enough. */
    int most = strstr(name, "host") ? 1 : corners_to_visit(qn_device_get_info(device), CORNERS_MAX);
    make_inputs();
    CHECK_OK(qn_family_sample_corners(&qn_benchmark_fourier_reconstruction_family, qn_device_get_info(device), most,
                                      check_corner, &corners));
    CHECK(corners == most);
}

/* In the plane of a projection that is not rotated, each voxel coincides with a pixel. */
static void reference_agrees_with_the_definition(void)
{
    static float first[2 * HALF_PLANE];
    const qn_reconstruction_problem one = {SIDE, 1};
    const int here[3] = {3, 2, 0}, above[3] = {3, 2, 1}, far[3] = {3, 2, 2};
    float table[QN_RECONSTRUCTION_BLOB_ENTRIES];
    double at[3], over[3], nothing[3];
    memcpy(first, images, sizeof first);
    memset(images, 0, sizeof first);
    images[2 * ((2 + SIDE / 2) * COLUMNS + 3)] = 5;
    images[2 * ((2 + SIDE / 2) * COLUMNS + 3) + 1] = -7;
    qn_reconstruction_reference(&one, matrices, pixel, NULL, here, at);
    qn_reconstruction_reference(&one, matrices, pixel, NULL, above, over);
    qn_reconstruction_reference(&one, matrices, pixel, NULL, far, nothing);
    qn_reconstruction_blob(table);
    /* The table covers squared distances up to 1.9² by 4096 entries: 1 is at entry 1134.6, 2 at entry 2269.3. The
     * weight comes from the pixel itself, four pixels at a distance of 1, and four at √2. */
    const double one_away = table[1134] + (4096 / (1.9 * 1.9) - 1134) * (table[1135] - table[1134]);
    const double two_away = table[2269] + (2 * 4096 / (1.9 * 1.9) - 2269) * (table[2270] - table[2269]);
    CHECK_NEAR(table[0], 1, 1e-7);
    CHECK_NEAR(at[0], 5, 1e-6);
    CHECK_NEAR(at[1], -7, 1e-6);
    CHECK_NEAR(at[2], 1 + 4 * one_away + 4 * two_away, 1e-5);
    CHECK_NEAR(over[0], 5 * one_away, 1e-5);
    CHECK_NEAR(nothing[2], 0, 0);
    memcpy(images, first, sizeof first);
}

static void impossible_problems_are_refused(void)
{
    qn_buffer *buffer = NULL;
    CHECK_OK(qn_buffer_create(device, 4 * QN_RECONSTRUCTION_BLOB_ENTRIES, &buffer));
    CHECK_FAILS(qn_reconstruction(queue, NULL, &(qn_reconstruction_problem){23, 1}, buffer, buffer, buffer, buffer,
                                  buffer, NULL),
                QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("side 23");
    CHECK_FAILS(qn_reconstruction(queue, NULL, &(qn_reconstruction_problem){64, 1}, buffer, buffer, buffer, buffer,
                                  buffer, NULL),
                QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("the image buffer has 16392 bytes");
    qn_buffer_release(&buffer);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "benchmark/fourier_reconstruction", (const int[]){32, 40, 0}, &work);
    /* 40 half discs of radius 13 and thickness 3.8; nine operations for each voxel, five for each of its 7.56 pixels */
    CHECK_NEAR(work.multiply_adds / (40 * 265.46 * 3.8 * (9 + 5 * 7.5608)), 1, 1e-3);
    CHECK_NEAR(work.bytes_read, 40 * (8 * 32.0 * 17 + 48), 0);
    CHECK_NEAR(work.bytes_written, 12 * 32.0 * 32 * 17, 0);
}

/* At the origin every projection adds the same nine numbers, whose roundings do not cancel. */
static void many_projections_are_within_tolerance(void)
{
    qn_work work;
    check_workload(queue, "benchmark/fourier_reconstruction", (const int[]){8, 2048, 0}, &work);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(sampled_corners_are_right);
    RUN(reference_agrees_with_the_definition);
    RUN(impossible_problems_are_refused);
    RUN(workload_passes_its_check);
    RUN(many_projections_are_within_tolerance);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
