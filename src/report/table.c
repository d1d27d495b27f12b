#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/document.h"
#include "report/markup.h"
#include "report/number.h"

/* The kind of a column, which selects its class in the style sheet. */
typedef enum column_kind { COLUMN_TEXT, COLUMN_NUMBER, COLUMN_CODE, COLUMN_SENTENCE } column_kind;

static const char *const column_class[] = {"", " class=\"n\"", " class=\"k\"", " class=\"v\""};

/* A text of more bytes is a sentence, which is broken into lines. */
enum { SENTENCE_BYTES = 48 };

/* Identifiers and paths: one word with a character that prose does not have inside a word. */
static bool is_code(const char *cell)
{
    const char *sign = strpbrk(cell, "/_.:");
    return sign && sign[1] && !strchr(cell, ' ');
}

static column_kind kind_of_column(const char *const *cells, size_t columns, size_t rows, size_t column)
{
    size_t numbers = 0, codes = 0, others = 0, longest = 0;
    for (size_t row = 0; row < rows; row++) {
        const char *cell = cells[row * columns + column];
        if (!cell || qn_number_is_missing(cell)) continue;
        if (qn_number_is(cell))
            numbers++;
        else if (is_code(cell))
            codes++;
        else
            others++;
        if (strlen(cell) > longest) longest = strlen(cell);
    }
    if (others) return longest > SENTENCE_BYTES ? COLUMN_SENTENCE : COLUMN_TEXT;
    if (codes) return COLUMN_CODE;
    return numbers ? COLUMN_NUMBER : COLUMN_TEXT;
}

static qn_status append_cell(qn_text *body, const char *cell, bool link, bool number)
{
    if (number && cell && cell[0] == '-' && cell[1]) {
        QN_TRY(qn_text_append(body, "−"));
        cell++;
    }
    if (!link || !cell || !cell[0]) return qn_markup_text(body, cell);
    QN_TRY(qn_text_append(body, "<a href=\""));
    QN_TRY(qn_markup_text(body, cell));
    QN_TRY(qn_text_append(body, "\">"));
    QN_TRY(qn_markup_text(body, cell));
    return qn_text_append(body, "</a>");
}

static qn_status append_rows(qn_text *body, const column_kind *kinds, size_t columns, const char *const *cells,
                             size_t rows, size_t link_column)
{
    for (size_t row = 0; row < rows; row++) {
        QN_TRY(qn_text_append(body, "<tr>"));
        for (size_t column = 0; column < columns; column++) {
            const char *cell = cells[row * columns + column];
            if (kinds[column] == COLUMN_NUMBER && (!cell || qn_number_is_missing(cell))) cell = "–";
            QN_TRY(qn_text_append(body, "<td%s>", column_class[kinds[column]]));
            QN_TRY(append_cell(body, cell, column == link_column, kinds[column] == COLUMN_NUMBER));
            QN_TRY(qn_text_append(body, "</td>"));
        }
        QN_TRY(qn_text_append(body, "</tr>\n"));
    }
    if (rows == 0) QN_TRY(qn_text_append(body, "<tr><td class=\"none\" colspan=\"%zu\">none</td></tr>\n", columns));
    return QN_OK;
}

static qn_status append_table(qn_report *report, const column_kind *kinds, const char *const *headers, size_t columns,
                              const char *const *cells, size_t rows, size_t link_column)
{
    qn_text *body = &report->body;
    /* The box scrolls, so it must be reachable by keyboard. */
    QN_TRY(qn_text_append(body, "<div class=\"box\" tabindex=\"0\" role=\"region\" aria-label=\"Table %zu\"><table>\n",
                          ++report->tables));
    QN_TRY(qn_text_append(body, "<thead><tr>"));
    for (size_t column = 0; column < columns; column++) {
        QN_TRY(qn_text_append(body, "<th scope=\"col\"%s>", column_class[kinds[column]]));
        QN_TRY(qn_markup_text(body, headers[column]));
        QN_TRY(qn_text_append(body, "</th>"));
    }
    QN_TRY(qn_text_append(body, "</tr></thead>\n<tbody>\n"));
    QN_TRY(append_rows(body, kinds, columns, cells, rows, link_column));
    return qn_text_append(body, "</tbody>\n</table></div>\n");
}

qn_status qn_report_table(qn_report *report, const char *const *headers, size_t columns, const char *const *cells,
                          size_t rows)
{
    return qn_report_table_of_files(report, headers, columns, cells, rows, SIZE_MAX);
}

qn_status qn_report_table_of_files(qn_report *report, const char *const *headers, size_t columns,
                                   const char *const *cells, size_t rows, size_t link_column)
{
    if (columns == 0) return QN_OK;
    void *kinds;
    QN_TRY(qn_allocate(columns, sizeof(column_kind), &kinds));
    for (size_t column = 0; column < columns; column++)
        ((column_kind *)kinds)[column] = kind_of_column(cells, columns, rows, column);
    qn_status status = append_table(report, kinds, headers, columns, cells, rows, link_column);
    qn_release(&kinds);
    return status;
}
