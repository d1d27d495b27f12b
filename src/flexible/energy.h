/* Vina's energy of a flexible ligand and its gradient, in double precision: the reference of the kernels, and the exact
 * energies that are written.
 *
 * Pairs of the ligand with receptor and side chains below 8 Å count as inter, its own pairs as intra, and so do pairs
 * of side chains with each other and with the receptor. With the force −g on each heavy atom at x, F = Σg and T = Σ x ×
 * g over the atoms behind a torsion give its derivative a · (T − o × F), where a is the unit vector of its axis and o
 * its origin; over all atoms they give the root's: F for its place, T − o × F for a rotation vector about it.
 */
#ifndef QN_FLEXIBLE_ENERGY_H
#define QN_FLEXIBLE_ENERGY_H

#include "flexible/receptor_sum.h"
#include "flexible/tree.h"
#include "score/receptor.h"
#include "score/vina.h"

typedef struct qn_flexible_receptor qn_flexible_receptor;

/* Sort the atoms of a receptor, whose types are Vina's, for queries; it must live as long. Any threads may use one. */
QN_MUST_CHECK qn_status qn_flexible_receptor_create(const qn_score_receptor *receptor, qn_flexible_receptor **sorted);
void qn_flexible_receptor_destroy(qn_flexible_receptor **sorted);

/* Energies over v are bent: an atom's e > 0 with the receptor, and a pair's within the ligand, to e · v / (v + e). */
#define QN_FLEXIBLE_STRAIGHT 0.0 /* not bent */
#define QN_FLEXIBLE_SOFT 10.0    /* while the search walks */
#define QN_FLEXIBLE_HARD 1000.0  /* for promising poses, and as Vina reports */

/* Bent energies by what meets what (kcal/mol), as Vina prints them. */
typedef struct qn_flexible_parts {
    double ligand_receptor, ligand_sides; /* inter */
    double ligand, sides_receptor, sides; /* intra */
} qn_flexible_parts;

typedef struct qn_flexible_energy {
    qn_vina_energy inter, intra; /* terms and totals (kcal/mol), not bent, not divided by the torsion factor */
    double bent;                 /* inter + intra, bent: what is minimised */
    double inter_bent;           /* its first part */
    qn_flexible_parts parts;
} qn_flexible_energy;

/* Compute the energy of a pose. gradient (qn_flexible_freedoms; NULL: not wanted): of `bent`. */
void qn_flexible_evaluate(const qn_flexible_tree *tree, const qn_flexible_receptor *receptor,
                          const qn_flexible_pose *pose, double bend, qn_flexible_energy *energy, double *gradient);
/* The same with sums over the receptor in single precision, about 1e-5 kcal/mol off, in a fraction of the time. near:
 * lists of the tree's moving atoms, which all calls share. */
void qn_flexible_evaluate_roughly(const qn_flexible_tree *tree, const qn_flexible_receptor *receptor,
                                  qn_receptor_near *near, const qn_flexible_pose *pose, double bend,
                                  qn_flexible_energy *energy, double *gradient);

/* The bent energies of a pose as AutoDock Vina 1.2 reports them. Vina reads the energy of a pair from a table: the mean
 * of the formula at both ends of a bin of 1/32 Å² of the squared distance. It forgets pairs of the ligand with Cα and
 * Cβ of side chains that turn. */
void qn_flexible_vina_report(const qn_flexible_tree *tree, const qn_flexible_receptor *receptor,
                             const qn_flexible_pose *pose, qn_flexible_parts *parts);

/* Lower the bent energy by BFGS, Vina's way: at most `rounds` (0: (25 + n) / 3 for n heavy atoms) of a line search with
 * up to ten halvings. *energy may be NULL. */
void qn_flexible_minimise(const qn_flexible_tree *tree, const qn_flexible_receptor *receptor, double bend, int rounds,
                          qn_flexible_pose *pose, qn_flexible_energy *energy);

/* A caller's condition on a pose besides a low energy. `add` returns a value (kcal/mol) that is minimised with the bent
 * energy, and adds its gradient. It may also take from the gradient the part along directions in which the pose must
 * not move: steps are sums of gradients, so none goes there. `least_fall` (kcal/mol): a round that lowers the value by
 * less is the last one. */
typedef struct qn_flexible_restraint {
    double (*add)(const qn_flexible_pose *pose, double *gradient, const void *user);
    const void *user;
    double least_fall;
} qn_flexible_restraint;

/* qn_flexible_minimise with a restraint (NULL: none), which *energy is without; steps that are too long are shortened
 * to where a parabola has its lowest point, which takes a third less evaluations than halvings. near: as in
 * qn_flexible_evaluate_roughly; NULL: in double precision. */
void qn_flexible_minimise_restrained(const qn_flexible_tree *tree, const qn_flexible_receptor *receptor,
                                     qn_receptor_near *near, const qn_flexible_restraint *restraint, double bend,
                                     int rounds, qn_flexible_pose *pose, qn_flexible_energy *energy);

#endif
