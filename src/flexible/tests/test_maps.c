/* devices: host opencl:0 cuda:0 checking:host */
/* The family flexible/maps against its reference over the corners of its tunables: all give the same bits; and the
 * functions that are made of +, × and FMA. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "flexible/kernels/maps.h"
#include "flexible/tests/chains.h"
#include "runtime/configuration.h"
#include "runtime/prelude/prelude_host.h"

#include "flexible/kernels/maps.dev.h"

enum { TYPES = 5, POINTS = 41 * 22 * 19 };

static qn_device *device;
static qn_queue *queue;
static qn_score_receptor receptor;
static const int types[TYPES] = {C_H, N_DA, O_A, S_P, METAL};
static const qn_flexible_grid grid = {{3, -2, 5}, {41, 22, 19}};
static double expected[TYPES * POINTS];
static float values[TYPES * POINTS], first_values[TYPES * POINTS];
static int corners;

static void functions_are_within_the_stated_errors(void)
{
    double root = 0, inverse = 0, power = 0, wave = 0;
    for (int i = 1; i <= 1000000; i++) {
        const float x = (float)i * 1e-4f, angle = ((float)i - 500000) * 2e-4f;
        float sine, cosine;
        root = fmax(root, fabs(exact_rsqrt(x) * sqrt(x) - 1));
        inverse = fmax(inverse, fabs(exact_reciprocal(x) * (double)x - 1));
        power = fmax(power, fabs(qn_power_of_two(-x) / exp2(-x) - 1));
        exact_sine_cosine(angle, &sine, &cosine);
        wave = fmax(wave, fmax(fabs(sine - sin(angle)), fabs(cosine - cos(angle))));
    }
    CHECK(root < 2e-7 && inverse < 5e-7 && power < 3e-7 && wave < 1e-6);
}

static void pairs_agree_with_double_precision(void)
{
    for (int a = 0; a < QN_VINA_ROWS; a++)
        for (int b = 0; b < QN_VINA_ROWS; b++) {
            float p[4], slope;
            qn_flexible_pair_parameters(a, b, p);
            for (int i = 0; i < 200; i++) {
                const float r = 1.5f + 0.0323f * (float)i;
                qn_vina_energy unused = {0};
                double expected_slope, energy = qn_vina_add_pair(a, b, r, &unused, &expected_slope);
                CHECK_NEAR(exact_pair(r, FLOAT4_MAKE(p[0], p[1], p[2], p[3]), &slope), energy,
                           1e-6 * fmax(1, fabs(energy)));
                CHECK_NEAR(slope, expected_slope, 3e-6 * fmax(1, fabs(expected_slope)));
            }
        }
}

static void make_expectations(void)
{
    for (int i = 0; i < TYPES * POINTS; i++) {
        const int index[3] = {i % 41, i / 41 % 22, i / 41 / 22 % 19};
        double place[3];
        for (int d = 0; d < 3; d++)
            place[d] = grid.centre_angstrom[d] + QN_FLEXIBLE_SPACING_ANGSTROM * (index[d] - 0.5 * (grid.points[d] - 1));
        expected[i] = qn_flexible_maps_reference(&receptor, place, types[i / POINTS]);
    }
}

/* An atom near the cut-off may count or not, by rounding: 0.005 kcal/mol at most, rarely. */
static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    qn_buffer *buffer = user;
    int apart = 0;
    CHECK_OK(qn_queue_fill(queue, buffer, 0, sizeof values, 0xff, NULL));
    CHECK_OK(qn_flexible_maps(queue, configuration, &receptor, &grid, types, TYPES, buffer, NULL));
    CHECK_OK(qn_queue_read(queue, buffer, 0, values, sizeof values, NULL));
    CHECK_OK(qn_queue_finish(queue));
    for (int i = 0; i < TYPES * POINTS; i++) {
        const double error = fabs(values[i] - expected[i]);
        if (!(error < 2e-5 * fmax(1, fabs(expected[i])))) apart++;
        if (!(error < 0.006 + 2e-5 * fabs(expected[i]))) CHECK_NEAR(values[i], expected[i], 0.006);
    }
    CHECK(apart < TYPES * POINTS / 1000);
    if (corners++ == 0) memcpy(first_values, values, sizeof values);
    CHECK(memcmp(first_values, values, sizeof values) == 0);
    return QN_OK;
}

static void every_corner_agrees_with_the_reference(void)
{
    qn_buffer *buffer = NULL;
    uint64_t drawn = 0;
    CHECK_OK(cloud_make(900, 34, &drawn, &receptor));
    make_expectations();
    if (CHECK_OK(qn_buffer_create(device, sizeof values, &buffer))) {
        CHECK_OK(qn_family_corners(&qn_flexible_maps_family, qn_device_get_info(device), check_corner, buffer));
        CHECK(corners > 0);
    }
    qn_buffer_release(&buffer);
    qn_score_receptor_clear(&receptor);
}

/* The device's bits are those of the host. */
static void all_devices_give_the_same_bits(qn_context *context)
{
    qn_device *host = NULL;
    qn_queue *other = NULL;
    qn_buffer *buffer = NULL;
    uint64_t drawn = 0;
    CHECK_OK(cloud_make(900, 34, &drawn, &receptor));
    if (CHECK_OK(qn_device_open(context, "host", &host)) && CHECK_OK(qn_queue_create(host, &other)) &&
        CHECK_OK(qn_buffer_create(host, sizeof values, &buffer))) {
        CHECK_OK(qn_flexible_maps(other, NULL, &receptor, &grid, types, TYPES, buffer, NULL));
        CHECK_OK(qn_queue_read(other, buffer, 0, values, sizeof values, NULL));
        CHECK_OK(qn_queue_finish(other));
        CHECK(memcmp(first_values, values, sizeof values) == 0);
    }
    qn_buffer_release(&buffer);
    qn_queue_destroy(&other);
    qn_device_release(&host);
    qn_score_receptor_clear(&receptor);
}

int main(int argc, char **argv)
{
    const char *identifier = argc > 1 ? argv[1] : "host";
    qn_context *context;
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context)))
        return check_finish();
    if (qn_device_open(context, identifier, &device) != QN_OK) check_skip(identifier, qn_error_message());
    if (CHECK_OK(qn_queue_create(device, &queue))) {
        RUN(functions_are_within_the_stated_errors);
        RUN(pairs_agree_with_double_precision);
        RUN(every_corner_agrees_with_the_reference);
        all_devices_give_the_same_bits(context);
    }
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
