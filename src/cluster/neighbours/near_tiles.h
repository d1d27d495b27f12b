/* Bits of pairs of structures whose RMSD is within a cut-off, tile by tile on one device. Pairs that the kernel leaves
 * in doubt are decided in double on the threads of the host, so that every bit is exact.
 *
 *     create → rows, columns → (start → finish) … → destroy
 *
 * Two tiles may be under way, in slots 0 and 1: one is computed while the host works on the other. Thread rule: one
 * thread at a time for each session.
 */
#ifndef QN_CLUSTER_NEIGHBOURS_NEAR_TILES_H
#define QN_CLUSTER_NEIGHBOURS_NEAR_TILES_H

#include <quern/queue.h>

#include "cluster/measure/measure.h"
#include "cluster/measure/superposed.h"

/* Which pairs are neighbours. A structure is always its own neighbour. */
typedef struct qn_near_rule {
    double cutoff_angstrom;
    bool at_most; /* a pair at the cut-off is near; else only pairs below it */
} qn_near_rule;

typedef struct qn_near_session qn_near_session;

/* `set` is borrowed; `most_pairs` is the largest tile, as rows × columns with columns rounded up to 32. */
QN_MUST_CHECK qn_status qn_near_session_create(qn_device *device, const qn_superposed *set, const qn_near_rule *rule,
                                               qn_pool *pool, size_t most_pairs, qn_near_session **session);
void qn_near_session_destroy(qn_near_session **session);

/* Put the structures indices[0] … indices[count − 1] on the device as the rows of later tiles; NULL: all of the set.
 * The indices are borrowed until other rows replace them. No tile may be under way. */
QN_MUST_CHECK qn_status qn_near_session_rows(qn_near_session *session, const uint32_t *indices, size_t count);

/* Use the rows of `other`, a session of the same device and set whose rows are all structures, without a copy. */
void qn_near_session_share_rows(qn_near_session *session, const qn_near_session *other);

/* The columns; NULL: the same structures as the rows. */
QN_MUST_CHECK qn_status qn_near_session_columns(qn_near_session *session, const uint32_t *indices, size_t count);

/* Queue a tile of the rows and columns; both ranges begin at multiples of 4 and have at most 65536. */
QN_MUST_CHECK qn_status qn_near_session_start(qn_near_session *session, int slot, qn_measure_range rows,
                                              qn_measure_range columns);

/* Wait for the tile of a slot. bits: [rows][⌈columns / 32⌉], rows `stride` words apart. Bits beyond the columns are 0.
 */
QN_MUST_CHECK qn_status qn_near_session_finish(qn_near_session *session, int slot, uint32_t *bits, size_t stride);

#endif
