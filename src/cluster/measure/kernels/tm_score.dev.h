/* The search for the superposition with the best score. Only exact and correctly rounded operations are used, so scores
 * have the same bits on every device. (Host processors without fused multiply-add round differently.)
 *
 * The functions work on SCORE_REAL, which is a float of one seed on a device. The host kernel defines it as a vector
 * with several seeds, and the words below for vectors. */
#ifndef QN_CLUSTER_TM_SCORE_DEV_H
#define QN_CLUSTER_TM_SCORE_DEV_H

/* Arguments of `score_pairs`, in order. */
enum { SCORE_ROWS, SCORE_COLUMNS, SCORE_SEEDS, SCORE_PHASES, SCORE_RESULTS, SCORE_SCALARS, SCORE_ARGUMENTS };

/* Values of OBJECTIVE. */
#define SCORE_TM 0
#define SCORE_GDT 1
#define SCORE_MAXSUB 2
#define SCORE_RESULTS_OF(objective) ((objective) == SCORE_GDT ? 4 : 1)

/* Sweeps of Jacobi's method, which converges quadratically; later steps of a search correct what is left. */
#define SCORE_SWEEPS 3
#define SCORE_LEAST_EVALUATIONS 4 /* of a phase, before slow growth ends it */
#define SCORE_GROWTH 1.0001f      /* a phase ends when its smooth score grows by less than this factor */
#define SCORE_LEAST_WEIGHT 1e-9f  /* sums of less weight define no superposition */
#define SCORE_LEAST_SQUARE 1e-30f /* smaller squares are 0 to Jacobi's method */
#define SCORE_MOST_RATIO 1e4f     /* of squares of distances, so that their 8th power is a float */

typedef struct score_scalars {
    int row_count, column_count;
    int row_stride, column_stride; /* place of a pair among the results: row * row_stride + column * column_stride */
    int atom_count, seed_count, phase_count;
    int objective; /* that of the source; the host kernel needs it */
    int triangle;  /* 1: rows and columns are the same structures; pairs row >= column are left out */
} score_scalars;

/* One phase of the search. Its smooth score is the sum over atoms of 1 / (1 + u^k), u = (distance / scale)^2 and
 * k = 2^doublings; k = 1 is the TM-score, and large k give the number of atoms within the scale. */
typedef struct score_phase {
    float inverse_square; /* 1 / scale^2, 1/A^2 */
    int doublings;        /* 0 ... 3 */
    int evaluations;      /* at most */
    int restart;          /* 1: begin with the superposition of the seed's fragment */
} score_phase;

#ifndef SCORE_REAL
#define SCORE_REAL float
#define SCORE_SPLAT(x) (x)
#define SCORE_FMA(a, b, c) FMA((a), (b), (c))
#define SCORE_MIN(a, b) FMIN((a), (b))
#define SCORE_MAX(a, b) FMAX((a), (b))
#define SCORE_ABS(x) ABS(x)
#define SCORE_IF_LESS(a, b, yes, no) ((a) < (b) ? (yes) : (no))
#define SCORE_RECIPROCAL_GUESS(x) BITS_FLOAT(0x7ef311c7u - FLOAT_BITS(x))
#define SCORE_RECIPROCAL_ROOT_GUESS(x) BITS_FLOAT(0x5f3759dfu - (FLOAT_BITS(x) >> 1))
#endif

/* Weighted sums over atoms that define a superposition: of 1, of x and y, and of x_a y_b. */
typedef struct score_sums {
    SCORE_REAL weight, x, y, z, tx, ty, tz;
    SCORE_REAL xx, xy, xz, yx, yy, yz, zx, zy, zz;
} score_sums;

/* x' = R x + t */
typedef struct score_motion {
    SCORE_REAL xx, xy, xz, yx, yy, yz, zx, zy, zz;
    SCORE_REAL tx, ty, tz;
} score_motion;

/* Scores of one superposition. TM: the smooth score. GDT: atoms within 1, 2, 4 and 8 A. MaxSub: the sum, in the first
 * place. */
typedef struct score_tally {
    SCORE_REAL smooth;
    SCORE_REAL within[4];
} score_tally;

/* Elements of one column of a 4 x 4 matrix. */
typedef struct score_column {
    SCORE_REAL a, b, c, d;
} score_column;

/* 1 / x for 1e-30 < x < 1e30, relative error 1e-7: an estimate from the bits, and two steps of third order. */
DEVICE_FN SCORE_REAL score_reciprocal(SCORE_REAL x)
{
    const SCORE_REAL one = SCORE_SPLAT(1.0f);
    SCORE_REAL y = SCORE_RECIPROCAL_GUESS(x);
    SCORE_REAL rest = SCORE_FMA(-x, y, one);
    y = SCORE_FMA(y, SCORE_FMA(rest, rest, rest), y);
    rest = SCORE_FMA(-x, y, one);
    return SCORE_FMA(y, SCORE_FMA(rest, rest, rest), y);
}

/* 1 / sqrt(x) for 1e-37 < x < 1e37, relative error 2e-7: an estimate from the bits, and three steps of Newton's. */
DEVICE_FN SCORE_REAL score_reciprocal_root(SCORE_REAL x)
{
    const SCORE_REAL minus_half = SCORE_SPLAT(-0.5f) * x, three_halves = SCORE_SPLAT(1.5f);
    SCORE_REAL y = SCORE_RECIPROCAL_ROOT_GUESS(x);
    y = y * SCORE_FMA(minus_half * y, y, three_halves);
    y = y * SCORE_FMA(minus_half * y, y, three_halves);
    return y * SCORE_FMA(minus_half * y, y, three_halves);
}

DEVICE_FN void score_turn(SCORE_REAL cosine, SCORE_REAL sine, SCORE_REAL *p, SCORE_REAL *q)
{
    const SCORE_REAL old = *p;
    *p = SCORE_FMA(cosine, old, -sine * *q);
    *q = SCORE_FMA(sine, old, cosine * *q);
}

/* One rotation of Jacobi's method: make the element pq zero. r and s are the other rows; p and q are columns of the
 * eigenvectors. */
DEVICE_FN void score_annihilate(SCORE_REAL *pp, SCORE_REAL *qq, SCORE_REAL *pq, SCORE_REAL *rp, SCORE_REAL *rq,
                                SCORE_REAL *sp, SCORE_REAL *sq, score_column *p, score_column *q)
{
    const SCORE_REAL zero = SCORE_SPLAT(0.0f), half_of_one = SCORE_SPLAT(0.5f), one = SCORE_SPLAT(1.0f);
    const SCORE_REAL least = SCORE_SPLAT(SCORE_LEAST_SQUARE);
    const SCORE_REAL half_difference = half_of_one * (*qq - *pp);
    const SCORE_REAL square = SCORE_FMA(half_difference, half_difference, *pq * *pq);
    const SCORE_REAL inverse = score_reciprocal_root(SCORE_MAX(square, least));
    const SCORE_REAL side = SCORE_IF_LESS(half_difference, zero, -*pq, *pq);
    const SCORE_REAL cosine_of_double = SCORE_IF_LESS(least, square, SCORE_ABS(half_difference) * inverse, one);
    const SCORE_REAL sine_of_double = SCORE_IF_LESS(least, square, side * inverse, zero);
    const SCORE_REAL square_cosine = SCORE_FMA(half_of_one, cosine_of_double, half_of_one);
    const SCORE_REAL inverse_cosine = score_reciprocal_root(square_cosine);
    const SCORE_REAL cosine = square_cosine * inverse_cosine, sine = half_of_one * sine_of_double * inverse_cosine;
    const SCORE_REAL tangent = sine * inverse_cosine;
    *pp = SCORE_FMA(-tangent, *pq, *pp);
    *qq = SCORE_FMA(tangent, *pq, *qq);
    *pq = zero;
    score_turn(cosine, sine, rp, rq);
    score_turn(cosine, sine, sp, sq);
    score_turn(cosine, sine, &p->a, &q->a);
    score_turn(cosine, sine, &p->b, &q->b);
    score_turn(cosine, sine, &p->c, &q->c);
    score_turn(cosine, sine, &p->d, &q->d);
}

/* The column of the larger value. */
DEVICE_FN score_column score_larger(SCORE_REAL u, SCORE_REAL v, score_column p, score_column q)
{
    score_column larger;
    larger.a = SCORE_IF_LESS(u, v, q.a, p.a);
    larger.b = SCORE_IF_LESS(u, v, q.b, p.b);
    larger.c = SCORE_IF_LESS(u, v, q.c, p.c);
    larger.d = SCORE_IF_LESS(u, v, q.d, p.d);
    return larger;
}

DEVICE_FN score_column score_unit_column(float a, float b, float c, float d)
{
    score_column column;
    column.a = SCORE_SPLAT(a);
    column.b = SCORE_SPLAT(b);
    column.c = SCORE_SPLAT(c);
    column.d = SCORE_SPLAT(d);
    return column;
}

/* Eigenvector of the largest eigenvalue of Horn's symmetric matrix, whose elements are nIJ. */
DEVICE_FN score_column score_eigenvector(SCORE_REAL n00, SCORE_REAL n11, SCORE_REAL n22, SCORE_REAL n33, SCORE_REAL n01,
                                         SCORE_REAL n02, SCORE_REAL n03, SCORE_REAL n12, SCORE_REAL n13, SCORE_REAL n23)
{
    score_column v0 = score_unit_column(1.0f, 0.0f, 0.0f, 0.0f), v1 = score_unit_column(0.0f, 1.0f, 0.0f, 0.0f);
    score_column v2 = score_unit_column(0.0f, 0.0f, 1.0f, 0.0f), v3 = score_unit_column(0.0f, 0.0f, 0.0f, 1.0f);
    for (int sweep = 0; sweep < SCORE_SWEEPS; sweep++) {
        score_annihilate(&n00, &n11, &n01, &n02, &n12, &n03, &n13, &v0, &v1);
        score_annihilate(&n22, &n33, &n23, &n02, &n03, &n12, &n13, &v2, &v3);
        score_annihilate(&n00, &n22, &n02, &n01, &n12, &n03, &n23, &v0, &v2);
        score_annihilate(&n11, &n33, &n13, &n01, &n03, &n12, &n23, &v1, &v3);
        score_annihilate(&n00, &n33, &n03, &n01, &n13, &n02, &n23, &v0, &v3);
        score_annihilate(&n11, &n22, &n12, &n01, &n02, &n13, &n23, &v1, &v2);
    }
    return score_larger(SCORE_MAX(n00, n11), SCORE_MAX(n22, n33), score_larger(n00, n11, v0, v1),
                        score_larger(n22, n33, v2, v3));
}

/* The rotation of a quaternion, which need not be normalised, and the shift that goes with it. */
DEVICE_FN score_motion score_motion_of(score_column q, const score_sums *s, SCORE_REAL inverse_weight)
{
    const SCORE_REAL two = SCORE_SPLAT(2.0f);
    const SCORE_REAL scale =
        score_reciprocal_root(SCORE_FMA(q.a, q.a, SCORE_FMA(q.b, q.b, SCORE_FMA(q.c, q.c, q.d * q.d))));
    const SCORE_REAL w = scale * q.a, x = scale * q.b, y = scale * q.c, z = scale * q.d;
    const SCORE_REAL cx = s->x * inverse_weight, cy = s->y * inverse_weight, cz = s->z * inverse_weight;
    score_motion m;
    m.xx = SCORE_FMA(w, w, SCORE_FMA(x, x, -SCORE_FMA(y, y, z * z)));
    m.yy = SCORE_FMA(w, w, SCORE_FMA(y, y, -SCORE_FMA(x, x, z * z)));
    m.zz = SCORE_FMA(w, w, SCORE_FMA(z, z, -SCORE_FMA(x, x, y * y)));
    m.xy = two * SCORE_FMA(x, y, -w * z);
    m.yx = two * SCORE_FMA(x, y, w * z);
    m.xz = two * SCORE_FMA(x, z, w * y);
    m.zx = two * SCORE_FMA(x, z, -w * y);
    m.yz = two * SCORE_FMA(y, z, -w * x);
    m.zy = two * SCORE_FMA(y, z, w * x);
    m.tx = SCORE_FMA(s->tx, inverse_weight, -SCORE_FMA(m.xx, cx, SCORE_FMA(m.xy, cy, m.xz * cz)));
    m.ty = SCORE_FMA(s->ty, inverse_weight, -SCORE_FMA(m.yx, cx, SCORE_FMA(m.yy, cy, m.yz * cz)));
    m.tz = SCORE_FMA(s->tz, inverse_weight, -SCORE_FMA(m.zx, cx, SCORE_FMA(m.zy, cy, m.zz * cz)));
    return m;
}

/* The best superposition of the weighted atoms: Horn, J. Opt. Soc. Am. A 4 (1987) 629. */
DEVICE_FN score_motion score_fit(const score_sums *s)
{
    const SCORE_REAL inverse = score_reciprocal(SCORE_MAX(s->weight, SCORE_SPLAT(SCORE_LEAST_WEIGHT)));
    const SCORE_REAL x = -s->x * inverse, y = -s->y * inverse, z = -s->z * inverse;
    const SCORE_REAL tx = s->tx * inverse, ty = s->ty * inverse, tz = s->tz * inverse;
    const SCORE_REAL xx = SCORE_FMA(s->xx, inverse, x * tx), xy = SCORE_FMA(s->xy, inverse, x * ty);
    const SCORE_REAL xz = SCORE_FMA(s->xz, inverse, x * tz), yx = SCORE_FMA(s->yx, inverse, y * tx);
    const SCORE_REAL yy = SCORE_FMA(s->yy, inverse, y * ty), yz = SCORE_FMA(s->yz, inverse, y * tz);
    const SCORE_REAL zx = SCORE_FMA(s->zx, inverse, z * tx), zy = SCORE_FMA(s->zy, inverse, z * ty);
    const SCORE_REAL zz = SCORE_FMA(s->zz, inverse, z * tz);
    const score_column q = score_eigenvector(xx + yy + zz, xx - yy - zz, yy - xx - zz, zz - xx - yy, yz - zy, zx - xz,
                                             xy - yx, xy + yx, zx + xz, yz + zy);
    return score_motion_of(q, s, inverse);
}

DEVICE_FN void score_add_means(score_sums *s, SCORE_REAL weight, qn_float4 a, qn_float4 b)
{
    s->weight = s->weight + weight;
    s->x = SCORE_FMA(weight, SCORE_SPLAT(a.x), s->x);
    s->y = SCORE_FMA(weight, SCORE_SPLAT(a.y), s->y);
    s->z = SCORE_FMA(weight, SCORE_SPLAT(a.z), s->z);
    s->tx = SCORE_FMA(weight, SCORE_SPLAT(b.x), s->tx);
    s->ty = SCORE_FMA(weight, SCORE_SPLAT(b.y), s->ty);
    s->tz = SCORE_FMA(weight, SCORE_SPLAT(b.z), s->tz);
}

DEVICE_FN void score_add_products(score_sums *s, SCORE_REAL weight, qn_float4 a, qn_float4 b)
{
    const SCORE_REAL x = weight * SCORE_SPLAT(a.x), y = weight * SCORE_SPLAT(a.y), z = weight * SCORE_SPLAT(a.z);
    const SCORE_REAL tx = SCORE_SPLAT(b.x), ty = SCORE_SPLAT(b.y), tz = SCORE_SPLAT(b.z);
    s->xx = SCORE_FMA(x, tx, s->xx);
    s->xy = SCORE_FMA(x, ty, s->xy);
    s->xz = SCORE_FMA(x, tz, s->xz);
    s->yx = SCORE_FMA(y, tx, s->yx);
    s->yy = SCORE_FMA(y, ty, s->yy);
    s->yz = SCORE_FMA(y, tz, s->yz);
    s->zx = SCORE_FMA(z, tx, s->zx);
    s->zy = SCORE_FMA(z, ty, s->zy);
    s->zz = SCORE_FMA(z, tz, s->zz);
}

DEVICE_FN void score_add(score_sums *s, SCORE_REAL weight, qn_float4 a, qn_float4 b)
{
    score_add_means(s, weight, a, b);
    score_add_products(s, weight, a, b);
}

DEVICE_FN void score_clear(score_sums *s)
{
    const SCORE_REAL zero = SCORE_SPLAT(0.0f);
    s->weight = s->x = s->y = s->z = s->tx = s->ty = s->tz = zero;
    s->xx = s->xy = s->xz = s->yx = s->yy = s->yz = s->zx = s->zy = s->zz = zero;
}

/* Squared distance of an atom after the motion. */
DEVICE_FN SCORE_REAL score_square(const score_motion *m, qn_float4 a, qn_float4 b)
{
    const SCORE_REAL ax = SCORE_SPLAT(a.x), ay = SCORE_SPLAT(a.y), az = SCORE_SPLAT(a.z);
    const SCORE_REAL x = SCORE_FMA(m->xx, ax, SCORE_FMA(m->xy, ay, SCORE_FMA(m->xz, az, m->tx))) - SCORE_SPLAT(b.x);
    const SCORE_REAL y = SCORE_FMA(m->yx, ax, SCORE_FMA(m->yy, ay, SCORE_FMA(m->yz, az, m->ty))) - SCORE_SPLAT(b.y);
    const SCORE_REAL z = SCORE_FMA(m->zx, ax, SCORE_FMA(m->zy, ay, SCORE_FMA(m->zz, az, m->tz))) - SCORE_SPLAT(b.z);
    return SCORE_FMA(x, x, SCORE_FMA(y, y, z * z));
}

/* Tally an atom, and return its weight in the next superposition: minus the derivative of its smooth score by its
 * squared distance, up to a factor. Where k is 1, the score then never falls, because it is a sum of convex functions
 * of squared distances, which lie above their tangents. */
DEVICE_FN SCORE_REAL score_tally_atom(int objective, score_phase phase, SCORE_REAL square, score_tally *tally)
{
    const SCORE_REAL zero = SCORE_SPLAT(0.0f), one = SCORE_SPLAT(1.0f);
    const SCORE_REAL most = SCORE_SPLAT(phase.doublings > 0 ? SCORE_MOST_RATIO : 1e20f);
    const SCORE_REAL ratio = SCORE_MIN(square * SCORE_SPLAT(phase.inverse_square), most);
    SCORE_REAL power = ratio, before = one; /* u^k and u^(k - 1) */
    for (int k = 0; k < phase.doublings; k++) {
        before = before * power;
        power = power * power;
    }
    const SCORE_REAL step = score_reciprocal(one + power);
    if (objective == SCORE_GDT)
        for (int k = 0; k < 4; k++)
            tally->within[k] = tally->within[k] + SCORE_IF_LESS(SCORE_SPLAT((float)(1 << 2 * k)), square, zero, one);
    if (objective != SCORE_MAXSUB) {
        tally->smooth = tally->smooth + step;
        return before * step * step;
    }
    const SCORE_REAL share = score_reciprocal(one + ratio), product = share * step;
    tally->within[0] = tally->within[0] + SCORE_IF_LESS(one, ratio, zero, share);
    tally->smooth = tally->smooth + product;
    return product * SCORE_FMA(SCORE_SPLAT((float)(1 << phase.doublings)) * before, step, share);
}

#endif
