/* Bond orders as whole numbers, and counts that follow from them for each atom; shared by the files that analyse a
 * compound.
 */
#ifndef QN_CHEMISTRY_BOND_ORDERS_H
#define QN_CHEMISTRY_BOND_ORDERS_H

#include "model/compound.h"

typedef struct qn_atom_bonds {
    int heavy;     /* bonds to atoms other than hydrogen and metals */
    int hydrogens; /* hydrogens bound in the file and implicit ones that it states */
    int order_sum; /* of all bonds except those to metals */
    int doubles, triples;
    bool metal;          /* the atom is a metal */
    bool drawn_aromatic; /* at least one bond of the atom is drawn aromatic in the file */
} qn_atom_bonds;

typedef struct qn_bond_orders {
    unsigned char *order;   /* per bond: 1, 2 or 3 */
    qn_atom_bonds *atoms;   /* per atom */
    bool hydrogens_present; /* the compound has its hydrogens, so an oxygen without hydrogen is deprotonated */
} qn_bond_orders;

/* Replace drawn-aromatic bonds by alternating single and double ones, in rings and in carboxylates, guanidinium and
 * similar groups that MOL2 files draw with aromatic bonds. Where the number of atoms is odd, one atom is left with
 * single bonds. QN_BAD_FORMAT: a bond of unknown order. */
QN_MUST_CHECK qn_status qn_bond_orders_find(const qn_compound *compound, const qn_compound_neighbours *neighbours,
                                            qn_bond_orders *orders);
void qn_bond_orders_clear(qn_bond_orders *orders);

/* Whether the element is a metal; bonds to metals are not counted. */
bool qn_element_is_metal(const char *element);

#endif
