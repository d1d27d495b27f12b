/* Matrices with the pattern of a box of nodes, each joined with its 26 neighbours, for the tests of factors. */
#ifndef QN_DEFORM_FACTOR_TESTS_PATTERNS_H
#define QN_DEFORM_FACTOR_TESTS_PATTERNS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "deform/factor/factor.h"
#include "math/random.h"

typedef struct box_matrix {
    qn_block_pattern pattern;
    size_t freedoms, value_count;
    signed char *sign;
    bool *is_free;
    double *values;
} box_matrix;

static inline void box_release(box_matrix *box)
{
    free(box->pattern.size);
    free(box->pattern.first_freedom);
    free(box->pattern.row_start);
    free(box->pattern.column);
    free(box->pattern.block_start);
    free(box->sign);
    free(box->is_free);
    free(box->values);
}

static inline void box_add_row(qn_block_pattern *p, const int sides[3], uint32_t node, uint32_t *blocks)
{
    const int x = (int)node % sides[0], y = (int)node / sides[0] % sides[1], z = (int)node / sides[0] / sides[1];
    for (int c = -1; c <= 1; c++)
        for (int b = -1; b <= 1; b++)
            for (int a = -1; a <= 1; a++) {
                const int u = x + a, v = y + b, w = z + c;
                if (u < 0 || v < 0 || w < 0 || u >= sides[0] || v >= sides[1] || w >= sides[2]) continue;
                const uint32_t other = (uint32_t)(u + sides[0] * (v + sides[1] * w));
                if (other > node) continue;
                p->column[*blocks] = other;
                p->block_start[*blocks + 1] = p->block_start[*blocks] + p->size[node] * p->size[other];
                ++*blocks;
            }
    p->row_start[node + 1] = *blocks;
}

/* Call for each value of the lower triangle: row and column (freedoms). */
typedef void (*box_visit)(box_matrix *box, uint32_t value, uint32_t row, uint32_t column, void *user);

static inline void box_walk(box_matrix *box, box_visit visit, void *user)
{
    const qn_block_pattern *p = &box->pattern;
    for (uint32_t i = 0; i < p->node_count; i++)
        for (uint32_t b = p->row_start[i]; b < p->row_start[i + 1]; b++) {
            const uint32_t j = p->column[b], wide = p->size[j];
            for (uint32_t v = 0; v < p->size[i] * wide; v++) {
                const uint32_t row = p->first_freedom[i] + v / wide, column = p->first_freedom[j] + v % wide;
                if (column <= row) visit(box, p->block_start[b] + v, row, column, user);
            }
        }
}

static inline void box_draw(box_matrix *box, uint32_t value, uint32_t row, uint32_t column, void *user)
{
    double *sums = user;
    if (row == column) return;
    const double drawn = 2 * qn_random_uniform(7, 0, value) - 1;
    box->values[value] = drawn;
    if (box->sign[row] != box->sign[column]) return;
    sums[row] += fabs(drawn);
    sums[column] += fabs(drawn);
}

static inline void box_set_diagonal(box_matrix *box, uint32_t value, uint32_t row, uint32_t column, void *user)
{
    const double *sums = user;
    if (row == column) box->values[value] = box->sign[row] * (sums[row] + 0.5);
}

/* Complete the diagonal blocks, whose upper values no factor may need: not a number. */
static inline void box_spoil_upper(box_matrix *box)
{
    const qn_block_pattern *p = &box->pattern;
    for (uint32_t i = 0; i < p->node_count; i++) {
        const uint32_t first = p->block_start[p->row_start[i + 1] - 1], wide = p->size[i];
        for (uint32_t a = 0; a < wide; a++)
            for (uint32_t b = a + 1; b < wide; b++) box->values[first + a * wide + b] = NAN;
    }
}

/* mixed: every node whose number is not a multiple of 4 has a pressure. Some freedoms are held: those of the nodes
 * below `held` (but their pressures stay free), and one of each eleventh node. */
static inline box_matrix box_create(int nx, int ny, int nz, bool mixed, uint32_t held)
{
    const int sides[3] = {nx, ny, nz};
    const size_t nodes = (size_t)nx * (size_t)ny * (size_t)nz;
    box_matrix box = {.pattern = {.node_count = nodes}};
    qn_block_pattern *p = &box.pattern;
    uint32_t blocks = 0;
    p->size = calloc(nodes, 1);
    p->first_freedom = calloc(nodes + 1, sizeof(uint32_t));
    p->row_start = calloc(nodes + 1, sizeof(uint32_t));
    p->column = calloc(14 * nodes, sizeof(uint32_t));
    p->block_start = calloc(14 * nodes + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < nodes; i++) {
        p->size[i] = mixed && i % 4 ? 4 : 3;
        p->first_freedom[i + 1] = p->first_freedom[i] + p->size[i];
    }
    for (uint32_t i = 0; i < nodes; i++) box_add_row(p, sides, i, &blocks);
    box.freedoms = p->first_freedom[nodes];
    box.value_count = p->block_start[blocks];
    box.sign = malloc(box.freedoms);
    box.is_free = calloc(box.freedoms, sizeof(bool));
    box.values = calloc(box.value_count, sizeof(double));
    for (uint32_t i = 0; i < nodes; i++)
        for (uint32_t a = 0; a < p->size[i]; a++) {
            const uint32_t f = p->first_freedom[i] + a;
            box.sign[f] = a == 3 ? -1 : 1;
            box.is_free[f] = a == 3 || !(i < held || (i % 11 == 5 && a == 1));
        }
    double *sums = calloc(box.freedoms, sizeof(double));
    box_walk(&box, box_draw, sums);
    box_walk(&box, box_set_diagonal, sums);
    free(sums);
    box_spoil_upper(&box);
    return box;
}

typedef struct box_product {
    const double *x;
    double *y;
} box_product;

static inline void box_multiply_value(box_matrix *box, uint32_t value, uint32_t row, uint32_t column, void *user)
{
    const box_product *product = user;
    if (!box->is_free[row] || !box->is_free[column]) return;
    product->y[row] += box->values[value] * product->x[column];
    if (row != column) product->y[column] += box->values[value] * product->x[row];
}

/* y = K x among the free freedoms. */
static inline void box_multiply(box_matrix *box, const double *x, double *y)
{
    box_product product = {x, y};
    memset(y, 0, box->freedoms * sizeof(double));
    box_walk(box, box_multiply_value, &product);
}

/* Numbers in [−1, 1), 0 at held freedoms. */
static inline void box_draw_vector(const box_matrix *box, uint64_t stream, double *x)
{
    for (size_t f = 0; f < box->freedoms; f++) x[f] = box->is_free[f] ? 2 * qn_random_uniform(11, stream, f) - 1 : 0;
}

#endif
