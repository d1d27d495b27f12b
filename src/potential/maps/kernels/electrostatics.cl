/* AutoGrid's electrostatic map, as a smooth part that is interpolated from nodes and a short-ranged part of pairs:
 *
 *     nodes    S at the nodes, from all atoms
 *     expand   values at points from values at nodes, along one axis; launched for x and for y
 *     points   the interpolation along z, and the pairs nearer than ELECTROSTATICS_FAR
 *
 * docs/design/potential.md has the equations. Every operation is exact or rounded correctly on every device, and sums
 * have the order of the atoms, so that maps have the same bits everywhere. */

#include "potential/maps/kernels/soft_double.dev.h"

#include "potential/maps/kernels/electrostatics.dev.h"

#ifndef GROUP_X
#error "GROUP_X: work-items of a group along x"
#endif
#ifndef GROUP_Y
#error "GROUP_Y: work-items of a group along y"
#endif
#ifndef POINTS_Z
#error "POINTS_Z: points of a work-item along z"
#endif

KERNEL GROUP_LIMIT(GROUP_X, GROUP_Y, 1) void nodes(GLOBAL const qn_float4 *RESTRICT atoms, GLOBAL float *RESTRICT values,
                                                   const nodes_scalars s)
{
    const int x = GLOBAL_ID(0), y = GLOBAL_ID(1), z = GLOBAL_ID(2);
    const float px = FMA((float)x, ELECTROSTATICS_NODE, s.x);
    const float py = FMA((float)y, ELECTROSTATICS_NODE, s.y);
    const float pz = FMA((float)(s.first_node + z), ELECTROSTATICS_NODE, s.z);
    const float far = ELECTROSTATICS_FAR * ELECTROSTATICS_FAR;
    float sum = 0.0f, error = 0.0f;
    if (x >= s.nx || y >= s.ny) return;
    for (int first = 0; first < s.atom_count; first += ELECTROSTATICS_BLOCK) {
        const int end = MIN(first + ELECTROSTATICS_BLOCK, s.atom_count);
        float part = 0.0f;
        for (int a = first; a < end; a++) {
            const qn_float4 atom = atoms[a];
            const float dx = atom.x - px, dy = atom.y - py, dz = atom.z - pz;
            const float squared = FMA(dz, dz, FMA(dx, dx, dy * dy));
            part = FMA(atom.w,
                       squared < far ? electrostatics_smooth_inner(&s.model, squared)
                                     : electrostatics_smooth_outer(&s.model, squared),
                       part);
        }
        electrostatics_add(&sum, &error, part);
    }
    values[((qn_int64)(s.first_node + z) * s.ny + y) * s.nx + x] = sum + error;
}

KERNEL GROUP_LIMIT(GROUP_X, GROUP_Y, 1) void expand(GLOBAL const float *RESTRICT nodes,
                                                    GLOBAL const float *RESTRICT weights,
                                                    GLOBAL const int *RESTRICT first, GLOBAL float *RESTRICT values,
                                                    const expand_scalars s)
{
    const int inner = GLOBAL_ID(0), outer = GLOBAL_ID(1), point = GLOBAL_ID(2);
    float sum = 0.0f;
    if (inner >= s.inner || outer >= s.outer) return;
    const int place = s.first_place + point;
    GLOBAL const float *from = nodes + ((qn_int64)(s.first_outer + outer) * s.nodes + first[place]) * s.inner + inner;
    UNROLL
    for (int j = 0; j < ELECTROSTATICS_ORDER; j++)
        sum = FMA(weights[place * ELECTROSTATICS_ORDER + j], from[(qn_int64)j * s.inner], sum);
    values[((qn_int64)outer * s.points + point) * s.inner + inner] = sum;
}

/* Entry of the table for a distance, as doubles give it. at: the bits of the point's coordinates */
DEVICE_FN int find_entry(GLOBAL const qn_uint64 *limits, GLOBAL const qn_uint64 *atom, const qn_uint64 *at,
                         float scaled, float guard)
{
    if (!electrostatics_is_doubtful(scaled, guard)) return (int)scaled;
    const int nearest = (int)(scaled + 0.5f); /* the entry that begins here, or the one before */
    const qn_uint64 x = soft_square(soft_difference(at[0], atom[0]));
    const qn_uint64 y = soft_square(soft_difference(at[1], atom[1]));
    const qn_uint64 z = soft_square(soft_difference(at[2], atom[2]));
    return soft_sum(soft_sum(x, y), z) < limits[nearest] ? nearest - 1 : nearest;
}

KERNEL GROUP_LIMIT(GROUP_X, GROUP_Y, 1) void points(
    GLOBAL const qn_float4 *RESTRICT atoms, GLOBAL const qn_uint64 *RESTRICT exact, GLOBAL const int *RESTRICT starts,
    GLOBAL const float *RESTRICT table, GLOBAL const qn_uint64 *RESTRICT limits, GLOBAL const float *RESTRICT places,
    GLOBAL const qn_uint64 *RESTRICT places_exact, GLOBAL const float *RESTRICT columns,
    GLOBAL const float *RESTRICT weights, GLOBAL const int *RESTRICT first, GLOBAL float *RESTRICT potential,
    const points_scalars s)
{
    const float near = ELECTROSTATICS_NEAR * ELECTROSTATICS_NEAR, far = ELECTROSTATICS_FAR * ELECTROSTATICS_FAR;
    const int x = GLOBAL_ID(0), y = GLOBAL_ID(1), z = GLOBAL_ID(2) * POINTS_Z;
    const int here_x = MIN(x, s.nx - 1), here_y = s.place_y + MIN(y, s.ny - 1);
    const float px = places[here_x], py = places[here_y];
    float pz[POINTS_Z], sum[POINTS_Z], error[POINTS_Z], middle[POINTS_Z];
    UNROLL
    for (int k = 0; k < POINTS_Z; k++) {
        pz[k] = places[s.place_z + MIN(z + k, s.nz - 1)];
        sum[k] = error[k] = middle[k] = 0.0f;
    }
    /* The box of the group's points is the same for all its items, and so is the way through the cells. */
    const int group_x = GROUP_ID(0) * GROUP_X, group_y = GROUP_ID(1) * GROUP_Y;
    const float low[3] = {places[group_x], places[s.place_y + group_y], pz[0]};
    const float high[3] = {places[MIN(group_x + GROUP_X, s.nx) - 1],
                           places[s.place_y + MIN(group_y + GROUP_Y, s.ny) - 1], pz[POINTS_Z - 1]};
    int first_y, end_y, first_z, end_z;
    electrostatics_cell_range(low[1], high[1], ELECTROSTATICS_FAR, s.cells.y, s.cells.edge, s.cells.ny, &first_y,
                              &end_y);
    electrostatics_cell_range(low[2], high[2], ELECTROSTATICS_FAR, s.cells.z, s.cells.edge, s.cells.nz, &first_z,
                              &end_z);
    for (int cell_z = first_z; cell_z < end_z; cell_z++)
        for (int cell_y = first_y; cell_y < end_y; cell_y++) {
            int a, end;
            electrostatics_cell_row(s.cells, starts, low, high, cell_y, cell_z, &a, &end);
            for (; a < end; a++) {
                const qn_float4 atom = atoms[a];
                const float dx = atom.x - px, dy = atom.y - py, flat = FMA(dx, dx, dy * dy);
                if (flat >= far) continue;
                UNROLL
                for (int k = 0; k < POINTS_Z; k++) {
                    const float dz = atom.z - pz[k], squared = FMA(dz, dz, flat);
                    if (squared >= far) continue;
                    if (squared >= near) {
                        middle[k] = FMA(atom.w, electrostatics_middle(&s.model, squared), middle[k]);
                        continue;
                    }
                    const qn_uint64 at[3] = {places_exact[here_x], places_exact[here_y],
                                             places_exact[s.place_z + MIN(z + k, s.nz - 1)]};
                    const float root = NORMAL_SQRT(FMAX(squared, ELECTROSTATICS_TINY));
                    const int entry = find_entry(limits, exact + 3 * a, at, root * 0.1f, s.guard);
                    const float energy = electrostatics_close(&s.model, table[entry], squared, root);
                    electrostatics_add(&sum[k], &error[k], atom.w * energy);
                }
            }
        }
    if (x >= s.nx || y >= s.ny) return;
    const qn_int64 plane = (qn_int64)s.ny * s.nx, column = (qn_int64)y * s.nx + x;
    for (int k = 0; k < POINTS_Z && z + k < s.nz; k++) {
        const int place = s.place_z + z + k;
        GLOBAL const float *from = columns + (first[place] - s.first_node) * plane + column;
        float smooth = 0.0f;
        UNROLL
        for (int j = 0; j < ELECTROSTATICS_ORDER; j++)
            smooth = FMA(weights[place * ELECTROSTATICS_ORDER + j], from[j * plane], smooth);
        potential[(z + k) * plane + column] = sum[k] + (error[k] + middle[k] + smooth);
    }
}
