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
    qn_volume halves[2];                 /* views of the maps that were read or given */
    const char *names[2], *mask_name;    /* paths, or names of volumes in memory; mask_name NULL: no mask given */
    const qn_volume *mask;               /* NULL: none */
    qn_volume *own_halves[2], *own_mask; /* maps that were read; a mask that was read or made */
    qn_volume given_mask;                /* view of the caller's mask */
    bool mask_made;
    qn_mask_report made; /* report of the mask that was made */
    qn_fsc *fsc;
    double read_s, mask_s, fsc_s, total_s;
} qn_fsc_state;

/* Find both half maps where only one path is given: a folder with them, or the name of one, from which that of the
 * other follows. The names are released with qn_release, also after a failure. */
QN_MUST_CHECK qn_status qn_fsc_find_halves(const char *half_1, char *found[2]);

/* Warn if the curves give reason to doubt the resolution. */
QN_MUST_CHECK qn_status qn_fsc_find_warnings(qn_fsc_state *run);

QN_MUST_CHECK qn_status qn_fsc_write_report(const qn_fsc_state *run);
QN_MUST_CHECK qn_status qn_fsc_write_run_json(const qn_fsc_state *run);

#endif
