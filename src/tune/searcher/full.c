#include "base/error.h"
#include "base/memory.h"
#include "tune/searcher/searcher.h"

typedef struct full {
    uint64_t next, size;
} full;

static qn_status create(const qn_searcher_problem *problem, void **state)
{
    full *made;
    QN_TRY(qn_allocate(1, sizeof(*made), (void **)&made));
    made->size = qn_space_size(problem->space);
    *state = made;
    return QN_OK;
}

static qn_status ask(void *state, qn_point *point)
{
    full *search = state;
    *point = search->next++ % search->size;
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

const qn_searcher_class qn_searcher_full = {
    .name = "full",
    .meaning = "every point, in order",
    .create = create,
    .ask = ask,
    .tell = tell,
    .destroy = destroy,
};
