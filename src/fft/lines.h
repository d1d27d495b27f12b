/* Transforms of a few lines at a time by the vector code of lines_host.c, reached through its table. */
#ifndef QN_FFT_LINES_H
#define QN_FFT_LINES_H

#include <stddef.h>

#include "fft/line_plan.h"
#include "runtime/host_variant.h"

/* Kind of a transform of rows (contiguous lines): complex, or real, where even lengths use a complex line of half the
 * length. */
typedef enum qn_row_kind {
    QN_ROW_COMPLEX,
    QN_ROW_REAL_TO_HALF, /* length floats → length/2 + 1 complex numbers */
    QN_ROW_HALF_TO_REAL
} qn_row_kind;

typedef struct qn_row_plan {
    qn_row_kind kind;
    int length;
    qn_line_plan line; /* plan of a line of the length, or of length/2 for real rows of even length */
    float *factors;    /* real rows of even length: exp(−2πi·k / length), k ≤ length/4; else NULL */
    int input_floats;  /* floats read from each row; fewer than a whole row if the rest is known to be 0 */
    int output_floats; /* floats written to each row */
} qn_row_plan;

typedef struct qn_line_functions {
    int lanes; /* number of lines transformed at once; scratch is counted in vectors of this many floats */

    /* Transform `count` ≤ lanes lines. Point t of line l is at in + 2·l + in_step·t (floats). Points t ≥ filled count
     * as 0 and are not read. `in` may equal `out`. */
    void (*columns)(const qn_line_plan *plan, const float *in, ptrdiff_t in_step, int filled, float *out,
                    ptrdiff_t out_step, int count, float *scratch);

    /* The same for `lanes` lines, with the result or the input in vectors: the real parts of point t are at points +
     * 2·lanes·t, its imaginary parts `lanes` floats on. Lines are in the order in which load_interleaved of lanes.h
     * puts them. Points in `points` are kept. Results in memory that begin at vectors bypass the caches: what is
     * written is more than the caches hold, and reading its cache lines before they are overwritten would take time. */
    void (*columns_to_points)(const qn_line_plan *plan, const float *in, ptrdiff_t in_step, int filled, float *points,
                              float *scratch);
    void (*points_to_columns)(const qn_line_plan *plan, const float *points, float *out, ptrdiff_t out_step,
                              float *scratch);

    /* Transform `count` ≤ lanes rows, row l at in + in_step·l. */
    void (*rows)(const qn_row_plan *plan, const float *in, ptrdiff_t in_step, float *out, ptrdiff_t out_step, int count,
                 float *scratch);

    /* The same with the result in scratch: float i of row l is at [*step·lanes·i + l]; lanes past `count` repeat the
     * last row. */
    const float *(*rows_to_vectors)(const qn_row_plan *plan, const float *in, ptrdiff_t in_step, int count,
                                    float *scratch, int *step);
} qn_line_functions;

QN_HOST_DECLARE(const qn_line_functions, qn_fft_lines_host);

/* Make the plan of a row. `filled`: number of points (complex) or floats (real input) of a row that may differ from 0;
 * 0 or length: all. */
QN_MUST_CHECK qn_status qn_row_plan_create(qn_row_kind kind, int length, bool inverse, int filled, qn_row_plan *plan);
void qn_row_plan_clear(qn_row_plan *plan);

/* Number of floats of scratch for a plan's lines, aligned to 64 bytes. */
size_t qn_line_scratch_floats(const qn_line_plan *plan, int lanes);

/* Transform columns first … end − 1 of `width` neighbouring ones; `end` is `width` or a multiple of lanes after
 * `first`. Out of place the last tile overlaps the one before and repeats some columns; in place that would transform
 * them twice. */
void qn_line_columns(const qn_line_functions *lines, const qn_line_plan *plan, const float *in, ptrdiff_t in_step,
                     int filled, float *out, ptrdiff_t out_step, int first, int end, int width, float *scratch);

/* Distance in floats between the rows of a plane of rows of `width` complex numbers in a core's cache. Rows begin at
 * cache lines, so that a tile's points are whole cache lines, and not at multiples of the page size, where the points
 * of a column would compete for the same sets of the first-level cache. */
int qn_line_plane_step(int width);

#endif
