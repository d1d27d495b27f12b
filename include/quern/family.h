/* Kernel families: one source text for every device, its tunables, and how to launch it.
 *
 * A family is a constant declaration: kernels, their arguments, the tunables with defaults and constraints, the source.
 * Nothing is registered by hand; a device builds a family the first time it runs and keeps the result.
 *
 * Life cycle: declare once (static const) → qn_family_run as often as needed; built programs go with the device.
 * Thread rule: declarations are constants; running follows the queue's rule.
 *
 *     qn_argument arguments[] = {qn_argument_buffer(x), qn_argument_buffer(y), qn_argument_int32(n)};
 *     qn_family_run(&saxpy_family, queue, &(qn_family_call){.kernel = 0, .arguments = arguments, .argument_count = 3,
 *                                                           .problem = &problem}, NULL);
 */
#ifndef QUERN_FAMILY_H
#define QUERN_FAMILY_H

#include <quern/queue.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    QN_ARGUMENT_MAX = 24,
    QN_TUNABLE_MAX = 24,
    QN_TUNABLE_VALUE_MAX = 16,
    QN_CONSTRAINT_MAX = 16,
    QN_KERNEL_MAX = 8
};

/* How a kernel uses an argument. OUT: every byte of the buffer range is written and none is read. A kernel that writes
 * only a part declares INOUT. The checking driver holds kernels to this. */
typedef enum qn_access { QN_VALUE, QN_IN, QN_OUT, QN_INOUT } qn_access;

typedef enum qn_element { QN_INT32, QN_UINT32, QN_FLOAT32, QN_INT64, QN_BYTES } qn_element;

typedef struct qn_argument_declaration {
    const char *name;
    qn_access access;
    qn_element element;
} qn_argument_declaration;

/* One argument of a launch: a value, or a buffer from `offset` (bytes, a multiple of 256) for `bytes` (0: to its end).
 */
typedef struct qn_argument {
    qn_buffer *buffer;
    size_t offset, bytes;
    union {
        int32_t int32;
        uint32_t uint32;
        float float32;
        int64_t int64;
    } value;
    qn_element element; /* of a value */
} qn_argument;

qn_argument qn_argument_buffer(qn_buffer *buffer);
qn_argument qn_argument_range(qn_buffer *buffer, size_t offset, size_t bytes);
qn_argument qn_argument_int32(int32_t value);
qn_argument qn_argument_uint32(uint32_t value);
qn_argument qn_argument_float32(float value);
qn_argument qn_argument_int64(int64_t value);

/* Work-items in all and in a group; unused dimensions are 1; `items` is a multiple of `group`. */
typedef struct qn_geometry {
    size_t items[3];
    size_t group[3];
} qn_geometry;

typedef struct qn_tunable {
    const char *name; /* upper case: becomes a preprocessor definition of the source */
    int values[QN_TUNABLE_VALUE_MAX];
    int value_count;
    int fallback;
    const char *meaning;
} qn_tunable;

/* Values in the order of the family's tunables. */
typedef struct qn_configuration {
    int value[QN_TUNABLE_MAX];
} qn_configuration;

/* A launch as a host kernel sees it: arguments in declared order (pointers to buffer memory or to the value). */
typedef struct qn_host_launch {
    void *const *arguments;
    const size_t *argument_bytes; /* size of each buffer range; 0 for values */
    qn_geometry geometry;
    const qn_configuration *configuration;
    void *pool; /* the context's thread pool, for library code (qn_pool *) */
} qn_host_launch;

typedef qn_status (*qn_host_kernel)(const qn_host_launch *launch);

/* The least work of a launch, pipe by pipe, in the units of qn_device_rates: each value read or written once, each
 * operation counted as the slots it takes. The pipe that needs longest sets the limit. */
typedef struct qn_work {
    double bytes_read;    /* of device memory */
    double bytes_written; /* likewise */
    double multiply_adds; /* single precision issue slots: a multiply, an add and a fused multiply-add are one each */
    double reciprocal_roots; /* special functions: 1/sqrt(x), exp, sin … */
    double local_atomics;    /* int32 additions to local memory */
} qn_work;

/* The shortest time in which a device with these rates can do the work; *pipe (may be NULL) names the slowest one:
 * "memory", "multiply-add", "reciprocal root", "local atomics". Of memory, as much reading as there is writing goes at
 * the rate of a copy and what is left of the reading at the rate of a sum. 0 where a needed rate is not known. */
double qn_work_limit_seconds(const qn_work *work, const qn_device_rates *rates, const char **pipe);

typedef struct qn_family qn_family;

typedef struct qn_kernel_declaration {
    const char *name;
    const qn_argument_declaration *arguments;
    int argument_count;
    /* Geometry of a launch of `problem` (the family's own struct) under a configuration. */
    qn_geometry (*geometry)(const qn_configuration *configuration, const void *problem);
    qn_host_kernel host; /* NULL: the host driver cannot run this kernel */
    /* What one launch cannot do without, whatever the configuration: gives its limit on a device. May be NULL. */
    void (*work)(const void *problem, qn_work *work);
} qn_kernel_declaration;

struct qn_family {
    const char *name;        /* "dock/ligand_grids": folder and file */
    const char *source;      /* embedded, includes flattened */
    const char *source_path; /* relative to the source folder, for QUERN_KERNEL_DIR */
    const qn_kernel_declaration *kernels;
    int kernel_count;
    const qn_tunable *tunables;
    int tunable_count;
    const char *const *constraints; /* each must be nonzero; see runtime/constraint.h for the words */
    int constraint_count;
    const char *check_definitions; /* definitions with which compile checks build it: "KEEP=4"; NULL when none needed */
    bool without_prelude;          /* source is not in the kernel language but in plain OpenCL C or CUDA */
    const char *compiler_options;  /* besides the driver's own; NULL */
    /* Bytes of a launch's LOCAL_ROOM, for kernels whose last parameter is the prelude's LOCAL_ROOM_PARAMETER; 0 for the
     * family's other kernels. NULL: none has any. */
    size_t (*local_room)(int kernel, const qn_configuration *configuration, const void *problem);
};

typedef struct qn_family_call {
    int kernel; /* index into the family's kernels */
    const qn_argument *arguments;
    int argument_count;
    const void *problem;       /* handed to geometry and cost */
    const char *problem_class; /* sizes binned by the family, key of tuning results; NULL: one class */
    const char *definitions;   /* more "NAME=VALUE NAME=VALUE" for the source, constants of the problem; NULL */
    const qn_configuration *configuration; /* NULL: chosen by the context's source, else the fallback */
} qn_family_call;

QN_MUST_CHECK qn_status qn_family_run(const qn_family *family, qn_queue *queue, const qn_family_call *call,
                                      qn_event **event);

/* The configuration of fallbacks. */
qn_configuration qn_family_fallback(const qn_family *family);

/* Whether `configuration` satisfies every constraint on a device; *broken (may be NULL) names the first that does not.
 */
QN_MUST_CHECK qn_status qn_family_allows(const qn_family *family, const qn_device_info *device,
                                         const qn_configuration *configuration, bool *allowed, const char **broken);

/* Build without running, e.g. to compile ahead of time; from any thread, and without keeping launches waiting.
 * configuration NULL: the fallback. */
QN_MUST_CHECK qn_status qn_family_build(const qn_family *family, qn_device *device,
                                        const qn_configuration *configuration, const char *definitions);

/* Drop what was built of a configuration, whatever the definitions; it is built again when it is next run. What was
 * launched with it must be finished. */
void qn_family_forget(const qn_family *family, qn_device *device, const qn_configuration *configuration);

/* What a kernel needs as the device's compiler made it; 0 where the driver does not say. */
typedef struct qn_kernel_resources {
    int largest_group;    /* most work-items in a group; registers can make it smaller than the device's */
    int registers;        /* per work-item */
    size_t local_bytes;   /* per group */
    size_t private_bytes; /* per work-item, in memory: spilled registers and private arrays */
} qn_kernel_resources;

QN_MUST_CHECK qn_status qn_family_resources(const qn_family *family, qn_device *device,
                                            const qn_configuration *configuration, const char *definitions, int kernel,
                                            qn_kernel_resources *resources);

/* Build, and hold every kernel's needs and (problem not NULL) its geometry to the device's limits: QN_UNSUPPORTED or
 * QN_INVALID_ARGUMENT, with the limit, when it would not run. A launch that fails all the same can be the end of a CUDA
 * device for this process (an illegal address poisons the context): everything on it then gives QN_DEVICE_LOST. */
QN_MUST_CHECK qn_status qn_family_fits(const qn_family *family, qn_device *device,
                                       const qn_configuration *configuration, const char *definitions,
                                       const void *problem);

/* A launch as a tuner sees it. */
typedef struct qn_family_launch {
    const qn_family *family;
    qn_queue *queue;
    int kernel;
    const char *problem_class, *definitions; /* may be NULL */
    const void *problem;
    qn_configuration configuration;
    bool timed; /* set by choose: report gets the launch's event */
    void *tag;  /* from choose to report */
} qn_family_launch;

/* The door for a tuner. `choose` is asked before each run whose call names no configuration: it sets
 * launch->configuration (the fallback at first) and returns a word for where it came from ("store", "shipped"), or NULL
 * to decline (the fallback is used). `report` hears of every launch that choose did not decline, when it was queued or
 * failed, and owns the event (NULL unless timed); after a failure true asks to choose again. `end` is called when the
 * context is destroyed. All may be NULL, and are called from the threads that launch. */
typedef struct qn_configuration_source {
    const char *(*choose)(qn_family_launch *launch, void *user);
    bool (*report)(const qn_family_launch *launch, qn_status status, qn_event *event, void *user);
    void (*end)(void *user);
    void *user;
} qn_configuration_source;

/* Copied; NULL: none. No family may be running in the context meanwhile. */
void qn_context_set_configuration_source(qn_context *context, const qn_configuration_source *source);

/* Every family of the library, for compile checks and listings. */
const qn_family *const *qn_family_list(size_t *count);

#ifdef __cplusplus
}
#endif
#endif
