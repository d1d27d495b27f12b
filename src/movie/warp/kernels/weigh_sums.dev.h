/* The interface between the kernels of weigh_sums.cl and the code that launches them. */
#ifndef QN_MOVIE_WEIGH_SUMS_DEV_H
#define QN_MOVIE_WEIGH_SUMS_DEV_H

/* Arguments of `pad_sum`, `weigh_sum`, `crop_sum` and `raise_sum`, in order. */
enum { PAD_SUMS, PAD_PADDED, PAD_SCALARS, PAD_ARGUMENTS };
enum { WEIGH_SPECTRUM, WEIGH_WEIGHTS, WEIGH_WEIGHTED, WEIGH_SCALARS, WEIGH_ARGUMENTS };
enum { CROP_PADDED, CROP_SUMS, CROP_SCALARS, CROP_ARGUMENTS };
enum { RAISE_SUMS, RAISE_SCALARS, RAISE_ARGUMENTS };

typedef struct weigh_scalars {
    int width, height;               /* of a sum */
    int padded_width, padded_height; /* of the grid that is transformed */
    int index;                       /* of the sum, or of its row of weights */
    int bins;                        /* of a row of weights */
    int first;                       /* 1: the weighted spectrum begins with this sum */
    float bins_x, bins_y;            /* bins from one frequency to the next along each axis */
    float scale;                     /* crop_sum: of every value */
    float offset;                    /* raise_sum: added to every value */
} weigh_scalars;

/* The weight at frequency (x, y), linear between bins. */
DEVICE_FN float weigh_at(GLOBAL const float *row, const weigh_scalars s, int x, int y)
{
    const float along = (float)x * s.bins_x, up = (float)y * s.bins_y;
    const float place = SQRT(FMA(along, along, up * up));
    const int bin = MIN((int)place, s.bins - 2);
    return FMA(place - (float)bin, row[bin + 1] - row[bin], row[bin]);
}

#endif
