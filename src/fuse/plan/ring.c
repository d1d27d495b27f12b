/* Whether the body of a loop runs faster as a ring: the last kernels of a round then share kernels with the first ones
 * of the next round. */
#include <math.h>

#include "base/memory.h"
#include "fuse/plan/plan.h"

static qn_status section_cost(const qn_graph *graph, int section, const qn_plan_options *options, double *cost_s)
{
    qn_calls groups[QN_GRAPH_CALLS_MAX];
    qn_scope scope;
    int count;
    qn_scope_make(graph, section, &scope);
    return qn_partition_choose(&scope, options, groups, &count, cost_s);
}

/* Seconds of a round: the ring, and where rounds are checked its head and tail instead. */
static qn_status ring_cost(const qn_graph *graph, int section, const qn_plan_options *options, double *cost_s)
{
    const qn_section *loop = &graph->sections[section];
    double parts_s[3];
    const int64_t rounds = options->sizes->of[loop->rounds];
    const double breaks = loop->has_until ? 1.0 / loop->every : rounds > 0 ? 1.0 / (double)rounds : 1;
    for (int i = 0; i < 3; i++) QN_TRY(section_cost(graph, section + i, options, &parts_s[i]));
    *cost_s = (1 - breaks) * parts_s[1] + breaks * (parts_s[0] + parts_s[2]);
    return QN_OK;
}

/* Try rings whose late calls are those of the last kernels. */
static qn_status find_ring(const qn_graph *graph, int section, const qn_plan_options *options, qn_graph **best)
{
    qn_calls groups[QN_GRAPH_CALLS_MAX], late = 0;
    qn_scope scope;
    double best_s, cost_s;
    int count;
    *best = NULL;
    qn_scope_make(graph, section, &scope);
    QN_TRY(qn_partition_choose(&scope, options, groups, &count, &best_s));
    qn_status status = QN_OK;
    for (int first = count - 1; first > 0 && status == QN_OK; first--) {
        qn_graph *rotated;
        late |= groups[first];
        status = qn_graph_rotate(graph, section, late, &rotated);
        if (status == QN_OK && rotated) status = ring_cost(rotated, section, options, &cost_s);
        if (status == QN_OK && rotated && cost_s < best_s) {
            qn_graph *worse = *best;
            *best = rotated, rotated = worse;
            best_s = cost_s;
        }
        qn_release(&rotated);
    }
    if (status != QN_OK) qn_release(best);
    return status;
}

qn_status qn_plan_choose_rings(const qn_graph *graph, const qn_plan_options *options, const qn_graph **chosen)
{
    *chosen = graph;
    if (options->fusion == QN_FUSION_NONE || options->forced_count > 0) return QN_OK;
    for (int section = 0; section < (*chosen)->section_count; section++) {
        qn_graph *rotated;
        void *kept;
        if (!(*chosen)->sections[section].is_loop) continue;
        QN_TRY(find_ring(*chosen, section, options, &rotated));
        if (!rotated) continue;
        const qn_status status = qn_arena_take(graph->arena, sizeof *rotated, &kept);
        if (status == QN_OK) *(qn_graph *)kept = *rotated;
        qn_release(&rotated);
        QN_TRY(status);
        *chosen = kept;
        section += 2;
    }
    return QN_OK;
}
