/* Products of small matrices on processor cores, with up to ROWS_AT_ONCE rows of C in vector registers. Memory
 * bandwidth is the limit. */
#include <math.h>

#include "base/thread_pool.h"
#include "benchmark/algebra/kernels/gemm_batched.h"
#include "runtime/host_variant.h"

#include "benchmark/algebra/kernels/gemm_batched.dev.h"

enum { MATRICES_PER_PIECE = 64, ROWS_AT_ONCE = 4 };

/* Levels without a fused multiply-add round twice, because a call of the C library for each would be slow. */
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define MULTIPLY_ADD(a, b, c) fmaf((a), (b), (c))
#else
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif

typedef struct batch_job {
    const float *a, *b;
    float *c;
    int matrices, rows, columns, inner;
} batch_job;

/* Compute `height` rows of C; `columns` is a constant in the calls for common sizes */
static inline void multiply_rows(const float *restrict a, const float *restrict b, float *restrict c, int height,
                                 int columns, int inner)
{
    float sum[ROWS_AT_ONCE][QN_GEMM_BATCHED_MAX] = {{0}};
    for (int k = 0; k < inner; k++)
        for (int r = 0; r < height; r++)
#pragma omp simd
            for (int i = 0; i < columns; i++) sum[r][i] = MULTIPLY_ADD(a[r * inner + k], b[k * columns + i], sum[r][i]);
    for (int r = 0; r < height; r++)
        for (int i = 0; i < columns; i++) c[r * columns + i] = sum[r][i];
}

static inline void multiply(const float *restrict a, const float *restrict b, float *restrict c, int rows, int columns,
                            int inner)
{
    int row = 0;
    for (; row + ROWS_AT_ONCE <= rows; row += ROWS_AT_ONCE)
        multiply_rows(a + row * inner, b, c + row * columns, ROWS_AT_ONCE, columns, inner);
    for (; row < rows; row++) multiply_rows(a + row * inner, b, c + row * columns, 1, columns, inner);
}

static qn_status multiply_piece(size_t index, int worker, void *user)
{
    const batch_job *job = user;
    const size_t rows = (size_t)job->rows, columns = (size_t)job->columns, inner = (size_t)job->inner;
    size_t first = index * MATRICES_PER_PIECE, end = first + MATRICES_PER_PIECE;
    (void)worker;
    if (end > (size_t)job->matrices) end = (size_t)job->matrices;
    for (size_t m = first; m < end; m++) {
        const float *a = job->a + m * rows * inner, *b = job->b + m * inner * columns;
        float *c = job->c + m * rows * columns;
        if (columns == 16)
            multiply(a, b, c, job->rows, 16, job->inner);
        else if (columns == 32)
            multiply(a, b, c, job->rows, 32, job->inner);
        else if (columns == 8)
            multiply(a, b, c, job->rows, 8, job->inner);
        else
            multiply(a, b, c, job->rows, job->columns, job->inner);
    }
    return QN_OK;
}

static qn_status gemm_batched(const qn_host_launch *launch)
{
    const batched_scalars *s = launch->arguments[BATCHED_SCALARS];
    batch_job job = {
        .a = launch->arguments[BATCHED_A], .b = launch->arguments[BATCHED_B], .c = launch->arguments[BATCHED_C]};
    job.matrices = s->matrices;
    job.rows = s->rows;
    job.columns = s->columns;
    job.inner = s->inner;
    return qn_pool_run(launch->pool, ((size_t)job.matrices + MATRICES_PER_PIECE - 1) / MATRICES_PER_PIECE,
                       multiply_piece, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_benchmark_gemm_batched_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_benchmark_gemm_batched_host)[] = {gemm_batched};
