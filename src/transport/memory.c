/* How much memory a run takes, before its search begins. */
#include <math.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "transport/bounds/roadmap.h"
#include "transport/run.h"

/* Of tables and names for each passage, of a drawing, and of poses and report while they are written (bytes). */
static const double passage_bytes = 400, drawing_bytes = 12e3, output_bytes = 1e6;
/* Of a receptor and its cells, for each atom; of the lists of near atoms, for each atom of the ligand; of a thread's
 * stack and heap. */
static const double receptor_atom_bytes = 600, list_bytes = 5.0 * sizeof(float) * QN_RECEPTOR_NEAR_MAX;
static const double thread_bytes = 4e5;
static const double mib = 1048576;

static int most_discs(const qn_transport_state *run)
{
    int most = 0;
    for (size_t i = 0; i < run->tunnel_count; i++)
        if (run->tunnels[i].discs.count > most) most = run->tunnels[i].discs.count;
    return most + qn_transport_extension(run->options);
}

static double passages_bytes(const qn_transport_state *run, int discs)
{
    const double passages = (double)qn_transport_pieces(run), bands = QN_TRANSPORT_BANDS * (double)run->snapshot_count;
    const double kept = fmin(passages, QN_TRANSPORT_KEPT + bands);
    const double tables = passages * (sizeof(qn_passage_summary) + passage_bytes) + kept * 5 * 8 * discs;
    return output_bytes + tables + fmin(passages, QN_TRANSPORT_PROFILES) * drawing_bytes;
}

/* Of threads, their lists, and receptors beyond the one that is read. */
static double lanes_bytes(const qn_transport_state *run, int lanes)
{
    const double receptors = lanes > 1 ? lanes * receptor_atom_bytes * (double)run->reader.receptor.atom_count : 0;
    const int threads = qn_pool_threads(run->job->pool);
    return receptors + threads * list_bytes * run->most_atoms + (threads - 1) * thread_bytes;
}

qn_status qn_transport_check_memory(qn_transport_state *run)
{
    QN_TRY(qn_passage_reader_go(run, 0)); /* the process then has a receptor and a ligand */
    const qn_transport_options *options = run->options;
    const int discs = most_discs(run), lanes = qn_transport_lanes(run);
    const double search = qn_bounds_bytes(discs, run->most_torsions, run->most_atoms, options->poses, options->effort,
                                          options->bound != QN_TRANSPORT_LOWER);
    const double all =
        qn_memory_resident_bytes() + lanes * search + lanes_bytes(run, lanes) + passages_bytes(run, discs);
    const double allowed = (double)options->run.memory_bytes;
    if (options->run.explain)
        qn_log(QN_LOG_NOTE,
               "passages of up to %d discs, with ligands of up to %d atoms and %d torsions, take about %.1f MiB; both "
               "bounds of one take %.1f MiB of it, with %d at a time",
               discs, run->most_atoms, run->most_torsions, all / mib, search / mib, lanes);
    if (allowed > 0 && all > allowed)
        return QN_FAIL(QN_OUT_OF_MEMORY,
                       "the run takes about %.1f MiB; expected at most the %.1f MiB of --memory: fewer --poses, less "
                       "--effort or fewer --threads take less",
                       all / mib, allowed / mib);
    return QN_OK;
}
