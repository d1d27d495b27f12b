#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "runtime/cuda/cuda_counters.h"

#define INSTRUCTIONS(class) "smsp__sass_thread_inst_executed_op_" class "_pred_on.sum"

/* The first 33 are the counters of the recorded spaces that portable models are trained on. */
static const char *const NAMES[QN_CUDA_COUNTERS] = {
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "dram__sectors_read.sum",
    "dram__sectors_write.sum",
    "lts__t_sectors.avg.pct_of_peak_sustained_elapsed",
    "lts__t_sectors_op_read.sum",
    "lts__t_sectors_op_write.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.avg.pct_of_peak_sustained_active",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "smsp__cycles_active.avg.pct_of_peak_sustained_elapsed",
    INSTRUCTIONS("fp16"),
    INSTRUCTIONS("fp32"),
    INSTRUCTIONS("fp64"),
    INSTRUCTIONS("integer"),
    INSTRUCTIONS("control"),
    INSTRUCTIONS("memory"),
    INSTRUCTIONS("misc"),
    INSTRUCTIONS("conversion"),
    "smsp__inst_executed.sum",
    "smsp__inst_executed_pipe_fp16.sum",
    "smsp__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active",
    "smsp__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active",
    "smsp__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active",
    "smsp__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active",
    "smsp__inst_executed_pipe_tex.avg.pct_of_peak_sustained_active",
    "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "smsp__thread_inst_executed_per_inst_executed.ratio",
    "smsp__thread_inst_executed_per_inst_executed.pct",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    INSTRUCTIONS("ffma"),
    "gpu__time_duration.sum", /* ns */
};

/* Other names that some chips use for the same counters. */
static const struct {
    const char *name, *instead;
} OTHER_NAMES[] = {
    {"dram__sectors_read.sum", "dram__sectors_op_read.sum"},
    {"dram__sectors_write.sum", "dram__sectors_op_write.sum"},
    {"dram__bytes_read.sum", "dram__bytes_op_read.sum"},
    {"dram__bytes_write.sum", "dram__bytes_op_write.sum"},
    {"smsp__inst_executed_pipe_fp16.sum", "smsp__inst_executed_pipe_fma_type_fp16.sum"},
};

const char *const *qn_cuda_counter_names(size_t *count)
{
    *count = QN_CUDA_COUNTERS;
    return NAMES;
}

static qn_status open_host(const qn_cupti_api *api, const char *chip, const uint8_t *availability, void **host)
{
    qn_cupti_host_initialize initialize = {.size = QN_CUPTI_SIZE(qn_cupti_host_initialize, host),
                                           .profiler_type = QN_CUPTI_PROFILER_TYPE_RANGE_PROFILER,
                                           .chip = chip,
                                           .availability = availability};
    *host = NULL;
    QN_TRY(qn_cupti_call(api, QN_CUPTI_HOST_INITIALIZE, &initialize));
    *host = initialize.host;
    return QN_OK;
}

static void close_host(const qn_cupti_api *api, void **host)
{
    qn_cupti_host_deinitialize deinitialize = {.size = QN_CUPTI_SIZE(qn_cupti_host_deinitialize, host), .host = *host};
    if (*host) (void)api->function[QN_CUPTI_HOST_DEINITIALIZE](&deinitialize);
    *host = NULL;
}

static qn_status add_metrics(const qn_cupti_api *api, void *host, const char **names, size_t count)
{
    qn_cupti_add_metrics add = {
        .size = QN_CUPTI_SIZE(qn_cupti_add_metrics, count), .host = host, .names = names, .count = count};
    return count > 0 ? qn_cupti_call(api, QN_CUPTI_ADD_METRICS, &add) : QN_OK;
}

/* Add one metric. A name that CUPTI refuses makes its object unusable: then make a new one and add the earlier metrics
 * again. */
static qn_status add_or_begin_anew(const qn_cupti_api *api, const char *chip, const uint8_t *availability,
                                   const char *name, qn_counter_plan *plan, bool *added)
{
    *added = add_metrics(api, plan->host, &name, 1) == QN_OK;
    if (*added) return QN_OK;
    qn_log(QN_LOG_DEBUG, "%s does not count %s: %s", chip, name, qn_error_message());
    qn_error_clear();
    close_host(api, &plan->host);
    QN_TRY(open_host(api, chip, availability, &plan->host));
    return add_metrics(api, plan->host, plan->metrics, plan->count);
}

static bool ends_in_sum(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".sum") == 0;
}

static qn_status choose(const qn_cupti_api *api, const char *chip, const uint8_t *availability, qn_counter_plan *plan)
{
    for (int i = 0; i < QN_CUDA_COUNTERS; i++) {
        const char *metric = NAMES[i];
        bool added;
        QN_TRY(add_or_begin_anew(api, chip, availability, metric, plan, &added));
        for (size_t o = 0; o < sizeof OTHER_NAMES / sizeof *OTHER_NAMES && !added; o++) {
            if (strcmp(OTHER_NAMES[o].name, NAMES[i]) != 0) continue;
            metric = OTHER_NAMES[o].instead;
            QN_TRY(add_or_begin_anew(api, chip, availability, metric, plan, &added));
        }
        if (!added) continue;
        plan->counter[plan->count] = i;
        plan->summed[plan->count] = ends_in_sum(NAMES[i]);
        if (i == QN_CUDA_COUNTERS - 1) plan->time_metric = (int)plan->count;
        plan->metrics[plan->count++] = metric;
    }
    if (plan->count == 0) return QN_FAIL(QN_UNSUPPORTED, "CUPTI has none of the counters for the chip %s", chip);
    return QN_OK;
}

static qn_status make_image(const qn_cupti_api *api, qn_counter_plan *plan)
{
    qn_cupti_image_size size = {.size = QN_CUPTI_SIZE(qn_cupti_image_size, image_bytes), .host = plan->host};
    QN_TRY(qn_cupti_call(api, QN_CUPTI_IMAGE_SIZE, &size));
    QN_TRY(qn_allocate(size.image_bytes, 1, (void **)&plan->image));
    plan->image_bytes = size.image_bytes;
    qn_cupti_image image = {.size = QN_CUPTI_SIZE(qn_cupti_image, image),
                            .host = plan->host,
                            .image_bytes = plan->image_bytes,
                            .image = plan->image};
    QN_TRY(qn_cupti_call(api, QN_CUPTI_IMAGE, &image));
    qn_cupti_passes passes = {
        .size = QN_CUPTI_SIZE(qn_cupti_passes, passes), .image_bytes = plan->image_bytes, .image = plan->image};
    QN_TRY(qn_cupti_call(api, QN_CUPTI_PASSES, &passes));
    plan->passes = passes.passes;
    return QN_OK;
}

qn_status qn_counter_plan_make(const qn_cupti_api *api, const char *chip, const uint8_t *availability,
                               qn_counter_plan *plan)
{
    *plan = (qn_counter_plan){.time_metric = -1};
    qn_status status = open_host(api, chip, availability, &plan->host);
    if (status == QN_OK) status = choose(api, chip, availability, plan);
    if (status == QN_OK) status = make_image(api, plan);
    if (status != QN_OK) qn_counter_plan_clear(api, plan);
    return status;
}

void qn_counter_plan_clear(const qn_cupti_api *api, qn_counter_plan *plan)
{
    close_host(api, &plan->host);
    qn_release(&plan->image);
    *plan = (qn_counter_plan){.time_metric = -1};
}
