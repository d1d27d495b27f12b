/* Stacked bars over categories. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/document.h"
#include "report/markup.h"

/* Longer names of categories are shortened on the axis; tooltips show them in full. */
#define CHARACTERS_MAX 14

typedef struct stack {
    double above, below, sum; /* heights so far: positive values upwards, negative ones downwards */
} stack;

typedef struct bar_layout {
    qn_frame frame;
    const char *const *categories;
    size_t count;
    double slot;    /* width of a category */
    size_t longest; /* characters of the longest category name */
    bool slanted;
    size_t every, every_on_phone; /* every n-th category has its name on the axis */
} bar_layout;

static bool has_value(const qn_report_series *series, size_t category)
{
    return category < series->count && series->y && qn_axis_accepts(series->y[category]);
}

/* Add a value to a category's stack and return where the value's bar begins; infinite sums cannot arise below
 * QN_AXIS_MAX with any number of series that fits memory. */
static double push(stack *at, double value)
{
    double *side = value < 0 ? &at->below : &at->above;
    double start = *side;
    *side += value;
    at->sum += value;
    return start;
}

static void measure(const qn_report_plot *plot, size_t categories, stack *stacks, qn_range *y)
{
    *y = (qn_range){0};
    for (size_t i = 0; i < plot->series_count; i++)
        for (size_t category = 0; category < categories && category < plot->series[i].count; category++) {
            if (!has_value(&plot->series[i], category)) {
                y->left_out++;
                continue;
            }
            y->count++;
            push(&stacks[category], plot->series[i].y[category]);
        }
    for (size_t category = 0; category < categories; category++) {
        qn_range_add(y, fmin(stacks[category].above, QN_AXIS_MAX));
        qn_range_add(y, fmax(stacks[category].below, -QN_AXIS_MAX));
    }
}

static size_t shown_length(const char *category)
{
    size_t length = category ? qn_markup_length(category) : 0;
    return length < CHARACTERS_MAX ? length : CHARACTERS_MAX;
}

/* A slanted name reaches to the left of its bar: 0.77 is the cosine of the slant, 12 a character of a phone. */
static void make_room_for_first_name(bar_layout *layout)
{
    qn_frame *frame = &layout->frame;
    double right = frame->left + frame->width;
    double reach = layout->slanted ? (double)layout->longest * 12 * 0.77 : 0;
    if (frame->left + 0.5 * frame->width / (double)layout->count < reach) frame->left = reach;
    frame->width = right - frame->left;
    layout->slot = frame->width / (double)layout->count;
}

static size_t at_least_one(double every)
{
    return every > 1 ? (size_t)ceil(every) : 1;
}

/* Lay out names horizontally if they fit or are short numbers, else slanted; if there are too many, leave some out. */
static double lay_out_names(const qn_report_plot *plot, bar_layout *layout)
{
    layout->longest = 0;
    for (size_t i = 0; i < layout->count; i++) {
        size_t length = shown_length(layout->categories[i]);
        if (length > layout->longest) layout->longest = length;
    }
    double slot = (QN_REPORT_WIDTH - 100) / (double)layout->count;
    double wide = (double)layout->longest * QN_REPORT_SMALL_DIGIT_WIDTH + 10;
    double phone = (double)layout->longest * QN_REPORT_DIGIT_WIDTH + 12;
    layout->slanted = wide > slot && layout->longest > 4;
    layout->every = at_least_one((layout->slanted ? 20 : wide) / slot);
    size_t steps = at_least_one((layout->slanted ? 32 : phone) / (slot * (double)layout->every));
    layout->every_on_phone = layout->every * steps;
    bool has_title = plot->x_label && plot->x_label[0];
    double names = layout->slanted ? 20 + (double)layout->longest * 7.7 : 38;
    return names + (has_title ? 28 : 0);
}

/* Names are cut in the middle, because their ends distinguish models. */
static qn_status append_name(qn_text *body, const char *name)
{
    size_t length = name ? qn_markup_length(name) : 0;
    if (length <= CHARACTERS_MAX) return qn_markup_text(body, name);
    char cut[4 * CHARACTERS_MAX + 4];
    size_t bytes = 0, characters = 0;
    for (const char *at = name; *at && bytes + 4 < sizeof cut; at++) {
        bool starts = ((unsigned char)*at & 0xc0) != 0x80;
        characters += starts;
        bool dropped = characters > CHARACTERS_MAX / 2 && characters <= length - CHARACTERS_MAX / 2 + 1;
        if (!dropped) cut[bytes++] = *at;
        if (starts && characters == CHARACTERS_MAX / 2 + 1)
            for (const char *dots = "…"; *dots; dots++) cut[bytes++] = *dots;
    }
    cut[bytes] = '\0';
    return qn_markup_text(body, cut);
}

static double centre_of(const bar_layout *layout, size_t category)
{
    return layout->frame.left + layout->slot * ((double)category + 0.5);
}

static qn_status draw_names(qn_text *body, const bar_layout *layout)
{
    double y = layout->frame.top + layout->frame.height + 8;
    for (size_t i = 0; i < layout->count; i += layout->every) {
        const char *width = i % layout->every_on_phone ? " w" : "";
        double x = centre_of(layout, i);
        if (layout->slanted) {
            QN_TRY(qn_text_append(body, "<text class=\"e q%s\" dy=\".7em\" transform=\"translate(", width));
            QN_TRY(qn_markup_coordinate(body, x, 1));
            QN_TRY(qn_text_append(body, " "));
            QN_TRY(qn_markup_coordinate(body, y, 1));
            QN_TRY(qn_text_append(body, ")rotate(-40)\">"));
        } else {
            QN_TRY(qn_text_append(body, "<text class=\"m q%s\" dy=\".85em\"", width));
            QN_TRY(qn_markup_position(body, "x", x));
            QN_TRY(qn_markup_position(body, "y", y));
            QN_TRY(qn_text_append(body, ">"));
        }
        QN_TRY(append_name(body, layout->categories[i]));
        QN_TRY(qn_text_append(body, "</text>\n"));
    }
    return QN_OK;
}

static qn_status append_tooltip(qn_text *body, const char *category, const char *name, double value)
{
    QN_TRY(qn_text_append(body, "<title>"));
    QN_TRY(qn_markup_text(body, category));
    QN_TRY(qn_text_append(body, "\n"));
    if (name) {
        QN_TRY(qn_markup_text(body, name));
        QN_TRY(qn_text_append(body, ": "));
    }
    QN_TRY(qn_markup_value(body, value, 5));
    return qn_text_append(body, "</title>");
}

/* Two decimals: readers may measure the heights, and errors add up over a stack. */
static qn_status append_rectangle(qn_text *body, const bar_layout *layout, size_t category, double start, double value)
{
    double width = fmin(layout->slot * 0.76, 72);
    double from = qn_frame_y(&layout->frame, start), to = qn_frame_y(&layout->frame, start + value);
    QN_TRY(qn_text_append(body, "<rect x=\""));
    QN_TRY(qn_markup_coordinate(body, centre_of(layout, category) - width / 2, 2));
    QN_TRY(qn_text_append(body, "\" y=\""));
    QN_TRY(qn_markup_coordinate(body, fmin(from, to), 2));
    QN_TRY(qn_text_append(body, "\" width=\""));
    QN_TRY(qn_markup_coordinate(body, width, 2));
    QN_TRY(qn_text_append(body, "\" height=\""));
    QN_TRY(qn_markup_coordinate(body, fabs(to - from), 2));
    return qn_text_append(body, "\">");
}

static qn_status draw_bars(qn_text *body, const qn_report_plot *plot, const bar_layout *layout, stack *stacks)
{
    memset(stacks, 0, layout->count * sizeof *stacks);
    for (size_t i = 0; i < plot->series_count; i++) {
        const qn_report_series *series = &plot->series[i];
        QN_TRY(qn_figure_group(body, "b", i, ""));
        for (size_t category = 0; category < layout->count; category++) {
            if (!has_value(series, category) || series->y[category] == 0) continue;
            double start = push(&stacks[category], series->y[category]);
            QN_TRY(append_rectangle(body, layout, category, start, series->y[category]));
            if (series->labels && series->labels[category])
                QN_TRY(append_tooltip(body, series->labels[category], series->name, series->y[category]));
            else
                QN_TRY(append_tooltip(body, layout->categories[category], series->name, series->y[category]));
            QN_TRY(qn_text_append(body, "</rect>\n"));
        }
        QN_TRY(qn_text_append(body, "</g>\n"));
    }
    return QN_OK;
}

/* Values of both signs in one stack cannot be added by eye, so a line across each stack marks the sum. */
static qn_status draw_sums(qn_text *body, const bar_layout *layout, const stack *stacks)
{
    double width = fmin(layout->slot * 0.76, 72) + fmin(layout->slot * 0.12, 8);
    for (size_t category = 0; category < layout->count; category++) {
        const stack *at = &stacks[category];
        if (at->above == 0 && at->below == 0) continue;
        QN_TRY(qn_text_append(body, "<g>"));
        for (int layer = 0; layer < 2; layer++) {
            QN_TRY(qn_text_append(body, "<path class=\"s\" d=\"M"));
            QN_TRY(qn_markup_coordinate(body, centre_of(layout, category) - width / 2, 1));
            QN_TRY(qn_text_append(body, " "));
            QN_TRY(qn_markup_coordinate(body, qn_frame_y(&layout->frame, at->sum), 2));
            QN_TRY(qn_text_append(body, "h"));
            QN_TRY(qn_markup_coordinate(body, width, 1));
            QN_TRY(qn_text_append(body, "\">"));
            QN_TRY(append_tooltip(body, layout->categories[category], "sum", at->sum));
            QN_TRY(qn_text_append(body, "</path>"));
        }
        QN_TRY(qn_text_append(body, "</g>\n"));
    }
    return QN_OK;
}

static qn_status append_bars(qn_report *report, const qn_report_plot *plot, const char *const *categories,
                             size_t category_count, stack *stacks)
{
    qn_range y;
    measure(plot, category_count, stacks, &y);
    qn_figure figure = {.kind = "Bar plot", .marks = QN_REPORT_BLOCKS, .shown = y.count, .left_out = y.left_out};
    if (y.count == 0) {
        QN_TRY(qn_figure_begin(report, plot, &figure, 120));
        QN_TRY(qn_figure_nothing(report));
        return qn_figure_end(report);
    }
    for (size_t i = 0; i < category_count && plot->series_count > 1; i++)
        figure.total |= stacks[i].above > 0 && stacks[i].below < 0;
    bar_layout layout = {.categories = categories, .count = category_count};
    qn_frame_fit(plot, &y, lay_out_names(plot, &layout), &layout.frame);
    make_room_for_first_name(&layout);
    qn_text *body = &report->body;
    QN_TRY(qn_figure_begin(report, plot, &figure, layout.frame.total_height));
    QN_TRY(qn_frame_draw(body, plot, &layout.frame));
    QN_TRY(draw_bars(body, plot, &layout, stacks));
    QN_TRY(qn_frame_draw_zero(body, &layout.frame));
    if (figure.total) QN_TRY(draw_sums(body, &layout, stacks));
    QN_TRY(draw_names(body, &layout));
    return qn_figure_end(report);
}

qn_status qn_report_bars(qn_report *report, const qn_report_plot *plot, const char *const *categories,
                         size_t category_count)
{
    void *stacks;
    QN_TRY(qn_allocate(category_count, sizeof(stack), &stacks));
    qn_status status = append_bars(report, plot, categories, category_count, stacks);
    qn_release(&stacks);
    return status;
}
