#include "trajectory/output.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/number.h"
#include "report/number.h"

bool qn_output_in_angstrom(const qn_trajectory_results *results)
{
    return results->options->units == QN_TRAJECTORY_ANGSTROM;
}

double qn_output_factor(const qn_trajectory_results *results, int length_power)
{
    double factor = 1;
    if (!qn_output_in_angstrom(results)) return 1;
    for (int i = 0; i < length_power; i++) factor *= 10;
    for (int i = 0; i > length_power; i--) factor /= 10;
    return factor;
}

qn_status qn_output_unit(const qn_trajectory_results *results, const char *unit, qn_text *text)
{
    const char *nm;
    while (qn_output_in_angstrom(results) && (nm = strstr(unit, "nm"))) {
        QN_TRY(qn_text_append(text, "%.*sÅ", (int)(nm - unit), unit));
        unit = nm + 2;
    }
    return qn_text_append(text, "%s", unit);
}

qn_status qn_output_label(const qn_trajectory_results *results, const char *label, const char *unit, bool capital,
                          qn_text *text)
{
    /* a symbol, such as x, g(r) or q, keeps its case */
    const bool is_word = isalpha((unsigned char)label[0]) && isalpha((unsigned char)label[1]);
    if (capital && is_word)
        QN_TRY(qn_text_append(text, "%c%s", toupper((unsigned char)label[0]), label + 1));
    else
        QN_TRY(qn_text_append(text, "%s", label));
    if (!unit[0]) return QN_OK;
    QN_TRY(qn_text_append(text, " ("));
    QN_TRY(qn_output_unit(results, unit, text));
    return qn_text_append(text, ")");
}

qn_status qn_output_name(const qn_query_result *query, const char *part, const char *extension, qn_text *name)
{
    return qn_text_append(name, "%s%s%s.%s", query->name, part[0] ? "_" : "", part, extension);
}

/* Number of significant digits of a value, 6 to 10. A float, such as a time from a file, gets the fewest digits that
 * give the same float again; other values get 10. */
static int digits_of(double value)
{
    char text[QN_NUMBER_LENGTH];
    double read;
    if ((double)(float)value != value) return 10;
    for (int digits = 6; digits < 10; digits++) {
        qn_number_format(value, QN_NUMBER_GENERAL, digits, text);
        if (qn_number_parse(text, strlen(text), &read) && (float)read == (float)value) return digits;
    }
    return 10;
}

void qn_output_number(double value, char text[32])
{
    const double most_whole = 9007199254740992.0; /* 2^53: beyond it doubles skip whole numbers */
    char digits[QN_NUMBER_LENGTH];
    const bool whole = value == floor(value) && fabs(value) <= most_whole;
    qn_number_format(value, whole ? QN_NUMBER_FIXED : QN_NUMBER_GENERAL, whole ? 0 : digits_of(value), digits);
    snprintf(text, 32, "%s", digits);
}

qn_status qn_output_parameter(const qn_trajectory_results *results, const qn_query_result *query,
                              const qn_query_parameter *parameter, qn_text *text)
{
    for (size_t i = 0; i < query->query->parameter_count; i++)
        if (strcmp(query->query->parameters[i].name, parameter->name) == 0)
            return qn_text_append(text, "%s", query->query->parameters[i].value);
    const char *fallback = parameter->fallback ? parameter->fallback : "";
    double length_nm;
    char number[32], rest;
    if (parameter->kind != QN_PARAMETER_LENGTH || sscanf(fallback, "%lf%c", &length_nm, &rest) != 1)
        return qn_text_append(text, "%s", fallback);
    qn_output_number(length_nm * qn_output_factor(results, 1), number);
    return qn_text_append(text, "%s", number);
}

static qn_status describe_selection(const char *between, const char *selection, size_t atoms, bool fixed, qn_text *text)
{
    return qn_text_append(text, "%s\"%s\" (%s%s)", between, selection, qn_count_of(atoms, "atom").text,
                          fixed ? "" : " in the first frame");
}

void qn_output_keep_in_line(qn_text *text, size_t from)
{
    for (size_t i = from; i < text->length; i++)
        if ((unsigned char)text->data[i] < ' ') text->data[i] = ' ';
}

static bool is_on(const char *flag)
{
    return strcmp(flag, "yes") == 0 || strcmp(flag, "true") == 0 || strcmp(flag, "on") == 0;
}

/* Append ", max 1.2 nm"; nothing for flags that are off and for empty values. */
static qn_status describe_parameter(const qn_trajectory_results *results, const qn_query_result *query,
                                    const qn_query_parameter *parameter, qn_text *text)
{
    qn_text value = {0};
    qn_status status = qn_output_parameter(results, query, parameter, &value);
    const bool is_flag = parameter->kind == QN_PARAMETER_FLAG, is_length = parameter->kind == QN_PARAMETER_LENGTH;
    const char *unit = !is_length ? "" : qn_output_in_angstrom(results) ? " Å" : " nm";
    const bool said = status == QN_OK && value.length > 0 && (!is_flag || is_on(value.data));
    if (said && is_flag) status = qn_text_append(text, ", %s", parameter->name);
    if (said && !is_flag) status = qn_text_append(text, ", %s %s%s", parameter->name, value.data, unit);
    qn_text_clear(&value);
    return status;
}

qn_status qn_output_describe(const qn_trajectory_results *results, const qn_query_result *query, qn_text *text)
{
    const qn_query_parameter *parameter = query->query_class->parameters;
    const size_t from = text->length;
    QN_TRY(qn_text_append(text, "%s", query->query_class->name));
    if (query->select) QN_TRY(describe_selection(" of ", query->select, query->atom_counts[0], query->fixed[0], text));
    if (query->with) QN_TRY(describe_selection(" with ", query->with, query->atom_counts[1], query->fixed[1], text));
    for (; parameter && parameter->name; parameter++) QN_TRY(describe_parameter(results, query, parameter, text));
    qn_output_keep_in_line(text, from);
    return query->whole ? qn_text_append(text, ", molecules made whole") : QN_OK;
}

qn_status qn_output_write_file(const qn_trajectory_results *results, const char *name, const qn_text *content)
{
    char *path;
    QN_TRY(qn_job_path(results->job, name, &path));
    const qn_status status = qn_file_write(path, content->data ? content->data : "", content->length);
    qn_release(&path);
    return status;
}

size_t qn_output_plotted(const qn_query_table *table)
{
    return table->plotted > 0 ? table->plotted : table->column_count - 1;
}

size_t qn_output_same_unit(const qn_query_table *table, size_t first, size_t end)
{
    size_t next = first + 1;
    while (next < end && strcmp(table->columns[next].unit, table->columns[first].unit) == 0) next++;
    return next;
}

bool qn_output_wants(const qn_trajectory_results *results, qn_trajectory_format format)
{
    return results->options->format == format || results->options->format == QN_TRAJECTORY_BOTH;
}

const char *qn_output_topology_name(const qn_trajectory_results *results)
{
    const char *path = results->options->topology;
    return path ? path : results->topology->name ? results->topology->name : "the topology in memory";
}

static qn_status write_query(const qn_trajectory_results *results, const qn_query_result *query)
{
    const qn_query_tables *tables = query->tables;
    for (size_t i = 0; i < tables->table_count; i++) {
        if (qn_output_wants(results, QN_TRAJECTORY_XVG))
            QN_TRY(qn_output_write_xvg(results, query, &tables->tables[i]));
        if (qn_output_wants(results, QN_TRAJECTORY_CSV))
            QN_TRY(qn_output_write_csv(results, query, &tables->tables[i]));
    }
    for (size_t i = 0; i < tables->grid_count; i++) QN_TRY(qn_output_write_grid(results, query, &tables->grids[i]));
    return QN_OK;
}

/* Part 0 is the report, because it takes longest; the others are the queries. */
static qn_status write_part(size_t index, int worker, void *user)
{
    const qn_trajectory_results *results = user;
    (void)worker;
    return index == 0 ? qn_output_write_report(results) : write_query(results, &results->queries[index - 1]);
}

/* Write run.json last: if it exists, all other files of the run do. */
qn_status qn_trajectory_output_write(const qn_trajectory_results *results)
{
    QN_TRY(qn_pool_run(results->job->pool, results->query_count + 1, write_part, (void *)(uintptr_t)results));
    return qn_output_write_run_json(results);
}
