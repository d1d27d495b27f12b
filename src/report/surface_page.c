/* The three views of a surface side by side as an SVG document, with a scale and the meaning of the colours. */
#include <math.h>

#include "base/error.h"
#include "report/colour.h"
#include "report/markup.h"
#include "report/surface_views.h"

enum { SIDE = 240, GAP = 12, LEGEND = 110, BELOW = 44, SHARPNESS = 2, BAR = 180, STEPS = 8 };

static const char *const view_names[QN_SURFACE_VIEWS] = {"x right, y up", "x right, z up", "y right, z up"};

static qn_status put_view(const qn_surface_views *views, int view, qn_text *svg)
{
    qn_text png = {0};
    qn_status status = qn_surface_view_png(views, view, SHARPNESS * SIDE, &png);
    if (status == QN_OK)
        status = qn_text_append(svg, "<image x=\"%d\" width=\"%d\" height=\"%d\" href=\"data:image/png;base64,",
                                view * (SIDE + GAP), SIDE, SIDE);
    if (status == QN_OK) status = qn_markup_base64(svg, png.data, png.length);
    if (status == QN_OK)
        status = qn_text_append(svg, "\"/>\n<text x=\"%d\" y=\"%d\">%s</text>\n", view * (SIDE + GAP), SIDE + 18,
                                view_names[view]);
    qn_text_clear(&png);
    return status;
}

/* A line of a round length, at most a third of a view. */
static qn_status put_scale(const qn_surface_views *views, qn_text *svg)
{
    static const double rounds[] = {5, 2, 1};
    double longest = 0;
    for (int axis = 0; axis < 3; axis++) longest = fmax(longest, views->high[axis] - views->low[axis]);
    if (!(longest > 0) || !isfinite(longest)) return QN_OK;
    const double shown = longest / QN_SURFACE_SHOWN, power = pow(10, floor(log10(shown / 3)));
    double length = power;
    for (int i = 0; i < 3; i++)
        if (rounds[i] * power <= shown / 3) {
            length = rounds[i] * power;
            break;
        }
    const double width = length / shown * SIDE;
    const char *unit = length >= 1 ? "m" : length >= 0.01 ? "cm" : "mm";
    const double in_unit = length * (length >= 1 ? 1 : length >= 0.01 ? 100 : 1000);
    QN_TRY(qn_text_append(svg, "<path d=\"M0 %dh%.1f\" stroke=\"#777\" stroke-width=\"3\"/>\n", SIDE + 32, width));
    return qn_text_append(svg, "<text x=\"%.1f\" y=\"%d\">%.4g %s</text>\n", width + 8, SIDE + 36, in_unit, unit);
}

static qn_status put_colours(const qn_surface_views *views, int x, qn_text *svg)
{
    QN_TRY(qn_text_append(svg, "<defs><linearGradient id=\"values\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">"));
    for (int i = 0; i <= STEPS; i++) {
        unsigned char colour[3];
        qn_report_colour((double)i / STEPS, colour);
        QN_TRY(qn_text_append(svg, "<stop offset=\"%g\" stop-color=\"#%02x%02x%02x\"/>", (double)i / STEPS, colour[0],
                              colour[1], colour[2]));
    }
    QN_TRY(qn_text_append(svg,
                          "</linearGradient></defs>\n<rect x=\"%d\" y=\"6\" width=\"14\" height=\"%d\" "
                          "fill=\"url(#values)\"/>\n",
                          x, BAR));
    for (int i = 0; i < 3; i++) {
        QN_TRY(qn_text_append(svg, "<text x=\"%d\" y=\"%d\">", x + 20, 6 + BAR - i * BAR / 2 + 5));
        QN_TRY(qn_markup_value(svg, views->lowest + 0.5 * i * (views->highest - views->lowest), 3));
        QN_TRY(qn_text_append(svg, "</text>\n"));
    }
    QN_TRY(qn_text_append(svg, "<text x=\"%d\" y=\"%d\">", x, BAR + 26));
    QN_TRY(qn_markup_text(svg, views->quantity));
    return qn_text_append(svg, "</text>\n");
}

static qn_status put_marks(const qn_surface_views *views, int x, qn_text *svg)
{
    static const char *const colours[QN_SURFACE_MARKS] = {"#808080", "#d63a2f"};
    int y = SIDE - 6;
    for (int i = 0; views->marks && i < QN_SURFACE_MARKS; i++) {
        if (!views->mark_names[i]) continue;
        QN_TRY(qn_text_append(svg,
                              "<rect x=\"%d\" y=\"%d\" width=\"14\" height=\"14\" fill=\"%s\"/>\n<text x=\"%d\" "
                              "y=\"%d\">",
                              x, y, colours[i], x + 20, y + 12));
        QN_TRY(qn_markup_text(svg, views->mark_names[i]));
        QN_TRY(qn_text_append(svg, "</text>\n"));
        y += 20;
    }
    return QN_OK;
}

qn_status qn_surface_views_svg(const qn_surface_views *views, qn_text *svg)
{
    const int width = QN_SURFACE_VIEWS * (SIDE + GAP);
    QN_TRY(qn_text_append(svg,
                          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
                          "font-size=\"13\" fill=\"#777\">\n",
                          width + LEGEND, SIDE + BELOW));
    for (int view = 0; view < QN_SURFACE_VIEWS; view++) QN_TRY(put_view(views, view, svg));
    QN_TRY(put_scale(views, svg));
    if (views->values) QN_TRY(put_colours(views, width, svg));
    QN_TRY(put_marks(views, width, svg));
    return qn_text_append(svg, "</svg>\n");
}
