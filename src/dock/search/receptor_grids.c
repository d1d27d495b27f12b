#include "dock/search/receptor_grids.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "score/electrostatics.h"

/* Radius of the probe that finds the outside region (docs/design/docking.md, "Core"). */
static const double flood_angstrom = 0.6;

/* Marks of cells, by u, the distance to the nearest heavy atom's surface. */
enum {
    INSIDE,  /* u ≤ 0 */
    SHORE,   /* 0 < u, but too small for the centre of the probe */
    DRY,     /* the centre of the probe may be here */
    FLOODED, /* the centre of the probe comes here from outside */
};

typedef struct plane_job {
    const qn_dock_partner *receptor;
    const qn_dock_grid *grid;
    unsigned char *mark; /* [volume] */
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

/* Mark the cells of a plane. */
static void mark_plane(const plane_job *job, int z, double *surface)
{
    const size_t plane_size = (size_t)job->grid->cells[0] * (size_t)job->grid->cells[1];
    unsigned char *mark = job->mark + (size_t)z * plane_size;
    for (size_t cell = 0; cell < plane_size; cell++) surface[cell] = INFINITY;
    for (size_t i = 0; i < job->receptor->site_count; i++)
        if (job->receptor->sites[i].heavy) lower_surface(job, &job->receptor->sites[i], z, surface);
    for (size_t cell = 0; cell < plane_size; cell++)
        mark[cell] = surface[cell] > flood_angstrom ? DRY : surface[cell] > 0 ? SHORE : INSIDE;
}

static qn_status fill_plane(size_t index, int worker, void *user)
{
    plane_job *job = user;
    const size_t plane_size = (size_t)job->grid->cells[0] * (size_t)job->grid->cells[1];
    void *memory;
    (void)worker;
    QN_TRY(qn_allocate(plane_size, sizeof(double), &memory));
    mark_plane(job, (int)index, memory);
    for (size_t i = 0; i < job->layer_count; i++)
        if (job->layers[i].kind == QN_DOCK_CORE)
            memset(job->layers[i].values + index * plane_size, 0, plane_size * sizeof(float));
        else
            fill_layer_plane(job, &job->layers[i], (int)index, memory);
    qn_release(&memory);
    return QN_OK;
}

/* The flood: rows of cells along x are filled from one of their cells at a time. */
typedef struct flood_state {
    const qn_dock_grid *grid;
    unsigned char *mark;
    void *seeds; /* size_t: cells to flood from */
    size_t seed_count, capacity;
} flood_state;

static bool is_dry(const flood_state *state, size_t cell)
{
    return state->mark[cell] == DRY;
}

/* Add a seed for each stretch of dry cells among the cells first … last of a row. */
static qn_status seed_row(flood_state *state, size_t first, size_t last)
{
    for (size_t cell = first; cell <= last; cell++) {
        if (!is_dry(state, cell) || (cell > first && is_dry(state, cell - 1))) continue;
        QN_TRY(qn_grow(&state->seeds, &state->capacity, state->seed_count + 1, sizeof(size_t)));
        ((size_t *)state->seeds)[state->seed_count++] = cell;
    }
    return QN_OK;
}

/* Flood a cell and the dry cells beside it in its row, and seed the four neighbouring rows. */
static qn_status flood_stretch(flood_state *state, size_t cell)
{
    const size_t nx = (size_t)state->grid->cells[0], ny = (size_t)state->grid->cells[1],
                 nz = (size_t)state->grid->cells[2];
    const size_t row = cell / nx * nx, y = cell / nx % ny, z = cell / nx / ny;
    size_t first = cell, last = cell;
    while (first > row && is_dry(state, first - 1)) first--;
    while (last + 1 < row + nx && is_dry(state, last + 1)) last++;
    memset(state->mark + first, FLOODED, last - first + 1);
    if (y > 0) QN_TRY(seed_row(state, first - nx, last - nx));
    if (y + 1 < ny) QN_TRY(seed_row(state, first + nx, last + nx));
    if (z > 0) QN_TRY(seed_row(state, first - nx * ny, last - nx * ny));
    return z + 1 < nz ? seed_row(state, first + nx * ny, last + nx * ny) : QN_OK;
}

/* Mark as FLOODED the cells that the centre of a probe from outside reaches, by 6-neighbour steps from cell 0, which no
 * atom touches. */
static qn_status flood(const qn_dock_grid *grid, unsigned char *mark)
{
    flood_state state = {.grid = grid, .mark = mark};
    qn_status status = flood_stretch(&state, 0);
    while (status == QN_OK && state.seed_count > 0) {
        const size_t seed = ((const size_t *)state.seeds)[--state.seed_count];
        if (is_dry(&state, seed)) status = flood_stretch(&state, seed);
    }
    qn_release(&state.seeds);
    return status;
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

/* Whether a cell belongs to the core: it is not flooded, and is inside an atom or touches no flooded cell by a face,
 * edge or corner. */
static bool is_core(const plane_job *job, size_t cell, int x, int y, int z)
{
    const int mark = job->mark[cell];
    return mark == INSIDE || (mark != FLOODED && !touches_flood(job->grid, job->mark, x, y, z));
}

/* Fill the CORE layers of a plane, and set COUNT layers to 0 in the core. */
static qn_status apply_core(size_t index, int worker, void *user)
{
    const plane_job *job = user;
    const int nx = job->grid->cells[0], ny = job->grid->cells[1];
    size_t cell = index * (size_t)nx * (size_t)ny;
    (void)worker;
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++, cell++) {
            const bool core = is_core(job, cell, x, y, (int)index);
            for (size_t i = 0; core && i < job->layer_count; i++) {
                if (job->layers[i].kind == QN_DOCK_CORE) job->layers[i].values[cell] = 1;
                if (job->layers[i].kind == QN_DOCK_COUNT) job->layers[i].values[cell] = 0;
            }
        }
    return QN_OK;
}

qn_status qn_dock_receptor_grids(const qn_dock_partner *receptor, const qn_dock_grid *grid, qn_pool *pool,
                                 qn_dock_layer *layers, size_t count)
{
    const size_t planes = (size_t)grid->cells[2];
    void *mark;
    QN_TRY(qn_allocate(qn_dock_grid_volume(grid), 1, &mark));
    plane_job job = {receptor, grid, mark, layers, count};
    qn_status status = qn_pool_run(pool, planes, fill_plane, &job);
    if (status == QN_OK) status = flood(grid, mark);
    if (status == QN_OK) status = qn_pool_run(pool, planes, apply_core, &job);
    qn_release(&mark);
    return status;
}
