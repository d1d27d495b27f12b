#include "movie/align/coarse_stack.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "movie/align/kernels/crop_spectra.h"

static const double COARSE_ANGSTROM = 4;

enum { SIDE_MIN = QN_MOVIE_GRID_SIDE_MIN, SIDE_MAX = 1 << 16 };

size_t qn_half_pixels(const int size[2])
{
    return (size_t)size[1] * (size_t)(size[0] / 2 + 1);
}

qn_status qn_movie_grid_make(int width, int height, const int padded[2], double pixel_angstrom, qn_movie_grid *grid)
{
    const int size[2] = {width, height};
    if (!(pixel_angstrom > 0) || !isfinite(pixel_angstrom))
        return QN_FAIL(QN_INVALID_ARGUMENT, "pixel size %g Å; expected a positive number", pixel_angstrom);
    *grid = (qn_movie_grid){.width = width, .height = height, .padded = {padded[0], padded[1]}};
    for (int d = 0; d < 2; d++) {
        if (size[d] < SIDE_MIN || padded[d] < size[d] || padded[d] > SIDE_MAX)
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "a frame of %d × %d pixels padded to %d × %d; expected sides of %d to %d", width, height,
                           padded[0], padded[1], SIDE_MIN, SIDE_MAX);
        const double wanted = ceil(padded[d] * fmin(1, pixel_angstrom / COARSE_ANGSTROM));
        const int fast = qn_fft_next_fast_size(QN_FFT_AUTO, (int)fmax(wanted, SIDE_MIN / 2));
        grid->coarse[d] = fast < padded[d] ? fast : padded[d] / 2 * 2;
    }
    return QN_OK;
}

qn_status qn_coarse_stack_create(qn_device *device, qn_queue *queue, const qn_movie_grid *grid, int frames,
                                 qn_coarse_stack **out)
{
    void *memory, *present = NULL;
    *out = NULL;
    if (frames < 1) return QN_FAIL(QN_INVALID_ARGUMENT, "a coarse stack of %d frames; expected at least 1", frames);
    QN_TRY(qn_allocate(1, sizeof(qn_coarse_stack), &memory));
    qn_coarse_stack *stack = memory;
    *stack = (qn_coarse_stack){.device = qn_device_retain(device), .queue = queue, .grid = *grid, .frames = frames};
    qn_status status = qn_allocate((size_t)frames, sizeof(bool), &present);
    stack->present = present;
    if (status == QN_OK)
        status = qn_buffer_create(device, 8 * qn_half_pixels(grid->coarse) * (size_t)frames, &stack->spectra);
    if (status != QN_OK) qn_coarse_stack_destroy(&stack);
    *out = stack;
    return status;
}

static void release_rings(qn_coarse_rings *rings)
{
    qn_ring_places_release(&rings->places);
    qn_buffer_release(&rings->pixels);
    qn_buffer_release(&rings->starts);
}

void qn_coarse_stack_destroy(qn_coarse_stack **pointer)
{
    qn_coarse_stack *stack = *pointer;
    if (!stack) return;
    for (int i = 0; i < stack->plan_count; i++) qn_fft_plan_destroy(&stack->plans[i].plan);
    for (int i = 0; i < stack->ring_count; i++) release_rings(&stack->rings[i]);
    for (int i = 0; i < QN_ROOMS; i++) qn_buffer_release(&stack->rooms[i]);
    qn_motion_rooms_release(&stack->motion_rooms);
    qn_buffer_release(&stack->spectra);
    qn_device_release(&stack->device);
    qn_release(&stack->present);
    qn_release(pointer);
}

void qn_coarse_pixel(const qn_movie_grid *grid, double coarse_px[2])
{
    for (int d = 0; d < 2; d++) coarse_px[d] = (double)grid->padded[d] / grid->coarse[d];
}

void qn_coarse_stack_reset(qn_coarse_stack *stack)
{
    for (int t = 0; t < stack->frames; t++) stack->present[t] = false;
    stack->added = 0;
}

qn_status qn_coarse_stack_plan(qn_coarse_stack *stack, const int size[2], int batch, qn_fft_kind kind,
                               qn_fft_plan **plan)
{
    for (int i = 0; i < stack->plan_count; i++) {
        const qn_coarse_plan *kept = &stack->plans[i];
        *plan = kept->plan;
        if (kept->size[0] == size[0] && kept->size[1] == size[1] && kept->batch == batch && kept->kind == kind)
            return QN_OK;
    }
    *plan = NULL;
    if (stack->plan_count == QN_COARSE_PLANS_MAX)
        return QN_FAIL(QN_UNSUPPORTED, "an alignment of more than %d kinds of transforms", QN_COARSE_PLANS_MAX);
    const qn_fft_options options = {.size_bytes = sizeof options,
                                    .size = {size[0], size[1]},
                                    .batch = batch,
                                    .kind = kind,
                                    .engine = qn_fft_engine_of(stack->device)};
    QN_TRY(qn_fft_plan_create(stack->device, &options, plan));
    stack->plans[stack->plan_count++] = (qn_coarse_plan){{size[0], size[1]}, batch, kind, *plan};
    return QN_OK;
}

static qn_status make_rings(qn_coarse_stack *stack, const int size[2], qn_coarse_rings *rings)
{
    double coarse_px[2];
    qn_coarse_pixel(&stack->grid, coarse_px);
    QN_TRY(qn_ring_places_make(size, coarse_px, &rings->places));
    const qn_ring_places *places = &rings->places;
    const size_t bytes = sizeof(int32_t) * (size_t)places->count;
    QN_TRY(qn_buffer_create(stack->device, bytes, &rings->pixels));
    QN_TRY(qn_buffer_create(stack->device, sizeof places->starts, &rings->starts));
    QN_TRY(qn_queue_write(stack->queue, rings->pixels, 0, places->pixels, bytes, NULL));
    return qn_queue_write(stack->queue, rings->starts, 0, places->starts, sizeof places->starts, NULL);
}

qn_status qn_coarse_stack_rings(qn_coarse_stack *stack, const int size[2], const qn_coarse_rings **rings)
{
    for (int i = 0; i < stack->ring_count; i++) {
        const int *kept = stack->rings[i].places.size;
        *rings = &stack->rings[i];
        if (kept[0] == size[0] && kept[1] == size[1]) return QN_OK;
    }
    *rings = NULL;
    if (stack->ring_count == QN_COARSE_RINGS_MAX)
        return QN_FAIL(QN_UNSUPPORTED, "an alignment of more than %d sizes of spectra", QN_COARSE_RINGS_MAX);
    qn_coarse_rings *made = &stack->rings[stack->ring_count];
    const qn_status status = make_rings(stack, size, made);
    const qn_status finished = qn_queue_finish(stack->queue);
    if (status != QN_OK || finished != QN_OK) {
        release_rings(made);
        return status != QN_OK ? status : finished;
    }
    stack->ring_count++;
    *rings = made;
    return QN_OK;
}

void qn_coarse_raise(size_t rooms[QN_ROOMS], qn_coarse_room room, size_t bytes)
{
    if (rooms[room] < bytes) rooms[room] = bytes;
}

qn_status qn_coarse_stack_room(qn_coarse_stack *stack, qn_coarse_room room, size_t bytes, qn_buffer **buffer)
{
    *buffer = stack->rooms[room];
    if (*buffer && qn_buffer_bytes(*buffer) >= bytes) return QN_OK;
    *buffer = NULL;
    if (stack->rooms[room]) QN_TRY(qn_queue_finish(stack->queue)); /* commands may use it */
    qn_buffer_release(&stack->rooms[room]);
    QN_TRY(qn_buffer_create(stack->device, bytes, &stack->rooms[room]));
    *buffer = stack->rooms[room];
    return QN_OK;
}

qn_status qn_coarse_stack_leave_rooms(qn_coarse_stack *stack)
{
    const qn_status status = qn_queue_finish(stack->queue); /* commands may use them */
    for (int i = 0; i < QN_ROOMS; i++) qn_buffer_release(&stack->rooms[i]);
    return status;
}

/* Numbers are scaled by 1 / √N of the padded frame, so that they are of the order of the noise of a pixel. */
qn_status qn_coarse_stack_add(qn_coarse_stack *stack, int frame, qn_buffer *padded_half_spectrum)
{
    const qn_movie_grid *grid = &stack->grid;
    const double pixels = (double)grid->padded[0] * grid->padded[1];
    const qn_crop_problem problem = {.from = {grid->padded[0], grid->padded[1]},
                                     .size = {grid->coarse[0], grid->coarse[1]},
                                     .frames = stack->frames,
                                     .frame = frame,
                                     .scale = (float)(1 / sqrt(pixels))};
    QN_TRY(qn_crop_spectra(stack->queue, NULL, &problem, padded_half_spectrum, stack->spectra, NULL));
    stack->added += !stack->present[frame];
    stack->present[frame] = true;
    return QN_OK;
}
