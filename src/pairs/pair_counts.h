/* Count the pairs of a frame by distance, on a device, with buffers that a worker keeps from frame to frame.
 *
 * Life cycle: the first count creates *scratch → further counts → destroy. Thread rule: a scratch belongs to one thread
 * and one query.
 */
#ifndef QN_PAIRS_PAIR_COUNTS_H
#define QN_PAIRS_PAIR_COUNTS_H

#include <quern/frame.h>
#include <quern/queue.h>
#include <quern/topology.h>

#include "pairs/kernels/distance_histogram.h"

/* The atoms of a frame whose pairs are counted. */
typedef struct qn_pair_atoms {
    const qn_trajectory_frame *frame;
    const qn_topology *topology;
    const uint32_t *atoms[2]; /* ascending; the second NULL: pairs within the first */
    size_t atom_count[2];
} qn_pair_atoms;

/* Request to count pairs of the atoms of a frame: of atoms[0] with atoms[1], where an atom makes no pair with itself;
 * or unordered pairs within atoms[0] if atoms[1] is NULL or has the same atoms. */
typedef struct qn_pair_request {
    const qn_histogram_bins *bins; /* the same in every count of a scratch */
    const qn_box *box;
    const qn_pair_atoms *atoms;
    qn_queue *queue;
    bool other_molecules; /* leave out pairs within a molecule */
} qn_pair_request;

/* counts[k], k < bins->count, becomes the number of pairs in bin k. */
QN_MUST_CHECK qn_status qn_pair_counts_count(void **scratch, const qn_pair_request *request, uint64_t *counts);
void qn_pair_counts_destroy(void *scratch);

/* Whether the second selection is NULL or holds the same atoms as the first. */
bool qn_pair_counts_is_unordered(const qn_pair_atoms *atoms);

/* Make bins of `width_nm` up to `most_nm`. QN_INVALID_ARGUMENT if there are none or more than QN_HISTOGRAM_BINS_MAX;
 * the message names the parameters bin and max. */
QN_MUST_CHECK qn_status qn_pair_counts_bins(double width_nm, double most_nm, bool centred, qn_histogram_bins *bins);

#endif
