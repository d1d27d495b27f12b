/* The energy between the corners of a cell, by Hermite's polynomials.
 *
 * With u = 1 − t the polynomials of a corner along an axis, at the distance t from it in steps, are
 *     value u² (1 + 2t),  slope t u²,  bend ½ t² u³,
 * each 1 in the derivative of order 0, 1, 2 at the corner, and 0 with the first derivative at the other end. In steps,
 * W, f_i, H_ij (i ≠ j) and the twist T = ∂³W/∂x∂y∂z are the derivatives of which the cubics need one for each corner:
 *     E = Σ_c [W vvv + f_x svv + … + H_xy ssv + … + T sss + B_x bvv + B_y vbv + B_z vvb].
 * B_x is what H_xx differs from the second derivative of the cubic along that edge. With it, E is the polynomial of
 * degree 5 along an edge.
 *
 * T is no part of a state. In the face across x, y- and z-differences of H_xz and H_xy tell it up to second order,
 * from the four corners of that face: T_x; likewise T_y, T_z. On a face, E and its derivative across must not depend on
 * other corners than those of the face, which the neighbour has too. So T is a mean of the three whose weights are 0
 * for the others on each face, as those of Gregory's patches are (Gregory 1974, Smooth interpolation without twist
 * constraints): the weight of T_x is yz of yz + zx + xy, by the distances from the corner. */
#include <string.h>

#include "deform/space/cell.h"

enum { VALUE, SLOPE, BEND, KINDS };

/* Polynomials of a corner along an axis, and their derivatives in steps. */
typedef struct along {
    double at[KINDS], rise[KINDS];
    double distance; /* from the corner, in steps */
    double side;     /* 1: the lower corner; −1 */
} along;

static void find_along(double t, bool is_upper, along *found)
{
    const double side = is_upper ? -1 : 1, d = is_upper ? 1 - t : t, u = 1 - d;
    *found = (along){.distance = d, .side = side};
    found->at[VALUE] = u * u * (1 + 2 * d);
    found->rise[VALUE] = side * -6 * d * u;
    found->at[SLOPE] = side * d * u * u;
    found->rise[SLOPE] = u * (1 - 3 * d);
    found->at[BEND] = 0.5 * d * d * u * u * u;
    found->rise[BEND] = side * 0.5 * d * u * u * (2 - 5 * d);
}

/* change[axis][corner]: of H between both other axes, along the edge of the corner towards + (J, in steps). */
static void find_changes(const qn_cell *cell, double change[3][8])
{
    for (int axis = 0; axis < 3; axis++) {
        const int entry = 3 * ((axis + 1) % 3) + (axis + 2) % 3;
        for (int corner = 0; corner < 8; corner++) {
            const qn_grid_state *lower = cell->corners[corner & ~(1 << axis)],
                                *upper = cell->corners[corner | 1 << axis];
            change[axis][corner] =
                lower && upper ? cell->step * cell->step * (upper->stiffness[entry] - lower->stiffness[entry]) : 0;
        }
    }
}

/* T at a corner from the face across an axis. The difference along an edge is T in its middle, so half of the change of
 * T along the edge is added: that of the other axis' differences between its ends. */
static double twist_of_face(double change[3][8], int axis, int corner)
{
    double sum = 0;
    for (int i = 1; i < 3; i++) {
        const int along_axis = (axis + i) % 3, other = (axis + 3 - i) % 3, bit = 1 << along_axis;
        const double half = corner & bit ? 0.5 : -0.5;
        sum += change[along_axis][corner] + half * (change[other][corner | bit] - change[other][corner & ~bit]);
    }
    return 0.5 * sum;
}

/* T of a corner at the place, and its gradient in steps. */
static double find_twist(double change[3][8], int corner, const along axes[3], double gradient[3])
{
    double of_face[3], weight[3], sum = 0, twist = 0;
    memset(gradient, 0, 3 * sizeof *gradient);
    for (int axis = 0; axis < 3; axis++) {
        of_face[axis] = twist_of_face(change, axis, corner);
        weight[axis] = axes[(axis + 1) % 3].distance * axes[(axis + 2) % 3].distance;
        sum += weight[axis];
        twist += weight[axis] * of_face[axis];
    }
    if (!(sum > 0)) return 0; /* on an edge, where sss and its gradient are 0 */
    twist /= sum;
    for (int axis = 0; axis < 3; axis++) {
        const int second = (axis + 1) % 3, third = (axis + 2) % 3;
        gradient[axis] =
            axes[axis].side *
            (axes[third].distance * (of_face[second] - twist) + axes[second].distance * (of_face[third] - twist)) / sum;
    }
    return twist;
}

/* B of a corner along an axis: H in steps, less the second derivative there of the cubic along the edge. */
static double find_bend(const qn_cell *cell, int corner, int axis)
{
    const qn_grid_state *here = cell->corners[corner], *there = cell->corners[corner ^ 1 << axis];
    const double side = corner >> axis & 1 ? -1 : 1, step = cell->step;
    if (!there) return 0;
    return step * step * here->stiffness[4 * axis] - 6 * (there->energy - here->energy) +
           side * step * (4 * here->force[axis] + 2 * there->force[axis]);
}

/* Add a term and its gradient in steps. */
static void add_term(const along axes[3], double factor, const int kinds[3], double *energy, double gradient[3])
{
    const double x = axes[0].at[kinds[0]], y = axes[1].at[kinds[1]], z = axes[2].at[kinds[2]];
    *energy += factor * x * y * z;
    gradient[0] += factor * axes[0].rise[kinds[0]] * y * z;
    gradient[1] += factor * x * axes[1].rise[kinds[1]] * z;
    gradient[2] += factor * x * y * axes[2].rise[kinds[2]];
}

static void add_corner(const qn_cell *cell, int corner, double change[3][8], const along axes[3], double *energy,
                       double gradient[3])
{
    const qn_grid_state *state = cell->corners[corner];
    double of_twist[3], sss = 1;
    const double twist = find_twist(change, corner, axes, of_twist);
    add_term(axes, state->energy, (int[3]){VALUE, VALUE, VALUE}, energy, gradient);
    add_term(axes, twist, (int[3]){SLOPE, SLOPE, SLOPE}, energy, gradient);
    for (int axis = 0; axis < 3; axis++) {
        const int next = (axis + 1) % 3;
        int kinds[3] = {VALUE, VALUE, VALUE};
        kinds[axis] = BEND;
        add_term(axes, find_bend(cell, corner, axis), kinds, energy, gradient);
        kinds[axis] = SLOPE;
        add_term(axes, cell->step * state->force[axis], kinds, energy, gradient);
        kinds[next] = SLOPE;
        add_term(axes, cell->step * cell->step * state->stiffness[3 * axis + next], kinds, energy, gradient);
        sss *= axes[axis].at[SLOPE];
    }
    for (int axis = 0; axis < 3; axis++) gradient[axis] += sss * of_twist[axis];
}

double qn_cell_energy(const qn_cell *cell, const double place[3], double force[3])
{
    double change[3][8], energy = 0;
    memset(force, 0, 3 * sizeof *force);
    find_changes(cell, change);
    for (int corner = 0; corner < 8; corner++) {
        along axes[3];
        if (!cell->corners[corner]) continue;
        for (int axis = 0; axis < 3; axis++)
            find_along(cell->is_flat[axis] ? 0 : place[axis] / cell->step - cell->index[axis], corner >> axis & 1,
                       &axes[axis]);
        add_corner(cell, corner, change, axes, &energy, force);
    }
    for (int axis = 0; axis < 3; axis++) force[axis] /= cell->step;
    return energy;
}
