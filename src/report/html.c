#include "report/html.h"

#include <quern/version.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "report/document.h"
#include "report/markup.h"

qn_status qn_report_create(const char *title, qn_report **report)
{
    *report = NULL;
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(qn_report), &memory));
    qn_report *created = memory;
    qn_status status = qn_text_copy(title, &created->title);
    if (status == QN_OK)
        *report = created;
    else
        qn_report_destroy(&created);
    return status;
}

void qn_report_destroy(qn_report **report)
{
    if (!report || !*report) return;
    qn_release(&(*report)->title);
    qn_text_clear(&(*report)->body);
    qn_text_clear(&(*report)->contents);
    qn_release(report);
}

qn_status qn_report_heading(qn_report *report, const char *text)
{
    size_t number = ++report->headings;
    QN_TRY(qn_text_append(&report->body, "<h2 id=\"s%zu\">", number));
    QN_TRY(qn_markup_text(&report->body, text));
    QN_TRY(qn_text_append(&report->body, "</h2>\n"));
    QN_TRY(qn_text_append(&report->contents, "<a href=\"#s%zu\">", number));
    QN_TRY(qn_markup_text(&report->contents, text));
    return qn_text_append(&report->contents, "</a>\n");
}

static qn_status format_prose(qn_text *body, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0) return QN_FAIL(QN_INTERNAL, "report text format \"%s\" is broken", format);
    void *memory;
    QN_TRY(qn_allocate((size_t)length + 1, 1, &memory));
    char *text = memory;
    vsnprintf(text, (size_t)length + 1, format, arguments);
    qn_status status = qn_markup_prose(body, text);
    qn_release(&memory);
    return status;
}

qn_status qn_report_paragraph(qn_report *report, const char *format, ...)
{
    QN_TRY(qn_text_append(&report->body, "<p>"));
    va_list arguments;
    va_start(arguments, format);
    qn_status status = format_prose(&report->body, format, arguments);
    va_end(arguments);
    QN_TRY(status);
    return qn_text_append(&report->body, "</p>\n");
}

qn_status qn_report_warning(qn_report *report, const char *format, ...)
{
    QN_TRY(qn_text_append(&report->body, "<p class=\"warning\" role=\"note\"><strong>Warning</strong> "));
    va_list arguments;
    va_start(arguments, format);
    qn_status status = format_prose(&report->body, format, arguments);
    va_end(arguments);
    QN_TRY(status);
    return qn_text_append(&report->body, "</p>\n");
}

qn_status qn_report_facts(qn_report *report, const char *const *labels, const char *const *values, size_t count)
{
    if (count == 0) return QN_OK;
    qn_text *body = &report->body;
    QN_TRY(qn_text_append(body, "<dl class=\"facts\">\n"));
    for (size_t i = 0; i < count; i++) {
        QN_TRY(qn_text_append(body, "<div><dt>"));
        QN_TRY(qn_markup_text(body, labels[i]));
        /* Long values (names, paths) get smaller letters so that they fit their tiles. */
        bool is_long = values[i] && qn_markup_length(values[i]) > 14;
        QN_TRY(qn_text_append(body, "</dt><dd%s>", is_long ? " class=\"long\"" : ""));
        QN_TRY(qn_markup_text(body, values[i]));
        QN_TRY(qn_text_append(body, "</dd></div>\n"));
    }
    return qn_text_append(body, "</dl>\n");
}

static qn_status append_all(qn_text *page, const char *const *pieces)
{
    for (; *pieces; pieces++) QN_TRY(qn_text_append(page, "%s", *pieces));
    return QN_OK;
}

/* Append a script without its first line. */
static qn_status append_source(qn_text *page, const char *source)
{
    return qn_text_append(page, "<script>\n%s</script>\n", strchr(source, '\n') + 1);
}

qn_status qn_report_page(const qn_report *report, qn_text *page)
{
    QN_TRY(qn_text_append(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                                "<meta name=\"color-scheme\" content=\"light dark\">\n<title>"));
    QN_TRY(qn_markup_text(page, report->title));
    QN_TRY(qn_text_append(page, "</title>\n<style>\n"));
    QN_TRY(append_all(page, qn_report_style));
    QN_TRY(qn_text_append(page, "</style>\n</head>\n<body>\n<main>\n<h1>"));
    QN_TRY(qn_markup_text(page, report->title));
    QN_TRY(qn_text_append(page, "</h1>\n"));
    /* A page with fewer than three headings needs no links. */
    if (report->headings >= 3) {
        QN_TRY(qn_text_append(page, "<nav aria-label=\"Contents\">\n"));
        QN_TRY(qn_text_append_bytes(page, report->contents.data, report->contents.length));
        QN_TRY(qn_text_append(page, "</nav>\n"));
    }
    if (report->body.length) QN_TRY(qn_text_append_bytes(page, report->body.data, report->body.length));
    QN_TRY(qn_text_append(page, "</main>\n<footer>Written by Quern %s</footer>\n", qn_version()));
    if (report->tables) {
        QN_TRY(qn_text_append(page, "<script>\n"));
        QN_TRY(append_all(page, qn_report_script));
        QN_TRY(qn_text_append(page, "</script>\n"));
    }
    if (report->scenes || report->densities) QN_TRY(append_source(page, qn_report_view_source));
    if (report->scenes) QN_TRY(append_source(page, qn_report_scene_source));
    if (report->densities) QN_TRY(append_source(page, qn_report_density_source));
    return qn_text_append(page, "</body>\n</html>\n");
}

qn_status qn_report_write(qn_report *report, const char *path)
{
    qn_text page = {0};
    qn_status status = qn_report_page(report, &page);
    if (status == QN_OK) status = qn_file_write(path, page.data, page.length);
    qn_text_clear(&page);
    return status;
}
