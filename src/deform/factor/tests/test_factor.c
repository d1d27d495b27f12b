/* labels: threads */
#include "deform/factor/tests/patterns.h"

/* ---- a dense solver: L D Lᵀ in the order of the freedoms ---- */

static void put_dense(qn_factor_box *box, uint32_t value, uint32_t row, uint32_t column, void *user)
{
    double *dense = user;
    if (box->is_free[row] && box->is_free[column]) dense[row * box->freedoms + column] = box->values[value];
}

/* Held freedoms get a row of the unit matrix. */
static double *dense_factor(qn_factor_box *box)
{
    const size_t n = box->freedoms;
    double *m = calloc(n * n, sizeof(double));
    qn_factor_box_walk(box, put_dense, m);
    for (size_t j = 0; j < n; j++) {
        if (!box->is_free[j]) m[j * n + j] = 1;
        for (size_t k = 0; k < j; k++) m[j * n + j] -= m[j * n + k] * m[j * n + k] * m[k * n + k];
        for (size_t i = j + 1; i < n; i++) {
            double sum = m[i * n + j];
            for (size_t k = 0; k < j; k++) sum -= m[i * n + k] * m[k * n + k] * m[j * n + k];
            m[i * n + j] = sum / m[j * n + j];
        }
    }
    return m;
}

static void dense_solve(const double *m, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++) x[i] -= m[i * n + k] * x[k];
    for (size_t i = 0; i < n; i++) x[i] /= m[i * n + i];
    for (size_t i = n; i-- > 0;)
        for (size_t k = i + 1; k < n; k++) x[i] -= m[k * n + i] * x[k];
}

/* ---- tests ---- */

static double largest_difference(const double *a, const double *b, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        const double difference = fabs(a[i] - b[i]);
        if (!(difference <= largest)) largest = difference;
    }
    return largest;
}

/* Solve with `sides` right sides and compare with the dense solver, to 1e-11 of solutions of size 1. */
static void compare_box(qn_factor_box *box, int sides)
{
    const size_t n = box->freedoms;
    qn_factor_plan *plan = NULL;
    qn_factor *factor = NULL;
    size_t wrong = 0;
    double *b = calloc((size_t)sides * n, sizeof(double)), *x = calloc((size_t)sides * n, sizeof(double));
    double *dense = dense_factor(box);
    if (CHECK_OK(qn_factor_plan_create(&box->pattern, box->is_free, box->sign, &plan)) &&
        CHECK_OK(qn_factor_create(plan, &factor)) && CHECK_OK(qn_factor_compute(factor, box->values, &wrong))) {
        CHECK(wrong == SIZE_MAX);
        for (int s = 0; s < sides; s++) {
            box_draw_vector(box, (uint64_t)s, b + (size_t)s * n);
            /* entries of held freedoms are read as 0 */
            for (size_t f = 0; f < n; f++) x[(size_t)s * n + f] = box->is_free[f] ? b[(size_t)s * n + f] : 1e30;
        }
        qn_factor_solve(factor, x, sides, x);
        for (int s = 0; s < sides; s++) {
            dense_solve(dense, n, b + (size_t)s * n);
            CHECK_NEAR(largest_difference(x + (size_t)s * n, b + (size_t)s * n, n), 0, 1e-11);
        }
    }
    qn_factor_destroy(&factor);
    qn_factor_plan_destroy(&plan);
    free(dense);
    free(b);
    free(x);
}

static void compare_with_dense(int nx, int ny, int nz, bool mixed, uint32_t held, int sides)
{
    qn_factor_box box = box_create(nx, ny, nz, mixed, held);
    compare_box(&box, sides);
    qn_factor_box_release(&box);
}

static void solutions_agree_with_a_dense_solver(void)
{
    compare_with_dense(1, 1, 1, false, 0, 1);
    compare_with_dense(2, 1, 1, true, 1, 2);
    compare_with_dense(5, 4, 3, false, 7, 3);
    compare_with_dense(5, 4, 4, true, 9, 4);
    compare_with_dense(7, 5, 3, true, 0, 5);
    compare_with_dense(40, 1, 1, false, 1, 9);
}

/* A held layer leaves two parts that do not know each other, and a lone node. */
static void separate_parts_are_solved(void)
{
    qn_factor_box box = box_create(7, 3, 3, true, 0);
    for (uint32_t i = 0; i < box.pattern.node_count; i++) {
        const bool held = i % 7 == 3 || i % 7 == 5 || (i % 7 == 6 && i != 34);
        for (uint32_t f = box.pattern.first_freedom[i]; held && f < box.pattern.first_freedom[i + 1]; f++)
            box.is_free[f] = false;
    }
    compare_box(&box, 2);
    qn_factor_box_release(&box);
}

/* A known solution of a larger matrix is found, and threads change no bit. */
static void threads_change_no_bit(void)
{
    qn_factor_box box = box_create(13, 11, 9, true, 40);
    const size_t n = box.freedoms;
    qn_factor_plan *plan = NULL;
    double *known = calloc(n, sizeof(double)), *b = calloc(n, sizeof(double)), *x[3];
    box_draw_vector(&box, 3, known);
    box_multiply(&box, known, b);
    CHECK_OK(qn_factor_plan_create(&box.pattern, box.is_free, box.sign, &plan));
    for (int t = 0; t < 3; t++) {
        static const int threads[3] = {1, 2, 5};
        qn_factor *factor = NULL;
        qn_pool *pool = NULL;
        size_t wrong = 0;
        x[t] = calloc(n, sizeof(double));
        CHECK_OK(qn_pool_create(threads[t], &pool));
        if (plan && CHECK_OK(qn_factor_create(plan, &factor)) && CHECK_OK(qn_factor_use_pool(factor, pool))) {
            for (int again = 0; again < 2; again++) CHECK_OK(qn_factor_compute(factor, box.values, &wrong));
            CHECK(wrong == SIZE_MAX);
            qn_factor_solve(factor, b, 1, x[t]);
            CHECK_NEAR(largest_difference(x[t], known, n), 0, 1e-10);
            CHECK(memcmp(x[t], x[0], n * sizeof(double)) == 0);
        }
        qn_factor_destroy(&factor);
        qn_pool_destroy(&pool);
    }
    for (int t = 0; t < 3; t++) free(x[t]);
    qn_factor_plan_destroy(&plan);
    free(known);
    free(b);
    qn_factor_box_release(&box);
}

static void count_free_value(qn_factor_box *box, uint32_t value, uint32_t row, uint32_t column, void *user)
{
    size_t *count = user;
    (void)value;
    *count += box->is_free[row] && box->is_free[column];
}

static void facts_count_the_work(void)
{
    qn_factor_box box = box_create(6, 5, 4, false, 3);
    qn_factor_plan *plan = NULL;
    size_t free_count = 0, values = 0;
    for (size_t f = 0; f < box.freedoms; f++) free_count += box.is_free[f];
    qn_factor_box_walk(&box, count_free_value, &values);
    if (CHECK_OK(qn_factor_plan_create(&box.pattern, box.is_free, box.sign, &plan))) {
        const qn_factor_facts facts = qn_factor_plan_facts(plan);
        CHECK(facts.freedom_count == free_count);
        CHECK(facts.value_count >= values && facts.value_count <= free_count * (free_count + 1) / 2);
        const double dense = (double)free_count * (double)(free_count + 1) * (double)(free_count + 2) / 6;
        CHECK(facts.multiply_adds >= (double)values && facts.multiply_adds <= dense);
    }
    qn_factor_plan_destroy(&plan);
    qn_factor_box_release(&box);
}

static uint32_t diagonal_value(const qn_factor_box *box, uint32_t freedom)
{
    const qn_block_pattern *p = &box->pattern;
    uint32_t node = 0;
    while (p->first_freedom[node + 1] <= freedom) node++;
    const uint32_t a = freedom - p->first_freedom[node];
    return p->block_start[p->row_start[node + 1] - 1] + a * (p->size[node] + 1u);
}

/* Freedoms that no other depends on have pivots of their own, so a wrong one is found at its freedom. */
static void expect_wrong(const qn_factor_plan *plan, qn_pool *pool, qn_factor_box *box, uint32_t freedom,
                         double diagonal)
{
    qn_factor *factor = NULL;
    size_t wrong = 0;
    const uint32_t value = diagonal_value(box, freedom);
    const double before = box->values[value];
    box->values[value] = diagonal;
    if (CHECK_OK(qn_factor_create(plan, &factor)) && CHECK_OK(qn_factor_use_pool(factor, pool)) &&
        CHECK_OK(qn_factor_compute(factor, box->values, &wrong)))
        CHECK(wrong == freedom);
    box->values[value] = before;
    if (factor && CHECK_OK(qn_factor_compute(factor, box->values, &wrong))) CHECK(wrong == SIZE_MAX);
    qn_factor_destroy(&factor);
}

static void wrong_pivots_name_their_freedom(void)
{
    qn_factor_box box = box_create(9, 8, 7, true, 20);
    const qn_block_pattern *p = &box.pattern;
    qn_factor_plan *plan = NULL;
    qn_pool *pool = NULL;
    CHECK_OK(qn_pool_create(2, &pool));
    /* Uncoupled freedoms: the pivot is the value itself. */
    for (size_t v = 0; v < box.value_count; v++)
        if (!isnan(box.values[v])) box.values[v] = 0;
    for (uint32_t f = 0; f < box.freedoms; f++) box.values[diagonal_value(&box, f)] = box.sign[f];
    if (CHECK_OK(qn_factor_plan_create(p, box.is_free, box.sign, &plan))) {
        for (uint32_t node = 0; node < p->node_count; node += 53) {
            const uint32_t f = p->first_freedom[node], last = p->first_freedom[node + 1] - 1;
            if (box.is_free[f]) expect_wrong(plan, pool, &box, f, -1);
            if (box.is_free[f]) expect_wrong(plan, NULL, &box, f, 0);
            if (box.is_free[f + 2]) expect_wrong(plan, pool, &box, f + 2, NAN);
            if (box.is_free[f + 2]) expect_wrong(plan, pool, &box, f + 2, INFINITY);
            if (box.sign[last] < 0) expect_wrong(plan, pool, &box, last, 1);
        }
    }
    qn_factor_plan_destroy(&plan);
    qn_pool_destroy(&pool);
    qn_factor_box_release(&box);
}

/* Two wrong pivots: the same one is reported for any number of threads. */
static void the_same_wrong_pivot_for_any_threads(void)
{
    qn_factor_box box = box_create(12, 10, 8, false, 0);
    qn_factor_plan *plan = NULL;
    size_t first = SIZE_MAX;
    for (uint32_t f = 100; f < box.freedoms; f += 301) box.values[diagonal_value(&box, f)] = -1e4;
    CHECK_OK(qn_factor_plan_create(&box.pattern, box.is_free, box.sign, &plan));
    for (int threads = 1; threads <= 4 && plan; threads++) {
        qn_factor *factor = NULL;
        qn_pool *pool = NULL;
        size_t wrong = 0;
        if (CHECK_OK(qn_pool_create(threads, &pool)) && CHECK_OK(qn_factor_create(plan, &factor)) &&
            CHECK_OK(qn_factor_use_pool(factor, pool)) && CHECK_OK(qn_factor_compute(factor, box.values, &wrong))) {
            if (threads == 1) first = wrong;
            CHECK(wrong == first && wrong < box.freedoms && wrong >= 100 && (wrong - 100) % 301 == 0);
        }
        qn_factor_destroy(&factor);
        qn_pool_destroy(&pool);
    }
    qn_factor_plan_destroy(&plan);
    qn_factor_box_release(&box);
}

/* Kept pivots of the wrong sign: the solution is that of the dense solver, whose diagonal has as many signs, for any
 * number of threads; and the next factor is a usual one. */
static void wrong_pivots_are_kept(bool mixed)
{
    qn_factor_box box = box_create(7, 6, 5, mixed, 3), plain = box_create(7, 6, 5, mixed, 3);
    const size_t n = box.freedoms;
    qn_factor_plan *plan = NULL;
    double *b = calloc(n, sizeof(double)), *x = calloc(n, sizeof(double)), *known = calloc(n, sizeof(double));
    int64_t excess = 0;
    for (uint32_t f = 50; f < n; f += 97) box.values[diagonal_value(&box, f)] *= -1;
    double *dense = dense_factor(&box);
    box_draw_vector(&box, 1, b);
    memcpy(known, b, n * sizeof *b);
    dense_solve(dense, n, known);
    for (size_t f = 0; f < n; f++)
        if (box.is_free[f]) excess += (dense[f * n + f] < 0) - (box.sign[f] < 0);
    CHECK(mixed || excess >= 2);
    CHECK_OK(qn_factor_plan_create(&box.pattern, box.is_free, box.sign, &plan));
    for (int threads = 1; threads <= 3 && plan; threads++) {
        qn_factor *factor = NULL;
        qn_pool *pool = NULL;
        size_t wrong = 0;
        if (CHECK_OK(qn_pool_create(threads, &pool)) && CHECK_OK(qn_factor_create(plan, &factor)) &&
            CHECK_OK(qn_factor_use_pool(factor, pool))) {
            qn_factor_keep_wrong(factor, true);
            CHECK_OK(qn_factor_compute(factor, box.values, &wrong));
            CHECK(wrong == SIZE_MAX);
            CHECK(qn_factor_excess(factor) == excess);
            qn_factor_solve(factor, b, 1, x);
            CHECK_NEAR(largest_difference(x, known, n), 0, 1e-9);
            CHECK_OK(qn_factor_compute(factor, plain.values, &wrong));
            CHECK(wrong == SIZE_MAX && qn_factor_excess(factor) == 0);
            qn_factor_keep_wrong(factor, false);
            CHECK_OK(qn_factor_compute(factor, box.values, &wrong));
            CHECK(wrong < n);
        }
        qn_factor_destroy(&factor);
        qn_pool_destroy(&pool);
    }
    qn_factor_plan_destroy(&plan);
    free(dense);
    free(b);
    free(x);
    free(known);
    qn_factor_box_release(&box);
    qn_factor_box_release(&plain);
}

static void wrong_pivots_are_kept_if_asked(void)
{
    wrong_pivots_are_kept(false);
    wrong_pivots_are_kept(true);
}

static void plans_without_free_freedoms_are_refused(void)
{
    qn_factor_box box = box_create(2, 2, 2, false, 8);
    qn_factor_plan *plan = NULL;
    CHECK_FAILS(qn_factor_plan_create(&box.pattern, box.is_free, box.sign, &plan), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("free freedom");
    CHECK(!plan);
    qn_factor_box_release(&box);
}

int main(void)
{
    RUN(solutions_agree_with_a_dense_solver);
    RUN(separate_parts_are_solved);
    RUN(threads_change_no_bit);
    RUN(facts_count_the_work);
    RUN(wrong_pivots_name_their_freedom);
    RUN(the_same_wrong_pivot_for_any_threads);
    RUN(wrong_pivots_are_kept_if_asked);
    RUN(plans_without_free_freedoms_are_refused);
    return check_finish();
}
