/* The inside of a plan: places of freedoms, fronts, and where the values of K go.
 *
 * K = P G S Gᵀ Pᵀ: P orders the free freedoms, S is the diagonal matrix of the signs of their pivots, G is lower
 * triangular with a positive diagonal (L = G diag(G)⁻¹, D = S diag(G)²).
 *
 * A front is a supernode: `width` adjacent columns that share the rows `below` them. Matrices of a front are stored in
 * strips of 8 rows: strip b, column k, row 8b + i is at 8 (b columns + k) + i. The panel of a front, its part of G, has
 * the strips of the columns' own rows and then those of the rows below. Its update, what it subtracts from the rows
 * below, is a lower triangle of such strips: strip b has 8 (b + 1) columns and begins at 32 b (b + 1). */
#ifndef QN_DEFORM_FACTOR_PLAN_H
#define QN_DEFORM_FACTOR_PLAN_H

#include "deform/factor/factor.h"

enum { QN_FACTOR_STRIP = 8, QN_FACTOR_FIXED = UINT32_MAX };

typedef struct qn_factor_front {
    uint32_t first, width, below; /* places */
    uint32_t parent;              /* front; UINT32_MAX: none */
    uint32_t first_child, next_sibling;
    size_t rows;    /* of the first row below in plan->row */
    size_t panel;   /* of its first value in a factor */
    size_t entries; /* of its first value of K in plan->entry */
    size_t update;  /* of its update in the room of its depth */
    uint32_t depth; /* parity of the distance from the root */
    uint32_t task;  /* subtree task of the front; UINT32_MAX: a top front */
    bool negative;  /* a column has a negative pivot */
    double multiply_adds;
} qn_factor_front;

/* A value of K: its index, and its place in the panel of its front. */
typedef struct qn_factor_entry {
    uint32_t value, place;
} qn_factor_entry;

/* Fronts first … end − 1 are a whole subtree, which one thread eliminates. Its last front's update goes into the room
 * of subtrees. */
typedef struct qn_factor_subtree {
    uint32_t first, end;
    double multiply_adds;
} qn_factor_subtree;

struct qn_factor_plan {
    size_t freedom_count;  /* of the body */
    size_t pattern_values; /* of K as it is passed in */
    size_t free_count;
    uint32_t *place;   /* of each freedom; QN_FACTOR_FIXED: not free */
    uint32_t *freedom; /* of each place */
    signed char *sign; /* of each place's pivot */
    size_t front_count;
    qn_factor_front *fronts;
    uint32_t *row;      /* places of rows below */
    uint32_t *relative; /* of each of these: its row in the parent's front */
    qn_factor_entry *entry;
    size_t entry_count;
    size_t panel_values, value_count;
    double multiply_adds;
    uint32_t most_width, most_below;
    size_t subtree_count;
    qn_factor_subtree *subtrees; /* most work first */
    size_t root_room;            /* values: updates of the subtrees' last fronts */
    size_t task_room[2];         /* values: updates inside a subtree, by parity of depth */
    size_t top_room[2];          /* values: updates of top fronts */
};

static inline size_t qn_factor_strips(size_t rows)
{
    return (rows + QN_FACTOR_STRIP - 1) / QN_FACTOR_STRIP;
}

/* Values of the part of a panel that holds the columns' own rows, and of the whole panel. */
static inline size_t qn_factor_own_values(const qn_factor_front *front)
{
    return qn_factor_strips(front->width) * QN_FACTOR_STRIP * front->width;
}

static inline size_t qn_factor_panel_values(const qn_factor_front *front)
{
    return qn_factor_own_values(front) + qn_factor_strips(front->below) * QN_FACTOR_STRIP * front->width;
}

static inline size_t qn_factor_update_values(const qn_factor_front *front)
{
    const size_t strips = qn_factor_strips(front->below);
    return 32 * strips * (strips + 1);
}

/* Row and column (places) of the value at `at` in the panel of a front. */
void qn_factor_entry_places(const qn_factor_plan *plan, const qn_factor_front *front, uint32_t at, uint32_t *row,
                            uint32_t *column);

/* Give each front its task and the place of its update; sizes of the rooms. */
QN_MUST_CHECK qn_status qn_factor_plan_tasks(qn_factor_plan *plan);

#endif
