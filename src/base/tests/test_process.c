/* Processes that run, that have ended without their parent's notice, and that are gone. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/process.h"

static void a_running_process_is_not_over(void)
{
    char one[32], two[32];
    CHECK(!qn_process_is_over(getpid()));
    qn_process_start(getpid(), one);
    qn_process_start(getpid(), two);
    CHECK(one[0] >= '1' && one[0] <= '9' && strcmp(one, two) == 0);
}

static void a_process_that_nobody_has_waited_for_is_over(void)
{
    char start[32];
    siginfo_t information;
    const pid_t child = fork();
    if (child == 0) {
        for (;;) pause();
    }
    CHECK(child > 0 && !qn_process_is_over(child));
    CHECK(kill(child, SIGKILL) == 0);
    CHECK(waitid(P_PID, (id_t)child, &information, WEXITED | WNOWAIT) == 0);
    CHECK(kill(child, 0) == 0); /* its number is still taken */
    CHECK(qn_process_is_over(child));
    qn_process_start(child, start);
    CHECK(start[0] == '\0');
    CHECK(waitpid(child, NULL, 0) == child);
    CHECK(qn_process_is_over(child));
    qn_process_start(child, start);
    CHECK(start[0] == '\0');
}

static void facts_are_those_of_the_process(void)
{
    qn_process_facts facts = {0};
    const clock_t begin = clock();
    while (clock() - begin < CLOCKS_PER_SEC / 10) continue; /* at least some ticks of 10 ms */
    CHECK(qn_process_read(getpid(), &facts) && facts.state == 'R' && facts.parent == (long)getppid());
    const double seconds = (double)(facts.user_ticks + facts.system_ticks) / (double)sysconf(_SC_CLK_TCK);
    CHECK_NEAR(seconds, (double)clock() / CLOCKS_PER_SEC, 0.06);
    CHECK(facts.start_ticks > 0 && !qn_process_read(1L << 40, &facts));
}

static void numbers_of_no_process_are_over(void)
{
    CHECK(qn_process_is_over(0) && qn_process_is_over(-1) && qn_process_is_over(1L << 40));
}

int main(void)
{
    RUN(a_running_process_is_not_over);
    RUN(a_process_that_nobody_has_waited_for_is_over);
    RUN(facts_are_those_of_the_process);
    RUN(numbers_of_no_process_are_over);
    return check_finish();
}
