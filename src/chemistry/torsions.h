/* Rotatable bonds of a compound and where their torsion angles like to be. */
#ifndef QN_CHEMISTRY_TORSIONS_H
#define QN_CHEMISTRY_TORSIONS_H

#include "chemistry/rings.h"
#include "model/compound.h"

/* Angles (degrees) around which a torsion is drawn, the same for every bond of a kind. */
typedef struct qn_torsion_kind {
    const char *name;
    int count;
    double minima_degrees[12];
    double spread_degrees; /* furthest from a minimum; near is likelier (a triangle) */
    bool relative;         /* angles by which the bond is turned, not those it has then */
} qn_torsion_kind;

typedef struct qn_torsion {
    int bond;
    int atom[4]; /* the bond joins atom[1] and atom[2]; the others are heavy neighbours of theirs, −1 when relative */
    const qn_torsion_kind *kind;
} qn_torsion;

/* The rotatable bonds as qn_conformers_rotatable_bonds tells them, without those that stay as they are (esters,
 * amidines). *torsions is released with qn_release. */
QN_MUST_CHECK qn_status qn_torsions_find(const qn_compound *compound, const qn_compound_neighbours *neighbours,
                                         const qn_rings *rings, qn_torsion **torsions, size_t *count);

/* Torsion angle a-b-c-d in degrees, 0 … 360, by the IUPAC sign; positions are those of all atoms. */
double qn_torsion_angle_degrees(const int atom[4], const double *positions);

#endif
