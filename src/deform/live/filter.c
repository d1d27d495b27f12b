#include "deform/live/filter.h"

#include <math.h>
#include <string.h>

static const double acceleration_lasts_s = 0.05;

qn_hand_filter qn_hand_filter_start(double memory_s)
{
    return (qn_hand_filter){.memory_s = memory_s};
}

static void set_gains(qn_hand_filter *filter, double step_s)
{
    const double theta = exp(-step_s / filter->memory_s), rest = 1 - theta;
    filter->step_s = step_s;
    filter->alpha = 1 - theta * theta * theta;
    filter->beta = 1.5 * rest * rest * (1 + theta);
    filter->gamma = 0.5 * rest * rest * rest;
}

void qn_hand_filter_add(qn_hand_filter *filter, const double place[3], double step_s)
{
    const double t = step_s;
    if (step_s != filter->step_s) set_gains(filter, step_s);
    if (!filter->is_started) memcpy(filter->place, place, sizeof filter->place);
    filter->is_started = true;
    for (int axis = 0; axis < 3; axis++) {
        filter->place[axis] += t * (filter->velocity[axis] + 0.5 * t * filter->acceleration[axis]);
        filter->velocity[axis] += t * filter->acceleration[axis];
        const double residual = place[axis] - filter->place[axis];
        filter->place[axis] += filter->alpha * residual;
        filter->velocity[axis] += filter->beta / t * residual;
        filter->acceleration[axis] += 2 * filter->gamma / (t * t) * residual;
    }
}

void qn_hand_filter_predict(const qn_hand_filter *filter, double ahead_s, double place[3])
{
    const double lasts_s = fmin(ahead_s, acceleration_lasts_s);
    const double second = lasts_s * (ahead_s - 0.5 * lasts_s); /* ∫∫ of 1 while it lasts, s² */
    for (int axis = 0; axis < 3; axis++)
        place[axis] = filter->place[axis] + ahead_s * filter->velocity[axis] + second * filter->acceleration[axis];
}
