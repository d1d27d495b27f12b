/* Score of a search as the autotuning community defines it (Willemsen, Schoonhoven, Filipovič, Tørring, van Nieuwpoort,
 * van Werkhoven: "A methodology for comparing optimization algorithms for auto-tuning", 2024, and its program
 * autotuning_methodology):
 *
 *     f* optimum, med median of the valid points;  c = f* + (med - f*) (1 - p), p = 0.95, the cut-off
 *     M = ceil(i / (N + 1 - i)) tests, the budget; N valid points, i the rank of c counted from the worst
 *     P(t) = (S(t) - F(t)) / (S(t) - f*), F best after t tests of the search, S the same expected of random search
 *     score = mean of P(t) over t = 1 … M: 0 for random search, 1 for one whose first test is the optimum
 *
 * Details that the paper leaves open follow its program where that is exact: N, f*, med and i count only valid points,
 * and i is one less if only the optimum reaches the cut-off. Two things differ. S(t) is the exact expectation of the
 * best of t draws without replacement, where the program takes the value at a rounded rank. And a failed test counts as
 * a test of random search too: it does not change the best objective, which is the worst valid objective before
 * anything valid was found. So the expected score of random search is 0, whatever share of a space fails.
 *
 * Life cycle: create → curve… → destroy. Thread rule: constant once created. */
#ifndef QN_TUNE_EXCHANGE_SEARCHER_SCORE_H
#define QN_TUNE_EXCHANGE_SEARCHER_SCORE_H

#include <quern/status.h>
#include <stddef.h>
#include <stdint.h>

typedef struct qn_searcher_score_baseline {
    double optimum, median, cutoff, worst;
    size_t points, valid;
    size_t budget;    /* M */
    double *random;   /* S(1) … S(M) */
    double mean_cost; /* seconds of a test, 0 when not known */
} qn_searcher_score_baseline;

/* `objectives` of all points, infinite for failed ones; `costs` in seconds, or NULL. Errors: QN_INVALID_ARGUMENT when
 * fewer than two points are valid, or all valid objectives are equal. */
QN_MUST_CHECK qn_status qn_searcher_score_create(const double *objectives, const double *costs, size_t count,
                                                 qn_searcher_score_baseline **baseline);
void qn_searcher_score_destroy(qn_searcher_score_baseline **baseline);

/* Score of a search whose tests had these `objectives`, in this order (infinite: failed). A search that ended early
 * keeps its best objective. */
double qn_searcher_score_curve(const qn_searcher_score_baseline *baseline, const double *objectives, size_t count);
/* The same over time: the search is scored at M moments, mean_cost apart. At moment t random search has made t
 * tests. */
double qn_searcher_score_time_curve(const qn_searcher_score_baseline *baseline, const double *objectives,
                                    const double *costs, size_t count);

/* Mean over rows of the rows' means of `values` [row][column] (row: a space, column: a repeat), minus the same of
 * `rivals` unless that is NULL, with a 95 % interval by bootstrap: columns are drawn with replacement in each row
 * separately. A row with fewer repeats ends with NaN. Errors: QN_INVALID_ARGUMENT for a row without repeats. */
typedef struct qn_searcher_score_interval {
    double mean, low, high;
} qn_searcher_score_interval;
QN_MUST_CHECK qn_status qn_searcher_score_bootstrap(const double *values, const double *rivals, size_t rows,
                                                    size_t columns, uint64_t seed,
                                                    qn_searcher_score_interval *interval);

#endif
