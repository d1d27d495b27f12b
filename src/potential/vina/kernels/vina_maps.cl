/* Vina's maps: at each point of a grid, for each probe, the sum over receptor atoms of an energy that a table gives for
 * the squared distance.
 *
 * A work-item sums PROBES maps at one point. Atoms come from the list of the point's brick, in the order of the
 * receptor, so no tunable changes a bit of the result. Distances are whole thousandths of an Å, so the entry of the
 * table is exact. */

#include "potential/vina/kernels/vina_maps.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif
#ifndef PROBES
#error "PROBES: maps of a work-item"
#endif

DEVICE_FN int square_of(qn_int4 atom, int x, int y, int z)
{
    const int dx = CLAMP(atom.x - x, -VINA_MAPS_FAR, VINA_MAPS_FAR);
    const int dy = CLAMP(atom.y - y, -VINA_MAPS_FAR, VINA_MAPS_FAR);
    const int dz = CLAMP(atom.z - z, -VINA_MAPS_FAR, VINA_MAPS_FAR);
    return dx * dx + dy * dy + dz * dz;
}

/* atoms: place in thousandths of an Å, kind; list: atoms near each brick, from starts[brick] on; axes: places of the
 * points along x, then y, then z; tables: [kind][entry][row]; result: [probe][z][y][x] */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void vina_maps(GLOBAL const qn_int4 *RESTRICT atoms,
                                                    GLOBAL const int *RESTRICT list, GLOBAL const int *RESTRICT starts,
                                                    GLOBAL const int *RESTRICT axes,
                                                    GLOBAL const float *RESTRICT tables, GLOBAL float *RESTRICT result,
                                                    const vina_maps_scalars s)
{
    const int brick = GLOBAL_ID(0) / VINA_MAPS_BRICK, inside = GLOBAL_ID(0) % VINA_MAPS_BRICK;
    const int first_probe = GLOBAL_ID(1) * PROBES;
    if (brick >= s.bricks_x * s.bricks_y * s.bricks_z) return;
    const int x = brick % s.bricks_x * VINA_MAPS_SIDE + inside % VINA_MAPS_SIDE;
    const int y = brick / s.bricks_x % s.bricks_y * VINA_MAPS_SIDE + inside / VINA_MAPS_SIDE % VINA_MAPS_SIDE;
    const int z = brick / (s.bricks_x * s.bricks_y) * VINA_MAPS_SIDE + inside / (VINA_MAPS_SIDE * VINA_MAPS_SIDE);
    if (x >= s.nx || y >= s.ny || z >= s.nz) return;
    const int px = axes[x], py = axes[s.nx + y], pz = axes[s.nx + s.ny + z];
    float sums[PROBES];
    UNROLL
    for (int p = 0; p < PROBES; p++) sums[p] = 0.0f;
    for (int i = starts[brick]; i < starts[brick + 1]; i++) {
        const qn_int4 atom = atoms[list[i]];
        const int square = square_of(atom, px, py, pz), entry = square / VINA_MAPS_SQUARE;
        if (entry >= VINA_MAPS_ENTRIES) continue;
        GLOBAL const float *energies = tables + (atom.w * VINA_MAPS_ENTRIES + entry) * s.row + first_probe;
        UNROLL
        for (int p = 0; p < PROBES; p++) sums[p] += energies[p];
    }
    const qn_int64 points = (qn_int64)s.nx * s.ny * s.nz;
    GLOBAL float *to = result + first_probe * points + ((qn_int64)z * s.ny + y) * s.nx + x;
    UNROLL
    for (int p = 0; p < PROBES; p++)
        if (first_probe + p < s.probes) to[p * points] = sums[p];
}
