#include "movie/align/correlator.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "movie/align/kernels/correlate.h"
#include "movie/align/kernels/find_peaks.h"
#include "movie/align/kernels/halves.h"

enum {
    WINDOW_REACH_MAX = 8,
    RESULT_FLOATS_MAX = 17 * 17, /* of a map: a window, or a peak */
    RINGS = QN_ALIGN_RINGS + 1
};

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

void qn_correlator_rooms(const int size[2], int frames, int patches, size_t scratch_bytes, size_t rooms[QN_ROOMS])
{
    const size_t half = qn_half_pixels(size), pixels = (size_t)size[0] * (size_t)size[1];
    const size_t chunk = (size_t)qn_correlator_chunk(size, frames, patches, scratch_bytes);
    const size_t all = (size_t)frames * (size_t)patches, maps = (size_t)frames * chunk;
    qn_coarse_raise(rooms, QN_ROOM_PRODUCTS, 8 * half * maps);
    qn_coarse_raise(rooms, QN_ROOM_MAPS, 4 * pixels * maps);
    qn_coarse_raise(rooms, QN_ROOM_HALVES, 16 * half * chunk);
    qn_coarse_raise(rooms, QN_ROOM_RINGS, 12 * (size_t)RINGS * (size_t)patches);
    qn_coarse_raise(rooms, QN_ROOM_WINDOWS, 4 * (size_t)RESULT_FLOATS_MAX * all);
    qn_coarse_raise(rooms, QN_ROOM_TURNS, 8 * all);
    qn_coarse_raise(rooms, QN_ROOM_FILTER, 4 * half);
    qn_coarse_raise(rooms, QN_ROOM_WEIGHTS, 4 * (size_t)RINGS);
    qn_coarse_raise(rooms, QN_ROOM_CORNERS, 12 * (size_t)patches);
}

static qn_status take_rooms(qn_correlator *c, size_t scratch_bytes)
{
    const struct {
        qn_coarse_room room;
        qn_buffer **buffer;
    } uses[] = {{QN_ROOM_PRODUCTS, &c->products}, {QN_ROOM_MAPS, &c->maps},       {QN_ROOM_HALVES, &c->halves},
                {QN_ROOM_RINGS, &c->ring_sums},   {QN_ROOM_WINDOWS, &c->results}, {QN_ROOM_TURNS, &c->turns},
                {QN_ROOM_FILTER, &c->filter},     {QN_ROOM_WEIGHTS, &c->weights}, {QN_ROOM_CORNERS, &c->centre_sums}};
    size_t rooms[QN_ROOMS] = {0};
    qn_correlator_rooms(c->size, c->frames, c->patches, scratch_bytes, rooms);
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        QN_TRY(qn_coarse_stack_room(c->stack, uses[i].room, rooms[uses[i].room], uses[i].buffer));
    return QN_OK;
}

static qn_status make(qn_correlator *c, size_t scratch_bytes)
{
    const size_t patches = (size_t)c->patches;
    void *memory;
    QN_TRY(qn_allocate(2 * (size_t)c->frames * patches, sizeof(uint32_t), &memory));
    c->turn_values = memory;
    QN_TRY(qn_allocate(3 * (RINGS + 1) * patches, sizeof(float), &memory));
    c->ring_values = memory;
    c->centre_values = c->ring_values + 3 * RINGS * patches;
    QN_TRY(take_rooms(c, scratch_bytes));
    QN_TRY(qn_coarse_stack_rings(c->stack, c->size, &c->rings));
    return qn_coarse_stack_plan(c->stack, c->size, c->frames * c->chunk, QN_FFT_REAL_INVERSE, &c->inverse);
}

qn_status qn_correlator_create(qn_coarse_stack *stack, qn_buffer *spectra, const int size[2], int patches,
                               size_t scratch_bytes, qn_correlator **out)
{
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
    qn_coarse_pixel(&stack->grid, c->coarse_px);
    const qn_status status = make(c, scratch_bytes);
    if (status != QN_OK) qn_correlator_destroy(&c);
    *out = c;
    return status;
}

void qn_correlator_destroy(qn_correlator **pointer)
{
    qn_correlator *c = *pointer;
    if (!c) return;
    qn_release(&c->turn_values);
    qn_release(&c->ring_values);
    qn_release(pointer);
}

static qn_halves_problem halves_of(const qn_correlator *c, int first)
{
    const double width = qn_ring_width(c->coarse_px);
    return (qn_halves_problem){
        .size = {c->size[0], c->size[1]},
        .rings = RINGS,
        .pixels = c->rings->places.count,
        .first = first,
        .count = c->chunk,
        .ring_px = {1 / (c->size[0] * c->coarse_px[0] * width), 1 / (c->size[1] * c->coarse_px[1] * width)}};
}

qn_status qn_correlator_set_filter(qn_correlator *c, const qn_ring_filter *filter)
{
    const qn_halves_problem problem = halves_of(c, 0);
    for (int i = 0; i < RINGS; i++) c->weight_values[i] = (float)filter->weight[i];
    qn_status status = qn_queue_write(c->queue, c->weights, 0, c->weight_values, sizeof c->weight_values, NULL);
    if (status == QN_OK) status = qn_fill_filter(c->queue, NULL, &problem, c->weights, c->filter, NULL);
    const qn_status finished = qn_queue_finish(c->queue);
    return status != QN_OK ? status : finished;
}

/* ---- a pass ---- */

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

/* Make peaks or windows of the correlations of a chunk. */
static qn_status take_maps(qn_correlator *c, const qn_correlator_pass *pass, int first)
{
    const qn_peaks_problem problem = {.size = {c->size[0], c->size[1]},
                                      .reach = {pass->reach[0], pass->reach[1]},
                                      .maps = c->frames * c->chunk,
                                      .first = c->frames * first};
    if (!pass->peaks && !pass->windows) return QN_OK;
    QN_TRY(qn_fft_execute(c->inverse, c->queue, c->products, c->maps, NULL));
    return pass->windows ? qn_cut_windows(c->queue, NULL, &problem, c->maps, c->results, NULL)
                         : qn_find_peaks(c->queue, NULL, &problem, c->maps, c->results, NULL);
}

/* Make rings and centres of the halves of a chunk. */
static qn_status take_halves(qn_correlator *c, const qn_correlator_pass *pass, int first)
{
    const qn_halves_problem problem = halves_of(c, first);
    qn_fft_plan *plan;
    if (pass->rings)
        QN_TRY(
            qn_sum_rings(c->queue, NULL, &problem, c->halves, c->rings->pixels, c->rings->starts, c->ring_sums, NULL));
    if (!pass->centres) return QN_OK;
    QN_TRY(qn_coarse_stack_plan(c->stack, c->size, 2 * c->chunk, QN_FFT_REAL_INVERSE, &plan));
    QN_TRY(qn_weigh_halves(c->queue, NULL, &problem, c->halves, c->filter, NULL));
    QN_TRY(qn_fft_execute(plan, c->queue, c->halves, c->maps, NULL));
    return qn_find_centres(c->queue, NULL, &problem, c->maps, c->centre_sums, NULL);
}

/* The first patch of a chunk: the last chunk overlaps the one before, if need be, since a plan has one size. */
static int chunk_first(const qn_correlator *c, int index)
{
    const int first = index * c->chunk;
    return first + c->chunk > c->patches ? c->patches - c->chunk : first;
}

static qn_status queue_pass(qn_correlator *c, const double *shifts, const qn_correlator_pass *pass)
{
    const size_t patches = (size_t)c->patches;
    QN_TRY(write_shifts(c, shifts));
    for (int index = 0; index * c->chunk < c->patches; index++) {
        const int first = chunk_first(c, index);
        QN_TRY(multiply(c, first));
        QN_TRY(take_maps(c, pass, first));
        QN_TRY(take_halves(c, pass, first));
    }
    if (pass->peaks)
        QN_TRY(qn_queue_read(c->queue, c->results, 0, pass->peaks, 16 * (size_t)c->frames * patches, NULL));
    if (pass->rings) QN_TRY(qn_queue_read(c->queue, c->ring_sums, 0, c->ring_values, 12 * RINGS * patches, NULL));
    if (pass->centres) QN_TRY(qn_queue_read(c->queue, c->centre_sums, 0, c->centre_values, 12 * patches, NULL));
    return QN_OK;
}

static void place_centre(const qn_correlator *c, const float sums[3], double centre[2])
{
    for (int d = 0; d < 2; d++) {
        const double middle = 0.5 * (c->size[d] - 1), most = CENTRE_SHARE * c->size[d];
        const double offset = sums[0] > 0 ? (double)sums[1 + d] / (double)sums[0] : 0;
        centre[d] = middle + fmin(fmax(offset, -most), most);
    }
}

qn_status qn_correlator_run(qn_correlator *c, const double *shifts, const qn_correlator_pass *pass)
{
    if (pass->windows && (pass->reach[0] != pass->reach[1] || pass->reach[0] > WINDOW_REACH_MAX))
        return QN_FAIL(QN_INVALID_ARGUMENT, "windows of reach %d × %d; expected a square of at most %d", pass->reach[0],
                       pass->reach[1], WINDOW_REACH_MAX);
    qn_status status = queue_pass(c, shifts, pass);
    const qn_status finished = qn_queue_finish(c->queue); /* also after a failure: reads go to the caller's memory */
    if (status == QN_OK) status = finished;
    QN_TRY(status);
    if (pass->windows) *pass->windows = c->results;
    if (pass->rings) {
        qn_ring_sums_clear(c->coarse_px, pass->rings);
        qn_ring_sums_add(pass->rings, &c->rings->places, c->patches, c->ring_values);
    }
    for (int p = 0; p < c->patches && pass->centres; p++)
        place_centre(c, c->centre_values + 3 * p, pass->centres + 2 * p);
    return QN_OK;
}
