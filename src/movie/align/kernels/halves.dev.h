/* The interface between the kernels of halves.cl and the code that launches them, and the frequencies of a half
 * spectrum. */
#ifndef QN_MOVIE_HALVES_DEV_H
#define QN_MOVIE_HALVES_DEV_H

/* Sums have one order on every device: lane l adds every HALVES_LANES-th number from the l-th on, then lanes are added
 * in pairs, the upper half to the lower half. */
#define HALVES_LANES 128

/* Arguments of `sum_rings`, `fill_filter`, `weigh_halves` and `find_centres`, in order. */
enum { RINGS_HALVES, RINGS_PIXELS, RINGS_STARTS, RINGS_SUMS, RINGS_SCALARS, RINGS_ARGUMENTS };
enum { FILTER_WEIGHTS, FILTER_PLANE, FILTER_SCALARS, FILTER_ARGUMENTS };
enum { WEIGH_HALVES, WEIGH_PLANE, WEIGH_SCALARS, WEIGH_ARGUMENTS };
enum { CENTRES_MAPS, CENTRES_SUMS, CENTRES_SCALARS, CENTRES_ARGUMENTS };

typedef struct halves_scalars {
    int rows, columns;    /* of a half spectrum */
    int width;            /* of a patch, whose height is `rows` */
    int rings;            /* that have a weight or a sum */
    int first;            /* patch that the launch begins with */
    int halves;           /* spectra that are weighed */
    float ring_x, ring_y; /* rings from one column, or row, to the next */
} halves_scalars;

/* Signed frequency of a row. */
DEVICE_FN int halves_frequency(int row, int rows)
{
    return row <= rows / 2 ? row : row - rows;
}

/* Distance from the origin in steps of step_x and step_y. */
DEVICE_FN float halves_radius(int x, int row, int rows, float step_x, float step_y)
{
    const float along = (float)x * step_x, up = (float)halves_frequency(row, rows) * step_y;
    return SQRT(along * along + up * up);
}

/* The weight of a frequency, between those of two rings. It is 0 at the origin, in the Nyquist row and column, and from
 * the last ring on. */
DEVICE_FN float halves_filter(GLOBAL const float *weights, int x, int row, const halves_scalars *s)
{
    const float ring = halves_radius(x, row, s->rows, s->ring_x, s->ring_y);
    const int i = (int)FMIN(ring, (float)s->rings);
    if ((x == 0 && row == 0) || x == s->columns - 1 || row == s->rows / 2 || i >= s->rings - 1) return 0.0f;
    return weights[i] + (ring - (float)i) * (weights[i + 1] - weights[i]);
}

#endif
