/* devices: host opencl:0 cuda:0 checking:host */
/* The family drmsd compared with its reference on one device, in sampled corners of its space. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "check_workload.h"
#include "cluster/measure/drmsd.h"
#include "cluster/measure/kernels/drmsd.h"
#include "runtime/configuration.h"
#include "runtime/context.h"
#include "runtime/prelude/prelude_host.h"
#include "tune/workload_inputs.h"

#include "cluster/measure/kernels/drmsd.dev.h"

enum { ATOMS_MAX = 70, ROWS = 131, COLUMNS = 259, CORNERS_MAX = 12 };

static const double tolerance_angstrom = 2e-5; /* coordinates of up to 27 Å are rounded to 1e-6 Å */

static qn_context *context;
static qn_device *device;
static qn_queue *queue;
static float positions[2][ROWS + COLUMNS][3 * ATOMS_MAX];
static float values[ROWS * COLUMNS], others[ROWS * COLUMNS];
static double expected[ROWS * COLUMNS];

/* One shape, and displacements of up to 2 Å. Structures are packed for this number of atoms. */
static void make_positions(int atoms)
{
    const size_t floats = 3 * (size_t)atoms;
    for (size_t side = 0; side < 2; side++) {
        float *to = &positions[side][0][0];
        for (size_t i = 0; i < (ROWS + COLUMNS) * floats; i++)
            to[i] = 25 * qn_workload_input(1, i % floats) + 2 * qn_workload_input(2 + side, i);
    }
}

/* Buffers of the two sides of a tile. */
typedef struct tile_buffers {
    qn_buffer *positions[2], *panels[2], *distances[2], *weights, *values;
} tile_buffers;

static void make_buffers(const qn_drmsd_problem *problem, const float *weights, tile_buffers *buffers)
{
    const int counts[2] = {problem->row_count, problem->column_count};
    const size_t atoms = (size_t)problem->atoms;
    for (int side = 0; side < 2; side++) {
        const size_t count = (size_t)counts[side];
        CHECK_OK(qn_workload_make_buffer(queue, positions[side], count * 3 * atoms * sizeof(float),
                                         &buffers->positions[side]));
        CHECK_OK(qn_buffer_create(device, qn_drmsd_panel_bytes(problem->atoms, count), &buffers->panels[side]));
        CHECK_OK(qn_buffer_create(device, qn_drmsd_distance_bytes(problem->atoms, count), &buffers->distances[side]));
    }
    CHECK_OK(qn_workload_make_buffer(queue, weights, atoms * sizeof(float), &buffers->weights));
    CHECK_OK(qn_buffer_create(device, (size_t)problem->row_count * (size_t)problem->column_count * sizeof(float),
                              &buffers->values));
}

static void release_buffers(tile_buffers *buffers)
{
    for (int side = 0; side < 2; side++) {
        qn_buffer_release(&buffers->positions[side]);
        qn_buffer_release(&buffers->panels[side]);
        qn_buffer_release(&buffers->distances[side]);
    }
    qn_buffer_release(&buffers->weights);
    qn_buffer_release(&buffers->values);
}

/* Compare rows and columns on the device; roots: of the weights. */
static void compare(const qn_configuration *configuration, qn_drmsd_problem problem, const float *roots, float *result)
{
    tile_buffers buffers = {0};
    const int counts[2] = {problem.row_count, problem.column_count};
    make_buffers(&problem, roots, &buffers);
    for (int side = 0; side < 2; side++)
        CHECK_OK(qn_drmsd_pack(queue, configuration, problem.atoms, counts[side], buffers.positions[side],
                               buffers.panels[side], NULL));
    for (problem.slice = 0; problem.slice < qn_drmsd_slices(problem.atoms); problem.slice++) {
        for (int side = 0; side < 2; side++)
            CHECK_OK(qn_drmsd_measure(queue, configuration, problem.atoms, counts[side], problem.slice,
                                      buffers.panels[side], buffers.weights, buffers.distances[side], NULL));
        CHECK_OK(qn_drmsd_compare(queue, configuration, &problem, buffers.distances[0],
                                  buffers.distances[problem.diagonal ? 0 : 1], buffers.values, NULL));
    }
    CHECK_OK(qn_queue_read(queue, buffers.values, 0, result,
                           (size_t)problem.row_count * (size_t)problem.column_count * sizeof(float), NULL));
    CHECK_OK(qn_queue_finish(queue));
    release_buffers(&buffers);
}

static void check_tile(const qn_configuration *configuration, int atoms, int rows, int columns, const float *weights)
{
    float roots[ATOMS_MAX];
    double sum = 0, squares = 0, worst = 0;
    make_positions(atoms);
    for (int i = 0; i < atoms; i++) {
        const double weight = weights ? (double)weights[i] : 1;
        roots[i] = (float)sqrt(weight);
        sum += weight, squares += weight * weight;
    }
    compare(configuration,
            (qn_drmsd_problem){
                .atoms = atoms, .row_count = rows, .column_count = columns, .weight = (sum * sum - squares) / 2},
            roots, values);
    qn_drmsd_reference(atoms, &positions[0][0][0], rows, &positions[1][0][0], columns, weights, expected);
    for (int i = 0; i < rows * columns; i++)
        worst = qn_workload_larger_error(worst, fabs((double)values[i] - expected[i]));
    CHECK(worst <= tolerance_angstrom);
    CHECK(expected[0] > 0.1);
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    ++*(int *)user;
    check_tile(configuration, 9, ROWS, COLUMNS, NULL);
    check_tile(configuration, ATOMS_MAX, 5, 130, NULL);
    return QN_OK;
}

static void values_are_right_in_sampled_corners(void)
{
    int corners = 0;
    CHECK_OK(qn_family_sample_corners(&qn_cluster_drmsd_family, qn_device_get_info(device),
                                      corners_to_visit(qn_device_get_info(device), CORNERS_MAX), check_corner,
                                      &corners));
    CHECK(corners >= 1);
}

/* One distance; slices that end with a step, before it and after it; panels with one structure more or less. */
static void odd_sizes_are_right(void)
{
    static const int atoms[] = {2, 3, 8, 9, 64, 65, ATOMS_MAX};
    for (size_t i = 0; i < sizeof atoms / sizeof *atoms; i++) check_tile(NULL, atoms[i], 1 + (int)i, 3, NULL);
    check_tile(NULL, 4, 127, 129, NULL);
    check_tile(NULL, 4, 128, 128, NULL);
    check_tile(NULL, 4, 1, 1, NULL);
}

static void weights_count(void)
{
    float weights[ATOMS_MAX];
    for (int i = 0; i < ATOMS_MAX; i++) weights[i] = (float)(i % 5);
    check_tile(NULL, ATOMS_MAX, 7, 9, weights);
}

/* The atoms of every pair, in order, also where the root in single precision is not exact. */
static void pairs_of_atoms_are_found(void)
{
    static const int atoms[] = {2, 3, 4, 100, 1777, QN_DRMSD_ATOMS_MAX};
    for (size_t i = 0; i < sizeof atoms / sizeof *atoms; i++) {
        int wrong = 0, found[2];
        for (int a = 0; a < atoms[i] - 1; a++) {
            const int first = a * (2 * atoms[i] - a - 1) / 2, last = first + atoms[i] - a - 2;
            drmsd_find_pair(first, atoms[i], &found[0], &found[1]);
            wrong += found[0] != a || found[1] != a + 1;
            drmsd_find_pair(last, atoms[i], &found[0], &found[1]);
            wrong += found[0] != a || found[1] != atoms[i] - 1;
        }
        CHECK(wrong == 0);
    }
}

/* A value has the same bits wherever its pair lies in a tile, and in both orders; the diagonal of a tile is exactly 0.
 */
static void bits_do_not_depend_on_the_tile(void)
{
    float ones[ATOMS_MAX];
    qn_drmsd_problem problem = {.atoms = ATOMS_MAX,
                                .row_count = ROWS,
                                .column_count = ROWS,
                                .diagonal = true,
                                .weight = ATOMS_MAX * (ATOMS_MAX - 1) / 2};
    make_positions(ATOMS_MAX);
    memcpy(positions[1], positions[0], sizeof positions[0]);
    for (int i = 0; i < ATOMS_MAX; i++) ones[i] = 1;
    compare(NULL, problem, ones, values);
    problem.diagonal = false;
    compare(NULL, problem, ones, others);
    int different = 0;
    for (int r = 0; r < ROWS; r++)
        for (int c = r + 1; c < ROWS; c++) {
            different += memcmp(&values[r * ROWS + c], &others[r * ROWS + c], sizeof *values) != 0;
            different += memcmp(&others[c * ROWS + r], &others[r * ROWS + c], sizeof *values) != 0;
        }
    CHECK(different == 0);
    CHECK(others[0] == 0 && others[ROWS * ROWS - 1] == 0);
    memmove(positions[1], positions[0][17], sizeof positions[0] - sizeof positions[0][0] * 17);
    problem.column_count = 5;
    compare(NULL, problem, ones, values);
    for (int r = 0; r < ROWS; r++) different += memcmp(&values[r * 5], &others[r * ROWS + 17], 5 * sizeof *values) != 0;
    CHECK(different == 0);
}

/* The measure's sessions: tiles on and off the diagonal, of whole and broken panels. */
static void sessions_give_the_values_of_pairs(void)
{
    const qn_measure_settings settings = {0};
    const qn_structures structures = {
        .count = ROWS + COLUMNS, .atom_count = 30, .positions_angstrom = &positions[0][0][0]};
    const qn_measure_setup setup = {.structures = &structures,
                                    .settings = &settings,
                                    .queue = queue,
                                    .pool = qn_context_pool(context),
                                    .tile_side = COLUMNS};
    const qn_measure_range ranges[2] = {{0, ROWS}, {ROWS, COLUMNS}};
    void *session;
    make_positions(30);
    if (!CHECK_OK(qn_measure_drmsd.begin(&setup, &session))) return;
    for (int column = 0; column < 2; column++) {
        const qn_measure_tile tile = {.rows = ranges[0], .columns = ranges[column], .values = values};
        double worst = 0;
        CHECK_OK(qn_measure_drmsd.start(session, &tile));
        CHECK_OK(qn_measure_drmsd.values(session, &tile));
        for (size_t r = 0; r < tile.rows.count; r++)
            for (size_t c = column == 0 ? r + 1 : 0; c < tile.columns.count; c += 7) {
                const double right = qn_measure_drmsd.pair(&structures, &settings, r, tile.columns.first + c);
                const double value = (double)values[r * tile.columns.count + c];
                worst = qn_workload_larger_error(worst, fabs(value - right));
            }
        CHECK(worst <= tolerance_angstrom);
    }
    qn_measure_drmsd.end(&session);
    CHECK(session == NULL);
}

static void impossible_sizes_are_refused(void)
{
    CHECK_FAILS(qn_drmsd_pack(queue, NULL, 1, 1, NULL, NULL, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("1 structures of 1 atoms");
    CHECK_FAILS(qn_drmsd_pack(queue, NULL, QN_DRMSD_ATOMS_MAX + 1, 1, NULL, NULL, NULL), QN_INVALID_ARGUMENT);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "cluster/drmsd", (const int[]){140, 70, 0}, &work);
    CHECK_NEAR(work.multiply_adds, 2.0 * 140 * 140 * 70 * 69 / 2, 0);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(pairs_of_atoms_are_found);
    RUN(values_are_right_in_sampled_corners);
    RUN(odd_sizes_are_right);
    RUN(weights_count);
    RUN(bits_do_not_depend_on_the_tile);
    RUN(sessions_give_the_values_of_pairs);
    RUN(impossible_sizes_are_refused);
    RUN(workload_passes_its_check);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
