/* The best translations of each rotation: cells of lowest energy that are the minimum of their exclusion cube.
 *
 * Shapes: scores [rotation][nz][ny][nx]; partial lists [rotation][groups][KEEP] from `scan`, final lists
 * [rotation][KEEP] from `merge`, best first, padded with (FLT_MAX, -1). Order: lower energy, ties lower cell, so the
 * result does not depend on how the work is divided. Only translations first_ <= t <= last_ count (circular, see
 * dock/search/grid.h). Exclusion: the cube of `radius` cells around a cell, circular; radius 0 means none. */

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif
#ifndef GROUPS
#error "GROUPS: groups that scan one rotation"
#endif
#ifndef KEEP
#error "KEEP: cells kept of a rotation; the argument keep has the same value"
#endif

DEVICE_FN bool comes_before(float energy, int cell, float other_energy, int other_cell)
{
    return energy < other_energy || (energy == other_energy && (qn_uint32)cell < (qn_uint32)other_cell);
}

/* Put a cell into a sorted list if it is good enough. */
DEVICE_FN void insert_cell(float *energies, int *cells, float energy, int cell)
{
    for (int i = 0; i < KEEP; i++) {
        if (comes_before(energy, cell, energies[i], cells[i])) {
            float moved_energy = energies[i];
            int moved_cell = cells[i];
            energies[i] = energy;
            cells[i] = cell;
            energy = moved_energy;
            cell = moved_cell;
        }
    }
}

/* Best KEEP of all items' sorted lists, written to energies_out and cells_out by item 0. */
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
        if (cells[0] == best_cell) { /* cells are unique: the winner moves on to its next one */
            for (int i = 0; i + 1 < KEEP; i++) {
                energies[i] = energies[i + 1];
                cells[i] = cells[i + 1];
            }
            energies[KEEP - 1] = FLOAT_MAXIMUM;
            cells[KEEP - 1] = -1;
        }
    }
}

DEVICE_FN bool is_searched(int index, int size, int first, int last)
{
    return index <= last || index >= size + first;
}

/* Whether no cell of the cube around (x, y, z) comes before it. */
DEVICE_FN bool is_cube_minimum(GLOBAL const float *scores, float energy, int cell, int x, int y, int z, int nx, int ny,
                               int nz, int radius)
{
    for (int dz = -radius; dz <= radius; dz++)
        for (int dy = -radius; dy <= radius; dy++)
            for (int dx = -radius; dx <= radius; dx++) {
                int i = (x + dx + nx) % nx, j = (y + dy + ny) % ny, k = (z + dz + nz) % nz;
                int other = i + nx * (j + ny * k);
                if (other != cell && comes_before(scores[other], other, energy, cell)) return false;
            }
    return true;
}

/* One group: one of GROUPS pieces (x) of one rotation's scores (y). */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void scan(GLOBAL const float *RESTRICT scores, GLOBAL float *RESTRICT partial_energies,
                                               GLOBAL int *RESTRICT partial_cells, int nx, int ny, int nz, int first_x,
                                               int last_x, int first_y, int last_y, int first_z, int last_z, int radius,
                                               int keep)
{
    LOCAL float local_energy[GROUP_SIZE];
    LOCAL int local_cell[GROUP_SIZE];
    float energies[KEEP];
    int cells[KEEP];
    int volume = nx * ny * nz, piece = (volume + GROUPS - 1) / GROUPS;
    int begin = (int)GROUP_ID(0) * piece, end = MIN(begin + piece, volume);
    qn_int64 rotation = (qn_int64)GLOBAL_ID(1);
    GLOBAL const float *own = scores + rotation * volume;
    for (int i = 0; i < KEEP; i++) {
        energies[i] = FLOAT_MAXIMUM;
        cells[i] = -1;
    }
    for (int cell = begin + (int)LOCAL_ID(0); cell < end; cell += GROUP_SIZE) {
        float energy = own[cell];
        if (!comes_before(energy, cell, energies[KEEP - 1], cells[KEEP - 1])) continue;
        int x = cell % nx, y = cell / nx % ny, z = cell / (nx * ny);
        if (!is_searched(x, nx, first_x, last_x) || !is_searched(y, ny, first_y, last_y) ||
            !is_searched(z, nz, first_z, last_z))
            continue;
        if (radius > 0 && !is_cube_minimum(own, energy, cell, x, y, z, nx, ny, nz, radius)) continue;
        insert_cell(energies, cells, energy, cell);
    }
    qn_int64 list = (rotation * GROUPS + (qn_int64)GROUP_ID(0)) * keep;
    merge_group(energies, cells, local_energy, local_cell, partial_energies + list, partial_cells + list);
}

/* One group: the final list of one rotation (y). */
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
    for (int i = 0; i < KEEP; i++) {
        energies[i] = FLOAT_MAXIMUM;
        cells[i] = -1;
    }
    for (int i = (int)LOCAL_ID(0); i < GROUPS * KEEP; i += GROUP_SIZE)
        if (partial_cells[list + i] >= 0) insert_cell(energies, cells, partial_energies[list + i], partial_cells[list + i]);
    merge_group(energies, cells, local_energy, local_cell, best_energies + rotation * keep, best_cells + rotation * keep);
}
