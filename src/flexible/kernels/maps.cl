/* Maps of Vina's energy: what an atom of each type has at the points of a grid with all atoms of a receptor.
 *
 * Shapes: atoms [atom], each x, y, z and the bits of its type, sorted by cells, x fastest; starts [cells + 1]; pairs
 * [type][32], each the sum of radii, weight, slope and offset (exact.dev.h); maps [type][z][y][x], kcal/mol. A work-item
 * takes a point, for TYPES types at a time, and adds up the atoms of the cells around it in order. */

#include "flexible/kernels/maps.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif
#ifndef TYPES
#error "TYPES: maps of a pass"
#endif

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void maps(GLOBAL const qn_float4 *RESTRICT atoms, GLOBAL const int *RESTRICT starts,
                                               GLOBAL const qn_float4 *RESTRICT pairs, GLOBAL float *RESTRICT out,
                                               const maps_scalars s)
{
    const int x = GLOBAL_ID(0), y = GLOBAL_ID(1) % s.ny, z = GLOBAL_ID(1) / s.ny;
    if (x >= s.nx) return;
    const float px = FMA((float)x, s.spacing, s.corner[0]), py = FMA((float)y, s.spacing, s.corner[1]),
                pz = FMA((float)z, s.spacing, s.corner[2]);
    const int cx = maps_cell(px, s.cell_corner[0], s.cells_per_angstrom),
              cy = maps_cell(py, s.cell_corner[1], s.cells_per_angstrom),
              cz = maps_cell(pz, s.cell_corner[2], s.cells_per_angstrom);
    const int x0 = MAX(cx - MAPS_REACH, 0), x1 = MIN(cx + MAPS_REACH, s.cells_x - 1);
    for (int first = 0; first < s.types; first += TYPES) {
        float sums[TYPES];
        UNROLL for (int t = 0; t < TYPES; t++) sums[t] = 0.0f;
        for (int c = MAX(cz - MAPS_REACH, 0); c <= MIN(cz + MAPS_REACH, s.cells_z - 1); c++)
            for (int b = MAX(cy - MAPS_REACH, 0); b <= MIN(cy + MAPS_REACH, s.cells_y - 1); b++) {
                if (x1 < x0) continue;
                const int row = (c * s.cells_y + b) * s.cells_x;
                for (int j = starts[row + x0]; j < starts[row + x1 + 1]; j++) {
                    const qn_float4 atom = atoms[j];
                    const float dx = px - atom.x, dy = py - atom.y, dz = pz - atom.z;
                    const float square = FMA(dx, dx, FMA(dy, dy, dz * dz));
                    if (square >= MAPS_SQUARED_CUTOFF) continue;
                    UNROLL for (int t = 0; t < TYPES; t++)
                        sums[t] += maps_energy(
                            square, pairs[MIN(first + t, s.types - 1) * MAPS_RECEPTOR_TYPES + (int)FLOAT_BITS(atom.w)]);
                }
            }
        UNROLL for (int t = 0; t < TYPES; t++)
            if (first + t < s.types) out[(((qn_int64)(first + t) * s.nz + z) * s.ny + y) * s.nx + x] = sums[t];
    }
}
