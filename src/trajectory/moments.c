#include "trajectory/moments.h"

#include <string.h>

enum { BLOCK = 256 }; /* atoms: 8 KiB, which stays in the first cache */

/* Atoms side by side, which vectorises whatever the selection picks. */
typedef struct block {
    double x[BLOCK], y[BLOCK], z[BLOCK], w[BLOCK];
} block;

static void load_positions(const float *positions, const uint32_t *atoms, size_t count, const double origin[3],
                           block *into)
{
    const double x = origin[0], y = origin[1], z = origin[2];
    double *restrict bx = into->x, *restrict by = into->y, *restrict bz = into->z;
    if (atoms[count - 1] - atoms[0] == count - 1) {
        const float *p = positions + 3 * (size_t)atoms[0];
#pragma omp simd
        for (size_t i = 0; i < count; i++) {
            bx[i] = p[3 * i] - x;
            by[i] = p[3 * i + 1] - y;
            bz[i] = p[3 * i + 2] - z;
        }
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const float *p = positions + 3 * (size_t)atoms[i];
        bx[i] = p[0] - x;
        by[i] = p[1] - y;
        bz[i] = p[2] - z;
    }
}

static void add_zeroth(const block *from, size_t count, qn_moments *moments)
{
    double weight = 0;
#pragma omp simd reduction(+ : weight)
    for (size_t i = 0; i < count; i++) weight += from->w[i];
    moments->weight += weight;
}

static void add_first(const block *from, size_t count, qn_moments *moments)
{
    double x = 0, y = 0, z = 0;
#pragma omp simd reduction(+ : x, y, z)
    for (size_t i = 0; i < count; i++) {
        x += from->w[i] * from->x[i];
        y += from->w[i] * from->y[i];
        z += from->w[i] * from->z[i];
    }
    moments->first[0] += x;
    moments->first[1] += y;
    moments->first[2] += z;
}

static void add_second(const block *from, size_t count, qn_moments *moments)
{
    double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
#pragma omp simd reduction(+ : xx, xy, xz, yy, yz, zz)
    for (size_t i = 0; i < count; i++) {
        const double x = from->x[i], y = from->y[i], z = from->z[i];
        const double wx = from->w[i] * x, wy = from->w[i] * y, wz = from->w[i] * z;
        xx += wx * x;
        xy += wx * y;
        xz += wx * z;
        yy += wy * y;
        yz += wy * z;
        zz += wz * z;
    }
    const double sums[6] = {xx, xy, xz, yy, yz, zz};
    for (int k = 0; k < 6; k++) moments->second[k] += sums[k];
}

void qn_moments_sum_part(const qn_query_frame *frame, int selection, const qn_atom_weights *weights, size_t begin,
                         size_t count, qn_moment_order order, qn_moments *moments)
{
    const float *positions = frame->frame->positions_nm;
    const uint32_t *atoms = frame->atoms[selection];
    block part;
    memset(moments, 0, sizeof *moments);
    if (count == 0) return;
    for (int axis = 0; axis < 3; axis++) moments->origin_nm[axis] = positions[3 * (size_t)atoms[begin] + axis];
    for (size_t end = begin + count; begin < end;) {
        const size_t n = end - begin < BLOCK ? end - begin : BLOCK;
        qn_atom_weights_load(weights, atoms, begin, n, part.w);
        add_zeroth(&part, n, moments);
        if (order >= QN_MOMENTS_FIRST) {
            load_positions(positions, atoms + begin, n, moments->origin_nm, &part);
            add_first(&part, n, moments);
        }
        if (order >= QN_MOMENTS_SECOND) add_second(&part, n, moments);
        begin += n;
    }
}

void qn_moments_sum(const qn_query_frame *frame, int selection, const qn_atom_weights *weights, qn_moment_order order,
                    qn_moments *moments)
{
    qn_moments_sum_part(frame, selection, weights, 0, frame->atom_count[selection], order, moments);
}

void qn_moments_centre(const qn_moments *moments, double centre_nm[3])
{
    for (int axis = 0; axis < 3; axis++)
        centre_nm[axis] = moments->origin_nm[axis] + moments->first[axis] / moments->weight;
}

void qn_moments_about(const qn_moments *moments, const double point_nm[3], double sum[3])
{
    for (int axis = 0; axis < 3; axis++)
        sum[axis] = moments->first[axis] + moments->weight * (moments->origin_nm[axis] - point_nm[axis]);
}

void qn_moments_central(const qn_moments *moments, double second[6])
{
    static const int rows[6] = {0, 0, 0, 1, 1, 2}, columns[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++)
        second[k] = moments->second[k] - moments->first[rows[k]] * moments->first[columns[k]] / moments->weight;
}
