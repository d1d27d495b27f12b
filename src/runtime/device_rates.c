/* qn_device_measure: the kernels of runtime/measure on problems large enough to show a device's limits. */
#include <string.h>

#include "base/error.h"
#include "runtime/kernels/measure.h"
#include "runtime/objects.h"

enum { LAUNCHES = 5, STEPS_MAX = 1 << 24 };

/* Compared with a launch this long, the cost of starting it and the clock resolution of old OpenCL drivers are small.
 */
static const double enough_s = 20e-3;

typedef struct measurement {
    qn_queue *queue;
    const qn_device_info *info;
    qn_configuration configuration;
    qn_measure_problem problem;
    qn_buffer *from, *to, *result;
} measurement;

typedef qn_status (*launch_function)(measurement *m, qn_event **event);

static qn_status launch_copy(measurement *m, qn_event **event)
{
    return qn_measure_copy(m->queue, &m->configuration, &m->problem, m->from, m->to, event);
}

static qn_status launch_sum(measurement *m, qn_event **event)
{
    return qn_measure_sum(m->queue, &m->configuration, &m->problem, m->from, m->result, event);
}

/* Factors for which every sequence converges to a normal number: 0.75 · 1 + 0.25 = 1. */
static qn_status launch_multiply_add(measurement *m, qn_event **event)
{
    return qn_measure_multiply_add(m->queue, &m->configuration, &m->problem, m->result, 0.75f, 0.25f, event);
}

static qn_status launch_reciprocal_root(measurement *m, qn_event **event)
{
    return qn_measure_reciprocal_root(m->queue, &m->configuration, &m->problem, m->result, 1.0f, event);
}

static qn_status launch_local_atomic_add(measurement *m, qn_event **event)
{
    return qn_measure_local_atomic_add(m->queue, &m->configuration, &m->problem, m->result, event);
}

static qn_status time_once(measurement *m, launch_function launch, double *seconds)
{
    qn_event *event = NULL;
    QN_TRY(launch(m, &event));
    qn_status status = qn_event_seconds(event, seconds);
    qn_event_destroy(&event);
    return status;
}

/* Median time of the launches; the first launch, which may compile and wake the device, is not counted. */
static qn_status time_median(measurement *m, launch_function launch, double *seconds)
{
    double times[LAUNCHES];
    QN_TRY(time_once(m, launch, seconds));
    for (int i = 0; i < LAUNCHES; i++) {
        double time;
        QN_TRY(time_once(m, launch, &time));
        int place = i;
        for (; place > 0 && times[place - 1] > time; place--) times[place] = times[place - 1];
        times[place] = time;
    }
    *seconds = times[LAUNCHES / 2];
    return QN_OK;
}

/* Lengthen the sequences until a launch takes long enough, then time it. *rate is operations per second; a chain does
 * one per step. */
static qn_status measure_chains(measurement *m, launch_function launch, int most_steps, double *rate)
{
    double seconds = 0;
    *rate = 0;
    m->problem.steps = 64;
    qn_status status = time_once(m, launch, &seconds);
    if (status == QN_OK) status = time_once(m, launch, &seconds);
    while (status == QN_OK && seconds < enough_s && m->problem.steps < most_steps) {
        m->problem.steps *= 2;
        status = time_once(m, launch, &seconds);
    }
    if (status == QN_OK) status = time_median(m, launch, &seconds);
    if (status == QN_OK && seconds > 0) *rate = (double)m->problem.chains * m->problem.steps / seconds;
    if (status != QN_UNSUPPORTED) return status;
    qn_error_clear(); /* an operation that the device does not support has the rate 0 */
    return QN_OK;
}

static qn_status measure_memory(measurement *m, launch_function launch, double bytes, double *rate)
{
    double seconds = 0;
    *rate = 0;
    qn_status status = time_median(m, launch, &seconds);
    if (status == QN_OK && seconds > 0) *rate = bytes / seconds;
    if (status != QN_UNSUPPORTED) return status;
    qn_error_clear();
    return QN_OK;
}

/* Choose problem sizes and a configuration for the kind of device. */
static void plan(measurement *m)
{
    const qn_device_info *info = m->info;
    size_t units = info->compute_units > 0 ? (size_t)info->compute_units : 1;
    bool gpu = info->kind != QN_DEVICE_CPU;
    /* Several times the size of every cache; on GPUs also work for milliseconds, so that start and end do not matter.
     */
    const size_t most = gpu ? (size_t)4 << 30 : (size_t)512 << 20;
    bool opencl = strncmp(qn_identifier_of_inner(info->identifier), "opencl", strlen("opencl")) == 0;
    size_t bytes = most;
    if (bytes > info->memory_bytes / 8) bytes = info->memory_bytes / 8;
    if (info->largest_buffer_bytes > 0 && bytes > info->largest_buffer_bytes / 2)
        bytes = info->largest_buffer_bytes / 2;
    m->problem.elements = (int)(bytes / 16 / QN_MEASURE_ELEMENTS_STEP) * QN_MEASURE_ELEMENTS_STEP;
    /* GPUs: more work-items than run at once; CPUs: a few groups per core, so that no core waits long for the last. */
    m->problem.partials = (int)(gpu ? units * 2048 : units * 8 * 64);
    m->problem.chains = (int)((gpu ? units * 32 : units * 16) * QN_MEASURE_CHAINS_STEP);
    m->configuration = qn_family_fallback(&qn_runtime_measure_family);
    if (gpu && info->largest_group >= 256) m->configuration.value[QN_MEASURE_GROUP_SIZE] = 256;
    if (!gpu) m->configuration.value[QN_MEASURE_ELEMENTS_PER_ITEM] = 256;
    if (!gpu && opencl) m->configuration.value[QN_MEASURE_VECTOR_WIDTH] = info->vector_width;
}

static qn_status prepare(measurement *m, qn_device *device)
{
    size_t large = (size_t)m->problem.elements * 16;
    size_t results = (size_t)(m->problem.chains > m->problem.partials ? m->problem.chains : m->problem.partials);
    if (m->problem.elements == 0)
        return QN_FAIL(QN_OUT_OF_MEMORY, "%s has too little memory to measure (%llu bytes)", m->info->identifier,
                       (unsigned long long)m->info->memory_bytes);
    QN_TRY(qn_queue_create(device, &m->queue));
    QN_TRY(qn_buffer_create(device, large, &m->from));
    QN_TRY(qn_buffer_create(device, large, &m->to));
    QN_TRY(qn_buffer_create(device, results * 4, &m->result));
    /* Memory that was never written may not be allocated yet, or all of it may be mapped to one page of zeros. */
    QN_TRY(qn_queue_fill(m->queue, m->from, 0, large, 1, NULL));
    QN_TRY(qn_queue_fill(m->queue, m->to, 0, large, 2, NULL));
    return qn_queue_finish(m->queue);
}

static qn_status measure(measurement *m, qn_device_rates *rates)
{
    const double bytes = 16.0 * m->problem.elements;
    QN_TRY(measure_memory(m, launch_copy, 2 * bytes, &rates->copy_bytes_per_s));
    QN_TRY(measure_memory(m, launch_sum, bytes, &rates->read_bytes_per_s));
    QN_TRY(measure_chains(m, launch_multiply_add, STEPS_MAX, &rates->multiply_adds_per_s));
    QN_TRY(measure_chains(m, launch_reciprocal_root, STEPS_MAX, &rates->reciprocal_roots_per_s));
    return measure_chains(m, launch_local_atomic_add, QN_MEASURE_STEPS_MAX, &rates->local_atomics_per_s);
}

qn_status qn_device_measure(qn_device *device, qn_device_rates *rates)
{
    measurement m = {.info = &device->info};
    memset(rates, 0, sizeof *rates);
    plan(&m);
    qn_status status = prepare(&m, device);
    if (status == QN_OK) status = measure(&m, rates);
    qn_buffer_release(&m.from);
    qn_buffer_release(&m.to);
    qn_buffer_release(&m.result);
    qn_queue_destroy(&m.queue);
    return status;
}
