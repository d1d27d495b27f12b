#include "cluster/measure/contact.h"

#include "base/error.h"
#include "base/memory.h"
#include "cluster/measure/kernels/contacts.h"

typedef struct session {
    qn_measure_setup setup;
    qn_contact_problem problem;
    int32_t *shared;     /* of a tile */
    uint32_t *counts[2]; /* of rows and columns */
    qn_buffer *positions, *places, *bits[2], *device_counts[2], *device_shared;
} session;

static qn_status check(const qn_structures *structures, const qn_measure_settings *settings)
{
    const size_t atoms = structures->atom_count, separation = (size_t)settings->contact_separation;
    if (atoms <= separation || atoms > QN_CONTACT_ATOMS_MAX)
        return QN_FAIL(
            QN_INVALID_ARGUMENT,
            "contacts of atoms that are %zu places apart, in models with %zu atoms; expected %zu to %d atoms",
            separation, atoms, separation + 1, QN_CONTACT_ATOMS_MAX);
    return QN_OK;
}

static void end(void **made)
{
    session *self = *made;
    if (!self) return;
    for (int side = 0; side < 2; side++) {
        qn_release(&self->counts[side]);
        qn_buffer_release(&self->bits[side]);
        qn_buffer_release(&self->device_counts[side]);
    }
    qn_buffer_release(&self->positions);
    qn_buffer_release(&self->places);
    qn_buffer_release(&self->device_shared);
    qn_release(&self->shared);
    qn_release(made);
}

static qn_status write_places(session *self)
{
    const int atoms = self->problem.atoms, separation = self->setup.settings->contact_separation;
    const size_t bytes = 2 * sizeof(int32_t) * (size_t)self->problem.words;
    void *places;
    QN_TRY(qn_allocate(1, bytes, &places));
    qn_contact_places(atoms, separation, places);
    qn_status status = qn_buffer_create(qn_queue_device(self->setup.queue), bytes, &self->places);
    if (status == QN_OK) status = qn_queue_write(self->setup.queue, self->places, 0, places, bytes, NULL);
    if (status == QN_OK) status = qn_queue_finish(self->setup.queue);
    qn_release(&places);
    return status;
}

static qn_status make_buffers(session *self)
{
    const size_t side = self->setup.tile_side, words = (size_t)self->problem.words;
    qn_device *device = qn_queue_device(self->setup.queue);
    void *memory;
    QN_TRY(qn_allocate(side * side, sizeof(int32_t), &memory));
    self->shared = memory;
    QN_TRY(qn_buffer_create(device, side * 3 * (size_t)self->problem.atoms * sizeof(float), &self->positions));
    QN_TRY(qn_buffer_create(device, side * side * sizeof(int32_t), &self->device_shared));
    for (int k = 0; k < 2; k++) {
        QN_TRY(qn_allocate(side, sizeof(uint32_t), &memory));
        self->counts[k] = memory;
        QN_TRY(qn_buffer_create(device, side * words * sizeof(uint32_t), &self->bits[k]));
        QN_TRY(qn_buffer_create(device, side * sizeof(uint32_t), &self->device_counts[k]));
    }
    return write_places(self);
}

static qn_status begin(const qn_measure_setup *setup, void **made)
{
    const int atoms = (int)setup->structures->atom_count;
    const double cutoff = setup->settings->contact_cutoff_angstrom;
    QN_TRY(qn_allocate(1, sizeof(session), made));
    session *self = *made;
    self->setup = *setup;
    self->problem = (qn_contact_problem){.atoms = atoms,
                                         .words = qn_contact_places(atoms, setup->settings->contact_separation, NULL),
                                         .square_cutoff = (float)(cutoff * cutoff)};
    const qn_status status = make_buffers(self);
    if (status != QN_OK) end(made);
    return status;
}

static qn_status find(session *self, qn_measure_range range, int side)
{
    const size_t floats = 3 * self->setup.structures->atom_count;
    qn_queue *queue = self->setup.queue;
    qn_contact_problem problem = self->problem;
    problem.structures = (int)range.count;
    problem.columns = 1;
    QN_TRY(qn_queue_write(queue, self->positions, 0, self->setup.structures->positions_angstrom + range.first * floats,
                          range.count * floats * sizeof(float), NULL));
    QN_TRY(qn_queue_fill(queue, self->device_counts[side], 0, range.count * sizeof(uint32_t), 0, NULL));
    QN_TRY(qn_contact_find(queue, NULL, &problem, self->positions, self->places, self->bits[side],
                           self->device_counts[side], NULL));
    return qn_queue_read(queue, self->device_counts[side], 0, self->counts[side], range.count * sizeof(uint32_t), NULL);
}

static qn_status start(void *made, const qn_measure_tile *tile)
{
    session *self = made;
    const bool triangle = tile->rows.first == tile->columns.first;
    const int columns = triangle ? 0 : 1;
    qn_contact_problem problem = self->problem;
    problem.structures = (int)tile->rows.count;
    problem.columns = (int)tile->columns.count;
    problem.triangle = triangle;
    QN_TRY(find(self, tile->rows, 0));
    if (!triangle) QN_TRY(find(self, tile->columns, 1));
    QN_TRY(qn_contact_share(self->setup.queue, NULL, &problem, self->bits[0], self->bits[columns], self->device_shared,
                            NULL));
    return qn_queue_read(self->setup.queue, self->device_shared, 0, self->shared,
                         tile->rows.count * tile->columns.count * sizeof(int32_t), NULL);
}

static double share_of(qn_contact_share_kind kind, double shared, double row, double column)
{
    const double all = kind == QN_CONTACT_REFERENCE ? column : row + column - shared;
    return all > 0 ? shared / all : 1;
}

static qn_status values(void *made, const qn_measure_tile *tile)
{
    session *self = made;
    const uint32_t *columns = self->counts[tile->rows.first == tile->columns.first ? 0 : 1];
    QN_TRY(qn_queue_finish(self->setup.queue));
    for (size_t row = 0; row < tile->rows.count; row++)
        for (size_t column = 0; column < tile->columns.count; column++) {
            const size_t place = row * tile->columns.count + column;
            tile->values[place] = (float)share_of(self->setup.settings->contact_share, self->shared[place],
                                                  self->counts[0][row], columns[column]);
        }
    return QN_OK;
}

static double pair(const qn_structures *structures, const qn_measure_settings *settings, size_t i, size_t j)
{
    const size_t floats = 3 * structures->atom_count;
    size_t of_i, of_j, shared;
    qn_contact_reference((int)structures->atom_count, settings->contact_separation, settings->contact_cutoff_angstrom,
                         structures->positions_angstrom + i * floats, structures->positions_angstrom + j * floats,
                         &of_i, &of_j, &shared);
    return share_of(settings->contact_share, (double)shared, (double)of_i, (double)of_j);
}

const qn_measure qn_measure_contact = {
    .name = "contact",
    .unit = "",
    .step = 1e-4f,
    .is_similarity = true,
    .is_blind = true,
    .has_contacts = true,
    .tile_side = 1024,
    .check = check,
    .begin = begin,
    .start = start,
    .values = values,
    .end = end,
    .pair = pair,
};
