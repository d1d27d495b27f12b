/* Grids of values as pictures: shades of grey side by side, and heat maps with axes. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/colour.h"
#include "report/document.h"
#include "report/markup.h"
#include "report/png.h"

/* Largest number of pixels along a picture's longest side: more than the width of one or two pictures on a page, and of
 * pictures in rows of three. */
enum { SIDE_MAX = 480, SIDE_MAX_OF_THREE = 320 };

/* Append the data URL of a picture. */
static qn_status append_address(qn_text *body, const unsigned char *pixels, int width, int height, int channels)
{
    qn_text png = {0};
    qn_status status = qn_png_append(&png, pixels, width, height, channels);
    if (status == QN_OK) status = qn_text_append(body, "data:image/png;base64,");
    if (status == QN_OK) status = qn_markup_base64(body, png.data, png.length);
    qn_text_clear(&png);
    return status;
}

/* ---- shades of grey ---- */

/* The mean of step × step values, fewer at the upper edges. */
static double mean_of_block(const qn_report_picture *picture, int x, int y, int step)
{
    double sum = 0;
    int count = 0;
    for (int row = y; row < y + step && row < picture->rows; row++)
        for (int column = x; column < x + step && column < picture->columns; column++, count++)
            sum += picture->values[(size_t)row * (size_t)picture->columns + (size_t)column];
    return sum / count;
}

static unsigned char shade_of(double value, double low, double high)
{
    const double share = (value - low) / (high - low);
    return isfinite(share) ? (unsigned char)lround(255 * fmin(fmax(share, 0), 1)) : 0;
}

static qn_status append_grey(qn_text *body, const qn_report_picture *picture, int most, double low, double high)
{
    const int side = picture->columns > picture->rows ? picture->columns : picture->rows;
    const int step = (side + most - 1) / most;
    const int width = (picture->columns + step - 1) / step, height = (picture->rows + step - 1) / step;
    void *memory;
    QN_TRY(qn_allocate((size_t)width * (size_t)height, 1, &memory));
    unsigned char *pixels = memory;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            pixels[(size_t)(height - 1 - y) * (size_t)width + (size_t)x] =
                shade_of(mean_of_block(picture, x * step, y * step, step), low, high);
    qn_status status = qn_text_append(body, " width=\"%d\" height=\"%d\" src=\"", width, height);
    if (status == QN_OK) status = append_address(body, pixels, width, height, 1);
    qn_release(&memory);
    return status;
}

/* Append a bar of a round length, from a sixth to two fifths of the picture's width. */
static qn_status append_bar(qn_text *body, const qn_report_picture *picture)
{
    const double width = picture->pixel * picture->columns;
    if (!(width > 0) || !isfinite(width) || !picture->unit) return QN_OK;
    double length = pow(10, floor(log10(0.4 * width)));
    if (5 * length <= 0.4 * width)
        length *= 5;
    else if (2 * length <= 0.4 * width)
        length *= 2;
    QN_TRY(qn_text_append(body, "<i class=\"length\" style=\"width:%.2f%%\">%g ", 100 * length / width, length));
    QN_TRY(qn_markup_text(body, picture->unit));
    return qn_text_append(body, "</i>");
}

static qn_status append_picture(qn_text *body, const qn_report_picture *picture, int most, double low, double high)
{
    QN_TRY(qn_text_append(body, "<li>"));
    if (picture->values && picture->columns > 0 && picture->rows > 0) {
        QN_TRY(qn_text_append(body, "<div class=\"framed\"><img alt=\"Picture of "));
        QN_TRY(qn_markup_text(body, picture->title));
        QN_TRY(qn_text_append(body, "\""));
        QN_TRY(append_grey(body, picture, most, low, high));
        QN_TRY(qn_text_append(body, "\"/>"));
        QN_TRY(append_bar(body, picture));
        QN_TRY(qn_text_append(body, "</div>"));
    }
    QN_TRY(qn_text_append(body, "<b>"));
    QN_TRY(qn_markup_text(body, picture->title));
    QN_TRY(qn_text_append(body, "</b><span>"));
    QN_TRY(qn_markup_text(body, picture->text));
    return qn_text_append(body, "</span></li>\n");
}

qn_status qn_report_pictures(qn_report *report, const char *title, const char *caption,
                             const qn_report_picture *pictures, size_t count, double low, double high)
{
    qn_text *body = &report->body;
    if (count == 0) return QN_OK;
    QN_TRY(qn_text_append(body, "<figure>\n"));
    QN_TRY(qn_markup_caption(body, title, caption));
    QN_TRY(qn_text_append(body, "</figcaption>\n<ul class=\"pictures%s\">\n", count == 2 ? " two" : ""));
    const int most = count > 2 ? SIDE_MAX_OF_THREE : SIDE_MAX;
    for (size_t i = 0; i < count; i++) QN_TRY(append_picture(body, &pictures[i], most, low, high));
    return qn_text_append(body, "</ul>\n</figure>\n");
}

/* ---- heat maps ---- */

static double value_at(const qn_report_heat_map *map, int x, int y)
{
    const double value = map->values[(size_t)y * (size_t)map->columns + (size_t)x];
    return qn_axis_accepts(value) && value > 0 ? value : 0;
}

static double largest_of(const qn_report_heat_map *map)
{
    double largest = 0;
    for (int y = 0; y < map->rows; y++)
        for (int x = 0; x < map->columns; x++) largest = fmax(largest, value_at(map, x, y));
    return largest;
}

static size_t count_left_out(const qn_report_heat_map *map)
{
    size_t count = 0;
    for (size_t i = 0; i < (size_t)map->columns * (size_t)map->rows; i++) count += !qn_axis_accepts(map->values[i]);
    return count;
}

/* Append an SVG image; `box` is left, top, width and height; `pixels` are red, green, blue. */
static qn_status append_image(qn_text *body, const double box[4], const unsigned char *pixels, int width, int height)
{
    QN_TRY(qn_text_append(body, "<image class=\"i\" preserveAspectRatio=\"none\""));
    QN_TRY(qn_markup_position(body, "x", box[0]));
    QN_TRY(qn_markup_position(body, "y", box[1]));
    QN_TRY(qn_markup_position(body, "width", box[2]));
    QN_TRY(qn_markup_position(body, "height", box[3]));
    QN_TRY(qn_text_append(body, " href=\""));
    QN_TRY(append_address(body, pixels, width, height, 3));
    return qn_text_append(body, "\"/>\n");
}

static qn_status draw_cells(qn_text *body, const qn_report_heat_map *map, const qn_frame *frame, double largest)
{
    const double box[4] = {frame->left, frame->top, frame->width, frame->height};
    void *memory;
    QN_TRY(qn_allocate((size_t)map->columns * (size_t)map->rows, 3, &memory));
    unsigned char *pixels = memory;
    for (int y = 0; y < map->rows; y++)
        for (int x = 0; x < map->columns; x++) {
            const size_t pixel = (size_t)(map->rows - 1 - y) * (size_t)map->columns + (size_t)x;
            qn_report_colour(largest > 0 ? value_at(map, x, y) / largest : 0, pixels + 3 * pixel);
        }
    qn_status status = append_image(body, box, pixels, map->columns, map->rows);
    qn_release(&memory);
    return status;
}

/* Draw the key "0 ▭ 134 views" at the upper right, with room for a number and a word in the size of text on a phone. */
static qn_status draw_key(qn_text *body, const qn_report_heat_map *map, double largest)
{
    enum { STEPS = 64 };
    const double width = 170, right = QN_REPORT_WIDTH - 18 - 14 * QN_REPORT_DIGIT_WIDTH;
    const double box[4] = {right - width, 9, width, 16};
    unsigned char pixels[3 * STEPS];
    for (int i = 0; i < STEPS; i++) qn_report_colour((double)i / (STEPS - 1), pixels + 3 * (size_t)i);
    QN_TRY(append_image(body, box, pixels, STEPS, 1));
    QN_TRY(qn_text_append(body, "<text class=\"e\" x=\"%.1f\" y=\"22\">0</text>\n<text x=\"%.1f\" y=\"22\">",
                          box[0] - 8, right + 8));
    QN_TRY(qn_markup_value(body, largest, 3));
    QN_TRY(qn_text_append(body, " "));
    QN_TRY(qn_markup_text(body, map->unit));
    return qn_text_append(body, "</text>\n");
}

static qn_status draw_ticks(qn_text *body, const qn_report_heat_map *map, const qn_frame *frame)
{
    for (size_t i = 0; i < map->x_tick_count; i++) {
        QN_TRY(qn_text_append(body, "<text class=\"m x\""));
        QN_TRY(qn_markup_position(body, "x", frame->left + frame->width * map->x_ticks[i].at));
        QN_TRY(qn_markup_position(body, "y", frame->top + frame->height + 8));
        QN_TRY(qn_text_append(body, " dy=\".85em\">"));
        QN_TRY(qn_markup_text(body, map->x_ticks[i].label));
        QN_TRY(qn_text_append(body, "</text>\n"));
    }
    for (size_t i = 0; i < map->y_tick_count; i++) {
        QN_TRY(qn_text_append(body, "<text class=\"e y\""));
        QN_TRY(qn_markup_position(body, "x", frame->left - 9));
        QN_TRY(qn_markup_position(body, "y", frame->top + frame->height * (1 - map->y_ticks[i].at)));
        QN_TRY(qn_text_append(body, " dy=\".34em\">"));
        QN_TRY(qn_markup_text(body, map->y_ticks[i].label));
        QN_TRY(qn_text_append(body, "</text>\n"));
    }
    return QN_OK;
}

static void fit_frame(const qn_report_heat_map *map, qn_frame *frame)
{
    size_t longest = 0;
    for (size_t i = 0; i < map->y_tick_count; i++) {
        const size_t length = qn_markup_length(map->y_ticks[i].label);
        if (length > longest) longest = length;
    }
    *frame = (qn_frame){.left = 14 + (double)longest * QN_REPORT_DIGIT_WIDTH, .top = 46, .height = 360};
    frame->width = QN_REPORT_WIDTH - frame->left - 32; /* half a label beyond the last tick */
    frame->total_height = frame->top + frame->height + 62;
}

qn_status qn_report_heat(qn_report *report, const qn_report_heat_map *map)
{
    const qn_report_plot plot = {
        .title = map->title, .x_label = map->x_label, .y_label = map->y_label, .caption = map->caption};
    const size_t cells =
        map->values && map->columns > 0 && map->rows > 0 ? (size_t)map->columns * (size_t)map->rows : 0;
    const size_t left_out = cells ? count_left_out(map) : 0;
    const qn_figure figure = {.kind = "Heat map", .shown = cells - left_out, .left_out = left_out};
    if (cells == left_out) {
        QN_TRY(qn_figure_begin(report, &plot, &figure, 120));
        QN_TRY(qn_figure_nothing(report));
        return qn_figure_end(report);
    }
    const double largest = largest_of(map);
    qn_frame frame;
    fit_frame(map, &frame);
    QN_TRY(qn_figure_begin(report, &plot, &figure, frame.total_height));
    QN_TRY(draw_cells(&report->body, map, &frame, largest));
    QN_TRY(draw_key(&report->body, map, largest));
    QN_TRY(draw_ticks(&report->body, map, &frame));
    QN_TRY(qn_frame_draw_titles(&report->body, &plot, &frame));
    return qn_figure_end(report);
}
