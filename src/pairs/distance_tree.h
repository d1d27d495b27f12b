/* How many pairs of atoms lie at which distance, counted by groups of atoms instead of pair by pair.
 *
 * An octree holds the atoms. Two of its cells whose distances all lie in one bin are resolved: their pairs are counted
 * at once. Others are split, down to atoms, or left unresolved once so few pairs are concerned that the bound allows
 * it; then their counts are spread over the bins that the cells' distances reach. The tree and its resolved cells are
 * Tu, Chen and Pandit, "Computing distance histograms efficiently in scientific databases", ICDE 2009; spreading
 * counts in proportion, Grupcev et al., "Approximate algorithms for computing spatial distance histograms with
 * accuracy guarantees", IEEE TKDE 25, 1982 (2013).
 *
 * Pairs that are counted at atoms, and cells that are resolved, agree with distance_histogram to the last count. All
 * counts are whole numbers and which cells are left does not depend on threads: so neither does the histogram.
 */
#ifndef QN_PAIRS_DISTANCE_TREE_H
#define QN_PAIRS_DISTANCE_TREE_H

#include "base/thread_pool.h"
#include "pairs/pair_counts.h"

typedef struct qn_distance_tree_request {
    const qn_histogram_bins *bins;
    const qn_box *box; /* none or orthorhombic */
    const qn_pair_atoms *atoms;
    bool unordered;         /* pairs within atoms[0]; else of atoms[0] with atoms[1], no atom with itself */
    double most_unresolved; /* share of all pairs, 0 … 1; 0: exact */
} qn_distance_tree_request;

/* counts[k], k ≤ bins->count: pairs of bin k, the last of those beyond all bins. They sum to the number of all pairs.
 * *unresolved: pairs that may be in a wrong bin, at most the share asked for.
 * Errors: QN_UNSUPPORTED for triclinic boxes, QN_BAD_FORMAT for positions that are not finite, QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_distance_tree_count(const qn_distance_tree_request *request, qn_pool *pool, uint64_t *counts,
                                               uint64_t *unresolved);

#endif
