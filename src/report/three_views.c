#include "report/three_views.h"

#include <math.h>

#include "base/error.h"
#include "report/document.h"
#include "report/markup.h"

enum { SIDE = 260, GAP = 20 };

void qn_three_views_begin(const double low[3], const double high[3], qn_three_views *views)
{
    double side = 1;
    *views = (qn_three_views){.scale = 0};
    for (int k = 0; k < 3; k++) side = fmax(side, high[k] - low[k]);
    for (int k = 0; k < 3; k++) views->low[k] = low[k] - 0.5 * (side - (high[k] - low[k]));
    views->scale = SIDE / side;
}

qn_status qn_three_views_dot(qn_three_views *views, const double place[3], double pixels, const char *style)
{
    for (int view = 0; view < 3; view++) {
        const int across = view == 2 ? 1 : 0, up = view == 0 ? 1 : 2;
        const double x = view * (SIDE + GAP) + (place[across] - views->low[across]) * views->scale;
        const double y = SIDE - (place[up] - views->low[up]) * views->scale;
        qn_text *svg = &views->marks[view];
        QN_TRY(qn_text_append(svg, "<circle"));
        QN_TRY(qn_markup_position(svg, "cx", x));
        QN_TRY(qn_markup_position(svg, "cy", y));
        QN_TRY(qn_markup_position(svg, "r", pixels));
        QN_TRY(qn_text_append(svg, " %s/>\n", style));
    }
    return QN_OK;
}

qn_status qn_three_views_sphere(qn_three_views *views, const double place[3], double radius, const char *style)
{
    return qn_three_views_dot(views, place, radius * views->scale, style);
}

qn_status qn_three_views_end(const qn_three_views *views, qn_text *svg)
{
    static const char *const names[] = {"x right, y up", "x right, z up", "y right, z up"};
    QN_TRY(qn_text_append(svg,
                          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
                          "font-family=\"sans-serif\">\n<style>%s</style>\n",
                          3 * SIDE + 2 * GAP, SIDE + 26, qn_report_style[0]));
    for (int view = 0; view < 3; view++) {
        if (views->marks[view].length > 0) QN_TRY(qn_text_append(svg, "%s", views->marks[view].data));
        QN_TRY(qn_text_append(svg, "<text x=\"%d\" y=\"%d\" font-size=\"13\" fill=\"#777\">%s</text>\n",
                              view * (SIDE + GAP), SIDE + 18, names[view]));
    }
    return qn_text_append(svg, "</svg>\n");
}

void qn_three_views_clear(qn_three_views *views)
{
    for (int view = 0; view < 3; view++) qn_text_clear(&views->marks[view]);
}
