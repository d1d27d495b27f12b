/* Choosing among alternate locations. */
#ifndef QN_FORMAT_STRUCTURE_ALTERNATE_H
#define QN_FORMAT_STRUCTURE_ALTERNATE_H

#include "format/structure/structure_builder.h"

/* Of the atoms of one place that are kept so far, keep one location each.
 *
 * One letter is chosen for the whole place, so that the atoms kept belong together: the one with the highest mean
 * occupancy, and the first of those that tie. Where another residue stands beside it (microheterogeneity), a residue
 * without that letter goes as a whole. An atom name that the letter lacks keeps its location of highest occupancy. */
QN_MUST_CHECK qn_status qn_choose_alternates(qn_place_atom *atoms, size_t count, size_t *dropped);

#endif
