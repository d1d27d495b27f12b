/* The coarse stack's content, for the files of this folder. */
#ifndef QN_MOVIE_ALIGN_COARSE_STACK_H
#define QN_MOVIE_ALIGN_COARSE_STACK_H

#include <quern/fft.h>

#include "movie/align/align.h"

enum { QN_COARSE_PLANS_MAX = 16 };

/* A plan of transforms that is kept for the next movie. */
typedef struct qn_coarse_plan {
    int size[2], batch;
    qn_fft_kind kind;
    qn_fft_plan *plan;
} qn_coarse_plan;

struct qn_coarse_stack {
    qn_device *device;
    qn_queue *queue;
    qn_movie_grid grid;
    int frames, added;  /* added: number of different frames */
    bool *present;      /* [frames] */
    qn_buffer *spectra; /* [frames][coarse y][coarse x / 2 + 1] complex numbers */
    qn_coarse_plan plans[QN_COARSE_PLANS_MAX];
    int plan_count;
};

/* A plan of two-dimensional transforms. The stack keeps it: devices' compilers take long to make one. */
QN_MUST_CHECK qn_status qn_coarse_stack_plan(qn_coarse_stack *stack, const int size[2], int batch, qn_fft_kind kind,
                                             qn_fft_plan **plan);

/* Numbers of a half spectrum. */
size_t qn_half_pixels(const int size[2]);

#endif
