/* devices: host opencl:0 cuda:0 checking:host */
/* The kernels of halves against their references, and places of known images. */
#include "check.h"

#include "movie/align/kernels/halves.h"
#include "movie/align/rings.h"
#include "movie/align/tests/kernel_check.h"

enum { VALUES_MAX = 1 << 17, RINGS = QN_ALIGN_RINGS + 1 };

static qn_halves_problem problem;
static double coarse_px[2];
static float inputs[VALUES_MAX], plane[VALUES_MAX], found[VALUES_MAX];
static double expected[VALUES_MAX];

static size_t half_pixels(void)
{
    return (size_t)problem.size[1] * (size_t)(problem.size[0] / 2 + 1);
}

/* Patches before the first keep what they had. */
static double rings_error(const qn_configuration *configuration)
{
    const size_t numbers = 4 * half_pixels() * (size_t)problem.count, sums = (size_t)(3 * RINGS * problem.count);
    const size_t before = (size_t)(3 * RINGS * problem.first);
    qn_ring_places places;
    CHECK_OK(qn_ring_places_make(problem.size, coarse_px, &places));
    problem.pixels = places.count;
    fill_inputs(inputs, numbers, 1);
    qn_buffer *halves = buffer_of(inputs, 4 * numbers), *out = empty_buffer(4 * (before + sums));
    qn_buffer *pixels = buffer_of(places.pixels, 4 * (size_t)places.count);
    qn_buffer *starts = buffer_of(places.starts, sizeof places.starts);
    CHECK_OK(qn_sum_rings(queue, configuration, &problem, halves, pixels, starts, out, NULL));
    read_and_release(&out, found, 4 * (before + sums));
    qn_sum_rings_reference(&problem, inputs, places.pixels, places.starts, expected);
    qn_buffer_release(&halves);
    qn_buffer_release(&pixels);
    qn_buffer_release(&starts);
    qn_ring_places_release(&places);
    for (size_t i = 0; i < before; i++) CHECK(isnan(found[i]));
    return relative_error(found + before, expected, sums);
}

static double filter_error(const qn_configuration *configuration)
{
    const double width = qn_ring_width(coarse_px);
    for (int d = 0; d < 2; d++) problem.ring_px[d] = 1 / (problem.size[d] * coarse_px[d] * width);
    for (int i = 0; i < RINGS; i++) inputs[i] = (float)exp(-i / 30.0);
    qn_buffer *weights = buffer_of(inputs, 4 * RINGS), *out = empty_buffer(4 * half_pixels());
    CHECK_OK(qn_fill_filter(queue, configuration, &problem, weights, out, NULL));
    read_and_release(&out, found, 4 * half_pixels());
    qn_buffer_release(&weights);
    qn_fill_filter_reference(&problem, inputs, expected);
    return relative_error(found, expected, half_pixels());
}

static double weighing_error(const qn_configuration *configuration)
{
    const size_t numbers = 4 * half_pixels() * (size_t)problem.count;
    fill_inputs(inputs, numbers, 2);
    for (size_t i = 0; i < half_pixels(); i++) plane[i] = fabsf(qn_workload_input(3, i));
    qn_buffer *halves = buffer_of(inputs, 4 * numbers), *filter = buffer_of(plane, 4 * half_pixels());
    CHECK_OK(qn_weigh_halves(queue, configuration, &problem, halves, filter, NULL));
    read_and_release(&halves, found, 4 * numbers);
    qn_buffer_release(&filter);
    qn_weigh_halves_reference(&problem, inputs, plane, expected);
    return relative_error(found, expected, numbers);
}

static void find_centres(const qn_configuration *configuration)
{
    const size_t numbers = 2 * (size_t)(problem.size[0] * problem.size[1] * problem.count);
    const size_t sums = (size_t)(3 * (problem.first + problem.count));
    qn_buffer *maps = buffer_of(inputs, 4 * numbers), *out = empty_buffer(4 * sums);
    CHECK_OK(qn_find_centres(queue, configuration, &problem, maps, out, NULL));
    read_and_release(&out, found, 4 * sums);
    qn_buffer_release(&maps);
}

static double centres_error(const qn_configuration *configuration)
{
    fill_inputs(inputs, 2 * (size_t)(problem.size[0] * problem.size[1] * problem.count), 4);
    find_centres(configuration);
    qn_find_centres_reference(&problem, inputs, expected);
    return relative_error(found + 3 * problem.first, expected, (size_t)(3 * problem.count));
}

static void sizes_are_right(void)
{
    const int sizes[][2] = {{64, 64}, {36, 90}, {130, 20}, {4, 6}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        problem = (qn_halves_problem){.size = {sizes[i][0], sizes[i][1]}, .rings = RINGS, .first = (int)i, .count = 3};
        coarse_px[0] = 4, coarse_px[1] = 3.8;
        CHECK(rings_error(NULL) < 1e-6);
        CHECK(filter_error(NULL) < 3e-5); /* slopes where the radius is rounded */
        CHECK(weighing_error(NULL) < 1e-6);
        CHECK(centres_error(NULL) < 2e-6);
    }
}

static void corners_are_right(void)
{
    problem = (qn_halves_problem){.size = {48, 44}, .rings = RINGS, .first = 1, .count = 2};
    coarse_px[0] = coarse_px[1] = 4;
    check_corners(&qn_movie_halves_family, rings_error, 1e-6);
    check_corners(&qn_movie_halves_family, filter_error, 3e-5);
    check_corners(&qn_movie_halves_family, weighing_error, 1e-6);
    check_corners(&qn_movie_halves_family, centres_error, 2e-6);
}

/* A bright pixel in both halves of patch 0, another one in patch 1. */
static void centres_are_where_the_image_is(void)
{
    problem = (qn_halves_problem){.size = {20, 16}, .rings = RINGS, .count = 2};
    memset(inputs, 0, sizeof(float) * 4 * 320);
    inputs[5 * 20 + 3] = inputs[320 + 5 * 20 + 3] = 2;
    inputs[640 + 15 * 20 + 19] = inputs[960 + 15 * 20 + 19] = -3;
    find_centres(NULL);
    CHECK(found[0] == 4 && found[1] == 4 * (3 - 9.5f) && found[2] == 4 * (5 - 7.5f));
    CHECK(found[3] == 9 && found[4] == 9 * 9.5f && found[5] == 9 * 7.5f);
}

static void impossible_problems_are_refused(void)
{
    const qn_halves_problem wrong[] = {{.size = {15, 16}, .rings = 5, .count = 1},
                                       {.size = {16, 2}, .rings = 5, .count = 1},
                                       {.size = {16, 16}, .rings = 1, .count = 1},
                                       {.size = {16, 16}, .rings = 5, .count = 0},
                                       {.size = {16, 16}, .rings = 5, .count = 1, .first = -1},
                                       {.size = {64, 64}, .rings = 5, .count = 1}};
    qn_buffer *buffer = empty_buffer(16 * 16 * 9);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_FAILS(qn_sum_rings(queue, NULL, &wrong[i], buffer, buffer, buffer, buffer, NULL), QN_INVALID_ARGUMENT);
        CHECK_FAILS(qn_fill_filter(queue, NULL, &wrong[i], buffer, buffer, NULL), QN_INVALID_ARGUMENT);
        CHECK_FAILS(qn_weigh_halves(queue, NULL, &wrong[i], buffer, buffer, NULL), QN_INVALID_ARGUMENT);
        CHECK_FAILS(qn_find_centres(queue, NULL, &wrong[i], buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    }
    qn_buffer_release(&buffer);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "movie/halves", (const int[]){50, 3, 0}, &work);
    CHECK(work.bytes_read > 0 && work.bytes_written > 0);
}

int main(int argc, char **argv)
{
    if (!open_device(argc, argv)) return check_finish();
    RUN(sizes_are_right);
    RUN(corners_are_right);
    RUN(centres_are_where_the_image_is);
    RUN(impossible_problems_are_refused);
    RUN(workload_passes_its_check);
    return close_device();
}
