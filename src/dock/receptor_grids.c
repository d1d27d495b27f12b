#include "dock/receptor_grids.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "score/electrostatics.h"
#include "score/rpsc.h"

/* A probe of this radius enters the outside region (docs/design/docking.md, "Core"). */
static const double flood_angstrom = 0.6;

typedef struct slab_job {
    const qn_dock_partner *receptor;
    const qn_dock_grid *grid;
    double *surface;    /* u: distance to the nearest heavy atom's surface, Å */
    double *attraction; /* Σ 1 − 0.8 ACE */
    float *potential;
} slab_job;

double qn_dock_contact_angstrom(const qn_dock_partner *receptor)
{
    double radius = 0;
    for (size_t i = 0; i < receptor->molecule->atom_count; i++)
        if (receptor->parameters[i].heavy) radius = fmax(radius, receptor->parameters[i].radius_angstrom);
    return radius + QN_RPSC_REACH_ANGSTROM;
}

/* Range of cells [*first, *last] of an axis within `reach` of `position`, clipped to the grid. */
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

/* Add one atom's shape to the plane z. */
static void add_shape(slab_job *job, size_t atom, int z)
{
    const qn_dock_grid *grid = job->grid;
    const double *position = job->receptor->molecule->atoms[atom].position_angstrom;
    const qn_atom_parameters *parameters = &job->receptor->parameters[atom];
    double radius = parameters->radius_angstrom, reach = radius + QN_RPSC_REACH_ANGSTROM;
    double energy = 1 - QN_RPSC_CONTACT_WEIGHT * (parameters->type >= 0 ? qn_rpsc_contact_energy[parameters->type] : 0);
    double z2 = square_apart(grid, 2, z, position[2]);
    int x_first, x_last, y_first, y_last;
    if (z2 >= reach * reach) return;
    cells_within(grid, 0, position[0], reach, &x_first, &x_last);
    cells_within(grid, 1, position[1], reach, &y_first, &y_last);
    for (int y = y_first; y <= y_last; y++) {
        double yz2 = z2 + square_apart(grid, 1, y, position[1]);
        size_t row = ((size_t)z * (size_t)grid->cells[1] + (size_t)y) * (size_t)grid->cells[0];
        for (int x = x_first; x <= x_last; x++) {
            double r2 = yz2 + square_apart(grid, 0, x, position[0]);
            if (r2 >= reach * reach) continue;
            job->attraction[row + (size_t)x] += energy;
            job->surface[row + (size_t)x] = fmin(job->surface[row + (size_t)x], sqrt(r2) - radius);
        }
    }
}

/* Add one atom's potential to the plane z, held in double. */
static void add_potential(const slab_job *job, size_t atom, int z, double *plane)
{
    const qn_dock_grid *grid = job->grid;
    const double *position = job->receptor->molecule->atoms[atom].position_angstrom;
    const double reach = QN_ELECTROSTATIC_CUTOFF_ANGSTROM;
    double charge = QN_RPSC_ELECTROSTATIC_WEIGHT * job->receptor->parameters[atom].charge_e;
    double z2 = square_apart(grid, 2, z, position[2]);
    int x_first, x_last, y_first, y_last;
    if (charge == 0 || z2 >= reach * reach) return;
    cells_within(grid, 0, position[0], reach, &x_first, &x_last);
    cells_within(grid, 1, position[1], reach, &y_first, &y_last);
    for (int y = y_first; y <= y_last; y++) {
        double yz2 = z2 + square_apart(grid, 1, y, position[1]);
        if (yz2 >= reach * reach) continue;
        for (int x = x_first; x <= x_last; x++)
            plane[(size_t)y * (size_t)grid->cells[0] + (size_t)x] +=
                charge * qn_electrostatic_potential(yz2 + square_apart(grid, 0, x, position[0]));
    }
}

static qn_status fill_plane(size_t index, int worker, void *user)
{
    slab_job *job = user;
    const qn_molecule *molecule = job->receptor->molecule;
    size_t plane_size = (size_t)job->grid->cells[0] * (size_t)job->grid->cells[1];
    void *memory;
    (void)worker;
    QN_TRY(qn_allocate(plane_size, sizeof(double), &memory));
    double *plane = memory;
    for (size_t cell = 0; cell < plane_size; cell++) job->surface[index * plane_size + cell] = INFINITY;
    for (size_t atom = 0; atom < molecule->atom_count; atom++) {
        if (job->receptor->parameters[atom].heavy) add_shape(job, atom, (int)index);
        add_potential(job, atom, (int)index, plane);
    }
    for (size_t cell = 0; cell < plane_size; cell++) job->potential[index * plane_size + cell] = (float)plane[cell];
    qn_release(&memory);
    return QN_OK;
}

enum { UNKNOWN = 0, FLOODED = 1, SHORE = 2 };

/* Mark what a probe coming from outside reaches: the flooded cells by 6-neighbour steps from cell 0, which no atom
 * touches, then the uncovered cells that touch them by a face, edge or corner. What stays UNKNOWN is the core. */
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

static qn_status shape_energy(const qn_dock_grid *grid, const slab_job *job, float *shape)
{
    void *memory;
    QN_TRY(qn_allocate(qn_dock_grid_volume(grid), 1, &memory));
    unsigned char *mark = memory;
    qn_status status = flood(grid, job->surface, mark);
    size_t cell = 0;
    for (int z = 0; status == QN_OK && z < grid->cells[2]; z++)
        for (int y = 0; y < grid->cells[1]; y++)
            for (int x = 0; x < grid->cells[0]; x++, cell++) {
                bool outside = mark[cell] == FLOODED || (job->surface[cell] > 0 && touches_flood(grid, mark, x, y, z));
                shape[cell] = (float)(outside ? 0 - job->attraction[cell] : QN_RPSC_CORE);
            }
    qn_release(&memory);
    return status;
}

qn_status qn_dock_receptor_grids(const qn_dock_partner *receptor, const qn_dock_grid *grid, qn_pool *pool, float **out)
{
    size_t volume = qn_dock_grid_volume(grid);
    void *grids, *scratch;
    QN_TRY(qn_allocate(QN_RPSC_TERMS * volume, sizeof(float), &grids));
    qn_status status = qn_allocate(2 * volume, sizeof(double), &scratch);
    if (status == QN_OK) {
        slab_job job = {receptor, grid, scratch, (double *)scratch + volume,
                        (float *)grids + QN_RPSC_ELECTROSTATIC * volume};
        status = qn_pool_run(pool, (size_t)grid->cells[2], fill_plane, &job);
        if (status == QN_OK) status = shape_energy(grid, &job, (float *)grids + QN_RPSC_SHAPE * volume);
        qn_release(&scratch);
    }
    if (status != QN_OK) {
        qn_release(&grids);
        return status;
    }
    *out = grids;
    return QN_OK;
}
