#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "math/random.h"
#include "screen/enrichment.h"

enum { MAX = 400 };

/* Measure a ranking given as letters, best first: 'A' active, 'i' inactive. All scores differ. */
static qn_enrichment measure(const char *ranking)
{
    double scores[MAX];
    bool active[MAX];
    qn_enrichment enrichment = {0};
    const size_t count = strlen(ranking);
    for (size_t i = 0; i < count; i++) {
        scores[i] = -50 + 0.25 * (double)i;
        active[i] = ranking[i] == 'A';
    }
    CHECK_OK(qn_enrichment_measure(scores, active, count, &enrichment));
    return enrichment;
}

static void perfect_and_worst_rankings_give_the_ends_of_every_scale(void)
{
    const qn_enrichment best = measure("AAiiiiiiii"), worst = measure("iiiiiiiiAA");
    CHECK(best.count == 10 && best.actives == 2);
    CHECK_NEAR(best.auc, 1, 1e-12);
    CHECK_NEAR(best.auc_low, 1, 1e-12);
    CHECK_NEAR(best.bedroc, 1, 1e-12);
    CHECK_NEAR(best.factor[0], 5, 1e-12); /* one place, an active in it, 0.2 expected */
    CHECK_NEAR(best.most[0], 5, 1e-12);
    CHECK_NEAR(worst.auc, 0, 1e-12);
    CHECK_NEAR(worst.auc_high, 0, 1e-12);
    CHECK_NEAR(worst.bedroc, 0, 1e-12);
    CHECK_NEAR(worst.factor[2], 0, 1e-12);
}

/* Three of four pairs are right. The placements of the actives are 1 and ½, of the inactives ½ and 1. Each kind has a
 * variance of ⅛, so the variance of the area is ⅛/2 + ⅛/2. */
static void a_small_area_and_its_interval_agree_with_hand_calculation(void)
{
    const qn_enrichment small = measure("AiAi"), single = measure("iAii");
    CHECK_NEAR(small.auc, 0.75, 1e-12);
    CHECK_NEAR(small.auc_low, 0.75 - 1.959963985 * sqrt(0.125), 1e-9);
    CHECK_NEAR(small.auc_high, 1, 1e-12); /* 1.44 without the limit */
    CHECK_NEAR(single.auc, 2.0 / 3, 1e-12);
    CHECK(isnan(single.auc_low) && isnan(single.auc_high));
}

static void factors_count_places_rounded_up(void)
{
    char ranking[201];
    memset(ranking, 'i', 200);
    ranking[200] = '\0';
    ranking[1] = 'A';                                    /* in the first 2 of 200 */
    for (int i = 0; i < 3; i++) ranking[5 + i] = 'A';    /* in the first 10 */
    for (int i = 0; i < 16; i++) ranking[100 + i] = 'A'; /* 20 in all, a tenth */
    const qn_enrichment e = measure(ranking);
    CHECK_NEAR(e.factor[0], 0.5 / 0.1, 1e-12);
    CHECK_NEAR(e.factor[1], 0.4 / 0.1, 1e-12);
    CHECK_NEAR(e.factor[2], 0.2 / 0.1, 1e-12);
    CHECK_NEAR(e.most[0], 10, 1e-12);
    CHECK_NEAR(e.most[2], 10, 1e-12); /* 20 places, 20 actives */
    ranking[150] = '\0';              /* 1.5 places are 2 */
    CHECK_NEAR(measure(ranking).factor[0], 0.5 / (20.0 / 150), 1e-12);
}

static void equal_scores_are_shared_evenly(void)
{
    double scores[100] = {0};
    bool active[100] = {false};
    qn_enrichment e;
    for (int i = 0; i < 100; i++) active[i] = i % 10 == 3;
    CHECK_OK(qn_enrichment_measure(scores, active, 100, &e));
    CHECK_NEAR(e.auc, 0.5, 1e-12);
    for (int i = 0; i < QN_ENRICHMENT_FACTORS; i++) CHECK_NEAR(e.factor[i], 1, 1e-12);
    /* Four molecules come first with equal scores, two of them active: half an active in the first place. */
    for (int i = 1; i < 5; i++) scores[i] = -1;
    active[1] = true;
    active[13] = false;
    CHECK_OK(qn_enrichment_measure(scores, active, 100, &e));
    CHECK_NEAR(e.factor[0], 0.5 / 0.1, 1e-12);
    CHECK_NEAR(e.factor[1], (2 + 8.0 / 96) / 5 / 0.1, 1e-12);
}

static double exponential_sum(const char *ranking, char kind)
{
    double sum = 0;
    const size_t count = strlen(ranking);
    for (size_t i = 0; i < count; i++)
        if (ranking[i] == kind) sum += exp(-20 * (double)(i + 1) / (double)count);
    return sum;
}

/* BEDROC is the sum of weights, scaled to 0 for the worst and to 1 for the best ranking. */
static void bedroc_lies_between_worst_and_best_ranking(void)
{
    static const char *const rankings[] = {"AiAiiiiiAiiiiiiiiiii", "iiAiiiAiiiiiiiiiiiiA", "iiiiiiiiiiAAAiiiiiii"};
    const double least = exponential_sum("iiiiiiiiiiiiiiiiiAAA", 'A');
    const double most = exponential_sum("AAAiiiiiiiiiiiiiiiii", 'A');
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(measure(rankings[i]).bedroc, (exponential_sum(rankings[i], 'A') - least) / (most - least), 1e-9);
}

/* Compute placements pair by pair, as DeLong, DeLong and Clarke-Pearson define them. */
static void compare_with_all_pairs(const double *scores, const bool *active, size_t count)
{
    double sum = 0, sums[2] = {0, 0}, squares[2] = {0, 0}, kinds[2] = {0, 0};
    for (size_t i = 0; i < count; i++) kinds[active[i]]++;
    for (size_t i = 0; i < count; i++) {
        double won = 0;
        for (size_t j = 0; j < count; j++) {
            const double ahead = active[i] ? scores[j] - scores[i] : scores[i] - scores[j];
            if (active[j] != active[i]) won += ahead > 0 ? 1 : ahead == 0 ? 0.5 : 0;
        }
        won /= kinds[!active[i]];
        if (active[i]) sum += won;
        sums[active[i]] += won;
        squares[active[i]] += won * won;
    }
    double variance = 0;
    for (int k = 0; k < 2; k++) variance += (squares[k] - sums[k] * sums[k] / kinds[k]) / (kinds[k] - 1) / kinds[k];
    qn_enrichment e;
    CHECK_OK(qn_enrichment_measure(scores, active, count, &e));
    CHECK_NEAR(e.auc, sum / kinds[1], 1e-12);
    CHECK_NEAR(e.auc_low, fmax(0, e.auc - 1.959963985 * sqrt(variance)), 1e-9);
    CHECK_NEAR(e.auc_high, fmin(1, e.auc + 1.959963985 * sqrt(variance)), 1e-9);

    /* The area under the points of the curve, by the trapezoidal rule, is the same. */
    qn_enrichment_point *points;
    size_t point_count;
    double area = 0;
    CHECK_OK(qn_enrichment_curve(scores, active, count, &points, &point_count));
    for (size_t i = 1; i < point_count; i++)
        area += (points[i].inactives - points[i - 1].inactives) * (points[i].actives + points[i - 1].actives) / 2;
    CHECK_NEAR(area, e.auc, 1e-12);
    CHECK(points[0].all == 0 && points[0].actives == 0 && points[0].inactives == 0);
    CHECK(points[point_count - 1].all == 1 && points[point_count - 1].actives == 1);
    qn_release(&points);
}

static void random_rankings_agree_with_all_pairs(void)
{
    double scores[60];
    bool active[60];
    for (uint64_t trial = 0; trial < 20; trial++) {
        for (uint64_t i = 0; i < 60; i++) {
            active[i] = i < 2 || (i > 3 && qn_random_uniform(3, trial, i) < 0.3);
            scores[i] = floor(10 * qn_random_uniform(4, trial, i)) - (active[i] ? 1 : 0); /* many ties */
        }
        compare_with_all_pairs(scores, active, 60);
    }
}

static void rankings_without_both_kinds_or_numbers_are_refused(void)
{
    double scores[3] = {1, 2, 3};
    bool active[3] = {false, false, false};
    qn_enrichment e;
    qn_enrichment_point *points;
    size_t count;
    CHECK_FAILS(qn_enrichment_measure(scores, active, 3, &e), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("0 of 3 molecules are active");
    active[0] = active[1] = active[2] = true;
    CHECK_FAILS(qn_enrichment_curve(scores, active, 3, &points, &count), QN_INVALID_ARGUMENT);
    active[0] = false;
    scores[1] = NAN;
    CHECK_FAILS(qn_enrichment_measure(scores, active, 3, &e), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("score 2");
}

static void labels_are_read_from_a_file_of_names(void)
{
    char path[512];
    qn_screen_labels *labels;
    static const char text[] = "# found by NMR\r\n  imatinib \r\n\nSTI 571\nimatinib\nlast";
    snprintf(path, sizeof path, "%s/actives.txt", check_scratch_folder());
    CHECK_OK(qn_file_write(path, text, sizeof text - 1));
    if (!CHECK_OK(qn_screen_labels_read(path, &labels))) return;
    CHECK(qn_screen_labels_name_count(labels) == 3);
    CHECK(qn_screen_labels_has_name(labels, "imatinib") && qn_screen_labels_has_name(labels, "STI 571"));
    CHECK(qn_screen_labels_has_name(labels, "last"));
    CHECK(!qn_screen_labels_has_name(labels, "STI") && !qn_screen_labels_has_name(labels, ""));
    CHECK(!qn_screen_labels_has_name(labels, "# found by NMR"));
    qn_screen_labels_destroy(&labels);
    CHECK(labels == NULL);
    CHECK_OK(qn_file_write(path, "# none\n\n", 8));
    CHECK_FAILS(qn_screen_labels_read(path, &labels), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("actives.txt");
    CHECK_FAILS(qn_screen_labels_read("/no/such/file", &labels), QN_NOT_FOUND);
    CHECK(labels == NULL);
}

static void labels_are_read_from_a_data_item(void)
{
    qn_screen_labels *labels;
    qn_compound *compound;
    if (!CHECK_OK(qn_screen_labels_read("activity=yes", &labels))) return;
    CHECK_OK(qn_compound_create("activity", 0, 0, 0, &compound));
    CHECK(!qn_screen_labels_is_active(labels, compound));
    CHECK_OK(qn_compound_add_property(compound, "activity", "yes"));
    CHECK(qn_screen_labels_is_active(labels, compound));
    CHECK(qn_screen_labels_name_count(labels) == 0 && !qn_screen_labels_has_name(labels, "activity"));
    qn_screen_labels_destroy(&labels);
    CHECK_OK(qn_screen_labels_read("activity=no", &labels));
    CHECK(!qn_screen_labels_is_active(labels, compound));
    qn_screen_labels_destroy(&labels);
    qn_compound_destroy(&compound);
    CHECK_FAILS(qn_screen_labels_read("=yes", &labels), QN_NOT_FOUND);
}

int main(void)
{
    RUN(perfect_and_worst_rankings_give_the_ends_of_every_scale);
    RUN(a_small_area_and_its_interval_agree_with_hand_calculation);
    RUN(factors_count_places_rounded_up);
    RUN(equal_scores_are_shared_evenly);
    RUN(bedroc_lies_between_worst_and_best_ranking);
    RUN(random_rankings_agree_with_all_pairs);
    RUN(rankings_without_both_kinds_or_numbers_are_refused);
    RUN(labels_are_read_from_a_file_of_names);
    RUN(labels_are_read_from_a_data_item);
    return check_finish();
}
