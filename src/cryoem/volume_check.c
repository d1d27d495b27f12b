#include "cryoem/volume_check.h"

#include <math.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"

const char *qn_volume_name(const qn_volume *volume, const char *otherwise)
{
    return volume->name ? volume->name : otherwise;
}

int qn_voxels_differ(double first_angstrom, double second_angstrom)
{
    return !(fabs(first_angstrom - second_angstrom) <= 1e-3 * fabs(first_angstrom));
}

enum { LEAST_SIDE = 4, SIDE_MAX = 16384 };

static qn_status check_sizes(const qn_volume *volume, const char *name)
{
    const int *counts = volume->counts;
    const double *voxel = volume->voxel_angstrom;
    if (counts[0] != counts[1] || counts[0] != counts[2])
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s has %d x %d x %d voxels; expected a cube", name, counts[0], counts[1],
                       counts[2]);
    if (counts[0] < LEAST_SIDE || counts[0] > SIDE_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s has %d voxels along an edge; expected %d to %d", name, counts[0],
                       LEAST_SIDE, SIDE_MAX);
    for (int k = 0; k < 3; k++)
        if (!(voxel[k] > 0) || !isfinite(voxel[k]) || qn_voxels_differ(voxel[0], voxel[k]))
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s has voxels of %g x %g x %g Å; expected cubes", name, voxel[0],
                           voxel[1], voxel[2]);
    return QN_OK;
}

qn_status qn_volume_check_halves(const qn_volume *const halves[2], const char *const names[2])
{
    for (int k = 0; k < 2; k++) QN_TRY(check_sizes(halves[k], names[k]));
    if (halves[0]->counts[0] != halves[1]->counts[0])
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%s has %d voxels along an edge and %s has %d; expected two maps of one size", names[0],
                       halves[0]->counts[0], names[1], halves[1]->counts[0]);
    if (qn_voxels_differ(halves[0]->voxel_angstrom[0], halves[1]->voxel_angstrom[0]))
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s has voxels of %g Å and %s of %g Å; expected the same within 0.1 %%",
                       names[0], halves[0]->voxel_angstrom[0], names[1], halves[1]->voxel_angstrom[0]);
    return QN_OK;
}

typedef struct plane_range {
    float low, high;
    size_t bad; /* the first voxel that is not finite; SIZE_MAX: none */
} plane_range;

typedef struct range_work {
    const float *values;
    size_t plane;
    plane_range *planes;
} range_work;

static qn_status look_at_plane(size_t z, int worker, void *user)
{
    (void)worker;
    const range_work *work = user;
    const float *values = work->values + z * work->plane;
    float low = values[0], high = values[0], sum = 0;
    plane_range range = {.bad = SIZE_MAX};
    /* 0 · v is 0 if v is finite, and otherwise NaN */
#pragma omp simd reduction(min : low) reduction(max : high) reduction(+ : sum)
    for (size_t i = 0; i < work->plane; i++) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
        sum += 0 * values[i];
    }
    for (size_t i = 0; sum != 0 && i < work->plane && range.bad == SIZE_MAX; i++)
        if (!isfinite(values[i])) range.bad = i;
    range.low = low;
    range.high = high;
    work->planes[z] = range;
    return QN_OK;
}

static qn_status join_planes(const qn_volume *volume, const char *name, const plane_range *planes, float *low,
                             float *high)
{
    const size_t across = (size_t)volume->counts[0];
    *low = planes[0].low;
    *high = planes[0].high;
    for (size_t z = 0; z < (size_t)volume->counts[2]; z++) {
        const size_t bad = planes[z].bad;
        if (bad != SIZE_MAX)
            return QN_FAIL(QN_BAD_FORMAT, "%s: voxel %zu, %zu, %zu (x, y, z from 1) is %g; expected finite numbers",
                           name, bad % across + 1, bad / across + 1, z + 1,
                           (double)volume->values[z * across * (size_t)volume->counts[1] + bad]);
        *low = fminf(*low, planes[z].low);
        *high = fmaxf(*high, planes[z].high);
    }
    return QN_OK;
}

qn_status qn_volume_range(qn_pool *pool, const qn_volume *volume, const char *name, float *low, float *high)
{
    range_work work = {.values = volume->values, .plane = (size_t)volume->counts[0] * (size_t)volume->counts[1]};
    void *memory;
    QN_TRY(qn_allocate((size_t)volume->counts[2], sizeof(plane_range), &memory));
    work.planes = memory;
    qn_status status = qn_pool_run(pool, (size_t)volume->counts[2], look_at_plane, &work);
    if (status == QN_OK) status = join_planes(volume, name, work.planes, low, high);
    qn_release(&memory);
    return status;
}
