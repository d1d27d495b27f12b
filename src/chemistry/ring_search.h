/* A smallest set of smallest rings (minimum cycle basis) of a compound's graph. */
#ifndef QN_CHEMISTRY_RING_SEARCH_H
#define QN_CHEMISTRY_RING_SEARCH_H

#include "chemistry/rings.h"

/* Fill rings->rings and rings->count; sizes are in ascending order within each ring system. Time is bounded: a ring
 * system that would take more than about a second (thousands of fused rings) gives QN_UNSUPPORTED. QN_BAD_FORMAT: an
 * atom bound to itself, two bonds between the same atoms. On failure the caller clears `rings`. */
QN_MUST_CHECK qn_status qn_ring_search(const qn_compound *compound, const qn_compound_neighbours *neighbours,
                                       qn_rings *rings);

#endif
