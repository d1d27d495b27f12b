/* The graph of a plan as an SVG document: kernels are boxes with their calls, what they read stands on the left and
 * what they leave on the right, and curves lead from the kernel that makes a value to those that read it. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "fuse/report.h"
#include "report/markup.h"

enum { WIDTH = 840, LEFT = 210, RIGHT = 590, LINE = 19, PADDING = 12, GAP = 26, MOST_EDGES = 24, LETTERS = 45 };

typedef struct drawing {
    const qn_plan *plan;
    qn_text *svg;
    double top[QN_PLAN_KERNELS_MAX], bottom[QN_PLAN_KERNELS_MAX];
    double height;
} drawing;

static const char style[] =
    "<style>:root{--ink:#1b1f24;--soft:#5b6570;--box:#eef3f8;--edge:#3b74b4;--rule:#9fb4c9}"
    "@media "
    "(prefers-color-scheme:dark){:root{--ink:#e6e9ec;--soft:#a2abb5;--box:#1f2a35;--edge:#6fa8e0;--rule:#46586a}}"
    "text{font:13px "
    "system-ui,sans-serif;fill:var(--ink)}.soft{fill:var(--soft)}.call{font-family:ui-monospace,monospace}"
    "rect{fill:var(--box);stroke:var(--rule)}path{fill:none;stroke:var(--edge);stroke-width:1.3}"
    "line{stroke:var(--rule)}</style>";

/* A text at a place; long ones are cut. */
static qn_status put_text(drawing *at, double x, double y, const char *class, const char *anchor, const char *text)
{
    char cut[4 * LETTERS + 8];
    size_t bytes = 0;
    for (size_t letters = 0; text[bytes] && letters < LETTERS; letters++) {
        const size_t more = qn_markup_character_bytes((const unsigned char *)text + bytes);
        bytes += more > 0 ? more : 1;
    }
    snprintf(cut, sizeof cut, "%.*s%s", (int)bytes, text, text[bytes] ? "…" : "");
    QN_TRY(
        qn_text_append(at->svg, "<text x=\"%.0f\" y=\"%.0f\" class=\"%s\" text-anchor=\"%s\">", x, y, class, anchor));
    QN_TRY(qn_markup_text(at->svg, cut));
    return qn_text_append(at->svg, "</text>\n");
}

/* "A: m·n", of a scalar its name alone. */
static qn_status put_value(drawing *at, double x, double y, const char *anchor, int value, const char *more)
{
    qn_text text = {0};
    qn_words words = {.count = 0};
    const qn_graph *graph = at->plan->graph;
    qn_words_add_value(graph, value, 1, &words);
    qn_status status = qn_text_append(&text, "%s%s", graph->values[value].name, words.count > 0 ? ": " : "");
    if (status == QN_OK && words.count > 0) status = qn_words_write(graph, &words, &text);
    if (status == QN_OK) status = qn_text_append(&text, "%s", more);
    if (status == QN_OK) status = put_text(at, x, y, "soft", anchor, text.data);
    qn_text_clear(&text);
    return status;
}

/* ---- a kernel ---- */

static int count_lines(const qn_plan *plan, const qn_kernel_plan *kernel)
{
    int calls = kernel->is_fold, reads = 0, writes = 0;
    for (int call = 0; call < plan->graph->call_count; call++) calls += qn_calls_have(kernel->calls, call);
    for (int value = 0; value < plan->graph->value_count; value++) {
        reads += kernel->reads[value];
        writes += kernel->writes[value] || kernel->partial[value];
    }
    return calls > reads && calls > writes ? calls : reads > writes ? reads : writes;
}

static qn_status put_calls(drawing *at, const qn_kernel_plan *kernel, double y)
{
    const qn_graph *graph = at->plan->graph;
    const double centre = (LEFT + RIGHT) / 2.0;
    for (int call = 0; call < graph->call_count; call++)
        if (qn_calls_have(kernel->calls, call))
            QN_TRY(put_text(at, centre, y += LINE, "call", "middle", graph->calls[call].text));
    return kernel->is_fold ? put_text(at, centre, y + LINE, "soft", "middle", "adds up partial sums") : QN_OK;
}

static qn_status put_kernel(drawing *at, int number)
{
    const qn_kernel_plan *kernel = &at->plan->kernels[number];
    const int lines = count_lines(at->plan, kernel);
    char title[32];
    double y = at->height + LINE;
    at->top[number] = at->height;
    at->bottom[number] = at->height + (lines + 1) * LINE + PADDING;
    QN_TRY(qn_text_append(at->svg, "<rect x=\"%d\" y=\"%.0f\" width=\"%d\" height=\"%.0f\" rx=\"6\"/>\n", LEFT,
                          at->top[number], RIGHT - LEFT, at->bottom[number] - at->top[number]));
    snprintf(title, sizeof title, "kernel %d", number + 1);
    QN_TRY(put_text(at, LEFT + 8, y, "soft", "start", title));
    QN_TRY(put_calls(at, kernel, y));
    double read = y, left = y;
    for (int value = 0; value < at->plan->graph->value_count; value++) {
        if (kernel->reads[value])
            QN_TRY(put_value(at, LEFT - 14, read += LINE, "end", value, kernel->folds[value] ? " (sums)" : ""));
        if (kernel->writes[value] || kernel->partial[value])
            QN_TRY(put_value(at, RIGHT + 14, left += LINE, "start", value, kernel->partial[value] ? " (sums)" : ""));
    }
    at->height = at->bottom[number] + GAP;
    return QN_OK;
}

/* ---- edges ---- */

/* The kernel of the same section that last left what a kernel reads; -1: an earlier section or the user. */
static int source_of(const qn_plan *plan, int kernel, int value)
{
    for (int k = kernel - 1; k >= 0 && plan->kernels[k].section == plan->kernels[kernel].section; k--)
        if (plan->kernels[k].writes[value] || plan->kernels[k].partial[value]) return k;
    return -1;
}

static qn_status put_edges(drawing *at)
{
    int edges = 0;
    for (int kernel = 0; kernel < at->plan->kernel_count; kernel++)
        for (int source = 0; source < kernel; source++) {
            bool any = false;
            for (int value = 0; value < at->plan->graph->value_count; value++)
                any |= at->plan->kernels[kernel].reads[value] && source_of(at->plan, kernel, value) == source;
            if (!any || edges >= MOST_EDGES) continue;
            const double x = RIGHT - 16 - 11 * (edges++ % 6);
            QN_TRY(kernel == source + 1
                       ? qn_text_append(at->svg, "<path d=\"M%.0f %.0fV%.0fm-4 -6l4 6l4 -6\"/>\n", x,
                                        at->bottom[source], at->top[kernel])
                       : qn_text_append(at->svg, "<path d=\"M%d %.0fC%d %.0f %d %.0f %d %.0fm6 -4l-6 4l6 4\"/>\n",
                                        RIGHT, at->bottom[source] - 8, RIGHT + 60, at->bottom[source], RIGHT + 60,
                                        at->top[kernel], RIGHT, at->top[kernel] + 8));
        }
    return QN_OK;
}

/* ---- all of it ---- */

static qn_status put_section_title(drawing *at, int section)
{
    static const char *const parts[] = {[QN_SECTION_WHOLE] = "",
                                        [QN_SECTION_HEAD] = ", a round that begins: the early steps",
                                        [QN_SECTION_RING] =
                                            ", between two rounds: the late steps with the next round's early steps",
                                        [QN_SECTION_TAIL] = ", before a check or the end: the late steps"};
    const qn_section *of = &at->plan->graph->sections[section];
    char title[160];
    if (!of->is_loop) return QN_OK;
    snprintf(title, sizeof title, "repeat %.40s%s", at->plan->graph->extents[of->rounds].name, parts[of->part]);
    at->height += LINE;
    QN_TRY(qn_text_append(at->svg, "<text x=\"8\" y=\"%.0f\">", at->height - 6));
    QN_TRY(qn_markup_text(at->svg, title));
    return qn_text_append(at->svg, "</text>\n");
}

qn_status qn_fuse_draw(const qn_plan *plan, qn_text *svg)
{
    qn_text body = {0};
    drawing at = {.plan = plan, .svg = &body, .height = GAP};
    qn_status status = put_text(&at, LEFT - 14, LINE, "soft", "end", "reads, words");
    if (status == QN_OK) status = put_text(&at, RIGHT + 14, LINE, "soft", "start", "leaves, words");
    at.height += GAP / 2.0;
    for (int section = 0; section < plan->graph->section_count && status == QN_OK; section++) {
        status = put_section_title(&at, section);
        for (int kernel = 0; kernel < plan->kernel_count && status == QN_OK; kernel++)
            if (plan->kernels[kernel].section == section) status = put_kernel(&at, kernel);
    }
    if (status == QN_OK) status = put_edges(&at);
    if (status == QN_OK)
        status = qn_text_append(svg,
                                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" viewBox=\"0 0 "
                                "%d %.0f\">%s\n%s</svg>\n",
                                WIDTH, at.height, WIDTH, at.height, style, body.data);
    qn_text_clear(&body);
    return status;
}
