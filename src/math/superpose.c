#include "math/superpose.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"

enum { MAXIMUM_SWEEPS = 50 }; /* a 4 × 4 Jacobi iteration converges in about six */

static void mean_point(const double *points, size_t count, double mean[3])
{
    mean[0] = mean[1] = mean[2] = 0;
    for (size_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++) mean[axis] += points[3 * i + axis];
    for (int axis = 0; axis < 3; axis++) mean[axis] /= (double)count;
}

/* s[a][b] = Σ mobile_a · reference_b, both about their means. */
static void correlate(const double *mobile, const double *reference, size_t count, const double mobile_mean[3],
                      const double reference_mean[3], double s[3][3])
{
    memset(s, 0, 9 * sizeof(double));
    for (size_t i = 0; i < count; i++)
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                s[a][b] += (mobile[3 * i + a] - mobile_mean[a]) * (reference[3 * i + b] - reference_mean[b]);
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

/* Zero n[p][q] by a plane rotation, accumulated in the columns of `vectors`. */
static void jacobi_rotate(double n[4][4], double vectors[4][4], int p, int q)
{
    double theta = (n[q][q] - n[p][p]) / (2 * n[p][q]);
    double tangent = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    double cosine = 1 / sqrt(tangent * tangent + 1), sine = tangent * cosine;
    for (int k = 0; k < 4; k++) {
        double kp = n[k][p], kq = n[k][q];
        n[k][p] = cosine * kp - sine * kq;
        n[k][q] = sine * kp + cosine * kq;
    }
    for (int k = 0; k < 4; k++) {
        double pk = n[p][k], qk = n[q][k], vp = vectors[k][p], vq = vectors[k][q];
        n[p][k] = cosine * pk - sine * qk;
        n[q][k] = sine * pk + cosine * qk;
        vectors[k][p] = cosine * vp - sine * vq;
        vectors[k][q] = sine * vp + cosine * vq;
    }
}

/* Jacobi, not Newton on the characteristic polynomial: collinear and coincident points make the largest eigenvalue
 * multiple, where any of its eigenvectors is as good and Jacobi still returns a unit one. */
static void largest_eigenvector(double n[4][4], double quaternion[4])
{
    double vectors[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    for (int sweep = 0; sweep < MAXIMUM_SWEEPS; sweep++) {
        bool done = true;
        for (int p = 0; p < 3; p++)
            for (int q = p + 1; q < 4; q++)
                if (fabs(n[p][q]) > 1e-17 * (fabs(n[p][p]) + fabs(n[q][q]))) {
                    jacobi_rotate(n, vectors, p, q);
                    done = false;
                }
        if (done) break;
    }
    int best = 0;
    for (int k = 1; k < 4; k++)
        if (n[k][k] > n[best][best]) best = k;
    double norm = 0;
    for (int k = 0; k < 4; k++) norm += vectors[k][best] * vectors[k][best];
    for (int k = 0; k < 4; k++) quaternion[k] = vectors[k][best] / sqrt(norm);
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

/* Summed from the moved points: the closed form (Σ|a|² + Σ|b|² − 2λ) loses half the digits where the fit is good. */
static double remaining_rmsd(const double *mobile, const double *reference, size_t count, const double r[9],
                             const double t[3])
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const double *x = mobile + 3 * i, *y = reference + 3 * i;
        for (int axis = 0; axis < 3; axis++) {
            const double *row = r + 3 * axis;
            double difference = row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + t[axis] - y[axis];
            sum += difference * difference;
        }
    }
    return sqrt(sum / (double)count);
}

qn_status qn_superpose(const double *mobile, const double *reference, size_t count, double rotation[9],
                       double translation_angstrom[3], double *rmsd_angstrom)
{
    if (count < 3) QN_FAIL(QN_INVALID_ARGUMENT, "superposition of %zu points, at least 3 are needed", count);
    double mobile_mean[3], reference_mean[3], s[3][3], n[4][4], quaternion[4], trace = 0;
    mean_point(mobile, count, mobile_mean);
    mean_point(reference, count, reference_mean);
    correlate(mobile, reference, count, mobile_mean, reference_mean, s);
    for (int a = 0; a < 9; a++) trace += fabs(s[a / 3][a % 3]);
    if (!isfinite(trace)) QN_FAIL(QN_INVALID_ARGUMENT, "superposition of %zu points: not all are finite", count);
    horn_matrix(s, n);
    largest_eigenvector(n, quaternion);
    quaternion_to_rotation(quaternion, rotation);
    for (int axis = 0; axis < 3; axis++) {
        const double *row = rotation + 3 * axis;
        translation_angstrom[axis] =
            reference_mean[axis] - row[0] * mobile_mean[0] - row[1] * mobile_mean[1] - row[2] * mobile_mean[2];
    }
    if (rmsd_angstrom) *rmsd_angstrom = remaining_rmsd(mobile, reference, count, rotation, translation_angstrom);
    return QN_OK;
}

double qn_rmsd(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < 3 * count; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return count ? sqrt(sum / (double)count) : 0;
}
