#include "tune/exchange/replay.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "tune/searcher/searcher.h"

qn_status qn_replay_open(const char *path, qn_replay *replay)
{
    *replay = (qn_replay){0};
    qn_status status = qn_recorded_space_read(path, &replay->record);
    size_t points = status == QN_OK ? (size_t)qn_space_size(replay->record->space) : 0;
    if (status == QN_OK) status = qn_allocate(points, sizeof(double), (void **)&replay->objectives);
    if (status == QN_OK) status = qn_allocate(points, sizeof(double), (void **)&replay->costs);
    for (size_t i = 0; status == QN_OK && i < points; i++) {
        const qn_test *test = &replay->record->tests[i];
        replay->objectives[i] = test->outcome == QN_TEST_CORRECT ? test->objective : (double)INFINITY;
        replay->costs[i] = test->build_seconds + test->run_seconds;
    }
    if (status == QN_OK)
        status = qn_searcher_score_create(replay->objectives, replay->costs, points, &replay->baseline);
    if (status != QN_OK) {
        status = qn_error_add_context(status, "%s", path);
        qn_replay_close(replay);
    }
    return status;
}

void qn_replay_close(qn_replay *replay)
{
    if (replay->record) qn_recorded_space_destroy(&replay->record);
    if (replay->baseline) qn_searcher_score_destroy(&replay->baseline);
    qn_release(&replay->objectives);
    qn_release(&replay->costs);
}

/* The recorded test of a point, with its counters if they are recorded. */
static qn_test recorded(const qn_replay *replay, qn_point point)
{
    const qn_recorded_space *record = replay->record;
    qn_test test = record->tests[point];
    if (record->counter_count && !isnan(record->counters[point * record->counter_count])) {
        test.counters = record->counters + point * record->counter_count;
        test.counter_count = record->counter_count;
    }
    return test;
}

qn_status qn_replay_search(const qn_replay *replay, const char *searcher_name, uint64_t seed,
                           const struct qn_tuning_model *model, size_t count, qn_point *points, size_t *done)
{
    qn_searcher *searcher;
    qn_searcher_problem problem = {
        .space = replay->record->space, .seed = seed, .expected_tests = count, .model = model};
    uint64_t reruns = 0;
    bool found = true;
    *done = 0;
    QN_TRY(qn_searcher_create(searcher_name, &problem, &searcher));
    qn_status status = QN_OK;
    while (status == QN_OK && *done < count) {
        qn_point point;
        status = qn_searcher_ask(searcher, &point, &found);
        if (status != QN_OK || !found) break;
        uint64_t now = qn_searcher_reruns(searcher);
        for (; reruns < now && *done < count; reruns++) points[(*done)++] = UINT64_MAX;
        if (*done == count) break;
        points[(*done)++] = point;
        qn_test test = recorded(replay, point);
        status = qn_searcher_tell(searcher, point, &test);
    }
    qn_searcher_destroy(&searcher);
    return status;
}

qn_status qn_replay_rate(const qn_replay *replay, const qn_point *points, size_t count, qn_replay_score *score)
{
    double *met;
    QN_TRY(qn_allocate(2 * count, sizeof(*met), (void **)&met));
    bool reached = false;
    score->tests_to_110_percent = (double)count;
    for (size_t i = 0; i < count; i++) {
        bool again = points[i] == UINT64_MAX;
        met[i] = again ? (double)INFINITY : replay->objectives[points[i]];
        met[count + i] = again ? replay->baseline->mean_cost : replay->costs[points[i]];
        if (!reached && met[i] <= 1.1 * replay->baseline->optimum) {
            reached = true;
            score->tests_to_110_percent = (double)i + 1;
        }
    }
    score->score = qn_searcher_score_curve(replay->baseline, met, count);
    score->time_score = replay->baseline->mean_cost > 0
                            ? qn_searcher_score_time_curve(replay->baseline, met, met + count, count)
                            : (double)NAN;
    qn_release(&met);
    return QN_OK;
}
