/* Preparation of images on processor cores. A piece of work is some rows of an image; each row is computed in vectors.
 * Terms that depend on x only, with their sines and exponentials, are computed once for a piece. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread_pool.h"
#include "cryoem/kernels/prepare_images.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "cryoem/kernels/prepare_images.dev.h"

enum { COLUMNS = QN_PREPARE_SIDE_MAX / 2 + 1, ROWS = 128 }; /* rows of a piece */

typedef struct prepare_job {
    const float *spectra;
    const uint32_t *parameters;
    float *images, *weights;
    int side, columns, most_squared;
    bool contrast, ramp;
    size_t pieces; /* of an image */
} prepare_job;

/* Terms of the columns of a piece (evenly: of one row). last: the last column that any row keeps. */
typedef struct prepare_columns {
    float ramp_re[COLUMNS], ramp_im[COLUMNS], envelope[COLUMNS], evenly[COLUMNS];
    int last;
} prepare_columns;

static void prepare_columns_of(const prepare_job *job, const uint32_t *image, prepare_columns *of)
{
    const float decay = qn_bits_float(image[PREPARE_DECAY]);
    of->last = (int)sqrtf((float)job->most_squared);
    if (of->last > job->columns - 1) of->last = job->columns - 1;
#pragma omp simd
    for (int x = 0; x <= of->last; x++) {
        const qn_complex ramp = prepare_ramp(image, x, 0);
        of->ramp_re[x] = ramp.x;
        of->ramp_im[x] = ramp.y;
    }
    for (int x = 0; x <= of->last; x++) of->envelope[x] = decay == 0 ? 1 : expf(-decay * (float)(x * x));
}

/* Prepare the first `count` pixels of a row without CTF. */
static void prepare_plain(const prepare_columns *of, const float *restrict from, qn_complex factor, float weight,
                          int count, float *restrict image, float *restrict weights)
{
    const float *restrict ramp_re = of->ramp_re, *restrict ramp_im = of->ramp_im, *restrict evenly = of->evenly;
#pragma omp simd
    for (int x = 0; x < count; x++) {
        const float re = evenly[x] * (ramp_re[x] * factor.x - ramp_im[x] * factor.y);
        const float im = evenly[x] * (ramp_re[x] * factor.y + ramp_im[x] * factor.x);
        image[2 * x] = from[2 * x] * re - from[2 * x + 1] * im;
        image[2 * x + 1] = from[2 * x] * im + from[2 * x + 1] * re;
        weights[x] = weight * evenly[x];
    }
}

/* Prepare the first `count` pixels of a row with CTF. `factor` is exp(2πi y ramp_y) times weight and the envelope of y.
 */
static void prepare_contrasted(const prepare_columns *of, const uint32_t *parameters, const float *restrict from, int y,
                               qn_complex factor, float weight, int count, float *restrict image,
                               float *restrict weights)
{
    const float *restrict ramp_re = of->ramp_re, *restrict ramp_im = of->ramp_im, *restrict envelope = of->envelope;
    const float *restrict evenly = of->evenly;
    uint32_t own[QN_IMAGE_PARAMETERS];
    memcpy(own, parameters, sizeof own); /* a local copy: the compiler knows that no store changes it */
#pragma omp simd
    for (int x = 0; x < count; x++) {
        const float ctf = prepare_contrast(own, x, y) * envelope[x];
        const float value = ctf * evenly[x], re = value * (ramp_re[x] * factor.x - ramp_im[x] * factor.y);
        const float im = value * (ramp_re[x] * factor.y + ramp_im[x] * factor.x);
        image[2 * x] = from[2 * x] * re - from[2 * x + 1] * im;
        image[2 * x + 1] = from[2 * x] * im + from[2 * x + 1] * re;
        weights[x] = weight * (ctf * value);
    }
}

static void prepare_row(const prepare_job *job, const uint32_t *parameters, prepare_columns *of, size_t index, int row)
{
    const int side = job->side, columns = job->columns, y = row - side / 2, left = job->most_squared - y * y;
    const size_t start = index * (size_t)side, to = (start + (size_t)row) * (size_t)columns;
    const size_t from = (start + (size_t)(y < 0 ? y + side : y)) * (size_t)columns;
    float *image = job->images + 2 * to, *weights = job->weights + to;
    const float weight = qn_bits_float(parameters[PREPARE_WEIGHT]), decay = qn_bits_float(parameters[PREPARE_DECAY]);
    const float envelope = job->contrast && decay != 0 ? expf(-decay * (float)(y * y)) : 1;
    const qn_complex ramp = prepare_ramp(parameters, 0, y);
    const qn_complex factor = {weight * envelope * ramp.x, weight * envelope * ramp.y};
    int count = 0;
    if (left >= 0) {
        count = (int)sqrtf((float)left) + 1;
        while ((count - 1) * (count - 1) > left) count--;
        while (count * count <= left) count++;
        if (count > columns) count = columns;
    }
    for (int x = 0; x < count; x++) of->evenly[x] = job->ramp ? prepare_distance(x, y) : 1;
    if (job->contrast)
        prepare_contrasted(of, parameters, job->spectra + 2 * from, y, factor, weight * envelope * envelope, count,
                           image, weights);
    else
        prepare_plain(of, job->spectra + 2 * from, factor, weight, count, image, weights);
    memset(image + 2 * count, 0, 2 * sizeof(float) * (size_t)(columns - count));
    memset(weights + count, 0, sizeof(float) * (size_t)(columns - count));
}

static qn_status prepare_piece(size_t index, int worker, void *user)
{
    const prepare_job *job = user;
    const size_t image = index / job->pieces;
    const int first = (int)(index % job->pieces) * ROWS, end = first + ROWS < job->side ? first + ROWS : job->side;
    const uint32_t *parameters = job->parameters + QN_IMAGE_PARAMETERS * image;
    prepare_columns of;
    (void)worker;
    prepare_columns_of(job, parameters, &of);
    for (int row = first; row < end; row++) prepare_row(job, parameters, &of, image, row);
    return QN_OK;
}

static qn_status prepare(const qn_host_launch *launch)
{
    const prepare_scalars *s = launch->arguments[PREPARE_IMAGES_SCALARS];
    void *const *arguments = launch->arguments;
    const int side = s->side;
    prepare_job job = {.spectra = arguments[PREPARE_IMAGES_SPECTRA],
                       .parameters = arguments[PREPARE_IMAGES_PARAMETERS],
                       .images = arguments[PREPARE_IMAGES_IMAGES],
                       .weights = arguments[PREPARE_IMAGES_WEIGHTS],
                       .side = side,
                       .columns = side / 2 + 1,
                       .most_squared = s->most_squared,
                       .contrast = s->contrast != 0,
                       .ramp = s->ramp != 0,
                       .pieces = ((size_t)side + ROWS - 1) / ROWS};
    return qn_pool_run(launch->pool, job.pieces * (size_t)s->image_count, prepare_piece, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_cryoem_prepare_images_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_cryoem_prepare_images_host)[] = {prepare};
