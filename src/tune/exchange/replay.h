/* One search on a recorded space, and its score. */
#ifndef QN_TUNE_EXCHANGE_REPLAY_H
#define QN_TUNE_EXCHANGE_REPLAY_H

#include "tune/exchange/searcher_score.h"
#include "tune/recorded/recorded_space.h"

struct qn_tuning_model;

/* A recorded space made ready: objectives and costs by point, and the baseline. */
typedef struct qn_replay {
    qn_recorded_space *record;
    qn_searcher_score_baseline *baseline;
    double *objectives, *costs; /* [point]; a test costs its build and its runs */
} qn_replay;

QN_MUST_CHECK qn_status qn_replay_open(const char *path, qn_replay *replay);
void qn_replay_close(qn_replay *replay);

/* `count` tests into points[count]; where a searcher ran a point again to read counters that is UINT64_MAX: a test that
 * finds nothing new. *done is less than count only when the space is exhausted. */
QN_MUST_CHECK qn_status qn_replay_search(const qn_replay *replay, const char *searcher, uint64_t seed,
                                         const struct qn_tuning_model *model, size_t count, qn_point *points,
                                         size_t *done);

typedef struct qn_replay_score {
    double score, time_score;
    double tests_to_110_percent; /* the tests made when none was that good */
} qn_replay_score;
QN_MUST_CHECK qn_status qn_replay_rate(const qn_replay *replay, const qn_point *points, size_t count,
                                       qn_replay_score *score);

#endif
