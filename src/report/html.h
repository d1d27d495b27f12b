/* A self-contained HTML report: one file, nothing loaded from elsewhere, readable on a phone, in print and in dark
 * mode.
 *
 *     qn_report *report;
 *     QN_TRY(qn_report_create("quern dock: 1PPE", &report));
 *     QN_TRY(qn_report_scatter(report, &(qn_report_plot){.title = "Score funnel", …}));
 *     QN_TRY(qn_report_write(report, "out/report.html"));
 *     qn_report_destroy(&report);
 *
 * All text is UTF-8 and is escaped; text between `back quotes` in paragraphs, warnings and captions is set as code.
 * Arguments are copied. A report belongs to one thread at a time. Errors: QN_OUT_OF_MEMORY; qn_report_write also those
 * of qn_file_write.
 */
#ifndef QN_REPORT_HTML_H
#define QN_REPORT_HTML_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

typedef struct qn_report qn_report;

QN_MUST_CHECK qn_status qn_report_create(const char *title, qn_report **report);
void qn_report_destroy(qn_report **report);

/* A heading. Three or more headings also become a row of links under the title. */
QN_MUST_CHECK qn_status qn_report_heading(qn_report *report, const char *text);
QN_MUST_CHECK qn_status qn_report_paragraph(qn_report *report, const char *format, ...) QN_PRINTF_LIKE(2, 3);
QN_MUST_CHECK qn_status qn_report_warning(qn_report *report, const char *format, ...) QN_PRINTF_LIKE(2, 3);

/* Key facts as a row of tiles: label and value. */
QN_MUST_CHECK qn_status qn_report_facts(qn_report *report, const char *const *labels, const char *const *values,
                                        size_t count);

/* cells: rows × columns texts, row by row; NULL is empty. Numeric columns (every cell a number, or missing: "", "-" or
 * "nan", shown as a dash) are right-aligned and have minus signs, columns of identifiers and paths are monospaced,
 * columns with sentences are broken into lines; columns sort by click. */
QN_MUST_CHECK qn_status qn_report_table(qn_report *report, const char *const *headers, size_t columns,
                                        const char *const *cells, size_t rows);

/* The same, with the texts of one column as links to files beside the report. */
QN_MUST_CHECK qn_status qn_report_table_of_files(qn_report *report, const char *const *headers, size_t columns,
                                                 const char *const *cells, size_t rows, size_t link_column);

/* One set of marks of a plot. Points that are not finite (or beyond ±1e300) are left out, and the caption gives their
 * number; in a line they leave a gap. Up to 2000 points of a plot have a tooltip with label and values: put interesting
 * points first. Earlier points and series are drawn over later ones. */
typedef struct qn_report_series {
    const char *name;
    const double *x, *y;
    const char *const *labels; /* tooltips; NULL: none */
    size_t count;
    const double *errors; /* of y in a line plot, as bars above and below few points and a band along many; NULL: none.
                             Errors that are not finite and above 0 are left out */
} qn_report_series;

typedef struct qn_report_plot {
    const char *title, *x_label, *y_label; /* labels with units */
    const char *caption;                   /* one sentence on how to read the plot; NULL: none */
    const qn_report_series *series;
    size_t series_count;
    bool counts;               /* y has whole numbers, such as numbers of clusters: no ticks between them */
    const char *inverse_label; /* of a second axis above a line plot, with 1/x: "resolution (Å)"; NULL: none */
} qn_report_plot;

QN_MUST_CHECK qn_status qn_report_scatter(qn_report *report, const qn_report_plot *plot);
QN_MUST_CHECK qn_status qn_report_lines(qn_report *report, const qn_report_plot *plot);

/* Add a line plot with a thin horizontal line at a threshold, labelled with the threshold's name. */
QN_MUST_CHECK qn_status qn_report_lines_and_guide(qn_report *report, const qn_report_plot *plot, double guide,
                                                  const char *name);

/* The same with several thresholds; those that are not finite are left out. */
typedef struct qn_report_guide {
    double value;
    const char *name;
} qn_report_guide;

QN_MUST_CHECK qn_status qn_report_lines_and_guides(qn_report *report, const qn_report_plot *plot,
                                                   const qn_report_guide *guides, size_t count);

/* Bars over categories; several series are stacked, negative values downwards, with a mark at the sum where signs
 * differ. x of the series is ignored; labels, when given, replace the category in tooltips. */
QN_MUST_CHECK qn_status qn_report_bars(qn_report *report, const qn_report_plot *plot, const char *const *categories,
                                       size_t category_count);

/* A picture with a title and a line of text, for galleries such as molecules. */
typedef struct qn_report_card {
    const char *title, *text; /* NULL: none */
    const char *svg; /* a whole SVG document; NULL: none. It is shown as an image, so scripts in it do not run */
    bool marked;     /* highlighted among the others */
} qn_report_card;

QN_MUST_CHECK qn_status qn_report_cards(qn_report *report, const qn_report_card *cards, size_t count);

/* Larger pictures in a figure with a title and a sentence on how to read them, two side by side where there is room. */
QN_MUST_CHECK qn_status qn_report_wide_cards(qn_report *report, const char *title, const char *caption,
                                             const qn_report_card *cards, size_t count);

/* An SVG document over the whole width, with a title and a sentence on how to read it; on a narrow page it is scrolled.
 * It is shown as an image, so scripts in it do not run. `label` is what readers hear who do not see it. */
QN_MUST_CHECK qn_status qn_report_drawing(qn_report *report, const char *title, const char *caption, const char *label,
                                          const char *svg);

/* The same for a picture with little text: it is at most 720 pixels wide, and shrinks with the page. */
QN_MUST_CHECK qn_status qn_report_photo(qn_report *report, const char *title, const char *caption, const char *label,
                                        const char *svg);

/* Values on a grid in shades of grey. Values that are not finite are black. */
typedef struct qn_report_picture {
    const char *title, *text; /* printed beneath the picture; NULL: none */
    const float *values;      /* [rows][columns], the first row at the bottom */
    int columns, rows;
    double pixel;     /* length of a pixel's side, for a bar of a round length; 0: no bar */
    const char *unit; /* of this length: "Å" */
} qn_report_picture;

/* Pictures side by side, all on one scale from black at `low` to white at `high`. One or two pictures of more than
 * 480 pixels along a side are averaged down to at most 480, three or more, which are smaller on the page, to 320. */
QN_MUST_CHECK qn_status qn_report_pictures(qn_report *report, const char *title, const char *caption,
                                           const qn_report_picture *pictures, size_t count, double low, double high);

/* A mark on an axis of a heat map, at 0 (left, bottom) … 1. */
typedef struct qn_report_tick {
    double at;
    const char *label;
} qn_report_tick;

/* Values ≥ 0 on a grid, as colours from dark at 0 to light at the largest; values that are not finite count as 0. */
typedef struct qn_report_heat_map {
    const char *title, *x_label, *y_label;
    const char *caption;  /* NULL: none */
    const char *unit;     /* follows the largest value in the key: "views" */
    const double *values; /* [rows][columns], the first row at the bottom */
    int columns, rows;
    const qn_report_tick *x_ticks, *y_ticks;
    size_t x_tick_count, y_tick_count;
} qn_report_heat_map;

QN_MUST_CHECK qn_status qn_report_heat(qn_report *report, const qn_report_heat_map *map);

/* Append the whole page to a text. */
QN_MUST_CHECK qn_status qn_report_page(const qn_report *report, qn_text *page);
QN_MUST_CHECK qn_status qn_report_write(qn_report *report, const char *path);

#endif
