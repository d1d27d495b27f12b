#include "movie/align/align.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "movie/align/correlator.h"
#include "movie/align/patches.h"
#include "movie/align/start.h"

static const double MAX_SHIFT_ANGSTROM = 50;
static const double REACH_ANGSTROM = 32;  /* of the search around a shift that is already near */
static const double FALLBACK_B_PX2 = 150; /* where the data give no filter */

enum {
    FRAMES_MIN = 3,
    ROUNDS = 3,
    FILTERS = 3,          /* of the global alignment: the filter is renewed so often */
    ITERATIONS = 12,      /* with one filter */
    PATCH_ITERATIONS = 8, /* of patches, each by itself */
    WINDOW_REACH = 8      /* windows of 17² */
};

/* Devices with memory of their own want large launches; processors want products that stay in their caches. */
static const size_t SCRATCH_BYTES = (size_t)256 << 20, SCRATCH_BYTES_CPU = (size_t)4 << 20;

typedef struct alignment {
    qn_coarse_stack *stack;
    qn_align_options options; /* with defaults filled in */
    qn_align_facts *facts;
    double coarse_px[2];
    int reach[2];
    qn_ring_sums rings; /* of the last pass */
    qn_ring_filter filter;
    double *shifts; /* [frame][2], coarse pixels */
    float *peaks;   /* [patch][frame][4] */
} alignment;

/* ---- filter ---- */

/* Renew the filter from what a pass found, unless it is given. */
static qn_status renew_filter(alignment *a, qn_correlator *correlator)
{
    qn_ring_filter fallback;
    const double width = a->rings.width;
    if (a->options.filter_px2 > 0)
        qn_ring_filter_gaussian(a->options.filter_px2, width, &a->filter);
    else {
        qn_ring_filter_gaussian(FALLBACK_B_PX2, width, &fallback);
        qn_ring_filter_from_data(&a->rings, a->stack->frames, &fallback, &a->filter);
    }
    a->facts->filtered_by_data = a->filter.by_data;
    a->facts->ring_width = width;
    for (int i = 0; i < QN_ALIGN_RINGS; i++) {
        a->facts->ring_correlation[i] = a->filter.correlation[i];
        a->facts->filter[i] = a->filter.weight[i];
    }
    return qn_correlator_set_filter(correlator, &a->filter);
}

/* ---- global motion ---- */

/* A frame without content, such as one that was recorded without a beam, correlates with none: its correlation is 0. */
static bool is_seen(const float *peak)
{
    return peak[2] > 0;
}

/* Add the peaks of a patch's frames to their shifts. The mean over the frames, which no correlation measures, stays as
 * it is. The squares of the changes, in unbinned pixels, are added to *squares; returns the largest change. */
static double add_peaks(const alignment *a, const float *peaks, int count, double *shifts, double *squares)
{
    double mean[2] = {0, 0}, largest = 0;
    for (int t = 0; t < count; t++)
        for (int d = 0; d < 2 && is_seen(peaks + 4 * t); d++) mean[d] += (double)peaks[4 * t + d] / count;
    for (int t = 0; t < count; t++) {
        double change[2];
        for (int d = 0; d < 2; d++) {
            change[d] = (is_seen(peaks + 4 * t) ? (double)peaks[4 * t + d] : 0) - mean[d];
            shifts[2 * t + d] += change[d];
        }
        const double length = hypot(change[0] * a->coarse_px[0], change[1] * a->coarse_px[1]);
        *squares += length * length;
        largest = fmax(largest, length);
    }
    return largest;
}

/* Standard deviations that frames of noise do not reach, which agree as they were aligned to each other: 3 to 100 of
 * them had 1 + 1.2 √T at most in trials. */
static double agreement_of_noise(int frames)
{
    return 4 + 2 * sqrt(frames);
}

static qn_status iterate_global(alignment *a, qn_correlator *correlator)
{
    qn_align_facts *facts = a->facts;
    const qn_correlator_pass first = {.rings = &a->rings};
    const qn_correlator_pass pass = {.rings = &a->rings, .peaks = a->peaks, .reach = {a->reach[0], a->reach[1]}};
    QN_TRY(qn_correlator_run(correlator, a->shifts, &first));
    for (int round = 0; round < FILTERS; round++) {
        QN_TRY(renew_filter(a, correlator));
        facts->converged = false;
        for (int i = 0; i < ITERATIONS && !facts->converged; i++) {
            double squares = 0;
            QN_TRY(qn_correlator_run(correlator, a->shifts, &pass));
            facts->change_px = add_peaks(a, a->peaks, a->stack->frames, a->shifts, &squares);
            facts->converged = facts->change_px < QN_ALIGN_CONVERGED_PX;
            facts->iterations++;
        }
    }
    facts->agreement = qn_ring_sums_agreement(&a->rings);
    facts->signal = facts->agreement > agreement_of_noise(a->stack->frames);
    return QN_OK;
}

/* Put frames without content between their neighbours. */
static void place_unseen(alignment *a)
{
    const int frames = a->stack->frames;
    for (int t = 0, last = -1; t < frames; t++) {
        if (is_seen(a->peaks + 4 * t)) {
            last = t;
            continue;
        }
        if (a->facts->unseen_frames++ == 0) a->facts->first_unseen = t;
        int next = t;
        while (next < frames && !is_seen(a->peaks + 4 * next)) next++;
        for (int d = 0; d < 2; d++) {
            const double before = last < 0 ? 0 : a->shifts[2 * last + d];
            const double after = next < frames ? a->shifts[2 * next + d] : before;
            const double part = last < 0 || next == frames ? 1 : (double)(t - last) / (next - last);
            a->shifts[2 * t + d] = last < 0 ? after : before + part * (after - before);
        }
    }
    a->facts->converged &= a->facts->unseen_frames < frames;
}

static qn_status align_globally(alignment *a, qn_motion *motion)
{
    qn_coarse_stack *stack = a->stack;
    qn_correlator *correlator;
    QN_TRY(qn_align_start(stack, a->options.pixel_angstrom, a->options.max_shift_angstrom, a->options.scratch_bytes,
                          a->shifts));
    QN_TRY(qn_correlator_create(stack, stack->spectra, stack->grid.coarse, 1, a->options.scratch_bytes, &correlator));
    const qn_status status = iterate_global(a, correlator);
    qn_correlator_destroy(&correlator);
    QN_TRY(status);
    place_unseen(a);
    for (int t = stack->frames - 1; t >= 0; t--)
        for (int d = 0; d < 2; d++) {
            a->shifts[2 * t + d] -= a->shifts[d];
            motion->global_px[2 * t + d] = a->shifts[2 * t + d] * a->coarse_px[d];
        }
    return QN_OK;
}

/* ---- local motion ---- */

typedef struct local_alignment {
    alignment *whole;
    const qn_patch_layout *layout;
    int patches;
    size_t count; /* patches · frames */
    qn_correlator *correlator;
    qn_motion_fit *fit;
    double *shifts;   /* [patch][frame][2], coarse pixels relative to the global motion */
    double *shift_px; /* the same in unbinned pixels */
    double *weights;  /* [patch] */
    double *places;   /* [patch][2], unbinned pixels */
} local_alignment;

/* Each patch by itself: frames against the sum of the others, until the shifts stand still in the mean. */
static qn_status iterate_patches(local_alignment *l)
{
    alignment *a = l->whole;
    const size_t frames = (size_t)a->stack->frames;
    const qn_correlator_pass pass = {.rings = &a->rings, .peaks = a->peaks, .reach = {a->reach[0], a->reach[1]}};
    double change = INFINITY;
    for (int i = 0; i < PATCH_ITERATIONS && change >= QN_ALIGN_CONVERGED_PX; i++) {
        double squares = 0;
        QN_TRY(qn_correlator_run(l->correlator, l->shifts, &pass));
        for (size_t p = 0; p < (size_t)l->patches; p++)
            add_peaks(a, a->peaks + 4 * p * frames, a->stack->frames, l->shifts + 2 * p * frames, &squares);
        change = sqrt(squares / (double)l->count);
    }
    for (size_t i = 0; i < 2 * l->count; i++) l->shift_px[i] = l->shifts[i] * a->coarse_px[i % 2];
    return renew_filter(a, l->correlator);
}

/* One round of the fit to correlations, at the shifts of the present fit. Its filter is that of the last pass. */
static qn_status fit_round(local_alignment *l)
{
    alignment *a = l->whole;
    qn_buffer *windows;
    const qn_correlator_pass pass = {.rings = &a->rings, .windows = &windows, .reach = {WINDOW_REACH, WINDOW_REACH}};
    qn_motion_fit_shifts(l->fit, l->shift_px);
    for (size_t i = 0; i < 2 * l->count; i++) l->shifts[i] = l->shift_px[i] / a->coarse_px[i % 2];
    QN_TRY(qn_correlator_run(l->correlator, l->shifts, &pass));
    QN_TRY(renew_filter(a, l->correlator));
    const qn_patch_correlations correlations = {.patch_count = l->patches,
                                                .frame_count = a->stack->frames,
                                                .side = 2 * WINDOW_REACH + 1,
                                                .coarse_px = {a->coarse_px[0], a->coarse_px[1]},
                                                .place_px = l->places,
                                                .centre_px = l->shift_px,
                                                .windows = windows};
    return qn_motion_fit_correlations(l->fit, a->stack->queue, &correlations, &a->facts->motion);
}

/* The places whose motion the patches show. */
static qn_status find_places(local_alignment *l)
{
    const qn_patch_layout *layout = l->layout;
    const qn_correlator_pass pass = {.centres = l->places};
    QN_TRY(qn_correlator_run(l->correlator, l->shifts, &pass));
    for (size_t i = 0; i < 2 * (size_t)l->patches; i++)
        l->places[i] = (l->places[i] + layout->corners[i]) * l->whole->coarse_px[i % 2];
    return QN_OK;
}

static qn_status fit_patches(local_alignment *l, qn_motion *motion)
{
    alignment *a = l->whole;
    const qn_motion_fit_options options = {
        .smoothness = a->options.smoothness,
        .rooms = &a->stack->motion_rooms,
        .patch_px = {l->layout->size[0] * a->coarse_px[0], l->layout->size[1] * a->coarse_px[1]}};
    const qn_patch_peaks peaks = {.patch_count = l->patches,
                                  .frame_count = a->stack->frames,
                                  .place_px = l->places,
                                  .shift_px = l->shift_px,
                                  .weight = l->weights};
    QN_TRY(qn_correlator_set_filter(l->correlator, &a->filter)); /* that of the global alignment */
    QN_TRY(iterate_patches(l));
    QN_TRY(find_places(l));
    const qn_status status = qn_motion_fit_create(motion, l->patches, l->places, &options, &l->fit);
    if (status == QN_INVALID_ARGUMENT) /* no patch differs enough from its neighbours to tell their motions apart */
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%d x %d patches of a frame of %d x %d pixels lie too close together; expected fewer",
                       l->layout->count[0], l->layout->count[1], a->stack->grid.width, a->stack->grid.height);
    QN_TRY(status);
    QN_TRY(qn_motion_fit_peaks(l->fit, &peaks, &a->facts->motion));
    for (a->facts->rounds = 0; a->facts->rounds < a->options.rounds; a->facts->rounds++) QN_TRY(fit_round(l));
    qn_motion_fit_result(l->fit, motion);
    return QN_OK;
}

static qn_status allocate_local(local_alignment *l)
{
    void *memory;
    QN_TRY(qn_allocate(2 * l->count, sizeof(double), &memory));
    l->shifts = memory;
    QN_TRY(qn_allocate(2 * l->count, sizeof(double), &memory));
    l->shift_px = memory;
    QN_TRY(qn_allocate((size_t)l->patches, sizeof(double), &memory));
    l->weights = memory;
    for (int p = 0; p < l->patches; p++) l->weights[p] = 1;
    QN_TRY(qn_allocate(2 * (size_t)l->patches, sizeof(double), &memory));
    l->places = memory;
    return QN_OK;
}

static qn_status align_locally(alignment *a, const qn_patch_layout *layout, qn_motion *motion)
{
    qn_coarse_stack *stack = a->stack;
    local_alignment l = {.whole = a, .layout = layout, .patches = layout->count[0] * layout->count[1]};
    qn_buffer *spectra;
    l.count = (size_t)l.patches * (size_t)stack->frames;
    qn_status status = allocate_local(&l);
    if (status == QN_OK) status = qn_patch_spectra(stack, a->shifts, layout, &a->options, &spectra);
    if (status == QN_OK)
        status = qn_correlator_create(stack, spectra, layout->size, l.patches, a->options.scratch_bytes, &l.correlator);
    if (status == QN_OK) status = fit_patches(&l, motion);
    qn_motion_fit_destroy(&l.fit);
    qn_correlator_destroy(&l.correlator);
    qn_release(&l.shifts);
    qn_release(&l.shift_px);
    qn_release(&l.weights);
    qn_release(&l.places);
    return status;
}

/* ---- the whole ---- */

static void fill_defaults(qn_device *device, qn_align_options *options)
{
    if (options->max_shift_angstrom == 0) options->max_shift_angstrom = MAX_SHIFT_ANGSTROM;
    if (options->rounds == 0) options->rounds = ROUNDS;
    if (options->scratch_bytes == 0)
        options->scratch_bytes = qn_device_get_info(device)->kind == QN_DEVICE_CPU ? SCRATCH_BYTES_CPU : SCRATCH_BYTES;
}

static qn_status check(const qn_coarse_stack *stack, const qn_align_options *options)
{
    if (stack->frames < FRAMES_MIN)
        return QN_FAIL(QN_INVALID_ARGUMENT, "a movie of %d frames; expected at least %d", stack->frames, FRAMES_MIN);
    if (stack->added != stack->frames)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%d frames of %d were added before the alignment", stack->added,
                       stack->frames);
    if (!(options->pixel_angstrom > 0) || !(options->max_shift_angstrom > 0) || options->rounds < -1 ||
        !(options->patch_angstrom >= 0) || !(options->filter_px2 >= 0) || !(options->smoothness >= 0) ||
        options->patches[0] < 0 || options->patches[1] < 0)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "options of an alignment out of range: pixel %g Å, shift %g Å, patches %d × %d",
                       options->pixel_angstrom, options->max_shift_angstrom, options->patches[0], options->patches[1]);
    return QN_OK;
}

static qn_status align_all(alignment *a, const qn_patch_layout *layout, qn_motion *motion)
{
    const qn_movie_grid *grid = &a->stack->grid;
    const size_t frames = (size_t)a->stack->frames, patches = (size_t)layout->count[0] * (size_t)layout->count[1];
    void *memory;
    for (int d = 0; d < 2; d++) {
        const double coarse = a->coarse_px[d] * a->options.pixel_angstrom;
        const int side = layout->size[d] > 0 ? layout->size[d] : grid->coarse[d];
        a->reach[d] = (int)fmin(ceil(fmin(REACH_ANGSTROM, a->options.max_shift_angstrom) / coarse), (side - 3) / 2);
    }
    QN_TRY(qn_allocate(2 * frames, sizeof(double), &memory));
    a->shifts = memory;
    QN_TRY(qn_allocate(4 * frames * (patches > 0 ? patches : 1), sizeof(float), &memory));
    a->peaks = memory;
    QN_TRY(qn_motion_allocate(a->stack->frames, grid->width, grid->height, motion));
    QN_TRY(align_globally(a, motion));
    if (a->options.frugal) QN_TRY(qn_coarse_stack_leave_rooms(a->stack));
    const bool any = patches > 0 && a->facts->unseen_frames < a->stack->frames;
    return any ? align_locally(a, layout, motion) : QN_OK;
}

qn_status qn_align_movie(qn_coarse_stack *stack, const qn_align_options *options, qn_motion *motion,
                         qn_align_facts *facts)
{
    alignment a = {.stack = stack, .options = *options, .facts = facts};
    qn_patch_layout layout;
    *motion = (qn_motion){0};
    *facts = (qn_align_facts){0};
    fill_defaults(stack->device, &a.options);
    QN_TRY(check(stack, &a.options));
    qn_coarse_pixel(&stack->grid, a.coarse_px);
    QN_TRY(qn_patch_layout_make(&stack->grid, &a.options, &layout));
    for (int d = 0; d < 2; d++) {
        facts->patches[d] = layout.count[d];
        facts->patch_px[d] = layout.size[d];
    }
    qn_status status = align_all(&a, &layout, motion);
    if (a.options.frugal) {
        const qn_status left = qn_coarse_stack_leave_rooms(stack);
        if (status == QN_OK) status = left;
    }
    qn_patch_layout_release(&layout);
    qn_release(&a.shifts);
    qn_release(&a.peaks);
    if (status != QN_OK) qn_motion_release(motion);
    return status;
}

static size_t sum_of(const size_t rooms[QN_ROOMS])
{
    size_t sum = 0;
    for (int i = 0; i < QN_ROOMS; i++) sum += rooms[i];
    return sum;
}

size_t qn_coarse_stack_bytes(qn_device *device, const qn_movie_grid *grid, int frames, const qn_align_options *given)
{
    qn_align_options options = *given;
    qn_patch_layout layout;
    size_t rooms[QN_ROOMS] = {0}, of_global = 0;
    fill_defaults(device, &options);
    const size_t scratch = options.scratch_bytes;
    qn_align_start_rooms(grid, frames, options.pixel_angstrom, scratch, rooms);
    qn_correlator_rooms(grid->coarse, frames, 1, scratch, rooms);
    if (options.frugal) {
        of_global = sum_of(rooms);
        memset(rooms, 0, sizeof rooms);
    }
    if (qn_patch_layout_make(grid, &options, &layout) == QN_OK && layout.count[0] > 0) {
        qn_patch_rooms(grid, frames, &layout, &options, rooms);
        qn_correlator_rooms(layout.size, frames, layout.count[0] * layout.count[1], scratch, rooms);
        qn_patch_layout_release(&layout);
    }
    const size_t of_rooms = sum_of(rooms), most = of_rooms > of_global ? of_rooms : of_global;
    const size_t of_rings = 4 * qn_half_pixels(grid->coarse); /* their places */
    return 8 * qn_half_pixels(grid->coarse) * (size_t)frames + most + of_rings;
}
