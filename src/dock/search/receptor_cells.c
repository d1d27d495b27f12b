#include "dock/search/receptor_cells.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static bool is_trilinear(const qn_dock_energy *energy, size_t layer)
{
    return energy->layers[layer].ligand_grid == energy->trilinear_grid;
}

/* Give each layer its column. Returns the number of trilinear layers. */
static size_t choose_columns(const qn_dock_energy *energy, qn_dock_cells *cells)
{
    size_t plain = 0, trilinear = 0;
    for (size_t l = 0; l < energy->layer_count; l++) cells->column[l] = is_trilinear(energy, l) ? trilinear++ : plain++;
    cells->width = (plain + QN_DOCK_CELL_MULTIPLE - 1) / QN_DOCK_CELL_MULTIPLE * QN_DOCK_CELL_MULTIPLE;
    return trilinear;
}

typedef struct cells_job {
    const qn_dock_energy *energy;
    qn_dock_cells *cells;
    size_t plane;  /* cells of a plane */
    size_t *first; /* for each plane the number of its rows, then its first row */
} cells_job;

/* Mark the cells of a plane: 1 if a plain layer is not 0, −1 if only trilinear layers are not. Count them. */
static qn_status mark_plane(size_t z, int worker, void *user)
{
    const cells_job *job = user;
    int32_t *row = job->cells->row + z * job->plane;
    size_t count = 0;
    (void)worker;
    for (int plain = 0; plain < 2; plain++) /* plain layers come last, because their mark replaces the other */
        for (size_t l = 0; l < job->energy->layer_count; l++) {
            const float *values = job->energy->layers[l].values + z * job->plane;
            if (is_trilinear(job->energy, l) == plain) continue;
            for (size_t i = 0; i < job->plane; i++) row[i] = values[i] != 0 ? 2 * plain - 1 : row[i];
        }
    for (size_t i = 0; i < job->plane; i++) count += row[i] != 0;
    job->first[z] = count;
    return QN_OK;
}

/* Number the marked cells of a plane and copy their values. */
static qn_status fill_plane(size_t z, int worker, void *user)
{
    const cells_job *job = user;
    const qn_dock_cells *cells = job->cells;
    int32_t *row = cells->row + z * job->plane, next = (int32_t)job->first[z];
    (void)worker;
    for (size_t i = 0; i < job->plane; i++) {
        if (row[i] == 0) continue;
        for (size_t l = 0; l < job->energy->layer_count; l++) {
            float *to = is_trilinear(job->energy, l) ? cells->trilinear + cells->column[l] * cells->count + next
                                                     : cells->plain + (size_t)next * cells->width + cells->column[l];
            *to = job->energy->layers[l].values[z * job->plane + i];
        }
        row[i] = row[i] > 0 ? next : -next;
        next++;
    }
    return QN_OK;
}

/* `first` of the job: room for a number for each plane. */
static qn_status fill(cells_job *job, size_t planes, size_t trilinear, qn_pool *pool)
{
    qn_dock_cells *cells = job->cells;
    void *memory;
    QN_TRY(qn_pool_run(pool, planes, mark_plane, job));
    cells->count = 1;
    for (size_t z = 0; z < planes; z++) {
        const size_t count = job->first[z];
        job->first[z] = cells->count;
        cells->count += count;
    }
    QN_TRY(qn_allocate(cells->count * cells->width, sizeof(float), &memory));
    cells->plain = memory;
    QN_TRY(qn_allocate(cells->count * trilinear, sizeof(float), &memory));
    cells->trilinear = memory;
    return qn_pool_run(pool, planes, fill_plane, job);
}

qn_status qn_dock_cells_create(const qn_dock_energy *energy, const qn_dock_grid *grid, qn_pool *pool,
                               qn_dock_cells *cells)
{
    const size_t planes = (size_t)grid->cells[2];
    void *rows, *first = NULL;
    memset(cells, 0, sizeof *cells);
    const size_t trilinear = choose_columns(energy, cells);
    QN_TRY(qn_allocate(qn_dock_grid_volume(grid), sizeof(int32_t), &rows));
    cells->row = rows;
    qn_status status = qn_allocate(planes, sizeof(size_t), &first);
    if (status == QN_OK) {
        cells_job job = {energy, cells, (size_t)grid->cells[0] * (size_t)grid->cells[1], first};
        status = fill(&job, planes, trilinear, pool);
    }
    qn_release(&first);
    if (status != QN_OK) qn_dock_cells_clear(cells);
    return status;
}

void qn_dock_cells_clear(qn_dock_cells *cells)
{
    qn_release(&cells->row);
    qn_release(&cells->plain);
    qn_release(&cells->trilinear);
}

size_t qn_dock_cells_bytes(const qn_dock_energy *energy, const qn_dock_grid *grid, size_t columns)
{
    qn_dock_cells cells;
    size_t filled = 1;
    columns += choose_columns(energy, &cells);
    /* The planner of grids leaves so many cells along an axis to the box of the first translation (grid.c). */
    for (int axis = 0; axis < 3; axis++) filled *= (size_t)(grid->cells[axis] + grid->first_shift[axis]);
    return qn_dock_grid_volume(grid) * sizeof(int32_t) + (filled + 1) * (cells.width + columns) * sizeof(float);
}
