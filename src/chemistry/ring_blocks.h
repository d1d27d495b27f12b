/* The ring systems of a graph: 2-connected blocks of bonds. */
#ifndef QN_CHEMISTRY_RING_BLOCKS_H
#define QN_CHEMISTRY_RING_BLOCKS_H

#include "model/compound.h"

typedef qn_status (*qn_ring_block_function)(const int *bonds, size_t count, void *user);

/* Call `function` for each set of bonds of which any two lie on one cycle, in linear time; bonds in no ring belong to
 * no set. QN_BAD_FORMAT: an atom bound to itself, two bonds between the same atoms. */
QN_MUST_CHECK qn_status qn_ring_blocks_each(const qn_compound *compound, const qn_compound_neighbours *neighbours,
                                            qn_ring_block_function function, void *user);

#endif
