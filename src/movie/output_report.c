/* report.html: the motion of all movies over time, movies that are left out, and some movies in detail. */
#include "movie/output_report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/median.h"

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
    const double median = *median_px = qn_median(values, count);
    for (size_t i = 0; i < count; i++) values[i] = fabs(values[i] - median);
    const double deviation = 1.4826 * qn_median(values, count);
    qn_release(&memory);
    return deviation > 0 ? median + 5 * deviation : INFINITY;
}

/* ---- facts ---- */

/* Tiles of a label and a value. */
typedef struct fact_list {
    const char *labels[10];
    qn_movie_said said[10];
    size_t count;
} fact_list;

static void add_fact(fact_list *list, const char *label, qn_movie_said said)
{
    list->labels[list->count] = label;
    list->said[list->count++] = said;
}

/* Sizes and exposure, of the first movie. */
static void add_conditions(const qn_movie_state *run, fact_list *list)
{
    for (size_t i = 0; i < run->row_count; i++) {
        const qn_movie_numbers *n = &run->rows[i]->numbers;
        if (n->failed) continue;
        add_fact(list, "Micrograph", qn_movie_say("%d × %d px", n->width, n->height));
        add_fact(list, "Pixel of the micrograph", qn_movie_say("%.4g Å", n->pixel_angstrom));
        add_fact(list, "Frames", qn_movie_say("%d", n->frame_count));
        add_fact(list, "Exposure", n->has_dose ? qn_movie_say("%.4g e/Å²", n->dose) : qn_movie_say("not known"));
        break;
    }
}

static qn_status put_facts(const qn_movie_state *run, double median_px, qn_report *report)
{
    fact_list list = {.count = 0};
    const char *values[sizeof list.said / sizeof *list.said];
    const double seconds = qn_clock_s() - run->job->started_s;
    const size_t done = run->row_count - run->row_failed, made = done - run->row_resumed;
    add_fact(&list, "Micrographs", qn_movie_say("%zu", done));
    add_fact(&list, "Movies left out", qn_movie_say("%zu", run->row_failed));
    add_fact(&list, done == 1 ? "Global motion" : "Median of global motion", qn_movie_say("%.1f px", median_px));
    if (made > 0) add_fact(&list, "Time per movie", qn_movie_say("%.3g s", seconds / (double)made));
    add_conditions(run, &list);
    for (size_t i = 0; i < list.count; i++) values[i] = list.said[i].text;
    return qn_report_facts(report, list.labels, values, list.count);
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

/* One movie is no course of time. */
static qn_status put_motion(const qn_movie_state *run, double limit_px, qn_report *report)
{
    motion_columns c = {.count = 0};
    char caption[320];
    int length = snprintf(caption, sizeof caption, "Each dot is a movie, in the order of the input.");
    if (isfinite(limit_px))
        snprintf(caption + length, sizeof caption - (size_t)length,
                 " Movies beyond %.1f px are outliers: the median plus five standard deviations, which follow from the "
                 "median distance to the median. They may be of bad areas.",
                 limit_px);
    if (run->row_count - run->row_failed < 2) return QN_OK;
    QN_TRY(qn_report_heading(report, "Motion"));
    QN_TRY(make_columns(run, &c));
    const qn_report_series series[] = {
        {.name = "all frames", .x = c.number, .y = c.total, .labels = c.names, .count = c.count},
        {.name = "frames up to 4 e/Å²", .x = c.number, .y = c.early, .labels = c.names, .count = c.count}};
    const qn_report_plot plot = {.title = "Global motion of each movie",
                                 .x_label = "movie",
                                 .y_label = "length of the track in pixels of the frames",
                                 .caption = caption,
                                 .series = series,
                                 .series_count = c.has_dose ? 2 : 1};
    qn_status status = qn_report_scatter(report, &plot);
    qn_release(&c.number);
    return status;
}

/* ---- tables ---- */

/* Cells of a table of at most `most` movies; the texts are those of `texts` and of the movies. */
typedef struct movie_table {
    const char *heading;
    const char *const *headers;
    size_t columns, most;
    bool (*takes)(const qn_movie_facts *row, double limit_px);
    void (*fill)(const qn_movie_facts *row, double limit_px, qn_movie_said *said, const char **cells);
} movie_table;

static bool is_left_out(const qn_movie_facts *row, double limit_px)
{
    (void)limit_px;
    return row->numbers.failed != 0;
}

/* Most reasons begin with the path of the movie, which is in the cell before. */
static void fill_left_out(const qn_movie_facts *row, double limit_px, qn_movie_said *said, const char **cells)
{
    const char *path = row->texts[QN_MOVIE_PATH], *reason = row->texts[QN_MOVIE_REASON];
    const size_t length = strlen(path);
    (void)limit_px, (void)said;
    cells[0] = path;
    cells[1] = reason && strncmp(reason, path, length) == 0 && strncmp(reason + length, ": ", 2) == 0
                   ? reason + length + 2
                   : reason;
}

static bool is_remarkable(const qn_movie_facts *row, double limit_px)
{
    return !row->numbers.failed && (row->numbers.motion_total_px > limit_px || row->texts[QN_MOVIE_REMARK]);
}

static void fill_remarkable(const qn_movie_facts *row, double limit_px, qn_movie_said *said, const char **cells)
{
    *said = qn_movie_say("%.1f", row->numbers.motion_total_px);
    cells[0] = row->texts[QN_MOVIE_PATH], cells[1] = said->text;
    cells[2] = row->numbers.motion_total_px > limit_px ? "outlier" : "";
    cells[3] = row->texts[QN_MOVIE_REMARK];
}

static qn_status put_table(const qn_movie_state *run, const movie_table *table, double limit_px, qn_report *report)
{
    size_t count = 0, shown = 0;
    void *cells, *texts;
    for (size_t i = 0; i < run->row_count; i++) count += table->takes(run->rows[i], limit_px);
    if (count == 0) return QN_OK;
    const size_t most = count < table->most ? count : table->most;
    QN_TRY(qn_report_heading(report, table->heading));
    QN_TRY(qn_allocate(most * table->columns, sizeof(const char *), &cells));
    qn_status status = qn_allocate(most, sizeof(qn_movie_said), &texts);
    for (size_t i = 0; i < run->row_count && shown < most && status == QN_OK; i++) {
        if (!table->takes(run->rows[i], limit_px)) continue;
        table->fill(run->rows[i], limit_px, (qn_movie_said *)texts + shown,
                    (const char **)cells + table->columns * shown);
        shown++;
    }
    if (status == QN_OK) status = qn_report_table(report, table->headers, table->columns, cells, shown);
    if (status == QN_OK && shown < count)
        status =
            qn_report_paragraph(report, "These are the first %zu of %zu movies; `movies.csv` has all.", shown, count);
    qn_release(&texts);
    qn_release(&cells);
    return status;
}

static qn_status fill(const qn_movie_state *run, qn_report *report)
{
    static const char *const reasons[] = {"Movie", "Reason"};
    static const char *const remarks[] = {"Movie", "Motion (px)", "Outlier", "Remark"};
    static const movie_table left_out = {"Movies left out", reasons, 2, LEFT_OUT_MAX, is_left_out, fill_left_out};
    static const movie_table outliers = {"Outliers and remarks", remarks,       4,
                                         OUTLIERS_MAX,           is_remarkable, fill_remarkable};
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
