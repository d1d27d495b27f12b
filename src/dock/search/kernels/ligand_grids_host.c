/* Host kernels of ligand_grids: a thread computes a whole rotation, so that no atomics are needed. */
#include "base/error.h"
#include "base/thread_pool.h"
#include "dock/search/kernels/ligand_grids.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "dock/search/kernels/ligand_grids.dev.h"

typedef struct spread_job {
    const int32_t *atoms, *weights, *rotations;
    int32_t *boxes;
    spread_scalars s;
} spread_job;

static void spread_atom(const spread_job *job, int32_t *boxes, const int32_t *m, int atom)
{
    const int32_t *a = job->atoms + QN_LIGAND_ATOM_INTS * atom;
    const int box = job->s.box, volume = box * box * box;
    int x = box_coordinate(m[0], m[1], m[2], a[0], a[1], a[2], job->s.scale, job->s.box_centre);
    int y = box_coordinate(m[3], m[4], m[5], a[0], a[1], a[2], job->s.scale, job->s.box_centre);
    int z = box_coordinate(m[6], m[7], m[8], a[0], a[1], a[2], job->s.scale, job->s.box_centre);
    int nearest = nearest_voxel(x) + box * (nearest_voxel(y) + box * nearest_voxel(z));
    for (int grid = 0; grid < job->s.grids; grid++) {
        int weight = job->weights[grid * job->s.atom_count + atom];
        int32_t *target = boxes + grid * volume;
        if (grid != job->s.trilinear_grid) {
            target[nearest] += weight;
            continue;
        }
        for (int corner = 0; corner < 8; corner++) {
            int cell =
                (x >> 12) + (corner & 1) + box * ((y >> 12) + ((corner >> 1) & 1) + box * ((z >> 12) + (corner >> 2)));
            target[cell] += corner_share(corner, x, y, z, weight);
        }
    }
}

static qn_status spread_rotation(size_t index, int worker, void *user)
{
    const spread_job *job = user;
    int rotation = job->s.first_rotation + (int)index;
    (void)worker;
    if (rotation >= job->s.rotation_count) rotation = job->s.rotation_count - 1;
    int32_t *boxes = job->boxes + index * (size_t)job->s.grids * (size_t)(job->s.box * job->s.box * job->s.box);
    for (int atom = 0; atom < job->s.atom_count; atom++)
        spread_atom(job, boxes, job->rotations + QN_ROTATION_INTS * rotation, atom);
    return QN_OK;
}

static qn_status spread(const qn_host_launch *launch)
{
    spread_job job = {.atoms = launch->arguments[SPREAD_ATOMS],
                      .weights = launch->arguments[SPREAD_WEIGHTS],
                      .rotations = launch->arguments[SPREAD_ROTATIONS],
                      .boxes = launch->arguments[SPREAD_BOXES],
                      .s = *(const spread_scalars *)launch->arguments[SPREAD_SCALARS]};
    return qn_pool_run(launch->pool, launch->geometry.items[1], spread_rotation, &job);
}

typedef struct settle_job {
    int32_t *boxes;
    float *grids;
    settle_scalars s;
} settle_job;

static qn_status settle_box(size_t index, int worker, void *user)
{
    const settle_job *job = user;
    const int box = job->s.box;
    int32_t *source = job->boxes + index * (size_t)(box * box * box);
    float *target = job->grids + index * (size_t)job->s.nx * (size_t)job->s.ny * (size_t)job->s.nz;
    (void)worker;
    for (int z = 0; z < box; z++)
        for (int y = 0; y < box; y++) {
            float *row = target + ((size_t)z * (size_t)job->s.ny + (size_t)y) * (size_t)job->s.nx;
#pragma omp simd
            for (int x = 0; x < box; x++) {
                row[x] = (float)source[x] * (1.0f / 1048576.0f);
                source[x] = 0;
            }
            source += box;
        }
    return QN_OK;
}

static qn_status settle(const qn_host_launch *launch)
{
    settle_job job = {.boxes = launch->arguments[SETTLE_BOXES],
                      .grids = launch->arguments[SETTLE_GRIDS],
                      .s = *(const settle_scalars *)launch->arguments[SETTLE_SCALARS]};
    return qn_pool_run(launch->pool, launch->geometry.items[1], settle_box, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_dock_ligand_grids_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_dock_ligand_grids_host)[] = {spread, settle};
