#include "tune/searcher/surrogate.h"

static qn_status create(const qn_searcher_problem *problem, void **state)
{
    return qn_surrogate_create(problem, &qn_searcher_settings.bayes, state);
}

const qn_searcher_class qn_searcher_bayes = {
    .name = "bayes",
    .meaning = "expected improvement by a forest of random trees",
    .create = create,
    .ask = qn_surrogate_ask,
    .tell = qn_surrogate_tell,
    .destroy = qn_surrogate_destroy,
};
