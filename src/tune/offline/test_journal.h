/* The tests of an offline tuning in the store: those of earlier runs are told to the tuner, and new ones are stored.
 *
 * A test under load (base/load.h) of a device whose kernels run on this machine's processors gives way: if the machine
 * is quiet now, its configuration is tested again, the fastest one first.
 *
 * Life cycle: open → resume → (start → finish or cancel)… → close. Thread rule: one thread at a time. */
#ifndef QN_TUNE_OFFLINE_TEST_JOURNAL_H
#define QN_TUNE_OFFLINE_TEST_JOURNAL_H

#include "base/load.h"
#include "tune/goal.h"
#include "tune/store.h"

/* A point whose test gives way. */
typedef struct qn_test_journal_again {
    qn_point point;
    double objective;
} qn_test_journal_again;

typedef struct qn_test_journal {
    const qn_tune_options *options; /* of the tuning */
    qn_tune_result *result;
    const qn_space *space;
    qn_goal *goal;
    int64_t problem; /* in the store; 0: nothing is kept */
    double scale;    /* nominal seconds of a run, see model/nominal.h; 0: not known */
    bool on_cpu;     /* whether other work disturbs the tests */
    qn_load load;
    double most_load;             /* while tests ran; 0: none known */
    qn_test_journal_again *again; /* fastest first */
    size_t again_count, again_capacity, again_next;
    bool has_best; /* the fastest test of earlier runs, also one that gives way */
    qn_point best_point;
    double best_objective;
} qn_test_journal;

/* The caller has set the fields up to `on_cpu`, except `problem`. store NULL: nothing is kept. */
QN_MUST_CHECK qn_status qn_test_journal_open(qn_test_journal *journal, const qn_tune_key *key);
void qn_test_journal_close(qn_test_journal *journal);

/* Tell the tuner the tests of earlier runs, count their failures in the result, and show them to options->known. A test
 * without an energy that the goal needs is left out, so that it is made again. */
QN_MUST_CHECK qn_status qn_test_journal_resume(qn_test_journal *journal, qn_tuner *tuner);

/* Take the next point whose test gives way; false: there is none. */
bool qn_test_journal_next_again(qn_test_journal *journal, const qn_tuner *tuner, qn_point *point);

QN_MUST_CHECK qn_status qn_test_journal_start(qn_test_journal *journal, qn_point point);
QN_MUST_CHECK qn_status qn_test_journal_finish(qn_test_journal *journal, qn_point point, const qn_test *test);
/* Remove the mark of a test that was started and is not made. Keeps the thread's error. */
void qn_test_journal_cancel(qn_test_journal *journal, qn_point point);

/* Warn if the machine was busy while the tests ran. */
void qn_test_journal_judge_load(const qn_test_journal *journal, const char *name);

/* Show a test to options->known: of an earlier run, or made again. QN_CANCELLED if that returns nonzero. */
QN_MUST_CHECK qn_status qn_test_journal_show(const qn_test_journal *journal, const qn_tuner *tuner, qn_point point,
                                             const qn_test *test, bool earlier);

#endif
