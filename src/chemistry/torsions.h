/* Rotatable bonds of a compound and the usual minima of their torsion angles. */
#ifndef QN_CHEMISTRY_TORSIONS_H
#define QN_CHEMISTRY_TORSIONS_H

#include "chemistry/rings.h"
#include "model/compound.h"

/* Angles around which a torsion is drawn at random, the same for every bond of a kind. */
typedef struct qn_torsion_kind {
    const char *name;
    int count;
    double minima_degrees[12];
    double spread_degrees; /* largest distance from a minimum; distances have a triangular distribution */
    bool relative;         /* angles are relative to the first conformer instead of absolute */
} qn_torsion_kind;

typedef struct qn_torsion {
    int bond;
    int atom[4]; /* the bond joins atom[1] and atom[2]; the others are heavy neighbours of theirs, −1 when relative */
    const qn_torsion_kind *kind;
} qn_torsion;

/* The rotatable bonds of qn_conformers_rotatable_bonds, without those that keep their angle (esters, amidines).
 * *torsions is released with qn_release. */
QN_MUST_CHECK qn_status qn_torsions_find(const qn_compound *compound, const qn_compound_neighbours *neighbours,
                                         const qn_rings *rings, qn_torsion **torsions, size_t *count);

/* Torsion angle a-b-c-d in degrees, 0 … 360, by the IUPAC sign; positions are those of all atoms. */
double qn_torsion_angle_degrees(const int atom[4], const double *positions);

#endif
