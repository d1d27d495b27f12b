/* BFGS on the degrees of freedom of a pose. */
#include <math.h>
#include <string.h>

#include "flexible/energy.h"

enum { FREEDOMS_MAX = 6 + QN_FLEXIBLE_TORSIONS_MAX, HALVINGS = 10 };
static const double sufficient = 1e-4; /* share of the decrease that the slope promises (Armijo) */
static const double smallest_gradient = 1e-5, shortest = 1.0 / 1024;
static const double first_step = 0.3; /* length at most (Å, radians): steep starts would else fail all halvings */

typedef struct minimiser {
    const qn_flexible_tree *tree;
    const qn_flexible_receptor *receptor;
    const qn_flexible_restraint *restraint; /* NULL: none */
    double bend, least_fall;
    qn_receptor_near *near; /* NULL: in double precision */
    int freedoms;
    double inverse[FREEDOMS_MAX][FREEDOMS_MAX]; /* approximate inverse of the second derivatives */
} minimiser;

static double dot(const double *a, const double *b, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

static void set_diagonal(minimiser *search, double value)
{
    for (int i = 0; i < search->freedoms; i++)
        for (int j = 0; j < search->freedoms; j++) search->inverse[i][j] = i == j ? value : 0;
}

/* Returns what is minimised: the bent energy and the restraint's. */
static double evaluate(const minimiser *search, const qn_flexible_pose *pose, qn_flexible_energy *energy,
                       double *gradient)
{
    if (search->near)
        qn_flexible_evaluate_roughly(search->tree, search->receptor, search->near, pose, search->bend, energy,
                                     gradient);
    else
        qn_flexible_evaluate(search->tree, search->receptor, pose, search->bend, energy, gradient);
    if (!search->restraint) return energy->bent;
    return energy->bent + search->restraint->add(pose, gradient, search->restraint->user);
}

/* The factor to a shorter step: to the lowest point of the parabola with the slope at the beginning and this rise at
 * the end, but a half at most, a tenth at least. */
static double shortened(double slope, double rise)
{
    return fmin(0.5, fmax(0.1, slope / (2 * (slope - rise))));
}

/* Find a point along `direction` that is low enough; returns the length of the step, 0: none was. *value gets its
 * value in place of the one at `from`. */
static double line_search(const minimiser *search, const qn_flexible_pose *from, double slope, const double *direction,
                          double *value, qn_flexible_pose *to, qn_flexible_energy *energy, double *gradient)
{
    double length = 1;
    for (int i = 0; i <= HALVINGS && length > shortest; i++) {
        qn_flexible_pose_step(search->tree, from, direction, length, to);
        const double next = evaluate(search, to, energy, gradient);
        if (next - *value < sufficient * length * slope) {
            *value = next;
            return length;
        }
        length *= search->restraint ? shortened(length * slope, next - *value) : 0.5;
    }
    return 0;
}

/* H ← H + (1 + yᵀHy / sᵀy) ssᵀ / sᵀy − (Hy sᵀ + s yᵀH) / sᵀy; before the first one, H is scaled by sᵀy / yᵀy. */
static void update(minimiser *search, const double *step, const double *change, bool first)
{
    const int n = search->freedoms;
    const double curvature = dot(step, change, n);
    double image[FREEDOMS_MAX];
    if (!(curvature > 0)) return;
    if (first) set_diagonal(search, curvature / dot(change, change, n));
    for (int i = 0; i < n; i++) image[i] = dot(search->inverse[i], change, n);
    const double factor = 1 + dot(change, image, n) / curvature;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            search->inverse[i][j] += (factor * step[i] * step[j] - image[i] * step[j] - step[i] * image[j]) / curvature;
}

static void minimise(minimiser *search, int rounds, qn_flexible_pose *pose, qn_flexible_energy *energy)
{
    const int n = search->freedoms;
    double gradient[FREEDOMS_MAX], next_gradient[FREEDOMS_MAX], direction[FREEDOMS_MAX], change[FREEDOMS_MAX];
    qn_flexible_pose next = *pose;
    qn_flexible_energy next_energy;
    double value = evaluate(search, pose, energy, gradient);
    set_diagonal(search, fmin(1, first_step / sqrt(dot(gradient, gradient, n))));
    for (int round = 0; round < rounds && dot(gradient, gradient, n) > smallest_gradient * smallest_gradient; round++) {
        for (int i = 0; i < n; i++) direction[i] = -dot(search->inverse[i], gradient, n);
        const double before = value;
        const double length = line_search(search, pose, dot(direction, gradient, n), direction, &value, &next,
                                          &next_energy, next_gradient);
        if (length == 0) return;
        for (int i = 0; i < n; i++) {
            direction[i] *= length;
            change[i] = next_gradient[i] - gradient[i];
        }
        update(search, direction, change, round == 0);
        memcpy(gradient, next_gradient, sizeof gradient);
        *pose = next;
        *energy = next_energy;
        if (before - value < search->least_fall) return;
    }
}

static void start(minimiser *search, int rounds, qn_flexible_pose *pose, qn_flexible_energy *energy)
{
    qn_flexible_energy own;
    search->freedoms = qn_flexible_freedoms(search->tree);
    minimise(search, rounds > 0 ? rounds : (25 + search->tree->moving_count) / 3, pose, energy ? energy : &own);
}

void qn_flexible_minimise(const qn_flexible_tree *tree, const qn_flexible_receptor *receptor, double bend, int rounds,
                          qn_flexible_pose *pose, qn_flexible_energy *energy)
{
    qn_flexible_minimise_restrained(tree, receptor, NULL, NULL, bend, rounds, pose, energy);
}

void qn_flexible_minimise_restrained(const qn_flexible_tree *tree, const qn_flexible_receptor *receptor,
                                     qn_receptor_near *near, const qn_flexible_restraint *restraint, double bend,
                                     int rounds, qn_flexible_pose *pose, qn_flexible_energy *energy)
{
    minimiser search = {.tree = tree,
                        .receptor = receptor,
                        .near = near,
                        .restraint = restraint,
                        .bend = bend,
                        .least_fall = restraint ? restraint->least_fall : 0};
    start(&search, rounds, pose, energy);
}
