#include "cluster/measure/rmsd.h"

#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/measure/kernels/rmsd.h"
#include "cluster/measure/superposed.h"

enum {
    TILE_SIDE = 2048,
    DOUBTFUL_SHARE = 16, /* of the pairs of a tile, one in so many has room in the list of doubtful ones */
    SOME = 256           /* doubtful pairs of a task */
};

static double pair(const qn_structures *structures, const qn_measure_settings *settings, size_t i, size_t j)
{
    (void)settings;
    return qn_structures_rmsd(structures, i, j);
}

static qn_status check(const qn_structures *structures, const qn_measure_settings *settings)
{
    (void)settings;
    return qn_superposed_check(structures, NULL);
}

/* The work of one device: a tile at a time. */
typedef struct session {
    qn_measure_setup setup;
    qn_superposed set;
    qn_rmsd_set all, columns; /* all structures; the columns of a tile that begins between fours, see start */
    qn_rmsd_doubts doubts;
    qn_buffer *values;
    uint32_t doubtful_count, *doubtful;
    size_t capacity; /* of `doubtful` */
} session;

static void end(void **made)
{
    session *self = *made;
    if (!self) return;
    qn_buffer *const buffers[] = {self->all.positions, self->all.terms,    self->columns.positions,
                                  self->columns.terms, self->doubts.pairs, self->doubts.count,
                                  self->values};
    for (size_t b = 0; b < sizeof buffers / sizeof *buffers; b++) {
        qn_buffer *buffer = buffers[b];
        qn_buffer_release(&buffer);
    }
    qn_superposed_clear(&self->set);
    qn_release(&self->doubtful);
    qn_release(made);
}

static qn_status write_set(session *self)
{
    const qn_structures *structures = self->setup.structures;
    qn_queue *queue = self->setup.queue;
    const size_t position_bytes = qn_superposed_position_bytes(structures->atom_count, structures->count);
    const size_t term_bytes = qn_superposed_term_bytes(structures->count);
    QN_TRY(qn_buffer_create(qn_queue_device(queue), position_bytes, &self->all.positions));
    QN_TRY(qn_buffer_create(qn_queue_device(queue), term_bytes, &self->all.terms));
    QN_TRY(qn_queue_write(queue, self->all.positions, 0, self->set.positions, position_bytes, NULL));
    QN_TRY(qn_queue_write(queue, self->all.terms, 0, self->set.terms, term_bytes, NULL));
    return qn_queue_finish(queue);
}

static qn_status begin_session(session *self)
{
    const size_t side = self->setup.tile_side, pairs = side * side;
    qn_device *device = qn_queue_device(self->setup.queue);
    void *memory;
    self->capacity = pairs / DOUBTFUL_SHARE + side;
    QN_TRY(qn_superposed_make(self->setup.structures, self->setup.pool, &self->set));
    QN_TRY(write_set(self));
    QN_TRY(qn_buffer_create(device, pairs * sizeof(float), &self->values));
    QN_TRY(qn_buffer_create(device, self->capacity * sizeof(uint32_t), &self->doubts.pairs));
    QN_TRY(qn_buffer_create(device, sizeof(uint32_t), &self->doubts.count));
    QN_TRY(qn_allocate(self->capacity, sizeof(uint32_t), &memory));
    self->doubtful = memory;
    return QN_OK;
}

static qn_status begin(const qn_measure_setup *setup, void **made)
{
    QN_TRY(qn_allocate(1, sizeof(session), made));
    session *self = *made;
    self->setup = *setup;
    const qn_status status = begin_session(self);
    if (status != QN_OK) end(made);
    return status;
}

/* Copy the columns of a tile into a set of their own. */
static qn_status write_columns(session *self, qn_measure_range range)
{
    const size_t atoms = self->setup.structures->atom_count;
    const size_t position_bytes = qn_superposed_position_bytes(atoms, range.count);
    const size_t term_bytes = qn_superposed_term_bytes(range.count);
    qn_queue *queue = self->setup.queue;
    void *indices = NULL, *positions = NULL, *terms = NULL;
    qn_buffer_release(&self->columns.positions);
    qn_buffer_release(&self->columns.terms);
    qn_status status = qn_allocate(range.count, sizeof(uint32_t), &indices);
    if (status == QN_OK) status = qn_allocate(position_bytes, 1, &positions);
    if (status == QN_OK) status = qn_allocate(term_bytes, 1, &terms);
    for (size_t i = 0; status == QN_OK && i < range.count; i++) ((uint32_t *)indices)[i] = (uint32_t)(range.first + i);
    if (status == QN_OK)
        status = qn_superposed_gather(&self->set, indices, range.count, self->setup.pool, positions, terms);
    if (status == QN_OK) status = qn_buffer_create(qn_queue_device(queue), position_bytes, &self->columns.positions);
    if (status == QN_OK) status = qn_buffer_create(qn_queue_device(queue), term_bytes, &self->columns.terms);
    if (status == QN_OK) status = qn_queue_write(queue, self->columns.positions, 0, positions, position_bytes, NULL);
    if (status == QN_OK) status = qn_queue_write(queue, self->columns.terms, 0, terms, term_bytes, NULL);
    if (status == QN_OK) status = qn_queue_finish(queue);
    qn_release(&indices);
    qn_release(&positions);
    qn_release(&terms);
    return status;
}

/* Kernels take ranges that begin at multiples of 4. Rows do, and columns do but for references, which come after any
 * number of rows. */
static qn_status start(void *user, const qn_measure_tile *tile)
{
    session *self = user;
    const bool apart = tile->columns.first % 4 != 0;
    const qn_rmsd_problem problem = {.atoms = (int)self->setup.structures->atom_count,
                                     .first_row = (int)tile->rows.first,
                                     .rows = (int)tile->rows.count,
                                     .first_column = apart ? 0 : (int)tile->columns.first,
                                     .columns = (int)tile->columns.count,
                                     .triangle = tile->rows.first == tile->columns.first,
                                     .doubtful_capacity = (int)self->capacity};
    if (apart) QN_TRY(write_columns(self, tile->columns));
    QN_TRY(qn_queue_fill(self->setup.queue, self->doubts.count, 0, sizeof(uint32_t), 0, NULL));
    return qn_rmsd_values(self->setup.queue, NULL, &problem, &self->all, apart ? &self->columns : &self->all,
                          self->values, &self->doubts, NULL);
}

typedef struct correcting {
    const session *self;
    const qn_measure_tile *tile;
} correcting;

static void correct(const correcting *work, size_t row, size_t column)
{
    const qn_measure_tile *tile = work->tile;
    tile->values[row * tile->columns.count + column] =
        (float)qn_superposed_rmsd(&work->self->set, tile->rows.first + row, tile->columns.first + column);
}

static qn_status correct_some(size_t index, int worker, void *user)
{
    const correcting *work = user;
    const size_t count = work->self->doubtful_count, end_of_some = (index + 1) * SOME;
    (void)worker;
    for (size_t p = index * SOME; p < end_of_some && p < count; p++)
        correct(work, work->self->doubtful[p] >> 16, work->self->doubtful[p] & 0xffff);
    return QN_OK;
}

static qn_status correct_row(size_t row, int worker, void *user)
{
    const correcting *work = user;
    const bool triangle = work->tile->rows.first == work->tile->columns.first;
    (void)worker;
    for (size_t column = triangle ? row + 1 : 0; column < work->tile->columns.count; column++)
        correct(work, row, column);
    return QN_OK;
}

static qn_status values(void *user, const qn_measure_tile *tile)
{
    session *self = user;
    qn_queue *queue = self->setup.queue;
    correcting work = {self, tile};
    QN_TRY(qn_queue_read(queue, self->values, 0, tile->values, tile->rows.count * tile->columns.count * sizeof(float),
                         NULL));
    QN_TRY(qn_queue_read(queue, self->doubts.count, 0, &self->doubtful_count, sizeof(uint32_t), NULL));
    QN_TRY(qn_queue_finish(queue));
    if (self->doubtful_count == 0) return QN_OK;
    if (self->doubtful_count > self->capacity)
        return qn_pool_run(self->setup.pool, tile->rows.count, correct_row, &work);
    QN_TRY(qn_queue_read(queue, self->doubts.pairs, 0, self->doubtful, self->doubtful_count * sizeof(uint32_t), NULL));
    QN_TRY(qn_queue_finish(queue));
    return qn_pool_run(self->setup.pool, (self->doubtful_count + SOME - 1) / SOME, correct_some, &work);
}

const qn_measure qn_measure_rmsd = {
    .name = "rmsd",
    .unit = "Å",
    .step = 0.001f,
    .takes_weights = true,
    .tile_side = TILE_SIDE,
    .check = check,
    .begin = begin,
    .start = start,
    .values = values,
    .end = end,
    .pair = pair,
};
