/* devices: host opencl:0 cuda:0 checking:host */
/* Compare insert_slices with its reference on one device, at a sample of the corners of its space, and compare the
 * reference with values that are known from the definition. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "check_workload.h"
#include "cryoem/blob.h"
#include "math/symmetry_group.h"
#include "reconstruct/kernels/insert_slices.h"
#include "reconstruct/kernels/scatter_slices.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

enum { CORNERS_MAX = 24, SIDE_MAX = 161, SLICES_MAX = 128, IMAGES = 7, OPERATORS = 4 };
enum { PIXELS_MAX = SIDE_MAX * (SIDE_MAX / 2 + 1), IMAGE_FLOATS_MAX = 1 << 19 };

static qn_device *device;
static qn_queue *queue;
static float images[2 * IMAGE_FLOATS_MAX], image_weights[IMAGE_FLOATS_MAX], matrices[9 * SLICES_MAX];
static float numerator[2 * SIDE_MAX * PIXELS_MAX], weight[SIDE_MAX * PIXELS_MAX];
static double expected_numerator[2 * SIDE_MAX * PIXELS_MAX], expected_weight[SIDE_MAX * PIXELS_MAX];

static size_t voxels_of(const qn_insert_problem *problem)
{
    const qn_insert_shape shape = qn_insert_shape_of(problem);
    return shape.plane_voxels * (size_t)shape.planes;
}

/* Make the matrix of an image: a pseudo-random rotation, multiplied with operator `which` of D2 (1, 2-folds about z, x
 * and y). */
static void make_matrix(int image, int which, float matrix[9])
{
    static const double turns[4][3] = {{1, 1, 1}, {-1, -1, 1}, {1, -1, -1}, {-1, 1, -1}};
    double q[4], length = 0;
    for (uint64_t i = 0; i < 4; i++) {
        q[i] = qn_workload_input(17, 4 * (uint64_t)image + i);
        length += q[i] * q[i];
    }
    const double s = 2 / length, w = q[0], x = q[1], y = q[2], z = q[3];
    const double rows[3][3] = {{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
                               {s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)},
                               {s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}};
    for (int i = 0; i < 9; i++) matrix[i] = (float)(turns[which % 4][i / 3] * rows[i / 3][i % 3]);
}

/* Make random images, with NaN in the pixels without a mate, which no kernel may read. The first image is not
 * rotated, and the second is rotated by 90°, x to z. */
static void make_inputs(const qn_insert_problem *problem)
{
    const qn_insert_shape shape = qn_insert_shape_of(problem);
    const int side = shape.image_side, columns = side / 2 + 1;
    const size_t pixels = shape.image_pixels * (size_t)problem->images;
    for (size_t i = 0; i < pixels; i++) {
        const double x = (double)(i % (size_t)columns), y = (double)(i / (size_t)columns % (size_t)side) - side / 2;
        const bool kept = x <= shape.kept && fabs(y) <= shape.kept;
        images[2 * i] = kept ? qn_workload_input(5, 2 * i) : NAN;
        images[2 * i + 1] = kept ? qn_workload_input(5, 2 * i + 1) : NAN;
        image_weights[i] = kept ? 0.5f + 0.5f * qn_workload_input(6, i) : NAN;
    }
    for (int image = 0; image < problem->images; image++)
        for (int which = 0; which < problem->operators; which++)
            make_matrix(image, which, matrices + 9 * (image * problem->operators + which));
    const float unturned[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, turned[9] = {0, 0, -1, 0, 1, 0, 1, 0, 0};
    memcpy(matrices, unturned, sizeof unturned);
    if (problem->images > 1) memcpy(matrices + 9 * problem->operators, turned, sizeof turned);
}

/* Value of a voxel before the insertion: not 0, to test that the kernels add; small, to keep rounding errors small. */
static double there_before(size_t i, size_t period)
{
    return 0x1p-5 * (double)(i % period);
}

static void make_expected(const qn_insert_problem *problem)
{
    const size_t voxels = voxels_of(problem);
    for (size_t i = 0; i < 2 * voxels; i++) expected_numerator[i] = there_before(i, 3);
    for (size_t i = 0; i < voxels; i++) expected_weight[i] = there_before(i, 2);
    qn_insert_slices_reference(problem, images, image_weights, matrices, expected_numerator, expected_weight);
}

typedef qn_status (*insert_function)(qn_queue *queue, const qn_configuration *configuration,
                                     const qn_insert_problem *problem, qn_buffer *images, qn_buffer *image_weights,
                                     qn_buffer *matrices, qn_buffer *blob_table, qn_buffer *numerator,
                                     qn_buffer *weight, qn_event **event);
static insert_function insert_with = qn_insert_slices;

static void insert_on_device(const qn_configuration *configuration, const qn_insert_problem *problem)
{
    static float table[QN_BLOB_ENTRIES];
    qn_buffer *buffers[6] = {NULL};
    const size_t kept = qn_insert_shape_of(problem).image_pixels * (size_t)problem->images;
    const size_t voxels = voxels_of(problem), word = sizeof(float);
    for (size_t i = 0; i < 2 * voxels; i++) numerator[i] = (float)there_before(i, 3);
    for (size_t i = 0; i < voxels; i++) weight[i] = (float)there_before(i, 2);
    qn_blob_table(table);
    CHECK_OK(qn_workload_make_buffer(queue, images, 2 * kept * word, &buffers[0]));
    CHECK_OK(qn_workload_make_buffer(queue, image_weights, kept * word, &buffers[1]));
    CHECK_OK(qn_workload_make_buffer(queue, matrices, sizeof matrices, &buffers[2]));
    CHECK_OK(qn_workload_make_buffer(queue, table, sizeof table, &buffers[3]));
    CHECK_OK(qn_workload_make_buffer(queue, numerator, 2 * voxels * word, &buffers[4]));
    CHECK_OK(qn_workload_make_buffer(queue, weight, voxels * word, &buffers[5]));
    CHECK_OK(insert_with(queue, configuration, problem, buffers[0], buffers[1], buffers[2], buffers[3], buffers[4],
                         buffers[5], NULL));
    CHECK_OK(qn_queue_read(queue, buffers[4], 0, numerator, 2 * voxels * word, NULL));
    CHECK_OK(qn_queue_read(queue, buffers[5], 0, weight, voxels * word, NULL));
    CHECK_OK(qn_queue_finish(queue));
    for (int b = 0; b < 6; b++) qn_buffer_release(&buffers[b]);
}

/* Relative error of the amounts that were added to there_before; infinite for NaN. */
static double relative_error(const float *values, const double *expected, size_t count, size_t period)
{
    double difference = 0, whole = 1e-300;
    for (size_t i = 0; i < count; i++) {
        const double added = expected[i] - there_before(i, period);
        difference += ((double)values[i] - expected[i]) * ((double)values[i] - expected[i]);
        whole += added * added;
    }
    return difference == difference ? sqrt(difference / whole) : INFINITY;
}

static double error_of(const qn_configuration *configuration, const qn_insert_problem *problem)
{
    const size_t voxels = voxels_of(problem);
    insert_on_device(configuration, problem);
    return fmax(relative_error(numerator, expected_numerator, 2 * voxels, 3),
                relative_error(weight, expected_weight, voxels, 2));
}

/* Rounding of the sums causes a relative error of 1e-7, the blob one of less than 1e-6. */
static const double TOLERANCE = 2e-6;

static void check_problem(const qn_insert_problem *problem)
{
    make_inputs(problem);
    make_expected(problem);
    const double error = error_of(NULL, problem);
    if (!CHECK(error <= TOLERANCE))
        fprintf(stderr, "side %d, images %d %g apart, %d planes from %d, most %g, fast %d: %g\n", problem->side,
                problem->image_side, (double)problem->spacing, problem->planes, problem->first_plane,
                (double)problem->most, problem->fast, error);
}

static void sides_and_limits_are_right(void)
{
    static const int sides[] = {4, 5, 21, 22, 36};
    for (int i = 0; i < 5; i++) {
        const float half = 0.5f * (float)sides[i], mosts[] = {1000, half - 1, 0.61f * half, 0};
        for (int j = 0; j < 4; j++) {
            check_problem(&(qn_insert_problem){
                .side = sides[i], .images = IMAGES, .operators = 1, .radius = 1.9f, .most = mosts[j]});
            check_problem(&(qn_insert_problem){.side = sides[i],
                                               .images = IMAGES,
                                               .operators = OPERATORS,
                                               .radius = 1.9f,
                                               .most = mosts[j],
                                               .fast = true});
        }
    }
    check_problem(
        &(qn_insert_problem){.side = 22, .images = IMAGES, .operators = OPERATORS, .radius = 1.9f, .most = 10});
    check_problem(
        &(qn_insert_problem){.side = 22, .images = IMAGES, .operators = OPERATORS, .radius = 0.5f, .most = 10});
    check_problem(&(qn_insert_problem){.side = 23, .images = IMAGES, .operators = 1, .radius = 1.99f, .most = 10});
}

static void spacings_are_right(void)
{
    static const float spacings[] = {0.5f, 0.8f, 1, 1.03f, 1.5f, 2, 2.7f, 4};
    static const int sides[][2] = {{24, 12}, {25, 13}, {24, 13}, {33, 8}}; /* P and n */
    for (int s = 0; s < 8; s++)
        for (int i = 0; i < 4; i++) {
            const float across = spacings[s] * (float)sides[i][1], half = 0.5f * (float)sides[i][0];
            qn_insert_problem problem = {.side = sides[i][0], .image_side = sides[i][1], .spacing = spacings[s]};
            problem.images = IMAGES;
            problem.operators = i % 2 ? 1 : OPERATORS;
            problem.radius = 1.9f;
            problem.most = i == 1 ? 1000 : i == 2 ? 0.3f * across : half - 1;
            check_problem(&problem);
            problem.fast = true;
            if (insert_with == qn_insert_slices) check_problem(&problem);
        }
}

/* On the host the order of additions is fixed, so the bits are compared too, where the values before the insertion are
 * the same. */
static void slabs_equal_planes_of_the_whole_volume(void)
{
    static float whole[2 * 26 * 26 * 14];
    static const int slabs[][2] = {{0, 26}, {3, 1}, {3, 10}, {13, 13}, {22, 1}, {9, 16}};
    const bool exact = strstr(qn_device_get_info(device)->identifier, "host") != NULL;
    qn_insert_problem problem = {.side = 26, .images = IMAGES, .operators = OPERATORS, .radius = 1.9f, .most = 13};
    problem.image_side = 13;
    problem.spacing = 2;
    make_inputs(&problem);
    insert_on_device(NULL, &problem);
    memcpy(whole, numerator, sizeof whole);
    for (int i = 0; i < 6; i++) {
        problem.first_plane = slabs[i][0];
        problem.planes = slabs[i][1];
        check_problem(&problem);
        const size_t first = 2 * 26 * 14 * (size_t)problem.first_plane, floats = 2 * voxels_of(&problem);
        if (exact && first % 6 == 0) CHECK(memcmp(numerator, whole + first, floats * sizeof(float)) == 0);
    }
}

/* Test the operators of several groups with two images: the first is not rotated, the second has a random view. */
static void symmetric_particles_are_right(void)
{
    static const char *const groups[] = {"C1", "C4", "D2", "D4", "D7", "T", "O", "I1", "I2", "I3", "I4"};
    for (int g = 0; g < 11; g++) {
        double(*operators)[9];
        qn_insert_problem problem = {.side = 20, .image_side = 10, .spacing = 2, .images = 2, .radius = 1.9f};
        problem.most = 9;
        if (!CHECK_OK(qn_symmetry_group(groups[g], &operators, &problem.operators))) continue;
        make_inputs(&problem);
        for (int image = 0; image < 2; image++)
            for (int o = 0; o < problem.operators; o++) {
                float view[9];
                make_matrix(image + 3, 0, view);
                for (int i = 0; i < 9; i++) {
                    double sum = 0;
                    for (int k = 0; k < 3; k++)
                        sum += operators[o][3 * (i / 3) + k] * (image ? (double)view[3 * k + i % 3] : k == i % 3);
                    matrices[9 * (image * problem.operators + o) + i] = (float)sum;
                }
            }
        make_expected(&problem);
        if (!CHECK(error_of(NULL, &problem) <= TOLERANCE)) fprintf(stderr, "%s\n", groups[g]);
        void *memory = operators;
        qn_release(&memory);
    }
}

/* With 24 bits, coordinates up to 80 would be off by 5e-6, and the sums by about as much. */
static void errors_do_not_grow_with_the_side(void)
{
    check_problem(&(qn_insert_problem){.side = SIDE_MAX, .images = 3, .operators = 1, .radius = 1.9f, .most = 80});
    check_problem(&(qn_insert_problem){.side = SIDE_MAX - 1, .images = 3, .operators = 1, .radius = 1.9f, .most = 70});
}

static const qn_insert_problem of_corners = {
    .side = 27, .images = IMAGES, .operators = OPERATORS, .radius = 1.9f, .most = 12.5f};

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    qn_insert_problem problem = of_corners;
    problem.fast = *(int *)user < 0;
    *(int *)user += problem.fast ? -1 : 1;
    if (!CHECK(error_of(configuration, &problem) <= TOLERANCE))
        name_configuration(&qn_reconstruct_insert_slices_family, configuration);
    return QN_OK;
}

static void sampled_corners_are_right(void)
{
    const qn_device_info *info = qn_device_get_info(device);
    const int most = strstr(info->identifier, "host") ? 1 : corners_to_visit(info, CORNERS_MAX);
    qn_insert_problem problem = of_corners;
    make_inputs(&problem);
    for (int fast = 0; fast < 2; fast++) {
        int corners = fast ? -1 : 0;
        problem.fast = fast;
        make_expected(&problem);
        CHECK_OK(qn_family_sample_corners(&qn_reconstruct_insert_slices_family, info, fast ? (most + 3) / 4 : most,
                                          check_corner, &corners));
        CHECK(corners != 0 && corners != -1);
    }
}

/* These configurations are tested on every device, even if its compiler leaves time for few sampled corners only. */
static void most_different_configurations_are_right(void)
{
    static const char *const changed[][3] = {{"BRICK", "SHARED_IMAGE", NULL},
                                             {"SHARED_IMAGE", "SKIP_PIXELS", "GRID_DIM_Z"},
                                             {"PRECOMPUTE_BLOB", "SHARED_BLOB", "SHARED_IMAGE"}};
    static const int values[][3] = {{0, 0, 0}, {1, 1, 1}, {1, 1, 0}};
    static const float spacings[] = {1, 0.7f, 1.6f, 2};
    const qn_family *family = &qn_reconstruct_insert_slices_family;
    const qn_device_info *info = qn_device_get_info(device);
    for (int form = 0; form < 3; form++) {
        qn_configuration configuration = qn_family_fallback(family);
        bool allowed = false;
        for (int t = 0; t < family->tunable_count; t++)
            for (int i = 0; i < 3 && changed[form][i]; i++)
                if (strcmp(family->tunables[t].name, changed[form][i]) == 0) configuration.value[t] = values[form][i];
        CHECK_OK(qn_family_allows(family, info, &configuration, &allowed, NULL));
        if (!CHECK(allowed == !strstr(info->identifier, "host")) || !allowed) continue;
        for (int s = 0; s < (compiles_slowly(info) ? 2 : 4); s++) {
            qn_insert_problem problem = of_corners;
            problem.image_side = s == 0 ? 27 : 14;
            problem.spacing = spacings[s];
            make_inputs(&problem);
            make_expected(&problem);
            if (CHECK(error_of(&configuration, &problem) <= TOLERANCE)) continue;
            fprintf(stderr, "spacing %g", (double)spacings[s]);
            name_configuration(family, &configuration);
        }
    }
}

static qn_status check_scatter_corner(const qn_configuration *configuration, void *user)
{
    ++*(int *)user;
    if (!CHECK(error_of(configuration, &of_corners) <= TOLERANCE))
        name_configuration(&qn_reconstruct_scatter_slices_family, configuration);
    return QN_OK;
}

/* Scattering runs on all devices except the host. */
static void scattering_agrees_with_the_reference(void)
{
    const qn_device_info *info = qn_device_get_info(device);
    qn_buffer *buffer = NULL;
    int corners = 0;
    if (!strstr(info->identifier, "host")) {
        make_inputs(&of_corners);
        make_expected(&of_corners);
        insert_with = qn_scatter_slices;
        CHECK_OK(qn_family_sample_corners(&qn_reconstruct_scatter_slices_family, info,
                                          corners_to_visit(info, CORNERS_MAX / 2), check_scatter_corner, &corners));
        check_problem(
            &(qn_insert_problem){.side = 22, .images = IMAGES, .operators = OPERATORS, .radius = 1.9f, .most = 1000});
        check_problem(&(qn_insert_problem){.side = SIDE_MAX, .images = 3, .operators = 1, .radius = 1.9f, .most = 80});
        spacings_are_right();
        slabs_equal_planes_of_the_whole_volume();
        symmetric_particles_are_right();
        insert_with = qn_insert_slices;
        CHECK(corners > 1);
    }
    CHECK_OK(qn_buffer_create(device, 64, &buffer));
    CHECK_FAILS(qn_scatter_slices(queue, NULL,
                                  &(qn_insert_problem){
                                      .side = 16, .images = 1, .operators = 1, .radius = 1.9f, .most = 1, .fast = true},
                                  buffer, buffer, buffer, buffer, buffer, buffer, NULL),
                QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("cannot insert nearest pixels (fast)");
    CHECK_FAILS(
        qn_scatter_slices(queue, NULL,
                          &(qn_insert_problem){.side = 16, .images = 65536, .operators = 1, .radius = 1.9f, .most = 1},
                          buffer, buffer, buffer, buffer, buffer, buffer, NULL),
        QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("65536 slices; expected at most 65535");
    qn_buffer_release(&buffer);
}

/* In the plane of an image that is not rotated, each voxel coincides with a pixel. */
static void reference_agrees_with_the_definition(void)
{
    enum { SIDE = 9, COLUMNS = 5, LOW = 4 };
    static double sums[2 * SIDE * SIDE * COLUMNS], weights[SIDE * SIDE * COLUMNS];
    const qn_insert_problem one = {.side = SIDE, .images = 1, .operators = 1, .radius = 1.9f, .most = 4};
    const double radius = (double)1.9f, one_away = qn_blob_at(radius, 1), two_away = qn_blob_at(radius, 2);
    make_inputs(&one);
    memset(images, 0, 2 * SIDE * COLUMNS * sizeof *images);
    memset(image_weights, 0, SIDE * COLUMNS * sizeof *image_weights);
    memset(sums, 0, sizeof sums);
    memset(weights, 0, sizeof weights);
    images[2 * ((2 + LOW) * COLUMNS + 1)] = 5; /* pixel (1, 2), and conjugate (−1, −2) */
    images[2 * ((2 + LOW) * COLUMNS + 1) + 1] = -7;
    image_weights[(2 + LOW) * COLUMNS + 1] = 3;
    qn_insert_slices_reference(&one, images, image_weights, matrices, sums, weights);
#define PLACE(x, y, z) ((((z) + LOW) * SIDE + (y) + LOW) * COLUMNS + (x))
    CHECK_NEAR(sums[2 * PLACE(1, 2, 0)], 5, 1e-12);
    CHECK_NEAR(sums[2 * PLACE(1, 2, 0) + 1], -7, 1e-12);
    CHECK_NEAR(weights[PLACE(1, 2, 0)], 3, 1e-12);
    CHECK_NEAR(sums[2 * PLACE(1, 2, 1)], 5 * one_away, 1e-12);
    CHECK_NEAR(sums[2 * PLACE(0, 2, 1) + 1], -7 * two_away, 1e-12);
    CHECK_NEAR(sums[2 * PLACE(0, -2, 0) + 1], 7 * one_away, 1e-12); /* from (−1, −2) */
    CHECK_NEAR(sums[2 * PLACE(0, -2, -1)], 5 * two_away, 1e-12);
    CHECK_NEAR(weights[PLACE(2, 2, 0)], 3 * one_away, 1e-12);
    CHECK_NEAR(weights[PLACE(3, 2, 0)], 0, 0);
    CHECK_NEAR(weights[PLACE(1, 2, 2)], 0, 0);
#undef PLACE
}

/* In the plane x = 0, voxel (y, z) and its mate (−y, −z) both have the whole sum: they are conjugate if the column 0 of
 * each image is. */
static void voxels_and_mates_are_conjugate(void)
{
    const qn_insert_problem problem = {
        .side = 24, .images = IMAGES, .operators = OPERATORS, .radius = 1.9f, .most = 11};
    const int columns = 13, low = 12;
    double worst = 0;
    make_inputs(&problem);
    for (int image = 0; image < IMAGES; image++)
        for (int y = 0; y <= 11; y++) {
            float *here = images + 2 * (size_t)((image * 24 + low + y) * columns);
            float *there = images + 2 * (size_t)((image * 24 + low - y) * columns);
            here[0] = there[0];
            here[1] = y == 0 ? 0 : -there[1];
            image_weights[(image * 24 + low + y) * columns] = image_weights[(image * 24 + low - y) * columns];
        }
    insert_on_device(NULL, &problem);
    for (int z = -11; z <= 11; z++)
        for (int y = -11; y <= 11; y++) {
            const size_t here = (size_t)(((z + low) * 24 + y + low) * columns);
            const size_t there = (size_t)(((-z + low) * 24 - y + low) * columns);
            double value[3][2];
            for (int side = 0; side < 2; side++) {
                const size_t at = side ? there : here;
                value[0][side] = (double)numerator[2 * at] - there_before(2 * at, 3);
                value[1][side] = (double)numerator[2 * at + 1] - there_before(2 * at + 1, 3);
                value[2][side] = (double)weight[at] - there_before(at, 2);
            }
            worst = fmax(worst, fabs(value[0][0] - value[0][1]));
            worst = fmax(worst, fabs(value[1][0] + value[1][1]));
            worst = fmax(worst, fabs(value[2][0] - value[2][1]));
        }
    CHECK(worst < 2e-5);
}

/* Settle 1000 partial sums of about 1 each 400 times. The totals alone are off by more than 1e-7, total + low part by
 * less than 1e-9. */
static void settled_sums_are_more_accurate_than_floats(void)
{
    enum { COUNT = 1000, TIMES = 400 };
    static float partial[COUNT], total[COUNT], low_part[COUNT];
    static double sums[COUNT];
    qn_buffer *buffers[3] = {NULL};
    double worst = 0, worst_alone = 0;
    CHECK_OK(qn_workload_make_buffer(queue, NULL, sizeof partial, &buffers[0]));
    CHECK_OK(qn_workload_make_buffer(queue, NULL, sizeof total, &buffers[1]));
    CHECK_OK(qn_workload_make_buffer(queue, NULL, sizeof low_part, &buffers[2]));
    for (int t = 0; t < TIMES; t++) {
        for (int i = 0; i < COUNT; i++) {
            partial[i] = 1 + qn_workload_input(9, (uint64_t)(t * COUNT + i));
            sums[i] += (double)partial[i];
        }
        CHECK_OK(qn_queue_write(queue, buffers[0], 0, partial, sizeof partial, NULL));
        CHECK_OK(qn_insert_settle(queue, COUNT, buffers[0], buffers[1], buffers[2], NULL));
        CHECK_OK(qn_queue_finish(queue));
    }
    CHECK_OK(qn_queue_read(queue, buffers[0], 0, partial, sizeof partial, NULL));
    CHECK_OK(qn_queue_read(queue, buffers[1], 0, total, sizeof total, NULL));
    CHECK_OK(qn_queue_read(queue, buffers[2], 0, low_part, sizeof low_part, NULL));
    CHECK_OK(qn_queue_finish(queue));
    for (int i = 0; i < COUNT; i++) {
        CHECK(partial[i] == 0);
        worst = fmax(worst, fabs((double)total[i] + (double)low_part[i] - sums[i]) / sums[i]);
        worst_alone = fmax(worst_alone, fabs((double)total[i] - sums[i]) / sums[i]);
    }
    CHECK(worst < 1e-9 && worst_alone > 1e-7);
    CHECK_FAILS(qn_insert_settle(queue, COUNT + 1, buffers[0], buffers[1], buffers[2], NULL), QN_INVALID_ARGUMENT);
    for (int b = 0; b < 3; b++) qn_buffer_release(&buffers[b]);
}

static void impossible_problems_are_refused(void)
{
    qn_buffer *buffer = NULL;
    const qn_insert_problem wrong[] = {
        {.side = 3, .images = 1, .operators = 1, .radius = 1.9f, .most = 1},
        {.side = 5000, .images = 1, .operators = 1, .radius = 1.9f, .most = 1},
        {.side = 16, .images = -1, .operators = 1, .radius = 1.9f, .most = 1},
        {.side = 16, .images = 1, .operators = 0, .radius = 1.9f, .most = 1},
        {.side = 16, .images = 1, .operators = 1, .radius = 2.1f, .most = 1},
        {.side = 16, .images = 1, .operators = 1, .radius = 1.9f, .most = NAN},
        {.side = 16, .image_side = 3, .images = 1, .operators = 1, .radius = 1.9f, .most = 1},
        {.side = 16, .spacing = 0.4f, .images = 1, .operators = 1, .radius = 1.9f, .most = 1},
        {.side = 16, .spacing = 4.1f, .images = 1, .operators = 1, .radius = 1.9f, .most = 1},
        {.side = 16, .spacing = NAN, .images = 1, .operators = 1, .radius = 1.9f, .most = 1},
        {.side = 16, .first_plane = 9, .planes = 8, .images = 1, .operators = 1, .radius = 1.9f, .most = 1},
        {.side = 16, .first_plane = 1, .images = 1, .operators = 1, .radius = 1.9f, .most = 1},
        {.side = 64, .images = 1, .operators = 1, .radius = 1.9f, .most = 1}, /* larger than the buffers */
    };
    CHECK_OK(qn_buffer_create(device, 4 * QN_BLOB_ENTRIES, &buffer));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_FAILS(qn_insert_slices(queue, NULL, &wrong[i], buffer, buffer, buffer, buffer, buffer, buffer, NULL),
                    QN_INVALID_ARGUMENT);
    CHECK_OK(qn_insert_slices(queue, NULL,
                              &(qn_insert_problem){.side = 16, .images = 0, .operators = 1, .radius = 1.9f, .most = 1},
                              buffer, buffer, buffer, buffer, buffer, buffer, NULL));
    qn_buffer_release(&buffer);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "reconstruct/insert_slices", (const int[]){33, 6, 17}, &work);
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
    RUN(sides_and_limits_are_right);
    RUN(errors_do_not_grow_with_the_side);
    RUN(spacings_are_right);
    RUN(slabs_equal_planes_of_the_whole_volume);
    RUN(symmetric_particles_are_right);
    RUN(sampled_corners_are_right);
    RUN(most_different_configurations_are_right);
    RUN(scattering_agrees_with_the_reference);
    RUN(voxels_and_mates_are_conjugate);
    RUN(settled_sums_are_more_accurate_than_floats);
    RUN(impossible_problems_are_refused);
    RUN(workload_passes_its_check);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
