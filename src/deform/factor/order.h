/* An order of elimination that keeps factors sparse: nested dissection by METIS. */
#ifndef QN_DEFORM_FACTOR_ORDER_H
#define QN_DEFORM_FACTOR_ORDER_H

#include <quern/status.h>
#include <stddef.h>
#include <stdint.h>

/* An undirected graph: the neighbours of node i are neighbour[start[i]] … neighbour[start[i + 1] − 1], without i. */
typedef struct qn_factor_graph {
    size_t node_count;
    uint32_t *start; /* node_count + 1 */
    uint32_t *neighbour;
    uint32_t *weight; /* freedoms of each node, ≥ 1 */
} qn_factor_graph;

void qn_factor_graph_release(qn_factor_graph *graph);

/* order[k]: the node that is eliminated k-th. The same graph gives the same order. */
QN_MUST_CHECK qn_status qn_factor_order(const qn_factor_graph *graph, uint32_t *order);

#endif
