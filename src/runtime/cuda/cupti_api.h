/* The part of CUPTI that counters need, declared here as cuda_api.h declares the CUDA driver: structs of parameters,
 * each of which begins with its size, and functions that take one struct. tests/drivers/check_cupti.sh compares this
 * file with NVIDIA's headers if they are installed. */
#ifndef QN_RUNTIME_CUPTI_API_H
#define QN_RUNTIME_CUPTI_API_H

#include <quern/status.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/cuda/cuda_api.h"

/* Size of a struct as CUPTI expects it: up to the end of the last member, without padding. */
#define QN_CUPTI_SIZE(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

/* Values of NVIDIA's headers; the name after QN_ is theirs. */
enum {
    QN_CUPTI_SUCCESS = 0,
    QN_CUPTI_ERROR_OUT_OF_MEMORY = 8,
    QN_CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED = 33,
    QN_CUPTI_ERROR_INSUFFICIENT_PRIVILEGES = 35,
    QN_CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES = 40,
    QN_CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED = 41,
    QN_CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED = 43,
    QN_CUPTI_PROFILER_TYPE_RANGE_PROFILER = 0,
    QN_CUPTI_AutoRange = 1, /* a range for each kernel */
    QN_CUPTI_UserReplay = 3 /* the caller runs the passes */
};

typedef struct qn_cupti_initialize {
    size_t size;
    void *reserved;
} qn_cupti_initialize;

typedef struct qn_cupti_chip_name {
    size_t size;
    void *reserved;
    size_t device;
    const char *chip; /* out */
} qn_cupti_chip_name;

typedef struct qn_cupti_availability {
    size_t size;
    void *reserved;
    CUcontext context;
    size_t image_bytes; /* in and out */
    uint8_t *image;     /* NULL: ask for the size */
} qn_cupti_availability;

typedef struct qn_cupti_host_initialize {
    size_t size;
    void *reserved;
    int profiler_type;
    const char *chip;
    const uint8_t *availability; /* NULL: all counters of the chip */
    void *host;                  /* out */
} qn_cupti_host_initialize;

typedef struct qn_cupti_host_deinitialize {
    size_t size;
    void *reserved;
    void *host;
} qn_cupti_host_deinitialize;

typedef struct qn_cupti_add_metrics {
    size_t size;
    void *reserved;
    void *host;
    const char **names;
    size_t count;
} qn_cupti_add_metrics;

typedef struct qn_cupti_image_size {
    size_t size;
    void *reserved;
    void *host;
    size_t image_bytes; /* out */
} qn_cupti_image_size;

typedef struct qn_cupti_image {
    size_t size;
    void *reserved;
    void *host;
    size_t image_bytes;
    uint8_t *image; /* filled */
} qn_cupti_image;

typedef struct qn_cupti_passes {
    size_t size;
    void *reserved;
    size_t image_bytes;
    uint8_t *image;
    size_t passes; /* out */
} qn_cupti_passes;

typedef struct qn_cupti_evaluate {
    size_t size;
    void *reserved;
    void *host;
    const uint8_t *data;
    size_t data_bytes;
    size_t range;
    const char **names;
    size_t count;
    double *values; /* filled */
} qn_cupti_evaluate;

typedef struct qn_cupti_enable {
    size_t size;
    void *reserved;
    CUcontext context;
    void *profiler; /* out */
} qn_cupti_enable;

/* Parameters of Start and Disable; those of DecodeData begin likewise and have one more member. */
typedef struct qn_cupti_profiler {
    size_t size;
    void *reserved;
    void *profiler;
} qn_cupti_profiler;

typedef struct qn_cupti_decode {
    size_t size;
    void *reserved;
    void *profiler;
    size_t dropped_ranges; /* out */
} qn_cupti_decode;

typedef struct qn_cupti_stop {
    size_t size;
    void *reserved;
    void *profiler;
    size_t pass, nesting_level; /* out */
    uint8_t all_passes_submitted;
} qn_cupti_stop;

typedef struct qn_cupti_data_size {
    size_t size;
    void *reserved;
    void *profiler;
    const char **names;
    size_t count;
    size_t most_ranges;
    uint32_t most_nodes;
    size_t data_bytes; /* out */
} qn_cupti_data_size;

typedef struct qn_cupti_data_initialize {
    size_t size;
    void *reserved;
    void *profiler;
    size_t data_bytes;
    uint8_t *data; /* filled */
} qn_cupti_data_initialize;

typedef struct qn_cupti_data_info {
    size_t size;
    void *reserved;
    const uint8_t *data;
    size_t data_bytes;
    size_t ranges; /* out */
} qn_cupti_data_info;

typedef struct qn_cupti_set_config {
    size_t size;
    void *reserved;
    void *profiler;
    size_t image_bytes;
    const uint8_t *image;
    size_t data_bytes;
    uint8_t *data;
    int range_mode, replay_mode;
    size_t most_ranges;
    uint16_t nesting_levels, least_nesting_level;
    size_t pass;
    uint16_t nesting_level;
} qn_cupti_set_config;

typedef enum qn_cupti_function {
    QN_CUPTI_INITIALIZE,
    QN_CUPTI_CHIP_NAME,
    QN_CUPTI_AVAILABILITY,
    QN_CUPTI_HOST_INITIALIZE,
    QN_CUPTI_HOST_DEINITIALIZE,
    QN_CUPTI_ADD_METRICS,
    QN_CUPTI_IMAGE_SIZE,
    QN_CUPTI_IMAGE,
    QN_CUPTI_PASSES,
    QN_CUPTI_EVALUATE,
    QN_CUPTI_ENABLE,
    QN_CUPTI_DISABLE,
    QN_CUPTI_DATA_SIZE,
    QN_CUPTI_DATA_INITIALIZE,
    QN_CUPTI_DATA_INFO,
    QN_CUPTI_SET_CONFIG,
    QN_CUPTI_START,
    QN_CUPTI_STOP,
    QN_CUPTI_DECODE,
    QN_CUPTI_FUNCTIONS
} qn_cupti_function;

typedef struct qn_cupti_api {
    void *library;
    int (*function[QN_CUPTI_FUNCTIONS])(void *parameters);
    int (*result_string)(int result, const char **text);
} qn_cupti_api;

/* Open the library and fill the table; QN_UNSUPPORTED with the reason if the library is absent or too old. */
QN_MUST_CHECK qn_status qn_cupti_load(qn_cupti_api *api);
void qn_cupti_unload(qn_cupti_api *api);

const char *qn_cupti_function_name(qn_cupti_function function);
/* Name of a result, such as "CUPTI_ERROR_INVALID_METRIC_NAME". */
const char *qn_cupti_result_name(const qn_cupti_api *api, int result);

/* Call a function. A failure message has the function, its result and, for known results, the reason. */
QN_MUST_CHECK qn_status qn_cupti_call(const qn_cupti_api *api, qn_cupti_function function, void *parameters);

#endif
