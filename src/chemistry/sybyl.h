/* SYBYL atom types, found from elements, bonds, rings and charges.
 *
 * Source of the types: the Tripos MOL2 format's description. Hydrogens may be missing: they matter only if the bonds
 * do not determine the type.
 */
#ifndef QN_CHEMISTRY_SYBYL_H
#define QN_CHEMISTRY_SYBYL_H

#include "model/compound.h"

typedef enum qn_sybyl_type {
    QN_SYBYL_C_3,
    QN_SYBYL_C_2,
    QN_SYBYL_C_1,
    QN_SYBYL_C_AR,
    QN_SYBYL_C_CAT,
    QN_SYBYL_N_4,
    QN_SYBYL_N_3,
    QN_SYBYL_N_2,
    QN_SYBYL_N_1,
    QN_SYBYL_N_AR,
    QN_SYBYL_N_AM,
    QN_SYBYL_N_PL3,
    QN_SYBYL_O_3,
    QN_SYBYL_O_2,
    QN_SYBYL_O_CO2,
    QN_SYBYL_O_SPC,
    QN_SYBYL_O_T3P,
    QN_SYBYL_S_3,
    QN_SYBYL_S_2,
    QN_SYBYL_S_O,
    QN_SYBYL_S_O2,
    QN_SYBYL_P_3,
    QN_SYBYL_F,
    QN_SYBYL_CL,
    QN_SYBYL_BR,
    QN_SYBYL_I,
    QN_SYBYL_H,
    QN_SYBYL_LI,
    QN_SYBYL_NA,
    QN_SYBYL_MG,
    QN_SYBYL_AL,
    QN_SYBYL_SI,
    QN_SYBYL_K,
    QN_SYBYL_CA,
    QN_SYBYL_CR_TH,
    QN_SYBYL_CR_OH,
    QN_SYBYL_MN,
    QN_SYBYL_FE,
    QN_SYBYL_CO_OH,
    QN_SYBYL_CU,
    QN_SYBYL_ZN,
    QN_SYBYL_SE,
    QN_SYBYL_MO,
    QN_SYBYL_SN,
    QN_SYBYL_B,
    QN_SYBYL_ANY,
    QN_SYBYL_TYPES
} qn_sybyl_type;

const char *qn_sybyl_name(qn_sybyl_type type); /* "C.3", "N.pl3", "Du" for ANY */

/* The type of this name, ignoring case where other programs differ ("S.o2", "C.AR"); QN_SYBYL_TYPES: unknown. */
qn_sybyl_type qn_sybyl_from_name(const char *name);

/* The type of an element that has one type only (hydrogen, halogens, phosphorus, metals); QN_SYBYL_ANY for all others.
 */
qn_sybyl_type qn_sybyl_of_element(const char *element);

/* Type of every atom. All bonds must have an order (chemistry/bonds.h). Types stated by a file are ignored.
 * QN_BAD_FORMAT names the atom whose bonds are impossible (a carbon with five). */
QN_MUST_CHECK qn_status qn_sybyl_find_types(const qn_compound *compound, qn_sybyl_type *types);

#endif
