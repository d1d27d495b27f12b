/* devices: host opencl:0 cuda:0 checking:host */
/* transpose is compared with its reference on one device, in a sample of the corners of its space. */
#include "check.h"

#include <string.h>

#include "benchmark/algebra/kernels/transpose.h"
#include "check_workload.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

enum { ROWS = 272, COLUMNS = 160, CORNERS_MAX = 20 };

static qn_device *device;
static qn_queue *queue;
static float from[ROWS * COLUMNS], to[ROWS * COLUMNS], expected[ROWS * COLUMNS];
static const qn_transpose_problem problem = {ROWS, COLUMNS};

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    qn_buffer *source = NULL, *result = NULL;
    ++*(int *)user;
    CHECK_OK(qn_workload_make_buffer(queue, from, sizeof from, &source));
    CHECK_OK(qn_buffer_create(device, sizeof to, &result));
    CHECK_OK(qn_workload_fill(queue, result, 0xff));
    CHECK_OK(qn_transpose(queue, configuration, &problem, source, result, NULL));
    CHECK_OK(qn_queue_read(queue, result, 0, to, sizeof to, NULL));
    CHECK_OK(qn_queue_finish(queue));
    CHECK(memcmp(to, expected, sizeof to) == 0);
    qn_buffer_release(&source);
    qn_buffer_release(&result);
    return QN_OK;
}

static void sampled_corners_are_right(void)
{
    int corners = 0;
    for (int i = 0; i < ROWS * COLUMNS; i++) from[i] = qn_workload_input(1, (uint64_t)i);
    qn_transpose_reference(&problem, from, expected);
    CHECK_OK(qn_family_sample_corners(&qn_benchmark_transpose_family, qn_device_get_info(device),
                                      corners_to_visit(qn_device_get_info(device), CORNERS_MAX), check_corner,
                                      &corners));
    CHECK(corners >= 2);
}

/* Test all tiles that the host's kernel allows: 16 to 512 by 16 to 128. */
static void host_tiles_are_right(void)
{
    qn_configuration configuration = qn_family_fallback(&qn_benchmark_transpose_family);
    bool allowed = false;
    int tiles = 0;
    for (int x = 1; x <= 32; x *= 2)
        for (int rows = 1; rows <= 8; rows *= 2) {
            configuration.value[0] = x;
            configuration.value[2] = rows;
            configuration.value[5] = (x + rows) % 3 == 0; /* test both orders */
            CHECK_OK(qn_family_allows(&qn_benchmark_transpose_family, qn_device_get_info(device), &configuration,
                                      &allowed, NULL));
            if (allowed) CHECK_OK(check_corner(&configuration, &tiles));
        }
    CHECK(tiles > 0);
}

/* The transpose of (1 2 3; 4 5 6) is (1 4; 2 5; 3 6). */
static void reference_turns_rows_into_columns(void)
{
    const float small[6] = {1, 2, 3, 4, 5, 6}, turned[6] = {1, 4, 2, 5, 3, 6};
    float result[6];
    qn_transpose_reference(&(qn_transpose_problem){2, 3}, small, result);
    CHECK(memcmp(result, turned, sizeof turned) == 0);
}

static void odd_sizes_are_refused(void)
{
    qn_buffer *buffer = NULL;
    CHECK_OK(qn_buffer_create(device, 1024, &buffer));
    CHECK_FAILS(qn_transpose(queue, NULL, &(qn_transpose_problem){16, 20}, buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("16 rows of 20");
    qn_buffer_release(&buffer);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "benchmark/transpose", (const int[]){304, 512, 0}, &work);
    CHECK_NEAR(work.bytes_read, 4 * 304.0 * 512, 0);
    CHECK_NEAR(work.bytes_written, 4 * 304.0 * 512, 0);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(reference_turns_rows_into_columns);
    RUN(sampled_corners_are_right);
    RUN(host_tiles_are_right);
    RUN(odd_sizes_are_refused);
    RUN(workload_passes_its_check);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
