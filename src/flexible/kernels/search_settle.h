/* Poses that settle with exact energies on the host, for `settle` of flexible/search: each lane has a leg, and takes
 * the next one at its end. */
#ifndef QN_FLEXIBLE_SEARCH_SETTLE_H
#define QN_FLEXIBLE_SEARCH_SETTLE_H

#include "flexible/kernels/search_chains.h"

/* Legs of chains of a molecule that a task settles: chain, kick, passes. */
typedef struct settle_task {
    const search_scalars *scalars;
    float *states; /* [chain][2][QN_SEARCH_POSE] */
    int *counters; /* [chain][2] */
    const qn_int4 *legs;
    int leg_count, begun, settling;                  /* legs that began; lanes that are busy */
    int leg[QN_SEARCH_WIDTH], pass[QN_SEARCH_WIDTH]; /* of lanes */
    float before[QN_SEARCH_WIDTH];                   /* the energy after the last pass */
    search_lanes lanes;
} settle_task;

static inline float *settle_current(const settle_task *task, int lane)
{
    return task->states + 2 * QN_SEARCH_POSE * (size_t)task->legs[task->leg[lane]].x;
}

/* Give a lane the next leg, if there is one. */
static inline void settle_begin(settle_task *task, int lane)
{
    search_lanes *v = &task->lanes;
    v->busy[lane] = task->begun < task->leg_count;
    if (!v->busy[lane]) return;
    const qn_int4 leg = task->legs[task->begun];
    task->leg[lane] = task->begun++;
    task->settling++;
    task->pass[lane] = 0;
    task->before[lane] = 1e30f;
    lane_begin_minimisation(v, lane, QN_SEARCH_HARD);
    lane_load(settle_current(task, lane), v->pose, lane, QN_SEARCH_TORSIONS - 1 + v->pieces);
    for (int i = 0; i < v->freedoms && leg.y > 0; i++)
        v->direction[SEARCH_AT(i) + lane] = search_kick(task->scalars, v->molecule, v->turn, leg.y, i);
}

/* Store where a lane has settled, or, without passes, the energy and its gradient. */
static inline void settle_store(const settle_task *task, int lane)
{
    const search_lanes *v = &task->lanes;
    float *best = settle_current(task, lane) + QN_SEARCH_POSE;
    if (task->legs[task->leg[lane]].z > 0) {
        lane_store(v->pose, lane, best, QN_SEARCH_TORSIONS - 1 + v->pieces);
        best[QN_SEARCH_TORSIONS - 1] = v->energy[lane];
        return;
    }
    memset(best, 0, QN_SEARCH_POSE * sizeof *best);
    best[0] = v->energy[lane];
    lane_store(v->gradient, lane, best + 1, v->freedoms);
}

/* The minimisation of a lane has ended. */
static inline void settle_end_pass(settle_task *task, int lane)
{
    search_lanes *v = &task->lanes;
    const qn_int4 leg = task->legs[task->leg[lane]];
    const float base = settle_current(task, lane)[QN_SEARCH_TORSIONS - 1], before = task->before[lane];
    task->before[lane] = v->energy[lane];
    if (search_settles_on(++task->pass[lane], leg.z, leg.y, base, before, v->energy[lane])) {
        lane_begin_minimisation(v, lane, QN_SEARCH_HARD);
        return;
    }
    settle_store(task, lane);
    task->settling--;
    settle_begin(task, lane);
}

/* Settle all legs; without passes, lanes end after one evaluation. */
static inline void settle_run(settle_task *task)
{
    search_lanes *v = &task->lanes;
    for (int lane = 0; lane < QN_SEARCH_WIDTH; lane++) settle_begin(task, lane);
    while (task->settling > 0) {
        lanes_advance(v, task->scalars);
        for (int lane = 0; lane < QN_SEARCH_WIDTH; lane++) {
            if (!v->busy[lane]) continue;
            const qn_int4 leg = task->legs[task->leg[lane]];
            task->counters[2 * leg.x]++;
            if (!v->going[lane] || leg.z < 1) settle_end_pass(task, lane);
        }
    }
}

#endif
