/* The coarse stack's content, for the files of this folder. */
#ifndef QN_MOVIE_ALIGN_COARSE_STACK_H
#define QN_MOVIE_ALIGN_COARSE_STACK_H

#include <quern/fft.h>

#include "movie/align/align.h"
#include "movie/align/rings.h"
#include "movie/motion/fit.h"

enum { QN_COARSE_PLANS_MAX = 16, QN_COARSE_RINGS_MAX = 4 };

/* Buffers that the steps of an alignment use one after the other, and that are kept for the next movie. */
typedef enum qn_coarse_room {
    QN_ROOM_PATCHES,  /* spectra of patches */
    QN_ROOM_PRODUCTS, /* spectra: products, or of shifted frames, or of some patches */
    QN_ROOM_MAPS,     /* their transforms */
    QN_ROOM_PIECES,   /* tapered patches */
    QN_ROOM_HALVES,   /* spectra of sums */
    QN_ROOM_RINGS,    /* their sums */
    QN_ROOM_WINDOWS,  /* of correlations, or peaks */
    QN_ROOM_TURNS,    /* of shifts, or pairs */
    QN_ROOM_FILTER,   /* plane */
    QN_ROOM_WEIGHTS,  /* of its rings, or a taper */
    QN_ROOM_CORNERS,  /* of patches, or their centres */
    QN_ROOMS
} qn_coarse_room;

/* Places of rings, and the same on the device. */
typedef struct qn_coarse_rings {
    qn_ring_places places;
    qn_buffer *pixels, *starts;
} qn_coarse_rings;

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
    qn_coarse_rings rings[QN_COARSE_RINGS_MAX];
    int ring_count;
    qn_buffer *rooms[QN_ROOMS];
    qn_motion_rooms motion_rooms;
};

/* A plan of two-dimensional transforms. The stack keeps it: devices' compilers take long to make one. */
QN_MUST_CHECK qn_status qn_coarse_stack_plan(qn_coarse_stack *stack, const int size[2], int batch, qn_fft_kind kind,
                                             qn_fft_plan **plan);

/* The rings of half spectra of `size`, likewise kept. May wait for the device. */
QN_MUST_CHECK qn_status qn_coarse_stack_rings(qn_coarse_stack *stack, const int size[2], const qn_coarse_rings **rings);

/* A buffer of at least so many bytes, which stays the stack's. What was in it is lost if it has to grow; then this
 * waits for the device. */
QN_MUST_CHECK qn_status qn_coarse_stack_room(qn_coarse_stack *stack, qn_coarse_room room, size_t bytes,
                                             qn_buffer **buffer);

/* Release all rooms. Waits for the device. */
QN_MUST_CHECK qn_status qn_coarse_stack_leave_rooms(qn_coarse_stack *stack);

/* Raise a room of an estimate to at least so many bytes. */
void qn_coarse_raise(size_t rooms[QN_ROOMS], qn_coarse_room room, size_t bytes);

/* Unbinned pixels a coarse pixel. */
void qn_coarse_pixel(const qn_movie_grid *grid, double coarse_px[2]);

/* Numbers of a half spectrum. */
size_t qn_half_pixels(const int size[2]);

#endif
