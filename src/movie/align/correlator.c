#include "movie/align/correlator.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "movie/align/coarse_stack.h"
#include "movie/align/kernels/correlate.h"
#include "movie/align/kernels/find_peaks.h"

enum { WINDOW_REACH_MAX = 8, RESULT_FLOATS_MAX = 17 * 17 }; /* floats of a map: a window, or a peak */

static const double CENTRE_SHARE = 0.25; /* of a patch's side: a centre is not farther from the middle */

/* Bytes of products, correlations and sums of a patch. */
static size_t patch_bytes(const int size[2], int frames)
{
    const size_t half = qn_half_pixels(size), pixels = (size_t)size[0] * (size_t)size[1];
    return (size_t)frames * (8 * half + 4 * pixels + 4 * RESULT_FLOATS_MAX) + 16 * half;
}

int qn_correlator_chunk(const int size[2], int frames, int patches, size_t scratch_bytes)
{
    const size_t fit = scratch_bytes / patch_bytes(size, frames);
    if (fit >= (size_t)patches) return patches;
    const int most = fit < 1 ? 1 : (int)fit, rounds = (patches + most - 1) / most;
    return (patches + rounds - 1) / rounds;
}

size_t qn_correlator_bytes(const int size[2], int frames, int patches, size_t scratch_bytes)
{
    const size_t chunk = (size_t)qn_correlator_chunk(size, frames, patches, scratch_bytes);
    return chunk * patch_bytes(size, frames) + 4 * qn_half_pixels(size) + 8 * (size_t)frames * (size_t)patches;
}

static qn_status make_buffers(qn_correlator *c, qn_device *device)
{
    const size_t half = qn_half_pixels(c->size), pixels = (size_t)c->size[0] * (size_t)c->size[1];
    const size_t chunk = (size_t)c->chunk, frames = (size_t)c->frames, all = frames * (size_t)c->patches;
    void *memory;
    QN_TRY(qn_allocate(2 * all, sizeof(uint32_t), &memory));
    c->turn_values = memory;
    QN_TRY(qn_allocate(4 * half * chunk, sizeof(float), &memory));
    c->half_values = memory;
    QN_TRY(qn_allocate(half, sizeof(float), &memory));
    c->plane = memory;
    QN_TRY(qn_buffer_create(device, 8 * all, &c->turns));
    QN_TRY(qn_buffer_create(device, 4 * half, &c->filter));
    QN_TRY(qn_buffer_create(device, 8 * half * frames * chunk, &c->products));
    QN_TRY(qn_buffer_create(device, 4 * pixels * frames * chunk, &c->maps));
    QN_TRY(qn_buffer_create(device, 16 * half * chunk, &c->halves));
    QN_TRY(qn_buffer_create(device, 4 * (size_t)RESULT_FLOATS_MAX * frames * chunk, &c->results));
    return qn_coarse_stack_plan(c->stack, c->size, c->frames * c->chunk, QN_FFT_REAL_INVERSE, &c->inverse);
}

qn_status qn_correlator_create(qn_coarse_stack *stack, qn_buffer *spectra, const int size[2], int patches,
                               size_t scratch_bytes, qn_correlator **out)
{
    const qn_movie_grid *grid = &stack->grid;
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof(qn_correlator), &memory));
    qn_correlator *c = memory;
    *c = (qn_correlator){.stack = stack,
                         .queue = stack->queue,
                         .spectra = spectra,
                         .size = {size[0], size[1]},
                         .frames = stack->frames,
                         .patches = patches,
                         .chunk = qn_correlator_chunk(size, stack->frames, patches, scratch_bytes)};
    for (int d = 0; d < 2; d++) c->coarse_px[d] = (double)grid->padded[d] / grid->coarse[d];
    const qn_status status = make_buffers(c, stack->device);
    if (status != QN_OK) qn_correlator_destroy(&c);
    *out = c;
    return status;
}

void qn_correlator_destroy(qn_correlator **pointer)
{
    qn_correlator *c = *pointer;
    if (!c) return;
    qn_buffer_release(&c->turns);
    qn_buffer_release(&c->filter);
    qn_buffer_release(&c->products);
    qn_buffer_release(&c->maps);
    qn_buffer_release(&c->halves);
    qn_buffer_release(&c->results);
    qn_release(&c->turn_values);
    qn_release(&c->half_values);
    qn_release(&c->plane);
    qn_release(pointer);
}

qn_status qn_correlator_set_filter(qn_correlator *c, const qn_ring_filter *filter)
{
    qn_ring_filter_plane(filter, c->size, c->coarse_px, c->plane);
    QN_TRY(qn_queue_write(c->queue, c->filter, 0, c->plane, 4 * qn_half_pixels(c->size), NULL));
    return qn_queue_finish(c->queue);
}

static qn_status write_shifts(qn_correlator *c, const double *shifts)
{
    const size_t count = (size_t)2 * (size_t)c->frames * (size_t)c->patches;
    for (size_t i = 0; i < count; i++) c->turn_values[i] = qn_shift_turns(shifts[i], c->size[i % 2]);
    return qn_queue_write(c->queue, c->turns, 0, c->turn_values, 4 * count, NULL);
}

/* Queue the products of patches first … first + chunk − 1. */
static qn_status multiply(qn_correlator *c, int first)
{
    const qn_frames_problem problem = {
        .size = {c->size[0], c->size[1]}, .frames = c->frames, .first = first, .count = c->chunk};
    return qn_correlate_frames(c->queue, NULL, &problem, c->spectra, c->turns, c->filter, c->products, c->halves, NULL);
}

/* The first patch of a chunk: the last chunk overlaps the one before, if need be, since a plan has one size. */
static int chunk_first(const qn_correlator *c, int index)
{
    const int first = index * c->chunk;
    return first + c->chunk > c->patches ? c->patches - c->chunk : first;
}

/* ---- centres ---- */

/* Multiply half spectra of the two halves of some patches by |k| √W, k in cycles per coarse pixel. */
static void weigh_halves(const qn_correlator *c, float *halves, int count)
{
    const int columns = c->size[0] / 2 + 1, rows = c->size[1];
    for (int row = 0; row < rows; row++)
        for (int x = 0; x < columns; x++) {
            const double kx = (double)x / c->size[0], ky = (double)(row <= rows / 2 ? row : row - rows) / rows;
            const size_t place = (size_t)row * (size_t)columns + (size_t)x;
            const float weight = (float)sqrt((kx * kx + ky * ky) * (double)c->plane[place]);
            for (int h = 0; h < 2 * count; h++) {
                float *number = halves + 2 * ((size_t)h * qn_half_pixels(c->size) + place);
                number[0] *= weight;
                number[1] *= weight;
            }
        }
}

static void find_centre(const qn_correlator *c, const float *even, const float *odd, double centre[2])
{
    double sums[3] = {0};
    for (int y = 0; y < c->size[1]; y++)
        for (int x = 0; x < c->size[0]; x++) {
            const size_t i = (size_t)y * (size_t)c->size[0] + (size_t)x;
            const double product = (double)even[i] * (double)odd[i];
            sums[0] += product;
            sums[1] += product * x;
            sums[2] += product * y;
        }
    for (int d = 0; d < 2; d++) {
        const double middle = 0.5 * (c->size[d] - 1), most = CENTRE_SHARE * c->size[d];
        const double offset = sums[0] > 0 ? sums[1 + d] / sums[0] - middle : 0;
        centre[d] = middle + fmin(fmax(offset, -most), most);
    }
}

/* Centres of a chunk, of whose halves half_values has a copy. */
static qn_status find_centres(qn_correlator *c, double *centres)
{
    const size_t half = 2 * qn_half_pixels(c->size), pixels = (size_t)c->size[0] * (size_t)c->size[1];
    const size_t count = (size_t)c->chunk;
    qn_fft_plan *plan;
    QN_TRY(qn_coarse_stack_plan(c->stack, c->size, 2 * c->chunk, QN_FFT_REAL_INVERSE, &plan));
    weigh_halves(c, c->half_values, c->chunk);
    QN_TRY(qn_queue_write(c->queue, c->halves, 0, c->half_values, 8 * half * count, NULL));
    QN_TRY(qn_fft_execute(plan, c->queue, c->halves, c->maps, NULL));
    QN_TRY(qn_queue_read(c->queue, c->maps, 0, c->half_values, 8 * pixels * count, NULL));
    QN_TRY(qn_queue_finish(c->queue));
    for (size_t p = 0; p < count; p++)
        find_centre(c, c->half_values + 2 * p * pixels, c->half_values + (2 * p + 1) * pixels, centres + 2 * p);
    return QN_OK;
}

/* ---- a pass ---- */

/* Make rings and centres of the halves of a chunk; patches before `counted` were in the chunk before. */
static qn_status take_halves(qn_correlator *c, const qn_correlator_pass *pass, int first, int counted)
{
    const size_t half = 2 * qn_half_pixels(c->size);
    if (!pass->rings && !pass->centres) return QN_OK;
    QN_TRY(qn_queue_read(c->queue, c->halves, 0, c->half_values, 8 * half * (size_t)c->chunk, NULL));
    QN_TRY(qn_queue_finish(c->queue));
    for (int p = counted; pass->rings && p < c->chunk; p++) {
        const float *even = c->half_values + 2 * half * (size_t)p;
        qn_ring_sums_add(pass->rings, c->size, c->coarse_px, even, even + half);
    }
    return pass->centres ? find_centres(c, pass->centres + 2 * (size_t)first) : QN_OK;
}

/* Make peaks or windows of the correlations of a chunk. */
static qn_status take_maps(qn_correlator *c, const qn_correlator_pass *pass, int first)
{
    const int side = 2 * pass->reach[0] + 1;
    const size_t floats = pass->windows ? (size_t)(side * side) : 4, frames = (size_t)c->frames;
    float *results = pass->windows ? pass->windows : pass->peaks;
    const qn_peaks_problem problem = {
        .size = {c->size[0], c->size[1]}, .reach = {pass->reach[0], pass->reach[1]}, .maps = c->frames * c->chunk};
    if (!results) return QN_OK;
    QN_TRY(qn_fft_execute(c->inverse, c->queue, c->products, c->maps, NULL));
    if (pass->windows)
        QN_TRY(qn_cut_windows(c->queue, NULL, &problem, c->maps, c->results, NULL));
    else
        QN_TRY(qn_find_peaks(c->queue, NULL, &problem, c->maps, c->results, NULL));
    return qn_queue_read(c->queue, c->results, 0, results + floats * frames * (size_t)first,
                         4 * floats * frames * (size_t)c->chunk, NULL);
}

static qn_status run_pass(qn_correlator *c, const double *shifts, const qn_correlator_pass *pass)
{
    QN_TRY(write_shifts(c, shifts));
    for (int index = 0; index * c->chunk < c->patches; index++) {
        const int first = chunk_first(c, index);
        QN_TRY(multiply(c, first));
        QN_TRY(take_maps(c, pass, first));
        QN_TRY(take_halves(c, pass, first, index * c->chunk - first));
    }
    return QN_OK;
}

qn_status qn_correlator_run(qn_correlator *c, const double *shifts, const qn_correlator_pass *pass)
{
    if (pass->windows && (pass->reach[0] != pass->reach[1] || pass->reach[0] > WINDOW_REACH_MAX))
        return QN_FAIL(QN_INVALID_ARGUMENT, "windows of reach %d × %d; expected a square of at most %d", pass->reach[0],
                       pass->reach[1], WINDOW_REACH_MAX);
    if (pass->rings) qn_ring_sums_clear(c->coarse_px, pass->rings);
    const qn_status status = run_pass(c, shifts, pass);
    const qn_status finished = qn_queue_finish(c->queue); /* also after a failure: reads go to the caller's memory */
    return status != QN_OK ? status : finished;
}
