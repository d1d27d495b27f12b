/* Common parts of the tests of this folder's kernels: one device, buffers from arrays, errors against references.
 * Include it after check.h, in one file. */
#ifndef QN_MOVIE_ALIGN_KERNEL_CHECK_H
#define QN_MOVIE_ALIGN_KERNEL_CHECK_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check_workload.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

static qn_context *context;
static qn_device *device;
static qn_queue *queue;

/* False: the device could not be opened, and a check has failed. */
__attribute__((unused)) static bool open_device(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    if (!CHECK_OK(qn_context_create(NULL, &context))) return false;
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    return CHECK(device != NULL) && CHECK_OK(qn_queue_create(device, &queue));
}

__attribute__((unused)) static int close_device(void)
{
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}

__attribute__((unused)) static qn_buffer *buffer_of(const void *data, size_t bytes)
{
    qn_buffer *buffer = NULL;
    CHECK_OK(qn_workload_make_buffer(queue, data, bytes, &buffer));
    return buffer;
}

/* A buffer of NaN. */
__attribute__((unused)) static qn_buffer *empty_buffer(size_t bytes)
{
    qn_buffer *buffer = NULL;
    CHECK_OK(qn_buffer_create(device, bytes, &buffer));
    CHECK_OK(qn_workload_fill(queue, buffer, 0xff));
    return buffer;
}

__attribute__((unused)) static void read_and_release(qn_buffer **buffer, void *data, size_t bytes)
{
    CHECK_OK(qn_workload_read(queue, *buffer, 0, data, bytes));
    qn_buffer_release(buffer);
}

__attribute__((unused)) static void fill_inputs(float *values, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) values[i] = qn_workload_input(seed, i);
}

/* Largest error relative to the largest value. */
__attribute__((unused)) static double relative_error(const float *values, const double *wanted, size_t count)
{
    double worst = 0, largest = 1e-300;
    for (size_t i = 0; i < count; i++) {
        worst = qn_workload_larger_error(worst, fabs((double)values[i] - wanted[i]));
        largest = fmax(largest, fabs(wanted[i]));
    }
    return worst / largest;
}

/* Visit corners of a family's tunables; `visit` returns the error, of which `tolerance` is allowed. */
typedef struct corner_visit {
    const qn_family *family;
    double (*error)(const qn_configuration *configuration);
    double tolerance;
    int corners;
} corner_visit;

__attribute__((unused)) static qn_status visit_corner(const qn_configuration *configuration, void *user)
{
    corner_visit *visit = user;
    visit->corners++;
    if (!CHECK(visit->error(configuration) <= visit->tolerance)) name_configuration(visit->family, configuration);
    return QN_OK;
}

__attribute__((unused)) static void
check_corners(const qn_family *family, double (*error)(const qn_configuration *configuration), double tolerance)
{
    corner_visit visit = {family, error, tolerance, 0};
    const qn_device_info *info = qn_device_get_info(device);
    CHECK_OK(qn_family_sample_corners(family, info, corners_to_visit(info, 8), visit_corner, &visit));
    CHECK(visit.corners > 0);
}

#endif
