/* devices: host opencl:0 cuda:0 checking:host */
/* Maps from sums whose maps are known: Gaussians, a single wave, and slices of Gaussians inserted at even views. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cryoem/blob.h"
#include "reconstruct/finish.h"
#include "tune/workload_inputs.h"

static const double PI = 3.14159265358979323846;

static qn_device *device;

/* Σ amplitude exp(−|r − centre|² / (2 s²)), voxels from the map's middle; s is wide enough for nothing of it to lie
 * beyond Nyquist. */
enum { GAUSSIANS = 4 };
static const double gaussian_width = 1.8;
static const double gaussians[GAUSSIANS][4] = {
    {0.11, -0.06, 0.17, 1}, {-0.2, 0.05, -0.03, 0.7}, {0.02, 0.21, 0.01, -0.4}, {0.09, -0.15, -0.18, 1.3}};

static double gaussians_at(int map_side, const double r[3])
{
    double sum = 0;
    for (int g = 0; g < GAUSSIANS; g++) {
        double squared = 0;
        for (int i = 0; i < 3; i++) squared += pow(r[i] - gaussians[g][i] * map_side, 2);
        sum += gaussians[g][3] * exp(-squared / (2 * gaussian_width * gaussian_width));
    }
    return sum;
}

/* ∫ map(r) exp(−2πi f·r / P) dr */
static void gaussians_transform(int map_side, int side, const double f[3], double value[2])
{
    const double spread = 2 * PI * PI * gaussian_width * gaussian_width / side / side;
    const double scale = pow(2 * PI * gaussian_width * gaussian_width, 1.5);
    const double size = scale * exp(-spread * (f[0] * f[0] + f[1] * f[1] + f[2] * f[2]));
    value[0] = value[1] = 0;
    for (int g = 0; g < GAUSSIANS; g++) {
        const double *c = gaussians[g];
        const double turn = -2 * PI * map_side * (f[0] * c[0] + f[1] * c[1] + f[2] * c[2]) / side;
        value[0] += c[3] * size * cos(turn);
        value[1] += c[3] * size * sin(turn);
    }
}

static size_t voxel_at(int side, int x, int y, int z)
{
    const int half = side / 2;
    return ((size_t)(z + half) * (size_t)side + (size_t)(y + half)) * (size_t)(half + 1) + (size_t)x;
}

typedef void (*value_function)(int map_side, int side, const double f[3], double value[2]);

/* The spectrum times weights between ½ and 1½ that are the same for mates. */
static void fill_sums(qn_fourier_sums *sums, int map_side, value_function spectrum)
{
    const int side = sums->side, half = side / 2;
    CHECK_OK(qn_fourier_sums_create(side, sums));
    for (int z = -half; z < side - half; z++)
        for (int y = -half; y < side - half; y++)
            for (int x = 0; x <= half; x++) {
                const size_t voxel = voxel_at(side, x, y, z);
                const double f[3] = {x, y, z};
                double value[2];
                const size_t alike = x > 0 ? voxel : (size_t)(abs(y * (2 * side + 1) + z));
                const double weight = 1 + 0.5 * (double)qn_workload_input(9, alike);
                spectrum(map_side, side, f, value);
                sums->numerator[2 * voxel] = (float)(value[0] * weight);
                sums->numerator[2 * voxel + 1] = (float)(value[1] * weight);
                sums->weight[voxel] = (float)weight;
            }
}

/* |map − expected / blur| relative to |expected / blur|; what blobs of this radius do to the map is `blur`. */
static double error_of(const qn_volume *map, int side, double radius)
{
    const int n = map->counts[0], half = n / 2;
    double difference = 0, whole = 0;
    for (int i = 0; i < n * n * n; i++) {
        const double r[3] = {i % n - half, i / n % n - half, i / n / n - half};
        const double frequency = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]) / side;
        double expected = gaussians_at(n, r);
        if (radius > 0)
            expected *= qn_blob_transform(radius, 0) / qn_blob_transform(radius, frequency < 0.5 ? frequency : 0.5);
        difference += pow((double)map->values[i] - expected, 2);
        whole += expected * expected;
    }
    return sqrt(difference / whole);
}

static qn_finish_options plain_options(int map_side)
{
    return (qn_finish_options){.map_side = map_side,
                               .voxel_angstrom = 1.5,
                               .most = 1e4,
                               .radius = 1.9,
                               .weights = QN_RECONSTRUCT_WEIGHTS_PLAIN};
}

static void gaussians_come_back(void)
{
    static const int sides[][2] = {{48, 24}, {47, 24}, {48, 23}, {49, 25}, {36, 36},
                                   {35, 35}, {54, 36}, {55, 37}, {72, 36}};
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
        qn_fourier_sums sums = {.side = sides[i][0]};
        const qn_finish_options options = plain_options(sides[i][1]);
        qn_finish_report report;
        qn_volume *map = NULL;
        fill_sums(&sums, sides[i][1], gaussians_transform);
        if (CHECK_OK(qn_reconstruct_finish(device, &sums, &options, &map, &report))) {
            const double error = error_of(map, sides[i][0], 1.9);
            if (!CHECK(error < 1e-4)) fprintf(stderr, "sides %d %d: %g\n", sides[i][0], sides[i][1], error);
            CHECK(report.iterations == 0 && report.untouched_share == 0 && report.seconds > 0);
            CHECK(map->counts[0] == sides[i][1] && map->counts[2] == sides[i][1]);
            CHECK_NEAR(map->voxel_angstrom[1], 1.5, 0);
        }
        qn_volume_destroy(&map);
        qn_fourier_sums_clear(&sums);
    }
}

/* One wave and its mate; with a third voxel beyond the limit and a fourth whose weight is far below its shell's. */
static void one_wave_is_a_cosine(void)
{
    enum { SIDE = 24, MAP = 13 };
    qn_fourier_sums sums;
    qn_volume *map = NULL;
    qn_finish_report report;
    qn_finish_options options = plain_options(MAP);
    options.most = 6;
    CHECK_OK(qn_fourier_sums_create(SIDE, &sums));
    const size_t wave = voxel_at(SIDE, 0, 2, -3), mate = voxel_at(SIDE, 0, -2, 3), far = voxel_at(SIDE, 8, 1, 0);
    const size_t faint = voxel_at(SIDE, 3, 2, 0); /* of shell 4, as the wave */
    sums.numerator[2 * wave] = sums.numerator[2 * mate] = 3 * 7e3f;
    sums.weight[wave] = sums.weight[mate] = 7;
    sums.numerator[2 * far] = sums.weight[far] = 1e6f;
    sums.numerator[2 * faint] = 5e3f * 1e-6f;
    sums.weight[faint] = 1e-6f;
    int of_shell = 0, within = 0;
    for (int i = 0; i < SIDE * SIDE * (SIDE / 2 + 1); i++) {
        const double x = i % (SIDE / 2 + 1), y = i / (SIDE / 2 + 1) % SIDE - SIDE / 2,
                     z = i / (SIDE / 2 + 1) / SIDE - SIDE / 2;
        const double radius = sqrt(x * x + y * y + z * z);
        of_shell += lrint(radius) == 4;
        within += radius < 6;
    }
    const double least = 1e-3 * 14 / of_shell, left = 5e3 * 1e-6 / least;
    if (CHECK_OK(qn_reconstruct_finish(device, &sums, &options, &map, &report)))
        for (int i = 0; i < MAP * MAP * MAP; i++) {
            const double x = i % MAP - MAP / 2, y = i / MAP % MAP - MAP / 2, z = i / MAP / MAP - MAP / 2;
            const double wanted =
                2 * 3e3 * cos(2 * PI * (2 * y - 3 * z) / SIDE) + 2 * left * cos(2 * PI * (3 * x + 2 * y) / SIDE);
            const double frequency = sqrt(x * x + y * y + z * z) / SIDE;
            const double blur = qn_blob_transform(1.9, frequency) / qn_blob_transform(1.9, 0);
            if (!CHECK_NEAR((double)map->values[i] * SIDE * SIDE * SIDE, wanted / blur, 0.05)) break;
        }
    CHECK_NEAR(report.untouched_share, 1 - 3.0 / within, 1e-12);
    qn_volume_destroy(&map);
    qn_fourier_sums_clear(&sums);
}

static void impossible_sides_are_refused(void)
{
    qn_fourier_sums sums;
    qn_volume *map = NULL;
    const qn_finish_options options = plain_options(17);
    CHECK_OK(qn_fourier_sums_create(16, &sums));
    CHECK_FAILS(qn_reconstruct_finish(device, &sums, &options, &map, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("17");
    CHECK(map == NULL);
    qn_fourier_sums_clear(&sums);
}

static void memory_is_told_beforehand(void)
{
    const qn_finish_options options = plain_options(128);
    const uint64_t bytes = qn_reconstruct_finish_bytes(256, &options);
    CHECK(bytes > 4 * 128 * 128 * 128 && bytes < 4 * 128 * 128 * 128 + (32 << 20));
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(&(qn_context_options){0}, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL)) return check_finish();
    RUN(gaussians_come_back);
    RUN(one_wave_is_a_cosine);
    RUN(impossible_sides_are_refused);
    RUN(memory_is_told_beforehand);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
