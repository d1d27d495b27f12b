/* report.html: the motion of all movies over time, movies that are left out, and some movies in detail. */
#include "movie/output_report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"

enum { LEFT_OUT_MAX = 200, OUTLIERS_MAX = 50 };

qn_movie_said qn_movie_say(const char *format, ...)
{
    qn_movie_said said;
    va_list values;
    va_start(values, format);
    vsnprintf(said.text, sizeof said.text, format, values);
    va_end(values);
    return said;
}

/* ---- outliers ---- */

static int compare_numbers(const void *a, const void *b)
{
    const double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

static double median_of(double *values, size_t count)
{
    if (count == 0) return 0;
    qsort(values, count, sizeof *values, compare_numbers);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

double qn_movie_motion_limit(const qn_movie_state *run, double *median_px)
{
    void *memory;
    size_t count = 0;
    *median_px = 0;
    if (qn_allocate(run->row_count, sizeof(double), &memory) != QN_OK) {
        qn_error_clear();
        return INFINITY;
    }
    double *values = memory;
    for (size_t i = 0; i < run->row_count; i++)
        if (!run->rows[i]->numbers.failed) values[count++] = run->rows[i]->numbers.motion_total_px;
    const double median = *median_px = median_of(values, count);
    for (size_t i = 0; i < count; i++) values[i] = fabs(values[i] - median);
    const double deviation = 1.4826 * median_of(values, count);
    qn_release(&memory);
    return deviation > 0 ? median + 5 * deviation : INFINITY;
}

/* ---- facts ---- */

static qn_status put_facts(const qn_movie_state *run, double median_px, qn_report *report)
{
    const char *labels[6], *values[6];
    qn_movie_said said[6];
    size_t count = 0;
    const double seconds = qn_clock_s() - run->job->started_s;
    const size_t done = run->row_count - run->row_failed, made = done - run->row_resumed;
    labels[count] = "Micrographs", said[count++] = qn_movie_say("%zu", done);
    labels[count] = "Movies left out", said[count++] = qn_movie_say("%zu", run->row_failed);
    labels[count] = "Median of total motion", said[count++] = qn_movie_say("%.1f px", median_px);
    for (size_t i = 0; i < run->row_count; i++) {
        const qn_movie_numbers *n = &run->rows[i]->numbers;
        if (n->failed) continue;
        labels[count] = "Micrograph", said[count++] = qn_movie_say("%d × %d px", n->width, n->height);
        labels[count] = "Pixel", said[count++] = qn_movie_say("%.4g Å", n->pixel_angstrom);
        break;
    }
    if (made > 0) labels[count] = "Time per movie", said[count++] = qn_movie_say("%.3g s", seconds / (double)made);
    for (size_t i = 0; i < count; i++) values[i] = said[i].text;
    return qn_report_facts(report, labels, values, count);
}

/* ---- motion over time ---- */

/* Numbers of all processed movies, in their order. */
typedef struct motion_columns {
    double *number, *total, *early;
    const char **names;
    size_t count;
    bool has_dose;
} motion_columns;

static qn_status make_columns(const qn_movie_state *run, motion_columns *columns)
{
    void *memory;
    QN_TRY(qn_allocate(run->row_count, 3 * sizeof(double) + sizeof(char *), &memory));
    columns->number = memory;
    columns->total = columns->number + run->row_count;
    columns->early = columns->total + run->row_count;
    columns->names = (const char **)(void *)(columns->early + run->row_count);
    for (size_t i = 0; i < run->row_count; i++) {
        const qn_movie_facts *row = run->rows[i];
        if (row->numbers.failed) continue;
        columns->number[columns->count] = (double)i + 1;
        columns->total[columns->count] = row->numbers.motion_total_px;
        columns->early[columns->count] = row->numbers.motion_early_px;
        columns->names[columns->count++] = row->texts[QN_MOVIE_NAME];
        columns->has_dose |= row->numbers.has_dose != 0;
    }
    return QN_OK;
}

static qn_status put_motion(const qn_movie_state *run, double limit_px, qn_report *report)
{
    motion_columns c = {.count = 0};
    QN_TRY(qn_report_heading(report, "Motion"));
    QN_TRY(make_columns(run, &c));
    const qn_report_series series[] = {
        {.name = "in all", .x = c.number, .y = c.total, .labels = c.names, .count = c.count},
        {.name = "up to 4 e/Å²", .x = c.number, .y = c.early, .labels = c.names, .count = c.count}};
    const qn_report_plot plot = {.title = "Length of the track of the global motion",
                                 .x_label = "movie",
                                 .y_label = "motion in px of the frames",
                                 .caption = "Each dot is a movie, in the order of the input. Movies far above the "
                                            "others may be of bad areas.",
                                 .series = series,
                                 .series_count = c.has_dose ? 2 : 1};
    qn_status status = qn_report_scatter(report, &plot);
    if (status == QN_OK && isfinite(limit_px))
        status = qn_report_paragraph(report, "Movies beyond %.1f px are outliers: the median plus five deviations.",
                                     limit_px);
    qn_release(&c.number);
    return status;
}

/* ---- tables ---- */

/* A table of movies for which `takes` is true: name, motion, and a text. */
typedef struct movie_table {
    const char *heading;
    const char *const *headers; /* three */
    size_t most;
    bool (*takes)(const qn_movie_facts *row, double limit_px);
    qn_movie_text text;
} movie_table;

static bool is_left_out(const qn_movie_facts *row, double limit_px)
{
    (void)limit_px;
    return row->numbers.failed != 0;
}

static bool is_remarkable(const qn_movie_facts *row, double limit_px)
{
    return !row->numbers.failed && (row->numbers.motion_total_px > limit_px || row->texts[QN_MOVIE_REMARK]);
}

static qn_status put_table(const qn_movie_state *run, const movie_table *table, double limit_px, qn_report *report)
{
    enum { COLUMNS = 3 };
    size_t count = 0, shown = 0;
    void *cells, *texts;
    for (size_t i = 0; i < run->row_count; i++) count += table->takes(run->rows[i], limit_px);
    if (count == 0) return QN_OK;
    const size_t most = count < table->most ? count : table->most;
    QN_TRY(qn_report_heading(report, table->heading));
    QN_TRY(qn_allocate(most * COLUMNS, sizeof(const char *), &cells));
    qn_status status = qn_allocate(most, sizeof(qn_movie_said), &texts);
    qn_movie_said *motion = texts;
    for (size_t i = 0; i < run->row_count && shown < most && status == QN_OK; i++) {
        const qn_movie_facts *row = run->rows[i];
        if (!table->takes(row, limit_px)) continue;
        const char **cell = (const char **)cells + COLUMNS * shown;
        if (!row->numbers.failed) motion[shown] = qn_movie_say("%.1f", row->numbers.motion_total_px);
        cell[0] = row->texts[QN_MOVIE_PATH], cell[1] = motion[shown].text, cell[2] = row->texts[table->text];
        shown++;
    }
    if (status == QN_OK) status = qn_report_table(report, table->headers, COLUMNS, cells, shown);
    if (status == QN_OK && shown < count)
        status =
            qn_report_paragraph(report, "These are the first %zu of %zu movies; `movies.csv` has all.", shown, count);
    qn_release(&texts);
    qn_release(&cells);
    return status;
}

static qn_status fill(const qn_movie_state *run, qn_report *report)
{
    static const char *const reasons[] = {"Movie", "Motion (px)", "Reason"};
    static const char *const remarks[] = {"Movie", "Motion (px)", "Remark"};
    static const movie_table left_out = {"Movies left out", reasons, LEFT_OUT_MAX, is_left_out, QN_MOVIE_REASON};
    static const movie_table outliers = {"Outliers and remarks", remarks, OUTLIERS_MAX, is_remarkable, QN_MOVIE_REMARK};
    double median_px;
    const double limit_px = qn_movie_motion_limit(run, &median_px);
    QN_TRY(put_facts(run, median_px, report));
    QN_TRY(qn_job_report_warnings(run->job, report));
    QN_TRY(put_motion(run, limit_px, report));
    QN_TRY(put_table(run, &outliers, limit_px, report));
    QN_TRY(put_table(run, &left_out, limit_px, report));
    QN_TRY(qn_movie_report_details(run, limit_px, report));
    return qn_job_report_kernels(run->job, report);
}

qn_status qn_movie_write_report(qn_movie_state *run)
{
    qn_report *report;
    char *path;
    QN_TRY(qn_job_path(run->job, "report.html", &path));
    qn_status status = qn_report_create("quern movie", &report);
    if (status == QN_OK) {
        status = fill(run, report);
        if (status == QN_OK) status = qn_report_write(report, path);
        qn_report_destroy(&report);
    }
    qn_release(&path);
    return status;
}
