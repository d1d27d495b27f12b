/* The rules R1 to R8 of docs/design/fuse.md: whether calls may share a kernel, and how they lie in it. */
#ifndef QN_FUSE_PLAN_RULES_H
#define QN_FUSE_PLAN_RULES_H

#include "fuse/graph/graph.h"

/* A set of calls of a graph. */
typedef uint64_t qn_calls;

static inline qn_calls qn_calls_one(int call)
{
    return UINT64_C(1) << call;
}

static inline bool qn_calls_have(qn_calls calls, int call)
{
    return calls >> call & 1;
}

/* Calls of a section with what must come before each, directly and by any path. */
typedef struct qn_scope {
    const qn_graph *graph;
    int section;
    qn_calls all;
    qn_calls before[QN_GRAPH_CALLS_MAX];
    qn_calls ancestors[QN_GRAPH_CALLS_MAX];
} qn_scope;

void qn_scope_make(const qn_graph *graph, int section, qn_scope *scope);

/* How the calls of a kernel lie in it. Axis 0 is the slow one of the matrices' memory, axis 1 the fast one: a group
 * owns whole lines along axis 1. */
typedef struct qn_layout {
    int dimensions;                             /* 0: scalars alone; 1; 2 */
    int extents[2];                             /* along the axes */
    int axes[QN_GRAPH_CALLS_MAX][QN_SPACE_MAX]; /* the axis of each index of each call */
    int levels[QN_GRAPH_CALLS_MAX];             /* sweeps over a line that are over before the call can begin */
    int sweeps;                                 /* over the lines; 0 in one dimension */
} qn_layout;

/* Why calls cannot share a kernel. */
typedef struct qn_refusal {
    int rule; /* 1 to 8; 0: they can */
    char reason[320];
} qn_refusal;

/* Check a set of calls of the scope. Returns whether they may share a kernel; if not, `refusal` (may be NULL) says
 * which rule forbids it and for which value or call. */
bool qn_rules_allow(const qn_scope *scope, qn_calls calls, qn_layout *layout, qn_refusal *refusal);

/* The axis along which a use of a one-dimensional value lies; a csr matrix's gathered index gives -1. */
int qn_layout_axis(const qn_graph *graph, const qn_layout *layout, int call, const qn_use *use);

/* Calls whose results are computed again at other indices, with all maps that these are made of. */
qn_calls qn_rules_recomputed(const qn_graph *graph, qn_calls calls, const qn_layout *layout);

/* Whether the new value of an inout can take the place of the old one in a kernel: no other work-item reads that. */
bool qn_rules_in_place(const qn_scope *scope, qn_calls calls, const qn_layout *layout, int call, int output);

/* Whether a value that the calls have must be in memory when they are over. */
bool qn_calls_leave(const qn_scope *scope, qn_calls calls, int value);

/* Values that the calls need from outside, and values that they must leave in memory, as flags. */
void qn_calls_traffic(const qn_scope *scope, qn_calls calls, bool *reads, bool *writes);

#endif
