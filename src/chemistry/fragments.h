/* Records of more than one molecule: salts, hydrates, complexes. */
#ifndef QN_CHEMISTRY_FRAGMENTS_H
#define QN_CHEMISTRY_FRAGMENTS_H

#include "model/compound.h"

/* Keep only the compound's main molecule: among those with carbon, or among all where none has carbon, the first one
 * with the most heavy atoms. Metal ions within 2.8 Å of its atoms are kept too, as in a complex, but not alkali ions.
 * The removed molecules are listed in a property of this name, as formulas: "Cl; H2O". A compound of one molecule is
 * unchanged. */
QN_MUST_CHECK qn_status qn_fragments_keep_main(qn_compound *compound, const char *property);

#endif
