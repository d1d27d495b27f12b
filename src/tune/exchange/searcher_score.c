#include "tune/exchange/searcher_score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/random.h"

static const double cutoff_share = 0.95;
enum { BOOTSTRAP_DRAWS = 2000 };

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The budget from the sorted valid objectives. */
static void set_budget(const double *valid, qn_searcher_score_baseline *made)
{
    size_t n = made->valid, better = 0;
    made->optimum = valid[0];
    made->worst = valid[n - 1];
    made->median = 0.5 * (valid[(n - 1) / 2] + valid[n / 2]);
    made->cutoff = made->optimum + (made->median - made->optimum) * (1 - cutoff_share);
    while (better < n && valid[better] <= made->cutoff) better++;
    /* Rank, counted from the worst as 0, of the worst point that reaches the cut-off. */
    size_t rank = n - better;
    if (rank > 0 && valid[better - 1] == made->optimum) rank--;
    made->budget = (rank + (n + 1 - rank) - 1) / (n + 1 - rank);
    if (made->budget < 1) made->budget = 1;
}

/* Of N sorted values v, P(all t draws are beyond the j-th) = C(N-j-1, t) / C(N, t) =: q_j, so that
 * E(best) = v_0 + Σ_j q_j (v_{j+1} - v_j), with q_j / q_{j-1} = (N-j-t) / (N-j). */
static double expected_best(const double *sorted, size_t count, size_t tests)
{
    double expected = sorted[0], beyond = 1;
    for (size_t j = 0; j + 1 < count && j + tests < count && beyond > 1e-20; j++) {
        beyond *= (double)(count - j - tests) / (double)(count - j);
        expected += beyond * (sorted[j + 1] - sorted[j]);
    }
    return expected;
}

qn_status qn_searcher_score_create(const double *objectives, const double *costs, size_t count,
                                   qn_searcher_score_baseline **baseline)
{
    double *sorted = NULL;
    qn_searcher_score_baseline *made = NULL;
    *baseline = NULL;
    QN_TRY(qn_allocate(count, sizeof(*sorted), (void **)&sorted));
    qn_status status = qn_allocate(1, sizeof(*made), (void **)&made);
    if (status != QN_OK) goto done;
    made->points = count;
    for (size_t i = 0; i < count; i++) {
        if (objectives[i] < INFINITY) sorted[made->valid++] = objectives[i];
        if (costs) made->mean_cost += costs[i];
    }
    if (count) made->mean_cost /= (double)count;
    qsort(sorted, made->valid, sizeof(*sorted), compare_numbers);
    if (made->valid < 2 || sorted[0] == sorted[made->valid - 1]) {
        status = qn_error_set(QN_INVALID_ARGUMENT, __FILE__, __LINE__,
                              "a space of %zu points, %zu of them valid, has nothing to search: expected at least two "
                              "different valid objectives",
                              count, made->valid);
        goto done;
    }
    set_budget(sorted, made);
    for (size_t i = made->valid; i < count; i++) sorted[i] = made->worst;
    status = qn_allocate(made->budget, sizeof(*made->random), (void **)&made->random);
    for (size_t t = 1; status == QN_OK && t <= made->budget; t++) made->random[t - 1] = expected_best(sorted, count, t);
done:
    qn_release(&sorted);
    if (status != QN_OK)
        qn_searcher_score_destroy(&made);
    else
        *baseline = made;
    return status;
}

void qn_searcher_score_destroy(qn_searcher_score_baseline **baseline)
{
    if (!*baseline) return;
    qn_release(&(*baseline)->random);
    qn_release(baseline);
}

static double relative(const qn_searcher_score_baseline *baseline, size_t t, double best)
{
    double room = baseline->random[t] - baseline->optimum;
    /* If random search is expected to find the optimum, no search can be better. */
    return room > 0 ? (baseline->random[t] - best) / room : 0;
}

double qn_searcher_score_curve(const qn_searcher_score_baseline *baseline, const double *objectives, size_t count)
{
    double best = baseline->worst, sum = 0;
    for (size_t t = 0; t < baseline->budget; t++) {
        if (t < count && objectives[t] < best) best = objectives[t];
        sum += relative(baseline, t, best);
    }
    return sum / (double)baseline->budget;
}

double qn_searcher_score_time_curve(const qn_searcher_score_baseline *baseline, const double *objectives,
                                    const double *costs, size_t count)
{
    double best = baseline->worst, sum = 0, seconds = 0;
    size_t done = 0;
    for (size_t t = 0; t < baseline->budget; t++) {
        /* Sums of equal costs may differ from their product in the last digits. */
        double now = (double)(t + 1) * baseline->mean_cost * (1 + 1e-9);
        while (done < count && seconds + costs[done] <= now) {
            seconds += costs[done];
            if (objectives[done] < best) best = objectives[done];
            done++;
        }
        sum += relative(baseline, t, best);
    }
    return sum / (double)baseline->budget;
}

/* Number of repeats of a row: the values before the first NaN. */
static size_t count_of(const double *values, size_t columns)
{
    size_t count = 0;
    while (count < columns && !isnan(values[count])) count++;
    return count;
}

static double mean_of(const double *values, size_t rows, size_t columns)
{
    double mean = 0;
    for (size_t r = 0; r < rows; r++) {
        size_t count = count_of(values + r * columns, columns);
        for (size_t i = 0; i < count; i++) mean += values[r * columns + i] / (double)count / (double)rows;
    }
    return mean;
}

/* Mean of `count` values drawn with replacement. */
static double resampled(const double *values, size_t count, uint64_t seed, uint64_t stream)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += values[(size_t)(qn_random_uniform(seed, stream, i) * (double)count)];
    return sum / (double)count;
}

static qn_status check_counts(const double *values, size_t rows, size_t columns)
{
    if (!rows || !columns)
        return QN_FAIL(QN_INVALID_ARGUMENT, "no scores to average: %zu spaces, %zu repeats", rows, columns);
    for (size_t r = 0; values && r < rows; r++)
        if (!count_of(values + r * columns, columns))
            return QN_FAIL(QN_INVALID_ARGUMENT, "no scores to average: space %zu of %zu has no repeats", r + 1, rows);
    return QN_OK;
}

qn_status qn_searcher_score_bootstrap(const double *values, const double *rivals, size_t rows, size_t columns,
                                      uint64_t seed, qn_searcher_score_interval *interval)
{
    double *means;
    *interval = (qn_searcher_score_interval){0};
    QN_TRY(check_counts(values, rows, columns));
    QN_TRY(check_counts(rivals, rows, columns));
    QN_TRY(qn_allocate(BOOTSTRAP_DRAWS, sizeof(*means), (void **)&means));
    interval->mean = mean_of(values, rows, columns) - (rivals ? mean_of(rivals, rows, columns) : 0);
    for (size_t r = 0; r < rows; r++) {
        size_t count = count_of(values + r * columns, columns);
        size_t rival_count = rivals ? count_of(rivals + r * columns, columns) : 0;
        for (size_t b = 0; b < BOOTSTRAP_DRAWS; b++) {
            uint64_t stream = 2 * (b * rows + r);
            double drawn = resampled(values + r * columns, count, seed, stream);
            if (rivals) drawn -= resampled(rivals + r * columns, rival_count, seed, stream + 1);
            means[b] += drawn / (double)rows;
        }
    }
    qsort(means, BOOTSTRAP_DRAWS, sizeof(*means), compare_numbers);
    interval->low = means[BOOTSTRAP_DRAWS / 40];
    interval->high = means[BOOTSTRAP_DRAWS - 1 - BOOTSTRAP_DRAWS / 40];
    qn_release(&means);
    return QN_OK;
}
