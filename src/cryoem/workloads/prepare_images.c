#include <math.h>

#include <quern/workload.h>

#include "base/error.h"
#include "base/memory.h"
#include "cryoem/kernels/prepare_images.h"
#include "tune/workload_inputs.h"

enum { SAMPLES = 300, IMAGES_MAX = 1 << 16 };
enum { WITH_CTF = 2 }; /* factors: 1, the shift's phases; 2, these and the CTF */

typedef struct prepare_state {
    qn_prepare_problem problem;
    uint64_t seed;
    qn_buffer *spectra, *parameters, *images, *weights;
} prepare_state;

static void destroy(void **pointer)
{
    prepare_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->spectra);
    qn_buffer_release(&state->parameters);
    qn_buffer_release(&state->images);
    qn_buffer_release(&state->weights);
    qn_release(pointer);
}

static double draw(uint64_t seed, uint64_t index, double low, double high)
{
    return low + (high - low) * (0.5 + 0.5 * (double)qn_workload_input(seed, index));
}

/* Make an image of a microscope of 300 kV without a B-factor. image->ctf points to *ctf. */
static void make_image(const prepare_state *state, int index, qn_ctf *ctf, qn_reference_image *image)
{
    const uint64_t seed = state->seed + 1, first = 8 * (uint64_t)index;
    *ctf = (qn_ctf){.wavelength_angstrom = 0.0196875,
                    .spherical_aberration_angstrom = 2.7e7,
                    .amplitude_contrast = 0.1,
                    .defocus_mean_angstrom = draw(seed, first, 5000, 30000),
                    .defocus_half_difference_angstrom = draw(seed, first + 1, 0, 300),
                    .astigmatism_angle_radians = draw(seed, first + 2, 0, 3.14)};
    *image = (qn_reference_image){.pixel_angstrom = 1.2,
                                  .origin_pixels = {draw(seed, first + 3, -5, 5), draw(seed, first + 4, -5, 5)},
                                  .weight = draw(seed, first + 5, 0.5, 1),
                                  .ctf = ctf};
}

static qn_status make_parameters(prepare_state *state, qn_queue *queue)
{
    const size_t count = (size_t)state->problem.images * QN_IMAGE_PARAMETERS;
    void *memory;
    QN_TRY(qn_allocate(count, sizeof(float), &memory));
    float *parameters = memory;
    for (int i = 0; i < state->problem.images; i++) {
        qn_ctf ctf;
        qn_reference_image image;
        make_image(state, i, &ctf, &image);
        qn_image_parameters(state->problem.side, image.pixel_angstrom, image.origin_pixels, image.weight, image.ctf,
                            parameters + (ptrdiff_t)QN_IMAGE_PARAMETERS * i);
    }
    const qn_status status = qn_workload_make_buffer(queue, parameters, count * sizeof(float), &state->parameters);
    qn_release(&memory);
    return status;
}

static qn_status make_buffers(prepare_state *state, qn_queue *queue)
{
    const size_t side = (size_t)state->problem.side, pixels = side * (side / 2 + 1) * (size_t)state->problem.images;
    QN_TRY(make_parameters(state, queue));
    QN_TRY(qn_workload_make_inputs(queue, state->seed, 2 * pixels, &state->spectra));
    QN_TRY(qn_buffer_create(qn_queue_device(queue), 2 * pixels * sizeof(float), &state->images));
    return qn_buffer_create(qn_queue_device(queue), pixels * sizeof(float), &state->weights);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    static const char name[] = "cryoem/prepare_images";
    void *memory;
    QN_TRY(qn_workload_check_size(name, "side", sizes[0], 4, QN_PREPARE_SIDE_MAX, 1));
    QN_TRY(qn_workload_check_size(name, "images", sizes[1], 1, IMAGES_MAX, 1));
    QN_TRY(qn_workload_check_size(name, "factors", sizes[2], 1, WITH_CTF, 1));
    QN_TRY(qn_allocate(1, sizeof(prepare_state), &memory));
    prepare_state *state = memory;
    state->seed = seed;
    state->problem = (qn_prepare_problem){
        .side = sizes[0], .images = sizes[1], .most = 0.5f * (float)sizes[0], .ctf = sizes[2] == WITH_CTF};
    const qn_status status = make_buffers(state, queue);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    const prepare_state *state = pointer;
    QN_TRY(qn_workload_fill(queue, state->images, 0xff));
    return qn_workload_fill(queue, state->weights, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    prepare_state *state = pointer;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    const qn_status status = qn_prepare_images(queue, configuration, &state->problem, state->spectra, state->parameters,
                                               state->images, state->weights, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

/* Choose an index: 0 for the first sample, count − 1 for the second, random for the others. */
static int place_of(const prepare_state *state, uint64_t sample, uint64_t which, int count)
{
    if (sample < 2) return sample == 0 ? 0 : count - 1;
    return (int)draw(state->seed + 2, 3 * sample + which, 0, count);
}

/* Check samples. Values are of the order of 1, so the tolerance of 2e-6 is absolute. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const prepare_state *state = pointer;
    const int side = state->problem.side, columns = side / 2 + 1;
    *largest_error = 0;
    for (uint64_t i = 0; i < SAMPLES; i++) {
        const int index = place_of(state, i, 0, state->problem.images);
        const int row = place_of(state, i, 1, side), x = place_of(state, i, 2, columns);
        const int y = row - side / 2;
        const size_t start = (size_t)index * (size_t)side;
        const size_t from = (start + (size_t)(y < 0 ? y + side : y)) * (size_t)columns + (size_t)x;
        const size_t to = (start + (size_t)row) * (size_t)columns + (size_t)x;
        const float spectrum[2] = {qn_workload_input(state->seed, 2 * from),
                                   qn_workload_input(state->seed, 2 * from + 1)};
        double expected[3];
        float value[3];
        qn_ctf ctf;
        qn_reference_image image;
        make_image(state, index, &ctf, &image);
        qn_prepare_images_reference_pixel(&state->problem, &image, spectrum, x, y, expected);
        QN_TRY(qn_queue_read(queue, state->images, 2 * to * sizeof(float), value, 2 * sizeof(float), NULL));
        QN_TRY(qn_workload_read(queue, state->weights, to * sizeof(float), value + 2, sizeof(float)));
        for (int c = 0; c < 3; c++)
            *largest_error = qn_workload_larger_error(*largest_error, fabs((double)value[c] - expected[c]) / 2e-6);
    }
    return QN_OK;
}

static const void *problem_of(const void *pointer)
{
    return &((const prepare_state *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_cryoem_prepare_images_family.kernels[0].work(&((const prepare_state *)pointer)->problem, least);
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    qn_prepare_problem_class(&(qn_prepare_problem){.side = sizes[0], .images = sizes[1], .ctf = sizes[2] == WITH_CTF},
                             text);
}

extern const qn_workload qn_cryoem_prepare_images_workload;
const qn_workload qn_cryoem_prepare_images_workload = {
    .name = "cryoem/prepare_images",
    .summary = "transforms of images shifted, cut and multiplied with their CTF",
    .family = &qn_cryoem_prepare_images_family,
    .size_names = {"side", "images", "factors"},
    .gpu_sizes = {256, 2048, WITH_CTF},
    .cpu_sizes = {128, 256, WITH_CTF},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};
