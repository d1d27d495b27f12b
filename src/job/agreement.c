#define _POSIX_C_SOURCE 200809L
#include "job/agreement.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/thread.h"

/* Added to the common counter to cancel all pieces. No run has so many pieces, and the sum of thousands of ranks does
 * not overflow. */
static const uint64_t cancelling_count = (uint64_t)1 << 48;

void qn_agreement_begin(qn_ranks *ranks, qn_agreement *agreement)
{
    *agreement = (qn_agreement){.ranks = ranks, .polled_s = qn_clock_s()};
    pthread_mutex_init(&agreement->mutex, NULL);
}

void qn_agreement_end(qn_agreement *agreement)
{
    pthread_mutex_destroy(&agreement->mutex);
}

/* Whether the reporter's message covers the failure of this rank: a Ctrl-C reaches all ranks, and a wrong input fails
 * on all ranks with the message of rank 0. `own` and `first`: failures of this rank and of rank 0. */
static bool is_covered(int rank, int reporter, const qn_error_trail *own, const qn_error_trail *first)
{
    if (rank == reporter) return false;
    return own->status == QN_CANCELLED ||
           (reporter == 0 && own->status == first->status && strcmp(own->message, first->message) == 0);
}

/* A thread that logs the message of an interrupted rank 0 while rank 0 waits for the others. They may be dead, and a
 * launcher that stops all processes because one died kills rank 0 a second later. */
typedef struct early_warning {
    const char *message;
    qn_thread thread;
    bool logged;
    atomic_bool agreed; /* all ranks have answered */
} early_warning;

static qn_status log_early(void *user)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    early_warning *warning = user;
    for (int i = 0; i < 30 && !warning->agreed; i++) nanosleep(&pause, NULL);
    warning->logged = !warning->agreed;
    if (warning->logged) qn_log(QN_LOG_WARNING, "%s", warning->message);
    return QN_OK;
}

static void start_warning(const qn_agreement *agreement, const qn_error_trail *own, early_warning *warning)
{
    *warning = (early_warning){.message = own->message};
    const bool waits = qn_ranks_count(agreement->ranks) > 1 && qn_ranks_rank(agreement->ranks) == 0 &&
                       !agreement->stopped && own->status == QN_CANCELLED;
    if (waits && qn_thread_start(&warning->thread, log_early, warning) != QN_OK)
        qn_error_clear(); /* the message is printed later instead */
}

/* Stop the thread. Returns whether it logged the message. */
static bool end_warning(early_warning *warning)
{
    warning->agreed = true;
    (void)qn_thread_join(&warning->thread);
    return warning->logged;
}

/* Find the reporter: *most is 1 + count − its number; 1 if ranks stopped and none failed; 0 if all ranks succeeded. If
 * the reporter is rank 0, `first` gets its error trail on all ranks. */
static qn_status exchange(const qn_agreement *agreement, const qn_error_trail *own, int *most, qn_error_trail *first)
{
    const int count = qn_ranks_count(agreement->ranks), rank = qn_ranks_rank(agreement->ranks);
    const int mine = own->status == QN_OK ? 0 : agreement->stopped ? 1 : 1 + count - rank;
    QN_TRY(qn_ranks_max(agreement->ranks, mine, most));
    if (*most != 1 + count) return QN_OK;
    if (rank == 0) *first = *own;
    return qn_ranks_broadcast(agreement->ranks, first, sizeof *first);
}

qn_status qn_agree(qn_agreement *agreement, qn_status status)
{
    const int count = qn_ranks_count(agreement->ranks), rank = qn_ranks_rank(agreement->ranks);
    qn_error_trail own = {0}, first = {0};
    early_warning warning;
    int most = 0;
    qn_error_save(status, &own);
    start_warning(agreement, &own, &warning);
    const qn_status exchanged = exchange(agreement, &own, &most, &first);
    if (end_warning(&warning)) {
        agreement->silent = true;
        return qn_error_restore(&own);
    }
    if (exchanged != QN_OK) return status != QN_OK ? qn_error_restore(&own) : exchanged;
    if (most == 0) return QN_OK;
    agreement->silent = status == QN_OK || agreement->stopped || is_covered(rank, 1 + count - most, &own, &first);
    if (!agreement->silent) return qn_error_restore(&own);
    agreement->stopped = true; /* in later calls of qn_agree this rank is not the reporter */
    return QN_FAIL(QN_CANCELLED, "stopped because another process of this run did");
}

qn_status qn_agreement_deal(qn_agreement *agreement, uint64_t count, uint64_t *first, bool *none)
{
    pthread_mutex_lock(&agreement->mutex);
    qn_status status = qn_ranks_fetch_add(agreement->ranks, count, first);
    pthread_mutex_unlock(&agreement->mutex);
    QN_TRY(status);
    *none = *first >= cancelling_count;
    return QN_OK;
}

/* A poll is skipped while another thread takes a piece, which may take long. */
qn_status qn_agreement_poll(qn_agreement *agreement)
{
    uint64_t next = 0;
    if (qn_ranks_count(agreement->ranks) == 1 || pthread_mutex_trylock(&agreement->mutex) != 0) return QN_OK;
    const double now_s = qn_clock_s();
    qn_status status = QN_OK;
    if (now_s - agreement->polled_s >= 1 && !agreement->cancelled) {
        status = qn_ranks_fetch_add(agreement->ranks, 0, &next);
        if (status == QN_OK) agreement->polled_s = now_s;
    }
    pthread_mutex_unlock(&agreement->mutex);
    QN_TRY(status);
    if (next < cancelling_count) return QN_OK;
    agreement->stopped = true;
    return QN_FAIL(QN_CANCELLED, "stopped because another process of this run did");
}

qn_status qn_agreement_cancel(qn_agreement *agreement, qn_status failure)
{
    qn_error_trail trail;
    uint64_t first;
    qn_error_save(failure, &trail);
    pthread_mutex_lock(&agreement->mutex);
    agreement->cancelled = true;
    if (qn_ranks_fetch_add(agreement->ranks, cancelling_count, &first) != QN_OK) qn_error_clear();
    pthread_mutex_unlock(&agreement->mutex);
    return qn_error_restore(&trail);
}
