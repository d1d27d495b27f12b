/* The search box: the centroids of ligands stay inside it. */
#ifndef QN_SCREEN_BOX_H
#define QN_SCREEN_BOX_H

#include <quern/screen.h>

#include "score/receptor.h"

/* Find the box from one of options->box_side_angstrom, site, site_content and pocket. QN_INVALID_ARGUMENT: none or
 * several of these are given, a side is not 1 to 200 Å, no atom of the receptor is within 15 Å of the box, the text of
 * the residues is malformed. QN_NOT_FOUND: a residue or a file does not exist. QN_BAD_FORMAT: a site without positions.
 * QN_UNSUPPORTED: a pocket of a receptor whose file names no residues. */
QN_MUST_CHECK qn_status qn_screen_box_find(const qn_screen_options *options, const qn_score_receptor *receptor,
                                           double centre_angstrom[3], double side_angstrom[3]);

/* Whether the options give a ligand in the site, as a file or in memory. */
static inline bool qn_screen_has_site(const qn_screen_options *options)
{
    return options->site != NULL || options->site_content != NULL;
}

/* Read the heavy atoms of the ligand in the site, count × 3 (Å). A file is SDF, MOL2, PDBQT, PDB or mmCIF; from a file
 * with hetero residues, such as a whole complex, only their atoms are read. Content in memory is SDF, MOL2 or PDBQT.
 * *positions_angstrom is released with qn_release. QN_NOT_FOUND: no such file. QN_BAD_FORMAT: no heavy atoms, or a flat
 * drawing. */
QN_MUST_CHECK qn_status qn_screen_site_read(const qn_screen_options *options, double **positions_angstrom,
                                            size_t *count);

#endif
