/* What to count on a chip: the part of the counters that needs no GPU. */
#ifndef QN_RUNTIME_CUDA_COUNTERS_H
#define QN_RUNTIME_CUDA_COUNTERS_H

#include "runtime/counters.h"
#include "runtime/cuda/cupti_api.h"

enum { QN_CUDA_COUNTERS = 37 };

typedef struct qn_counter_plan {
    void *host; /* CUPTI's */
    uint8_t *image;
    size_t image_bytes, passes;
    const char *metrics[QN_CUDA_COUNTERS]; /* of the chip, in the order in which they were added */
    int counter[QN_CUDA_COUNTERS];         /* which of qn_counters_names each of them is */
    bool summed[QN_CUDA_COUNTERS];         /* over several kernels; else the mean */
    size_t count;
    int time_metric; /* the kernel's time, of metrics; -1 */
} qn_counter_plan;

/* Choose the counters that the chip ("GH100") has. availability: of the device, from CUPTI; NULL: all of the chip's. */
QN_MUST_CHECK qn_status qn_counter_plan_make(const qn_cupti_api *api, const char *chip, const uint8_t *availability,
                                             qn_counter_plan *plan);
void qn_counter_plan_clear(const qn_cupti_api *api, qn_counter_plan *plan);

#endif
