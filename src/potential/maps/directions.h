/* Directions of hydrogen bonds: where a receptor's polar hydrogens and acceptors point.
 *
 * The receptor's atoms are bonded where they lie close to each other. Only neighbours in the order of the file are
 * considered, as AutoGrid does, because a residue's atoms follow each other.
 */
#ifndef QN_POTENTIAL_MAPS_DIRECTIONS_H
#define QN_POTENTIAL_MAPS_DIRECTIONS_H

#include "potential/maps/receptor.h"

typedef struct qn_potential_direction {
    double axis[3];   /* unit vector from the atom to where the other partner of a bond is best; 0: no direction */
    double normal[3]; /* an acceptor with two lone pairs: unit vector, normal to the plane of its lone pairs */
    int power;        /* donors: energy falls with this power of the cosine */
} qn_potential_direction;

/* `types`: index of each atom's type in `parameters`. An atom without neighbours has no direction. */
void qn_potential_directions_find(const qn_potential_receptor *receptor, const int *types,
                                  const qn_potential_parameters *parameters, qn_potential_direction *directions);

#endif
