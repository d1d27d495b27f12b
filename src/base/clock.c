#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "base/clock.h"

#include <time.h>

double qn_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double qn_clock_lap_s(double *since)
{
    double now = qn_clock_s(), elapsed = now - *since;
    *since = now;
    return elapsed;
}
