/* Building lists of discs. */
#ifndef QN_DISCS_LIST_H
#define QN_DISCS_LIST_H

#include "discs/discs.h"

/* Append a disc. */
QN_MUST_CHECK qn_status qn_discs_add(qn_discs *discs, const qn_tunnel_disc *disc);

#endif
