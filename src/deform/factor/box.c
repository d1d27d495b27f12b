#include "deform/factor/box.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/random.h"

void qn_factor_box_release(qn_factor_box *box)
{
    qn_release(&box->pattern.size);
    qn_release(&box->pattern.first_freedom);
    qn_release(&box->pattern.row_start);
    qn_release(&box->pattern.column);
    qn_release(&box->pattern.block_start);
    qn_release(&box->sign);
    qn_release(&box->is_free);
    qn_release(&box->values);
}

void qn_factor_box_walk(qn_factor_box *box, qn_factor_box_visit visit, void *user)
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

/* ---- values ---- */

/* A value off the diagonal; sums: of the sizes of each row's values whose columns have the row's sign. */
static void draw_value(qn_factor_box *box, uint32_t value, uint32_t row, uint32_t column, void *user)
{
    double *sums = user;
    if (row == column) return;
    const double drawn = 2 * qn_random_uniform(7, 0, value) - 1;
    box->values[value] = drawn;
    if (box->sign[row] != box->sign[column]) return;
    sums[row] += fabs(drawn);
    sums[column] += fabs(drawn);
}

/* Both diagonal blocks of the matrix, of displacements and of pressures, are diagonally dominant. */
static void set_diagonal(qn_factor_box *box, uint32_t value, uint32_t row, uint32_t column, void *user)
{
    const double *sums = user;
    if (row == column) box->values[value] = box->sign[row] * (sums[row] + 0.5);
}

static void spoil_upper(qn_factor_box *box)
{
    const qn_block_pattern *p = &box->pattern;
    for (uint32_t i = 0; i < p->node_count; i++) {
        const uint32_t first = p->block_start[p->row_start[i + 1] - 1], wide = p->size[i];
        for (uint32_t a = 0; a < wide; a++)
            for (uint32_t b = a + 1; b < wide; b++) box->values[first + a * wide + b] = (double)NAN;
    }
}

qn_status qn_factor_box_draw(qn_factor_box *box)
{
    void *sums;
    if (!box->values) {
        QN_TRY(qn_allocate(box->value_count, sizeof(double), &sums));
        box->values = sums;
    }
    QN_TRY(qn_allocate(box->freedoms, sizeof(double), &sums));
    qn_factor_box_walk(box, draw_value, sums);
    qn_factor_box_walk(box, set_diagonal, sums);
    qn_release(&sums);
    spoil_upper(box);
    return QN_OK;
}

/* ---- pattern ---- */

static void add_row(qn_block_pattern *p, const int sides[3], uint32_t node, uint32_t *blocks)
{
    const int x = (int)node % sides[0], y = (int)node / sides[0] % sides[1], z = (int)node / sides[0] / sides[1];
    for (int step = 0; step < 27; step++) {
        const int u = x + step % 3 - 1, v = y + step / 3 % 3 - 1, w = z + step / 9 - 1;
        if (u < 0 || v < 0 || w < 0 || u >= sides[0] || v >= sides[1] || w >= sides[2]) continue;
        const uint32_t other = (uint32_t)(u + sides[0] * (v + sides[1] * w));
        if (other > node) continue;
        p->column[*blocks] = other;
        p->block_start[*blocks + 1] = p->block_start[*blocks] + p->size[node] * p->size[other];
        ++*blocks;
    }
    p->row_start[node + 1] = *blocks;
}

static qn_status allocate_words(size_t count, uint32_t **words)
{
    void *memory;
    QN_TRY(qn_allocate(count, sizeof(uint32_t), &memory));
    *words = memory;
    return QN_OK;
}

static qn_status make_pattern(const int sides[3], bool mixed, qn_factor_box *box)
{
    qn_block_pattern *p = &box->pattern;
    void *memory;
    uint32_t blocks = 0;
    p->node_count = (size_t)sides[0] * (size_t)sides[1] * (size_t)sides[2];
    QN_TRY(qn_allocate(p->node_count, sizeof(uint8_t), &memory));
    p->size = memory;
    QN_TRY(allocate_words(p->node_count + 1, &p->first_freedom));
    QN_TRY(allocate_words(p->node_count + 1, &p->row_start));
    QN_TRY(allocate_words(14 * p->node_count, &p->column));
    QN_TRY(allocate_words(14 * p->node_count + 1, &p->block_start));
    for (uint32_t i = 0; i < p->node_count; i++) {
        p->size[i] = mixed && i % 4 ? 4 : 3;
        p->first_freedom[i + 1] = p->first_freedom[i] + p->size[i];
    }
    for (uint32_t i = 0; i < p->node_count; i++) add_row(p, sides, i, &blocks);
    box->freedoms = p->first_freedom[p->node_count];
    box->value_count = p->block_start[blocks];
    return QN_OK;
}

static qn_status mark_freedoms(uint32_t held, qn_factor_box *box)
{
    const qn_block_pattern *p = &box->pattern;
    void *memory;
    QN_TRY(qn_allocate(box->freedoms, sizeof(signed char), &memory));
    box->sign = memory;
    QN_TRY(qn_allocate(box->freedoms, sizeof(bool), &memory));
    box->is_free = memory;
    for (uint32_t i = 0; i < p->node_count; i++)
        for (uint32_t a = 0; a < p->size[i]; a++) {
            const uint32_t f = p->first_freedom[i] + a;
            box->sign[f] = a == 3 ? -1 : 1;
            box->is_free[f] = a == 3 || !(i < held || (i % 11 == 5 && a == 1));
        }
    return QN_OK;
}

qn_status qn_factor_box_create(const int sides[3], bool mixed, uint32_t held, qn_factor_box *box)
{
    *box = (qn_factor_box){0};
    qn_status status = make_pattern(sides, mixed, box);
    if (status == QN_OK) status = mark_freedoms(held, box);
    if (status == QN_OK) status = qn_factor_box_draw(box);
    if (status != QN_OK) qn_factor_box_release(box);
    return status;
}
