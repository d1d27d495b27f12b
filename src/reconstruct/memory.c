#define _POSIX_C_SOURCE 200809L
/* Estimate of the memory of a run, logged and checked before the run starts. */
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "reconstruct/run.h"

/* Memory of an idle process, and of a driver with its compiler. */
static const uint64_t process_bytes = 16 << 20, driver_bytes = 96 << 20;

/* Estimate the memory of this process: particles, staged images, gathered sums, the finishing step, maps that are kept,
 * and buffers of CPU devices. */
static void estimate_memory(qn_reconstruct_state *run)
{
    const qn_finish_options finish = {.map_side = run->map_side, .weights = run->options->weights};
    const uint64_t edge = (uint64_t)run->map_side, map = sizeof(float) * edge * edge * edge;
    const uint64_t pixels = (uint64_t)run->accumulation.largest_image_side * run->accumulation.largest_image_side;
    const uint64_t volume = 3 * sizeof(float) * qn_fourier_sums_voxels(run->side);
    const uint64_t staged =
        run->plan.batch_count > 1 ? 2 : 1; /* memory of the second batch is touched if there is one */
    uint64_t kept = process_bytes;
    for (int i = 0; i < run->job->device_count; i++) {
        const qn_device_info *info = qn_device_get_info(run->job->devices[i]);
        uint64_t bytes;
        int slabs;
        qn_accumulator_estimate(run->job->devices[i], &run->accumulation, &bytes, &slabs);
        if (slabs > run->result.slabs) run->result.slabs = slabs;
        if (bytes > run->result.device_memory_bytes) run->result.device_memory_bytes = bytes;
        if (info->kind == QN_DEVICE_CPU) kept += bytes;
        if (strcmp(qn_device_inner_driver(run->job->devices[i]), "host") != 0) kept += driver_bytes;
        if (slabs > 1) kept += volume * (uint64_t)run->halves + volume / (uint64_t)slabs * 2 / 3;
        kept += staged * sizeof(float) * pixels * (uint64_t)run->batch;
    }
    if (run->halves == 2) kept += 2 * map;
    if (run->options->write_weights) kept += volume / 3;
    run->result.memory_bytes = run->particles->particle_count * (sizeof(qn_particle) + sizeof(size_t)) + kept + volume +
                               qn_reconstruct_finish_bytes(run->side, &finish);
}

qn_status qn_reconstruct_check_memory(qn_reconstruct_state *run)
{
    const uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t machine = all / (uint64_t)qn_ranks_local_count(run->job->ranks);
    const uint64_t allowed = run->options->run.memory_bytes ? run->options->run.memory_bytes : machine;
    const double gib = 1024.0 * 1024 * 1024;
    estimate_memory(run);
    qn_log(QN_LOG_NOTE, "%zu image%s of %d x %d pixels, volume padded to %d; memory: about %.2f GiB",
           run->plan.image_count, run->plan.image_count == 1 ? "" : "s", run->map_side, run->map_side, run->side,
           (double)run->result.memory_bytes / gib);
    if (run->result.slabs > 1)
        qn_log(QN_LOG_NOTE, "the volume does not fit into the device's memory and is inserted in %d slabs",
               run->result.slabs);
    if (run->result.memory_bytes <= allowed) return QN_OK;
    return QN_FAIL(
        QN_OUT_OF_MEMORY,
        "a volume of %d voxels a side takes about %.3g GiB of memory and %.3g GiB are allowed; a smaller padding or "
        "batch takes less",
        run->side, (double)run->result.memory_bytes / gib, (double)allowed / gib);
}
