#include "reconstruct/finish.h"

#include <math.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "cryoem/blob.h"
#include "reconstruct/gridding_weights.h"
#include "reconstruct/map_transform.h"

/* Factors for every squared distance from the middle. */
typedef struct factor_job {
    const qn_finish_options *options;
    int side;
    size_t count;
    float *factors;
} factor_job;

enum { FACTOR_PIECE = 1024 };

/* Of what nearest samples do to a map at `frequency` times the padded side from its middle. A voxel takes what lies in
 * a cube around it that is turned with its slice; so the map is multiplied with Π sinc(kᵢ), the mean over all
 * directions of k. ln sinc(x) = −(πx)²/6 − (πx)⁴/180 − …, of which the mean over directions has Σ kᵢ² = k², Σ kᵢ⁴ =
 * 3k⁴/5. */
static double nearest_transform(double frequency)
{
    const double turn = 3.14159265358979323846 * frequency, squared = turn * turn;
    return exp(-squared / 6 - squared * squared / 300);
}

/* Beyond half of the padded box around the middle nothing can be told from its images a side away: what is there (the
 * corners of maps that were not padded) is not raised further. */
static double blur_at(const factor_job *job, double distance)
{
    const double frequency = fmin(distance / job->side, 0.5), radius = job->options->radius;
    return job->options->fast ? nearest_transform(frequency)
                              : qn_blob_transform(radius, frequency) / qn_blob_transform(radius, 0);
}

static qn_status make_factors(size_t index, int worker, void *user)
{
    (void)worker;
    const factor_job *job = user;
    const double cubed = pow(job->side, 3);
    const size_t first = index * FACTOR_PIECE, left = job->count - first, most = FACTOR_PIECE;
    for (size_t i = first; i < first + (left < most ? left : most); i++)
        job->factors[i] = (float)(1 / (cubed * blur_at(job, sqrt((double)i))));
    return QN_OK;
}

/* ---- beyond what all views see ---- */

/* Voxels over which the map fades within the sphere that touches the sides of the images. */
#define FADE_VOXELS 3.0

typedef struct edge_job {
    float *values;
    int side;
    double inner, outer; /* radii between which the map fades */
    double mean;         /* between them */
    double (*sums)[2];   /* [N planes]: of values between them and of how many */
} edge_job;

static qn_status sum_edge(size_t index, int worker, void *user)
{
    (void)worker;
    const edge_job *job = user;
    const int side = job->side, half = side / 2, z = (int)index - half;
    const double inner = job->inner * job->inner, outer = job->outer * job->outer;
    const float *values = job->values + index * (size_t)side * (size_t)side;
    double sum = 0, count = 0;
    for (int y = -half; y < side - half; y++)
        for (int x = -half; x < side - half; x++, values++) {
            const double squared = (double)x * x + (double)y * y + (double)z * z;
            if (squared < inner || squared >= outer) continue;
            sum += (double)*values;
            count++;
        }
    job->sums[index][0] = sum;
    job->sums[index][1] = count;
    return QN_OK;
}

static qn_status fade_plane(size_t index, int worker, void *user)
{
    (void)worker;
    const edge_job *job = user;
    const int side = job->side, half = side / 2, z = (int)index - half;
    const double inner = job->inner * job->inner, turn = 3.14159265358979323846 / (job->outer - job->inner);
    float *values = job->values + index * (size_t)side * (size_t)side;
    for (int y = -half; y < side - half; y++)
        for (int x = -half; x < side - half; x++, values++) {
            const double squared = (double)x * x + (double)y * y + (double)z * z;
            if (squared < inner) continue;
            const double radius = sqrt(squared);
            const double share = radius < job->outer ? 0.5 + 0.5 * cos(turn * (radius - job->inner)) : 0;
            *values = (float)(job->mean + share * ((double)*values - job->mean));
        }
    return QN_OK;
}

/* Not every view sees what lies beyond the sphere R = N/2, and images that were not padded have their neighbours there:
 * to the mean of its outermost voxels, that is the solvent, the map fades within it. */
static qn_status fade(qn_volume *map, qn_pool *pool)
{
    edge_job job = {.values = map->values, .side = map->counts[0], .outer = map->counts[0] / 2.0};
    const size_t planes = (size_t)job.side;
    void *memory = NULL;
    double sum = 0, count = 0;
    job.inner = fmax(0, job.outer - FADE_VOXELS);
    QN_TRY(qn_allocate(planes, sizeof *job.sums, &memory));
    job.sums = memory;
    qn_status status = qn_pool_run(pool, planes, sum_edge, &job);
    for (size_t plane = 0; plane < planes; plane++) {
        sum += job.sums[plane][0];
        count += job.sums[plane][1];
    }
    job.mean = count > 0 ? sum / count : 0;
    if (status == QN_OK) status = qn_pool_run(pool, planes, fade_plane, &job);
    qn_release(&job.sums);
    return status;
}

/* ---- together ---- */

/* |f| from which on there is nothing: slices end at `most`, blobs reach further; at P/2 a voxel has no mate. */
static double limit_of(const qn_finish_options *options, int side)
{
    const double reach = options->fast ? 0.5 : options->radius;
    return fmin(options->most + reach, side / 2.0);
}

static qn_status transform(qn_device *device, qn_pool *pool, const qn_fourier_sums *sums,
                           const qn_finish_options *options, qn_volume *map)
{
    factor_job job = {options, sums->side, qn_map_transform_factors(options->map_side), NULL};
    void *memory = NULL;
    QN_TRY(qn_allocate(job.count, sizeof(float), &memory));
    job.factors = memory;
    qn_status status = qn_pool_run(pool, (job.count + FACTOR_PIECE - 1) / FACTOR_PIECE, make_factors, &job);
    const qn_map_transform request = {.side = sums->side,
                                      .map_side = options->map_side,
                                      .limit = limit_of(options, sums->side),
                                      .spectrum = sums->numerator,
                                      .factor = job.factors};
    if (status == QN_OK) status = qn_map_transform_run(&request, device, map);
    qn_release(&job.factors);
    return status;
}

qn_status qn_reconstruct_finish(qn_device *device, qn_fourier_sums *sums, const qn_finish_options *options,
                                qn_volume **map, qn_finish_report *report)
{
    const double start_s = qn_clock_s();
    qn_pool *pool = qn_context_pool(qn_device_context(device));
    qn_finish_report found = {0};
    const int map_side = options->map_side;
    if (map_side < 1 || map_side > sums->side)
        QN_FAIL(QN_INVALID_ARGUMENT, "the map's side is %d; expected 1 to %d, the side of the sums", map_side,
                sums->side);
    const qn_gridding_options gridding = {
        .limit = limit_of(options, sums->side), .most = options->most, .weights = options->weights};
    qn_gridding_report weights;
    QN_TRY(qn_gridding_divide(sums, &gridding, pool, &weights));
    QN_TRY(qn_volume_create((const int[3]){map_side, map_side, map_side}, options->voxel_angstrom, map));
    qn_status status = transform(device, pool, sums, options, *map);
    if (status == QN_OK) status = fade(*map, pool);
    if (status != QN_OK) qn_volume_destroy(map);
    found = (qn_finish_report){
        .iterations = weights.iterations, .unevenness = weights.unevenness, .untouched_share = weights.untouched_share};
    found.seconds = qn_clock_s() - start_s;
    if (report) *report = found;
    return status;
}

uint64_t qn_reconstruct_finish_bytes(int side, const qn_finish_options *options)
{
    const uint64_t edge = (uint64_t)options->map_side, factors = qn_map_transform_factors(options->map_side);
    const uint64_t dividing = qn_gridding_bytes(side, options->weights);
    const uint64_t transforming = (edge * edge * edge + factors) * sizeof(float) + qn_map_transform_bytes(side);
    return dividing > transforming ? dividing : transforming;
}
