/* devices: host opencl:0 cuda:0 checking:host */
/* find_peaks and cut_windows against their references, and peaks of known places. */
#include "check.h"

#include "movie/align/kernels/find_peaks.h"
#include "movie/align/tests/kernel_check.h"

enum { VALUES_MAX = 1 << 17 };

static qn_peaks_problem problem;
static float maps[VALUES_MAX], found[VALUES_MAX], expected_windows[VALUES_MAX];
static double expected[VALUES_MAX];

static void find(const qn_configuration *configuration)
{
    const size_t pixels = (size_t)problem.size[0] * (size_t)problem.size[1], count = (size_t)problem.maps;
    qn_buffer *source = buffer_of(maps, 4 * pixels * count), *peaks = empty_buffer(16 * count);
    CHECK_OK(qn_find_peaks(queue, configuration, &problem, source, peaks, NULL));
    read_and_release(&peaks, found, 16 * count);
    qn_buffer_release(&source);
}

static double peaks_error(const qn_configuration *configuration)
{
    fill_inputs(maps, (size_t)problem.size[0] * (size_t)problem.size[1] * (size_t)problem.maps, 3);
    find(configuration);
    qn_find_peaks_reference(&problem, maps, expected);
    return relative_error(found, expected, 4 * (size_t)problem.maps);
}

static double windows_error(const qn_configuration *configuration)
{
    const size_t pixels = (size_t)problem.size[0] * (size_t)problem.size[1], count = (size_t)problem.maps;
    const size_t window = (size_t)(2 * problem.reach[0] + 1) * (size_t)(2 * problem.reach[1] + 1);
    fill_inputs(maps, pixels * count, 4);
    qn_buffer *source = buffer_of(maps, 4 * pixels * count), *windows = empty_buffer(4 * window * count);
    CHECK_OK(qn_cut_windows(queue, configuration, &problem, source, windows, NULL));
    read_and_release(&windows, found, 4 * window * count);
    qn_buffer_release(&source);
    qn_cut_windows_reference(&problem, maps, expected_windows);
    return memcmp(found, expected_windows, 4 * window * count) == 0 ? 0 : 1;
}

static void sizes_are_right(void)
{
    const qn_peaks_problem problems[] = {
        {{40, 30}, {8, 8}, 9}, {{5, 5}, {1, 1}, 100}, {{64, 20}, {30, 3}, 5}, {{17, 90}, {2, 43}, 11}};
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        problem = problems[i];
        CHECK(peaks_error(NULL) < 1e-6);
        CHECK(windows_error(NULL) == 0);
    }
    problem = (qn_peaks_problem){{8, 8}, {0, 0}, 7};
    CHECK(windows_error(NULL) == 0);
}

static void corners_are_right(void)
{
    problem = (qn_peaks_problem){{33, 28}, {11, 6}, 13};
    check_corners(&qn_movie_find_peaks_family, peaks_error, 1e-6);
    check_corners(&qn_movie_find_peaks_family, windows_error, 0);
}

/* The peak of a paraboloid is found exactly; a larger value beyond the reach does not count. */
static void paraboloids_have_known_peaks(void)
{
    const double places[][2] = {{0.3, -0.2}, {-4.4, 2.1}, {5, 5}, {-0.5, 0.45}};
    problem = (qn_peaks_problem){{24, 20}, {6, 6}, 4};
    for (int m = 0; m < 4; m++)
        for (int row = 0; row < 20; row++)
            for (int column = 0; column < 24; column++) {
                const double x = column < 12 ? column : column - 24, y = row < 10 ? row : row - 20;
                const double dx = x - places[m][0], dy = y - places[m][1];
                maps[(m * 20 + row) * 24 + column] = (float)(3 - 0.5 * dx * dx - 0.25 * dy * dy);
            }
    for (int m = 0; m < 4; m++) maps[(m * 20 + 10) * 24 + 12] = 100;
    find(NULL);
    for (int m = 0; m < 4; m++) {
        CHECK_NEAR((double)found[4 * m], places[m][0], 1e-5);
        CHECK_NEAR((double)found[4 * m + 1], places[m][1], 1e-5);
        CHECK(found[4 * m + 3] == 0);
    }
}

/* Of equal values the first wins, and a peak on the border of the search is reported as such. */
static void ties_and_borders(void)
{
    problem = (qn_peaks_problem){{16, 16}, {3, 3}, 3};
    memset(maps, 0, sizeof(float) * 3 * 256);
    maps[256 + 3] = 5;                            /* (3, 0) */
    maps[512 + 2] = maps[512 + 15 * 16 + 15] = 7; /* (2, 0) and, before it, (-1, -1) */
    find(NULL);
    CHECK(found[0] == -3 && found[1] == -3 && found[3] == 1); /* constant: the first of all */
    CHECK(found[4] == 3 && found[5] == 0 && found[6] == 5 && found[7] == 1);
    CHECK(found[8] == -1 && found[9] == -1 && found[10] == 7 && found[11] == 0);
}

static void impossible_problems_are_refused(void)
{
    const qn_peaks_problem wrong[] = {{{16, 16}, {7, 2}, 1},
                                      {{16, 16}, {2, 0}, 1},
                                      {{16, 16}, {2, 2}, 0},
                                      {{16, 16}, {-1, 2}, 1},
                                      {{32, 16}, {2, 2}, 1}};
    qn_buffer *buffer = empty_buffer(4 * 256);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_FAILS(qn_find_peaks(queue, NULL, &wrong[i], buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    qn_buffer_release(&buffer);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "movie/find_peaks", (const int[]){31, 4, 40}, &work);
    CHECK(work.bytes_read > 0 && work.bytes_written > 0);
}

int main(int argc, char **argv)
{
    if (!open_device(argc, argv)) return check_finish();
    RUN(sizes_are_right);
    RUN(corners_are_right);
    RUN(paraboloids_have_known_peaks);
    RUN(ties_and_borders);
    RUN(impossible_problems_are_refused);
    RUN(workload_passes_its_check);
    return close_device();
}
