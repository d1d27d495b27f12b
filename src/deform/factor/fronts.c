/* A front gathers its values of K and the updates of its children, eliminates its columns, and leaves an update for its
 * parent. */
#include "deform/factor/fronts.h"

#include <math.h>
#include <string.h>

static const qn_factor_plan *plan_of(const qn_factor_work *w)
{
    return w->factor->plan;
}

static double *update_of(const qn_factor_work *w, const qn_factor_front *front, int thread)
{
    const qn_factor_plan *plan = plan_of(w);
    qn_factor *factor = w->factor;
    if (front->task == UINT32_MAX) return factor->top_room[front->depth] + front->update;
    const qn_factor_subtree *subtree = &plan->subtrees[front->task];
    if (front == &plan->fronts[subtree->end - 1]) return factor->root_room + front->update;
    return factor->workers[thread].room[front->depth] + front->update;
}

/* ---- gathering ---- */

/* Add a child's update. base[i]: address of column 0 of the child's row i, in the parent's panel for columns of the
 * panel, in the parent's update for the others; a column's rows are 8 values further. */
static void add_update(const uint32_t *base_panel, const uint32_t *base_update, const uint32_t *relative, uint32_t rows,
                       uint32_t width, const double *from, double *panel, double *update)
{
    for (uint32_t first = 0; first < rows; first += QN_FACTOR_STRIP) {
        const uint32_t here = rows - first < QN_FACTOR_STRIP ? rows - first : QN_FACTOR_STRIP;
        for (uint32_t j = 0; j < first + here; j++, from += QN_FACTOR_STRIP) {
            const uint32_t column = relative[j], begin = j > first ? j - first : 0;
            if (column < width)
                for (uint32_t i = begin; i < here; i++)
                    panel[base_panel[first + i] + QN_FACTOR_STRIP * column] += from[i];
            else
                for (uint32_t i = begin; i < here; i++)
                    update[base_update[first + i] + QN_FACTOR_STRIP * (column - width)] += from[i];
        }
        from += QN_FACTOR_STRIP * (QN_FACTOR_STRIP - here);
    }
}

static void add_child(const qn_factor_work *w, const qn_factor_front *child, const qn_factor_front *front,
                      qn_factor_worker *own, int thread, double *panel, double *update)
{
    const qn_factor_plan *plan = plan_of(w);
    const uint32_t *relative = plan->relative + child->rows;
    uint32_t *base_panel = own->base, *base_update = own->base + plan->most_below;
    const uint32_t below_base = (uint32_t)qn_factor_own_values(front);
    for (uint32_t i = 0; i < child->below; i++) {
        const uint32_t row = relative[i];
        if (row < front->width) {
            base_panel[i] = row / QN_FACTOR_STRIP * QN_FACTOR_STRIP * front->width + row % QN_FACTOR_STRIP;
            base_update[i] = 0;
        } else {
            const uint32_t r = row - front->width, strip = r / QN_FACTOR_STRIP;
            base_panel[i] = below_base + strip * QN_FACTOR_STRIP * front->width + r % QN_FACTOR_STRIP;
            base_update[i] = 32 * strip * (strip + 1) + r % QN_FACTOR_STRIP;
        }
    }
    add_update(base_panel, base_update, relative, child->below, front->width, update_of(w, child, thread), panel,
               update);
}

static void gather(const qn_factor_work *w, const qn_factor_front *front, qn_factor_worker *own, int thread,
                   double *panel, double *update)
{
    const qn_factor_plan *plan = plan_of(w);
    const size_t end = front + 1 < plan->fronts + plan->front_count ? front[1].entries : plan->entry_count;
    memset(panel, 0, qn_factor_panel_values(front) * sizeof(double));
    memset(update, 0, qn_factor_update_values(front) * sizeof(double));
    for (size_t e = front->entries; e < end; e++) panel[plan->entry[e].place] += w->values[plan->entry[e].value];
    for (uint32_t c = front->first_child; c != UINT32_MAX; c = plan->fronts[c].next_sibling)
        add_child(w, &plan->fronts[c], front, own, thread, panel, update);
}

/* ---- elimination ---- */

/* Factor a diagonal block in place; c: its strip from its first column on. Returns the first column with a wrong pivot,
 * or `columns`. Where pivots of the wrong sign are kept, their signs are changed and counted. */
static int factor_block(double *c, signed char *sign, int columns, bool keeps_wrong, int64_t *excess,
                        qn_strips_block *block)
{
    memset(block, 0, sizeof *block);
    for (int j = 0; j < columns; j++) {
        double *own = c + QN_FACTOR_STRIP * j;
        for (int k = 0; k < j; k++) {
            const double t = sign[k] * c[QN_FACTOR_STRIP * k + j];
            block->t[QN_FACTOR_STRIP * j + k] = t;
            for (int i = j; i < columns; i++) own[i] = fma(-t, c[QN_FACTOR_STRIP * k + i], own[i]);
        }
        if (keeps_wrong && sign[j] * own[j] < 0) {
            *excess += sign[j];
            sign[j] = (signed char)-sign[j];
        }
        const double pivot = sign[j] * own[j];
        if (!(pivot > 0) || !(pivot < INFINITY)) return j;
        own[j] = sqrt(pivot);
        block->scale[j] = sign[j] / own[j];
        for (int i = j + 1; i < columns; i++) own[i] *= block->scale[j];
    }
    return columns;
}

/* The strip of 8 rows whose products are subtracted, times the signs of the columns. */
static const double *with_signs(const qn_factor_work *w, const qn_factor_front *front, const double *strip,
                                size_t columns, qn_factor_worker *own)
{
    const signed char *sign = w->factor->sign + front->first;
    if (!front->negative && !w->factor->keeps_wrong) return strip;
    for (size_t k = 0; k < columns; k++)
        for (int i = 0; i < QN_FACTOR_STRIP; i++)
            own->signed_strip[QN_FACTOR_STRIP * k + (size_t)i] = sign[k] * strip[QN_FACTOR_STRIP * k + (size_t)i];
    return own->signed_strip;
}

/* Subtract from columns `first` … of the strips begin … end − 1 of a panel, and divide by the block. */
static void eliminate_strips(const qn_factor_work *w, double *strips, size_t width, size_t first, const double *b,
                             const qn_strips_block *block, size_t begin, size_t end)
{
    const size_t length = QN_FACTOR_STRIP * width, skip = QN_FACTOR_STRIP * first;
    const int columns = width - first < QN_FACTOR_STRIP ? (int)(width - first) : QN_FACTOR_STRIP;
    for (size_t strip = begin; strip < end; strip += QN_STRIPS_AT_ONCE) {
        const int count = end - strip < QN_STRIPS_AT_ONCE ? (int)(end - strip) : QN_STRIPS_AT_ONCE;
        double *c[QN_STRIPS_AT_ONCE];
        const double *a[QN_STRIPS_AT_ONCE];
        for (int r = 0; r < count; r++) {
            a[r] = strips + (strip + (size_t)r) * length;
            c[r] = strips + (strip + (size_t)r) * length + skip;
        }
        if (first > 0) w->kernels->subtract(count, c, a, b, first, columns);
        for (int r = 0; block && r < count; r++) w->kernels->divide(c[r], block, columns);
    }
}

/* Eliminate the columns' own rows, up to a wrong pivot. The blocks are kept for the rows below. */
static void eliminate_own(const qn_factor_work *w, const qn_factor_front *front, qn_factor_worker *own, double *panel)
{
    const size_t width = front->width, strips = qn_factor_strips(width), length = QN_FACTOR_STRIP * width;
    signed char *sign = w->factor->sign + front->first;
    for (size_t strip = 0; strip < strips; strip++) {
        const size_t first = QN_FACTOR_STRIP * strip;
        const int columns = width - first < QN_FACTOR_STRIP ? (int)(width - first) : QN_FACTOR_STRIP;
        const double *b = with_signs(w, front, panel + strip * length, first, own);
        eliminate_strips(w, panel, width, first, b, NULL, strip, strip + 1);
        const int wrong = factor_block(panel + strip * length + QN_FACTOR_STRIP * first, sign + first, columns,
                                       w->factor->keeps_wrong, &own->excess, &own->blocks[strip]);
        if (wrong < columns) {
            own->wrong = front->first + (uint32_t)first + (uint32_t)wrong;
            return;
        }
        eliminate_strips(w, panel, width, first, b, &own->blocks[strip], strip + 1, strips);
    }
}

/* Rows below the columns, strips begin … end − 1: G = K G⁻ᵀ S. */
static void eliminate_below(const qn_factor_work *w, const qn_factor_front *front, qn_factor_worker *own, double *panel,
                            const qn_strips_block *blocks, size_t begin, size_t end)
{
    const size_t width = front->width, length = QN_FACTOR_STRIP * width;
    double *below = panel + qn_factor_own_values(front);
    for (size_t strip = 0; strip < qn_factor_strips(width); strip++) {
        const size_t first = QN_FACTOR_STRIP * strip;
        const double *b = with_signs(w, front, panel + strip * length, first, own);
        eliminate_strips(w, below, width, first, b, &blocks[strip], begin, end);
    }
}

/* Columns 8 `column` … of the update: subtract G S Gᵀ. */
static void subtract_products(const qn_factor_work *w, const qn_factor_front *front, qn_factor_worker *own,
                              const double *panel, double *update, size_t column)
{
    const size_t width = front->width, length = QN_FACTOR_STRIP * width, strips = qn_factor_strips(front->below);
    const double *below = panel + qn_factor_own_values(front);
    const double *b = with_signs(w, front, below + column * length, width, own);
    for (size_t strip = column; strip < strips; strip += QN_STRIPS_AT_ONCE) {
        const int count = strips - strip < QN_STRIPS_AT_ONCE ? (int)(strips - strip) : QN_STRIPS_AT_ONCE;
        double *c[QN_STRIPS_AT_ONCE];
        const double *a[QN_STRIPS_AT_ONCE];
        for (int r = 0; r < count; r++) {
            const size_t s = strip + (size_t)r;
            a[r] = below + s * length;
            c[r] = update + 32 * s * (s + 1) + 64 * column;
        }
        w->kernels->subtract(count, c, a, b, width, QN_FACTOR_STRIP);
    }
}

void qn_factor_front_begin(const qn_factor_work *w, const qn_factor_front *front, int thread)
{
    qn_factor_worker *own = &w->factor->workers[thread];
    double *panel = w->factor->panels + front->panel;
    gather(w, front, own, thread, panel, update_of(w, front, thread));
    eliminate_own(w, front, own, panel);
}

void qn_factor_front_below(const qn_factor_work *w, const qn_factor_front *front, const qn_strips_block *blocks,
                           size_t begin, size_t end, int thread)
{
    eliminate_below(w, front, &w->factor->workers[thread], w->factor->panels + front->panel, blocks, begin, end);
}

void qn_factor_front_update(const qn_factor_work *w, const qn_factor_front *front, size_t column, int thread)
{
    subtract_products(w, front, &w->factor->workers[thread], w->factor->panels + front->panel,
                      update_of(w, front, thread), column);
}
