/* dRMSD by products of distances, |a|² + |b|² − 2 a·b, on a device: half the operations of drmsd, and less exact. For
 * each tile, after `near` was filled with zeros:
 *
 *     qn_drmsd_pack(rows), qn_drmsd_pack(columns)
 *     for each slice of the pairs of atoms:
 *         qn_drmsd_measure(rows), qn_drmsd_measure(columns)
 *         qn_drmsd_centre(rows), qn_drmsd_centre(columns), qn_drmsd_multiply
 *     qn_drmsd_repeat, unless near[0] exceeds the room for pairs: then the tile is measured by drmsd
 *
 * Its reference is that of drmsd. */
#ifndef QN_CLUSTER_MEASURE_KERNELS_DRMSD_PRODUCTS_H
#define QN_CLUSTER_MEASURE_KERNELS_DRMSD_PRODUCTS_H

#include "cluster/measure/kernels/drmsd.h"

extern const qn_family qn_cluster_drmsd_products_family;

enum { QN_DRMSD_CENTRE, QN_DRMSD_MULTIPLY, QN_DRMSD_REPEAT };

/* A pair whose square is below this share of the sum of both norms is measured again: its relative error could exceed
 * 1e-5. */
#define QN_DRMSD_NEAR_SHARE 0.05f

/* Buffers of a tile. */
typedef struct qn_drmsd_tile {
    qn_buffer *positions[2]; /* of rows and of columns; the same buffers where they are the same structures */
    qn_buffer *distances[2]; /* of a slice, minus the centre */
    qn_buffer *norms[2];     /* qn_drmsd_norm_bytes */
    qn_buffer *values;
    qn_buffer *near; /* int32: a count, then room for near_room pairs */
    int near_room;
} qn_drmsd_tile;

size_t qn_drmsd_norm_bytes(size_t count);

/* Distances of a slice of the centre, rounded up to whole steps with zeros: bytes, and offset in the buffer of all
 * slices. */
size_t qn_drmsd_centre_bytes(int atoms);
size_t qn_drmsd_centre_offset(int slice);

/* Subtract the centre's distances from those of a slice, and add the squares to the norms. */
QN_MUST_CHECK qn_status qn_drmsd_centre(qn_queue *queue, const qn_configuration *configuration, int atoms, int count,
                                        int slice, qn_buffer *distances, qn_buffer *centre, qn_buffer *norms,
                                        qn_event **event);

/* Add the products of a slice; after the last one, values are dRMSD in Å, and pairs that are not exact are listed. */
QN_MUST_CHECK qn_status qn_drmsd_multiply(qn_queue *queue, const qn_configuration *configuration,
                                          const qn_drmsd_problem *problem, const qn_drmsd_tile *tile, qn_event **event);

/* Measure the listed pairs again. */
QN_MUST_CHECK qn_status qn_drmsd_repeat(qn_queue *queue, const qn_configuration *configuration,
                                        const qn_drmsd_problem *problem, const qn_drmsd_tile *tile, qn_buffer *weights,
                                        qn_event **event);

#endif
