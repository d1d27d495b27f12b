/* Images of a map in batches: the device computes one batch while the host processes the one before. */
#ifndef QN_PROJECT_IMAGES_H
#define QN_PROJECT_IMAGES_H

#include <quern/fft.h>
#include <quern/project.h>
#include <quern/queue.h>

#include "format/image/image_stack.h"
#include "job/job.h"
#include "math/window.h"
#include "project/kernels/project_slices.h"
#include "project/views.h"

/* Inputs and outputs of one batch of images. */
typedef struct qn_projection_batch {
    size_t first, count;
    float *steps, *parameters, *images;
    double *sums; /* for each image the sum of its values and of their squares */
    qn_event *done;
} qn_projection_batch;

typedef struct qn_projection {
    const qn_project_options *options;
    qn_job *job;
    qn_volume map;      /* view of the map that was read or given */
    qn_volume *own_map; /* map that was read; NULL: the map is the caller's */
    qn_views views;
    qn_queue *queue;
    qn_slices_problem problem; /* problem of a full batch */
    qn_window window;
    qn_fft_plan *plan;
    qn_buffer *volume, *table, *steps, *parameters, *slices, *images;
    qn_projection_batch batches[2]; /* used in turns */
    bool measures;                  /* images are only summed, not written or kept */
    qn_image_stack_writer *writer;  /* NULL: nothing is written */
    float *kept;                    /* [images][side][side] for the caller; NULL: not wanted */
    double deviation;               /* standard deviation of the noise */
    double sum, sum_of_squares;
    size_t done, total; /* number of images, of all passes */
    const char *stage;
} qn_projection;

/* Choose the sizes of images, batches and the padded map. */
void qn_projection_plan(qn_projection *run);

/* Copy the map's transform and the tables to the device, and allocate the batches. */
QN_MUST_CHECK qn_status qn_projection_prepare(qn_projection *run);

/* If tuning is to precede the work, try configurations on the first batch. */
QN_MUST_CHECK qn_status qn_projection_explore(qn_projection *run);

/* Make all images: only sum them if `measures` is set, else pass them to the writer and to the caller. */
QN_MUST_CHECK qn_status qn_projection_go_through(qn_projection *run, const char *stage);

void qn_projection_clear(qn_projection *run);

#endif
