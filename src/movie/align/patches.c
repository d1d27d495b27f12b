#include "movie/align/patches.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "movie/align/kernels/correlate.h"
#include "movie/align/kernels/cut_patches.h"

static const double PATCH_ANGSTROM = 500;
static const double STEP = 0.4, STEP_MOST = 2.0 / 3; /* of a patch: from one to the next */
static const double LARGEST_SHARE = 0.6;             /* of a side: patches of a small frame have different places */

enum { SIDE_PX_MIN = 48, TAPER_SHARE = 16 }; /* of a frame with patches, coarse pixels */

/* ---- places ---- */

/* Number and size of patches along one axis. `side` is that of the frame in coarse pixels, `wanted` that of a patch;
 * given > 0: their number. */
static void divide_axis(double side, double wanted, int given, int *count, int *size)
{
    double patch = fmin(wanted, LARGEST_SHARE * side);
    int number = given;
    if (number == 0) {
        number = 1 + (int)ceil((side - patch) / (STEP * patch) - 1e-9);
        if (number < QN_PATCHES_SIDE_MIN) number = QN_PATCHES_SIDE_MIN;
        if (number > QN_PATCHES_SIDE_MAX) number = QN_PATCHES_SIDE_MAX;
    }
    patch = fmax(patch, side / (1 + STEP_MOST * (number - 1))); /* number − 1 steps and a patch cover the side */
    const int most = (int)side / 2 * 2, fast = qn_fft_next_fast_size(QN_FFT_AUTO, (int)ceil(patch));
    *count = number;
    *size = fast < most ? fast : most;
}

static qn_status place_patches(const double side[2], const double coarse_px[2], qn_patch_layout *layout)
{
    const size_t count = (size_t)layout->count[0] * (size_t)layout->count[1];
    void *memory;
    QN_TRY(qn_allocate(2 * count, sizeof(int), &memory));
    layout->corners = memory;
    QN_TRY(qn_allocate(2 * count, sizeof(double), &memory));
    layout->place_px = memory;
    for (size_t p = 0; p < count; p++) {
        const int at[2] = {(int)(p % (size_t)layout->count[0]), (int)(p / (size_t)layout->count[0])};
        for (size_t d = 0; d < 2; d++) {
            const double room = floor(side[d]) - layout->size[d];
            const double corner = layout->count[d] > 1 ? room * at[d] / (layout->count[d] - 1) : room / 2;
            layout->corners[2 * p + d] = (int)(corner + 0.5);
            layout->place_px[2 * p + d] = (layout->corners[2 * p + d] + 0.5 * (layout->size[d] - 1)) * coarse_px[d];
        }
    }
    return QN_OK;
}

qn_status qn_patch_layout_make(const qn_movie_grid *grid, const qn_align_options *options, qn_patch_layout *layout)
{
    const int frame[2] = {grid->width, grid->height};
    const double wanted = options->patch_angstrom > 0 ? options->patch_angstrom : PATCH_ANGSTROM;
    double side[2], coarse_px[2];
    *layout = (qn_patch_layout){0};
    if (options->without_patches) return QN_OK;
    for (int d = 0; d < 2; d++) {
        coarse_px[d] = (double)grid->padded[d] / grid->coarse[d];
        side[d] = floor(frame[d] / coarse_px[d]);
        if (side[d] < SIDE_PX_MIN) {
            *layout = (qn_patch_layout){0};
            return QN_OK;
        }
        divide_axis(side[d], wanted / (options->pixel_angstrom * coarse_px[d]), options->patches[d], &layout->count[d],
                    &layout->size[d]);
    }
    const qn_status status = place_patches(side, coarse_px, layout);
    if (status != QN_OK) qn_patch_layout_release(layout);
    return status;
}

void qn_patch_layout_release(qn_patch_layout *layout)
{
    qn_release(&layout->corners);
    qn_release(&layout->place_px);
    *layout = (qn_patch_layout){0};
}

/* ---- spectra ---- */

typedef struct patch_cutter {
    qn_coarse_stack *stack;
    const qn_patch_layout *layout;
    int patches, chunk; /* number of patches, those of a transform */
    int group;          /* frames that are shifted, cut and transformed together */
    qn_buffer *turns, *shifted, *frames, *corners, *taper, *pieces, *spectra;
    uint32_t *turn_values; /* [frame][2] */
    float *taper_values;   /* along x, then along y */
} patch_cutter;

static size_t piece_bytes(const int size[2], int frames)
{
    return (size_t)frames * (4 * (size_t)size[0] * (size_t)size[1] + 8 * qn_half_pixels(size));
}

/* All frames, unless memory is short. */
static int group_of(const qn_movie_grid *grid, int frames, const qn_align_options *options)
{
    const size_t bytes = piece_bytes(grid->coarse, 1), fit = options->scratch_bytes / bytes;
    if (!options->frugal || fit >= (size_t)frames) return frames;
    return fit < 1 ? 1 : (int)fit;
}

/* Patches of a transform; `frames`: of a group. */
static int chunk_of(const qn_patch_layout *layout, int frames, size_t scratch_bytes)
{
    const int patches = layout->count[0] * layout->count[1];
    const size_t fit = scratch_bytes / piece_bytes(layout->size, frames);
    return fit >= (size_t)patches ? patches : fit < 1 ? 1 : (int)fit;
}

/* Spectra of shifted frames are needed no longer when those of patches come. */
void qn_patch_rooms(const qn_movie_grid *grid, int frames, const qn_patch_layout *layout,
                    const qn_align_options *options, size_t rooms[QN_ROOMS])
{
    const int *size = layout->size, *coarse = grid->coarse, group = group_of(grid, frames, options);
    const size_t patches = (size_t)layout->count[0] * (size_t)layout->count[1], some = (size_t)group;
    const size_t chunk = (size_t)chunk_of(layout, group, options->scratch_bytes), half = 8 * qn_half_pixels(size);
    qn_coarse_raise(rooms, QN_ROOM_PATCHES, half * (size_t)frames * patches);
    qn_coarse_raise(rooms, QN_ROOM_PRODUCTS, 8 * qn_half_pixels(coarse) * some);
    qn_coarse_raise(rooms, QN_ROOM_PRODUCTS, half * some * chunk);
    qn_coarse_raise(rooms, QN_ROOM_MAPS, 4 * (size_t)coarse[0] * (size_t)coarse[1] * some);
    qn_coarse_raise(rooms, QN_ROOM_PIECES, 4 * (size_t)size[0] * (size_t)size[1] * some * chunk);
    qn_coarse_raise(rooms, QN_ROOM_TURNS, 8 * (size_t)frames);
    qn_coarse_raise(rooms, QN_ROOM_WEIGHTS, 4 * (size_t)(size[0] + size[1]));
    qn_coarse_raise(rooms, QN_ROOM_CORNERS, 8 * patches);
}

static qn_status take_rooms(patch_cutter *cutter, const qn_align_options *options)
{
    const struct {
        qn_coarse_room room;
        qn_buffer **buffer;
    } uses[] = {{QN_ROOM_PATCHES, &cutter->spectra}, {QN_ROOM_PRODUCTS, &cutter->shifted},
                {QN_ROOM_MAPS, &cutter->frames},     {QN_ROOM_PIECES, &cutter->pieces},
                {QN_ROOM_TURNS, &cutter->turns},     {QN_ROOM_WEIGHTS, &cutter->taper},
                {QN_ROOM_CORNERS, &cutter->corners}};
    size_t rooms[QN_ROOMS] = {0};
    qn_patch_rooms(&cutter->stack->grid, cutter->stack->frames, cutter->layout, options, rooms);
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        QN_TRY(qn_coarse_stack_room(cutter->stack, uses[i].room, rooms[uses[i].room], uses[i].buffer));
    return QN_OK;
}

/* Tapers are raised cosines over a sixteenth of the patch at both ends. */
static qn_status make_values(patch_cutter *cutter, const double *shifts)
{
    const int *size = cutter->layout->size, *coarse = cutter->stack->grid.coarse;
    const size_t frames = (size_t)cutter->stack->frames;
    void *memory;
    QN_TRY(qn_allocate(2 * frames, sizeof(uint32_t), &memory));
    cutter->turn_values = memory;
    for (size_t i = 0; i < 2 * frames; i++) cutter->turn_values[i] = qn_shift_turns(shifts[i], coarse[i % 2]);
    QN_TRY(qn_allocate((size_t)(size[0] + size[1]), sizeof(float), &memory));
    float *along = cutter->taper_values = memory;
    for (int d = 0; d < 2; along += size[d], d++) {
        const int edge = size[d] / TAPER_SHARE;
        for (int i = 0; i < size[d]; i++) along[i] = 1;
        for (int i = 0; i < edge; i++)
            along[i] = along[size[d] - 1 - i] = (float)(0.5 - 0.5 * cos(3.14159265358979 * (i + 0.5) / edge));
    }
    return QN_OK;
}

static qn_status write_values(const patch_cutter *cutter)
{
    qn_queue *queue = cutter->stack->queue;
    const int *size = cutter->layout->size;
    const size_t sides = (size_t)(size[0] + size[1]), frames = (size_t)cutter->stack->frames;
    QN_TRY(qn_queue_write(queue, cutter->turns, 0, cutter->turn_values, 8 * frames, NULL));
    QN_TRY(qn_queue_write(queue, cutter->taper, 0, cutter->taper_values, 4 * sides, NULL));
    return qn_queue_write(queue, cutter->corners, 0, cutter->layout->corners, 8 * (size_t)cutter->patches, NULL);
}

/* Frames first … first + group − 1 in real space, each moved back by its shift. */
static qn_status shift_frames(const patch_cutter *cutter, int first)
{
    qn_coarse_stack *stack = cutter->stack;
    const int *coarse = stack->grid.coarse;
    const qn_frames_problem problem = {
        .size = {coarse[0], coarse[1]}, .frames = stack->frames, .first = first, .count = cutter->group};
    qn_fft_plan *inverse;
    QN_TRY(qn_coarse_stack_plan(stack, coarse, cutter->group, QN_FFT_REAL_INVERSE, &inverse));
    QN_TRY(qn_shift_spectra(stack->queue, NULL, &problem, stack->spectra, cutter->turns, cutter->shifted, NULL));
    return qn_fft_execute(inverse, stack->queue, cutter->shifted, cutter->frames, NULL);
}

/* Copy the spectra of a chunk, [chunk][group], to their places in [patches][frames]. */
static qn_status place_spectra(const patch_cutter *cutter, int patch, int frame)
{
    qn_coarse_stack *stack = cutter->stack;
    const size_t half = 8 * qn_half_pixels(cutter->layout->size), frames = (size_t)stack->frames;
    const size_t bytes = half * (size_t)cutter->group, to = half * ((size_t)patch * frames + (size_t)frame);
    if (cutter->group == stack->frames)
        return qn_queue_copy(stack->queue, cutter->shifted, 0, cutter->spectra, to, bytes * (size_t)cutter->chunk,
                             NULL);
    for (size_t p = 0; p < (size_t)cutter->chunk; p++)
        QN_TRY(qn_queue_copy(stack->queue, cutter->shifted, bytes * p, cutter->spectra, to + half * frames * p, bytes,
                             NULL));
    return QN_OK;
}

static qn_status cut_chunks(const patch_cutter *cutter, int frame)
{
    qn_coarse_stack *stack = cutter->stack;
    const int *size = cutter->layout->size, *coarse = stack->grid.coarse;
    qn_fft_plan *forward;
    QN_TRY(qn_coarse_stack_plan(stack, size, cutter->group * cutter->chunk, QN_FFT_REAL_FORWARD, &forward));
    for (int first = 0; first < cutter->patches; first += cutter->chunk) {
        const int last = cutter->patches - cutter->chunk, from = first < last ? first : last;
        const qn_cut_problem problem = {.size = {coarse[0], coarse[1]},
                                        .patch = {size[0], size[1]},
                                        .frames = cutter->group,
                                        .first = from,
                                        .count = cutter->chunk};
        QN_TRY(qn_cut_patches(stack->queue, NULL, &problem, cutter->frames, cutter->corners, cutter->taper,
                              cutter->pieces, NULL));
        QN_TRY(qn_fft_execute(forward, stack->queue, cutter->pieces, cutter->shifted, NULL));
        QN_TRY(place_spectra(cutter, from, frame));
    }
    return QN_OK;
}

static qn_status cut_all(patch_cutter *cutter, const double *shifts, const qn_align_options *options)
{
    const int frames = cutter->stack->frames;
    QN_TRY(take_rooms(cutter, options));
    QN_TRY(make_values(cutter, shifts));
    QN_TRY(write_values(cutter));
    for (int first = 0; first < frames; first += cutter->group) {
        const int last = frames - cutter->group, from = first < last ? first : last; /* groups may overlap */
        QN_TRY(shift_frames(cutter, from));
        QN_TRY(cut_chunks(cutter, from));
    }
    return QN_OK;
}

qn_status qn_patch_spectra(qn_coarse_stack *stack, const double *shifts, const qn_patch_layout *layout,
                           const qn_align_options *options, qn_buffer **spectra)
{
    const int group = group_of(&stack->grid, stack->frames, options);
    patch_cutter cutter = {.stack = stack,
                           .layout = layout,
                           .patches = layout->count[0] * layout->count[1],
                           .chunk = chunk_of(layout, group, options->scratch_bytes),
                           .group = group};
    *spectra = NULL;
    qn_status status = cut_all(&cutter, shifts, options);
    const qn_status finished = qn_queue_finish(stack->queue); /* of commands that read the values */
    if (status == QN_OK) status = finished;
    if (status == QN_OK) *spectra = cutter.spectra;
    qn_release(&cutter.turn_values);
    qn_release(&cutter.taper_values);
    return status;
}
