/* One search on a recorded space, and its score. */
#ifndef QN_TUNE_EXCHANGE_REPLAY_H
#define QN_TUNE_EXCHANGE_REPLAY_H

#include "tune/exchange/searcher_score.h"
#include "tune/recorded/recorded_space.h"

struct qn_tuning_model;

/* A recorded space prepared for searches: objective and cost of each point, and the baseline. */
typedef struct qn_replay {
    qn_recorded_space *record;
    qn_searcher_score_baseline *baseline;
    double *objectives, *costs; /* [point], seconds; the cost of a test is its build and its runs */
} qn_replay;

QN_MUST_CHECK qn_status qn_replay_open(const char *path, qn_replay *replay);
void qn_replay_close(qn_replay *replay);

/* Run a search of `count` tests and write the tested points to points[count]. UINT64_MAX stands for a test that ran a
 * known point again to read its counters. *done is less than `count` only if the space is exhausted. */
QN_MUST_CHECK qn_status qn_replay_search(const qn_replay *replay, const char *searcher, uint64_t seed,
                                         const struct qn_tuning_model *model, size_t count, qn_point *points,
                                         size_t *done);

typedef struct qn_replay_score {
    double score, time_score;
    double tests_to_110_percent; /* tests until 1.1 times the optimum was reached; all tests if it never was */
} qn_replay_score;
QN_MUST_CHECK qn_status qn_replay_rate(const qn_replay *replay, const qn_point *points, size_t count,
                                       qn_replay_score *score);

#endif
