/* A run of `quern fsc`. Private to fsc. */
#ifndef QN_FSC_RUN_H
#define QN_FSC_RUN_H

#include <quern/fsc.h>
#include <stdbool.h>

#include "cryoem/mask_report.h"
#include "job/job.h"

typedef struct qn_fsc_state {
    const qn_fsc_run_options *options;
    qn_job *job;
    qn_volume *halves[2], *mask; /* NULL: none */
    bool mask_made;
    qn_mask_report made; /* of that mask */
    qn_fsc *fsc;
    double read_s, mask_s, fsc_s, total_s;
} qn_fsc_state;

/* Warn of what makes the resolution doubtful. */
QN_MUST_CHECK qn_status qn_fsc_find_warnings(qn_fsc_state *run);

QN_MUST_CHECK qn_status qn_fsc_write_report(const qn_fsc_state *run);
QN_MUST_CHECK qn_status qn_fsc_write_run_json(const qn_fsc_state *run);

#endif
