/* The comparison at the end of an offline tuning. Times of different runs, or of the beginning and the end of one run,
 * are not comparable when the machine's speed changes. So the best configuration is timed again beside the fallback and
 * the configuration that was in use: each of them in turn, three times, and the median of the three counts. If another
 * configuration then has the best known time, it is timed again too. */
#ifndef QN_TUNE_OFFLINE_COMPARE_BEST_H
#define QN_TUNE_OFFLINE_COMPARE_BEST_H

#include <quern/tune.h>

typedef struct qn_compared {
    qn_point point;
    qn_test test;
} qn_compared;

typedef struct qn_comparison {
    qn_tuner *tuner;
    /* Test a configuration. A failure of the configuration goes into *test. */
    qn_status (*measure)(void *user, qn_point point, qn_test *test);
    /* Tell the tuner a test that was made again, and store it. */
    qn_status (*note)(void *user, qn_point point, const qn_test *test);
    void *user;
} qn_comparison;

/* Compare the tuner's best with `count` (at most 2) configurations that were tested in this run; their tests are
 * replaced. *best gets the fastest. If there is nothing to compare, because the best is the only one of them, nothing
 * is measured. */
QN_MUST_CHECK qn_status qn_compare_best(const qn_comparison *comparison, qn_compared *tested, size_t count,
                                        qn_compared *best);

#endif
