/* How much memory a run takes, before its search begins. */
#include <math.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "transport/bounds/roadmap.h"
#include "transport/run.h"

/* Of tables and names for each passage, of a drawing, and of poses and report while they are written (bytes). */
static const double passage_bytes = 400, drawing_bytes = 12e3, output_bytes = 1e6;
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
    const double passages = (double)qn_transport_pieces(run), kept = fmin(passages, QN_TRANSPORT_KEPT);
    const double tables = passages * (sizeof(qn_passage_summary) + passage_bytes) + kept * 5 * 8 * discs;
    return output_bytes + tables + fmin(passages, QN_TRANSPORT_PROFILES) * drawing_bytes;
}

qn_status qn_transport_check_memory(qn_transport_state *run)
{
    QN_TRY(qn_passage_reader_go(run, 0)); /* the process then has a receptor and a ligand */
    const qn_transport_options *options = run->options;
    const int discs = most_discs(run);
    const double search = qn_bounds_bytes(discs, run->most_torsions, run->most_atoms, options->poses, options->effort,
                                          options->bound != QN_TRANSPORT_LOWER);
    const double all = qn_memory_resident_bytes() + search + passages_bytes(run, discs);
    const double allowed = (double)options->run.memory_bytes;
    if (options->run.explain)
        qn_log(QN_LOG_NOTE,
               "passages of up to %d discs, with ligands of up to %d atoms and %d torsions, take about %.1f MiB; both "
               "bounds of one take %.1f MiB of it",
               discs, run->most_atoms, run->most_torsions, all / mib, search / mib);
    if (allowed > 0 && all > allowed)
        return QN_FAIL(QN_OUT_OF_MEMORY,
                       "the run takes about %.1f MiB; expected at most the %.1f MiB of --memory: fewer --poses or less "
                       "--effort take less",
                       all / mib, allowed / mib);
    return QN_OK;
}
