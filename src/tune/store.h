/* The store of tuning results behind <quern/tune.h>: one SQLite file, one row a test.
 *
 * A test is written twice: as started before it runs and with what came of it after. A row that is started and whose
 * process is gone may be a configuration that ended the process, or an innocent one that ran when the user did: it is
 * free to be tried once more. When a process ends while it runs for the second time, it counts as a crash for good.
 * Thread rule: any thread; processes share a store through SQLite's locks.
 */
#ifndef QN_TUNE_STORE_H
#define QN_TUNE_STORE_H

#include <quern/tune.h>

enum { QN_TUNE_SOURCE_DIGITS = 16, QN_TUNE_CONFIGURATION_BYTES = 1024 };

/* What a result is kept under. */
typedef struct qn_tune_key {
    char device[192]; /* driver, name, on a CPU the threads: "cuda NVIDIA H200", "host EPYC 7742, 16 threads" */
    char driver[96];  /* the driver's version */
    char family[96];
    char source[QN_TUNE_SOURCE_DIGITS + 1]; /* start of the source's SHA-256 */
    char problem_class[64];                 /* "" for the only one */
} qn_tune_key;

/* A test as it is stored. `scale`: nominal seconds of the work that `objective` was measured on, see rounds.h; 0 when
 * it is not known. */
typedef struct qn_tune_row {
    char configuration[QN_TUNE_CONFIGURATION_BYTES]; /* "GROUP_SIZE=64 UNROLL=2" */
    qn_test test;                                    /* without counters */
    double scale;
    bool running; /* of another process that is alive: neither known nor free to try */
    int deaths;   /* processes that ended while they ran it, as far as it has no result */
} qn_tune_row;

/* A number for the key; made when there is none. */
QN_MUST_CHECK qn_status qn_tune_store_problem(qn_tune_store *store, const qn_tune_key *key, int64_t *problem);

/* Every test of a problem, in the order they were made, without those that are free to be tried again; the second time
 * that a row is left by a process that is gone it becomes a crash. `rows` released with qn_release. */
QN_MUST_CHECK qn_status qn_tune_store_tests(qn_tune_store *store, int64_t problem, qn_tune_row **rows, size_t *count);

QN_MUST_CHECK qn_status qn_tune_store_start(qn_tune_store *store, int64_t problem, const char *configuration);
QN_MUST_CHECK qn_status qn_tune_store_finish(qn_tune_store *store, int64_t problem, const char *configuration,
                                             const qn_test *test, double scale);
/* Take back a row that this process started and that was not run after all; configuration NULL: all of them. */
QN_MUST_CHECK qn_status qn_tune_store_cancel(qn_tune_store *store, int64_t problem, const char *configuration);
QN_MUST_CHECK qn_status qn_tune_store_forget(qn_tune_store *store, int64_t problem);

/* The best correct test of a problem that shares the key's device and family. */
typedef struct qn_tune_best {
    qn_tune_row row;
    char driver[96], source[QN_TUNE_SOURCE_DIGITS + 1], problem_class[64];
    uint64_t tests; /* of the problem */
    int64_t time;   /* when it was made, seconds since 1970 */
} qn_tune_best;

/* All of them; those of the key's version of the driver first, then the latest first. `best` released with
 * qn_release. */
QN_MUST_CHECK qn_status qn_tune_store_best(qn_tune_store *store, const qn_tune_key *key, qn_tune_best **best,
                                           size_t *count);

/* Share of the correct configurations of a family (any source and class) within `factor` of their best, on the device
 * with most tests; 0 when fewer than 20 are known. */
QN_MUST_CHECK qn_status qn_tune_store_well_share(qn_tune_store *store, const char *family, double factor,
                                                 double *share);

#endif
