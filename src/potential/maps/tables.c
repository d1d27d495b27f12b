#include "potential/maps/tables.h"

#include <math.h>
#include <string.h>

static double whole_power(double base, int power)
{
    double result = 1;
    for (int i = 0; i < power; i++) result *= base;
    return result;
}

qn_potential_pair qn_potential_pair_with_well(double distance_angstrom, double depth, int m, int n)
{
    const double scale = depth / (m - n);
    return (qn_potential_pair){.repulsion = scale * whole_power(distance_angstrom, m) * n,
                               .attraction = scale * whole_power(distance_angstrom, n) * m,
                               .repulsion_power = m,
                               .attraction_power = n};
}

qn_potential_pair qn_potential_pair_of(const qn_potential_parameters *parameters, int receptor_type, int probe_type)
{
    const qn_potential_type *one = &parameters->types[receptor_type], *other = &parameters->types[probe_type];
    const qn_potential_type *acceptor = qn_potential_is_acceptor(one->role) ? one : other;
    const bool is_bond = (qn_potential_is_donor(one->role) && qn_potential_is_acceptor(other->role)) ||
                         (qn_potential_is_acceptor(one->role) && qn_potential_is_donor(other->role));
    if (!is_bond)
        return qn_potential_pair_with_well((one->diameter_angstrom + other->diameter_angstrom) / 2,
                                           sqrt(one->depth * other->depth), 12, 6);
    qn_potential_pair pair = qn_potential_pair_with_well(acceptor->bond_length_angstrom, acceptor->bond_depth, 12, 10);
    pair.is_bond = true;
    return pair;
}

static void smooth(double smooth_angstrom, double energies[QN_POTENTIAL_ENTRIES])
{
    double sharp[QN_POTENTIAL_ENTRIES];
    const int reach = (int)(smooth_angstrom / 2 * QN_POTENTIAL_ENTRIES_PER_ANGSTROM);
    memcpy(sharp, energies, sizeof sharp);
    for (int i = 0; i < QN_POTENTIAL_ENTRIES; i++) {
        const int first = i > reach ? i - reach : 0;
        const int end = i + reach < QN_POTENTIAL_ENTRIES ? i + reach + 1 : QN_POTENTIAL_ENTRIES;
        for (int k = first; k < end; k++) energies[i] = fmin(energies[i], sharp[k]);
    }
}

void qn_potential_pair_table(const qn_potential_pair *pair, double smooth_angstrom,
                             double energies[QN_POTENTIAL_ENTRIES])
{
    for (int i = 1; i < QN_POTENTIAL_ENTRIES; i++) {
        const double r = (double)i / QN_POTENTIAL_ENTRIES_PER_ANGSTROM;
        energies[i] = fmin(QN_POTENTIAL_CLAMP, pair->repulsion / whole_power(r, pair->repulsion_power) -
                                                   pair->attraction / whole_power(r, pair->attraction_power));
    }
    energies[0] = QN_POTENTIAL_CLAMP;
    energies[QN_POTENTIAL_ENTRIES - 1] = 0;
    if (smooth_angstrom > 0) smooth(smooth_angstrom, energies);
}

void qn_potential_desolvation_table(double weight, double values[QN_POTENTIAL_ENTRIES])
{
    static const double sigma_angstrom = 3.6;
    values[0] = 0;
    for (int i = 1; i < QN_POTENTIAL_ENTRIES; i++) {
        const double r = (double)i / QN_POTENTIAL_ENTRIES_PER_ANGSTROM;
        values[i] = weight * exp(-r * r / (2 * sigma_angstrom * sigma_angstrom));
    }
}

void qn_potential_dielectric_table(double values[QN_POTENTIAL_DIELECTRIC_ENTRIES])
{
    static const double a = -8.5525, b = 86.9525, k = 7.7839, lambda = 0.003627;
    values[0] = 1;
    for (int i = 1; i < QN_POTENTIAL_DIELECTRIC_ENTRIES; i++) {
        const double r = (double)i / QN_POTENTIAL_ENTRIES_PER_ANGSTROM;
        values[i] = a + b / (1 + k * exp(-lambda * b * r));
    }
}

double qn_potential_entry_limit(int n)
{
    const double r = (double)n / QN_POTENTIAL_ENTRIES_PER_ANGSTROM;
    double square = r * r;
    for (int i = 0; i < 8 && square > 0; i++) square = nextafter(square, 0);
    while ((int)(sqrt(square) * QN_POTENTIAL_ENTRIES_PER_ANGSTROM) < n) square = nextafter(square, INFINITY);
    return square;
}
