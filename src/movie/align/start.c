#include "movie/align/start.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/cholesky.h"
#include "math/median.h"
#include "movie/align/kernels/correlate.h"
#include "movie/align/kernels/find_peaks.h"

/* The filter halves amplitudes at 30 Å; at the Nyquist frequency of 7.5 Å a pixel its product of two frames is 0.004.
 */
static const double RESOLUTION_ANGSTROM = 30, SMALL_ANGSTROM = 7.5;
static const double CONVERGED = 1e-3; /* coarse pixels */

enum { BATCH = 64, SIDE_MIN = 32, ITERATIONS = 30 };

/* ---- the robust solution ---- */

/* One weighted solution. Frame 0 has shift 0; the others' normal equations are in `matrix`. */
static qn_status solve_weighted(int frames, size_t count, const int *pairs, const double *differences,
                                const double *weights, double *matrix, double *shifts)
{
    const int size = frames - 1;
    double *right[2] = {matrix + (size_t)size * (size_t)size, matrix + (size_t)size * (size_t)(size + 1)};
    memset(matrix, 0, (size_t)size * (size_t)(size + 2) * sizeof *matrix);
    for (size_t n = 0; n < count; n++) {
        const int i = pairs[2 * n] - 1, j = pairs[2 * n + 1] - 1;
        const double w = weights[n];
        if (i >= 0) matrix[(size_t)i * (size_t)size + (size_t)i] += w;
        if (j >= 0) matrix[(size_t)j * (size_t)size + (size_t)j] += w;
        if (i >= 0 && j >= 0) {
            const size_t low = (size_t)(i > j ? i : j), high = (size_t)(i > j ? j : i);
            matrix[low * (size_t)size + high] -= w;
        }
        for (int d = 0; d < 2; d++) {
            if (i >= 0) right[d][i] += w * differences[2 * n + (size_t)d];
            if (j >= 0) right[d][j] -= w * differences[2 * n + (size_t)d];
        }
    }
    QN_TRY(qn_cholesky_factor(matrix, size));
    shifts[0] = shifts[1] = 0;
    for (int d = 0; d < 2; d++) {
        qn_cholesky_solve(matrix, size, right[d]);
        for (int t = 1; t < frames; t++) shifts[2 * t + d] = right[d][t - 1];
    }
    return QN_OK;
}

static qn_status solve(int frames, size_t count, const int *pairs, const double *differences, double *room,
                       double *shifts)
{
    double *weights = room, *residuals = weights + count, *sorted = residuals + count, *matrix = sorted + count;
    for (size_t n = 0; n < count; n++) weights[n] = 1;
    for (int iteration = 0;; iteration++) {
        QN_TRY(solve_weighted(frames, count, pairs, differences, weights, matrix, shifts));
        if (iteration == ITERATIONS) return QN_OK;
        for (size_t n = 0; n < count; n++) {
            const double *i = shifts + 2 * pairs[2 * n], *j = shifts + 2 * pairs[2 * n + 1];
            residuals[n] = hypot(i[0] - j[0] - differences[2 * n], i[1] - j[1] - differences[2 * n + 1]);
        }
        memcpy(sorted, residuals, count * sizeof *sorted);
        const double scale = 2 * qn_median(sorted, count) + 1e-9;
        double change = 0;
        for (size_t n = 0; n < count; n++) {
            const double weight = 1 / (1 + (residuals[n] / scale) * (residuals[n] / scale));
            change = fmax(change, fabs(weight - weights[n]));
            weights[n] = weight;
        }
        if (change < CONVERGED) return QN_OK;
    }
}

qn_status qn_solve_pairs(int frames, size_t count, const int *pairs, const double *differences, double *shifts)
{
    void *memory;
    if (frames < 2 || count < 1)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%zu pairs of %d frames; expected at least 1 of 2", count, frames);
    QN_TRY(qn_allocate(3 * count + (size_t)(frames - 1) * (size_t)(frames + 1), sizeof(double), &memory));
    const qn_status status = solve(frames, count, pairs, differences, memory, shifts);
    qn_release(&memory);
    return status;
}

/* ---- the pairs ---- */

typedef struct pair_search {
    qn_coarse_stack *stack;
    qn_fft_plan *inverse;
    qn_buffer *pairs, *filter, *products, *maps, *peaks;
    int small[2], reach[2], batch;
    size_t count;
    int *frames;         /* [count][2] */
    double *differences; /* [count][2], coarse pixels */
} pair_search;

/* Sizes of the correlations. A small pixel is coarse / small coarse pixels. */
static void small_size(const qn_movie_grid *grid, double pixel_angstrom, int small[2])
{
    for (int d = 0; d < 2; d++) {
        const double wanted = ceil(grid->padded[d] * fmin(1, pixel_angstrom / SMALL_ANGSTROM));
        const int fast = qn_fft_next_fast_size(QN_FFT_AUTO, (int)fmax(wanted, SIDE_MIN));
        small[d] = fast < grid->coarse[d] ? fast : grid->coarse[d];
    }
}

static size_t pair_count(int frames)
{
    return (size_t)frames * (size_t)(frames - 1) / 2;
}

static int batch_of(int frames)
{
    return pair_count(frames) < BATCH ? (int)pair_count(frames) : BATCH;
}

size_t qn_align_start_bytes(const qn_movie_grid *grid, int frames, double pixel_angstrom)
{
    int small[2];
    small_size(grid, pixel_angstrom, small);
    const size_t half = qn_half_pixels(small), pixels = (size_t)small[0] * (size_t)small[1];
    return (size_t)batch_of(frames) * (8 * half + 4 * pixels + 24) + 4 * half;
}

/* The product of two Gaussians that halve amplitudes at 30 Å. */
static qn_status write_filter(pair_search *search, double pixel_angstrom)
{
    const int columns = search->small[0] / 2 + 1, rows = search->small[1];
    const int *padded = search->stack->grid.padded;
    void *memory;
    QN_TRY(qn_allocate(qn_half_pixels(search->small), sizeof(float), &memory));
    float *filter = memory;
    for (int row = 0; row < rows; row++)
        for (int x = 0; x < columns; x++) {
            const double kx = x / (padded[0] * pixel_angstrom);
            const double ky = (row <= rows / 2 ? row : row - rows) / (padded[1] * pixel_angstrom);
            const bool lost = x == columns - 1 || row == rows / 2;
            filter[row * columns + x] =
                lost ? 0 : (float)exp(-2 * log(2) * RESOLUTION_ANGSTROM * RESOLUTION_ANGSTROM * (kx * kx + ky * ky));
        }
    qn_queue *queue = search->stack->queue;
    qn_status status = qn_queue_write(queue, search->filter, 0, filter, 4 * qn_half_pixels(search->small), NULL);
    if (status == QN_OK) status = qn_queue_finish(queue);
    qn_release(&memory);
    return status;
}

static qn_status prepare(pair_search *search, double pixel_angstrom, double max_shift_angstrom)
{
    qn_coarse_stack *stack = search->stack;
    const qn_movie_grid *grid = &stack->grid;
    void *memory;
    small_size(grid, pixel_angstrom, search->small);
    for (int d = 0; d < 2; d++) {
        const double small_angstrom = pixel_angstrom * grid->padded[d] / search->small[d];
        const double most = (search->small[d] - 3) / 2;
        search->reach[d] = (int)fmin(fmax(ceil(max_shift_angstrom / small_angstrom), 1), most);
    }
    search->batch = batch_of(stack->frames);
    search->count = pair_count(stack->frames);
    QN_TRY(qn_allocate(2 * search->count, sizeof(int), &memory));
    search->frames = memory;
    QN_TRY(qn_allocate(2 * search->count, sizeof(double), &memory));
    search->differences = memory;
    size_t n = 0;
    for (int i = 0; i < stack->frames; i++)
        for (int j = i + 1; j < stack->frames; j++, n++) search->frames[2 * n] = i, search->frames[2 * n + 1] = j;
    const size_t batch = (size_t)search->batch, half = qn_half_pixels(search->small);
    const size_t pixels = (size_t)search->small[0] * (size_t)search->small[1];
    QN_TRY(qn_buffer_create(stack->device, 8 * batch, &search->pairs));
    QN_TRY(qn_buffer_create(stack->device, 4 * half, &search->filter));
    QN_TRY(qn_buffer_create(stack->device, 8 * half * batch, &search->products));
    QN_TRY(qn_buffer_create(stack->device, 4 * pixels * batch, &search->maps));
    QN_TRY(qn_buffer_create(stack->device, 16 * batch, &search->peaks));
    QN_TRY(qn_coarse_stack_plan(stack, search->small, search->batch, QN_FFT_REAL_INVERSE, &search->inverse));
    return write_filter(search, pixel_angstrom);
}

/* The peaks of pairs first … first + batch − 1. */
static qn_status search_batch(pair_search *search, size_t first)
{
    qn_coarse_stack *stack = search->stack;
    const int *coarse = stack->grid.coarse, *small = search->small;
    const qn_frames_problem products = {
        .size = {coarse[0], coarse[1]}, .small = {small[0], small[1]}, .frames = stack->frames, .count = search->batch};
    const qn_peaks_problem peaks = {
        .size = {small[0], small[1]}, .reach = {search->reach[0], search->reach[1]}, .maps = search->batch};
    float found[BATCH][4];
    const size_t batch = (size_t)search->batch;
    QN_TRY(qn_queue_write(stack->queue, search->pairs, 0, search->frames + 2 * first, 8 * batch, NULL));
    QN_TRY(qn_correlate_pairs(stack->queue, NULL, &products, stack->spectra, search->pairs, search->filter,
                              search->products, NULL));
    QN_TRY(qn_fft_execute(search->inverse, stack->queue, search->products, search->maps, NULL));
    QN_TRY(qn_find_peaks(stack->queue, NULL, &peaks, search->maps, search->peaks, NULL));
    QN_TRY(qn_queue_read(stack->queue, search->peaks, 0, found, 16 * batch, NULL));
    QN_TRY(qn_queue_finish(stack->queue));
    for (size_t n = 0; n < batch; n++)
        for (int d = 0; d < 2; d++)
            search->differences[2 * (first + n) + (size_t)d] =
                found[n][2] > 0 ? (double)found[n][d] * coarse[d] / small[d] : 0; /* a blank frame has no peaks */
    return QN_OK;
}

static void destroy(pair_search *search)
{
    qn_buffer_release(&search->pairs);
    qn_buffer_release(&search->filter);
    qn_buffer_release(&search->products);
    qn_buffer_release(&search->maps);
    qn_buffer_release(&search->peaks);
    qn_release(&search->frames);
    qn_release(&search->differences);
}

qn_status qn_align_start(qn_coarse_stack *stack, double pixel_angstrom, double max_shift_angstrom, double *shifts)
{
    pair_search search = {.stack = stack};
    qn_status status = prepare(&search, pixel_angstrom, max_shift_angstrom);
    for (size_t first = 0; status == QN_OK && first < search.count; first += (size_t)search.batch) {
        const size_t last = search.count - (size_t)search.batch; /* where the last batch begins; it may overlap */
        status = search_batch(&search, first < last ? first : last);
    }
    const qn_status finished = qn_queue_finish(stack->queue); /* after a failure, commands may still use the memory */
    if (status == QN_OK) status = finished;
    if (status == QN_OK)
        status = qn_solve_pairs(stack->frames, search.count, search.frames, search.differences, shifts);
    destroy(&search);
    return status;
}
