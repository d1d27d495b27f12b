/* Solving with a factor: y = G⁻¹ P b, z = S y, P x = G⁻ᵀ z, for up to QN_STRIPS_SIDES right sides at once. */
#include <string.h>

#include "deform/factor/fronts.h"

enum { STRIP = QN_FACTOR_STRIP };

typedef struct sides {
    const qn_factor *factor;
    const qn_strips_kernels *kernels;
    size_t count;
    double *x; /* [place][side] */
    double *sums;
} sides;

/* Own rows of strip `strip`: values [side][8] minus the products with earlier columns, then the diagonal block. */
static void forward_strip(const sides *s, const qn_factor_front *front, const double *panel, size_t strip)
{
    const size_t width = front->width, first = STRIP * strip, count = s->count;
    const size_t rows = width - first < STRIP ? width - first : STRIP;
    const double *a = panel + strip * STRIP * width, *block = a + STRIP * first;
    double *x = s->x + (front->first + first) * count, values[STRIP * QN_STRIPS_SIDES] = {0};
    for (size_t i = 0; i < rows; i++)
        for (size_t v = 0; v < count; v++) values[STRIP * v + i] = x[count * i + v];
    s->kernels->apply(a, first, s->x + front->first * count, (int)count, values);
    for (size_t v = 0; v < count; v++)
        for (size_t j = 0; j < rows; j++) {
            values[STRIP * v + j] /= block[STRIP * j + j];
            for (size_t i = j + 1; i < rows; i++) values[STRIP * v + i] -= block[STRIP * j + i] * values[STRIP * v + j];
            x[count * j + v] = values[STRIP * v + j];
        }
}

static void forward(const sides *s, const qn_factor_front *front)
{
    const qn_factor_plan *plan = s->factor->plan;
    const double *panel = s->factor->panels + front->panel, *below = panel + qn_factor_own_values(front);
    const size_t width = front->width, count = s->count;
    for (size_t strip = 0; strip < qn_factor_strips(width); strip++) forward_strip(s, front, panel, strip);
    for (size_t strip = 0; strip < qn_factor_strips(front->below); strip++) {
        double values[STRIP * QN_STRIPS_SIDES] = {0};
        const size_t first = STRIP * strip, rows = front->below - first < STRIP ? front->below - first : STRIP;
        s->kernels->apply(below + first * width, width, s->x + front->first * count, (int)count, values);
        for (size_t i = 0; i < rows; i++)
            for (size_t v = 0; v < count; v++)
                s->x[plan->row[front->rows + first + i] * count + v] += values[STRIP * v + i];
    }
}

/* Columns of own strip `strip`, from the last to the first: sums hold what later rows subtract. */
static void backward_strip(const sides *s, const qn_factor_front *front, const double *panel, size_t strip)
{
    const size_t width = front->width, first = STRIP * strip, count = s->count;
    const size_t rows = width - first < STRIP ? width - first : STRIP;
    const double *a = panel + strip * STRIP * width, *block = a + STRIP * first;
    double values[STRIP * QN_STRIPS_SIDES] = {0};
    for (size_t v = 0; v < count; v++)
        for (size_t j = rows; j-- > 0;) {
            double *x = s->x + (front->first + first + j) * count + v;
            const double *sum = s->sums + STRIP * (count * (first + j) + v);
            double value = *x;
            for (int i = 0; i < STRIP; i++) value -= sum[i];
            for (size_t i = j + 1; i < rows; i++) value -= block[STRIP * j + i] * values[STRIP * v + i];
            values[STRIP * v + j] = *x = value / block[STRIP * j + j];
        }
    s->kernels->apply_transposed(a, first, values, (int)count, s->sums);
}

static void backward(const sides *s, const qn_factor_front *front)
{
    const qn_factor_plan *plan = s->factor->plan;
    const double *panel = s->factor->panels + front->panel, *below = panel + qn_factor_own_values(front);
    const size_t width = front->width, count = s->count;
    memset(s->sums, 0, STRIP * width * count * sizeof(double));
    for (size_t strip = 0; strip < qn_factor_strips(front->below); strip++) {
        double values[STRIP * QN_STRIPS_SIDES] = {0};
        const size_t first = STRIP * strip, rows = front->below - first < STRIP ? front->below - first : STRIP;
        for (size_t i = 0; i < rows; i++)
            for (size_t v = 0; v < count; v++)
                values[STRIP * v + i] = s->x[plan->row[front->rows + first + i] * count + v];
        s->kernels->apply_transposed(below + first * width, width, values, (int)count, s->sums);
    }
    for (size_t strip = qn_factor_strips(width); strip-- > 0;) backward_strip(s, front, panel, strip);
}

static void solve_sides(const sides *s, const double *b, double *x)
{
    const qn_factor_plan *plan = s->factor->plan;
    for (size_t p = 0; p < plan->free_count; p++)
        for (size_t v = 0; v < s->count; v++) s->x[p * s->count + v] = b[v * plan->freedom_count + plan->freedom[p]];
    for (size_t f = 0; f < plan->front_count; f++) forward(s, &plan->fronts[f]);
    for (size_t p = 0; p < plan->free_count; p++)
        for (size_t v = 0; v < s->count; v++) s->x[p * s->count + v] *= s->factor->sign[p];
    for (size_t f = plan->front_count; f-- > 0;) backward(s, &plan->fronts[f]);
    memset(x, 0, s->count * plan->freedom_count * sizeof(double));
    for (size_t p = 0; p < plan->free_count; p++)
        for (size_t v = 0; v < s->count; v++) x[v * plan->freedom_count + plan->freedom[p]] = s->x[p * s->count + v];
}

void qn_factor_solve(qn_factor *factor, const double *b, int count, double *x)
{
    const size_t freedoms = factor->plan->freedom_count;
    sides s = {factor, QN_HOST_SELECT(qn_deform_strips_host), 0, factor->sides, factor->side_sums};
    for (int done = 0; done < count; done += QN_STRIPS_SIDES) {
        s.count = (size_t)(count - done < QN_STRIPS_SIDES ? count - done : QN_STRIPS_SIDES);
        solve_sides(&s, b + (size_t)done * freedoms, x + (size_t)done * freedoms);
    }
}
