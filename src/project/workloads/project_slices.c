#include <math.h>

#include <quern/workload.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "math/window.h"
#include "project/kernels/project_slices.h"
#include "tune/workload_inputs.h"

enum { PADDING = 2, IMAGES_MAX = 1 << 14, CHECKED = 3 };

typedef struct slices_state {
    qn_slices_problem problem;
    qn_window window;
    float *spectrum, *steps;
    qn_buffer *volume, *table, *step_buffer, *parameters, *slices;
    double *expected[CHECKED]; /* slices of some images, computed in the first check */
    float *found;
} slices_state;

static const qn_slice_image plain_image = {{0, 0}, 1, 1, NULL};

static void destroy(void **pointer)
{
    slices_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->volume);
    qn_buffer_release(&state->table);
    qn_buffer_release(&state->step_buffer);
    qn_buffer_release(&state->parameters);
    qn_buffer_release(&state->slices);
    qn_release(&state->spectrum);
    qn_release(&state->steps);
    qn_release(&state->found);
    for (int i = 0; i < CHECKED; i++) qn_release(&state->expected[i]);
    qn_release(pointer);
}

static size_t slice_numbers(const slices_state *state)
{
    return 2 * (size_t)state->problem.image_side * (size_t)(state->problem.image_side / 2 + 1);
}

static qn_status allocate_floats(size_t count, float **floats)
{
    void *memory;
    QN_TRY(qn_allocate(count, sizeof(float), &memory));
    *floats = memory;
    return QN_OK;
}

/* Make a spectrum of random numbers, with zeros at x = P / 2, where the spectrum of a real grid contains its own
 * conjugates. */
static qn_status make_volume(slices_state *state, qn_queue *queue, uint64_t seed)
{
    const size_t side = (size_t)state->problem.side, row = 2 * (side / 2 + 1), numbers = side * side * row;
    int columns, rows;
    qn_buffer *spectrum = NULL;
    qn_slices_volume_size(&state->problem, &columns, &rows);
    QN_TRY(allocate_floats(numbers, &state->spectrum));
    for (size_t i = 0; i < numbers; i++) state->spectrum[i] = i % row < row - 2 ? qn_workload_input(seed, i) : 0;
    QN_TRY(qn_buffer_create(qn_queue_device(queue), 8 * (size_t)columns * (size_t)rows * (size_t)rows, &state->volume));
    qn_status status = qn_workload_make_buffer(queue, state->spectrum, 4 * numbers, &spectrum);
    if (status == QN_OK) status = qn_slices_lay_out(queue, &state->problem, 1, spectrum, state->volume, NULL);
    if (status == QN_OK) status = qn_queue_finish(queue);
    qn_buffer_release(&spectrum);
    return status;
}

static qn_status make_images(slices_state *state, qn_queue *queue)
{
    const size_t images = (size_t)state->problem.images;
    float table[QN_WINDOW_ROWS * QN_WINDOW_TAPS_MAX], *parameters = NULL;
    qn_window_table(&state->window, table);
    QN_TRY(qn_workload_make_buffer(queue, table, sizeof table, &state->table));
    QN_TRY(allocate_floats(6 * images, &state->steps));
    QN_TRY(allocate_floats(QN_IMAGE_PARAMETERS * images, &parameters));
    for (size_t i = 0; i < images; i++) {
        double matrix[9];
        qn_rotation_super_fibonacci(i * 7919 % images, images, matrix); /* consecutive images have distant views */
        for (int k = 0; k < 6; k++) state->steps[6 * i + (size_t)k] = (float)(PADDING * matrix[k]);
        qn_image_parameters(state->problem.image_side, plain_image.pixel_angstrom, plain_image.origin_pixels, 1, NULL,
                            parameters + QN_IMAGE_PARAMETERS * i);
    }
    qn_status status = qn_workload_make_buffer(queue, parameters, 4 * QN_IMAGE_PARAMETERS * images, &state->parameters);
    qn_release(&parameters);
    QN_TRY(status);
    QN_TRY(qn_workload_make_buffer(queue, state->steps, 24 * images, &state->step_buffer));
    QN_TRY(allocate_floats(slice_numbers(state), &state->found));
    return qn_buffer_create(qn_queue_device(queue), 4 * slice_numbers(state) * images, &state->slices);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    static const char name[] = "project/project_slices";
    void *memory;
    QN_TRY(qn_workload_check_size(name, "side", sizes[0], 8, 512, 1));
    QN_TRY(qn_workload_check_size(name, "images", sizes[1], 1, IMAGES_MAX, 1));
    QN_TRY(qn_workload_check_size(name, "taps", sizes[2], 2, QN_WINDOW_TAPS_MAX, 2));
    QN_TRY(qn_allocate(1, sizeof(slices_state), &memory));
    slices_state *state = memory;
    state->window = qn_window_make(sizes[2], PADDING);
    state->problem = (qn_slices_problem){.side = PADDING * sizes[0],
                                         .image_side = sizes[0],
                                         .images = sizes[1],
                                         .taps = sizes[2],
                                         .most = 0.5f * (float)(sizes[0] - 1)};
    qn_status status = make_volume(state, queue, seed);
    if (status == QN_OK) status = make_images(state, queue);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((const slices_state *)pointer)->slices, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    slices_state *state = pointer;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    qn_status status = qn_project_slices(queue, configuration, &state->problem, state->volume, state->table,
                                         state->step_buffer, state->parameters, state->slices, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

static qn_status expect(slices_state *state, int which, size_t image)
{
    void *memory;
    if (state->expected[which]) return QN_OK;
    QN_TRY(qn_allocate(slice_numbers(state), sizeof(double), &memory));
    state->expected[which] = memory;
    qn_project_slices_reference(&state->problem, &state->window, state->spectrum, 1, state->steps + 6 * image,
                                &plain_image, state->expected[which]);
    return QN_OK;
}

/* Check all pixels of the first, a middle and the last image. The magnitudes of a pixel's terms add up to less
 * than 30; the errors of the weights and of each addition are at most 3e-7. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    slices_state *state = pointer;
    const size_t numbers = slice_numbers(state), images = (size_t)state->problem.images;
    *largest_error = 0;
    for (int which = 0; which < CHECKED; which++) {
        const size_t image = (size_t)which * (images - 1) / (CHECKED - 1);
        QN_TRY(expect(state, which, image));
        QN_TRY(qn_workload_read(queue, state->slices, 4 * numbers * image, state->found, 4 * numbers));
        for (size_t i = 0; i < numbers; i++) {
            const double error = fabs((double)state->found[i] - state->expected[which][i]);
            *largest_error = qn_workload_larger_error(*largest_error, error / 2e-5);
        }
    }
    return QN_OK;
}

static const void *problem_of(const void *pointer)
{
    return &((const slices_state *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_project_project_slices_family.kernels[1].work(&((const slices_state *)pointer)->problem, least);
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    qn_slices_problem_class(&(qn_slices_problem){.side = PADDING * sizes[0], .taps = sizes[2]}, text);
}

extern const qn_workload qn_project_project_slices_workload;
const qn_workload qn_project_project_slices_workload = {
    .name = "project/project_slices",
    .summary = "central slices of a Fourier volume",
    .family = &qn_project_project_slices_family,
    .size_names = {"side", "images", "taps"},
    .gpu_sizes = {192, 512, 6},
    .cpu_sizes = {96, 32, 6},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};
