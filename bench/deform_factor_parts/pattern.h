/* Patterns of matrices for benchmarks of factors. */
#ifndef QN_BENCH_DEFORM_PATTERN_H
#define QN_BENCH_DEFORM_PATTERN_H

#include "deform/factor/box.h"

/* Read a pattern and draw random values for it. A text file: "nodes blocks", then "freedoms held" of each node, then
 * "row column" of each block of the lower triangle, row by row, columns ascending, the diagonal last; held nodes keep
 * their pressures only. Or box:N, a box of N x N x N nodes. */
QN_MUST_CHECK qn_status bench_open_pattern(const char *path, qn_factor_box *box);

#endif
