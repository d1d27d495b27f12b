/* With z = R y and the deviation Σ v |x − z|²: a small turn θ changes z by θ × z. The best rotation keeps
 * Σ w z × x = 0, so a change of x turns it by θ = A⁻¹ Σ w z × dx with A = tr(P) 1 − P, P = Σ w z xᵀ, which is
 * symmetric. The deviation changes by −2 θ · T with T = Σ v z × x, so its gradient has the term −2 w (k × z) with k =
 * A⁻¹ T. */
#include "collective/turn.h"

/* product[3 i + j] = Σ_a rotation[3 i + a] s[3 a + j]: the correlation of the turned points. */
static void turn_correlation(const double *rotation, const double s[9], double product[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            product[3 * i + j] =
                rotation[3 * i] * s[j] + rotation[3 * i + 1] * s[3 + j] + rotation[3 * i + 2] * s[6 + j];
}

/* k = A⁻¹ T by cofactors; 0 if A is singular. */
static void solve(const double p[9], const double t[3], double k[3])
{
    const double trace = p[0] + p[4] + p[8], singular = 1e-9;
    const double a = trace - p[0], b = trace - p[4], c = trace - p[8];
    const double d = -0.5 * (p[1] + p[3]), e = -0.5 * (p[2] + p[6]), f = -0.5 * (p[5] + p[7]);
    const double aa = b * c - f * f, ab = e * f - d * c, ac = d * f - e * b;
    const double bb = a * c - e * e, bc = d * e - a * f, cc = a * b - d * d;
    const double determinant = a * aa + d * ab + e * ac;
    k[0] = k[1] = k[2] = 0;
    if (!(determinant > singular * trace * trace * trace)) return;
    k[0] = (aa * t[0] + ab * t[1] + ac * t[2]) / determinant;
    k[1] = (ab * t[0] + bb * t[1] + bc * t[2]) / determinant;
    k[2] = (ac * t[0] + bc * t[1] + cc * t[2]) / determinant;
}

qn_collective_turn qn_collective_turn_of(const qn_collective_turn_sums *sums)
{
    const double *r = sums->rotation;
    double p[9], q[9], k[3];
    qn_collective_turn turn;
    turn_correlation(r, sums->s, p);
    turn_correlation(r, sums->deviation_s, q);
    solve(p, (const double[3]){q[5] - q[7], q[6] - q[2], q[1] - q[3]}, k);
    for (int j = 0; j < 3; j++) {
        turn.matrix[j] = k[1] * r[6 + j] - k[2] * r[3 + j];
        turn.matrix[3 + j] = k[2] * r[j] - k[0] * r[6 + j];
        turn.matrix[6 + j] = k[0] * r[3 + j] - k[1] * r[j];
        const double turned = r[3 * j] * sums->mean[0] + r[3 * j + 1] * sums->mean[1] + r[3 * j + 2] * sums->mean[2];
        turn.shift[j] = (sums->frame[j] - turned) / sums->weight_sum;
    }
    return turn;
}
