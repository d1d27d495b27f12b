/* devices: host opencl:0 cuda:0 checking:host */
/* bicg is compared with its reference on one device, in a sample of the corners of its space. */
#include "check.h"

#include <math.h>

#include "benchmark/algebra/kernels/bicg.h"
#include "check_workload.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

enum { ROWS = 333, COLUMNS = 560, CORNERS_MAX = 16 };

static qn_device *device;
static qn_queue *queue;
static float matrix[ROWS * COLUMNS], p[COLUMNS], r[ROWS], q[ROWS], s[COLUMNS];
static const qn_bicg_problem problem = {ROWS, COLUMNS};

static double worst_error(void)
{
    double worst = 0, scale;
    for (int i = 0; i < ROWS; i++) {
        double expected = qn_bicg_reference(matrix + i * COLUMNS, 1, p, COLUMNS, &scale);
        worst = qn_workload_larger_error(worst, fabs(q[i] - expected) / scale);
    }
    for (int j = 0; j < COLUMNS; j++) {
        double expected = qn_bicg_reference(matrix + j, COLUMNS, r, ROWS, &scale);
        worst = qn_workload_larger_error(worst, fabs(s[j] - expected) / scale);
    }
    return worst;
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    qn_buffer *buffers[6] = {NULL};
    double seconds = -1;
    ++*(int *)user;
    CHECK_OK(qn_workload_make_buffer(queue, matrix, sizeof matrix, &buffers[0]));
    CHECK_OK(qn_workload_make_buffer(queue, p, sizeof p, &buffers[1]));
    CHECK_OK(qn_workload_make_buffer(queue, r, sizeof r, &buffers[2]));
    CHECK_OK(qn_buffer_create(device, qn_bicg_scratch_bytes(&problem), &buffers[3]));
    CHECK_OK(qn_buffer_create(device, sizeof q, &buffers[4]));
    CHECK_OK(qn_buffer_create(device, sizeof s, &buffers[5]));
    for (int i = 3; i < 6; i++) CHECK_OK(qn_workload_fill(queue, buffers[i], 0xff));
    CHECK_OK(qn_bicg(queue, configuration, &problem, buffers[0], buffers[1], buffers[2], buffers[3], buffers[4],
                     buffers[5], &seconds));
    CHECK(seconds >= 0);
    CHECK_OK(qn_queue_read(queue, buffers[4], 0, q, sizeof q, NULL));
    CHECK_OK(qn_queue_read(queue, buffers[5], 0, s, sizeof s, NULL));
    CHECK_OK(qn_queue_finish(queue));
    CHECK(worst_error() < 2e-6); /* the rounding of 560 additions */
    for (int i = 0; i < 6; i++) qn_buffer_release(&buffers[i]);
    return QN_OK;
}

static void sampled_corners_are_right(void)
{
    int corners = 0;
    for (int i = 0; i < ROWS * COLUMNS; i++) matrix[i] = qn_workload_input(1, (uint64_t)i);
    for (int i = 0; i < COLUMNS; i++) p[i] = qn_workload_input(2, (uint64_t)i);
    for (int i = 0; i < ROWS; i++) r[i] = qn_workload_input(3, (uint64_t)i);
    CHECK_OK(qn_family_sample_corners(&qn_benchmark_bicg_family, qn_device_get_info(device),
                                      corners_to_visit(qn_device_get_info(device), CORNERS_MAX), check_corner,
                                      &corners));
    CHECK(corners >= 1);
    /* Test every value of the tunable that the host's kernel uses. */
    qn_configuration configuration = qn_family_fallback(&qn_benchmark_bicg_family);
    for (int rows = 1; rows <= 8; rows *= 2) {
        configuration.value[3] = rows;
        CHECK_OK(check_corner(&configuration, &corners));
    }
}

/* The matrix (1 2; 3 4) and the vector (10, −1): the first row gives 10 − 2, the second column 20 − 4. */
static void reference_is_a_product(void)
{
    const float small[4] = {1, 2, 3, 4}, x[2] = {10, -1};
    double scale;
    CHECK_NEAR(qn_bicg_reference(small, 1, x, 2, &scale), 8, 0);
    CHECK_NEAR(scale, 12, 0);
    CHECK_NEAR(qn_bicg_reference(small + 1, 2, x, 2, &scale), 16, 0);
    CHECK_NEAR(scale, 24, 0);
}

static void wrong_sizes_are_refused(void)
{
    qn_buffer *buffer = NULL;
    CHECK_OK(qn_buffer_create(device, 1024, &buffer));
    CHECK_FAILS(qn_bicg(queue, NULL, &(qn_bicg_problem){8, 20}, buffer, buffer, buffer, buffer, buffer, buffer, NULL),
                QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("20 columns");
    CHECK_FAILS(qn_bicg(queue, NULL, &problem, buffer, buffer, buffer, buffer, buffer, buffer, NULL),
                QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("1024 bytes for partial sums");
    qn_buffer_release(&buffer);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "benchmark/bicg", (const int[]){1001, 512, 0}, &work);
    CHECK_NEAR(work.bytes_read, 4 * (1001.0 * 512 + 1001 + 512), 0);
    CHECK_NEAR(work.bytes_written, 4 * (1001.0 + 512), 0);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(reference_is_a_product);
    RUN(sampled_corners_are_right);
    RUN(wrong_sizes_are_refused);
    RUN(workload_passes_its_check);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
