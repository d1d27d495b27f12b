/* The interface between the kernels of correlate.cl and the code that launches them, and the phases of shifts. */
#ifndef QN_MOVIE_CORRELATE_DEV_H
#define QN_MOVIE_CORRELATE_DEV_H

#include "cryoem/kernels/prepare_images.dev.h"

/* Arguments of `correlate`, `correlate_pairs` and `shift_spectra`, in order. */
enum {
    CORRELATE_SPECTRA,
    CORRELATE_TURNS,
    CORRELATE_FILTER,
    CORRELATE_PRODUCTS,
    CORRELATE_HALVES,
    CORRELATE_SCALARS,
    CORRELATE_ARGUMENTS
};
enum { PAIRS_SPECTRA, PAIRS_PAIRS, PAIRS_FILTER, PAIRS_PRODUCTS, PAIRS_SCALARS, PAIRS_ARGUMENTS };
enum { SHIFT_SPECTRA, SHIFT_TURNS, SHIFT_SHIFTED, SHIFT_SCALARS, SHIFT_ARGUMENTS };

typedef struct correlate_scalars {
    int rows, columns; /* of a half spectrum */
    int frames;        /* of a patch */
    int first;         /* patch (shift_spectra: frame) that the launch begins with */
} correlate_scalars;

typedef struct pairs_scalars {
    int rows, columns;             /* of a frame's half spectrum */
    int small_rows, small_columns; /* of a product's half spectrum */
    int first;                     /* pair that the launch begins with */
} pairs_scalars;

/* exp(2 pi i (x turn_x + y turn_y)); turns are fractions of 32 bits, so any number of whole turns is exact. */
DEVICE_FN qn_complex correlate_ramp(qn_uint32 turn_x, qn_uint32 turn_y, int x, int y)
{
    const qn_uint32 turns = (qn_uint32)x * turn_x + (qn_uint32)y * turn_y;
    return COMPLEX_MAKE(prepare_sine(turns + 0x40000000u, 0.0f), prepare_sine(turns, 0.0f));
}

/* Signed frequency of a row. */
DEVICE_FN int correlate_frequency(int row, int rows)
{
    return row <= rows / 2 ? row : row - rows;
}

#endif
