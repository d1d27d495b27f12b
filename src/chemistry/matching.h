/* Pairing vertices of a graph along its edges, to find which atoms share double bonds. */
#ifndef QN_CHEMISTRY_MATCHING_H
#define QN_CHEMISTRY_MATCHING_H

#include <quern/status.h>
#include <stddef.h>

/* Priority of a partner for a vertex. */
typedef enum qn_matching_wish {
    QN_MATCHING_NEVER,
    QN_MATCHING_RELUCTANT, /* only where a MUST vertex needs it */
    QN_MATCHING_GLAD,      /* if a partner is left */
    QN_MATCHING_MUST
} qn_matching_wish;

typedef struct qn_matching_edge {
    int first, second; /* vertices */
} qn_matching_edge;

/* Pair as many MUST vertices as possible. RELUCTANT vertices are paired only where a MUST vertex needs one; GLAD
 * vertices are paired last, as far as augmenting paths reach them. Earlier edges are preferred among equal choices.
 * partner_edge is input and output: the edge of each vertex, −1: none; an existing matching is improved. Time is
 * bounded: if the search takes too long, the remaining vertices get no partner. Edges with a NEVER vertex are not used.
 */
QN_MUST_CHECK qn_status qn_matching_find(size_t vertex_count, const qn_matching_wish *wishes, size_t edge_count,
                                         const qn_matching_edge *edges, int *partner_edge);

#endif
