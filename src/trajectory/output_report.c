/* report.html: a plot or a copy of every table, the numbers, and facts of the run. */
#include <inttypes.h>
#include <math.h>
#include <quern/version.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/html.h"
#include "report/number.h"
#include "trajectory/output.h"
#include "trajectory/query/blocks.h"

/* Tables of more than POINTS_MAX rows are thinned out for plots; those of fewer than FEWEST_POINTS are shown as tables.
 * CELLS_MAX: most numbers in a row of tiles. */
enum { POINTS_MAX = 2000, FEWEST_POINTS = 4, CELLS_MAX = 12 };

typedef struct numbers_text {
    char text[96];
} numbers_text;

/* "2.35 D", "2.09 × 10⁻⁵ cm²/s", "(2.2 ± 0.4) × 10⁻⁵ cm²/s"; without an error three digits, or all of a whole number.
 */
static numbers_text say(double value, double error, const char *unit)
{
    numbers_text said;
    char number[QN_NUMBER_LENGTH];
    const bool is_scaled = unit[0] >= '0' && unit[0] <= '9', has_error = isfinite(error) && error > 0;
    if (has_error)
        qn_number_read_with_error(value, error, number);
    else if (value == floor(value) && fabs(value) < 1e15)
        snprintf(number, sizeof number, "%.0f", value);
    else
        qn_number_read(value, 3, number);
    const bool is_sum = has_error && is_scaled && strstr(number, "±") && number[0] != '(';
    snprintf(said.text, sizeof said.text, "%s%.60s%s%s%s", is_sum ? "(" : "", number, is_sum ? ")" : "",
             is_scaled ? " × "
             : unit[0] ? " "
                       : "",
             unit);
    return said;
}

static numbers_text say_time(double time_ps)
{
    numbers_text said;
    char number[32];
    qn_output_number(time_ps, number);
    snprintf(said.text, sizeof said.text, "%s ps", number);
    return said;
}

static numbers_text say_count(uint64_t count)
{
    numbers_text said;
    snprintf(said.text, sizeof said.text, "%" PRIu64, count);
    return said;
}

/* ---- plots ---- */

typedef struct plot_data {
    double *values; /* x, y and errors of each series, one after the other */
    size_t points;  /* number of points of a series */
    size_t bucket;  /* number of rows that two points represent; 0: every row is a point */
} plot_data;

static double cell(const qn_trajectory_results *results, const qn_query_filled_table *filled, size_t row, size_t column)
{
    const qn_query_table *table = &filled->table;
    return filled->values[row * table->column_count + column] *
           qn_output_factor(results, table->columns[column].length_power);
}

/* Find the rows of the least and the greatest value of `column` from `begin` to `end`; the lower row comes first. */
static void find_extremes(const qn_query_filled_table *filled, size_t column, size_t begin, size_t end, size_t rows[2])
{
    const size_t columns = filled->table.column_count;
    size_t least = begin, most = begin;
    for (size_t row = begin; row < end; row++) {
        const double value = filled->values[row * columns + column];
        if (value < filled->values[least * columns + column]) least = row;
        if (value > filled->values[most * columns + column]) most = row;
    }
    rows[0] = least < most ? least : most;
    rows[1] = least < most ? most : least;
}

/* The column of another column's errors; 0: it has none. */
static size_t errors_of(const qn_query_table *table, size_t column)
{
    const char *label = table->columns[column].label;
    static const char before[] = "error of ";
    for (size_t i = qn_output_plotted(table) + 1; i < table->column_count; i++)
        if (strncmp(table->columns[i].label, before, sizeof before - 1) == 0 &&
            strcmp(table->columns[i].label + sizeof before - 1, label) == 0)
            return i;
    return 0;
}

/* Fill x and y of a series. Of each bucket, the least and the greatest value are kept, so that peaks stay visible. */
static void fill_series(const qn_trajectory_results *results, const qn_query_filled_table *filled, size_t column,
                        const plot_data *data, double *x, double *y)
{
    for (size_t point = 0; point < data->points; point++) {
        size_t rows[2] = {point, point};
        if (data->bucket > 0) {
            const size_t begin = point / 2 * data->bucket, end = begin + data->bucket;
            find_extremes(filled, column, begin, end < filled->row_count ? end : filled->row_count, rows);
        }
        x[point] = cell(results, filled, rows[point % 2], 0);
        y[point] = cell(results, filled, rows[point % 2], column);
    }
}

static qn_status add_plot(qn_report *report, const qn_trajectory_results *results, const qn_query_filled_table *filled,
                          size_t first, size_t end, qn_report_series *series, const plot_data *data)
{
    const qn_query_table *table = &filled->table;
    const qn_query_column *x = &table->columns[0], *y = &table->columns[first];
    const bool alone = end == first + 1, all = first == 1 && end == qn_output_plotted(table) + 1;
    qn_text x_label = {0}, y_label = {0}, title = {0}, caption = {0};
    qn_status status = qn_output_label(results, x->label, x->unit, true, &x_label);
    if (status == QN_OK) status = qn_output_label(results, alone ? y->label : table->title, y->unit, true, &y_label);
    if (status == QN_OK && all) status = qn_text_append(&title, "%s", table->title);
    if (status == QN_OK && !all) status = qn_text_append(&title, "%s: %s", table->title, y->label);
    if (status == QN_OK && table->note) status = qn_text_append(&caption, "%s", table->note);
    if (status == QN_OK && data->bucket > 0)
        status = qn_text_append(&caption, "%sOf every %zu rows the least and the greatest are shown.",
                                caption.length ? " " : "", data->bucket);
    bool has_errors = false;
    for (size_t column = first; column < end && status == QN_OK; column++) {
        double *values = data->values + 3 * data->points * (column - first);
        const size_t errors = data->bucket > 0 ? 0 : errors_of(table, column);
        fill_series(results, filled, column, data, values, values + data->points);
        for (size_t row = 0; errors > 0 && row < data->points; row++)
            values[2 * data->points + row] = cell(results, filled, row, errors);
        has_errors = has_errors || errors > 0;
        series[column - first] = (qn_report_series){.name = table->columns[column].label,
                                                    .x = values,
                                                    .y = values + data->points,
                                                    .count = data->points,
                                                    .errors = errors > 0 ? values + 2 * data->points : NULL};
    }
    if (status == QN_OK && has_errors)
        status = qn_text_append(&caption, "%sBars, or a band, show the standard error of each mean.",
                                caption.length ? " " : "");
    if (status == QN_OK)
        status = qn_report_lines(report, &(qn_report_plot){.title = title.data,
                                                           .x_label = x_label.data,
                                                           .y_label = y_label.data,
                                                           .caption = caption.data,
                                                           .series = series,
                                                           .series_count = end - first});
    qn_text_clear(&caption);
    qn_text_clear(&title);
    qn_text_clear(&y_label);
    qn_text_clear(&x_label);
    return status;
}

/* Add one plot for each run of columns with the same unit: columns of different units cannot share an axis. */
static qn_status add_plots(qn_report *report, const qn_trajectory_results *results, const qn_query_filled_table *filled)
{
    const size_t end = qn_output_plotted(&filled->table) + 1, rows = filled->row_count;
    plot_data data = {.points = rows};
    void *memory, *list;
    if (rows > POINTS_MAX) {
        data.bucket = 2 * ((rows + POINTS_MAX - 1) / POINTS_MAX);
        data.points = 2 * ((rows + data.bucket - 1) / data.bucket);
    }
    QN_TRY(qn_allocate(3 * data.points * end, sizeof(double), &memory));
    data.values = memory;
    qn_status status = qn_allocate(end, sizeof(qn_report_series), &list);
    for (size_t first = 1; first < end && status == QN_OK;) {
        const size_t next = qn_output_same_unit(&filled->table, first, end);
        status = add_plot(report, results, filled, first, next, list, &data);
        first = next;
    }
    qn_release(&list);
    qn_release(&memory);
    return status;
}

/* ---- small tables ---- */

static qn_status copy_cell(const char *text, const char **cell)
{
    char *copy;
    QN_TRY(qn_text_copy(text, &copy));
    *cell = copy;
    return QN_OK;
}

static qn_status fill_cells(const qn_trajectory_results *results, const qn_query_filled_table *filled,
                            const char **headers, const char **cells)
{
    const size_t columns = filled->table.column_count;
    for (size_t i = 0; i < columns; i++) {
        qn_text label = {0};
        qn_status status =
            qn_output_label(results, filled->table.columns[i].label, filled->table.columns[i].unit, true, &label);
        if (status == QN_OK) status = copy_cell(label.data, &headers[i]);
        qn_text_clear(&label);
        QN_TRY(status);
    }
    for (size_t i = 0; i < filled->row_count * columns; i++) {
        char number[32];
        qn_output_number(cell(results, filled, i / columns, i % columns), number);
        QN_TRY(copy_cell(number, &cells[i]));
    }
    return QN_OK;
}

static qn_status add_table(qn_report *report, const qn_trajectory_results *results, const qn_query_filled_table *filled)
{
    const size_t columns = filled->table.column_count, count = filled->row_count * columns;
    void *memory;
    if (filled->row_count == 0) return qn_report_paragraph(report, "%s: no rows.", filled->table.title);
    QN_TRY(qn_allocate(columns + count, sizeof(char *), &memory));
    const char **texts = memory;
    qn_status status = fill_cells(results, filled, texts, texts + columns);
    if (status == QN_OK) status = qn_report_paragraph(report, "%s", filled->table.title);
    if (status == QN_OK) status = qn_report_table(report, texts, columns, texts + columns, filled->row_count);
    for (size_t i = 0; i < columns + count; i++) qn_release(&texts[i]);
    qn_release(&memory);
    return status;
}

/* ---- means over frames ---- */

/* Deviations below this share of the mean are rounding errors. */
static const double rounding = 1e-9;

typedef struct column_mean {
    double mean, deviation, error;
} column_mean;

static column_mean measure_column(const qn_trajectory_results *results, const qn_query_filled_table *filled,
                                  size_t column)
{
    const size_t rows = filled->row_count, stride = filled->table.column_count;
    const double factor = qn_output_factor(results, filled->table.columns[column].length_power);
    const double *values = filled->values + column;
    double sum = 0, squares = 0;
    for (size_t row = 0; row < rows; row++) sum += values[row * stride];
    const double mean = sum / (double)rows;
    for (size_t row = 0; row < rows; row++) squares += (values[row * stride] - mean) * (values[row * stride] - mean);
    return (column_mean){factor * mean, factor * sqrt(squares / (double)rows),
                         factor * qn_blocks_error_of_column(values, stride, rows)};
}

static qn_status fill_means(const qn_trajectory_results *results, const qn_query_filled_table *filled,
                            const char **cells)
{
    for (size_t column = 1; column <= qn_output_plotted(&filled->table); column++) {
        const qn_query_column *of = &filled->table.columns[column];
        const column_mean measured = measure_column(results, filled, column);
        char number[QN_NUMBER_LENGTH];
        qn_text label = {0};
        qn_status status = qn_output_label(results, of->label, of->unit, true, &label);
        if (status == QN_OK) status = copy_cell(label.data, &cells[3 * (column - 1)]);
        qn_text_clear(&label);
        QN_TRY(status);
        qn_number_read_with_error(measured.mean, measured.error, number);
        QN_TRY(copy_cell(number, &cells[3 * (column - 1) + 1]));
        qn_number_read(measured.deviation > rounding * fabs(measured.mean) ? measured.deviation : 0, 2, number);
        QN_TRY(copy_cell(number, &cells[3 * (column - 1) + 2]));
    }
    return QN_OK;
}

/* Add the means of all plotted columns. */
static qn_status add_means(qn_report *report, const qn_trajectory_results *results, const qn_query_filled_table *filled)
{
    static const char *const headers[] = {"Mean over frames", "Mean ± error", "Deviation of frames"};
    const size_t rows = qn_output_plotted(&filled->table), frames = filled->row_count;
    void *memory;
    const size_t length = qn_blocks_length(frames);
    QN_TRY(qn_allocate(3 * rows, sizeof(char *), &memory));
    const char **cells = memory;
    qn_status status = fill_means(results, filled, cells);
    if (status == QN_OK) status = qn_report_table(report, headers, 3, cells, rows);
    if (status == QN_OK && frames / length >= QN_BLOCKS_LEAST)
        status = qn_report_paragraph(report,
                                     "Errors are those of means over %zu blocks of %s. If frames farther apart than a "
                                     "block resemble each other, they are too small.",
                                     frames / length, qn_count_of(length, "frame").text);
    for (size_t i = 0; i < 3 * rows; i++) qn_release(&cells[i]);
    qn_release(&memory);
    return status;
}

/* ---- queries ---- */

static const char halves[] = "difference of its halves", error_of[] = "error of ";

/* The number after another one that has its error: its label is "error of LABEL", or this difference. NULL: none. */
static const qn_query_number *error_after(const qn_query_tables *tables, size_t index)
{
    if (index + 1 >= tables->number_count) return NULL;
    const qn_query_number *number = &tables->numbers[index], *next = number + 1;
    const bool is_error = strncmp(next->label, error_of, sizeof error_of - 1) == 0 &&
                          strcmp(next->label + sizeof error_of - 1, number->label) == 0;
    return is_error || strcmp(next->label, halves) == 0 ? next : NULL;
}

static qn_status add_numbers(qn_report *report, const qn_trajectory_results *results, const qn_query_tables *tables)
{
    for (size_t i = 0; i < tables->number_count;) {
        const char *labels[CELLS_MAX], *values[CELLS_MAX];
        numbers_text said[CELLS_MAX];
        size_t count = 0;
        for (; count < CELLS_MAX && i < tables->number_count; i++) {
            const qn_query_number *number = &tables->numbers[i];
            qn_text unit = {0};
            if (strncmp(number->label, error_of, sizeof error_of - 1) == 0) continue; /* shown with its number */
            QN_TRY(qn_output_unit(results, number->unit, &unit));
            const double factor = qn_output_factor(results, number->length_power);
            const qn_query_number *error = error_after(tables, i);
            said[count] = say(number->value * factor, error ? error->value * factor : (double)NAN, unit.data);
            qn_text_clear(&unit);
            labels[count] = number->label;
            values[count] = said[count].text;
            count++;
        }
        QN_TRY(qn_report_facts(report, labels, values, count));
    }
    return QN_OK;
}

static qn_status add_files(qn_report *report, const qn_trajectory_results *results, const qn_query_result *query)
{
    const qn_query_tables *tables = query->tables;
    static const char *const formats[] = {[QN_TRAJECTORY_XVG] = "xvg", [QN_TRAJECTORY_CSV] = "csv"};
    qn_text list = {0}, name = {0};
    qn_status status = QN_OK;
    if (results->job->in_memory) return QN_OK;
    for (size_t i = 0; i < tables->table_count + tables->grid_count; i++)
        for (size_t k = 0; k < 2 && status == QN_OK; k++) {
            const bool is_grid = i >= tables->table_count;
            if (is_grid ? k > 0 : !qn_output_wants(results, (qn_trajectory_format)k)) continue;
            name.length = 0;
            status = qn_output_name(
                query, is_grid ? tables->grids[i - tables->table_count].name : tables->tables[i].table.name,
                is_grid ? "dx" : formats[k], &name);
            if (status == QN_OK) status = qn_text_append(&list, "%s`%s`", list.length ? ", " : "", name.data);
        }
    if (status == QN_OK && list.length) status = qn_report_paragraph(report, "Files: %s.", list.data);
    qn_text_clear(&name);
    qn_text_clear(&list);
    return status;
}

static qn_status add_grid(qn_report *report, const qn_trajectory_results *results, const qn_query_grid *grid)
{
    const size_t count = (size_t)grid->counts[0] * (size_t)grid->counts[1] * (size_t)grid->counts[2];
    const double factor = qn_output_factor(results, grid->length_power);
    double least = INFINITY, most = -INFINITY, sum = 0;
    qn_text unit = {0};
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, grid->values[i]);
        most = fmax(most, grid->values[i]);
        sum += grid->values[i];
    }
    qn_status status = qn_output_unit(results, grid->unit, &unit);
    if (status == QN_OK)
        status = qn_report_paragraph(report, "%s on a grid of %d × %d × %d cells: from %.4g to %.4g, mean %.4g %s.%s",
                                     grid->title, grid->counts[0], grid->counts[1], grid->counts[2], factor * least,
                                     factor * most, factor * sum / (double)count, unit.data,
                                     results->job->in_memory ? "" : " VMD, PyMOL and ChimeraX show the file.");
    qn_text_clear(&unit);
    return status;
}

static qn_status add_query(qn_report *report, const qn_trajectory_results *results, const qn_query_result *query)
{
    qn_text description = {0};
    QN_TRY(qn_report_heading(report, query->name));
    qn_status status = qn_output_describe(results, query, &description);
    if (status == QN_OK && strcmp(description.data, query->name) != 0) /* the heading has the name */
        status = qn_report_paragraph(report, "%s.", description.data);
    qn_text_clear(&description);
    QN_TRY(status);
    QN_TRY(add_numbers(report, results, query->tables));
    for (size_t i = 0; i < query->tables->table_count; i++) {
        const qn_query_filled_table *filled = &query->tables->tables[i];
        if (filled->row_count < FEWEST_POINTS)
            QN_TRY(add_table(report, results, filled));
        else
            QN_TRY(add_plots(report, results, filled));
        if (filled->row_count >= FEWEST_POINTS && filled->over_frames) QN_TRY(add_means(report, results, filled));
    }
    for (size_t i = 0; i < query->tables->grid_count; i++) QN_TRY(add_grid(report, results, &query->tables->grids[i]));
    return add_files(report, results, query);
}

/* ---- the run ---- */

static qn_status add_facts(qn_report *report, const qn_trajectory_results *results)
{
    static const char *const labels[] = {"atoms", "frames", "from", "to", "frames per second"};
    const double analysed = (double)(results->frames - results->resumed);
    const numbers_text said[] = {say_count(results->topology->atom_count), say_count(results->frames),
                                 say_time(results->first_ps), say_time(results->last_ps),
                                 say(results->analyse_s > 0 ? analysed / results->analyse_s : 0, (double)NAN, "")};
    const char *values[5], *shown[5];
    size_t count = 0;
    for (int i = 0; i < 5; i++) {
        if ((i == 2 || i == 3) && !isfinite(results->first_ps)) continue;
        shown[count] = labels[i];
        values[count++] = said[i].text;
    }
    return qn_report_facts(report, shown, values, count);
}

static qn_status add_inputs(qn_report *report, const qn_trajectory_results *results)
{
    const qn_live_facts *live = results->live;
    QN_TRY(qn_report_paragraph(report, "Topology `%s`: %s in %s and %s.", qn_output_topology_name(results),
                               qn_count_of(results->topology->atom_count, "atom").text,
                               qn_count_of(results->topology->residue_count, "residue").text,
                               qn_count_of(results->topology->molecule_count, "molecule").text));
    if (live)
        QN_TRY(qn_report_paragraph(
            report, "Simulation at `%s` (IMD version %d): %s received, %s to pause sent, %s missing. %s%s",
            results->options->live, live->version, qn_count_of(live->received, "frame").text,
            qn_count_of(live->pauses, "request").text, qn_count_of(live->dropped, "frame").text, live->ending,
            live->ending[0] ? "." : ""));
    for (size_t i = 0; i < results->file_count; i++) {
        const qn_frame_file_facts *file = &results->files[i];
        QN_TRY(qn_report_paragraph(report, "Trajectory `%s` (%s): %s.", file->path,
                                   file->format ? file->format : "not read, as no more frames were needed",
                                   qn_count_of(file->frames, "frame").text));
    }
    return QN_OK;
}

static qn_status add_run(qn_report *report, const qn_trajectory_results *results)
{
    const double seconds = results->analyse_s;
    char rate[QN_NUMBER_LENGTH];
    qn_number_read(seconds > 0 ? 1e-6 * (double)results->bytes / seconds : 0, 3, rate);
    QN_TRY(qn_report_heading(report, "Run"));
    QN_TRY(add_inputs(report, results));
    qn_text devices = {0};
    qn_status status = qn_text_append(
        &devices, "%s", qn_count_of((unsigned long long)qn_pool_threads(results->job->pool), "thread").text);
    for (int i = 0; i < results->job->device_count && status == QN_OK; i++) {
        const qn_device_info *device = qn_device_get_info(results->job->devices[i]);
        status = qn_text_append(&devices, ", %s (%s)", device->identifier, device->name);
    }
    if (status == QN_OK)
        status = qn_report_paragraph(report,
                                     "Quern %s, %s; %.1f s in all, of them %.1f s for %s (%s MB/s). "
                                     "Lengths are in %s.%s",
                                     QN_VERSION, devices.data, results->total_s, seconds,
                                     qn_count_of(results->frames - results->resumed, "frame").text, rate,
                                     qn_output_in_angstrom(results) ? "Å" : "nm",
                                     results->job->in_memory ? "" : " `run.json` holds every option.");
    qn_text_clear(&devices);
    return status;
}

static qn_status fill_report(qn_report *report, const qn_trajectory_results *results)
{
    const bool running = results->live && !results->live->ending[0];
    if (!results->complete)
        QN_TRY(qn_report_warning(report, "%s: these are the results of the first %s.%s",
                                 running ? "The simulation is still running" : "Not all frames were analysed",
                                 qn_count_of(results->frames, "frame").text,
                                 running ? " Load the page again for more." : ""));
    QN_TRY(qn_job_report_warnings(results->job, report));
    QN_TRY(add_facts(report, results));
    for (size_t i = 0; i < results->query_count; i++) QN_TRY(add_query(report, results, &results->queries[i]));
    return add_run(report, results);
}

qn_status qn_trajectory_report_page(const qn_trajectory_results *results, qn_text *page)
{
    const qn_trajectory_options *options = results->options;
    qn_report *report;
    qn_text title = {0};
    const char *what = options->live             ? options->live
                       : results->file_count > 0 ? qn_path_name(results->files[0].path)
                                                 : qn_path_name(qn_output_topology_name(results));
    qn_status status = qn_text_append(&title, "Trajectory %s", what);
    if (status == QN_OK && !options->live && options->trajectory_count > 1)
        status = qn_text_append(&title, " and %zu more", options->trajectory_count - 1);
    if (status == QN_OK) status = qn_report_create(title.data, &report);
    qn_text_clear(&title);
    QN_TRY(status);
    status = fill_report(report, results);
    if (status == QN_OK) status = qn_job_report_kernels(results->job, report);
    if (status == QN_OK) status = qn_report_page(report, page);
    qn_report_destroy(&report);
    return status;
}

qn_status qn_output_write_report(const qn_trajectory_results *results)
{
    qn_text page = {0};
    qn_status status = qn_trajectory_report_page(results, &page);
    if (status == QN_OK) status = qn_output_write_file(results, "report.html", &page);
    qn_text_clear(&page);
    return status;
}
