/* Host kernel of vina_maps: a brick at a time; the maps of a point are the lanes of vectors. */
#include "base/thread_pool.h"
#include "potential/vina/kernels/vina_maps.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "potential/vina/kernels/vina_maps.dev.h"

enum { LANES = QN_VINA_MAPS_ROW };

typedef struct maps_job {
    const int32_t *atoms, *list, *starts, *axes;
    const float *tables;
    float *result;
    const vina_maps_scalars *s;
} maps_job;

static int square_of(const int32_t *atom, int x, int y, int z)
{
    const int dx = CLAMP(atom[0] - x, -VINA_MAPS_FAR, VINA_MAPS_FAR);
    const int dy = CLAMP(atom[1] - y, -VINA_MAPS_FAR, VINA_MAPS_FAR);
    const int dz = CLAMP(atom[2] - z, -VINA_MAPS_FAR, VINA_MAPS_FAR);
    return dx * dx + dy * dy + dz * dz;
}

/* Sum LANES maps from first_probe on at one point. */
static void sum_point(const maps_job *job, const int32_t *list, int count, const int place[3], int first_probe,
                      float *to)
{
    const vina_maps_scalars *s = job->s;
    const size_t points = (size_t)s->nx * (size_t)s->ny * (size_t)s->nz;
    float sums[LANES] = {0};
    for (int i = 0; i < count; i++) {
        const int32_t *atom = job->atoms + 4 * (size_t)list[i];
        const int entry = square_of(atom, place[0], place[1], place[2]) / VINA_MAPS_SQUARE;
        if (entry >= VINA_MAPS_ENTRIES) continue;
        const float *RESTRICT energies =
            job->tables + (size_t)(atom[3] * VINA_MAPS_ENTRIES + entry) * (size_t)s->row + first_probe;
#pragma omp simd
        for (int p = 0; p < LANES; p++) sums[p] += energies[p];
    }
    for (int p = 0; p < LANES && first_probe + p < s->probes; p++) to[(size_t)(first_probe + p) * points] = sums[p];
}

static qn_status sum_brick(size_t index, int worker, void *user)
{
    const maps_job *job = user;
    const vina_maps_scalars *s = job->s;
    const int brick = (int)index, first = job->starts[brick], count = job->starts[brick + 1] - first;
    const int x0 = brick % s->bricks_x * VINA_MAPS_SIDE, y0 = brick / s->bricks_x % s->bricks_y * VINA_MAPS_SIDE;
    const int z0 = brick / (s->bricks_x * s->bricks_y) * VINA_MAPS_SIDE;
    (void)worker;
    for (int z = z0; z < MIN(z0 + VINA_MAPS_SIDE, s->nz); z++)
        for (int y = y0; y < MIN(y0 + VINA_MAPS_SIDE, s->ny); y++)
            for (int x = x0; x < MIN(x0 + VINA_MAPS_SIDE, s->nx); x++) {
                const int place[3] = {job->axes[x], job->axes[s->nx + y], job->axes[s->nx + s->ny + z]};
                float *to = job->result + ((size_t)z * (size_t)s->ny + (size_t)y) * (size_t)s->nx + (size_t)x;
                for (int p = 0; p < s->probes; p += LANES) sum_point(job, job->list + first, count, place, p, to);
            }
    return QN_OK;
}

static qn_status vina_maps(const qn_host_launch *launch)
{
    void *const *arguments = launch->arguments;
    maps_job job = {.atoms = arguments[VINA_MAPS_ATOMS],
                    .list = arguments[VINA_MAPS_LIST],
                    .starts = arguments[VINA_MAPS_STARTS],
                    .axes = arguments[VINA_MAPS_AXES],
                    .tables = arguments[VINA_MAPS_TABLES],
                    .result = arguments[VINA_MAPS_RESULT],
                    .s = arguments[VINA_MAPS_SCALARS]};
    const size_t bricks = (size_t)job.s->bricks_x * (size_t)job.s->bricks_y * (size_t)job.s->bricks_z;
    return qn_pool_run(launch->pool, bricks, sum_brick, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_potential_vina_maps_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_potential_vina_maps_host)[] = {vina_maps};
