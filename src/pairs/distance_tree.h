/* Histogram of pair distances, counted by groups of atoms instead of pair by pair.
 *
 * An octree holds the atoms. Two of its cells whose distances all lie in one bin are resolved: their pairs are counted
 * at once. Other cells are split, down to single atoms. If the bound allows it, cells with few pairs are left
 * unresolved: their counts are spread over the bins that the cells' distances reach. The tree and resolved cells are
 * from Tu, Chen and Pandit, "Computing distance histograms efficiently in scientific databases", ICDE 2009. Spreading
 * counts is from Grupcev et al., "Approximate algorithms for computing spatial distance histograms with accuracy
 * guarantees", IEEE TKDE 25, 1982 (2013).
 *
 * Counts of resolved cells and of single atoms equal those of distance_histogram exactly. All counts are whole numbers,
 * and the choice of unresolved cells does not depend on threads, so neither does the histogram.
 */
#ifndef QN_PAIRS_DISTANCE_TREE_H
#define QN_PAIRS_DISTANCE_TREE_H

#include "base/thread_pool.h"
#include "pairs/pair_counts.h"

typedef struct qn_distance_tree_request {
    const qn_histogram_bins *bins;
    const qn_box *box; /* none or orthorhombic */
    const qn_pair_atoms *atoms;
    bool unordered;         /* pairs within atoms[0]; else pairs of atoms[0] with atoms[1], no atom with itself */
    double most_unresolved; /* largest share of unresolved pairs, 0 … 1; 0: exact */
} qn_distance_tree_request;

/* counts[k] becomes the number of pairs in bin k; counts[bins->count] is for pairs beyond all bins. They sum to the
 * number of all pairs. *unresolved: number of pairs that may be in a wrong bin, at most the requested share.
 * Errors: QN_UNSUPPORTED for triclinic boxes, QN_BAD_FORMAT for positions that are not finite, QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_distance_tree_count(const qn_distance_tree_request *request, qn_pool *pool, uint64_t *counts,
                                               uint64_t *unresolved);

#endif
