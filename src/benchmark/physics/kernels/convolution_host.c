/* Convolution on processor cores: ROWS rows of VECTORS vectors of outputs are summed in registers. Each vector of
 * inputs serves all the rows that it is part of. */
#include "base/thread_pool.h"
#include "benchmark/physics/kernels/convolution.h"
#include "runtime/host_variant.h"
#include "runtime/host_vector.h"

#include "benchmark/physics/kernels/convolution.dev.h"

enum { ROWS = 3, VECTORS = 4, COLUMNS = VECTORS * QN_LANES, ROWS_PER_PIECE = 4 * ROWS };

typedef struct image_job {
    const float *in, *filter;
    float *out;
    int width, height, filter_width, filter_height;
} image_job;

/* Add the products of one line of inputs to output rows first … end − 1; it is the r-th line of inputs of row 0. */
static inline void add_line(qn_lanes sum[ROWS][VECTORS], const float *line, const float *filter, int filter_width,
                            int r, int first, int end)
{
    for (int i = 0; i < filter_width; i++) {
        qn_lanes weight[ROWS];
        for (int row = first; row < end; row++) weight[row] = qn_lanes_splat(filter[(r - row) * filter_width + i]);
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; v++) {
            const qn_lanes value = qn_lanes_load(line + i + v * QN_LANES);
#pragma GCC unroll 3
            for (int row = first; row < end; row++) sum[row][v] = qn_lanes_fma(value, weight[row], sum[row][v]);
        }
    }
}

static void convolve_block(const image_job *job, int x, int y)
{
    const size_t in_width = (size_t)(job->width + job->filter_width - 1);
    const float *in = job->in + (size_t)y * in_width + (size_t)x;
    const int height = job->filter_height, width = job->filter_width;
    qn_lanes sum[ROWS][VECTORS];
    for (int row = 0; row < ROWS; row++)
        for (int v = 0; v < VECTORS; v++) sum[row][v] = qn_lanes_splat(0);
    int r = 0;
    for (; r < ROWS - 1; r++, in += in_width) add_line(sum, in, job->filter, width, r, 0, r + 1);
    for (; r < height; r++, in += in_width) add_line(sum, in, job->filter, width, r, 0, ROWS);
    for (; r < height + ROWS - 1; r++, in += in_width) add_line(sum, in, job->filter, width, r, r - height + 1, ROWS);
    for (int row = 0; row < ROWS; row++)
        for (int v = 0; v < VECTORS; v++)
            qn_lanes_store(job->out + (size_t)(y + row) * (size_t)job->width + (size_t)(x + v * QN_LANES), sum[row][v]);
}

/* The part that no block covers: the right and lower edges of images whose size is not a multiple of the block. */
static void convolve_rest(const image_job *job, int first_x, int end_x, int y)
{
    const size_t in_width = (size_t)(job->width + job->filter_width - 1);
    for (int x = first_x; x < end_x; x++) {
        float sum = 0;
        for (int j = 0; j < job->filter_height; j++)
            for (int i = 0; i < job->filter_width; i++)
                sum += job->in[(size_t)(y + j) * in_width + (size_t)(x + i)] * job->filter[j * job->filter_width + i];
        job->out[(size_t)y * (size_t)job->width + (size_t)x] = sum;
    }
}

static qn_status convolve_piece(size_t index, int worker, void *user)
{
    const image_job *job = user;
    int y = (int)index * ROWS_PER_PIECE, end = y + ROWS_PER_PIECE < job->height ? y + ROWS_PER_PIECE : job->height;
    (void)worker;
    for (; y + ROWS <= end && job->filter_height >= ROWS && job->width >= COLUMNS; y += ROWS) {
        int x = 0;
        for (; x + COLUMNS <= job->width; x += COLUMNS) convolve_block(job, x, y);
        /* The last block may overlap the one before; both write the same values. */
        if (x < job->width) convolve_block(job, job->width - COLUMNS, y);
    }
    for (; y < end; y++) convolve_rest(job, 0, job->width, y);
    return QN_OK;
}

static qn_status convolution(const qn_host_launch *launch)
{
    const convolution_scalars *s = launch->arguments[CONVOLUTION_SCALARS];
    image_job job = {.in = launch->arguments[CONVOLUTION_IN],
                     .filter = launch->arguments[CONVOLUTION_FILTER],
                     .out = launch->arguments[CONVOLUTION_OUT]};
    job.width = s->width;
    job.height = s->height;
    job.filter_width = s->filter_width;
    job.filter_height = s->filter_height;
    return qn_pool_run(launch->pool, ((size_t)job.height + ROWS_PER_PIECE - 1) / ROWS_PER_PIECE, convolve_piece, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_benchmark_convolution_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_benchmark_convolution_host)[] = {convolution};
