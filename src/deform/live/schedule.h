/* Which states a hand will need, and in which order.
 *
 * The hand's predicted way is sampled every quarter of a step or less up to the horizon. At each sample, the points
 * around which the hand is at most one step away along every axis are the corners of its cell; those that are at most
 * half a step farther are the corners of cells that the tube around the way meets. A point's arrival is when the hand
 * comes into reach of it: the time of the sample, and the rest of the distance at the hand's speed. What arrives first
 * less the time that its solution takes is solved first, the way before the tube; a solution takes `solve_s` for each
 * step between the point and the nearest solved one.
 *
 * After the points of the way come those around the hand, nearest first, for workers that would be idle. */
#ifndef QN_DEFORM_LIVE_SCHEDULE_H
#define QN_DEFORM_LIVE_SCHEDULE_H

#include "deform/live/filter.h"
#include "deform/space/grid.h"

enum { QN_WISHES_MAX = 256 };

typedef struct qn_wish {
    int32_t index[3];
    bool is_beside;            /* a corner of the tube, not of the way */
    double arrival_s, slack_s; /* from now; infinite for idle workers */
} qn_wish;

typedef struct qn_schedule_input {
    const qn_grid *grid;
    const qn_hand_filter *hand;
    double horizon_s, solve_s;
    size_t idle_wishes;                                    /* how many points around the hand may be added */
    double idle_reach_m;                                   /* how far from the hand they may be */
    bool (*has)(const void *user, const int32_t index[3]); /* whether a state is there */
    const void *user;
} qn_schedule_input;

/* Write the wishes in their order; returns their number. */
size_t qn_schedule_wishes(const qn_schedule_input *input, qn_wish wishes[QN_WISHES_MAX]);

/* Call `visit` for the corners of the cells that the way meets, without the tube, whether they are there or not. */
void qn_schedule_visit_way(const qn_schedule_input *input, void (*visit)(void *user, const int32_t index[3]),
                           void *user);

/* The horizon: 8 times the 90th percentile of the last solve times, from 20 ms to 2 s. It is longer than a solution,
 * since the corners of several cells wait for the same workers; those that arrive first are solved first anyway. Of
 * horizons from 1.5 to 16, this one had the fewest late ticks with minimum-jerk hands at the speed that two workers can
 * just follow. `times_s` are reordered. */
double qn_schedule_horizon_s(double *times_s, size_t count);

#endif
