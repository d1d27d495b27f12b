/* Finding the atoms within a radius of any atom of a set, across periodic boundaries of any shape. A grid of cells
 * covers every periodic image that can be near, so that radii beyond half a box are correct too.
 *
 * Life cycle: create for a number of atoms → mark (any number of times) → destroy. Thread rule: one thread at a time.
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

/* Add the atoms near `set` to `near`; both hold one bit per atom, 64 in a word. Distances are computed in double
 * precision. Atoms at a distance of exactly the radius are near, and so are the atoms of the set. Atoms whose
 * coordinates are not finite are near nothing. Without a box (QN_BOX_NONE) there are no images. QN_UNSUPPORTED: the
 * radius is over 16 times the thickness of the box. */
QN_MUST_CHECK qn_status qn_proximity_mark(qn_proximity *proximity, const qn_box *box, const float *positions_nm,
                                          const uint64_t *set, double radius_nm, uint64_t *near);

#endif
