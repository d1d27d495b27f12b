/* Views of density: the page has every value to half a step of 255, averages of large boxes, and refuses empty boxes.
 */
#include "report/density.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "check.h"
#include "html_page.h"
#include "report/scene.h"

enum { NX = 7, NY = 5, NZ = 6 };

static qn_status page_of(const qn_density_view *view, qn_text *page)
{
    qn_report *report = NULL;
    CHECK_OK(qn_report_create("view", &report));
    qn_status status = qn_report_density(report, view);
    if (status == QN_OK) status = qn_report_page(report, page);
    qn_report_destroy(&report);
    return status;
}

static const char *grid_of(const qn_text *page)
{
    const char *tag = page->data ? strstr(page->data, "<div class=\"grid\"") : NULL;
    return CHECK(tag != NULL) ? tag : "";
}

/* A different order of the axes would give different values. */
static float value_at(int x, int y, int z)
{
    return (float)(x + 0.37 * y * y - 2.1 * z);
}

static void fill(float values[NZ][NY][NX])
{
    for (int z = 0; z < NZ; z++)
        for (int y = 0; y < NY; y++)
            for (int x = 0; x < NX; x++) values[z][y][x] = value_at(x, y, z);
}

static void values_are_kept_to_half_a_step(void)
{
    static float values[NZ][NY][NX];
    double size[3], origin[3], range[2];
    qn_text page = {0};
    fill(values);
    const qn_density_view view = {.title = "The <surface>",
                                  .caption = "A caption.",
                                  .values = &values[0][0][0],
                                  .counts = {NX, NY, NZ},
                                  .voxel_angstrom = 1.5,
                                  .origin_angstrom = {-10, 20, 0.5},
                                  .first = {1, 0, 2},
                                  .end = {6, 4, 6},
                                  .lowest = -7,
                                  .level = -2.5,
                                  .mean = 1.25,
                                  .deviation = 3};
    CHECK_OK(page_of(&view, &page));
    const char *tag = grid_of(&page);
    CHECK(page.data && html_is_balanced(page.data) && strstr(page.data, "<b>The &lt;surface&gt;</b>"));
    CHECK(sscanf(html_value(tag, "data-size"), "%lf %lf %lf", &size[0], &size[1], &size[2]) == 3);
    CHECK(size[0] == 5 && size[1] == 4 && size[2] == 4);
    CHECK(sscanf(html_value(tag, "data-origin"), "%lf %lf %lf", &origin[0], &origin[1], &origin[2]) == 3);
    CHECK(origin[0] == -8.5 && origin[1] == 20 && origin[2] == 3.5);
    CHECK(sscanf(html_value(tag, "data-range"), "%lf %lf", &range[0], &range[1]) == 2);
    CHECK(range[0] == -7);
    CHECK_NEAR(range[1], (double)value_at(5, 3, 2), 1e-6);
    CHECK(html_attribute(tag, "data-level") == -2.5 && html_attribute(tag, "data-step") == 1.5);
    CHECK(strncmp(html_value(tag, "data-statistics"), "1.25 3\"", 7) == 0);
    const double step = (range[1] - range[0]) / 255;
    for (size_t i = 0; i < 5 * 4 * 4; i++) {
        const double value = (double)values[2 + i / 20][i / 5 % 4][1 + i % 5];
        const double read = range[0] + step * html_byte(html_value(tag, "data-values"), i);
        CHECK(fabs(read - fmax(value, -7)) <= 0.5 * step + 1e-6); /* 1e-6: single precision */
    }
    qn_text_clear(&page);
}

/* 90 × 85 × 83 voxels are 634,950, so cubes of 2 are averaged: 45 × 43 × 42, the last ones of fewer voxels. */
static void large_boxes_are_averaged(void)
{
    enum { X = 90, Y = 85, Z = 83, COLUMNS = 45, ROWS = 43, PLANES = 42 };
    float *values = malloc(sizeof(float) * X * Y * Z);
    double range[2];
    qn_text page = {0};
    if (!values) exit(1);
    for (int i = 0; i < X * Y * Z; i++) values[i] = (float)(i * 7919LL % 1009);
    const qn_density_view view = {.title = "Large",
                                  .caption = "",
                                  .values = values,
                                  .counts = {X, Y, Z},
                                  .voxel_angstrom = 1,
                                  .end = {X, Y, Z},
                                  .level = 500};
    CHECK(qn_density_cube(view.first, view.end) == 2);
    CHECK(qn_density_cube((const int[3]){0, 0, 1}, (const int[3]){100, 60, 101}) == 1);
    CHECK(qn_density_cube((const int[3]){0, 0, 0}, (const int[3]){512, 512, 512}) == 7); /* 73.1³ < 600,000 < 84.3³ */
    CHECK_OK(page_of(&view, &page));
    const char *tag = grid_of(&page);
    CHECK(strncmp(html_value(tag, "data-size"), "45 43 42\"", 9) == 0 && html_attribute(tag, "data-step") == 2);
    CHECK(strncmp(html_value(tag, "data-origin"), "0.500000 0.500000 0.500000\"", 27) == 0);
    CHECK(strstr(tag, "data-statistics") == NULL);
    CHECK(sscanf(html_value(tag, "data-range"), "%lf %lf", &range[0], &range[1]) == 2);
    static const int places[][3] = {{0, 0, 0}, {3, 41, 17}, {44, 42, 41}, {44, 0, 41}, {10, 42, 5}};
    for (int p = 0; p < 5; p++) {
        const int *at = places[p];
        double sum = 0, count = 0;
        for (int z = 2 * at[2]; z < 2 * at[2] + 2 && z < Z; z++)
            for (int y = 2 * at[1]; y < 2 * at[1] + 2 && y < Y; y++)
                for (int x = 2 * at[0]; x < 2 * at[0] + 2 && x < X; x++, count++)
                    sum += (double)values[(z * Y + y) * X + x];
        const size_t index = (size_t)((at[2] * ROWS + at[1]) * COLUMNS + at[0]);
        const double read = range[0] + (range[1] - range[0]) / 255 * html_byte(html_value(tag, "data-values"), index);
        CHECK_NEAR(read, sum / count, 0.5 * (range[1] - range[0]) / 255 + 1e-3); /* 1e-3: the averages are floats */
    }
    CHECK(page.length < 943718); /* 0.9 MiB: the rest of a report has more than 1 MiB */
    qn_text_clear(&page);
    free(values);
}

static void views_share_one_script(void)
{
    static float values[NZ][NY][NX];
    static const double place[3] = {1, 2, 3};
    static const qn_scene_residue residue = {"A GLY 1", 1, SIZE_MAX};
    const qn_scene_body body = {"receptor", place, "C", 1, &residue, 1, false}, bodies[2] = {body, body};
    const qn_scene_model model = {"Model 1", NULL, NULL, 1, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0}};
    qn_report *report = NULL;
    qn_text page = {0};
    fill(values);
    const qn_density_view view = {.title = "Surface",
                                  .caption = "",
                                  .values = &values[0][0][0],
                                  .counts = {NX, NY, NZ},
                                  .voxel_angstrom = 1,
                                  .end = {NX, NY, NZ}};
    CHECK_OK(qn_report_create("both", &report));
    CHECK_OK(qn_report_density(report, &view));
    CHECK_OK(qn_report_density(report, &view));
    CHECK_OK(qn_report_scene(report, &(qn_scene){"Models", "", bodies, 2, &model, 1, false}));
    CHECK_OK(qn_report_page(report, &page));
    CHECK(html_occurrences(page.data, "const quernView") == 1 && html_occurrences(page.data, "extends View") == 2);
    CHECK(!strstr(page.data, "#line") && !strstr(page.data, "src=\"http"));
    qn_text_clear(&page);
    qn_report_destroy(&report);
}

static void boxes_without_density_are_refused(void)
{
    static float values[NZ][NY][NX];
    qn_text page = {0};
    fill(values);
    qn_density_view view = {.title = "Surface",
                            .caption = "",
                            .values = &values[0][0][0],
                            .counts = {NX, NY, NZ},
                            .voxel_angstrom = 1,
                            .end = {NX, NY, NZ + 1}};
    CHECK_FAILS(page_of(&view, &page), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("voxels 0 to 6 along z; expected some of 0 to 5");
    view.end[2] = 0;
    CHECK_FAILS(page_of(&view, &page), QN_INVALID_ARGUMENT);
    view.end[2] = NZ;
    view.lowest = 100;
    CHECK_FAILS(page_of(&view, &page), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("its lowest level, 100");
    qn_text_clear(&page);
}

int main(void)
{
    RUN(values_are_kept_to_half_a_step);
    RUN(large_boxes_are_averaged);
    RUN(views_share_one_script);
    RUN(boxes_without_density_are_refused);
    return check_finish();
}
