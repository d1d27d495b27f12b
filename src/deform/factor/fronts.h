/* The state of a factor, and the elimination of one front in three steps. */
#ifndef QN_DEFORM_FACTOR_FRONTS_H
#define QN_DEFORM_FACTOR_FRONTS_H

#include "base/thread_pool.h"
#include "deform/factor/plan.h"
#include "deform/factor/strips.h"

/* Room of one thread. */
typedef struct qn_factor_worker {
    double *room[2];         /* updates inside a subtree, by parity of depth */
    double *signed_strip;    /* 8 × most_width: a strip times the signs of its columns */
    uint32_t *base;          /* 2 × most_below */
    qn_strips_block *blocks; /* diagonal blocks of the front */
    uint32_t wrong;          /* first place with a wrong pivot that this thread met; UINT32_MAX: none */
    int64_t excess;          /* kept pivots: negative ones where positive ones were expected, less the reverse */
} qn_factor_worker;

struct qn_factor {
    const qn_factor_plan *plan;
    qn_pool *pool;     /* NULL: one thread */
    bool keeps_wrong;  /* pivots of the wrong sign are kept */
    signed char *sign; /* of each place's pivot, as found */
    double *panels;
    double *root_room, *top_room[2];
    double *sides, *side_sums; /* QN_STRIPS_SIDES for each place; 8 times that for each column of a front */
    int worker_count;
    qn_factor_worker *workers;
};

typedef struct qn_factor_work {
    qn_factor *factor;
    const double *values;
    const qn_strips_kernels *kernels;
    const qn_factor_front *front; /* a top front that the pool shares */
} qn_factor_work;

/* Gather a front and eliminate the rows of its own columns, with worker `thread`; a wrong pivot is left in `wrong` and
 * ends the work on the front. */
void qn_factor_front_begin(const qn_factor_work *w, const qn_factor_front *front, int thread);

/* Eliminate strips begin … end − 1 of the rows below. blocks: of the thread that began the front. */
void qn_factor_front_below(const qn_factor_work *w, const qn_factor_front *front, const qn_strips_block *blocks,
                           size_t begin, size_t end, int thread);

/* Columns 8 `column` … 8 `column` + 7 of the update. */
void qn_factor_front_update(const qn_factor_work *w, const qn_factor_front *front, size_t column, int thread);

#endif
