/* The CUDA driver's counters, and the plan of the counters of a chip; making a plan needs no GPU. */
#ifndef QN_RUNTIME_CUDA_COUNTERS_H
#define QN_RUNTIME_CUDA_COUNTERS_H

#include "runtime/cuda/cupti_api.h"
#include "runtime/driver.h"

enum { QN_CUDA_COUNTERS = 37 };

extern const qn_driver_counters qn_cuda_counters;

/* Names of the counters, the same for every chip. */
const char *const *qn_cuda_counter_names(size_t *count);

typedef struct qn_counter_plan {
    void *host; /* CUPTI's */
    uint8_t *image;
    size_t image_bytes, passes;
    const char *metrics[QN_CUDA_COUNTERS]; /* names of the chip's metrics, in the order in which they were added */
    int counter[QN_CUDA_COUNTERS];         /* index of each metric in qn_cuda_counter_names */
    bool summed[QN_CUDA_COUNTERS];         /* added over several kernels; else their mean is taken */
    size_t count;
    int time_metric; /* index in metrics of the kernel's time; -1: none */
} qn_counter_plan;

/* Choose the counters that the chip ("GH100") has. `availability`: CUPTI's image for the device; NULL: all counters of
 * the chip are available. */
QN_MUST_CHECK qn_status qn_counter_plan_make(const qn_cupti_api *api, const char *chip, const uint8_t *availability,
                                             qn_counter_plan *plan);
void qn_counter_plan_clear(const qn_cupti_api *api, qn_counter_plan *plan);

#endif
