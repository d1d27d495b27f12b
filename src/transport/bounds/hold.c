#include "transport/bounds/hold.h"

#include <math.h>
#include <string.h>

#include "discs/vector.h"
#include "math/random.h"

static const double stiffness_kcal_mol_angstrom2 = 20, pi = 3.14159265358979323846;
static const double least_fall_kcal_mol = 1e-3; /* of a round, or it is the last one */

double qn_disc_restraint(const qn_tunnel_disc *disc, const double place[3], double gradient[3])
{
    const double distance = qn_distance(place, disc->centre), beyond = fmax(0, distance - disc->radius);
    for (int d = 0; d < 3; d++)
        gradient[d] =
            beyond > 0 ? 2 * stiffness_kcal_mol_angstrom2 * beyond * (place[d] - disc->centre[d]) / distance : 0;
    return stiffness_kcal_mol_angstrom2 * beyond * beyond;
}

void qn_disc_hold(const qn_tunnel_disc *disc, double place[3])
{
    qn_advance(place, -qn_height(place, disc->centre, disc->normal), disc->normal, place);
}

void qn_disc_draw_pose(const qn_flexible_tree *tree, const qn_tunnel_disc *disc, uint64_t seed, uint64_t stream,
                       qn_flexible_pose *pose)
{
    double u[3], v[3], draws[5];
    for (uint64_t i = 0; i < 5; i++) draws[i] = qn_random_uniform(seed, stream, i);
    memset(pose, 0, sizeof *pose);
    qn_plane_axes(disc->normal, u, v);
    const double distance = disc->radius * sqrt(draws[0]), angle = 2 * pi * draws[1];
    qn_advance(disc->centre, distance * cos(angle), u, pose->place);
    qn_advance(pose->place, distance * sin(angle), v, pose->place);
    /* Uniform quaternions: Shoemake 1992. */
    const double a = sqrt(1 - draws[2]), b = sqrt(draws[2]);
    pose->rotation[0] = b * cos(2 * pi * draws[4]);
    pose->rotation[1] = a * sin(2 * pi * draws[3]);
    pose->rotation[2] = a * cos(2 * pi * draws[3]);
    pose->rotation[3] = b * sin(2 * pi * draws[4]);
    for (int k = 0; k + 1 < tree->piece_count; k++)
        pose->torsions[k] = pi * (2 * qn_random_uniform(seed, stream, 5 + (uint64_t)k) - 1);
}

double qn_disc_restrain(const qn_tunnel_disc *disc, const qn_flexible_pose *pose, double *gradient)
{
    double pull[3];
    const double value = qn_disc_restraint(disc, pose->place, pull);
    qn_advance(gradient, 1, pull, gradient);
    qn_advance(gradient, -qn_dot(gradient, disc->normal), disc->normal, gradient);
    return value;
}

static double add_disc(const qn_flexible_pose *pose, double *gradient, const void *user)
{
    return qn_disc_restrain(user, pose, gradient);
}

void qn_disc_minimise(const qn_flexible_tree *tree, const qn_flexible_receptor *receptor, qn_receptor_near *near,
                      const qn_tunnel_disc *disc, double bend, int rounds, qn_flexible_pose *pose,
                      qn_flexible_energy *energy)
{
    const qn_flexible_restraint restraint = {.add = add_disc, .user = disc, .least_fall = least_fall_kcal_mol};
    qn_disc_hold(disc, pose->place);
    qn_flexible_minimise_restrained(tree, receptor, near, &restraint, bend, rounds, pose, energy);
}
