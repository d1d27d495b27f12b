#include "base/error.h"
#include "base/memory.h"
#include "tune/searcher/moves.h"
#include "tune/searcher/searcher.h"

static qn_status create(const qn_searcher_problem *problem, void **state)
{
    QN_TRY(qn_allocate(1, sizeof(qn_moves), state));
    qn_moves_start(*state, problem->space, problem->seed);
    return QN_OK;
}

static qn_status ask(void *state, qn_point *point)
{
    *point = qn_moves_point(state);
    return QN_OK;
}

static qn_status tell(void *state, qn_point point, const qn_test *test)
{
    (void)state, (void)point, (void)test;
    return QN_OK;
}

static void destroy(void **state)
{
    qn_release(state);
}

const qn_searcher_class qn_searcher_random = {
    .name = "random",
    .meaning = "points drawn uniformly, none twice",
    .create = create,
    .ask = ask,
    .tell = tell,
    .destroy = destroy,
};
