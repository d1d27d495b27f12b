/* Transforms of lines by the work-items of a group: X_f = sum over t of x_t exp(-2 pi i f t / n), n = r0 r1 r2.
 *
 * Decimation in frequency, in place: a pass of radix r over blocks of r m points reads points p + m k of a block, k <
 * r, writes the butterfly's output j times exp(-2 pi i p j / (r m)) back to p + m j, and leaves r blocks of m points.
 * An item writes only points that it alone reads, so a line needs one copy in local memory and one barrier between
 * passes:
 *
 *     first    item p < n/r0: points p + (n/r0) k from any memory; to the tile
 *     middle   item (block j0 < r0, p < r2): points r1 r2 j0 + p + r2 k of the tile, in place
 *     last     item q < n/r2, q = j0 + r0 j1: points r2 (r1 j0 + j1) + k of the tile; output j is X at q + (n/r2) j
 *
 * After the last pass an item's registers hold exactly the points that the first pass of radix r2 of a second transform
 * reads, so that a transform with the radices in reverse order may follow without a copy. r1 = 1: there is no middle
 * pass.
 *
 * A tile holds `pitch` lines: point t of line l is tile[pitch * t + l], so neighbouring items work on neighbouring
 * lines without bank conflicts. roots[t] = exp(-2 pi i t / n), t < n, is in local memory too. */
#ifndef QN_FFT_LINE_DEV_H
#define QN_FFT_LINE_DEV_H

#include "fft/kernels/point.dev.h"

#include "fft/kernels/butterflies.dev.h"

/* Radix r0, r1 or r2 (i = 0, 1, 2) of an axis, in the split whose number is the tunable SPLIT: a definition that
 * qn_fft_line_definitions makes. */
#define LINE_RADIX(axis, i) QN_PASTE(QN_PASTE(axis, SPLIT), QN_PASTE(_R, i))

/* Compute the butterfly of the first pass and multiply by its factors; x[j] is in natural order. */
DEVICE_FN void line_first(int radix, qn_complex *x, int p, LOCAL_PTR const qn_complex *roots)
{
    line_butterfly(radix, x);
    UNROLL
    for (int j = 1; j < radix; j++) x[j] = COMPLEX_MUL(x[j], roots[p * j]);
}

/* Write the outputs of the first pass to the tile; `groups` = n / radix. */
DEVICE_FN void line_store_first(int radix, int groups, const qn_complex *x, int p, LOCAL_PTR qn_complex *tile,
                                int pitch)
{
    UNROLL
    for (int j = 0; j < radix; j++) tile[pitch * (p + groups * j)] = x[j];
}

/* Do all of the middle pass of item `item` < r0 r2. `tile` is the first point of the line. */
DEVICE_FN void line_middle(int r0, int r1, int r2, int item, LOCAL_PTR qn_complex *tile, int pitch,
                           LOCAL_PTR const qn_complex *roots)
{
    int block = item / r2, p = item - block * r2;
    LOCAL_PTR qn_complex *points = tile + pitch * (r1 * r2 * block + p);
    qn_complex x[16];
    UNROLL
    for (int k = 0; k < r1; k++) x[k] = points[pitch * r2 * k];
    line_butterfly(r1, x);
    points[0] = x[0];
    UNROLL
    for (int j = 1; j < r1; j++) points[pitch * r2 * j] = COMPLEX_MUL(x[j], roots[r0 * p * j]);
}

/* Do the last pass of item q < n / r2; x[j] becomes X at q + (n / r2) j. */
DEVICE_FN void line_last(int r0, int r1, int r2, int q, LOCAL_PTR const qn_complex *tile, int pitch, qn_complex *x)
{
    int j1 = q / r0, j0 = q - j1 * r0;
    LOCAL_PTR const qn_complex *points = tile + pitch * r2 * (r1 * j0 + j1);
    UNROLL
    for (int k = 0; k < r2; k++) x[k] = points[pitch * k];
    line_butterfly(r2, x);
}

#endif
