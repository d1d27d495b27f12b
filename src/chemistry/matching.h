/* Pairing vertices of a graph along its edges: which atoms share the double bonds. */
#ifndef QN_CHEMISTRY_MATCHING_H
#define QN_CHEMISTRY_MATCHING_H

#include <quern/status.h>
#include <stddef.h>

/* How much a vertex wants a partner. */
typedef enum qn_matching_wish {
    QN_MATCHING_NEVER,
    QN_MATCHING_RELUCTANT, /* only to give one to a vertex that must have it */
    QN_MATCHING_GLAD,      /* when one is left over */
    QN_MATCHING_MUST
} qn_matching_wish;

typedef struct qn_matching_edge {
    int first, second; /* vertices */
} qn_matching_edge;

/* As many MUST vertices as possible get a partner, RELUCTANT ones only where one of them needs it; then GLAD ones do
 * that augmenting paths reach. Earlier edges are preferred where there is a choice. partner_edge, in and out: per
 * vertex, −1 for none; what is there already is improved. Time is bounded: when the search for better pairs takes too
 * long, vertices stay alone. Edges with a NEVER vertex are not used. */
QN_MUST_CHECK qn_status qn_matching_find(size_t vertex_count, const qn_matching_wish *wishes, size_t edge_count,
                                         const qn_matching_edge *edges, int *partner_edge);

#endif
