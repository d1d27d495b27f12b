/* Scatter and line plots. */
#include <math.h>

#include "base/error.h"
#include "report/document.h"
#include "report/markup.h"

/* A point with a tooltip takes ten times the bytes of one without. A plot has at most this many tooltips, shared evenly
 * by its series; the first points of each series get them. */
#define TOOLTIPS_MAX 2000

static const char dots_path[] = "<path class=\"d c%zu%s\" stroke-width=\"%s\" stroke-opacity=\".6\" d=\"";

/* Thresholds of a plot. */
typedef struct plot_guides {
    const qn_report_guide *guides;
    size_t count;
} plot_guides;

static bool has_error(const qn_report_series *series, size_t point)
{
    return series->errors && series->errors[point] > 0 && qn_axis_accepts(series->y[point] + series->errors[point]) &&
           qn_axis_accepts(series->y[point] - series->errors[point]);
}

static void measure(const qn_report_plot *plot, const plot_guides *guides, qn_range *x, qn_range *y)
{
    *x = *y = (qn_range){.low = INFINITY, .high = -INFINITY};
    for (size_t i = 0; i < plot->series_count; i++) {
        const qn_report_series *series = &plot->series[i];
        for (size_t point = 0; point < series->count; point++) {
            if (!series->x || !qn_report_has_point(series, point)) {
                y->left_out++;
                continue;
            }
            y->count++;
            qn_range_add(x, series->x[point]);
            qn_range_add(y, series->y[point]);
            for (int side = -1; side <= 1; side += 2)
                if (has_error(series, point)) qn_range_add(y, series->y[point] + side * series->errors[point]);
        }
    }
    for (size_t i = 0; i < guides->count && y->count; i++)
        if (qn_axis_accepts(guides->guides[i].value)) qn_range_add(y, guides->guides[i].value);
}

/* Whether all x are whole numbers, such as those of movies or tests. */
static bool has_whole_x(const qn_report_plot *plot)
{
    for (size_t i = 0; i < plot->series_count; i++)
        for (size_t point = 0; point < plot->series[i].count && plot->series[i].x; point++)
            if (qn_report_has_point(&plot->series[i], point) &&
                plot->series[i].x[point] != floor(plot->series[i].x[point]))
                return false;
    return true;
}

/* Fit the x axis with as many ticks as the width of their labels allows; few whole numbers have no ticks between them.
 */
static void fit_x(const qn_report_plot *plot, const qn_range *x, qn_frame *frame)
{
    char label[QN_AXIS_LABEL_BYTES];
    const bool few = x->high - x->low < 9 && has_whole_x(plot);
    const double low = few && x->high - x->low < 2 ? x->high - 2 : x->low;
    for (size_t most = few ? (size_t)(x->high - low) + 1 : 10; most >= 3; most--) {
        qn_axis_fit(low, x->high, most, &frame->x);
        size_t longest = 0;
        for (size_t tick = 0; tick < frame->x.ticks; tick++) {
            size_t length = qn_axis_label(&frame->x, tick, label);
            if (length > longest) longest = length;
        }
        double room = frame->width / (double)(frame->x.ticks - 1);
        if (((double)longest + 1) * QN_REPORT_DIGIT_WIDTH <= room) break;
    }
}

static qn_status draw_x(qn_text *body, const qn_frame *frame)
{
    QN_TRY(qn_text_append(body, "<path class=\"g\" d=\""));
    for (size_t tick = 0; tick < frame->x.ticks; tick++) {
        QN_TRY(qn_text_append(body, "M"));
        QN_TRY(qn_markup_coordinate(body, qn_frame_x(frame, qn_axis_tick(&frame->x, tick)), 1));
        QN_TRY(qn_text_append(body, " "));
        QN_TRY(qn_markup_coordinate(body, frame->top, 1));
        QN_TRY(qn_text_append(body, "v"));
        QN_TRY(qn_markup_coordinate(body, frame->height, 1));
    }
    QN_TRY(qn_text_append(body, "\"/>\n"));
    char label[QN_AXIS_LABEL_BYTES];
    for (size_t tick = 0; tick < frame->x.ticks; tick++) {
        qn_axis_label(&frame->x, tick, label);
        QN_TRY(qn_text_append(body, "<text class=\"m x\""));
        QN_TRY(qn_markup_position(body, "x", qn_frame_x(frame, qn_axis_tick(&frame->x, tick))));
        QN_TRY(qn_markup_position(body, "y", frame->top + frame->height + 8));
        QN_TRY(qn_text_append(body, " dy=\".85em\">%s</text>\n", label));
    }
    return QN_OK;
}

static qn_status append_point(qn_text *body, const qn_frame *frame, const qn_report_series *series, size_t point,
                              const char *separator)
{
    QN_TRY(qn_markup_coordinate(body, qn_frame_x(frame, series->x[point]), 1));
    QN_TRY(qn_text_append(body, "%s", separator));
    return qn_markup_coordinate(body, qn_frame_y(frame, series->y[point]), 1);
}

static qn_status append_circle(qn_text *body, const qn_frame *frame, const qn_report_series *series, size_t point,
                               const char *radius)
{
    QN_TRY(qn_text_append(body, "<circle cx=\""));
    QN_TRY(append_point(body, frame, series, point, "\" cy=\""));
    QN_TRY(qn_text_append(body, "\" r=\"%s\"><title>", radius));
    if (series->labels && series->labels[point]) {
        QN_TRY(qn_markup_text(body, series->labels[point]));
        QN_TRY(qn_text_append(body, "\n"));
    }
    QN_TRY(qn_markup_value(body, series->x[point], 5));
    QN_TRY(qn_text_append(body, ", "));
    QN_TRY(qn_markup_value(body, series->y[point], 5));
    if (has_error(series, point)) {
        QN_TRY(qn_text_append(body, " ± "));
        QN_TRY(qn_markup_value(body, series->errors[point], 2));
    }
    return qn_text_append(body, "</title></circle>\n");
}

static size_t tooltips_of(const qn_report_plot *plot, const qn_report_series *series)
{
    size_t share = TOOLTIPS_MAX / plot->series_count;
    return series->count < share ? series->count : share;
}

static qn_status draw_dots(qn_text *body, const qn_report_plot *plot, const qn_frame *frame, size_t index)
{
    const qn_report_series *series = &plot->series[index];
    size_t shown = series->count;
    const char *radius = shown <= 60 ? "5" : shown <= 400 ? "4" : shown <= 2000 ? "3" : "2.2";
    const char *diameter = shown <= 60 ? "10" : shown <= 400 ? "8" : shown <= 2000 ? "6" : "4.4";
    size_t tooltips = tooltips_of(plot, series);
    if (tooltips < series->count) {
        const char *again = (index / QN_REPORT_COLOURS) % 2 ? " r" : "";
        QN_TRY(qn_text_append(body, dots_path, index % QN_REPORT_COLOURS, again, diameter));
        for (size_t point = tooltips; point < series->count; point++) {
            if (!qn_report_has_point(series, point)) continue;
            QN_TRY(qn_text_append(body, "M"));
            QN_TRY(append_point(body, frame, series, point, " "));
            QN_TRY(qn_text_append(body, "h0"));
        }
        QN_TRY(qn_text_append(body, "\"/>\n"));
    }
    /* A few dots are solid with a rim between them; many dots are translucent, so that density shows. */
    QN_TRY(qn_figure_group(body, shown <= 60 ? "p f" : "p", index, shown <= 60 ? "" : " fill-opacity=\".6\""));
    /* Backwards, so that the first points, which callers rank best, lie on top. */
    for (size_t point = tooltips; point-- > 0;)
        if (qn_report_has_point(series, point)) QN_TRY(append_circle(body, frame, series, point, radius));
    return qn_text_append(body, "</g>\n");
}

static qn_status append_place(qn_text *body, const qn_frame *frame, double x, double y)
{
    QN_TRY(qn_markup_coordinate(body, qn_frame_x(frame, x), 1));
    QN_TRY(qn_text_append(body, " "));
    return qn_markup_coordinate(body, qn_frame_y(frame, y), 1);
}

/* A bar through each point, from y − error to y + error. */
static qn_status draw_error_bars(qn_text *body, const qn_report_series *series, const qn_frame *frame)
{
    QN_TRY(qn_text_append(body, "<path class=\"o\" d=\""));
    for (size_t point = 0; point < series->count; point++) {
        if (!qn_report_has_point(series, point) || !has_error(series, point)) continue;
        QN_TRY(qn_text_append(body, "M"));
        QN_TRY(append_place(body, frame, series->x[point], series->y[point] - series->errors[point]));
        QN_TRY(qn_text_append(body, "V"));
        QN_TRY(qn_markup_coordinate(body, qn_frame_y(frame, series->y[point] + series->errors[point]), 1));
    }
    return qn_text_append(body, "\"/>\n");
}

/* A band for each run of points, along y + error and back along y − error. */
static qn_status draw_error_band(qn_text *body, const qn_report_series *series, const qn_frame *frame)
{
    QN_TRY(qn_text_append(body, "<path class=\"a\" d=\""));
    for (size_t first = 0, end; first < series->count; first = end + 1) {
        for (end = first; end < series->count && qn_report_has_point(series, end) && series->errors[end] >= 0;) end++;
        for (size_t i = 0; end > first + 1 && i < 2 * (end - first); i++) {
            const size_t point = i < end - first ? first + i : 2 * end - first - 1 - i;
            const double side = i < end - first ? 1 : -1;
            QN_TRY(qn_text_append(body, i == 0 ? "M" : " "));
            QN_TRY(append_place(body, frame, series->x[point], series->y[point] + side * series->errors[point]));
        }
        if (end > first + 1) QN_TRY(qn_text_append(body, "Z"));
    }
    return qn_text_append(body, "\"/>\n");
}

/* A gap in the values is a gap in the line; a single value between two gaps is drawn as a dot. */
static qn_status draw_stroke(qn_text *body, const qn_report_plot *plot, const qn_frame *frame, size_t index,
                             size_t shown)
{
    const qn_report_series *series = &plot->series[index];
    QN_TRY(qn_figure_group(body, "l", index, ""));
    if (series->errors) QN_TRY((shown <= 60 ? draw_error_bars : draw_error_band)(body, series, frame));
    QN_TRY(qn_text_append(body, "<path d=\""));
    bool pen_down = false;
    for (size_t point = 0; point < series->count; point++) {
        bool here = qn_report_has_point(series, point);
        if (here) {
            bool next = point + 1 < series->count && qn_report_has_point(series, point + 1);
            QN_TRY(qn_text_append(body, pen_down ? " " : "M"));
            QN_TRY(append_point(body, frame, series, point, " "));
            if (!pen_down) QN_TRY(qn_text_append(body, next ? "L" : "h0"));
        }
        pen_down = here;
    }
    QN_TRY(qn_text_append(body, "\"/>\n"));
    /* Few points are always marked; many points are shown only under the pointer. */
    QN_TRY(qn_text_append(body, "<g%s>\n", shown <= 60 ? "" : " class=\"h\""));
    size_t tooltips = tooltips_of(plot, series);
    for (size_t point = 0; point < tooltips; point++)
        if (qn_report_has_point(series, point))
            QN_TRY(append_circle(body, frame, series, point, shown <= 60 ? "3.5" : "5"));
    return qn_text_append(body, "</g></g>\n");
}

/* Write 1/x above the ticks of the x axis, and the meaning of these numbers at the right. */
static qn_status draw_inverse(qn_text *body, const qn_report_plot *plot, const qn_frame *frame)
{
    if (!plot->inverse_label) return QN_OK;
    for (size_t tick = 0; tick < frame->x.ticks; tick++) {
        const double value = qn_axis_tick(&frame->x, tick);
        if (!(value > 0)) continue;
        QN_TRY(qn_text_append(body, "<text class=\"m\""));
        QN_TRY(qn_markup_position(body, "x", qn_frame_x(frame, value)));
        QN_TRY(qn_markup_position(body, "y", frame->top - 10));
        QN_TRY(qn_text_append(body, ">"));
        QN_TRY(qn_markup_value(body, 1 / value, 3));
        QN_TRY(qn_text_append(body, "</text>\n"));
    }
    QN_TRY(qn_text_append(body, "<text class=\"t e\""));
    QN_TRY(qn_markup_position(body, "x", frame->left + frame->width));
    QN_TRY(qn_text_append(body, " y=\"22\">"));
    QN_TRY(qn_markup_text(body, plot->inverse_label));
    return qn_text_append(body, "</text>\n");
}

/* The label of the guide is above its right end. */
static qn_status draw_guide(qn_text *body, const qn_report_guide *guide, const qn_frame *frame)
{
    if (!qn_axis_accepts(guide->value)) return QN_OK;
    const double y = qn_frame_y(frame, guide->value);
    QN_TRY(qn_text_append(body, "<path class=\"u\" d=\"M"));
    QN_TRY(qn_markup_coordinate(body, frame->left, 1));
    QN_TRY(qn_text_append(body, " "));
    QN_TRY(qn_markup_coordinate(body, y, 1));
    QN_TRY(qn_text_append(body, "h"));
    QN_TRY(qn_markup_coordinate(body, frame->width, 1));
    QN_TRY(qn_text_append(body, "\"/>\n<text class=\"e\""));
    QN_TRY(qn_markup_position(body, "x", frame->left + frame->width - 4));
    QN_TRY(qn_markup_position(body, "y", y - 6));
    QN_TRY(qn_text_append(body, ">"));
    QN_TRY(qn_markup_text(body, guide->name));
    return qn_text_append(body, "</text>\n");
}

static qn_status append_plot(qn_report *report, const qn_report_plot *plot, const plot_guides *guides,
                             qn_report_marks marks)
{
    qn_range x, y;
    measure(plot, guides, &x, &y);
    const char *kind = marks == QN_REPORT_DOTS ? "Scatter plot" : "Line plot";
    qn_figure figure = {.kind = kind, .marks = marks, .shown = y.count, .left_out = y.left_out};
    if (y.count == 0) {
        QN_TRY(qn_figure_begin(report, plot, &figure, 120));
        QN_TRY(qn_figure_nothing(report));
        return qn_figure_end(report);
    }
    qn_frame frame;
    bool has_title = plot->x_label && plot->x_label[0];
    qn_frame_fit(plot, &y, has_title ? 62 : 38, &frame);
    fit_x(plot, &x, &frame);
    QN_TRY(qn_figure_begin(report, plot, &figure, frame.total_height));
    QN_TRY(draw_x(&report->body, &frame));
    QN_TRY(draw_inverse(&report->body, plot, &frame));
    QN_TRY(qn_frame_draw(&report->body, plot, &frame));
    QN_TRY(qn_frame_draw_zero(&report->body, &frame));
    for (size_t i = 0; i < guides->count; i++) QN_TRY(draw_guide(&report->body, &guides->guides[i], &frame));
    /* Backwards, so that the first series lies on top. */
    for (size_t i = plot->series_count; i-- > 0;) {
        if (!plot->series[i].x) continue;
        if (marks == QN_REPORT_DOTS)
            QN_TRY(draw_dots(&report->body, plot, &frame, i));
        else
            QN_TRY(draw_stroke(&report->body, plot, &frame, i, y.count));
    }
    return qn_figure_end(report);
}

qn_status qn_report_scatter(qn_report *report, const qn_report_plot *plot)
{
    return append_plot(report, plot, &(plot_guides){0}, QN_REPORT_DOTS);
}

qn_status qn_report_lines(qn_report *report, const qn_report_plot *plot)
{
    return append_plot(report, plot, &(plot_guides){0}, QN_REPORT_STROKES);
}

qn_status qn_report_lines_and_guide(qn_report *report, const qn_report_plot *plot, double guide, const char *name)
{
    return qn_report_lines_and_guides(report, plot, &(qn_report_guide){guide, name}, 1);
}

qn_status qn_report_lines_and_guides(qn_report *report, const qn_report_plot *plot, const qn_report_guide *guides,
                                     size_t count)
{
    return append_plot(report, plot, &(plot_guides){guides, count}, QN_REPORT_STROKES);
}
