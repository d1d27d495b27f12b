#include "screen/enrichment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

const double qn_enrichment_shares[QN_ENRICHMENT_FACTORS] = {0.01, 0.05, 0.1};

typedef struct scored {
    double score;
    bool active;
} scored;

static int by_score(const void *left, const void *right)
{
    const double a = ((const scored *)left)->score, b = ((const scored *)right)->score;
    return (a > b) - (a < b);
}

/* Copy scores and labels, and sort them, best first; *entries is released with qn_release. */
static qn_status sort_scores(const double *scores, const bool *active, size_t count, scored **entries,
                             size_t *active_count)
{
    void *memory;
    *active_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(scores[i])) return QN_FAIL(QN_INVALID_ARGUMENT, "enrichment: score %zu is not a number", i + 1);
        *active_count += active[i];
    }
    if (*active_count == 0 || *active_count == count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "enrichment needs actives and inactives: %zu of %zu %s active",
                       *active_count, count, count == 1 ? "molecule is" : "molecules are");
    QN_TRY(qn_allocate(count, sizeof(scored), &memory));
    *entries = memory;
    for (size_t i = 0; i < count; i++) (*entries)[i] = (scored){scores[i], active[i]};
    qsort(*entries, count, sizeof **entries, by_score);
    return QN_OK;
}

/* The end of the group of equal scores that begins at `first`; *actives of them are active. */
static size_t group_end(const scored *entries, size_t count, size_t first, size_t *actives)
{
    size_t end = first;
    *actives = 0;
    for (; end < count && entries[end].score == entries[first].score; end++) *actives += entries[end].active;
    return end;
}

/* Compute DeLong's placements: for an active the share of inactives that it beats, for an inactive the share of actives
 * that beat it. The mean of each kind is the area; the variance of the area follows from the variances of both kinds.
 */
static void measure_area(const scored *entries, qn_enrichment *enrichment)
{
    const double m = (double)enrichment->actives, n = (double)(enrichment->count - enrichment->actives);
    double sum = 0, active_squares = 0, inactive_squares = 0, actives_before = 0, inactives_before = 0;
    size_t actives;
    for (size_t first = 0, end; first < enrichment->count; first = end) {
        end = group_end(entries, enrichment->count, first, &actives);
        const double a = (double)actives, i = (double)(end - first) - a;
        const double beats = (n - inactives_before - i / 2) / n, beaten = (actives_before + a / 2) / m;
        sum += a * beats;
        active_squares += a * beats * beats;
        inactive_squares += i * beaten * beaten;
        actives_before += a;
        inactives_before += i;
    }
    const double area = sum / m;
    const double variance =
        (active_squares / m - area * area) / (m - 1) + (inactive_squares / n - area * area) / (n - 1);
    const double half_width = 1.959963984540054 * sqrt(fmax(variance, 0));
    const bool known = enrichment->actives > 1 && enrichment->count - enrichment->actives > 1;
    enrichment->auc = area;
    enrichment->auc_low = known ? fmax(0, area - half_width) : NAN;
    enrichment->auc_high = known ? fmin(1, area + half_width) : NAN;
}

/* Number of actives among the best `places`. A group of equal scores that extends beyond these places counts with the
 * share inside. */
static double actives_among(const scored *entries, size_t count, size_t places)
{
    double found = 0;
    size_t actives;
    for (size_t first = 0, end; first < places; first = end) {
        end = group_end(entries, count, first, &actives);
        const size_t inside = (end < places ? end : places) - first;
        found += (double)actives * (double)inside / (double)(end - first);
    }
    return found;
}

static void measure_factors(const scored *entries, qn_enrichment *enrichment)
{
    const double count = (double)enrichment->count, actives = (double)enrichment->actives;
    for (int i = 0; i < QN_ENRICHMENT_FACTORS; i++) {
        const double places = fmax(1, ceil(qn_enrichment_shares[i] * count));
        const double expected = places * actives / count;
        enrichment->factor[i] = actives_among(entries, enrichment->count, (size_t)places) / expected;
        enrichment->most[i] = fmin(places, actives) / expected;
    }
}

/* Equations 18 and 36 of Truchon and Bayly 2007: a sum of exp(−α · rank / count) over the actives, scaled to 0 … 1. */
static void measure_bedroc(const scored *entries, qn_enrichment *enrichment)
{
    const double alpha = QN_ENRICHMENT_BEDROC_ALPHA, count = (double)enrichment->count;
    const double share = (double)enrichment->actives / count;
    double sum = 0;
    size_t actives;
    for (size_t first = 0, end; first < enrichment->count; first = end) {
        double weights = 0;
        end = group_end(entries, enrichment->count, first, &actives);
        for (size_t place = first; place < end; place++) weights += exp(-alpha * (double)(place + 1) / count);
        sum += weights * (double)actives / (double)(end - first);
    }
    const double initial = sum / (share * (1 - exp(-alpha)) / (exp(alpha / count) - 1));
    enrichment->bedroc = initial * share * sinh(alpha / 2) / (cosh(alpha / 2) - cosh(alpha / 2 - alpha * share)) +
                         1 / (1 - exp(alpha * (1 - share)));
}

qn_status qn_enrichment_measure(const double *scores, const bool *active, size_t count, qn_enrichment *enrichment)
{
    scored *entries;
    *enrichment = (qn_enrichment){.count = count};
    QN_TRY(sort_scores(scores, active, count, &entries, &enrichment->actives));
    measure_area(entries, enrichment);
    measure_factors(entries, enrichment);
    measure_bedroc(entries, enrichment);
    qn_release(&entries);
    return QN_OK;
}

qn_status qn_enrichment_curve(const double *scores, const bool *active, size_t count, qn_enrichment_point **points,
                              size_t *point_count)
{
    scored *entries;
    size_t all_actives, actives, actives_before = 0;
    void *memory;
    *points = NULL;
    *point_count = 0;
    QN_TRY(sort_scores(scores, active, count, &entries, &all_actives));
    const qn_status status = qn_allocate(count + 1, sizeof(qn_enrichment_point), &memory);
    if (status == QN_OK) {
        *points = memory;
        *point_count = 1; /* the first point is (0, 0, 0), as qn_allocate clears memory */
        for (size_t first = 0, end; first < count; first = end) {
            end = group_end(entries, count, first, &actives);
            actives_before += actives;
            (*points)[(*point_count)++] =
                (qn_enrichment_point){(double)end / (double)count, (double)actives_before / (double)all_actives,
                                      (double)(end - actives_before) / (double)(count - all_actives)};
        }
    }
    qn_release(&entries);
    return status;
}
