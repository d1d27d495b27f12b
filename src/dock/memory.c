/* Memory of a docking run, checked before the grids are computed: large ones take most of a machine's memory. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "dock/run.h"

static const uint64_t process_bytes = 16 << 20; /* of a process without grids */
static const double gib = 1024.0 * 1024 * 1024;

/* Memory that this process may take without driving out others: what the kernel says is available, else all there is.
 */
static uint64_t free_bytes(void)
{
    uint64_t kib = 0;
    char line[128];
    FILE *stream = fopen("/proc/meminfo", "r");
    while (stream && kib == 0 && fgets(line, sizeof line, stream))
        if (sscanf(line, "MemAvailable: %" SCNu64 " kB", &kib) != 1) kib = 0;
    if (stream) fclose(stream);
    return kib ? kib * 1024 : (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Bytes of the host besides the receptor's layers: while these are computed, while the searches of CPUs are in memory
 * and the receptor is transformed for another one, and while poses are ranked and refined; whichever is most. */
static qn_status estimate_stages(const qn_dock_state *run, uint64_t *bytes)
{
    const uint64_t volume = qn_dock_grid_volume(&run->grid);
    const uint64_t plane = (uint64_t)run->grid.cells[0] * (uint64_t)run->grid.cells[1] * sizeof(double);
    /* receptor_grids.c: for each cell a mark, and less than one seed of the flood */
    const uint64_t fill = volume * (sizeof(size_t) + 1) + plane * (uint64_t)qn_context_threads(run->job->context);
    const uint64_t grids = volume * sizeof(float) * (uint64_t)run->energy.grid_count;
    uint64_t searches = grids;
    for (int i = 0; i < run->job->device_count; i++) {
        qn_dock_search_options options = qn_dock_search_options_of(run, i);
        size_t device_bytes;
        QN_TRY(qn_dock_search_check(run->job->devices[i], &run->grid, &run->energy, (int)run->ligand.site_count,
                                    run->rotation_count, &options, &device_bytes));
        if (qn_device_get_info(run->job->devices[i])->kind == QN_DEVICE_CPU) searches += device_bytes;
    }
    /* the cells, which the ranking reads, with the weighted layers of one set, which the refinement reads */
    const uint64_t rank = qn_dock_cells_bytes(&run->energy, &run->grid, (size_t)run->energy.grid_count + 1);
    *bytes = fill > searches ? fill : searches;
    if (rank > *bytes) *bytes = rank;
    return QN_OK;
}

qn_status qn_dock_check_memory(const qn_dock_state *run)
{
    const uint64_t asked = run->options->run.memory_bytes;
    const uint64_t allowed = asked ? asked : free_bytes() / (uint64_t)qn_ranks_local_count(run->job->ranks);
    uint64_t needed;
    QN_TRY(estimate_stages(run, &needed));
    needed += process_bytes + qn_dock_grid_volume(&run->grid) * sizeof(float) * run->energy.layer_count;
    if (needed <= allowed) return QN_OK;
    return QN_FAIL(
        QN_OUT_OF_MEMORY,
        "a grid of %d x %d x %d cells takes about %.3g GiB of memory with these coefficient sets, and %.3g GiB "
        "are %s; expected a larger --spacing, a smaller --grid, or fewer coefficient sets",
        run->grid.cells[0], run->grid.cells[1], run->grid.cells[2], (double)needed / gib, (double)allowed / gib,
        asked ? "allowed by --memory" : "free");
}
