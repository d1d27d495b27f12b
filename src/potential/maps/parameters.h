/* AutoDock 4's atom types: van der Waals, hydrogen bond and desolvation parameters, and the weights of the terms.
 *
 * Source: Huey, Morris, Olson and Goodsell 2007, J. Comput. Chem. 28, 1145, and the values that AutoGrid 4.2.6 prints.
 *
 * Life cycle: qn_potential_parameters_start → read, find → clear. Thread rule: any threads may read parameters that no
 * thread changes.
 */
#ifndef QN_POTENTIAL_MAPS_PARAMETERS_H
#define QN_POTENTIAL_MAPS_PARAMETERS_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>

enum { QN_POTENTIAL_NAME_MAX = 8 };

/* Role in hydrogen bonds, as parameter files number it. */
typedef enum qn_potential_role {
    QN_POTENTIAL_NO_BOND = 0,
    QN_POTENTIAL_DONOR_SPHERICAL = 1,    /* HS */
    QN_POTENTIAL_DONOR = 2,              /* HD: one direction */
    QN_POTENTIAL_ACCEPTOR_SPHERICAL = 3, /* NS, OS */
    QN_POTENTIAL_ACCEPTOR_ONE = 4,       /* NA: one direction */
    QN_POTENTIAL_ACCEPTOR_TWO = 5        /* OA, SA: two lone pairs */
} qn_potential_role;

static inline bool qn_potential_is_donor(qn_potential_role role)
{
    return role == QN_POTENTIAL_DONOR || role == QN_POTENTIAL_DONOR_SPHERICAL;
}

static inline bool qn_potential_is_acceptor(qn_potential_role role)
{
    return role >= QN_POTENTIAL_ACCEPTOR_SPHERICAL;
}

typedef struct qn_potential_type {
    char name[QN_POTENTIAL_NAME_MAX];
    double diameter_angstrom;    /* of the van der Waals well of two atoms of this type */
    double depth;                /* of this well in kcal/mol, weighted */
    double volume_angstrom3;     /* that the atom keeps free of solvent */
    double solvation;            /* kcal/mol/Å³ */
    double bond_length_angstrom; /* of a hydrogen bond to this acceptor, 0: none */
    double bond_depth;           /* of this bond in kcal/mol, weighted */
    qn_potential_role role;
} qn_potential_type;

/* A file's weights of wells and bonds apply to the types that follow in the file, those of the other terms to all. */
typedef struct qn_potential_parameters {
    double van_der_waals_weight, bond_weight, electrostatic_weight, desolvation_weight;
    qn_potential_type *types;
    size_t type_count, capacity;
} qn_potential_parameters;

/* Begin with AutoGrid 4.2.6's built-in table. `parameters` is zero-initialised. */
QN_MUST_CHECK qn_status qn_potential_parameters_start(qn_potential_parameters *parameters);
void qn_potential_parameters_clear(qn_potential_parameters *parameters);

/* Read a file in the format of AD4.1_bound.dat: types of the file replace those of the same name or are added. Errors
 * name file, line and what was expected: QN_NOT_FOUND, QN_IO_ERROR, QN_BAD_FORMAT. */
QN_MUST_CHECK qn_status qn_potential_parameters_read(const char *path, qn_potential_parameters *parameters);

/* Index of a type by its exact name; −1: none. */
int qn_potential_type_find(const qn_potential_parameters *parameters, const char *name, size_t length);

#endif
