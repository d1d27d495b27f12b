/* The store of tuning results of <quern/tune.h>: one SQLite file, one row per test.
 *
 * A test is written twice: as started before it runs, and with its result afterwards. If the process of a started test
 * is gone, the configuration may have crashed it, or the user may have ended it: the configuration may be tried once
 * more. If a process ends during the second try too, the configuration counts as a crash from then on. Thread rule: any
 * thread; processes share a store through SQLite's locks.
 */
#ifndef QN_TUNE_STORE_H
#define QN_TUNE_STORE_H

#include "tune/hardware.h"

enum { QN_TUNE_SOURCE_DIGITS = 16, QN_TUNE_CONFIGURATION_BYTES = 1024 };

/* Key under which a result is stored. */
typedef struct qn_tune_key {
    char device[224]; /* driver and name: "cuda NVIDIA H200", "host AMD EPYC, x86-64-v4, 16 threads" */
    char driver[96];  /* the driver's version */
    char family[96];
    char source[QN_TUNE_SOURCE_DIGITS + 1]; /* start of the source's SHA-256 */
    char problem_class[64];                 /* "" for the only one */
    qn_hardware hardware;                   /* the device that `device` names */
} qn_tune_key;

/* A test as it is stored. `scale`: nominal seconds of the work that `objective` was measured on, see model/nominal.h; 0
 * when it is not known. */
typedef struct qn_tune_row {
    char configuration[QN_TUNE_CONFIGURATION_BYTES]; /* "GROUP_SIZE=64 UNROLL=2" */
    qn_test test;                                    /* without counters */
    double scale;
    bool running; /* a living process is testing it: no result yet, and not free to be tried */
    int deaths;   /* processes that ended while they ran it; 0 if there is a result */
    double load;  /* share of the processors that other work used during the test (load.h); NAN: not known */
} qn_tune_row;

/* Get the number of the key's problem. The problem is added if the store does not have it. */
QN_MUST_CHECK qn_status qn_tune_store_problem(qn_tune_store *store, const qn_tune_key *key, int64_t *problem);

/* List the tests of a problem, in the order in which they were made, without those that may be tried again. A test
 * whose process ended for the second time becomes a crash. The caller releases `rows` with qn_release. */
QN_MUST_CHECK qn_status qn_tune_store_tests(qn_tune_store *store, int64_t problem, qn_tune_row **rows, size_t *count);

QN_MUST_CHECK qn_status qn_tune_store_start(qn_tune_store *store, int64_t problem, const char *configuration);
QN_MUST_CHECK qn_status qn_tune_store_finish(qn_tune_store *store, int64_t problem, const char *configuration,
                                             const qn_test *test, double scale);
/* The same with the load of the machine. A result under load (qn_load_is_busy) does not replace one without load,
 * unless qn_tune_store_start was called for it. */
QN_MUST_CHECK qn_status qn_tune_store_finish_under_load(qn_tune_store *store, int64_t problem,
                                                        const char *configuration, const qn_test *test, double scale,
                                                        double load);
/* Cancel a test that this process started and did not run; configuration NULL: all of them. */
QN_MUST_CHECK qn_status qn_tune_store_cancel(qn_tune_store *store, int64_t problem, const char *configuration);
/* Delete all tests of a problem, and forget that its search is finished. */
QN_MUST_CHECK qn_status qn_tune_store_forget(qn_tune_store *store, int64_t problem);

/* Account of online tuning of a problem, kept from run to run. */
typedef struct qn_tune_account {
    double credit_s;          /* seconds that tuning may still cost; negative: debt */
    uint64_t finished_points; /* points of the space whose search is finished; 0: the search goes on */
} qn_tune_account;

/* Add `change_s` (earnings minus costs, may be 0) to the credit of a problem, and read the account, which includes the
 * changes by other processes. QN_NOT_FOUND: there is no such problem. */
QN_MUST_CHECK qn_status qn_tune_store_settle(qn_tune_store *store, int64_t problem, double change_s,
                                             qn_tune_account *account);

/* Note that the search in a space of `points` is finished: later runs try nothing while the space is the same. */
QN_MUST_CHECK qn_status qn_tune_store_set_finished(qn_tune_store *store, int64_t problem, uint64_t points);

/* The best correct test of a problem of the key's family, on the key's device or a related one. */
typedef struct qn_tune_best {
    qn_hardware hardware;
    qn_tune_nearness nearness; /* to the key's device */
    qn_tune_row row;
    char driver[96], source[QN_TUNE_SOURCE_DIGITS + 1], problem_class[64];
    uint64_t tests; /* of the problem */
    int64_t time;   /* when the test was made, seconds since 1970 */
} qn_tune_best;

/* List them: those of the key's version of the driver first, then those of the latest problems first. The caller
 * releases `best` with qn_release. */
QN_MUST_CHECK qn_status qn_tune_store_best(qn_tune_store *store, const qn_tune_key *key, qn_tune_best **best,
                                           size_t *count);
/* The same, with unrelated devices too. */
QN_MUST_CHECK qn_status qn_tune_store_best_anywhere(qn_tune_store *store, const qn_tune_key *key, qn_tune_best **best,
                                                    size_t *count);

/* Share of the correct configurations within `factor` of the best one, in the problem of a family (any device, source
 * and class) with the most correct tests; 0 when it has fewer than 20. */
QN_MUST_CHECK qn_status qn_tune_store_well_share(qn_tune_store *store, const char *family, double factor,
                                                 double *share);

#endif
