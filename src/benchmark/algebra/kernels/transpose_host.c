/* Host kernel of transpose: tiles that fit the first caches are turned into a buffer of their own, then written around
 * the caches where the processor can (what is only written needs not be read first): whole cache lines, rows of the
 * tile one after the other. Processors do not guess the next tile, so it is asked for while one is turned. */
#include <string.h>

#include "base/thread_pool.h"
#include "benchmark/algebra/kernels/transpose.h"
#include "runtime/host_variant.h"

#include "benchmark/algebra/kernels/transpose.dev.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

enum { GROUP_X = 0, ROWS = 2, ORDER = 5 }; /* which tunables: columns and rows of a tile, in lines; order of tiles */
enum { LINE = 16, MAX = 128 * 128 /* elements of a tile */ };

typedef struct transpose_job {
    const float *from;
    float *to;
    size_t rows, columns, tile_rows, tile_columns;
    bool is_by_columns;
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

/* A tile or what of it is on the matrix. */
typedef struct transpose_tile {
    size_t row, column, rows, columns;
} transpose_tile;

/* Tile number `index` of a strip; none (0 rows) past its end. */
static transpose_tile tile_of(const transpose_job *job, size_t strip, size_t index)
{
    transpose_tile tile = {.row = job->tile_rows * (job->is_by_columns ? index : strip),
                           .column = job->tile_columns * (job->is_by_columns ? strip : index)};
    if (tile.row >= job->rows || tile.column >= job->columns) return (transpose_tile){0};
    tile.rows = job->rows - tile.row < job->tile_rows ? job->rows - tile.row : job->tile_rows;
    tile.columns = job->columns - tile.column < job->tile_columns ? job->columns - tile.column : job->tile_columns;
    return tile;
}

/* Half of the cache lines that a block of 8 by 8 touches: its neighbour asks for the other half. */
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
    _mm_sfence(); /* what was written past the caches is seen by all before the strip counts as done */
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
