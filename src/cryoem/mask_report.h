/* Facts about the making of a mask, for reports. */
#ifndef QN_CRYOEM_MASK_REPORT_H
#define QN_CRYOEM_MASK_REPORT_H

#include <quern/resolution.h>

typedef struct qn_mask_report {
    qn_mask_options options;  /* options with the chosen values in place of defaults */
    double background, noise; /* NaN if the threshold was given */
    size_t parts_found, parts_kept;
} qn_mask_report;

/* Like qn_mask_create, with a report; `report` may be NULL. */
QN_MUST_CHECK qn_status qn_mask_create_reporting(qn_context *context, const qn_volume *map,
                                                 const qn_mask_options *options, qn_volume **mask,
                                                 qn_mask_report *report);

#endif
