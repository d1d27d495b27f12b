/* What a mask was made by, for those who report it. */
#ifndef QN_CRYOEM_MASK_REPORT_H
#define QN_CRYOEM_MASK_REPORT_H

#include <quern/resolution.h>

typedef struct qn_mask_report {
    qn_mask_options options;  /* with what was chosen in place of what was left open */
    double background, noise; /* NaN where the threshold was given */
    size_t parts_found, parts_kept;
} qn_mask_report;

/* qn_mask_create; `report` may be NULL. */
QN_MUST_CHECK qn_status qn_mask_create_reporting(qn_context *context, const qn_volume *map,
                                                 const qn_mask_options *options, qn_volume **mask,
                                                 qn_mask_report *report);

#endif
