/* The images of a particle set, in batches that several threads read.
 *
 * A batch is of one optics group and one half, in the order of the file; so what is in it depends on the file and the
 * options alone. Batches follow each other as their first particles do, so that a file is gone through once.
 * Life cycle: plan and stacks → read batches in any order → clear, close. Thread rule: a plan is read only; several
 * threads may read batches from the same stacks.
 */
#ifndef QN_RECONSTRUCT_IMAGES_H
#define QN_RECONSTRUCT_IMAGES_H

#include <stdbool.h>

#include "base/thread_pool.h"
#include "model/particle_set.h"

/* A piece of work: particles of one optics group and one half. */
typedef struct qn_image_batch_plan {
    uint32_t optics;
    int half;     /* 0 or 1 */
    size_t first; /* index into qn_image_plan.order */
    size_t count;
} qn_image_batch_plan;

typedef struct qn_image_plan {
    size_t *order; /* particle indices, batch after batch */
    qn_image_batch_plan *batches;
    size_t batch_count;
    size_t image_count, skipped; /* weight ≤ 0 */
} qn_image_plan;

/* Which particles go where: `halves` by subset, or split by `seed` where the set has none; `subset` 1 or 2 alone; rows
 * `first` … `last` of the file (from 1), without those of weight ≤ 0. The split goes through the images in the order of
 * the file and sends one of each two to either half, which one by a draw from `seed`: halves differ by one image at
 * most, and rows that name the same image (as where symmetry was written out) stay together, lest the halves share its
 * noise. QN_INVALID_ARGUMENT (a subset of a set without subsets; halves of a subset), QN_BAD_FORMAT (a row that is of
 * neither subset, naming it; nothing left, or nothing for one half). */
QN_MUST_CHECK qn_status qn_image_plan_create(const qn_particle_set *set, bool halves, int subset, uint64_t first,
                                             uint64_t last, uint64_t seed, size_t batch, qn_image_plan *plan);
void qn_image_plan_clear(qn_image_plan *plan);

/* Stacks that were opened and looked at: every one is there, square, of its optics group's size, and has the slices
 * that rows name. Thousands of them may be named: few are kept open at a time. */
typedef struct qn_image_stacks qn_image_stacks;

/* `side[optics]` gets the images' side of each optics group, 0 for one without particles (released with qn_release).
 * Errors name the STAR file, row, stack and slice: QN_NOT_FOUND, QN_BAD_FORMAT (past the end, not square, mixed sizes;
 * mixed pixel sizes where a group's is known from stacks alone). */
QN_MUST_CHECK qn_status qn_image_stacks_open(const qn_particle_set *set, qn_image_stacks **stacks, int **side);
void qn_image_stacks_close(qn_image_stacks **stacks);

/* One batch's images, [count][side][side] floats, flips undone. Several threads may read different batches; the pool's
 * threads share a batch. Values that are not finite: QN_BAD_FORMAT naming row and slice; a stack that is another than
 * when it was looked at: QN_BAD_FORMAT. QN_NOT_FOUND, QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_image_batch_read(const qn_particle_set *set, const qn_image_plan *plan, size_t batch,
                                            qn_image_stacks *stacks, int side, qn_pool *pool, float *images);

#endif
