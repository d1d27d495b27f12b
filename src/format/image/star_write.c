#include "format/image/star_write.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"

static qn_status end_block(qn_star_writer *w)
{
    if (!w->in_block) return QN_OK;
    w->in_block = w->in_row = false;
    return qn_text_append(&w->text, "\n");
}

static qn_status begin_block(qn_star_writer *w, const char *block)
{
    QN_TRY(end_block(w));
    w->in_block = true;
    return qn_text_append(&w->text, "\n# version 30001\n\ndata_%s\n\n", block);
}

qn_status qn_star_begin_values(qn_star_writer *w, const char *block)
{
    return begin_block(w, block);
}

qn_status qn_star_put_name(qn_star_writer *w, const char *name)
{
    if (w->in_row) QN_TRY(qn_star_end_row(w));
    w->in_row = true;
    return qn_text_append(&w->text, "_%s", name);
}

qn_status qn_star_begin_loop(qn_star_writer *w, const char *block, const char *const *columns, size_t count)
{
    if (w->in_row) QN_TRY(qn_star_end_row(w));
    QN_TRY(begin_block(w, block));
    QN_TRY(qn_text_append(&w->text, "loop_\n"));
    for (size_t i = 0; i < count; i++) QN_TRY(qn_text_append(&w->text, "_%s #%zu\n", columns[i], i + 1));
    return QN_OK;
}

qn_status qn_star_end_row(qn_star_writer *w)
{
    w->in_row = false;
    return qn_text_append(&w->text, "\n");
}

/* Values of a row are separated by blanks. */
static qn_status begin_value(qn_star_writer *w)
{
    const bool first = !w->in_row;
    w->in_row = true;
    return first ? QN_OK : qn_text_append(&w->text, " ");
}

/* Find the quotation mark that a value needs; 0: none. */
static qn_status find_quote(const qn_star_writer *w, const char *value, char *quote)
{
    const bool plain = *value && !strpbrk(value, " \t\n\r\v\f") && !strchr("_#'\"", *value);
    *quote = plain ? '\0' : strchr(value, '"') ? '\'' : '"';
    if (strpbrk(value, "\n\r\v\f") || (!plain && strchr(value, '"') && strchr(value, '\'')))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%s: the name %s has line ends, or blanks and both kinds of quotes; STAR cannot hold it",
                       w->path, value);
    return QN_OK;
}

qn_status qn_star_put_text(qn_star_writer *w, const char *value)
{
    char quote[2] = "";
    QN_TRY(find_quote(w, value, quote));
    QN_TRY(begin_value(w));
    return qn_text_append(&w->text, "%s%s%s", quote, value, quote);
}

qn_status qn_star_put_whole(qn_star_writer *w, long long value)
{
    QN_TRY(begin_value(w));
    return qn_text_append(&w->text, "%lld", value);
}

/* Six decimals of a rounded whole number of millionths: printf's decimal point depends on the locale. */
qn_status qn_star_put_number(qn_star_writer *w, double value)
{
    char digits[24], text[32];
    int count = 0, length = 0;
    if (!(fabs(value) < 9e12))
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: a value is %g; expected a number below 9e12", w->path, value);
    const long long units = llround(value * 1e6);
    for (long long size = units < 0 ? -units : units; size > 0 || count < 7; size /= 10)
        digits[count++] = (char)('0' + size % 10);
    if (units < 0) text[length++] = '-';
    while (count > 0) {
        if (count == 6) text[length++] = '.';
        text[length++] = digits[--count];
    }
    QN_TRY(begin_value(w));
    return qn_text_append_bytes(&w->text, text, (size_t)length);
}

qn_status qn_star_put_exact(qn_star_writer *w, double value, int digits)
{
    if (!isfinite(value))
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: a value is %g; expected a finite number", w->path, value);
    QN_TRY(begin_value(w));
    return qn_text_append(&w->text, "%.*g", digits, value);
}

qn_status qn_star_write(qn_star_writer *w)
{
    if (w->in_row) QN_TRY(qn_star_end_row(w));
    QN_TRY(end_block(w));
    return qn_file_write(w->path, w->text.data, w->text.length);
}

void qn_star_writer_clear(qn_star_writer *w)
{
    qn_text_clear(&w->text);
}
