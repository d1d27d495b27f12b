/* devices: host opencl:0 cuda:0 checking:host */
/* labels: unsanitized@opencl unsanitized@checking */
/* The family dock/correlate_columns compared with its reference in double precision. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dock/search/kernels/correlate_columns.h"
#include "fft/line_split.h"
#include "halves.h"
#include "math/random.h"
#include "runtime/configuration.h"
#include "runtime/device.h"
#include "slow_compiler.h"

static qn_context *context;
static qn_device *device;
static qn_queue *queue;
/* Members that all grids share: limits of the device, precision and scales of planes and products. */
static qn_rotation_grid usual;

/* Values of planes are multiples of 1 / UNITS, which are exact in half precision. */
enum { UNITS = 256 };

static void set_limits(void)
{
    usual = (qn_rotation_grid){.plane_scale = UNITS, .product_scale = 1.0f / 16};
    qn_rotation_grid_fit_device(&usual, device);
}

/* One problem with random numbers in all columns. */
typedef struct trial {
    qn_correlate_columns_problem problem;
    const qn_configuration *configuration;
    int columns;
    size_t plane_count, receptor_count, product_count;
    float *planes, *receptor, *products;
} trial;

static bool is_slow(void)
{
    return compiles_slowly(qn_device_get_info(device));
}

static float *random_numbers(size_t count, uint64_t stream)
{
    float *numbers = malloc(count * sizeof(float));
    for (size_t i = 0; numbers && i < count; i++)
        numbers[i] = (float)(floor(UNITS * (2 * qn_random_uniform(3, stream, (uint64_t)i) - 1)) / UNITS);
    return numbers;
}

static qn_buffer *upload(const void *data, size_t bytes)
{
    qn_buffer *buffer = NULL;
    if (CHECK_OK(qn_buffer_create(device, bytes, &buffer))) {
        CHECK_OK(qn_queue_write(queue, buffer, 0, data, bytes, NULL));
        CHECK_OK(qn_queue_finish(queue));
    }
    return buffer;
}

/* Copy `count` complex numbers to the device, in the precision of the grid. */
static qn_buffer *store(const qn_rotation_grid *grid, const float *numbers, size_t count)
{
    if (!grid->halves) return upload(numbers, count * 8);
    uint16_t *halves = malloc(count * 4);
    for (size_t i = 0; halves && i < 2 * count; i++) halves[i] = half_of((int)lroundf(UNITS * numbers[i]));
    qn_buffer *buffer = upload(halves, count * 4);
    free(halves);
    return buffer;
}

static void load_products(const trial *t, qn_buffer *buffer)
{
    const qn_rotation_grid *grid = &t->problem.grid;
    uint16_t *halves = malloc(t->product_count * 4);
    void *to = grid->halves ? (void *)halves : t->products;
    CHECK_OK(qn_queue_read(queue, buffer, 0, to, t->product_count * qn_rotation_value_bytes(grid), NULL));
    CHECK_OK(qn_queue_finish(queue));
    for (size_t i = 0; grid->halves && halves && i < 2 * t->product_count; i++)
        t->products[i] = (float)(number_of_half(halves[i]) / (double)grid->product_scale);
    free(halves);
}

static void run(trial *t)
{
    const qn_rotation_grid *grid = &t->problem.grid;
    const size_t length = (size_t)(grid->cells[0] + grid->cells[1] + grid->cells[2]);
    float *roots = NULL;
    CHECK_OK(qn_rotation_grid_roots(grid, &roots));
    qn_buffer *buffers[4] = {store(grid, t->planes, t->plane_count), upload(t->receptor, t->receptor_count * 8),
                             upload(roots, length * 8), store(grid, t->products, t->product_count)};
    CHECK_OK(qn_correlate_columns(queue, t->configuration, &t->problem, buffers[0], buffers[1], buffers[2], buffers[3],
                                  NULL));
    load_products(t, buffers[3]);
    for (int i = 0; i < 4; i++) qn_buffer_release(&buffers[i]);
    qn_release(&roots);
}

/* Copy the complex numbers of a column, which are `step` numbers apart. */
static void gather(const float *from, size_t first, size_t step, size_t count, double *to)
{
    for (size_t i = 0; i < count; i++)
        for (size_t part = 0; part < 2; part++) to[2 * i + part] = from[2 * (first + i * step) + part];
}

/* Largest difference from the reference in every seventh column, divided by the norm of the column. */
static double worst_error(const trial *t)
{
    const qn_correlate_columns_problem *p = &t->problem;
    const size_t nz = (size_t)p->grid.cells[2], box = (size_t)p->grid.box, columns = (size_t)t->columns;
    const size_t grids = (size_t)p->grids;
    double *planes = calloc(grids * box, 16), *receptor = calloc(grids * nz, 16), *expected = calloc(nz, 16),
           *found = calloc(nz, 16), worst = 0;
    for (size_t output = 0; output < (size_t)(p->sets * p->rotations); output++) {
        const size_t set = output / (size_t)p->rotations, rotation = output % (size_t)p->rotations;
        for (size_t column = 0; column < columns; column += 7) {
            double norm = 0;
            gather(t->planes, rotation * grids * box * columns + column, columns, grids * box, planes);
            for (size_t grid = 0; grid < grids; grid++)
                gather(t->receptor, qn_correlate_columns_spectrum(p, (int)set, (int)grid) * nz * columns + column,
                       columns, nz, receptor + 2 * grid * nz);
            gather(t->products, output * nz * columns + column, columns, nz, found);
            qn_correlate_columns_reference(p, planes, receptor, expected);
            for (size_t i = 0; i < 2 * nz; i++) norm += expected[i] * expected[i] / (double)nz;
            for (size_t i = 0; i < 2 * nz; i++) worst = fmax(worst, fabs(expected[i] - found[i]) / sqrt(norm));
        }
    }
    free(planes);
    free(receptor);
    free(expected);
    free(found);
    return worst;
}

static void compare_common(const int cells[3], int box, int grids, int common, int rotations, int sets,
                           const qn_configuration *configuration)
{
    trial t = {.problem = {.grid = usual, .grids = grids, .rotations = rotations, .sets = sets, .common = common},
               .configuration = configuration};
    memcpy(t.problem.grid.cells, cells, sizeof t.problem.grid.cells);
    t.problem.grid.box = box;
    t.columns = qn_rotation_columns(&t.problem.grid);
    t.plane_count = (size_t)(rotations * grids * box) * (size_t)t.columns;
    t.receptor_count = qn_correlate_columns_spectra(&t.problem) * (size_t)(cells[2] * t.columns);
    t.product_count = (size_t)(sets * rotations * cells[2]) * (size_t)t.columns;
    t.planes = random_numbers(2 * t.plane_count, 1);
    t.receptor = random_numbers(2 * t.receptor_count, 2);
    t.products = random_numbers(2 * t.product_count, 3);
    run(&t);
    /* Errors of half precision are relative to single values, some of which are three times the norm. */
    if (!CHECK(worst_error(&t) < (usual.halves ? 3 * ldexp(1, -11) : 3e-6)))
        fprintf(stderr, "nz %d, box %d, %d grids, %d of them common, %d rotations, %d sets: %g\n", cells[2], box, grids,
                common, rotations, sets, worst_error(&t));
    free(t.planes);
    free(t.receptor);
    free(t.products);
}

static void compare(const int cells[3], int box, int grids, int rotations, int sets,
                    const qn_configuration *configuration)
{
    compare_common(cells, box, grids, 0, rotations, sets, configuration);
}

static qn_status try_corner(const qn_configuration *configuration, void *user)
{
    (void)user;
    compare_common((int[]){8, 9, 24}, 10, 3, 1, 3, 4, configuration);
    return QN_OK;
}

static void lengths_of_all_kinds_are_right(void)
{
    const int lengths[] = {4, 15, 64, 125, 7, 36, 162};
    for (size_t i = is_slow() ? 4 : 0; i < sizeof lengths / sizeof *lengths; i++)
        compare((int[]){5, 6, lengths[i]}, (lengths[i] * 3 + 4) / 5, 2, 2, 1, NULL);
    compare((int[]){12, 10, 20}, 20, 3, 5, 1, NULL);
    compare((int[]){12, 10, 20}, 1, 1, 1, 3, NULL);
}

/* Odd and even numbers of common grids and of others, and sets that do not fill the last group. */
static void common_grids_are_right(void)
{
    for (int common = 0; common < 5; common++) {
        compare_common((int[]){6, 10, 20}, 13, 5, common, 3, 2, NULL);
        if (!is_slow()) compare_common((int[]){6, 10, 28}, 13, 5, common, 2, 5, NULL);
    }
    qn_correlate_columns_problem problem = {.grid = usual, .grids = 2, .rotations = 1, .sets = 2, .common = 2};
    memcpy(problem.grid.cells, (int[]){8, 8, 8}, sizeof problem.grid.cells);
    qn_buffer *buffer = NULL;
    CHECK_OK(qn_buffer_create(device, 1 << 16, &buffer));
    CHECK_FAILS(qn_correlate_columns(queue, NULL, &problem, buffer, buffer, buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("2 of 2 grids");
    qn_buffer_release(&buffer);
}

/* With small groups and little local memory, long lines need fewer columns and more turns. */
static void small_groups_are_right(void)
{
    usual.largest_group = 64;
    usual.local_room_bytes = 9000;
    if (!is_slow()) {
        compare((int[]){5, 6, 128}, 70, 2, 3, 1, NULL);
        compare((int[]){5, 6, 98}, 50, 1, 1, 2, NULL);
    }
    usual.local_room_bytes = 56 * 98; /* room for two columns of two rotations and of the receptor, and for the roots */
    compare((int[]){5, 6, 98}, 50, 2, 3, 1, NULL);
    set_limits();
}

/* For all lengths, a group fits into 48 KiB of local memory, as on many GPUs with OpenCL. */
static void all_lengths_fit_small_devices(void)
{
    const qn_family *family = &qn_dock_correlate_columns_family;
    const qn_configuration fallback = qn_family_fallback(family);
    for (int nz = 2, radices[3]; nz <= QN_LINE_SPLIT_LONGEST; nz++) {
        const qn_correlate_columns_problem problem = {
            .grid = {.cells = {8, 8, nz}, .box = 1, .local_room_bytes = 48 << 10, .largest_group = 256},
            .grids = 1,
            .rotations = 8,
            .sets = 3};
        if (!qn_fft_line_split(nz, 0, radices)) continue;
        if (!CHECK(family->local_room(0, &fallback, &problem) <= 48 << 10)) fprintf(stderr, "nz %d\n", nz);
    }
}

static void halves_are_scaled_and_rounded(void)
{
    usual.halves = strcmp(qn_device_inner_driver(device), "host") != 0;
    compare((int[]){12, 10, 36}, 20, 3, 3, 2, NULL);
    set_limits();
}

static void sampled_corners_are_right(void)
{
    const qn_device_info *info = qn_device_get_info(device);
    CHECK_OK(qn_family_sample_corners(&qn_dock_correlate_columns_family, info, corners_to_visit(info, 12), try_corner,
                                      NULL));
}

static void unsupported_lengths_are_refused(void)
{
    qn_correlate_columns_problem problem = {.grid = usual, .grids = 1, .rotations = 1, .sets = 1};
    memcpy(problem.grid.cells, (int[]){8, 8, 22}, sizeof problem.grid.cells);
    qn_buffer *buffer = NULL;
    CHECK_OK(qn_buffer_create(device, 1 << 16, &buffer));
    CHECK(qn_correlate_columns(queue, NULL, &problem, buffer, buffer, buffer, buffer, NULL) == QN_UNSUPPORTED);
    qn_buffer_release(&buffer);
}

int main(int argc, char **argv)
{
    const char *identifier = argc > 1 ? argv[1] : "host";
    if (qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context) != QN_OK)
        return 1;
    if (qn_device_open(context, identifier, &device) != QN_OK) check_skip(identifier, qn_error_message());
    CHECK_OK(qn_queue_create(device, &queue));
    set_limits();
    RUN(lengths_of_all_kinds_are_right);
    RUN(common_grids_are_right);
    RUN(small_groups_are_right);
    RUN(all_lengths_fit_small_devices);
    RUN(halves_are_scaled_and_rounded);
    RUN(sampled_corners_are_right);
    RUN(unsupported_lengths_are_refused);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
