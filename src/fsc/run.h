/* A run of `quern fsc`. Private to fsc. */
#ifndef QN_FSC_RUN_H
#define QN_FSC_RUN_H

#include <quern/fsc.h>
#include <stdbool.h>

#include "cryoem/mask_report.h"

enum { QN_FSC_WARNINGS = 4 };

typedef struct qn_fsc_job {
    const qn_fsc_run_options *options;
    qn_context *context;
    qn_volume *halves[2], *mask; /* NULL: none */
    bool mask_made;
    qn_mask_report made; /* of that mask */
    qn_fsc *fsc;
    double read_s, mask_s, fsc_s, total_s;
    char warnings[QN_FSC_WARNINGS][320];
    int warning_count;
} qn_fsc_job;

/* What makes a resolution doubtful. */
void qn_fsc_find_warnings(qn_fsc_job *job);

QN_MUST_CHECK qn_status qn_fsc_write_report(const qn_fsc_job *job);
QN_MUST_CHECK qn_status qn_fsc_write_run_json(const qn_fsc_job *job);

#endif
