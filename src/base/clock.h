/* A monotonic clock, for measuring durations. */
#ifndef QN_BASE_CLOCK_H
#define QN_BASE_CLOCK_H

/* Seconds since an arbitrary fixed moment. */
double qn_clock_s(void);

/* Seconds since *since, and set *since to now. */
double qn_clock_lap_s(double *since);

#endif
