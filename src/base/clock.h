/* Time that only goes forwards, for how long things take. */
#ifndef QN_BASE_CLOCK_H
#define QN_BASE_CLOCK_H

/* Seconds since some moment. */
double qn_clock_s(void);

/* Seconds since *since, which is set to now. */
double qn_clock_lap_s(double *since);

#endif
