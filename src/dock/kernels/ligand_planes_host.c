/* Host kernels of ligand_planes, by the sums of their definition: row by row, then column by column. */
#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "dock/kernels/ligand_planes.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "dock/kernels/ligand_grids.dev.h"

static int value(const qn_host_launch *launch, int argument)
{
    return *(const int32_t *)launch->arguments[argument];
}

static qn_status place(const qn_host_launch *launch)
{
    const int32_t *atoms = launch->arguments[0], *rotations = launch->arguments[1];
    int32_t *positions = launch->arguments[2];
    const int count = value(launch, 3), last = value(launch, 4) - 1, first = value(launch, 5);
    for (int slot = 0; slot < (int)launch->geometry.items[1]; slot++) {
        const int32_t *m = rotations + 9 * MIN(first + slot, last);
        for (int i = 0; i < 3 * count; i++) {
            const int32_t *row = m + 3 * (i / count), *a = atoms + 8 * (i % count);
            positions[3 * count * slot + i] =
                box_coordinate(row[0], row[1], row[2], a[0], a[1], a[2], value(launch, 7), value(launch, 6));
        }
    }
    return QN_OK;
}

typedef struct planes_job {
    const int32_t *positions, *weights;
    const float *roots;
    void *planes;
    int atoms, grids, trilinear_grid, box;
    qn_rotation_grid grid;
} planes_job;

/* The bits of the nearest number in half precision, ties to even; numbers beyond become infinite. */
static uint32_t half_bits(float number)
{
    const uint32_t sign = FLOAT_BITS(number) >> 16 & 0x8000u;
    const float size = fabsf(number);
    if (size >= 65520.0f) return sign | 0x7c00u;
    if (size < 0x1p-14f) return sign | (uint32_t)rintf(size * 0x1p24f);
    const uint32_t bits = FLOAT_BITS(size);
    return sign | ((bits - 0x38000000u + 0xfffu + (bits >> 13 & 1)) >> 13);
}

static void add_atom(const planes_job *job, const int32_t *position, int32_t weight, bool trilinear, int z,
                     float *cells)
{
    const int x = position[0], y = position[job->atoms], at = position[2 * job->atoms];
    if (!trilinear) {
        if (nearest_voxel(at) == z)
            cells[nearest_voxel(x) + job->box * nearest_voxel(y)] += (float)weight * (1.0f / 1048576.0f);
        return;
    }
    for (int corner = 0; corner < 8; corner++) {
        const int share = corner_share(corner, x, y, at, weight);
        if ((at >> 12) + (corner >> 2) == z && share != 0)
            cells[(x >> 12) + (corner & 1) + job->box * ((y >> 12) + (corner >> 1 & 1))] +=
                (float)share * (1.0f / 1048576.0f);
    }
}

/* Sum of `count` terms `step` apart times exp(-2 pi i k t / length). */
static qn_complex sum_of(const qn_complex *terms, int count, int step, const float *roots, int length, int k)
{
    qn_complex sum = {0, 0};
    for (int t = 0; t < count; t++) {
        const int turn = (int)((int64_t)k * t % length);
        sum = COMPLEX_FMA(terms[step * t], COMPLEX_MAKE(roots[2 * turn], roots[2 * turn + 1]), sum);
    }
    return sum;
}

static void transform(const planes_job *job, const float *cells, qn_complex *row, qn_complex *rows, size_t first)
{
    const int nx = job->grid.cells[0], ny = job->grid.cells[1], box = job->box;
    const int width = qn_rotation_width(&job->grid), columns = qn_rotation_columns(&job->grid);
    for (int y = 0; y < box; y++) {
        for (int x = 0; x < box; x++) row[x] = COMPLEX_MAKE(cells[x + box * y], 0);
        for (int kx = 0; kx < width; kx++) rows[kx + width * y] = sum_of(row, box, 1, job->roots, nx, kx);
    }
    for (int c = 0; c < columns; c++) {
        qn_complex result = {0, 0};
        if (c < width * ny) result = sum_of(rows + c % width, box, width, job->roots + 2 * nx, ny, c / width);
        if (!job->grid.halves)
            ((qn_complex *)job->planes)[first + (size_t)c] = result;
        else
            ((uint32_t *)job->planes)[first + (size_t)c] =
                half_bits(result.x * job->grid.plane_scale) | half_bits(result.y * job->grid.plane_scale) << 16;
    }
}

static qn_status make_plane(size_t index, int worker, void *user)
{
    const planes_job *job = user;
    const size_t box = (size_t)job->box, width = (size_t)qn_rotation_width(&job->grid);
    const size_t slot = index / box / (size_t)job->grids;
    const int grid = (int)(index / box % (size_t)job->grids), z = (int)(index % box);
    float *cells = NULL;
    (void)worker;
    QN_TRY(qn_allocate(box * box + 2 * box + 2 * box * width, sizeof *cells, (void **)&cells));
    for (int atom = 0; atom < job->atoms; atom++)
        add_atom(job, job->positions + 3 * slot * (size_t)job->atoms + atom, job->weights[grid * job->atoms + atom],
                 grid == job->trilinear_grid, z, cells);
    qn_complex *row = (qn_complex *)(cells + box * box);
    transform(job, cells, row, row + box, index * (size_t)qn_rotation_columns(&job->grid));
    qn_release(&cells);
    return QN_OK;
}

static qn_status planes(const qn_host_launch *launch)
{
    planes_job job = {.positions = launch->arguments[0],
                      .weights = launch->arguments[1],
                      .roots = launch->arguments[2],
                      .planes = launch->arguments[3],
                      .atoms = value(launch, 4),
                      .grids = value(launch, 5),
                      .trilinear_grid = value(launch, 6),
                      .box = value(launch, 10),
                      .grid = {.cells = {value(launch, 8), value(launch, 9), 1},
                               .halves = value(launch, 11),
                               .plane_scale = *(const float *)launch->arguments[12]}};
    return qn_pool_run(launch->pool, (size_t)value(launch, 7) * (size_t)job.grids * (size_t)job.box, make_plane, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_dock_ligand_planes_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_dock_ligand_planes_host)[] = {place, planes};
