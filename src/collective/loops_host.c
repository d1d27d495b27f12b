#include "collective/loops.h"

#include <math.h>
#include <string.h>

enum { LANES = QN_COLLECTIVE_LANES, STEP = QN_COLLECTIVE_PAIR_STEP };

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

#define LOAD(value, from) memcpy(&(value), (from), sizeof(lanes))
#define STORE(to, value) memcpy((to), &(value), sizeof(lanes))
#define SUM(v) (((v)[0] + (v)[2]) + ((v)[1] + (v)[3]))

static void correlate(const double *from, const double *to, size_t stride, double s[9])
{
    lanes sums[9] = {{0}};
    for (size_t i = 0; i < stride; i += LANES) {
        lanes x, y, z, u, v, w;
        LOAD(x, from + i);
        LOAD(y, from + stride + i);
        LOAD(z, from + 2 * stride + i);
        LOAD(u, to + i);
        LOAD(v, to + stride + i);
        LOAD(w, to + 2 * stride + i);
        sums[0] += x * u;
        sums[1] += x * v;
        sums[2] += x * w;
        sums[3] += y * u;
        sums[4] += y * v;
        sums[5] += y * w;
        sums[6] += z * u;
        sums[7] += z * v;
        sums[8] += z * w;
    }
    for (int k = 0; k < 9; k++) s[k] = SUM(sums[k]);
}

static inline double displace_rows(const double *from, const double *to, const double *weights, size_t stride,
                                   const double r[9], double *displacements)
{
    lanes sum = {0};
    for (size_t i = 0; i < stride; i += LANES) {
        lanes x, y, z, w, d[3];
        LOAD(x, from + i);
        LOAD(y, from + stride + i);
        LOAD(z, from + 2 * stride + i);
        LOAD(w, weights + i);
        for (size_t k = 0; k < 3; k++) {
            LOAD(d[k], to + k * stride + i);
            d[k] -= r[3 * k] * x + r[3 * k + 1] * y + r[3 * k + 2] * z;
        }
        if (displacements) {
            for (size_t k = 0; k < 3; k++) {
                const lanes weighted = w * d[k];
                sum += weighted * d[k];
                STORE(displacements + k * stride + i, weighted);
            }
        } else {
            sum += w * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        }
    }
    return SUM(sum);
}

static double displace(const double *from, const double *to, const double *weights, size_t stride,
                       const double rotation[9], double *displacements)
{
    return displacements ? displace_rows(from, to, weights, stride, rotation, displacements)
                         : displace_rows(from, to, weights, stride, rotation, NULL);
}

static void add_products(const double *from, size_t stride, const double matrices[18], size_t begin, size_t end,
                         double *sums)
{
    for (size_t i = begin; i < end; i += LANES) {
        lanes x, y, z, sum;
        LOAD(x, from + i);
        LOAD(y, from + stride + i);
        LOAD(z, from + 2 * stride + i);
        for (size_t k = 0; k < 6; k++) {
            LOAD(sum, sums + k * stride + i);
            sum += matrices[3 * k] * x + matrices[3 * k + 1] * y + matrices[3 * k + 2] * z;
            STORE(sums + k * stride + i, sum);
        }
    }
}

static void store(const double *rows, size_t stride, double scale, size_t count, double *gradient)
{
    const double *x = rows, *y = rows + stride, *z = rows + 2 * stride;
    for (size_t i = 0; i < count; i++) {
        gradient[3 * i] = scale * x[i];
        gradient[3 * i + 1] = scale * y[i];
        gradient[3 * i + 2] = scale * z[i];
    }
}

static void measure_pairs(const double *points, size_t stride, size_t count, const qn_collective_pairs *pairs)
{
    const double *x = points, *y = points + stride, *z = points + 2 * stride;
    double *restrict distance = pairs->distance, *restrict inverse = pairs->inverse;
    for (size_t a = 0; a + 1 < count; a++) {
        const size_t partners = count - 1 - a, row = qn_collective_pair_row(partners);
        const double ax = x[a], ay = y[a], az = z[a];
        for (size_t k = 0; k < partners; k++) {
            const double dx = ax - x[a + 1 + k], dy = ay - y[a + 1 + k], dz = az - z[a + 1 + k];
            const double d = sqrt(dx * dx + dy * dy + dz * dz);
            distance[k] = d;
            inverse[k] = d > 0 ? 1 / d : 0;
        }
        for (size_t k = partners; k < row; k++) distance[k] = inverse[k] = 0;
        distance += row;
        inverse += row;
    }
}

static double compare_pairs(const double *distance, const double *reference, size_t length)
{
    lanes sums[STEP / LANES] = {{0}};
    for (size_t i = 0; i < length; i += STEP)
        for (size_t k = 0; k < STEP / LANES; k++) {
            lanes d, r;
            LOAD(d, distance + i + LANES * k);
            LOAD(r, reference + i + LANES * k);
            d -= r;
            sums[k] += d * d;
        }
    const lanes sum = (sums[0] + sums[2]) + (sums[1] + sums[3]);
    return SUM(sum);
}

static void add_pairs(const double *reference, const double factors[2], size_t begin, size_t end, double *sums_1,
                      double *sums_2)
{
    const double first = factors[0], second = factors[1];
    for (size_t i = begin; i < end; i += LANES) {
        lanes r, one, two;
        LOAD(r, reference + i);
        LOAD(one, sums_1 + i);
        LOAD(two, sums_2 + i);
        one += first * r;
        two += second * r;
        STORE(sums_1 + i, one);
        STORE(sums_2 + i, two);
    }
}

static void differentiate_pairs(const double *points, size_t stride, size_t count, const qn_collective_pairs *pairs,
                                const double *reference, double factor, double *rows)
{
    const double *distance = pairs->distance, *inverse = pairs->inverse;
    for (size_t k = 0; k < 3; k++) memset(rows + k * stride, 0, stride * sizeof *rows);
    for (size_t a = 0; a + 1 < count; a++) {
        const size_t row = qn_collective_pair_row(count - 1 - a);
        const double at[3] = {points[a], points[stride + a], points[2 * stride + a]};
        lanes sums[3] = {{0}};
        for (size_t i = 0; i < row; i += LANES) {
            lanes d, inverses, r;
            LOAD(d, distance + i);
            LOAD(inverses, inverse + i);
            LOAD(r, reference + i);
            const lanes pull = (factor * d - r) * inverses;
            for (size_t k = 0; k < 3; k++) {
                const size_t place = k * stride + a + 1 + i;
                lanes x, sum;
                LOAD(x, points + place);
                LOAD(sum, rows + place);
                x = pull * (at[k] - x);
                sums[k] += x;
                sum -= x;
                STORE(rows + place, sum);
            }
        }
        for (size_t k = 0; k < 3; k++) rows[k * stride + a] += SUM(sums[k]);
        distance += row;
        inverse += row;
        reference += row;
    }
}

extern const qn_collective_loops QN_HOST_VARIANT(qn_collective_loops_host)[];
const qn_collective_loops QN_HOST_VARIANT(qn_collective_loops_host)[] = {
    {correlate, displace, add_products, store, measure_pairs, compare_pairs, add_pairs, differentiate_pairs}};
