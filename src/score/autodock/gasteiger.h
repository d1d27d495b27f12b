/* Partial charges by the equalisation of orbital electronegativities (Gasteiger and Marsili 1980, Tetrahedron 36,
 * 3219).
 *
 * The electronegativity of an atom with charge q is χ(q) = a + b q + c q². In step n, every bond moves the charge
 * 2⁻ⁿ (χ_j − χ_i) / χ⁺ from its less electronegative atom i to the other one, j, where χ⁺ = a + b + c is the
 * electronegativity of the cation of i (20.02 eV for hydrogen). All bonds act at once; after six steps a charge changes
 * by less than 1 % of its first change.
 */
#ifndef QN_SCORE_AUTODOCK_GASTEIGER_H
#define QN_SCORE_AUTODOCK_GASTEIGER_H

#include <quern/status.h>
#include <stddef.h>

/* Element and hybridisation: rows of the parameters. */
typedef enum qn_gasteiger_kind {
    QN_GASTEIGER_H,
    QN_GASTEIGER_C_3,
    QN_GASTEIGER_C_2,
    QN_GASTEIGER_C_1,
    QN_GASTEIGER_N_3,
    QN_GASTEIGER_N_2,
    QN_GASTEIGER_N_1,
    QN_GASTEIGER_O_3,
    QN_GASTEIGER_O_2,
    QN_GASTEIGER_F,
    QN_GASTEIGER_CL,
    QN_GASTEIGER_BR,
    QN_GASTEIGER_I,
    QN_GASTEIGER_S_3,
    QN_GASTEIGER_S_2,
    QN_GASTEIGER_P,
    QN_GASTEIGER_SI,
    QN_GASTEIGER_B,
    QN_GASTEIGER_NONE /* keeps its formal charge, and its bonds move no charge */
} qn_gasteiger_kind;

/* An atom that is not a hydrogen, with its hydrogens. All hydrogens of an atom have the same charge. */
typedef struct qn_gasteiger_atom {
    qn_gasteiger_kind kind;
    int hydrogens;
    double charge_e;          /* before: the formal charge */
    double hydrogen_charge_e; /* of each hydrogen; before: 0 */
} qn_gasteiger_atom;

typedef struct qn_gasteiger_bond {
    int first, second; /* atoms */
} qn_gasteiger_bond;

/* Turn formal charges into partial charges, whose sum is the same. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_gasteiger_charges(const qn_gasteiger_bond *bonds, size_t bond_count,
                                             qn_gasteiger_atom *atoms, size_t atom_count);

#endif
