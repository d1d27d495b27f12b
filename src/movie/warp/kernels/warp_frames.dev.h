/* The interface between the kernels of warp_frames.cl and the code that launches them, and places of pixels.
 *
 * A place on the fine grid is a whole sample and a fraction, so that errors do not grow with the side: the step of an
 * output pixel is a 64-bit number with 32 fractional bits. */
#ifndef QN_MOVIE_WARP_FRAMES_DEV_H
#define QN_MOVIE_WARP_FRAMES_DEV_H

/* Arguments of `field_rows` and `warp_frames`, in order. */
enum { FIELD_COEFFICIENTS, FIELD_ROWS, FIELD_SCALARS, FIELD_ARGUMENTS };
enum {
    WARP_GRID, /* the first of eight grids */
    WARP_ROWS = WARP_GRID + 8,
    WARP_SUMS,
    WARP_SCALARS,
    WARP_ARGUMENTS
};

#define WARP_FRAMES_MAX 8
#define WARP_SUMS_MAX 12
#define WARP_SIDE 7      /* B-splines of the field along an axis */
#define WARP_INTERVALS 4 /* intervals of the field along an axis, each a cubic polynomial */
#define WARP_ROW 32      /* numbers of a row of the field: [interval][power][axis] */

typedef struct field_scalars {
    int frame[WARP_FRAMES_MAX]; /* of each grid, the place of its coefficients */
    int frames, height;         /* number of grids, output rows */
    float intervals_a_row;      /* of the field, from one output row to the next */
} field_scalars;

typedef struct warp_scalars {
    qn_int64 step_x, step_y; /* samples of the fine grid from one output pixel to the next, 32 fractional bits */
    int width, height;       /* of the output */
    int fine_x, fine_y;      /* of the fine grid */
    int frames, taps;        /* grids that are given; samples along an axis */
    float intervals_a_pixel; /* of the field, from one output pixel to the next along x */
    int unused;              /* makes the size a multiple of 8 */
    float terms[24];         /* of the weights, see qn_window_polynomials */
    float low_x[WARP_FRAMES_MAX], high_x[WARP_FRAMES_MAX]; /* the part of the fine grid that each frame covers */
    float low_y[WARP_FRAMES_MAX], high_y[WARP_FRAMES_MAX];
    float shares[WARP_FRAMES_MAX * WARP_SUMS_MAX]; /* [grid][WARP_SUMS_MAX]: of a frame in each sum */
} warp_scalars;

/* The field along a row as powers of the place within interval `k`: cubic B-splines c[k] to c[k + 3]. */
DEVICE_FN float warp_power(int power, float c0, float c1, float c2, float c3)
{
    if (power == 0) return FMA(4.0f, c1, c0 + c2) * (1.0f / 6.0f);
    if (power == 1) return (c2 - c0) * 0.5f;
    if (power == 2) return FMA(-2.0f, c1, c0 + c2) * 0.5f;
    return FMA(3.0f, c1 - c2, c3 - c0) * (1.0f / 6.0f);
}

/* An index moved into 0 to side − 1, from at most one side away. */
DEVICE_FN int warp_wrap(int index, int side)
{
    return index < 0 ? index + side : (index >= side ? index - side : index);
}

/* The fraction of a place, 32 bits, as a number from 0 to 1. */
DEVICE_FN float warp_part(qn_int64 place)
{
    return (float)(qn_uint32)place * 2.32830644e-10f;
}

#endif
