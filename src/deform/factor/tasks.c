/* Which fronts are eliminated together by one thread, and where their updates stand meanwhile.
 *
 * Fronts are eliminated in postorder, so updates could be a stack: a parent takes those of its children from the top
 * and puts its own there. Two stacks, by parity of depth, let a parent write its update while it reads its children's.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "deform/factor/plan.h"

/* A subtree has at most this part of the whole work. The number is fixed, so that nothing depends on threads. */
enum { SUBTREES_LEAST = 24 };

static int compare_subtrees(const void *a, const void *b)
{
    const qn_factor_subtree *x = a, *y = b;
    if (x->multiply_adds != y->multiply_adds) return x->multiply_adds > y->multiply_adds ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* First front of each front's subtree, and the work of the subtree. */
static void measure_subtrees(const qn_factor_plan *plan, uint32_t *first, double *work)
{
    for (uint32_t s = 0; s < plan->front_count; s++) {
        const qn_factor_front *front = &plan->fronts[s];
        first[s] = s;
        work[s] = front->multiply_adds;
        for (uint32_t c = front->first_child; c != UINT32_MAX; c = plan->fronts[c].next_sibling) {
            work[s] += work[c];
            if (first[c] < first[s]) first[s] = first[c];
        }
    }
}

static void choose_subtrees(qn_factor_plan *plan, const uint32_t *first, const double *work)
{
    const double most = plan->multiply_adds / SUBTREES_LEAST;
    for (uint32_t s = 0; s < plan->front_count; s++) {
        const uint32_t parent = plan->fronts[s].parent;
        plan->fronts[s].task = UINT32_MAX;
        if (work[s] > most || (parent != UINT32_MAX && work[parent] <= most)) continue;
        plan->subtrees[plan->subtree_count++] = (qn_factor_subtree){first[s], s + 1, work[s]};
    }
    qsort(plan->subtrees, plan->subtree_count, sizeof *plan->subtrees, compare_subtrees);
    for (uint32_t t = 0; t < plan->subtree_count; t++)
        for (uint32_t s = plan->subtrees[t].first; s < plan->subtrees[t].end; s++) plan->fronts[s].task = t;
}

/* Put the update of a front onto the stack of its depth, and take its children's off the other one. */
static void stack_update(qn_factor_plan *plan, uint32_t s, size_t top[2], size_t room[2])
{
    qn_factor_front *front = &plan->fronts[s];
    size_t *own = &top[front->depth], *other = &top[1 - front->depth];
    front->update = *own;
    *own += qn_factor_update_values(front);
    if (*own > room[front->depth]) room[front->depth] = *own;
    for (uint32_t c = front->first_child; c != UINT32_MAX; c = plan->fronts[c].next_sibling)
        if (plan->fronts[c].task == front->task && plan->fronts[c].update < *other) *other = plan->fronts[c].update;
}

static void place_updates(qn_factor_plan *plan)
{
    for (size_t t = 0; t < plan->subtree_count; t++) {
        const qn_factor_subtree *subtree = &plan->subtrees[t];
        size_t top[2] = {0, 0};
        for (uint32_t s = subtree->first; s + 1 < subtree->end; s++) stack_update(plan, s, top, plan->task_room);
        plan->fronts[subtree->end - 1].update = plan->root_room;
        plan->root_room += qn_factor_update_values(&plan->fronts[subtree->end - 1]);
    }
    size_t top[2] = {0, 0};
    for (uint32_t s = 0; s < plan->front_count; s++)
        if (plan->fronts[s].task == UINT32_MAX) stack_update(plan, s, top, plan->top_room);
}

qn_status qn_factor_plan_tasks(qn_factor_plan *plan)
{
    void *first = NULL, *work = NULL, *subtrees = NULL;
    qn_status status = qn_allocate(plan->front_count, sizeof(uint32_t), &first);
    if (status == QN_OK) status = qn_allocate(plan->front_count, sizeof(double), &work);
    if (status == QN_OK) status = qn_allocate(plan->front_count, sizeof(qn_factor_subtree), &subtrees);
    if (status == QN_OK) {
        plan->subtrees = subtrees;
        measure_subtrees(plan, first, work);
        choose_subtrees(plan, first, work);
        place_updates(plan);
    }
    qn_release(&first);
    qn_release(&work);
    return status;
}
