/* AutoGrid's electrostatic map: e(p) = Σ q f(r) / max(r, 0.5 Å) over all atoms, f from a table without interpolation.
 *
 * The pair energy is split into a part S that is smooth everywhere, which is computed at nodes 1.5 Å apart and
 * interpolated, and a part D that is 0 beyond 12 Å (docs/design/potential.md). potential/maps/electrostatics.h launches
 * the kernels in turn. Lengths are in mÅ relative to the centre of the grid. */
#ifndef QN_POTENTIAL_ELECTROSTATICS_KERNELS_H
#define QN_POTENTIAL_ELECTROSTATICS_KERNELS_H

#include <quern/family.h>

enum { QN_ELECTROSTATICS_NODES, QN_ELECTROSTATICS_EXPAND, QN_ELECTROSTATICS_POINTS, QN_ELECTROSTATICS_KERNELS };

extern const qn_family qn_potential_electrostatics_family;

/* Sizes of a launch. The numbers of pairs are for its least work only; 0: unknown. */
typedef struct qn_electrostatics_problem {
    int values[3]; /* computed along the launch's axes */
    int atoms;
    double near_pairs, middle_pairs; /* pairs below 5 Å, and between 5 and 12 Å */
} qn_electrostatics_problem;

/* The potential at a point in double, summed over all pairs. positions_angstrom, point: relative to the centre of the
 * grid, as for the kernels; `screening`: f by (int)(100 r), `entries` numbers, the last one for all larger distances.
 */
double qn_electrostatics_reference(size_t atom_count, const double *positions_angstrom, const double *charges_e,
                                   const double *screening, size_t entries, const double point_angstrom[3]);

#endif
