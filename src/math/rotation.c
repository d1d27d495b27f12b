#include "math/rotation.h"

#include <math.h>
#include <string.h>

#include "math/random.h"

static const double pi = 3.14159265358979323846;

void qn_rotation_from_quaternion(const double q[4], double m[9])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    m[0] = 1 - 2 * (y * y + z * z);
    m[1] = 2 * (x * y - w * z);
    m[2] = 2 * (x * z + w * y);
    m[3] = 2 * (x * y + w * z);
    m[4] = 1 - 2 * (x * x + z * z);
    m[5] = 2 * (y * z - w * x);
    m[6] = 2 * (x * z - w * y);
    m[7] = 2 * (y * z + w * x);
    m[8] = 1 - 2 * (x * x + y * y);
}

void qn_rotation_apply(const double m[9], const double v[3], double result[3])
{
    double x = m[0] * v[0] + m[1] * v[1] + m[2] * v[2];
    double y = m[3] * v[0] + m[4] * v[1] + m[5] * v[2];
    double z = m[6] * v[0] + m[7] * v[1] + m[8] * v[2];
    result[0] = x;
    result[1] = y;
    result[2] = z;
}

void qn_rotation_multiply(const double left[9], const double right[9], double result[9])
{
    double product[9];
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            product[3 * row + column] = left[3 * row] * right[column] + left[3 * row + 1] * right[3 + column] +
                                        left[3 * row + 2] * right[6 + column];
    memcpy(result, product, sizeof product);
}

/* trace(A·Bᵀ) = 1 + 2 cos(angle) */
static double relative_trace(const double a[9], const double b[9])
{
    double trace = 0;
    for (int i = 0; i < 9; i++) trace += a[i] * b[i];
    return trace;
}

double qn_rotation_angle_degrees(const double a[9], const double b[9])
{
    double cosine = (relative_trace(a, b) - 1) / 2;
    return acos(fmin(1, fmax(-1, cosine))) * 180 / pi;
}

void qn_rotation_super_fibonacci(size_t index, size_t count, double matrix[9])
{
    const double phi = 1.41421356237309504880;     /* √2 */
    const double psi = 1.533751168755204288118041; /* the positive root of ψ⁴ = ψ + 4 */
    double s = (double)index + 0.5;
    double t = s / (double)count;
    double r = sqrt(t), big_r = sqrt(1 - t);
    double alpha = 2 * pi * s / phi, beta = 2 * pi * s / psi;
    double quaternion[4] = {big_r * cos(beta), r * sin(alpha), r * cos(alpha), big_r * sin(beta)};
    qn_rotation_from_quaternion(quaternion, matrix);
}

void qn_rotation_from_seed(uint64_t seed, double matrix[9])
{
    double quaternion[4] = {1, 0, 0, 0};
    if (seed != 0) {
        double u1 = qn_random_uniform(seed, 0, 0), u2 = qn_random_uniform(seed, 0, 1) * 2 * pi,
               u3 = qn_random_uniform(seed, 0, 2) * 2 * pi;
        quaternion[0] = sqrt(1 - u1) * sin(u2);
        quaternion[1] = sqrt(1 - u1) * cos(u2);
        quaternion[2] = sqrt(u1) * sin(u3);
        quaternion[3] = sqrt(u1) * cos(u3);
    }
    qn_rotation_from_quaternion(quaternion, matrix);
}

double qn_rotation_error(const double m[9])
{
    double worst = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double product = m[3 * i] * m[3 * j] + m[3 * i + 1] * m[3 * j + 1] + m[3 * i + 2] * m[3 * j + 2];
            worst = fmax(worst, fabs(product - (i == j)));
        }
    double determinant =
        m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
    return determinant < 0 ? 2 : worst;
}

enum { NEIGHBOUR_SAMPLES = 64 };

typedef struct neighbours {
    const double *matrices;
    size_t count, samples;
    double degrees[NEIGHBOUR_SAMPLES]; /* to the nearest rotation */
} neighbours;

static qn_status find_nearest(size_t sample, int worker, void *user)
{
    neighbours *work = user;
    const size_t index = sample * work->count / work->samples;
    double best = -1;
    (void)worker;
    for (size_t other = 0; other < work->count; other++)
        if (other != index) best = fmax(best, relative_trace(work->matrices + 9 * index, work->matrices + 9 * other));
    work->degrees[sample] = acos(fmin(1, fmax(-1, (best - 1) / 2))) * 180 / pi;
    return QN_OK;
}

double qn_rotation_mean_neighbour_degrees(const double *matrices, size_t count, qn_pool *pool)
{
    neighbours work = {matrices, count, count < NEIGHBOUR_SAMPLES ? count : NEIGHBOUR_SAMPLES, {0}};
    double sum = 0;
    if (count < 2) return 180;
    (void)!qn_pool_run(pool, work.samples, find_nearest, &work); /* these tasks do not fail */
    for (size_t sample = 0; sample < work.samples; sample++) sum += work.degrees[sample];
    return sum / (double)work.samples;
}
