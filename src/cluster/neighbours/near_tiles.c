#include "cluster/neighbours/near_tiles.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/measure/kernels/rmsd.h"
#include "runtime/device.h"
#include "runtime/kept_buffer.h"

enum {
    SLOTS = 2,
    DOUBTFUL_SHARE = 64, /* one pair of so many has room in the list of doubtful ones */
    FEW = 8192,          /* doubtful pairs that are read before their number is known */
    SOME = 64,           /* doubtful pairs of a task */
    COPIED_ROWS = 128    /* of a task */
};

/* Structures on the device. */
typedef struct device_set {
    qn_rmsd_set buffers;
    const uint32_t *indices; /* NULL: all, in order */
} device_set;

typedef struct tile_slot {
    qn_measure_range rows, columns;
    qn_buffer *bits;
    qn_rmsd_doubts doubts;
    uint32_t *host_bits, *doubtful;
    uint32_t *doubtful_count; /* after the list, in memory for copies: a copy to other memory waits for the kernel */
    qn_event *read;           /* the tile's bits and first doubtful pairs are on the host */
} tile_slot;

struct qn_near_session {
    const qn_superposed *set;
    qn_near_rule rule;
    qn_pool *pool;
    qn_queue *queue;
    size_t capacity; /* of a list of doubtful pairs */
    device_set rows, columns;
    bool columns_are_rows;
    tile_slot slots[SLOTS];
};

static qn_status create_slot(qn_near_session *self, tile_slot *slot, size_t most_pairs)
{
    qn_device *device = qn_queue_device(self->queue);
    void *bits, *doubtful;
    QN_TRY(qn_buffer_create(device, (most_pairs + 31) / 32 * sizeof(uint32_t), &slot->bits));
    QN_TRY(qn_buffer_create(device, self->capacity * sizeof(uint32_t), &slot->doubts.pairs));
    QN_TRY(qn_buffer_create(device, sizeof(uint32_t), &slot->doubts.count));
    QN_TRY(qn_host_memory_create(device, (most_pairs + 31) / 32 * sizeof(uint32_t), &bits));
    slot->host_bits = bits;
    QN_TRY(qn_host_memory_create(device, (self->capacity + 1) * sizeof(uint32_t), &doubtful));
    slot->doubtful = doubtful;
    slot->doubtful_count = slot->doubtful + self->capacity;
    return QN_OK;
}

qn_status qn_near_session_create(qn_device *device, const qn_superposed *set, const qn_near_rule *rule, qn_pool *pool,
                                 size_t most_pairs, qn_near_session **out)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(qn_near_session), &memory));
    qn_near_session *self = *out = memory;
    *self = (qn_near_session){.set = set, .rule = *rule, .pool = pool};
    self->capacity = most_pairs / DOUBTFUL_SHARE + FEW;
    qn_status status = qn_queue_create(device, &self->queue);
    for (int s = 0; s < SLOTS && status == QN_OK; s++) status = create_slot(self, &self->slots[s], most_pairs);
    if (status != QN_OK) qn_near_session_destroy(out);
    return status;
}

static void clear_set(device_set *set)
{
    qn_buffer_release(&set->buffers.positions);
    qn_buffer_release(&set->buffers.terms);
}

void qn_near_session_destroy(qn_near_session **pointer)
{
    qn_near_session *self = *pointer;
    if (!self) return;
    qn_device *device = self->queue ? qn_queue_device(self->queue) : NULL;
    qn_queue_settle(self->queue); /* its reads write to the host memory below */
    for (int s = 0; s < SLOTS && device; s++) {
        qn_buffer_release(&self->slots[s].bits);
        qn_buffer_release(&self->slots[s].doubts.pairs);
        qn_buffer_release(&self->slots[s].doubts.count);
        qn_event_destroy(&self->slots[s].read);
        qn_host_memory_destroy(device, (void **)&self->slots[s].host_bits);
        qn_host_memory_destroy(device, (void **)&self->slots[s].doubtful);
    }
    clear_set(&self->rows);
    clear_set(&self->columns);
    qn_queue_destroy(&self->queue);
    qn_release(pointer);
}

/* ---- structures ---- */

static qn_status write_set(qn_near_session *self, device_set *to, const float *positions, const float *terms,
                           size_t count)
{
    const size_t position_bytes = qn_superposed_position_bytes(self->set->structures->atom_count, count);
    const size_t term_bytes = qn_superposed_term_bytes(count);
    QN_TRY(qn_buffer_reserve(qn_queue_device(self->queue), position_bytes, &to->buffers.positions));
    QN_TRY(qn_buffer_reserve(qn_queue_device(self->queue), term_bytes, &to->buffers.terms));
    QN_TRY(qn_queue_write(self->queue, to->buffers.positions, 0, positions, position_bytes, NULL));
    QN_TRY(qn_queue_write(self->queue, to->buffers.terms, 0, terms, term_bytes, NULL));
    return qn_queue_finish(self->queue);
}

static qn_status gather_set(qn_near_session *self, device_set *to, const uint32_t *indices, size_t count)
{
    void *positions = NULL, *terms = NULL;
    qn_status status =
        qn_allocate(qn_superposed_position_bytes(self->set->structures->atom_count, count), 1, &positions);
    if (status == QN_OK) status = qn_allocate(qn_superposed_term_bytes(count), 1, &terms);
    if (status == QN_OK) status = qn_superposed_gather(self->set, indices, count, self->pool, positions, terms);
    if (status == QN_OK) status = write_set(self, to, positions, terms, count);
    qn_release(&positions);
    qn_release(&terms);
    return status;
}

static qn_status put_set(qn_near_session *self, device_set *to, const uint32_t *indices, size_t count)
{
    to->indices = indices;
    if (indices) return gather_set(self, to, indices, count);
    return write_set(self, to, self->set->positions, self->set->terms, count);
}

qn_status qn_near_session_rows(qn_near_session *self, const uint32_t *indices, size_t count)
{
    return put_set(self, &self->rows, indices, count);
}

void qn_near_session_share_rows(qn_near_session *self, const qn_near_session *other)
{
    clear_set(&self->rows);
    self->rows = (device_set){
        .buffers = {qn_buffer_retain(other->rows.buffers.positions), qn_buffer_retain(other->rows.buffers.terms)}};
}

qn_status qn_near_session_columns(qn_near_session *self, const uint32_t *indices, size_t count)
{
    self->columns_are_rows = !indices;
    return indices ? put_set(self, &self->columns, indices, count) : QN_OK;
}

static const device_set *columns_of(const qn_near_session *self)
{
    return self->columns_are_rows ? &self->rows : &self->columns;
}

/* ---- tiles ---- */

qn_status qn_near_session_start(qn_near_session *self, int number, qn_measure_range rows, qn_measure_range columns)
{
    tile_slot *slot = &self->slots[number];
    const qn_rmsd_problem problem = {.atoms = (int)self->set->structures->atom_count,
                                     .first_row = (int)rows.first,
                                     .rows = (int)rows.count,
                                     .first_column = (int)columns.first,
                                     .columns = (int)columns.count,
                                     .doubtful_capacity = (int)self->capacity,
                                     .cutoff_angstrom = self->rule.cutoff_angstrom};
    const size_t words = rows.count * ((columns.count + 31) / 32);
    slot->rows = rows;
    slot->columns = columns;
    QN_TRY(qn_queue_fill(self->queue, slot->doubts.count, 0, sizeof(uint32_t), 0, NULL));
    QN_TRY(qn_rmsd_near(self->queue, NULL, &problem, &self->rows.buffers, &columns_of(self)->buffers, slot->bits,
                        &slot->doubts, NULL));
    QN_TRY(qn_queue_read(self->queue, slot->bits, 0, slot->host_bits, words * sizeof(uint32_t), NULL));
    QN_TRY(qn_queue_read(self->queue, slot->doubts.count, 0, slot->doubtful_count, sizeof(uint32_t), NULL));
    return qn_queue_read(self->queue, slot->doubts.pairs, 0, slot->doubtful, FEW * sizeof(uint32_t), &slot->read);
}

static size_t index_of(const device_set *set, size_t place)
{
    return set->indices ? set->indices[place] : place;
}

typedef struct deciding {
    const qn_near_session *self;
    const tile_slot *slot;
} deciding;

static bool is_near(const qn_near_session *self, const tile_slot *slot, size_t row, size_t column)
{
    const size_t i = index_of(&self->rows, slot->rows.first + row);
    const size_t j = index_of(columns_of(self), slot->columns.first + column);
    if (i == j) return true;
    const double value = qn_superposed_rmsd(self->set, i, j), cutoff = self->rule.cutoff_angstrom;
    return self->rule.at_most ? value <= cutoff : value < cutoff;
}

static qn_status decide_some(size_t index, int worker, void *user)
{
    const deciding *work = user;
    const tile_slot *slot = work->slot;
    const size_t words = (slot->columns.count + 31) / 32, end = (index + 1) * SOME;
    (void)worker;
    for (size_t p = index * SOME; p < end && p < *slot->doubtful_count; p++) {
        const size_t row = slot->doubtful[p] >> 16, column = slot->doubtful[p] & 0xffff;
        if (is_near(work->self, slot, row, column))
            __atomic_fetch_or(&slot->host_bits[row * words + column / 32], (uint32_t)1 << column % 32,
                              __ATOMIC_RELAXED);
    }
    return QN_OK;
}

static qn_status decide_row(size_t row, int worker, void *user)
{
    const deciding *work = user;
    const tile_slot *slot = work->slot;
    uint32_t *bits = slot->host_bits + row * ((slot->columns.count + 31) / 32);
    (void)worker;
    for (size_t column = 0; column < slot->columns.count; column++)
        if (!(bits[column / 32] >> column % 32 & 1))
            bits[column / 32] |= (uint32_t)is_near(work->self, slot, row, column) << column % 32;
    return QN_OK;
}

static qn_status wait_for(tile_slot *slot)
{
    const qn_status status = qn_event_wait(slot->read);
    qn_event_destroy(&slot->read);
    return status;
}

/* In a list that is too short, every pair whose bit is 0 may be a doubtful one. */
static qn_status decide(qn_near_session *self, tile_slot *slot)
{
    const size_t count = *slot->doubtful_count;
    deciding work = {self, slot};
    if (count == 0) return QN_OK;
    if (count > self->capacity) return qn_pool_run(self->pool, slot->rows.count, decide_row, &work);
    if (count > FEW) {
        const size_t rest = (count - FEW) * sizeof(uint32_t);
        QN_TRY(qn_queue_read(self->queue, slot->doubts.pairs, FEW * sizeof(uint32_t), slot->doubtful + FEW, rest,
                             &slot->read));
        QN_TRY(wait_for(slot));
    }
    return qn_pool_run(self->pool, (count + SOME - 1) / SOME, decide_some, &work);
}

typedef struct copying {
    const tile_slot *slot;
    uint32_t *bits;
    size_t stride;
} copying;

static qn_status copy_rows(size_t index, int worker, void *user)
{
    const copying *work = user;
    const tile_slot *slot = work->slot;
    const size_t words = (slot->columns.count + 31) / 32, end = (index + 1) * COPIED_ROWS;
    (void)worker;
    for (size_t r = index * COPIED_ROWS; r < end && r < slot->rows.count; r++)
        memcpy(work->bits + r * work->stride, slot->host_bits + r * words, words * sizeof(uint32_t));
    return QN_OK;
}

qn_status qn_near_session_finish(qn_near_session *self, int number, uint32_t *bits, size_t stride)
{
    tile_slot *slot = &self->slots[number];
    copying work = {slot, bits, stride};
    QN_TRY(wait_for(slot));
    QN_TRY(decide(self, slot));
    return qn_pool_run(self->pool, (slot->rows.count + COPIED_ROWS - 1) / COPIED_ROWS, copy_rows, &work);
}
