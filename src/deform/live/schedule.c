#include "deform/live/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES_MAX = 64, NEAR_STEPS = 3, SCANNED_MAX = 20000 };

static const double horizon_solutions = 8, horizon_least_s = 0.02, horizon_most_s = 2;

static double length(const double a[3])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/* Samples of the way, so many that neighbours are at most a quarter of a step apart. */
static int sample_count(const qn_schedule_input *input)
{
    double here[3], way_m = 0;
    memcpy(here, input->hand->place, sizeof here);
    for (int part = 1; part <= 8; part++) {
        double next[3], change[3];
        qn_hand_filter_predict(input->hand, input->horizon_s * part / 8, next);
        for (int axis = 0; axis < 3; axis++) change[axis] = next[axis] - here[axis];
        way_m += length(change);
        memcpy(here, next, sizeof here);
    }
    const double count = ceil(way_m / (0.25 * input->grid->step)) + 1;
    return count < SAMPLES_MAX ? (int)count : SAMPLES_MAX;
}

/* Time, clamped place and cell of a sample. */
static double sample(const qn_schedule_input *input, int number, int count, double place[3], int32_t cell[3])
{
    const double time_s = count > 1 ? input->horizon_s * number / (count - 1) : 0;
    qn_hand_filter_predict(input->hand, time_s, place);
    qn_grid_cell(input->grid, place, cell);
    return time_s;
}

/* How far (m) the hand is from where the point is a corner of its cell: less than a step away along every axis. */
static double distance_to_reach(const qn_grid *grid, const double place[3], const int32_t index[3])
{
    double farthest = 0;
    for (int axis = 0; axis < 3; axis++)
        farthest = fmax(farthest, fabs(place[axis] - grid->step * index[axis]) - grid->step);
    return farthest;
}

/* Steps to the nearest state that is there, along the axis of the largest distance; NEAR_STEPS + 1: farther. */
static int steps_from_solved(const qn_schedule_input *input, const int32_t index[3])
{
    for (int far = 1; far <= NEAR_STEPS; far++)
        for (int k = -far; k <= far; k++)
            for (int j = -far; j <= far; j++)
                for (int i = -far; i <= far; i++) {
                    const int32_t at[3] = {index[0] + i, index[1] + j, index[2] + k};
                    const bool is_on_shell = abs(i) == far || abs(j) == far || abs(k) == far;
                    if (is_on_shell && input->has(input->user, at)) return far;
                }
    return NEAR_STEPS + 1;
}

static void wish(const int32_t index[3], bool is_beside, double arrival_s, qn_wish *wishes, size_t *count)
{
    for (size_t i = 0; i < *count; i++)
        if (memcmp(wishes[i].index, index, sizeof wishes[i].index) == 0) {
            wishes[i].is_beside &= is_beside;
            wishes[i].arrival_s = fmin(wishes[i].arrival_s, arrival_s);
            return;
        }
    if (*count == QN_WISHES_MAX) return;
    qn_wish *const added = &wishes[(*count)++];
    memcpy(added->index, index, sizeof added->index);
    added->is_beside = is_beside;
    added->arrival_s = arrival_s;
}

static void wish_around(const qn_schedule_input *input, const double place[3], const int32_t cell[3], double time_s,
                        qn_wish *wishes, size_t *count)
{
    const double step = input->grid->step, speed = fmax(length(input->hand->velocity), step);
    int32_t at[3];
    for (at[2] = cell[2] - 1; at[2] <= cell[2] + 2; at[2]++)
        for (at[1] = cell[1] - 1; at[1] <= cell[1] + 2; at[1]++)
            for (at[0] = cell[0] - 1; at[0] <= cell[0] + 2; at[0]++) {
                if (!qn_grid_has(input->grid, at) || input->has(input->user, at)) continue;
                const double distance = distance_to_reach(input->grid, place, at);
                if (distance <= 0.5 * step) wish(at, distance > 0, time_s + distance / speed, wishes, count);
            }
}

static int by_slack(const void *a, const void *b)
{
    const qn_wish *const left = a, *const right = b;
    if (left->is_beside != right->is_beside) return left->is_beside ? 1 : -1;
    if (left->slack_s != right->slack_s) return left->slack_s < right->slack_s ? -1 : 1;
    if (left->arrival_s != right->arrival_s) return left->arrival_s < right->arrival_s ? -1 : 1;
    return memcmp(left->index, right->index, sizeof left->index);
}

/* ---- idle workers ---- */

typedef struct idle_point {
    int32_t index[3];
    double distance;
} idle_point;

static int by_distance(const void *a, const void *b)
{
    const idle_point *const left = a, *const right = b;
    if (left->distance != right->distance) return left->distance < right->distance ? -1 : 1;
    return memcmp(left->index, right->index, sizeof left->index);
}

/* Points of a cube's shell around `centre` that lack a state; returns their number, at most `capacity`. */
static size_t shell_of(const qn_schedule_input *input, const int32_t centre[3], int far, size_t capacity,
                       idle_point *points, int *scanned)
{
    size_t count = 0;
    for (int k = -far; k <= far; k++)
        for (int j = -far; j <= far; j++)
            for (int i = -far; i <= far; i += abs(j) == far || abs(k) == far || far == 0 ? 1 : 2 * far) {
                const int32_t at[3] = {centre[0] + i, centre[1] + j, centre[2] + k};
                ++*scanned;
                if (count == capacity || !qn_grid_has(input->grid, at) || input->has(input->user, at)) continue;
                double delta[3];
                for (int axis = 0; axis < 3; axis++)
                    delta[axis] = input->grid->step * at[axis] - input->hand->place[axis];
                memcpy(points[count].index, at, sizeof at);
                points[count++].distance = length(delta);
            }
    return count;
}

static bool is_beyond_grid(const qn_grid *grid, const int32_t centre[3], int far)
{
    for (int axis = 0; axis < 3; axis++)
        if (centre[axis] - far >= grid->least[axis] || centre[axis] + far <= grid->most[axis]) return false;
    return true;
}

static size_t idle_wishes(const qn_schedule_input *input, qn_wish *wishes, size_t count)
{
    enum { CAPACITY = 4096 };
    idle_point points[CAPACITY];
    double place[3];
    int32_t cell[3], centre[3];
    size_t found = 0;
    int scanned = 0;
    memcpy(place, input->hand->place, sizeof place);
    qn_grid_cell(input->grid, place, cell);
    for (int axis = 0; axis < 3; axis++) centre[axis] = (int32_t)lround(place[axis] / input->grid->step);
    for (int far = 0; found < input->idle_wishes && scanned < SCANNED_MAX && !is_beyond_grid(input->grid, centre, far);
         far++) {
        const size_t in_shell = shell_of(input, centre, far, CAPACITY, points, &scanned);
        qsort(points, in_shell, sizeof *points, by_distance);
        if (in_shell > 0 && points[0].distance > input->idle_reach_m) return count;
        for (size_t i = 0; i < in_shell && found < input->idle_wishes && points[i].distance <= input->idle_reach_m;
             i++, found++) {
            const size_t before = count;
            wish(points[i].index, true, (double)INFINITY, wishes, &count);
            if (count > before) wishes[before].slack_s = (double)INFINITY;
        }
    }
    return count;
}

size_t qn_schedule_wishes(const qn_schedule_input *input, qn_wish wishes[QN_WISHES_MAX])
{
    const int samples = sample_count(input);
    size_t count = 0;
    for (int number = 0; number < samples; number++) {
        double place[3];
        int32_t cell[3];
        const double time_s = sample(input, number, samples, place, cell);
        wish_around(input, place, cell, time_s, wishes, &count);
    }
    for (size_t i = 0; i < count; i++)
        wishes[i].slack_s = wishes[i].arrival_s - input->solve_s * steps_from_solved(input, wishes[i].index);
    qsort(wishes, count, sizeof *wishes, by_slack);
    return input->idle_wishes > 0 ? idle_wishes(input, wishes, count) : count;
}

void qn_schedule_visit_way(const qn_schedule_input *input, void (*visit)(void *user, const int32_t index[3]),
                           void *user)
{
    const int samples = sample_count(input);
    for (int number = samples - 1; number >= 0; number--) { /* the nearest last: it is used most recently */
        double place[3];
        int32_t cell[3];
        sample(input, number, samples, place, cell);
        for (int corner = 0; corner < 8; corner++) {
            const int32_t at[3] = {cell[0] + (corner & 1), cell[1] + (corner >> 1 & 1), cell[2] + (corner >> 2)};
            if (qn_grid_has(input->grid, at)) visit(user, at);
        }
    }
}

static int by_time(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

double qn_schedule_horizon_s(double *times_s, size_t count)
{
    if (count == 0) return 0.1;
    qsort(times_s, count, sizeof *times_s, by_time);
    const double late = times_s[(size_t)ceil(0.9 * (double)count) - 1];
    return fmin(fmax(horizon_solutions * late, horizon_least_s), horizon_most_s);
}
