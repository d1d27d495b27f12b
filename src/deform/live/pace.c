#define _GNU_SOURCE /* MCL_ONFAULT */
#include "deform/live/pace.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"

enum { PRIORITY = 60, STACK_BYTES = 65536 };

static const int64_t second_ns = 1000000000;

/* Touch the stack that ticks will use. */
static void use_stack(void)
{
    char stack[STACK_BYTES];
    volatile char *const byte = stack;
    for (int i = 0; i < STACK_BYTES; i += 1024) byte[i] = 0;
}

qn_pace_rights qn_pace_enter(void)
{
    qn_pace_rights rights = {false, false};
    const struct sched_param wanted = {.sched_priority = PRIORITY};
    use_stack();
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); /* without priority, timers would be 50 µs late on purpose */
    const int refused = pthread_setschedparam(pthread_self(), SCHED_FIFO, &wanted);
    rights.has_priority = refused == 0;
    if (refused != 0)
        qn_log(QN_LOG_WARNING,
               "the loop has no real-time priority (SCHED_FIFO: %s), so other work of the machine can delay its ticks; "
               "expected the right CAP_SYS_NICE or a limit of real-time priorities (ulimit -r) of at least %d",
               strerror(refused), PRIORITY);
    /* Later memory is not locked: where that is limited, other threads could no longer allocate. */
    rights.has_locked_memory = mlockall(MCL_CURRENT | MCL_ONFAULT) == 0;
    if (!rights.has_locked_memory)
        qn_log(
            QN_LOG_WARNING,
            "the loop's memory is not locked (mlockall: %s), so a page that is swapped out can delay a tick; expected "
            "the right CAP_IPC_LOCK or a larger limit of locked memory (ulimit -l)",
            strerror(errno));
    return rights;
}

void qn_pace_leave(qn_pace_rights rights)
{
    const struct sched_param usual = {.sched_priority = 0};
    if (rights.has_locked_memory) munlockall();
    if (rights.has_priority) pthread_setschedparam(pthread_self(), SCHED_OTHER, &usual);
}

int qn_pace_keep_awake(void)
{
    static const char path[] = "/dev/cpu_dma_latency"; /* the request lasts as long as the file is open */
    const int32_t most_us = 0;
    const int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    if (descriptor >= 0 && write(descriptor, &most_us, sizeof most_us) == sizeof most_us) return descriptor;
    if (descriptor >= 0) close(descriptor);
    if (errno != ENOENT)
        qn_log(QN_LOG_NOTE, "idle processors may sleep and then wake late (%s: %s)", path, strerror(errno));
    return -1;
}

void qn_pace_let_sleep(int descriptor)
{
    if (descriptor >= 0) close(descriptor);
}

int64_t qn_pace_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * second_ns + now.tv_nsec;
}

void qn_pace_sleep_until(int64_t moment_ns)
{
    const struct timespec moment = {.tv_sec = moment_ns / second_ns, .tv_nsec = moment_ns % second_ns};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL) == EINTR) continue;
}

/* The first moment, about a period from now. Linux has its own tick at whole milliseconds of this clock, every 1, 4 or
 * 10 of them, which takes a processor for some 30 µs. With a rate of 1 or 2 kHz no moment then coincides with it. */
static int64_t begin_between_ticks(int64_t period_ns)
{
    const int64_t step_ns = 1000000, offset_ns = 350000;
    return (qn_pace_now_ns() + period_ns) / step_ns * step_ns + step_ns + offset_ns;
}

uint64_t qn_pace_run(double rate_hz, uint64_t end, qn_pace_tick tick, void *user)
{
    const double period_s = 1 / rate_hz, period_ns = 1e9 / rate_hz;
    const int64_t begin_ns = begin_between_ticks((int64_t)period_ns);
    uint64_t missed = 0, skipped = 0;
    for (uint64_t number = 0; number < end; number += 1 + skipped) {
        const int64_t moment_ns = begin_ns + (int64_t)((double)number * period_ns);
        qn_pace_sleep_until(moment_ns);
        const double lateness_us = 1e-3 * (double)(qn_pace_now_ns() - moment_ns);
        const qn_pace_moment moment = {(double)number / rate_hz, period_s * (double)(1 + skipped), lateness_us};
        if (!tick(user, &moment)) break;
        const double behind = (double)(qn_pace_now_ns() - moment_ns) / period_ns; /* periods since the moment */
        skipped = behind >= 2 && behind < 1e15 ? (uint64_t)behind - 1 : 0;
        missed += skipped;
    }
    return missed;
}

uint64_t qn_pace_follow(double rate_hz, double duration_s, bool (*wait)(void *user, int64_t moment_ns),
                        qn_pace_tick tick, void *user)
{
    const int64_t period_ns = (int64_t)(1e9 / rate_hz), begin_ns = begin_between_ticks(period_ns);
    int64_t due_ns = begin_ns, last_ns = begin_ns - period_ns, least_ns = 0; /* the earliest next tick for news */
    uint64_t missed = 0;
    for (;;) {
        if (qn_pace_now_ns() < least_ns) qn_pace_sleep_until(least_ns);
        const bool is_news = wait(user, due_ns);
        const int64_t now_ns = qn_pace_now_ns(), tick_ns = is_news ? now_ns : due_ns;
        const qn_pace_moment moment = {.time_s = 1e-9 * (double)(tick_ns - begin_ns),
                                       .step_s = 1e-9 * (double)(tick_ns - last_ns),
                                       .lateness_us = is_news ? (double)NAN : 1e-3 * (double)(now_ns - due_ns)};
        if (moment.time_s > duration_s || !tick(user, &moment)) return missed;
        last_ns = tick_ns;
        if (is_news)
            least_ns = period_ns / 4 + (least_ns > tick_ns - 2 * period_ns ? least_ns : tick_ns - 2 * period_ns);
        due_ns = tick_ns + (is_news ? 2 * period_ns : period_ns);
        const int64_t behind = (qn_pace_now_ns() - due_ns) / period_ns; /* whole periods since the moment */
        if (behind < 1) continue;
        missed += (uint64_t)behind;
        due_ns += behind * period_ns;
    }
}
