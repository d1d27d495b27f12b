#include "discs/circle.h"

#include <math.h>
#include <stdbool.h>

/* Relative slack with which a circle counts as held. */
static const double slack = 1e-10;

/* hypot would take half of the time of all discs; numbers here are far from its corners. */
static double length(double x, double y)
{
    return sqrt(x * x + y * y);
}

static double reach(const double centre[2], const qn_circle *circle)
{
    return length(circle->centre[0] - centre[0], circle->centre[1] - centre[1]) + circle->radius;
}

static bool holds(const qn_circle *outer, const qn_circle *inner)
{
    return reach(outer->centre, inner) <= outer->radius * (1 + slack) + slack;
}

static qn_circle around_two(const qn_circle *a, const qn_circle *b)
{
    if (holds(a, b)) return *a;
    if (holds(b, a)) return *b;
    const double x = b->centre[0] - a->centre[0], y = b->centre[1] - a->centre[1], distance = length(x, y);
    const double radius = (distance + a->radius + b->radius) / 2, along = (radius - a->radius) / distance;
    return (qn_circle){{a->centre[0] + along * x, a->centre[1] + along * y}, radius};
}

/* The circle that three circles touch from inside: |c − c_i| = R − r_i. Differences of the squares of two such
 * equations are linear: c = c_1 + p + q R, and the first gives R. False when their centres lie on a line, where two of
 * the circles determine the smallest circle. */
static bool around_three(const qn_circle *a, const qn_circle *b, const qn_circle *c, qn_circle *circle)
{
    const double bx = b->centre[0] - a->centre[0], by = b->centre[1] - a->centre[1];
    const double cx = c->centre[0] - a->centre[0], cy = c->centre[1] - a->centre[1];
    const double determinant = 2 * (bx * cy - by * cx);
    if (fabs(determinant) < 1e-14) return false;
    const double kb = bx * bx + by * by + a->radius * a->radius - b->radius * b->radius;
    const double kc = cx * cx + cy * cy + a->radius * a->radius - c->radius * c->radius;
    const double lb = 2 * (b->radius - a->radius), lc = 2 * (c->radius - a->radius);
    const double p[2] = {(kb * cy - kc * by) / determinant, (kc * bx - kb * cx) / determinant};
    const double q[2] = {(lb * cy - lc * by) / determinant, (lc * bx - lb * cx) / determinant};
    /* |p + q R|² = (R − r)² */
    const double square = q[0] * q[0] + q[1] * q[1] - 1, half = p[0] * q[0] + p[1] * q[1] + a->radius;
    const double constant = p[0] * p[0] + p[1] * p[1] - a->radius * a->radius;
    const double root = half * half - square * constant;
    if (root < 0) return false;
    const double w = -half - copysign(sqrt(root), half);
    const double roots[2] = {square != 0 ? w / square : -1, w != 0 ? constant / w : -1};
    const double least = fmax(a->radius, fmax(b->radius, c->radius)) * (1 - slack);
    double radius = INFINITY;
    for (int i = 0; i < 2; i++)
        if (roots[i] >= least && roots[i] < radius) radius = roots[i];
    *circle = (qn_circle){{a->centre[0] + p[0] + q[0] * radius, a->centre[1] + p[1] + q[1] * radius}, radius};
    return isfinite(radius);
}

/* Keep `found` and its basis if it holds all circles and is smaller than the best. */
static bool consider(const qn_circle *circles, int count, const qn_circle *found, qn_circle *best)
{
    for (int i = 0; i < count; i++)
        if (!holds(found, &circles[i])) return false;
    if (found->radius >= best->radius) return false;
    *best = *found;
    return true;
}

/* The smallest circle around at most four circles: try those that one, two and three of them determine. Circles that
 * do not determine it are removed from `basis`. */
static qn_circle around_few(qn_circle basis[4], int *count)
{
    qn_circle best = {{0, 0}, INFINITY}, found, kept[3] = {basis[0]};
    const int n = *count;
    int size = 1;
    for (int i = 0; i < n; i++)
        if (consider(basis, n, &basis[i], &best)) kept[0] = basis[i];
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            found = around_two(&basis[i], &basis[j]);
            if (consider(basis, n, &found, &best)) kept[0] = basis[i], kept[1] = basis[j], size = 2;
        }
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            for (int k = j + 1; k < n; k++)
                if (around_three(&basis[i], &basis[j], &basis[k], &found) && consider(basis, n, &found, &best))
                    kept[0] = basis[i], kept[1] = basis[j], kept[2] = basis[k], size = 3;
    for (int i = 0; i < size; i++) basis[i] = kept[i];
    *count = size;
    return best;
}

/* The circle that reaches farthest from the centre. */
static int find_farthest(const qn_circle *circles, int count, const double centre[2])
{
    int farthest = 0;
    double most = -1;
    for (int i = 0; i < count; i++) {
        const double here = reach(centre, &circles[i]);
        if (here > most) most = here, farthest = i;
    }
    return farthest;
}

/* Matoušek, Sharir, Welzl 1996: a circle that the present one does not hold joins those that determine it. The radius
 * grows with each step, so no basis comes twice. */
qn_circle qn_circle_around(const qn_circle *circles, int count)
{
    qn_circle basis[4] = {circles[0]}, around = circles[0];
    int size = 1, farthest = find_farthest(circles, count, around.centre);
    for (int step = 0; step < 10 * count + 10 && !holds(&around, &circles[farthest]); step++) {
        basis[size++] = circles[farthest];
        const qn_circle next = around_few(basis, &size);
        if (!(next.radius > around.radius) || !isfinite(next.radius)) break; /* rounding: the step gains nothing */
        around = next;
        farthest = find_farthest(circles, count, around.centre);
    }
    around.radius = fmax(around.radius, reach(around.centre, &circles[farthest]));
    return around;
}
