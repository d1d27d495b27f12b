/* Numbers of deform/elements at a point of an element, for OpenCL, CUDA and the host; the formulas are
 * those of docs/design/deform_forms.md. A REAL is a float, or on the host a vector of floats, one for each state.
 * Symmetric matrices are six numbers in the order 00, 11, 22, 01, 12, 02. */
#ifndef QN_DEFORM_ELEMENTS_DEV_H
#define QN_DEFORM_ELEMENTS_DEV_H

/* Material, mesh and batch of a launch. */
typedef struct elements_numbers {
    float lambda, mu;      /* svk, Pa */
    float c10, c01, kappa; /* Mooney-Rivlin, Pa; kappa is 0 in the mixed form */
    float inverse_kappa;   /* mixed form, 1/Pa; 0: incompressible */
    float each, same;      /* order 1, 1/Pa: entry a, b of an element's matrix of pressures is each + same · δ_ab */
    int elements, nodes, blocks;
    int count, stride;        /* states; numbers between those of one entry and the next */
    int chunk;                /* elements that are added up before others */
    int order, mixed, mooney; /* for the host; devices have definitions of the same names */
} elements_numbers;

/* Chunks of elements whose measures are added up for themselves, and states of a group that adds them. */
#define ELEMENTS_CHUNKS 32
#define ELEMENTS_MEASURED 8

/* Elements of a pair: element << 8 | row's node << 4 | column's node; of a node: element << 4 | node. */
#define ELEMENTS_PAIR_BITS 8
#define ELEMENTS_NODE_BITS 4

#ifndef REAL
#define REAL float
#define REAL_OF(x) (x)
#define REAL_FMA(a, b, c) FMA(a, b, c)

/* 1/∛v within 4 %: the bits of a float are nearly its logarithm. Products of floats, so that all devices agree. */
DEVICE_FN float real_inverse_root(float v)
{
    const float bits = (float)(int)FLOAT_BITS(v);
    return BITS_FLOAT((int)(1419967116.0f - bits * 0.333333333f));
}
#endif

/* Value of the shape function of pressure a at a point of order 2. */
DEVICE_FN float elements_shape(int point, int a)
{
    return point == a ? 0.5854101966249685f : 0.1381966011250105f;
}

DEVICE_FN REAL elements_minor(REAL a, REAL b, REAL c, REAL d)
{
    return REAL_FMA(a, b, -(c * d));
}

DEVICE_FN REAL elements_dot(const REAL *a, const REAL *b)
{
    return REAL_FMA(a[0], b[0], REAL_FMA(a[1], b[1], a[2] * b[2]));
}

/* m v of a matrix with a vector that all states share, and with one of each state. */
DEVICE_FN void elements_times_shared(const REAL *m, const float *v, REAL *out)
{
    UNROLL
    for (int i = 0; i < 3; i++)
        out[i] = REAL_FMA(m[3 * i], REAL_OF(v[0]), REAL_FMA(m[3 * i + 1], REAL_OF(v[1]), m[3 * i + 2] * REAL_OF(v[2])));
}

DEVICE_FN void elements_symmetric_times(const REAL *s, const REAL *v, REAL *out)
{
    out[0] = REAL_FMA(s[0], v[0], REAL_FMA(s[3], v[1], s[5] * v[2]));
    out[1] = REAL_FMA(s[3], v[0], REAL_FMA(s[1], v[1], s[4] * v[2]));
    out[2] = REAL_FMA(s[5], v[0], REAL_FMA(s[4], v[1], s[2] * v[2]));
}

DEVICE_FN void elements_symmetric_times_shared(const REAL *s, const float *v, REAL *out)
{
    const REAL vector[3] = {REAL_OF(v[0]), REAL_OF(v[1]), REAL_OF(v[2])};
    elements_symmetric_times(s, vector, out);
}

/* G += u gradᵀ */
DEVICE_FN void elements_add_gradient(const REAL *u, const float *gradient, REAL *g)
{
    UNROLL
    for (int i = 0; i < 3; i++) {
        UNROLL
        for (int j = 0; j < 3; j++) g[3 * i + j] = REAL_FMA(u[i], REAL_OF(gradient[j]), g[3 * i + j]);
    }
}

/* F g for F = I + G. */
DEVICE_FN void elements_deform(const REAL *g, const float *gradient, REAL *out)
{
    elements_times_shared(g, gradient, out);
    UNROLL
    for (int i = 0; i < 3; i++) out[i] = out[i] + REAL_OF(gradient[i]);
}

/* J − 1, without the digits that a determinant of F would lose. */
DEVICE_FN REAL elements_volume_change(const REAL *g)
{
    const REAL c0 = elements_minor(g[4], g[8], g[5], g[7]), c1 = elements_minor(g[5], g[6], g[3], g[8]);
    const REAL c2 = elements_minor(g[3], g[7], g[4], g[6]);
    const REAL minors = c0 + elements_minor(g[0], g[8], g[2], g[6]) + elements_minor(g[0], g[4], g[1], g[3]);
    const REAL determinant = REAL_FMA(g[0], c0, REAL_FMA(g[1], c1, g[2] * c2));
    return (g[0] + g[4] + g[8]) + (minors + determinant);
}

DEVICE_FN void elements_cofactor(const REAL *g, REAL *c)
{
    REAL f[9];
    UNROLL
    for (int k = 0; k < 9; k++) f[k] = k % 4 == 0 ? g[k] + REAL_OF(1.0f) : g[k];
    UNROLL
    for (int i = 0; i < 3; i++) {
        UNROLL
        for (int j = 0; j < 3; j++) {
            const int i1 = 3 * ((i + 1) % 3), i2 = 3 * ((i + 2) % 3), j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            c[3 * i + j] = elements_minor(f[i1 + j1], f[i2 + j2], f[i1 + j2], f[i2 + j1]);
        }
    }
}

DEVICE_FN void elements_symmetric_cofactor(const REAL *s, REAL *c)
{
    c[0] = elements_minor(s[1], s[2], s[4], s[4]);
    c[1] = elements_minor(s[0], s[2], s[5], s[5]);
    c[2] = elements_minor(s[0], s[1], s[3], s[3]);
    c[3] = elements_minor(s[4], s[5], s[3], s[2]);
    c[4] = elements_minor(s[3], s[5], s[0], s[4]);
    c[5] = elements_minor(s[3], s[4], s[1], s[5]);
}

DEVICE_FN REAL elements_strain(REAL sum, REAL a, REAL b, REAL c, REAL d, REAL e, REAL f)
{
    return sum + REAL_FMA(a, b, REAL_FMA(c, d, e * f));
}

/* G + Gᵀ + GᵀG = FᵀF − I */
DEVICE_FN void elements_right_strain(const REAL *g, REAL *c)
{
    c[0] = elements_strain(g[0] + g[0], g[0], g[0], g[3], g[3], g[6], g[6]);
    c[1] = elements_strain(g[4] + g[4], g[1], g[1], g[4], g[4], g[7], g[7]);
    c[2] = elements_strain(g[8] + g[8], g[2], g[2], g[5], g[5], g[8], g[8]);
    c[3] = elements_strain(g[1] + g[3], g[0], g[1], g[3], g[4], g[6], g[7]);
    c[4] = elements_strain(g[5] + g[7], g[1], g[2], g[4], g[5], g[7], g[8]);
    c[5] = elements_strain(g[2] + g[6], g[0], g[2], g[3], g[5], g[6], g[8]);
}

/* G + Gᵀ + GGᵀ = FFᵀ − I */
DEVICE_FN void elements_left_strain(const REAL *g, REAL *b)
{
    b[0] = elements_strain(g[0] + g[0], g[0], g[0], g[1], g[1], g[2], g[2]);
    b[1] = elements_strain(g[4] + g[4], g[3], g[3], g[4], g[4], g[5], g[5]);
    b[2] = elements_strain(g[8] + g[8], g[6], g[6], g[7], g[7], g[8], g[8]);
    b[3] = elements_strain(g[1] + g[3], g[0], g[3], g[1], g[4], g[2], g[5]);
    b[4] = elements_strain(g[5] + g[7], g[3], g[6], g[4], g[7], g[5], g[8]);
    b[5] = elements_strain(g[2] + g[6], g[0], g[6], g[1], g[7], g[2], g[8]);
}

/* ---- St Venant-Kirchhoff ---- */

/* S = λ tr E I + 2μE */
DEVICE_FN void elements_svk_stress(const elements_numbers *n, const REAL *g, REAL *s)
{
    REAL c[6];
    elements_right_strain(g, c);
    const REAL mean = REAL_OF(0.5f * n->lambda) * (c[0] + c[1] + c[2]);
    UNROLL
    for (int k = 0; k < 6; k++) s[k] = k < 3 ? REAL_FMA(REAL_OF(n->mu), c[k], mean) : REAL_OF(n->mu) * c[k];
}

/* W = λ/2 (tr E)² + μ E:E */
DEVICE_FN REAL elements_svk_energy(const elements_numbers *n, const REAL *g)
{
    REAL c[6];
    elements_right_strain(g, c);
    const REAL trace = c[0] + c[1] + c[2], shear = elements_dot(c + 3, c + 3);
    const REAL square = elements_dot(c, c) + (shear + shear);
    return REAL_FMA(REAL_OF(0.125f * n->lambda) * trace, trace, REAL_OF(0.25f * n->mu) * square);
}

/* Force of a node over the weight: F S g. */
DEVICE_FN void elements_svk_force(const REAL *g, const REAL *s, const float *gradient, REAL *force)
{
    REAL t[3];
    elements_symmetric_times_shared(s, gradient, t);
    UNROLL
    for (int i = 0; i < 3; i++)
        force[i] = t[i] + REAL_FMA(g[3 * i], t[0], REAL_FMA(g[3 * i + 1], t[1], g[3 * i + 2] * t[2]));
}

/* part += factor s + diagonal I */
DEVICE_FN void elements_add_symmetric(const REAL *s, REAL factor, REAL diagonal, REAL *part)
{
    part[0] = REAL_FMA(factor, s[0], part[0]) + diagonal;
    part[4] = REAL_FMA(factor, s[1], part[4]) + diagonal;
    part[8] = REAL_FMA(factor, s[2], part[8]) + diagonal;
    part[1] = REAL_FMA(factor, s[3], part[1]);
    part[3] = REAL_FMA(factor, s[3], part[3]);
    part[5] = REAL_FMA(factor, s[4], part[5]);
    part[7] = REAL_FMA(factor, s[4], part[7]);
    part[2] = REAL_FMA(factor, s[5], part[2]);
    part[6] = REAL_FMA(factor, s[5], part[6]);
}

/* part += left rightᵀ */
DEVICE_FN void elements_add_product(const REAL *left, const REAL *right, REAL *part)
{
    UNROLL
    for (int i = 0; i < 3; i++) {
        UNROLL
        for (int j = 0; j < 3; j++) part[3 * i + j] = REAL_FMA(left[i], right[j], part[3 * i + j]);
    }
}

DEVICE_FN float elements_shared_dot(const float *a, const float *b)
{
    return FMA(a[0], b[0], FMA(a[1], b[1], a[2] * b[2]));
}

/* part += weight [λ a bᵀ + μ b aᵀ + μ (g_a·g_b) B + (g_a·S g_b) I] for row a and column b: their gradients, images
 * F g, and S g of the column. `left`: B. */
DEVICE_FN void elements_svk_block(const elements_numbers *n, float weight, const REAL *left, const float *row_gradient,
                                  const float *column_gradient, const REAL *row, const REAL *column,
                                  const REAL *column_stress, REAL *part)
{
    const float lambda = weight * n->lambda, mu = weight * n->mu;
    REAL first[3], second[3];
    UNROLL
    for (int i = 0; i < 3; i++) {
        first[i] = REAL_OF(lambda) * row[i];
        second[i] = REAL_OF(mu) * column[i];
    }
    elements_add_product(first, column, part);
    elements_add_product(second, row, part);
    const REAL stress =
        REAL_FMA(REAL_OF(row_gradient[0]), column_stress[0],
                 REAL_FMA(REAL_OF(row_gradient[1]), column_stress[1], REAL_OF(row_gradient[2]) * column_stress[2]));
    elements_add_symmetric(left, REAL_OF(mu * elements_shared_dot(row_gradient, column_gradient)),
                           REAL_OF(weight) * stress, part);
}

/* ---- Mooney-Rivlin ---- */

typedef struct elements_mooney {
    REAL change;         /* J − 1 */
    REAL inverse;        /* 1/J */
    REAL square, fourth; /* J^(−2/3) − 1, J^(−4/3) − 1 */
    REAL alpha, beta;    /* c10 J^(−2/3), c01 J^(−4/3) */
    REAL strain[6];      /* B − I */
    REAL minors[6];      /* cofactors of B − I */
    REAL first, second;  /* I1 − 3, I2 − 3 */
} elements_mooney;

/* J^(−1/3) = 1 + z: three steps of Newton's method for 1/∛J, and one for z, which keeps its digits where J is near 1.
 */
DEVICE_FN void elements_mooney_make(const elements_numbers *n, const REAL *g, elements_mooney *m)
{
    const REAL third = REAL_OF(0.333333333f), one = REAL_OF(1.0f), three = REAL_OF(3.0f);
    m->change = elements_volume_change(g);
    const REAL volume = one + m->change;
    REAL y = real_inverse_root(volume);
    UNROLL
    for (int k = 0; k < 3; k++) y = REAL_FMA(y * REAL_FMA(-volume, y * y * y, one), third, y);
    REAL z = y - one;
    const REAL cube = z * REAL_FMA(z, z + three, three);
    z = REAL_FMA(-(y * third), REAL_FMA(cube, volume, m->change), z);
    y = one + z;
    m->inverse = y * y * y;
    m->square = REAL_FMA(z, z, z + z);
    m->fourth = REAL_FMA(m->square, m->square, m->square + m->square);
    m->alpha = REAL_FMA(REAL_OF(n->c10), m->square, REAL_OF(n->c10));
    m->beta = REAL_FMA(REAL_OF(n->c01), m->fourth, REAL_OF(n->c01));
    elements_left_strain(g, m->strain);
    elements_symmetric_cofactor(m->strain, m->minors);
    m->first = m->strain[0] + m->strain[1] + m->strain[2];
    m->second = m->first + m->first + (m->minors[0] + m->minors[1] + m->minors[2]);
}

/* Cauchy's stress dev(2 (α + β) (B − I) − 2β cof(B − I)) / J + p I */
DEVICE_FN void elements_mooney_stress(const elements_mooney *m, REAL pressure, REAL *s)
{
    const REAL sum = (m->alpha + m->beta) * m->inverse, left = sum + sum;
    const REAL beta = m->beta * m->inverse, right = beta + beta;
    UNROLL
    for (int k = 0; k < 6; k++) s[k] = REAL_FMA(left, m->strain[k], -(right * m->minors[k]));
    const REAL shift = REAL_FMA(s[0] + s[1] + s[2], REAL_OF(-0.333333333f), pressure);
    UNROLL
    for (int k = 0; k < 3; k++) s[k] = s[k] + shift;
}

/* c10 (J^(−2/3) I1 − 3) + c01 (J^(−4/3) I2 − 3) */
DEVICE_FN REAL elements_mooney_energy(const elements_numbers *n, const elements_mooney *m)
{
    const REAL three = REAL_OF(3.0f);
    const REAL first = REAL_FMA(m->square, m->first + three, m->first);
    const REAL second = REAL_FMA(m->fourth, m->second + three, m->second);
    return REAL_FMA(REAL_OF(n->c10), first, REAL_OF(n->c01) * second);
}

/* Numbers that blocks share at a point: B, X (docs/design/deform_forms.md) and three numbers, the weight included. */
typedef struct elements_tangent {
    REAL left[6], x[6];
    REAL gamma, two_beta, delta;
} elements_tangent;

/* `stiffness`: J dp/dJ where the pressure depends on J, 0 where it is an unknown. */
DEVICE_FN void elements_tangent_make(const elements_mooney *m, float weight, REAL pressure, REAL stiffness,
                                     elements_tangent *t)
{
    const REAL one = REAL_OF(1.0f), three = REAL_OF(3.0f), scale = REAL_OF(weight);
    const REAL alpha = m->alpha * scale, beta = m->beta * scale, volume = (one + m->change) * scale;
    const REAL first = alpha * (m->first + three), second = beta * (m->second + three);
    const REAL mixed =
        REAL_FMA(REAL_OF(0.444444444f), first, REAL_OF(-3.555555556f) * second) + volume * (pressure + stiffness);
    const REAL a = REAL_OF(-1.333333333f) * alpha, b = REAL_OF(2.666666667f) * beta;
    UNROLL
    for (int k = 0; k < 6; k++) {
        const REAL cofactor = k < 3 ? (one + m->first) - m->strain[k] + m->minors[k] : m->minors[k] - m->strain[k];
        t->left[k] = k < 3 ? one + m->strain[k] : m->strain[k];
        t->x[k] = REAL_FMA(a, t->left[k], b * cofactor);
        if (k < 3) t->x[k] = REAL_FMA(REAL_OF(0.5f), mixed, t->x[k]);
    }
    t->two_beta = beta + beta;
    t->gamma = REAL_FMA(t->two_beta, m->first + three, alpha + alpha);
    t->delta = REAL_FMA(REAL_OF(0.666666667f), REAL_FMA(REAL_OF(2.0f), second, first), -(volume * pressure));
}

/* A node at a point: a = F g, y = F⁻ᵀ g, X y. */
typedef struct elements_node {
    REAL a[3], y[3], x[3];
} elements_node;

/* `cofactor`: of F. */
DEVICE_FN void elements_node_make(const REAL *g, const REAL *cofactor, REAL inverse, const REAL *x,
                                  const float *gradient, elements_node *node)
{
    elements_deform(g, gradient, node->a);
    elements_times_shared(cofactor, gradient, node->y);
    UNROLL
    for (int i = 0; i < 3; i++) node->y[i] = node->y[i] * inverse;
    elements_symmetric_times(x, node->y, node->x);
}

/* part += (γ g_a·g_b − 2β a·b) I − 2β (g_a·g_b) B + 4β a bᵀ − 2β b aᵀ + (X y_a) y_bᵀ + y_a (X y_b)ᵀ + δ y_b y_aᵀ */
DEVICE_FN void elements_mooney_block(const elements_tangent *t, const float *row_gradient, const float *column_gradient,
                                     const elements_node *row, const elements_node *column, REAL *part)
{
    const REAL product = REAL_OF(elements_shared_dot(row_gradient, column_gradient));
    const REAL deformed = elements_dot(row->a, column->a), four = t->two_beta + t->two_beta;
    REAL first[3], second[3], third[3];
    UNROLL
    for (int i = 0; i < 3; i++) {
        first[i] = four * row->a[i];
        second[i] = -(t->two_beta * column->a[i]);
        third[i] = t->delta * column->y[i];
    }
    elements_add_product(first, column->a, part);
    elements_add_product(second, row->a, part);
    elements_add_product(row->x, column->y, part);
    elements_add_product(row->y, column->x, part);
    elements_add_product(third, row->y, part);
    elements_add_symmetric(t->left, -(t->two_beta * product), REAL_FMA(t->gamma, product, -(t->two_beta * deformed)),
                           part);
}

#endif
