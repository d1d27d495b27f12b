/* The load of the machine: busy times of the processors that this process may use, and work of other processes. */
#define _GNU_SOURCE 1
#include "check.h"

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/load.h"

/* user nice system idle waiting interrupts (2) stolen guest (2), in hundredths of a second */
static const char stat_text[] = "cpu  1111 22 333 4444 55 6 7 8 900 0\n"
                                "cpu0 100 20 30 4000 50 1 2 3 50 0\n"
                                "cpu1 1000 0 300 400 5 5 5 5 0 0\n"
                                "cpu12 1 1 1 1 1 1 1 1 0 0\n"
                                "intr 1 2 3\n"
                                "cpux 1 2 3 4 5\n";

static void busy_seconds_are_those_of_allowed_processors(void)
{
    bool allowed[13] = {true};
    int processors;
    CHECK_NEAR(qn_load_busy_seconds(stat_text, allowed, 13, 100, &processors), 1.56, 1e-12);
    CHECK(processors == 1);
    allowed[1] = allowed[12] = true;
    CHECK_NEAR(qn_load_busy_seconds(stat_text, allowed, 13, 100, &processors), 1.56 + 13.15 + 0.06, 1e-12);
    CHECK(processors == 3);
    CHECK_NEAR(qn_load_busy_seconds(stat_text, allowed, 2, 100, &processors), 1.56 + 13.15, 1e-12);
    CHECK(qn_load_busy_seconds("", allowed, 13, 100, &processors) == 0 && processors == 0);
}

static void spin_s(double seconds)
{
    const double end_s = qn_clock_s() + seconds;
    while (qn_clock_s() < end_s) {
    }
}

static bool stay_on_one_processor(void)
{
    cpu_set_t one;
    const int processor = sched_getcpu();
    CPU_ZERO(&one);
    CPU_SET(processor < 0 ? 0 : processor, &one);
    return CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
}

/* Start a process that computes; `orphan`: it is not a child of this one. Returns its number. */
static pid_t start_work(bool orphan)
{
    int ends[2];
    pid_t worker = 0;
    CHECK(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        const pid_t inner = orphan ? fork() : 0;
        if (inner == 0) spin_s(30);
        if (inner == 0) _exit(0);
        _exit(write(ends[1], &inner, sizeof inner) != sizeof inner);
    }
    if (!orphan) worker = child;
    if (orphan) CHECK(read(ends[0], &worker, sizeof worker) == sizeof worker && waitpid(child, NULL, 0) == child);
    close(ends[0]);
    close(ends[1]);
    return worker;
}

/* Other work on the processor of this process counts as load. Still more work can only add to it. */
static void other_processes_are_load(void)
{
    qn_load load;
    if (!stay_on_one_processor()) return;
    qn_load_start(&load);
    CHECK(isnan(qn_load_now(&load))); /* too early */
    const pid_t other = start_work(true);
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    const double share = qn_load_now(&load);
    kill(other, SIGKILL);
    if (isnan(share)) return; /* this system does not count */
    if (!CHECK(share > 0.3 && share <= 1)) fprintf(stderr, "  share %g\n", share);
    CHECK(qn_load_is_busy(share));
}

/* A child's work, such as that of a worker which tests kernels, is none: what the child used cannot be load. */
static void children_are_no_load(void)
{
    qn_load load;
    struct rusage used;
    if (!stay_on_one_processor()) return;
    qn_load_start(&load);
    const double began_s = qn_clock_s();
    const pid_t child = start_work(false);
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    const double share = qn_load_now(&load), elapsed_s = qn_clock_s() - began_s;
    kill(child, SIGKILL);
    if (!CHECK(wait4(child, NULL, 0, &used) == child) || isnan(share)) return;
    const double child_share = ((double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec) / elapsed_s;
    if (!CHECK(share <= 1.1 - child_share)) fprintf(stderr, "  share %g, child %g\n", share, child_share);
}

static void a_given_load_replaces_the_measurement(void)
{
    qn_load load;
    qn_load_start(&load);
    setenv("QUERN_LOAD", "0.25", 1);
    CHECK(qn_load_now(&load) == 0.25 && qn_load_is_busy(0.25));
    unsetenv("QUERN_LOAD");
    CHECK(!qn_load_is_busy(0.05) && !qn_load_is_busy((double)NAN));
}

int main(void)
{
    unsetenv("QUERN_LOAD");
    RUN(busy_seconds_are_those_of_allowed_processors);
    RUN(a_given_load_replaces_the_measurement);
    RUN(other_processes_are_load);
    RUN(children_are_no_load);
    return check_finish();
}
