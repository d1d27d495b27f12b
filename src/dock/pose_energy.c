#include "dock/pose_energy.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "dock/refine.h"
#include "math/rotation.h"

/* Largest distance and angle between a minimum and the pose of the search, somewhat more than the default spacings of
 * cells and of rotations. */
static const double most_shift_angstrom = 2, most_turn_degrees = 10;

/* Sites that are placed before their energies are summed. */
enum { BLOCK = 64 };

/* Sum the weighted layers of each row of the cells: the same sums as those of qn_dock_energy_combine. */
static void combine_rows(qn_dock_pose_energy *of)
{
    const qn_dock_set *set = &of->energy->sets[of->set];
    const qn_dock_cells *cells = of->cells;
    for (size_t l = 0; l < of->energy->layer_count; l++) {
        const qn_dock_layer *layer = &of->energy->layers[l];
        const bool trilinear = layer->ligand_grid == of->energy->trilinear_grid;
        const float factor = (float)(set->scale[l] * set->weight[layer->term]);
        const float *from =
            trilinear ? cells->trilinear + cells->column[l] * cells->count : cells->plain + cells->column[l];
        const size_t step = trilinear ? 1 : cells->width;
        float *to = of->values + layer->ligand_grid;
        if (factor == 0) continue;
        for (size_t row = 0; row < cells->count; row++) to[row * of->width] += factor * from[row * step];
    }
}

/* Copy positions and weights of the sites in the order in which qn_dock_pose_energy_at reads them. */
static void copy_sites(qn_dock_pose_energy *of)
{
    const size_t sites = of->ligand->site_count;
    for (size_t i = 0; i < sites; i++) {
        for (size_t axis = 0; axis < 3; axis++)
            of->positions[axis * sites + i] = of->ligand->sites[i].position_angstrom[axis];
        for (size_t g = 0; g < (size_t)of->energy->grid_count; g++)
            of->weights[i * of->width + g] = of->energy->ligand_weights[g * sites + i];
    }
}

qn_status qn_dock_pose_energy_create(const qn_dock_partner *ligand, const qn_dock_energy *energy,
                                     const qn_dock_grid *grid, const qn_dock_cells *cells, size_t set,
                                     qn_dock_pose_energy *of)
{
    const size_t width = ((size_t)energy->grid_count + 1) / 2 * 2;
    void *values, *positions = NULL, *weights = NULL;
    *of = (qn_dock_pose_energy){ligand, energy, grid, cells, set, width, NULL, NULL, NULL, NULL};
    QN_TRY(qn_allocate(cells->count * width, sizeof(float), &values));
    of->values = values;
    qn_status status = qn_allocate(3 * ligand->site_count, sizeof(double), &positions);
    of->positions = positions;
    if (status == QN_OK) status = qn_allocate(width * ligand->site_count, sizeof(double), &weights);
    of->weights = weights;
    if (status != QN_OK) {
        qn_dock_pose_energy_clear(of);
        return status;
    }
    combine_rows(of);
    copy_sites(of);
    return QN_OK;
}

void qn_dock_pose_energy_clear(qn_dock_pose_energy *of)
{
    qn_release(&of->values);
    qn_release(&of->positions);
    qn_release(&of->weights);
}

/* The 8 cells around a point and their weights. */
typedef struct surroundings {
    size_t cell[8];
    double share[8];
} surroundings;

/* Compute the weights of the 8 cells around a point at `fraction` of the way to the upper cell along each axis. */
static inline void share_out(const double fraction[3], double share[8])
{
    const double x[2] = {1 - fraction[0], fraction[0]}, y[2] = {1 - fraction[1], fraction[1]},
                 z[2] = {1 - fraction[2], fraction[2]};
    for (int corner = 0; corner < 8; corner++) share[corner] = x[corner & 1] * y[corner >> 1 & 1] * z[corner >> 2];
}

/* List the 8 cells around a point between the cells `low` and `low` + 1 along each axis. */
static inline void list_cells(const qn_dock_grid *grid, const int low[3], size_t cell[8])
{
    const size_t nx = (size_t)grid->cells[0], ny = (size_t)grid->cells[1];
    const size_t first = (size_t)low[0] + nx * ((size_t)low[1] + ny * (size_t)low[2]);
#pragma GCC unroll 8
    for (size_t corner = 0; corner < 8; corner++)
        cell[corner] = first + (corner & 1) + nx * ((corner >> 1 & 1) + ny * (corner >> 2));
}

/* Find the cell below a point, in cells from the grid's origin, along each axis. Returns false if the point is outside
 * the grid. */
static inline bool cell_below(const qn_dock_grid *grid, const double at[3], int low[3], double fraction[3])
{
    for (int axis = 0; axis < 3; axis++) {
        if (!(at[axis] >= 0 && at[axis] < grid->cells[axis] - 1)) return false;
        low[axis] = (int)at[axis];
        fraction[axis] = at[axis] - low[axis];
    }
    return true;
}

/* Find the cells around a site. Returns false if the site is outside the grid. */
static bool surround_site(const qn_dock_pose_energy *of, const double matrix[9], const double translation[3], size_t i,
                          surroundings *around)
{
    double place[3], at[3], fraction[3];
    int low[3];
    qn_rotation_apply(matrix, of->ligand->sites[i].position_angstrom, place);
    for (int axis = 0; axis < 3; axis++)
        at[axis] = (place[axis] + translation[axis] - of->grid->origin_angstrom[axis]) / of->grid->spacing_angstrom;
    if (!cell_below(of->grid, at, low, fraction)) return false;
    share_out(fraction, around->share);
    list_cells(of->grid, low, around->cell);
    return true;
}

static double interpolate(const float *values, const surroundings *around)
{
    double sum = 0;
    for (int corner = 0; corner < 8; corner++) sum += around->share[corner] * (double)values[around->cell[corner]];
    return sum;
}

/* Compute the places of sites first … first + count − 1, in cells from the grid's origin. */
static void place_sites(const qn_dock_pose_energy *of, const double matrix[9], const double translation[3],
                        size_t first, size_t count, double at[3][BLOCK])
{
    const size_t sites = of->ligand->site_count;
    const double *x = of->positions + first, *y = x + sites, *z = y + sites;
    for (int axis = 0; axis < 3; axis++) {
        const double *row = matrix + 3 * axis, origin = of->grid->origin_angstrom[axis];
        for (size_t i = 0; i < count; i++)
            at[axis][i] = (row[0] * x[i] + row[1] * y[i] + row[2] * z[i] + translation[axis] - origin) /
                          of->grid->spacing_angstrom;
    }
}

/* The rows of the 8 cells around a point. */
typedef struct corner_rows {
    size_t row[8];
    bool plain; /* whether a layer that is not trilinear is not 0 in one of them */
} corner_rows;

/* Returns false if all layers are 0 in the 8 cells around a point. */
static bool find_rows(const qn_dock_pose_energy *of, const int low[3], corner_rows *rows)
{
    size_t cell[8], any = 0;
    list_cells(of->grid, low, cell);
    rows->plain = false;
#pragma GCC unroll 8
    for (int corner = 0; corner < 8; corner++) {
        const int32_t row = of->cells->row[cell[corner]];
        rows->row[corner] = (size_t)(row < 0 ? -row : row);
        rows->plain |= row > 0;
        any |= rows->row[corner];
    }
    return any != 0;
}

/* Add the energies of one site to `total`, ligand grid by ligand grid. */
static double add_plain(const qn_dock_pose_energy *of, const corner_rows *rows, const double share[8],
                        const double *weights, double total)
{
    for (size_t g = 0; g < of->width; g += 2) {
        double sum[2] = {0, 0};
#pragma GCC unroll 8
        for (int corner = 0; corner < 8; corner++) {
            const float *values = of->values + rows->row[corner] * of->width + g;
            sum[0] += share[corner] * (double)values[0];
            sum[1] += share[corner] * (double)values[1];
        }
        total += weights[g] * sum[0];
        total += weights[g + 1] * sum[1];
    }
    return total;
}

/* Add the energy of one site's charge to `total`. */
static double add_charge(const qn_dock_pose_energy *of, const corner_rows *rows, const double share[8], double charge,
                         double total)
{
    const float *values = of->values + of->energy->trilinear_grid;
    double sum = 0;
    for (int corner = 0; corner < 8; corner++) sum += share[corner] * (double)values[rows->row[corner] * of->width];
    return total + charge * sum;
}

/* Sites and ligand grids that are left out would add 0. */
double qn_dock_pose_energy_at(const double matrix[9], const double translation[3], void *user)
{
    const qn_dock_pose_energy *of = user;
    const size_t sites = of->ligand->site_count;
    double total = 0;
    for (size_t first = 0; first < sites; first += BLOCK) {
        const size_t count = sites - first < BLOCK ? sites - first : BLOCK;
        double at[3][BLOCK], share[8], fraction[3];
        place_sites(of, matrix, translation, first, count, at);
        for (size_t i = 0; i < count; i++) {
            const double *weights = of->weights + (first + i) * of->width;
            const double charge = weights[of->energy->trilinear_grid];
            int low[3];
            corner_rows rows;
            if (!cell_below(of->grid, (double[3]){at[0][i], at[1][i], at[2][i]}, low, fraction)) continue;
            if (!find_rows(of, low, &rows) || (!rows.plain && charge == 0)) continue;
            share_out(fraction, share);
            total =
                rows.plain ? add_plain(of, &rows, share, weights, total) : add_charge(of, &rows, share, charge, total);
        }
    }
    return total;
}

double qn_dock_pose_energy_terms(const qn_dock_pose_energy *of, const double matrix[9], const double translation[3],
                                 double terms[QN_DOCK_TERMS_MAX])
{
    const qn_dock_energy *energy = of->energy;
    const size_t count = of->ligand->site_count;
    double sums[QN_DOCK_LAYERS_MAX] = {0};
    for (size_t i = 0; i < count; i++) {
        surroundings around;
        if (!surround_site(of, matrix, translation, i, &around)) continue;
        for (size_t l = 0; l < energy->layer_count; l++) {
            double weight = energy->ligand_weights[(size_t)energy->layers[l].ligand_grid * count + i];
            if (weight != 0 && energy->sets[of->set].scale[l] != 0)
                sums[l] += weight * interpolate(energy->layers[l].values, &around);
        }
    }
    return qn_dock_energy_total(energy, of->set, sums, terms);
}

typedef struct minimise_job {
    qn_dock_pose_energy *of;
    qn_dock_pose *poses;
} minimise_job;

static qn_status minimise(size_t index, int worker, void *user)
{
    const minimise_job *job = user;
    qn_dock_pose *pose = &job->poses[index];
    (void)worker;
    QN_TRY(qn_dock_refine(qn_dock_pose_energy_at, job->of, job->of->grid->centre_angstrom, most_shift_angstrom,
                          most_turn_degrees, pose->matrix, pose->translation_angstrom, &pose->energy));
    pose->energy = qn_dock_pose_energy_terms(job->of, pose->matrix, pose->translation_angstrom, pose->terms);
    qn_dock_pose_add_restraints(job->of->energy, job->of->restraints, pose);
    return QN_OK;
}

qn_status qn_dock_pose_energy_minimise(qn_dock_pose_energy *of, qn_pool *pool, qn_dock_pose *poses, size_t count)
{
    minimise_job job = {of, poses};
    return qn_pool_run(pool, count, minimise, &job);
}
