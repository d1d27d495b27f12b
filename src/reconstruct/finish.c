#include "reconstruct/finish.h"

#include <math.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "cryoem/blob.h"
#include "reconstruct/gridding_weights.h"
#include "reconstruct/map_transform.h"

static double sinc(double x)
{
    const double turn = 3.14159265358979323846 * x;
    return fabs(turn) < 1e-6 ? 1 : sin(turn) / turn;
}

/* Attenuation of a map by insertion of nearest samples, at `frequency` times the padded side from the middle. A voxel
 * takes a sample from a box around it: one pixel wide along both axes of the slice, one voxel along its normal. The
 * attenuation is the box's transform averaged over all directions, with the midpoint rule on one octant. */
static double nearest_transform(double spacing, double frequency)
{
    enum { STEPS = 24 };
    double sum = 0;
    for (int i = 0; i < STEPS; i++) {
        const double z = (i + 0.5) / STEPS, across = sqrt(1 - z * z);
        double ring = 0;
        for (int j = 0; j < STEPS; j++) {
            const double angle = 3.14159265358979323846 / 2 * (j + 0.5) / STEPS;
            const double x = across * cos(angle), y = across * sin(angle);
            ring += sinc(spacing * frequency * x) * sinc(spacing * frequency * y);
        }
        sum += ring / STEPS * sinc(frequency * z);
    }
    return sum / STEPS;
}

static double blur_at(const qn_finish_options *options, double frequency)
{
    const double spacing = options->spacing > 0 ? options->spacing : 1;
    return options->fast ? nearest_transform(spacing, frequency)
                         : qn_blob_transform(options->radius, frequency) / qn_blob_transform(options->radius, 0);
}

/* Table of the factors that undo the blur, by the squared distance of a voxel from the map's middle. The blur is nearly
 * an exponential function of this square, so a small table suffices: interpolation is off by 2e-7. Beyond half of the
 * padded box a map cannot be separated from its periodic images, so factors are constant there (in the corners of maps
 * that were not padded). */
static void make_factors(const qn_finish_options *options, int side, size_t count, float *factors)
{
    enum { INTERVALS = 1024 };
    double table[INTERVALS + 2];
    const double cubed = pow(side, 3), intervals = INTERVALS;
    for (int i = 0; i < INTERVALS + 2; i++) table[i] = blur_at(options, sqrt(0.25 * i / intervals));
    for (size_t i = 0; i < count; i++) {
        const double place = fmin(intervals, 4 * intervals * (double)i / side / side);
        const int entry = (int)place;
        const double blur = table[entry] + (place - entry) * (table[entry + 1] - table[entry]);
        factors[i] = (float)(1 / (cubed * blur));
    }
}

/* ---- fading outside the sphere of all views ---- */

/* Width in voxels of the shell in which the map fades, within the sphere that touches the sides of the images. */
#define FADE_VOXELS 3.0

typedef struct edge_job {
    float *values;
    int side;
    double inner, outer; /* radii between which the map fades */
    double mean;         /* mean of the map between the radii */
    double (*sums)[2];   /* [N planes]: sum of the values between the radii, and their number */
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

/* Fade the map to the mean of its outermost shell within the sphere R = N/2, which is taken as the solvent. Not every
 * view sees density beyond that sphere, and images that were not padded have their periodic neighbours there. */
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

/* ---- the whole step ---- */

/* |f| from which on the transform is 0. The limit is at most P/2, where a voxel has no mate. */
static double limit_of(const qn_finish_options *options, int side)
{
    return fmin(options->most, side / 2.0);
}

static qn_status transform(qn_device *device, const qn_fourier_sums *sums, const qn_finish_options *options,
                           qn_volume *map)
{
    const size_t count = qn_map_transform_factors(options->map_side);
    void *factors = NULL;
    QN_TRY(qn_allocate(count, sizeof(float), &factors));
    make_factors(options, sums->side, count, factors);
    const qn_map_transform request = {.side = sums->side,
                                      .map_side = options->map_side,
                                      .limit = limit_of(options, sums->side),
                                      .spectrum = sums->numerator,
                                      .engine = options->deterministic ? qn_fft_engine_of(device) : QN_FFT_AUTO,
                                      .factor = factors};
    const qn_status status = qn_map_transform_run(&request, device, map);
    qn_release(&factors);
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
        return QN_FAIL(QN_INVALID_ARGUMENT, "the map's side is %d; expected 1 to %d, the side of the sums", map_side,
                       sums->side);
    const qn_gridding_options gridding = {.limit = limit_of(options, sums->side), .weights = options->weights};
    qn_gridding_report weights;
    QN_TRY(qn_gridding_divide(sums, &gridding, pool, &weights));
    QN_TRY(qn_volume_create((const int[3]){map_side, map_side, map_side}, options->voxel_angstrom, map));
    qn_status status = transform(device, sums, options, *map);
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
