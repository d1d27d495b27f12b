/* The maps of probes and the desolvation map of a model on one device, slab by slab; electrostatics are in
 * electrostatics.h.
 *
 * Values are rounded as maps hold them (map_text.h). They have the same bits on every device, for any slabs.
 *
 * Life cycle: create → planes, again and again → destroy. Thread rule: that of the queue.
 */
#ifndef QN_POTENTIAL_MAPS_SHORT_RANGE_H
#define QN_POTENTIAL_MAPS_SHORT_RANGE_H

#include <quern/family.h>

#include "base/thread_pool.h"
#include "potential/maps/model.h"

typedef struct qn_short_range qn_short_range;

enum { QN_SHORT_RANGE_BRICK = 8 }; /* slabs begin at multiples of it */

typedef struct qn_short_range_input {
    const qn_potential_model *model;       /* must live as long */
    int planes_max;                        /* most planes that are computed at a time */
    qn_pool *pool;                         /* makes lists of atoms; NULL: the calling thread does */
    const qn_configuration *configuration; /* of every launch; NULL: chosen as for any family */
} qn_short_range_input;

QN_MUST_CHECK qn_status qn_short_range_create(qn_queue *queue, const qn_short_range_input *input,
                                              qn_short_range **short_range);
void qn_short_range_destroy(qn_short_range **short_range);

/* Compute planes first … first + count − 1, and read the map of each probe, and then that of desolvation, into `maps`:
 * probe_count + 1 places of count × points[1] × points[0] values. `first` is a multiple of QN_SHORT_RANGE_BRICK. The
 * queue must be finished before the next call and before values are read. The map of a covalent probe is not written.
 * QN_UNSUPPORTED: the lists of atoms are too long. */
QN_MUST_CHECK qn_status qn_short_range_planes(qn_short_range *short_range, int first, int count, float *const *maps);

/* The parts of qn_short_range_planes, for timing: make the lists; launch the kernel for the first 14 probes at most;
 * `work` of this launch. The buffers have the probes' maps and that of desolvation. */
QN_MUST_CHECK qn_status qn_short_range_prepare(qn_short_range *short_range, int first, int count);
QN_MUST_CHECK qn_status qn_short_range_run(qn_short_range *short_range, const qn_configuration *configuration,
                                           qn_event **event);
void qn_short_range_outputs(const qn_short_range *short_range, qn_buffer **values, qn_buffer **charges);
void qn_short_range_work(const qn_short_range *short_range, qn_work *least);

#endif
