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

/* Spread over the lanes once, before a loop. */
typedef struct spread_matrix {
    lanes xx, xy, xz, yx, yy, yz, zx, zy, zz;
} spread_matrix;

static inline spread_matrix spread(const double m[9])
{
    const lanes zero = {0};
    return (spread_matrix){zero + m[0], zero + m[1], zero + m[2], zero + m[3], zero + m[4],
                           zero + m[5], zero + m[6], zero + m[7], zero + m[8]};
}

static inline double displace_rows(const double *from, const double *to, const double *weights, size_t stride,
                                   const double rotation[9], double *displacements)
{
    const spread_matrix r = spread(rotation);
    lanes sum_x = {0}, sum_y = {0}, sum_z = {0};
    for (size_t i = 0; i < stride; i += LANES) {
        lanes x, y, z, w, u, v, t;
        LOAD(x, from + i);
        LOAD(y, from + stride + i);
        LOAD(z, from + 2 * stride + i);
        LOAD(w, weights + i);
        LOAD(u, to + i);
        LOAD(v, to + stride + i);
        LOAD(t, to + 2 * stride + i);
        u -= r.xx * x + r.xy * y + r.xz * z;
        v -= r.yx * x + r.yy * y + r.yz * z;
        t -= r.zx * x + r.zy * y + r.zz * z;
        const lanes wu = w * u, wv = w * v, wt = w * t;
        sum_x += wu * u;
        sum_y += wv * v;
        sum_z += wt * t;
        if (displacements) {
            STORE(displacements + i, wu);
            STORE(displacements + stride + i, wv);
            STORE(displacements + 2 * stride + i, wt);
        }
    }
    sum_x += sum_y + sum_z;
    return SUM(sum_x);
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

static void subtract_turn(const double *from, const double *weights, size_t stride, const double matrix[9],
                          const double shift[3], double *rows)
{
    for (size_t i = 0; i < stride; i += LANES) {
        lanes x, y, z, w, row;
        LOAD(x, from + i);
        LOAD(y, from + stride + i);
        LOAD(z, from + 2 * stride + i);
        LOAD(w, weights + i);
        for (size_t k = 0; k < 3; k++) {
            LOAD(row, rows + k * stride + i);
            row -= w * (matrix[3 * k] * x + matrix[3 * k + 1] * y + matrix[3 * k + 2] * z + shift[k]);
            STORE(rows + k * stride + i, row);
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
        const double *x = points + a, *y = x + stride, *z = y + stride;
        double *to_x = rows + a, *to_y = to_x + stride, *to_z = to_y + stride;
        lanes own_x = {0}, own_y = {0}, own_z = {0};
        for (size_t i = 0; i < row; i += LANES) {
            lanes d, inverses, r, u, v, w, sum_x, sum_y, sum_z;
            LOAD(d, distance + i);
            LOAD(inverses, inverse + i);
            LOAD(r, reference + i);
            LOAD(u, x + 1 + i);
            LOAD(v, y + 1 + i);
            LOAD(w, z + 1 + i);
            LOAD(sum_x, to_x + 1 + i);
            LOAD(sum_y, to_y + 1 + i);
            LOAD(sum_z, to_z + 1 + i);
            const lanes pull = (factor * d - r) * inverses;
            u = pull * (x[0] - u);
            v = pull * (y[0] - v);
            w = pull * (z[0] - w);
            own_x += u;
            own_y += v;
            own_z += w;
            sum_x -= u;
            sum_y -= v;
            sum_z -= w;
            STORE(to_x + 1 + i, sum_x);
            STORE(to_y + 1 + i, sum_y);
            STORE(to_z + 1 + i, sum_z);
        }
        to_x[0] += SUM(own_x);
        to_y[0] += SUM(own_y);
        to_z[0] += SUM(own_z);
        distance += row;
        inverse += row;
        reference += row;
    }
}

extern const qn_collective_loops QN_HOST_VARIANT(qn_collective_loops_host)[];
const qn_collective_loops QN_HOST_VARIANT(qn_collective_loops_host)[] = {
    {correlate, displace, add_products, subtract_turn, store, measure_pairs, compare_pairs, add_pairs,
     differentiate_pairs}};
