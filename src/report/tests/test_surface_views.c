/* Views of surfaces: colours of dots, the nearer of two triangles, middles, marks, and the document of all views. */
#include "report/surface_views.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "picture.h"
#include "report/colour.h"

enum { SIDE = 100 };

/* A square of side 1 around the origin at z = 0, and a smaller one above its left half at z = 0.5. */
static const double places[] = {-0.5, -0.5, 0,   0.5,  -0.5, 0,   0.5,  0.5, 0,   -0.5, 0.5, 0,
                                -0.4, -0.4, 0.5, -0.1, -0.4, 0.5, -0.1, 0.4, 0.5, -0.4, 0.4, 0.5};
static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
static const double values[] = {0, 0, 0, 0, 8, 8, 8, 8};

static qn_surface_views two_squares(void)
{
    qn_surface_views views = {.places = places,
                              .node_count = 8,
                              .triangles = triangles,
                              .triangle_count = 4,
                              .triangle_nodes = 3,
                              .values = values,
                              .lowest = 0,
                              .highest = 8,
                              .quantity = "height & more"};
    qn_surface_views_fit(&views);
    return views;
}

/* Draw a view; the pixels are valid until the next call. */
static const check_picture *draw(const qn_surface_views *views, int view)
{
    qn_text png = {0};
    CHECK_OK(qn_surface_view_png(views, view, SIDE, &png));
    const check_picture *picture = picture_decode((const unsigned char *)png.data, png.length);
    qn_text_clear(&png);
    CHECK(picture->width == SIDE && picture->height == SIDE && picture->channels == 3);
    return picture;
}

/* Whether the pixel at a place of the drawn side, from −0.5 to 0.5 of the box without the margin, has a colour. */
static bool has_colour(const check_picture *picture, double x, double y, const unsigned char colour[3])
{
    const int column = (int)floor(SIDE * (0.5 + 0.92 * x)), row = (int)floor(SIDE * (0.5 - 0.92 * y));
    const unsigned char *pixel = picture->pixels + 3 * (row * SIDE + column);
    for (int i = 0; i < 3; i++)
        if (abs(pixel[i] - colour[i]) > 1) return false;
    return true;
}

static const unsigned char white[3] = {255, 255, 255}, dark[3] = {0x44, 0x01, 0x54}, light[3] = {0xfd, 0xe7, 0x25};

static void colours_go_from_dark_to_light(void)
{
    unsigned char colour[3];
    static const unsigned char middle[3] = {0x21, 0x91, 0x8c};
    qn_report_colour(0, colour);
    CHECK(memcmp(colour, dark, 3) == 0);
    qn_report_colour(0.5, colour);
    CHECK(memcmp(colour, middle, 3) == 0);
    qn_report_colour(1, colour);
    CHECK(memcmp(colour, light, 3) == 0);
    qn_report_colour(7, colour);
    CHECK(memcmp(colour, light, 3) == 0);
    qn_report_colour(NAN, colour);
    CHECK(memcmp(colour, dark, 3) == 0);
}

/* Seen from above, both squares face the viewer, so their colours are those of their values. */
static void the_nearer_triangle_is_seen(void)
{
    static const uint32_t other_order[] = {4, 5, 6, 4, 6, 7, 0, 1, 2, 0, 2, 3};
    qn_surface_views views = two_squares();
    for (int order = 0; order < 2; order++) {
        const check_picture *picture = draw(&views, 0);
        CHECK(has_colour(picture, 0.3, 0.2, dark));
        CHECK(has_colour(picture, 0.3, -0.4, dark));
        CHECK(has_colour(picture, -0.3, 0.2, light));
        CHECK(has_colour(picture, -0.45, 0.2, dark));
        CHECK(has_colour(picture, -0.53, 0, white) && has_colour(picture, 0, 0.53, white));
        views.triangles = other_order;
    }
}

/* From the side, both are seen from their edges: nothing but thin lines, at the heights 0 and 0.5. */
static void axes_point_as_they_are_named(void)
{
    static const double upright[] = {0, 0, 0, 1, 0, 0, 1, 0, 0.5};
    static const uint32_t one[] = {0, 1, 2};
    qn_surface_views views = {
        .places = upright, .node_count = 3, .triangles = one, .triangle_count = 1, .triangle_nodes = 3};
    qn_surface_views_fit(&views);
    CHECK(views.low[0] == 0 && views.high[0] == 1 && views.high[2] == 0.5);
    const check_picture *picture = draw(&views, 1); /* x right, z up: the lower right half */
    CHECK(!has_colour(picture, 0.3, -0.1, white) && has_colour(picture, -0.3, 0.1, white));
    CHECK(has_colour(picture, 0.3, 0.3, white));
    picture = draw(&views, 2); /* y right, z up */
    CHECK(has_colour(picture, 0.2, 0, white) && has_colour(picture, -0.2, 0, white));
    static const double turned[] = {0, 0, 0, 0, 1, 0, 0, 1, 0.5};
    views.places = turned;
    qn_surface_views_fit(&views);
    picture = draw(&views, 2);
    CHECK(!has_colour(picture, 0.3, -0.1, white) && has_colour(picture, -0.3, 0.1, white));
}

/* A triangle whose middles are pulled outwards covers more than its corners; it has no lines inside. */
static void middles_are_drawn(void)
{
    static const double curved[] = {-0.5, -0.5, 0, 0.5, -0.5, 0, 0, 0.5, 0, 0, -0.5, 0, 0.45, 0.1, 0, -0.45, 0.1, 0};
    static const uint32_t six[] = {0, 1, 2, 3, 4, 5};
    static const double level[] = {1, 1, 1, 1, 1, 1};
    qn_surface_views views = {.places = curved,
                              .node_count = 6,
                              .triangles = six,
                              .triangle_count = 1,
                              .triangle_nodes = 6,
                              .values = level,
                              .highest = 1};
    qn_surface_views_fit(&views);
    const check_picture *picture = draw(&views, 0);
    CHECK(has_colour(picture, 0.38, 0.08, light) && has_colour(picture, -0.38, 0.08, light));
    /* on the sides of the inner triangle */
    CHECK(has_colour(picture, 0, 0.1, light));
    CHECK(has_colour(picture, -0.225, -0.2, light) && has_colour(picture, 0.225, -0.2, light));
    CHECK(!has_colour(picture, 0, -0.495, light) && !has_colour(picture, 0, -0.495, white)); /* an edge of the mesh */
    views.triangle_nodes = 3;
    views.triangle_count = 2; /* the corners, and the three middles */
    picture = draw(&views, 0);
    CHECK(has_colour(picture, 0, -0.2, light));
}

static void marks_and_missing_places(void)
{
    static const unsigned char marks[] = {0, 0, 0, 0, 2, 2, 2, 1}, red[3] = {0xd6, 0x3a, 0x2f};
    double broken[24];
    qn_surface_views views = two_squares();
    views.marks = marks;
    const check_picture *picture = draw(&views, 0);
    CHECK(has_colour(picture, -0.15, -0.2, red));  /* all corners have the mark */
    CHECK(has_colour(picture, -0.35, 0.2, light)); /* one corner has another */
    memcpy(broken, places, sizeof broken);
    broken[3 * 5] = NAN;
    views.places = broken;
    views.marks = NULL;
    qn_surface_views_fit(&views);
    picture = draw(&views, 0);
    CHECK(has_colour(picture, -0.15, -0.2, dark) && has_colour(picture, -0.35, 0.2, light));
    broken[0] = 1e300; /* far outside of what is shown */
    views.low[0] = views.low[1] = -0.5;
    views.high[0] = views.high[1] = 0.5;
    picture = draw(&views, 0);
    CHECK(has_colour(picture, -0.35, 0.2, light));
    views.triangle_count = 0;
    qn_surface_views_fit(&views);
    CHECK(views.low[0] == 0 && views.high[0] == 0);
    picture = draw(&views, 0);
    CHECK(has_colour(picture, 0, 0, white));
}

static void other_views_and_sides_are_refused(void)
{
    const qn_surface_views views = two_squares();
    qn_text png = {0};
    CHECK_FAILS(qn_surface_view_png(&views, 3, SIDE, &png), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_surface_view_png(&views, -1, SIDE, &png), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_surface_view_png(&views, 0, 0, &png), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("view 0 of a surface with 0 pixels a side; expected 0 to 2, and 1 to 4096");
    CHECK_FAILS(qn_surface_view_png(&views, 0, 5000, &png), QN_INVALID_ARGUMENT);
    qn_text_clear(&png);
}

static void the_document_has_all_views(void)
{
    static const unsigned char marks[8] = {0};
    qn_surface_views views = two_squares();
    qn_text svg = {0}, again = {0};
    views.marks = marks;
    views.mark_names[1] = "touched";
    CHECK_OK(qn_surface_views_svg(&views, &svg));
    CHECK_OK(qn_surface_views_svg(&views, &again));
    CHECK_TEXT(svg.data, again.data);
    static const char *const parts[] = {"x right, y up", "x right, z up", "y right, z up", "height &amp; more",
                                        "touched",       ">0<",           ">4<",           ">8<",
                                        ">20 cm<",       "</svg>"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!CHECK(strstr(svg.data, parts[i]) != NULL)) printf("  %s is missing\n", parts[i]);
    for (int i = 0; i < 3; i++) {
        const check_picture *picture = picture_of(svg.data, i);
        CHECK(picture->width == 480 && picture->height == 480);
    }
    qn_text_clear(&svg);
    qn_text_clear(&again);
}

int main(void)
{
    RUN(colours_go_from_dark_to_light);
    RUN(the_nearer_triangle_is_seen);
    RUN(axes_point_as_they_are_named);
    RUN(middles_are_drawn);
    RUN(marks_and_missing_places);
    RUN(other_views_and_sides_are_refused);
    RUN(the_document_has_all_views);
    return check_finish();
}
