/* The interface between the kernels of rmsd and the code that launches them, and the arithmetic of one pair.
 *
 * Structure i is r + u_i: a common reference r and the rest u_i, about their weighted means, after superposition on r,
 * each atom multiplied by √(w/Σw). With M = Σ (r + u_i)(r + u_j)ᵀ, Horn's matrix (1987) less its first element is
 *
 *     K = [ 0  vᵀ ]      v = (M_yz − M_zy, M_zx − M_xz, M_xy − M_yx)
 *         [ v  −B ]      B = tr(M + Mᵀ) I − (M + Mᵀ)
 *
 * and RMSD² = 2 (d − κ): d = ½ Σ |u_i − u_j|² is half of the squared distance without a rotation, and κ ≥ 0, the
 * largest eigenvalue of K, is what the best rotation takes from it. Only Σ u_i u_jᵀ is a sum over atoms for each pair;
 * all the rest of M is a term of i plus a term of j. So rounding is relative to the differences between structures, not
 * to their size. κ is the largest root of Theobald's polynomial (2005) in this place:
 *
 *     p(κ) = κ⁴ + c3 κ³ + c2 κ² + c1 κ + c0 = κ det(κ I + B) − vᵀ adj(κ I + B) v */
#ifndef QN_CLUSTER_RMSD_DEV_H
#define QN_CLUSTER_RMSD_DEV_H

/* Structures lie in panels: [panel][3 · atom + axis][RMSD_PANEL], their terms in panels
 * [panel][RMSD_TERMS][RMSD_PANEL].
 */
enum { RMSD_PANEL = 64 };

/* Terms of a structure, with N = Σ r uᵀ. */
enum {
    RMSD_SYMMETRIC = 0,   /* xx, yy, zz, xy, xz, yz of its part of B: tr(T) I − T with T = N + Nᵀ + Σ r rᵀ */
    RMSD_SKEW = 6,        /* N_yz − N_zy, N_zx − N_xz, N_xy − N_yx: 0 but for rounding */
    RMSD_HALF_SQUARE = 9, /* ½ Σ |u|² */
    RMSD_ERROR = 10,      /* its part of the bound of d − κ's error */
    RMSD_TERMS = 11
};

/* Arguments of both kernels, in order; RMSD_OUTPUT are bits or values. */
enum {
    RMSD_FIRST,
    RMSD_FIRST_TERMS,
    RMSD_SECOND,
    RMSD_SECOND_TERMS,
    RMSD_OUTPUT,
    RMSD_DOUBTFUL,
    RMSD_DOUBTFUL_COUNT,
    RMSD_SCALARS,
    RMSD_ARGUMENTS
};

typedef struct rmsd_scalars {
    int atoms;
    int first_row, rows;       /* structures of the first set that are the rows of the tile */
    int first_column, columns; /* structures of the second set that are its columns */
    int triangle;              /* 1: rows and columns are the same, and pairs with column <= row are left out */
    int doubtful_capacity;     /* pairs that the list of doubtful pairs has room for */
    float half_square;         /* of the cut-off: near if d − κ is at most this */
    float accumulation;        /* usual error of Σ u_i u_jᵀ, as a multiple of ½ Σ |u_i|² + ½ Σ |u_j|² */
} rmsd_scalars;

/* Rounding of the polynomial and its derivatives: 32 units of 2^-24 of the sum of the absolute values of their terms.
 * The longest chain of operations, in c1, rounds fewer than 16 times. */
#define RMSD_NOISE 1.9073486328125e-6f

/* Values: the tolerated error of an RMSD, from which the pair is doubtful, in Å. */
#define RMSD_TOLERATED 5e-4f
#define RMSD_STEPS 32

typedef struct rmsd_pair {
    float c3, c2, c1, c0;
    float size;  /* at least the norm of B */
    float cross; /* |v|² */
    float rest;  /* d */
    float error; /* bound of the error of d − κ from rounding before the polynomial */
} rmsd_pair;

/* The polynomial of a pair. products: Σ u_i u_jᵀ, row-major, each `product_step` floats after the one before; first,
 * second: the terms of i and j, the latter `second_step` apart. All values are the same for (j, i) and the transposed
 * products. */
#define PRODUCT(k) products[(k)*product_step]
#define SECOND(k) second[(k)*second_step]
DEVICE_FN rmsd_pair rmsd_pair_of(const float *products, int product_step, const float *first, const float *second,
                                 int second_step)
{
    const float xx = FMA(2.0f, PRODUCT(4) + PRODUCT(8), first[0] + SECOND(0)),
                yy = FMA(2.0f, PRODUCT(0) + PRODUCT(8), first[1] + SECOND(1));
    const float zz = FMA(2.0f, PRODUCT(0) + PRODUCT(4), first[2] + SECOND(2)),
                xy = (first[3] + SECOND(3)) - (PRODUCT(1) + PRODUCT(3));
    const float xz = (first[4] + SECOND(4)) - (PRODUCT(2) + PRODUCT(6)),
                yz = (first[5] + SECOND(5)) - (PRODUCT(5) + PRODUCT(7));
    const float vx = (SECOND(6) - first[6]) + (PRODUCT(5) - PRODUCT(7)),
                vy = (SECOND(7) - first[7]) + (PRODUCT(6) - PRODUCT(2));
    const float vz = (SECOND(8) - first[8]) + (PRODUCT(1) - PRODUCT(3));
    const float axx = FMA(yy, zz, -(yz * yz)), ayy = FMA(xx, zz, -(xz * xz)), azz = FMA(xx, yy, -(xy * xy));
    const float axy = FMA(xz, yz, -(xy * zz)), axz = FMA(xy, yz, -(xz * yy)), ayz = FMA(xy, xz, -(xx * yz));
    const float trace = xx + yy + zz, determinant = FMA(xx, axx, FMA(xy, axy, xz * axz));
    const float wx = FMA(xx, vx, FMA(xy, vy, xz * vz)), wy = FMA(xy, vx, FMA(yy, vy, yz * vz));
    const float wz = FMA(xz, vx, FMA(yz, vy, zz * vz));
    const float ax = FMA(axx, vx, FMA(axy, vy, axz * vz)), ay = FMA(axy, vx, FMA(ayy, vy, ayz * vz));
    const float az = FMA(axz, vx, FMA(ayz, vy, azz * vz));
    rmsd_pair pair;
    pair.cross = FMA(vx, vx, FMA(vy, vy, vz * vz));
    pair.c3 = trace;
    pair.c2 = (axx + ayy + azz) - pair.cross;
    pair.c1 = FMA(-trace, pair.cross, determinant) + FMA(vx, wx, FMA(vy, wy, vz * wz));
    pair.c0 = -FMA(vx, ax, FMA(vy, ay, vz * az));
    pair.size = FMA(2.0f, ABS(xy) + ABS(xz) + ABS(yz), ABS(xx) + ABS(yy) + ABS(zz));
    pair.rest = (first[9] + SECOND(9)) - (PRODUCT(0) + PRODUCT(4) + PRODUCT(8));
    pair.error = first[10] + SECOND(10);
    return pair;
}
#undef PRODUCT
#undef SECOND

/* 1: all eigenvalues of K are certainly below x > 0; −1: one is certainly above; 0: rounding decides. All roots of p
 * are real, so p and its derivatives are positive exactly beyond the largest root (Budan and Fourier). */
DEVICE_FN int rmsd_side(const rmsd_pair *pair, float x)
{
    const float s = x + pair->size, square = s * s, noise = RMSD_NOISE * (square + pair->cross);
    const float p = FMA(FMA(FMA(x + pair->c3, x, pair->c2), x, pair->c1), x, pair->c0);
    const float slope = FMA(FMA(FMA(4.0f, x, 3.0f * pair->c3), x, 2.0f * pair->c2), x, pair->c1);
    const float bend = FMA(FMA(12.0f, x, 6.0f * pair->c3), x, 2.0f * pair->c2);
    const float p_noise = RMSD_NOISE * square * FMA(x, s, pair->cross), slope_noise = 4.0f * s * noise;
    const float bend_noise = 12.0f * noise, third = FMA(4.0f, x, pair->c3);
    const int beyond = (p > p_noise) & (slope > slope_noise) & (bend > bend_noise) & (third > RMSD_NOISE * s);
    const int before = (p < -p_noise) | (slope < -slope_noise) | (bend < -bend_noise);
    return beyond - before;
}

/* Whether RMSD² / 2 = d − κ is at most half_square: 1 yes, −1 no, 0 doubtful. */
DEVICE_FN int rmsd_is_near(const rmsd_pair *pair, float half_square)
{
    const float need = pair->rest - half_square; /* near if κ is at least this */
    const float error = FMA(1.5e-7f, ABS(need) + half_square, pair->error);
    const float least = need - error, most = need + error;
    const int above_least = rmsd_side(pair, FMAX(least, 0.0f)), above_most = rmsd_side(pair, FMAX(most, 0.0f));
    const int near = (most <= 0.0f) | (above_most < 0), far = (least > 0.0f) & (above_least > 0);
    return near - far;
}

/* One step of Newton's method towards the largest root from above. *x is the place; the return value is 1 if the step
 * was taken, 0 if the polynomial is 0 there but for rounding, and −1 if the slope is doubtful. */
DEVICE_FN int rmsd_step(const rmsd_pair *pair, float *x)
{
    const float at = *x, s = at + pair->size;
    const float p = FMA(FMA(FMA(at + pair->c3, at, pair->c2), at, pair->c1), at, pair->c0);
    const float slope = FMA(FMA(FMA(4.0f, at, 3.0f * pair->c3), at, 2.0f * pair->c2), at, pair->c1);
    const int sure = slope > 4.0f * RMSD_NOISE * s * FMA(s, s, pair->cross);
    const float step = sure ? p / slope : 0.0f;
    const float noise = 0.03f * RMSD_NOISE * s * s * FMA(at, s, pair->cross); /* of most pairs */
    const int moves = (ABS(p) > noise) & (ABS(step) > 1.2e-7f * ABS(at));
    *x = moves ? at - step : at;
    return sure ? moves : -1;
}

/* √(2 (d − κ)). *doubtful is 1 if its error may exceed RMSD_TOLERATED. `state`: of the last step. The errors here are
 * what rounding makes of most pairs, an eighth of the polynomial's bound and a sum that grows as √atoms. */
DEVICE_FN float rmsd_value_at(const rmsd_pair *pair, float x, int state, float half_squares, float accumulation,
                              int *doubtful)
{
    const float s = x + pair->size, left = FMAX(pair->rest - x, 0.0f), value = SQRT(2.0f * left);
    const float slope = FMA(FMA(FMA(4.0f, x, 3.0f * pair->c3), x, 2.0f * pair->c2), x, pair->c1);
    const float noise = 0.125f * RMSD_NOISE * s * s * FMA(x, s, pair->cross);
    const float error = FMA(accumulation + 1.2e-7f, half_squares, 3e-7f * pair->rest);
    const float allowed = RMSD_TOLERATED * FMAX(value, 0.5f * RMSD_TOLERATED) - error;
    *doubtful = (state != 0) | !(noise < allowed * slope);
    return value;
}

/* The RMSD of a pair by as many steps as it needs. half_squares: ½ Σ |u_i|² + ½ Σ |u_j|². */
DEVICE_FN float rmsd_value(const rmsd_pair *pair, float half_squares, float accumulation, int *doubtful)
{
    float x = FMAX(pair->rest, 0.0f);
    int state = 1;
    for (int step = 0; step < RMSD_STEPS && state > 0; step++) state = rmsd_step(pair, &x);
    return rmsd_value_at(pair, x, state, half_squares, accumulation, doubtful);
}

#endif
