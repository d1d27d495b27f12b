#define _GNU_SOURCE 1
#include "base/load.h"

#include <dirent.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"

static const double LEAST_INTERVAL_S = 0.5; /* counts are in steps of 10 ms */

double qn_load_busy_seconds(const char *text, const bool *allowed, size_t allowed_count, double ticks_per_s,
                            int *processors)
{
    double ticks = 0;
    *processors = 0;
    for (const char *line = text; line; line = strchr(line, '\n'), line += line != NULL) {
        /* user, nice, system, idle, waiting for input, interrupts (two kinds), stolen by the machine's host */
        double time[8] = {0};
        unsigned number;
        if (strncmp(line, "cpu", 3) != 0 || line[3] < '0' || line[3] > '9') continue; /* "cpu " is the sum of all */
        if (sscanf(line, "cpu%u %lf %lf %lf %lf %lf %lf %lf %lf", &number, &time[0], &time[1], &time[2], &time[3],
                   &time[4], &time[5], &time[6], &time[7]) < 5)
            continue;
        if (number >= allowed_count || !allowed[number]) continue;
        ++*processors;
        ticks += time[0] + time[1] + time[2] + time[5] + time[6] + time[7];
    }
    return ticks / ticks_per_s;
}

static double seconds_of(const struct rusage *usage)
{
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           1e-6 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

/* Time of a process in seconds if it is a child of this one, otherwise 0. */
static double child_seconds(const char *process)
{
    qn_process_facts facts;
    if (!qn_process_read(strtol(process, NULL, 10), &facts) || facts.parent != (long)getpid()) return 0;
    return (double)(facts.user_ticks + facts.system_ticks) / (double)sysconf(_SC_CLK_TCK);
}

/* Time of the children that still run, such as the worker that tests a user's kernel. */
static double living_children_seconds(void)
{
    double seconds = 0;
    DIR *folder = opendir("/proc");
    if (!folder) return 0;
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9') seconds += child_seconds(entry->d_name);
    closedir(folder);
    return seconds;
}

static double own_seconds(void)
{
    struct rusage self, children;
    if (getrusage(RUSAGE_SELF, &self) != 0 || getrusage(RUSAGE_CHILDREN, &children) != 0) return NAN;
    return seconds_of(&self) + seconds_of(&children) + living_children_seconds();
}

/* Busy time of the processors that this process may use; NAN: not known, as on systems without /proc. */
static double busy_seconds(int *processors)
{
    enum { TEXT_BYTES = 1 << 18 };
    bool allowed[CPU_SETSIZE];
    cpu_set_t set;
    double seconds = NAN;
    FILE *file = fopen("/proc/stat", "r");
    char *text = malloc(TEXT_BYTES);
    *processors = 0;
    if (file && text && sched_getaffinity(0, sizeof set, &set) == 0) {
        for (int i = 0; i < CPU_SETSIZE; i++) allowed[i] = CPU_ISSET(i, &set);
        text[fread(text, 1, TEXT_BYTES - 1, file)] = '\0';
        seconds = qn_load_busy_seconds(text, allowed, CPU_SETSIZE, (double)sysconf(_SC_CLK_TCK), processors);
    }
    if (file) fclose(file);
    free(text);
    return *processors > 0 ? seconds : NAN;
}

void qn_load_start(qn_load *load)
{
    int processors;
    *load =
        (qn_load){.began_s = qn_clock_s(), .busy_s = busy_seconds(&processors), .own_s = own_seconds(), .share = NAN};
}

double qn_load_now(qn_load *load)
{
    const double now_s = qn_clock_s(), elapsed_s = now_s - load->began_s;
    const char *given = getenv("QUERN_LOAD");
    int processors;
    if (given && *given) return strtod(given, NULL);
    if (elapsed_s < LEAST_INTERVAL_S) return load->share;
    const double busy_s = busy_seconds(&processors), own_s = own_seconds();
    const double others_s = busy_s - load->busy_s - (own_s - load->own_s);
    const double share = fmin(1, fmax(0, others_s / (elapsed_s * processors)));
    /* a system that counts nothing, not even this process */
    const bool counts = isfinite(others_s) && !(busy_s == load->busy_s && own_s - load->own_s > 0.1 * elapsed_s);
    *load = (qn_load){.began_s = now_s, .busy_s = busy_s, .own_s = own_s, .share = counts ? share : (double)NAN};
    return load->share;
}

bool qn_load_is_busy(double share)
{
    return share > QN_LOAD_BUSY; /* NAN is not */
}
