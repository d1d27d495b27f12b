/* Searchers choose the points to test, by two functions: ask and tell. Each class is one file, <name>.c. The
 * hyper-parameters of all classes are in one table (table.c). The seed and the results determine a search completely.
 *
 * The wrapper qn_searcher stores all tests. A class may propose any point any number of times: the wrapper tells it
 * known results at once, and hands out only points that were not handed out before, until the space is exhausted. */
#ifndef QN_TUNE_SEARCHER_SEARCHER_H
#define QN_TUNE_SEARCHER_SEARCHER_H

#include <quern/space.h>
#include <quern/tune.h>

typedef struct qn_searcher qn_searcher;

typedef struct qn_searcher_problem {
    const qn_space *space;
    uint64_t seed;
    uint64_t expected_tests;             /* budget in tests, an estimate; 0: not known */
    const struct qn_tuning_model *model; /* for `profile`, see model.h; NULL: none */
    const qn_device_info *device;        /* for `profile`: the device; NULL: not known */
    const qn_device_rates *rates; /* for `profile`, if tests have no counters; NULL: not known, or not for seconds */
} qn_searcher_problem;

/* `ask` proposes the next point; it is called several times without a `tell` in between when a batch is compiled ahead.
 * `tell` gets each result, also of points that the class did not propose (a prior, a resumed run, another searcher of a
 * portfolio), and gets it again when the class proposes a tested point. Lower objectives are better; the `objective` of
 * a failed test is infinite. */
typedef struct qn_searcher_class {
    const char *name, *meaning;
    qn_status (*create)(const qn_searcher_problem *problem, void **state);
    qn_status (*ask)(void *state, qn_point *point);
    qn_status (*tell)(void *state, qn_point point, const qn_test *test);
    void (*destroy)(void **state);
    /* Return the number of timed points that were run again to read their counters; each costs one more test. NULL:
     * none. */
    uint64_t (*reruns)(const void *state);
} qn_searcher_class;

extern const qn_searcher_class qn_searcher_profile;
extern const qn_searcher_class *const qn_searcher_classes[]; /* ended by NULL */

/* Errors: QN_NOT_FOUND with the known names. */
QN_MUST_CHECK qn_status qn_searcher_create(const char *class_name, const qn_searcher_problem *problem,
                                           qn_searcher **searcher);
/* *found false: every point was handed out. */
QN_MUST_CHECK qn_status qn_searcher_ask(qn_searcher *searcher, qn_point *point, bool *found);
QN_MUST_CHECK qn_status qn_searcher_tell(qn_searcher *searcher, qn_point point, const qn_test *test);
/* Whether the test of a point was told. */
bool qn_searcher_was_told(const qn_searcher *searcher, qn_point point);
/* Find the point with the lowest objective of the last tests told, the first of equal ones; false: no test was
 * correct. */
bool qn_searcher_best(const qn_searcher *searcher, qn_point *point, qn_test *test);
/* Number of tests that were added to read counters of points timed before. */
uint64_t qn_searcher_reruns(const qn_searcher *searcher);
void qn_searcher_destroy(qn_searcher **searcher);

#endif
