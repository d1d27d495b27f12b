/* Search by a model of what was tested: a forest predicts every candidate and its doubt, the candidate that promises
 * the largest expected improvement is tested. Shared by `bayes` and `auto`, which differ in settings.
 *
 * What is predicted is the place of a point among those tested, not its objective: objectives span two orders of
 * magnitude in some spaces and 6 % in others, places look the same in all, and failures are simply last.
 *
 * Candidates are all points of a space that is small enough. In a larger one they are a pool: random points, some of
 * them renewed in each step, the neighbours of the best points tested, and those of the best candidate, several times
 * over, which climbs the model. Trees are regrown in turns, all of them only while data are few, so that a step costs
 * about the same in a long search as in a short one. */
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
