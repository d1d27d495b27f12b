/* Building configurations in background threads, before they are needed.
 *
 * Life cycle: create → add, done or wait → destroy. Thread rule: any thread. The caller does not touch a job between
 * qn_ahead_add and the end of its build.
 */
#ifndef QN_TUNE_AHEAD_H
#define QN_TUNE_AHEAD_H

#include <quern/family.h>

enum { QN_AHEAD_DEFINITIONS = 512 };

typedef struct qn_ahead qn_ahead;

typedef struct qn_ahead_job {
    const qn_family *family;
    qn_device *device;
    qn_configuration configuration;
    char definitions[QN_AHEAD_DEFINITIONS];
    /* Outcome of the build. */
    qn_status status;
    char message[256];
    double seconds;
    /* Private to the queue. */
    bool done;
    struct qn_ahead_job *next;
} qn_ahead_job;

/* threads 0: jobs are built in the call that adds them. */
QN_MUST_CHECK qn_status qn_ahead_create(int threads, qn_ahead **ahead);
void qn_ahead_destroy(qn_ahead **ahead); /* drops waiting jobs, waits for running builds */
void qn_ahead_add(qn_ahead *ahead, qn_ahead_job *job);
bool qn_ahead_done(qn_ahead *ahead, qn_ahead_job *job);
void qn_ahead_wait(qn_ahead *ahead, qn_ahead_job *job);

#endif
