/* The report of a run. */
#ifndef QN_FUSE_REPORT_H
#define QN_FUSE_REPORT_H

#include <quern/fuse.h>

#include "fuse/program/program.h"
#include "fuse/sequence.h"

/* A plan that was run, with the seconds of each of its kernels. */
typedef struct qn_fuse_timed {
    const qn_plan *plan;
    double kernel_seconds[QN_PLAN_KERNELS_MAX]; /* of one launch, the mean */
    double kernel_bytes[QN_PLAN_KERNELS_MAX];   /* that it moves at least */
} qn_fuse_timed;

/* The graph as an SVG document. */
QN_MUST_CHECK qn_status qn_fuse_draw(const qn_plan *plan, qn_text *svg);

/* Write the report of a sequence, run fused and not, on a device with these rates. */
QN_MUST_CHECK qn_status qn_fuse_write_report(const char *path, const qn_sequence *sequence,
                                             const qn_fuse_result *result, const qn_fuse_timed *fused,
                                             const qn_fuse_timed *unfused, const qn_device_rates *rates);

#endif
