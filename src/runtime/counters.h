/* Hardware counters of a device while it runs kernels: bytes and sectors moved, instructions by class, utilisation of
 * each unit. Only NVIDIA GPUs of the driver cuda have counters; creating counters loads the library that reads them.
 *
 * A device reads only a few counters at once, so the same work is run about forty times until all are read. Counters
 * have NVIDIA's names (Kernel Profiling Guide, "Metrics Structure").
 *
 * Life cycle: create → collect, as often as wanted → destroy, before the device. Kernels run at their usual speed
 * between two collections. Thread rule: one thread at a time, and one collection at a time on a device.
 *
 *     QN_TRY(qn_counters_create(device, &counters));
 *     names = qn_counters_names(&count);
 *     QN_TRY(qn_counters_collect(counters, launch_and_finish, user, values));
 */
#ifndef QN_RUNTIME_COUNTERS_H
#define QN_RUNTIME_COUNTERS_H

#include <quern/device.h>

typedef struct qn_counters qn_counters;

/* Names of the counters, the same for every device; values are in this order. */
const char *const *qn_counters_names(size_t *count);

/* Errors: QN_UNSUPPORTED, in one sentence with the reason: the library is absent, this user may not read counters, or
 * the device has none. */
QN_MUST_CHECK qn_status qn_counters_create(qn_device *device, qn_counters **counters);
void qn_counters_destroy(qn_counters **counters);

/* Number of times that a collection calls `run`. */
size_t qn_counters_passes(const qn_counters *counters);

/* Collect values[number of names], each over all kernels that `run` launches on the device, 128 at most. Counters whose
 * names end in ".sum" are added; all others are means weighted by the kernels' times; NaN: this chip lacks the counter.
 * `run` must return after its kernels are done, and do the same work at every call. Errors: those of run;
 * QN_UNSUPPORTED, with the function and its result, if the counting itself fails. */
QN_MUST_CHECK qn_status qn_counters_collect(qn_counters *counters, qn_status (*run)(void *user), void *user,
                                            double *values);

#endif
