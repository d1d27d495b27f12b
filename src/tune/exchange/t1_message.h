/* Messages between a tuning and its worker, over a socket that keeps them apart (SOCK_SEQPACKET). Both ends are the
 * same version of the library on the same machine, so messages are structs. */
#ifndef QN_TUNE_EXCHANGE_T1_MESSAGE_H
#define QN_TUNE_EXCHANGE_T1_MESSAGE_H

#include "tune/exchange/t1.h"
#include "tune/measure.h"

/* The first message to the worker. It answers QN_T1_DONE when it is ready. */
typedef struct qn_t1_setup {
    char version[32];
    char device[48], path[2048], objective[512]; /* objective "": seconds */
    uint64_t seed, points;                       /* of the space: another number means that the file has changed */
    int threads;
} qn_t1_setup;

typedef struct qn_t1_request {
    qn_point point;
    bool reference; /* compute the reference with this point; else test it */
    bool has_best;
    double timeout_s, precision;
    int most_repeats;
    qn_test best;
} qn_t1_request;

typedef enum qn_t1_state {
    QN_T1_WORKING, /* compiling, comparing */
    QN_T1_RUNNING, /* a kernel runs */
    QN_T1_DONE
} qn_t1_state;

typedef struct qn_t1_reply {
    qn_t1_state state;
    qn_status status; /* the rest is set where the state is QN_T1_DONE */
    qn_test test;
    char message[QN_MEASURE_REASON_BYTES]; /* of the status, why the test failed, or a warning about the reference */
} qn_t1_reply;

#endif
