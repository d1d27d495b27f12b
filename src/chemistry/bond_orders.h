/* Bond orders as whole numbers, and what follows from them for each atom: shared by what looks at a compound's
 * chemistry.
 */
#ifndef QN_CHEMISTRY_BOND_ORDERS_H
#define QN_CHEMISTRY_BOND_ORDERS_H

#include "model/compound.h"

typedef struct qn_atom_bonds {
    int heavy;     /* bonds to atoms that are neither hydrogen nor metal */
    int hydrogens; /* bound ones in the file and implicit ones that it states */
    int order_sum; /* of bonds to all but metals */
    int doubles, triples;
    bool metal;          /* is one */
    bool drawn_aromatic; /* at least one bond of the file is */
} qn_atom_bonds;

typedef struct qn_bond_orders {
    unsigned char *order;   /* per bond: 1, 2 or 3 */
    qn_atom_bonds *atoms;   /* per atom */
    bool hydrogens_present; /* the compound has its hydrogens: an oxygen without is deprotonated */
} qn_bond_orders;

/* Drawn-aromatic bonds are made alternating single and double ones, in rings as well as in carboxylates, guanidinium
 * and the like that MOL2 files draw so; where that does not come out even, an atom is left with single bonds.
 * QN_BAD_FORMAT: a bond of unknown order. */
QN_MUST_CHECK qn_status qn_bond_orders_find(const qn_compound *compound, const qn_compound_neighbours *neighbours,
                                            qn_bond_orders *orders);
void qn_bond_orders_clear(qn_bond_orders *orders);

/* Atoms of elements that bonds are not counted to: neither non-metals nor half-metals. */
bool qn_element_is_metal(const char *element);

#endif
