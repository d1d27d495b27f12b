/* Matrices for benchmarks of factors. */
#ifndef QN_BENCH_DEFORM_PATTERN_H
#define QN_BENCH_DEFORM_PATTERN_H

#include "deform/factor/box.h"

#define BENCH_PATTERNS "box:N|mesh:FILE|mesh2:FILE|mixed:FILE|mixed2:FILE"

/* box:N, a box of N x N x N nodes with random values; or the tangent at rest of a mesh, with elements of order 1 or 2,
 * and with pressures (mixed) or without. The mesh is fixed and held where quern_bench_deform does it. */
QN_MUST_CHECK qn_status bench_open_pattern(const char *name, qn_factor_box *box);

#endif
