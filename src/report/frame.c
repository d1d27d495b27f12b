#include <math.h>

#include "base/error.h"
#include "report/document.h"
#include "report/markup.h"

bool qn_report_has_point(const qn_report_series *series, size_t point)
{
    return (!series->x || qn_axis_accepts(series->x[point])) && series->y && qn_axis_accepts(series->y[point]);
}

void qn_range_add(qn_range *range, double value)
{
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
}

/* Of at most three whole numbers the axis has three, because it has no fewer ticks. */
static void fit_y(const qn_report_plot *plot, const qn_range *y, qn_axis *axis)
{
    const bool few = plot->counts && y->high - y->low < 7;
    const double low = few && y->high - y->low < 2 ? y->high - 2 : y->low;
    qn_axis_fit(low, y->high, few ? (size_t)(y->high - low) + 1 : 8, axis);
}

void qn_frame_fit(const qn_report_plot *plot, const qn_range *y, double below, qn_frame *frame)
{
    fit_y(plot, y, &frame->y);
    size_t longest = 0;
    char label[QN_AXIS_LABEL_BYTES];
    for (size_t tick = 0; tick < frame->y.ticks; tick++) {
        size_t length = qn_axis_label(&frame->y, tick, label);
        if (length > longest) longest = length;
    }
    bool has_title = plot->y_label && plot->y_label[0];
    frame->top = (has_title || plot->inverse_label ? 46 : 18) + (plot->inverse_label ? 24 : 0);
    frame->left = 14 + (double)longest * QN_REPORT_DIGIT_WIDTH;
    frame->width = QN_REPORT_WIDTH - frame->left - 18;
    frame->height = 360;
    frame->total_height = frame->top + frame->height + below;
}

double qn_frame_x(const qn_frame *frame, double value)
{
    return frame->left + frame->width * qn_axis_fraction(&frame->x, value);
}

double qn_frame_y(const qn_frame *frame, double value)
{
    return frame->top + frame->height * (1 - qn_axis_fraction(&frame->y, value));
}

static const char *repeated(size_t series)
{
    return (series / QN_REPORT_COLOURS) % 2 ? " r" : "";
}

qn_status qn_figure_group(qn_text *body, const char *mark, size_t series, const char *attributes)
{
    return qn_text_append(body, "<g class=\"%s c%zu%s\"%s>\n", mark, series % QN_REPORT_COLOURS, repeated(series),
                          attributes);
}

static qn_status append_key(qn_text *body, qn_report_marks marks, size_t series)
{
    static const char *const shapes[] = {"<circle cx=\"12\" cy=\"6\" r=\"5\"/>", "<path d=\"M1 6h18\"/>",
                                         "<rect x=\"6\" y=\"0\" width=\"12\" height=\"12\"/>"};
    static const char *const classes[] = {"p", "l", "b"};
    return qn_text_append(body, "<li><svg viewBox=\"0 0 20 12\" aria-hidden=\"true\" class=\"%s c%zu%s\">%s</svg>",
                          classes[marks], series % QN_REPORT_COLOURS, repeated(series), shapes[marks]);
}

static qn_status append_legend(qn_text *body, const qn_report_plot *plot, const qn_figure *figure)
{
    if (plot->series_count < 2) return QN_OK;
    QN_TRY(qn_text_append(body, "<ul class=\"legend\">\n"));
    for (size_t i = 0; i < plot->series_count; i++) {
        QN_TRY(append_key(body, figure->marks, i));
        QN_TRY(qn_markup_text(body, plot->series[i].name));
        QN_TRY(qn_text_append(body, "</li>\n"));
    }
    if (figure->total)
        QN_TRY(qn_text_append(body, "<li><svg viewBox=\"0 0 20 12\" aria-hidden=\"true\"><path class=\"s\" d=\"\"/>"
                                    "<path class=\"s\" d=\"M2 6h16\"/></svg>sum</li>\n"));
    return qn_text_append(body, "</ul>\n");
}

/* Append the text that a screen reader speaks instead of the drawing. */
static qn_status append_spoken(qn_text *body, const qn_report_plot *plot, const qn_figure *figure)
{
    QN_TRY(qn_text_append(body, "%s: ", figure->kind));
    QN_TRY(qn_markup_text(body, plot->title));
    QN_TRY(qn_text_append(body, ". %zu value%s", figure->shown, figure->shown == 1 ? "" : "s"));
    if (plot->y_label && plot->y_label[0]) {
        QN_TRY(qn_text_append(body, " of "));
        QN_TRY(qn_markup_text(body, plot->y_label));
    }
    if (plot->x_label && plot->x_label[0]) {
        QN_TRY(qn_text_append(body, " against "));
        QN_TRY(qn_markup_text(body, plot->x_label));
    }
    return qn_text_append(body, ".");
}

qn_status qn_figure_begin(qn_report *report, const qn_report_plot *plot, const qn_figure *figure, double height)
{
    qn_text *body = &report->body;
    QN_TRY(qn_text_append(body, "<figure>\n"));
    QN_TRY(qn_markup_caption(body, plot->title, plot->caption));
    if (figure->left_out)
        QN_TRY(qn_text_append(body, " %zu of %zu values are not finite and left out.", figure->left_out,
                              figure->shown + figure->left_out));
    QN_TRY(qn_text_append(body, "</figcaption>\n"));
    QN_TRY(append_legend(body, plot, figure));
    QN_TRY(qn_text_append(body, "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"", QN_REPORT_WIDTH, height));
    QN_TRY(append_spoken(body, plot, figure));
    return qn_text_append(body, "\">\n");
}

qn_status qn_figure_end(qn_report *report)
{
    return qn_text_append(&report->body, "</svg>\n</figure>\n");
}

qn_status qn_figure_nothing(qn_report *report)
{
    return qn_text_append(&report->body,
                          "<rect class=\"g\" x=\".5\" y=\".5\" width=\"839\" height=\"119\"/>\n"
                          "<text class=\"m\" x=\"420\" y=\"60\" dy=\".32em\">no values to show</text>\n");
}

qn_status qn_frame_draw_titles(qn_text *body, const qn_report_plot *plot, const qn_frame *frame)
{
    if (plot->y_label && plot->y_label[0]) {
        QN_TRY(qn_text_append(body, "<text class=\"t\" x=\"0\" y=\"22\">"));
        QN_TRY(qn_markup_text(body, plot->y_label));
        QN_TRY(qn_text_append(body, "</text>\n"));
    }
    if (plot->x_label && plot->x_label[0]) {
        QN_TRY(qn_text_append(body, "<text class=\"t m\""));
        QN_TRY(qn_markup_position(body, "x", frame->left + frame->width / 2));
        QN_TRY(qn_markup_position(body, "y", frame->total_height - 6));
        QN_TRY(qn_text_append(body, ">"));
        QN_TRY(qn_markup_text(body, plot->x_label));
        QN_TRY(qn_text_append(body, "</text>\n"));
    }
    return QN_OK;
}

static qn_status append_horizontal(qn_text *body, const qn_frame *frame, double y)
{
    QN_TRY(qn_text_append(body, "M"));
    QN_TRY(qn_markup_coordinate(body, frame->left, 1));
    QN_TRY(qn_text_append(body, " "));
    QN_TRY(qn_markup_coordinate(body, y, 1));
    QN_TRY(qn_text_append(body, "h"));
    return qn_markup_coordinate(body, frame->width, 1);
}

qn_status qn_frame_draw(qn_text *body, const qn_report_plot *plot, const qn_frame *frame)
{
    const qn_axis *axis = &frame->y;
    QN_TRY(qn_text_append(body, "<path class=\"g\" d=\""));
    for (size_t tick = 0; tick < axis->ticks; tick++)
        QN_TRY(append_horizontal(body, frame, qn_frame_y(frame, qn_axis_tick(axis, tick))));
    QN_TRY(qn_text_append(body, "\"/>\n"));
    char label[QN_AXIS_LABEL_BYTES];
    for (size_t tick = 0; tick < axis->ticks; tick++) {
        double value = qn_axis_tick(axis, tick);
        qn_axis_label(axis, tick, label);
        QN_TRY(qn_text_append(body, "<text class=\"e y\""));
        QN_TRY(qn_markup_position(body, "x", frame->left - 9));
        QN_TRY(qn_markup_position(body, "y", qn_frame_y(frame, value)));
        QN_TRY(qn_text_append(body, " dy=\".34em\">%s</text>\n", label));
    }
    return qn_frame_draw_titles(body, plot, frame);
}

qn_status qn_frame_draw_zero(qn_text *body, const qn_frame *frame)
{
    double zero = qn_axis_fraction(&frame->y, 0);
    if (zero < 0 || zero > 1) return QN_OK;
    QN_TRY(qn_text_append(body, "<path class=\"z\" d=\""));
    QN_TRY(append_horizontal(body, frame, qn_frame_y(frame, 0)));
    return qn_text_append(body, "\"/>\n");
}
