/* A worker process of a T1 problem, as the tuning sees it.
 *
 * Life cycle: start → ask… → stop. Thread rule: one thread at a time. */
#ifndef QN_TUNE_EXCHANGE_T1_WORKER_H
#define QN_TUNE_EXCHANGE_T1_WORKER_H

#include <sys/types.h>

#include "tune/exchange/t1_message.h"

typedef struct qn_t1_worker {
    pid_t process;        /* 0: none */
    int socket, messages; /* the worker's standard output and standard error come through `messages` */
    char said[400];       /* the last of them */
    size_t said_bytes;
} qn_t1_worker;

/* How a request ended. */
typedef enum qn_t1_end {
    QN_T1_ANSWERED,
    QN_T1_DIED,     /* by itself */
    QN_T1_HUNG,     /* it took longer than allowed and was killed */
    QN_T1_OVERGROWN /* it took more memory than allowed and was killed */
} qn_t1_end;

typedef struct qn_t1_worker_limits {
    double run_s, work_s;  /* of a run, and of compiling and comparing */
    uint64_t memory_bytes; /* of the process */
} qn_t1_worker_limits;

/* Start `command` (program and arguments, ending with NULL) and have it open the device. Errors: QN_IO_ERROR if it
 * cannot be started or ends; the worker's own. */
QN_MUST_CHECK qn_status qn_t1_worker_start(const char *const *command, const qn_t1_setup *setup,
                                           const qn_t1_worker_limits *limits, qn_t1_worker *worker);

/* Send a request and wait. After QN_T1_ANSWERED *reply is set. Otherwise the process has ended, and `why` says how, as
 * "the process ended by signal 11 (segmentation fault)". */
qn_t1_end qn_t1_worker_ask(qn_t1_worker *worker, const qn_t1_request *request, const qn_t1_worker_limits *limits,
                           qn_t1_reply *reply, char why[QN_MEASURE_REASON_BYTES]);

/* End the process, if there is one. */
void qn_t1_worker_stop(qn_t1_worker *worker);

#endif
