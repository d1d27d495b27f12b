/* Ranks that go on together or not at all: after each stage of a run all tell how it went for them, and during one that
 * deals pieces a failure of one leaves nothing to the others. One process then says what happened; the others are mute.
 *
 * Life cycle: begin → agree / deal / look / leave nothing → end. Thread rule: deal, look and leave nothing are for any
 * thread; nobody else calls the ranks meanwhile. Agree is for one thread, while no other calls.
 */
#ifndef QN_JOB_AGREEMENT_H
#define QN_JOB_AGREEMENT_H

#include <pthread.h>
#include <stdbool.h>

#include "job/ranks.h"

typedef struct qn_agreement {
    qn_ranks *ranks;       /* the run's */
    bool stopped, mute;    /* by what another process met; that one speaks */
    pthread_mutex_t mutex; /* of calls to other ranks */
    double looked_s;       /* when the others were last looked at */
    bool left;             /* nothing to the others, by this rank: it is told of nobody else's failure then */
} qn_agreement;

void qn_agreement_begin(qn_ranks *ranks, qn_agreement *agreement);
void qn_agreement_end(qn_agreement *agreement);

/* Every rank must call, each with its own status. QN_OK: all have that. The first rank that failed gets its own failure
 * back, as does any that met something else; the others QN_CANCELLED, and are mute: those that are well, that were told
 * to stop, that met what rank 0 met, word for word, or that heard a Ctrl-C which all hear. Rank 0 logs its own
 * QN_CANCELLED as a warning, and is mute too, when others let it wait for 0.3 s: they may be dead. */
QN_MUST_CHECK qn_status qn_agree(qn_agreement *agreement, qn_status status);

/* The next `count` pieces of a run, of which *first is the first; *none: nobody deals any more. */
QN_MUST_CHECK qn_status qn_agreement_deal(qn_agreement *agreement, uint64_t count, uint64_t *first, bool *none);

/* Whether another rank failed, asked once a second at most: then QN_CANCELLED, and this one is stopped. Not where this
 * one has left nothing: its other threads find nothing to do, and its own failure is the one to tell. */
QN_MUST_CHECK qn_status qn_agreement_look(qn_agreement *agreement);

/* After a failure, which it returns: that the other ranks do not go on for hours for nothing. */
qn_status qn_agreement_leave_nothing(qn_agreement *agreement, qn_status failure);

#endif
