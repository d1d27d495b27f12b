/* devices: host opencl:0 cuda:0 checking:host */
/* labels: unsanitized@opencl unsanitized@checking */
/* Scores and best translations of planes compared with sums in double precision, on one device: corners of the space,
 * local memory with and without room for a whole plane, and different ranges of translations. */
#include "check.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "dock/search/kernels/score_planes.h"
#include "fft/line_split.h"
#include "halves.h"
#include "math/random.h"
#include "runtime/configuration.h"
#include "runtime/device.h"
#include "slow_compiler.h"

enum { OUTPUTS = 3, FEW_CORNERS = 3, UNITS = 256 /* products are multiples of 1 / UNITS, exact in half precision */ };

static qn_context *context;
static qn_device *device;
static qn_queue *queue;

/* The problem on which corners of the space are tested. */
static qn_score_planes_problem problem;
static qn_buffer *products, *roots, *scratch, *scores, *energies, *cells;
static double *expected; /* scores [OUTPUTS][nz][ny][nx] */
static float *written;
static double tolerance;

static size_t plane_columns(void)
{
    return (size_t)qn_rotation_columns(&problem.grid);
}

static size_t plane_cells(void)
{
    return (size_t)problem.grid.cells[0] * (size_t)problem.grid.cells[1];
}

static size_t volume(void)
{
    return plane_cells() * (size_t)problem.grid.cells[2];
}

static size_t product_numbers(void)
{
    return 2 * OUTPUTS * (size_t)problem.grid.cells[2] * plane_columns();
}

static bool is_host(void)
{
    return strcmp(qn_device_inner_driver(device), "host") == 0;
}

static void *allocate(size_t count, size_t size)
{
    void *memory = NULL;
    CHECK_OK(qn_allocate(count, size, &memory));
    return memory;
}

static void upload(qn_buffer **buffer, const void *data, size_t bytes)
{
    CHECK_OK(qn_buffer_create(device, bytes, buffer));
    CHECK_OK(qn_queue_write(queue, *buffer, 0, data, bytes, NULL));
    CHECK_OK(qn_queue_finish(queue));
}

static void upload_products(const int *numbers)
{
    const size_t count = product_numbers();
    if (problem.grid.halves) {
        uint16_t *halves = allocate(count, sizeof *halves);
        for (size_t i = 0; i < count; i++) halves[i] = half_of(numbers[i]);
        upload(&products, halves, count * sizeof *halves);
        qn_release(&halves);
    } else {
        float *values = allocate(count, sizeof *values);
        for (size_t i = 0; i < count; i++) values[i] = (float)numbers[i] / UNITS;
        upload(&products, values, count * sizeof *values);
        qn_release(&values);
    }
}

static void compute_expected(const int *numbers)
{
    const size_t planes = OUTPUTS * (size_t)problem.grid.cells[2], columns = plane_columns();
    double *plane = allocate(2 * columns, sizeof *plane), squares = 0;
    for (size_t p = 0; p < planes; p++) {
        for (size_t i = 0; i < 2 * columns; i++) {
            plane[i] = (double)numbers[2 * columns * p + i] / UNITS;
            squares += plane[i] * plane[i];
        }
        CHECK_OK(qn_score_planes_reference(&problem, plane, expected + p * plane_cells()));
    }
    /* A score is a sum over the whole spectrum of a plane, whose halves are conjugates. Single precision has an error
     * of 2⁻²⁴ in each of a dozen steps, and a larger one on the host, whose kernel adds numbers one after the other. */
    tolerance = 5e-6 * sqrt(2 * squares / (double)planes);
    qn_release(&plane);
}

/* Set the problem and make the buffers of a grid; on the host, products are always floats. */
static void begin(const int grid_cells[3], bool halves, uint64_t room_bytes, bool is_gpu)
{
    problem = (qn_score_planes_problem){.grid = {.halves = halves && !is_host(),
                                                 .plane_scale = 1,
                                                 .product_scale = UNITS,
                                                 .local_room_bytes = room_bytes,
                                                 .is_gpu = is_gpu},
                                        .outputs = OUTPUTS};
    float *values = allocate(2 * (size_t)(grid_cells[0] + grid_cells[1] + grid_cells[2]), sizeof *values),
          *end = values;
    for (int axis = 0; axis < 3; axis++) {
        problem.grid.cells[axis] = grid_cells[axis];
        qn_fft_line_roots(grid_cells[axis], end);
        end += 2 * grid_cells[axis];
    }
    upload(&roots, values, (size_t)(end - values) * sizeof *values);
    qn_release(&values);
    expected = allocate(OUTPUTS * volume(), sizeof *expected);
    written = allocate(OUTPUTS * volume(), sizeof *written);
    CHECK_OK(qn_buffer_create(device, OUTPUTS * volume() * sizeof(float), &scores));
    CHECK_OK(qn_buffer_create(device, OUTPUTS * sizeof(float), &energies));
    CHECK_OK(qn_buffer_create(device, OUTPUTS * sizeof(int32_t), &cells));
}

static void end(void)
{
    qn_buffer *buffers[] = {products, roots, scores, energies, cells};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) qn_buffer_release(&buffers[i]);
    products = roots = scores = energies = cells = NULL;
    qn_release(&expected);
    qn_release(&written);
}

static bool is_searched(size_t cell)
{
    size_t rest = cell;
    for (int axis = 0; axis < 3; axis++) {
        const int size = problem.grid.cells[axis], at = (int)(rest % (size_t)size);
        bool found = false;
        for (int t = problem.first_shift[axis]; t <= problem.last_shift[axis]; t++) found |= (t + size) % size == at;
        if (!found) return false;
        rest /= (size_t)size;
    }
    return true;
}

static void check_scores(const qn_configuration *configuration)
{
    double worst = 0;
    CHECK_OK(qn_score_planes_write(queue, configuration, &problem, products, roots, scores, NULL));
    CHECK_OK(qn_queue_read(queue, scores, 0, written, OUTPUTS * volume() * sizeof(float), NULL));
    CHECK_OK(qn_queue_finish(queue));
    for (size_t i = 0; i < OUTPUTS * volume(); i++) {
        const double error = fabs(written[i] - expected[i]);
        worst = error > worst || isnan(error) ? error : worst;
    }
    CHECK_NEAR(worst, 0, tolerance);
}

/* Check the best translations: they are exactly the lowest of the written scores, and the lowest of the expected scores
 * within the tolerance. */
static void check_best(const qn_configuration *configuration)
{
    float found_energies[OUTPUTS];
    int32_t found_cells[OUTPUTS];
    CHECK_OK(qn_buffer_create(device, qn_score_planes_scratch_bytes(&problem), &scratch));
    CHECK_OK(qn_score_planes_best(queue, configuration, &problem, products, roots, scratch, energies, cells, NULL));
    CHECK_OK(qn_queue_read(queue, energies, 0, found_energies, sizeof found_energies, NULL));
    CHECK_OK(qn_queue_read(queue, cells, 0, found_cells, sizeof found_cells, NULL));
    CHECK_OK(qn_queue_finish(queue));
    qn_buffer_release(&scratch);
    for (int output = 0; output < OUTPUTS; output++) {
        const float *own = written + (size_t)output * volume();
        const double *own_expected = expected + (size_t)output * volume();
        float energy = FLT_MAX;
        double lowest = DBL_MAX;
        int32_t cell = -1;
        for (size_t i = 0; i < volume(); i++) {
            if (!is_searched(i)) continue;
            if (own_expected[i] < lowest) lowest = own_expected[i];
            if (!(own[i] < energy)) continue;
            energy = own[i];
            cell = (int32_t)i;
        }
        CHECK(found_energies[output] == energy);
        CHECK(found_cells[output] == cell);
        if (cell >= 0) CHECK_NEAR(own_expected[cell], lowest, 2 * tolerance);
    }
}

static void set_shifts(int x, int last_x, int y, int last_y, int z, int last_z)
{
    const int shifts[6] = {x, last_x, y, last_y, z, last_z};
    for (int axis = 0; axis < 3; axis++) {
        problem.first_shift[axis] = shifts[2 * axis];
        problem.last_shift[axis] = shifts[2 * axis + 1];
    }
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    const int *n = problem.grid.cells;
    (void)user;
    check_scores(configuration);
    set_shifts(0, n[0] - 1, 0, n[1] - 1, 0, n[2] - 1);
    check_best(configuration);
    set_shifts(-(n[0] - 1), 0, -(n[1] / 2), (n[1] - 1) / 2, -(n[2] - 1), n[2] - 1); /* again all cells */
    check_best(configuration);
    set_shifts(-(n[0] / 3), n[0] / 4, -(n[1] / 4), n[1] / 3, n[2] > 1 ? -1 : 0, n[2] / 3);
    check_best(configuration);
    set_shifts(0, 0, 0, n[1] / 2, 0, 0);
    check_best(configuration);
    set_shifts(-(n[0] - 1), -1, 0, n[1] - 1, 0, 0);
    check_best(configuration);
    set_shifts(0, n[0] - 1, 0, -1, 0, n[2] - 1); /* no cells */
    check_best(configuration);
    return QN_OK;
}

/* Check random products with the fallback configuration and the given split, or, if `split` is −1, in a few corners of
 * the space, because it takes long to compile all. */
static void check_grid(const int grid_cells[3], bool halves, uint64_t room_bytes, bool is_gpu, int split)
{
    qn_configuration configuration = qn_family_fallback(&qn_dock_score_planes_family);
    begin(grid_cells, halves, room_bytes, is_gpu);
    int *numbers = allocate(product_numbers(), sizeof *numbers);
    for (size_t i = 0; i < product_numbers(); i++)
        numbers[i] = (int)(2 * UNITS * qn_random_uniform(17, (uint64_t)grid_cells[1], i)) - UNITS;
    upload_products(numbers);
    compute_expected(numbers);
    configuration.value[2] = split;
    bool allowed = false;
    CHECK_OK(
        qn_family_allows(&qn_dock_score_planes_family, qn_device_get_info(device), &configuration, &allowed, NULL));
    if (!allowed)
        configuration = qn_family_fallback(&qn_dock_score_planes_family); /* the host's kernel has no splits */
    if (split >= 0)
        CHECK_OK(check_corner(&configuration, NULL));
    else
        CHECK_OK(qn_family_sample_corners(&qn_dock_score_planes_family, qn_device_get_info(device),
                                          corners_to_visit(qn_device_get_info(device), FEW_CORNERS), check_corner,
                                          NULL));
    qn_release(&numbers);
    end();
}

static void planes_that_fit_are_right(void)
{
    check_grid((const int[]){24, 20, 3}, false, 32 << 10, false, -1);
    check_grid((const int[]){15, 9, 4}, true, 32 << 10, false, 1); /* odd sides: one row has no partner */
    check_grid((const int[]){2, 1, 1}, false, 32 << 10, false, 0);
}

static void planes_in_parts_are_right(void)
{
    check_grid((const int[]){16, 35, 2}, true, 3 << 10, true, 0); /* 5 blocks of 7 rows */
    check_grid((const int[]){21, 98, 2}, false, 3 << 10, true,
               2); /* 2 blocks of 7 pieces of 7 rows, few columns at once */
    check_grid((const int[]){30, 162, 1}, false, 6 << 10, false, 0);
}

static void large_planes_are_right(void)
{
    check_grid((const int[]){160, 160, 1}, false, 32 << 10, true, 0);
}

/* If all scores are equal, the lowest searched cell is the best. */
static void lowest_cell_breaks_ties(void)
{
    const int n[3] = {12, 10, 4}, levels[2] = {0, -3 * UNITS};
    for (int level = 0; level < 2; level++) {
        begin(n, false, 2 << 10, true);
        int *numbers = allocate(product_numbers(), sizeof *numbers);
        for (size_t i = 0; i < product_numbers(); i += 2 * plane_columns()) numbers[i] = levels[level];
        upload_products(numbers);
        compute_expected(numbers);
        tolerance = 0;
        CHECK_OK(check_corner(NULL, NULL));
        qn_release(&numbers);
        end();
    }
}

/* A plane of NaN is ignored; if all planes are NaN, there is no best cell. */
static void nan_is_never_chosen(void)
{
    const int n[3] = {12, 10, 4};
    float found_energy[OUTPUTS];
    int32_t found_cell[OUTPUTS];
    begin(n, false, 32 << 10, false);
    float *values = allocate(product_numbers(), sizeof *values);
    const size_t plane = 2 * plane_columns();
    for (size_t i = 0; i < product_numbers(); i += plane) {
        for (size_t k = 0; k < plane; k++) values[i + k] = 0;
        values[i + 4] = i / plane == 2 || i / plane >= 8 ? NAN : 1; /* one plane of output 0, all planes of output 2 */
    }
    upload(&products, values, product_numbers() * sizeof *values);
    set_shifts(-5, 6, -4, 5, -1, 2);
    CHECK_OK(qn_buffer_create(device, qn_score_planes_scratch_bytes(&problem), &scratch));
    CHECK_OK(qn_score_planes_best(queue, NULL, &problem, products, roots, scratch, energies, cells, NULL));
    CHECK_OK(qn_queue_read(queue, energies, 0, found_energy, sizeof found_energy, NULL));
    CHECK_OK(qn_queue_read(queue, cells, 0, found_cell, sizeof found_cell, NULL));
    CHECK_OK(qn_queue_finish(queue));
    qn_buffer_release(&scratch);
    CHECK_NEAR(found_energy[0], -2, 1e-5); /* 2 cos(2π·2x / 12) */
    CHECK(found_cell[0] >= 0 && found_cell[0] % 6 == 3);
    CHECK_NEAR(found_energy[1], -2, 1e-5);
    CHECK(found_energy[2] == FLT_MAX && found_cell[2] == -1);
    qn_release(&values);
    end();
}

static void unsupported_problems_are_refused(void)
{
    begin((const int[]){12, 10, 4}, false, 32 << 10, false);
    int *numbers = allocate(product_numbers(), sizeof *numbers);
    upload_products(numbers);
    set_shifts(0, 3, 0, 3, 0, 3);
    CHECK_OK(qn_buffer_create(device, 1 << 16, &scratch));
    problem.grid.cells[0] = 11;
    CHECK_FAILS(qn_score_planes_write(queue, NULL, &problem, products, roots, scores, NULL), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("grid of 11 x 10 x 4 cells");
    problem.grid.cells[0] = 12;
    problem.grid.cells[1] = 600;
    CHECK_FAILS(qn_score_planes_best(queue, NULL, &problem, products, roots, scratch, energies, cells, NULL),
                QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("grid of 12 x 600 x 4 cells");
    problem.grid.cells[1] = 10;
    problem.first_shift[2] = 1;
    CHECK_FAILS(qn_score_planes_best(queue, NULL, &problem, products, roots, scratch, energies, cells, NULL),
                QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("first translation 1 along z");
    problem.first_shift[2] = 0;
    problem.outputs++;
    CHECK_FAILS(qn_score_planes_best(queue, NULL, &problem, products, roots, scratch, energies, cells, NULL),
                QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("products");
    qn_buffer_release(&scratch);
    qn_release(&numbers);
    end();
}

int main(int argc, char **argv)
{
    const char *identifier = argc > 1 ? argv[1] : "host";
    if (qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context) != QN_OK)
        return 1;
    if (qn_device_open(context, identifier, &device) != QN_OK) check_skip(identifier, qn_error_message());
    CHECK_OK(qn_queue_create(device, &queue));
    RUN(planes_that_fit_are_right);
    RUN(planes_in_parts_are_right);
    RUN_LONG(large_planes_are_right);
    RUN(lowest_cell_breaks_ties);
    RUN(nan_is_never_chosen);
    RUN(unsupported_problems_are_refused);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
