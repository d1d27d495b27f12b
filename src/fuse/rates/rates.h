/* Measured rates of the library's functions on a device, as the tuning store keeps them.
 *
 * A rate is known by the text of the function's meaning and of the implementation: a changed function has none.
 * Life cycle: open → get, put → close. Thread rule: one thread at a time. */
#ifndef QN_FUSE_RATES_RATES_H
#define QN_FUSE_RATES_RATES_H

#include "fuse/program/trial.h"

typedef struct qn_rates qn_rates;

/* Without a store nothing is known, and nothing is kept. */
QN_MUST_CHECK qn_status qn_rates_open(qn_device *device, qn_rates **rates);
void qn_rates_close(qn_rates **rates);

/* Bytes that a function moves in a second by an implementation (NULL: its meaning); 0: not known. */
double qn_rates_get(const qn_rates *rates, const qn_function *function, const qn_implementation *implementation);

/* Seconds of a launch that does next to nothing; 0: not known. */
double qn_rates_launch_s(const qn_rates *rates);

/* A measurement. */
typedef struct qn_measured_rate {
    double seconds, bytes;
} qn_measured_rate;

/* Measure a function on vectors of 2^25 elements and matrices of 4096 × 8192, or a sixteenth where the device has no
 * room, and keep it: the median of `repeat` runs. Sizes of `call` are not read. */
QN_MUST_CHECK qn_status qn_rates_measure(qn_rates *rates, const qn_trial_call *call, int repeat,
                                         qn_measured_rate *measured);
QN_MUST_CHECK qn_status qn_rates_measure_launch(qn_rates *rates, const qn_library *library, int repeat,
                                                double *seconds);

#endif
