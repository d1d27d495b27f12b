/* The images of a particle set, in batches that several threads read.
 *
 * A batch holds images of one optics group and one half, in the order of the file, so its content depends on the file
 * and the options alone. Batches are ordered by their first particles, so that a file is read once from start to end.
 *
 * Life cycle: plan and stacks → read batches in any order → clear, close. Thread rule: a plan is read only; several
 * threads may read batches from the same stacks. */
#ifndef QN_RECONSTRUCT_IMAGES_H
#define QN_RECONSTRUCT_IMAGES_H

#include <stdbool.h>

#include "base/thread_pool.h"
#include "model/particle_set.h"

/* One piece of work: particles of one optics group and one half. */
typedef struct qn_image_batch_plan {
    uint32_t optics;
    int half;     /* half: 0 or 1 */
    size_t first; /* index into qn_image_plan.order */
    size_t count;
} qn_image_batch_plan;

typedef struct qn_image_plan {
    size_t *order; /* particle indices, batch after batch */
    qn_image_batch_plan *batches;
    size_t batch_count;
    size_t image_count, skipped; /* images that are used; skipped: particles of weight 0 or less */
} qn_image_plan;

/* Assign particles to batches. Only rows `first` … `last` of the file (from 1) with positive weights are used, and of
 * these only `subset` if it is 1 or 2. With `halves` they are assigned by subset, or, if the set has no subsets, split
 * by `seed`: of every two distinct images in the order of the file one goes to each half, by a random draw. So the
 * halves differ by one image at most. Rows that name the same image (such as symmetric copies) stay in one half, since
 * otherwise the halves would share the image's noise.
 *
 * QN_INVALID_ARGUMENT (a subset of a set without subsets; halves of a subset), QN_BAD_FORMAT (a row of neither subset,
 * named in the message; no particles left, or none for one half). */
QN_MUST_CHECK qn_status qn_image_plan_create(const qn_particle_set *set, bool halves, int subset, uint64_t first,
                                             uint64_t last, uint64_t seed, size_t batch, qn_image_plan *plan);
void qn_image_plan_clear(qn_image_plan *plan);

/* Checked sources of images: the stacks of a set, or one array in memory. Every stack exists and has the slices that
 * rows name; its images are square and of the size that their optics group states. A set may name thousands of stacks,
 * of which few are kept open at a time. */
typedef struct qn_image_stacks qn_image_stacks;

/* `array` NULL: the images are in the stacks that the set names; otherwise the array lives as long as `stacks`.
 * `side[optics]` gets the images' side of each optics group, 0 for one without particles (released with qn_release).
 * Errors name the STAR file, row, stack and slice: QN_NOT_FOUND, QN_BAD_FORMAT (a slice past the end, images that are
 * not square, mixed sizes; mixed pixel sizes in a group whose pixel size is known from stacks alone); of arrays:
 * QN_INVALID_ARGUMENT (no values, another count or size than the particles have, particles of several stacks). */
QN_MUST_CHECK qn_status qn_image_stacks_open(const qn_particle_set *set, const qn_image_array *array,
                                             qn_image_stacks **stacks, int **side);

/* Number of stacks whose files are longer than their headers state; the first of them, and its bytes beyond. */
size_t qn_image_stacks_longer(const qn_image_stacks *stacks, uint32_t *first, uint64_t *bytes);
void qn_image_stacks_close(qn_image_stacks **stacks);

/* Read one batch of images, [count][side][side] floats, with flips undone. Several threads may read different batches;
 * the threads of the pool share a batch. QN_BAD_FORMAT (a value that is not finite, naming row and slice; a stack that
 * changed since it was checked), QN_NOT_FOUND, QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_image_batch_read(const qn_particle_set *set, const qn_image_plan *plan, size_t batch,
                                            qn_image_stacks *stacks, int side, qn_pool *pool, float *images);

#endif
