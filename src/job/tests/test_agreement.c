/* labels: threads */
/* Without a launcher, a rank agrees with itself. Under a launcher (tests/job/check_mpi.sh), "together" checks which
 * ranks print an error and which are silent, for various failures. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/log.h"
#include "job/job.h"

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
    return QN_FAIL(status, "file %d is missing", number);
}

static void speaks(qn_status status, qn_status own, const char *message)
{
    CHECK_FAILS(status, own);
    CHECK_MESSAGE_HAS(message);
    CHECK(!agreement.silent);
}

static void is_mute(qn_status status)
{
    CHECK_FAILS(status, QN_CANCELLED);
    CHECK_MESSAGE_HAS("another process");
    CHECK(agreement.silent);
}

static void success_of_all_ranks_prints_nothing(void)
{
    if (!begin()) return;
    CHECK_OK(qn_agree(&agreement, QN_OK));
    CHECK(!agreement.silent && !agreement.stopped);
    end();
}

static void one_failure_stops_all_ranks_and_is_printed_once(void)
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

static void rank_0_prints_a_failure_of_all_ranks(void)
{
    static const qn_status statuses[] = {QN_NOT_FOUND, QN_CANCELLED};
    for (int i = 0; i < 2 && begin(); i++) {
        /* a Ctrl-C interrupts each rank at another place */
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

/* The other ranks call late, as if they were dead. */
static void an_interrupt_is_logged_before_late_ranks_answer(void)
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
        CHECK(agreement.silent);
        CHECK_TEXT(logged, "file 0 is missing");
    } else {
        speaks(status, QN_CANCELLED, "file 0");
        CHECK(!logged[0]);
    }
    end();
}

static void different_failures_are_all_printed(void)
{
    static const char *const messages[] = {"file 0 is", "file 1 is", "file 2 is", "file 3 is"};
    if (!begin()) return;
    speaks(qn_agree(&agreement, met(QN_NOT_FOUND, rank % 4)), QN_NOT_FOUND, messages[rank % 4]);
    end();
}

static void a_failure_cancels_the_remaining_pieces(void)
{
    uint64_t piece;
    bool none;
    if (!begin()) return;
    const bool fails = rank == count - 1;
    CHECK_OK(qn_agreement_deal(&agreement, 1, &piece, &none));
    CHECK(!none && piece < (uint64_t)count);
    CHECK_OK(qn_ranks_barrier(ranks));
    agreement.polled_s -= 2; /* as if the last poll were 2 s older */
    CHECK_OK(qn_agreement_poll(&agreement));
    CHECK(!agreement.stopped);
    CHECK_OK(qn_ranks_barrier(ranks));
    if (fails) {
        speaks(qn_agreement_cancel(&agreement, met(QN_NOT_FOUND, 5)), QN_NOT_FOUND, "file 5");
        agreement.polled_s -= 2;
        CHECK_OK(qn_agreement_poll(&agreement)); /* this rank itself cancelled the pieces */
        CHECK(!agreement.stopped);
    }
    CHECK_OK(qn_ranks_barrier(ranks));
    qn_status status = QN_OK;
    if (!fails) {
        CHECK_OK(qn_agreement_deal(&agreement, 1, &piece, &none));
        CHECK(none);
        CHECK_OK(qn_agreement_poll(&agreement)); /* the last poll is less than a second old */
        agreement.polled_s -= 2;
        status = qn_agreement_poll(&agreement);
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

static void several_processes_without_an_output_are_refused(void)
{
    qn_context *context = NULL;
    qn_job job;
    const qn_run_options options = {.device = "host", .tune = QN_TUNE_OFF};
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 1}, &context)))
        return;
    qn_status status = qn_job_open(context, "toy", &options, &job);
    CHECK_OK(status);
    const bool first = qn_job_is_first(&job), alone = qn_ranks_count(job.ranks) == 1;
    status = qn_job_output(&job, &(qn_output){.folder = NULL}, true);
    status = qn_job_close(&job, status);
    if (alone) {
        CHECK_OK(status);
    } else if (first) {
        CHECK_FAILS(status, QN_UNSUPPORTED);
        CHECK_MESSAGE_HAS("processes run without an output; expected one process, or an output");
        CHECK(!qn_error_is_reported());
    } else {
        CHECK_FAILS(status, QN_CANCELLED);
        CHECK(qn_error_is_reported());
    }
    qn_context_destroy(&context);
}

int main(int argc, char **argv)
{
    if (argc == 1) {
        setenv("QUERN_MPI_LIBRARY", "off", 1);
    } else if (strcmp(argv[1], "together") != 0) {
        return 2;
    }
    RUN(success_of_all_ranks_prints_nothing);
    RUN(one_failure_stops_all_ranks_and_is_printed_once);
    RUN(rank_0_prints_a_failure_of_all_ranks);
    RUN(an_interrupt_is_logged_before_late_ranks_answer);
    RUN(different_failures_are_all_printed);
    RUN(a_failure_cancels_the_remaining_pieces);
    RUN(several_processes_without_an_output_are_refused);
    return check_finish();
}
