/* Where the centroids of ligands are searched for. */
#ifndef QN_SCREEN_BOX_H
#define QN_SCREEN_BOX_H

#include <quern/screen.h>

#include "score/receptor.h"

/* From one of options->box_side_angstrom, site and pocket. QN_INVALID_ARGUMENT when none or several are given, for
 * sides that are not 1 to 200 Å, for a box that no atom of the receptor is near, for residues that are malformed;
 * QN_NOT_FOUND for residues that are not there; QN_BAD_FORMAT for a site without positions; QN_UNSUPPORTED for a pocket
 * of a receptor whose file names no residues. */
QN_MUST_CHECK qn_status qn_screen_box_find(const qn_screen_options *options, const qn_score_receptor *receptor,
                                           double centre_angstrom[3], double side_angstrom[3]);

/* Heavy atoms of the ligand in a site's file, count × 3 (Å): SDF, MOL2, PDBQT, PDB or mmCIF; of a whole complex those
 * of its hetero residues. Released with qn_release. QN_NOT_FOUND; QN_BAD_FORMAT: no heavy atoms, a flat drawing. */
QN_MUST_CHECK qn_status qn_screen_site_read(const char *path, double **positions_angstrom, size_t *count);

#endif
