/* C = A·B on processor cores: blocks of A and B are copied into the order in which they are read, then tiles of C of
 * TILE_ROWS x TILE_COLUMNS are summed in registers (Goto and van de Geijn 2008, doi 10.1145/1356052.1356053).
 *
 * All threads share a block of B of BLOCK_INNER inner indices. A piece of work is ROWS_PER_PIECE rows of C: their part
 * of A stays in the second-level cache, one panel of B in the first-level cache. */
#include <stdbool.h>
#include <string.h>

#if defined(__AVX512F__) || defined(__FMA__)
#include <immintrin.h>
#endif

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "benchmark/algebra/kernels/gemm.h"
#include "runtime/host_variant.h"

#include "benchmark/algebra/kernels/gemm.dev.h"

/* The number of sums leaves registers for a panel's row of B and one element of A. */
#if defined(__AVX512F__)
enum { LANES = 16, TILE_ROWS = 12 };
#elif defined(__FMA__)
enum { LANES = 8, TILE_ROWS = 6 };
#else
enum { LANES = 4, TILE_ROWS = 6 };
#endif
enum {
    TILE_COLUMNS = 2 * LANES,
    ROWS_PER_PIECE = 8 * TILE_ROWS,
    BLOCK_INNER = 256,
    BLOCK_COLUMNS = 4096 /* limits the size of the copy of B */
};

typedef float vector __attribute__((vector_size(LANES * sizeof(float))));

static inline vector multiply_add(vector a, vector b, vector c)
{
#if defined(__AVX512F__)
    return (vector)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
    return (vector)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return a * b + c; /* this level has no fused multiply-add */
#endif
}

typedef struct gemm_job {
    const float *a, *b;
    float *c, *packed_b, *packed_a;
    size_t rows, columns, inner;
    size_t first_column, block_columns, first_inner, block_inner;
} gemm_job;

static size_t minimum(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Copy `lines` lines of from [inner][length] into one panel [inner][width], padded with zeros. */
static void pack_panel(float *to, const float *from, size_t length, size_t inner, size_t lines, size_t width)
{
    for (size_t k = 0; k < inner; k++, to += width, from += length) {
        size_t i = 0;
        for (; i < lines; i++) to[i] = from[i];
        for (; i < width; i++) to[i] = 0;
    }
}

static qn_status pack_b(size_t index, int worker, void *user)
{
    const gemm_job *job = user;
    size_t column = index * TILE_COLUMNS;
    (void)worker;
    pack_panel(job->packed_b + column * job->block_inner,
               job->b + job->first_inner * job->columns + job->first_column + column, job->columns, job->block_inner,
               minimum(TILE_COLUMNS, job->block_columns - column), TILE_COLUMNS);
    return QN_OK;
}

/* sums [TILE_ROWS][2] = panel of A · panel of B */
static inline void multiply_panels(const float *restrict a, const float *restrict b, size_t inner,
                                   vector sums[TILE_ROWS][2])
{
    vector sum[TILE_ROWS][2] = {{{0}}};
    for (size_t k = 0; k < inner; k++, a += TILE_ROWS, b += TILE_COLUMNS) {
        vector left, right;
        memcpy(&left, b, sizeof left);
        memcpy(&right, b + LANES, sizeof right);
#pragma GCC unroll 16
        for (int r = 0; r < TILE_ROWS; r++) {
            const vector factor = a[r] - (vector){0}; /* in every lane */
            sum[r][0] = multiply_add(factor, left, sum[r][0]);
            sum[r][1] = multiply_add(factor, right, sum[r][1]);
        }
    }
    memcpy(sums, sum, sizeof sum);
}

/* Write a tile of C: the first block of inner indices sets C, the others add to it. */
static void write_tile(float *c, size_t columns, vector sums[TILE_ROWS][2], size_t rows_here, size_t columns_here,
                       bool adds)
{
    float values[TILE_ROWS][TILE_COLUMNS];
    memcpy(values, sums, sizeof values);
    for (size_t r = 0; r < rows_here; r++) {
        float *line = c + r * columns;
        if (adds)
            for (size_t i = 0; i < columns_here; i++) line[i] += values[r][i];
        else
            memcpy(line, values[r], columns_here * sizeof(float));
    }
}

static qn_status multiply_piece(size_t index, int worker, void *user)
{
    const gemm_job *job = user;
    size_t first_row = index * ROWS_PER_PIECE, piece_rows = minimum(ROWS_PER_PIECE, job->rows - first_row);
    float *packed_a = job->packed_a + (size_t)worker * ROWS_PER_PIECE * BLOCK_INNER;
    vector sums[TILE_ROWS][2];
    for (size_t row = 0; row < piece_rows; row += TILE_ROWS)
        pack_panel(packed_a + row * job->block_inner, job->a + job->first_inner * job->rows + first_row + row,
                   job->rows, job->block_inner, minimum(TILE_ROWS, piece_rows - row), TILE_ROWS);
    for (size_t column = 0; column < job->block_columns; column += TILE_COLUMNS)
        for (size_t row = 0; row < piece_rows; row += TILE_ROWS) {
            multiply_panels(packed_a + row * job->block_inner, job->packed_b + column * job->block_inner,
                            job->block_inner, sums);
            write_tile(job->c + (first_row + row) * job->columns + job->first_column + column, job->columns, sums,
                       minimum(TILE_ROWS, piece_rows - row), minimum(TILE_COLUMNS, job->block_columns - column),
                       job->first_inner > 0);
        }
    return QN_OK;
}

static qn_status multiply_blocks(gemm_job *job, qn_pool *pool)
{
    for (job->first_column = 0; job->first_column < job->columns; job->first_column += BLOCK_COLUMNS) {
        job->block_columns = minimum(BLOCK_COLUMNS, job->columns - job->first_column);
        for (job->first_inner = 0; job->first_inner < job->inner; job->first_inner += BLOCK_INNER) {
            job->block_inner = minimum(BLOCK_INNER, job->inner - job->first_inner);
            QN_TRY(qn_pool_run(pool, (job->block_columns + TILE_COLUMNS - 1) / TILE_COLUMNS, pack_b, job));
            QN_TRY(qn_pool_run(pool, (job->rows + ROWS_PER_PIECE - 1) / ROWS_PER_PIECE, multiply_piece, job));
        }
    }
    return QN_OK;
}

static qn_status gemm(const qn_host_launch *launch)
{
    const gemm_scalars *s = launch->arguments[GEMM_SCALARS];
    gemm_job job = {.a = launch->arguments[GEMM_A], .b = launch->arguments[GEMM_B], .c = launch->arguments[GEMM_C]};
    job.rows = (size_t)s->rows;
    job.columns = (size_t)s->columns;
    job.inner = (size_t)s->inner;
    size_t inner = minimum(BLOCK_INNER, job.inner), columns = minimum(BLOCK_COLUMNS, job.columns);
    size_t panels = (columns + TILE_COLUMNS - 1) / TILE_COLUMNS, workers = (size_t)qn_pool_threads(launch->pool);
    QN_TRY(qn_allocate(panels * TILE_COLUMNS * inner, sizeof(float), (void **)&job.packed_b));
    qn_status status = qn_allocate(workers * ROWS_PER_PIECE * BLOCK_INNER, sizeof(float), (void **)&job.packed_a);
    if (status == QN_OK) status = multiply_blocks(&job, launch->pool);
    qn_release(&job.packed_a);
    qn_release(&job.packed_b);
    return status;
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_benchmark_gemm_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_benchmark_gemm_host)[] = {gemm};
