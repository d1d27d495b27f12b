/* Numeric factors by the multifrontal method (Duff and Reid 1983, ACM Trans Math Softw 9, 302). Subtrees are tasks of
 * the pool; then the top fronts follow one by one, and the pool shares their strips. */
#include "deform/factor/factor.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "deform/factor/fronts.h"

/* Strips of rows in a task, and the work (multiply-adds) below which a front is not worth sharing. */
enum { STRIPS_OF_TASK = 6, LEAST_TO_SHARE = 400000 };

static qn_status allocate_doubles(size_t count, double **values)
{
    void *memory;
    QN_TRY(qn_allocate(count > 0 ? count : 1, sizeof(double), &memory)); /* an empty room has an address, too */
    *values = memory;
    return QN_OK;
}

static void worker_release(qn_factor_worker *worker)
{
    qn_release(&worker->room[0]);
    qn_release(&worker->room[1]);
    qn_release(&worker->signed_strip);
    qn_release(&worker->base);
    qn_release(&worker->blocks);
}

static qn_status worker_allocate(const qn_factor_plan *plan, qn_factor_worker *worker)
{
    void *memory;
    for (int parity = 0; parity < 2; parity++) QN_TRY(allocate_doubles(plan->task_room[parity], &worker->room[parity]));
    QN_TRY(allocate_doubles((size_t)QN_FACTOR_STRIP * plan->most_width, &worker->signed_strip));
    QN_TRY(qn_allocate(2 * (size_t)plan->most_below, sizeof(uint32_t), &memory));
    worker->base = memory;
    QN_TRY(qn_allocate(qn_factor_strips(plan->most_width), sizeof(qn_strips_block), &memory));
    worker->blocks = memory;
    return QN_OK;
}

static void workers_release(qn_factor *factor)
{
    for (int t = 0; t < factor->worker_count; t++) worker_release(&factor->workers[t]);
    factor->worker_count = 0;
    qn_release(&factor->workers);
}

qn_status qn_factor_use_pool(qn_factor *factor, qn_pool *pool)
{
    const int count = pool ? qn_pool_threads(pool) : 1;
    void *memory;
    factor->pool = pool;
    if (factor->worker_count == count) return QN_OK;
    workers_release(factor);
    QN_TRY(qn_allocate((size_t)count, sizeof(qn_factor_worker), &memory));
    factor->workers = memory;
    factor->worker_count = count;
    for (int t = 0; t < count; t++) QN_TRY(worker_allocate(factor->plan, &factor->workers[t]));
    return QN_OK;
}

static qn_status factor_allocate(qn_factor *factor)
{
    const qn_factor_plan *plan = factor->plan;
    void *memory;
    QN_TRY(qn_allocate(plan->free_count, sizeof *factor->sign, &memory));
    factor->sign = memory;
    QN_TRY(allocate_doubles(plan->panel_values, &factor->panels));
    QN_TRY(allocate_doubles(plan->root_room, &factor->root_room));
    for (int parity = 0; parity < 2; parity++)
        QN_TRY(allocate_doubles(plan->top_room[parity], &factor->top_room[parity]));
    QN_TRY(allocate_doubles(QN_STRIPS_SIDES * plan->free_count, &factor->sides));
    QN_TRY(allocate_doubles(QN_STRIPS_SIDES * QN_FACTOR_STRIP * (size_t)plan->most_width, &factor->side_sums));
    return qn_factor_use_pool(factor, NULL);
}

qn_status qn_factor_create(const qn_factor_plan *plan, qn_factor **factor)
{
    void *memory;
    *factor = NULL;
    QN_TRY(qn_allocate(1, sizeof(qn_factor), &memory));
    *factor = memory;
    (*factor)->plan = plan;
    const qn_status status = factor_allocate(*factor);
    if (status != QN_OK) qn_factor_destroy(factor);
    return status;
}

void qn_factor_destroy(qn_factor **factor)
{
    qn_factor *old = *factor;
    if (!old) return;
    workers_release(old);
    qn_release(&old->sign);
    qn_release(&old->panels);
    qn_release(&old->root_room);
    qn_release(&old->top_room[0]);
    qn_release(&old->top_room[1]);
    qn_release(&old->sides);
    qn_release(&old->side_sums);
    qn_release(factor);
}

static void eliminate_alone(const qn_factor_work *w, const qn_factor_front *front, int thread)
{
    const qn_factor_worker *own = &w->factor->workers[thread];
    qn_factor_front_begin(w, front, thread);
    if (own->wrong != UINT32_MAX) return;
    const size_t strips = qn_factor_strips(front->below);
    qn_factor_front_below(w, front, own->blocks, 0, strips, thread);
    for (size_t column = 0; column < strips; column++) qn_factor_front_update(w, front, column, thread);
}

/* A subtree is left at its first wrong pivot. All subtrees are tried, so that the first wrong pivot of all is found
 * whatever the order of tasks. */
static qn_status subtree_task(size_t index, int thread, void *user)
{
    const qn_factor_work *w = user;
    const qn_factor_plan *plan = w->factor->plan;
    qn_factor_worker *own = &w->factor->workers[thread];
    const uint32_t before = own->wrong;
    own->wrong = UINT32_MAX;
    for (uint32_t s = plan->subtrees[index].first; s < plan->subtrees[index].end && own->wrong == UINT32_MAX; s++)
        eliminate_alone(w, &plan->fronts[s], thread);
    if (before < own->wrong) own->wrong = before;
    return QN_OK;
}

static qn_status below_task(size_t index, int thread, void *user)
{
    const qn_factor_work *w = user;
    const size_t strips = qn_factor_strips(w->front->below), begin = index * STRIPS_OF_TASK;
    const size_t end = begin + STRIPS_OF_TASK < strips ? begin + STRIPS_OF_TASK : strips;
    qn_factor_front_below(w, w->front, w->factor->workers[0].blocks, begin, end, thread);
    return QN_OK;
}

static qn_status update_task(size_t index, int thread, void *user)
{
    const qn_factor_work *w = user;
    qn_factor_front_update(w, w->front, index, thread);
    return QN_OK;
}

static qn_status eliminate_top_front(qn_factor_work *w, const qn_factor_front *front)
{
    if (w->factor->worker_count == 1 || front->multiply_adds < LEAST_TO_SHARE) {
        eliminate_alone(w, front, 0);
        return QN_OK;
    }
    qn_factor_front_begin(w, front, 0);
    if (w->factor->workers[0].wrong != UINT32_MAX) return QN_OK;
    const size_t strips = qn_factor_strips(front->below);
    w->front = front;
    QN_TRY(qn_pool_run(w->factor->pool, (strips + STRIPS_OF_TASK - 1) / STRIPS_OF_TASK, below_task, w));
    return qn_pool_run(w->factor->pool, strips, update_task, w);
}

/* The first place with a wrong pivot that any thread met. */
static uint32_t first_wrong(const qn_factor *factor)
{
    uint32_t first = UINT32_MAX;
    for (int t = 0; t < factor->worker_count; t++)
        if (factor->workers[t].wrong < first) first = factor->workers[t].wrong;
    return first;
}

qn_status qn_factor_compute(qn_factor *factor, const double *values, size_t *wrong_freedom)
{
    const qn_factor_plan *plan = factor->plan;
    qn_factor_work w = {factor, values, QN_HOST_SELECT(qn_deform_strips_host), NULL};
    for (int t = 0; t < factor->worker_count; t++) factor->workers[t].wrong = UINT32_MAX, factor->workers[t].excess = 0;
    memcpy(factor->sign, plan->sign, plan->free_count * sizeof *factor->sign);
    *wrong_freedom = SIZE_MAX;
    QN_TRY(qn_pool_run(factor->pool, plan->subtree_count, subtree_task, &w));
    for (size_t s = 0; s < plan->front_count && first_wrong(factor) == UINT32_MAX; s++)
        if (plan->fronts[s].task == UINT32_MAX) QN_TRY(eliminate_top_front(&w, &plan->fronts[s]));
    if (first_wrong(factor) != UINT32_MAX) *wrong_freedom = plan->freedom[first_wrong(factor)];
    return QN_OK;
}

void qn_factor_keep_wrong(qn_factor *factor, bool keeps)
{
    factor->keeps_wrong = keeps;
}

int64_t qn_factor_excess(const qn_factor *factor)
{
    int64_t excess = 0;
    for (int t = 0; t < factor->worker_count; t++) excess += factor->workers[t].excess;
    return excess;
}
