#include "report/csv.h"

#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "report/number.h"

/* Every field is followed by a comma, and the end of a row turns the last comma into a line break. So no state beside
 * the text is needed, and a row may begin with an empty field. */

static bool needs_quotes(const char *field)
{
    size_t length = strlen(field);
    return strpbrk(field, ",\"\r\n") || field[0] == ' ' || (length && field[length - 1] == ' ');
}

qn_status qn_csv_text(qn_text *csv, const char *field)
{
    if (!field) field = "";
    if (!needs_quotes(field)) return qn_text_append(csv, "%s,", field);
    QN_TRY(qn_text_append_bytes(csv, "\"", 1));
    for (const char *quote; (quote = strchr(field, '"')); field = quote + 1) {
        QN_TRY(qn_text_append_bytes(csv, field, (size_t)(quote - field)));
        QN_TRY(qn_text_append_bytes(csv, "\"\"", 2));
    }
    return qn_text_append(csv, "%s\",", field);
}

static qn_status append_number(qn_text *csv, double value, qn_number_style style, int precision)
{
    char number[QN_NUMBER_LENGTH];
    qn_number_format(value, style, precision, number);
    return qn_text_append(csv, "%s,", value != value ? "" : number);
}

qn_status qn_csv_number(qn_text *csv, double value, int decimals)
{
    return append_number(csv, value, QN_NUMBER_FIXED, decimals);
}

qn_status qn_csv_general(qn_text *csv, double value, int digits)
{
    return append_number(csv, value, QN_NUMBER_GENERAL, digits);
}

qn_status qn_csv_integer(qn_text *csv, long long value)
{
    return qn_text_append(csv, "%lld,", value);
}

qn_status qn_csv_end_row(qn_text *csv)
{
    if (csv->length == 0 || csv->data[csv->length - 1] == '\n') return qn_text_append_bytes(csv, "\n", 1);
    csv->data[csv->length - 1] = '\n';
    return QN_OK;
}

qn_status qn_csv_row(qn_text *csv, size_t count, const char *const *fields)
{
    for (size_t i = 0; i < count; i++) QN_TRY(qn_csv_text(csv, fields[i]));
    return qn_csv_end_row(csv);
}

qn_status qn_csv_write(const qn_text *csv, const char *path)
{
    return qn_file_write(path, csv->data ? csv->data : "", csv->length);
}
