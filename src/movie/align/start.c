#include "movie/align/start.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/cholesky.h"
#include "math/median.h"
#include "movie/align/kernels/correlate.h"
#include "movie/align/kernels/find_peaks.h"
#include "movie/align/kernels/halves.h"

/* The filter halves amplitudes at 30 Å; at the Nyquist frequency of 7.5 Å a pixel its product of two frames is 0.004.
 */
static const double RESOLUTION_ANGSTROM = 30, SMALL_ANGSTROM = 7.5;
static const double CONVERGED = 1e-3; /* coarse pixels */

enum { BATCH_MIN = 8, BATCH_MAX = 1 << 15, SIDE_MIN = 32, ITERATIONS = 30 };

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
    double *weights = room, *residuals = weights + count, *copy = residuals + count, *matrix = copy + count;
    for (size_t n = 0; n < count; n++) weights[n] = 1;
    for (int iteration = 0;; iteration++) {
        QN_TRY(solve_weighted(frames, count, pairs, differences, weights, matrix, shifts));
        if (iteration == ITERATIONS) return QN_OK;
        for (size_t n = 0; n < count; n++) {
            const double *i = shifts + 2 * pairs[2 * n], *j = shifts + 2 * pairs[2 * n + 1];
            residuals[n] = hypot(i[0] - j[0] - differences[2 * n], i[1] - j[1] - differences[2 * n + 1]);
        }
        memcpy(copy, residuals, count * sizeof *copy);
        const double scale = 2 * qn_median(copy, count) + 1e-9;
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
    qn_buffer *pairs, *weights, *filter, *products, *maps, *peaks;
    double pixel_angstrom;
    int small[2], reach[2], batch;
    size_t count;
    int *frames;         /* [count][2] */
    float *found;        /* [count][4] as of qn_find_peaks */
    double *differences; /* [count][2], coarse pixels */
    float weight_values[QN_ALIGN_RINGS + 1];
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

static int batch_of(const int small[2], int frames, size_t scratch_bytes)
{
    const size_t pair = 8 * qn_half_pixels(small) + 4 * (size_t)small[0] * (size_t)small[1];
    const size_t most = pair_count(frames) < BATCH_MAX ? pair_count(frames) : BATCH_MAX, fit = scratch_bytes / pair;
    const size_t batch = fit > BATCH_MIN ? fit : BATCH_MIN;
    return (int)(batch < most ? batch : most);
}

void qn_align_start_rooms(const qn_movie_grid *grid, int frames, double pixel_angstrom, size_t scratch_bytes,
                          size_t rooms[QN_ROOMS])
{
    int small[2];
    small_size(grid, pixel_angstrom, small);
    const size_t batch = (size_t)batch_of(small, frames, scratch_bytes), half = qn_half_pixels(small);
    qn_coarse_raise(rooms, QN_ROOM_PRODUCTS, 8 * half * batch);
    qn_coarse_raise(rooms, QN_ROOM_MAPS, 4 * (size_t)small[0] * (size_t)small[1] * batch);
    qn_coarse_raise(rooms, QN_ROOM_WINDOWS, 16 * pair_count(frames));
    qn_coarse_raise(rooms, QN_ROOM_TURNS, 8 * pair_count(frames));
    qn_coarse_raise(rooms, QN_ROOM_FILTER, 4 * half);
    qn_coarse_raise(rooms, QN_ROOM_WEIGHTS, 4 * (QN_ALIGN_RINGS + 1));
}

static qn_status take_rooms(pair_search *search, size_t scratch_bytes)
{
    const struct {
        qn_coarse_room room;
        qn_buffer **buffer;
    } uses[] = {{QN_ROOM_PRODUCTS, &search->products}, {QN_ROOM_MAPS, &search->maps},
                {QN_ROOM_WINDOWS, &search->peaks},     {QN_ROOM_TURNS, &search->pairs},
                {QN_ROOM_FILTER, &search->filter},     {QN_ROOM_WEIGHTS, &search->weights}};
    size_t rooms[QN_ROOMS] = {0};
    qn_align_start_rooms(&search->stack->grid, search->stack->frames, search->pixel_angstrom, scratch_bytes, rooms);
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        QN_TRY(qn_coarse_stack_room(search->stack, uses[i].room, rooms[uses[i].room], uses[i].buffer));
    return QN_OK;
}

/* The product of two Gaussians that halve amplitudes at 30 Å. */
static qn_status write_filter(pair_search *search)
{
    qn_coarse_stack *stack = search->stack;
    const int *small = search->small, *padded = stack->grid.padded;
    const double small_px[2] = {(double)padded[0] / small[0], (double)padded[1] / small[1]};
    const double resolution_px = RESOLUTION_ANGSTROM / search->pixel_angstrom, width = qn_ring_width(small_px);
    const qn_halves_problem problem = {.size = {small[0], small[1]},
                                       .rings = QN_ALIGN_RINGS + 1,
                                       .count = 1,
                                       .ring_px = {1 / (padded[0] * width), 1 / (padded[1] * width)}};
    qn_ring_filter filter;
    qn_ring_filter_gaussian(log(2) * resolution_px * resolution_px, width, &filter);
    for (int i = 0; i <= QN_ALIGN_RINGS; i++) search->weight_values[i] = (float)filter.weight[i];
    QN_TRY(qn_queue_write(stack->queue, search->weights, 0, search->weight_values, sizeof search->weight_values, NULL));
    return qn_fill_filter(stack->queue, NULL, &problem, search->weights, search->filter, NULL);
}

static qn_status allocate(pair_search *search)
{
    void *memory;
    QN_TRY(qn_allocate(2 * search->count, sizeof(int), &memory));
    search->frames = memory;
    QN_TRY(qn_allocate(4 * search->count, sizeof(float), &memory));
    search->found = memory;
    QN_TRY(qn_allocate(2 * search->count, sizeof(double), &memory));
    search->differences = memory;
    return QN_OK;
}

static qn_status prepare(pair_search *search, double max_shift_angstrom, size_t scratch_bytes)
{
    qn_coarse_stack *stack = search->stack;
    const qn_movie_grid *grid = &stack->grid;
    small_size(grid, search->pixel_angstrom, search->small);
    for (int d = 0; d < 2; d++) {
        const double small_angstrom = search->pixel_angstrom * grid->padded[d] / search->small[d];
        const double most = (search->small[d] - 3) / 2;
        search->reach[d] = (int)fmin(fmax(ceil(max_shift_angstrom / small_angstrom), 1), most);
    }
    search->batch = batch_of(search->small, stack->frames, scratch_bytes);
    search->count = pair_count(stack->frames);
    QN_TRY(allocate(search));
    size_t n = 0;
    for (int i = 0; i < stack->frames; i++)
        for (int j = i + 1; j < stack->frames; j++, n++) search->frames[2 * n] = i, search->frames[2 * n + 1] = j;
    QN_TRY(take_rooms(search, scratch_bytes));
    return qn_coarse_stack_plan(stack, search->small, search->batch, QN_FFT_REAL_INVERSE, &search->inverse);
}

/* Queue the search for the peaks of pairs first … first + batch − 1. */
static qn_status search_batch(const pair_search *search, int first)
{
    const qn_coarse_stack *stack = search->stack;
    const int *coarse = stack->grid.coarse, *small = search->small;
    const qn_frames_problem products = {.size = {coarse[0], coarse[1]},
                                        .small = {small[0], small[1]},
                                        .frames = stack->frames,
                                        .first = first,
                                        .count = search->batch};
    const qn_peaks_problem peaks = {.size = {small[0], small[1]},
                                    .reach = {search->reach[0], search->reach[1]},
                                    .maps = search->batch,
                                    .first = first};
    QN_TRY(qn_correlate_pairs(stack->queue, NULL, &products, stack->spectra, search->pairs, search->filter,
                              search->products, NULL));
    QN_TRY(qn_fft_execute(search->inverse, stack->queue, search->products, search->maps, NULL));
    return qn_find_peaks(stack->queue, NULL, &peaks, search->maps, search->peaks, NULL);
}

static qn_status search_all(pair_search *search)
{
    qn_queue *queue = search->stack->queue;
    const int last = (int)search->count - search->batch; /* where the last batch begins; it may overlap */
    QN_TRY(write_filter(search));
    QN_TRY(qn_queue_write(queue, search->pairs, 0, search->frames, 8 * search->count, NULL));
    for (int first = 0; first < (int)search->count; first += search->batch)
        QN_TRY(search_batch(search, first < last ? first : last));
    return qn_queue_read(queue, search->peaks, 0, search->found, 16 * search->count, NULL);
}

qn_status qn_align_start(qn_coarse_stack *stack, double pixel_angstrom, double max_shift_angstrom, size_t scratch_bytes,
                         double *shifts)
{
    pair_search search = {.stack = stack, .pixel_angstrom = pixel_angstrom};
    qn_status status = prepare(&search, max_shift_angstrom, scratch_bytes);
    if (status == QN_OK) status = search_all(&search);
    const qn_status finished = qn_queue_finish(stack->queue); /* after a failure, commands may still use the memory */
    if (status == QN_OK) status = finished;
    for (size_t n = 0; status == QN_OK && n < search.count; n++)
        for (size_t d = 0; d < 2; d++)
            search.differences[2 * n + d] = /* a blank frame has no peaks */
                search.found[4 * n + 2] > 0 ? (double)search.found[4 * n + d] * stack->grid.coarse[d] / search.small[d]
                                            : 0;
    if (status == QN_OK)
        status = qn_solve_pairs(stack->frames, search.count, search.frames, search.differences, shifts);
    qn_release(&search.frames);
    qn_release(&search.found);
    qn_release(&search.differences);
    return status;
}
