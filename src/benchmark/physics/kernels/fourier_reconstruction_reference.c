#include <math.h>

#include "benchmark/physics/kernels/fourier_reconstruction.h"
#include "math/bessel.h"

static const double radius = 1.9f, alpha = 15; /* the radius as a float, as in the kernels */

static double blob(double squared)
{
    return qn_bessel_i0(alpha * sqrt(fmax(0, 1 - squared / (radius * radius)))) / qn_bessel_i0(alpha);
}

void qn_reconstruction_blob(float table[QN_RECONSTRUCTION_BLOB_ENTRIES])
{
    const int intervals = QN_RECONSTRUCTION_BLOB_ENTRIES - 2;
    for (int i = 0; i < QN_RECONSTRUCTION_BLOB_ENTRIES; i++)
        table[i] = (float)blob(fmin(1, (double)i / intervals) * radius * radius);
}

void qn_reconstruction_reference(const qn_reconstruction_problem *problem, const float *matrices,
                                 qn_reconstruction_pixel pixel, const void *user, const int voxel[3], double sum[3])
{
    const int half = problem->side / 2, farthest = half - 3;
    sum[0] = sum[1] = sum[2] = 0;
    if (voxel[0] * voxel[0] + voxel[1] * voxel[1] + voxel[2] * voxel[2] > farthest * farthest) return;
    for (int p = 0; p < problem->projections; p++) {
        double q[3];
        for (int row = 0; row < 3; row++) {
            const float *m = matrices + 12 * (size_t)p + 4 * row;
            q[row] = (double)m[0] * voxel[0] + (double)m[1] * voxel[1] + (double)m[2] * voxel[2];
        }
        if (fabs(q[2]) > radius) continue;
        for (int y = (int)floor(q[1]) - 2; y <= (int)floor(q[1]) + 3; y++)
            for (int x = (int)floor(q[0]) - 2; x <= (int)floor(q[0]) + 3; x++) {
                const double squared = (x - q[0]) * (x - q[0]) + (y - q[1]) * (y - q[1]) + q[2] * q[2];
                if (squared > radius * radius) continue;
                const int sign = x < 0 ? -1 : 1;
                const double weight = blob(squared);
                sum[0] += weight * pixel(p, sign * y + half, sign * x, 0, user);
                sum[1] += weight * sign * pixel(p, sign * y + half, sign * x, 1, user);
                sum[2] += weight;
            }
    }
}
