/* The order of nodes inside a supernode is free. Nodes that the same descendants have among their rows are put side by
 * side, so that rows of descendants come in long runs, which fill tiles (Pichon, Faverge, Ramet and Roman 2017, SIAM J
 * Matrix Anal Appl 38, 226, pose this problem; sorting is a cheap answer to it). */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "deform/factor/tree.h"

/* A node and the descendants that have it among their rows, the nearest to its supernode first. */
typedef struct aligned_node {
    uint32_t node, place;
    const uint32_t *descendants;
    size_t count;
} aligned_node;

static int compare_nodes(const void *a, const void *b)
{
    const aligned_node *x = a, *y = b;
    for (size_t i = 0; i < x->count && i < y->count; i++)
        if (x->descendants[i] != y->descendants[i]) return x->descendants[i] > y->descendants[i] ? -1 : 1;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static int compare_words(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Lists of descendants of every place, into `start` and `list`. */
static void list_descendants(const qn_factor_tree *tree, size_t *start, uint32_t *list)
{
    for (size_t e = 0; e < tree->row_start[tree->count]; e++) start[tree->row[e] + 1]++;
    for (size_t k = 0; k < tree->node_count; k++) start[k + 1] += start[k];
    for (size_t s = tree->count; s-- > 0;)
        for (size_t e = tree->row_start[s]; e < tree->row_start[s + 1]; e++) list[start[tree->row[e]]++] = (uint32_t)s;
    for (size_t k = tree->node_count; k > 0; k--) start[k] = start[k - 1];
    start[0] = 0;
}

static void sort_nodes(qn_factor_tree *tree, const size_t *start, const uint32_t *list, aligned_node *nodes,
                       uint32_t *moved)
{
    for (uint32_t k = 0; k < tree->node_count; k++)
        nodes[k] = (aligned_node){tree->order[k], k, list + start[k], start[k + 1] - start[k]};
    for (size_t s = 0; s < tree->count; s++)
        qsort(nodes + tree->first_node[s], tree->first_node[s + 1] - tree->first_node[s], sizeof *nodes, compare_nodes);
    for (uint32_t k = 0; k < tree->node_count; k++) {
        tree->order[k] = nodes[k].node;
        moved[nodes[k].place] = k;
    }
    for (size_t s = 0; s < tree->count; s++) {
        const size_t rows = tree->row_start[s + 1] - tree->row_start[s];
        uint32_t *row = tree->row + tree->row_start[s];
        for (size_t e = 0; e < rows; e++) row[e] = moved[row[e]];
        if (rows > 0) qsort(row, rows, sizeof *row, compare_words);
    }
}

qn_status qn_factor_tree_align(qn_factor_tree *tree)
{
    void *start = NULL, *list = NULL, *nodes = NULL, *moved = NULL;
    qn_status status = qn_allocate(tree->node_count + 1, sizeof(size_t), &start);
    if (status == QN_OK) status = qn_allocate(tree->row_start[tree->count], sizeof(uint32_t), &list);
    if (status == QN_OK) status = qn_allocate(tree->node_count, sizeof(aligned_node), &nodes);
    if (status == QN_OK) status = qn_allocate(tree->node_count, sizeof(uint32_t), &moved);
    if (status == QN_OK) {
        list_descendants(tree, start, list);
        sort_nodes(tree, start, list, nodes, moved);
    }
    qn_release(&start);
    qn_release(&list);
    qn_release(&nodes);
    qn_release(&moved);
    return status;
}
