/* Common declarations of the three families of the fused rotation: ligand_planes → correlate_columns → score_planes.
 *
 * Half spectra of planes: column c = kx + width·ky, kx < width = nx/2 + 1, ky < ny. Planes have `columns` columns, a
 * multiple of 16; the last ones may be padding, which is 0 in planes. Intermediates are complex floats, or pairs of
 * half-precision numbers (4 bytes) multiplied by a power of two.
 *
 *     planes   [rotation][grid][z < box][columns]    transformed along x and y with exp(−2πi…), not along z
 *     receptor [spectrum][kz < nz][columns]          3-D spectra divided by nx·ny·nz: [set][grid], without the grids
 *                                                    whose spectrum is common to all sets, which come last, once
 *     products [set][rotation][z < nz][columns]      conj of the sum over grids of receptor · conj(ligand), transformed
 *                                                    along z, so that a forward transform of x and y gives the scores
 */
#ifndef QN_DOCK_SEARCH_ROTATION_GRID_H
#define QN_DOCK_SEARCH_ROTATION_GRID_H

#include <quern/device.h>
#include <stdbool.h>
#include <stdint.h>

enum { QN_ROTATION_COLUMNS_MULTIPLE = 16 };

typedef struct qn_rotation_grid {
    int cells[3];
    int box; /* side of the ligand's box, ≤ each of cells */
    bool halves;
    float plane_scale, product_scale; /* of intermediates in half precision */
    uint64_t local_room_bytes;        /* largest local memory of a group on this device */
    int largest_group;                /* largest number of work-items of a group */
    bool is_gpu;                      /* if so, several groups should share the local memory of a compute unit */
} qn_rotation_grid;

static inline int qn_rotation_width(const qn_rotation_grid *grid)
{
    return grid->cells[0] / 2 + 1;
}

/* Columns of a plane. */
static inline int qn_rotation_columns(const qn_rotation_grid *grid)
{
    const int multiple = QN_ROTATION_COLUMNS_MULTIPLE;
    return (qn_rotation_width(grid) * grid->cells[1] + multiple - 1) / multiple * multiple;
}

static inline size_t qn_rotation_value_bytes(const qn_rotation_grid *grid)
{
    return grid->halves ? 4 : 8;
}

/* Fail if the device's kernels do not support a grid: QN_UNSUPPORTED for sides above QN_LINE_SPLIT_LONGEST or with
 * prime factors above 7, and for half precision on the host. */
QN_MUST_CHECK qn_status qn_rotation_grid_check(const qn_rotation_grid *grid, qn_device *device);

/* Set the members that depend on the device: local_room_bytes, largest_group and is_gpu. */
void qn_rotation_grid_fit_device(qn_rotation_grid *grid, qn_device *device);

/* Roots of nx, ny and nz (fft/line_split.h), one after the other: 2·(nx + ny + nz) floats, released with qn_release. */
QN_MUST_CHECK qn_status qn_rotation_grid_roots(const qn_rotation_grid *grid, float **roots);

/* log2 of a size, rounded to a multiple of 1/2, for keys of tuning results: the best configuration for 160 cells is
 * good for 153 to 215 cells. Keys do not include the precision of intermediates, because a group computes with the same
 * numbers in both cases. */
double qn_rotation_size_class(double size);

#endif
