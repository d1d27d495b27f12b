/* The order of scored cells: by energy, then by cell. Among equal energies, −1 (no cell) comes last. */
#ifndef QN_DOCK_CELL_ORDER_DEV_H
#define QN_DOCK_CELL_ORDER_DEV_H

DEVICE_FN bool comes_before(float energy, int cell, float other_energy, int other_cell)
{
    return energy < other_energy || (energy == other_energy && (unsigned)cell < (unsigned)other_cell);
}

#endif
