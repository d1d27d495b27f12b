#include "reconstruct/gridding_weights.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

/* Of the mean weight of a shell: less than this is a few blobs' far ends, which say little and would be blown up. */
#define LEAST_OF_SHELL 1e-3f

/* Sums over a plane's voxels of a shell. */
typedef struct shell_sum {
    double weight, voxels;
} shell_sum;

typedef struct division {
    int side, columns, shells;
    float *numerator, *weight;
    double limit_squared, touched_limit_squared;
    uint16_t *shell; /* of a squared radius */
    shell_sum *sums; /* [P planes][shells] */
    float *least;    /* [shells] */
    double *touched; /* [P planes][2]: voxels within the limit, and those that something came near */
} division;

/* How many voxels of row y, z lie within a squared radius: x = 0 … count − 1. */
static int row_count(const division *job, int y, int z, double limit_squared)
{
    const double left = limit_squared - (double)y * y - (double)z * z;
    if (left <= 0) return 0;
    int count = (int)ceil(sqrt(left));
    while (count > 0 && (double)(count - 1) * (count - 1) >= left) count--;
    return count < job->columns ? count : job->columns;
}

static qn_status sum_plane(size_t index, int worker, void *user)
{
    (void)worker;
    const division *job = user;
    const int half = job->side / 2, z = (int)index - half;
    shell_sum *sums = job->sums + index * (size_t)job->shells;
    double *touched = job->touched + 2 * index;
    for (int y = -half; y < job->side - half; y++) {
        const size_t row = (index * (size_t)job->side + (size_t)(y + half)) * (size_t)job->columns;
        const int count = row_count(job, y, z, job->limit_squared), squared = y * y + z * z;
        for (int x = 0; x < count; x++) {
            shell_sum *sum = &sums[job->shell[squared + x * x]];
            sum->weight += (double)job->weight[row + (size_t)x];
            sum->voxels++;
        }
        const int near = row_count(job, y, z, job->touched_limit_squared);
        touched[0] += near;
        for (int x = 0; x < near; x++) touched[1] += job->weight[row + (size_t)x] > 0;
    }
    return QN_OK;
}

static qn_status divide_plane(size_t index, int worker, void *user)
{
    (void)worker;
    const division *job = user;
    const int half = job->side / 2, z = (int)index - half;
    for (int y = -half; y < job->side - half; y++) {
        const size_t row = (index * (size_t)job->side + (size_t)(y + half)) * (size_t)job->columns;
        const int count = row_count(job, y, z, job->limit_squared), squared = y * y + z * z;
        float *numerator = job->numerator + 2 * row;
        for (int x = 0; x < count; x++) {
            const float weight = job->weight[row + (size_t)x], least = job->least[job->shell[squared + x * x]];
            const float factor = weight > 0 ? 1 / (weight > least ? weight : least) : 0;
            numerator[2 * x] *= factor;
            numerator[2 * x + 1] *= factor;
        }
        for (int x = 2 * count; x < 2 * job->columns; x++) numerator[x] = 0;
    }
    return QN_OK;
}

static void set_least(const division *job, double *untouched_share)
{
    double within = 0, touched = 0;
    for (int shell = 0; shell < job->shells; shell++) {
        shell_sum total = {0};
        for (int plane = 0; plane < job->side; plane++) {
            const shell_sum *sum = &job->sums[(size_t)plane * (size_t)job->shells + (size_t)shell];
            total.weight += sum->weight;
            total.voxels += sum->voxels;
        }
        job->least[shell] = total.voxels > 0 ? LEAST_OF_SHELL * (float)(total.weight / total.voxels) : 0;
    }
    for (int plane = 0; plane < job->side; plane++) {
        within += job->touched[2 * plane];
        touched += job->touched[2 * plane + 1];
    }
    *untouched_share = within > 0 ? 1 - touched / within : 0;
}

/* Shells of all squared radii below the limit. */
static qn_status make_shells(division *job)
{
    const size_t squares = (size_t)ceil(job->limit_squared) + 1;
    void *memory = NULL;
    QN_TRY(qn_allocate(squares, sizeof(uint16_t), &memory));
    job->shell = memory;
    for (size_t i = 0; i < squares; i++) job->shell[i] = (uint16_t)lrint(sqrt((double)i));
    job->shells = job->shell[squares - 1] + 1;
    return QN_OK;
}

static qn_status divide(division *job, qn_pool *pool, double *untouched_share)
{
    void *memory = NULL;
    const size_t planes = (size_t)job->side;
    QN_TRY(make_shells(job));
    QN_TRY(qn_allocate(planes * (size_t)job->shells, sizeof(shell_sum), &memory));
    job->sums = memory;
    QN_TRY(qn_allocate((size_t)job->shells, sizeof(float), &memory));
    job->least = memory;
    QN_TRY(qn_allocate(planes, 2 * sizeof(double), &memory));
    job->touched = memory;
    QN_TRY(qn_pool_run(pool, planes, sum_plane, job));
    set_least(job, untouched_share);
    return qn_pool_run(pool, planes, divide_plane, job);
}

qn_status qn_gridding_divide(qn_fourier_sums *sums, double limit, double touched_limit, qn_pool *pool,
                             double *untouched_share)
{
    const double touched = fmin(limit, touched_limit);
    division job = {.side = sums->side,
                    .columns = sums->side / 2 + 1,
                    .numerator = sums->numerator,
                    .weight = sums->weight,
                    .limit_squared = limit * limit,
                    .touched_limit_squared = touched * touched};
    const qn_status status = divide(&job, pool, untouched_share);
    qn_release(&job.shell);
    qn_release(&job.sums);
    qn_release(&job.least);
    qn_release(&job.touched);
    return status;
}

uint64_t qn_gridding_bytes(int side)
{
    const uint64_t planes = (uint64_t)side, shells = planes / 2 + 1;
    return planes * shells * sizeof(shell_sum) + shells * sizeof(float) + planes * 2 * sizeof(double) +
           (planes * planes / 4 + 2) * sizeof(uint16_t);
}
