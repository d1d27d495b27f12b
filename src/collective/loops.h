/* Vector code (loops_host.c) for sums over atoms and over pairs of atoms, in double precision. Every sum is made of the
 * same partial sums whatever the vector width is, and nothing is contracted, so all processors compute the same bits.
 *
 * Points are in rows: x of all atoms, y, z, each `stride` doubles. The stride is a multiple of QN_COLLECTIVE_LANES, and
 * the places after the last atom hold 0.
 */
#ifndef QN_COLLECTIVE_LOOPS_H
#define QN_COLLECTIVE_LOOPS_H

#include <stddef.h>

#include "runtime/host_variant.h"

enum { QN_COLLECTIVE_LANES = 4, QN_COLLECTIVE_PAIR_STEP = 16 };

/* Distances of all pairs a < b of `count` atoms. They are in rows, one for each a, of the pairs with b = a + 1 …;
 * zeros follow up to a multiple of QN_COLLECTIVE_LANES in a row, and of QN_COLLECTIVE_PAIR_STEP after the last. */
typedef struct qn_collective_pairs {
    double *distance, *inverse; /* 1 / distance; 0 for atoms at one place and in the zeros */
} qn_collective_pairs;

typedef struct qn_collective_loops {
    /* s[3 a + b] = Σ from_a · to_b over the atoms. */
    void (*correlate)(const double *from, const double *to, size_t stride, double s[9]);
    /* Σ w |to − R · from|². `displacements` (NULL: not wanted) becomes the rows of w (to − R · from). */
    double (*displace)(const double *from, const double *to, const double *weights, size_t stride,
                       const double rotation[9], double *displacements);
    /* sums ← sums + matrix · from for each of two matrices, atoms begin … end − 1, multiples of the lanes. Six rows. */
    void (*add_products)(const double *from, size_t stride, const double matrices[18], size_t begin, size_t end,
                         double *sums);
    /* rows ← rows − w (matrix · from + shift) */
    void (*subtract_turn)(const double *from, const double *weights, size_t stride, const double matrix[9],
                          const double shift[3], double *rows);
    /* gradient[i][k] = scale · rows[k][i] for `count` atoms. */
    void (*store)(const double *rows, size_t stride, double scale, size_t count, double *gradient);
    /* Distances of all pairs. The rows have QN_COLLECTIVE_LANES more places than the last stride. */
    void (*measure_pairs)(const double *points, size_t stride, size_t count, const qn_collective_pairs *pairs);
    /* Σ (distance − reference)² over `length` pairs. */
    double (*compare_pairs)(const double *distance, const double *reference, size_t length);
    /* sums_k ← sums_k + factor_k · reference, pairs begin … end − 1. */
    void (*add_pairs)(const double *reference, const double factors[2], size_t begin, size_t end, double *sums_1,
                      double *sums_2);
    /* rows_a = Σ_b (factor · distance_ab − reference_ab) / distance_ab · (x_a − x_b): half the gradient of
     * Σ_{a<b} (distance − reference)² for a factor of 1. Rows as in measure_pairs. */
    void (*differentiate_pairs)(const double *points, size_t stride, size_t count, const qn_collective_pairs *pairs,
                                const double *reference, double factor, double *rows);
} qn_collective_loops;

QN_HOST_DECLARE(const qn_collective_loops, qn_collective_loops_host);

/* Places of a row of pairs with `count` partners, and of all rows of `count` atoms. */
static inline size_t qn_collective_pair_row(size_t count)
{
    return (count + QN_COLLECTIVE_LANES - 1) / QN_COLLECTIVE_LANES * QN_COLLECTIVE_LANES;
}

static inline size_t qn_collective_pair_places(size_t count)
{
    size_t places = 0;
    for (size_t partners = 1; partners < count; partners++) places += qn_collective_pair_row(partners);
    return (places + QN_COLLECTIVE_PAIR_STEP - 1) / QN_COLLECTIVE_PAIR_STEP * QN_COLLECTIVE_PAIR_STEP;
}

#endif
