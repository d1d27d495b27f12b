/* Kernel families: kernels for CPUs and GPUs that are written once, with tunables whose best values depend on the
 * device.
 *
 * A family has one source text in the kernel language, which every driver (OpenCL, CUDA) compiles; on the host driver a
 * C function stands for each kernel. Tunables are named integers in the source, such as the side of a block. A
 * configuration has one value for each tunable. Constraints say which configurations are valid on a device; the
 * fallback is the configuration that runs where no better one is known.
 *
 * A family is declared as a constant (qn_family) and needs no registration. qn_family_run launches one of its kernels.
 * It takes the configuration from the call, else from the context's configuration source (the tuner), else the
 * fallback; compiles the source with the configuration as preprocessor definitions, unless that was done before;
 * computes the number of work-items by the kernel's `geometry` function; and queues the launch.
 *
 * Life cycle: declare once (static const) → qn_family_run, again and again. The device keeps compiled programs and
 * frees them when it is released. Thread rule: declarations are constants; running follows the queue's rule.
 *
 *     const qn_argument arguments[] = {qn_argument_buffer(x), qn_argument_buffer(y), qn_argument_int32(n)};
 *     const qn_family_call call = {.arguments = arguments, .argument_count = 3, .problem = &n};
 *     if (qn_family_run(&add_family, queue, &call, NULL) != QN_OK) return 1;
 *     if (qn_queue_read(queue, y, 0, values, 4 * n, NULL) != QN_OK || qn_queue_finish(queue) != QN_OK) return 1;
 *     printf("y[1] = %g\n", values[1]);
 */
#ifndef QUERN_FAMILY_H
#define QUERN_FAMILY_H

#include <quern/queue.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum {
    QN_ARGUMENT_MAX = 24,
    QN_TUNABLE_MAX = 24,
    QN_TUNABLE_VALUE_MAX = 16,
    QN_CONSTRAINT_MAX = 16,
    QN_KERNEL_MAX = 8
};

/* Access of a kernel to an argument: a value, or a buffer that is read (IN), written (OUT) or both (INOUT). OUT means
 * that the kernel writes every byte of the buffer range and reads none; a kernel that writes only a part declares
 * INOUT. The checking driver tests both. */
typedef enum qn_access { QN_VALUE, QN_IN, QN_OUT, QN_INOUT } qn_access;

/* Type of a buffer's elements, or of a value; QN_BYTES is a struct. */
typedef enum qn_element { QN_INT32, QN_UINT32, QN_FLOAT32, QN_INT64, QN_BYTES } qn_element;

typedef struct qn_argument_declaration {
    const char *name;
    qn_access access;
    qn_element element;
    size_t bytes; /* size of a struct that is passed by value; 0 for everything else */
} qn_argument_declaration;

/* One argument of a launch: a value, or a range of a buffer. The range begins at `offset` (bytes, a multiple of 256)
 * and has `bytes` bytes (0: to the buffer's end). Make arguments with the functions below. */
typedef struct qn_argument {
    qn_buffer *buffer;
    size_t offset, bytes; /* bytes: also the size of a struct */
    union {
        int32_t int32;
        uint32_t uint32;
        float float32;
        int64_t int64;
        const void *structure;
    } value;
    qn_element element; /* type of a value */
} qn_argument;

qn_argument qn_argument_buffer(qn_buffer *buffer);
qn_argument qn_argument_range(qn_buffer *buffer, size_t offset, size_t bytes);
qn_argument qn_argument_int32(int32_t value);
qn_argument qn_argument_uint32(uint32_t value);
qn_argument qn_argument_float32(float value);
qn_argument qn_argument_int64(int64_t value);

/* Pass a struct by value, for kernels with many scalars. `value` must not change until qn_family_run returns. Host and
 * device declare the same struct. Its layout must be the same for both compilers: members are int, float or 64-bit
 * integers, 64-bit ones first, and their sizes add up to a multiple of the largest one, so that there is no padding. */
qn_argument qn_argument_struct(const void *value, size_t bytes);

/* Geometry of a launch: number of work-items in total and in one group, along x, y and z. Unused dimensions are 1;
 * `items` is a multiple of `group`. */
typedef struct qn_geometry {
    size_t items[3];
    size_t group[3];
} qn_geometry;

typedef struct qn_tunable {
    const char *name; /* upper case; the source sees it as a preprocessor definition */
    int values[QN_TUNABLE_VALUE_MAX];
    int value_count;
    int fallback;
    const char *meaning;
} qn_tunable;

/* A configuration: one value for each tunable, in the order of the family's tunables. */
typedef struct qn_configuration {
    int value[QN_TUNABLE_MAX];
} qn_configuration;

/* Arguments of a host kernel, which does a whole launch. `arguments` are in declared order: pointers to buffer memory,
 * to the value or to the struct. */
typedef struct qn_host_launch {
    void *const *arguments;
    const size_t *argument_bytes; /* size of each buffer range; 0 for values */
    qn_geometry geometry;
    const qn_configuration *configuration;
    void *pool; /* the context's thread pool (qn_pool *), for kernels of the library */
} qn_host_launch;

typedef qn_status (*qn_host_kernel)(const qn_host_launch *launch);

/* One task of a host kernel's launch: number `index`, on worker `worker`, both from 0. A worker runs one task at a
 * time, so memory of its own needs no lock. */
typedef qn_status (*qn_host_task)(size_t index, int worker, void *user);

/* Number of workers of the launch's context: the largest number of tasks that run at one time. */
int qn_host_workers(const qn_host_launch *launch);

/* Run task(0) … task(count − 1) on the threads of the launch's context, and wait for them. Tasks are started in order.
 * After a failure no new task starts; returns the failure of the lowest index. */
QN_MUST_CHECK qn_status qn_host_parallel(const qn_host_launch *launch, size_t count, qn_host_task task, void *user);

/* Least work of a launch, in the units of qn_device_rates, one number for each pipe (a throughput of a device: memory,
 * arithmetic, atomics). Each value is read or written once, and each operation counts as the issue slots that it takes.
 * The pipe that needs the longest time sets the limit of the launch. */
typedef struct qn_work {
    double bytes_read;       /* bytes read from device memory */
    double bytes_written;    /* bytes written to device memory */
    double multiply_adds;    /* single precision issue slots: a multiply, an add or a fused multiply-add takes one */
    double reciprocal_roots; /* special functions: 1/sqrt(x), exp, sin … */
    double local_atomics;    /* int32 atomic additions to local memory */
} qn_work;

/* Shortest time in seconds in which a device with these rates can do the work; 0 if a needed rate is unknown. *pipe
 * (may be NULL) becomes the name of the slowest pipe: "memory", "multiply-add", "reciprocal root", "local atomics". For
 * memory, equal amounts of reading and writing take the rate of a copy; further reading takes the rate of a sum. */
double qn_work_limit_seconds(const qn_work *work, const qn_device_rates *rates, const char **pipe);

typedef struct qn_family qn_family;

typedef struct qn_kernel_declaration {
    const char *name;
    const qn_argument_declaration *arguments;
    int argument_count;
    /* Returns the geometry of a launch. `problem` points to the family's own struct with the sizes of the problem. */
    qn_geometry (*geometry)(const qn_configuration *configuration, const void *problem);
    qn_host_kernel host; /* does a launch on the host driver; NULL: the host cannot run this kernel */
    /* Computes the least work of a launch, which is the same for every configuration. NULL: unknown. */
    void (*work)(const void *problem, qn_work *work);
} qn_kernel_declaration;

struct qn_family {
    const char *name;        /* folder and file: "dock/ligand_grids" */
    const char *source;      /* text in the kernel language, with includes flattened; the build embeds it */
    const char *source_path; /* path below the source folder; QUERN_KERNEL_DIR has the source read from disk */
    const qn_kernel_declaration *kernels;
    int kernel_count;
    const qn_tunable *tunables;
    int tunable_count;
    const char *const *constraints; /* expressions over tunables and device limits that must be nonzero, such as
                                       "BLOCK_X * BLOCK_Y <= device.largest_group" */
    int constraint_count;
    const char *check_definitions; /* definitions for compile checks: "KEEP=4"; NULL: the source needs none */
    bool without_prelude;          /* the source is plain OpenCL C or CUDA instead of the kernel language */
    const char *compiler_options;  /* options for the compiler in addition to the driver's; NULL: none */
    /* Returns the bytes of local memory that a launch needs, for kernels whose last parameter is the prelude's
     * LOCAL_ROOM_PARAMETER, and 0 for other kernels. NULL: no kernel has one. */
    size_t (*local_room)(int kernel, const qn_configuration *configuration, const void *problem);
};

typedef struct qn_family_call {
    int kernel; /* index into the family's kernels */
    const qn_argument *arguments;
    int argument_count;
    const void *problem;       /* passed to geometry, work and local_room */
    const char *problem_class; /* key of tuning results: rounded sizes of the problem; NULL: one class for all */
    const char *definitions;   /* more definitions for the source: "NAME=VALUE NAME=VALUE"; NULL: none */
    const qn_configuration *configuration; /* NULL: chosen by the context's source, else the fallback */
} qn_family_call;

/* Launch a kernel. Asynchronous; `event` may be NULL. Errors: QN_INVALID_ARGUMENT (arguments that do not match the
 * declaration, groups that the device does not allow), QN_UNSUPPORTED (the driver cannot run the kernel),
 * QN_OUT_OF_MEMORY, QN_DEVICE_LOST; those of the compiler. */
QN_MUST_CHECK qn_status qn_family_run(const qn_family *family, qn_queue *queue, const qn_family_call *call,
                                      qn_event **event);

/* Configuration with the fallback of every tunable. */
qn_configuration qn_family_fallback(const qn_family *family);

/* Check whether `configuration` satisfies every constraint on a device. *broken (may be NULL) becomes the first
 * constraint that is broken. */
QN_MUST_CHECK qn_status qn_family_allows(const qn_family *family, const qn_device_info *device,
                                         const qn_configuration *configuration, bool *allowed, const char **broken);

/* Build a family without running it, for example to compile ahead of time. May be called from any thread and does not
 * delay launches. `configuration` NULL: the fallback. */
QN_MUST_CHECK qn_status qn_family_build(const qn_family *family, qn_device *device,
                                        const qn_configuration *configuration, const char *definitions);

/* Free the programs built for a configuration, with any definitions. A later run builds them again. All launches with
 * the configuration must have finished. */
void qn_family_forget(const qn_family *family, qn_device *device, const qn_configuration *configuration);

/* Resources of a compiled kernel; 0 where the driver does not report them. */
typedef struct qn_kernel_resources {
    int largest_group;    /* most work-items in a group; registers can make it smaller than the device's */
    int registers;        /* registers of a work-item */
    size_t local_bytes;   /* bytes of local memory of a group */
    size_t private_bytes; /* bytes of private memory of a work-item: spilled registers and private arrays */
} qn_kernel_resources;

QN_MUST_CHECK qn_status qn_family_resources(const qn_family *family, qn_device *device,
                                            const qn_configuration *configuration, const char *definitions, int kernel,
                                            qn_kernel_resources *resources);

/* Build a family and check that every kernel can run: its resources and, if `problem` is not NULL, its geometry must be
 * within the device's limits. QN_UNSUPPORTED or QN_INVALID_ARGUMENT naming the limit. This check cannot exclude every
 * failure of a launch. On CUDA a failed launch (such as an illegal address) can make the device unusable for this
 * process: all its functions then return QN_DEVICE_LOST. */
QN_MUST_CHECK qn_status qn_family_fits(const qn_family *family, qn_device *device,
                                       const qn_configuration *configuration, const char *definitions,
                                       const void *problem);

/* Description of a launch for a configuration source. */
typedef struct qn_family_launch {
    const qn_family *family;
    qn_queue *queue;
    int kernel;
    const char *problem_class, *definitions; /* as in qn_family_call; may be NULL */
    const void *problem;
    qn_configuration configuration;
    bool timed; /* `choose` sets it to let `report` get the launch's event */
    void *tag;  /* `choose` may set it for `report` */
} qn_family_launch;

/* A configuration source chooses the configurations of launches; the tuner is one (qn_tune_attach).
 *
 * `choose` is called before each launch whose call names no configuration. It sets launch->configuration, which is the
 * fallback on entry, and returns a word for the origin of the configuration ("store", "shipped"); or it returns NULL to
 * decline, and the fallback is used. `report` is called for every launch that `choose` did not decline, after the
 * launch was queued or failed. It owns the event, which is NULL unless `timed` is set. If it returns true after a
 * failure, `choose` is called again. `end` is called when the context is destroyed. Each function may be NULL; they are
 * called from the threads that launch. */
typedef struct qn_configuration_source {
    const char *(*choose)(qn_family_launch *launch, void *user);
    bool (*report)(const qn_family_launch *launch, qn_status status, qn_event *event, void *user);
    void (*end)(void *user);
    void *user;
} qn_configuration_source;

/* Set the configuration source of a context. The struct is copied; NULL: no source. No family may be running in the
 * context meanwhile. */
void qn_context_set_configuration_source(qn_context *context, const qn_configuration_source *source);

/* List every family of the library, for compile checks and listings. */
const qn_family *const *qn_family_list(size_t *count);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
