/* Products and vectors for tests of factors. */
#ifndef QN_DEFORM_FACTOR_TESTS_PATTERNS_H
#define QN_DEFORM_FACTOR_TESTS_PATTERNS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "deform/factor/box.h"
#include "math/random.h"

static inline qn_factor_box box_create(int nx, int ny, int nz, bool mixed, uint32_t held)
{
    qn_factor_box box = {0};
    CHECK_OK(qn_factor_box_create((const int[]){nx, ny, nz}, mixed, held, &box));
    return box;
}

typedef struct box_product {
    const double *x;
    double *y;
} box_product;

static inline void box_multiply_value(qn_factor_box *box, uint32_t value, uint32_t row, uint32_t column, void *user)
{
    const box_product *product = user;
    if (!box->is_free[row] || !box->is_free[column]) return;
    product->y[row] += box->values[value] * product->x[column];
    if (row != column) product->y[column] += box->values[value] * product->x[row];
}

/* y = K x among the free freedoms. */
static inline void box_multiply(qn_factor_box *box, const double *x, double *y)
{
    box_product product = {x, y};
    memset(y, 0, box->freedoms * sizeof(double));
    qn_factor_box_walk(box, box_multiply_value, &product);
}

/* Numbers in [−1, 1), 0 at held freedoms. */
static inline void box_draw_vector(const qn_factor_box *box, uint64_t stream, double *x)
{
    for (size_t f = 0; f < box->freedoms; f++) x[f] = box->is_free[f] ? 2 * qn_random_uniform(11, stream, f) - 1 : 0;
}

#endif
