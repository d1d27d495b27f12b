/* The elimination tree of an ordered graph, and its supernodes: runs of columns with (nearly) the same rows.
 *
 * Equations: Liu 1990, SIAM J Matrix Anal Appl 11, 134 (tree, structure of columns); Ashcraft and Grimes 1989, ACM
 * Trans Math Softw 15, 291 (amalgamation). */
#ifndef QN_DEFORM_FACTOR_TREE_H
#define QN_DEFORM_FACTOR_TREE_H

#include "deform/factor/order.h"

/* Supernode s eliminates the nodes order[first_node[s]] … order[first_node[s + 1] − 1]. Below them its columns have the
 * rows row[row_start[s]] … row[row_start[s + 1] − 1], which are places in `order`, ascending. Children stand before
 * their parents, and subtrees are contiguous. */
typedef struct qn_factor_tree {
    size_t node_count, count;
    uint32_t *order;
    uint32_t *first_node; /* count + 1 */
    uint32_t *parent;     /* UINT32_MAX: none */
    size_t *row_start;    /* count + 1 */
    uint32_t *row;
} qn_factor_tree;

/* Tree of the graph when its nodes are eliminated in `order`; the tree's own order is an equivalent one. */
QN_MUST_CHECK qn_status qn_factor_tree_create(const qn_factor_graph *graph, const uint32_t *order,
                                              qn_factor_tree *tree);

/* Reorder the nodes inside supernodes so that rows of descendants come in long runs. */
QN_MUST_CHECK qn_status qn_factor_tree_align(qn_factor_tree *tree);
void qn_factor_tree_release(qn_factor_tree *tree);

#endif
