/* How much memory a run of flexible molecules takes, before its search begins. */
#include <math.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "runtime/device.h"
#include "score/vina.h"
#include "screen/library.h"
#include "screen/molecule.h"
#include "screen/pipeline.h"

enum { SEEN_MAX = 64 }; /* molecules that an estimate reads */
static const double mib = 1048576;
/* Of pages of the program and of buffers that are first used during the run, and of the best poses and the report while
 * they are written, when nothing is searched any more (bytes). */
static const double running_bytes = 3.5e6, output_bytes = 7.5e6;

/* The first molecules of the libraries. */
typedef struct seen_molecules {
    bool has_type[QN_VINA_TYPES];
    int count, type_count;
    double bytes;    /* of all of them together */
    double expected; /* molecules of all libraries */
} seen_molecules;

static void see_molecule(const qn_screen_molecule *molecule, seen_molecules *seen)
{
    const qn_flexible_tree *tree = &molecule->tree;
    const qn_compound *compound = molecule->compound;
    for (int i = 0; i < tree->moving_count; i++) {
        seen->type_count += !seen->has_type[tree->type[i]];
        seen->has_type[tree->type[i]] = true;
    }
    seen->count++;
    seen->bytes += (double)compound->atom_count * (sizeof *compound->atoms + 3 * sizeof(double)) +
                   (double)compound->bond_count * sizeof *compound->bonds +
                   tree->atom_count * (3 * sizeof(int) + 3 * sizeof(double)) +
                   tree->piece_count * sizeof *tree->pieces + (double)tree->pair_count * sizeof *tree->pairs +
                   (double)molecule->made_size + QN_SCREEN_MINIMA * sizeof(qn_screen_pose);
}

static qn_status see_library(const qn_screen_state *run, seen_molecules *seen)
{
    const qn_screen_sources sources = qn_screen_sources_of(run->options);
    qn_compound_record record = {0};
    qn_screen_library *library;
    QN_TRY(qn_screen_library_open(&sources, &library));
    qn_status status = QN_OK;
    for (uint64_t i = 0; i < SEEN_MAX && status == QN_OK; i++) {
        qn_screen_molecule molecule;
        status = qn_screen_library_seek(library, i, &record);
        if (status != QN_OK || record.size == 0) break;
        status = qn_screen_molecule_make(run, &record, i, qn_screen_library_file(library), &molecule);
        if (status == QN_OK && !molecule.reason) see_molecule(&molecule, seen);
        if (status == QN_OK) qn_screen_molecule_clear(&molecule);
    }
    if (qn_screen_is_librarys_fault(status)) { /* the run tells it when it comes to that place */
        status = QN_OK;
        qn_error_clear();
    }
    seen->expected = (double)qn_screen_library_estimate(library);
    qn_compound_record_clear(&record);
    qn_screen_library_close(&library);
    return status;
}

/* Memory (bytes) of the process, and of the largest GPU. */
static void estimate(const qn_screen_state *run, const qn_screen_room *room, const seen_molecules *seen,
                     double *process, double *gpu)
{
    const double waiting = fmin(seen->expected, (double)room->molecules),
                 pieces = fmin(room->pieces, ceil(waiting / QN_SCREEN_PIECE));
    double search = waiting * seen->bytes / fmax(1, seen->count);
    *gpu = 0;
    for (int i = 0; i < run->job->device_count; i++) {
        const bool is_gpu = qn_device_get_info(run->job->devices[i])->kind == QN_DEVICE_GPU;
        const double searchers = is_gpu ? room->searchers_of_a_gpu : 1;
        search += searchers * pieces * (double)room->piece_bytes;
        if (!room->searchers[i]) continue;
        const qn_flexible_memory memory = qn_flexible_searcher_memory(room->searchers[i]);
        const double together = fmin(fmin(memory.together, waiting), pieces * QN_SCREEN_PIECE),
                     on_device =
                         searchers * (memory.receptor + seen->type_count * memory.map + together * memory.molecule);
        search += searchers * together * memory.molecule_copies + (is_gpu ? 0 : on_device);
        if (is_gpu) *gpu = fmax(*gpu, on_device);
    }
    *process = room->resident_bytes + running_bytes + fmax(search, output_bytes);
}

static void explain(const qn_screen_room *room, const seen_molecules *seen, double process, double gpu)
{
    const double map = room->searchers[0] ? qn_flexible_searcher_memory(room->searchers[0]).map : 0;
    qn_log(QN_LOG_NOTE, "the run will take about %.1f MiB", process / mib);
    if (gpu > 0) qn_log(QN_LOG_NOTE, "it will take about %.1f MiB of a GPU besides", gpu / mib);
    if (map > 0)
        qn_log(QN_LOG_NOTE, "%d types of atoms, which the first %d molecules have, take maps of %.1f MiB each",
               seen->type_count, seen->count, map / mib);
}

qn_status qn_screen_check_memory(const qn_screen_state *run, const qn_screen_room *room)
{
    const qn_run_options *options = &run->options->run;
    const double allowed = (double)options->memory_bytes;
    seen_molecules seen = {{0}};
    double process, gpu;
    if (!options->explain && allowed <= 0) return QN_OK;
    QN_TRY(see_library(run, &seen));
    estimate(run, room, &seen, &process, &gpu);
    if (options->explain) explain(room, &seen, process, gpu);
    if (allowed > 0 && process > allowed)
        return QN_FAIL(
            QN_OUT_OF_MEMORY,
            "the run takes about %.1f MiB; expected at most the %.1f MiB of --memory: a smaller box or fewer "
            "--walkers take less",
            process / mib, allowed / mib);
    return QN_OK;
}
