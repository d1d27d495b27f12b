#include "cryoem/grid_transform.h"

#include "base/error.h"
#include "runtime/device.h"

static qn_status create_parts(qn_context *context, int spectra, qn_grid_transform *t)
{
    const int *counts = t->counts;
    const size_t rows = (size_t)counts[1] * (size_t)counts[2];
    qn_fft_options options = {
        .size_bytes = sizeof options, .size = {counts[0], counts[1], counts[2]}, .kind = QN_FFT_REAL_FORWARD};
    QN_TRY(qn_device_open(context, "host", &t->device));
    QN_TRY(qn_queue_create(t->device, &t->queue));
    QN_TRY(qn_buffer_create(t->device, rows * (size_t)counts[0] * sizeof(float), &t->grid));
    for (int k = 0; k < spectra; k++)
        QN_TRY(qn_buffer_create(t->device, 2 * rows * (size_t)(counts[0] / 2 + 1) * sizeof(float), &t->spectra[k]));
    QN_TRY(qn_fft_plan_create(t->device, &options, &t->forward));
    options.kind = QN_FFT_REAL_INVERSE;
    return qn_fft_plan_create(t->device, &options, &t->inverse);
}

qn_status qn_grid_transform_create(qn_context *context, const int counts[3], int spectra, qn_grid_transform *transform)
{
    *transform = (qn_grid_transform){.counts = {counts[0], counts[1], counts[2]}};
    const qn_status status = create_parts(context, spectra, transform);
    if (status != QN_OK) qn_grid_transform_destroy(transform);
    return status;
}

void qn_grid_transform_destroy(qn_grid_transform *transform)
{
    qn_fft_plan_destroy(&transform->inverse);
    qn_fft_plan_destroy(&transform->forward);
    for (int k = 0; k < QN_GRID_SPECTRA; k++) qn_buffer_release(&transform->spectra[k]);
    qn_buffer_release(&transform->grid);
    qn_queue_destroy(&transform->queue);
    qn_device_release(&transform->device);
}

qn_status qn_grid_transform_use(qn_grid_transform *transform, qn_host_function function, void *user)
{
    qn_buffer *const buffers[] = {transform->grid, transform->spectra[0], transform->spectra[1]};
    int count = 1;
    while (count <= QN_GRID_SPECTRA && buffers[count]) count++;
    QN_TRY(qn_queue_call_host(transform->queue, function, buffers, count, user, NULL));
    return qn_queue_finish(transform->queue);
}

typedef struct product {
    const float *values; /* NULL: the grid's own */
    const float *mask;   /* NULL: 1 everywhere */
    float factor;
    size_t plane, planes;
    float *grid;
} product;

static qn_status multiply_plane(size_t z, int worker, void *user)
{
    (void)worker;
    const product *work = user;
    float *grid = work->grid + z * work->plane;
    const float *values = work->values ? work->values + z * work->plane : grid;
    const float *mask = work->mask ? work->mask + z * work->plane : NULL;
    if (mask)
        for (size_t i = 0; i < work->plane; i++) grid[i] = work->factor * values[i] * mask[i];
    else
        for (size_t i = 0; i < work->plane; i++) grid[i] = work->factor * values[i];
    return QN_OK;
}

static qn_status multiply(void *const *addresses, qn_pool *pool, void *user)
{
    product *work = user;
    work->grid = addresses[0];
    return qn_pool_run(pool, work->planes, multiply_plane, work);
}

static qn_status set_grid(qn_grid_transform *transform, const float *values, const float *mask, float factor)
{
    const int *counts = transform->counts;
    product work = {.values = values,
                    .mask = mask,
                    .factor = factor,
                    .plane = (size_t)counts[0] * (size_t)counts[1],
                    .planes = (size_t)counts[2]};
    return qn_grid_transform_use(transform, multiply, &work);
}

qn_status qn_grid_transform_fill(qn_grid_transform *transform, const float *values, const float *mask)
{
    return set_grid(transform, values, mask, 1);
}

qn_status qn_grid_transform_scale(qn_grid_transform *transform, const float *mask, float factor)
{
    return set_grid(transform, NULL, mask, factor);
}

qn_status qn_grid_transform_forward(qn_grid_transform *transform, int spectrum)
{
    return qn_fft_execute(transform->forward, transform->queue, transform->grid, transform->spectra[spectrum], NULL);
}

qn_status qn_grid_transform_inverse(qn_grid_transform *transform, int spectrum)
{
    return qn_fft_execute(transform->inverse, transform->queue, transform->spectra[spectrum], transform->grid, NULL);
}
