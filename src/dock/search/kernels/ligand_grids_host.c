/* Host kernels of ligand_grids: one rotation at a time per thread, so no atomics are needed. */
#include "base/error.h"
#include "base/thread_pool.h"
#include "dock/search/kernels/ligand_grids.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "dock/search/kernels/ligand_grids.dev.h"

typedef struct spread_job {
    const int32_t *atoms, *weights, *rotations;
    int32_t *boxes;
    int atom_count, rotation_count, first_rotation, box, box_centre, scale, grids, trilinear_grid;
} spread_job;

/* Values of a launch: arguments are pointers to them. */
static int value(const qn_host_launch *launch, int argument)
{
    return *(const int32_t *)launch->arguments[argument];
}

static void spread_atom(const spread_job *job, int32_t *boxes, const int32_t *m, int atom)
{
    const int32_t *a = job->atoms + QN_LIGAND_ATOM_INTS * atom;
    const int box = job->box, volume = box * box * box;
    int x = box_coordinate(m[0], m[1], m[2], a[0], a[1], a[2], job->scale, job->box_centre);
    int y = box_coordinate(m[3], m[4], m[5], a[0], a[1], a[2], job->scale, job->box_centre);
    int z = box_coordinate(m[6], m[7], m[8], a[0], a[1], a[2], job->scale, job->box_centre);
    int nearest = nearest_voxel(x) + box * (nearest_voxel(y) + box * nearest_voxel(z));
    for (int grid = 0; grid < job->grids; grid++) {
        int weight = job->weights[grid * job->atom_count + atom];
        int32_t *target = boxes + grid * volume;
        if (grid != job->trilinear_grid) {
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
    int rotation = job->first_rotation + (int)index;
    (void)worker;
    if (rotation >= job->rotation_count) rotation = job->rotation_count - 1;
    int32_t *boxes = job->boxes + index * (size_t)job->grids * (size_t)(job->box * job->box * job->box);
    for (int atom = 0; atom < job->atom_count; atom++)
        spread_atom(job, boxes, job->rotations + QN_ROTATION_INTS * rotation, atom);
    return QN_OK;
}

static qn_status spread(const qn_host_launch *launch)
{
    spread_job job = {launch->arguments[0], launch->arguments[1], launch->arguments[2], launch->arguments[3],
                      value(launch, 4),     value(launch, 5),     value(launch, 6),     value(launch, 7),
                      value(launch, 8),     value(launch, 9),     value(launch, 10),    value(launch, 11)};
    return qn_pool_run(launch->pool, launch->geometry.items[1], spread_rotation, &job);
}

typedef struct settle_job {
    int32_t *boxes;
    float *grids;
    int box, nx, ny, nz;
} settle_job;

static qn_status settle_box(size_t index, int worker, void *user)
{
    const settle_job *job = user;
    const int box = job->box;
    int32_t *source = job->boxes + index * (size_t)(box * box * box);
    float *target = job->grids + index * (size_t)job->nx * (size_t)job->ny * (size_t)job->nz;
    (void)worker;
    for (int z = 0; z < box; z++)
        for (int y = 0; y < box; y++) {
            float *row = target + ((size_t)z * (size_t)job->ny + (size_t)y) * (size_t)job->nx;
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
    settle_job job = {launch->arguments[0], launch->arguments[1], value(launch, 2),
                      value(launch, 3),     value(launch, 4),     value(launch, 5)};
    return qn_pool_run(launch->pool, launch->geometry.items[1], settle_box, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_dock_ligand_grids_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_dock_ligand_grids_host)[] = {spread, settle};
