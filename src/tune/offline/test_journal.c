#include "tune/offline/test_journal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "tune/session.h"
#include "tune/tuner.h"

qn_status qn_test_journal_open(qn_test_journal *journal, const qn_tune_key *key)
{
    const qn_tune_options *options = journal->options;
    qn_load_start(&journal->load);
    if (!options->store) return QN_OK;
    QN_TRY(qn_tune_store_problem(options->store, key, &journal->problem));
    return options->restart ? qn_tune_store_forget(options->store, journal->problem) : QN_OK;
}

void qn_test_journal_close(qn_test_journal *journal)
{
    qn_release(&journal->again);
}

static double load_now(qn_test_journal *journal)
{
    const double share = qn_load_now(&journal->load);
    if (share > journal->most_load) journal->most_load = share;
    return share;
}

qn_status qn_test_journal_show(const qn_test_journal *journal, const qn_tuner *tuner, qn_point point,
                               const qn_test *test, bool earlier)
{
    const qn_tune_options *options = journal->options;
    qn_tune_progress progress = {.space = journal->space,
                                 .tests = qn_tuner_test_count(tuner),
                                 .point = point,
                                 .test = test,
                                 .limit_seconds = journal->result->limit_seconds,
                                 .pipe = journal->result->pipe,
                                 .earlier = earlier};
    progress.best.outcome = QN_TEST_WRONG;
    qn_tuner_best(tuner, &progress.best_point, &progress.best);
    if (!options->known || options->known(&progress, options->progress_user) == 0) return QN_OK;
    return QN_FAIL(QN_CANCELLED, "tuning of %s was stopped after %s", qn_space_name(journal->space),
                   qn_count_of(progress.tests, "test").text);
}

/* Convert the times of a row, which may be of another size of the problem, to this size. */
static void convert(const qn_test_journal *journal, qn_tune_row *row)
{
    if (!(row->scale > 0 && journal->scale > 0)) return;
    const double factor = journal->scale / row->scale;
    row->test.objective *= factor;
    row->test.spread *= factor;
    row->test.seconds *= factor;
    row->test.joules *= factor;
}

static qn_status resume_row(qn_test_journal *journal, qn_tuner *tuner, bool busy, qn_tune_row *row)
{
    qn_test *test = &row->test;
    qn_point point;
    if (row->running || !qn_tune_point_read(journal->space, row->configuration, &point)) return QN_OK;
    const bool correct = test->outcome == QN_TEST_CORRECT;
    if (correct && journal->goal->uses_energy && !(test->joules > 0)) return QN_OK;
    convert(journal, row);
    QN_TRY(qn_goal_apply(journal->goal, test));
    if (correct && (!journal->has_best || test->objective < journal->best_objective)) {
        journal->has_best = true;
        journal->best_point = point;
        journal->best_objective = test->objective;
    }
    if (correct && journal->on_cpu && qn_load_is_busy(row->load) && !busy) {
        QN_TRY(qn_grow((void **)&journal->again, &journal->again_capacity, journal->again_count + 1,
                       sizeof *journal->again));
        journal->again[journal->again_count++] = (qn_test_journal_again){point, test->objective};
        return QN_OK;
    }
    if (!correct) journal->result->failed[test->outcome]++;
    QN_TRY(qn_goal_note(journal->goal, row->configuration, test));
    QN_TRY(qn_tuner_tell(tuner, point, test));
    return qn_test_journal_show(journal, tuner, point, test, true);
}

static int by_objective(const void *a, const void *b)
{
    const double x = ((const qn_test_journal_again *)a)->objective, y = ((const qn_test_journal_again *)b)->objective;
    return (x > y) - (x < y);
}

qn_status qn_test_journal_resume(qn_test_journal *journal, qn_tuner *tuner)
{
    qn_tune_row *rows;
    size_t count;
    if (!journal->problem) return QN_OK;
    QN_TRY(qn_tune_store_tests(journal->options->store, journal->problem, &rows, &count));
    const bool busy = qn_load_is_busy(load_now(journal));
    qn_status status = QN_OK;
    for (size_t i = 0; i < count && status == QN_OK; i++) status = resume_row(journal, tuner, busy, &rows[i]);
    qn_release(&rows);
    if (status != QN_OK || journal->again_count == 0) return status;
    qsort(journal->again, journal->again_count, sizeof *journal->again, by_objective);
    qn_log(QN_LOG_NOTE,
           "%s: %zu configurations were tested while the machine was busy with other work; they are tested again",
           qn_space_name(journal->space), journal->again_count);
    return QN_OK;
}

bool qn_test_journal_next_again(qn_test_journal *journal, const qn_tuner *tuner, qn_point *point)
{
    while (journal->again_next < journal->again_count) {
        *point = journal->again[journal->again_next++].point;
        if (!qn_tuner_was_told(tuner, *point)) return true;
    }
    return false;
}

qn_status qn_test_journal_start(qn_test_journal *journal, qn_point point)
{
    char text[QN_TUNE_CONFIGURATION_BYTES];
    if (!journal->problem) return QN_OK;
    qn_tune_point_text(journal->space, point, text, sizeof text);
    return qn_tune_store_start(journal->options->store, journal->problem, text);
}

/* Rows hold seconds for every goal. */
qn_status qn_test_journal_finish(qn_test_journal *journal, qn_point point, const qn_test *test)
{
    char text[QN_TUNE_CONFIGURATION_BYTES];
    qn_test row = *test;
    const double load = journal->on_cpu ? load_now(journal) : (double)NAN; /* a GPU does not share the processors */
    if (!journal->problem) return QN_OK;
    if (test->outcome == QN_TEST_CORRECT) {
        row.objective = test->seconds;
        row.spread = test->spread / test->objective * test->seconds;
    }
    qn_tune_point_text(journal->space, point, text, sizeof text);
    return qn_tune_store_finish_under_load(journal->options->store, journal->problem, text, &row, journal->scale, load);
}

void qn_test_journal_cancel(qn_test_journal *journal, qn_point point)
{
    char text[QN_TUNE_CONFIGURATION_BYTES];
    qn_error_trail trail;
    if (!journal->problem) return;
    qn_tune_point_text(journal->space, point, text, sizeof text);
    qn_error_save(QN_OK, &trail);
    (void)!qn_tune_store_cancel(journal->options->store, journal->problem, text);
    (void)!qn_error_restore(&trail);
}

void qn_test_journal_judge_load(const qn_test_journal *journal, const char *name)
{
    if (!journal->on_cpu || !qn_load_is_busy(journal->most_load)) return;
    qn_log(QN_LOG_WARNING,
           "%s: other work used up to %.0f %% of the processors during the tests, so times are too long; run the same "
           "command again on a quiet machine, and its results replace these",
           name, 100 * journal->most_load);
}
