#include <float.h>
#include <stdlib.h>

#include "base/memory.h"
#include "dock/search/kernels/best_cells.h"

typedef struct scored_cell {
    float energy;
    int32_t cell;
} scored_cell;

static int by_energy_then_cell(const void *left, const void *right)
{
    const scored_cell *a = left, *b = right;
    if (a->energy != b->energy) return a->energy < b->energy ? -1 : 1;
    return (a->cell > b->cell) - (a->cell < b->cell);
}

/* Circular distance on an axis. */
static int apart(int a, int b, int size)
{
    int distance = abs(a - b);
    return distance < size - distance ? distance : size - distance;
}

/* Whether a circular index is that of a searched translation, `index` or `index` − `size`. */
static int is_searched(int index, int size, int first, int last)
{
    return (index >= first && index <= last) || (index - size >= first && index - size <= last);
}

/* Whether a cell is kept: its translation is searched, and all other cells of its cube come later in the sorted order.
 */
static int is_kept(const qn_best_cells_problem *problem, const scored_cell *sorted, size_t rank)
{
    const int nx = problem->cells[0], ny = problem->cells[1], nz = problem->cells[2];
    int32_t cell = sorted[rank].cell;
    int at[3] = {cell % nx, cell / nx % ny, cell / (nx * ny)};
    for (int axis = 0; axis < 3; axis++)
        if (!is_searched(at[axis], problem->cells[axis], problem->first_shift[axis], problem->last_shift[axis]))
            return 0;
    if (problem->keep == 1) return 1;
    for (size_t better = 0; better < rank; better++) {
        int32_t other = sorted[better].cell;
        if (apart(other % nx, at[0], nx) <= problem->radius && apart(other / nx % ny, at[1], ny) <= problem->radius &&
            apart(other / (nx * ny), at[2], nz) <= problem->radius)
            return 0;
    }
    return 1;
}

qn_status qn_best_cells_reference(const qn_best_cells_problem *problem, const float *scores, float *energies,
                                  int32_t *cells)
{
    size_t volume = (size_t)problem->cells[0] * (size_t)problem->cells[1] * (size_t)problem->cells[2];
    void *memory;
    qn_status status = qn_allocate(volume, sizeof(scored_cell), &memory);
    if (status != QN_OK) return status;
    scored_cell *sorted = memory;
    for (size_t i = 0; i < volume; i++) sorted[i] = (scored_cell){scores[i], (int32_t)i};
    qsort(sorted, volume, sizeof *sorted, by_energy_then_cell);
    int found = 0;
    for (size_t rank = 0; rank < volume && found < problem->keep; rank++) {
        if (!is_kept(problem, sorted, rank)) continue;
        energies[found] = sorted[rank].energy;
        cells[found++] = sorted[rank].cell;
    }
    for (; found < problem->keep; found++) {
        energies[found] = FLT_MAX;
        cells[found] = -1;
    }
    qn_release(&memory);
    return QN_OK;
}
