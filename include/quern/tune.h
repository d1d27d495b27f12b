/* The tuner: finds the fastest configuration of a kernel, offline, while an application runs, or on recorded data.
 *
 * Three ways to use it:
 *   qn_tune_attach      online: every kernel family run in the context finds its best configuration while it works
 *   qn_tune_run         offline: tune one workload now; resumable, results kept in the store
 *   qn_tuner            ask and tell, for whatever can be timed: next → (run it) → tell
 *
 * Thread rule: a tuner is used by one thread at a time; an attached context as any context.
 *
 *     qn_tuner *tuner;
 *     qn_tuner_create(space, &(qn_tuner_options){.searcher = "auto", .seed = 1, .tests = 100}, &tuner);
 *     for (qn_point point; qn_tuner_next(tuner, &point) == QN_OK && !qn_tuner_finished(tuner);)
 *         qn_tuner_tell(tuner, point, &(qn_test){.outcome = QN_TEST_CORRECT, .objective = time_it(point)});
 *     qn_tuner_best(tuner, &point, &test);
 */
#ifndef QUERN_TUNE_H
#define QUERN_TUNE_H

#include <quern/option.h>
#include <quern/space.h>
#include <quern/workload.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What came of trying a configuration. Only a correct one is ever chosen. */
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
    double objective;       /* to be made small: seconds of a run unless told otherwise; infinite when it failed */
    double spread;          /* half width of the objective's 95 % confidence interval; 0 when not known */
    double build_seconds;   /* what the test cost: compiling, */
    double run_seconds;     /* and all its runs with the checking */
    const double *counters; /* hardware counters or NULL, in the order of the model or record */
    size_t counter_count;
    double seconds, joules; /* of a run, also where the objective is another; 0: not known */
} qn_test;

/* ---- Ask and tell ---- */

typedef struct qn_tuner qn_tuner;

/* Stop conditions: 0 means none; the first that is met ends the tuning. */
typedef struct qn_tuner_options {
    const char *searcher; /* default "auto"; see qn_tune_searchers */
    uint64_t seed;
    uint64_t tests;              /* most tests */
    double seconds;              /* most time since create */
    double fraction;             /* of the space's points */
    double target;               /* an objective at or below which to stop */
    double remaining_gain;       /* stop when what more steps are expected to gain is below this fraction, e.g. 0.01 */
    const char *store_key;       /* journal of this tuner in the store: resume from it and add to it; NULL: none */
    struct qn_tune_store *store; /* NULL: none */
} qn_tuner_options;

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
 * QUERN_TUNING_STORE (a path, or "off"). A corrupt one is set aside (tuning.db.corrupt-N) with a warning. */
typedef struct qn_tune_store qn_tune_store;

/* path NULL: the user's; *store is then NULL when it is switched off or there is no home. The log of `context` (may be
 * NULL) hears warnings. */
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
} qn_tune_progress;

typedef struct qn_tune_options {
    qn_tuner_options tuner;
    int sizes[QN_WORKLOAD_SIZES]; /* 0: the workload's default for the device */
    double timeout_seconds;       /* of one run; 0: 20 times the best so far, at least 1 s */
    /* What to make small: "seconds" (NULL), "joules", or an expression of a run's seconds, joules, watts and
     * limit_seconds, such as "seconds * joules". Several apart by commas, "seconds, joules": the first is searched for,
     * and the result holds the Pareto front of all. Energy takes 0.3 s of runs a configuration. */
    const char *objective;
    double precision;     /* repeat until the confidence interval is this fraction wide, default 0.01 */
    int most_repeats;     /* default 50 */
    int compile_threads;  /* compiling ahead; 0: the context's threads less one, at most 8 */
    const char *model;    /* of the searcher `profile`: a model's file; NULL: the static one */
    qn_tune_store *store; /* NULL: nothing is kept */
    bool restart;         /* forget what the store has of this */
    /* Called after each test; a nonzero return ends the tuning. May be NULL. */
    int (*progress)(const qn_tune_progress *progress, void *user);
    void *progress_user;
} qn_tune_options;

enum { QN_TUNE_FRONT = 32 };

/* A configuration that no other one betters in every objective. */
typedef struct qn_tune_front {
    char text[512];
    double seconds, joules;
} qn_tune_front;

typedef struct qn_tune_result {
    qn_configuration configuration; /* the best; of a workload */
    char text[512];                 /* the best as "TILE=32 LAYOUT=row" */
    qn_test best, fallback;         /* the fallback's own test, measured first */
    uint64_t tests, failed[QN_TEST_CRASH + 1];
    double seconds, limit_seconds;
    const char *pipe;                   /* slowest one */
    char finished[128];                 /* why it ended */
    qn_tune_front front[QN_TUNE_FRONT]; /* of several objectives, best in the first one first */
    size_t front_count;
} qn_tune_result;

/* Tune one workload on a device. What later commands run is always the fastest known, whatever the objective was.
 * Errors: those of create; QN_INVALID_ARGUMENT for an objective; QN_UNSUPPORTED when it needs energy and the device
 * counts none; QN_CHECK_FAILED when even the fallback computes a wrong
 * result; QN_CANCELLED by progress (what is known is kept). */
QN_MUST_CHECK qn_status qn_tune_run(qn_device *device, const qn_workload *workload, const qn_tune_options *options,
                                    qn_tune_result *result);

/* The same for a kernel of the user's own, described by a T1 file (as Kernel Tuner and KTT read). Errors also:
 * QN_NOT_FOUND, QN_BAD_FORMAT, with file and place. */
QN_MUST_CHECK qn_status qn_tune_run_file(qn_device *device, const char *path, const qn_tune_options *options,
                                         qn_tune_result *result);

/* The space of a family on a device: its tunables, constraints, the device's limits; solved. */
QN_MUST_CHECK qn_status qn_tune_family_space(const qn_family *family, const qn_device_info *device, qn_space **space);
qn_configuration qn_tune_configuration(const qn_space *space, qn_point point);

/* ---- Commands ---- */

/* What the actions of `quern tune` ask; each reads what its table lists. */
typedef struct qn_tune_request {
    const char *const *names; /* run: workloads, or T1 files */
    size_t name_count;
    const char *name;          /* explain: a family; export, import: a workload */
    const char *problem_class; /* explain; NULL: all */
    const char *format, *file; /* export, import */
    const char *store;         /* a path; "off"; NULL: the user's */
    qn_tune_options tune;      /* run; its sizes also of export and import */
    qn_run_options run;        /* device, threads, quiet, and the seed of the searcher and the inputs */
} qn_tune_request;

const qn_option_table *qn_tune_run_option_table(void); /* see <quern/option.h> */
const qn_option_table *qn_tune_list_option_table(void);
const qn_option_table *qn_tune_explain_option_table(void);
const qn_option_table *qn_tune_export_option_table(void);
const qn_option_table *qn_tune_import_option_table(void);

/* ---- What is known ---- */

/* A configuration that is known for a family, device and problem class. */
typedef struct qn_tune_known {
    const char *origin; /* "store", "shipped", "fallback" */
    qn_configuration configuration;
    char text[512]; /* the configuration in words */
    char problem_class[64];
    double seconds; /* of a run; 0: not known */
    uint64_t tests; /* tried to find it; 0: not known */
    int64_t time;   /* when, seconds since 1970; 0: not known */
    bool stale;     /* the kernel's source has changed since: not used */
} qn_tune_known;

/* All that is known, in the order in which it would be taken: the first that is not stale would run; the fallback comes
 * last. problem_class NULL: of every class. Up to `capacity`, *count in all. store NULL: shipped results alone. */
QN_MUST_CHECK qn_status qn_tune_lookup(qn_device *device, qn_tune_store *store, const qn_family *family,
                                       const char *problem_class, qn_tune_known *known, size_t capacity, size_t *count);

/* Write what the store has of a workload's tests on a device, as "t4", "kernel-tuner", "ktt", or "quern" (the shipped
 * text form, the best alone). Errors: QN_NOT_FOUND when there are none; QN_INVALID_ARGUMENT for the format. */
QN_MUST_CHECK qn_status qn_tune_export(qn_device *device, qn_tune_store *store, const qn_workload *workload,
                                       const int sizes[QN_WORKLOAD_SIZES], const char *format, const char *path);

/* Put the tests of a file (any of these formats) into the store, as tests of this workload on this device. Those that
 * are no points of the space are counted in *left_out. Errors: QN_BAD_FORMAT; QN_INVALID_ARGUMENT when the parameters
 * are others. */
QN_MUST_CHECK qn_status qn_tune_import(qn_device *device, qn_tune_store *store, const qn_workload *workload,
                                       const int sizes[QN_WORKLOAD_SIZES], const char *path, uint64_t *taken,
                                       uint64_t *left_out);

/* ---- Online ---- */

typedef enum qn_tune_mode { QN_TUNE_OFF, QN_TUNE_KNOWN, QN_TUNE_ONLINE } qn_tune_mode;

typedef struct qn_tune_attach_options {
    qn_tune_mode mode;    /* KNOWN: use the store and shipped results; ONLINE: explore as well */
    double budget;        /* share of the run's throughput that exploring may cost, default 0.02 */
    qn_tune_store *store; /* NULL: the shipped results alone, nothing is kept */
    const char *searcher; /* default "auto" */
    uint64_t seed;
    /* of device time, as long as the run is expected to take: its budget, up to a second of it, may then be spent
     * early, when what is found pays longest. 0: not known, the budget grows with the run */
    double expected_seconds;
} qn_tune_attach_options;

/* From now on families run in this context are configured by the tuner: command line (calls that name a
 * configuration), store, shipped results, fallback, in this order; online it tries others on the live work. A family is
 * tuned in rounds: the configuration changes only when its kernel 0 is launched, so kernels that share intermediate
 * results always agree. */
QN_MUST_CHECK qn_status qn_tune_attach(qn_context *context, const qn_tune_attach_options *options);

typedef struct qn_tune_gain {
    const char *family;
    char device[48], problem_class[64], configuration[256];
    const char *origin; /* "found in this run", "store", "shipped", "fallback" */
    uint64_t tests, failed;
    bool exploring;        /* there is more to try */
    double speedup;        /* of the best over the configuration that the run began with */
    double lost_seconds;   /* device time that trials took beyond the best known then */
    double device_seconds; /* of the family in all */
    double build_seconds;  /* compiling in the background; on a CPU device it takes a core from the kernels meanwhile */
} qn_tune_gain;

/* What online tuning did, per family and problem class; up to `capacity` rows, *count in all. */
QN_MUST_CHECK qn_status qn_tune_gains(qn_context *context, qn_tune_gain *gains, size_t capacity, size_t *count);
/* Write what was found to the store and stop tuning; also done when the context is destroyed. */
void qn_tune_detach(qn_context *context);

/* ---- Reports ---- */

/* One test as a report shows it; `text` is the configuration. */
typedef struct qn_tune_step {
    char text[256];
    qn_test_outcome outcome;
    double objective, elapsed_seconds;
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

typedef struct qn_tune_simulate_options {
    const char *const *files;
    size_t file_count;
    const char *searchers; /* names apart by commas, or "all" */
    int repeats;           /* default 100 */
    const char *model;     /* for `profile`: a file of a trained model; NULL: trained on a random half of the space */
    qn_run_options run;    /* its seed is of the first run; commands read its threads */
} qn_tune_simulate_options;

qn_tune_simulate_options qn_tune_simulate_default_options(void);
const qn_option_table *qn_tune_simulate_option_table(void); /* see <quern/option.h> */

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

#ifdef __cplusplus
}
#endif
#endif
