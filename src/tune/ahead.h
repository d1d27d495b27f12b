/* Building configurations ahead, in threads of their own.
 *
 * Life cycle: create → add, done or wait → destroy. Thread rule: any thread; a job belongs to its owner again once it
 * is done.
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
    /* What came of it. */
    qn_status status;
    char message[256];
    double seconds;
    /* The queue's own. */
    bool done;
    struct qn_ahead_job *next;
} qn_ahead_job;

/* threads 0: jobs are done in the call that adds them. */
QN_MUST_CHECK qn_status qn_ahead_create(int threads, qn_ahead **ahead);
void qn_ahead_destroy(qn_ahead **ahead); /* jobs that wait are dropped; one that is being built is waited for */
void qn_ahead_add(qn_ahead *ahead, qn_ahead_job *job);
bool qn_ahead_done(qn_ahead *ahead, qn_ahead_job *job);
void qn_ahead_wait(qn_ahead *ahead, qn_ahead_job *job);

#endif
