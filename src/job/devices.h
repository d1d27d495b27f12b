/* The devices of a run. */
#ifndef QN_JOB_DEVICES_H
#define QN_JOB_DEVICES_H

#include <quern/device.h>

#include <stdbool.h>

#include "base/text.h"
#include "job/ranks.h"

enum { QN_DEVICES_MAX = 16 };

/* Open the devices of `list`: one device, several separated by commas, or "all" for all GPUs. A GPU that CUDA and
 * OpenCL both list is opened once, by CUDA. "all" leaves out CPUs, which are slower than GPUs and would finish last.
 * The ranks of one machine divide the devices of the list among themselves, and all GPUs if the list is "auto". Each
 * device is logged. `ranks` may be NULL. Errors: those of qn_device_open; QN_NO_DEVICE; QN_INVALID_ARGUMENT (a list
 * with too many devices, with a device twice, or with "all" beside others). After a failure no device is open. */
QN_MUST_CHECK qn_status qn_devices_open(qn_context *context, const char *list, const qn_ranks *ranks,
                                        qn_device *devices[QN_DEVICES_MAX], int *count);

/* Whether two devices compute the same bits: they are of one model, and on hosts use one instruction set. */
bool qn_devices_are_alike(const qn_device *first, const qn_device *second);

/* Append a line "device=driver model" to a journal's key for each model. Results do not depend on the number of devices
 * of a model. */
QN_MUST_CHECK qn_status qn_devices_describe(qn_device *const *devices, int count, qn_text *key);

#endif
