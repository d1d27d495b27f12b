/* Host kernel of transpose: tiles that fit the first cache are turned into a buffer of their own, then written around
 * the caches where the processor can (what is only written needs not be read first): whole cache lines, rows of the
 * tile one after the other. */
#include <string.h>

#include "base/thread_pool.h"
#include "benchmark/kernels/transpose.h"
#include "runtime/host_variant.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

enum { GROUP_X = 0, ROWS = 2 }; /* which tunables: columns and rows of a tile, in lines */
enum { LINE = 16, MOST_LINES = 8, MOST = MOST_LINES * LINE };

typedef struct transpose_job {
    const float *from;
    float *to;
    size_t rows, columns, tile_rows, tile_columns;
} transpose_job;

_Static_assert(QN_TRANSPOSE_STEP % LINE == 0, "rows and columns are whole cache lines");

#if defined(__AVX__)
/* 8 rows of 8 into 8 columns */
static inline void turn_block(const float *from, size_t pitch, float *to, size_t to_pitch)
{
    __m256 a[8], b[8];
    for (int i = 0; i < 4; i++) {
        a[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(from + (size_t)i * pitch)),
                                    _mm_loadu_ps(from + (size_t)(i + 4) * pitch), 1);
        a[i + 4] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(from + (size_t)i * pitch + 4)),
                                        _mm_loadu_ps(from + (size_t)(i + 4) * pitch + 4), 1);
    }
    for (int i = 0; i < 8; i += 4) {
        b[i] = _mm256_unpacklo_ps(a[i], a[i + 1]);
        b[i + 1] = _mm256_unpackhi_ps(a[i], a[i + 1]);
        b[i + 2] = _mm256_unpacklo_ps(a[i + 2], a[i + 3]);
        b[i + 3] = _mm256_unpackhi_ps(a[i + 2], a[i + 3]);
    }
    for (size_t i = 0; i < 8; i += 4) {
        _mm256_store_ps(to + i * to_pitch, _mm256_shuffle_ps(b[i], b[i + 2], 0x44));
        _mm256_store_ps(to + (i + 1) * to_pitch, _mm256_shuffle_ps(b[i], b[i + 2], 0xee));
        _mm256_store_ps(to + (i + 2) * to_pitch, _mm256_shuffle_ps(b[i + 1], b[i + 3], 0x44));
        _mm256_store_ps(to + (i + 3) * to_pitch, _mm256_shuffle_ps(b[i + 1], b[i + 3], 0xee));
    }
}
#else
static inline void turn_block(const float *from, size_t pitch, float *to, size_t to_pitch)
{
    for (size_t i = 0; i < 8; i++)
        for (size_t j = 0; j < 8; j++) to[j * to_pitch + i] = from[i * pitch + j];
}
#endif

/* Whole lines from and to aligned memory, past the caches. */
static inline void write_lines(float *to, const float *from, size_t count)
{
#if defined(__AVX__)
    for (size_t i = 0; i < count; i += 8) _mm256_stream_ps(to + i, _mm256_load_ps(from + i));
#elif defined(__SSE2__)
    for (size_t i = 0; i < count; i += 4) _mm_stream_ps(to + i, _mm_load_ps(from + i));
#else
    memcpy(to, from, count * sizeof *to);
#endif
}

static void turn_tile(const transpose_job *job, size_t row, size_t column)
{
    _Alignas(64) float tile[MOST * MOST];
    const size_t rows = job->rows - row < job->tile_rows ? job->rows - row : job->tile_rows;
    const size_t columns = job->columns - column < job->tile_columns ? job->columns - column : job->tile_columns;
    for (size_t i = 0; i < rows; i += 8)
        for (size_t j = 0; j < columns; j += 8)
            turn_block(job->from + (row + i) * job->columns + column + j, job->columns, tile + j * MOST + i, MOST);
    for (size_t j = 0; j < columns; j++) write_lines(job->to + (column + j) * job->rows + row, tile + j * MOST, rows);
}

/* A strip of tile_columns columns, from top to bottom: its writing goes on where the last tile's ended. */
static qn_status turn_strip(size_t index, int worker, void *user)
{
    const transpose_job *job = user;
    (void)worker;
    for (size_t row = 0; row < job->rows; row += job->tile_rows) turn_tile(job, row, index * job->tile_columns);
#if defined(__SSE2__)
    _mm_sfence(); /* what was written past the caches is seen by all before the strip counts as done */
#endif
    return QN_OK;
}

static qn_status transpose(const qn_host_launch *launch)
{
    transpose_job job = {.from = launch->arguments[0],
                         .to = launch->arguments[1],
                         .rows = (size_t) * (const int32_t *)launch->arguments[2],
                         .columns = (size_t) * (const int32_t *)launch->arguments[3],
                         .tile_rows = LINE * (size_t)launch->configuration->value[ROWS],
                         .tile_columns = LINE * (size_t)launch->configuration->value[GROUP_X]};
    if (job.tile_columns > MOST) job.tile_columns = MOST; /* the fallback is made for GPUs */
    return qn_pool_run(launch->pool, (job.columns + job.tile_columns - 1) / job.tile_columns, turn_strip, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_benchmark_transpose_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_benchmark_transpose_host)[] = {transpose};
