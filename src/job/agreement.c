#define _POSIX_C_SOURCE 200809L
#include "job/agreement.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/thread.h"

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

/* What the first rank will say of a Ctrl-C in any case, said beforehand where others keep it waiting: they may be dead,
 * and a launcher that stops all because one died kills them a second later. */
typedef struct early_word {
    const char *message;
    qn_thread thread;
    bool said;
    atomic_bool agreed;
} early_word;

static qn_status say_early(void *user)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    early_word *word = user;
    for (int i = 0; i < 30 && !word->agreed; i++) nanosleep(&pause, NULL);
    word->said = !word->agreed;
    if (word->said) qn_log(QN_LOG_WARNING, "%s", word->message);
    return QN_OK;
}

static void begin_word(const qn_agreement *agreement, const qn_error_trail *own, early_word *word)
{
    *word = (early_word){.message = own->message};
    const bool waits = qn_ranks_count(agreement->ranks) > 1 && qn_ranks_rank(agreement->ranks) == 0 &&
                       !agreement->stopped && own->status == QN_CANCELLED;
    if (waits && qn_thread_start(&word->thread, say_early, word) != QN_OK) qn_error_clear(); /* it is said later then */
}

/* Whether it has been said. */
static bool end_word(early_word *word)
{
    word->agreed = true;
    (void)qn_thread_join(&word->thread);
    return word->said;
}

/* The rank that failed first: `most` is 1 + count − its number; 0 when all are well. `first` gets what rank 0 met. */
static qn_status hear_all(const qn_agreement *agreement, const qn_error_trail *own, int *most, qn_error_trail *first)
{
    const int count = qn_ranks_count(agreement->ranks), rank = qn_ranks_rank(agreement->ranks);
    const int mine = own->status == QN_OK ? 0 : agreement->stopped ? 1 : 1 + count - rank;
    QN_TRY(qn_ranks_most(agreement->ranks, mine, most));
    if (*most != 1 + count) return QN_OK;
    if (rank == 0) *first = *own;
    return qn_ranks_tell(agreement->ranks, first, sizeof *first);
}

qn_status qn_agree(qn_agreement *agreement, qn_status status)
{
    const int count = qn_ranks_count(agreement->ranks), rank = qn_ranks_rank(agreement->ranks);
    qn_error_trail own = {0}, first = {0};
    early_word word;
    int most = 0;
    qn_error_save(status, &own);
    begin_word(agreement, &own, &word);
    qn_status heard = hear_all(agreement, &own, &most, &first);
    if (end_word(&word)) {
        agreement->mute = true;
        return qn_error_restore(&own);
    }
    if (heard != QN_OK) return status != QN_OK ? qn_error_restore(&own) : heard;
    if (most == 0) return QN_OK;
    agreement->mute = status == QN_OK || agreement->stopped || is_told(rank, 1 + count - most, &own, &first);
    if (!agreement->mute) return qn_error_restore(&own);
    agreement->stopped = true; /* what is agreed on after this knows who speaks */
    QN_FAIL(QN_CANCELLED, "stopped because another process of this run did");
}

qn_status qn_agreement_deal(qn_agreement *agreement, uint64_t count, uint64_t *first, bool *none)
{
    pthread_mutex_lock(&agreement->mutex);
    qn_status status = qn_ranks_next(agreement->ranks, count, first);
    pthread_mutex_unlock(&agreement->mutex);
    QN_TRY(status);
    *none = *first >= all_that_is_left;
    return QN_OK;
}

/* Not while another thread asks for a piece, which may take its time. */
qn_status qn_agreement_look(qn_agreement *agreement)
{
    uint64_t next = 0;
    if (qn_ranks_count(agreement->ranks) == 1 || pthread_mutex_trylock(&agreement->mutex) != 0) return QN_OK;
    const double now_s = qn_clock_s();
    qn_status status = QN_OK;
    if (now_s - agreement->looked_s >= 1 && !agreement->left) {
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
    agreement->left = true;
    if (qn_ranks_next(agreement->ranks, all_that_is_left, &first) != QN_OK) qn_error_clear();
    pthread_mutex_unlock(&agreement->mutex);
    return qn_error_restore(&trail);
}
