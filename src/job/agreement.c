#define _POSIX_C_SOURCE 200809L
#include "job/agreement.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"

/* So many pieces nobody has: a rank that takes them leaves nothing to the others. Thousands of ranks may. */
static const uint64_t all_that_is_left = (uint64_t)1 << 48;

void qn_agreement_begin(qn_ranks *ranks, qn_agreement *agreement)
{
    *agreement = (qn_agreement){.ranks = ranks, .looked_s = qn_clock_s()};
    pthread_mutex_init(&agreement->mutex, NULL);
}

void qn_agreement_end(qn_agreement *agreement)
{
    pthread_mutex_destroy(&agreement->mutex);
}

/* Whether what this rank met need not be told: the first one that failed tells of a Ctrl-C that all hear, and the first
 * rank of what all of them meet. */
static bool is_told(int rank, int speaker, const qn_error_trail *own, const qn_error_trail *first)
{
    if (rank == speaker) return false;
    return own->status == QN_CANCELLED ||
           (speaker == 0 && own->status == first->status && strcmp(own->message, first->message) == 0);
}

qn_status qn_agree(qn_agreement *agreement, qn_status status)
{
    qn_ranks *ranks = agreement->ranks;
    const int count = qn_ranks_count(ranks), rank = qn_ranks_rank(ranks);
    qn_error_trail own = {0}, first = {0};
    int most = 0;
    qn_error_save(status, &own);
    qn_status heard = qn_ranks_most(ranks, status == QN_OK ? 0 : agreement->stopped ? 1 : 1 + count - rank, &most);
    if (heard == QN_OK && most == 1 + count) {
        if (rank == 0) first = own;
        heard = qn_ranks_tell(ranks, &first, sizeof first);
    }
    if (heard != QN_OK) return status != QN_OK ? qn_error_restore(&own) : heard;
    if (most == 0) return QN_OK;
    agreement->mute = status == QN_OK || agreement->stopped || is_told(rank, 1 + count - most, &own, &first);
    if (!agreement->mute) return qn_error_restore(&own);
    agreement->stopped = true; /* what is agreed on after this knows who speaks */
    QN_FAIL(QN_CANCELLED, "stopped because another process of this run did");
}

qn_status qn_agreement_deal(qn_agreement *agreement, uint64_t *piece, bool *none)
{
    pthread_mutex_lock(&agreement->mutex);
    qn_status status = qn_ranks_next(agreement->ranks, 1, piece);
    pthread_mutex_unlock(&agreement->mutex);
    QN_TRY(status);
    *none = *piece >= all_that_is_left;
    return QN_OK;
}

/* Not while another thread asks for a piece, which may take its time. */
qn_status qn_agreement_look(qn_agreement *agreement)
{
    uint64_t next = 0;
    if (qn_ranks_count(agreement->ranks) == 1 || pthread_mutex_trylock(&agreement->mutex) != 0) return QN_OK;
    const double now_s = qn_clock_s();
    qn_status status = QN_OK;
    if (now_s - agreement->looked_s >= 1) {
        status = qn_ranks_next(agreement->ranks, 0, &next);
        if (status == QN_OK) agreement->looked_s = now_s;
    }
    pthread_mutex_unlock(&agreement->mutex);
    QN_TRY(status);
    if (next < all_that_is_left) return QN_OK;
    agreement->stopped = true;
    QN_FAIL(QN_CANCELLED, "stopped because another process of this run did");
}

qn_status qn_agreement_leave_nothing(qn_agreement *agreement, qn_status failure)
{
    qn_error_trail trail;
    uint64_t first;
    qn_error_save(failure, &trail);
    pthread_mutex_lock(&agreement->mutex);
    if (qn_ranks_next(agreement->ranks, all_that_is_left, &first) != QN_OK) qn_error_clear();
    pthread_mutex_unlock(&agreement->mutex);
    return qn_error_restore(&trail);
}
