/* Host kernel of transpose: tiles that fit the first-level cache are transposed into a buffer, then written in whole
 * cache lines, row after row, with stores that bypass the caches if the processor has them, so that lines are not read
 * before they are written. Processors do not predict the next tile, so it is prefetched while one is transposed. */
#include <string.h>

#include "base/thread_pool.h"
#include "benchmark/algebra/kernels/transpose.h"
#include "runtime/host_variant.h"

#include "benchmark/algebra/kernels/transpose.dev.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

enum {
    GROUP_X = 0,
    ROWS = 2,
    ORDER = 5
}; /* indices of the tunables: columns and rows of a tile, in cache lines; order of tiles */
enum { LINE = 16, MAX = 128 * 128 /* elements of a tile */ };

typedef struct transpose_job {
    const float *from;
    float *to;
    size_t rows, columns, tile_rows, tile_columns;
    bool is_by_columns;
} transpose_job;

_Static_assert(QN_TRANSPOSE_STEP % LINE == 0, "rows and columns are whole cache lines");

#if defined(__AVX__)
/* Transpose 8 rows of 8 numbers. */
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

/* Copy whole cache lines between aligned addresses, with stores that bypass the caches. */
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

/* The part of a tile that is inside the matrix. */
typedef struct transpose_tile {
    size_t row, column, rows, columns;
} transpose_tile;

/* Get tile number `index` of a strip; it has 0 rows if the index is past the end. */
static transpose_tile tile_of(const transpose_job *job, size_t strip, size_t index)
{
    transpose_tile tile = {.row = job->tile_rows * (job->is_by_columns ? index : strip),
                           .column = job->tile_columns * (job->is_by_columns ? strip : index)};
    if (tile.row >= job->rows || tile.column >= job->columns) return (transpose_tile){0};
    tile.rows = job->rows - tile.row < job->tile_rows ? job->rows - tile.row : job->tile_rows;
    tile.columns = job->columns - tile.column < job->tile_columns ? job->columns - tile.column : job->tile_columns;
    return tile;
}

/* Prefetch half of the cache lines of a block of 8 by 8; its neighbour, in the same lines, prefetches the other half.
 * */
static inline void ask_for_block(const float *from, size_t pitch, size_t column)
{
    const float *line = from + column / LINE * LINE + (column % LINE ? 4 * pitch : 0);
    for (size_t i = 0; i < 4; i++) __builtin_prefetch(line + i * pitch);
}

static void turn_tile(const transpose_job *job, const transpose_tile *tile, const transpose_tile *next)
{
    _Alignas(64) float turned[MAX];
    const size_t pitch = job->tile_rows, columns = job->columns;
    const float *from = job->from + tile->row * columns + tile->column;
    const float *ahead = job->from + next->row * columns + next->column;
    float *to = job->to + tile->column * job->rows + tile->row;
    for (size_t i = 0; i < tile->rows; i += 8)
        for (size_t j = 0; j < tile->columns; j += 8) {
            turn_block(from + i * columns + j, columns, turned + j * pitch + i, pitch);
            if (i < next->rows && j < next->columns) ask_for_block(ahead + i * columns, columns, j);
        }
    for (size_t j = 0; j < tile->columns; j++) write_lines(to + j * job->rows, turned + j * pitch, tile->rows);
}

static qn_status turn_strip(size_t strip, int worker, void *user)
{
    const transpose_job *job = user;
    transpose_tile tile = tile_of(job, strip, 0);
    (void)worker;
    for (size_t index = 1; tile.rows > 0; index++) {
        const transpose_tile next = tile_of(job, strip, index);
        turn_tile(job, &tile, &next);
        tile = next;
    }
#if defined(__SSE2__)
    _mm_sfence(); /* other threads must see these stores before the strip counts as done */
#endif
    return QN_OK;
}

static qn_status transpose(const qn_host_launch *launch)
{
    transpose_job job = {.from = launch->arguments[TRANSPOSE_FROM],
                         .to = launch->arguments[TRANSPOSE_TO],
                         .rows = (size_t) * (const int32_t *)launch->arguments[TRANSPOSE_ROWS],
                         .columns = (size_t) * (const int32_t *)launch->arguments[TRANSPOSE_COLUMNS],
                         .tile_rows = LINE * (size_t)launch->configuration->value[ROWS],
                         .tile_columns = LINE * (size_t)launch->configuration->value[GROUP_X],
                         .is_by_columns = launch->configuration->value[ORDER] == 1};
    const size_t length = job.is_by_columns ? job.columns : job.rows;
    const size_t step = job.is_by_columns ? job.tile_columns : job.tile_rows;
    return qn_pool_run(launch->pool, (length + step - 1) / step, turn_strip, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_benchmark_transpose_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_benchmark_transpose_host)[] = {transpose};
