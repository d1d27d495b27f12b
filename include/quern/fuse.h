/* Fusion: a short script of vector and matrix steps becomes a few kernels that read each array as seldom as possible.
 *
 * A script names its values, their shapes and the steps; docs/design/fuse.md has the language. The compiler decides
 * which steps share a kernel.
 *
 * Thread rule: one run per context at a time.
 *
 *     qn_fuse_options options = qn_fuse_default_options();
 *     qn_fuse_explanation *explanation;
 *     options.script = "bicgk.qf";
 *     if (qn_fuse_explain(context, &options, &explanation) != QN_OK) return 1;
 *     printf("%d calls in %d kernel\n", explanation->call_count, explanation->kernel_count);
 *     qn_fuse_explanation_destroy(&explanation);
 */
#ifndef QUERN_FUSE_H
#define QUERN_FUSE_H

#include <quern/device.h>
#include <quern/option.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef enum qn_fuse_values {
    QN_FUSE_UNIFORM, /* random numbers between -1 and 1 */
    QN_FUSE_SIGNS    /* -1, 0 and 1 at random: sums below 2^24 are exact */
} qn_fuse_values;

typedef enum qn_fuse_language {
    QN_FUSE_QUERN, /* a kernel family for libquern */
    QN_FUSE_OPENCL,
    QN_FUSE_CUDA,
    QN_FUSE_C /* C17 with OpenMP */
} qn_fuse_language;

typedef struct qn_fuse_options {
    size_t size;           /* of this struct in bytes */
    qn_run_options run;    /* `device`, `threads`, `seed`, `overwrite`, `quiet` */
    const char *script;    /* file */
    const char *sizes;     /* of extents: "m=100,n=200" */
    const char *library;   /* folder of .qel files with further functions; NULL: none */
    const char *fusion;    /* "auto" (NULL), "none", or results that share a kernel: "a+b,c+d" */
    const char *function;  /* of qn_fuse_list and qn_fuse_measure: only this one; NULL: all */
    int repeat;            /* timed runs of the sequence; default 20 */
    qn_fuse_values values; /* that qn_fuse_run gives the sequence */
    const char *output;    /* folder of qn_fuse_write's files */
    qn_fuse_language language;
    const char *const *inputs; /* of qn_fuse_run: "NAME=file.npy"; other given values are random */
    size_t input_count;
    const char *const *outputs; /* "NAME=file.npy", written after the last run */
    size_t output_count;
    const char *report;  /* of qn_fuse_run: an HTML page; NULL: none */
    int candidates;      /* sets of kernels that qn_fuse_run measures; default 8 */
    const char *compare; /* peers of qn_fuse_run: "unfused,blas" (NULL), one of them, or "none" */
    double budget_s;     /* seconds that it measures kernels and their shapes, if none are kept; default 60 */
} qn_fuse_options;

/* The options of quern fuse and of its actions explain, run, list and measure; see <quern/option.h>. */
const qn_option_table *qn_fuse_write_option_table(void);
const qn_option_table *qn_fuse_explain_option_table(void);
const qn_option_table *qn_fuse_run_option_table(void);
const qn_option_table *qn_fuse_list_option_table(void);
const qn_option_table *qn_fuse_measure_option_table(void);

/* Defaults of all. */
qn_fuse_options qn_fuse_default_options(void);

/* The outcome of a script. */
typedef struct qn_fuse_explanation {
    const char *text; /* the graph, the kernels, the words of four bytes that they move, and what keeps them apart */
    int call_count, kernel_count, fold_count; /* folds: kernels that only complete sums */
    double words_fused, words_unfused;        /* with the sizes; of a loop, those of one round */
} qn_fuse_explanation;

/* Explain which calls of a script share a kernel. Errors: QN_NOT_FOUND (files), QN_BAD_FORMAT with file, line and
 * column (the script, the library), QN_INVALID_ARGUMENT (sizes, fusion), QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_fuse_explain(qn_context *context, const qn_fuse_options *options,
                                        qn_fuse_explanation **explanation);
void qn_fuse_explanation_destroy(qn_fuse_explanation **explanation);

/* Files of a sequence in another language: kernels, and a launcher in C with NAME_create, NAME_run and NAME_destroy. */
typedef struct qn_fuse_written {
    const char *const *files; /* their paths; the header is the first */
    size_t file_count;
    int kernel_count;
} qn_fuse_written;

/* Write a sequence as files of `language` into the folder `output`. Those of OpenCL, CUDA and C need nothing of Quern,
 * neither to be built nor to run. Kernels are those that qn_fuse_run found fastest on `device`, else they get
 * a shape that suits it; with "auto", that of GPUs, and of processors for C. Errors: those of qn_fuse_explain;
 * QN_INVALID_ARGUMENT (a file exists, without `overwrite`), QN_UNSUPPORTED, QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_fuse_write(qn_context *context, const qn_fuse_options *options, qn_fuse_written **written);
void qn_fuse_written_destroy(qn_fuse_written **written);

/* A result of a sequence, compared with its meaning in double precision. */
typedef struct qn_fuse_difference {
    const char *name;
    uint64_t count;  /* of numbers */
    uint64_t beyond; /* of these, farther from the meaning than rounding explains: 4 √n 2^-24 Σ|terms| */
    uint64_t unequal;
    uint64_t undecided; /* not a number in both, or without a finite bound */
    double largest;     /* difference as a share of that bound */
} qn_fuse_difference;

/* A sequence, or a peer that does the same, run in turns with others. */
typedef struct qn_fuse_peer {
    const char *name;     /* "fused", "unfused", "OpenBLAS" … */
    const char *reason;   /* why it did not run; NULL: it did */
    int64_t calls;        /* kernels, or calls of the library with all rounds of loops */
    double seconds;       /* from the first call until the host knows that all is done, median */
    double least_seconds; /* of a run */
    double bytes;         /* that the calls move at least */
    double difference;    /* from the fused results, as a share of the largest number; NaN: not compared */
} qn_fuse_peer;

typedef struct qn_fuse_result {
    const char *device;
    int kernel_count, unfused_kernel_count;
    int64_t rounds;                  /* of loops */
    double seconds, unfused_seconds; /* on the device, median */
    double bytes, unfused_bytes;     /* that the kernels move at least, loops' rounds once */
    double compile_seconds;
    bool is_checked; /* after four rounds of loops; false: too large to be compared */
    const qn_fuse_difference *differences;
    size_t difference_count;
    int candidate, candidate_count; /* the set of kernels that ran, from 1 in the planner's order; sets in all */
    uint64_t tests, new_tests;      /* kernels and shapes that were measured for it, and those of this run */
    double search_seconds;
    const qn_fuse_peer *peers; /* the fused sequence first; without `compare`, none */
    size_t peer_count;
    double
        limit_seconds; /* that the device needs for the fused kernels' words, by its measured rates; 0: no `report` */
} qn_fuse_result;

/* Run a sequence on given or random values, fused and with a kernel for each call, and compare its results with their
 * meaning. What is fastest is searched for `budget_s` seconds first, and kept in the tuning store for later runs. Sizes
 * may come from arrays. Errors: those of qn_fuse_explain, of qn_device_open, QN_UNSUPPORTED (no C compiler, for the
 * host), QN_BUILD_FAILED, QN_CHECK_FAILED (a result is wrong; the result tells which). */
QN_MUST_CHECK qn_status qn_fuse_run(qn_context *context, const qn_fuse_options *options, qn_fuse_result **result);
void qn_fuse_result_destroy(qn_fuse_result **result);

/* The functions that scripts can call. */
typedef struct qn_fuse_listing {
    const char *text;
    int function_count;
} qn_fuse_listing;

/* Errors: those of reading the library; QN_NOT_FOUND for a function that it does not have. */
QN_MUST_CHECK qn_status qn_fuse_list(qn_context *context, const qn_fuse_options *options, qn_fuse_listing **listing);
void qn_fuse_listing_destroy(qn_fuse_listing **listing);

/* A function of the library on a device. */
typedef struct qn_fuse_rate {
    const char *function;
    const char *implementation; /* "point": its meaning */
    const char *reason;         /* why it cannot be used there; NULL: it was measured */
    double bytes, seconds;      /* moved at least; median */
} qn_fuse_rate;

typedef struct qn_fuse_rates {
    const char *device;
    double launch_s; /* of a launch that does next to nothing */
    const qn_fuse_rate *rates;
    size_t rate_count;
} qn_fuse_rates;

/* Measure the functions of the library that have indices, by each implementation, on vectors of 2^25 elements and
 * matrices of 4096 × 8192. The rates are kept in the tuning store, where plans for the device find them. Errors: those
 * of qn_device_open, of reading the library, QN_NOT_FOUND for a function that it does not have, QN_UNSUPPORTED (no C
 * compiler, for the host), QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_fuse_measure(qn_context *context, const qn_fuse_options *options, qn_fuse_rates **rates);
void qn_fuse_rates_destroy(qn_fuse_rates **rates);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
