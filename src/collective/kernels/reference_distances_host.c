/* The kernels on processor cores: a vector's elements are the work-items of a reference, and sums are added as there,
 * so results have the same bits. A piece of work is some references. */
#include <math.h>
#include <string.h>

#include "base/thread_pool.h"
#include "collective/kernels/reference_distances.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "collective/kernels/reference_distances.dev.h"

enum { LANES = DISTANCE_LANES, REFERENCES = 16 }; /* of a piece */

typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));

#define LOAD(value, from) memcpy(&(value), (from), sizeof(lanes))

typedef struct distances_job {
    const float *references, *frame;
    float *distances, inverse;
    size_t stride, count, atoms;
    float (*compare)(const struct distances_job *job, const float *reference);
} distances_job;

static inline float add_as_tree(const lanes *vector)
{
    float sums[LANES];
    memcpy(sums, vector, sizeof sums);
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int lane = 0; lane < half; lane++) sums[lane] += sums[lane + half];
    return sums[0];
}

static void correlate(const distances_job *job, const float *reference, float s[9])
{
    const size_t stride = job->stride;
    const float *frame = job->frame;
    lanes xu = {0}, xv = {0}, xt = {0}, yu = {0}, yv = {0}, yt = {0}, zu = {0}, zv = {0}, zt = {0};
    for (size_t i = 0; i < stride; i += LANES) {
        lanes x, y, z, u, v, t, w;
        LOAD(x, reference + i);
        LOAD(y, reference + stride + i);
        LOAD(z, reference + 2 * stride + i);
        LOAD(u, frame + i);
        LOAD(v, frame + stride + i);
        LOAD(t, frame + 2 * stride + i);
        LOAD(w, frame + 3 * stride + i);
        u *= w;
        v *= w;
        t *= w;
        xu += x * u;
        xv += x * v;
        xt += x * t;
        yu += y * u;
        yv += y * v;
        yt += y * t;
        zu += z * u;
        zv += z * v;
        zt += z * t;
    }
    const lanes all[9] = {xu, xv, xt, yu, yv, yt, zu, zv, zt};
    for (int k = 0; k < 9; k++) s[k] = add_as_tree(&all[k]);
}

static float deviate(const distances_job *job, const float *reference, const float r[9])
{
    const size_t stride = job->stride;
    const float *frame = job->frame;
    lanes sum = {0};
    for (size_t i = 0; i < stride; i += LANES) {
        lanes x, y, z, u, v, t, w;
        LOAD(x, reference + i);
        LOAD(y, reference + stride + i);
        LOAD(z, reference + 2 * stride + i);
        LOAD(u, frame + i);
        LOAD(v, frame + stride + i);
        LOAD(t, frame + 2 * stride + i);
        LOAD(w, frame + 3 * stride + i);
        u -= r[0] * x + r[1] * y + r[2] * z;
        v -= r[3] * x + r[4] * y + r[5] * z;
        t -= r[6] * x + r[7] * y + r[8] * z;
        sum += w * (u * u + v * v + t * t);
    }
    return sqrtf(add_as_tree(&sum) * job->inverse);
}

static float find_rmsd(const distances_job *job, const float *reference)
{
    float s[9], r[9];
    correlate(job, reference, s);
    distance_rotation(s, r);
    return deviate(job, reference, r);
}

/* Σ over b of squares for sixteen atoms a; b ≤ a adds 0. */
static inline void add_row(const distances_job *job, const float *reference, size_t first, lanes *sum)
{
    const size_t stride = job->stride;
    const float *frame = job->frame;
    float rows[LANES] = {0}, x[LANES], y[LANES], z[LANES], u[LANES], v[LANES], t[LANES];
    memcpy(x, reference + first, sizeof x);
    memcpy(y, reference + stride + first, sizeof y);
    memcpy(z, reference + 2 * stride + first, sizeof z);
    memcpy(u, frame + first, sizeof u);
    memcpy(v, frame + stride + first, sizeof v);
    memcpy(t, frame + 2 * stride + first, sizeof t);
    for (size_t b = first + 1; b < job->atoms; b++) {
        const float bx = reference[b], by = reference[stride + b], bz = reference[2 * stride + b];
        const float bu = frame[b], bv = frame[stride + b], bt = frame[2 * stride + b];
        const int before = b - first < LANES ? (int)(b - first) : LANES;
#pragma omp simd
        for (int lane = 0; lane < LANES; lane++) {
            const float r = distance_between(x[lane], y[lane], z[lane], bx, by, bz);
            const float difference = distance_between(u[lane], v[lane], t[lane], bu, bv, bt) - r;
            rows[lane] += lane < before ? difference * difference : 0.0f;
        }
    }
    lanes row;
    LOAD(row, rows);
    *sum += row;
}

static float find_drmsd(const distances_job *job, const float *reference)
{
    lanes sum = {0};
    for (size_t first = 0; first < job->atoms; first += LANES) add_row(job, reference, first, &sum);
    return sqrtf(add_as_tree(&sum) * job->inverse);
}

static qn_status compare_some(size_t index, int worker, void *user)
{
    const distances_job *job = user;
    (void)worker;
    for (size_t place = index * REFERENCES; place < (index + 1) * REFERENCES && place < job->count; place++)
        job->distances[place] = job->compare(job, job->references + place * 3 * job->stride);
    return QN_OK;
}

static distances_job job_of(const qn_host_launch *launch)
{
    void *const *arguments = launch->arguments;
    return (distances_job){.references = arguments[DISTANCES_REFERENCES],
                           .frame = arguments[DISTANCES_FRAME],
                           .distances = arguments[DISTANCES_RMSD],
                           .inverse = *(const float *)arguments[DISTANCES_INVERSE],
                           .stride = (size_t) * (const int32_t *)arguments[DISTANCES_STRIDE],
                           .count = (size_t) * (const int32_t *)arguments[DISTANCES_COUNT]};
}

static qn_status run_rmsd(const qn_host_launch *launch)
{
    distances_job job = job_of(launch);
    job.compare = find_rmsd;
    return qn_pool_run(launch->pool, (job.count + REFERENCES - 1) / REFERENCES, compare_some, &job);
}

static qn_status run_drmsd(const qn_host_launch *launch)
{
    distances_job job = job_of(launch);
    job.compare = find_drmsd;
    job.atoms = (size_t) * (const int32_t *)launch->arguments[DISTANCES_ATOMS];
    return qn_pool_run(launch->pool, (job.count + REFERENCES - 1) / REFERENCES, compare_some, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_collective_reference_distances_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_collective_reference_distances_host)[] = {run_rmsd, run_drmsd};
