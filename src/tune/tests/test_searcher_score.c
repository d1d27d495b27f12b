/* Scores against calculations by hand; random search scores 0, an oracle 1. */
#include "check.h"

#include <math.h>
#include <stdlib.h>

#include "math/random.h"
#include "tune/exchange/searcher_score.h"

/* 1 2 3 4 and one failure, which counts as 4, drawn without replacement: E(1) = (1+2+3+4+4)/5 = 2.8. E(2): of the ten
 * pairs 4 have the least value 1, 3 have 2, 2 have 3 and 1 has 4: (4 + 6 + 6 + 4) / 10 = 2. */
static void the_expectation_of_random_search_is_exact(void)
{
    const double objectives[] = {3, 1, INFINITY, 4, 2};
    qn_searcher_score_baseline *baseline;
    CHECK_OK(qn_searcher_score_create(objectives, NULL, 5, &baseline));
    CHECK_NEAR(baseline->median, 2.5, 0);
    CHECK_NEAR(baseline->cutoff, 1.075, 1e-12);
    /* Only the optimum reaches the cut-off. So i is its rank, 3 (the worst has 0), minus 1: ceil(2 / 3) = 1. */
    CHECK(baseline->budget == 1);
    CHECK_NEAR(baseline->random[0], 2.8, 1e-12);
    CHECK_NEAR(qn_searcher_score_curve(baseline, (double[]){2}, 1), (2.8 - 2) / 1.8, 1e-12);
    CHECK_NEAR(qn_searcher_score_curve(baseline, (double[]){INFINITY}, 1), (2.8 - 4) / 1.8, 1e-12);
    qn_searcher_score_destroy(&baseline);
}

enum { POINTS = 400 };

/* Heavy-tailed objectives; every ninth point fails. */
static void fill(double *objectives)
{
    for (int i = 0; i < POINTS; i++)
        objectives[i] = i % 9 == 4 ? INFINITY : exp(3 * qn_random_uniform(7, 0, (uint64_t)i));
}

static void random_search_scores_0(void)
{
    enum { REPEATS = 400 };
    double objectives[POINTS], drawn[POINTS], sum = 0, squares = 0;
    qn_searcher_score_baseline *baseline;
    fill(objectives);
    CHECK_OK(qn_searcher_score_create(objectives, NULL, POINTS, &baseline));
    CHECK(baseline->budget > 10);
    for (uint64_t repeat = 0; repeat < REPEATS; repeat++) {
        for (int i = 0; i < POINTS; i++) drawn[i] = objectives[i];
        for (size_t i = POINTS; i > 1; i--) {
            size_t j = (size_t)(qn_random_uniform(8, repeat, i) * (double)i);
            double kept = drawn[i - 1];
            drawn[i - 1] = drawn[j];
            drawn[j] = kept;
        }
        double score = qn_searcher_score_curve(baseline, drawn, POINTS);
        sum += score;
        squares += score * score;
    }
    double mean = sum / REPEATS, error = sqrt((squares / REPEATS - mean * mean) / REPEATS);
    CHECK_NEAR(mean, 0, 3 * error);
    CHECK(error < 0.1);
    qn_searcher_score_destroy(&baseline);
}

static void an_oracle_scores_1(void)
{
    double objectives[POINTS];
    qn_searcher_score_baseline *baseline;
    fill(objectives);
    CHECK_OK(qn_searcher_score_create(objectives, NULL, POINTS, &baseline));
    CHECK_NEAR(qn_searcher_score_curve(baseline, &baseline->optimum, 1), 1, 1e-12);
    qn_searcher_score_destroy(&baseline);
}

/* A test counts when it ends: if the first test takes twice the mean cost, the first moment has the worst value. */
static void time_counts_tests_when_they_end(void)
{
    double objectives[POINTS], costs[POINTS];
    qn_searcher_score_baseline *baseline;
    fill(objectives);
    for (int i = 0; i < POINTS; i++) costs[i] = 0.5;
    CHECK_OK(qn_searcher_score_create(objectives, costs, POINTS, &baseline));
    CHECK_NEAR(baseline->mean_cost, 0.5, 1e-9);
    CHECK_NEAR(qn_searcher_score_time_curve(baseline, &baseline->optimum, (double[]){0.5}, 1), 1, 1e-9);
    double late = qn_searcher_score_time_curve(baseline, &baseline->optimum, (double[]){1.0}, 1);
    double missed = (baseline->random[0] - baseline->worst) / (baseline->random[0] - baseline->optimum);
    CHECK_NEAR(late, ((double)baseline->budget - 1 + missed) / (double)baseline->budget, 1e-9);
    qn_searcher_score_destroy(&baseline);
}

static void spaces_without_a_choice_are_refused(void)
{
    qn_searcher_score_baseline *baseline;
    CHECK_FAILS(qn_searcher_score_create((double[]){INFINITY, 2}, NULL, 2, &baseline), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_searcher_score_create((double[]){2, 2}, NULL, 2, &baseline), QN_INVALID_ARGUMENT);
    CHECK(baseline == NULL);
}

/* The mean of 100 numbers of variance 1/12 has a standard error of 0.0289: the interval is 3.92 standard errors
 * wide. */
static void the_interval_is_that_of_the_mean_score(void)
{
    double values[200], rivals[200];
    qn_searcher_score_interval interval;
    for (uint64_t i = 0; i < 200; i++) {
        values[i] = qn_random_uniform(5, 0, i);
        rivals[i] = qn_random_uniform(5, 1, i) - 1;
    }
    CHECK_OK(qn_searcher_score_bootstrap(values, NULL, 1, 100, 1, &interval));
    CHECK_NEAR(interval.high - interval.low, 3.92 * 0.0289, 0.02);
    CHECK(interval.low < interval.mean && interval.mean < interval.high);
    CHECK_OK(qn_searcher_score_bootstrap(values, rivals, 2, 100, 1, &interval));
    CHECK_NEAR(interval.mean, 1, 0.1);
    CHECK_NEAR(interval.high - interval.low, 3.92 * 0.0289, 0.02);
    /* A space with a quarter of the repeats has the same weight in the mean and twice the standard error. */
    for (size_t i = 125; i < 200; i++) values[i] = (double)NAN;
    CHECK_OK(qn_searcher_score_bootstrap(values + 100, NULL, 1, 100, 1, &interval));
    CHECK_NEAR(interval.high - interval.low, 3.92 * 0.0577, 0.05);
    CHECK_OK(qn_searcher_score_bootstrap(values, NULL, 2, 100, 1, &interval));
    CHECK_NEAR(interval.mean, 0.5, 0.15);
    CHECK_NEAR(interval.high - interval.low, 3.92 * 0.0323, 0.03);
    for (size_t i = 100; i < 200; i++) values[i] = (double)NAN;
    CHECK_FAILS(qn_searcher_score_bootstrap(values, NULL, 2, 100, 1, &interval), QN_INVALID_ARGUMENT);
}

int main(void)
{
    RUN(the_expectation_of_random_search_is_exact);
    RUN(random_search_scores_0);
    RUN(an_oracle_scores_1);
    RUN(time_counts_tests_when_they_end);
    RUN(spaces_without_a_choice_are_refused);
    RUN(the_interval_is_that_of_the_mean_score);
    return check_finish();
}
