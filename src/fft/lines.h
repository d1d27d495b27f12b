/* Transforms of a few lines at a time by the vector code of lines_host.c, reached through its table. */
#ifndef QN_FFT_LINES_H
#define QN_FFT_LINES_H

#include <stddef.h>

#include "fft/line_plan.h"
#include "runtime/host_variant.h"

/* A transform of rows, contiguous lines: complex, or real with half the length when it is even. */
typedef enum qn_row_kind {
    QN_ROW_COMPLEX,
    QN_ROW_REAL_TO_HALF, /* length floats → length/2 + 1 complex numbers */
    QN_ROW_HALF_TO_REAL
} qn_row_kind;

typedef struct qn_row_plan {
    qn_row_kind kind;
    int length;
    qn_line_plan line; /* of the length, or of length/2 for real rows of even length */
    float *factors;    /* real rows of even length: exp(−2πi·k / length), k ≤ length/4; else NULL */
    int input_floats;  /* read from each row; less than a whole row when the rest is known to be 0 */
    int output_floats; /* written to each row */
} qn_row_plan;

typedef struct qn_line_functions {
    int lanes; /* lines done at once; scratch is in units of this */

    /* Transform `count` ≤ lanes lines: line l has its points at in + 2·l + in_step·t (floats). Points t ≥ filled are
     * taken as 0 without being read. `in` may equal `out`. */
    void (*columns)(const qn_line_plan *plan, const float *in, ptrdiff_t in_step, int filled, float *out,
                    ptrdiff_t out_step, int count, float *scratch);

    /* The same of `lanes` lines, with the result, or what is transformed, in vectors: point t has its real parts at
     * points + 2·lanes·t and its imaginary ones `lanes` floats on. Lines stand in the order in which load_interleaved
     * of lanes.h puts them. Points in `points` are kept. */
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

/* filled: points (complex) or floats (real input) of a row that can differ from 0; 0 or length: all. */
QN_MUST_CHECK qn_status qn_row_plan_create(qn_row_kind kind, int length, bool inverse, int filled, qn_row_plan *plan);
void qn_row_plan_clear(qn_row_plan *plan);

/* Floats of scratch that a plan's lines need, aligned to 64 bytes. */
size_t qn_line_scratch_floats(const qn_line_plan *plan, int lanes);

/* Columns first … end − 1 (a multiple of lanes after first, or width) of `width` neighbouring ones. Out of place, the
 * last tile overlaps the one before where there is one, and does the same sums twice; in place that would transform
 * numbers twice. */
void qn_line_columns(const qn_line_functions *lines, const qn_line_plan *plan, const float *in, ptrdiff_t in_step,
                     int filled, float *out, ptrdiff_t out_step, int first, int end, int width, float *scratch);

/* Floats from row to row of a plane of rows of `width` complex numbers in a core's cache: rows begin at cache lines, so
 * that a tile's points are whole ones, and not at multiples of the page, where a column's points would compete for the
 * same places of the first-level cache. */
int qn_line_plane_step(int width);

#endif
