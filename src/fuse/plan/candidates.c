/* The best plans of a graph. Every plan but the best lacks some kernel of that one. So the best plans without one
 * kernel of it, each forbidden in turn, hold the second best; that one's kernels are forbidden in turn too, and so on
 * (Lawler 1972, Management Science 18, 401). */
#include "base/error.h"
#include "base/memory.h"
#include "fuse/plan/plan.h"

enum { NODES_MAX = 256, CONDITIONS_MAX = 128 }; /* nodes: plans that are made for a choice of candidates */

/* The best plan of a graph with some kernels and without others. */
typedef struct node {
    const qn_graph *graph;
    qn_kernel_condition conditions[CONDITIONS_MAX];
    int condition_count;
    double seconds;
    bool is_done;
} node;

typedef struct listing {
    const qn_plan_options *options;
    qn_plan *plan; /* of the present node */
    node *nodes;
    int node_count;
} listing;

static qn_status make(const listing *at, const node *of)
{
    qn_plan_options options = *at->options;
    options.conditions = of->conditions;
    options.condition_count = of->condition_count;
    return qn_plan_make_as_is(of->graph, &options, at->plan);
}

/* Add a node, unless there is no plan for it. */
static qn_status add(listing *at, const node *wanted)
{
    if (at->node_count == NODES_MAX) return QN_OK;
    node *added = &at->nodes[at->node_count];
    *added = *wanted;
    const qn_status status = make(at, added);
    if (status == QN_OUT_OF_MEMORY) return status;
    if (status != QN_OK) {
        qn_error_clear(); /* none obeys */
        return QN_OK;
    }
    added->seconds = at->plan->seconds;
    added->is_done = false;
    at->node_count++;
    return QN_OK;
}

/* Add a node for each kernel of a plan: with the kernels before it, without that one. */
static qn_status branch(listing *at, const node *of, const qn_plan *plan)
{
    node *child;
    QN_TRY(qn_allocate(1, sizeof *child, (void **)&child));
    *child = *of;
    qn_status status = QN_OK;
    for (int k = 0; k < plan->kernel_count && status == QN_OK; k++) {
        if (plan->kernels[k].is_fold || child->condition_count == CONDITIONS_MAX) continue;
        qn_kernel_condition *condition = &child->conditions[child->condition_count++];
        *condition = (qn_kernel_condition){plan->kernels[k].section, plan->kernels[k].calls, false};
        status = add(at, child);
        condition->is_wanted = true;
    }
    qn_release(&child);
    return status;
}

static node *find_best(listing *at)
{
    node *best = NULL;
    for (int i = 0; i < at->node_count; i++)
        if (!at->nodes[i].is_done && (!best || at->nodes[i].seconds < best->seconds)) best = &at->nodes[i];
    return best;
}

static qn_status list(listing *at, int most, qn_plan *plans, int *count)
{
    for (node *best; *count < most && (best = find_best(at)); ++*count) {
        best->is_done = true;
        QN_TRY(make(at, best));
        plans[*count] = *at->plan;
        QN_TRY(branch(at, best, &plans[*count]));
    }
    return QN_OK;
}

qn_status qn_plan_candidates(const qn_graph *graph, const qn_plan_options *options, int most, qn_plan *plans,
                             int *count)
{
    listing at = {.options = options};
    const qn_graph *rings;
    *count = 0;
    if (most > QN_PLAN_CANDIDATES_MAX) most = QN_PLAN_CANDIDATES_MAX;
    QN_TRY(qn_plan_choose_rings(graph, options, &rings));
    if (most <= 1 || options->fusion == QN_FUSION_NONE) {
        *count = 1;
        return qn_plan_make_as_is(rings, options, plans);
    }
    QN_TRY(qn_allocate(NODES_MAX, sizeof *at.nodes, (void **)&at.nodes));
    qn_status status = qn_allocate(1, sizeof *at.plan, (void **)&at.plan);
    if (status == QN_OK) status = add(&at, &(node){.graph = rings});
    if (status == QN_OK && rings != graph) status = add(&at, &(node){.graph = graph});
    if (status == QN_OK) status = list(&at, most, plans, count);
    if (status == QN_OK && *count == 0) {
        *count = 1;
        status = qn_plan_make_as_is(rings, options, plans); /* which says why there is none */
    }
    qn_release(&at.plan);
    qn_release(&at.nodes);
    return status;
}
