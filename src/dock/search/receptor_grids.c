#include "dock/search/receptor_grids.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "score/electrostatics.h"

/* Radius of the probe that finds the outside region (docs/design/docking.md, "Core"). */
static const double flood_angstrom = 0.6;

typedef struct plane_job {
    const qn_dock_partner *receptor;
    const qn_dock_grid *grid;
    double *surface; /* u: distance to the nearest heavy atom's surface, Å */
    qn_dock_layer *layers;
    size_t layer_count;
} plane_job;

/* Find the range of cells [*first, *last] of an axis within `reach` of `position`, clipped to the grid. */
static void cells_within(const qn_dock_grid *grid, int axis, double position, double reach, int *first, int *last)
{
    double centre = position - grid->origin_angstrom[axis];
    *first = (int)fmax(0, ceil((centre - reach) / grid->spacing_angstrom));
    *last = (int)fmin(grid->cells[axis] - 1, floor((centre + reach) / grid->spacing_angstrom));
}

/* Square of the distance along one axis between a cell and a position. */
static double square_apart(const qn_dock_grid *grid, int axis, int cell, double position)
{
    double apart = grid->origin_angstrom[axis] + grid->spacing_angstrom * cell - position;
    return apart * apart;
}

/* The cells of a plane that may lie within reach of a position. */
typedef struct plane_cells {
    int x_first, x_last, y_first, y_last;
    double z2; /* square of the distance of the position from the plane */
} plane_cells;

/* Find the cells of plane z within reach of a position. Returns false if the plane is out of reach. */
static bool reach_plane(const qn_dock_grid *grid, const double position[3], double reach, int z, plane_cells *cells)
{
    cells->z2 = square_apart(grid, 2, z, position[2]);
    if (cells->z2 >= reach * reach) return false;
    cells_within(grid, 0, position[0], reach, &cells->x_first, &cells->x_last);
    cells_within(grid, 1, position[1], reach, &cells->y_first, &cells->y_last);
    return true;
}

/* Lower the surface distance in plane z near an atom: up to the probe's radius plus one voxel from the atom's surface.
 */
static void lower_surface(const plane_job *job, const qn_dock_site *site, int z, double *plane)
{
    const qn_dock_grid *grid = job->grid;
    const double radius = site->radius_angstrom, reach = radius + flood_angstrom + grid->spacing_angstrom;
    const double *position = site->position_angstrom;
    plane_cells cells;
    if (!reach_plane(grid, position, reach, z, &cells)) return;
    for (int y = cells.y_first; y <= cells.y_last; y++) {
        double yz2 = cells.z2 + square_apart(grid, 1, y, position[1]);
        double *row = plane + (size_t)y * (size_t)grid->cells[0];
        for (int x = cells.x_first; x <= cells.x_last; x++)
            row[x] = fmin(row[x], sqrt(yz2 + square_apart(grid, 0, x, position[0])) - radius);
    }
}

/* Add `weight` of one site to the plane z of a layer. */
static void add_site(const plane_job *job, const qn_dock_layer *layer, const qn_dock_site *site, double weight, int z,
                     double *plane)
{
    const qn_dock_grid *grid = job->grid;
    const double *position = site->position_angstrom;
    const bool potential = layer->kind == QN_DOCK_POTENTIAL;
    double reach = potential                     ? QN_ELECTROSTATIC_CUTOFF_ANGSTROM
                   : layer->kind == QN_DOCK_NEAR ? layer->reach_angstrom
                                                 : layer->reach_angstrom + (double)site->radius_angstrom;
    plane_cells cells;
    if (!reach_plane(grid, position, reach, z, &cells)) return;
    for (int y = cells.y_first; y <= cells.y_last; y++) {
        double yz2 = cells.z2 + square_apart(grid, 1, y, position[1]);
        double *row = plane + (size_t)y * (size_t)grid->cells[0];
        if (yz2 >= reach * reach) continue;
        for (int x = cells.x_first; x <= cells.x_last; x++) {
            double r2 = yz2 + square_apart(grid, 0, x, position[0]);
            if (potential)
                row[x] += weight * qn_electrostatic_potential(r2, layer->length_angstrom);
            else if (r2 < reach * reach)
                row[x] += weight;
        }
    }
}

static void fill_layer_plane(const plane_job *job, const qn_dock_layer *layer, int z, double *plane)
{
    size_t plane_size = (size_t)job->grid->cells[0] * (size_t)job->grid->cells[1];
    float *values = layer->values + (size_t)z * plane_size;
    for (size_t cell = 0; cell < plane_size; cell++) plane[cell] = 0;
    for (size_t i = 0; i < job->receptor->site_count; i++)
        if (layer->weights[i] != 0) add_site(job, layer, &job->receptor->sites[i], layer->weights[i], z, plane);
    for (size_t cell = 0; cell < plane_size; cell++) values[cell] = (float)fmin(plane[cell], layer->cap);
}

static qn_status fill_plane(size_t index, int worker, void *user)
{
    plane_job *job = user;
    size_t plane_size = (size_t)job->grid->cells[0] * (size_t)job->grid->cells[1];
    double *surface = job->surface + index * plane_size;
    void *memory;
    (void)worker;
    QN_TRY(qn_allocate(plane_size, sizeof(double), &memory));
    for (size_t cell = 0; cell < plane_size; cell++) surface[cell] = INFINITY;
    for (size_t i = 0; i < job->receptor->site_count; i++)
        if (job->receptor->sites[i].heavy) lower_surface(job, &job->receptor->sites[i], (int)index, surface);
    for (size_t i = 0; i < job->layer_count; i++)
        if (job->layers[i].kind != QN_DOCK_CORE) fill_layer_plane(job, &job->layers[i], (int)index, memory);
    qn_release(&memory);
    return QN_OK;
}

enum { UNKNOWN = 0, FLOODED = 1, SHORE = 2 };

/* Mark as FLOODED the cells that the centre of a probe from outside reaches, by 6-neighbour steps from cell 0, which no
 * atom touches. */
static qn_status flood(const qn_dock_grid *grid, const double *surface, unsigned char *mark)
{
    const int nx = grid->cells[0], ny = grid->cells[1], nz = grid->cells[2];
    void *memory = NULL;
    size_t capacity = 0, count = 1;
    QN_TRY(qn_grow(&memory, &capacity, (size_t)nx * (size_t)ny, sizeof(size_t)));
    ((size_t *)memory)[0] = 0;
    mark[0] = FLOODED;
    while (count > 0) {
        size_t cell = ((size_t *)memory)[--count];
        int at[3] = {(int)(cell % (size_t)nx), (int)(cell / (size_t)nx % (size_t)ny),
                     (int)(cell / (size_t)nx / (size_t)ny)};
        for (int step = 0; step < 6; step++) {
            int next[3] = {at[0], at[1], at[2]};
            next[step / 2] += step % 2 ? 1 : -1;
            if (next[0] < 0 || next[1] < 0 || next[2] < 0 || next[0] >= nx || next[1] >= ny || next[2] >= nz) continue;
            size_t neighbour = (size_t)next[0] + (size_t)nx * ((size_t)next[1] + (size_t)ny * (size_t)next[2]);
            if (mark[neighbour] == FLOODED || surface[neighbour] <= flood_angstrom) continue;
            mark[neighbour] = FLOODED;
            qn_status status = qn_grow(&memory, &capacity, count + 1, sizeof(size_t));
            if (status != QN_OK) {
                qn_release(&memory);
                return status;
            }
            ((size_t *)memory)[count++] = neighbour;
        }
    }
    qn_release(&memory);
    return QN_OK;
}

static bool touches_flood(const qn_dock_grid *grid, const unsigned char *mark, int x, int y, int z)
{
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int i = x + dx, j = y + dy, k = z + dz;
                if (i < 0 || j < 0 || k < 0 || i >= grid->cells[0] || j >= grid->cells[1] || k >= grid->cells[2])
                    continue;
                if (mark[(size_t)i + (size_t)grid->cells[0] * ((size_t)j + (size_t)grid->cells[1] * (size_t)k)] ==
                    FLOODED)
                    return true;
            }
    return false;
}

/* Find the core. core[cell] is 1 unless the cell is flooded, or lies outside all atoms and touches a flooded cell by a
 * face, edge or corner. */
static qn_status find_core(const qn_dock_grid *grid, const double *surface, unsigned char *core)
{
    void *memory;
    QN_TRY(qn_allocate(qn_dock_grid_volume(grid), 1, &memory));
    unsigned char *mark = memory;
    qn_status status = flood(grid, surface, mark);
    size_t cell = 0;
    for (int z = 0; status == QN_OK && z < grid->cells[2]; z++)
        for (int y = 0; y < grid->cells[1]; y++)
            for (int x = 0; x < grid->cells[0]; x++, cell++)
                core[cell] = !(mark[cell] == FLOODED || (surface[cell] > 0 && touches_flood(grid, mark, x, y, z)));
    qn_release(&memory);
    return status;
}

/* Fill the CORE layers, and set COUNT layers to 0 in the core. */
static void apply_core(qn_dock_layer *layers, size_t count, size_t volume, const unsigned char *core)
{
    for (size_t i = 0; i < count; i++) {
        float *values = layers[i].values;
        if (layers[i].kind == QN_DOCK_CORE)
            for (size_t cell = 0; cell < volume; cell++) values[cell] = core[cell];
        if (layers[i].kind == QN_DOCK_COUNT)
            for (size_t cell = 0; cell < volume; cell++)
                if (core[cell]) values[cell] = 0;
    }
}

qn_status qn_dock_receptor_grids(const qn_dock_partner *receptor, const qn_dock_grid *grid, qn_pool *pool,
                                 qn_dock_layer *layers, size_t count)
{
    size_t volume = qn_dock_grid_volume(grid);
    void *surface, *core;
    QN_TRY(qn_allocate(volume, sizeof(double), &surface));
    qn_status status = qn_allocate(volume, 1, &core);
    if (status == QN_OK) {
        plane_job job = {receptor, grid, surface, layers, count};
        status = qn_pool_run(pool, (size_t)grid->cells[2], fill_plane, &job);
        if (status == QN_OK) status = find_core(grid, surface, core);
        if (status == QN_OK) apply_core(layers, count, volume, core);
        qn_release(&core);
    }
    qn_release(&surface);
    return status;
}
