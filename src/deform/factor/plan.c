#include "deform/factor/plan.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "deform/factor/tree.h"

/* Nodes with a free freedom are the vertices of the graph. */
typedef struct free_nodes {
    size_t count;
    uint32_t *vertex; /* of each node; UINT32_MAX: none */
    uint32_t *node;   /* of each vertex */
} free_nodes;

static void free_nodes_release(free_nodes *nodes)
{
    qn_release(&nodes->vertex);
    qn_release(&nodes->node);
}

static uint32_t free_of_node(const qn_block_pattern *pattern, const bool *is_free, size_t node)
{
    uint32_t count = 0;
    for (uint32_t f = pattern->first_freedom[node]; f < pattern->first_freedom[node + 1]; f++) count += is_free[f];
    return count;
}

static qn_status find_free_nodes(const qn_block_pattern *pattern, const bool *is_free, free_nodes *nodes)
{
    void *memory;
    QN_TRY(qn_allocate(pattern->node_count, sizeof(uint32_t), &memory));
    nodes->vertex = memory;
    QN_TRY(qn_allocate(pattern->node_count, sizeof(uint32_t), &memory));
    nodes->node = memory;
    for (size_t i = 0; i < pattern->node_count; i++) {
        nodes->vertex[i] = UINT32_MAX;
        if (free_of_node(pattern, is_free, i) == 0) continue;
        nodes->vertex[i] = (uint32_t)nodes->count;
        nodes->node[nodes->count++] = (uint32_t)i;
    }
    if (nodes->count == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "none of the %zu nodes has a free freedom; expected at least one to solve",
                       pattern->node_count);
    return QN_OK;
}

/* Call for each block that joins two free nodes; counts when `fill` is false. */
static void walk_edges(const qn_block_pattern *pattern, const free_nodes *nodes, qn_factor_graph *graph, bool fill)
{
    for (size_t i = 0; i < pattern->node_count; i++)
        for (uint32_t b = pattern->row_start[i]; b < pattern->row_start[i + 1]; b++) {
            const uint32_t u = nodes->vertex[i], v = nodes->vertex[pattern->column[b]];
            if (u == v || u == UINT32_MAX || v == UINT32_MAX) continue;
            if (fill) {
                graph->neighbour[graph->start[u]++] = v;
                graph->neighbour[graph->start[v]++] = u;
            } else {
                graph->start[u + 1]++;
                graph->start[v + 1]++;
            }
        }
}

static qn_status make_graph(const qn_block_pattern *pattern, const bool *is_free, const free_nodes *nodes,
                            qn_factor_graph *graph)
{
    void *memory;
    graph->node_count = nodes->count;
    QN_TRY(qn_allocate(nodes->count + 1, sizeof(uint32_t), &memory));
    graph->start = memory;
    QN_TRY(qn_allocate(nodes->count, sizeof(uint32_t), &memory));
    graph->weight = memory;
    for (size_t v = 0; v < nodes->count; v++) graph->weight[v] = free_of_node(pattern, is_free, nodes->node[v]);
    walk_edges(pattern, nodes, graph, false);
    for (size_t v = 0; v < nodes->count; v++) graph->start[v + 1] += graph->start[v];
    QN_TRY(qn_allocate(graph->start[nodes->count], sizeof(uint32_t), &memory));
    graph->neighbour = memory;
    walk_edges(pattern, nodes, graph, true);
    for (size_t v = nodes->count; v > 0; v--) graph->start[v] = graph->start[v - 1];
    graph->start[0] = 0;
    return QN_OK;
}

/* Places of freedoms: node by node in the tree's order. first_place[k]: of the k-th node; one more at the end. */
static qn_status place_freedoms(const qn_block_pattern *pattern, const bool *is_free, const signed char *sign,
                                const free_nodes *nodes, const qn_factor_tree *tree, uint32_t *first_place,
                                qn_factor_plan *plan)
{
    void *memory;
    plan->freedom_count = pattern->first_freedom[pattern->node_count];
    plan->pattern_values = pattern->block_start[pattern->row_start[pattern->node_count]];
    QN_TRY(qn_allocate(plan->freedom_count, sizeof(uint32_t), &memory));
    plan->place = memory;
    QN_TRY(qn_allocate(plan->freedom_count, sizeof(uint32_t), &memory));
    plan->freedom = memory;
    QN_TRY(qn_allocate(plan->freedom_count, sizeof(signed char), &memory));
    plan->sign = memory;
    for (size_t f = 0; f < plan->freedom_count; f++) plan->place[f] = QN_FACTOR_FIXED;
    for (size_t k = 0; k < tree->node_count; k++) {
        const uint32_t node = nodes->node[tree->order[k]];
        first_place[k] = (uint32_t)plan->free_count;
        for (uint32_t f = pattern->first_freedom[node]; f < pattern->first_freedom[node + 1]; f++) {
            if (!is_free[f]) continue;
            plan->place[f] = (uint32_t)plan->free_count;
            plan->sign[plan->free_count] = sign[f] < 0 ? -1 : 1;
            plan->freedom[plan->free_count++] = f;
        }
    }
    first_place[tree->node_count] = (uint32_t)plan->free_count;
    return QN_OK;
}

static void count_front(qn_factor_plan *plan, qn_factor_front *front)
{
    const double n = front->width, r = front->below;
    for (uint32_t k = 0; k < front->width; k++) front->negative |= plan->sign[front->first + k] < 0;
    front->multiply_adds = n * (n + 1) * (n + 2) / 6 + r * n * (n + 1) / 2 + r * (r + 1) * n / 2;
    plan->multiply_adds += front->multiply_adds;
    plan->value_count += (size_t)front->width * (front->width + 1) / 2 + (size_t)front->width * front->below;
    plan->panel_values += qn_factor_panel_values(front);
    if (front->width > plan->most_width) plan->most_width = front->width;
    if (front->below > plan->most_below) plan->most_below = front->below;
}

static qn_status make_fronts(const qn_factor_tree *tree, const uint32_t *first_place, qn_factor_plan *plan)
{
    void *memory;
    size_t rows = 0, row = 0;
    plan->front_count = tree->count;
    QN_TRY(qn_allocate(tree->count, sizeof(qn_factor_front), &memory));
    plan->fronts = memory;
    for (size_t e = 0; e < tree->row_start[tree->count]; e++)
        rows += first_place[tree->row[e] + 1] - first_place[tree->row[e]];
    QN_TRY(qn_allocate(rows, sizeof(uint32_t), &memory));
    plan->row = memory;
    QN_TRY(qn_allocate(rows, sizeof(uint32_t), &memory));
    plan->relative = memory;
    for (size_t s = 0; s < tree->count; s++) {
        qn_factor_front *front = &plan->fronts[s];
        front->first = first_place[tree->first_node[s]];
        front->width = first_place[tree->first_node[s + 1]] - front->first;
        front->parent = tree->parent[s];
        front->first_child = front->next_sibling = UINT32_MAX;
        front->rows = row;
        front->panel = plan->panel_values;
        for (size_t e = tree->row_start[s]; e < tree->row_start[s + 1]; e++)
            for (uint32_t p = first_place[tree->row[e]]; p < first_place[tree->row[e] + 1]; p++) plan->row[row++] = p;
        front->below = (uint32_t)(row - front->rows);
        count_front(plan, front);
    }
    return QN_OK;
}

/* Rows of each front in its parent, and lists of children in ascending order. */
static void link_fronts(qn_factor_plan *plan)
{
    for (size_t s = plan->front_count; s-- > 0;) {
        qn_factor_front *front = &plan->fronts[s];
        if (front->parent == UINT32_MAX) continue;
        qn_factor_front *parent = &plan->fronts[front->parent];
        front->next_sibling = parent->first_child;
        parent->first_child = (uint32_t)s;
        front->depth = 1 - parent->depth;
        uint32_t k = 0;
        for (uint32_t i = 0; i < front->below; i++) {
            const uint32_t place = plan->row[front->rows + i];
            if (place < parent->first + parent->width) {
                plan->relative[front->rows + i] = place - parent->first;
                continue;
            }
            while (plan->row[parent->rows + k] != place) k++;
            plan->relative[front->rows + i] = parent->width + k;
        }
    }
}

/* Place of row `row` and column `column` (places) in the panel of the column's front. */
static uint32_t place_in_panel(const qn_factor_plan *plan, const qn_factor_front *front, uint32_t row, uint32_t column)
{
    const uint32_t k = column - front->first;
    if (row < front->first + front->width) {
        const uint32_t i = row - front->first;
        return QN_FACTOR_STRIP * (i / QN_FACTOR_STRIP * front->width + k) + i % QN_FACTOR_STRIP;
    }
    const uint32_t *rows = plan->row + front->rows;
    uint32_t low = 0, high = front->below;
    while (low + 1 < high) {
        const uint32_t middle = (low + high) / 2;
        if (rows[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)qn_factor_own_values(front) + QN_FACTOR_STRIP * (low / QN_FACTOR_STRIP * front->width + k) +
           low % QN_FACTOR_STRIP;
}

void qn_factor_entry_places(const qn_factor_plan *plan, const qn_factor_front *front, uint32_t at, uint32_t *row,
                            uint32_t *column)
{
    const uint32_t length = QN_FACTOR_STRIP * front->width, own = (uint32_t)qn_factor_own_values(front);
    const uint32_t in = at < own ? at : at - own;
    const uint32_t i = in / length * QN_FACTOR_STRIP + in % QN_FACTOR_STRIP;
    *column = front->first + in % length / QN_FACTOR_STRIP;
    *row = at < own ? front->first + i : plan->row[front->rows + i];
}

/* Call for each value of the lower triangle of K whose freedoms are free. Counts by front while plan->entry is NULL. */
static void walk_entries(const qn_block_pattern *pattern, const uint32_t *front_of, qn_factor_plan *plan)
{
    for (size_t i = 0; i < pattern->node_count; i++)
        for (uint32_t b = pattern->row_start[i]; b < pattern->row_start[i + 1]; b++) {
            const uint32_t j = pattern->column[b], columns = pattern->size[j];
            for (uint32_t v = 0; v < pattern->size[i] * columns; v++) {
                const uint32_t f = pattern->first_freedom[i] + v / columns, g = pattern->first_freedom[j] + v % columns;
                if (g > f || plan->place[f] == QN_FACTOR_FIXED || plan->place[g] == QN_FACTOR_FIXED) continue;
                uint32_t row = plan->place[f], column = plan->place[g];
                if (row < column) row = plan->place[g], column = plan->place[f];
                qn_factor_front *front = &plan->fronts[front_of[column]];
                if (plan->entry)
                    plan->entry[front->entries] =
                        (qn_factor_entry){pattern->block_start[b] + v, place_in_panel(plan, front, row, column)};
                front->entries++;
            }
        }
}

static qn_status place_entries(const qn_block_pattern *pattern, qn_factor_plan *plan)
{
    void *memory;
    size_t next = 0;
    QN_TRY(qn_allocate(plan->free_count, sizeof(uint32_t), &memory));
    uint32_t *front_of = memory;
    for (uint32_t s = 0; s < plan->front_count; s++)
        for (uint32_t k = 0; k < plan->fronts[s].width; k++) front_of[plan->fronts[s].first + k] = s;
    walk_entries(pattern, front_of, plan);
    for (size_t s = 0; s < plan->front_count; s++) {
        const size_t count = plan->fronts[s].entries;
        plan->fronts[s].entries = next;
        next += count;
    }
    plan->entry_count = next;
    const qn_status status = qn_allocate(next, sizeof(qn_factor_entry), &memory);
    if (status == QN_OK) {
        plan->entry = memory;
        walk_entries(pattern, front_of, plan);
        for (size_t s = plan->front_count - 1; s > 0; s--) plan->fronts[s].entries = plan->fronts[s - 1].entries;
        plan->fronts[0].entries = 0;
    }
    qn_release(&front_of);
    return status;
}

static qn_status plan_of_tree(const qn_block_pattern *pattern, const bool *is_free, const signed char *sign,
                              const free_nodes *nodes, const qn_factor_tree *tree, qn_factor_plan *plan)
{
    void *memory;
    QN_TRY(qn_allocate(tree->node_count + 1, sizeof(uint32_t), &memory));
    uint32_t *first_place = memory;
    qn_status status = place_freedoms(pattern, is_free, sign, nodes, tree, first_place, plan);
    if (status == QN_OK) status = make_fronts(tree, first_place, plan);
    qn_release(&first_place);
    QN_TRY(status);
    link_fronts(plan);
    QN_TRY(place_entries(pattern, plan));
    return qn_factor_plan_tasks(plan);
}

static qn_status build(const qn_block_pattern *pattern, const bool *is_free, const signed char *sign,
                       qn_factor_plan *plan)
{
    free_nodes nodes = {0};
    qn_factor_graph graph = {0};
    qn_factor_tree tree = {0};
    void *order = NULL;
    qn_status status = find_free_nodes(pattern, is_free, &nodes);
    if (status == QN_OK) status = make_graph(pattern, is_free, &nodes, &graph);
    if (status == QN_OK) status = qn_allocate(nodes.count, sizeof(uint32_t), &order);
    if (status == QN_OK) status = qn_factor_order(&graph, order);
    if (status == QN_OK) status = qn_factor_tree_create(&graph, order, &tree);
    if (status == QN_OK) status = plan_of_tree(pattern, is_free, sign, &nodes, &tree, plan);
    qn_factor_tree_release(&tree);
    qn_factor_graph_release(&graph);
    free_nodes_release(&nodes);
    qn_release(&order);
    return status;
}

qn_status qn_factor_plan_create(const qn_block_pattern *pattern, const bool *free_freedoms, const signed char *sign,
                                qn_factor_plan **plan)
{
    void *memory;
    *plan = NULL;
    QN_TRY(qn_allocate(1, sizeof(qn_factor_plan), &memory));
    *plan = memory;
    const qn_status status = build(pattern, free_freedoms, sign, *plan);
    if (status != QN_OK) qn_factor_plan_destroy(plan);
    return status;
}

void qn_factor_plan_destroy(qn_factor_plan **plan)
{
    qn_factor_plan *old = *plan;
    if (!old) return;
    qn_release(&old->place);
    qn_release(&old->freedom);
    qn_release(&old->sign);
    qn_release(&old->fronts);
    qn_release(&old->row);
    qn_release(&old->relative);
    qn_release(&old->entry);
    qn_release(&old->subtrees);
    qn_release(plan);
}

qn_factor_facts qn_factor_plan_facts(const qn_factor_plan *plan)
{
    return (qn_factor_facts){plan->free_count, plan->value_count, plan->multiply_adds};
}
