/* Matrices to measure and test factors with: the pattern of a box of nodes, each joined with its 26 neighbours, and
 * random values that make a quasi-definite matrix. */
#ifndef QN_DEFORM_FACTOR_BOX_H
#define QN_DEFORM_FACTOR_BOX_H

#include "deform/factor/factor.h"

typedef struct qn_factor_box {
    qn_block_pattern pattern;
    size_t freedoms, value_count;
    signed char *sign;
    bool *is_free;
    double *values; /* off-diagonal ones in [−1, 1); upper ones of diagonal blocks are NaN, since nothing reads them */
} qn_factor_box;

/* mixed: every node whose number is not a multiple of 4 has a pressure. Displacements of the first `held` nodes are not
 * free, but their pressures are; nor is one of each eleventh node. */
QN_MUST_CHECK qn_status qn_factor_box_create(const int sides[3], bool mixed, uint32_t held, qn_factor_box *box);
void qn_factor_box_release(qn_factor_box *box);

/* Random values of a quasi-definite matrix with the box's pattern and signs, which may be any. */
QN_MUST_CHECK qn_status qn_factor_box_draw(qn_factor_box *box);

/* Call for each value of the lower triangle with its row and column (freedoms). */
typedef void (*qn_factor_box_visit)(qn_factor_box *box, uint32_t value, uint32_t row, uint32_t column, void *user);
void qn_factor_box_walk(qn_factor_box *box, qn_factor_box_visit visit, void *user);

#endif
