/* Vina's energy of poses. A work-item scores one pose: its ligand atoms in their order with the receptor atoms in
 * the order of cells. Pairs beyond the cut-off add 0, so cells beyond reach are left out without changing a bit. */
#include "score/kernels/score_poses_vina.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif
#ifndef CELLS
#error "CELLS: 1: only cells in reach of an atom are visited, each work-item its own; 0: all atoms, together"
#endif

/* Energy of receptor atoms first … end − 1 with a ligand atom. */
DEVICE_FN float add_range(GLOBAL const qn_float4 *RESTRICT places, GLOBAL const qn_float4 *RESTRICT pairs, int first,
                          int end, float x, float y, float z, float repulsion, float energy)
{
    for (int j = first; j < end; j++) {
        const qn_float4 place = places[j];
        const float dx = x - place.x, dy = y - place.y, dz = z - place.z;
        const float square = FMA(dz, dz, FMA(dy, dy, dx * dx));
        if (square < VINA_SQUARED_CUTOFF) {
            const qn_float4 pair = pairs[j];
            energy += vina_pair_energy(square, pair.x, pair.y, pair.z, pair.w, repulsion);
        }
    }
    return energy;
}

/* places: x, y, z, 0, in the order of cells; pairs: radius, weight, slope, offset in rows of `stride` a ligand type;
 * columns: the same for hosts; cell_starts: first atom of each cell of nx · ny · nz, x fastest, and the count; grid:
 * x, y, z of the first cell's corner (Å), cells per Å and the weight of repulsion; jobs: first atom, atoms; shares:
 * 1 / divisor of each job; atoms: x, y, z and the bits of the type */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void score(
    GLOBAL const qn_float4 *RESTRICT places, GLOBAL const qn_float4 *RESTRICT pairs,
    GLOBAL const float *RESTRICT columns, GLOBAL const int *RESTRICT cell_starts, GLOBAL const float *RESTRICT grid,
    GLOBAL const int *RESTRICT jobs, GLOBAL const float *RESTRICT shares, GLOBAL const qn_float4 *RESTRICT atoms,
    GLOBAL const float *RESTRICT transforms, GLOBAL float *RESTRICT energies, const vina_scalars s)
{
    const int pose = GLOBAL_ID(0), job = GLOBAL_ID(1);
    if (pose >= s.poses) return;
    const qn_int64 at = (qn_int64)job * s.poses + pose;
    const qn_int64 row = (qn_int64)s.job_count * s.poses;
    const int first_atom = jobs[2 * job], atom_count = jobs[2 * job + 1];
    float m[12], total = 0.0f;
    UNROLL
    for (int k = 0; k < 12; k++) m[k] = transforms[k * row + at];
    for (int a = 0; a < atom_count; a++) {
        const qn_float4 atom = atoms[first_atom + a];
        const float x = vina_moved(m[0], m[1], m[2], m[3], atom.x, atom.y, atom.z);
        const float y = vina_moved(m[4], m[5], m[6], m[7], atom.x, atom.y, atom.z);
        const float z = vina_moved(m[8], m[9], m[10], m[11], atom.x, atom.y, atom.z);
        GLOBAL const qn_float4 *of_type = pairs + (qn_int64)(int)FLOAT_BITS(atom.w) * s.stride;
        float energy = 0.0f;
#if CELLS
        const int cx = vina_cell(x, grid[0], grid[3]), cy = vina_cell(y, grid[1], grid[3]);
        const int cz = vina_cell(z, grid[2], grid[3]);
        const int x0 = MAX(cx - VINA_CELLS, 0), x1 = MIN(cx + VINA_CELLS, s.nx - 1);
        const int y0 = MAX(cy - VINA_CELLS, 0), y1 = MIN(cy + VINA_CELLS, s.ny - 1);
        const int z0 = MAX(cz - VINA_CELLS, 0), z1 = MIN(cz + VINA_CELLS, s.nz - 1);
        if (x0 <= x1)
            for (int iz = z0; iz <= z1; iz++)
                for (int iy = y0; iy <= y1; iy++) {
                    const int cells = (iz * s.ny + iy) * s.nx;
                    energy = add_range(places, of_type, cell_starts[cells + x0], cell_starts[cells + x1 + 1], x, y, z,
                                       grid[4], energy);
                }
#else
        energy = add_range(places, of_type, 0, s.receptor_atoms, x, y, z, grid[4], energy);
#endif
        total += energy;
    }
    energies[at] = total * shares[job];
}
