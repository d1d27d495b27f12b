/* Host kernels of score_planes: sums written out, line by line. */
#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "dock/kernels/score_planes.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

typedef struct plane_job {
    const void *products;
    const qn_complex *x_roots, *y_roots;
    int nx, ny, nz, columns;
    bool halves;
    float scale;
    float *scores;   /* of `write` */
    float *energies; /* of `best` */
    int32_t *cells;
    int first[3], count[3], places;
} plane_job;

static int value(const qn_host_launch *launch, int argument)
{
    return *(const int32_t *)launch->arguments[argument];
}

static bool comes_before(float energy, int32_t cell, float other_energy, int32_t other_cell)
{
    return energy < other_energy || (energy == other_energy && (uint32_t)cell < (uint32_t)other_cell);
}

static bool is_searched(const plane_job *job, int axis, int index, int size)
{
    const int place = index - job->first[axis];
    return (place < size ? place : place - size) < job->count[axis];
}

/* IEEE 754 binary16 */
static float half_to_float(uint32_t half)
{
    const uint32_t exponent = half >> 10 & 31, fraction = half & 0x3ff, sign = half >> 15 << 31;
    if (exponent == 0) return BITS_FLOAT(FLOAT_BITS((float)fraction * 0x1p-24f) | sign);
    return BITS_FLOAT(sign | (exponent == 31 ? 255 : exponent + 112) << 23 | fraction << 13);
}

static qn_complex product_at(const plane_job *job, size_t index)
{
    if (!job->halves) return ((const qn_complex *)job->products)[index];
    const uint32_t bits = ((const uint32_t *)job->products)[index];
    return COMPLEX_MAKE(half_to_float(bits & 0xffff), half_to_float(bits >> 16));
}

/* Columns [width][ny] of a plane, y transformed; of kx = 0 and nx/2 the real part, of others twice the number, so that
 * the real part of the sum over kx < width is that over all. */
static void transform_columns(const plane_job *job, size_t plane, qn_complex *columns)
{
    const int width = job->nx / 2 + 1, ny = job->ny;
    for (int kx = 0; kx < width; kx++) {
        const bool is_alone = kx == 0 || 2 * kx == job->nx;
        for (int y = 0; y < ny; y++) {
            qn_complex sum = COMPLEX_MAKE(0, 0);
            int turn = 0;
            for (int ky = 0; ky < ny; ky++) {
                const qn_complex product = product_at(job, plane * (size_t)job->columns + (size_t)(kx + width * ky));
                sum = COMPLEX_FMA(product, job->y_roots[turn], sum);
                turn = turn + y < ny ? turn + y : turn + y - ny;
            }
            columns[kx * ny + y] = is_alone ? COMPLEX_MAKE(sum.x, 0) : COMPLEX_SCALE(sum, 2);
        }
    }
}

static void transform_row(const plane_job *job, const qn_complex *columns, int y, float *scores)
{
    const int width = job->nx / 2 + 1, nx = job->nx;
    for (int x = 0; x < nx; x++) {
        float sum = 0;
        int turn = 0;
        for (int kx = 0; kx < width; kx++) {
            const qn_complex term = columns[kx * job->ny + y], root = job->x_roots[turn];
            sum = FMA(-term.y, root.y, FMA(term.x, root.x, sum));
            turn = turn + x < nx ? turn + x : turn + x - nx;
        }
        scores[x] = job->scale * sum;
    }
}

static void keep_best(const plane_job *job, const float *scores, int y, int z, float *energy, int32_t *cell)
{
    if (!is_searched(job, 1, y, job->ny)) return;
    for (int x = 0; x < job->nx; x++) {
        const int32_t at = x + job->nx * (y + job->ny * z);
        if (!is_searched(job, 0, x, job->nx) || !comes_before(scores[x], at, *energy, *cell)) continue;
        *energy = scores[x];
        *cell = at;
    }
}

static qn_status run_plane(size_t index, int worker, void *user)
{
    const plane_job *job = user;
    const size_t planes = (size_t)job->count[2], output = index / planes;
    const int place = job->first[2] + (int)(index % planes), z = place < 0 ? place + job->nz : place;
    const size_t plane = output * (size_t)job->nz + (size_t)z, row = (size_t)job->nx, width = row / 2 + 1;
    float energy = FLOAT_MAXIMUM;
    int32_t cell = -1;
    void *memory;
    (void)worker;
    QN_TRY(qn_allocate(width * (size_t)job->ny + row, sizeof(qn_complex), &memory));
    qn_complex *columns = memory;
    float *own = (float *)(columns + width * (size_t)job->ny);
    transform_columns(job, plane, columns);
    for (int y = 0; y < job->ny; y++) {
        float *scores = job->scores ? job->scores + (plane * (size_t)job->ny + (size_t)y) * row : own;
        transform_row(job, columns, y, scores);
        if (!job->scores) keep_best(job, scores, y, z, &energy, &cell);
    }
    for (int i = 0; i < job->places && !job->scores; i++) {
        job->energies[index * (size_t)job->places + (size_t)i] = i == 0 ? energy : FLOAT_MAXIMUM;
        job->cells[index * (size_t)job->places + (size_t)i] = i == 0 ? cell : -1;
    }
    qn_release(&memory);
    return QN_OK;
}

static qn_status best(const qn_host_launch *launch)
{
    const qn_complex *roots = launch->arguments[1];
    const int nx = value(launch, 4);
    const plane_job job = {.products = launch->arguments[0],
                           .x_roots = roots,
                           .y_roots = roots + nx,
                           .nx = nx,
                           .ny = value(launch, 5),
                           .nz = value(launch, 6),
                           .columns = value(launch, 7),
                           .halves = value(launch, 8) != 0,
                           .scale = *(const float *)launch->arguments[15],
                           .energies = launch->arguments[2],
                           .cells = launch->arguments[3],
                           .first = {value(launch, 9), value(launch, 11), value(launch, 13)},
                           .count = {value(launch, 10), value(launch, 12), (int)launch->geometry.items[1]},
                           .places = value(launch, 14)};
    return qn_pool_run(launch->pool, launch->geometry.items[1] * launch->geometry.items[2], run_plane, (void *)&job);
}

static qn_status write(const qn_host_launch *launch)
{
    const qn_complex *roots = launch->arguments[1];
    const int nx = value(launch, 3), planes = (int)launch->geometry.items[1];
    const plane_job job = {.products = launch->arguments[0],
                           .x_roots = roots,
                           .y_roots = roots + nx,
                           .nx = nx,
                           .ny = value(launch, 4),
                           .nz = planes,
                           .columns = value(launch, 5),
                           .halves = value(launch, 6) != 0,
                           .scale = *(const float *)launch->arguments[7],
                           .scores = launch->arguments[2],
                           .count = {0, 0, planes}};
    return qn_pool_run(launch->pool, launch->geometry.items[1] * launch->geometry.items[2], run_plane, (void *)&job);
}

static qn_status merge(const qn_host_launch *launch)
{
    const float *partial_energies = launch->arguments[0];
    const int32_t *partial_cells = launch->arguments[1];
    float *energies = launch->arguments[2];
    int32_t *cells = launch->arguments[3];
    const size_t partials = (size_t)value(launch, 4);
    for (size_t output = 0; output < launch->geometry.items[1]; output++) {
        energies[output] = FLOAT_MAXIMUM;
        cells[output] = -1;
        for (size_t i = output * partials; i < (output + 1) * partials; i++) {
            if (!comes_before(partial_energies[i], partial_cells[i], energies[output], cells[output])) continue;
            energies[output] = partial_energies[i];
            cells[output] = partial_cells[i];
        }
    }
    return QN_OK;
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_dock_score_planes_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_dock_score_planes_host)[] = {best, write, merge};
