/* Search by a model of what was tested: a forest predicts every candidate and its doubt, the candidate that promises
 * the largest expected improvement is tested. Shared by `bayes` and `auto`, which differ in settings.
 *
 * Candidates are a pool of points: random ones, some of them renewed in each step, and the neighbours of the best few.
 * Trees are regrown in turns, all of them only while data are few or when a new best was found, so that a step costs
 * about the same in a long search as in a short one. */
#ifndef QN_TUNE_SEARCHER_SURROGATE_H
#define QN_TUNE_SEARCHER_SURROGATE_H

#include "tune/searcher.h"
#include "tune/searcher_table.h"

QN_MUST_CHECK qn_status qn_surrogate_create(const qn_searcher_problem *problem, const qn_surrogate_settings *settings,
                                            void **state);
QN_MUST_CHECK qn_status qn_surrogate_ask(void *state, qn_point *point);
QN_MUST_CHECK qn_status qn_surrogate_tell(void *state, qn_point point, const qn_test *test);
void qn_surrogate_destroy(void **state);

#endif
