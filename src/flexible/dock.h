/* Results of docking one flexible molecule: poses with the energies that are reported. */
#ifndef QN_FLEXIBLE_DOCK_H
#define QN_FLEXIBLE_DOCK_H

#include "flexible/energy.h"

typedef struct qn_flexible_result {
    qn_flexible_pose pose;
    double inter, intra;       /* bent hard (kcal/mol) */
    double torsional, unbound; /* what division by 1 + 0.05846 N adds; minus the internal energy of the best pose */
    double energy;             /* the sum of these four */
} qn_flexible_result;

/* Report a pose, whose inter and intra are known: energy = (inter + intra − unbound_intra) / (1 + 0.05846 N). */
void qn_flexible_result_finish(const qn_flexible_tree *tree, double unbound_intra, qn_flexible_result *result);

/* Score the given pose alone. `as_vina`: with the bins of Vina's table. */
void qn_flexible_score_given(const qn_flexible_tree *tree, const qn_flexible_receptor *receptor, bool as_vina,
                             qn_flexible_result *result);

/* Minimise a pose until its energy falls no more. */
void qn_flexible_converge(const qn_flexible_tree *tree, const qn_flexible_receptor *receptor, qn_flexible_pose *pose,
                          qn_flexible_energy *energy);

/* Minimise from the given pose, to convergence. */
void qn_flexible_minimise_given(const qn_flexible_tree *tree, const qn_flexible_receptor *receptor,
                                qn_flexible_result *result);

#endif
