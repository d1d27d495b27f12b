#include "deform/factor/batch.h"

#include "base/error.h"
#include "base/memory.h"
#include "deform/factor/kernels/substitute.h"

struct qn_factor_batch {
    qn_queue *queue;
    const qn_factor_plan *plan;
    qn_configuration factor, substitute;
    qn_factor_schedule *schedule;
    qn_factor_lists lists;
    qn_factor_arrays arrays;
    int32_t *wrong; /* host copy */
};

static double bytes_of_lists(const qn_factor_schedule *s)
{
    const double block = s->block;
    return sizeof(int) *
           ((block * block + 1) * s->stored_count + 4.0 * s->run_count + 4.0 * s->gather_start[s->tile_count] +
            2.0 * s->row_count + 2.0 * s->walk_start[s->walk_count] + 2.0 * s->level_count +
            (block + 3) * s->tile_count + (double)QN_PANEL_INTS * s->panel_count);
}

/* Of one state: its factor, its flag and, where `values`, its K. */
static double bytes_of_state(const qn_factor_schedule *s, bool values)
{
    return (double)(qn_factor_tiles_bytes(s, 1) + qn_factor_diagonals_bytes(s, 1)) + sizeof(int32_t) +
           (values ? (double)sizeof(float) * s->value_count : 0);
}

static qn_status find_room(qn_factor_batch *batch, int most, double bytes)
{
    const double each = bytes_of_state(batch->schedule, true), lists = bytes_of_lists(batch->schedule);
    batch->arrays.stride = most;
    if (bytes > 0 && lists + each * most > bytes)
        batch->arrays.stride = bytes > lists ? (int)((bytes - lists) / each) : 0;
    if (batch->arrays.stride < 1)
        return QN_FAIL(QN_OUT_OF_MEMORY,
                       "factors have %.3g bytes of memory; expected at least %.3g for the lists and one state", bytes,
                       lists + each);
    return QN_OK;
}

static qn_status build(qn_factor_batch *batch, int most, double bytes)
{
    qn_device *device = qn_queue_device(batch->queue);
    void *memory;
    if (most < 1) return QN_FAIL(QN_INVALID_ARGUMENT, "a batch of %d states; expected at least 1", most);
    qn_factor_configuration(batch->queue, batch->plan, most, &batch->factor);
    QN_TRY(qn_factor_schedule_for(batch->plan, &batch->factor, &batch->schedule));
    QN_TRY(find_room(batch, most, bytes));
    const int room = batch->arrays.stride;
    batch->substitute = qn_substitute_configuration(batch->queue, batch->schedule, room);
    QN_TRY(qn_allocate((size_t)room, sizeof(int32_t), &memory));
    batch->wrong = memory;
    QN_TRY(qn_factor_lists_create(batch->queue, batch->schedule, &batch->lists));
    QN_TRY(qn_buffer_create(device, qn_factor_tiles_bytes(batch->schedule, room), &batch->arrays.tiles));
    QN_TRY(qn_buffer_create(device, qn_factor_diagonals_bytes(batch->schedule, room), &batch->arrays.diagonals));
    return qn_buffer_create(device, (size_t)room * sizeof(int32_t), &batch->arrays.wrong);
}

qn_status qn_factor_batch_create(qn_queue *queue, const qn_factor_plan *plan, int most, double bytes,
                                 qn_factor_batch **batch)
{
    void *memory;
    *batch = NULL;
    QN_TRY(qn_allocate(1, sizeof(qn_factor_batch), &memory));
    *batch = memory;
    (*batch)->queue = queue;
    (*batch)->plan = plan;
    const qn_status status = build(*batch, most, bytes);
    if (status != QN_OK) qn_factor_batch_destroy(batch);
    return status;
}

void qn_factor_batch_destroy(qn_factor_batch **batch)
{
    qn_factor_batch *old = *batch;
    if (!old) return;
    qn_factor_lists_release(&old->lists);
    qn_factor_schedule_destroy(&old->schedule);
    qn_buffer_release(&old->arrays.tiles);
    qn_buffer_release(&old->arrays.diagonals);
    qn_buffer_release(&old->arrays.wrong);
    qn_release(&old->wrong);
    qn_release(batch);
}

int qn_factor_batch_room(const qn_factor_batch *batch)
{
    return batch->arrays.stride;
}

double qn_factor_batch_bytes(const qn_factor_batch *batch)
{
    return bytes_of_lists(batch->schedule) + bytes_of_state(batch->schedule, false) * batch->arrays.stride;
}

qn_status qn_factor_batch_compute(qn_factor_batch *batch, qn_buffer *values, int states)
{
    batch->arrays.states = states;
    batch->arrays.values = values;
    const qn_status status = qn_factor_states(batch->queue, &batch->factor, &batch->lists, &batch->arrays, NULL);
    batch->arrays.values = NULL;
    return status;
}

qn_status qn_factor_batch_wrong(qn_factor_batch *batch, size_t *freedoms)
{
    const size_t states = (size_t)batch->arrays.states;
    QN_TRY(qn_queue_read(batch->queue, batch->arrays.wrong, 0, batch->wrong, states * sizeof(int32_t), NULL));
    QN_TRY(qn_queue_finish(batch->queue));
    for (size_t s = 0; s < states; s++)
        freedoms[s] = batch->wrong[s] == QN_FACTOR_NOTHING_WRONG ? SIZE_MAX : batch->plan->freedom[batch->wrong[s]];
    return QN_OK;
}

qn_status qn_factor_batch_solve(qn_factor_batch *batch, int sides, qn_buffer *x)
{
    return qn_substitute_states(batch->queue, &batch->substitute, &batch->lists, &batch->arrays, sides, x, NULL);
}
