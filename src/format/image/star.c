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
    /* Lines that were read ahead and are not taken yet. They end at the end of a line or of the file. */
    const char *ahead, *ahead_end;
    char *ahead_memory;
    size_t ahead_capacity;
    bool is_part; /* reads such lines of another reader, whose texts it borrows */
    const char *part_begin;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static qn_status show(qn_star_reader *r)
{
    const size_t left = (size_t)(r->ahead_end - r->ahead);
    if (left == 0 && !r->is_part) return qn_byte_source_line(r->source, &r->line, &r->held_bytes);
    const char *newline = left > 0 ? memchr(r->ahead, '\n', left) : NULL;
    r->line = r->ahead;
    r->held_bytes = newline ? (size_t)(newline - r->ahead) + 1 : left;
    return QN_OK;
}

/* Show the next line, unless one is shown already. */
static qn_status look(qn_star_reader *r)
{
    if (r->is_held || r->at_end) return QN_OK;
    QN_TRY(show(r));
    r->length = r->held_bytes;
    r->at_end = r->held_bytes == 0;
    if (r->at_end) return QN_OK;
    r->is_held = true;
    r->line_number++;
    const bool ends = r->line[r->length - 1] == '\n';
    if (r->length > LONGEST_LINE || (!ends && r->length == LONGEST_LINE))
        return QN_FAIL(QN_BAD_FORMAT, "%s: line %llu is longer than %d bytes", r->name,
                       (unsigned long long)r->line_number, LONGEST_LINE);
    if (ends) r->length--;
    if (r->line_number == 1 && !r->is_part && r->length >= 3 &&
        memcmp(r->line, "\xef\xbb\xbf", 3) == 0) { /* UTF-8's byte order mark */
        r->line += 3;
        r->length -= 3;
    }
    return QN_OK;
}

static void take(qn_star_reader *r)
{
    if (r->ahead < r->ahead_end)
        r->ahead += r->held_bytes;
    else if (!r->is_part)
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

/* ---- parts of a loop ---- */

/* Whole lines of `size` bytes. */
static size_t whole_lines(const char *bytes, size_t size)
{
    while (size > 0 && bytes[size - 1] != '\n') size--;
    return size;
}

/* Read at most `most` bytes and the rest of the last line. A line that is too long may stay in parts, which refuse it.
 * After a failure of reading the lines before it come first; the next reading fails again. */
static qn_status read_ahead(qn_star_reader *r, size_t most)
{
    const char *rest;
    size_t size, more = 0;
    void *memory = r->ahead_memory;
    qn_status status = qn_grow(&memory, &r->ahead_capacity, most + LONGEST_LINE, 1);
    r->ahead_memory = memory;
    QN_TRY(status);
    status = qn_byte_source_copy(r->source, r->ahead_memory, most, &size);
    if (status == QN_OK && size == most && r->ahead_memory[size - 1] != '\n')
        status = qn_byte_source_line(r->source, &rest, &more);
    if (status != QN_OK) {
        size = whole_lines(r->ahead_memory, size);
        if (size == 0) return status;
        qn_error_clear();
        more = 0;
    }
    if (more > LONGEST_LINE) more = LONGEST_LINE;
    if (more > 0) {
        memcpy(r->ahead_memory + size, rest, more);
        qn_byte_source_take(r->source, more);
    }
    r->ahead = r->ahead_memory;
    r->ahead_end = r->ahead + size + more;
    return QN_OK;
}

/* The first beginning of a line from `at` on. */
static const char *line_from(const qn_star_reader *r, const char *at)
{
    if (at <= r->ahead || at >= r->ahead_end) return at >= r->ahead_end ? r->ahead_end : r->ahead;
    const char *newline = memchr(at - 1, '\n', (size_t)(r->ahead_end - (at - 1)));
    return newline ? newline + 1 : r->ahead_end;
}

static void go_to_begin(qn_star_reader *part, uint64_t row, uint64_t line_number)
{
    part->ahead = part->part_begin;
    part->row = row;
    part->line_number = line_number;
    part->kind = LOOP;
    part->is_held = part->at_end = part->ended_by_empty_line = false;
}

static qn_status make_part(const qn_star_reader *r, const char *begin, const char *end, qn_star_reader **part)
{
    void *memory = *part;
    if (!memory) QN_TRY(qn_allocate(1, sizeof **part, &memory));
    *part = memory;
    (*part)->is_part = true;
    (*part)->name = r->name;
    (*part)->block = r->block;
    (*part)->table = r->table;
    (*part)->part_begin = begin;
    (*part)->ahead_end = end;
    go_to_begin(*part, 0, 0);
    return QN_OK;
}

qn_status qn_star_divide(qn_star_reader *r, size_t bytes, size_t count, qn_star_reader **parts, bool *end)
{
    *end = r->kind != LOOP;
    if (*end) return QN_OK;
    if (r->is_held) { /* the line is shown again, by a part */
        r->is_held = false;
        r->line_number--;
    }
    if (r->ahead == r->ahead_end && !r->at_end) QN_TRY(read_ahead(r, bytes));
    *end = r->ahead == r->ahead_end;
    if (*end) r->kind = NO_TABLE;
    const size_t size = (size_t)(r->ahead_end - r->ahead);
    const char *begin = r->ahead;
    for (size_t p = 0; p < count && !*end; p++) {
        const char *next = line_from(r, r->ahead + (size_t)((double)size * (double)(p + 1) / (double)count));
        if (p + 1 == count) next = r->ahead_end;
        QN_TRY(make_part(r, begin, next, &parts[p]));
        begin = next;
    }
    return QN_OK;
}

void qn_star_restart(const qn_star_reader *reader, qn_star_reader *part)
{
    go_to_begin(part, reader->row, reader->line_number);
}

void qn_star_pass(qn_star_reader *reader, const qn_star_reader *part, bool *ended)
{
    *ended = part->kind == NO_TABLE && !part->at_end;
    reader->row += part->row;
    reader->line_number += part->line_number - *ended; /* the line that ends the table is shown again */
    reader->ahead = *ended ? part->ahead : part->ahead_end;
    if (!*ended) return;
    reader->kind = NO_TABLE;
    reader->ended_by_empty_line = part->ended_by_empty_line;
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
    if (r->is_part) {
        qn_release(reader);
        return;
    }
    qn_release(&r->ahead_memory);
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

uint64_t qn_star_lines(const qn_star_reader *reader)
{
    return reader->line_number;
}

double qn_star_share(const qn_star_reader *reader)
{
    uint64_t done, all;
    qn_byte_source_progress(reader->source, &done, &all);
    return all > 0 ? (double)done / (double)all : 0;
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
