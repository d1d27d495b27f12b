/* The rounds of gromos on a large set, with records from which a later run goes on.
 *
 * Private to this room.
 */
#ifndef QN_CLUSTER_NEIGHBOURS_ROUNDS_H
#define QN_CLUSTER_NEIGHBOURS_ROUNDS_H

#include "cluster/method/gromos.h"
#include "cluster/neighbours/search.h"

/* Find all clusters. Rows that do not fit into memory are computed anew in each round, until those that are left fit;
 * meanwhile the state is recorded from time to time. Every rank must call. */
QN_MUST_CHECK qn_status qn_rounds_find(qn_near_search *search, qn_gromos *gromos);

#endif
