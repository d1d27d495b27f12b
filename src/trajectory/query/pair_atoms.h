/* The atoms of a query's frame, in the form that src/pairs takes. */
#ifndef QN_TRAJECTORY_QUERY_PAIR_ATOMS_H
#define QN_TRAJECTORY_QUERY_PAIR_ATOMS_H

#include <quern/query.h>

#include "pairs/pair_counts.h"

static inline qn_pair_atoms qn_query_pair_atoms(const qn_query_frame *frame)
{
    return (qn_pair_atoms){.frame = frame->frame,
                           .topology = frame->topology,
                           .atoms = {frame->atoms[0], frame->atoms[1]},
                           .atom_count = {frame->atom_count[0], frame->atom_count[1]}};
}

#endif
