/* Galleries of pictures, and drawings. */
#include <string.h>

#include "base/error.h"
#include "report/document.h"
#include "report/markup.h"

static qn_status append_card(qn_text *body, const qn_report_card *card)
{
    QN_TRY(qn_text_append(body, card->marked ? "<li class=\"marked\">" : "<li>"));
    if (card->svg) {
        QN_TRY(qn_text_append(body, "<img alt=\"Picture of "));
        QN_TRY(qn_markup_text(body, card->title));
        QN_TRY(qn_text_append(body, "\" src=\"data:image/svg+xml;base64,"));
        QN_TRY(qn_markup_base64(body, card->svg, strlen(card->svg)));
        QN_TRY(qn_text_append(body, "\">"));
    }
    QN_TRY(qn_text_append(body, "<b>"));
    QN_TRY(qn_markup_text(body, card->title));
    QN_TRY(qn_text_append(body, "</b><span>"));
    QN_TRY(qn_markup_text(body, card->text));
    return qn_text_append(body, "</span></li>\n");
}

qn_status qn_report_cards(qn_report *report, const qn_report_card *cards, size_t count)
{
    if (count == 0) return QN_OK;
    QN_TRY(qn_text_append(&report->body, "<ul class=\"cards\">\n"));
    for (size_t i = 0; i < count; i++) QN_TRY(append_card(&report->body, &cards[i]));
    return qn_text_append(&report->body, "</ul>\n");
}

qn_status qn_report_wide_cards(qn_report *report, const char *title, const char *caption, const qn_report_card *cards,
                               size_t count)
{
    qn_text *body = &report->body;
    if (count == 0) return QN_OK;
    QN_TRY(qn_text_append(body, "<figure>\n"));
    QN_TRY(qn_markup_caption(body, title, caption));
    QN_TRY(qn_text_append(body, "</figcaption>\n<ul class=\"cards wide\">\n"));
    for (size_t i = 0; i < count; i++) QN_TRY(append_card(body, &cards[i]));
    return qn_text_append(body, "</ul>\n</figure>\n");
}

static qn_status append_drawing(qn_report *report, const char *class, const char *title, const char *caption,
                                const char *label, const char *svg)
{
    qn_text *body = &report->body;
    QN_TRY(qn_text_append(body, "<figure>\n"));
    QN_TRY(qn_markup_caption(body, title, caption));
    QN_TRY(qn_text_append(body, "</figcaption>\n<div class=\"%s\" tabindex=\"0\"><img alt=\"", class));
    QN_TRY(qn_markup_text(body, label));
    QN_TRY(qn_text_append(body, "\" src=\"data:image/svg+xml;base64,"));
    QN_TRY(qn_markup_base64(body, svg, strlen(svg)));
    return qn_text_append(body, "\"></div>\n</figure>\n");
}

qn_status qn_report_drawing(qn_report *report, const char *title, const char *caption, const char *label,
                            const char *svg)
{
    return append_drawing(report, "drawing", title, caption, label, svg);
}

qn_status qn_report_photo(qn_report *report, const char *title, const char *caption, const char *label, const char *svg)
{
    return append_drawing(report, "drawing photo", title, caption, label, svg);
}
