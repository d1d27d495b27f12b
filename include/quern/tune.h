/* The tuner: finds the fastest configuration of a kernel, offline, while an application runs, or on recorded data.
 *
 * Three ways to use it:
 *   qn_tune_attach      online: every kernel family run in the context finds its best configuration while it works
 *   qn_tune_run         offline: tune one workload now; resumable, results kept in the store
 *   qn_tuner            ask and tell, for any code that can be timed: next → (run it) → tell
 *
 * Thread rule: a tuner is used by one thread at a time; an attached context as any context.
 *
 *     qn_tuner_options options = qn_tuner_default_options();
 *     qn_test test = {.outcome = QN_TEST_CORRECT};
 *     qn_tuner *tuner;
 *     if (qn_tuner_create(space, &options, &tuner) != QN_OK) return 1;
 *     for (qn_point point; !qn_tuner_finished(tuner) && qn_tuner_next(tuner, &point) == QN_OK;)
 *         if (test.objective = time_it(point), qn_tuner_tell(tuner, point, &test) != QN_OK) return 1;
 *     printf("%s\n", qn_tuner_finished(tuner)), qn_tuner_destroy(&tuner);
 */
#ifndef QUERN_TUNE_H
#define QUERN_TUNE_H

#include <quern/option.h>
#include <quern/space.h>
#include <quern/workload.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Outcome of a test of a configuration. Only a correct configuration is ever chosen. */
typedef enum qn_test_outcome {
    QN_TEST_CORRECT,
    QN_TEST_WRONG,   /* ran, and the result differs from the reference */
    QN_TEST_BUILD,   /* did not compile */
    QN_TEST_LAUNCH,  /* did not run: refused at the launch (also a group beyond its limit, if seen only there) or failed
                      */
    QN_TEST_TIMEOUT, /* ran longer than allowed */
    QN_TEST_LIMITS,  /* needs more than the device has, known before it is launched: local memory, registers, groups */
    QN_TEST_CRASH    /* the process ended while it ran */
} qn_test_outcome;

const char *qn_test_outcome_name(qn_test_outcome outcome); /* "correct", "wrong", "build" … */

typedef struct qn_test {
    qn_test_outcome outcome;
    double objective; /* to be minimised: seconds of a run unless the options say otherwise; infinite after a failure */
    double spread;    /* half width of the objective's 95 % confidence interval; 0 when not known */
    double build_seconds;   /* cost of the test: compiling, */
    double run_seconds;     /* and all its runs with the checking */
    const double *counters; /* hardware counters or NULL, in the order of the model or record */
    size_t counter_count;
    double seconds, joules; /* of a run, also where the objective is another; 0: not known */
} qn_test;

/* ---- Ask and tell ---- */

typedef struct qn_tuner qn_tuner;

/* Stop conditions: 0 means none; the first that is met ends the tuning. Where this struct is embedded in
 * qn_tune_options, only the size of qn_tune_options is read. */
typedef struct qn_tuner_options {
    size_t size;          /* of this struct in bytes */
    const char *searcher; /* see qn_tune_searchers; NULL: "auto" */
    uint64_t seed;
    uint64_t tests;              /* most tests */
    double seconds;              /* most time since create */
    double fraction;             /* of the space's points */
    double target;               /* an objective at or below which to stop */
    double remaining_gain;       /* stop when the expected gain of more steps is below this fraction, e.g. 0.01 */
    const char *store_key;       /* journal of this tuner in the store: resume from it and add to it; NULL: none */
    struct qn_tune_store *store; /* NULL: none */
    uint64_t reserved[4];        /* 0; it is embedded in qn_tune_options, so later options take the place of these */
} qn_tuner_options;

static inline qn_tuner_options qn_tuner_default_options(void)
{
    qn_tuner_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    return options;
}

/* Make a tuner of a solved space, which must outlive the tuner. QN_NOT_FOUND for an unknown searcher;
 * QN_INVALID_ARGUMENT for a stop condition below 0. */
QN_MUST_CHECK qn_status qn_tuner_create(const qn_space *space, const qn_tuner_options *options, qn_tuner **tuner);
void qn_tuner_destroy(qn_tuner **tuner);
/* The next point to try. After the end it is the best one. */
QN_MUST_CHECK qn_status qn_tuner_next(qn_tuner *tuner, qn_point *point);
QN_MUST_CHECK qn_status qn_tuner_tell(qn_tuner *tuner, qn_point point, const qn_test *test);
/* False when no correct configuration is known yet. */
bool qn_tuner_best(const qn_tuner *tuner, qn_point *point, qn_test *test);
/* NULL while tuning goes on, else why it ended: "the space is exhausted", "100 tests are done" … */
const char *qn_tuner_finished(const qn_tuner *tuner);
uint64_t qn_tuner_test_count(const qn_tuner *tuner);

/* Names and one-line meanings of the searchers; returns how many. */
size_t qn_tune_searchers(const char *const **names, const char *const **meanings);

/* ---- The store ---- */

/* Results by device, driver, family, source hash and problem class, in SQLite: $XDG_DATA_HOME/quern/tuning.db, or
 * QUERN_TUNING_STORE (a path, or "off"). A damaged one is set aside (tuning.db.corrupt-N) with a warning;
 * QN_BAD_FORMAT for a file that is no database. */
typedef struct qn_tune_store qn_tune_store;

/* path NULL: the user's; *store is then NULL when it is switched off or there is no home. Warnings go to the log of
 * `context` (may be NULL). */
QN_MUST_CHECK qn_status qn_tune_store_open(qn_context *context, const char *path, qn_tune_store **store);
void qn_tune_store_close(qn_tune_store **store);

/* ---- Offline ---- */

typedef struct qn_tune_progress {
    const qn_space *space;
    uint64_t tests;
    double seconds; /* since the start */
    qn_point point;
    const qn_test *test;
    bool improved;
    qn_point best_point;
    qn_test best;         /* outcome QN_TEST_CORRECT once there is one */
    double limit_seconds; /* qn_work_limit_seconds of the workload here; 0: not known */
    const char *pipe;     /* that limits it: "memory" …; NULL: not known */
    bool earlier;         /* of `known`: a test of an earlier run */
    const char *reason;   /* why the test failed: the compiler's message, the largest error …; NULL: it did not */
} qn_tune_progress;

typedef struct qn_tune_options {
    size_t size; /* of this struct in bytes */
    qn_tuner_options tuner;
    int sizes[QN_WORKLOAD_SIZES]; /* 0: the workload's default for the device */
    double timeout_seconds;       /* of one run; 0: 20 times the best so far, at least 1 s */
    /* The objective to minimise: "seconds" (NULL), "joules", or an expression of a run's seconds, joules, watts and
     * limit_seconds, such as "seconds * joules". Several are separated by commas, "seconds, joules": the first is
     * searched for, and the result holds the Pareto front of all. Energy needs 0.3 s of runs for each configuration. */
    const char *objective;
    double precision; /* repeat until half of the 95 % confidence interval is at most this share of the time; 0: 0.01 */
    int most_repeats; /* of the runs of one configuration; 0: 50 */
    int compile_threads;  /* compiling ahead; 0: the context's threads minus one, at most 8 */
    const char *model;    /* of the searcher `profile`: a model's file or a shipped one's name; NULL: the static one */
    qn_tune_store *store; /* NULL: nothing is kept */
    bool restart;         /* forget the stored results of this workload */
    /* Called after each test; a nonzero return ends the tuning. May be NULL. */
    int (*progress)(const qn_tune_progress *progress, void *user);
    void *progress_user;
    /* Called for each test that is known otherwise, with progress_user: those of earlier runs before the first test of
     * this one (`earlier` is true), and those that are made again to compare the best at the end. May be NULL. */
    int (*known)(const qn_tune_progress *progress, void *user);
    /* Of qn_tune_run_file: program and arguments, ending with NULL, of a process that tests the configurations and may
     * crash or hang without ending this one; it calls qn_tune_serve. NULL: this process tests them. */
    const char *const *worker;
    uint64_t worker_memory_bytes; /* a worker that takes more is ended; 0: three quarters of the machine's */
} qn_tune_options;

static inline qn_tune_options qn_tune_default_options(void)
{
    qn_tune_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.tuner.size = sizeof options.tuner;
    return options;
}

enum { QN_TUNE_FRONT_MAX = 32 };

/* A configuration that no other one betters in every objective. */
typedef struct qn_tune_front {
    char text[512];
    double seconds, joules;
} qn_tune_front;

typedef struct qn_tune_result {
    qn_configuration configuration; /* the best; of a workload */
    char text[512];                 /* the best as "TILE=32 LAYOUT=row" */
    qn_test best, fallback;         /* the fallback's own test; at the end both are timed side by side */
    uint64_t tests, failed[QN_TEST_CRASH + 1];
    double seconds, limit_seconds;
    const char *pipe;                       /* slowest one */
    char finished[128];                     /* why it ended */
    qn_tune_front front[QN_TUNE_FRONT_MAX]; /* of several objectives, best in the first one first */
    size_t front_count;
} qn_tune_result;

/* Tune one workload on a device. Later commands always run the fastest known configuration, whatever the
 * objective was. Errors: those of qn_tuner_create; QN_INVALID_ARGUMENT for an objective; QN_UNSUPPORTED when the
 * objective needs energy and the device does not measure it; QN_CHECK_FAILED when even the fallback computes a wrong
 * result; QN_CANCELLED by progress (what is known is kept). */
QN_MUST_CHECK qn_status qn_tune_run(qn_device *device, const qn_workload *workload, const qn_tune_options *options,
                                    qn_tune_result *result);

/* The same for a kernel of the user's own, described by a T1 file (as Kernel Tuner and KTT read). Errors also:
 * QN_NOT_FOUND, QN_BAD_FORMAT, with file and place; QN_BAD_FORMAT if the result of the default configuration cannot be
 * the reference of the others; QN_NOT_FOUND if no configuration is correct, with the numbers of failures in *result. */
QN_MUST_CHECK qn_status qn_tune_run_file(qn_device *device, const char *path, const qn_tune_options *options,
                                         qn_tune_result *result);

/* Open the device on which qn_tune_run_file is to run a T1 file. `identifier` "auto" or NULL: the first GPU, else the
 * first device, that runs the kernel's language. Errors: those of qn_device_open; QN_NO_DEVICE; QN_NOT_FOUND,
 * QN_BAD_FORMAT, QN_UNSUPPORTED, with the file.
 *
 *     qn_tune_file_device(context, "row_sums.json", "auto", &device);
 */
QN_MUST_CHECK qn_status qn_tune_file_device(qn_context *context, const char *path, const char *identifier,
                                            qn_device **device);

/* Whether a T1 file names `file`, as its kernel, its reference or the content of an argument, or is this file itself.
 * So an output can be refused that would replace an input. Errors: those of reading a T1 file. */
QN_MUST_CHECK qn_status qn_tune_file_reads(const char *path, const char *file, bool *reads);

/* Test configurations for a tuning in another process, which has started this one as its `worker`; returns when that
 * tuning ends. A program can be its own worker: it calls this function and exits. It talks to the tuning through this
 * descriptor, and its standard output is not shown. Errors: QN_INVALID_ARGUMENT if the process was not started so. */
enum { QN_TUNE_WORKER_DESCRIPTOR = 3 };
QN_MUST_CHECK qn_status qn_tune_serve(void);

/* The space of a family on a device: its tunables, constraints, the device's limits; solved. */
QN_MUST_CHECK qn_status qn_tune_family_space(const qn_family *family, const qn_device_info *device, qn_space **space);
qn_configuration qn_tune_configuration(const qn_space *space, qn_point point);

/* ---- Commands ---- */

/* Formats of tuning results. All but the last are read; the format is found out from the content. */
typedef enum qn_tune_format {
    QN_TUNE_T4,           /* the community's JSON */
    QN_TUNE_KERNEL_TUNER, /* Kernel Tuner's cache */
    QN_TUNE_KTT,          /* KTT's JSON */
    QN_TUNE_SHIPPED,      /* the text form of shipped results, which has the best configuration alone */
    QN_TUNE_HEADER        /* a C header with the best configuration of each device as macros; only written */
} qn_tune_format;

/* Options of the actions of `quern tune`; each action reads those that its table lists. */
typedef struct qn_tune_request {
    size_t size;              /* of this struct in bytes */
    qn_run_options run;       /* device, threads, quiet, and the seed of the searcher and the inputs */
    const char *const *names; /* run: workloads, or T1 files */
    size_t name_count;
    const char *name;          /* explain: a family or a T1 file; export: a workload or a T1 file; import: a workload */
    const char *problem_class; /* explain; NULL: all */
    qn_tune_format format;     /* export */
    const char *file;          /* export, import */
    const char *store;         /* a path; "off"; NULL: the user's */
    qn_tune_options tune;      /* run; its sizes also of export and import */
} qn_tune_request;

const qn_option_table *qn_tune_run_option_table(void); /* see <quern/option.h> */
const qn_option_table *qn_tune_list_option_table(void);
const qn_option_table *qn_tune_explain_option_table(void);
const qn_option_table *qn_tune_export_option_table(void);
const qn_option_table *qn_tune_import_option_table(void);

/* ---- What is known ---- */

typedef enum qn_tune_origin {
    QN_TUNE_ORIGIN_FALLBACK,
    QN_TUNE_ORIGIN_SHIPPED,
    QN_TUNE_ORIGIN_STORE,
    QN_TUNE_ORIGIN_RUN /* found while this run worked */
} qn_tune_origin;

/* Relation of the device that a result was found on to the device that is tuned. */
typedef enum qn_tune_nearness {
    QN_TUNE_THIS_DEVICE,       /* the same driver, name and architecture; of CPUs also as many threads */
    QN_TUNE_SAME_ARCHITECTURE, /* its results are a first guess, taken where it is the nearest in units and memory */
    QN_TUNE_SAME_VENDOR,       /* a first guess where no device of the architecture is known */
    QN_TUNE_UNRELATED          /* its results are of no use here */
} qn_tune_nearness;

typedef enum qn_tune_use {
    QN_TUNE_USABLE,
    QN_TUNE_STALE, /* the kernel's source, values or constraints have changed since */
    QN_TUNE_MISFIT /* found on another device, and beyond the constraints on this one */
} qn_tune_use;

/* A configuration that is known for a family, device and problem class. */
typedef struct qn_tune_known {
    qn_tune_origin origin;
    qn_tune_nearness nearness;
    char found_on[192]; /* "NVIDIA H200"; "" of the fallback */
    qn_configuration configuration;
    char text[512]; /* the configuration in words */
    char problem_class[64];
    double seconds; /* of a run; 0: not known */
    uint64_t tests; /* tried to find it; 0: not known */
    int64_t time;   /* when, seconds since 1970; 0: not known */
    qn_tune_use use;
} qn_tune_known;

/* Write where a configuration is from: "tuned here", "shipped for this device", "found on NVIDIA H200, of the same
 * architecture", "found in this run", "fallback". */
void qn_tune_origin_text(qn_tune_origin origin, qn_tune_nearness nearness, const char *found_on, char *text,
                         size_t capacity);

/* List all known configurations in the order of preference: of this device, of others of its architecture, nearest
 * first, of others of its vendor, and the fallback; of one device first from the store. The first usable one runs,
 * unless it does not fit the problem at hand. problem_class NULL: of every class, one after another. Up to `capacity`,
 * *count in all. store NULL: shipped results alone. */
QN_MUST_CHECK qn_status qn_tune_lookup(qn_device *device, qn_tune_store *store, const qn_family *family,
                                       const char *problem_class, qn_tune_known *known, size_t capacity, size_t *count);

/* The same for a kernel of the user's own, described by a T1 file: results of the store, and last the default
 * configuration. `configuration` of the results is not set; their `text` is. A result is stale if the T1 file or the
 * kernel has changed since. Errors also: QN_NOT_FOUND and QN_BAD_FORMAT for the T1 file.
 *
 *     qn_tune_lookup_file(device, store, "row_sums.json", known, 8, &count);
 */
QN_MUST_CHECK qn_status qn_tune_lookup_file(qn_device *device, qn_tune_store *store, const char *path,
                                            qn_tune_known *known, size_t capacity, size_t *count);

/* Write what the store has of a workload's tests on a device. Errors: QN_NOT_FOUND when there are none;
 * QN_INVALID_ARGUMENT for the format. */
QN_MUST_CHECK qn_status qn_tune_export(qn_device *device, qn_tune_store *store, const qn_workload *workload,
                                       const int sizes[QN_WORKLOAD_SIZES], qn_tune_format format, const char *path);

/* The same for a kernel of the user's own, described by a T1 file. Errors also: QN_NOT_FOUND and QN_BAD_FORMAT for the
 * T1 file.
 *
 *     qn_tune_export_file(device, store, "row_sums.json", QN_TUNE_HEADER, "row_sums_tuned.h");
 */
QN_MUST_CHECK qn_status qn_tune_export_file(qn_device *device, qn_tune_store *store, const char *path,
                                            qn_tune_format format, const char *output);

/* Put the tests of a file (any of these formats) into the store, as tests of this workload on this device. Those that
 * are not points of the space are counted in *left_out. Errors: QN_BAD_FORMAT; QN_INVALID_ARGUMENT when the file has
 * other parameters. */
QN_MUST_CHECK qn_status qn_tune_import(qn_device *device, qn_tune_store *store, const qn_workload *workload,
                                       const int sizes[QN_WORKLOAD_SIZES], const char *path, uint64_t *taken,
                                       uint64_t *left_out);

/* ---- Online ---- */

typedef struct qn_tune_attach_options {
    size_t size;       /* of this struct in bytes */
    qn_tune_mode mode; /* KNOWN: use the store and shipped results; ONLINE (default): explore as well; OFF: neither */
    double budget;     /* share of the run's throughput that exploring may cost; 0: 0.02 */
    qn_tune_store *store; /* NULL: the shipped results alone, nothing is kept */
    const char *searcher; /* NULL: "auto" */
    uint64_t seed;
    double expected_seconds; /* estimated length of the run, until its progress is reported; 0: not known */
} qn_tune_attach_options;

static inline qn_tune_attach_options qn_tune_attach_default_options(void)
{
    qn_tune_attach_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.mode = QN_TUNE_ONLINE;
    return options;
}

/* From now on families run in this context are configured by the tuner: command line (calls that name a
 * configuration), store, shipped results, fallback, in this order; online the tuner also tries other configurations on
 * the live work. A family is tuned in rounds: the configuration changes only when its kernel 0 is launched, so kernels
 * that share intermediate results always agree. */
QN_MUST_CHECK qn_status qn_tune_attach(qn_context *context, const qn_tune_attach_options *options);

/* Tell the attached tuner the progress of the run. From it the tuner estimates whether a build will end before the run
 * does, and how much time it may spend on trials early in the run. Without an attached tuner nothing
 * happens. Any thread. */
void qn_tune_report_progress(qn_context *context, const qn_progress *progress);

typedef struct qn_tune_gain {
    const char *family;
    char device[48], problem_class[64], configuration[256];
    qn_tune_origin origin;
    qn_tune_nearness nearness; /* of the device that it was found on */
    char found_on[192];        /* name of that device */
    uint64_t tests, failed;
    bool exploring;        /* there is more to try */
    double speedup;        /* of the best over the configuration that the run began with; 0: that was not timed */
    double lost_seconds;   /* device time that trials took beyond the best known then */
    double device_seconds; /* of the family in all */
    double build_seconds;  /* compiling in the background; on a CPU device it takes a core from the kernels meanwhile */
} qn_tune_gain;

/* Get the results of online tuning for each family and problem class: up to `capacity` rows; *count is the number of
 * all rows. */
QN_MUST_CHECK qn_status qn_tune_gains(qn_context *context, qn_tune_gain *gains, size_t capacity, size_t *count);
/* Write what was found to the store and stop tuning; also done when the context is destroyed. */
void qn_tune_detach(qn_context *context);

/* ---- Reports ---- */

/* One test as a report shows it; `text` is the configuration. */
typedef struct qn_tune_step {
    char text[256];
    qn_test_outcome outcome;
    double objective, elapsed_seconds;
    bool earlier;       /* made by an earlier run, at an unknown time */
    const char *reason; /* why it failed; NULL: it did not, or that is not known */
} qn_tune_step;

typedef struct qn_tune_trace {
    const char *name, *device, *searcher;
    uint64_t space_size;
    const qn_tune_step *steps;
    size_t step_count;
    double fallback_seconds, limit_seconds; /* 0: not known */
    const char *pipe;
} qn_tune_trace;

/* A page with the convergence curve, the best configurations and the failures by kind. */
QN_MUST_CHECK qn_status qn_tune_write_report(const qn_tune_trace *trace, const char *path);

/* ---- Recorded spaces ---- */

/* A portable model predicts the hardware counters of a kernel from its parameters; it guides the searcher `profile` on
 * devices that it was not trained on. docs/formats/tuning_model.md describes its file. */
typedef struct qn_tune_model_options {
    size_t size;        /* of this struct in bytes */
    qn_run_options run; /* `seed`: of the trees */
    const char *file;   /* a recorded space with counters */
    const char *output; /* the model's file */
    int trees;          /* default 10 */
    int least_leaf;     /* fewest configurations in a leaf; 0: 1, and one more per 1000 configurations */
} qn_tune_model_options;

const qn_option_table *qn_tune_model_train_option_table(void); /* see <quern/option.h> */

static inline qn_tune_model_options qn_tune_model_default_options(void)
{
    qn_tune_model_options options;
    qn_option_defaults(qn_tune_model_train_option_table(), &options, sizeof options);
    return options;
}

typedef struct qn_tune_model_facts {
    uint64_t samples; /* configurations that it was trained on: correct, with all counters */
    size_t parameters, columns;
    double error; /* mean relative error of the counts of configurations that were held out, five times a fifth; NAN:
                     fewer than 20 samples */
} qn_tune_model_facts;

/* Train a model on a recorded space. Equal files and options give the same bytes. facts may be NULL. Errors:
 * QN_NOT_FOUND, QN_BAD_FORMAT for the file, also when it has no counters; QN_INVALID_ARGUMENT when fewer than two
 * configurations have them.
 *
 *     options.file = "space.json", options.output = "kernel.model", status = qn_tune_model_train(&options, &facts);
 */
QN_MUST_CHECK qn_status qn_tune_model_train(const qn_tune_model_options *options, qn_tune_model_facts *facts);

typedef struct qn_tune_simulate_options {
    size_t size;        /* of this struct in bytes */
    qn_run_options run; /* `seed`: of the first run; commands use `threads` */
    const char *const *files;
    size_t file_count;
    const char *searchers; /* names separated by commas, or "all" */
    int repeats;           /* default 100 */
    const char *model; /* for `profile`: a model's file or a shipped one's name; NULL: trained on a random half of the
                          space */
} qn_tune_simulate_options;

const qn_option_table *qn_tune_simulate_option_table(void); /* see <quern/option.h> */

static inline qn_tune_simulate_options qn_tune_simulate_default_options(void)
{
    qn_tune_simulate_options options;
    qn_option_defaults(qn_tune_simulate_option_table(), &options, sizeof options);
    return options;
}

typedef struct qn_tune_score {
    const char *searcher, *file; /* file NULL: the mean over the files */
    uint64_t budget;             /* tests */
    double score, low, high;     /* mean and bootstrap 95 % interval */
    double time_score;           /* the same along the time axis */
    double tests_to_110_percent; /* mean tests until 1.1 times the optimum */
    bool counted;                /* false: budget under 20 tests, not in the mean */
} qn_tune_score;

typedef struct qn_tune_scores {
    qn_tune_score *rows;
    size_t row_count;
} qn_tune_scores;

QN_MUST_CHECK qn_status qn_tune_simulate(qn_context *context, const qn_tune_simulate_options *options,
                                         qn_tune_scores **scores);
void qn_tune_scores_destroy(qn_tune_scores **scores);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
