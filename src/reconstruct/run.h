/* A reconstruction while it is under way: what its stages hand on to each other. */
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
    bool saves;                     /* sums are put aside */
    int first_worker, worker_count; /* devices of ranks before this one; of all */
    int any_gpu;                    /* of any rank */
    qn_particle_set *particles;
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
    qn_reconstruction result;

    uint64_t inserted, resumed; /* images, by this process; by runs before, of all processes */
    double read_s;              /* of all threads that read */
} qn_reconstruct_state;

/* plan.c: with particles, stacks and devices known, what is inserted into what. The same on all ranks. */
QN_MUST_CHECK qn_status qn_reconstruct_plan(qn_reconstruct_state *run);

/* memory.c: say how much memory the run takes; QN_OUT_OF_MEMORY where that is more than there is or was allowed. */
QN_MUST_CHECK qn_status qn_reconstruct_check_memory(qn_reconstruct_state *run);

/* insert_batches.c: every batch that is not done, on every device. */
QN_MUST_CHECK qn_status qn_reconstruct_insert(qn_reconstruct_state *run);

/* insert_batches.c: try configurations on the first batch of images where tuning is to come before the run. */
QN_MUST_CHECK qn_status qn_reconstruct_explore(qn_reconstruct_state *run, int device);

/* maps.c: sums of all devices, processes and runs before become maps. On the first rank. */
QN_MUST_CHECK qn_status qn_reconstruct_make_maps(qn_reconstruct_state *run);

#endif
