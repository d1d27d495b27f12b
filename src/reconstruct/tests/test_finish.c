/* devices: host opencl:0 cuda:0 checking:host */
/* Finish sums whose maps are known: Gaussians, a single wave, and slices of Gaussians inserted at even views. */
#include "check.h"
#include "slow_compiler.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cryoem/blob.h"
#include "math/rotation.h"
#include "reconstruct/finish.h"
#include "reconstruct/gridding_weights.h"
#include "reconstruct/kernels/insert_slices.h"
#include "tune/workload_inputs.h"

static const double PI = 3.14159265358979323846;

static qn_device *device;

/* Σ amplitude exp(−|r − centre|² / (2 s²)), voxels from the map's middle; s is so wide that the transform
 * is negligible beyond Nyquist. */
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

/* Fill sums with the spectrum times weights between ½ and 1½ that are the same for mates. */
static void fill_sums(qn_fourier_sums *sums, int map_side, value_function spectrum)
{
    const int side = sums->side, half = side / 2;
    CHECK_OK(qn_fourier_sums_create(side, NULL, sums));
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

/* Expected map. blur_and_fade divides it by the blobs' transform (radius 0: no blobs) and fades it within the last
 * three voxels of the sphere. */
enum { VOXELS_MAX = 48 * 48 * 48 };
static double expected[VOXELS_MAX];

static void blur_and_fade(int map_side, int side, double radius)
{
    const int voxels = map_side * map_side * map_side, half = map_side / 2;
    const double outer = map_side / 2.0, inner = outer - 3;
    double mean = 0, count = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < voxels; i++) {
            const double x = i % map_side - half, y = i / map_side % map_side - half,
                         z = i / map_side / map_side - half;
            const double distance = sqrt(x * x + y * y + z * z), frequency = fmin(0.5, distance / side);
            if (pass == 0 && radius > 0)
                expected[i] *= qn_blob_transform(radius, 0) / qn_blob_transform(radius, frequency);
            if (pass == 0 && distance >= inner && distance < outer) {
                mean += expected[i];
                count++;
            }
            const double share = distance < inner   ? 1
                                 : distance < outer ? 0.5 + 0.5 * cos(PI * (distance - inner) / 3)
                                                    : 0;
            if (pass == 1) expected[i] = share * expected[i] + (1 - share) * mean / count;
        }
    }
}

static void expect_gaussians(int map_side, int side, double radius)
{
    const int half = map_side / 2;
    for (int i = 0; i < map_side * map_side * map_side; i++) {
        const double r[3] = {i % map_side - half, i / map_side % map_side - half, i / map_side / map_side - half};
        expected[i] = gaussians_at(map_side, r);
    }
    blur_and_fade(map_side, side, radius);
}

/* |map − expected| relative to |expected| */
static double error_of(const qn_volume *map)
{
    double difference = 0, whole = 0;
    for (int i = 0; i < map->counts[0] * map->counts[1] * map->counts[2]; i++) {
        difference += pow((double)map->values[i] - expected[i], 2);
        whole += expected[i] * expected[i];
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

static void gaussians_are_recovered(void)
{
    static const int sides[][2] = {{48, 24}, {47, 24}, {48, 23}, {49, 25}, {36, 36},
                                   {35, 35}, {54, 36}, {55, 37}, {72, 36}};
    const size_t step = compiles_slowly(qn_device_get_info(device)) ? 4 : 1;
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i += step) {
        qn_fourier_sums sums = {.side = sides[i][0]};
        const qn_finish_options options = plain_options(sides[i][1]);
        qn_finish_report report;
        qn_volume *map = NULL;
        fill_sums(&sums, sides[i][1], gaussians_transform);
        if (CHECK_OK(qn_reconstruct_finish(device, &sums, &options, &map, &report))) {
            expect_gaussians(sides[i][1], sides[i][0], 1.9);
            const double error = error_of(map);
            if (!CHECK(error < 1e-4)) fprintf(stderr, "sides %d %d: %g\n", sides[i][0], sides[i][1], error);
            CHECK(report.iterations == 0 && report.untouched_share == 0 && report.seconds > 0);
            CHECK(map->counts[0] == sides[i][1] && map->counts[2] == sides[i][1]);
            CHECK_NEAR(map->voxel_angstrom[1], 1.5, 0);
        }
        qn_volume_destroy(&map);
        qn_fourier_sums_clear(&sums);
    }
}

/* Finish a wave and its mate, with a third voxel beyond the limit and a fourth whose weight is far below its shell's.
 */
static void one_wave_is_a_cosine(void)
{
    enum { SIDE = 24, MAP = 13 };
    qn_fourier_sums sums;
    qn_volume *map = NULL;
    qn_finish_report report;
    qn_finish_options options = plain_options(MAP);
    options.most = 6;
    CHECK_OK(qn_fourier_sums_create(SIDE, NULL, &sums));
    const size_t wave = voxel_at(SIDE, 0, 2, -3), mate = voxel_at(SIDE, 0, -2, 3), far = voxel_at(SIDE, 8, 1, 0);
    const size_t faint = voxel_at(SIDE, 3, 2, 0); /* in shell 4, like the wave */
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
    for (int i = 0; i < MAP * MAP * MAP; i++) {
        const double x = i % MAP - MAP / 2, y = i / MAP % MAP - MAP / 2, z = i / MAP / MAP - MAP / 2;
        expected[i] = 2 * 3e3 * cos(2 * PI * (2 * y - 3 * z) / SIDE) + 2 * left * cos(2 * PI * (3 * x + 2 * y) / SIDE);
        expected[i] /= SIDE * SIDE * SIDE;
    }
    blur_and_fade(MAP, SIDE, 1.9);
    if (CHECK_OK(qn_reconstruct_finish(device, &sums, &options, &map, &report))) CHECK(error_of(map) < 1e-5);
    CHECK_NEAR(report.untouched_share, 1 - 3.0 / within, 1e-12);
    qn_volume_destroy(&map);
    qn_fourier_sums_clear(&sums);
}

/* Insert slices of the Gaussians at known views, as images are inserted. Weights are proportional to |q|, like the
 * share of space that a sample of a slice represents. */
enum { SIDE = 48, MAP_SIDE = 24, COLUMNS = SIDE / 2 + 1, VIEWS_MAX = 200 };

static void insert_views(int views, int spacing, bool fast, qn_fourier_sums *sums)
{
    static float images[2 * VIEWS_MAX * SIDE * COLUMNS], weights[VIEWS_MAX * SIDE * COLUMNS], matrices[9 * VIEWS_MAX];
    static float table[QN_BLOB_ENTRIES];
    const int side = SIDE / spacing, columns = side / 2 + 1;
    const size_t voxels = qn_fourier_sums_voxels(SIDE), pixels = (size_t)(side * columns);
    const qn_insert_problem problem = {.side = SIDE,
                                       .image_side = side,
                                       .spacing = (float)spacing,
                                       .images = views,
                                       .operators = 1,
                                       .radius = 1.9f,
                                       .most = SIDE / 2,
                                       .fast = fast};
    qn_queue *queue = NULL;
    qn_buffer *buffers[6] = {NULL};
    for (int i = 0; i < views; i++) {
        double turn[9];
        qn_rotation_super_fibonacci((size_t)i, (size_t)views, turn);
        for (int k = 0; k < 9; k++) matrices[9 * i + k] = (float)turn[k];
        for (int p = 0; p < side * columns; p++) {
            const double x = spacing * (p % columns), y = spacing * (p / columns - side / 2);
            const double size = x + fabs(y) > 0 ? hypot(x, y) : 0.376 * spacing;
            const double f[3] = {turn[0] * x + turn[1] * y, turn[3] * x + turn[4] * y, turn[6] * x + turn[7] * y};
            const size_t at = (size_t)i * pixels + (size_t)p;
            double value[2];
            gaussians_transform(MAP_SIDE, SIDE, f, value);
            images[2 * at] = (float)(size * value[0]);
            images[2 * at + 1] = (float)(size * value[1]);
            weights[at] = (float)size;
        }
    }
    qn_blob_table(table);
    CHECK_OK(qn_fourier_sums_create(SIDE, NULL, sums));
    CHECK_OK(qn_queue_create(device, &queue));
    CHECK_OK(qn_workload_make_buffer(queue, images, 8 * pixels * (size_t)views, &buffers[0]));
    CHECK_OK(qn_workload_make_buffer(queue, weights, 4 * pixels * (size_t)views, &buffers[1]));
    CHECK_OK(qn_workload_make_buffer(queue, matrices, 36 * (size_t)views, &buffers[2]));
    CHECK_OK(qn_workload_make_buffer(queue, table, sizeof table, &buffers[3]));
    CHECK_OK(qn_workload_make_buffer(queue, NULL, 8 * voxels, &buffers[4]));
    CHECK_OK(qn_workload_make_buffer(queue, NULL, 4 * voxels, &buffers[5]));
    CHECK_OK(qn_insert_slices(queue, NULL, &problem, buffers[0], buffers[1], buffers[2], buffers[3], buffers[4],
                              buffers[5], NULL));
    CHECK_OK(qn_queue_read(queue, buffers[4], 0, sums->numerator, 8 * voxels, NULL));
    CHECK_OK(qn_queue_read(queue, buffers[5], 0, sums->weight, 4 * voxels, NULL));
    CHECK_OK(qn_queue_finish(queue));
    for (int b = 0; b < 6; b++) qn_buffer_release(&buffers[b]);
    qn_queue_destroy(&queue);
}

/* Relative error of the map from this number of even views. */
static double error_of_views(int views, int spacing, bool fast, qn_reconstruct_weights weights,
                             qn_finish_report *report)
{
    qn_fourier_sums sums;
    qn_volume *map = NULL;
    qn_finish_options options = plain_options(MAP_SIDE);
    double error = INFINITY;
    options.weights = weights;
    options.most = SIDE / 2;
    options.fast = fast;
    options.spacing = spacing;
    insert_views(views, spacing, fast, &sums);
    expect_gaussians(MAP_SIDE, SIDE, 0);
    if (CHECK_OK(qn_reconstruct_finish(device, &sums, &options, &map, report))) error = error_of(map);
    qn_volume_destroy(&map);
    qn_fourier_sums_clear(&sums);
    return error;
}

/* The attenuation by blobs and by nearest samples is corrected, and the units are right. */
static void even_views_give_the_map(void)
{
    static const double most_of_blobs[] = {0, 0.008, 0.02}, most_of_nearest[] = {0, 0.02, 0.03};
    for (int spacing = 1; spacing <= 2; spacing++) { /* padded images, and images without padding */
        qn_finish_report report;
        const double blobs = error_of_views(200, spacing, false, QN_RECONSTRUCT_WEIGHTS_AUTO, &report);
        CHECK(report.iterations == 0 && report.unevenness > 0.05 && report.unevenness < 0.4);
        const double nearest = error_of_views(200, spacing, true, QN_RECONSTRUCT_WEIGHTS_PLAIN, &report);
        CHECK(report.unevenness == 0);
        if (!CHECK(blobs < most_of_blobs[spacing]) || !CHECK(nearest < most_of_nearest[spacing]))
            fprintf(stderr, "spacing %d: errors %g and %g\n", spacing, blobs, nearest);
    }
}

static bool is_hole(int voxel, bool cones)
{
    const int x = voxel % COLUMNS, y = voxel / COLUMNS % SIDE - SIDE / 2, z = voxel / COLUMNS / SIDE - SIDE / 2;
    const int alike = x > 0 ? voxel : abs(y * (2 * SIDE + 1) + z); /* the same for mates */
    return cones ? z * z > x * x + y * y : qn_workload_input(4, (uint64_t)alike) < -0.33f;
}

/* Relative error of a map with holes: a third of the voxels at random, or two cones about z. */
static double error_with_holes(bool cones, qn_reconstruct_weights weights, qn_finish_report *report)
{
    qn_fourier_sums sums = {.side = SIDE};
    qn_finish_options options = plain_options(MAP_SIDE);
    qn_volume *map = NULL;
    double error = INFINITY;
    fill_sums(&sums, MAP_SIDE, gaussians_transform);
    for (int i = 0; i < SIDE * SIDE * COLUMNS; i++)
        if (is_hole(i, cones)) sums.numerator[2 * i] = sums.numerator[2 * i + 1] = sums.weight[i] = 0;
    options.weights = weights;
    expect_gaussians(MAP_SIDE, SIDE, 1.9);
    if (CHECK_OK(qn_reconstruct_finish(device, &sums, &options, &map, report))) error = error_of(map);
    qn_volume_destroy(&map);
    qn_fourier_sums_clear(&sums);
    return error;
}

static void gridding_weights_correct_for_holes(void)
{
    qn_finish_report plain, automatic, iterated;
    const double without = error_with_holes(false, QN_RECONSTRUCT_WEIGHTS_PLAIN, &plain);
    const double with = error_with_holes(false, QN_RECONSTRUCT_WEIGHTS_ITERATED, &iterated);
    const double chosen = error_with_holes(false, QN_RECONSTRUCT_WEIGHTS_AUTO, &automatic);
    CHECK(plain.iterations == 0 && iterated.iterations > 1 && automatic.iterations == iterated.iterations);
    CHECK_NEAR(plain.untouched_share, 0.335, 0.02);
    CHECK_NEAR(chosen, with, 1e-9);
    CHECK(automatic.unevenness > 0.5);
    if (!CHECK(with < 0.5 * without)) fprintf(stderr, "errors %g with, %g without\n", with, without);
}

static void auto_iterates_for_missing_views(void)
{
    qn_finish_report report;
    const double without = error_with_holes(true, QN_RECONSTRUCT_WEIGHTS_PLAIN, &report);
    CHECK(report.iterations == 0);
    CHECK(error_with_holes(true, QN_RECONSTRUCT_WEIGHTS_AUTO, &report) < without);
    CHECK(report.iterations > 0 && report.untouched_share > 0.2 && report.unevenness < 0.45);
}

/* A density on the whole cube of side 2 · MAX + 1 around the origin, indexed by x, y, z. */
enum { MAX = 5, CUBE = 2 * MAX + 1 };
typedef double cube[CUBE][CUBE][CUBE];

static double density_at(const qn_fourier_sums *sums, int x, int y, int z)
{
    return (double)(x < 0 ? sums->weight[voxel_at(sums->side, -x, -y, -z)]
                          : sums->weight[voxel_at(sums->side, x, y, z)]);
}

/* next = density / (density smoothed within the limit, by its definition) */
static void even_out(const cube density, double limit_squared, cube next)
{
    static const double taps[] = {1, 0.3, 0.09, 0.027};
    memset(next, 0, sizeof(cube));
    for (int i = 0; i < CUBE * CUBE * CUBE; i++) {
        const int x = i / CUBE / CUBE - MAX, y = i / CUBE % CUBE - MAX, z = i % CUBE - MAX;
        double sum = 0, whole = 0;
        if (x * x + y * y + z * z >= limit_squared) continue;
        for (int k = 0; k < 27; k++) {
            const int at_x = x + k % 3 - 1, at_y = y + k / 3 % 3 - 1, at_z = z + k / 9 - 1;
            const double tap = taps[abs(at_x - x) + abs(at_y - y) + abs(at_z - z)];
            if (at_x * at_x + at_y * at_y + at_z * at_z >= limit_squared) continue;
            sum += tap * density[at_x + MAX][at_y + MAX][at_z + MAX];
            whole += tap;
        }
        const double here = density[x + MAX][y + MAX][z + MAX];
        next[x + MAX][y + MAX][z + MAX] = here > 0 ? here / (sum / whole) : 0;
    }
}

/* Sides 10 and 11 have limits within MAX. */
static void gridding_weights_agree_with_their_definition(void)
{
    static cube density, next;
    for (int side = 10; side <= 11; side++) {
        const double limit = side / 2.0 - 0.2;
        const int half = side / 2;
        qn_fourier_sums sums;
        qn_gridding_report report;
        CHECK_OK(qn_fourier_sums_create(side, NULL, &sums));
        for (int i = 0; i < side * side * (half + 1); i++) {
            const int x = i % (half + 1), y = i / (half + 1) % side - half, z = i / (half + 1) / side - half;
            const int alike = x > 0 ? i : abs(y * (2 * side + 1) + z);
            const float value = qn_workload_input(21, (uint64_t)alike);
            sums.weight[i] = value < -0.5f ? 0 : 1.1f + value;
            sums.numerator[2 * i] = sums.weight[i];
            sums.numerator[2 * i + 1] = -2 * sums.weight[i];
        }
        for (int i = 0; i < CUBE * CUBE * CUBE; i++) {
            const int x = i / CUBE / CUBE - MAX, y = i / CUBE % CUBE - MAX, z = i % CUBE - MAX;
            density[x + MAX][y + MAX][z + MAX] = x * x + y * y + z * z < limit * limit ? density_at(&sums, x, y, z) : 0;
        }
        const qn_gridding_options options = {limit, QN_RECONSTRUCT_WEIGHTS_ITERATED};
        CHECK_OK(qn_gridding_divide(&sums, &options, NULL, &report));
        for (int i = 0; i < report.iterations; i++) {
            even_out(density, limit * limit, next);
            memcpy(density, next, sizeof next);
        }
        double worst = 0;
        for (int i = 0; i < side * side * (half + 1); i++) {
            const int x = i % (half + 1), y = i / (half + 1) % side - half, z = i / (half + 1) / side - half;
            const bool within = x * x + y * y + z * z < limit * limit;
            const double wanted = within ? density[x + MAX][y + MAX][z + MAX] : 0;
            worst = fmax(worst, fabs((double)sums.numerator[2 * i] - wanted));
            worst = fmax(worst, fabs((double)sums.numerator[2 * i + 1] + 2 * wanted));
        }
        CHECK(report.iterations > 1);
        if (!CHECK(worst < 1e-4)) fprintf(stderr, "side %d: %g\n", side, worst);
        qn_fourier_sums_clear(&sums);
    }
}

/* Gridding weights change nothing with many views, and AUTO applies them with few. */
static void auto_iterates_for_few_views(void)
{
    qn_finish_report few, many;
    const double plain = error_of_views(200, 1, false, QN_RECONSTRUCT_WEIGHTS_PLAIN, &many);
    const double iterated = error_of_views(200, 1, false, QN_RECONSTRUCT_WEIGHTS_ITERATED, &many);
    CHECK_NEAR(iterated, plain, 1e-4);
    CHECK(error_of_views(26, 1, false, QN_RECONSTRUCT_WEIGHTS_AUTO, &few) < 0.05);
    CHECK(few.iterations > 0 && few.unevenness > 2 * many.unevenness && many.unevenness > 0);
    CHECK(few.untouched_share < 0.2);
}

static void impossible_sides_are_refused(void)
{
    qn_fourier_sums sums;
    qn_volume *map = NULL;
    const qn_finish_options options = plain_options(17);
    CHECK_OK(qn_fourier_sums_create(16, NULL, &sums));
    CHECK_FAILS(qn_reconstruct_finish(device, &sums, &options, &map, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("17");
    CHECK(map == NULL);
    qn_fourier_sums_clear(&sums);
}

static void memory_is_estimated(void)
{
    const qn_finish_options options = plain_options(128);
    const uint64_t bytes = qn_reconstruct_finish_bytes(256, &options);
    CHECK(bytes > 4 * 128 * 128 * 128 && bytes < 4 * 128 * 128 * 128 + (32 << 20));
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL)) return check_finish();
    RUN(gaussians_are_recovered);
    RUN(one_wave_is_a_cosine);
    RUN(even_views_give_the_map);
    RUN(gridding_weights_correct_for_holes);
    RUN(gridding_weights_agree_with_their_definition);
    RUN(auto_iterates_for_missing_views);
    RUN(auto_iterates_for_few_views);
    RUN(impossible_sides_are_refused);
    RUN(memory_is_estimated);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
