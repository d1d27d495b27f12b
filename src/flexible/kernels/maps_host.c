/* Host kernel of flexible/maps: a task is a row of points along x, whose points are lanes. Atoms are visited in the
 * order of the device's kernel; those beyond the reach of a point add 0, so that all bits are the same. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-pre") /* it moves parts of a minimum or maximum into branches: no vectors */
#endif
#include "flexible/kernels/maps.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "flexible/kernels/maps.dev.h"

enum { LANES = 16 };

typedef struct maps_job {
    const float (*atoms)[4];
    const int *starts;
    const float (*pairs)[4];
    float *maps;
    const maps_scalars *s;
} maps_job;

typedef struct point_row {
    float x[LANES], y, z;
    int cells[3][2]; /* first and last along x, y, z */
} point_row;

/* Add one atom to the points of a row. */
static void add_atom(const maps_job *job, const point_row *row, const float atom[4], int first, int types,
                     float sums[4][LANES])
{
    const float dy = row->y - atom[1], dz = row->z - atom[2], rest = dz * dz;
    float squares[LANES];
    if (FMA(dy, dy, rest) >= MAPS_SQUARED_CUTOFF) return;
    int any = 0;
    for (int c = 0; c < LANES; c++) {
        const float dx = row->x[c] - atom[0];
        squares[c] = FMA(dx, dx, FMA(dy, dy, rest));
        any |= squares[c] < MAPS_SQUARED_CUTOFF;
    }
    if (!any) return;
    for (int t = 0; t < types; t++) {
        const float *p = job->pairs[(first + t) * MAPS_RECEPTOR_TYPES + (int)FLOAT_BITS(atom[3])];
        const qn_float4 pair = {p[0], p[1], p[2], p[3]};
#pragma omp simd
        for (int c = 0; c < LANES; c++) sums[t][c] += maps_energy(squares[c], pair);
    }
}

static void sum_row(const maps_job *job, const point_row *row, int first, int types, float sums[4][LANES])
{
    const maps_scalars *s = job->s;
    for (int c = row->cells[2][0]; c <= row->cells[2][1]; c++)
        for (int b = row->cells[1][0]; b <= row->cells[1][1]; b++) {
            const int cells = (c * s->cells_y + b) * s->cells_x;
            if (row->cells[0][1] < row->cells[0][0]) continue;
            for (int j = job->starts[cells + row->cells[0][0]]; j < job->starts[cells + row->cells[0][1] + 1]; j++)
                add_atom(job, row, job->atoms[j], first, types, sums);
        }
}

static void set_cells(int first, int last, int count, int cells[2])
{
    cells[0] = MAX(first - MAPS_REACH, 0);
    cells[1] = MIN(last + MAPS_REACH, count - 1);
}

static qn_status fill_row(size_t index, int worker, void *user)
{
    const maps_job *job = user;
    const maps_scalars *s = job->s;
    const int y = (int)(index % (size_t)s->ny), z = (int)(index / (size_t)s->ny);
    const float k = s->cells_per_angstrom;
    (void)worker;
    for (int begin = 0; begin < s->nx; begin += LANES) {
        point_row row = {.y = FMA((float)y, s->spacing, s->corner[1]), .z = FMA((float)z, s->spacing, s->corner[2])};
        for (int c = 0; c < LANES; c++) row.x[c] = FMA((float)(begin + c), s->spacing, s->corner[0]);
        const int cy = maps_cell(row.y, s->cell_corner[1], k), cz = maps_cell(row.z, s->cell_corner[2], k);
        set_cells(maps_cell(row.x[0], s->cell_corner[0], k), maps_cell(row.x[LANES - 1], s->cell_corner[0], k),
                  s->cells_x, row.cells[0]);
        set_cells(cy, cy, s->cells_y, row.cells[1]);
        set_cells(cz, cz, s->cells_z, row.cells[2]);
        for (int first = 0; first < s->types; first += 4) {
            const int types = MIN(4, s->types - first);
            float sums[4][LANES] = {{0}};
            sum_row(job, &row, first, types, sums);
            for (int t = 0; t < types; t++)
                for (int c = 0; c < LANES && begin + c < s->nx; c++)
                    job->maps[(((size_t)(first + t) * (size_t)s->nz + (size_t)z) * (size_t)s->ny + (size_t)y) *
                                  (size_t)s->nx +
                              (size_t)(begin + c)] = sums[t][c];
        }
    }
    return QN_OK;
}

static qn_status maps(const qn_host_launch *launch)
{
    void *const *arguments = launch->arguments;
    maps_job job = {.atoms = arguments[MAPS_ATOMS],
                    .starts = arguments[MAPS_STARTS],
                    .pairs = arguments[MAPS_PAIRS],
                    .maps = arguments[MAPS_MAPS],
                    .s = arguments[MAPS_SCALARS]};
    return qn_host_parallel(launch, (size_t)job.s->ny * (size_t)job.s->nz, fill_row, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_flexible_maps_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_flexible_maps_host)[] = {maps};
