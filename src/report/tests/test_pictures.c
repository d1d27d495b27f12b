/* Pictures are extracted from the page of a report and decoded: shades, colours, orientation and axes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "html_page.h"
#include "picture.h"
#include "report/html.h"
#include "report/png.h"

static char *page_of(qn_report *report)
{
    char *path = NULL, *data = NULL;
    size_t size = 0;
    CHECK_OK(qn_path_join(check_scratch_folder(), "report.html", &path));
    CHECK_OK(qn_report_write(report, path));
    CHECK_OK(qn_file_read(path, &data, &size));
    qn_report_destroy(&report);
    qn_release(&path);
    return data;
}

static qn_report *new_report(void)
{
    qn_report *report = NULL;
    CHECK_OK(qn_report_create("pictures", &report));
    return report;
}

/* ---- PNG ---- */

static void pixels_are_encoded_and_decoded(void)
{
    enum { WIDTH = 37, HEIGHT = 11 };
    unsigned char pixels[3 * WIDTH * HEIGHT];
    for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (unsigned char)(i * i * 31 + i / 7);
    for (int channels = 1; channels <= 3; channels += 2) {
        qn_text png = {0};
        CHECK_OK(qn_png_append(&png, pixels, WIDTH, HEIGHT, channels));
        const check_picture *read = picture_decode((const unsigned char *)png.data, png.length);
        CHECK(read->width == WIDTH && read->height == HEIGHT && read->channels == channels);
        CHECK(memcmp(read->pixels, pixels, (size_t)(WIDTH * HEIGHT * channels)) == 0);
        png.data[png.length / 2] ^= 1;
        CHECK(picture_decode((const unsigned char *)png.data, png.length)->width == 0);
        qn_text_clear(&png);
    }
}

static void pictures_without_pixels_are_refused(void)
{
    qn_text png = {0};
    const unsigned char pixel[4] = {0};
    CHECK_FAILS(qn_png_append(&png, pixel, 0, 1, 1), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_png_append(&png, pixel, 1, -1, 1), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_png_append(&png, pixel, 1, 1, 4), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("1 x 1 pixels of 4 channels");
    CHECK(png.length == 0);
}

/* ---- Shades of grey ---- */

static void shades_lie_between_low_and_high_with_the_first_row_below(void)
{
    const float values[2][3] = {{-1, 0, 1}, {2, 5, (float)NAN}};
    const qn_report_picture pictures[] = {{"z = <0>", "x & y", &values[0][0], 3, 2}, {"none", NULL, NULL, 0, 0}};
    qn_report *report = new_report();
    CHECK_OK(qn_report_pictures(report, "Slices <1>", "Through `map.mrc`.", pictures, 2, -1, 3));
    char *page = page_of(report);
    const check_picture *read = picture_of(page, 0);
    CHECK(read->width == 3 && read->height == 2 && read->channels == 1);
    const unsigned char expected[6] = {191, 255, 0, 0, 64, 128}; /* 255 · (value + 1) / 4 */
    CHECK(memcmp(read->pixels, expected, 6) == 0);
    CHECK(html_is_balanced(page));
    CHECK(html_occurrences(page, "<img ") == 1);
    CHECK(strstr(page, "alt=\"Picture of z = &lt;0&gt;\" width=\"3\" height=\"2\"") != NULL);
    CHECK(strstr(page, "<b>Slices &lt;1&gt;</b>Through <code>map.mrc</code>.</figcaption>") != NULL);
    CHECK(strstr(page, "<b>z = &lt;0&gt;</b><span>x &amp; y</span>") != NULL);
    qn_release(&page);
}

static void equal_values_do_not_divide_by_zero(void)
{
    const float values[4] = {7, 7, 7, 7};
    qn_report *report = new_report();
    CHECK_OK(qn_report_pictures(report, "flat", NULL, &(qn_report_picture){"flat", NULL, values, 2, 2}, 1, 7, 7));
    CHECK_OK(qn_report_pictures(report, "nothing", NULL, NULL, 0, 0, 1));
    char *page = page_of(report);
    const check_picture *read = picture_of(page, 0);
    CHECK(read->width == 2 && read->pixels[0] == 0 && read->pixels[3] == 0);
    CHECK(html_occurrences(page, "<figure>") == 1);
    qn_release(&page);
}

/* Of 1001 × 600 values, each block of 3 × 3 becomes a pixel; blocks of the last column are 2 wide. */
static void large_pictures_are_averaged(void)
{
    enum { COLUMNS = 1001, ROWS = 600 };
    float *values = calloc((size_t)COLUMNS * ROWS, sizeof *values);
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < COLUMNS; x++) values[y * COLUMNS + x] = (float)(x % 3 == 1 ? 3 : 0) + (y >= 300 ? 1 : 0);
    qn_report *report = new_report();
    CHECK_OK(qn_report_pictures(report, "l", NULL, &(qn_report_picture){"l", NULL, values, COLUMNS, ROWS}, 1, 0, 4));
    char *page = page_of(report);
    const check_picture *read = picture_of(page, 0);
    if (CHECK(read->width == 334 && read->height == 200)) {
        CHECK(read->pixels[0] == 128 && read->pixels[334 * 100 - 2] == 128); /* (1 + 1) / 4 */
        CHECK(read->pixels[333] == 159);                                     /* (1 + 3/2) / 4 */
        CHECK(read->pixels[334 * 100] == 64 && read->pixels[334 * 200 - 1] == 96);
    }
    qn_release(&page);
    free(values);
}

/* 400 values along a side are kept in a row of two, and become 200 pixels in a row of three. */
static void pictures_in_rows_of_three_are_smaller(void)
{
    enum { SIDE = 400 };
    float *values = calloc((size_t)SIDE * SIDE, sizeof *values);
    const qn_report_picture one = {"m", NULL, values, SIDE, SIDE, 0, NULL}, three[3] = {one, one, one};
    for (size_t count = 2; count <= 3; count++) {
        qn_report *report = new_report();
        CHECK_OK(qn_report_pictures(report, "m", NULL, three, count, 0, 1));
        char *page = page_of(report);
        const check_picture *read = picture_of(page, (int)count - 1);
        CHECK(read->width == (count == 2 ? 400 : 200) && read->height == read->width);
        qn_release(&page);
    }
    free(values);
}

/* ---- Heat maps ---- */

static int lightness(const unsigned char *colour)
{
    return 3 * colour[0] + 6 * colour[1] + colour[2];
}

static void heat_grows_from_dark_to_light_with_the_first_row_below(void)
{
    const double values[2][3] = {{0, 1, 2}, {3, 4, (double)NAN}};
    const qn_report_tick x_ticks[] = {{0, "−180"}, {0.5, "0"}, {1, "180"}}, y_ticks[] = {{0.25, "120"}, {1, "0"}};
    qn_report *report = new_report();
    CHECK_OK(qn_report_heat(report, &(qn_report_heat_map){.title = "Views <",
                                                          .x_label = "rot",
                                                          .y_label = "tilt",
                                                          .caption = "equal areas",
                                                          .unit = "views & more",
                                                          .values = &values[0][0],
                                                          .columns = 3,
                                                          .rows = 2,
                                                          .x_ticks = x_ticks,
                                                          .y_ticks = y_ticks,
                                                          .x_tick_count = 3,
                                                          .y_tick_count = 2}));
    char *page = page_of(report);
    CHECK(html_is_balanced(page));
    const check_picture *read = picture_of(page, 0);
    if (CHECK(read->width == 3 && read->height == 2 && read->channels == 3)) {
        const unsigned char *top = read->pixels, *bottom = read->pixels + 9;
        CHECK(lightness(bottom) < lightness(bottom + 3) && lightness(bottom + 3) < lightness(bottom + 6));
        CHECK(lightness(bottom + 6) < lightness(top) && lightness(top) < lightness(top + 3));
        CHECK(memcmp(top + 6, bottom, 3) == 0); /* values that are not finite count as 0 */
        CHECK(memcmp(bottom, "\x44\x01\x54", 3) == 0 && memcmp(top + 3, "\xfd\xe7\x25", 3) == 0);
    }
    CHECK(picture_of(page, 1)->width == 64 && picture_of(page, 1)->height == 1); /* the key */
    CHECK(strstr(page, ">4 views &amp; more</text>") != NULL);
    CHECK(strstr(page, "1 of 6 values are not finite and left out") != NULL);
    const char *image = strstr(page, "<image ");
    if (CHECK(image != NULL)) {
        const double left = html_attribute(image, "x"), width = html_attribute(image, "width");
        const double top = html_attribute(image, "y"), height = html_attribute(image, "height");
        const char *tick = strstr(page, "<text class=\"m x\"");
        CHECK_NEAR(html_attribute(tick, "x"), left, 0.1);
        CHECK_NEAR(html_attribute(strstr(tick + 1, "<text class=\"m x\""), "x"), left + width / 2, 0.1);
        tick = strstr(page, "<text class=\"e y\"");
        CHECK_NEAR(html_attribute(tick, "y"), top + 0.75 * height, 0.1);
        CHECK_NEAR(html_attribute(strstr(tick + 1, "<text class=\"e y\""), "y"), top, 0.1);
    }
    qn_release(&page);
}

static void empty_heat_maps_say_so(void)
{
    const double none[4] = {0, 0, 0, 0}, lost[1] = {(double)INFINITY};
    qn_report *report = new_report();
    CHECK_OK(qn_report_heat(report, &(qn_report_heat_map){.title = "zero", .values = none, .columns = 2, .rows = 2}));
    CHECK_OK(qn_report_heat(report, &(qn_report_heat_map){.title = "lost", .values = lost, .columns = 1, .rows = 1}));
    CHECK_OK(qn_report_heat(report, &(qn_report_heat_map){.title = "none"}));
    char *page = page_of(report);
    CHECK(html_is_balanced(page));
    CHECK(html_occurrences(page, "no values to show") == 2);
    CHECK(memcmp(picture_of(page, 0)->pixels, "\x44\x01\x54", 3) == 0);
    qn_release(&page);
}

/* A picture of 4 pixels of 40 Å is 160 Å wide: 50 Å are 31.25 % of it, and 100 Å would be more than two fifths. */
static void a_bar_has_a_round_length(void)
{
    const float values[4] = {0, 1, 2, 3};
    const qn_report_picture pictures[2] = {{"with", NULL, values, 4, 1, 40, "&A"}, {"without", NULL, values, 4, 1}};
    qn_report *report = new_report();
    CHECK_OK(qn_report_pictures(report, "bars", NULL, pictures, 2, 0, 3));
    char *page = page_of(report);
    CHECK(html_is_balanced(page) && html_occurrences(page, "<i class=\"length\"") == 1);
    CHECK(strstr(page, "style=\"width:31.25%\">50 &amp;A</i>") != NULL);
    qn_release(&page);
}

/* ---- Guides of plots ---- */

static void a_guide_lies_at_its_value_and_within_the_axis(void)
{
    const double x[] = {0, 1}, y[] = {0.5, 1};
    const qn_report_series series = {"s", x, y, NULL, 2};
    const qn_report_plot plot = {.title = "t", .series = &series, .series_count = 1};
    qn_report *report = new_report();
    CHECK_OK(qn_report_lines_and_guide(report, &plot, -0.5, "half <"));
    char *page = page_of(report);
    CHECK(html_is_balanced(page));
    CHECK(strstr(page, ">half &lt;</text>") != NULL);
    const char *guide = strstr(page, "<path class=\"u\" d=\"M"), *label = strstr(page, "<text class=\"e y\"");
    if (CHECK(guide && label)) {
        /* The axis begins at the guide, which is the lowest value. */
        CHECK_NEAR(strtod(strchr(strstr(guide, "d=\"M"), ' '), NULL), html_attribute(label, "y"), 0.2);
        CHECK(strncmp(strchr(label, '>') + 1, "−0.5<", strlen("−0.5<")) == 0);
    }
    qn_release(&page);
    report = new_report();
    CHECK_OK(qn_report_lines(report, &plot));
    CHECK_OK(qn_report_lines_and_guide(report, &plot, (double)NAN, "nowhere"));
    page = page_of(report);
    CHECK(strstr(page, "<path class=\"u\"") == NULL);
    qn_release(&page);
}

/* The labels of the second axis are 1/x of those below it, at the same places; two guides lie at their values. */
static void an_inverse_axis_has_one_over_its_ticks(void)
{
    const double x[] = {0, 0.5}, y[] = {0, 1};
    const qn_report_series series = {"s", x, y, NULL, 2};
    const qn_report_plot plot = {.title = "t", .series = &series, .series_count = 1, .inverse_label = "a & b"};
    const qn_report_guide guides[] = {{0.143, "low"}, {(double)INFINITY, "lost"}, {0.5, "half"}};
    qn_report *report = new_report();
    CHECK_OK(qn_report_lines_and_guides(report, &plot, guides, 3));
    char *page = page_of(report);
    CHECK(html_is_balanced(page) && strstr(page, ">a &amp; b</text>") && !strstr(page, ">lost<"));
    CHECK(html_occurrences(page, "<path class=\"u\"") == 2);
    const char *low = strstr(page, "<path class=\"u\" d=\"M"),
               *half = low ? strstr(low + 1, "<path class=\"u\" d=\"M") : NULL;
    if (CHECK(low && half)) /* the plotting area is 360 units high and its axis goes from 0 to 1 */
        CHECK_NEAR(strtod(strchr(strstr(low, "d=\"M"), ' '), NULL) - strtod(strchr(strstr(half, "d=\"M"), ' '), NULL),
                   360 * (0.5 - 0.143), 0.3);
    int inverse = 0;
    for (const char *at = page; (at = strstr(at, "<text class=\"m\"")); at++) {
        const double above = strtod(strchr(at, '>') + 1, NULL), place = html_attribute(at, "x");
        for (const char *tick = page; (tick = strstr(tick, "<text class=\"m x\"")); tick++)
            if (fabs(html_attribute(tick, "x") - place) < 0.2) {
                CHECK_NEAR(above * strtod(strchr(tick, '>') + 1, NULL), 1, 0.01);
                inverse++;
            }
    }
    CHECK(inverse >= 3);
    qn_release(&page);
}

int main(void)
{
    RUN(pixels_are_encoded_and_decoded);
    RUN(pictures_without_pixels_are_refused);
    RUN(shades_lie_between_low_and_high_with_the_first_row_below);
    RUN(equal_values_do_not_divide_by_zero);
    RUN(large_pictures_are_averaged);
    RUN(pictures_in_rows_of_three_are_smaller);
    RUN(heat_grows_from_dark_to_light_with_the_first_row_below);
    RUN(empty_heat_maps_say_so);
    RUN(a_bar_has_a_round_length);
    RUN(a_guide_lies_at_its_value_and_within_the_axis);
    RUN(an_inverse_axis_has_one_over_its_ticks);
    return check_finish();
}
