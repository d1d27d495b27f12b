/* A reconstruction while it is under way: what its stages hand on to each other. */
#ifndef QN_RECONSTRUCT_RUN_H
#define QN_RECONSTRUCT_RUN_H

#include "base/error.h"
#include "base/text.h"
#include "job/agreement.h"
#include "job/devices.h"
#include "job/pieces.h"
#include "job/tuning.h"
#include "reconstruct/accumulator.h"
#include "reconstruct/images.h"
#include "reconstruct/output.h"

typedef struct qn_saved_sums qn_saved_sums;

typedef struct qn_reconstruct_state {
    const qn_reconstruct_options *options;
    qn_context *context;
    qn_pool *pool;
    qn_ranks *ranks;
    qn_agreement agreement;
    qn_device *devices[QN_MOST_DEVICES];
    int device_count;
    int first_worker, worker_count; /* devices of ranks before this one; of all */
    int any_gpu;                    /* of any rank */
    qn_particle_set *particles;
    char particles_hash[65];
    qn_image_plan plan;
    qn_image_stacks *stacks;
    int *image_sides; /* of each optics group */
    double (*operators)[9];
    int operator_count, halves;
    int map_side, side; /* N, P */
    int batch;
    double voxel_angstrom, most, radius;
    qn_accumulator_options accumulation;
    qn_accumulator *accumulators[QN_MOST_DEVICES];
    qn_saved_sums *saved; /* NULL: nothing is put aside */
    qn_piece_set done;    /* batches of runs before */
    qn_tuning tuning;
    qn_reconstruction result;

    uint64_t inserted, resumed; /* images, by this process; by runs before, of all processes */
    bool made_folder;           /* of what is put aside, by this process */
    char *absent;               /* the topmost folder that is made for the output; NULL: all are there */
    double started_s;
    double read_s; /* of all threads that read */
} qn_reconstruct_state;

/* insert_batches.c: every batch that is not done, on every device. */
QN_MUST_CHECK qn_status qn_reconstruct_insert(qn_reconstruct_state *run);

/* insert_batches.c: try configurations on the first batch of images where tuning is to come before the run. */
QN_MUST_CHECK qn_status qn_reconstruct_explore(qn_reconstruct_state *run, int device);

/* maps.c: sums of all devices, processes and runs before become maps. On the first rank. */
QN_MUST_CHECK qn_status qn_reconstruct_make_maps(qn_reconstruct_state *run);

#endif
