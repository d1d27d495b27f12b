/* Motion by the law of tools/make-movie, with a bump, for tests of fits. Include it after check.h, in one file. */
#ifndef QN_MOVIE_TRUE_MOTION_H
#define QN_MOVIE_TRUE_MOTION_H

#include <math.h>

#include "math/random.h"
#include "movie/motion/motion.h"

enum { FRAMES_MAX = 40, PATCHES_MAX = 81, WIDTH = 2048, HEIGHT = 1536, GRID = 9 };

typedef struct truth {
    uint64_t seed;
    int frames;
    double local, bump; /* px: the scale of local motion, the height of a bump in space */
} truth;

static double place[2 * PATCHES_MAX], shift[2 * PATCHES_MAX * FRAMES_MAX], weight[PATCHES_MAX];

/* A normal number by the method of Box and Muller. */
static double normal(uint64_t seed, uint64_t stream, uint64_t index)
{
    const double u = 1 - qn_random_uniform(seed, stream, 2 * index), v = qn_random_uniform(seed, stream, 2 * index + 1);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

/* Displacement at x, y in shares of the frame: a fast expansion, a slow second order, the bump and jitter. */
static void true_motion(const truth *motion, int frame, double x, double y, double u[2])
{
    double random[5];
    for (uint64_t k = 0; k < 5; k++) random[k] = qn_random_uniform(motion->seed, 1, k);
    const double t = frame / (motion->frames - 1.0), fast = (1 - exp(-t / 0.25)) / (1 - exp(-4)), at[2] = {x, y};
    const double rise_x = x - 0.25 - 0.5 * random[2], rise_y = y - 0.25 - 0.5 * random[3];
    const double hill = motion->bump * fast * exp(-(rise_x * rise_x + rise_y * rise_y) / (2 * 0.12 * 0.12));
    for (int axis = 0; axis < 2; axis++) {
        const double own = at[axis] - 0.5, other = at[1 - axis] - 0.5, angle = 6.283185307179586 * random[4];
        double slow[3];
        for (uint64_t k = 0; k < 3; k++) slow[k] = 0.35 * normal(motion->seed, 2, 3 * (uint64_t)axis + k);
        u[axis] = motion->local * (fast * 1.6 * (at[axis] - 0.35 - 0.3 * random[axis]) +
                                   t * (slow[0] * x * y + slow[1] * other * other + slow[2] * own * own));
        u[axis] += hill * (axis ? sin(angle) : cos(angle));
        if (frame > 0) u[axis] += 2 * normal(motion->seed, 3 + (uint64_t)axis, (uint64_t)frame);
    }
}

/* Patches on a lattice, weights of 1, and shift = motion + a constant for each patch + noise in each coordinate. */
static void make_shifts(const truth *motion, int side, double noise)
{
    for (int p = 0; p < side * side; p++) {
        const double x = (p % side + 0.5) / side, y = (p / side + 0.5) / side;
        place[2 * p] = x * (WIDTH - 1);
        place[2 * p + 1] = y * (HEIGHT - 1);
        weight[p] = 1;
        for (int t = 0; t < motion->frames; t++) {
            double *to = shift + 2 * (p * motion->frames + t);
            true_motion(motion, t, x, y, to);
            for (int axis = 0; axis < 2; axis++) {
                const uint64_t index = (uint64_t)(2 * (p * motion->frames + t) + axis);
                to[axis] += noise * normal(motion->seed, 7, index) + normal(motion->seed, 8, (uint64_t)(2 * p + axis));
            }
        }
    }
}

/* RMS of the vectors of the error over frames and 9 × 9 places, less their mean. */
__attribute__((unused)) static double error_of(const truth *motion, const qn_motion *found)
{
    double sum[2] = {0}, squares = 0;
    const int count = motion->frames * GRID * GRID;
    for (int t = 0; t < motion->frames; t++)
        for (int k = 0; k < GRID * GRID; k++) {
            const double x = 0.05 + 0.9 * (k % GRID) / (GRID - 1), y = 0.05 + 0.9 * (k / GRID) / (GRID - 1);
            double u[2], estimate[2];
            true_motion(motion, t, x, y, u);
            qn_motion_at(found, t, x * (WIDTH - 1), y * (HEIGHT - 1), estimate);
            for (int axis = 0; axis < 2; axis++) {
                sum[axis] += u[axis] - estimate[axis];
                squares += (u[axis] - estimate[axis]) * (u[axis] - estimate[axis]);
            }
        }
    return sqrt((squares - (sum[0] * sum[0] + sum[1] * sum[1]) / count) / count);
}

#endif
