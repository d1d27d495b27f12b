#include "tune/searcher/surrogate.h"

static qn_status create(const qn_searcher_problem *problem, void **state)
{
    return qn_surrogate_create(problem, &qn_searcher_settings.automatic, state);
}

const qn_searcher_class qn_searcher_auto = {
    .name = "auto",
    .meaning = "the default: forest, local steps and random tests mixed",
    .create = create,
    .ask = qn_surrogate_ask,
    .tell = qn_surrogate_tell,
    .destroy = qn_surrogate_destroy,
};
