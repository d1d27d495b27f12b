/* A device of fixed, made-up rates, by which work is compared. */
#ifndef QN_TUNE_MODEL_NOMINAL_H
#define QN_TUNE_MODEL_NOMINAL_H

#include <quern/workload.h>

/* Nominal seconds of work: what a device of fixed, made-up rates would take. Objectives of different problem sizes are
 * compared per nominal second. 0 for no work. */
double qn_tune_nominal_seconds(const qn_work *work);
extern const qn_device_rates qn_tune_nominal_rates;

#endif
