#include "math/lbfgs.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { HISTORY = 8, ITERATIONS = 100, TRIALS = 30 };
static const double SUFFICIENT_DECREASE = 1e-4, CURVATURE = 0.9;

/* Pairs k of steps s_k and changes of the gradient y_k are kept in a ring; `count` of them, the newest at `newest`. */
typedef struct search {
    const qn_lbfgs_problem *problem;
    int size, history, count, newest;
    double *memory;                                      /* of all arrays below */
    double *steps, *changes, *inverse_products, *alphas; /* [history][size] twice, [history] twice; 1 / s·y */
    double *x, *gradient, *direction, *trial, *trial_gradient;
    double value, trial_value;
    int evaluations;
} search;

static double dot(const double *a, const double *b, int count)
{
    double sum = 0;
    for (int k = 0; k < count; k++) sum += a[k] * b[k];
    return sum;
}

static void add_scaled(double *to, double factor, const double *from, int count)
{
    for (int k = 0; k < count; k++) to[k] += factor * from[k];
}

static qn_status allocate(search *work)
{
    void *memory;
    const size_t size = (size_t)work->size, history = (size_t)work->history;
    QN_TRY(qn_allocate(2 * history * size + 2 * history + 4 * size, sizeof(double), &memory));
    work->memory = memory;
    work->steps = work->memory;
    work->changes = work->steps + history * size;
    work->inverse_products = work->changes + history * size;
    work->alphas = work->inverse_products + history;
    work->gradient = work->alphas + history;
    work->direction = work->gradient + size;
    work->trial = work->direction + size;
    work->trial_gradient = work->trial + size;
    return QN_OK;
}

static qn_status evaluate(search *work, const double *x, double *value, double *gradient)
{
    work->evaluations++;
    return work->problem->evaluate(x, value, gradient, work->problem->user);
}

/* The initial matrix H of the two-loop recursion. Without one that is given: s·y / y·y of the newest pair, and before
 * the first pair a step of length 1. */
static void apply_initial(const search *work, double *vector)
{
    double factor;
    if (work->problem->precondition) {
        work->problem->precondition(vector, work->problem->user);
        return;
    }
    if (work->count > 0) {
        const double *change = work->changes + (size_t)work->newest * (size_t)work->size;
        factor = 1 / (work->inverse_products[work->newest] * dot(change, change, work->size));
    } else {
        const double length = sqrt(dot(vector, vector, work->size));
        factor = length > 0 ? 1 / length : 1;
    }
    for (int k = 0; k < work->size; k++) vector[k] *= factor;
}

/* direction = −H_k gradient by the two-loop recursion. Returns the slope along it. */
static double find_direction(search *work)
{
    const int size = work->size;
    double *d = work->direction;
    memcpy(d, work->gradient, (size_t)size * sizeof *d);
    for (int age = 0; age < work->count; age++) {
        const int k = (work->newest - age + work->history) % work->history;
        const size_t row = (size_t)k * (size_t)size;
        work->alphas[k] = work->inverse_products[k] * dot(work->steps + row, d, size);
        add_scaled(d, -work->alphas[k], work->changes + row, size);
    }
    apply_initial(work, d);
    for (int age = work->count - 1; age >= 0; age--) {
        const int k = (work->newest - age + work->history) % work->history;
        const size_t row = (size_t)k * (size_t)size;
        const double beta = work->inverse_products[k] * dot(work->changes + row, d, size);
        add_scaled(d, work->alphas[k] - beta, work->steps + row, size);
    }
    for (int k = 0; k < size; k++) d[k] = -d[k];
    return dot(d, work->gradient, size);
}

/* Bisect between a step that is too short and one that is too long. *found: the trial point lowers the value enough. */
static qn_status search_line(search *work, double slope, bool *found)
{
    double low = 0, high = INFINITY, step = 1;
    *found = false;
    for (int trial = 0; trial < TRIALS; trial++) {
        for (int k = 0; k < work->size; k++) work->trial[k] = work->x[k] + step * work->direction[k];
        QN_TRY(evaluate(work, work->trial, &work->trial_value, work->trial_gradient));
        if (!(work->trial_value <= work->value + SUFFICIENT_DECREASE * step * slope)) {
            high = step;
        } else {
            *found = true;
            if (dot(work->trial_gradient, work->direction, work->size) >= CURVATURE * slope) return QN_OK;
            low = step;
        }
        step = isfinite(high) ? (low + high) / 2 : 2 * step;
        if (!(step > low && step < high)) break;
    }
    *found = *found && work->trial_value < work->value;
    return QN_OK;
}

/* Go to the trial point and keep the pair if the function is curved upwards along the step. */
static void take_step(search *work)
{
    const int size = work->size, k = work->count > 0 ? (work->newest + 1) % work->history : 0;
    double *step = work->steps + (size_t)k * (size_t)size, *change = work->changes + (size_t)k * (size_t)size;
    for (int i = 0; i < size; i++) {
        step[i] = work->trial[i] - work->x[i];
        change[i] = work->trial_gradient[i] - work->gradient[i];
    }
    memcpy(work->x, work->trial, (size_t)size * sizeof(double));
    memcpy(work->gradient, work->trial_gradient, (size_t)size * sizeof(double));
    work->value = work->trial_value;
    const double product = dot(step, change, size);
    if (!(product > 1e-14 * sqrt(dot(step, step, size) * dot(change, change, size)))) return;
    work->inverse_products[k] = 1 / product;
    work->newest = k;
    if (work->count < work->history) work->count++;
}

static qn_status run(search *work, const qn_lbfgs_options *options, qn_lbfgs_facts *facts)
{
    const int iterations = options->iterations > 0 ? options->iterations : ITERATIONS;
    QN_TRY(evaluate(work, work->x, &work->value, work->gradient));
    if (!isfinite(work->value))
        return QN_FAIL(QN_INVALID_ARGUMENT, "L-BFGS: the value at the start is %g; expected a finite number",
                       work->value);
    for (facts->iterations = 0; facts->iterations < iterations; facts->iterations++) {
        bool found;
        double slope = find_direction(work);
        if (slope >= 0 && work->count > 0) { /* rounding has spoilt the pairs */
            work->count = 0;
            slope = find_direction(work);
        }
        facts->converged = !(-slope / 2 > options->tolerance);
        if (facts->converged) break;
        QN_TRY(search_line(work, slope, &found));
        if (!found) break;
        take_step(work);
    }
    return QN_OK;
}

qn_status qn_lbfgs_minimise(const qn_lbfgs_problem *problem, const qn_lbfgs_options *options, double *x,
                            qn_lbfgs_facts *facts)
{
    qn_lbfgs_facts own = {0};
    search work = {.problem = problem, .size = problem->size, .x = x};
    work.history = options->history > 0 ? options->history : HISTORY;
    QN_TRY(allocate(&work));
    const qn_status status = run(&work, options, &own);
    own.value = work.value;
    own.evaluations = work.evaluations;
    if (facts) *facts = own;
    qn_release(&work.memory);
    return status;
}
