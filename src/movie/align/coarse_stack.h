/* The coarse stack's content, for the files of this folder. */
#ifndef QN_MOVIE_ALIGN_COARSE_STACK_H
#define QN_MOVIE_ALIGN_COARSE_STACK_H

#include "movie/align/align.h"

struct qn_coarse_stack {
    qn_device *device;
    qn_queue *queue;
    qn_movie_grid grid;
    int frames, added;  /* added: number of different frames */
    bool *present;      /* [frames] */
    qn_buffer *spectra; /* [frames][coarse y][coarse x / 2 + 1] complex numbers */
};

/* Numbers of a half spectrum. */
size_t qn_half_pixels(const int size[2]);

#endif
