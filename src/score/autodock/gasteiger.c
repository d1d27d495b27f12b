#include "score/autodock/gasteiger.h"

#include "base/error.h"
#include "base/memory.h"

enum { STEPS = 6 };

typedef struct orbital {
    double a, b, c; /* eV, eV/e, eV/e² */
} orbital;

/* H, C, N, O, halogens and divalent sulfur: table 1 of the paper. Other states of sulfur, and phosphorus, silicon and
 * boron: later values of the same authors, as RDKit (BSD 3-clause licence) lists them. */
static const orbital orbitals[QN_GASTEIGER_NONE] = {
    [QN_GASTEIGER_H] = {7.17, 6.24, -0.56},     [QN_GASTEIGER_C_3] = {7.98, 9.18, 1.88},
    [QN_GASTEIGER_C_2] = {8.79, 9.32, 1.51},    [QN_GASTEIGER_C_1] = {10.39, 9.45, 0.73},
    [QN_GASTEIGER_N_3] = {11.54, 10.82, 1.36},  [QN_GASTEIGER_N_2] = {12.87, 11.15, 0.85},
    [QN_GASTEIGER_N_1] = {15.68, 11.70, -0.27}, [QN_GASTEIGER_O_3] = {14.18, 12.92, 1.39},
    [QN_GASTEIGER_O_2] = {17.07, 13.79, 0.47},  [QN_GASTEIGER_F] = {14.66, 13.85, 2.31},
    [QN_GASTEIGER_CL] = {11.00, 9.69, 1.35},    [QN_GASTEIGER_BR] = {10.08, 8.47, 1.16},
    [QN_GASTEIGER_I] = {9.90, 7.96, 0.96},      [QN_GASTEIGER_S_3] = {10.14, 9.13, 1.38},
    [QN_GASTEIGER_S_2] = {10.88, 9.49, 1.33},   [QN_GASTEIGER_P] = {8.90, 8.24, 0.96},
    [QN_GASTEIGER_SI] = {7.30, 6.567, 0.657},   [QN_GASTEIGER_B] = {6.42, 6.807, 1.322},
};

static double electronegativity(qn_gasteiger_kind kind, double charge_e)
{
    const orbital *o = &orbitals[kind];
    return o->a + o->b * charge_e + o->c * charge_e * charge_e;
}

/* Electronegativity of the cation. For hydrogen, whose cation has no electron, the paper states 20.02 eV. */
static double of_cation(qn_gasteiger_kind kind)
{
    const orbital *o = &orbitals[kind];
    return kind == QN_GASTEIGER_H ? 20.02 : o->a + o->b + o->c;
}

/* Charge that a bond would move to its first atom without damping. */
static double moved_charge(qn_gasteiger_kind first, double first_charge_e, qn_gasteiger_kind second,
                           double second_charge_e)
{
    double difference = electronegativity(second, second_charge_e) - electronegativity(first, first_charge_e);
    return difference / of_cation(difference > 0 ? first : second);
}

static void step(const qn_gasteiger_bond *bonds, size_t bond_count, qn_gasteiger_atom *atoms, size_t atom_count,
                 double damping, double *change)
{
    for (size_t i = 0; i < atom_count; i++) change[i] = 0;
    for (size_t i = 0; i < bond_count; i++) {
        const qn_gasteiger_atom *a = &atoms[bonds[i].first], *b = &atoms[bonds[i].second];
        if (a->kind == QN_GASTEIGER_NONE || b->kind == QN_GASTEIGER_NONE) continue;
        double moved = damping * moved_charge(a->kind, a->charge_e, b->kind, b->charge_e);
        change[bonds[i].first] += moved;
        change[bonds[i].second] -= moved;
    }
    for (size_t i = 0; i < atom_count; i++) {
        qn_gasteiger_atom *atom = &atoms[i];
        if (atom->hydrogens > 0 && atom->kind != QN_GASTEIGER_NONE) {
            double moved = damping * moved_charge(QN_GASTEIGER_H, atom->hydrogen_charge_e, atom->kind, atom->charge_e);
            atom->hydrogen_charge_e += moved;
            change[i] -= moved * atom->hydrogens;
        }
        atom->charge_e += change[i];
    }
}

qn_status qn_gasteiger_charges(const qn_gasteiger_bond *bonds, size_t bond_count, qn_gasteiger_atom *atoms,
                               size_t atom_count)
{
    double *change = NULL, damping = 1;
    QN_TRY(qn_allocate(atom_count, sizeof *change, (void **)&change));
    for (int n = 1; n <= STEPS; n++) step(bonds, bond_count, atoms, atom_count, damping *= 0.5, change);
    qn_release(&change);
    return QN_OK;
}
