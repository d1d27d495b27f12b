/* L-BFGS on functions whose minima are known. */
#include "check.h"

#include <math.h>
#include <stddef.h>

#include "base/error.h"
#include "math/lbfgs.h"

enum { SIZE = 40 };

typedef struct counted {
    int calls, fail_at;
    double condition;
} counted;

/* Rosenbrock's function in pairs: Σ 100 (b − a²)² + (1 − a)², with the minimum 0 at 1. */
static qn_status rosenbrock(const double *x, double *value, double *gradient, void *user)
{
    counted *count = user;
    if (++count->calls == count->fail_at) return QN_FAIL(QN_CANCELLED, "stopped at call %d", count->calls);
    *value = 0;
    for (int i = 0; i < SIZE; i += 2) {
        const double rise = x[i + 1] - x[i] * x[i], rest = 1 - x[i];
        *value += 100 * rise * rise + rest * rest;
        gradient[i] = -400 * x[i] * rise - 2 * rest;
        gradient[i + 1] = 200 * rise;
    }
    return QN_OK;
}

static void start(double *x)
{
    for (int i = 0; i < SIZE; i += 2) {
        x[i] = -1.2;
        x[i + 1] = 1;
    }
}

static void the_valley_is_followed_to_its_end(void)
{
    double x[SIZE];
    counted count = {0};
    qn_lbfgs_facts facts;
    const qn_lbfgs_problem problem = {SIZE, rosenbrock, NULL, &count};
    start(x);
    CHECK_OK(qn_lbfgs_minimise(&problem, &(qn_lbfgs_options){.iterations = 200, .tolerance = 1e-20}, x, &facts));
    for (int i = 0; i < SIZE; i++) CHECK_NEAR(x[i], 1, 1e-7);
    CHECK(facts.converged && facts.value < 1e-16);
    CHECK(facts.iterations < 80); /* steepest descent takes thousands */
    CHECK(facts.evaluations == count.calls);
}

static void the_limit_of_iterations_holds(void)
{
    double x[SIZE];
    counted count = {0};
    qn_lbfgs_facts facts;
    const qn_lbfgs_problem problem = {SIZE, rosenbrock, NULL, &count};
    start(x);
    CHECK_OK(qn_lbfgs_minimise(&problem, &(qn_lbfgs_options){.iterations = 5}, x, &facts));
    CHECK(facts.iterations == 5 && !facts.converged);
    CHECK(facts.value < 24.2 * SIZE / 2); /* the value at the start */
    count = (counted){.fail_at = 4};
    CHECK_FAILS(qn_lbfgs_minimise(&problem, &(qn_lbfgs_options){.iterations = 5}, x, NULL), QN_CANCELLED);
    CHECK_MESSAGE_HAS("stopped at call 4");
}

/* ½ Σ d_i (x_i − i)², d from 1 to `condition`. */
static double curvature(int i, double condition)
{
    return pow(condition, i / (SIZE - 1.0));
}

static qn_status bowl(const double *x, double *value, double *gradient, void *user)
{
    const counted *count = user;
    *value = 0;
    for (int i = 0; i < SIZE; i++) {
        gradient[i] = curvature(i, count->condition) * (x[i] - i);
        *value += gradient[i] * (x[i] - i) / 2;
    }
    return QN_OK;
}

static void divide(double *vector, void *user)
{
    for (int i = 0; i < SIZE; i++) vector[i] /= curvature(i, ((const counted *)user)->condition);
}

/* With the exact inverse, the first step ends at the minimum of a parabola, however narrow. */
static void a_preconditioner_leads_to_the_minimum_at_once(void)
{
    double x[SIZE] = {0};
    counted count = {.condition = 1e8};
    qn_lbfgs_facts facts;
    qn_lbfgs_problem problem = {SIZE, bowl, divide, &count};
    CHECK_OK(qn_lbfgs_minimise(&problem, &(qn_lbfgs_options){.tolerance = 1e-12}, x, &facts));
    CHECK(facts.converged && facts.iterations == 1 && facts.evaluations == 2);
    for (int i = 0; i < SIZE; i++) CHECK_NEAR(x[i], i, 1e-9);
    count.condition = 100;
    problem.precondition = NULL;
    for (int i = 0; i < SIZE; i++) x[i] = 0;
    CHECK_OK(qn_lbfgs_minimise(&problem, &(qn_lbfgs_options){.tolerance = 1e-12}, x, &facts));
    CHECK(facts.converged && facts.iterations > 5 && facts.iterations < 100);
    for (int i = 0; i < SIZE; i++) CHECK_NEAR(x[i], i, 1e-4);
}

static void a_start_without_a_value_is_refused(void)
{
    double x[SIZE] = {NAN};
    counted count = {.condition = 1};
    CHECK_FAILS(qn_lbfgs_minimise(&(qn_lbfgs_problem){SIZE, bowl, NULL, &count}, &(qn_lbfgs_options){0}, x, NULL),
                QN_INVALID_ARGUMENT);
}

int main(void)
{
    RUN(the_valley_is_followed_to_its_end);
    RUN(the_limit_of_iterations_holds);
    RUN(a_preconditioner_leads_to_the_minimum_at_once);
    RUN(a_start_without_a_value_is_refused);
    return check_finish();
}
