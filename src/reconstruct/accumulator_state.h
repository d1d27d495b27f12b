/* What accumulator.c and accumulator_insert.c share. */
#ifndef QN_RECONSTRUCT_ACCUMULATOR_STATE_H
#define QN_RECONSTRUCT_ACCUMULATOR_STATE_H

#include <quern/fft.h>

#include "reconstruct/accumulator.h"
#include "reconstruct/kernels/insert_slices.h"

enum { QN_ACCUMULATOR_SLOTS = 2, QN_ACCUMULATOR_MOST_PLANS = 16, QN_ACCUMULATOR_SUMS = 2 };

/* A batch on its way to the device. */
typedef struct qn_accumulator_slot {
    float *images;     /* on the host */
    float *parameters; /* [batch][QN_IMAGE_PARAMETERS] */
    float *matrices;   /* [batch · operators][9] */
    qn_buffer *raw, *parameter_buffer, *matrix_buffer;
    qn_event *written; /* host memory may be changed, and the device has it */
    qn_event *used;    /* the device's copy may be written over */
} qn_accumulator_slot;

/* A sum of one half on the device: what is added to, and what it settles into. */
typedef struct qn_device_sum {
    qn_buffer *partial, *total, *low_part; /* the last two NULL where nothing settles */
} qn_device_sum;

typedef struct qn_timed_events {
    qn_event *transform, *prepare, *insert;
} qn_timed_events;

struct qn_accumulator {
    qn_accumulator_options options;
    qn_device *device;
    qn_queue *copies, *queue;
    int plane_count; /* of a slab; side where the whole volume is on the device */
    bool in_slabs, settles;
    qn_accumulator_slot slots[QN_ACCUMULATOR_SLOTS];
    int slot; /* the one that was handed out last */
    qn_buffer *spectra, *images, *weights, *blob_table;
    int plan_sides[QN_ACCUMULATOR_MOST_PLANS];
    qn_fft_plan *plans[QN_ACCUMULATOR_MOST_PLANS];
    int plan_count;
    qn_device_sum sums[2][QN_ACCUMULATOR_SUMS]; /* [half][numerator, weight]; in slabs sums[0] alone, one slab */
    qn_fourier_sums host[2];                    /* in slabs */
    float *slab;                                /* in slabs: what comes back, the larger of both sums */
    uint64_t unsettled[2];                      /* slices of a half since it settled */
    qn_configuration ordered; /* of deterministic runs: additions in one order; used where has_ordered */
    bool has_ordered;
    qn_timed_events timed[QN_ACCUMULATOR_SLOTS];
    qn_accumulator_times times;
};

/* Floats of a numerator's or a weight's plane. */
size_t qn_accumulator_plane_floats(const qn_accumulator_options *options, int sum);

/* Add what the events of a slot's last batch tell, and let go of them. Waits. */
QN_MUST_CHECK qn_status qn_accumulator_harvest(qn_accumulator *accumulator, int slot);

#endif
