#include "collective/screen.h"

#include "base/error.h"
#include "base/memory.h"
#include "collective/kernels/reference_distances.h"

struct qn_collective_screen {
    const qn_collective_references *references;
    qn_reference_distances_problem problem;
    qn_device *device;
    qn_queue *queue;
    qn_buffer *references_buffer, *frame_buffer, *distances_buffer;
    float *frame; /* four rows: x, y, z and the weights */
    float *distances;
};

void qn_collective_screen_destroy(qn_collective_screen **pointer)
{
    qn_collective_screen *screen = *pointer;
    if (!screen) return;
    qn_buffer_release(&screen->references_buffer);
    qn_buffer_release(&screen->frame_buffer);
    qn_buffer_release(&screen->distances_buffer);
    qn_queue_destroy(&screen->queue);
    qn_device_release(&screen->device);
    qn_release(&screen->frame);
    qn_release(&screen->distances);
    qn_release(pointer);
}

static qn_status upload_references(qn_collective_screen *screen)
{
    const qn_collective_references *references = screen->references;
    const size_t stride = (size_t)screen->problem.stride, bytes = 3 * stride * sizeof(float);
    for (size_t n = 0; n < references->count; n++) {
        for (size_t i = 0; i < references->atom_count; i++)
            for (size_t k = 0; k < 3; k++)
                screen->frame[k * stride + i] = (float)references->positions[(3 * n + k) * references->stride + i];
        QN_TRY(qn_queue_write(screen->queue, screen->references_buffer, n * bytes, screen->frame, bytes, NULL));
        QN_TRY(qn_queue_finish(screen->queue));
    }
    return QN_OK;
}

static qn_status fill(qn_collective_screen *screen)
{
    const qn_collective_references *references = screen->references;
    const size_t stride = (size_t)screen->problem.stride, count = references->count;
    void *memory;
    QN_TRY(qn_allocate(4 * stride, sizeof(float), &memory));
    screen->frame = memory;
    QN_TRY(qn_allocate(count, sizeof(float), &memory));
    screen->distances = memory;
    QN_TRY(qn_queue_create(screen->device, &screen->queue));
    QN_TRY(qn_buffer_create(screen->device, count * 3 * stride * sizeof(float), &screen->references_buffer));
    QN_TRY(qn_buffer_create(screen->device, 4 * stride * sizeof(float), &screen->frame_buffer));
    QN_TRY(qn_buffer_create(screen->device, count * sizeof(float), &screen->distances_buffer));
    QN_TRY(upload_references(screen));
    for (size_t i = 0; i < references->atom_count; i++) screen->frame[3 * stride + i] = (float)references->weights[i];
    return QN_OK;
}

qn_status qn_collective_screen_create(qn_device *device, const qn_collective_references *references,
                                      qn_collective_screen **out)
{
    const size_t step = QN_REFERENCE_DISTANCES_STEP;
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof(qn_collective_screen), &memory));
    qn_collective_screen *screen = memory;
    screen->device = qn_device_retain(device);
    screen->references = references;
    screen->problem =
        (qn_reference_distances_problem){.count = (int)references->count,
                                         .stride = (int)((references->atom_count + step - 1) / step * step),
                                         .weight_sum = references->weight_sum,
                                         .atoms = (int)references->atom_count};
    const qn_status status = fill(screen);
    *out = screen;
    if (status != QN_OK) qn_collective_screen_destroy(out);
    return status;
}

qn_status qn_collective_screen_measure(qn_collective_screen *screen, bool drmsd, const double *frame, double *distances)
{
    const qn_collective_references *references = screen->references;
    const size_t stride = (size_t)screen->problem.stride, count = references->count;
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < references->atom_count; i++)
            screen->frame[k * stride + i] = (float)frame[k * references->stride + i];
    QN_TRY(qn_queue_write(screen->queue, screen->frame_buffer, 0, screen->frame, 4 * stride * sizeof(float), NULL));
    QN_TRY((drmsd ? qn_reference_drmsd : qn_reference_distances)(screen->queue, NULL, &screen->problem,
                                                                 screen->references_buffer, screen->frame_buffer,
                                                                 screen->distances_buffer, NULL));
    QN_TRY(qn_queue_read(screen->queue, screen->distances_buffer, 0, screen->distances, count * sizeof(float), NULL));
    QN_TRY(qn_queue_finish(screen->queue));
    for (size_t n = 0; n < count; n++) distances[n] = (double)screen->distances[n];
    return QN_OK;
}
