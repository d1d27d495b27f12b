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
    int patches, chunk;
    qn_buffer *turns, *shifted, *frames, *corners, *taper, *pieces, *piece_spectra;
    qn_fft_plan *inverse, *forward;
} patch_cutter;

static size_t piece_bytes(const int size[2], int frames)
{
    return (size_t)frames * (4 * (size_t)size[0] * (size_t)size[1] + 8 * qn_half_pixels(size));
}

static int chunk_of(const qn_patch_layout *layout, int frames, size_t scratch_bytes)
{
    const int patches = layout->count[0] * layout->count[1];
    const size_t fit = scratch_bytes / piece_bytes(layout->size, frames);
    return fit >= (size_t)patches ? patches : fit < 1 ? 1 : (int)fit;
}

size_t qn_patch_spectra_bytes(const qn_movie_grid *grid, int frames, const qn_patch_layout *layout,
                              size_t scratch_bytes)
{
    const size_t chunk = (size_t)chunk_of(layout, frames, scratch_bytes);
    return (size_t)frames * (4 * (size_t)grid->coarse[0] * (size_t)grid->coarse[1] + 8 * qn_half_pixels(grid->coarse)) +
           chunk * piece_bytes(layout->size, frames);
}

static qn_status write_all(qn_queue *queue, qn_device *device, const void *data, size_t bytes, qn_buffer **buffer)
{
    QN_TRY(qn_buffer_create(device, bytes, buffer));
    QN_TRY(qn_queue_write(queue, *buffer, 0, data, bytes, NULL));
    return qn_queue_finish(queue);
}

/* The frames in real space, each moved back by its shift. */
static qn_status shift_frames(patch_cutter *cutter, const double *shifts)
{
    qn_coarse_stack *stack = cutter->stack;
    const int *coarse = stack->grid.coarse;
    const size_t frames = (size_t)stack->frames, half = qn_half_pixels(coarse);
    const qn_frames_problem problem = {.size = {coarse[0], coarse[1]}, .frames = stack->frames, .count = stack->frames};
    void *memory;
    QN_TRY(qn_allocate(2 * frames, sizeof(uint32_t), &memory));
    uint32_t *turns = memory;
    for (size_t i = 0; i < 2 * frames; i++) turns[i] = qn_shift_turns(shifts[i], coarse[i % 2]);
    const qn_status status = write_all(stack->queue, stack->device, turns, 8 * frames, &cutter->turns);
    qn_release(&memory);
    QN_TRY(status);
    QN_TRY(qn_buffer_create(stack->device, 8 * half * frames, &cutter->shifted));
    QN_TRY(qn_buffer_create(stack->device, 4 * (size_t)coarse[0] * (size_t)coarse[1] * frames, &cutter->frames));
    QN_TRY(qn_coarse_stack_plan(stack, coarse, stack->frames, QN_FFT_REAL_INVERSE, &cutter->inverse));
    QN_TRY(qn_shift_spectra(stack->queue, NULL, &problem, stack->spectra, cutter->turns, cutter->shifted, NULL));
    return qn_fft_execute(cutter->inverse, stack->queue, cutter->shifted, cutter->frames, NULL);
}

/* Raised cosines over a sixteenth of the patch at both ends. */
static qn_status write_taper(patch_cutter *cutter)
{
    const int *size = cutter->layout->size;
    void *memory;
    QN_TRY(qn_allocate((size_t)(size[0] + size[1]), sizeof(float), &memory));
    float *taper = memory, *along = taper;
    for (int d = 0; d < 2; along += size[d], d++) {
        const int edge = size[d] / TAPER_SHARE;
        for (int i = 0; i < size[d]; i++) along[i] = 1;
        for (int i = 0; i < edge; i++)
            along[i] = along[size[d] - 1 - i] = (float)(0.5 - 0.5 * cos(3.14159265358979 * (i + 0.5) / edge));
    }
    const qn_status status =
        write_all(cutter->stack->queue, cutter->stack->device, taper, 4 * (size_t)(size[0] + size[1]), &cutter->taper);
    qn_release(&memory);
    return status;
}

static qn_status cut_chunks(patch_cutter *cutter, qn_buffer *spectra)
{
    qn_coarse_stack *stack = cutter->stack;
    const int *size = cutter->layout->size, *coarse = stack->grid.coarse;
    const size_t frames = (size_t)stack->frames, half = qn_half_pixels(size), chunk = (size_t)cutter->chunk;
    const size_t bytes = 8 * half * frames;
    QN_TRY(qn_buffer_create(stack->device, 4 * (size_t)size[0] * (size_t)size[1] * frames * chunk, &cutter->pieces));
    QN_TRY(qn_buffer_create(stack->device, bytes * chunk, &cutter->piece_spectra));
    QN_TRY(qn_coarse_stack_plan(stack, size, stack->frames * cutter->chunk, QN_FFT_REAL_FORWARD, &cutter->forward));
    for (int first = 0; first < cutter->patches; first += cutter->chunk) {
        const int last = cutter->patches - cutter->chunk, from = first < last ? first : last;
        const qn_cut_problem problem = {.size = {coarse[0], coarse[1]},
                                        .patch = {size[0], size[1]},
                                        .frames = stack->frames,
                                        .first = from,
                                        .count = cutter->chunk};
        QN_TRY(qn_cut_patches(stack->queue, NULL, &problem, cutter->frames, cutter->corners, cutter->taper,
                              cutter->pieces, NULL));
        QN_TRY(qn_fft_execute(cutter->forward, stack->queue, cutter->pieces, cutter->piece_spectra, NULL));
        QN_TRY(
            qn_queue_copy(stack->queue, cutter->piece_spectra, 0, spectra, bytes * (size_t)from, bytes * chunk, NULL));
    }
    return qn_queue_finish(stack->queue);
}

static qn_status cut_all(patch_cutter *cutter, const double *shifts, qn_buffer **spectra)
{
    qn_coarse_stack *stack = cutter->stack;
    const size_t patches = (size_t)cutter->patches;
    QN_TRY(shift_frames(cutter, shifts));
    QN_TRY(write_all(stack->queue, stack->device, cutter->layout->corners, 8 * patches, &cutter->corners));
    QN_TRY(write_taper(cutter));
    QN_TRY(qn_buffer_create(stack->device, 8 * qn_half_pixels(cutter->layout->size) * (size_t)stack->frames * patches,
                            spectra));
    return cut_chunks(cutter, *spectra);
}

qn_status qn_patch_spectra(qn_coarse_stack *stack, const double *shifts, const qn_patch_layout *layout,
                           size_t scratch_bytes, qn_buffer **spectra)
{
    patch_cutter cutter = {.stack = stack,
                           .layout = layout,
                           .patches = layout->count[0] * layout->count[1],
                           .chunk = chunk_of(layout, stack->frames, scratch_bytes)};
    *spectra = NULL;
    const qn_status status = cut_all(&cutter, shifts, spectra);
    if (status != QN_OK) qn_buffer_release(spectra);
    qn_buffer *buffers[] = {cutter.turns, cutter.shifted, cutter.frames,       cutter.corners,
                            cutter.taper, cutter.pieces,  cutter.piece_spectra};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) qn_buffer_release(&buffers[i]);
    return status;
}
