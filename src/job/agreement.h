/* Agreement between the ranks (MPI processes) of a run on whether the run goes on.
 *
 * At the end of each stage, every rank calls qn_agree with its own status. If one rank failed, all ranks stop, and one
 * rank prints the error. Within a stage, ranks take pieces of work from a common counter by qn_agreement_deal. A rank
 * that fails there cancels all pieces that nobody has taken. The other ranks notice this when they poll or take a
 * piece.
 *
 *     qn_agreement_begin(ranks, &agreement);
 *     qn_status status = qn_agree(&agreement, read_inputs());
 *     while (status == QN_OK && …pieces are left…) …qn_agreement_deal, compute, qn_agreement_poll…
 *     if (status != QN_OK) status = qn_agreement_cancel(&agreement, status);
 *     status = qn_agree(&agreement, status);
 *     qn_agreement_end(&agreement);
 *
 * Thread rule: any thread may deal, poll and cancel. qn_agree must be the only call while it lasts. Other code must not
 * use `ranks` while threads deal, poll or cancel.
 */
#ifndef QN_JOB_AGREEMENT_H
#define QN_JOB_AGREEMENT_H

#include <pthread.h>
#include <stdbool.h>

#include "job/ranks.h"

typedef struct qn_agreement {
    qn_ranks *ranks;       /* not owned */
    bool stopped;          /* another rank failed, so this rank stops too */
    bool silent;           /* another rank prints the error, so this rank prints nothing */
    bool cancelled;        /* this rank failed and cancelled the pieces that nobody had taken */
    pthread_mutex_t mutex; /* serialises access to the common counter */
    double polled_s;       /* time of the latest poll, by qn_clock_s */
} qn_agreement;

void qn_agreement_begin(qn_ranks *ranks, qn_agreement *agreement);
void qn_agreement_end(qn_agreement *agreement);

/* Exchange the status of all ranks. Every rank must call, each with its own status. Returns QN_OK if all ranks passed
 * QN_OK. Otherwise let the reporter be the failed rank with the lowest number. The table says what this rank returns,
 * and whether its caller is to print the error (else `silent` is set):
 *
 *     this rank                                                            returns         prints
 *     is the reporter                                                      its status      yes
 *     failed with the same status and message as the reporter, rank 0      QN_CANCELLED    no
 *     was interrupted by the user (Ctrl-C: QN_CANCELLED)                   QN_CANCELLED    no
 *     failed in any other way                                              its status      yes
 *     succeeded, or stopped because another rank failed                    QN_CANCELLED    no
 *
 * If rank 0 was interrupted and the other ranks do not call within 0.3 s, rank 0 logs its message as a warning at once
 * and prints nothing later. The other ranks may be dead then, and the launcher may kill rank 0 before they answer. */
QN_MUST_CHECK qn_status qn_agree(qn_agreement *agreement, qn_status status);

/* Take the next `count` pieces from the common counter. *first gets the number of the first of them, from 0. The
 * counter has no end: the caller compares *first with its number of pieces. *none is set if the pieces were cancelled.
 */
QN_MUST_CHECK qn_status qn_agreement_deal(qn_agreement *agreement, uint64_t count, uint64_t *first, bool *none);

/* Check whether another rank cancelled the pieces that are left. Returns QN_CANCELLED and sets `stopped` if so. Reads
 * the common counter at most once a second, and returns QN_OK in between. Returns QN_OK too if this rank cancelled the
 * pieces itself, because then its own failure is reported. */
QN_MUST_CHECK qn_status qn_agreement_poll(qn_agreement *agreement);

/* Cancel all pieces that nobody has taken, so that no rank goes on with a run that failed. Returns `failure` with its
 * error trail. */
qn_status qn_agreement_cancel(qn_agreement *agreement, qn_status failure);

#endif
