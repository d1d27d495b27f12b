/* The parts of report.html about the distribution of scores and about known actives. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/number.h"
#include "screen/enrichment.h"
#include "screen/output_report.h"

enum { BINS_MAX = 40, WANTED_MAX = 26, TEXT = 40, DOTS_MAX = 4000, CURVE_MAX = 1000 };

typedef struct histogram {
    double first, width; /* lower edge of the first bin; width of a bin. The last bin has all higher values too */
    size_t count;
    double active[BINS_MAX], other[BINS_MAX];
    char names[BINS_MAX][TEXT], tips[BINS_MAX][2 * TEXT];
} histogram;

/* Round to 1, 2 or 5 times a power of ten. */
static double round_width(double width)
{
    const double power = pow(10, floor(log10(width)));
    const double digits = width / power;
    return power * (digits < 1.5 ? 1 : digits < 3.5 ? 2 : digits < 7.5 ? 5 : 10);
}

/* Print a number with a minus sign instead of a hyphen. */
static void say_number(double value, int decimals, char text[TEXT])
{
    char plain[QN_NUMBER_LENGTH];
    qn_number_format(value, QN_NUMBER_FIXED, decimals, plain);
    snprintf(text, TEXT, "%s%.24s", plain[0] == '-' ? "−" : "", plain + (plain[0] == '-'));
}

/* Choose about 2 ∛n bins (Rice's rule) for the best 99 % of the energies. Without this limit a few molecules that fit
 * nowhere would put all others into one bin. */
static void lay_out_bins(const qn_screen_state *run, histogram *bins)
{
    const size_t last = run->row_count - 1;
    const double low = run->rows[0].energy, high = run->rows[last - run->row_count / 100].energy;
    const double wanted = fmin(fmax(2 * cbrt((double)run->row_count), 6), WANTED_MAX);
    bins->width = round_width(high > low ? (high - low) / wanted : 1);
    bins->first = floor(low / bins->width) * bins->width;
    bins->count = (size_t)((high - bins->first) / bins->width) + 1;
    if (run->rows[last].energy >= bins->first + (double)bins->count * bins->width) bins->count++;
    if (bins->count > BINS_MAX) bins->count = BINS_MAX;
}

static void fill_bins(const qn_screen_state *run, histogram *bins)
{
    const int decimals = bins->width < 1 ? (int)ceil(-log10(bins->width) - 1e-9) : 0;
    for (size_t i = 0; i < run->row_count; i++) {
        size_t bin = (size_t)((run->rows[i].energy - bins->first) / bins->width);
        if (bin >= bins->count) bin = bins->count - 1;
        (run->rows[i].active ? bins->active : bins->other)[bin]++;
    }
    const double end = run->rows[run->row_count - 1].energy;
    for (size_t bin = 0; bin < bins->count; bin++) {
        const double from = bins->first + (double)bin * bins->width;
        const bool open = bin + 1 == bins->count && end >= from + bins->width;
        char to[TEXT];
        say_number(from, decimals, bins->names[bin]);
        say_number(from + bins->width, decimals, to);
        snprintf(bins->tips[bin], sizeof bins->tips[bin], open ? "%s and above" : "%s to %s", bins->names[bin], to);
    }
}

static qn_status add_histogram(const qn_screen_state *run, qn_report *report)
{
    void *memory;
    char label[TEXT];
    const char *names[BINS_MAX], *tips[BINS_MAX];
    QN_TRY(qn_allocate(1, sizeof(histogram), &memory));
    histogram *bins = memory;
    lay_out_bins(run, bins);
    fill_bins(run, bins);
    for (size_t bin = 0; bin < bins->count; bin++) {
        names[bin] = bins->names[bin];
        tips[bin] = bins->tips[bin];
    }
    const qn_report_series series[2] = {
        {"known actives", NULL, bins->active, tips, bins->count},
        {run->labels ? "other molecules" : "molecules", NULL, bins->other, tips, bins->count}};
    snprintf(label, sizeof label, "energy (%s)", qn_screen_energy_unit(run->score.kind));
    const qn_report_plot plot = {
        "Distribution of energies",
        label,
        "molecules",
        "Best pose of each molecule, lower is better. A bar is labelled with its lower end, and the "
        "last bar also counts all higher energies.",
        run->labels ? series : series + 1,
        run->labels ? 2 : 1};
    const qn_status status = qn_report_bars(report, &plot, names, bins->count);
    qn_release(&memory);
    return status;
}

/* Whether a row is drawn: the best rows are, and a fixed share of the others. */
static bool is_drawn(const qn_screen_state *run, size_t row)
{
    const size_t rest = run->row_count > DOTS_MAX ? run->row_count - DOTS_MAX / 2 : 0;
    return rest == 0 || row < DOTS_MAX / 2 || row % (rest / (DOTS_MAX / 2) + 1) == 0;
}

/* Plot energies against heavy atoms: such scores grow with size, and readers should see how much that affects the
 * ranking. */
static qn_status add_sizes(const qn_screen_state *run, qn_report *report)
{
    void *memory;
    char label[TEXT];
    size_t used = 0;
    qn_report_series series[2];
    QN_TRY(qn_allocate(run->row_count, 2 * sizeof(double) + sizeof(char *), &memory));
    double *x = memory, *y = x + run->row_count;
    const char **names = (const char **)(void *)(y + run->row_count);
    for (int active = 1; active >= 0; active--) {
        const size_t first = used;
        for (size_t i = 0; i < run->row_count; i++) {
            const qn_screen_row *row = &run->rows[i];
            if (row->active != active || !(active || is_drawn(run, i))) continue;
            x[used] = row->heavy_atoms;
            y[used] = row->energy;
            names[used++] = row->name;
        }
        series[!active] = (qn_report_series){active        ? "known actives"
                                             : run->labels ? "other molecules"
                                                           : "molecules",
                                             x + first, y + first, names + first, used - first};
    }
    snprintf(label, sizeof label, "energy (%s)", qn_screen_energy_unit(run->score.kind));
    const qn_report_plot plot = {
        "Energy and size",
        "heavy atoms",
        label,
        "Larger molecules tend to score better because of their size alone; look at molecules far "
        "below others of their size.",
        run->labels ? series : series + 1,
        run->labels ? 2 : 1};
    const qn_status status = qn_report_scatter(report, &plot);
    qn_release(&memory);
    return status;
}

qn_status qn_screen_report_scores(const qn_screen_state *run, qn_report *report)
{
    if (run->row_count < 2) return QN_OK;
    QN_TRY(qn_report_heading(report, "Scores"));
    QN_TRY(add_histogram(run, report));
    return add_sizes(run, report);
}

static qn_status add_enrichment_facts(const qn_enrichment *e, qn_report *report)
{
    enum { FACTS = 3 + QN_ENRICHMENT_FACTORS };
    char labels[FACTS][TEXT], values[FACTS][2 * TEXT];
    const char *label[FACTS], *value[FACTS];
    snprintf(labels[0], TEXT, "Known actives");
    snprintf(values[0], sizeof values[0], "%zu of %zu", e->actives, e->count);
    snprintf(labels[1], TEXT, "ROC area");
    if (isnan(e->auc_low))
        snprintf(values[1], sizeof values[1], "%.3f", e->auc);
    else
        snprintf(values[1], sizeof values[1], "%.3f (%.2f to %.2f)", e->auc, e->auc_low, e->auc_high);
    snprintf(labels[2], TEXT, "BEDROC, α = %.0f", QN_ENRICHMENT_BEDROC_ALPHA);
    snprintf(values[2], sizeof values[2], "%.3f", e->bedroc);
    for (int i = 0; i < QN_ENRICHMENT_FACTORS; i++) {
        snprintf(labels[3 + i], TEXT, "Enrichment in the best %.0f %%", 100 * qn_enrichment_shares[i]);
        snprintf(values[3 + i], sizeof values[3 + i], "%.1f of %.1f", e->factor[i], e->most[i]);
    }
    for (int i = 0; i < FACTS; i++) {
        label[i] = labels[i];
        value[i] = values[i];
    }
    return qn_report_facts(report, label, value, FACTS);
}

static qn_status add_curve(const qn_enrichment_point *points, size_t count, qn_report *report)
{
    static const double diagonal[] = {0, 1};
    void *memory;
    const size_t step = count / CURVE_MAX + 1;
    size_t used = 0;
    QN_TRY(qn_allocate(2 * (count / step + 2), sizeof(double), &memory));
    double *x = memory, *y = x + count / step + 2;
    for (size_t i = 0; i < count; i += step, used++) {
        x[used] = points[i].inactives;
        y[used] = points[i].actives;
    }
    x[used] = y[used] = 1;
    const qn_report_series series[] = {{"this screen", x, y, NULL, used + 1},
                                       {"by chance", diagonal, diagonal, NULL, 2}};
    const qn_report_plot plot = {"ROC curve",
                                 "share of other molecules ranked so far",
                                 "share of known actives found",
                                 "Share of the known actives found, against the share of other molecules ranked so "
                                 "far. A steep start is good, since the molecules to test are taken from there.",
                                 series,
                                 2};
    const qn_status status = qn_report_lines(report, &plot);
    qn_release(&memory);
    return status;
}

static qn_status measure_and_add(const qn_screen_state *run, const double *scores, const bool *active,
                                 qn_report *report)
{
    qn_enrichment enrichment;
    qn_enrichment_point *points;
    size_t point_count;
    QN_TRY(qn_enrichment_measure(scores, active, run->row_count, &enrichment));
    QN_TRY(add_enrichment_facts(&enrichment, report));
    QN_TRY(qn_report_paragraph(
        report,
        "ROC area: the chance that a known active ranks before another molecule, and its 95 %% interval (DeLong 1988); "
        "0.5 is a ranking by chance%s. Enrichment: the number of actives among the best, relative to chance, and after "
        "“of” its largest possible value. BEDROC (Truchon and Bayly 2007) weights early ranks: 1 means that all "
        "actives "
        "come first.",
        enrichment.auc_low <= 0.5 && enrichment.auc_high >= 0.5
            ? "; there are too few molecules here to distinguish this ranking from it"
            : ""));
    QN_TRY(qn_enrichment_curve(scores, active, run->row_count, &points, &point_count));
    const qn_status status = add_curve(points, point_count, report);
    qn_release(&points);
    return status;
}

qn_status qn_screen_report_enrichment(const qn_screen_state *run, qn_report *report)
{
    size_t actives = 0;
    void *memory;
    if (!run->labels) return QN_OK;
    QN_TRY(qn_report_heading(report, "Known actives"));
    for (size_t i = 0; i < run->row_count; i++) actives += run->rows[i].active;
    const size_t names = qn_screen_labels_name_count(run->labels);
    if (names > actives)
        QN_TRY(qn_report_warning(report, "`%s` names %zu %s, but only %zu of the molecules scored %s among them.",
                                 qn_screen_actives_name(run->options), names, names == 1 ? "active" : "actives",
                                 actives, actives == 1 ? "is" : "are"));
    if (actives == 0 || actives == run->row_count)
        return qn_report_paragraph(report, "%zu of %zu %s known to be active: enrichment needs some of both kinds.",
                                   actives, run->row_count, run->row_count == 1 ? "molecule is" : "molecules are");
    QN_TRY(qn_allocate(run->row_count, sizeof(double) + sizeof(bool), &memory));
    double *scores = memory;
    bool *active = (bool *)(scores + run->row_count);
    for (size_t i = 0; i < run->row_count; i++) {
        scores[i] = run->rows[i].energy;
        active[i] = run->rows[i].active;
    }
    const qn_status status = measure_and_add(run, scores, active, report);
    qn_release(&memory);
    return status;
}
