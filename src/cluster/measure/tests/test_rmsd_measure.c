/* devices: host opencl cuda checking:host */
/* RMSD as a measure: reference matrices, references beside models, sets whose every pair is decided in double, and what
 * is refused. */
#include "check.h"

#include "cluster/measure/kernels/rmsd.h"
#include "cluster/measure/rmsd.h"
#include "cluster/measure/tests/models.h"

static qn_queue *queue;
static qn_pool *pool;
static const qn_measure_settings settings;

/* The values of one tile, [rows][columns]; freed by the caller. */
static float *measure_tile(const qn_structures *structures, qn_measure_range rows, qn_measure_range columns)
{
    const size_t side = rows.count > columns.count ? rows.count : columns.count;
    const qn_measure_setup setup = {structures, &settings, queue, pool, side};
    float *values = calloc(rows.count * columns.count, sizeof(float));
    const qn_measure_tile tile = {rows, columns, values};
    void *session = NULL;
    if (!CHECK(values != NULL) || !CHECK_OK(qn_measure_rmsd.begin(&setup, &session))) return values;
    CHECK_OK(qn_measure_rmsd.start(session, &tile));
    CHECK_OK(qn_measure_rmsd.values(session, &tile));
    qn_measure_rmsd.end(&session);
    return values;
}

/* Largest difference to the value of a pair in double. */
static double largest_error(const qn_structures *structures, qn_measure_range rows, qn_measure_range columns)
{
    float *values = measure_tile(structures, rows, columns);
    double largest = 0;
    for (size_t r = 0; values && r < rows.count; r++)
        for (size_t c = rows.first == columns.first ? r + 1 : 0; c < columns.count; c++) {
            const double expected = qn_rmsd_reference(structures, rows.first + r, columns.first + c);
            const double pair = qn_measure_rmsd.pair(structures, &settings, rows.first + r, columns.first + c);
            CHECK_NEAR(pair * pair, expected * expected, 1e-9);
            const double error = fabs(values[r * columns.count + c] - expected);
            if (!(error <= largest)) largest = error;
        }
    free(values);
    return largest;
}

/* Values of NumPy, by Kabsch's method in double, from data/cluster. */
static void check_reference(const char *models, const char *matrix)
{
    const char *path = check_reference_data(models);
    size_t count, atoms, wrong = 0;
    if (!path) return;
    float *positions = read_models(path, &count, &atoms);
    const qn_structures structures = {.count = count, .atom_count = atoms, .positions_angstrom = positions};
    float *values = measure_tile(&structures, (qn_measure_range){0, count}, (qn_measure_range){0, count});
    FILE *file = fopen(check_reference_data(matrix), "r");
    if (!CHECK(file != NULL)) return;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            double expected = -1;
            if (fscanf(file, "%lf%*[,]", &expected) != 1 && expected < 0) wrong++;
            if (j > i) wrong += !(fabs(values[i * count + j] - expected) < 2e-4);
        }
    CHECK(wrong == 0);
    fclose(file);
    free(values);
    free(positions);
}

static void reference_matrices_are_reproduced(void)
{
    check_reference("cluster/itasser_decoys_ca.pdb", "cluster/itasser_decoys_ca_rmsd.csv");
    check_reference("cluster/adk_dims_ca.pdb", "cluster/adk_dims_ca_rmsd.csv");
}

static void ranges_begin_anywhere_in_columns(void)
{
    float *positions = make_models(90, 31, 5);
    const qn_structures structures = {.count = 90, .atom_count = 31, .positions_angstrom = positions};
    CHECK(largest_error(&structures, (qn_measure_range){0, 90}, (qn_measure_range){0, 90}) < 5e-4);
    CHECK(largest_error(&structures, (qn_measure_range){0, 67}, (qn_measure_range){67, 23}) < 5e-4);
    CHECK(largest_error(&structures, (qn_measure_range){64, 26}, (qn_measure_range){0, 64}) < 5e-4);
    free(positions);
}

/* Atoms on a line leave all pairs in doubt, more than the list has room for. */
static void lines_are_decided_in_double(void)
{
    enum { COUNT = 50, ATOMS = 12 };
    static float positions[COUNT][3][ATOMS];
    for (size_t i = 0; i < COUNT; i++)
        for (size_t a = 0; a < ATOMS; a++)
            for (size_t axis = 0; axis < 3; axis++)
                positions[i][axis][a] =
                    (float)((3.0 * (double)a + qn_random_uniform(1, i, a)) * (axis == i % 3) + (double)i);
    const qn_structures structures = {.count = COUNT, .atom_count = ATOMS, .positions_angstrom = &positions[0][0][0]};
    CHECK(largest_error(&structures, (qn_measure_range){0, COUNT}, (qn_measure_range){0, COUNT}) < 1e-5);
}

static void useless_structures_are_refused(void)
{
    float positions[2][3][1] = {{{0}, {0}, {0}}, {{1}, {0}, {0}}}, weight = -1;
    qn_structures structures = {.count = 2, .atom_count = 1, .positions_angstrom = &positions[0][0][0]};
    CHECK_OK(qn_measure_rmsd.check(&structures, &settings));
    structures.weights = &weight;
    CHECK_FAILS(qn_measure_rmsd.check(&structures, &settings), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("weight of atom 1 is -1");
    weight = 0;
    CHECK_FAILS(qn_measure_rmsd.check(&structures, &settings), QN_INVALID_ARGUMENT);
    weight = 2;
    positions[1][2][0] = NAN;
    CHECK_FAILS(qn_measure_rmsd.check(&structures, &settings), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("structure 2, atom 1");
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    qn_device *device = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    CHECK_OK(qn_pool_create(2, &pool));
    RUN(useless_structures_are_refused);
    if (check_reference_data("cluster/adk_dims_ca.pdb")) RUN(reference_matrices_are_reproduced);
    RUN(ranges_begin_anywhere_in_columns);
    RUN(lines_are_decided_in_double);
    qn_pool_destroy(&pool);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
