#include "cluster/measure/superposed_host.h"

#include "runtime/host_variant.h"

static void moments(const float *positions, const float *weights, size_t atom_count, double weight_sum, double mean[3],
                    double *half_square)
{
    double square = 0;
    for (size_t axis = 0; axis < 3; axis++, positions += atom_count) {
        double sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t k = 0; k < atom_count; k++) sum += (weights ? (double)weights[k] : 1) * (double)positions[k];
        const double middle = mean[axis] = sum / weight_sum;
#pragma omp simd reduction(+ : squares)
        for (size_t k = 0; k < atom_count; k++) {
            const double place = (double)positions[k] - middle;
            squares += (weights ? (double)weights[k] : 1) * place * place;
        }
        square += squares;
    }
    *half_square = square / 2;
}

static void products_of(const float *first, const float *second, const float *weights, size_t atom_count,
                        const double first_mean[3], const double second_mean[3], double products[9])
{
    const double ax = first_mean[0], ay = first_mean[1], az = first_mean[2];
    const double bx = second_mean[0], by = second_mean[1], bz = second_mean[2];
    double xx = 0, xy = 0, xz = 0, yx = 0, yy = 0, yz = 0, zx = 0, zy = 0, zz = 0;
#pragma omp simd reduction(+ : xx, xy, xz, yx, yy, yz, zx, zy, zz)
    for (size_t k = 0; k < atom_count; k++) {
        const double weight = weights ? (double)weights[k] : 1;
        const double x = weight * ((double)first[k] - ax), y = weight * ((double)first[atom_count + k] - ay);
        const double z = weight * ((double)first[2 * atom_count + k] - az), u = (double)second[k] - bx;
        const double v = (double)second[atom_count + k] - by, w = (double)second[2 * atom_count + k] - bz;
        xx += x * u, xy += x * v, xz += x * w;
        yx += y * u, yy += y * v, yz += y * w;
        zx += z * u, zy += z * v, zz += z * w;
    }
    const double all[9] = {xx, xy, xz, yx, yy, yz, zx, zy, zz};
    for (int e = 0; e < 9; e++) products[e] = all[e];
}

extern const qn_superposed_sums QN_HOST_VARIANT(qn_cluster_superposed_host)[];
const qn_superposed_sums QN_HOST_VARIANT(qn_cluster_superposed_host)[] = {{moments, products_of}};
