/* report.html: the motion of all movies. */
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "movie/run.h"
#include "report/html.h"

static qn_status put_facts(const qn_movie_state *run, qn_report *report)
{
    static const char *const labels[] = {"micrographs", "left out"};
    char done[32], failed[32];
    const char *const values[] = {done, failed};
    snprintf(done, sizeof done, "%zu", run->row_count - run->row_failed);
    snprintf(failed, sizeof failed, "%zu", run->row_failed);
    return qn_report_facts(report, labels, values, 2);
}

static qn_status fill(const qn_movie_state *run, qn_report *report)
{
    QN_TRY(put_facts(run, report));
    QN_TRY(qn_job_report_warnings(run->job, report));
    return qn_job_report_kernels(run->job, report);
}

qn_status qn_movie_write_report(qn_movie_state *run)
{
    qn_report *report;
    char *path;
    QN_TRY(qn_job_path(run->job, "report.html", &path));
    qn_status status = qn_report_create("quern movie", &report);
    if (status == QN_OK) {
        status = fill(run, report);
        if (status == QN_OK) status = qn_report_write(report, path);
        qn_report_destroy(&report);
    }
    qn_release(&path);
    return status;
}
