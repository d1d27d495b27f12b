/* A flexible ligand held on a disc: the dragged atom, which is the origin of its tree's root, moves in the disc's
 * plane. That is exact, and takes one freedom from the ligand. Beyond the disc's radius r, ρ from its centre, the atom
 * is drawn back by 20 (ρ − r)² kcal/mol. Energies that are reported leave this out.
 *
 *     qn_disc_draw_pose(&tree, &disc, seed, stream, &pose);
 *     qn_disc_minimise(&tree, receptor, NULL, &disc, QN_FLEXIBLE_HARD, 100, &pose, &energy);
 *
 * Sources: Filipovič et al. 2019 (CaverDock), Plhák's thesis. */
#ifndef QN_TRANSPORT_BOUNDS_HOLD_H
#define QN_TRANSPORT_BOUNDS_HOLD_H

#include "flexible/energy.h"
#include "format/tunnel/tunnel_file.h"

/* The restraint's energy (kcal/mol) of an atom in the plane, and its gradient there, which lies in the plane. */
double qn_disc_restraint(const qn_tunnel_disc *disc, const double place[3], double gradient[3]);

/* Move a place into the disc's plane, along its normal. */
void qn_disc_hold(const qn_tunnel_disc *disc, double place[3]);

/* The energy that a disc adds to a pose in its plane: the restraint, with its gradient added. The gradient's part
 * along the normal is taken away, so that no step leaves the plane. */
double qn_disc_restrain(const qn_tunnel_disc *disc, const qn_flexible_pose *pose, double *gradient);

/* A pose drawn at random: the dragged atom uniform on the disc, orientation and torsions uniform. Two streams of one
 * seed give different poses. */
void qn_disc_draw_pose(const qn_flexible_tree *tree, const qn_tunnel_disc *disc, uint64_t seed, uint64_t stream,
                       qn_flexible_pose *pose);

/* Lower the bent energy with the restraint as qn_flexible_minimise does, while a round gains 0.001 kcal/mol, from a
 * pose that is moved into the plane first. *energy (NULL: not wanted) is without the restraint. near: lists for sums in
 * single precision; NULL: in double. */
void qn_disc_minimise(const qn_flexible_tree *tree, const qn_flexible_receptor *receptor, qn_receptor_near *near,
                      const qn_tunnel_disc *disc, double bend, int rounds, qn_flexible_pose *pose,
                      qn_flexible_energy *energy);

#endif
