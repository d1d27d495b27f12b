/* The check of the workloads drmsd and drmsd_products. */
#ifndef QN_CLUSTER_MEASURE_WORKLOADS_DRMSD_SAMPLES_H
#define QN_CLUSTER_MEASURE_WORKLOADS_DRMSD_SAMPLES_H

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/measure/kernels/drmsd.h"
#include "tune/workload_inputs.h"

enum { DRMSD_SAMPLES = 64 };

/* Compare pairs from all over a square tile of values with the reference. positions: of rows and columns, each
 * structures × 3 × atoms. *largest_error: of all samples, as a share of the tolerance. */
static inline qn_status drmsd_check_samples(qn_queue *queue, const qn_drmsd_problem *problem, float *const positions[2],
                                            qn_buffer *buffer, double tolerance_angstrom, double *largest_error)
{
    const size_t count = (size_t)problem->row_count, floats = 3 * (size_t)problem->atoms;
    void *memory;
    *largest_error = 0;
    QN_TRY(qn_allocate(count * count, sizeof(float), &memory));
    const float *values = memory;
    qn_status status = qn_workload_read(queue, buffer, 0, memory, count * count * sizeof(float));
    for (size_t sample = 0; sample < DRMSD_SAMPLES && status == QN_OK; sample++) {
        const size_t row = sample * 977 % count, column = (sample * 1409 + 5) % count;
        double expected;
        qn_drmsd_reference(problem->atoms, positions[0] + row * floats, 1, positions[1] + column * floats, 1, NULL,
                           &expected);
        const double error = fabs((double)values[row * count + column] - expected) / tolerance_angstrom;
        *largest_error = qn_workload_larger_error(*largest_error, error);
    }
    qn_release(&memory);
    return status;
}

#endif
