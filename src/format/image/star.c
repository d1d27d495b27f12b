#include "format/image/star.h"

#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/byte_source.h"
#include "format/number.h"

enum { LONGEST_LINE = 1 << 20 }; /* the longest line that byte sources show in one part */

enum table_kind { NO_TABLE, LOOP, SINGLE_VALUES };

struct qn_star_reader {
    qn_byte_source *source;
    char *name;
    const char *line; /* shown, not yet taken; without its end */
    size_t length, held_bytes;
    bool is_held, at_end;
    uint64_t line_number; /* of the line that is shown, or was taken last */
    uint64_t row, row_line;
    enum table_kind kind;
    bool ended_by_empty_line; /* the previous table */
    qn_star_table table;
    qn_text block, names,
        singles; /* zero-terminated texts one after the other: column names, and values of SINGLE_VALUES */
    const char *columns[QN_STAR_COLUMNS_MAX];
    size_t offsets[QN_STAR_COLUMNS_MAX]; /* of the names */
    qn_star_value values[QN_STAR_COLUMNS_MAX];
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Show the next line, unless one is shown already. */
static qn_status look(qn_star_reader *r)
{
    if (r->is_held || r->at_end) return QN_OK;
    QN_TRY(qn_byte_source_line(r->source, &r->line, &r->held_bytes));
    r->length = r->held_bytes;
    r->at_end = r->held_bytes == 0;
    if (r->at_end) return QN_OK;
    r->is_held = true;
    r->line_number++;
    const bool ends = r->line[r->length - 1] == '\n';
    if (!ends && r->length >= LONGEST_LINE)
        return QN_FAIL(QN_BAD_FORMAT, "%s: line %llu is longer than %d bytes", r->name,
                       (unsigned long long)r->line_number, LONGEST_LINE);
    if (ends) r->length--;
    if (r->line_number == 1 && r->length >= 3 &&
        memcmp(r->line, "\xef\xbb\xbf", 3) == 0) { /* UTF-8's byte order mark */
        r->line += 3;
        r->length -= 3;
    }
    return QN_OK;
}

static void take(qn_star_reader *r)
{
    qn_byte_source_take(r->source, r->held_bytes);
    r->is_held = false;
}

/* The next value of the line from *at on; false at the line's end and at a comment. */
static bool next_value(const qn_star_reader *r, size_t *at, qn_star_value *value, bool *open_quote)
{
    const char *line = r->line;
    size_t i = *at;
    while (i < r->length && is_blank(line[i])) i++;
    *at = r->length;
    *open_quote = false;
    if (i == r->length || line[i] == '#') return false;
    if (line[i] == '\'' || line[i] == '"') { /* up to a quote that is followed by a blank or the line's end */
        for (size_t end = i + 1; end < r->length; end++) {
            if (line[end] != line[i] || (end + 1 < r->length && !is_blank(line[end + 1]))) continue;
            *value = (qn_star_value){line + i + 1, end - i - 1};
            *at = end + 1;
            return true;
        }
        *open_quote = true;
        return false;
    }
    size_t end = i;
    while (end < r->length && !is_blank(line[end])) end++;
    *value = (qn_star_value){line + i, end - i};
    *at = end;
    return true;
}

/* Split the line into values; at most `most` are stored. */
static qn_status split(const qn_star_reader *r, size_t most, qn_star_value *values, size_t *count)
{
    qn_star_value value;
    bool open_quote;
    *count = 0;
    for (size_t at = 0; next_value(r, &at, &value, &open_quote); (*count)++)
        if (*count < most) values[*count] = value;
    if (open_quote)
        return QN_FAIL(QN_BAD_FORMAT, "%s: line %llu has a quote that is not closed", r->name,
                       (unsigned long long)r->line_number);
    return QN_OK;
}

static bool is_text(qn_star_value value, const char *text)
{
    return value.length == strlen(text) && memcmp(value.text, text, value.length) == 0;
}

static bool begins_block(qn_star_value value)
{
    return value.length >= 5 && memcmp(value.text, "data_", 5) == 0;
}

static qn_status add_column(qn_star_reader *r, qn_star_value name)
{
    qn_star_table *table = &r->table;
    for (size_t i = 0; i < table->column_count; i++)
        if (is_text((qn_star_value){name.text + 1, name.length - 1}, r->names.data + r->offsets[i]))
            return QN_FAIL(QN_BAD_FORMAT, "%s: line %llu names column %s again", r->name,
                           (unsigned long long)r->line_number, qn_quote(name.text, name.length).text);
    if (table->column_count == QN_STAR_COLUMNS_MAX)
        return QN_FAIL(QN_BAD_FORMAT, "%s: line %llu has more columns than the %d that are read", r->name,
                       (unsigned long long)r->line_number, QN_STAR_COLUMNS_MAX);
    r->offsets[table->column_count++] = r->names.length;
    QN_TRY(qn_text_append_bytes(&r->names, name.text + 1, name.length - 1));
    return qn_text_append_bytes(&r->names, "", 1);
}

/* Read the names of a loop, one on each line; empty lines may stand between and after them. */
static qn_status read_loop_head(qn_star_reader *r)
{
    qn_star_value values[2];
    size_t count;
    take(r);
    r->kind = LOOP;
    for (;;) {
        QN_TRY(look(r));
        if (r->at_end) return QN_OK;
        QN_TRY(split(r, 2, values, &count));
        if (count > 1 || (count == 1 && values[0].text[0] != '_')) return QN_OK;
        if (count == 1) QN_TRY(add_column(r, values[0]));
        take(r);
    }
}

/* Read lines of a name and a value. */
static qn_status read_single_values(qn_star_reader *r)
{
    qn_star_value values[2];
    size_t count;
    r->kind = SINGLE_VALUES;
    r->row_line = r->line_number;
    for (;;) {
        QN_TRY(look(r));
        if (r->at_end) break;
        QN_TRY(split(r, 2, values, &count));
        if (count > 0 && values[0].text[0] != '_') break;
        if (count == 0 && memchr(r->line, '#', r->length) == NULL) break; /* an empty line */
        if (count != 0 && count != 2)
            return QN_FAIL(QN_BAD_FORMAT, "%s: line %llu has %zu values after the name %s; expected 1", r->name,
                           (unsigned long long)r->line_number, count - 1,
                           qn_quote(values[0].text, values[0].length).text);
        if (count == 2) {
            QN_TRY(add_column(r, values[0]));
            r->values[r->table.column_count - 1] =
                (qn_star_value){NULL, values[1].length}; /* the text is set when all values are read */
            QN_TRY(qn_text_append_bytes(&r->singles, values[1].text, values[1].length));
        }
        take(r);
    }
    const char *text = r->singles.data;
    for (size_t i = 0; i < r->table.column_count; i++) {
        r->values[i].text = text;
        text += r->values[i].length;
    }
    return QN_OK;
}

static qn_status refuse_line(const qn_star_reader *r)
{
    const unsigned long long line = r->line_number;
    const qn_quotation quote = qn_quote(r->line, r->length);
    if (r->ended_by_empty_line)
        return QN_FAIL(
            QN_BAD_FORMAT,
            "%s: line %llu goes on with rows (\"%s\") after the empty line that ended table data_%s; expected "
            "data_ or loop_",
            r->name, line, quote.text, r->block.data);
    return QN_FAIL(QN_BAD_FORMAT,
                   "%s: line %llu is \"%s\", which is not STAR; expected data_, loop_ or a name that begins "
                   "with _",
                   r->name, line, quote.text);
}

/* Skip lines up to a loop or a name; *found is false at the end of the file. */
static qn_status find_table(qn_star_reader *r, bool *found)
{
    qn_star_value value;
    *found = false;
    for (;; take(r)) {
        size_t at = 0;
        bool open_quote;
        QN_TRY(look(r));
        if (r->at_end) return QN_OK;
        if (!next_value(r, &at, &value, &open_quote) && !open_quote) continue;
        *found = !open_quote && (is_text(value, "loop_") || value.text[0] == '_');
        if (*found) return QN_OK;
        if (open_quote || !begins_block(value)) return refuse_line(r);
        r->block.length = 0;
        r->ended_by_empty_line = false;
        QN_TRY(qn_text_append_bytes(&r->block, value.text + 5, value.length - 5));
    }
}

/* Whether the current line is after the table's rows. A row of several values may begin with a value that looks like a
 * keyword. */
static bool ends_loop(qn_star_reader *r)
{
    qn_star_value value, other;
    size_t at = 0;
    bool open_quote;
    if (!next_value(r, &at, &value, &open_quote)) {
        r->ended_by_empty_line = !open_quote && memchr(r->line, '#', r->length) == NULL;
        return r->ended_by_empty_line;
    }
    return (begins_block(value) || is_text(value, "loop_")) && !next_value(r, &at, &other, &open_quote);
}

qn_status qn_star_next_row(qn_star_reader *r, const qn_star_value **values)
{
    const size_t expected = r->table.column_count;
    size_t count = 0;
    *values = NULL;
    if (r->kind == NO_TABLE) return QN_OK;
    if (r->kind == SINGLE_VALUES) {
        r->kind = NO_TABLE;
        r->row = 1;
        *values = r->values;
        return QN_OK;
    }
    while (count == 0) {
        QN_TRY(look(r));
        if (r->at_end || ends_loop(r)) {
            r->kind = NO_TABLE;
            return QN_OK;
        }
        QN_TRY(split(r, expected, r->values, &count));
        if (count == 0) take(r); /* a comment */
    }
    r->row++;
    r->row_line = r->line_number;
    if (count != expected)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: line %llu (row %llu of data_%s) has %zu values; expected %zu, one per column", r->name,
                       (unsigned long long)r->line_number, (unsigned long long)r->row, r->block.data, count, expected);
    take(r); /* the bytes stay valid until the next line is shown */
    *values = r->values;
    return QN_OK;
}

/* Skip the rows that the caller did not read. */
static qn_status leave_table(qn_star_reader *r)
{
    while (r->kind == LOOP) {
        QN_TRY(look(r));
        if (r->at_end || ends_loop(r))
            r->kind = NO_TABLE;
        else
            take(r);
    }
    r->kind = NO_TABLE;
    return QN_OK;
}

qn_status qn_star_next_table(qn_star_reader *r, const qn_star_table **table)
{
    bool found;
    size_t count;
    *table = NULL;
    QN_TRY(leave_table(r));
    QN_TRY(find_table(r, &found));
    if (!found) return QN_OK;
    r->names.length = r->singles.length = 0;
    r->row = 0;
    r->ended_by_empty_line = false;
    r->table = (qn_star_table){.columns = r->columns, .line = r->line_number};
    QN_TRY(split(r, 1, r->values, &count));
    QN_TRY(r->values[0].text[0] == '_' ? read_single_values(r) : read_loop_head(r));
    for (size_t i = 0; i < r->table.column_count; i++) r->columns[i] = r->names.data + r->offsets[i];
    r->table.block = r->block.data;
    *table = &r->table;
    return QN_OK;
}

qn_status qn_star_open(const char *path, qn_star_reader **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_star_reader *r = memory;
    qn_status status = qn_text_copy(strcmp(path, "-") == 0 ? "standard input" : path, &r->name);
    if (status == QN_OK) status = qn_text_append(&r->block, "%s", "");
    if (status == QN_OK) status = qn_byte_source_open(path, &r->source);
    if (status != QN_OK)
        qn_star_close(&r);
    else
        *out = r;
    return status;
}

void qn_star_close(qn_star_reader **reader)
{
    qn_star_reader *r = *reader;
    if (!r) return;
    if (r->source) qn_byte_source_close(&r->source);
    qn_text_clear(&r->block);
    qn_text_clear(&r->names);
    qn_text_clear(&r->singles);
    qn_release(&r->name);
    qn_release(reader);
}

uint64_t qn_star_row(const qn_star_reader *reader)
{
    return reader->row;
}

uint64_t qn_star_line(const qn_star_reader *reader)
{
    return reader->row_line;
}

const char *qn_star_name(const qn_star_reader *reader)
{
    return reader->name;
}

int qn_star_column(const qn_star_table *table, const char *name)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (strcmp(table->columns[i], name) == 0) return (int)i;
    return -1;
}
