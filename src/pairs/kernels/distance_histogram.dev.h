/* Distances of pairs of atoms and their bins. All pair histograms use this arithmetic, so their counts are the same on
 * every device. Every operation here is exact or correctly rounded; only the first guess of a bin is not, and a guess
 * that could be wrong is looked up.
 *
 * A difference and its negative give the same square, bit by bit, so the order of the two atoms does not matter.
 *
 * C sources define VECTOR_WIDTH 1 before they include this. */
#ifndef QN_TRAJECTORY_DISTANCE_HISTOGRAM_DEV_H
#define QN_TRAJECTORY_DISTANCE_HISTOGRAM_DEV_H

/* Arguments of `distance_histogram`, in order. */
enum {
    DISTANCE_FIRST,
    DISTANCE_SECOND,
    DISTANCE_SQUARED_EDGES,
    DISTANCE_CELL,
    DISTANCE_COUNTS,
    DISTANCE_SCALARS,
    DISTANCE_ARGUMENTS
};

typedef struct distance_scalars {
    int first_count, second_count; /* atoms of each set */
    int unordered;                 /* 1: both sets are the same, and each pair counts once */
    int bins;
    int shifts;         /* number of the cell's shifts that can give a nearer image */
    float scale, shift; /* distance * scale + shift rounds to the bin */
    float sure;         /* the rounded bin is right if that number is closer than this to a whole number */
} distance_scalars;

/* Layout of a cell in the kernels: 12 floats, then four for each shift (x, y, z, 0). The floats are the edges a_x b_y
 * c_z; the slants b_x c_x c_y; 1 / edges; the squared distance up to which the image in the brick is the nearest one;
 * the shape: 0 not periodic, 1 orthorhombic, 2 triclinic. */
#define HISTOGRAM_EDGE_X 0
#define HISTOGRAM_EDGE_Y 1
#define HISTOGRAM_EDGE_Z 2
#define HISTOGRAM_SLANT_BX 3
#define HISTOGRAM_SLANT_CX 4
#define HISTOGRAM_SLANT_CY 5
#define HISTOGRAM_INVERSE_X 6
#define HISTOGRAM_INVERSE_Y 7
#define HISTOGRAM_INVERSE_Z 8
#define HISTOGRAM_INNER_SQUARE 9
#define HISTOGRAM_SHAPE 10
#define HISTOGRAM_SHIFTS 12

/* 1.5 · 2^23: between 2^23 and 2^24 all floats are whole numbers, so adding this number rounds. */
#define HISTOGRAM_ROUNDER 12582912.0f
#define HISTOGRAM_ROUNDER_BITS 0x4b400000u

typedef VEC(float, VECTOR_WIDTH) histogram_numbers;

DEVICE_FN histogram_numbers histogram_splat(float value)
{
    return VEC_SPLAT(float, VECTOR_WIDTH, value);
}

/* The nearest whole number of |x| < 2^22, halves to even. */
DEVICE_FN histogram_numbers histogram_whole(histogram_numbers x)
{
    return (x + histogram_splat(HISTOGRAM_ROUNDER)) - histogram_splat(HISTOGRAM_ROUNDER);
}

DEVICE_FN histogram_numbers histogram_square(histogram_numbers x, histogram_numbers y, histogram_numbers z)
{
    return VEC_FMA(z, z, VEC_FMA(y, y, x * x));
}

/* Distance along one axis of two atoms in the cell, |x| ≤ edge: inside the cell or across the boundary. */
DEVICE_FN histogram_numbers histogram_around(histogram_numbers x, float edge)
{
    const histogram_numbers inside = ABS(x);
    return FMIN(inside, histogram_splat(edge) - inside);
}

DEVICE_FN histogram_numbers histogram_square_orthorhombic(float edge_x, float edge_y, float edge_z, histogram_numbers x,
                                                          histogram_numbers y, histogram_numbers z)
{
    return histogram_square(histogram_around(x, edge_x), histogram_around(y, edge_y), histogram_around(z, edge_z));
}

/* Wrap a difference into the brick with edges a_x, b_y, c_z around 0, and invert it if z < 0, which changes no
 * distance. */
DEVICE_FN void histogram_into_brick(GLOBAL const float *cell, histogram_numbers *x, histogram_numbers *y,
                                    histogram_numbers *z)
{
    histogram_numbers dx = *x, dy = *y, dz = *z;
    const histogram_numbers zero = histogram_splat(0.0f);
    const histogram_numbers k = histogram_whole(dz * histogram_splat(cell[HISTOGRAM_INVERSE_Z]));
    dx = VEC_FMA(k, histogram_splat(-cell[HISTOGRAM_SLANT_CX]), dx);
    dy = VEC_FMA(k, histogram_splat(-cell[HISTOGRAM_SLANT_CY]), dy);
    dz = VEC_FMA(k, histogram_splat(-cell[HISTOGRAM_EDGE_Z]), dz);
    const histogram_numbers j = histogram_whole(dy * histogram_splat(cell[HISTOGRAM_INVERSE_Y]));
    dx = VEC_FMA(j, histogram_splat(-cell[HISTOGRAM_SLANT_BX]), dx);
    dy = VEC_FMA(j, histogram_splat(-cell[HISTOGRAM_EDGE_Y]), dy);
    const histogram_numbers i = histogram_whole(dx * histogram_splat(cell[HISTOGRAM_INVERSE_X]));
    dx = VEC_FMA(i, histogram_splat(-cell[HISTOGRAM_EDGE_X]), dx);
    *x = VEC_SELECT(dz < zero, -dx, dx);
    *y = VEC_SELECT(dz < zero, -dy, dy);
    *z = ABS(dz);
}

DEVICE_FN histogram_numbers histogram_square_shifted(GLOBAL const float *shift, histogram_numbers x,
                                                     histogram_numbers y, histogram_numbers z)
{
    return histogram_square(x + histogram_splat(shift[0]), y + histogram_splat(shift[1]),
                            z + histogram_splat(shift[2]));
}

/* Square of the distance to the nearest image: the image in the brick, or one of its few shifts that can be nearer. */
DEVICE_FN histogram_numbers histogram_square_triclinic(GLOBAL const float *cell, int shifts, histogram_numbers x,
                                                       histogram_numbers y, histogram_numbers z)
{
    histogram_into_brick(cell, &x, &y, &z);
    histogram_numbers nearest = histogram_square(x, y, z);
    if (VEC_ANY(VECTOR_WIDTH, nearest > histogram_splat(cell[HISTOGRAM_INNER_SQUARE])))
        for (int s = 0; s < shifts; s++)
            nearest = FMIN(nearest, histogram_square_shifted(cell + HISTOGRAM_SHIFTS + 4 * s, x, y, z));
    return nearest;
}

/* Find the bin of a square: bin k holds squared_edges[k] ≤ square < squared_edges[k + 1]. Returns `bins` for larger
 * squares and for NaN. The search begins at `guess`. There are bins + 1 edges; the first is 0. */
DEVICE_FN int histogram_find(float square, int guess, GLOBAL const float *squared_edges, int bins)
{
    if (!(square < squared_edges[bins])) return bins;
    if (square < squared_edges[1]) return 0; /* the guess from the root of 0 may be NaN */
    int bin = CLAMP(guess, 0, bins - 1);
    while (square < squared_edges[bin]) bin--;
    while (square >= squared_edges[bin + 1]) bin++;
    return bin;
}

#endif
