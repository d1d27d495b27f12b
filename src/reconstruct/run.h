/* State of a reconstruction that its stages share. */
#ifndef QN_RECONSTRUCT_RUN_H
#define QN_RECONSTRUCT_RUN_H

#include "base/error.h"
#include "base/text.h"
#include "job/job.h"
#include "reconstruct/accumulator.h"
#include "reconstruct/images.h"
#include "reconstruct/output.h"

enum { QN_RECONSTRUCT_BATCH_MAX = 1 << 14 };

typedef struct qn_saved_sums qn_saved_sums;

typedef struct qn_reconstruct_state {
    const qn_reconstruct_options *options;
    qn_job *job;
    qn_reconstruct_place place;
    bool wants_result;              /* the caller takes the results in memory */
    bool saves;                     /* sums are saved for a later run */
    int first_worker, worker_count; /* number of devices of the ranks before this one; of all ranks */
    int any_gpu;                    /* whether any rank has a GPU */
    qn_particle_set *particles;
    qn_image_plan plan;
    qn_image_stacks *stacks;
    int *image_sides; /* side of the images of each optics group; 0: no particles */
    double (*operators)[9];
    int operator_count, halves;
    int map_side, side; /* N, side of the map; P, side of the padded volume */
    int batch;
    double voxel_angstrom, most, radius;
    qn_accumulator_options accumulation;
    qn_accumulator *accumulators[QN_DEVICES_MAX];
    qn_saved_sums *saved; /* NULL: sums are not saved */
    qn_reconstruction result;
    qn_text page; /* of the report, for a run without an output */

    uint64_t inserted, resumed; /* images inserted by this process; by earlier runs, of all processes */
    double read_s;              /* seconds that reading took, summed over the devices' threads */
} qn_reconstruct_state;

/* plan.c: plan batches and sizes from particles, stacks and devices. All ranks get the same plan. */
QN_MUST_CHECK qn_status qn_reconstruct_plan(qn_reconstruct_state *run);

/* memory.c: log the memory that the run needs. QN_OUT_OF_MEMORY if that is more than the machine has or
 * the options allow. */
QN_MUST_CHECK qn_status qn_reconstruct_check_memory(qn_reconstruct_state *run);

/* insert_batches.c: insert every batch that is not done, on all devices. */
QN_MUST_CHECK qn_status qn_reconstruct_insert(qn_reconstruct_state *run);

/* insert_batches.c: if tuning is to precede the run, try configurations on the first batch of images. */
QN_MUST_CHECK qn_status qn_reconstruct_explore(qn_reconstruct_state *run, int device);

/* maps.c: make maps from the sums of all devices, processes and earlier runs. On the first rank. */
QN_MUST_CHECK qn_status qn_reconstruct_make_maps(qn_reconstruct_state *run);

/* read_back.c: read maps, mask and warnings of a finished run from its files, and compute the correlation again. On the
 * first rank. */
QN_MUST_CHECK qn_status qn_reconstruct_read_back(qn_reconstruct_state *run);

/* result.c: move maps, mask, correlation and views into a result for the caller. */
QN_MUST_CHECK qn_status qn_reconstruct_make_result(qn_reconstruct_state *run, qn_reconstruct_result **result);

/* maps.c: correlate the half maps within the mask, if there is one. */
QN_MUST_CHECK qn_status qn_reconstruct_correlate(qn_reconstruct_state *run);

#endif
