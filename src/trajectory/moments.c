#include "trajectory/moments.h"

#include <string.h>

enum { BLOCK = 256 }; /* atoms whose weights are gathered at a time */

/* The sums below are kept in registers over a block; wider vectors would not pay for taking x, y and z apart. */

static void add_zeroth(const double *w, size_t count, qn_moments *moments)
{
    double weight = 0;
    for (size_t i = 0; i < count; i++) weight += w[i];
    moments->weight += weight;
}

static void add_first(const float *positions, const uint32_t *atoms, const double *w, size_t count, qn_moments *moments)
{
    const double origin_x = moments->origin_nm[0], origin_y = moments->origin_nm[1], origin_z = moments->origin_nm[2];
    double x = 0, y = 0, z = 0;
    for (size_t i = 0; i < count; i++) {
        const float *p = positions + 3 * (size_t)atoms[i];
        x += w[i] * (p[0] - origin_x);
        y += w[i] * (p[1] - origin_y);
        z += w[i] * (p[2] - origin_z);
    }
    moments->first[0] += x;
    moments->first[1] += y;
    moments->first[2] += z;
}

static void add_second(const float *positions, const uint32_t *atoms, const double *w, size_t count,
                       qn_moments *moments)
{
    const double origin_x = moments->origin_nm[0], origin_y = moments->origin_nm[1], origin_z = moments->origin_nm[2];
    double x = 0, y = 0, z = 0, xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
    for (size_t i = 0; i < count; i++) {
        const float *p = positions + 3 * (size_t)atoms[i];
        const double dx = p[0] - origin_x, dy = p[1] - origin_y, dz = p[2] - origin_z;
        const double wx = w[i] * dx, wy = w[i] * dy, wz = w[i] * dz;
        x += wx;
        y += wy;
        z += wz;
        xx += wx * dx;
        xy += wx * dy;
        xz += wx * dz;
        yy += wy * dy;
        yz += wy * dz;
        zz += wz * dz;
    }
    const double first[3] = {x, y, z}, second[6] = {xx, xy, xz, yy, yz, zz};
    for (int k = 0; k < 3; k++) moments->first[k] += first[k];
    for (int k = 0; k < 6; k++) moments->second[k] += second[k];
}

void qn_moments_sum(const qn_query_frame *frame, int selection, const qn_atom_weights *weights, qn_moment_order order,
                    qn_moments *moments)
{
    const float *positions = frame->frame->positions_nm;
    const uint32_t *atoms = frame->atoms[selection];
    const size_t atom_count = frame->atom_count[selection];
    double room[BLOCK];
    memset(moments, 0, sizeof *moments);
    if (atom_count == 0) return;
    for (int axis = 0; axis < 3; axis++) moments->origin_nm[axis] = positions[3 * (size_t)atoms[0] + axis];
    for (size_t begin = 0; begin < atom_count; begin += BLOCK) {
        const size_t count = atom_count - begin < BLOCK ? atom_count - begin : BLOCK;
        const double *w = qn_atom_weights_view(weights, atoms, begin, count, room);
        add_zeroth(w, count, moments);
        if (order == QN_MOMENTS_FIRST) add_first(positions, atoms + begin, w, count, moments);
        if (order == QN_MOMENTS_SECOND) add_second(positions, atoms + begin, w, count, moments);
    }
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
