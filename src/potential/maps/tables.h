/* Tables of distance: the energy of a receptor atom and a probe, desolvation, dielectric.
 *
 * AutoGrid looks energies up without interpolation: a distance of r Å has entry (int)(100 r). Maps equal AutoGrid's
 * only if the tables have the same entries. The last entry is for all larger distances.
 */
#ifndef QN_POTENTIAL_MAPS_TABLES_H
#define QN_POTENTIAL_MAPS_TABLES_H

#include "potential/maps/parameters.h"

enum {
    QN_POTENTIAL_ENTRIES = 2048,             /* of energies and desolvation: 20.48 Å */
    QN_POTENTIAL_DIELECTRIC_ENTRIES = 16384, /* 163.84 Å */
    QN_POTENTIAL_ENTRIES_PER_ANGSTROM = 100,
    QN_POTENTIAL_CUTOFF_ANGSTROM = 8 /* of everything but electrostatics */
};

#define QN_POTENTIAL_CLAMP 100000.0 /* kcal/mol, the largest energy of a pair */

/* E(r) = repulsion / r^repulsion_power − attraction / r^attraction_power, in kcal/mol and Å. */
typedef struct qn_potential_pair {
    double repulsion, attraction;
    int repulsion_power, attraction_power;
    bool is_bond; /* a hydrogen bond: its energy depends on directions */
} qn_potential_pair;

/* 12-6, or 12-10 for a donor and an acceptor, with the weights of the terms. */
qn_potential_pair qn_potential_pair_of(const qn_potential_parameters *parameters, int receptor_type, int probe_type);

/* Powers m (repulsion) and n with the well `depth` at `distance`: repulsion ε n/(m − n) R^m, attraction ε m/(m − n)
 * R^n. */
qn_potential_pair qn_potential_pair_with_well(double distance_angstrom, double depth, int m, int n);

/* Energies clamped at QN_POTENTIAL_CLAMP, the last one 0; each is then replaced by the least one within
 * smooth_angstrom / 2. */
void qn_potential_pair_table(const qn_potential_pair *pair, double smooth_angstrom,
                             double energies[QN_POTENTIAL_ENTRIES]);

/* weight · exp(−r²/(2 σ²)), σ = 3.6 Å; entry 0 is 0. */
void qn_potential_desolvation_table(double weight, double values[QN_POTENTIAL_ENTRIES]);

/* Mehler and Solmajer 1991: ε(r) = A + B / (1 + k exp(−λ B r)); entry 0 is 1. */
void qn_potential_dielectric_table(double values[QN_POTENTIAL_DIELECTRIC_ENTRIES]);

/* Least squared distance in Å² whose entry is n, as doubles are rounded: (int)(100 √d²). */
double qn_potential_entry_limit(int n);

#endif
