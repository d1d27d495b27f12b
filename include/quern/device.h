/* Contexts and devices.
 *
 * A context owns the thread pool, the log, the opened devices' drivers and the settings that its calls share; any
 * number of contexts may exist in one process. A device is one CPU or GPU with one driver:
 *
 *     host          this machine's CPU, plain C kernels; always available
 *     opencl:N      the N-th OpenCL device, any vendor
 *     cuda:N        the N-th CUDA device
 *     checking:X    device X with every kernel's contract and the order of queues verified (slow; for tests)
 *     auto          the first of cuda:0, the first OpenCL GPU, host
 *
 * Life cycle: context create → device open → … → device release → context destroy. Devices are reference counted.
 * Thread rule: a context may be used from several threads; a device's queues each from one thread at a time.
 *
 *     qn_context *context;
 *     qn_device *device;
 *     if (qn_context_create(NULL, &context) != QN_OK || qn_device_open(context, "auto", &device) != QN_OK) return 1;
 *     printf("%s: %d compute units\n", qn_device_get_info(device)->name, qn_device_get_info(device)->compute_units);
 *     qn_device_release(&device), qn_context_destroy(&context);
 */
#ifndef QUERN_DEVICE_H
#define QUERN_DEVICE_H

#include <quern/option.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct qn_context qn_context;
typedef struct qn_device qn_device;

typedef struct qn_context_options {
    size_t size;               /* of this struct in bytes */
    int threads;               /* 0: every processor this process may run on */
    bool without_kernel_cache; /* also set by QUERN_KERNEL_CACHE=off */
    bool explain;              /* log where each kernel configuration came from */
    const char *kernel_folder; /* folder of kernel sources; also QUERN_KERNEL_DIR; NULL: those of the library */
    qn_log_callback log;       /* receives the messages of calls with this context; NULL: they are dropped */
    void *log_user;
} qn_context_options;

static inline qn_context_options qn_context_default_options(void)
{
    qn_context_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    return options;
}

QN_MUST_CHECK qn_status qn_context_create(const qn_context_options *options, qn_context **context);
void qn_context_destroy(qn_context **context);
int qn_context_threads(const qn_context *context);

typedef enum qn_device_kind { QN_DEVICE_CPU, QN_DEVICE_GPU, QN_DEVICE_ACCELERATOR } qn_device_kind;

typedef struct qn_device_info {
    char identifier[48]; /* "cuda:0"; opens this device again */
    char driver[16];     /* "host", "opencl", "cuda", "checking" */
    char name[128];
    char vendor[64];
    char driver_version[96];
    char architecture[32]; /* the instructions of its kernels: "cuda 9.0", "gfx 9.4", "x86-64-v4"; "" when unknown */
    char pci_address[24];  /* "0000:3b:00.0"; "" when unknown */
    qn_device_kind kind;
    uint64_t memory_bytes;
    uint64_t largest_buffer_bytes;
    uint64_t local_memory_bytes; /* per work-group, as kernels declare it */
    uint64_t local_room_bytes;   /* per work-group, sized at launch: as much or more */
    int compute_units;
    int largest_group; /* work-items in a group */
    int subgroup_size; /* warp or wavefront; 1 on CPUs */
    int vector_width;  /* preferred floats per vector; 1 on GPUs */
    bool rounds_roots; /* kernels can compute correctly rounded square roots and quotients */
} qn_device_info;

/* Entry of the list of devices: a usable device, or a driver that cannot be used, with the reason in one sentence. */
typedef struct qn_device_listing {
    bool usable;
    qn_device_info info; /* info.identifier and info.driver are set even when not usable */
    char reason[256];
} qn_device_listing;

/* Up to `capacity` listings in a fixed order (host, opencl, cuda); *count gets the number of all devices and drivers.
 */
QN_MUST_CHECK qn_status qn_device_list(qn_context *context, qn_device_listing *listings, size_t capacity,
                                       size_t *count);

/* Options of `quern devices`. */
typedef struct qn_devices_options {
    size_t size;        /* of this struct in bytes */
    qn_run_options run; /* `device` (NULL: all) and `threads` are used */
    bool measure;       /* rates of each usable device */
} qn_devices_options;

const qn_option_table *qn_devices_option_table(void); /* see <quern/option.h> */

/* Open a device. QN_INVALID_ARGUMENT: the text is not an identifier; QN_NO_DEVICE, with the reason: the device is not
 * available. */
QN_MUST_CHECK qn_status qn_device_open(qn_context *context, const char *identifier, qn_device **device);
qn_device *qn_device_retain(qn_device *device);
void qn_device_release(qn_device **device);
const qn_device_info *qn_device_get_info(const qn_device *device);

/* Rates of a device, each the median of several launches timed by events. A rate is 0 if the device lacks the
 * operation. */
typedef struct qn_device_rates {
    double copy_bytes_per_s;       /* device memory to device memory, bytes read plus bytes written */
    double read_bytes_per_s;       /* a sum over a large buffer */
    double multiply_adds_per_s;    /* single precision fused multiply-adds */
    double reciprocal_roots_per_s; /* single precision 1/sqrt(x) */
    double local_atomics_per_s;    /* int32 adds to local memory, different addresses */
} qn_device_rates;

QN_MUST_CHECK qn_status qn_device_measure(qn_device *device, qn_device_rates *rates);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
