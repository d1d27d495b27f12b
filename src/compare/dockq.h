/* DockQ and the CAPRI class, computed from Fnat, i-RMSD and L-RMSD. */
#ifndef QN_COMPARE_DOCKQ_H
#define QN_COMPARE_DOCKQ_H

#include "compare/complex_quality.h"

/* DockQ: Basu & Wallner 2016, PLoS ONE 11, e0161879, equations 1 and 2, d1 = 8.5 Å for L-RMSD, d2 = 1.5 Å for i-RMSD.
 */
double qn_dockq(double fnat, double interface_rmsd_angstrom, double ligand_rmsd_angstrom);

/* CAPRI class. High and medium: Lensink, Méndez & Wodak 2007, Proteins 69, 704, table I. Incorrect: Fnat < 0.1, or
 * L-RMSD > 10 Å and i-RMSD > 4 Å, as the program of the authors of DockQ counts (its version 1, function capri_class),
 * which was fitted to the assessors' classes; the rest is acceptable. The table of 2007 alone calls every model with
 * Fnat ≥ 0.3 acceptable, however large its RMSDs are; docking programs are not counted that way. */
qn_capri_class qn_capri_classify(double fnat, double interface_rmsd_angstrom, double ligand_rmsd_angstrom);

#endif
