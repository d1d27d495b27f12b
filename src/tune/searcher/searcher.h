/* Searchers: what to try next. One small interface, ask and tell; each class is one file searcher_<name>.c of under 200
 * lines, its hyper-parameters are in one table (searcher_table.c), and what it does is fixed by its seed.
 *
 * The wrapper qn_searcher keeps what was tested: a class may ask for any point as often as it likes, the wrapper tells
 * it known results at once and hands out only points that were not asked for before, until the space is exhausted. */
#ifndef QN_TUNE_SEARCHER_SEARCHER_H
#define QN_TUNE_SEARCHER_SEARCHER_H

#include <quern/space.h>
#include <quern/tune.h>

typedef struct qn_searcher qn_searcher;

typedef struct qn_searcher_problem {
    const qn_space *space;
    uint64_t seed;
    uint64_t expected_tests;             /* budget in tests, as good as it is known; 0: not known */
    const struct qn_tuning_model *model; /* for `profile`, see model.h; NULL */
    const qn_device_info *device;        /* for `profile`: what it tunes on; NULL: not known */
    const qn_device_rates *rates; /* likewise; used where no counters are told. NULL: objectives are in no known unit */
} qn_searcher_problem;

/* `ask` proposes a next point; it is called again without a tell in between when a batch is compiled ahead. `tell`
 * brings each result once, of points the class never asked for too (a prior, a resumed run, another searcher of a
 * portfolio). Lower objectives are better; of failed tests `objective` is infinite. */
typedef struct qn_searcher_class {
    const char *name, *meaning;
    qn_status (*create)(const qn_searcher_problem *problem, void **state);
    qn_status (*ask)(void *state, qn_point *point);
    qn_status (*tell)(void *state, qn_point point, const qn_test *test);
    void (*destroy)(void **state);
    /* How many points that were timed before it wanted run again, to read their counters: each costs a test more. NULL:
     * none. */
    uint64_t (*reruns)(const void *state);
} qn_searcher_class;

extern const qn_searcher_class qn_searcher_profile;
extern const qn_searcher_class *const qn_searcher_classes[]; /* ended by NULL */

/* Errors: QN_NOT_FOUND with the names there are. */
QN_MUST_CHECK qn_status qn_searcher_create(const char *class_name, const qn_searcher_problem *problem,
                                           qn_searcher **searcher);
/* *found false: every point was handed out. */
QN_MUST_CHECK qn_status qn_searcher_ask(qn_searcher *searcher, qn_point *point, bool *found);
QN_MUST_CHECK qn_status qn_searcher_tell(qn_searcher *searcher, qn_point point, const qn_test *test);
/* Tests that were added to read counters of points timed before. */
uint64_t qn_searcher_reruns(const qn_searcher *searcher);
void qn_searcher_destroy(qn_searcher **searcher);

#endif
