#include "cluster/measure/drmsd.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

static double distance(const float *structure, size_t atoms, size_t a, size_t b)
{
    double sum = 0;
    for (size_t axis = 0; axis < 3; axis++) {
        const double step = (double)structure[axis * atoms + a] - (double)structure[axis * atoms + b];
        sum += step * step;
    }
    return sqrt(sum);
}

static double pair(const qn_structures *structures, const qn_measure_settings *settings, size_t i, size_t j)
{
    const size_t atoms = structures->atom_count;
    const float *first = structures->positions_angstrom + i * 3 * atoms, *weights = structures->weights;
    const float *second = structures->positions_angstrom + j * 3 * atoms;
    double sum = 0, total = 0;
    (void)settings;
    for (size_t a = 0; a < atoms; a++)
        for (size_t b = a + 1; b < atoms; b++) {
            const double weight = weights ? (double)weights[a] * (double)weights[b] : 1;
            const double difference = distance(first, atoms, a, b) - distance(second, atoms, a, b);
            sum += weight * difference * difference;
            total += weight;
        }
    return sqrt(sum / total);
}

static qn_status check(const qn_structures *structures, const qn_measure_settings *settings)
{
    (void)settings;
    if (structures->atom_count < 2)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "dRMSD compares distances between atoms, and the models have %zu atom; expected at least 2",
                       structures->atom_count);
    return QN_OK;
}

typedef struct session {
    qn_measure_setup setup;
    const qn_measure_tile *tile;
} session;

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

static qn_status values(void *user, const qn_measure_tile *tile)
{
    session *self = user;
    self->tile = tile;
    return qn_pool_run(self->setup.pool, tile->rows.count, measure_row, self);
}

static void end(void **made)
{
    qn_release(made);
}

const qn_measure qn_measure_drmsd = {
    .name = "drmsd",
    .unit = "Å",
    .step = 0.001f,
    .is_blind = true,
    .tile_side = 2048,
    .check = check,
    .begin = begin,
    .values = values,
    .end = end,
    .pair = pair,
};
