#include "tune/stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Weight of history against the live curve, in steps. */
static const double history_steps = 20;

uint64_t qn_stop_steps(double well_share, double probability)
{
    if (well_share <= 0 || probability <= 0) return 0;
    if (well_share >= 1) return 1;
    if (probability >= 1) return UINT64_MAX;
    return (uint64_t)ceil(log1p(-probability) / log1p(-well_share));
}

void qn_stop_add(qn_stop_curve *curve, double objective)
{
    int count = curve->improvements;
    curve->steps++;
    if (!isfinite(objective)) return;
    curve->sample[curve->correct++ % QN_STOP_SAMPLES] = objective;
    if (count > 0 && objective >= curve->best[count - 1]) return;
    if (count == QN_STOP_IMPROVEMENTS) {
        memmove(curve->step, curve->step + 1, sizeof curve->step - sizeof *curve->step);
        memmove(curve->best, curve->best + 1, sizeof curve->best - sizeof *curve->best);
        count--;
    }
    curve->step[count] = curve->steps;
    curve->best[count] = objective;
    curve->improvements = count + 1;
}

static double best_at(const qn_stop_curve *curve, uint64_t step)
{
    double best = curve->best[0];
    for (int i = 0; i < curve->improvements && curve->step[i] <= step; i++) best = curve->best[i];
    return best;
}

/* Least squares of b and c for one exponent, over samples spaced evenly in ln n. Returns the sum of squares. b and c
 * are at least 0, because no configuration takes a negative time. */
static double fit_linear(const qn_stop_curve *curve, double a, double *b, double *c)
{
    enum { SAMPLES = 48 };
    double first = (double)curve->step[0], last = (double)curve->steps, sums[5] = {0}, squares = 0;
    double x[SAMPLES], y[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        double n = floor(first * pow(last / first, (double)i / (SAMPLES - 1)) + 1e-9);
        x[i] = pow(n, -a);
        y[i] = best_at(curve, (uint64_t)n);
        sums[0] += 1, sums[1] += x[i], sums[2] += x[i] * x[i], sums[3] += y[i], sums[4] += x[i] * y[i];
    }
    double determinant = sums[0] * sums[2] - sums[1] * sums[1];
    *b = determinant > 0 ? (sums[0] * sums[4] - sums[1] * sums[3]) / determinant : 0;
    if (*b < 0) *b = 0;
    *c = (sums[3] - *b * sums[1]) / sums[0];
    if (*c < 0) {
        *c = 0;
        *b = sums[4] / sums[2];
    }
    for (int i = 0; i < SAMPLES; i++) squares += (y[i] - *b * x[i] - *c) * (y[i] - *b * x[i] - *c);
    return squares;
}

bool qn_stop_fit(const qn_stop_curve *curve, double *a, double *b, double *c)
{
    enum { LEAST_STEPS = 5 };
    double least = INFINITY;
    if (curve->steps < LEAST_STEPS || curve->improvements == 0 || curve->steps <= curve->step[0]) return false;
    for (double exponent = 0.1; exponent < 4; exponent *= 1.1) {
        double factor, constant, squares = fit_linear(curve, exponent, &factor, &constant);
        if (squares >= least) continue;
        least = squares;
        *a = exponent, *b = factor, *c = constant;
    }
    return true;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const qn_stop_curve *curve)
{
    double sorted[QN_STOP_SAMPLES];
    size_t count = curve->correct < QN_STOP_SAMPLES ? (size_t)curve->correct : QN_STOP_SAMPLES;
    memcpy(sorted, curve->sample, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare);
    return sorted[count / 2];
}

double qn_stop_gain(const qn_stop_curve *curve, double well_share, uint64_t more)
{
    double a, b, c, n = (double)curve->steps, live = 1, history = 1;
    bool has_live = qn_stop_fit(curve, &a, &b, &c), has_history = well_share > 0 && curve->correct > 1;
    if (curve->improvements == 0) return 1;
    double best = curve->best[curve->improvements - 1];
    if (best <= 0) return 0;
    if (has_live) {
        live = b * (pow(n, -a) - pow(n + (double)more, -a)) / best;
        if (live < 0) live = 0;
        if (live > 1) live = 1;
    }
    /* No well-performing configuration was found yet with probability (1 - w)^n. Then `more` steps find one with
     * probability 1 - (1 - w)^more, and its gain is assumed to be that of the best over the median. */
    if (has_history)
        history = pow(1 - well_share, n) * (1 - pow(1 - well_share, (double)more)) * (1 - best / median(curve));
    if (!has_live || !has_history) return has_live ? live : history;
    double weight = history_steps / (history_steps + n);
    return weight * history + (1 - weight) * live;
}
