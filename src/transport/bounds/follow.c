#include "transport/bounds/follow.h"

#include <math.h>
#include <string.h>

#include "discs/vector.h"
#include "math/rotation.h"
#include "transport/bounds/hold.h"

enum { ROUNDS = 60 };
static const double stiffness_kcal_mol_angstrom2 = 30, free_share = 0.95;
static const double least_fall_kcal_mol = 1e-3; /* of a round, or it is the last one */

typedef struct frames {
    double origins[3 * QN_FLEXIBLE_PIECES_MAX], rotations[9 * QN_FLEXIBLE_PIECES_MAX];
} frames;

static void place_atom(const qn_flexible_tree *tree, const frames *of, int atom, double place[3])
{
    const int piece = tree->piece[atom];
    qn_rotation_apply(of->rotations + 9 * piece, tree->local + 3 * atom, place);
    for (int d = 0; d < 3; d++) place[d] += of->origins[3 * piece + d];
}

static void cross(const double a[3], const double b[3], double product[3])
{
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
}

/* The reference and the target, placed once for a minimisation. */
typedef struct following {
    const qn_flexible_tree *tree;
    const qn_follow *follow;
    const qn_tunnel_disc *disc;
    frames reference, target;
} following;

/* Value and gradient of one atom at x. */
static double atom_restraint(const following *self, int atom, const double x[3], double gradient[3])
{
    const double reach = free_share * self->follow->continuity_angstrom;
    double from[3], to[3], value = 0;
    place_atom(self->tree, &self->reference, atom, from);
    const double distance = qn_distance(x, from), beyond = distance - reach;
    memset(gradient, 0, 3 * sizeof *gradient);
    if (beyond > 0) {
        value = stiffness_kcal_mol_angstrom2 * beyond * beyond;
        for (int d = 0; d < 3; d++)
            gradient[d] = 2 * stiffness_kcal_mol_angstrom2 * beyond * (x[d] - from[d]) / distance;
    }
    if (!self->follow->target) return value;
    place_atom(self->tree, &self->target, atom, to);
    for (int d = 0; d < 3; d++) {
        value += self->follow->pull * (x[d] - to[d]) * (x[d] - to[d]);
        gradient[d] += 2 * self->follow->pull * (x[d] - to[d]);
    }
    return value;
}

/* Sums of a piece: force Σg, torque Σ x × g about the origin of coordinates. */
typedef struct piece_sum {
    double force[3], torque[3];
} piece_sum;

/* Add the gradient of the pose, leaves first: a piece's sums are handed to its parent (see flexible/energy.h). */
static void gather(const qn_flexible_tree *tree, const frames *at, piece_sum *sums, double *gradient)
{
    for (int k = tree->piece_count - 1; k >= 0; k--) {
        const qn_flexible_piece *piece = &tree->pieces[k];
        double product[3], axis[3];
        cross(at->origins + 3 * k, sums[k].force, product);
        for (int d = 0; d < 3; d++) product[d] = sums[k].torque[d] - product[d];
        if (k == 0) {
            qn_advance(gradient, 1, sums[k].force, gradient);
            qn_advance(gradient + 3, 1, product, gradient + 3);
            return;
        }
        qn_rotation_apply(at->rotations + 9 * piece->parent, piece->axis, axis);
        gradient[5 + k] += qn_dot(axis, product);
        qn_advance(sums[piece->parent].force, 1, sums[k].force, sums[piece->parent].force);
        qn_advance(sums[piece->parent].torque, 1, sums[k].torque, sums[piece->parent].torque);
    }
}

static double restrain(const following *self, const qn_flexible_pose *pose, double *gradient)
{
    frames at;
    piece_sum sums[QN_FLEXIBLE_PIECES_MAX] = {0};
    double value = 0;
    qn_flexible_frames(self->tree, pose, at.origins, at.rotations);
    for (int i = 0; i < self->tree->atom_count; i++) {
        piece_sum *sum = &sums[self->tree->piece[i]];
        double x[3], pull[3], torque[3];
        place_atom(self->tree, &at, i, x);
        value += atom_restraint(self, i, x, pull);
        cross(x, pull, torque);
        qn_advance(sum->force, 1, pull, sum->force);
        qn_advance(sum->torque, 1, torque, sum->torque);
    }
    gather(self->tree, &at, sums, gradient);
    return value;
}

static void begin(const qn_flexible_tree *tree, const qn_follow *follow, following *self)
{
    self->tree = tree;
    self->follow = follow;
    qn_flexible_frames(tree, &follow->reference->pose, self->reference.origins, self->reference.rotations);
    if (follow->target) qn_flexible_frames(tree, &follow->target->pose, self->target.origins, self->target.rotations);
}

double qn_follow_restraint(const qn_flexible_tree *tree, const qn_follow *follow, const qn_flexible_pose *pose,
                           double *gradient)
{
    following self;
    begin(tree, follow, &self);
    return restrain(&self, pose, gradient);
}

static double add_both(const qn_flexible_pose *pose, double *gradient, const void *user)
{
    const following *self = user;
    const double value = restrain(self, pose, gradient);
    return value + qn_disc_restrain(self->disc, pose, gradient);
}

bool qn_disc_pose_follow(const qn_bounds_scene *scene, qn_receptor_near *near, const qn_follow *follow,
                         qn_disc_pose *pose)
{
    qn_flexible_energy energy;
    following self = {.disc = &scene->discs->discs[pose->disc]};
    const qn_flexible_restraint restraint = {.add = add_both, .user = &self, .least_fall = least_fall_kcal_mol};
    begin(scene->tree, follow, &self);
    qn_disc_hold(self.disc, pose->pose.place);
    qn_flexible_minimise_restrained(scene->tree, scene->receptor, near, &restraint, QN_FLEXIBLE_HARD, ROUNDS,
                                    &pose->pose, &energy);
    qn_disc_pose_take(&energy, pose);
    return qn_disc_pose_step(scene->tree, follow->reference, pose) <= follow->continuity_angstrom;
}
