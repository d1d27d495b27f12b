/* Tables as CSV and as .xvg, the format of Grace that most scripts around molecular dynamics read. */
#include <inttypes.h>
#include <math.h>
#include <quern/version.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "report/csv.h"
#include "report/markup.h"
#include "trajectory/output.h"

/* Grace has 8-bit texts. In them \S2\N is a superscript, \s1\N a subscript, \cE\C the character 128 above E (Latin-1
 * Å), and \xa\f{} a letter of the symbol font (Grace User's Guide, "Typesetting"). */
typedef struct grace_word {
    uint32_t character;
    const char *word;
} grace_word;

static const grace_word grace_words[] = {
    {0xB2, "\\S2\\N"},    {0xB3, "\\S3\\N"},     {0xB9, "\\S1\\N"},    {0x207B, "\\S-\\N"},  {0x2081, "\\s1\\N"},
    {0x2082, "\\s2\\N"},  {0x2083, "\\s3\\N"},   {0x2013, "-"},        {0x2212, "-"},        {0x394, "\\xD\\f{}"},
    {0x3A3, "\\xS\\f{}"}, {0x3B1, "\\xa\\f{}"},  {0x3B2, "\\xb\\f{}"}, {0x3B3, "\\xg\\f{}"}, {0x3B5, "\\xe\\f{}"},
    {0x3B8, "\\xq\\f{}"}, {0x3BC, "\\xm\\f{}"},  {0x3C0, "\\xp\\f{}"}, {0x3C1, "\\xr\\f{}"}, {0x3C3, "\\xs\\f{}"},
    {0x3C6, "\\xf\\f{}"}, {0x221A, "\\xV\\f{}"}, {0x27E8, "<"},        {0x27E9, ">"},
};

static uint32_t character_of(const char *text, size_t bytes)
{
    const unsigned char *at = (const unsigned char *)text;
    if (bytes == 2) return (uint32_t)(at[0] & 0x1F) << 6 | (at[1] & 0x3F);
    if (bytes == 3) return (uint32_t)(at[0] & 0x0F) << 12 | (uint32_t)(at[1] & 0x3F) << 6 | (at[2] & 0x3F);
    return at[0];
}

static qn_status append_special(qn_text *xvg, uint32_t character)
{
    for (size_t i = 0; i < sizeof grace_words / sizeof *grace_words; i++)
        if (grace_words[i].character == character) return qn_text_append(xvg, "%s", grace_words[i].word);
    if (character >= 0xA0 && character <= 0xFF) return qn_text_append(xvg, "\\c%c\\C", (int)character - 0x80);
    return qn_text_append(xvg, "?");
}

/* Append a text between quotation marks and a line break. */
static qn_status append_quoted(qn_text *xvg, const char *text)
{
    QN_TRY(qn_text_append(xvg, "\""));
    while (*text) {
        size_t bytes = qn_markup_character_bytes((const unsigned char *)text);
        if (bytes == 0) bytes = 1;
        if (*text == '"' || *text == '\\')
            QN_TRY(qn_text_append(xvg, "\\%c", *text));
        else if (bytes > 1 || (unsigned char)*text >= 128)
            QN_TRY(append_special(xvg, bytes > 1 ? character_of(text, bytes) : '?'));
        else
            QN_TRY(qn_text_append(xvg, "%c", (unsigned char)*text < ' ' ? ' ' : *text));
        text += bytes;
    }
    return qn_text_append(xvg, "\"\n");
}

static qn_status append_line(qn_text *xvg, const char *key, const char *text)
{
    QN_TRY(qn_text_append(xvg, "@    %s ", key));
    return append_quoted(xvg, text);
}

/* Append comment lines, which begin with #, on the origin of the file. */
static qn_status append_origin(const qn_trajectory_results *results, const qn_query_result *query,
                               const qn_query_table *table, qn_text *xvg)
{
    const qn_trajectory_options *options = results->options;
    QN_TRY(qn_text_append(xvg, "# %s\n# ", table->title));
    QN_TRY(qn_output_describe(results, query, xvg));
    QN_TRY(qn_text_append(xvg, "\n# topology "));
    const size_t from = xvg->length;
    QN_TRY(qn_text_append(xvg, "%s", qn_output_topology_name(results)));
    if (options->live) QN_TRY(qn_text_append(xvg, ", simulation %s", options->live));
    for (size_t i = 0; i < results->file_count; i++) QN_TRY(qn_text_append(xvg, ", %s", results->files[i].path));
    qn_output_keep_in_line(xvg, from);
    QN_TRY(qn_text_append(xvg, "\n# %s", qn_count_of(results->frames, "frame").text));
    if (isfinite(results->first_ps))
        QN_TRY(qn_text_append(xvg, " from %g to %g ps", results->first_ps, results->last_ps));
    QN_TRY(qn_text_append(xvg, "%s; made by Quern %s\n", results->complete ? "" : " so far", QN_VERSION));
    return table->note && table->note[0] ? qn_text_append(xvg, "# %s\n", table->note) : QN_OK;
}

/* Append the label of the y axis: that of the column if one is plotted, else the title with the columns' common unit.
 */
static qn_status append_y_label(const qn_trajectory_results *results, const qn_query_table *table, qn_text *label)
{
    const size_t end = qn_output_plotted(table) + 1;
    const bool same = table->column_count > 1 && qn_output_same_unit(table, 1, end) == end;
    if (end == 2) return qn_output_label(results, table->columns[1].label, table->columns[1].unit, true, label);
    return qn_output_label(results, table->title, same ? table->columns[1].unit : "", true, label);
}

static qn_status append_head(const qn_trajectory_results *results, const qn_query_result *query,
                             const qn_query_table *table, qn_text *label, qn_text *xvg)
{
    const qn_query_column *x = &table->columns[0];
    QN_TRY(append_origin(results, query, table, xvg));
    QN_TRY(append_line(xvg, "title", table->title));
    QN_TRY(qn_output_label(results, x->label, x->unit, true, label));
    QN_TRY(append_line(xvg, "xaxis  label", label->data));
    label->length = 0;
    QN_TRY(append_y_label(results, table, label));
    QN_TRY(append_line(xvg, "yaxis  label", label->data));
    QN_TRY(qn_text_append(xvg, "@TYPE xy\n@ view 0.15, 0.15, 0.75, 0.85\n@ legend on\n@ legend box on\n"
                               "@ legend loctype view\n@ legend 0.78, 0.8\n@ legend length 2\n"));
    for (size_t i = 1; i < table->column_count; i++) {
        char key[32];
        snprintf(key, sizeof key, "s%zu legend", i - 1);
        label->length = 0;
        QN_TRY(qn_output_label(results, table->columns[i].label, table->columns[i].unit, false, label));
        QN_TRY(append_line(xvg, key, label->data));
    }
    return QN_OK;
}

static qn_status append_rows(const qn_trajectory_results *results, const qn_query_filled_table *filled, qn_text *xvg)
{
    const size_t columns = filled->table.column_count;
    char number[32];
    for (size_t row = 0; row < filled->row_count; row++)
        for (size_t i = 0; i < columns; i++) {
            const double factor = qn_output_factor(results, filled->table.columns[i].length_power);
            qn_output_number(filled->values[row * columns + i] * factor, number);
            QN_TRY(qn_text_append(xvg, "%s%s%s", i > 0 ? " " : "", number, i + 1 == columns ? "\n" : ""));
        }
    return QN_OK;
}

qn_status qn_output_write_xvg(const qn_trajectory_results *results, const qn_query_result *query,
                              const qn_query_filled_table *filled)
{
    qn_text xvg = {0}, label = {0}, name = {0};
    qn_status status = append_head(results, query, &filled->table, &label, &xvg);
    if (status == QN_OK) status = append_rows(results, filled, &xvg);
    if (status == QN_OK) status = qn_output_name(query, filled->table.name, "xvg", &name);
    if (status == QN_OK) status = qn_output_write_file(results, name.data, &xvg);
    qn_text_clear(&name);
    qn_text_clear(&label);
    qn_text_clear(&xvg);
    return status;
}

static qn_status append_csv(const qn_trajectory_results *results, const qn_query_filled_table *filled, qn_text *label,
                            qn_text *csv)
{
    const qn_query_table *table = &filled->table;
    for (size_t i = 0; i < table->column_count; i++) {
        label->length = 0;
        QN_TRY(qn_output_label(results, table->columns[i].label, table->columns[i].unit, false, label));
        QN_TRY(qn_csv_text(csv, label->data));
    }
    QN_TRY(qn_csv_end_row(csv));
    for (size_t row = 0; row < filled->row_count; row++) {
        for (size_t i = 0; i < table->column_count; i++) {
            char number[32];
            const double value = filled->values[row * table->column_count + i];
            qn_output_number(value * qn_output_factor(results, table->columns[i].length_power), number);
            QN_TRY(qn_csv_text(csv, isnan(value) ? "" : number));
        }
        QN_TRY(qn_csv_end_row(csv));
    }
    return QN_OK;
}

qn_status qn_output_write_csv(const qn_trajectory_results *results, const qn_query_result *query,
                              const qn_query_filled_table *filled)
{
    qn_text csv = {0}, label = {0}, name = {0};
    qn_status status = append_csv(results, filled, &label, &csv);
    if (status == QN_OK) status = qn_output_name(query, filled->table.name, "csv", &name);
    if (status == QN_OK) status = qn_output_write_file(results, name.data, &csv);
    qn_text_clear(&name);
    qn_text_clear(&label);
    qn_text_clear(&csv);
    return status;
}
