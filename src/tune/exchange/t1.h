/* T1: a tuning problem in a JSON file, as Kernel Tuner and KTT read it: the user's own .cl or .cu kernel, its
 * parameters, constraints, launch geometry and arguments. docs/formats/tuning.md says which parts of the format are
 * supported.
 *
 * Life cycle: qn_t1_read → qn_t1_target_create → qn_t1_target_reference → (qn_t1_target_set, then clear, run, check of
 * qn_t1_workload)… → destroy both. A target is used by one thread at a time. */
#ifndef QN_TUNE_EXCHANGE_T1_H
#define QN_TUNE_EXCHANGE_T1_H

#include <quern/space.h>
#include <quern/workload.h>

#include "expression/expression.h"

typedef enum qn_t1_type {
    QN_T1_INT8,
    QN_T1_UINT8,
    QN_T1_INT16,
    QN_T1_UINT16,
    QN_T1_INT32,
    QN_T1_UINT32,
    QN_T1_INT64,
    QN_T1_UINT64,
    QN_T1_HALF, /* bytes: filled with zeros or from a file, compared bit by bit */
    QN_T1_FLOAT,
    QN_T1_DOUBLE
} qn_t1_type;

typedef enum qn_t1_fill { QN_T1_CONSTANT, QN_T1_RANDOM, QN_T1_GENERATOR, QN_T1_FILE } qn_t1_fill;

/* Content of a vector, or a scalar's value. */
typedef struct qn_t1_content {
    qn_t1_fill fill;
    double value; /* Constant: the value; Random: uniform from 0 to this */
    char *source; /* Generator: an expression of i, the number of the element; File: the path */
} qn_t1_content;

/* When an output is right. A bound below 0 was not given: whole numbers and halves must then be equal, and floats agree
 * within 10⁻⁴ of the reference and 10⁻⁶ of its largest value. */
typedef struct qn_t1_tolerance {
    double absolute, relative; /* |value − reference| <= absolute + relative · |reference| */
    bool of_sum;               /* `absolute` bounds the sum of the differences of all elements instead */
} qn_t1_tolerance;

typedef struct qn_t1_argument {
    char *name;
    qn_t1_type type;
    size_t lanes; /* of a vector type: 4 for float4; 1 for a scalar type */
    bool vector;
    size_t count; /* elements of a vector */
    bool written; /* AccessType is not ReadOnly */
    bool kept;    /* ReadWrite: elements that the kernel does not write keep their content */
    bool output;  /* compared with the reference */
    qn_t1_tolerance tolerance;
    qn_t1_content content;
    qn_t1_content *reference; /* expected values of this output in the file; NULL: none */
} qn_t1_argument;

typedef struct qn_t1 {
    char *path, *name, *kernel_name, *kernel_path;
    bool cuda;
    char *options;   /* of the compiler, separated by blanks */
    qn_space *space; /* solved; the usual values are the file's defaults if those are among the values */
    qn_expression *local[3], *global[3]; /* work-items of a group; size of the launch in groups or work-items */
    qn_expression **divisors[3];         /* GridDivX …: groups = ProblemSize / their product, rounded up */
    size_t divisor_counts[3];
    bool global_in_groups, by_divisors;
    int64_t problem_size[3];
    /* A kernel whose outputs are the reference, with the arguments and the macros of the default configuration. NULL:
     * none; its sizes: work-items of a group, and work-items or groups as global_in_groups says. */
    char *reference_kernel, *reference_path;
    qn_expression *reference_local[3], *reference_global[3];
    uint64_t tests; /* Budget; 0: none */
    double seconds, fraction;
    qn_t1_argument *arguments;
    size_t argument_count;
} qn_t1;

/* Errors: QN_NOT_FOUND if the file or the kernel's file does not exist; QN_BAD_FORMAT, naming file, place and what was
 * expected, for an expression that cannot be read, a constraint that excludes everything, or a parameter that nothing
 * uses. */
QN_MUST_CHECK qn_status qn_t1_read(const char *path, qn_t1 **problem);
/* The same for a file's bytes; other files are searched for in the folder of `path`. */
QN_MUST_CHECK qn_status qn_t1_read_memory(const char *path, const char *data, size_t size, qn_t1 **problem);
void qn_t1_destroy(qn_t1 **problem);

/* Compute the launch geometry of a point. Errors: an expression without a value, a size that is not positive. */
QN_MUST_CHECK qn_status qn_t1_geometry(const qn_t1 *problem, qn_point point, qn_geometry *geometry);

/* The same of the ReferenceKernel. */
QN_MUST_CHECK qn_status qn_t1_reference_geometry(const qn_t1 *problem, qn_point point, qn_geometry *geometry);

typedef struct qn_t1_target qn_t1_target;

/* Errors: QN_UNSUPPORTED if the device does not run the kernel's language. */
QN_MUST_CHECK qn_status qn_t1_fits_device(const qn_t1 *problem, const qn_device *device);

/* Make the kernel a family of this process, with its arguments in buffers of the device. */
QN_MUST_CHECK qn_status qn_t1_target_create(const qn_t1 *problem, qn_queue *queue, uint64_t seed,
                                            qn_t1_target **target);
void qn_t1_target_destroy(qn_t1_target **target);

/* Whether the file leaves the reference of an output to be computed. */
bool qn_t1_lacks_reference(const qn_t1 *problem);

/* Compute the reference of outputs without expected values: by the file's ReferenceKernel with the macros of a point,
 * or else by the kernel itself. It runs twice, on outputs with different bytes. Errors: QN_CHECK_FAILED if it does not
 * write them whole, or gives numbers that are not finite or that differ; those of building and running. */
QN_MUST_CHECK qn_status qn_t1_target_reference(qn_t1_target *target, qn_point point);

/* Set the configuration of the next run. */
QN_MUST_CHECK qn_status qn_t1_target_set(qn_t1_target *target, qn_point point);
/* Compile the configuration that was set, and check it against the device's limits. */
QN_MUST_CHECK qn_status qn_t1_target_build(qn_t1_target *target);
/* Drop the compiled program. */
void qn_t1_target_forget(qn_t1_target *target);

/* The largest difference from the reference that the last check found, in words. */
const char *qn_t1_target_difference(const qn_t1_target *target);

/* Have `phase` called before (`running`) and after each run of a kernel. */
typedef void (*qn_t1_phase)(void *user, bool running);
void qn_t1_target_watch(qn_t1_target *target, qn_t1_phase phase, void *user);

/* clear, run and check of a target (`state` is the qn_t1_target); run ignores its argument `configuration`. */
extern const qn_workload qn_t1_workload;

#endif
