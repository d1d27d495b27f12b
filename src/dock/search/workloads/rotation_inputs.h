/* Inputs shared by the workloads of the fused rotation: a cube of cells on a device. */
#ifndef QN_DOCK_SEARCH_WORKLOADS_ROTATION_INPUTS_H
#define QN_DOCK_SEARCH_WORKLOADS_ROTATION_INPUTS_H

#include "base/memory.h"
#include "dock/search/kernels/rotation_grid.h"
#include "fft/line_split.h"
#include "tune/workload_inputs.h"

static inline qn_rotation_grid rotation_inputs_grid(int cells, int box)
{
    return (qn_rotation_grid){.cells = {cells, cells, cells}, .box = box, .plane_scale = 1, .product_scale = 1};
}

/* Check the sizes of a workload. Sides without a transform are refused later, by the families. */
static inline qn_status rotation_inputs_check(const char *workload, int cells, int box, int rotations)
{
    enum { ROTATIONS_MAX = 4096 };
    QN_TRY(qn_workload_check_size(workload, "cells", cells, 4, QN_LINE_SPLIT_LONGEST, 1));
    QN_TRY(qn_workload_check_size(workload, "box", box, 4, cells, 1));
    return qn_workload_check_size(workload, "rotations", rotations, 1, ROTATIONS_MAX, 1);
}

/* Fit the grid to the queue's device, and copy the roots to the device. */
static inline qn_status rotation_inputs_start(qn_queue *queue, qn_rotation_grid *grid, qn_buffer **roots)
{
    float *values;
    qn_rotation_grid_fit_device(grid, qn_queue_device(queue));
    QN_TRY(qn_rotation_grid_roots(grid, &values));
    qn_status status =
        qn_workload_make_buffer(queue, values, 8 * (size_t)(grid->cells[0] + grid->cells[1] + grid->cells[2]), roots);
    qn_release(&values);
    return status;
}

#endif
