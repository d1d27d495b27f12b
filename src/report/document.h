/* Parts of a report that its files share: the growing document and the frame in which plots are drawn. Private to
 * report. */
#ifndef QN_REPORT_DOCUMENT_H
#define QN_REPORT_DOCUMENT_H

#include "base/text.h"
#include "report/axis.h"
#include "report/html.h"

struct qn_report {
    char *title;
    qn_text body;
    qn_text contents; /* links to the headings */
    size_t headings, tables, scenes, densities;
};

/* Style sheet and script, each a list of texts to write in order. NULL ends the list. The first text of the style sheet
 * defines the colours of both modes; drawings need it too, because pictures do not see the style of their page. */
extern const char *const qn_report_style[];
extern const char *const qn_report_script[];

/* pages/<name>.js, after a first line for compilers of kernels. Scenes and densities need the view. */
extern const char qn_report_view_source[], qn_report_scene_source[], qn_report_density_source[];

/* Series colours repeat after this many; the repetition is dashed, hollow or paler. */
#define QN_REPORT_COLOURS 7

/* Drawings are in units of about a CSS pixel on a wide screen. On a phone the drawing shrinks to less than half, and
 * the style sheet sets its text to 23 units instead of 13: margins are made for 23. */
#define QN_REPORT_WIDTH 840.0
#define QN_REPORT_DIGIT_WIDTH 14.6      /* at 23 units */
#define QN_REPORT_SMALL_DIGIT_WIDTH 8.2 /* at 13 units */

typedef enum qn_report_marks { QN_REPORT_DOTS, QN_REPORT_STROKES, QN_REPORT_BLOCKS } qn_report_marks;

typedef struct qn_frame {
    double left, top, width, height; /* the plotting area */
    double total_height;             /* height of the whole drawing */
    qn_axis x, y;
} qn_frame;

typedef struct qn_range {
    double low, high;
    size_t count, left_out; /* left_out: points that cannot be shown */
} qn_range;

/* Whether an axis can show the point's coordinates; x may be NULL. */
bool qn_report_has_point(const qn_report_series *series, size_t point);

/* Widen a range (low > high when empty) to hold a value. */
void qn_range_add(qn_range *range, double value);

/* Fit the y axis and lay out the frame with `below` units under the plotting area. */
void qn_frame_fit(const qn_report_plot *plot, const qn_range *y, double below, qn_frame *frame);
double qn_frame_x(const qn_frame *frame, double value);
double qn_frame_y(const qn_frame *frame, double value);

/* Begin a figure: write <figure>, caption, legend, <svg> and its label. The caller then draws the marks and ends the
 * figure. `kind` begins the spoken label ("Scatter plot"); `total` adds a key "sum" to the legend. */
typedef struct qn_figure {
    const char *kind;
    qn_report_marks marks;
    size_t shown, left_out;
    bool total;
} qn_figure;
QN_MUST_CHECK qn_status qn_figure_begin(qn_report *report, const qn_report_plot *plot, const qn_figure *figure,
                                        double height);
QN_MUST_CHECK qn_status qn_figure_end(qn_report *report);

/* Draw a frame with a note, for a figure without data. */
QN_MUST_CHECK qn_status qn_figure_nothing(qn_report *report);

/* Draw the titles of both axes. */
QN_MUST_CHECK qn_status qn_frame_draw_titles(qn_text *body, const qn_report_plot *plot, const qn_frame *frame);

/* Draw horizontal grid lines, tick labels and the titles of both axes. */
QN_MUST_CHECK qn_status qn_frame_draw(qn_text *body, const qn_report_plot *plot, const qn_frame *frame);

/* Draw a stronger line at y = 0 if the axis contains 0: under dots and lines, over bars. */
QN_MUST_CHECK qn_status qn_frame_draw_zero(qn_text *body, const qn_frame *frame);

/* Write the opening tag of a series' group, with classes for its colour and for a repeated colour. */
QN_MUST_CHECK qn_status qn_figure_group(qn_text *body, const char *mark, size_t series, const char *attributes);

#endif
