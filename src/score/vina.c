#include "score/vina.h"

#include <math.h>

#include "score/vina_rows.h"

/* Radii of X-Score, as Vina uses them. Boron, which has no radius there, gets that of a polar carbon, selenium that of
 * sulfur. */
static const qn_vina_atom_type type_table[QN_VINA_ROWS] = {
    [C_H] = {1.9f, true, false, false},  [C_P] = {1.9f, false, false, false},  [N_P] = {1.8f, false, false, false},
    [N_D] = {1.8f, false, true, false},  [N_A] = {1.8f, false, false, true},   [N_DA] = {1.8f, false, true, true},
    [O_P] = {1.7f, false, false, false}, [O_D] = {1.7f, false, true, false},   [O_A] = {1.7f, false, false, true},
    [O_DA] = {1.7f, false, true, true},  [S_P] = {2.0f, false, false, false},  [P_P] = {2.1f, false, false, false},
    [F_H] = {1.5f, true, false, false},  [CL_H] = {1.8f, true, false, false},  [BR_H] = {2.0f, true, false, false},
    [I_H] = {2.2f, true, false, false},  [SI_P] = {2.2f, false, false, false}, [METAL] = {1.2f, false, true, false},
};
_Static_assert((int)QN_VINA_ROWS <= (int)QN_VINA_TYPES, "kernels have room for all types");

const qn_vina_atom_type *qn_vina_type_table(int *count)
{
    *count = QN_VINA_ROWS;
    return type_table;
}

static bool may_coordinate(int row)
{
    return (row >= N_P && row <= S_P) || (row >= F_H && row <= I_H);
}

bool qn_vina_coordinates(int a, int b)
{
    return (a == METAL && may_coordinate(b)) || (b == METAL && may_coordinate(a));
}

/* 1 up to `good`, 0 from `bad` on, linear in between. */
static double ramp(double value, double good, double bad)
{
    return fmin(1, fmax(0, (bad - value) / (bad - good)));
}

/* The derivative of ramp. */
static double ramp_slope(double value, double good, double bad)
{
    return value > good && value < bad ? -1 / (bad - good) : 0;
}

double qn_vina_add_pair(int row_a, int row_b, double r, qn_vina_energy *energy, double *slope)
{
    const qn_vina_atom_type *a = &type_table[row_a], *b = &type_table[row_b];
    const double d = r - ((double)a->radius_angstrom + b->radius_angstrom);
    const double gauss1 = QN_VINA_GAUSS1 * exp(-(d / 0.5) * (d / 0.5));
    const double gauss2 = QN_VINA_GAUSS2 * exp(-((d - 3) / 2) * ((d - 3) / 2));
    double sum = gauss1 + gauss2;
    *slope = -8 * d * gauss1 - (d - 3) / 2 * gauss2;
    energy->gauss1 += gauss1;
    energy->gauss2 += gauss2;
    if (d < 0) {
        energy->repulsion += QN_VINA_REPULSION * d * d;
        sum += QN_VINA_REPULSION * d * d;
        *slope += 2 * QN_VINA_REPULSION * d;
    }
    if (a->hydrophobic && b->hydrophobic) {
        energy->hydrophobic += QN_VINA_HYDROPHOBIC * ramp(d, 0.5, 1.5);
        sum += QN_VINA_HYDROPHOBIC * ramp(d, 0.5, 1.5);
        *slope += QN_VINA_HYDROPHOBIC * ramp_slope(d, 0.5, 1.5);
    }
    if ((a->donor && b->acceptor) || (a->acceptor && b->donor)) {
        energy->hydrogen_bond += QN_VINA_HYDROGEN_BOND * ramp(d, -0.7, 0);
        sum += QN_VINA_HYDROGEN_BOND * ramp(d, -0.7, 0);
        *slope += QN_VINA_HYDROGEN_BOND * ramp_slope(d, -0.7, 0);
    }
    return sum;
}

void qn_vina_energy_of(const double *ligand_positions, const int *ligand_types, size_t ligand_count,
                       double rotatable_bonds, const double *receptor_positions, const int *receptor_types,
                       size_t receptor_count, qn_vina_energy *energy)
{
    double slope;
    *energy = (qn_vina_energy){0};
    for (size_t i = 0; i < ligand_count; i++) {
        const double *a = ligand_positions + 3 * i;
        for (size_t j = 0; j < receptor_count; j++) {
            const double *b = receptor_positions + 3 * j;
            double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2], square = x * x + y * y + z * z;
            if (square >= QN_VINA_CUTOFF_ANGSTROM * QN_VINA_CUTOFF_ANGSTROM) continue;
            qn_vina_add_pair(ligand_types[i], receptor_types[j], sqrt(square), energy, &slope);
        }
    }
    energy->total =
        (energy->gauss1 + energy->gauss2 + energy->repulsion + energy->hydrophobic + energy->hydrogen_bond) /
        (1 + QN_VINA_TORSION * rotatable_bonds);
}
