/* Search by a model of the tested points: a forest predicts every candidate with its uncertainty, and the candidate
 * with the largest expected improvement is tested. Shared by `bayes` and `auto`, which differ in settings.
 *
 * The model predicts the rank of a point among the tested points, not its objective: objectives span two orders of
 * magnitude in some spaces and 6 % in others; ranks are alike in all, and failures rank last.
 *
 * Candidates are all points of a space that is small enough. In a larger space they are a pool of random points, of
 * which some are replaced in each step, the neighbours of the best tested points, and the neighbours of the best
 * candidate. The last are added several times per step, which climbs the model. Trees are regrown in turn, all of them
 * only while there are few data, so that a step costs about the same in a long search as in a short one. */
#ifndef QN_TUNE_SEARCHER_SURROGATE_H
#define QN_TUNE_SEARCHER_SURROGATE_H

#include "tune/searcher/searcher.h"
#include "tune/searcher/table.h"

QN_MUST_CHECK qn_status qn_surrogate_create(const qn_searcher_problem *problem, const qn_surrogate_settings *settings,
                                            void **state);
QN_MUST_CHECK qn_status qn_surrogate_ask(void *state, qn_point *point);
QN_MUST_CHECK qn_status qn_surrogate_tell(void *state, qn_point point, const qn_test *test);
void qn_surrogate_destroy(void **state);

#endif
