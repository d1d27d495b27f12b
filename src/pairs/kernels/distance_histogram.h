/* How many pairs of atoms lie at which distance: all unordered pairs within one set, or all pairs of two sets.
 *
 * Atoms are packed first (qn_histogram_pack), which moves them into the cell. Distances are single precision in one
 * fixed order of operations, bins are told by comparing squares with a table of squared edges, counts have 64 bits: a
 * histogram is the same to the last count on every device and in every configuration. */
#ifndef QN_PAIRS_DISTANCE_HISTOGRAM_H
#define QN_PAIRS_DISTANCE_HISTOGRAM_H

#include <quern/family.h>

#include "model/box.h"

enum {
    QN_HISTOGRAM_MOST_SHIFTS = 60,
    QN_HISTOGRAM_CELL_FLOATS = 12 + 4 * QN_HISTOGRAM_MOST_SHIFTS,
    QN_HISTOGRAM_MOST_BINS = 1 << 20
};

extern const qn_family qn_pairs_distance_histogram_family;

/* A periodic cell as the kernels take it; the layout of `values` is in distance_histogram.dev.h. */
typedef struct qn_histogram_cell {
    qn_box_shape shape;
    int shift_count; /* images beside the one in the brick that can be nearest */
    float values[QN_HISTOGRAM_CELL_FLOATS];
} qn_histogram_cell;

/* QN_UNSUPPORTED for a triclinic cell so flat that more images than that can be nearest. */
QN_MUST_CHECK qn_status qn_histogram_cell_make(const qn_box *box, qn_histogram_cell *cell);

/* `count` bins of one width; the first begins at 0, or is half a bin around 0 when `centred`. */
typedef struct qn_histogram_bins {
    int count;
    bool centred;
    double width_nm;
} qn_histogram_bins;

/* edges[k], 0 ≤ k ≤ count: the squares that bins are told by. */
void qn_histogram_bins_squared_edges(const qn_histogram_bins *bins, float *squared_edges);

/* The lower edge of bin k in nm, 0 ≤ k ≤ count. */
double qn_histogram_bins_edge(const qn_histogram_bins *bins, int k);

/* packed[4 i …] = x, y, z of atoms[i] (NULL: atom i) moved into the cell, and 0. */
void qn_histogram_pack(const qn_box *box, const float *positions_nm, const uint32_t *atoms, size_t count,
                       float *packed);

typedef struct qn_histogram_problem {
    int first_count, second_count; /* second_count 0 with second NULL: unordered pairs within the first set */
    const qn_histogram_cell *cell;
    const qn_histogram_bins *bins;
    int compute_units; /* set by the launch */
} qn_histogram_problem;

/* What kernels are told beside counts: shifts of the cell that matter, and the guess of a bin, distance · scale +
 * shift, right within `sure` of a whole number. */
typedef struct qn_histogram_guess {
    int shifts;
    float scale, shift, sure;
} qn_histogram_guess;
qn_histogram_guess qn_histogram_guess_of(const qn_histogram_problem *problem);

/* QN_INVALID_ARGUMENT for bins or numbers of atoms that cannot be. */
QN_MUST_CHECK qn_status qn_histogram_problem_check(const char *family, const qn_histogram_problem *problem);

/* Under which name tuning results for sets of this size are kept. */
const char *qn_histogram_problem_class(int atoms);

/* Add the problem's pairs to `counts` (bins.count × 64 bits, low word first). first, second: packed atoms; second NULL:
 * the first set with itself. squared_edges: bins.count + 1 floats; cell: QN_HISTOGRAM_CELL_FLOATS. Nothing is launched,
 * and *event is NULL, where there are no pairs. configuration NULL: chosen as for any family.
 * Errors: QN_INVALID_ARGUMENT for bins that cannot be. */
QN_MUST_CHECK qn_status qn_distance_histogram(qn_queue *queue, const qn_configuration *configuration,
                                              const qn_histogram_problem *problem, qn_buffer *first, qn_buffer *second,
                                              qn_buffer *squared_edges, qn_buffer *cell, qn_buffer *counts,
                                              qn_event **event);

/* The same by the rule, pair by pair, without guessing: what every device must give. packed_second NULL: as above. */
void qn_distance_histogram_reference(const qn_histogram_problem *problem, const float *packed_first,
                                     const float *packed_second, uint64_t *counts);

/* The same in double from the atoms as they were before packing. near[k] (0 ≤ k ≤ bins.count) gets the number of pairs
 * that lie within `epsilon_nm` of edge k: by so many may cumulative counts differ that rounding has a hand in. */
void qn_distance_histogram_exact(const qn_histogram_bins *bins, const qn_box *box, const float *first_nm,
                                 size_t first_count, const float *second_nm, size_t second_count, double epsilon_nm,
                                 uint64_t *counts, uint64_t *near);

/* The square of one pair's distance as the kernels compute it. */
float qn_distance_histogram_square(const qn_histogram_cell *cell, const float first[3], const float second[3]);

/* Its bin; bins.count beyond the last. */
int qn_distance_histogram_bin(const qn_histogram_bins *bins, const float *squared_edges, float square);

#endif
