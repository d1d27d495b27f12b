/* Hardware counters of a device while it runs kernels: bytes and sectors moved, instructions by class, how busy each
 * part was. NVIDIA GPUs count through CUPTI (range profiler, CUDA 12.6 or newer), which is loaded only when counters
 * are asked for.
 *
 * A device counts a few things at a time, so the same work is run again and again, about forty times, until all are
 * counted. Counters whose name ends in ".sum" or names a ratio keep NVIDIA's names (Kernel Profiling Guide, "Metrics
 * Structure").
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

/* What is asked for of every device; values are in this order. */
const char *const *qn_counters_names(size_t *count);

/* Errors: QN_UNSUPPORTED, in one sentence with the reason: no CUPTI, not allowed to this user, no such device. */
QN_MUST_CHECK qn_status qn_counters_create(qn_device *device, qn_counters **counters);
void qn_counters_destroy(qn_counters **counters);

/* How often `run` is called by a collection. */
size_t qn_counters_passes(const qn_counters *counters);

/* values[count of qn_counters_names], over all kernels that `run` launches on the device, 128 at most: sums are added
 * up, anything else is the mean weighted by the kernels' times. NaN: this chip does not count it. `run` returns when
 * its kernels are done, and does the same each time. Errors: those of run; QN_UNSUPPORTED, with CUPTI's function and
 * result, when the counting itself failed. */
QN_MUST_CHECK qn_status qn_counters_collect(qn_counters *counters, qn_status (*run)(void *user), void *user,
                                            double *values);

#endif
