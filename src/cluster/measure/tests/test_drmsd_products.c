/* devices: host opencl:0 cuda:0 checking:host */
/* labels: unsanitized@checking */
/* dRMSD by products compared with its reference on one device: structures that differ, that are nearly the same, and
 * that are the same. */
#include "check.h"

#include <math.h>

#include "base/error.h"
#include "check_workload.h"
#include "cluster/measure/drmsd.h"
#include "cluster/measure/kernels/drmsd_products.h"
#include "runtime/configuration.h"
#include "runtime/context.h"
#include "tune/workload_inputs.h"

enum { ATOMS = 70, COUNT = 391, ROWS = 132, COLUMNS = COUNT - ROWS, CORNERS_MAX = 6 };

static qn_context *context;
static qn_device *device;
static qn_queue *queue;
static float positions[COUNT][3 * ATOMS], values[COLUMNS * COLUMNS];

/* Structures of one shape, displaced by up to 3 Å. Every `period`-th is like structure 0, displaced by up to 0.01 Å,
 * and structure 2 period is its copy. */
static void make_positions(size_t period)
{
    for (size_t k = 0; k < COUNT; k++)
        for (size_t i = 0; i < 3 * ATOMS; i++) {
            const float shape = 20 * qn_workload_input(1, i), own = 3 * qn_workload_input(2, k * 3 * ATOMS + i);
            const float small = 0.01f * qn_workload_input(3, k * 3 * ATOMS + i);
            positions[k][i] = k % period ? shape + own : shape + (k == 2 * period || k == 0 ? 0 : small);
        }
}

/* Measure tiles on and off the diagonal; *worst gets the largest error as a share of its tolerance, 2e-5 of the value
 * and 2e-5 Å. */
static void check_tiles(size_t atoms, const float *weights, double *worst)
{
    const qn_measure_settings settings = {.drmsd_products = true};
    const qn_structures structures = {
        .count = COUNT, .atom_count = atoms, .positions_angstrom = &positions[0][0], .weights = weights};
    const qn_measure_setup setup = {.structures = &structures,
                                    .settings = &settings,
                                    .queue = queue,
                                    .pool = qn_context_pool(context),
                                    .tile_side = COLUMNS};
    const qn_measure_range rows = {0, ROWS}, columns = {ROWS, COLUMNS};
    const qn_measure_tile tiles[3] = {{rows, rows, values}, {rows, columns, values}, {columns, columns, values}};
    void *session;
    *worst = 0;
    if (!CHECK_OK(qn_measure_drmsd.begin(&setup, &session))) return;
    for (int t = 0; t < 3; t++) {
        const qn_measure_tile *tile = &tiles[t];
        CHECK_OK(qn_measure_drmsd.start(session, tile));
        CHECK_OK(qn_measure_drmsd.values(session, tile));
        for (size_t r = 0; r < tile->rows.count; r += 3)
            for (size_t c = t == 1 ? 0 : r + 1; c < tile->columns.count; c++) {
                const double right =
                    qn_measure_drmsd.pair(&structures, &settings, tile->rows.first + r, tile->columns.first + c);
                const double error = fabs((double)values[r * tile->columns.count + c] - right);
                *worst = qn_workload_larger_error(*worst, error / (2e-5 + 2e-5 * right));
            }
    }
    qn_measure_drmsd.end(&session);
}

/* A few near pairs are measured again one by one; the copy has exactly the distance 0. */
static void few_near_pairs_are_exact(void)
{
    double worst;
    make_positions(60);
    check_tiles(ATOMS, NULL, &worst);
    CHECK(worst <= 1);
    make_positions(43); /* structures 0 and 86 are in one tile */
    check_tiles(ATOMS, NULL, &worst);
    CHECK(worst <= 1);
}

/* Many near pairs: all pairs of the tile are measured by squares. */
static void many_near_pairs_are_exact(void)
{
    double worst;
    make_positions(2);
    check_tiles(ATOMS, NULL, &worst);
    CHECK(worst <= 1);
}

static void no_near_pairs_are_exact(void)
{
    double worst;
    make_positions(COUNT);
    check_tiles(ATOMS, NULL, &worst);
    CHECK(worst <= 1);
    check_tiles(9, NULL, &worst);
    CHECK(worst <= 1);
}

static void weights_count(void)
{
    float weights[ATOMS];
    double worst;
    for (int i = 0; i < ATOMS; i++) weights[i] = (float)(i % 4);
    make_positions(60);
    check_tiles(ATOMS, weights, &worst);
    CHECK(worst <= 1);
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    const qn_workload *workload;
    const int sizes[QN_WORKLOAD_SIZES] = {140, 20};
    double error = INFINITY;
    void *state;
    ++*(int *)user;
    QN_TRY(qn_workload_find("cluster/drmsd_products", &workload));
    QN_TRY(workload->create(queue, sizes, 5, &state));
    CHECK_OK(workload->clear(state, queue));
    CHECK_OK(workload->run(state, queue, configuration, NULL));
    CHECK_OK(workload->check(state, queue, &error));
    if (!CHECK(error <= 1)) name_configuration(workload->family, configuration);
    workload->destroy(&state);
    return QN_OK;
}

static void values_are_right_in_sampled_corners(void)
{
    int corners = 0;
    CHECK_OK(qn_family_sample_corners(&qn_cluster_drmsd_products_family, qn_device_get_info(device),
                                      corners_to_visit(qn_device_get_info(device), CORNERS_MAX), check_corner,
                                      &corners));
    CHECK(corners >= 1);
}

static void too_many_atoms_are_refused(void)
{
    const qn_measure_settings settings = {.drmsd_products = true};
    const qn_structures structures = {.count = 2, .atom_count = 5000};
    CHECK_FAILS(qn_measure_drmsd.check(&structures, &settings), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("the models have 5000 atoms; expected at most 4096");
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "cluster/drmsd_products", (const int[]){140, 40, 0}, &work);
    CHECK_NEAR(work.multiply_adds, 140.0 * 140 * 40 * 39 / 2, 0);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(no_near_pairs_are_exact);
    RUN(few_near_pairs_are_exact);
    RUN(many_near_pairs_are_exact);
    RUN(weights_count);
    RUN(values_are_right_in_sampled_corners);
    RUN(too_many_atoms_are_refused);
    RUN(workload_passes_its_check);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
