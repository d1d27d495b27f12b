/* Insertion of one batch of images: copy to the device, transform, prepare, insert, settle. */
#include <assert.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "cryoem/kernels/prepare_images.h"
#include "cryoem/view.h"
#include "math/rotation.h"
#include "reconstruct/accumulator_state.h"

static qn_status take_seconds(qn_event **event, double *seconds)
{
    double taken = 0;
    if (!*event) return QN_OK;
    qn_status status = qn_event_seconds(*event, &taken);
    qn_event_destroy(event);
    *seconds += taken;
    return status;
}

qn_status qn_accumulator_harvest(qn_accumulator *accumulator, int slot)
{
    qn_timed_events *timed = &accumulator->timed[slot];
    QN_TRY(take_seconds(&timed->transform, &accumulator->times.transform_s));
    QN_TRY(take_seconds(&timed->prepare, &accumulator->times.prepare_s));
    return take_seconds(&timed->insert, &accumulator->times.insert_s);
}

qn_status qn_accumulator_staging(qn_accumulator *accumulator, float **images)
{
    accumulator->slot = (accumulator->slot + 1) % QN_ACCUMULATOR_SLOTS;
    qn_accumulator_slot *slot = &accumulator->slots[accumulator->slot];
    if (slot->written) QN_TRY(qn_event_wait(slot->written));
    qn_event_destroy(&slot->written);
    *images = slot->images;
    return QN_OK;
}

/* ---- arguments of the kernels ---- */

/* Matrices T = R · Aᵀ of an image, one for each symmetry operator R. */
static void make_matrices(const qn_accumulator_options *options, const qn_particle *particle, float *matrices)
{
    double view[9], back[9], turned[9];
    qn_view_matrix(particle->rot_degrees, particle->tilt_degrees, particle->psi_degrees, view);
    for (int i = 0; i < 9; i++) back[i] = view[3 * (i % 3) + i / 3];
    for (int o = 0; o < options->operator_count; o++) {
        qn_rotation_multiply(options->operators[o], back, turned);
        for (int i = 0; i < 9; i++) matrices[9 * o + i] = (float)turned[i];
    }
}

/* Compute the parameters and matrices of each image. Pixels are weighted by their area in Fourier space, spacing². The
 * kernel multiplies weights with the distance from the origin in pixels; another factor of spacing converts this
 * distance to voxels. */
static qn_status describe_images(qn_accumulator *accumulator, const qn_optics_group *optics, int side,
                                 const qn_particle *const *particles, size_t count)
{
    const qn_accumulator_options *options = &accumulator->options;
    qn_accumulator_slot *slot = &accumulator->slots[accumulator->slot];
    const double evenly =
        pow(options->reference_angstrom * options->largest_image_side / (side * optics->pixel_angstrom), 3);
    for (size_t i = 0; i < count; i++) {
        const qn_particle *particle = particles[i];
        const double origin[2] = {particle->origin_angstrom[0] / optics->pixel_angstrom,
                                  particle->origin_angstrom[1] / optics->pixel_angstrom};
        qn_ctf ctf;
        if (options->ctf) QN_TRY(qn_ctf_of(particle, optics, &ctf));
        qn_image_parameters(side, optics->pixel_angstrom, origin, evenly * particle->weight, options->ctf ? &ctf : NULL,
                            slot->parameters + i * QN_IMAGE_PARAMETERS);
        make_matrices(options, particle, slot->matrices + 9 * i * (size_t)options->operator_count);
    }
    return QN_OK;
}

/* ---- commands of a batch ---- */

static qn_status write_floats(qn_accumulator *accumulator, qn_buffer *buffer, const float *values, size_t count,
                              qn_event **event)
{
    return qn_queue_write(accumulator->copies, buffer, 0, values, count * sizeof(float), event);
}

/* Copy a batch to the device. Copies have a queue of their own, so that they overlap the computation of the batch
 * before. */
static qn_status write_batch(qn_accumulator *accumulator, int side, size_t count)
{
    qn_accumulator_slot *slot = &accumulator->slots[accumulator->slot];
    if (slot->used) QN_TRY(qn_queue_wait_for(accumulator->copies, slot->used));
    qn_event_destroy(&slot->used);
    QN_TRY(write_floats(accumulator, slot->matrix_buffer, slot->matrices,
                        9 * count * (size_t)accumulator->options.operator_count, NULL));
    QN_TRY(write_floats(accumulator, slot->parameter_buffer, slot->parameters, count * QN_IMAGE_PARAMETERS, NULL));
    QN_TRY(write_floats(accumulator, slot->raw, slot->images, count * (size_t)side * (size_t)side, &slot->written));
    return qn_queue_wait_for(accumulator->queue, slot->written);
}

/* Engine of the transforms. Deterministic runs have a fixed one: engines round differently, and the engine that is
 * measured to be the fastest may change from run to run. */
static qn_fft_engine engine(const qn_accumulator *accumulator)
{
    return accumulator->options.deterministic ? qn_fft_engine_of(accumulator->device) : QN_FFT_AUTO;
}

static qn_status find_plan(qn_accumulator *accumulator, int side, qn_fft_plan **plan)
{
    for (int i = 0; i < accumulator->plan_count; i++)
        if (accumulator->plan_sides[i] == side) {
            *plan = accumulator->plans[i];
            return QN_OK;
        }
    if (accumulator->plan_count == QN_ACCUMULATOR_PLANS_MAX)
        return QN_FAIL(QN_UNSUPPORTED, "images have more than %d different sizes", QN_ACCUMULATOR_PLANS_MAX);
    const qn_fft_options options = {.size_bytes = sizeof options,
                                    .size = {side, side},
                                    .batch = accumulator->options.batch,
                                    .kind = QN_FFT_REAL_FORWARD,
                                    .engine = engine(accumulator)};
    QN_TRY(qn_fft_plan_create(accumulator->device, &options, plan));
    accumulator->plan_sides[accumulator->plan_count] = side;
    accumulator->plans[accumulator->plan_count++] = *plan;
    return QN_OK;
}

static qn_status insert_whole(qn_accumulator *accumulator, int half, const qn_insert_problem *problem, qn_event **event)
{
    const qn_accumulator_slot *slot = &accumulator->slots[accumulator->slot];
    const qn_device_sum *sums = accumulator->sums[half];
    const uint64_t slices = (uint64_t)problem->images * (uint64_t)problem->operators;
    if (accumulator->settles && accumulator->unsettled[half] + slices > QN_INSERT_BEFORE_SETTLING_MAX) {
        for (int which = 0; which < QN_ACCUMULATOR_SUMS; which++)
            QN_TRY(qn_insert_settle(accumulator->queue, qn_buffer_bytes(sums[which].partial) / sizeof(float),
                                    sums[which].partial, sums[which].total, sums[which].low_part, NULL));
        accumulator->unsettled[half] = 0;
    }
    accumulator->unsettled[half] += slices;
    return qn_insert_slices(accumulator->queue, accumulator->has_ordered ? &accumulator->ordered : NULL, problem,
                            accumulator->images, accumulator->weights, slot->matrix_buffer, accumulator->blob_table,
                            sums[QN_SUM_NUMERATOR].partial, sums[QN_SUM_WEIGHT].partial, event);
}

static qn_status add_slab(qn_accumulator *accumulator, const qn_insert_problem *problem, qn_buffer *buffer, int which,
                          float *sums)
{
    const size_t plane = qn_accumulator_plane_floats(&accumulator->options, which);
    const size_t floats = plane * (size_t)problem->planes, first = plane * (size_t)problem->first_plane;
    QN_TRY(qn_queue_read(accumulator->queue, buffer, 0, accumulator->slab, floats * sizeof(float), NULL));
    QN_TRY(qn_queue_finish(accumulator->queue));
    for (size_t i = 0; i < floats; i++) sums[first + i] += accumulator->slab[i];
    return QN_OK;
}

/* For each slab: set it to 0, insert the batch, and add the slab to the host's sums. */
static qn_status insert_in_slabs(qn_accumulator *accumulator, int half, const qn_insert_problem *whole)
{
    const qn_accumulator_slot *slot = &accumulator->slots[accumulator->slot];
    qn_buffer *numerator = accumulator->sums[0][QN_SUM_NUMERATOR].partial;
    qn_buffer *weight = accumulator->sums[0][QN_SUM_WEIGHT].partial;
    qn_insert_problem problem = *whole;
    for (int first = 0; first < whole->side; first += accumulator->plane_count) {
        qn_event *event = NULL;
        const int left = whole->side - first;
        problem.first_plane = first;
        problem.planes = left < accumulator->plane_count ? left : accumulator->plane_count;
        QN_TRY(qn_queue_fill(accumulator->queue, numerator, 0, qn_buffer_bytes(numerator), 0, NULL));
        QN_TRY(qn_queue_fill(accumulator->queue, weight, 0, qn_buffer_bytes(weight), 0, NULL));
        QN_TRY(qn_insert_slices(accumulator->queue, accumulator->has_ordered ? &accumulator->ordered : NULL, &problem,
                                accumulator->images, accumulator->weights, slot->matrix_buffer, accumulator->blob_table,
                                numerator, weight, &event));
        QN_TRY(take_seconds(&event, &accumulator->times.insert_s));
        QN_TRY(add_slab(accumulator, &problem, numerator, QN_SUM_NUMERATOR, accumulator->host[half].numerator));
        QN_TRY(add_slab(accumulator, &problem, weight, QN_SUM_WEIGHT, accumulator->host[half].weight));
    }
    return QN_OK;
}

static void count_work(qn_accumulator *accumulator, const qn_insert_problem *problem)
{
    qn_work work;
    qn_reconstruct_insert_slices_family.kernels[0].work(problem, &work);
    accumulator->times.insert_multiply_adds += work.multiply_adds;
    accumulator->times.insert_bytes += work.bytes_read + work.bytes_written;
}

static qn_status insert(qn_accumulator *accumulator, int half, double pixel_angstrom, int side, size_t count)
{
    const qn_accumulator_options *options = &accumulator->options;
    const double spacing = options->side * options->reference_angstrom / (side * pixel_angstrom);
    const qn_insert_problem problem = {.side = options->side,
                                       .image_side = side,
                                       .spacing = (float)spacing,
                                       .images = (int)count,
                                       .operators = options->operator_count,
                                       .radius = (float)options->radius,
                                       .most = (float)options->most,
                                       .fast = options->fast};
    count_work(accumulator, &problem);
    if (accumulator->in_slabs) return insert_in_slabs(accumulator, half, &problem);
    return insert_whole(accumulator, half, &problem, &accumulator->timed[accumulator->slot].insert);
}

qn_status qn_accumulator_insert(qn_accumulator *accumulator, int half, const qn_optics_group *optics, int side,
                                const qn_particle *const *particles, size_t count)
{
    const qn_accumulator_options *options = &accumulator->options;
    qn_accumulator_slot *slot = &accumulator->slots[accumulator->slot];
    qn_timed_events *timed = &accumulator->timed[accumulator->slot];
    const double spacing = options->side * options->reference_angstrom / (side * optics->pixel_angstrom);
    const double gathers = options->fast ? spacing : options->radius; /* from a voxel to its farthest pixel, at most */
    const qn_prepare_problem prepare = {.side = side,
                                        .images = (int)count,
                                        .most = (float)((options->most + gathers) / spacing),
                                        .ctf = options->ctf,
                                        .ramp = true};
    qn_fft_plan *plan;
    assert(count > 0 && count <= (size_t)options->batch && side <= options->largest_image_side);
    QN_TRY(find_plan(accumulator, side, &plan));
    QN_TRY(describe_images(accumulator, optics, side, particles, count));
    /* Only now, so that the images were read while the device worked on the two batches before. */
    QN_TRY(qn_accumulator_harvest(accumulator, accumulator->slot));
    QN_TRY(write_batch(accumulator, side, count));
    QN_TRY(qn_fft_execute(plan, accumulator->queue, slot->raw, accumulator->spectra, &timed->transform));
    QN_TRY(qn_prepare_images(accumulator->queue, NULL, &prepare, accumulator->spectra, slot->parameter_buffer,
                             accumulator->images, accumulator->weights, &timed->prepare));
    QN_TRY(insert(accumulator, half, optics->pixel_angstrom, side, count));
    /* a fill of one float, whose event is set when the slot's buffers are free */
    return qn_queue_fill(accumulator->queue, accumulator->spectra, 0, sizeof(float), 0, &slot->used);
}
