/* What the three families of the fused rotation share: ligand_planes → correlate_columns → score_planes.
 *
 * Half spectra of planes: column c = kx + width·ky, kx < width = nx/2 + 1, ky < ny; planes have `columns` columns, a
 * multiple of 16, of which the last few are padding (0 where they are written). Intermediates are complex floats, or
 * half-precision numbers (two in 4 bytes) times a power of two.
 *
 *     planes   [rotation][grid][z < box][columns]    x and y transformed, exp(−2πi…), z not
 *     receptor [set][grid][kz < nz][columns]         3-D spectra divided by nx·ny·nz
 *     products [set][rotation][z < nz][columns]      conj of the sum over grids of receptor · conj(ligand), z
 * transformed back, so that a forward transform of x and y gives the scores
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
    uint64_t local_room_bytes;        /* most that a group may have on this device */
    int largest_group;                /* work-items that a group may have */
    bool is_gpu;                      /* several groups are to share a compute unit's local memory */
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

/* Whether kernels on the device can do these grids: QN_UNSUPPORTED for sides above QN_LINE_SPLIT_LONGEST or with prime
 * factors above 7, and for half precision on the host. */
QN_MUST_CHECK qn_status qn_rotation_grid_check(const qn_rotation_grid *grid, qn_device *device);

/* Fill in what a device gives a group. */
void qn_rotation_grid_fit_device(qn_rotation_grid *grid, qn_device *device);

/* Roots of nx, ny and nz (fft/line_split.h), one after the other: 2·(nx + ny + nz) floats, for qn_release. */
QN_MUST_CHECK qn_status qn_rotation_grid_roots(const qn_rotation_grid *grid, float **roots);

/* log2 of a size to the nearest half, of keys of tuning results: what is best for 160 cells is good for 152 to 215.
 * Keys leave out whether numbers between the families are halves: what a group keeps is the same. */
double qn_rotation_size_class(double size);

#endif
