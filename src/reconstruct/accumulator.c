#include "reconstruct/accumulator.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "cryoem/blob.h"
#include "cryoem/kernels/prepare_images.h"
#include "reconstruct/accumulator_state.h"
#include "runtime/device.h"

size_t qn_accumulator_plane_floats(const qn_accumulator_options *options, int sum)
{
    const size_t pixels = (size_t)options->side * (size_t)(options->side / 2 + 1);
    return sum == QN_SUM_NUMERATOR ? 2 * pixels : pixels;
}

/* ---- memory ---- */

static bool settles(const qn_accumulator_options *options)
{
    return options->slices_expected > QN_INSERT_BEFORE_SETTLING_MAX;
}

/* Bytes of device memory besides the sums: images of two batches, their transforms, prepared images and weights. On
 * GPUs some sizes need a workspace as large as the transforms. */
static uint64_t batch_bytes(qn_device *device, const qn_accumulator_options *options)
{
    const uint64_t side = (uint64_t)options->largest_image_side, batch = (uint64_t)options->batch;
    const uint64_t half = side * (side / 2 + 1);
    const uint64_t workspace = qn_device_get_info(device)->kind == QN_DEVICE_CPU ? 0 : 2 * half;
    const uint64_t per_image = 2 * side * side + 2 * half + 2 * half + half + workspace;
    const uint64_t matrices = 2 * 9 * (uint64_t)options->operator_count;
    return sizeof(float) * batch * (per_image + matrices + 2 * QN_IMAGE_PARAMETERS);
}

static uint64_t plane_bytes(const qn_accumulator_options *options)
{
    return sizeof(float) * (qn_accumulator_plane_floats(options, QN_SUM_NUMERATOR) +
                            qn_accumulator_plane_floats(options, QN_SUM_WEIGHT));
}

/* A GPU's driver needs some of the GPU's memory. A CPU device uses the system's memory, and slabs would not save any of
 * it. */
static uint64_t allowed_bytes(qn_device *device, const qn_accumulator_options *options)
{
    const qn_device_info *info = qn_device_get_info(device);
    if (options->device_memory_bytes > 0) return options->device_memory_bytes;
    return info->kind == QN_DEVICE_CPU ? UINT64_MAX : info->memory_bytes / 10 * 9;
}

static bool buffers_fit(qn_device *device, const qn_accumulator_options *options, uint64_t planes)
{
    const uint64_t largest = qn_device_get_info(device)->largest_buffer_bytes;
    return largest == 0 || planes * sizeof(float) * qn_accumulator_plane_floats(options, QN_SUM_NUMERATOR) <= largest;
}

void qn_accumulator_estimate(qn_device *device, const qn_accumulator_options *options, uint64_t *bytes, int *slabs)
{
    const uint64_t side = (uint64_t)options->side, allowed = allowed_bytes(device, options);
    const uint64_t besides = batch_bytes(device, options), plane = plane_bytes(options);
    const uint64_t copies = (uint64_t)options->halves * (settles(options) ? 3 : 1);
    *slabs = 1;
    *bytes = besides + copies * side * plane;
    if (*bytes <= allowed && buffers_fit(device, options, side)) return;
    uint64_t planes = allowed > besides ? (allowed - besides) / plane : 0;
    if (planes > side) planes = side;
    if (planes < 1) planes = 1;
    while (planes > 1 && !buffers_fit(device, options, planes)) planes = (planes + 1) / 2;
    *slabs = (int)((side + planes - 1) / planes);
    planes = (side + (uint64_t)*slabs - 1) / (uint64_t)*slabs; /* slabs have equal numbers of planes */
    *bytes = besides + planes * plane;
}

/* ---- life cycle ---- */

static qn_status make_floats(size_t count, float **floats)
{
    void *memory = NULL;
    qn_status status = qn_allocate(count, sizeof(float), &memory);
    *floats = memory;
    return status;
}

static qn_status make_buffer(qn_accumulator *accumulator, size_t floats, qn_buffer **buffer)
{
    return qn_buffer_create(accumulator->device, floats * sizeof(float), buffer);
}

static qn_status make_slot(qn_accumulator *accumulator, qn_accumulator_slot *slot)
{
    const qn_accumulator_options *options = &accumulator->options;
    const size_t side = (size_t)options->largest_image_side, batch = (size_t)options->batch;
    const size_t pixels = batch * side * side, parameters = batch * QN_IMAGE_PARAMETERS;
    const size_t matrices = 9 * batch * (size_t)options->operator_count;
    QN_TRY(qn_host_memory_create(accumulator->device, pixels * sizeof(float), (void **)&slot->images));
    QN_TRY(make_floats(parameters, &slot->parameters));
    QN_TRY(make_floats(matrices, &slot->matrices));
    QN_TRY(make_buffer(accumulator, pixels, &slot->raw));
    QN_TRY(make_buffer(accumulator, parameters, &slot->parameter_buffer));
    return make_buffer(accumulator, matrices, &slot->matrix_buffer);
}

static qn_status make_batch_buffers(qn_accumulator *accumulator)
{
    float table[QN_BLOB_ENTRIES];
    const size_t side = (size_t)accumulator->options.largest_image_side;
    const size_t half = (size_t)accumulator->options.batch * side * (side / 2 + 1);
    for (int i = 0; i < QN_ACCUMULATOR_SLOTS; i++) QN_TRY(make_slot(accumulator, &accumulator->slots[i]));
    QN_TRY(make_buffer(accumulator, 2 * half, &accumulator->spectra));
    QN_TRY(make_buffer(accumulator, 2 * half, &accumulator->images));
    QN_TRY(make_buffer(accumulator, half, &accumulator->weights));
    QN_TRY(make_buffer(accumulator, QN_BLOB_ENTRIES, &accumulator->blob_table));
    qn_blob_table(table);
    QN_TRY(qn_queue_write(accumulator->queue, accumulator->blob_table, 0, table, sizeof table, NULL));
    return qn_queue_finish(accumulator->queue);
}

static qn_status make_zeros(qn_accumulator *accumulator, size_t floats, qn_buffer **buffer)
{
    QN_TRY(make_buffer(accumulator, floats, buffer));
    return qn_queue_fill(accumulator->queue, *buffer, 0, floats * sizeof(float), 0, NULL);
}

static qn_status make_sum(qn_accumulator *accumulator, int half, int which)
{
    qn_device_sum *sum = &accumulator->sums[half][which];
    const size_t floats = (size_t)accumulator->plane_count * qn_accumulator_plane_floats(&accumulator->options, which);
    QN_TRY(make_zeros(accumulator, floats, &sum->partial));
    if (!accumulator->settles) return QN_OK;
    QN_TRY(make_zeros(accumulator, floats, &sum->total));
    return make_zeros(accumulator, floats, &sum->low_part);
}

static qn_status make_sums(qn_accumulator *accumulator)
{
    const qn_accumulator_options *options = &accumulator->options;
    const int halves = accumulator->in_slabs ? 1 : options->halves;
    for (int half = 0; half < halves; half++)
        for (int which = 0; which < QN_ACCUMULATOR_SUMS; which++) QN_TRY(make_sum(accumulator, half, which));
    if (!accumulator->in_slabs) return QN_OK;
    for (int half = 0; half < options->halves; half++)
        QN_TRY(qn_fourier_sums_create(options->side, qn_context_pool(qn_device_context(accumulator->device)),
                                      &accumulator->host[half]));
    return make_floats((size_t)accumulator->plane_count * qn_accumulator_plane_floats(options, QN_SUM_NUMERATOR),
                       &accumulator->slab);
}

/* Fix the order of additions: one group of work-items for each voxel. The host's kernel has a fixed order in any case.
 */
static qn_status choose_order(qn_accumulator *accumulator)
{
    const qn_family *family = &qn_reconstruct_insert_slices_family;
    const qn_device_info *info = qn_device_get_info(accumulator->device);
    bool allowed;
    accumulator->has_ordered =
        accumulator->options.deterministic && strcmp(qn_device_inner_driver(accumulator->device), "host") != 0;
    if (!accumulator->has_ordered) return QN_OK;
    accumulator->ordered = qn_family_fallback(family);
    for (int i = 0; i < family->tunable_count; i++)
        if (strcmp(family->tunables[i].name, "GRID_DIM_Z") == 0) accumulator->ordered.value[i] = 1;
    QN_TRY(qn_family_allows(family, info, &accumulator->ordered, &allowed, NULL));
    if (!allowed)
        return QN_FAIL(QN_UNSUPPORTED,
                       "%s (%s) cannot add slices in a fixed order; expected a run that is not deterministic",
                       info->identifier, info->name);
    return QN_OK;
}

static qn_status build(qn_accumulator *accumulator)
{
    uint64_t bytes;
    int slabs;
    const qn_accumulator_options *options = &accumulator->options;
    qn_accumulator_estimate(accumulator->device, options, &bytes, &slabs);
    accumulator->in_slabs = slabs > 1;
    accumulator->plane_count = (options->side + slabs - 1) / slabs;
    accumulator->settles = !accumulator->in_slabs && settles(options);
    QN_TRY(choose_order(accumulator));
    QN_TRY(qn_queue_create(accumulator->device, &accumulator->copies));
    QN_TRY(qn_queue_create(accumulator->device, &accumulator->queue));
    QN_TRY(make_batch_buffers(accumulator));
    QN_TRY(make_sums(accumulator));
    return qn_queue_finish(accumulator->queue);
}

qn_status qn_accumulator_create(qn_device *device, const qn_accumulator_options *options, qn_accumulator **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof(qn_accumulator), &memory));
    qn_accumulator *accumulator = memory;
    accumulator->options = *options;
    accumulator->device = qn_device_retain(device);
    qn_status status = build(accumulator);
    *out = accumulator;
    if (status != QN_OK) qn_accumulator_destroy(out);
    return status;
}

static void clear_slot(qn_accumulator *accumulator, qn_accumulator_slot *slot)
{
    qn_event_destroy(&slot->written);
    qn_event_destroy(&slot->used);
    qn_buffer_release(&slot->raw);
    qn_buffer_release(&slot->parameter_buffer);
    qn_buffer_release(&slot->matrix_buffer);
    qn_host_memory_destroy(accumulator->device, (void **)&slot->images);
    qn_release(&slot->parameters);
    qn_release(&slot->matrices);
}

void qn_accumulator_destroy(qn_accumulator **pointer)
{
    qn_accumulator *accumulator = *pointer;
    if (!accumulator) return;
    qn_queue_destroy(&accumulator->copies); /* waits for the copies, which read host memory that is freed below */
    qn_queue_destroy(&accumulator->queue);
    for (int i = 0; i < QN_ACCUMULATOR_SLOTS; i++) {
        clear_slot(accumulator, &accumulator->slots[i]);
        qn_event_destroy(&accumulator->timed[i].transform);
        qn_event_destroy(&accumulator->timed[i].prepare);
        qn_event_destroy(&accumulator->timed[i].insert);
    }
    for (int i = 0; i < accumulator->plan_count; i++) qn_fft_plan_destroy(&accumulator->plans[i]);
    qn_buffer_release(&accumulator->spectra);
    qn_buffer_release(&accumulator->images);
    qn_buffer_release(&accumulator->weights);
    qn_buffer_release(&accumulator->blob_table);
    for (int half = 0; half < 2; half++) {
        for (int which = 0; which < QN_ACCUMULATOR_SUMS; which++) {
            qn_buffer_release(&accumulator->sums[half][which].partial);
            qn_buffer_release(&accumulator->sums[half][which].total);
            qn_buffer_release(&accumulator->sums[half][which].low_part);
        }
        qn_fourier_sums_clear(&accumulator->host[half]);
    }
    qn_release(&accumulator->slab);
    qn_device_release(&accumulator->device);
    qn_release(pointer);
}

/* ---- reading the sums ---- */

qn_status qn_accumulator_finish(qn_accumulator *accumulator)
{
    QN_TRY(qn_queue_finish(accumulator->copies));
    QN_TRY(qn_queue_finish(accumulator->queue));
    for (int i = 0; i < QN_ACCUMULATOR_SLOTS; i++) QN_TRY(qn_accumulator_harvest(accumulator, i));
    return QN_OK;
}

static qn_status add_from(qn_accumulator *accumulator, qn_buffer *buffer, size_t first, size_t count, float *scratch,
                          float *values)
{
    QN_TRY(qn_queue_read(accumulator->queue, buffer, first * sizeof(float), scratch, count * sizeof(float), NULL));
    QN_TRY(qn_queue_finish(accumulator->queue));
    for (size_t i = 0; i < count; i++) values[i] += scratch[i];
    return QN_OK;
}

/* Read the sums of all parts. The smallest part is added first, to keep rounding errors small. */
static qn_status read_settled(qn_accumulator *accumulator, const qn_device_sum *sum, size_t first, size_t count,
                              float *values)
{
    float *scratch;
    QN_TRY(make_floats(count, &scratch));
    qn_status status =
        qn_queue_read(accumulator->queue, sum->low_part, first * sizeof(float), values, count * sizeof(float), NULL);
    if (status == QN_OK) status = qn_queue_finish(accumulator->queue);
    if (status == QN_OK) status = add_from(accumulator, sum->partial, first, count, scratch, values);
    if (status == QN_OK) status = add_from(accumulator, sum->total, first, count, scratch, values);
    qn_release(&scratch);
    return status;
}

qn_status qn_accumulator_read(qn_accumulator *accumulator, int half, qn_sum which, size_t first, size_t count,
                              float *values)
{
    QN_TRY(qn_accumulator_finish(accumulator));
    if (accumulator->in_slabs) {
        const qn_fourier_sums *host = &accumulator->host[half];
        memcpy(values, (which == QN_SUM_NUMERATOR ? host->numerator : host->weight) + first, count * sizeof(float));
        return QN_OK;
    }
    const qn_device_sum *sum = &accumulator->sums[half][which];
    if (accumulator->settles) return read_settled(accumulator, sum, first, count, values);
    QN_TRY(qn_queue_read(accumulator->queue, sum->partial, first * sizeof(float), values, count * sizeof(float), NULL));
    return qn_queue_finish(accumulator->queue);
}

void qn_accumulator_get_times(const qn_accumulator *accumulator, qn_accumulator_times *times)
{
    *times = accumulator->times;
}
