/* Which atoms lie within a radius of any of a set of atoms, through periodic boundaries of any shape: by a grid of
 * cells that looks at every image that can be near, so that radii beyond half a box are right too.
 *
 * Life cycle: create for a count of atoms → mark, again and again → destroy. Thread rule: one thread at a time.
 */
#ifndef QN_SELECTION_PROXIMITY_H
#define QN_SELECTION_PROXIMITY_H

#include <quern/status.h>
#include <stddef.h>
#include <stdint.h>

#include "model/box.h"

typedef struct qn_proximity qn_proximity;

QN_MUST_CHECK qn_status qn_proximity_create(size_t atom_count, qn_proximity **proximity);
void qn_proximity_destroy(qn_proximity **proximity);

/* `set` and `near` hold a bit an atom, 64 to a word; bits are added to `near`. Distances are in double precision, the
 * radius belongs to what is near; the atoms of the set are near themselves. Atoms whose coordinates are not finite are
 * near nothing. A box without shape: no images. */
QN_MUST_CHECK qn_status qn_proximity_mark(qn_proximity *proximity, const qn_box *box, const float *positions_nm,
                                          const uint64_t *set, double radius_nm, uint64_t *near);

#endif
