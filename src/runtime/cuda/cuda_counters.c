/* Counters of a CUDA device: CUPTI's range profiler with a range for each kernel. The caller's function runs once per
 * pass, because CUPTI's own replay saves and restores all memory that a kernel can write, gigabytes each time. */
#include "runtime/cuda/cuda_counters.h"

#include <math.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "runtime/cuda/cuda_driver.h"

enum { KERNELS_MAX = 128 };

typedef struct cuda_counters {
    qn_cupti_api cupti;
    qn_cuda_device *device;
    qn_counter_plan plan;
} cuda_counters;

/* State of one collection. */
typedef struct collection {
    const qn_cupti_api *cupti;
    void *profiler; /* CUPTI's object; NULL: not enabled */
    uint8_t *data;
    size_t data_bytes, ranges;
} collection;

static qn_status find_chip(cuda_counters *counters, const char **chip)
{
    qn_cupti_initialize initialize = {.size = QN_CUPTI_SIZE(qn_cupti_initialize, reserved)};
    QN_TRY(qn_cupti_call(&counters->cupti, QN_CUPTI_INITIALIZE, &initialize));
    qn_cupti_chip_name name = {.size = QN_CUPTI_SIZE(qn_cupti_chip_name, chip), .device = (size_t)counters->device->id};
    QN_TRY(qn_cupti_call(&counters->cupti, QN_CUPTI_CHIP_NAME, &name));
    *chip = name.chip;
    return QN_OK;
}

/* Get CUPTI's image of the counters that this device has. Fails if this user may not read them. */
static qn_status find_availability(cuda_counters *counters, uint8_t **image)
{
    qn_cupti_availability availability = {.size = QN_CUPTI_SIZE(qn_cupti_availability, image),
                                          .context = counters->device->context};
    QN_TRY(qn_cupti_call(&counters->cupti, QN_CUPTI_AVAILABILITY, &availability));
    QN_TRY(qn_allocate(availability.image_bytes, 1, (void **)image));
    availability.image = *image;
    return qn_cupti_call(&counters->cupti, QN_CUPTI_AVAILABILITY, &availability);
}

static qn_status open_counters(cuda_counters *counters)
{
    const char *chip = NULL;
    uint8_t *availability = NULL;
    QN_TRY(qn_cupti_load(&counters->cupti));
    QN_TRY(qn_cuda_enter(counters->device));
    QN_TRY(find_chip(counters, &chip));
    qn_status status = find_availability(counters, &availability);
    if (status == QN_OK) status = qn_counter_plan_make(&counters->cupti, chip, availability, &counters->plan);
    qn_release(&availability);
    return status;
}

/* CUPTI stays initialised, because other code of this process may use it. */
static void destroy(void *opaque)
{
    cuda_counters *counters = opaque;
    if (counters->cupti.library) {
        qn_counter_plan_clear(&counters->cupti, &counters->plan);
        qn_cupti_unload(&counters->cupti);
    }
    qn_release(&counters);
}

static qn_status create(qn_driver_device device, void **counters)
{
    QN_TRY(qn_allocate(1, sizeof(cuda_counters), counters));
    ((cuda_counters *)*counters)->device = device;
    const qn_status status = open_counters(*counters);
    if (status == QN_OK) return QN_OK;
    destroy(*counters);
    *counters = NULL;
    return status;
}

static size_t passes(const void *counters)
{
    return ((const cuda_counters *)counters)->plan.passes;
}

static qn_status make_data(collection *c, const qn_counter_plan *plan)
{
    qn_cupti_data_size size = {.size = QN_CUPTI_SIZE(qn_cupti_data_size, data_bytes),
                               .profiler = c->profiler,
                               .names = (const char **)plan->metrics,
                               .count = plan->count,
                               .most_ranges = KERNELS_MAX,
                               .most_nodes = KERNELS_MAX};
    QN_TRY(qn_cupti_call(c->cupti, QN_CUPTI_DATA_SIZE, &size));
    QN_TRY(qn_allocate(size.data_bytes, 1, (void **)&c->data));
    c->data_bytes = size.data_bytes;
    qn_cupti_data_initialize initialize = {.size = QN_CUPTI_SIZE(qn_cupti_data_initialize, data),
                                           .profiler = c->profiler,
                                           .data_bytes = c->data_bytes,
                                           .data = c->data};
    return qn_cupti_call(c->cupti, QN_CUPTI_DATA_INITIALIZE, &initialize);
}

static qn_status configure(collection *c, const qn_counter_plan *plan)
{
    qn_cupti_set_config config = {.size = QN_CUPTI_SIZE(qn_cupti_set_config, nesting_level),
                                  .profiler = c->profiler,
                                  .image_bytes = plan->image_bytes,
                                  .image = plan->image,
                                  .data_bytes = c->data_bytes,
                                  .data = c->data,
                                  .range_mode = QN_CUPTI_AutoRange,
                                  .replay_mode = QN_CUPTI_UserReplay,
                                  .most_ranges = KERNELS_MAX,
                                  .nesting_levels = 1,
                                  .least_nesting_level = 1,
                                  .nesting_level = 1};
    return qn_cupti_call(c->cupti, QN_CUPTI_SET_CONFIG, &config);
}

/* Run one pass and stop it even if `run` fails. */
static qn_status run_pass(collection *c, qn_status (*run)(void *user), void *user, bool *all_done)
{
    qn_cupti_profiler start = {.size = QN_CUPTI_SIZE(qn_cupti_profiler, profiler), .profiler = c->profiler};
    qn_cupti_stop stop = {.size = QN_CUPTI_SIZE(qn_cupti_stop, all_passes_submitted), .profiler = c->profiler};
    QN_TRY(qn_cupti_call(c->cupti, QN_CUPTI_START, &start));
    qn_status status = run(user);
    if (status != QN_OK) {
        (void)c->cupti->function[QN_CUPTI_STOP](&stop);
        return status;
    }
    QN_TRY(qn_cupti_call(c->cupti, QN_CUPTI_STOP, &stop));
    *all_done = stop.all_passes_submitted != 0;
    return QN_OK;
}

static qn_status run_passes(collection *c, const qn_counter_plan *plan, qn_status (*run)(void *user), void *user)
{
    bool all_done = false;
    size_t pass = 0;
    for (; !all_done; pass++) {
        if (pass > 2 * plan->passes + 2)
            return QN_FAIL(QN_UNSUPPORTED, "CUPTI wants more than the %zu passes it planned", plan->passes);
        QN_TRY(run_pass(c, run, user, &all_done));
    }
    qn_cupti_decode decode = {.size = QN_CUPTI_SIZE(qn_cupti_decode, dropped_ranges), .profiler = c->profiler};
    QN_TRY(qn_cupti_call(c->cupti, QN_CUPTI_DECODE, &decode));
    qn_cupti_data_info info = {
        .size = QN_CUPTI_SIZE(qn_cupti_data_info, ranges), .data = c->data, .data_bytes = c->data_bytes};
    QN_TRY(qn_cupti_call(c->cupti, QN_CUPTI_DATA_INFO, &info));
    qn_log(QN_LOG_DEBUG, "counted %zu kernels in %zu passes of %zu planned, %zu kernels dropped, %zu bytes",
           info.ranges, pass, plan->passes, decode.dropped_ranges, c->data_bytes);
    if (decode.dropped_ranges > 0)
        return QN_FAIL(QN_UNSUPPORTED, "%zu kernels were not counted: a run may launch at most %d",
                       decode.dropped_ranges, KERNELS_MAX);
    if (info.ranges == 0) return QN_FAIL(QN_UNSUPPORTED, "CUPTI counted no kernel in %zu passes", pass);
    c->ranges = info.ranges;
    return QN_OK;
}

/* Get the value of a metric for one kernel; NaN: CUPTI gives none. */
static double evaluate(const collection *c, const qn_counter_plan *plan, size_t range, size_t metric)
{
    double value = NAN;
    const char *name = plan->metrics[metric];
    qn_cupti_evaluate evaluate = {.size = QN_CUPTI_SIZE(qn_cupti_evaluate, values),
                                  .host = plan->host,
                                  .data = c->data,
                                  .data_bytes = c->data_bytes,
                                  .range = range,
                                  .names = &name,
                                  .count = 1,
                                  .values = &value};
    if (qn_cupti_call(c->cupti, QN_CUPTI_EVALUATE, &evaluate) == QN_OK) return value;
    qn_log(QN_LOG_DEBUG, "counter %s of kernel %zu: %s", name, range, qn_error_message());
    qn_error_clear();
    return NAN;
}

static qn_status evaluate_all(const collection *c, const qn_counter_plan *plan, double *values)
{
    double all_time = 0, sums[QN_CUDA_COUNTERS] = {0};
    for (size_t range = 0; range < c->ranges; range++) {
        double time = plan->time_metric >= 0 ? evaluate(c, plan, range, (size_t)plan->time_metric) : 1;
        if (!(time > 0)) time = 1;
        all_time += time;
        for (size_t m = 0; m < plan->count; m++) sums[m] += evaluate(c, plan, range, m) * (plan->summed[m] ? 1 : time);
    }
    bool any = false;
    for (size_t m = 0; m < plan->count; m++) {
        double value = plan->summed[m] ? sums[m] : sums[m] / all_time;
        values[plan->counter[m]] = value;
        any = any || isfinite(value);
    }
    if (!any)
        return QN_FAIL(QN_UNSUPPORTED, "CUPTI evaluated none of %zu counters of %zu kernels", plan->count, c->ranges);
    return QN_OK;
}

static qn_status collect(void *opaque, qn_status (*run)(void *user), void *user, double *values)
{
    cuda_counters *counters = opaque;
    const qn_counter_plan *plan = &counters->plan;
    collection c = {.cupti = &counters->cupti};
    for (int i = 0; i < QN_CUDA_COUNTERS; i++) values[i] = NAN;
    QN_TRY(qn_cuda_enter(counters->device));
    qn_cupti_enable enable = {.size = QN_CUPTI_SIZE(qn_cupti_enable, profiler), .context = counters->device->context};
    qn_status status = qn_cupti_call(c.cupti, QN_CUPTI_ENABLE, &enable);
    c.profiler = enable.profiler;
    if (status == QN_OK) status = make_data(&c, plan);
    if (status == QN_OK) status = configure(&c, plan);
    if (status == QN_OK) status = run_passes(&c, plan, run, user);
    if (status == QN_OK) status = evaluate_all(&c, plan, values);
    if (c.profiler) {
        qn_cupti_profiler disable = {.size = QN_CUPTI_SIZE(qn_cupti_profiler, profiler), .profiler = c.profiler};
        int result = c.cupti->function[QN_CUPTI_DISABLE](&disable);
        if (result != QN_CUPTI_SUCCESS)
            qn_log(QN_LOG_WARNING, "%s failed with %s (%d)", qn_cupti_function_name(QN_CUPTI_DISABLE),
                   qn_cupti_result_name(c.cupti, result), result);
    }
    qn_release(&c.data);
    return status;
}

const qn_driver_counters qn_cuda_counters = {qn_cuda_counter_names, create, destroy, passes, collect};
