/* A map's images: batches of them through the device, which makes one while the host has the one before. */
#ifndef QN_PROJECT_IMAGES_H
#define QN_PROJECT_IMAGES_H

#include <quern/fft.h>
#include <quern/project.h>
#include <quern/queue.h>

#include "format/image/image_stack.h"
#include "job/job.h"
#include "project/kernels/project_slices.h"
#include "project/views.h"
#include "project/window.h"

/* Images on their way: what the device is told of them and where they come back to. */
typedef struct qn_projection_batch {
    size_t first, count;
    float *steps, *parameters, *images;
    double *sums; /* of each image: of its values, of their squares */
    qn_event *done;
} qn_projection_batch;

typedef struct qn_projection {
    const qn_project_options *options;
    qn_job *job;
    qn_volume *map;
    qn_views views;
    qn_queue *queue;
    qn_slices_problem problem; /* of a whole batch */
    qn_window window;
    qn_fft_plan *plan;
    qn_buffer *volume, *table, *steps, *parameters, *slices, *images;
    qn_projection_batch batches[2]; /* taking turns */
    qn_image_stack_writer *writer;  /* NULL: images are measured, not written */
    double deviation;               /* of the noise */
    double sum, sum_of_squares;
    size_t done, total; /* images, of all passes */
    const char *stage;
} qn_projection;

/* How large images, batches and the padded map are. */
void qn_projection_plan(qn_projection *run);

/* What the device needs: the map's transform, tables, room for batches. */
QN_MUST_CHECK qn_status qn_projection_prepare(qn_projection *run);

/* Try configurations on the first batch, when they are to be tried before the work. */
QN_MUST_CHECK qn_status qn_projection_explore(qn_projection *run);

/* All images, to the writer or, without one, into the sums. */
QN_MUST_CHECK qn_status qn_projection_go_through(qn_projection *run, const char *stage);

void qn_projection_clear(qn_projection *run);

#endif
