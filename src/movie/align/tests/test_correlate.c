/* devices: host opencl:0 cuda:0 checking:host */
/* The kernels of correlate against their references, and correlations of moved images against their movement. */
#include "check.h"

#include "movie/align/kernels/correlate.h"
#include "movie/align/tests/kernel_check.h"

enum { NUMBERS_MAX = 1 << 19, FRAMES_MAX = 600 };

static const double PI = 3.14159265358979323846;
static const double TOLERANCE = 3e-6; /* of the largest value */

static qn_frames_problem problem;
static float spectra[NUMBERS_MAX], filter[NUMBERS_MAX], products[NUMBERS_MAX], halves[NUMBERS_MAX];
static double expected[NUMBERS_MAX], expected_halves[NUMBERS_MAX], displacements[2 * FRAMES_MAX];
static uint32_t turns[2 * FRAMES_MAX];
static int pairs[2 * FRAMES_MAX];

static size_t pixels_of(const int size[2])
{
    return (size_t)size[1] * (size_t)(size[0] / 2 + 1);
}

/* Displacements of up to 200 pixels: many turns at the highest frequencies. */
static void make_displacements(size_t count)
{
    for (size_t i = 0; i < 2 * count; i++) {
        displacements[i] = 200 * (double)qn_workload_input(4, i);
        turns[i] = qn_shift_turns(displacements[i], problem.size[i % 2]);
    }
    displacements[0] = displacements[1] = 0;
    turns[0] = turns[1] = 0;
}

static double correlate_error(const qn_configuration *configuration)
{
    const size_t frames = (size_t)problem.frames, count = (size_t)problem.count, pixels = pixels_of(problem.size);
    const size_t all = frames * ((size_t)problem.first + count), made = 2 * pixels * frames * count;
    make_displacements(all);
    fill_inputs(spectra, 2 * pixels * all, 5);
    fill_inputs(filter, pixels, 6);
    qn_buffer *buffers[3] = {buffer_of(spectra, 8 * pixels * all), buffer_of(turns, 8 * all),
                             buffer_of(filter, 4 * pixels)};
    qn_buffer *out = empty_buffer(4 * made), *sums = empty_buffer(16 * pixels * count);
    CHECK_OK(qn_correlate_frames(queue, configuration, &problem, buffers[0], buffers[1], buffers[2], out, sums, NULL));
    read_and_release(&out, products, 4 * made);
    read_and_release(&sums, halves, 16 * pixels * count);
    for (int b = 0; b < 3; b++) qn_buffer_release(&buffers[b]);
    qn_correlate_frames_reference(&problem, spectra, displacements, filter, expected, expected_halves);
    return fmax(relative_error(products, expected, made), relative_error(halves, expected_halves, 4 * pixels * count));
}

static double pairs_error(const qn_configuration *configuration)
{
    const size_t frames = (size_t)problem.frames, count = (size_t)problem.count, pixels = pixels_of(problem.size);
    const size_t small = pixels_of(problem.small), listed = 2 * ((size_t)problem.first + count);
    for (size_t i = 0; i < listed; i++) pairs[i] = (int)(7 * i % frames);
    fill_inputs(spectra, 2 * pixels * frames, 7);
    fill_inputs(filter, small, 8);
    qn_buffer *buffers[3] = {buffer_of(spectra, 8 * pixels * frames), buffer_of(pairs, 4 * listed),
                             buffer_of(filter, 4 * small)};
    qn_buffer *out = empty_buffer(8 * small * count);
    CHECK_OK(qn_correlate_pairs(queue, configuration, &problem, buffers[0], buffers[1], buffers[2], out, NULL));
    read_and_release(&out, products, 8 * small * count);
    for (int b = 0; b < 3; b++) qn_buffer_release(&buffers[b]);
    qn_correlate_pairs_reference(&problem, spectra, pairs, filter, expected);
    return relative_error(products, expected, 2 * small * count);
}

static double shift_error(const qn_configuration *configuration)
{
    const size_t count = (size_t)problem.count, pixels = pixels_of(problem.size), all = (size_t)problem.first + count;
    make_displacements(all);
    fill_inputs(spectra, 2 * pixels * all, 9);
    qn_buffer *buffers[2] = {buffer_of(spectra, 8 * pixels * all), buffer_of(turns, 8 * all)};
    qn_buffer *out = empty_buffer(8 * pixels * count);
    CHECK_OK(qn_shift_spectra(queue, configuration, &problem, buffers[0], buffers[1], out, NULL));
    read_and_release(&out, products, 8 * pixels * count);
    for (int b = 0; b < 2; b++) qn_buffer_release(&buffers[b]);
    qn_shift_spectra_reference(&problem, spectra, displacements, expected);
    return relative_error(products, expected, 2 * pixels * count);
}

static void sizes_are_right(void)
{
    const qn_frames_problem problems[] = {
        {{40, 30}, {20, 20}, 7, 2, 5}, {{4, 4}, {4, 4}, 3, 0, 1},      {{126, 70}, {64, 6}, 24, 0, 1},
        {{16, 18}, {16, 4}, 1, 0, 3},  {{300, 36}, {30, 36}, 6, 0, 3},
    };
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        problem = problems[i];
        CHECK(correlate_error(NULL) < TOLERANCE);
        CHECK(pairs_error(NULL) < TOLERANCE);
        CHECK(shift_error(NULL) < TOLERANCE);
    }
}

static void corners_are_right(void)
{
    problem = (qn_frames_problem){{22, 26}, {12, 10}, 5, 1, 3};
    check_corners(&qn_movie_correlate_family, correlate_error, TOLERANCE);
    check_corners(&qn_movie_correlate_family, pairs_error, TOLERANCE);
    check_corners(&qn_movie_correlate_family, shift_error, TOLERANCE);
}

/* The transform of an image whose content, some waves, is displaced. Moved back, it is that of the image at rest. */
static void displaced_content_is_moved_back(void)
{
    enum { WIDTH = 12, HEIGHT = 10, COLUMNS = WIDTH / 2 + 1 };
    const double displacement[2] = {2.3, -1.6};
    static float at_rest[2 * HEIGHT * COLUMNS];
    problem = (qn_frames_problem){{WIDTH, HEIGHT}, {0, 0}, 1, 0, 1};
    for (int moved = 1; moved >= 0; moved--)
        for (int row = 0; row < HEIGHT; row++)
            for (int x = 0; x < COLUMNS; x++) {
                double re = 0, im = 0;
                for (int v = 0; v < HEIGHT; v++)
                    for (int u = 0; u < WIDTH; u++) {
                        const double a = u - moved * displacement[0], b = v - moved * displacement[1];
                        const double value = cos(2 * PI * (2 * a / WIDTH - 3 * b / HEIGHT) + 0.4) +
                                             sin(2 * PI * (a / WIDTH + 2 * b / HEIGHT));
                        const double angle = -2 * PI * ((double)(u * x) / WIDTH + (double)(v * row) / HEIGHT);
                        re += value * cos(angle);
                        im += value * sin(angle);
                    }
                float *to = (moved ? spectra : at_rest) + (ptrdiff_t)2 * (row * COLUMNS + x);
                to[0] = (float)re;
                to[1] = (float)im;
            }
    for (int d = 0; d < 2; d++) turns[d] = qn_shift_turns(displacement[d], problem.size[d]);
    qn_buffer *source = buffer_of(spectra, sizeof at_rest), *turn = buffer_of(turns, 8);
    qn_buffer *target = empty_buffer(sizeof at_rest);
    CHECK_OK(qn_shift_spectra(queue, NULL, &problem, source, turn, target, NULL));
    read_and_release(&target, products, sizeof at_rest);
    qn_buffer_release(&source);
    qn_buffer_release(&turn);
    double worst = 0;
    for (int i = 0; i < 2 * HEIGHT * COLUMNS; i++)
        worst = qn_workload_larger_error(worst, fabs((double)products[i] - (double)at_rest[i]));
    CHECK(worst < 1e-4); /* of 60 */
}

static void impossible_problems_are_refused(void)
{
    const qn_frames_problem wrong[] = {
        {{15, 16}, {4, 4}, 2, 0, 1}, {{16, 2}, {4, 4}, 2, 0, 1},   {{16, 16}, {4, 4}, 0, 0, 1},
        {{16, 16}, {4, 4}, 2, 0, 0}, {{16, 16}, {4, 4}, 2, -1, 1}, {{64, 64}, {4, 4}, 2, 0, 1},
    };
    qn_buffer *buffer = empty_buffer(4 * 2 * 16 * 9 * 2);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_FAILS(qn_correlate_frames(queue, NULL, &wrong[i], buffer, buffer, buffer, buffer, buffer, NULL),
                    QN_INVALID_ARGUMENT);
        CHECK_FAILS(qn_correlate_pairs(queue, NULL, &wrong[i], buffer, buffer, buffer, buffer, NULL),
                    QN_INVALID_ARGUMENT);
        CHECK_FAILS(qn_shift_spectra(queue, NULL, &wrong[i], buffer, buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    }
    problem = (qn_frames_problem){{16, 16}, {18, 4}, 2, 0, 1};
    CHECK_FAILS(qn_correlate_pairs(queue, NULL, &problem, buffer, buffer, buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    qn_buffer_release(&buffer);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "movie/correlate", (const int[]){32, 5, 3}, &work);
    CHECK(work.bytes_read > 0 && work.bytes_written > 0);
}

int main(int argc, char **argv)
{
    if (!open_device(argc, argv)) return check_finish();
    RUN(sizes_are_right);
    RUN(corners_are_right);
    RUN(displaced_content_is_moved_back);
    RUN(impossible_problems_are_refused);
    RUN(workload_passes_its_check);
    return close_device();
}
