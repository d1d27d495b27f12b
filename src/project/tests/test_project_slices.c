/* devices: host opencl:0 cuda:0 checking:host */
/* Compare project_slices with its reference on one device, and the reference with known values. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check_workload.h"
#include "cryoem/view.h"
#include "math/window.h"
#include "project/kernels/project_slices.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

enum { SIDE_MAX = 96, IMAGE_SIDE_MAX = 64, IMAGES = 5, CORNERS_MAX = 12 };
enum { SPECTRUM_MAX = 2 * SIDE_MAX * SIDE_MAX * (SIDE_MAX / 2 + 1) };
enum { SLICE_MAX = 2 * IMAGE_SIDE_MAX * (IMAGE_SIDE_MAX / 2 + 1) };

static qn_device *device;
static qn_queue *queue;
static float spectrum[SPECTRUM_MAX], steps[6 * IMAGES], parameters[QN_IMAGE_PARAMETERS * IMAGES];
static float slices[IMAGES * SLICE_MAX], table[QN_WINDOW_ROWS * QN_WINDOW_TAPS_MAX];
static double expected[SLICE_MAX];
static qn_slice_image images[IMAGES];
static qn_ctf ctfs[IMAGES];

static const double SCALE = 0.125;

static size_t slice_numbers(const qn_slices_problem *problem)
{
    return 2 * (size_t)problem->image_side * (size_t)(problem->image_side / 2 + 1);
}

/* Make the spectrum of a real grid: the plane x = 0 contains its own conjugates. */
static void make_spectrum(int side)
{
    const int columns = side / 2 + 1;
    const size_t numbers = 2 * (size_t)side * (size_t)side * (size_t)columns;
    for (size_t i = 0; i < numbers; i++) spectrum[i] = qn_workload_input(5, i);
    for (int z = 0; z < side; z++)
        for (int y = 0; y < side; y++)
            for (int x = 0; x <= side / 2; x += side / 2) {
                if (x > 0 && side % 2 == 1) continue;
                const size_t here = 2 * ((size_t)(z * side + y) * (size_t)columns + (size_t)x);
                const size_t there =
                    2 * ((size_t)((side - z) % side * side + (side - y) % side) * (size_t)columns + (size_t)x);
                spectrum[there] = spectrum[here];
                spectrum[there + 1] = there == here ? 0 : -spectrum[here + 1];
            }
}

/* Make images with various views, some along an axis and upside down; shifts of many pixels; CTFs of large and small
 * defocus. Sines of 180° are set to 0: a window ends with a step of 1e-3, so that a position on a sample must not move
 * to the other side of the sample by rounding. */
static void make_images(const qn_slices_problem *problem)
{
    static const double angles[IMAGES][3] = {{0, 0, 0}, {31, 57, -102}, {0, 180, 0}, {-170, 90, 45}, {12, 171, 60}};
    for (int i = 0; i < IMAGES; i++) {
        double matrix[9];
        qn_view_matrix(angles[i][0], angles[i][1], angles[i][2], matrix);
        for (int k = 0; k < 6; k++) matrix[k] = fabs(matrix[k]) < 1e-12 ? 0 : matrix[k];
        for (int k = 0; k < 6; k++) steps[6 * i + k] = (float)(matrix[k] * problem->side / problem->image_side);
        ctfs[i] = (qn_ctf){0.0197, 2.7e7, 0.1, 12000 + 3000.0 * i, 150, 0.4 * i, 0.1 * i, i == 1 ? 0 : 20.0 * i};
        images[i] = (qn_slice_image){{3.25 * i, -7.5 + i}, 1.5, 1 + 0.25 * i, &ctfs[i]};
        qn_image_parameters(problem->image_side, images[i].pixel_angstrom, images[i].origin_pixels, images[i].weight,
                            images[i].ctf, parameters + QN_IMAGE_PARAMETERS * i);
    }
}

static void project_on_device(const qn_configuration *configuration, const qn_slices_problem *problem)
{
    qn_buffer *buffers[6] = {NULL};
    int columns, rows;
    const size_t side = (size_t)problem->side, word = sizeof(float), numbers = slice_numbers(problem) * IMAGES;
    qn_slices_volume_size(problem, &columns, &rows);
    const size_t samples = (size_t)columns * (size_t)rows * (size_t)rows;
    CHECK_OK(qn_workload_make_buffer(queue, spectrum, 2 * side * side * (side / 2 + 1) * word, &buffers[0]));
    CHECK_OK(qn_buffer_create(device, 2 * samples * word, &buffers[1]));
    CHECK_OK(qn_workload_make_buffer(queue, table, (size_t)QN_WINDOW_ROWS * (size_t)problem->taps * word, &buffers[2]));
    CHECK_OK(qn_workload_make_buffer(queue, steps, sizeof steps, &buffers[3]));
    CHECK_OK(qn_workload_make_buffer(queue, parameters, sizeof parameters, &buffers[4]));
    CHECK_OK(qn_buffer_create(device, numbers * word, &buffers[5]));
    CHECK_OK(qn_workload_fill(queue, buffers[5], 0xff));
    CHECK_OK(qn_slices_lay_out(queue, problem, (float)SCALE, buffers[0], buffers[1], NULL));
    CHECK_OK(qn_project_slices(queue, configuration, problem, buffers[1], buffers[2], buffers[3], buffers[4],
                               buffers[5], NULL));
    CHECK_OK(qn_workload_read(queue, buffers[5], 0, slices, numbers * word));
    for (int b = 0; b < 6; b++) qn_buffer_release(&buffers[b]);
}

/* Largest |slices − expected| / |expected| of an image; infinite for NaN. */
static double largest_error(const qn_slices_problem *problem, const qn_window *window)
{
    const size_t numbers = slice_numbers(problem);
    double worst = 0;
    for (int image = 0; image < IMAGES; image++) {
        double difference = 0, whole = 1e-300;
        qn_project_slices_reference(problem, window, spectrum, SCALE, steps + 6 * image, &images[image], expected);
        for (size_t i = 0; i < numbers; i++) {
            const double value = (double)slices[(size_t)image * numbers + i];
            difference += (value - expected[i]) * (value - expected[i]);
            whole += expected[i] * expected[i];
        }
        worst = difference == difference ? fmax(worst, sqrt(difference / whole)) : INFINITY;
    }
    return worst;
}

static void check_problem(const qn_configuration *configuration, const qn_slices_problem *problem)
{
    const qn_window window = qn_window_make(problem->taps, (double)problem->side / problem->image_side);
    qn_window_table(&window, table);
    make_spectrum(problem->side);
    make_images(problem);
    project_on_device(configuration, problem);
    const double error = largest_error(problem, &window);
    if (!CHECK(error <= 2e-6)) /* errors of the table and of sines are at most 3e-7 each */
        fprintf(stderr, "side %d, images %d, taps %d, most %g, ctf %d: %g\n", problem->side, problem->image_side,
                problem->taps, (double)problem->most, problem->ctf, error);
}

static void sides_taps_and_limits_are_right(void)
{
    static const int sides[][2] = {{4, 4}, {8, 5}, {24, 12}, {25, 12}, {30, 15}, {40, 21}, {22, 22}};
    for (int i = 0; i < 7; i++)
        for (int taps = 2; taps <= 6; taps += 2) {
            const float most = 0.5f * (float)(sides[i][1] - 1);
            check_problem(NULL, &(qn_slices_problem){sides[i][0], sides[i][1], IMAGES, taps, most, taps != 2});
            check_problem(NULL, &(qn_slices_problem){sides[i][0], sides[i][1], IMAGES, taps, 0.6f * most, false});
        }
}

static void errors_do_not_grow_with_the_side(void)
{
    check_problem(NULL, &(qn_slices_problem){SIDE_MAX, IMAGE_SIDE_MAX, IMAGES, 4, 31.5f, true});
    check_problem(NULL, &(qn_slices_problem){SIDE_MAX, SIDE_MAX / 2, IMAGES, 6, 23.5f, true});
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    ++*(int *)user;
    check_problem(configuration, &(qn_slices_problem){24, 12, IMAGES, 4, 5.5f, true});
    return QN_OK;
}

static void sampled_corners_are_right(void)
{
    const qn_device_info *info = qn_device_get_info(device);
    const int most = strstr(info->identifier, "host") ? 1 : corners_to_visit(info, CORNERS_MAX);
    int corners = 0;
    CHECK_OK(qn_family_sample_corners(&qn_project_project_slices_family, info, most, check_corner, &corners));
    CHECK(corners >= 1);
}

/* At positions of samples, trilinear slices are the samples, conjugated if x < 0, times the phase of the shift. */
static void reference_agrees_with_the_definition(void)
{
    enum { SIDE = 8, COLUMNS = 5 };
    const qn_slices_problem problem = {SIDE, SIDE, 1, 2, 3.5f, false};
    const qn_window window = qn_window_make(2, 1);
    const float turned[6] = {0, 0, -1, 0, 1, 0}; /* kx along −z, ky along y */
    const float opposite[6] = {-1, 0, 0, 0, 1, 0};
    const qn_slice_image centred = {{SIDE / 2, SIDE / 2}, 1, 2, NULL}, shifted = {{SIDE / 2 - 1, SIDE / 2}, 1, 1, NULL};
    make_spectrum(SIDE);
#define SAMPLE(x, y, z) (spectrum + 2 * ((((z) + SIDE) % SIDE * SIDE + ((y) + SIDE) % SIDE) * COLUMNS + (x)))
    qn_project_slices_reference(&problem, &window, spectrum, 1, turned, &centred, expected);
    CHECK_NEAR(expected[2 * (3 * COLUMNS + 1)], 2 * (double)SAMPLE(0, 3, -1)[0], 1e-12);
    CHECK_NEAR(expected[2 * (3 * COLUMNS + 1) + 1], 2 * (double)SAMPLE(0, 3, -1)[1], 1e-12);
    CHECK_NEAR(expected[2 * (3 * COLUMNS + 3)], 0, 0); /* beyond 3.5 */
    qn_project_slices_reference(&problem, &window, spectrum, 1, opposite, &centred, expected);
    CHECK_NEAR(expected[2 * (7 * COLUMNS + 2)], 2 * (double)SAMPLE(2, 1, 0)[0], 1e-12); /* (2, −1) is at (−2, −1, 0) */
    CHECK_NEAR(expected[2 * (7 * COLUMNS + 2) + 1], -2 * (double)SAMPLE(2, 1, 0)[1], 1e-12);
    /* content moved to the right by one of 8 pixels: a phase of −90° at x = 2 */
    qn_project_slices_reference(&problem, &window, spectrum, 1, opposite, &shifted, expected);
    CHECK_NEAR(expected[2 * (7 * COLUMNS + 2)], -(double)SAMPLE(2, 1, 0)[1], 1e-12);
    CHECK_NEAR(expected[2 * (7 * COLUMNS + 2) + 1], -(double)SAMPLE(2, 1, 0)[0], 1e-12);
#undef SAMPLE
}

static void impossible_problems_are_refused(void)
{
    qn_buffer *buffer = NULL;
    const qn_slices_problem wrong[] = {
        {3, 3, 1, 4, 1, false},   {5000, 64, 1, 4, 1, false}, {16, 17, 1, 4, 1, false},   {16, 16, -1, 4, 1, false},
        {16, 16, 1, 3, 1, false}, {16, 16, 1, 4, 8, false},   {16, 16, 1, 4, NAN, false}, {64, 32, 1, 4, 15, false},
    };
    CHECK_OK(qn_buffer_create(device, 1 << 15, &buffer));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_FAILS(qn_project_slices(queue, NULL, &wrong[i], buffer, buffer, buffer, buffer, buffer, NULL),
                    QN_INVALID_ARGUMENT);
        CHECK(qn_slices_lay_out(queue, &wrong[i], 1, buffer, buffer, NULL) == QN_INVALID_ARGUMENT);
    }
    CHECK_OK(qn_project_slices(queue, NULL, &(qn_slices_problem){16, 8, 0, 4, 3, false}, buffer, buffer, buffer, buffer,
                               buffer, NULL));
    qn_buffer_release(&buffer);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "project/project_slices", (const int[]){17, 5, 6}, &work);
    CHECK(work.multiply_adds > 0);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(reference_agrees_with_the_definition);
    RUN(sides_taps_and_limits_are_right);
    RUN(errors_do_not_grow_with_the_side);
    RUN(sampled_corners_are_right);
    RUN(impossible_problems_are_refused);
    RUN(workload_passes_its_check);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
