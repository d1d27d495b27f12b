/* Count, in double precision and by brute force, the pairs of atoms so close to an edge between bins that single
 * precision may put them on its other side. Cumulative counts of a distance histogram may differ by this number. */
#ifndef QN_PAIRS_NEAR_PAIRS_H
#define QN_PAIRS_NEAR_PAIRS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <quern/frame.h>

#include "base/thread_pool.h"
#include "model/box.h"

typedef struct near_pairs {
    const uint32_t *atoms[2]; /* the second NULL: unordered pairs within the first */
    size_t counts[2];
    double width_nm;
    int bins;
    const qn_trajectory_frame *frame; /* this and the members below belong to the current count */
    qn_box box;                       /* QN_BOX_NONE: distances without images */
    double epsilon_nm;
    uint64_t *near; /* [threads][bins + 1] */
} near_pairs;

/* 4 · 2⁻²⁴ · the largest coordinate or edge of the box. */
static inline double near_pairs_epsilon(const near_pairs *pairs)
{
    double largest = 0;
    for (int which = 0; which < 2; which++)
        for (size_t i = 0; i < pairs->counts[which]; i++)
            for (int axis = 0; axis < 3; axis++)
                largest =
                    fmax(largest, fabs((double)pairs->frame->positions_nm[3 * (size_t)pairs->atoms[which][i] + axis]));
    for (int row = 0; row < 3 && pairs->box.shape != QN_BOX_NONE; row++) {
        const double *v = pairs->box.vectors_nm[row];
        largest = fmax(largest, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
    return 4.0 / (1 << 24) * largest;
}

static inline double near_pairs_distance(const qn_box *box, const float *from, const float *to)
{
    double d[3] = {(double)to[0] - from[0], (double)to[1] - from[1], (double)to[2] - from[2]};
    if (box->shape == QN_BOX_TRICLINIC) {
        const double zero[3] = {0}, end[3] = {d[0], d[1], d[2]};
        qn_box_displacement(box, zero, end, d);
    } else if (box->shape == QN_BOX_ORTHORHOMBIC) {
        for (int axis = 0; axis < 3; axis++)
            d[axis] -= box->vectors_nm[axis][axis] * rint(d[axis] * box->inverse[axis][axis]);
    }
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* Count the pairs of one atom of the first set. */
static inline qn_status near_pairs_of_atom(size_t index, int worker, void *user)
{
    const near_pairs *pairs = user;
    const int second = pairs->atoms[1] != NULL;
    const float *positions = pairs->frame->positions_nm;
    const float *from = positions + 3 * (size_t)pairs->atoms[0][index];
    uint64_t *near = pairs->near + (size_t)worker * ((size_t)pairs->bins + 1);
    const double inverse = 1 / pairs->width_nm, limit = pairs->epsilon_nm * inverse;
    for (size_t j = second ? 0 : index + 1; j < pairs->counts[second]; j++) {
        if (pairs->atoms[second][j] == pairs->atoms[0][index]) continue;
        const float *to = positions + 3 * (size_t)pairs->atoms[second][j];
        const double place = near_pairs_distance(&pairs->box, from, to) * inverse, edge = rint(place);
        if (fabs(place - edge) <= limit && edge <= pairs->bins) near[(size_t)edge]++;
    }
    return QN_OK;
}

/* Add the pairs of a frame near each edge k · width to totals[0 … bins]. `pairs` has atoms, width and bins. */
static inline qn_status near_pairs_add(near_pairs *pairs, qn_pool *pool, const qn_trajectory_frame *frame,
                                       bool periodic, uint64_t *totals)
{
    const size_t edges = (size_t)pairs->bins + 1, threads = (size_t)qn_pool_threads(pool);
    static const double nothing[9] = {0};
    qn_status status = qn_box_from_vectors(periodic ? frame->box_nm : nothing, &pairs->box);
    if (status != QN_OK) return status;
    pairs->frame = frame;
    pairs->epsilon_nm = near_pairs_epsilon(pairs);
    pairs->near = calloc(threads * edges, sizeof *pairs->near);
    if (!pairs->near) return QN_OUT_OF_MEMORY;
    status = qn_pool_run(pool, pairs->counts[0], near_pairs_of_atom, pairs);
    for (size_t k = 0; k < threads * edges; k++) totals[k % edges] += pairs->near[k];
    free(pairs->near);
    return status;
}

#endif
