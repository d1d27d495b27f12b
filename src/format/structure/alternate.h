/* Choosing one of several alternate locations. */
#ifndef QN_FORMAT_STRUCTURE_ALTERNATE_H
#define QN_FORMAT_STRUCTURE_ALTERNATE_H

#include "format/structure/structure_builder.h"

/* Keep one location of each kept atom of a place.
 *
 * One letter is chosen for the whole place, so that the kept atoms belong together: the letter with the highest mean
 * occupancy, or the first of equal ones. Where the place has several residues (microheterogeneity), a residue without
 * that letter is dropped completely. An atom name without the letter keeps its location of highest occupancy. */
QN_MUST_CHECK qn_status qn_choose_alternates(qn_place_atom *atoms, size_t count, size_t *dropped);

#endif
