/* BUDE's empirical free energy of a ligand and a receptor (McIntosh-Smith, Price, Sessions, Ibarra 2015): a steric
 * ramp, an electrostatic ramp and a desolvation ramp for each pair of heavy atoms.
 *
 * With r the distance (Å) and x = r − (R_i + R_j), for a ligand atom i and a receptor atom j:
 *   steric          w (1 − r / (R_i + R_j)) where x < 0;  w is the hardness, 38 in decks
 *   electrostatic   22.5 q_i q_j f(x), f falls from 1 at x ≤ 0 to 0 at L; −|…| if one of the atoms is of kind E;
 *                   L = 4 Å if both are of kind F, else 2 Å
 *   desolvation     ½ h g(x), g falls from 1 at x ≤ 0 to 0 at d; both hydrophobic potentials k < 0: h = k_i + k_j and d
 *                   the non-polar distance; of opposite signs: h = |k_i| + |k_j| and d the polar distance; both ≥ 0, or
 *                   the receptor's 0: none; the receptor's < 0 and the ligand's 0: h = k_j and d the polar distance
 */
#ifndef QN_SCORE_BUDE_H
#define QN_SCORE_BUDE_H

#include "chemistry/sybyl.h"

typedef struct qn_bude_type {
    char name[8];            /* "C.ar" */
    char kind;               /* 'F' formal charge, 'E' donor or acceptor, 'D' dipole, '-' none */
    float radius_angstrom;   /* R */
    float hydrophobic;       /* k, kJ/mol */
    float hardness;          /* w, kJ/mol */
    float nonpolar_angstrom; /* d between non-polar atoms */
    float polar_angstrom;    /* d between a non-polar and a polar one */
    float charge_e;          /* q */
} qn_bude_type;

typedef struct qn_bude_force_field {
    const char *name;
    const qn_bude_type *types;
    int type_count;
} qn_bude_force_field;

/* Find the force field "2016" (44 types, which screening uses) or "2013" (34 types). NULL: another name. */
const qn_bude_force_field *qn_bude_find(const char *name);

/* Index of the type with this name; −1: there is none. The case of letters matters: "S.O2" and "S.o2" are two types. */
int qn_bude_type_named(const qn_bude_force_field *force_field, const char *name);

/* Index of the type for a SYBYL type, or of the type "Any" if there is none; −1: a hydrogen, which has no energy.
 * `hydroxyl`: an O.3 with a hydrogen (O.3h). */
int qn_bude_type_of(const qn_bude_force_field *force_field, qn_sybyl_type type, bool hydroxyl);

/* Parameters of a pair, folded for a kernel: with r the distance,
 *   E = steric · (1 − r / radius)⁺ + charge · sat(charge_offset − r · charge_slope)
 *     + desolvation · sat(desolvation_offset − r · desolvation_slope),   sat(y) = min(1, max(0, y)). */
typedef struct qn_bude_pair {
    float radius_angstrom; /* R_i + R_j */
    float steric;
    float charge, charge_slope, charge_offset;
    float desolvation, desolvation_slope, desolvation_offset;
} qn_bude_pair;

/* Fold the pair of a ligand and a receptor type. Hardness and distances of a pair are the means of those of both types;
 * in decks they are equal for all types. */
qn_bude_pair qn_bude_pair_of(const qn_bude_type *ligand, const qn_bude_type *receptor);

/* Distance (Å) between centres beyond which no pair of types of the force field has an energy. */
double qn_bude_reach_angstrom(const qn_bude_force_field *force_field);

typedef struct qn_bude_energy {
    double total, steric, charge, desolvation;
} qn_bude_energy;

/* Compute the energy by the definition above, in double precision and pair by pair: the reference of the kernels, and
 * the terms of reported poses. Positions are n × 3 (Å); types are indices into force_field->types. */
void qn_bude_energy_of(const qn_bude_force_field *force_field, const double *ligand_positions, const int *ligand_types,
                       size_t ligand_count, const double *receptor_positions, const int *receptor_types,
                       size_t receptor_count, qn_bude_energy *energy);

#endif
