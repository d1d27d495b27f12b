/* Slots: memory for the frames in flight, and the scratch memory of the threads that decode and measure them.
 *
 * Life cycle: create → for each frame measure, measure on a device → sum of seconds → clear. Thread rule: one thread at
 * a time for each slot and for each worker.
 */
#ifndef QN_TRAJECTORY_SLOTS_H
#define QN_TRAJECTORY_SLOTS_H

#include "trajectory/run.h"

/* A copy of the selected atoms, for a device's worker that measures them later. */
typedef struct qn_slot_atoms {
    uint32_t *indices;
    size_t count, capacity;
} qn_slot_atoms;

typedef struct qn_slot {
    qn_source_item item;
    qn_trajectory_frame frame, whole; /* as read; with whole molecules. They share positions if every query needs whole
                                         molecules. Positions are NULL unless they are kept or lent to a worker */
    double *partials;                 /* partial results of all clients */
    qn_slot_atoms (*atoms)[2];        /* of each client; NULL: all selections are fixed, or no query is on_device */
    qn_error_trail damage;            /* error because of which there is no frame; its status is QN_OK if none */
    bool prepared, on_device_done;
} qn_slot;

/* Memory for the positions of the frame that a worker of the pool measures. */
typedef struct qn_slot_room {
    float *positions_nm, *whole_nm;
} qn_slot_room;

typedef struct qn_slots {
    const qn_trajectory_state *run;
    qn_slot *slots;
    size_t count, block;           /* number of slots; most frames that are decoded together */
    int workers;                   /* the pool's workers, then those of devices */
    bool keep_positions;           /* each slot has its own: a device measures them later, or the source fills them */
    qn_slot_room *rooms;           /* one per worker of the pool; NULL if keep_positions is set */
    qn_selection_atoms **selected; /* one per worker of the pool; NULL: all selections are fixed */
    void **scratch;                /* [workers][clients] */
    double *seconds;               /* [workers][clients], time spent in measuring */
} qn_slots;

/* Create as many slots as the memory of the options allows, within a useful range. qn_slot_prepare allocates their
 * memory. */
QN_MUST_CHECK qn_status qn_slots_create(const qn_trajectory_state *run, int workers, qn_slots *slots);
void qn_slots_clear(qn_slots *slots);

/* Allocate the memory of a slot when it is first used. */
QN_MUST_CHECK qn_status qn_slot_prepare(const qn_slots *slots, qn_slot *slot);

/* Lend a slot memory for the positions of a decoded frame, and take it back; take it back after a failure too. Both do
 * nothing if slots keep positions of their own. */
QN_MUST_CHECK qn_status qn_slot_borrow_room(qn_slots *slots, qn_slot *slot, int worker);
void qn_slot_give_back_room(const qn_slots *slots, qn_slot *slot);

/* Destroy the scratch of a worker that has ended. */
void qn_slots_drop_scratch(qn_slots *slots, int worker);

/* Add the time spent in measuring to `seconds` of each client. */
void qn_slots_sum_seconds(const qn_slots *slots, double *seconds);

static inline qn_slot *qn_slot_of(const qn_slots *slots, uint64_t place)
{
    return &slots->slots[place % slots->count];
}

/* Copy a frame. `to` keeps its own memory for positions, which are copied if there is such memory. */
void qn_slot_copy_frame(const qn_trajectory_frame *from, qn_trajectory_frame *to);

/* Select atoms of a decoded frame, make molecules whole, and measure for all clients that are not on_device. */
QN_MUST_CHECK qn_status qn_slot_measure(qn_slots *slots, qn_slot *slot, int worker);

/* Measure for the clients that are on_device, on one device. */
QN_MUST_CHECK qn_status qn_slot_measure_on_device(qn_slots *slots, qn_slot *slot, int worker, int device,
                                                  qn_queue *queue);

#endif
