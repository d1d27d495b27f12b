/* The report of a tuning run: the tests, their results, and the convergence to the best configuration. */
#include <math.h>
#include <quern/tune.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/html.h"

enum { FACTS = 6, FACT_TEXT = 160, SHOWN = 20, COLUMNS = 5, CELL = 256 };

/* Write seconds in a suitable unit: "1.234 ms". */
static void format_seconds(double seconds, char *text, size_t bytes)
{
    if (!(seconds > 0))
        snprintf(text, bytes, "–");
    else if (seconds < 1e-3)
        snprintf(text, bytes, "%.4g µs", 1e6 * seconds);
    else if (seconds < 1)
        snprintf(text, bytes, "%.4g ms", 1e3 * seconds);
    else
        snprintf(text, bytes, "%.4g s", seconds);
}

static bool is_better(const qn_tune_step *step, const qn_tune_step *than)
{
    return step->outcome == QN_TEST_CORRECT && (!than || step->objective < than->objective);
}

/* Return the best correct step; NULL: no test was correct. */
static const qn_tune_step *find_best(const qn_tune_trace *trace)
{
    const qn_tune_step *best = NULL;
    for (size_t i = 0; i < trace->step_count; i++)
        if (is_better(&trace->steps[i], best)) best = &trace->steps[i];
    return best;
}

static qn_status add_facts(qn_report *report, const qn_tune_trace *trace, const qn_tune_step *best)
{
    static const char *const labels[FACTS] = {"Device",       "Best time", "Against the usual configuration",
                                              "Of the limit", "Tests",     "Valid configurations"};
    char values[FACTS][FACT_TEXT];
    const char *pointers[FACTS];
    snprintf(values[0], FACT_TEXT, "%s", trace->device);
    format_seconds(best ? best->objective : 0, values[1], FACT_TEXT);
    snprintf(values[2], FACT_TEXT, "–");
    snprintf(values[3], FACT_TEXT, "–");
    if (best && trace->fallback_seconds > 0)
        snprintf(values[2], FACT_TEXT, "%.2f× as fast", trace->fallback_seconds / best->objective);
    const double share = best && trace->limit_seconds > 0 ? trace->limit_seconds / best->objective : 0;
    if (share > 1.1 && trace->pipe && strcmp(trace->pipe, "memory") == 0)
        snprintf(values[3], FACT_TEXT, "above the memory's: the data stay in a cache");
    else if (share > 0)
        snprintf(values[3], FACT_TEXT, "%.0f %% (%s)", 100 * share, trace->pipe ? trace->pipe : "");
    snprintf(values[4], FACT_TEXT, "%zu", trace->step_count);
    snprintf(values[5], FACT_TEXT, "%llu", (unsigned long long)trace->space_size);
    for (int i = 0; i < FACTS; i++) pointers[i] = values[i];
    return qn_report_facts(report, labels, pointers, FACTS);
}

/* Plot the best time so far as a line, and every correct test as a dot, in milliseconds over the number of tests. */
static qn_status add_convergence(qn_report *report, const qn_tune_trace *trace)
{
    void *memory;
    const size_t count = trace->step_count;
    QN_TRY(qn_allocate(3 * count + 1, sizeof(double), &memory));
    double *number = memory, *tested = number + count, *best = tested + count, least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        const qn_tune_step *step = &trace->steps[i];
        bool correct = step->outcome == QN_TEST_CORRECT;
        number[i] = (double)(i + 1);
        tested[i] = correct ? 1e3 * step->objective : NAN;
        if (correct && tested[i] < least) least = tested[i];
        best[i] = isfinite(least) ? least : NAN;
    }
    /* Slow configurations would squeeze the interesting part of the axis. */
    for (size_t i = 0; i < count; i++)
        if (tested[i] > 10 * least) tested[i] = NAN;
    const qn_report_series curve = {.name = "best so far", .x = number, .y = best, .count = count};
    const qn_report_series tests = {.name = "tests", .x = number, .y = tested, .count = count};
    qn_report_plot plot = {.title = "Convergence",
                           .x_label = "Tests",
                           .y_label = "Best time (ms)",
                           .caption = "The fastest correct configuration after each test.",
                           .series = &curve,
                           .series_count = 1};
    qn_status status = qn_report_lines(report, &plot);
    plot.title = "Tests";
    plot.y_label = "Time (ms)";
    plot.caption = "Each correct configuration; those over ten times the best and failed ones are left out.";
    plot.series = &tests;
    if (status == QN_OK) status = qn_report_scatter(report, &plot);
    qn_release(&memory);
    return status;
}

static int compare_steps(const void *a, const void *b)
{
    const qn_tune_step *x = *(const qn_tune_step *const *)a, *y = *(const qn_tune_step *const *)b;
    if (x->objective != y->objective) return x->objective < y->objective ? -1 : 1;
    return x < y ? -1 : x > y;
}

static qn_status add_best(qn_report *report, const qn_tune_trace *trace, const qn_tune_step **order, size_t correct)
{
    static const char *const headers[COLUMNS] = {"Rank", "Test", "Time (ms)", "Of the best", "Configuration"};
    char cells[SHOWN][COLUMNS][CELL];
    const char *pointers[SHOWN * COLUMNS];
    const size_t rows = correct < SHOWN ? correct : SHOWN;
    qsort(order, correct, sizeof *order, compare_steps);
    for (size_t i = 0; i < rows; i++) {
        snprintf(cells[i][0], CELL, "%zu", i + 1);
        snprintf(cells[i][1], CELL, "%zu", (size_t)(order[i] - trace->steps) + 1);
        snprintf(cells[i][2], CELL, "%.4g", 1e3 * order[i]->objective);
        snprintf(cells[i][3], CELL, "%.3f", order[i]->objective / order[0]->objective);
        snprintf(cells[i][4], CELL, "%s", order[i]->text);
        for (int c = 0; c < COLUMNS; c++) pointers[i * COLUMNS + (size_t)c] = cells[i][c];
    }
    QN_TRY(qn_report_heading(report, "Best configurations"));
    return qn_report_table(report, headers, COLUMNS, pointers, rows);
}

/* The first failures with their reasons: the compiler's message, the error of the launch, the largest difference. */
static qn_status add_reasons(qn_report *report, const qn_tune_trace *trace)
{
    enum { REASON_COLUMNS = 4 };
    static const char *const headers[REASON_COLUMNS] = {"Test", "Kind", "Configuration", "Reason"};
    char numbers[SHOWN][32];
    const char *pointers[SHOWN * REASON_COLUMNS];
    size_t rows = 0;
    for (size_t i = 0; i < trace->step_count && rows < SHOWN; i++) {
        const qn_tune_step *step = &trace->steps[i];
        if (step->outcome == QN_TEST_CORRECT || !step->reason) continue;
        snprintf(numbers[rows], sizeof numbers[rows], "%zu", i + 1);
        const char **row = pointers + rows * REASON_COLUMNS;
        row[0] = numbers[rows];
        row[1] = qn_test_outcome_name(step->outcome);
        row[2] = step->text;
        row[3] = step->reason;
        rows++;
    }
    if (rows == 0) return QN_OK;
    QN_TRY(qn_report_heading(report, "Reasons of the first failures"));
    return qn_report_table(report, headers, REASON_COLUMNS, pointers, rows);
}

static qn_status add_failures(qn_report *report, const qn_tune_trace *trace)
{
    static const char *const headers[2] = {"Kind", "Configurations"};
    size_t counts[QN_TEST_CRASH + 1] = {0}, rows = 0;
    char cells[QN_TEST_CRASH + 1][32];
    const char *pointers[2 * (QN_TEST_CRASH + 1)];
    for (size_t i = 0; i < trace->step_count; i++) counts[trace->steps[i].outcome]++;
    for (int kind = QN_TEST_WRONG; kind <= QN_TEST_CRASH; kind++) {
        if (counts[kind] == 0) continue;
        snprintf(cells[rows], sizeof cells[rows], "%zu", counts[kind]);
        pointers[2 * rows] = qn_test_outcome_name((qn_test_outcome)kind);
        pointers[2 * rows + 1] = cells[rows];
        rows++;
    }
    if (rows == 0) return QN_OK;
    QN_TRY(qn_report_heading(report, "Failed configurations"));
    QN_TRY(qn_report_table(report, headers, 2, pointers, rows));
    return add_reasons(report, trace);
}

static qn_status add_all(qn_report *report, const qn_tune_trace *trace)
{
    void *memory;
    size_t correct = 0;
    const qn_tune_step *best = find_best(trace);
    QN_TRY(add_facts(report, trace, best));
    if (best) QN_TRY(qn_report_paragraph(report, "Best configuration: `%s`", best->text));
    if (!best) QN_TRY(qn_report_warning(report, "No configuration computed a correct result."));
    QN_TRY(add_convergence(report, trace));
    QN_TRY(qn_allocate(trace->step_count + 1, sizeof(qn_tune_step *), &memory));
    const qn_tune_step **order = memory;
    for (size_t i = 0; i < trace->step_count; i++)
        if (trace->steps[i].outcome == QN_TEST_CORRECT) order[correct++] = &trace->steps[i];
    qn_status status = correct ? add_best(report, trace, order, correct) : QN_OK;
    qn_release(&memory);
    QN_TRY(status);
    return add_failures(report, trace);
}

qn_status qn_tune_write_report(const qn_tune_trace *trace, const char *path)
{
    qn_report *report = NULL;
    char title[256];
    snprintf(title, sizeof title, "quern tune: %s on %s", trace->name, trace->device);
    qn_status status = qn_report_create(title, &report);
    if (status == QN_OK) status = add_all(report, trace);
    if (status == QN_OK) status = qn_report_write(report, path);
    qn_report_destroy(&report);
    return status;
}
