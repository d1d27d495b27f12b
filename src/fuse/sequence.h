/* A script with its library, its graph and its plan, as an action of quern fuse begins with them. */
#ifndef QN_FUSE_SEQUENCE_H
#define QN_FUSE_SEQUENCE_H

#include <quern/fuse.h>

#include "fuse/plan/plan.h"

typedef struct qn_sequence {
    qn_arena arena;
    qn_source source;
    qn_library library;
    qn_graph graph;
    qn_sizes sizes;
    bool has_size[QN_GRAPH_EXTENTS_MAX];
    double stored[QN_GRAPH_VALUES_MAX]; /* elements of csr matrices, by value */
    qn_plan_options plan_options;
    qn_plan plan;
    bool has_rates; /* those of the plan's options were measured, else they are assumed */
    qn_text notes;  /* implementations that cannot be used, a line each */
} qn_sequence;

/* Read script and library, and choose kernels. Sizes that are not given are 8,192, and csr matrices have five elements
 * a row, where kernels are compared. */
QN_MUST_CHECK qn_status qn_sequence_open(const qn_fuse_options *options, qn_sequence **sequence);

/* Choose kernels again, after sizes have changed. */
QN_MUST_CHECK qn_status qn_sequence_plan(qn_sequence *sequence);

/* QN_INVALID_ARGUMENT if an extent has no size. */
QN_MUST_CHECK qn_status qn_sequence_check_sizes(const qn_sequence *sequence);

void qn_sequence_close(qn_sequence **sequence);

/* The shipped library, and the folder's; `folder` may be NULL. */
QN_MUST_CHECK qn_status qn_sequence_library(const char *folder, qn_arena *arena, qn_library *library);

#endif
