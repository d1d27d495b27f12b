/* The devices of a run. */
#ifndef QN_JOB_DEVICES_H
#define QN_JOB_DEVICES_H

#include <quern/device.h>

#include <stdbool.h>

#include "base/text.h"
#include "job/ranks.h"

enum { QN_MOST_DEVICES = 16 };

/* Open what `list` names: one device, several apart by commas, or "all" for every GPU once (CUDA's before OpenCL's;
 * CPUs by name only, as they would hold a GPU's batches back). Ranks of one machine share out what is named, and of
 * "auto" all GPUs. Each device is logged. `ranks` may be NULL. Errors: those of qn_device_open; QN_NO_DEVICE,
 * QN_INVALID_ARGUMENT for a list that cannot be. After a failure none is open. */
QN_MUST_CHECK qn_status qn_devices_open(qn_context *context, const char *list, const qn_ranks *ranks,
                                        qn_device *devices[QN_MOST_DEVICES], int *count);

/* Whether devices give the same bits: one model, and on hosts one instruction set. */
bool qn_devices_are_alike(const qn_device *first, const qn_device *second);

/* Append "device=driver model" lines to a journal's key, each model once: which and how many of one does not matter. */
QN_MUST_CHECK qn_status qn_devices_describe(qn_device *const *devices, int count, qn_text *key);

#endif
