/* Records of more than one molecule: salts, hydrates, complexes. */
#ifndef QN_CHEMISTRY_FRAGMENTS_H
#define QN_CHEMISTRY_FRAGMENTS_H

#include "model/compound.h"

/* Leave the compound's main molecule: of those with carbon, or of all where none has it, the one of most heavy atoms,
 * the first of several. Metal ions within 2.8 Å of its atoms stay with it, as a complex's do, but not alkali ions. What
 * goes is told by a property of this name, as formulas: "Cl; H2O". A compound of one molecule stays as it is. */
QN_MUST_CHECK qn_status qn_fragments_keep_main(qn_compound *compound, const char *property);

#endif
