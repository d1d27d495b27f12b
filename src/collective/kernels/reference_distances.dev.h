/* The best rotation of one set of points onto another, in single precision, and the kernel's arguments. */
#ifndef QN_COLLECTIVE_REFERENCE_DISTANCES_DEV_H
#define QN_COLLECTIVE_REFERENCE_DISTANCES_DEV_H

enum {
    DISTANCES_REFERENCES,
    DISTANCES_FRAME,
    DISTANCES_RMSD,
    DISTANCES_STRIDE,
    DISTANCES_COUNT,
    DISTANCES_INVERSE, /* RMSD: 1 / Σ w; dRMSD: 2 / (m (m − 1)) */
    DISTANCES_ARGUMENTS,
    DISTANCES_ATOMS = DISTANCES_ARGUMENTS, /* of dRMSD alone */
    DRMSD_ARGUMENTS
};

/* Work-items of a reference, each of which sums every 16th atom. Their sums are added as a tree. */
enum { DISTANCE_LANES = 16, DISTANCE_SWEEPS = 6 };

DEVICE_FN float distance_between(float ax, float ay, float az, float bx, float by, float bz)
{
    const float x = ax - bx, y = ay - by, z = az - bz;
    return SQRT(x * x + y * y + z * z);
}

/* A plane rotation that makes the element pq of a symmetric matrix 0 (Jacobi 1846); r and s are the other two rows, p
 * and q the vectors that follow. */
DEVICE_FN void distance_rotate(float *pp, float *qq, float *pq, float *pr, float *qr, float *ps, float *qs, float *p,
                               float *q)
{
    if (*pq == 0.0f) return;
    const float ratio = (*qq - *pp) / (2.0f * *pq);
    const float tangent = (ratio < 0.0f ? -1.0f : 1.0f) / (ABS(ratio) + SQRT(ratio * ratio + 1.0f));
    const float cosine = 1.0f / SQRT(tangent * tangent + 1.0f), sine = tangent * cosine;
    const float r = *pr, s = *ps;
    *pp -= tangent * *pq;
    *qq += tangent * *pq;
    *pq = 0.0f;
    *pr = cosine * r - sine * *qr;
    *qr = sine * r + cosine * *qr;
    *ps = cosine * s - sine * *qs;
    *qs = sine * s + cosine * *qs;
    UNROLL
    for (int k = 0; k < 4; k++) {
        const float old = p[k];
        p[k] = cosine * old - sine * q[k];
        q[k] = sine * old + cosine * q[k];
    }
}

/* r = the rotation, row-major, that maximises Σ w (r · from) · to, from s[3 a + b] = Σ w from_a to_b: the eigenvector
 * of the largest eigenvalue of Horn's matrix (Horn 1987). Jacobi's method gives a unit vector also where eigenvalues
 * coincide. */
DEVICE_FN void distance_rotation(const float *s, float *r)
{
    float a = s[0] + s[4] + s[8], b = s[0] - s[4] - s[8], c = s[4] - s[0] - s[8], d = s[8] - s[0] - s[4];
    float ab = s[5] - s[7], ac = s[6] - s[2], ad = s[1] - s[3], bc = s[1] + s[3], bd = s[6] + s[2], cd = s[5] + s[7];
    float u[4] = {1.0f, 0.0f, 0.0f, 0.0f}, v[4] = {0.0f, 1.0f, 0.0f, 0.0f};
    float w[4] = {0.0f, 0.0f, 1.0f, 0.0f}, t[4] = {0.0f, 0.0f, 0.0f, 1.0f};
    for (int sweep = 0; sweep < DISTANCE_SWEEPS; sweep++) {
        distance_rotate(&a, &b, &ab, &ac, &bc, &ad, &bd, u, v);
        distance_rotate(&a, &c, &ac, &ab, &bc, &ad, &cd, u, w);
        distance_rotate(&a, &d, &ad, &ab, &bd, &ac, &cd, u, t);
        distance_rotate(&b, &c, &bc, &ab, &ac, &bd, &cd, v, w);
        distance_rotate(&b, &d, &bd, &ab, &ad, &bc, &cd, v, t);
        distance_rotate(&c, &d, &cd, &ac, &ad, &bc, &bd, w, t);
    }
    UNROLL
    for (int k = 0; k < 4; k++) {
        if (b > a) u[k] = v[k];
        if (d > c) w[k] = t[k];
    }
    const bool second = MAX(c, d) > MAX(a, b);
    UNROLL
    for (int k = 0; k < 4; k++) u[k] = second ? w[k] : u[k];
    const float scale = 2.0f / (u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3]);
    r[0] = 1.0f - scale * (u[2] * u[2] + u[3] * u[3]);
    r[1] = scale * (u[1] * u[2] - u[0] * u[3]);
    r[2] = scale * (u[1] * u[3] + u[0] * u[2]);
    r[3] = scale * (u[1] * u[2] + u[0] * u[3]);
    r[4] = 1.0f - scale * (u[1] * u[1] + u[3] * u[3]);
    r[5] = scale * (u[2] * u[3] - u[0] * u[1]);
    r[6] = scale * (u[1] * u[3] - u[0] * u[2]);
    r[7] = scale * (u[2] * u[3] + u[0] * u[1]);
    r[8] = 1.0f - scale * (u[1] * u[1] + u[2] * u[2]);
}

#endif
