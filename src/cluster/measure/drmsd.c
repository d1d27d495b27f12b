#include "cluster/measure/drmsd.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/measure/kernels/drmsd_products.h"

enum { PRODUCT_ATOMS_MAX = 4096 }; /* the distances of the centre are in memory */
enum { CENTRE_SAMPLES = 32 };
enum { NEAR_SHARE = 64 }; /* if more than one in so many pairs of a tile is near, all are measured directly */

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
    if (structures->atom_count < 2)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "dRMSD compares distances between atoms, and the models have %zu atom; expected at least 2",
                       structures->atom_count);
    if (structures->atom_count > QN_DRMSD_ATOMS_MAX)
        return QN_FAIL(QN_UNSUPPORTED,
                       "dRMSD compares all pairs of atoms, and the models have %zu; expected at most %d",
                       structures->atom_count, QN_DRMSD_ATOMS_MAX);
    if (settings->drmsd_products && structures->atom_count > PRODUCT_ATOMS_MAX)
        return QN_FAIL(QN_UNSUPPORTED,
                       "--drmsd-form is \"products\", and the models have %zu atoms; expected at most %d, or squares",
                       structures->atom_count, PRODUCT_ATOMS_MAX);
    return QN_OK;
}

/* The work of one device: a tile at a time. */
typedef struct session {
    qn_measure_setup setup;
    int atoms;
    double weight; /* of all pairs of atoms */
    qn_buffer *weights;
    qn_buffer *panels[2];
    qn_drmsd_tile tile; /* by products; of squares: its positions, distances and values */
    qn_buffer *centre;  /* by products */
} session;

static void end(void **made)
{
    session *self = *made;
    if (!self) return;
    for (int side = 0; side < 2; side++) {
        qn_buffer_release(&self->panels[side]);
        qn_buffer_release(&self->tile.positions[side]);
        qn_buffer_release(&self->tile.distances[side]);
        qn_buffer_release(&self->tile.norms[side]);
    }
    qn_buffer_release(&self->tile.values);
    qn_buffer_release(&self->tile.near);
    qn_buffer_release(&self->weights);
    qn_buffer_release(&self->centre);
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

/* Distances of one structure, each times the root of its weight, are added to `sums`. */
static void add_distances(const qn_structures *structures, size_t index, double *sums)
{
    const size_t atoms = structures->atom_count;
    const float *x = structures->positions_angstrom + index * 3 * atoms, *weights = structures->weights;
    for (size_t a = 0, k = 0; a < atoms; a++)
        for (size_t b = a + 1; b < atoms; b++, k++) {
            const double dx = (double)x[a] - (double)x[b], dy = (double)x[atoms + a] - (double)x[atoms + b];
            const double dz = (double)x[2 * atoms + a] - (double)x[2 * atoms + b];
            const double weight = weights ? (double)weights[a] * (double)weights[b] : 1;
            sums[k] += sqrt(weight * (dx * dx + dy * dy + dz * dz));
        }
}

/* The centre: mean distances of structures from all over the set. */
static qn_status write_centre(session *self)
{
    const qn_structures *structures = self->setup.structures;
    const size_t samples = structures->count < CENTRE_SAMPLES ? structures->count : CENTRE_SAMPLES;
    const size_t bytes = qn_drmsd_centre_bytes(self->atoms), pairs = bytes / sizeof(float);
    void *memory, *floats;
    QN_TRY(qn_buffer_create(qn_queue_device(self->setup.queue), bytes, &self->centre));
    QN_TRY(qn_allocate(pairs, sizeof(double), &memory));
    double *sums = memory;
    for (size_t i = 0; i < samples; i++) add_distances(structures, i * structures->count / samples, sums);
    qn_status status = qn_allocate(pairs, sizeof(float), &floats);
    for (size_t k = 0; k < pairs && status == QN_OK; k++) ((float *)floats)[k] = (float)(sums[k] / (double)samples);
    if (status == QN_OK) status = qn_queue_write(self->setup.queue, self->centre, 0, floats, bytes, NULL);
    if (status == QN_OK) status = qn_queue_finish(self->setup.queue);
    qn_release(&floats);
    qn_release(&memory);
    return status;
}

static qn_status make_buffers(session *self)
{
    const bool products = self->setup.settings->drmsd_products;
    const size_t side = self->setup.tile_side, atoms = (size_t)self->atoms;
    qn_device *device = qn_queue_device(self->setup.queue);
    qn_drmsd_tile *tile = &self->tile;
    QN_TRY(qn_buffer_create(device, atoms * sizeof(float), &self->weights));
    QN_TRY(qn_buffer_create(device, side * side * sizeof(float), &tile->values));
    for (int k = 0; k < 2; k++) {
        QN_TRY(qn_buffer_create(device, side * 3 * atoms * sizeof(float), &tile->positions[k]));
        QN_TRY(qn_buffer_create(device, qn_drmsd_panel_bytes(self->atoms, side), &self->panels[k]));
        QN_TRY(qn_buffer_create(device, qn_drmsd_distance_bytes(self->atoms, side), &tile->distances[k]));
        if (products) QN_TRY(qn_buffer_create(device, qn_drmsd_norm_bytes(side), &tile->norms[k]));
    }
    QN_TRY(write_weights(self));
    if (!products) return QN_OK;
    tile->near_room = (int)(side * side / NEAR_SHARE) + 1;
    QN_TRY(qn_buffer_create(device, ((size_t)tile->near_room + 1) * sizeof(int32_t), &tile->near));
    return write_centre(self);
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

static qn_status pack(session *self, qn_measure_range range, int side)
{
    const qn_structures *structures = self->setup.structures;
    const size_t floats = 3 * structures->atom_count;
    qn_queue *queue = self->setup.queue;
    QN_TRY(qn_queue_write(queue, self->tile.positions[side], 0, structures->positions_angstrom + range.first * floats,
                          range.count * floats * sizeof(float), NULL));
    return qn_drmsd_pack(queue, NULL, self->atoms, (int)range.count, self->tile.positions[side], self->panels[side],
                         NULL);
}

static qn_drmsd_problem problem_of(const session *self, const qn_measure_tile *tile)
{
    return (qn_drmsd_problem){.atoms = self->atoms,
                              .row_count = (int)tile->rows.count,
                              .column_count = (int)tile->columns.count,
                              .diagonal = tile->rows.first == tile->columns.first,
                              .weight = self->weight};
}

/* The buffers of a tile, where both sides of a diagonal tile are the same. */
static qn_drmsd_tile buffers_of(const session *self, bool diagonal)
{
    qn_drmsd_tile tile = self->tile;
    if (!diagonal) return tile;
    tile.positions[1] = tile.positions[0];
    tile.distances[1] = tile.distances[0];
    tile.norms[1] = tile.norms[0];
    return tile;
}

/* Measure the distances of a slice of one side. */
static qn_status measure_side(session *self, const qn_drmsd_problem *problem, int side, bool products)
{
    qn_queue *queue = self->setup.queue;
    const int count = side == 0 ? problem->row_count : problem->column_count;
    QN_TRY(qn_drmsd_measure(queue, NULL, self->atoms, count, problem->slice, self->panels[side], self->weights,
                            self->tile.distances[side], NULL));
    if (!products) return QN_OK;
    return qn_drmsd_centre(queue, NULL, self->atoms, count, problem->slice, self->tile.distances[side], self->centre,
                           self->tile.norms[side], NULL);
}

static qn_status compare(session *self, qn_drmsd_problem problem, bool products)
{
    qn_queue *queue = self->setup.queue;
    const qn_drmsd_tile tile = buffers_of(self, problem.diagonal);
    for (problem.slice = 0; problem.slice < qn_drmsd_slices(self->atoms); problem.slice++) {
        QN_TRY(measure_side(self, &problem, 0, products));
        if (!problem.diagonal) QN_TRY(measure_side(self, &problem, 1, products));
        if (products)
            QN_TRY(qn_drmsd_multiply(queue, NULL, &problem, &tile, NULL));
        else
            QN_TRY(qn_drmsd_compare(queue, NULL, &problem, tile.distances[0], tile.distances[1], tile.values, NULL));
    }
    return QN_OK;
}

static qn_status start(void *user, const qn_measure_tile *tile)
{
    session *self = user;
    const qn_drmsd_problem problem = problem_of(self, tile);
    const bool products = self->setup.settings->drmsd_products;
    QN_TRY(pack(self, tile->rows, 0));
    if (!problem.diagonal) QN_TRY(pack(self, tile->columns, 1));
    if (products)
        QN_TRY(qn_queue_fill(self->setup.queue, self->tile.near, 0, qn_buffer_bytes(self->tile.near), 0, NULL));
    return compare(self, problem, products);
}

/* Measure near pairs again: one by one, or with all others of the tile if they are many. */
static qn_status repeat(session *self, const qn_drmsd_problem *problem)
{
    qn_queue *queue = self->setup.queue;
    const qn_drmsd_tile tile = buffers_of(self, problem->diagonal);
    int32_t count;
    QN_TRY(qn_queue_read(queue, tile.near, 0, &count, sizeof count, NULL));
    QN_TRY(qn_queue_finish(queue));
    if (count == 0) return QN_OK;
    if (count <= tile.near_room) return qn_drmsd_repeat(queue, NULL, problem, &tile, self->weights, NULL);
    return compare(self, *problem, false);
}

static qn_status values(void *user, const qn_measure_tile *tile)
{
    session *self = user;
    const qn_drmsd_problem problem = problem_of(self, tile);
    if (self->setup.settings->drmsd_products) QN_TRY(repeat(self, &problem));
    QN_TRY(qn_queue_read(self->setup.queue, self->tile.values, 0, tile->values,
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
