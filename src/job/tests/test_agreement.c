/* labels: threads */
/* Alone: a rank agrees with itself. Under a launcher (tests/job/check_mpi.sh): "together" tells who speaks and who is
 * mute whatever the ranks met. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/log.h"
#include "job/agreement.h"

static qn_ranks *ranks;
static qn_agreement agreement;
static int rank, count;

static bool begin(void)
{
    if (!CHECK_OK(qn_ranks_open(&ranks))) return false;
    qn_agreement_begin(ranks, &agreement);
    rank = qn_ranks_rank(ranks);
    count = qn_ranks_count(ranks);
    return true;
}

static void end(void)
{
    qn_agreement_end(&agreement);
    qn_ranks_close(&ranks);
}

static qn_status met(qn_status status, int number)
{
    if (status == QN_OK) return QN_OK;
    QN_FAIL(status, "file %d is missing", number);
}

static void speaks(qn_status status, qn_status own, const char *message)
{
    CHECK_FAILS(status, own);
    CHECK_MESSAGE_HAS(message);
    CHECK(!agreement.mute);
}

static void is_mute(qn_status status)
{
    CHECK_FAILS(status, QN_CANCELLED);
    CHECK_MESSAGE_HAS("another process");
    CHECK(agreement.mute);
}

static void what_all_manage_is_told_by_nobody(void)
{
    if (!begin()) return;
    CHECK_OK(qn_agree(&agreement, QN_OK));
    CHECK(!agreement.mute && !agreement.stopped);
    end();
}

static void one_failure_stops_all_and_is_told_once(void)
{
    if (!begin()) return;
    const bool fails = rank == count - 1;
    qn_status status = qn_agree(&agreement, met(fails ? QN_NOT_FOUND : QN_OK, rank));
    if (fails)
        speaks(status, QN_NOT_FOUND, "is missing");
    else
        is_mute(status);
    end();
}

static void what_all_meet_the_first_one_tells(void)
{
    static const qn_status statuses[] = {QN_NOT_FOUND, QN_CANCELLED};
    for (int i = 0; i < 2 && begin(); i++) {
        /* each hears a Ctrl-C at another place */
        qn_status status = qn_agree(&agreement, met(statuses[i], statuses[i] == QN_CANCELLED ? rank : 7));
        if (rank == 0)
            speaks(status, statuses[i], "is missing");
        else
            is_mute(status);
        end();
    }
}

static char logged[128];

static void on_log(qn_log_level level, const char *message, void *user)
{
    (void)user;
    CHECK(level == QN_LOG_WARNING && !logged[0]);
    snprintf(logged, sizeof logged, "%s", message);
}

/* Late as the dead are. */
static void a_stop_is_told_before_those_come_who_are_late(void)
{
    if (!begin()) return;
    if (rank != 0) nanosleep(&(struct timespec){.tv_nsec = 900000000}, NULL);
    static qn_log_target heard = {.callback = on_log, .mutex = PTHREAD_MUTEX_INITIALIZER};
    const qn_log_scope outer = qn_log_enter(&heard);
    qn_status status = qn_agree(&agreement, met(QN_CANCELLED, rank));
    qn_log_return(outer);
    if (rank != 0) {
        is_mute(status);
    } else if (count > 1) {
        CHECK_FAILS(status, QN_CANCELLED);
        CHECK(agreement.mute);
        CHECK_TEXT(logged, "file 0 is missing");
    } else {
        speaks(status, QN_CANCELLED, "file 0");
        CHECK(!logged[0]);
    }
    end();
}

static void different_failures_are_all_told(void)
{
    static const char *const messages[] = {"file 0 is", "file 1 is", "file 2 is", "file 3 is"};
    if (!begin()) return;
    speaks(qn_agree(&agreement, met(QN_NOT_FOUND, rank % 4)), QN_NOT_FOUND, messages[rank % 4]);
    end();
}

static void a_failure_leaves_nothing_to_deal(void)
{
    uint64_t piece;
    bool none;
    if (!begin()) return;
    const bool fails = rank == count - 1;
    CHECK_OK(qn_agreement_deal(&agreement, 1, &piece, &none));
    CHECK(!none && piece < (uint64_t)count);
    CHECK_OK(qn_ranks_barrier(ranks));
    agreement.looked_s -= 2; /* as if it had been long ago */
    CHECK_OK(qn_agreement_look(&agreement));
    CHECK(!agreement.stopped);
    CHECK_OK(qn_ranks_barrier(ranks));
    if (fails) {
        speaks(qn_agreement_leave_nothing(&agreement, met(QN_NOT_FOUND, 5)), QN_NOT_FOUND, "file 5");
        agreement.looked_s -= 2;
        CHECK_OK(qn_agreement_look(&agreement)); /* another of its threads is not told of another process */
        CHECK(!agreement.stopped);
    }
    CHECK_OK(qn_ranks_barrier(ranks));
    qn_status status = QN_OK;
    if (!fails) {
        CHECK_OK(qn_agreement_deal(&agreement, 1, &piece, &none));
        CHECK(none);
        CHECK_OK(qn_agreement_look(&agreement)); /* it was just looked at */
        agreement.looked_s -= 2;
        status = qn_agreement_look(&agreement);
        CHECK_FAILS(status, QN_CANCELLED);
        CHECK(agreement.stopped);
    }
    status = qn_agree(&agreement, fails ? met(QN_NOT_FOUND, 5) : status);
    if (fails)
        speaks(status, QN_NOT_FOUND, "file 5");
    else
        is_mute(status);
    end();
}

int main(int argc, char **argv)
{
    if (argc == 1) {
        setenv("QUERN_MPI_LIBRARY", "off", 1);
    } else if (strcmp(argv[1], "together") != 0) {
        return 2;
    }
    RUN(what_all_manage_is_told_by_nobody);
    RUN(one_failure_stops_all_and_is_told_once);
    RUN(what_all_meet_the_first_one_tells);
    RUN(a_stop_is_told_before_those_come_who_are_late);
    RUN(different_failures_are_all_told);
    RUN(a_failure_leaves_nothing_to_deal);
    return check_finish();
}
