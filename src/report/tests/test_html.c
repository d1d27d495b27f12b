/* Reports are read back: structure, escaping, no external references, and positions of marks in drawings. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "check.h"
#include "html_page.h"
#include "report/html.h"

/* ---- Reading ---- */

/* Write the report, destroy it, and return the page; released by the caller. */
static char *page_of(qn_report *report)
{
    char *path = NULL, *data = NULL;
    size_t size = 0;
    CHECK_OK(qn_path_join(check_scratch_folder(), "report.html", &path));
    CHECK_OK(qn_report_write(report, path));
    CHECK_OK(qn_file_read(path, &data, &size));
    CHECK(data && strlen(data) == size);
    qn_report_destroy(&report);
    qn_release(&path);
    return data;
}

static qn_report *new_report(const char *title)
{
    qn_report *report = NULL;
    CHECK_OK(qn_report_create(title, &report));
    return report;
}

static void the_tag_checker_detects_errors(void)
{
    CHECK(html_is_balanced("<!DOCTYPE html><p a=\"b\">x &amp; y</p><path d=\"\"/>"));
    CHECK(!html_is_balanced("<!DOCTYPE html><p><b></p></b>"));
    CHECK(!html_is_balanced("<!DOCTYPE html><p>"));
    CHECK(!html_is_balanced("<!DOCTYPE html><p>a & b</p>"));
    CHECK(!html_is_balanced("<!DOCTYPE html><p a=b></p>"));
    CHECK(!html_is_balanced("<!DOCTYPE html><p>a > b</p>"));
}

/* Value = offset + scale · coordinate, from the first and last tick label of an axis ('x' or 'y'). */
typedef struct scale {
    double offset, scale;
    size_t ticks;
} scale;

static scale scale_of(const char *page, char axis)
{
    double values[2] = {0}, positions[2] = {0};
    scale read = {0};
    const char *key = axis == 'x' ? "<text class=\"m x\"" : "<text class=\"e y\"";
    for (const char *at = page; (at = strstr(at, key)); at++) {
        const char *label = strchr(at, '>') + 1;
        int negative = strncmp(label, "−", 3) == 0;
        size_t which = read.ticks++ > 0;
        values[which] = (negative ? -1 : 1) * strtod(label + 3 * negative, NULL);
        positions[which] = html_attribute(at, axis == 'x' ? "x" : "y");
    }
    read.scale = (values[1] - values[0]) / (positions[1] - positions[0]);
    read.offset = values[0] - read.scale * positions[0];
    return read;
}

/* ---- A report with everything in it ---- */

#define NASTY(word) "<i>" word "&\"'"
#define ESCAPED(word) "&lt;i&gt;" word "&amp;&quot;&#39;"

static qn_report *full_report(void)
{
    qn_report *report = new_report(NASTY("report"));
    CHECK_OK(qn_report_heading(report, NASTY("heading")));
    CHECK_OK(qn_report_heading(report, "second"));
    CHECK_OK(qn_report_heading(report, "third"));
    CHECK_OK(qn_report_paragraph(report, "%s `%s` %d", NASTY("paragraph"), NASTY("code"), 7));
    CHECK_OK(qn_report_warning(report, "%s", NASTY("warning")));
    CHECK_OK(qn_report_facts(report, (const char *const[]){NASTY("label"), "b"},
                             (const char *const[]){NASTY("value"), "a rather long value of a fact"}, 2));
    CHECK_OK(qn_report_table(report, (const char *const[]){NASTY("header"), "number"}, 2,
                             (const char *const[]){NASTY("cell"), "1", NULL, "nan", "c", "-2.5e3"}, 3));
    CHECK_OK(qn_report_table(report, (const char *const[]){"empty"}, 1, NULL, 0));
    double x[] = {1, 2, NAN, 4, 5}, y[] = {-1, INFINITY, 3, 4, -INFINITY}, bars[] = {1, -2, NAN, 0, 3};
    const char *labels[] = {NASTY("tooltip"), "b", "c", "d", "e"};
    qn_report_series series[] = {{NASTY("series"), x, y, labels, 5}, {"other", y, x, NULL, 5}};
    qn_report_plot plot = {NASTY("plot"), NASTY("abscissa"), NASTY("ordinate"), NASTY("caption"), series, 2};
    CHECK_OK(qn_report_scatter(report, &plot));
    plot.title = NASTY("line");
    CHECK_OK(qn_report_lines(report, &plot));
    qn_report_series heights[] = {{NASTY("part"), NULL, bars, NULL, 5}, {"rest", NULL, x, NULL, 5}};
    plot.series = heights;
    plot.title = NASTY("bars");
    CHECK_OK(qn_report_bars(report, &plot, (const char *const[]){NASTY("kind"), "b", "c", "d", "e"}, 5));
    return report;
}

/* A column of numbers has minus signs; a column with a word keeps its texts. */
static void negative_numbers_have_minus_signs(void)
{
    qn_report *report;
    CHECK_OK(qn_report_create("minus", &report));
    CHECK_OK(qn_report_table(report, (const char *const[]){"number", "text"}, 2,
                             (const char *const[]){"-1.5", "-1.5", "-", "word", "2", "3"}, 3));
    char *page = page_of(report);
    CHECK(strstr(page, "<td class=\"n\">−1.5</td><td>-1.5</td>") != NULL);
    CHECK(strstr(page, "<td class=\"n\">–</td><td>word</td>") != NULL);
    qn_release(&page);
}

/* Two movies, 1 and 2, have no ticks between them; halves have. */
static void few_whole_numbers_have_no_ticks_between(void)
{
    for (int halves = 0; halves < 2; halves++) {
        const double x[2] = {1, halves ? 2.5 : 2}, y[2] = {3, 4};
        const qn_report_series series = {"s", x, y, NULL, 2, NULL};
        qn_report *report;
        CHECK_OK(qn_report_create("whole", &report));
        CHECK_OK(qn_report_scatter(report, &(qn_report_plot){.title = "w", .series = &series, .series_count = 1}));
        char *page = page_of(report);
        CHECK((strstr(page, " dy=\".85em\">1</text>") != NULL) != (halves == 1));
        CHECK((strstr(page, " dy=\".85em\">1.2</text>") != NULL) == (halves == 1));
        qn_release(&page);
    }
}

/* Few points have a bar each, from y − e to y + e; many have a band with gaps where points have no error. */
static void errors_are_bars_or_a_band(void)
{
    enum { MANY = 100 };
    double x[MANY], y[MANY], errors[MANY];
    for (int i = 0; i < MANY; i++) {
        x[i] = i;
        y[i] = i % 3;
        errors[i] = i == 40 ? NAN : 0.5;
    }
    for (size_t count = 10; count <= MANY; count += MANY - 10) {
        const qn_report_series series = {"s", x, y, NULL, count, errors};
        qn_report *report;
        CHECK_OK(qn_report_create("errors", &report));
        CHECK_OK(qn_report_lines(report, &(qn_report_plot){.title = "e", .series = &series, .series_count = 1}));
        char *page = page_of(report);
        CHECK(html_is_balanced(page));
        const char *path = strstr(page, count == 10 ? "<path class=\"o\" d=\"" : "<path class=\"a\" d=\"");
        if (CHECK(path != NULL)) {
            size_t begins = 0, ends = 0;
            for (const char *at = strchr(path, 'd') + 3; *at != '"'; at++) {
                begins += *at == 'M';
                ends += *at == (count == 10 ? 'V' : 'Z');
            }
            CHECK(begins == ends && begins == (count == 10 ? 10 : 2));
        }
        CHECK(strstr(page, ">−1</text>") == NULL && strstr(page, ">−0.5</text>") != NULL); /* the axis holds the bars */
        qn_release(&page);
    }
}

static void structure_is_sound(void)
{
    char *page = page_of(full_report());
    CHECK(html_is_balanced(page));
    CHECK(html_occurrences(page, "<figure>") == 3 && html_occurrences(page, "<figcaption>") == 3);
    CHECK(html_occurrences(page, "role=\"img\" aria-label=\"") == 3);
    CHECK(html_occurrences(page, "<table>") == 2 && html_occurrences(page, "<script>") == 1);
    CHECK(html_occurrences(page, "<nav") == 1);
    qn_release(&page);
    qn_report *report = new_report("empty");
    page = page_of(report);
    CHECK(html_is_balanced(page));
    CHECK(html_occurrences(page, "<script>") == 0 && html_occurrences(page, "<nav") == 0);
    qn_release(&page);
}

static void every_text_is_escaped(void)
{
    char *page = page_of(full_report());
    static const char *const expected[] = {
        ESCAPED("report"), ESCAPED("heading"), ESCAPED("paragraph"), ESCAPED("code"),    ESCAPED("warning"),
        ESCAPED("label"),  ESCAPED("value"),   ESCAPED("header"),    ESCAPED("cell"),    ESCAPED("tooltip"),
        ESCAPED("series"), ESCAPED("plot"),    ESCAPED("abscissa"),  ESCAPED("caption"), ESCAPED("ordinate"),
        ESCAPED("line"),   ESCAPED("bars"),    ESCAPED("part"),      ESCAPED("kind")};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (!CHECK(strstr(page, expected[i]) != NULL)) check_text("", expected[i], __FILE__, __LINE__, "missing");
    CHECK(strstr(page, "<i>") == NULL);
    CHECK(html_occurrences(page, "<code>" ESCAPED("code") "</code>") == 1);
    qn_release(&page);
}

static void invalid_text_cannot_break_the_page(void)
{
    qn_report *report = new_report("a\xff\xc3(\x01\x1b[0m\xe2\x82");
    CHECK_OK(qn_report_paragraph(report, "one ` alone, %s", "é…𝛼 \xed\xa0\x80|"));
    char *page = page_of(report);
    CHECK(strstr(page, "<h1>a\xef\xbf\xbd\xef\xbf\xbd([0m\xef\xbf\xbd\xef\xbf\xbd</h1>") != NULL);
    CHECK(strstr(page, "<p>one ` alone, é…𝛼 \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd|</p>") != NULL);
    qn_release(&page);
}

static void nothing_is_loaded_from_elsewhere(void)
{
    char *page = page_of(full_report());
    static const char *const references[] = {"http", "//", "url(", "@import", "<link", "src=", "<iframe", "fetch("};
    for (size_t i = 0; i < sizeof references / sizeof *references; i++) CHECK(strstr(page, references[i]) == NULL);
    CHECK(html_occurrences(page, "href=") == html_occurrences(page, "href=\"#s"));
    qn_release(&page);
}

static void values_that_are_not_finite_never_appear(void)
{
    char *page = page_of(full_report());
    for (char *at = page; *at; at++) *at = (char)tolower((unsigned char)*at);
    CHECK(strstr(page, "nan") == NULL && strstr(page, "\"inf") == NULL && strstr(page, "-inf") == NULL);
    CHECK(strstr(page, "infinity") == NULL && strstr(page, ">inf") == NULL && strstr(page, "−inf") == NULL);
    /* Two series of five points. In each of them, one coordinate is NaN and two are infinite, at different points. */
    CHECK(html_occurrences(page, "6 of 10 values are not finite and left out") == 2);
    CHECK(html_occurrences(page, "2 of 10 values are not finite and left out") == 1);
    qn_release(&page);
}

/* ---- Marks ---- */

static void dots_are_drawn_at_their_values(void)
{
    double x[] = {0.63, 12.5, 7.77, 31.4, 3}, y[] = {-1153.2, -620, -801.5, -444, NAN};
    qn_report_series series = {"s", x, y, NULL, 5};
    qn_report *report = new_report("dots");
    CHECK_OK(qn_report_scatter(report, &(qn_report_plot){.title = "t", .series = &series, .series_count = 1}));
    char *page = page_of(report);
    scale across = scale_of(page, 'x'), up = scale_of(page, 'y');
    CHECK(across.ticks >= 4 && up.ticks >= 4);
    CHECK(html_occurrences(page, "<circle") == 4);
    const char *at = page;
    /* Drawn from the last to the first; coordinates are rounded to 0.1. */
    for (size_t i = 4; i-- > 0;) {
        at = strstr(at, "<circle");
        if (!CHECK(at != NULL)) break;
        CHECK_NEAR(across.offset + across.scale * html_attribute(at, "cx"), x[i], 0.11 * fabs(across.scale));
        CHECK_NEAR(up.offset + up.scale * html_attribute(at, "cy"), y[i], 0.11 * fabs(up.scale));
        at++;
    }
    qn_release(&page);
}

static void stacked_bars_add_up(void)
{
    enum { SERIES = 3, CATEGORIES = 4 };
    double values[SERIES][CATEGORIES] = {{-300, -120.5, 40, 0}, {-80, 60, 25.25, NAN}, {35, -10, -90, 12}};
    qn_report_series series[SERIES];
    for (size_t i = 0; i < SERIES; i++) series[i] = (qn_report_series){"s", NULL, values[i], NULL, CATEGORIES};
    qn_report *report = new_report("bars");
    qn_report_plot plot = {.title = "t", .series = series, .series_count = SERIES};
    CHECK_OK(qn_report_bars(report, &plot, (const char *const[]){"a", "b", "c", "d"}, CATEGORIES));
    char *page = page_of(report);
    scale up = scale_of(page, 'y');
    CHECK(up.ticks >= 4);
    double pixel = fabs(up.scale);
    double above[CATEGORIES] = {0}, below[CATEGORIES] = {0};
    const char *at = strstr(page, "<g class=\"b ");
    for (size_t i = 0; i < SERIES && CHECK(at != NULL); i++)
        for (size_t category = 0; category < CATEGORIES; category++) {
            double value = values[i][category];
            if (value == 0 || isnan(value)) continue;
            at = strstr(at + 1, "<rect");
            if (!CHECK(at != NULL)) break;
            double top = up.offset + up.scale * html_attribute(at, "y"), height = pixel * html_attribute(at, "height");
            CHECK_NEAR(height, fabs(value), 0.011 * pixel);
            double *side = value < 0 ? &below[category] : &above[category];
            *side += value;
            /* The far end of the bar is the sum so far; 0.2 pixels, because positions of ticks are rounded. */
            CHECK_NEAR(value < 0 ? top - height : top, *side, 0.2 * pixel);
        }
    CHECK(at && strstr(at + 1, "<rect") == NULL);
    /* Each sum is marked by a rim and a line. */
    at = page;
    for (size_t category = 0; category < CATEGORIES; category++) {
        at = strstr(at, "<g><path class=\"s\" d=\"M");
        if (!CHECK(at != NULL)) break;
        char *second;
        strtod(at + strlen("<g><path class=\"s\" d=\"M"), &second);
        CHECK_NEAR(up.offset + up.scale * strtod(second, NULL), above[category] + below[category], 0.2 * pixel);
        at++;
    }
    qn_release(&page);
}

static void a_gap_in_the_values_is_a_gap_in_the_line(void)
{
    double x[] = {0, 1, 2, 3, 4, 5, 6}, y[] = {0, 1, NAN, 3, NAN, 5, 6};
    qn_report_series series = {"s", x, y, NULL, 7};
    qn_report *report = new_report("gap");
    CHECK_OK(qn_report_lines(report, &(qn_report_plot){.title = "t", .series = &series, .series_count = 1}));
    char *page = page_of(report);
    const char *path = strstr(page, "<g class=\"l c0\">\n<path d=\"");
    if (CHECK(path != NULL)) {
        size_t moves = 0, dots = 0;
        for (const char *at = path + 25; *at && *at != '>'; at++) moves += *at == 'M', dots += *at == 'h';
        CHECK(moves == 3 && dots == 1);
    }
    qn_release(&page);
}

static void pages_of_many_points_stay_small(void)
{
    enum { COUNT = 10000 };
    double *x = calloc(COUNT, sizeof *x), *y = calloc(COUNT, sizeof *y);
    for (size_t i = 0; i < COUNT; i++) x[i] = sin((double)i * 1.7) * 1e5, y[i] = cos((double)i * 2.3) * 1e-3;
    qn_report_series series = {"s", x, y, NULL, COUNT};
    qn_report *report = new_report("many");
    CHECK_OK(qn_report_scatter(report, &(qn_report_plot){.title = "t", .series = &series, .series_count = 1}));
    char *page = page_of(report);
    CHECK(strlen(page) < 300000);
    CHECK(html_occurrences(page, "<circle") + html_occurrences(page, "h0") == COUNT);
    CHECK(html_is_balanced(page));
    qn_release(&page);
    free(x);
    free(y);
}

static void unusual_plots_are_drawn(void)
{
    double x[] = {3, 3, 3}, y[] = {-7, -7, -7}, huge[] = {-1e300, 0, 1e300}, lost[] = {NAN, INFINITY, -INFINITY};
    const char *names[] = {"a name that is much too long é1", "a name that is much too long é2", NULL};
    qn_report_series series[] = {{"s", x, y, NULL, 1},
                                 {"s", x, y, NULL, 3},
                                 {"s", huge, huge, NULL, 3},
                                 {"s", lost, lost, NULL, 3},
                                 {NULL, NULL, NULL, NULL, 0}};
    qn_report *report = new_report("odd");
    for (size_t i = 0; i < 5; i++) {
        qn_report_plot plot = {.title = "t", .series = &series[i], .series_count = 1};
        CHECK_OK(qn_report_scatter(report, &plot));
        CHECK_OK(qn_report_lines(report, &plot));
        CHECK_OK(qn_report_bars(report, &plot, names, 3));
    }
    CHECK_OK(qn_report_scatter(report, &(qn_report_plot){.title = "none"}));
    CHECK_OK(qn_report_bars(report, &(qn_report_plot){.title = "none"}, NULL, 0));
    char *page = page_of(report);
    CHECK(html_is_balanced(page));
    CHECK(html_occurrences(page, "no values to show") == 8);
    CHECK(strstr(page, "nan") == NULL && strstr(page, "inf") == NULL);
    /* Shortened in the middle, so the ends still differ. */
    CHECK(strstr(page, ">a name …ong é1<") != NULL && strstr(page, ">a name …ong é2<") != NULL);
    qn_release(&page);
}

static void columns_are_formatted_by_their_content(void)
{
    qn_report *report = new_report("table");
    CHECK_OK(qn_report_table(report, (const char *const[]){"n", "path", "words", "mixed"}, 4,
                             (const char *const[]){"1", "a/b.pdb", "high", "1", "-", "c/d.pdb", "1 2", "x y"}, 2));
    char *page = page_of(report);
    CHECK(strstr(page, "<tr><td class=\"n\">1</td><td class=\"k\">a/b.pdb</td><td>high</td><td>1</td></tr>") != NULL);
    CHECK(strstr(page, "<tr><td class=\"n\">–</td><td class=\"k\">c/d.pdb</td><td>1 2</td><td>x y</td></tr>") != NULL);
    qn_release(&page);
    report = new_report("sentences");
    CHECK_OK(qn_report_table(report, (const char *const[]){"why"}, 1,
                             (const char *const[]){"a sentence that is too long for one line of a table"}, 1));
    page = page_of(report);
    CHECK(strstr(page, "<td class=\"v\">a sentence") != NULL);
    qn_release(&page);
}

static void drawings_are_images_of_two_kinds(void)
{
    qn_report *report = new_report("drawings");
    CHECK_OK(qn_report_drawing(report, "tree", NULL, "a tree", "fo"));
    CHECK_OK(qn_report_photo(report, "photo", NULL, "a photo", "foo"));
    char *page = page_of(report);
    CHECK(html_is_balanced(page));
    CHECK(strstr(page, "<div class=\"drawing\" tabindex=\"0\"><img alt=\"a tree\"") != NULL);
    CHECK(strstr(page, "<div class=\"drawing photo\" tabindex=\"0\"><img alt=\"a photo\"") != NULL);
    CHECK(strstr(page, "base64,Zm8=\"") != NULL && strstr(page, "base64,Zm9v\"") != NULL);
    qn_release(&page);
}

/* Base64 of the examples in RFC 4648: "fo" is "Zm8=", "foo" is "Zm9v", "foob" is "Zm9vYg==". */
static void cards_hold_pictures_as_images(void)
{
    static const qn_report_card cards[] = {{"1. <a>", "-3 & less", "fo", true},
                                           {"2", NULL, "foo", false},
                                           {"3", "x", "foob", false},
                                           {"4", "no picture", NULL, false}};
    qn_report *report = new_report("cards");
    CHECK_OK(qn_report_cards(report, cards, 4));
    CHECK_OK(qn_report_cards(report, cards, 0));
    char *page = page_of(report);
    CHECK(html_occurrences(page, "<ul class=\"cards\">") == 1 && html_occurrences(page, "<img ") == 3);
    CHECK(strstr(page, "<li class=\"marked\"><img alt=\"Picture of 1. &lt;a&gt;\"") != NULL);
    CHECK(strstr(page, "base64,Zm8=\"") && strstr(page, "base64,Zm9v\"") && strstr(page, "base64,Zm9vYg==\""));
    CHECK(strstr(page, "<b>1. &lt;a&gt;</b><span>-3 &amp; less</span>") != NULL);
    CHECK(html_occurrences(page, "class=\"marked\"") == 1);
    qn_release(&page);
}

static void a_missing_folder_is_an_error(void)
{
    qn_report *report = new_report("lost");
    CHECK_FAILS(qn_report_write(report, "/nowhere/at/all/report.html"), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("/nowhere/at/all/report.html");
    qn_report_destroy(&report);
    qn_report_destroy(&report);
    CHECK(report == NULL);
}

int main(void)
{
    RUN(the_tag_checker_detects_errors);
    RUN(structure_is_sound);
    RUN(negative_numbers_have_minus_signs);
    RUN(few_whole_numbers_have_no_ticks_between);
    RUN(errors_are_bars_or_a_band);
    RUN(every_text_is_escaped);
    RUN(invalid_text_cannot_break_the_page);
    RUN(nothing_is_loaded_from_elsewhere);
    RUN(values_that_are_not_finite_never_appear);
    RUN(dots_are_drawn_at_their_values);
    RUN(stacked_bars_add_up);
    RUN(a_gap_in_the_values_is_a_gap_in_the_line);
    RUN(pages_of_many_points_stay_small);
    RUN(unusual_plots_are_drawn);
    RUN(columns_are_formatted_by_their_content);
    RUN(drawings_are_images_of_two_kinds);
    RUN(cards_hold_pictures_as_images);
    RUN(a_missing_folder_is_an_error);
    return check_finish();
}
