#include "tunnel/geometry/climb.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { ACTIVE_MOST = 16, ROUNDS_MOST = 100 };

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Gradients at a place of the balls whose distance is at most `most`. */
static int find_gradients(const qn_ball_list *list, const double place[3], const double *distances, double most,
                          const double *across, double gradients[ACTIVE_MOST][3])
{
    int count = 0;
    for (size_t i = 0; i < list->count && count < ACTIVE_MOST; i++) {
        const qn_ball *ball = &list->balls[i];
        const double length = distances[i] + ball->radius;
        if (distances[i] > most || length <= 0) continue;
        double *to = gradients[count++];
        for (int k = 0; k < 3; k++) to[k] = (place[k] - ball->place[k]) / length;
        const double along = across ? dot(to, across) : 0;
        for (int k = 0; k < 3 && across; k++) to[k] -= along * across[k];
    }
    return count;
}

/* The shortest vector of the convex hull of the gradients, by steps from a vector towards the gradient that lies
 * farthest back (Gilbert 1966). Returns false where the hull has the origin: no direction ascends. */
static bool find_direction(double gradients[ACTIVE_MOST][3], int count, double direction[3])
{
    if (count == 0) return false;
    memcpy(direction, gradients[0], 3 * sizeof *direction);
    for (int round = 0; round < 60; round++) {
        const double square = dot(direction, direction);
        int back = 0;
        for (int i = 1; i < count; i++)
            if (dot(gradients[i], direction) < dot(gradients[back], direction)) back = i;
        double towards[3];
        for (int k = 0; k < 3; k++) towards[k] = gradients[back][k] - direction[k];
        const double gain = -dot(towards, direction), length = dot(towards, towards);
        if (square < 1e-8) return false;
        if (gain <= 1e-3 * square || length == 0) break;
        const double share = fmin(gain / length, 1);
        for (int k = 0; k < 3; k++) direction[k] += share * towards[k];
    }
    for (int i = 0; i < count; i++)
        if (dot(gradients[i], direction) <= 0) return false;
    return true;
}

/* Keep the balls that may bound the clearance within the travel: a place on the way is up to that far from each, and
 * its clearance is up to that much larger. */
static void keep_near(qn_ball_list *list, double most)
{
    double *distances = list->distances[0];
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (distances[i] > most) continue;
        list->balls[kept] = list->balls[i];
        list->index[kept] = list->index[i];
        distances[kept++] = distances[i];
    }
    list->count = kept;
}

double qn_climb(qn_ball_list *list, const qn_climbing *climbing, double place[3])
{
    const double start[3] = {place[0], place[1], place[2]}, travel = climbing->travel;
    double gradients[ACTIVE_MOST][3], direction[3], step = climbing->step;
    int here = 0; /* which of the list's distances are those of `place` */
    double clearance = qn_ball_list_measure(list, place, list->distances[here]);
    keep_near(list, clearance + 2 * travel);
    for (int round = 0; round < ROUNDS_MOST && step >= climbing->least_step; round++) {
        if (clearance >= climbing->enough) break;
        const int count =
            find_gradients(list, place, list->distances[here], clearance + 2 * step, climbing->across, gradients);
        if (!find_direction(gradients, count, direction)) {
            step *= 0.5;
            continue;
        }
        const double length = sqrt(dot(direction, direction));
        double there[3], from_start[3];
        for (int k = 0; k < 3; k++) {
            there[k] = place[k] + step / length * direction[k];
            from_start[k] = there[k] - start[k];
        }
        const double higher = qn_ball_list_measure(list, there, list->distances[!here]);
        if (higher <= clearance || dot(from_start, from_start) > travel * travel) {
            step *= 0.5;
            continue;
        }
        clearance = higher;
        here = !here;
        memcpy(place, there, sizeof there);
    }
    return clearance;
}
