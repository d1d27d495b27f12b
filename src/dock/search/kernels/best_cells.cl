/* The best translations of each rotation: cells of lowest energy that are the minimum of their exclusion cube.
 *
 * Shapes: scores [rotation][nz][ny][nx]; partial lists [rotation][groups][KEEP] from `scan`, final lists
 * [rotation][KEEP] from `merge`, best first, padded with (FLT_MAX, -1). Cells are sorted by energy, then by cell, so
 * that the result does not depend on the division of the work. Only translations first <= t <= last count (circular,
 * see dock/search/grid.h). The exclusion cube has `radius` cells to each side of a cell, circular; radius 0: no
 * exclusion. */
#include "dock/search/kernels/best_cells.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif
#ifndef GROUPS
#error "GROUPS: groups that scan one rotation"
#endif
#ifndef KEEP
#error "KEEP: cells kept of a rotation; the scalar keep has the same value"
#endif

/* Find the best KEEP cells of all items' sorted lists; item 0 writes them to energies_out and cells_out. */
DEVICE_FN void merge_group(float *energies, int *cells, LOCAL_PTR float *local_energy, LOCAL_PTR int *local_cell,
                           GLOBAL float *energies_out, GLOBAL int *cells_out)
{
    int item = (int)LOCAL_ID(0);
    for (int rank = 0; rank < KEEP; rank++) {
        local_energy[item] = energies[0];
        local_cell[item] = cells[0];
        LOCAL_BARRIER();
        for (int reach = GROUP_SIZE / 2; reach > 0; reach /= 2) {
            if (item < reach && comes_before(local_energy[item + reach], local_cell[item + reach], local_energy[item],
                                            local_cell[item])) {
                local_energy[item] = local_energy[item + reach];
                local_cell[item] = local_cell[item + reach];
            }
            LOCAL_BARRIER();
        }
        float best_energy = local_energy[0];
        int best_cell = local_cell[0];
        if (item == 0) {
            energies_out[rank] = best_energy;
            cells_out[rank] = best_cell;
        }
        LOCAL_BARRIER();
        if (cells[0] == best_cell) { /* cells are unique: the item with the best cell removes it from its list */
            for (int i = 0; i + 1 < KEEP; i++) {
                energies[i] = energies[i + 1];
                cells[i] = cells[i + 1];
            }
            energies[KEEP - 1] = FLOAT_MAXIMUM;
            cells[KEEP - 1] = -1;
        }
    }
}

/* A group scans one of GROUPS pieces (x) of the scores of one rotation (y). */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void scan(
    GLOBAL const float *RESTRICT scores, GLOBAL float *RESTRICT partial_energies, GLOBAL int *RESTRICT partial_cells,
    const scan_scalars s)
{
    LOCAL float local_energy[GROUP_SIZE];
    LOCAL int local_cell[GROUP_SIZE];
    float energies[KEEP];
    int cells[KEEP];
    int volume = s.nx * s.ny * s.nz, piece = (volume + GROUPS - 1) / GROUPS;
    int begin = (int)GROUP_ID(0) * piece, end = MIN(begin + piece, volume);
    qn_int64 rotation = (qn_int64)GLOBAL_ID(1);
    GLOBAL const float *own = scores + rotation * volume;
    clear_cells(energies, cells, KEEP);
    for (int cell = begin + (int)LOCAL_ID(0); cell < end; cell += GROUP_SIZE) {
        float energy = own[cell];
        if (!comes_before(energy, cell, energies[KEEP - 1], cells[KEEP - 1])) continue;
        int x = cell % s.nx, y = cell / s.nx % s.ny, z = cell / (s.nx * s.ny);
        if (!is_searched(x, s.nx, s.first[0], s.last[0]) || !is_searched(y, s.ny, s.first[1], s.last[1]) ||
            !is_searched(z, s.nz, s.first[2], s.last[2]))
            continue;
        if (s.radius > 0 && !is_cube_minimum(own, energy, cell, x, y, z, s.nx, s.ny, s.nz, s.radius)) continue;
        insert_cell(energies, cells, KEEP, energy, cell);
    }
    qn_int64 list = (rotation * GROUPS + (qn_int64)GROUP_ID(0)) * s.keep;
    merge_group(energies, cells, local_energy, local_cell, partial_energies + list, partial_cells + list);
}

/* A group makes the final list of one rotation (y). */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void merge(GLOBAL const float *RESTRICT partial_energies,
                                                GLOBAL const int *RESTRICT partial_cells,
                                                GLOBAL float *RESTRICT best_energies, GLOBAL int *RESTRICT best_cells,
                                                int keep)
{
    LOCAL float local_energy[GROUP_SIZE];
    LOCAL int local_cell[GROUP_SIZE];
    float energies[KEEP];
    int cells[KEEP];
    qn_int64 rotation = (qn_int64)GLOBAL_ID(1), list = rotation * GROUPS * keep;
    clear_cells(energies, cells, KEEP);
    for (int i = (int)LOCAL_ID(0); i < GROUPS * KEEP; i += GROUP_SIZE)
        if (partial_cells[list + i] >= 0)
            insert_cell(energies, cells, KEEP, partial_energies[list + i], partial_cells[list + i]);
    merge_group(energies, cells, local_energy, local_cell, best_energies + rotation * keep, best_cells + rotation * keep);
}
