/* What scoring functions ask of an atom beyond its SYBYL type: who it is bound to, and whether it carries a hydrogen.
 */
#ifndef QN_SCORE_SURROUNDINGS_H
#define QN_SCORE_SURROUNDINGS_H

#include <quern/molecule.h>

#include "chemistry/sybyl.h"

typedef struct qn_surroundings {
    int heavy;     /* atoms bound to it that are neither hydrogen nor metal */
    bool hetero;   /* one of those is no carbon */
    bool hydrogen; /* it carries one: drawn, implied or, where none are drawn or stated, by its type and charge */
    bool anion;    /* formal charge below 0 that no neighbour's balances */
    bool cation;   /* formal charge above 0, or of type N.4 */
} qn_surroundings;

/* One of each atom, from the compound's bonds. A compound that draws a hydrogen on an atom that is no carbon, or many
 * on carbons, is taken to draw all that count. */
QN_MUST_CHECK qn_status qn_surroundings_of_compound(const qn_compound *compound, const qn_sybyl_type *types,
                                                    qn_surroundings *surroundings);

/* The same from distances: atoms are bound below 1.1 times the sum of their covalent radii. A residue that draws any
 * hydrogen is taken to draw all that count. */
QN_MUST_CHECK qn_status qn_surroundings_of_molecule(const qn_molecule *molecule, const qn_sybyl_type *types,
                                                    qn_surroundings *surroundings);

#endif
