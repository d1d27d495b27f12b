#include "dock/search/kernels/rotation_grid.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "fft/line_split.h"
#include "runtime/device.h"

/* NVIDIA's OpenCL refuses larger groups of kernels with many registers. */
enum { OPENCL_GROUP_MAX = 256 };

qn_status qn_rotation_grid_check(const qn_rotation_grid *grid, qn_device *device)
{
    const int *cells = grid->cells;
    for (int axis = 0; axis < 3; axis++) {
        int radices[3];
        if (!qn_fft_line_split(cells[axis], 0, radices))
            return QN_FAIL(
                QN_UNSUPPORTED,
                "no fused transforms of a grid of %d x %d x %d cells; expected sides of at most %d cells without "
                "prime factors above 7",
                cells[0], cells[1], cells[2], QN_LINE_SPLIT_LONGEST);
    }
    if (grid->halves && strcmp(qn_device_inner_driver(device), "host") == 0)
        return QN_FAIL(QN_UNSUPPORTED, "half precision is for OpenCL and CUDA devices, not %s",
                       qn_device_get_info(device)->identifier);
    return QN_OK;
}

void qn_rotation_grid_fit_device(qn_rotation_grid *grid, qn_device *device)
{
    const qn_device_info *info = qn_device_get_info(device);
    const bool is_opencl = strcmp(qn_device_inner_driver(device), "opencl") == 0;
    grid->local_room_bytes = info->local_room_bytes;
    grid->is_gpu = info->kind == QN_DEVICE_GPU;
    grid->largest_group = info->largest_group;
    if (is_opencl && grid->largest_group > OPENCL_GROUP_MAX) grid->largest_group = OPENCL_GROUP_MAX;
}

qn_status qn_rotation_grid_roots(const qn_rotation_grid *grid, float **roots)
{
    const int *cells = grid->cells;
    void *memory;
    QN_TRY(qn_allocate((size_t)(cells[0] + cells[1] + cells[2]), 2 * sizeof(float), &memory));
    *roots = memory;
    for (int axis = 0, first = 0; axis < 3; first += cells[axis++]) qn_fft_line_roots(cells[axis], *roots + 2 * first);
    return QN_OK;
}

double qn_rotation_size_class(double size)
{
    return (double)lround(2 * log2(size)) / 2;
}
