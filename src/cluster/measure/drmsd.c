#include "cluster/measure/drmsd.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/measure/kernels/drmsd.h"

static double pair(const qn_structures *structures, const qn_measure_settings *settings, size_t i, size_t j)
{
    const size_t floats = 3 * structures->atom_count;
    const float *positions = structures->positions_angstrom;
    double value;
    (void)settings;
    qn_drmsd_reference((int)structures->atom_count, positions + i * floats, 1, positions + j * floats, 1,
                       structures->weights, &value);
    return value;
}

static qn_status check(const qn_structures *structures, const qn_measure_settings *settings)
{
    (void)settings;
    if (structures->atom_count < 2)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "dRMSD compares distances between atoms, and the models have %zu atom; expected at least 2",
                       structures->atom_count);
    if (structures->atom_count > QN_DRMSD_ATOMS_MAX)
        return QN_FAIL(QN_UNSUPPORTED,
                       "dRMSD compares all pairs of atoms, and the models have %zu; expected at most %d",
                       structures->atom_count, QN_DRMSD_ATOMS_MAX);
    return QN_OK;
}

/* The work of one device: a tile at a time. */
typedef struct session {
    qn_measure_setup setup;
    int atoms;
    double weight; /* of all pairs of atoms */
    qn_buffer *positions, *weights, *values;
    qn_buffer *panels[2], *distances[2]; /* of rows and columns */
} session;

static void end(void **made)
{
    session *self = *made;
    if (!self) return;
    qn_buffer_release(&self->positions);
    qn_buffer_release(&self->weights);
    qn_buffer_release(&self->values);
    for (int side = 0; side < 2; side++) {
        qn_buffer_release(&self->panels[side]);
        qn_buffer_release(&self->distances[side]);
    }
    qn_release(made);
}

/* Roots of weights, so that the product of two is the root of the weight of a pair. */
static qn_status write_weights(session *self)
{
    const qn_structures *structures = self->setup.structures;
    const size_t atoms = structures->atom_count;
    double sum = 0, squares = 0;
    void *memory;
    QN_TRY(qn_allocate(atoms, sizeof(float), &memory));
    float *roots = memory;
    for (size_t i = 0; i < atoms; i++) {
        const double weight = structures->weights ? (double)structures->weights[i] : 1;
        roots[i] = (float)sqrt(weight);
        sum += weight;
        squares += weight * weight;
    }
    self->weight = (sum * sum - squares) / 2;
    qn_status status = qn_queue_write(self->setup.queue, self->weights, 0, roots, atoms * sizeof(float), NULL);
    if (status == QN_OK) status = qn_queue_finish(self->setup.queue);
    qn_release(&memory);
    return status;
}

static qn_status make_buffers(session *self)
{
    const qn_structures *structures = self->setup.structures;
    const size_t side = self->setup.tile_side, atoms = structures->atom_count;
    qn_device *device = qn_queue_device(self->setup.queue);
    QN_TRY(qn_buffer_create(device, side * 3 * atoms * sizeof(float), &self->positions));
    QN_TRY(qn_buffer_create(device, atoms * sizeof(float), &self->weights));
    QN_TRY(qn_buffer_create(device, side * side * sizeof(float), &self->values));
    for (int k = 0; k < 2; k++) {
        QN_TRY(qn_buffer_create(device, qn_drmsd_panel_bytes(self->atoms, side), &self->panels[k]));
        QN_TRY(qn_buffer_create(device, qn_drmsd_distance_bytes(self->atoms, side), &self->distances[k]));
    }
    return write_weights(self);
}

static qn_status begin(const qn_measure_setup *setup, void **made)
{
    QN_TRY(qn_allocate(1, sizeof(session), made));
    session *self = *made;
    self->setup = *setup;
    self->atoms = (int)setup->structures->atom_count;
    const qn_status status = make_buffers(self);
    if (status != QN_OK) end(made);
    return status;
}

static qn_status pack(session *self, qn_measure_range range, qn_buffer *panels)
{
    const qn_structures *structures = self->setup.structures;
    const size_t floats = 3 * structures->atom_count;
    qn_queue *queue = self->setup.queue;
    QN_TRY(qn_queue_write(queue, self->positions, 0, structures->positions_angstrom + range.first * floats,
                          range.count * floats * sizeof(float), NULL));
    return qn_drmsd_pack(queue, NULL, self->atoms, (int)range.count, self->positions, panels, NULL);
}

static qn_status start(void *user, const qn_measure_tile *tile)
{
    session *self = user;
    qn_queue *queue = self->setup.queue;
    const int rows = (int)tile->rows.count, columns = (int)tile->columns.count;
    qn_drmsd_problem problem = {.atoms = self->atoms,
                                .row_count = rows,
                                .column_count = columns,
                                .diagonal = tile->rows.first == tile->columns.first,
                                .weight = self->weight};
    const int other = problem.diagonal ? 0 : 1;
    QN_TRY(pack(self, tile->rows, self->panels[0]));
    if (!problem.diagonal) QN_TRY(pack(self, tile->columns, self->panels[1]));
    for (; problem.slice < qn_drmsd_slices(self->atoms); problem.slice++) {
        QN_TRY(qn_drmsd_measure(queue, NULL, self->atoms, rows, problem.slice, self->panels[0], self->weights,
                                self->distances[0], NULL));
        if (!problem.diagonal)
            QN_TRY(qn_drmsd_measure(queue, NULL, self->atoms, columns, problem.slice, self->panels[1], self->weights,
                                    self->distances[1], NULL));
        QN_TRY(qn_drmsd_compare(queue, NULL, &problem, self->distances[0], self->distances[other], self->values, NULL));
    }
    return QN_OK;
}

static qn_status values(void *user, const qn_measure_tile *tile)
{
    session *self = user;
    QN_TRY(qn_queue_read(self->setup.queue, self->values, 0, tile->values,
                         tile->rows.count * tile->columns.count * sizeof(float), NULL));
    return qn_queue_finish(self->setup.queue);
}

const qn_measure qn_measure_drmsd = {
    .name = "drmsd",
    .unit = "Å",
    .step = 0.001f,
    .is_blind = true,
    .takes_weights = true,
    .tile_side = 2048,
    .check = check,
    .begin = begin,
    .start = start,
    .values = values,
    .end = end,
    .pair = pair,
};
