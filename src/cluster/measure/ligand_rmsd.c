#include "cluster/measure/ligand_rmsd.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

typedef struct session {
    qn_measure_setup setup;
    const qn_measure_tile *tile;
} session;

static qn_status check(const qn_structures *structures, const qn_measure_settings *settings)
{
    (void)structures;
    if (settings->mapping_count == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "ligand-rmsd compares poses of a small molecule; expected SDF, MOL2 or PDBQT files");
    return QN_OK;
}

/* Mean of squares, or any number above `best` once it is certain to be larger. */
static double mean_square(const float *a, const float *b, const int *mapping, size_t atoms, double best)
{
    double sum = 0;
    for (size_t i = 0; i < atoms && sum <= best * (double)atoms; i++) {
        const size_t image = (size_t)mapping[i];
        for (size_t axis = 0; axis < 3; axis++) {
            const double step = (double)a[axis * atoms + i] - (double)b[axis * atoms + image];
            sum += step * step;
        }
    }
    return sum / (double)atoms;
}

/* The lower structure comes first, so that rounding does not depend on the order. */
static double pair(const qn_structures *structures, const qn_measure_settings *settings, size_t i, size_t j)
{
    const size_t atoms = structures->atom_count, low = i < j ? i : j, high = i < j ? j : i;
    const float *a = structures->positions_angstrom + low * 3 * atoms;
    const float *b = structures->positions_angstrom + high * 3 * atoms;
    double best = INFINITY;
    for (size_t m = 0; m < settings->mapping_count; m++)
        best = fmin(best, mean_square(a, b, settings->mappings + m * atoms, atoms, best));
    return sqrt(best);
}

static qn_status begin(const qn_measure_setup *setup, void **made)
{
    QN_TRY(qn_allocate(1, sizeof(session), made));
    ((session *)*made)->setup = *setup;
    return QN_OK;
}

static qn_status measure_row(size_t index, int worker, void *user)
{
    const session *self = user;
    const qn_measure_tile *tile = self->tile;
    const size_t row = tile->rows.first + index;
    (void)worker;
    for (size_t k = 0; k < tile->columns.count; k++) {
        const size_t column = tile->columns.first + k;
        if (tile->rows.first == tile->columns.first && column <= row) continue;
        tile->values[index * tile->columns.count + k] =
            (float)pair(self->setup.structures, self->setup.settings, row, column);
    }
    return QN_OK;
}

static qn_status values(void *made, const qn_measure_tile *tile)
{
    session *self = made;
    self->tile = tile;
    return qn_pool_run(self->setup.pool, tile->rows.count, measure_row, self);
}

static void end(void **made)
{
    qn_release(made);
}

const qn_measure qn_measure_ligand_rmsd = {
    .name = "ligand-rmsd",
    .unit = "Å",
    .step = 0.001f,
    .of_poses = true,
    .on_host = true,
    .tile_side = 1024,
    .check = check,
    .begin = begin,
    .values = values,
    .end = end,
    .pair = pair,
};
