/* The report: facts, the graph, times beside the device's limit, words of each value, kernels. */
#include "fuse/report.h"

#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/html.h"

enum { CELL = 96, MOST_ROWS = QN_GRAPH_VALUES_MAX };

/* Cells of a table. */
typedef struct cells {
    char (*texts)[CELL];
    const char **pointers;
    size_t count;
} cells;

static qn_status make_cells(size_t capacity, cells *made)
{
    *made = (cells){.count = 0};
    QN_TRY(qn_allocate(capacity, CELL, (void **)&made->texts));
    return qn_allocate(capacity, sizeof *made->pointers, (void **)&made->pointers);
}

static void clear_cells(cells *made)
{
    qn_release(&made->texts);
    qn_release(&made->pointers);
}

static char *next_cell(cells *of)
{
    of->pointers[of->count] = of->texts[of->count];
    return of->texts[of->count++];
}

/* ---- facts ---- */

static qn_status add_facts(const qn_fuse_result *result, qn_report *report)
{
    static const char *const labels[] = {"Device", "Kernels", "Fused", "Unfused", "Speed-up", "Moved"};
    char texts[6][CELL];
    const char *values[6];
    for (int i = 0; i < 6; i++) values[i] = texts[i];
    snprintf(texts[0], CELL, "%s", result->device);
    snprintf(texts[1], CELL, "%d, unfused %d", result->kernel_count, result->unfused_kernel_count);
    snprintf(texts[2], CELL, "%.4g ms", 1e3 * result->seconds);
    snprintf(texts[3], CELL, "%.4g ms", 1e3 * result->unfused_seconds);
    snprintf(texts[4], CELL, "%.2f×", result->unfused_seconds / result->seconds);
    snprintf(texts[5], CELL, "%.3f GB, unfused %.3f GB", 1e-9 * result->bytes, 1e-9 * result->unfused_bytes);
    return qn_report_facts(report, labels, values, 6);
}

static qn_status add_checks(const qn_fuse_result *result, qn_report *report)
{
    if (!result->is_checked) return qn_report_warning(report, "The sequence was too large to be checked.");
    for (size_t i = 0; i < result->difference_count; i++) {
        const qn_fuse_difference *one = &result->differences[i];
        if (one->beyond > 0)
            QN_TRY(qn_report_warning(report,
                                     "%llu of %llu numbers of `%s` are farther from their meaning than "
                                     "rounding explains.",
                                     (unsigned long long)one->beyond, (unsigned long long)one->count, one->name));
        else if (one->undecided == one->count)
            QN_TRY(
                qn_report_paragraph(report, "`%s` cannot be compared: its numbers have no finite bound.", one->name));
        else
            QN_TRY(qn_report_paragraph(report,
                                       "`%s` agrees with its meaning in double precision (%llu of %llu numbers): the "
                                       "largest difference is %.2g of the bound.",
                                       one->name, (unsigned long long)(one->count - one->undecided),
                                       (unsigned long long)one->count, one->largest));
    }
    return QN_OK;
}

/* ---- times ---- */

static double limit_of(const qn_kernel_plan *kernel, double bytes, const qn_device_rates *rates)
{
    const qn_work work = {.bytes_read = bytes};
    return kernel->is_fold ? 0 : qn_work_limit_seconds(&work, rates, NULL);
}

/* Seconds of everything that is no loop and of one round of each loop. */
static void add_up(const qn_fuse_timed *timed, const qn_sequence *sequence, const qn_device_rates *rates, double *limit,
                   double *predicted, double *measured)
{
    *limit = *predicted = *measured = 0;
    for (int k = 0; k < timed->plan->kernel_count; k++) {
        const qn_section_part part = timed->plan->graph->sections[timed->plan->kernels[k].section].part;
        if (part == QN_SECTION_HEAD || part == QN_SECTION_TAIL) continue;
        const double least = limit_of(&timed->plan->kernels[k], timed->kernel_bytes[k], rates);
        *limit += least;
        *predicted += least + sequence->plan_options.launch_s;
        *measured += timed->kernel_seconds[k];
    }
}

static qn_status add_bars(const qn_sequence *sequence, const qn_fuse_timed *fused, const qn_fuse_timed *unfused,
                          const qn_device_rates *rates, qn_report *report)
{
    static const char *const categories[] = {"limit", "predicted", "fused", "unfused"};
    double limit, predicted, seconds[4], places[4] = {0, 1, 2, 3};
    add_up(unfused, sequence, rates, &limit, &predicted, &seconds[3]);
    add_up(fused, sequence, rates, &seconds[0], &seconds[1], &seconds[2]);
    for (int i = 0; i < 4; i++) seconds[i] *= 1e3;
    const qn_report_series series = {.name = "time", .x = places, .y = seconds, .count = 4};
    return qn_report_bars(
        report,
        &(qn_report_plot){
            .title = "Times of one pass",
            .x_label = "kernels",
            .y_label = "time (ms)",
            .caption =
                "All kernels that run once, and those of one round of each loop. The limit is what the device needs "
                "to move the words of the fused kernels, the prediction adds a launch for each; both others are "
                "measured.",
            .series = &series,
            .series_count = 1},
        categories, 4);
}

static qn_status fill_kernels(const qn_fuse_timed *timed, const qn_device_rates *rates, cells *of)
{
    const qn_graph *graph = timed->plan->graph;
    for (int k = 0; k < timed->plan->kernel_count; k++) {
        const qn_kernel_plan *kernel = &timed->plan->kernels[k];
        const double limit = limit_of(kernel, timed->kernel_bytes[k], rates);
        qn_text calls = {0}, words = {0};
        qn_status status = QN_OK;
        for (int call = 0; call < graph->call_count && status == QN_OK; call++)
            if (qn_calls_have(kernel->calls, call))
                status = qn_text_append(&calls, "%s%s", calls.length > 0 ? "; " : "", graph->calls[call].text);
        if (status == QN_OK) status = qn_words_write(graph, &kernel->words, &words);
        snprintf(next_cell(of), CELL, "%d", k + 1);
        snprintf(next_cell(of), CELL, "%.*s", CELL - 4, kernel->is_fold ? "adds up partial sums" : calls.data);
        snprintf(next_cell(of), CELL, "%s", words.data ? words.data : "");
        snprintf(next_cell(of), CELL, "%.4g", 1e3 * limit);
        snprintf(next_cell(of), CELL, "%.4g", 1e3 * timed->kernel_seconds[k]);
        if (limit > 0 && timed->kernel_seconds[k] > 0)
            snprintf(next_cell(of), CELL, "%.2f", limit / timed->kernel_seconds[k]);
        else
            snprintf(next_cell(of), CELL, "-");
        qn_text_clear(&calls), qn_text_clear(&words);
        QN_TRY(status);
    }
    return QN_OK;
}

static qn_status add_kernels(const qn_fuse_timed *timed, const qn_device_rates *rates, qn_report *report)
{
    static const char *const headers[] = {"kernel",     "calls",         "words",
                                          "limit (ms)", "measured (ms)", "limit / measured"};
    cells of;
    qn_status status = make_cells(6 * (size_t)timed->plan->kernel_count, &of);
    if (status == QN_OK) status = fill_kernels(timed, rates, &of);
    if (status == QN_OK) status = qn_report_table(report, headers, 6, of.pointers, of.count / 6);
    clear_cells(&of);
    return status;
}

/* ---- words ---- */

/* How often kernels read or write a value: in parts of a ring, those of the ring. A ring's copies count as the value
 * that they are copies of. */
static int uses_of(const qn_plan *plan, int value)
{
    int uses = 0;
    for (int k = 0; k < plan->kernel_count; k++) {
        const qn_section_part part = plan->graph->sections[plan->kernels[k].section].part;
        if (part == QN_SECTION_HEAD || part == QN_SECTION_TAIL) continue;
        for (int other = 0; other < plan->graph->value_count; other++) {
            const qn_value *of = &plan->graph->values[other];
            const int own = of->copy_of >= 0 ? of->copy_of : of->before_of >= 0 ? of->before_of : other;
            if (own != value) continue;
            uses += plan->kernels[k].reads[other] && !plan->kernels[k].folds[other];
            uses += plan->kernels[k].writes[other];
        }
    }
    return uses;
}

static qn_status write_words(const qn_graph *graph, int value, int uses, char text[CELL])
{
    qn_words words = {.count = 0};
    qn_text written = {0};
    qn_words_add_value(graph, value, uses, &words);
    qn_status status = uses > 0 ? qn_words_write(graph, &words, &written) : qn_text_append(&written, "0");
    if (status == QN_OK) snprintf(text, CELL, "%s", written.data);
    qn_text_clear(&written);
    return status;
}

static qn_status fill_words(const qn_sequence *sequence, const qn_plan *fused, const qn_plan *unfused, cells *of)
{
    const qn_graph *graph = &sequence->graph;
    for (int value = 0; value < graph->value_count; value++) {
        if (graph->values[value].kind == QN_SCALAR) continue;
        snprintf(next_cell(of), CELL, "%.60s", graph->values[value].name);
        snprintf(next_cell(of), CELL, "%.60s", qn_value_shape(graph, &graph->values[value]).text);
        QN_TRY(write_words(graph, value, uses_of(unfused, value), next_cell(of)));
        QN_TRY(write_words(graph, value, uses_of(fused, value), next_cell(of)));
    }
    return QN_OK;
}

static qn_status add_words(const qn_sequence *sequence, const qn_plan *fused, const qn_plan *unfused, qn_report *report)
{
    static const char *const headers[] = {"value", "shape", "words unfused", "words fused"};
    cells of;
    qn_status status = make_cells(4 * MOST_ROWS, &of);
    if (status == QN_OK) status = fill_words(sequence, fused, unfused, &of);
    if (status == QN_OK) status = qn_report_table(report, headers, 4, of.pointers, of.count / 4);
    clear_cells(&of);
    return status;
}

/* ---- all of it ---- */

static qn_status fill(const qn_sequence *sequence, const qn_fuse_result *result, const qn_fuse_timed *fused,
                      const qn_fuse_timed *unfused, const qn_device_rates *rates, qn_report *report)
{
    qn_text svg = {0};
    QN_TRY(add_facts(result, report));
    QN_TRY(add_checks(result, report));
    QN_TRY(qn_report_heading(report, "Graph"));
    qn_status status = qn_fuse_draw(fused->plan, &svg);
    if (status == QN_OK)
        status = qn_report_drawing(report, "Kernels",
                                   "Boxes are kernels with the calls that they do. What stands inside "
                                   "alone stays in registers or local memory. Numbers are words of "
                                   "four bytes.",
                                   "the kernels, and the values that lead from one to another", svg.data);
    qn_text_clear(&svg);
    QN_TRY(status);
    QN_TRY(qn_report_heading(report, "Times"));
    QN_TRY(add_bars(sequence, fused, unfused, rates, report));
    QN_TRY(qn_report_heading(report, "Words of each value"));
    QN_TRY(qn_report_paragraph(report, "Words that kernels read and write, with a kernel for each call and fused; of a "
                                       "loop, those of one round. Partial sums are not counted."));
    QN_TRY(add_words(sequence, fused->plan, unfused->plan, report));
    QN_TRY(qn_report_heading(report, "Kernels"));
    QN_TRY(add_kernels(fused, rates, report));
    QN_TRY(qn_report_heading(report, "A kernel for each call"));
    return add_kernels(unfused, rates, report);
}

qn_status qn_fuse_write_report(const char *path, const qn_sequence *sequence, const qn_fuse_result *result,
                               const qn_fuse_timed *fused, const qn_fuse_timed *unfused, const qn_device_rates *rates)
{
    qn_report *report = NULL;
    char title[128];
    snprintf(title, sizeof title, "quern fuse: %.80s", sequence->graph.name);
    QN_TRY(qn_report_create(title, &report));
    qn_status status = fill(sequence, result, fused, unfused, rates, report);
    if (status == QN_OK) status = qn_report_write(report, path);
    qn_report_destroy(&report);
    return status;
}
