/* Frames under way: where they are read, decoded and measured into, and what the threads that do so keep for
 * themselves.
 *
 * Life cycle: create → for each frame measure, measure on a device → sum of seconds → clear. Thread rule: one thread a
 * slot and a worker.
 */
#ifndef QN_TRAJECTORY_SLOTS_H
#define QN_TRAJECTORY_SLOTS_H

#include "trajectory/run.h"

/* Atoms that a device's worker is to measure later: a copy of what the selection was. */
typedef struct qn_slot_atoms {
    uint32_t *indices;
    size_t count, capacity;
} qn_slot_atoms;

typedef struct qn_slot {
    qn_source_item item;
    qn_trajectory_frame frame, whole; /* positions of `whole` are those of `frame` where no query wants these; NULL
                                         unless they are kept or a worker is at them */
    double *partials;                 /* of all clients */
    qn_slot_atoms (*atoms)[2];        /* of each client; NULL: all selections are fixed or no device measures */
    qn_error_trail damage;            /* why there is no frame; its status is QN_OK otherwise */
    bool prepared, on_device_done;
} qn_slot;

/* Positions of the frame that a worker of the pool is at. */
typedef struct qn_slot_room {
    float *positions_nm, *whole_nm;
} qn_slot_room;

typedef struct qn_slots {
    const qn_trajectory_state *run;
    qn_slot *slots;
    size_t count, block;           /* slots; frames that are decoded together at most */
    int workers;                   /* of the pool and behind them those of devices */
    bool keep_positions;           /* devices measure them later, or the source writes them when it reads */
    qn_slot_room *rooms;           /* of each of the pool's workers otherwise; NULL */
    qn_selection_atoms **selected; /* of each of the pool's workers; NULL: all selections are fixed */
    void **scratch;                /* [workers][clients] */
    double *seconds;               /* likewise */
} qn_slots;

/* As many slots as options->memory_bytes allow, within what is of use. They have no memory of their own yet. */
QN_MUST_CHECK qn_status qn_slots_create(const qn_trajectory_state *run, int workers, qn_slots *slots);
void qn_slots_clear(qn_slots *slots);

/* Memory of a slot that is used for the first time. */
QN_MUST_CHECK qn_status qn_slot_prepare(const qn_slots *slots, qn_slot *slot);

/* What a frame is decoded into: nothing changes where slots keep their positions. Room that was borrowed is given back
 * whatever became of the frame. */
QN_MUST_CHECK qn_status qn_slot_borrow_room(qn_slots *slots, qn_slot *slot, int worker);
void qn_slot_give_back_room(const qn_slots *slots, qn_slot *slot);

/* Scratch of a worker that is over. */
void qn_slots_drop_scratch(qn_slots *slots, int worker);

/* Add what measuring took to `seconds` of each client. */
void qn_slots_sum_seconds(const qn_slots *slots, double *seconds);

static inline qn_slot *qn_slot_of(const qn_slots *slots, uint64_t place)
{
    return &slots->slots[place % slots->count];
}

/* Everything but the positions' memory, and positions where `to` has memory for them. */
void qn_slot_copy_frame(const qn_trajectory_frame *from, qn_trajectory_frame *to);

/* A decoded frame: select, make molecules whole, measure for all clients that no device measures for. */
QN_MUST_CHECK qn_status qn_slot_measure(qn_slots *slots, qn_slot *slot, int worker);

/* For the others, on one device. */
QN_MUST_CHECK qn_status qn_slot_measure_on_device(qn_slots *slots, qn_slot *slot, int worker, int device,
                                                  qn_queue *queue);

#endif
