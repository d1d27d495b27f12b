#include "math/superpose.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/qcp.h"
#include "math/symmetric.h"

static double weight_of(const double *weights, size_t i)
{
    return weights ? weights[i] : 1;
}

static double sum_weights(const double *weights, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += weight_of(weights, i);
    return sum;
}

static void mean_point(const double *points, const double *weights, size_t count, double mean[3])
{
    double sum = sum_weights(weights, count);
    mean[0] = mean[1] = mean[2] = 0;
    for (size_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++) mean[axis] += weight_of(weights, i) * points[3 * i + axis];
    for (int axis = 0; axis < 3; axis++) mean[axis] /= sum;
}

/* s[a][b] = Σ w · mobile_a · reference_b, both about their means. */
static void correlate(const double *mobile, const double *reference, const double *weights, size_t count,
                      const double mobile_mean[3], const double reference_mean[3], double s[3][3])
{
    memset(s, 0, 9 * sizeof(double));
    for (size_t i = 0; i < count; i++)
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                s[a][b] += weight_of(weights, i) * (mobile[3 * i + a] - mobile_mean[a]) *
                           (reference[3 * i + b] - reference_mean[b]);
}

/* Horn 1987, the symmetric matrix N whose eigenvector of the largest eigenvalue is the best quaternion. */
static void horn_matrix(const double s[3][3], double n[4][4])
{
    n[0][0] = s[0][0] + s[1][1] + s[2][2];
    n[1][1] = s[0][0] - s[1][1] - s[2][2];
    n[2][2] = -s[0][0] + s[1][1] - s[2][2];
    n[3][3] = -s[0][0] - s[1][1] + s[2][2];
    n[0][1] = n[1][0] = s[1][2] - s[2][1];
    n[0][2] = n[2][0] = s[2][0] - s[0][2];
    n[0][3] = n[3][0] = s[0][1] - s[1][0];
    n[1][2] = n[2][1] = s[0][1] + s[1][0];
    n[1][3] = n[3][1] = s[2][0] + s[0][2];
    n[2][3] = n[3][2] = s[1][2] + s[2][1];
}

static void quaternion_to_rotation(const double q[4], double r[9])
{
    r[0] = q[0] * q[0] + q[1] * q[1] - q[2] * q[2] - q[3] * q[3];
    r[1] = 2 * (q[1] * q[2] - q[0] * q[3]);
    r[2] = 2 * (q[1] * q[3] + q[0] * q[2]);
    r[3] = 2 * (q[1] * q[2] + q[0] * q[3]);
    r[4] = q[0] * q[0] - q[1] * q[1] + q[2] * q[2] - q[3] * q[3];
    r[5] = 2 * (q[2] * q[3] - q[0] * q[1]);
    r[6] = 2 * (q[1] * q[3] - q[0] * q[2]);
    r[7] = 2 * (q[2] * q[3] + q[0] * q[1]);
    r[8] = q[0] * q[0] - q[1] * q[1] - q[2] * q[2] + q[3] * q[3];
}

/* ---- the rotation from the correlation alone ---- */

/* Minors of two columns of the rows a and b of n: columns 01 02 03 12 13 23. */
static void row_minors(const double n[4][4], int a, int b, double minors[6])
{
    int k = 0;
    for (int i = 0; i < 4; i++)
        for (int j = i + 1; j < 4; j++) minors[k++] = n[a][i] * n[b][j] - n[a][j] * n[b][i];
}

/* A column of the adjugate of n − value·1, which is an eigenvector where `value` is a simple eigenvalue: the longest of
 * the four. Returns its length relative to value³, which is small where another eigenvalue is near. */
static double adjugate_column(const double n[4][4], double value, double column[4])
{
    double m[4][4], upper[6], lower[6], best = 0;
    memcpy(m, n, sizeof m);
    for (int k = 0; k < 4; k++) m[k][k] -= value;
    row_minors(m, 0, 1, upper);
    row_minors(m, 2, 3, lower);
    /* columns 0 and 1 from the minors of rows 2 and 3, columns 2 and 3 from those of rows 0 and 1 */
    for (int c = 0; c < 4; c++) {
        const double *o = m[c ^ 1], *p = c < 2 ? lower : upper, sign = c % 2 ? -1 : 1;
        const double candidate[4] = {
            sign * (o[1] * p[5] - o[2] * p[4] + o[3] * p[3]), -sign * (o[0] * p[5] - o[2] * p[2] + o[3] * p[1]),
            sign * (o[0] * p[4] - o[1] * p[2] + o[3] * p[0]), -sign * (o[0] * p[3] - o[1] * p[1] + o[2] * p[0])};
        double square = 0;
        for (int k = 0; k < 4; k++) square += candidate[k] * candidate[k];
        if (square > best) {
            best = square;
            memcpy(column, candidate, sizeof candidate);
        }
    }
    const double length = sqrt(best);
    for (int k = 0; k < 4 && length > 0; k++) column[k] /= length;
    return length / (value * value * value);
}

/* Rayleigh's quotient: its error is the square of the vector's. */
static double rayleigh(const double n[4][4], const double q[4])
{
    double sum = 0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) sum += q[i] * n[i][j] * q[j];
    return sum;
}

void qn_superpose_correlation(const double s[9], double rotation[9])
{
    /* The largest eigenvalue is σ1 + σ2 ± σ3 with the singular values σ of s, so √3 |s| bounds it. Where another
     * eigenvalue is near, the error of the root grows as the square of 1 / separation, and that of the column as
     * 1 / separation. Rayleigh's quotient of the column then is the better eigenvalue. */
    const double well_separated = 0.3, separated = 1e-5;
    double q[4] = {1, 0, 0, 0}, scaled[9], rows[3][3], n[4][4], values[4], vectors[16], norm = 0;
    for (int k = 0; k < 9; k++) norm += s[k] * s[k];
    norm = sqrt(norm);
    if (isfinite(norm) && norm > 0) {
        for (int k = 0; k < 9; k++) scaled[k] = s[k] / norm;
        memcpy(rows, scaled, sizeof rows);
        horn_matrix(rows, n);
        double separation = adjugate_column(n, qn_qcp_overlap(scaled, sqrt(3)), q);
        if (separation < well_separated && separation > separated) separation = adjugate_column(n, rayleigh(n, q), q);
        if (!(separation > separated)) {
            qn_symmetric_eigen(n[0], 4, values, vectors);
            memcpy(q, vectors + 12, sizeof q);
        }
    }
    quaternion_to_rotation(q, rotation);
}

/* RMSD summed over the moved points: the closed form (Σ|a|² + Σ|b|² − 2λ) loses half the digits when the fit is
 * good. */
static double remaining_rmsd(const double *mobile, const double *reference, const double *weights, size_t count,
                             const double r[9], const double t[3])
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const double *x = mobile + 3 * i, *y = reference + 3 * i;
        for (int axis = 0; axis < 3; axis++) {
            const double *row = r + 3 * axis;
            double difference = row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + t[axis] - y[axis];
            sum += weight_of(weights, i) * difference * difference;
        }
    }
    return sqrt(sum / sum_weights(weights, count));
}

qn_status qn_superpose_weighted(const double *mobile, const double *reference, const double *weights, size_t count,
                                double rotation[9], double translation[3], double *rmsd)
{
    if (count < 3) return QN_FAIL(QN_INVALID_ARGUMENT, "superposition of %zu points, at least 3 are needed", count);
    if (!(sum_weights(weights, count) > 0))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "superposition of %zu points whose weights sum to 0; expected a sum above 0", count);
    double mobile_mean[3], reference_mean[3], s[3][3], n[4][4], values[4], vectors[16], trace = 0;
    mean_point(mobile, weights, count, mobile_mean);
    mean_point(reference, weights, count, reference_mean);
    correlate(mobile, reference, weights, count, mobile_mean, reference_mean, s);
    for (int a = 0; a < 9; a++) trace += fabs(s[a / 3][a % 3]);
    if (!isfinite(trace)) return QN_FAIL(QN_INVALID_ARGUMENT, "superposition of %zu points: not all are finite", count);
    horn_matrix(s, n);
    /* Jacobi instead of Newton on the characteristic polynomial: for collinear and coincident points the largest
     * eigenvalue is multiple; any of its eigenvectors fits equally well, and Jacobi still returns a unit vector. */
    qn_symmetric_eigen(n[0], 4, values, vectors);
    quaternion_to_rotation(vectors + 12, rotation);
    for (int axis = 0; axis < 3; axis++) {
        const double *row = rotation + 3 * axis;
        translation[axis] =
            reference_mean[axis] - row[0] * mobile_mean[0] - row[1] * mobile_mean[1] - row[2] * mobile_mean[2];
    }
    if (rmsd) *rmsd = remaining_rmsd(mobile, reference, weights, count, rotation, translation);
    return QN_OK;
}

qn_status qn_superpose(const double *mobile, const double *reference, size_t count, double rotation[9],
                       double translation_angstrom[3], double *rmsd_angstrom)
{
    return qn_superpose_weighted(mobile, reference, NULL, count, rotation, translation_angstrom, rmsd_angstrom);
}

double qn_rmsd(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < 3 * count; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return count ? sqrt(sum / (double)count) : 0;
}
