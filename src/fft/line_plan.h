/* The arithmetic plan of one line: how a length is cut into passes, and the factors of each pass.
 *
 * Stockham's self-sorting scheme, decimation in frequency: a pass of radix r over n_cur = r·m points that lie `stride`
 * apart reads x[q + stride·(p + m·k)], k < r, transforms them with a butterfly and writes its output j, multiplied by
 * exp(−2πi·p·j / n_cur), to y[q + stride·(r·p + j)]. The next pass has n_cur = m and stride·r. The last has m = 1 and
 * no factors, and its output is in order, so data moves exactly as often as there are passes.
 */
#ifndef QN_FFT_LINE_PLAN_H
#define QN_FFT_LINE_PLAN_H

#include <quern/status.h>
#include <stdbool.h>

enum { QN_LINE_PASS_MAX = 32, QN_LINE_RADIX_MAX = 12 };

typedef struct qn_line_pass {
    int radix;
    int groups; /* number of groups, m above */
    int stride;
    const float *factors; /* [p][j − 1] (real, imaginary), j = 1 … radix − 1; of exp(−2πi·p·j / (radix·groups)) */
    const float *roots; /* radices without a butterfly: [k] (cos, sin) of 2πk / radix, k < radix; else NULL */
} qn_line_pass;

typedef struct qn_line_plan {
    int length;
    bool inverse;      /* exp(+2πi…): the same sums, with output t stored at n − t */
    int pass_count;    /* 0 for length 1 */
    int largest_prime; /* largest prime of passes without a butterfly; 0: none */
    qn_line_pass passes[QN_LINE_PASS_MAX];
    float *numbers; /* memory of all factors and roots */
} qn_line_plan;

/* Make the plan of a line, with factors computed in double precision. QN_INVALID_ARGUMENT for length < 1. */
QN_MUST_CHECK qn_status qn_line_plan_create(int length, bool inverse, qn_line_plan *plan);
void qn_line_plan_clear(qn_line_plan *plan);

/* Whether a radix has an unrolled butterfly in lines_host.c. */
bool qn_line_radix_is_unrolled(int radix);

/* Estimated time of a line per point, in units of 10 ps on a 2021 server core, and its passes. */
int qn_line_length_cost(int length, int *passes);

#endif
