/* The tuner of a docking run. */
#include <math.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "dock/run.h"

/* Transforms take most of the time of a rotation; each takes 2.5 N log2 N operations. Rates are in operations per
 * second, for each core or GPU. They are low, so that the estimated length of a run is not too short. */
static const double cpu_core_rate = 2e9, gpu_rate = 3e11;

static double estimate_seconds(const qn_dock_state *run)
{
    double volume = (double)qn_dock_grid_volume(&run->grid), rate = 0;
    double transforms = (double)run->rotation_count * (run->energy.grid_count + (double)run->energy.set_count);
    for (int i = 0; i < run->job->device_count; i++) {
        const qn_device_info *info = qn_device_get_info(run->job->devices[i]);
        rate += info->kind == QN_DEVICE_CPU ? cpu_core_rate * info->compute_units : gpu_rate;
    }
    return transforms * 2.5 * volume * log2(volume) / rate;
}

qn_status qn_dock_tuning_start(qn_dock_state *run)
{
    return qn_job_tune(run->job, estimate_seconds(run));
}

qn_status qn_dock_tuning_explore(qn_dock_state *run, qn_dock_search *search)
{
    const size_t each = run->energy.set_count * (size_t)run->options->per_rotation;
    const double start_s = qn_clock_s();
    bool explores;
    void *hits;
    QN_TRY(qn_tuning_explores(&run->job->tuning, 0, &explores));
    if (!explores) return QN_OK;
    QN_TRY(qn_allocate((size_t)qn_dock_search_batch(search) * each, sizeof(qn_dock_hit), &hits));
    qn_status status = QN_OK;
    while (status == QN_OK && explores) {
        status = qn_dock_search_submit(search, 0, 0);
        if (status == QN_OK) status = qn_dock_search_collect(search, 0, hits);
        if (status == QN_OK) status = qn_tuning_explores(&run->job->tuning, qn_clock_s() - start_s, &explores);
    }
    qn_release(&hits);
    return status;
}
