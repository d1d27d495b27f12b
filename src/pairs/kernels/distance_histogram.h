/* Histogram of pair distances: of all unordered pairs within one set, or of all pairs of two sets.
 *
 * Atoms are packed first (qn_histogram_pack), which wraps them into the cell. Distances are computed in single
 * precision in one fixed order of operations. Bins are found by comparing squares with a table of squared edges. Counts
 * have 64 bits. So a histogram is exactly the same on every device and in every configuration. */
#ifndef QN_PAIRS_DISTANCE_HISTOGRAM_H
#define QN_PAIRS_DISTANCE_HISTOGRAM_H

#include <quern/family.h>

#include "model/box.h"

enum {
    QN_HISTOGRAM_SHIFTS_MAX = 60,
    QN_HISTOGRAM_CELL_FLOATS = 12 + 4 * QN_HISTOGRAM_SHIFTS_MAX,
    QN_HISTOGRAM_BINS_MAX = 1 << 20
};

extern const qn_family qn_pairs_distance_histogram_family;

/* A periodic cell as the kernels take it; the layout of `values` is in distance_histogram.dev.h. */
typedef struct qn_histogram_cell {
    qn_box_shape shape;
    int shift_count; /* number of images that can be nearer than the one in the brick */
    float values[QN_HISTOGRAM_CELL_FLOATS];
} qn_histogram_cell;

/* QN_UNSUPPORTED for a triclinic cell so flat that it has more than QN_HISTOGRAM_SHIFTS_MAX such images. */
QN_MUST_CHECK qn_status qn_histogram_cell_make(const qn_box *box, qn_histogram_cell *cell);

/* `count` bins of equal width, the first of which begins at 0. If `centred`, bins are centred on multiples of the
 * width, and the first one is half as wide. */
typedef struct qn_histogram_bins {
    int count;
    bool centred;
    double width_nm;
} qn_histogram_bins;

/* squared_edges[k], 0 ≤ k ≤ count, becomes the square of the lower edge of bin k. */
void qn_histogram_bins_squared_edges(const qn_histogram_bins *bins, float *squared_edges);

/* Lower edge of bin k in nm, 0 ≤ k ≤ count. */
double qn_histogram_bins_edge(const qn_histogram_bins *bins, int k);

/* packed[4 i …] becomes x, y, z of atoms[i] (NULL: atom i) wrapped into the cell, and 0. */
void qn_histogram_pack(const qn_box *box, const float *positions_nm, const uint32_t *atoms, size_t count,
                       float *packed);

typedef struct qn_histogram_problem {
    int first_count, second_count; /* second_count 0 with second NULL: unordered pairs within the first set */
    const qn_histogram_cell *cell;
    const qn_histogram_bins *bins;
    int compute_units; /* set by the launch */
} qn_histogram_problem;

/* Scalars of the kernels besides counts: the number of shifts that can matter, and the guess of a bin: distance · scale
 * + shift, rounded, which is right if that number is within `sure` of a whole number. */
typedef struct qn_histogram_guess {
    int shifts;
    float scale, shift, sure;
} qn_histogram_guess;
qn_histogram_guess qn_histogram_guess_of(const qn_histogram_problem *problem);

/* QN_INVALID_ARGUMENT for bins or numbers of atoms out of range. */
QN_MUST_CHECK qn_status qn_histogram_problem_check(const char *family, const qn_histogram_problem *problem);

/* Problem class of tuning results for sets of this size. */
const char *qn_histogram_problem_class(int atoms);

/* Add the problem's pairs to `counts` (bins.count × 64 bits, low word first). first, second: packed atoms; second NULL:
 * the first set with itself. squared_edges: bins.count + 1 floats; cell: QN_HISTOGRAM_CELL_FLOATS. Nothing is launched,
 * and *event is NULL, if there are no pairs. configuration NULL: chosen as for any family.
 * Errors: QN_INVALID_ARGUMENT for bins or numbers of atoms out of range. */
QN_MUST_CHECK qn_status qn_distance_histogram(qn_queue *queue, const qn_configuration *configuration,
                                              const qn_histogram_problem *problem, qn_buffer *first, qn_buffer *second,
                                              qn_buffer *squared_edges, qn_buffer *cell, qn_buffer *counts,
                                              qn_event **event);

/* The reference: the same counts, pair by pair, without guesses. Every device must give these counts. packed_second
 * NULL: as above. For fewer than 4096 bins; with more it counts nothing. */
void qn_distance_histogram_reference(const qn_histogram_problem *problem, const float *packed_first,
                                     const float *packed_second, uint64_t *counts);

/* The same in double precision, from atoms that are not packed; adds to `counts` and `near`. near[k], 0 ≤ k ≤
 * bins.count, counts the pairs within `epsilon_nm` of edge k: cumulative counts may differ by
 * this number because of rounding. */
void qn_distance_histogram_exact(const qn_histogram_bins *bins, const qn_box *box, const float *first_nm,
                                 size_t first_count, const float *second_nm, size_t second_count, double epsilon_nm,
                                 uint64_t *counts, uint64_t *near);

/* Square of one pair's distance, as the kernels compute it. */
float qn_distance_histogram_square(const qn_histogram_cell *cell, const float first[3], const float second[3]);

/* Bin of a square; bins.count beyond the last bin. */
int qn_distance_histogram_bin(const qn_histogram_bins *bins, const float *squared_edges, float square);

#endif
