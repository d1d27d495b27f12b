/* State of an accumulator, for accumulator.c and accumulator_insert.c. */
#ifndef QN_RECONSTRUCT_ACCUMULATOR_STATE_H
#define QN_RECONSTRUCT_ACCUMULATOR_STATE_H

#include <quern/fft.h>

#include "reconstruct/accumulator.h"
#include "reconstruct/kernels/insert_slices.h"

enum { QN_ACCUMULATOR_SLOTS = 2, QN_ACCUMULATOR_PLANS_MAX = 16, QN_ACCUMULATOR_SUMS = 2 };

/* One batch that is copied to the device or waits to be used. */
typedef struct qn_accumulator_slot {
    float *images;     /* on the host */
    float *parameters; /* [batch][QN_IMAGE_PARAMETERS] */
    float *matrices;   /* [batch · operators][9] */
    qn_buffer *raw, *parameter_buffer, *matrix_buffer;
    qn_event *written; /* set when the device has its copy, and host memory may be overwritten */
    qn_event *used;    /* set when the device's copy may be overwritten */
} qn_accumulator_slot;

/* One sum of one half on the device: the buffer that is added to, and the totals that it settles into. */
typedef struct qn_device_sum {
    qn_buffer *partial, *total, *low_part; /* total and low_part are NULL where nothing settles */
} qn_device_sum;

typedef struct qn_timed_events {
    qn_event *transform, *prepare, *insert;
} qn_timed_events;

struct qn_accumulator {
    qn_accumulator_options options;
    qn_device *device;
    qn_queue *copies, *queue;
    int plane_count; /* planes of a slab; P where the whole volume is on the device */
    bool in_slabs, settles;
    qn_accumulator_slot slots[QN_ACCUMULATOR_SLOTS];
    int slot; /* index of the slot that was handed out last */
    qn_buffer *spectra, *images, *weights, *blob_table;
    int plan_sides[QN_ACCUMULATOR_PLANS_MAX];
    qn_fft_plan *plans[QN_ACCUMULATOR_PLANS_MAX];
    int plan_count;
    qn_device_sum sums[2][QN_ACCUMULATOR_SUMS]; /* [half][numerator, weight]; in slabs sums[0] alone, one slab */
    qn_fourier_sums host[2];                    /* sums on the host, if the volume is inserted in slabs */
    float *slab;              /* a slab read back from the device, if there are slabs; room for a numerator */
    uint64_t unsettled[2];    /* slices of each half inserted since its sums settled */
    qn_configuration ordered; /* fixes the order of additions; valid if has_ordered */
    bool has_ordered;
    qn_timed_events timed[QN_ACCUMULATOR_SLOTS];
    qn_accumulator_times times;
};

/* Number of floats in one plane of a numerator or of a weight. */
size_t qn_accumulator_plane_floats(const qn_accumulator_options *options, int sum);

/* Add the times of a slot's last batch and release its events. Waits for the batch. */
QN_MUST_CHECK qn_status qn_accumulator_harvest(qn_accumulator *accumulator, int slot);

#endif
