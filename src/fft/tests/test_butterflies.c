/* devices: host opencl:0 cuda:0 */
/* The butterflies of kernels are compared with the defining sums in double precision, on a device and in host C. */
#include "check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <quern/family.h>

#include "runtime/prelude/prelude_host.h"

#include "fft/kernels/butterflies.dev.h"
#include "fft/tests/naive_transform.h"

enum { RADIX_MAX = 16, LINES = 64 };

static const int radices[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 16};
enum { RADIX_COUNT = sizeof radices / sizeof *radices };

static qn_device *device;
static qn_queue *queue;

static qn_geometry geometry(const qn_configuration *configuration, const void *problem)
{
    (void)problem;
    return (qn_geometry){{LINES, 1, 1}, {(size_t)configuration->value[0], 1, 1}};
}

static qn_status host_butterflies(const qn_host_launch *launch)
{
    const int radix = *(const int32_t *)launch->arguments[2];
    const qn_complex *in = launch->arguments[0];
    qn_complex *out = launch->arguments[1];
    for (int i = 0; i < LINES; i++) {
        memcpy(out + radix * i, in + radix * i, (size_t)radix * sizeof *in);
        line_butterfly(radix, out + radix * i);
    }
    return QN_OK;
}

static const qn_argument_declaration arguments[] = {
    {"in", QN_IN, QN_FLOAT32}, {"out", QN_OUT, QN_FLOAT32}, {"radix", QN_VALUE, QN_INT32}};
static const qn_kernel_declaration kernels[] = {{"butterflies", arguments, 3, geometry, host_butterflies, NULL}};
static const qn_tunable tunables[] = {{"GROUP_SIZE", {LINES}, 1, LINES, "work-items per group"}};
static const qn_family family = {.name = "tests/butterflies",
                                 .source_path = "fft/tests/butterflies.cl",
                                 .kernels = kernels,
                                 .kernel_count = 1,
                                 .tunables = tunables,
                                 .tunable_count = 1};

/* Fill lines with noise. Each of the first `radix` lines has one number that is not 0, so its transform is a column of
 * the matrix. */
static void fill_lines(int radix, qn_complex *lines)
{
    uint64_t state = (uint64_t)radix;
    for (int i = 0; i < LINES; i++)
        for (int k = 0; k < radix; k++) {
            const float re = naive_noise(&state), im = naive_noise(&state);
            lines[radix * i + k] = i >= radix || k == i ? COMPLEX_MAKE(re, im) : COMPLEX_MAKE(0, 0);
        }
}

/* The error of a sum of r products in single precision is a few roundings of the input's norm, far fewer than r. */
static void compare_line(int radix, const qn_complex *input, const qn_complex *output)
{
    double values[2 * RADIX_MAX], norm = 0, worst = 0;
    for (int k = 0; k < radix; k++) {
        values[2 * k] = (double)input[k].x;
        values[2 * k + 1] = (double)input[k].y;
        norm += values[2 * k] * values[2 * k] + values[2 * k + 1] * values[2 * k + 1];
    }
    naive_transform(&(naive_grid){{radix, 1, 1}, values}, -1);
    for (int j = 0; j < radix; j++)
        worst = fmax(worst, hypot((double)output[j].x - values[2 * j], (double)output[j].y - values[2 * j + 1]));
    if (!CHECK(worst <= 2 * (double)FLT_EPSILON * sqrt(norm)))
        fprintf(stderr, "radix %d: off by %g of a norm of %g\n", radix, worst, sqrt(norm));
}

static qn_status run_lines(int radix, const qn_complex *input, qn_complex *output)
{
    const size_t bytes = (size_t)(radix * LINES) * sizeof *input;
    char definitions[32];
    qn_buffer *in = NULL, *out = NULL;
    snprintf(definitions, sizeof definitions, "RADIX=%d", radix);
    qn_status status = qn_buffer_create(device, bytes, &in);
    if (status == QN_OK) status = qn_buffer_create(device, bytes, &out);
    if (status == QN_OK) status = qn_queue_write(queue, in, 0, input, bytes, NULL);
    if (status == QN_OK) {
        const qn_argument values[] = {qn_argument_buffer(in), qn_argument_buffer(out), qn_argument_int32(radix)};
        const qn_family_call call = {.arguments = values, .argument_count = 3, .definitions = definitions};
        status = qn_family_run(&family, queue, &call, NULL);
    }
    if (status == QN_OK) status = qn_queue_read(queue, out, 0, output, bytes, NULL);
    if (status == QN_OK) status = qn_queue_finish(queue);
    qn_buffer_release(&in);
    qn_buffer_release(&out);
    return status;
}

static void lines_are_transformed(void)
{
    static qn_complex input[LINES * RADIX_MAX], output[LINES * RADIX_MAX];
    for (int r = 0; r < RADIX_COUNT; r++) {
        fill_lines(radices[r], input);
        memset(output, 0xFF, sizeof output);
        if (!CHECK_OK(run_lines(radices[r], input, output))) continue;
        for (int i = 0; i < LINES; i++) compare_line(radices[r], input + radices[r] * i, output + radices[r] * i);
    }
}

/* In host C both orders hold the same numbers, and memory after the line does not change. */
static void orders_agree(void)
{
    uint64_t state = 1;
    for (int r = 0; r < RADIX_COUNT; r++) {
        qn_complex input[RADIX_MAX], natural[RADIX_MAX], own[RADIX_MAX];
        for (int k = 0; k < RADIX_MAX; k++) input[k] = COMPLEX_MAKE(naive_noise(&state), naive_noise(&state));
        memcpy(natural, input, sizeof input);
        memcpy(own, input, sizeof input);
        line_butterfly(radices[r], natural);
        butterfly(radices[r], own);
        for (int j = 0; j < RADIX_MAX; j++) {
            const qn_complex *same = j < radices[r] ? &own[output_of(radices[r], j)] : &input[j];
            CHECK(memcmp(&natural[j], same, sizeof *same) == 0);
        }
    }
}

int main(int argc, char **argv)
{
    const char *identifier = argc > 1 ? argv[1] : "host";
    const qn_context_options options = {.size = sizeof options, .kernel_folder = QN_TEST_DATA_FOLDER "/../../src"};
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(&options, &context))) return check_finish();
    qn_status status = qn_device_open(context, identifier, &device);
    if (status == QN_NO_DEVICE) check_skip(strstr(identifier, "cuda") ? "cuda" : "opencl", qn_error_message());
    if (CHECK_OK(status) && CHECK_OK(qn_queue_create(device, &queue))) {
        RUN(lines_are_transformed);
        RUN(orders_agree);
    }
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
