/* devices: host opencl:0 cuda:0 checking:host */
/* The family vina_maps against its reference on one device, with all extreme values of its tunables. */
#include "check.h"

#include <quern/workload.h>

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/random.h"
#include "potential/vina/kernels/vina_maps.h"
#include "runtime/configuration.h"

enum { ATOMS = 700, KINDS = 3, PROBES = 18, NX = 13, NY = 9, NZ = 6, POINTS = NX * NY * NZ };

static qn_device *device;
static qn_queue *queue;
static const qn_vina_maps_problem problem = {{NX, NY, NZ}, PROBES, ATOMS, KINDS, 1e5};
static int32_t atoms[4 * ATOMS], axes[NX + NY + NZ];
static float tables[KINDS * QN_VINA_MAPS_ENTRIES * 32], values[PROBES * POINTS], first_values[PROBES * POINTS];
static int corners;

/* Atoms around a box away from the origin, some of them beyond reach; one lies on a point, one exactly 8 Å from one. */
static void make_problem(void)
{
    const int32_t corner[3] = {-20000, 31007, 5003};
    for (int i = 0; i < NX + NY + NZ; i++) {
        const int d = i < NX ? 0 : i < NX + NY ? 1 : 2, k = d == 0 ? i : d == 1 ? i - NX : i - NX - NY;
        axes[i] = corner[d] + (int32_t)lround(k * 375.5);
    }
    for (uint64_t i = 0; i < ATOMS; i++) {
        for (uint64_t d = 0; d < 3; d++)
            atoms[4 * i + d] = corner[d] - 9500 + (int32_t)(23000 * qn_random_uniform(3, 1, 3 * i + d));
        atoms[4 * i + 3] = (int32_t)(KINDS * qn_random_uniform(3, 2, i));
    }
    for (int d = 0; d < 3; d++) atoms[d] = atoms[4 + d] = corner[d];
    atoms[4] -= 8000;
    for (uint64_t i = 0; i < sizeof tables / sizeof *tables; i++) tables[i] = (float)qn_random_uniform(3, 4, i) - 0.5f;
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

static void check_values(void)
{
    double worst = 0;
    for (int p = 0; p < PROBES; p++)
        for (int i = 0; i < POINTS; i++) {
            const int point[3] = {i % NX, i / NX % NY, i / (NX * NY)};
            const double expected = qn_vina_maps_reference(&problem, atoms, axes, tables, point, p);
            const double error = fabs((double)values[p * POINTS + i] - expected);
            worst = error > worst || isnan(error) ? error : worst;
        }
    CHECK(worst < 2e-5); /* 300 additions of numbers up to 0.5 */
}

/* All configurations give the same bits. */
static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    const qn_vina_maps_bricks *bricks = user;
    const size_t count = (size_t)bricks->bricks[0] * (size_t)bricks->bricks[1] * (size_t)bricks->bricks[2];
    memset(values, 0xff, sizeof values);
    qn_buffer *b[6] = {upload(atoms, sizeof atoms),
                       upload(bricks->list, ((size_t)bricks->starts[count] + 1) * sizeof *bricks->list),
                       upload(bricks->starts, (count + 1) * sizeof *bricks->starts),
                       upload(axes, sizeof axes),
                       upload(tables, sizeof tables),
                       upload(values, sizeof values)};
    CHECK_OK(qn_vina_maps(queue, configuration, &problem, b[0], b[1], b[2], b[3], b[4], b[5], NULL));
    CHECK_OK(qn_queue_read(queue, b[5], 0, values, sizeof values, NULL));
    CHECK_OK(qn_queue_finish(queue));
    if (corners++ == 0) {
        check_values();
        memcpy(first_values, values, sizeof values);
    }
    CHECK(memcmp(first_values, values, sizeof values) == 0);
    for (int i = 0; i < 6; i++) qn_buffer_release(&b[i]);
    return QN_OK;
}

static void every_corner_agrees_with_the_reference(void)
{
    qn_vina_maps_bricks bricks;
    make_problem();
    if (!CHECK_OK(qn_vina_maps_bricks_create(problem.points, axes, atoms, ATOMS, &bricks))) return;
    CHECK(bricks.bricks[0] == 4 && bricks.bricks[1] == 3 && bricks.bricks[2] == 2);
    CHECK_OK(qn_family_corners(&qn_potential_vina_maps_family, qn_device_get_info(device), check_corner, &bricks));
    CHECK(corners >= 1);
    CHECK_OK(check_corner(NULL, &bricks));
    qn_vina_maps_bricks_clear(&bricks);
}

static void impossible_problems_are_refused(void)
{
    qn_buffer *buffer = upload(axes, sizeof axes);
    qn_vina_maps_problem wrong = problem;
    wrong.probes = 65;
    CHECK_FAILS(qn_vina_maps(queue, NULL, &wrong, buffer, buffer, buffer, buffer, buffer, buffer, NULL),
                QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("65 maps of 3 kinds");
    wrong = problem;
    wrong.points[1] = 0;
    CHECK_FAILS(qn_vina_maps(queue, NULL, &wrong, buffer, buffer, buffer, buffer, buffer, buffer, NULL),
                QN_INVALID_ARGUMENT);
    qn_buffer_release(&buffer);
}

/* The workload's check fails for cleared outputs and passes after a run. */
static void workload_passes_its_check(void)
{
    const int sizes[QN_WORKLOAD_SIZES] = {21, 5}, odd[QN_WORKLOAD_SIZES] = {21, 65};
    const qn_workload *workload = NULL;
    void *state = NULL;
    double error = 0;
    if (!CHECK_OK(qn_workload_find("potential/vina_maps", &workload))) return;
    CHECK_FAILS(workload->create(queue, odd, 1, &state), QN_INVALID_ARGUMENT);
    if (!CHECK_OK(workload->create(queue, sizes, 11, &state))) return;
    CHECK_OK(workload->clear(state, queue));
    CHECK_OK(workload->check(state, queue, &error));
    CHECK(error > 1);
    CHECK_OK(workload->run(state, queue, NULL, NULL));
    CHECK_OK(workload->check(state, queue, &error));
    CHECK(error <= 1);
    workload->destroy(&state);
    CHECK(state == NULL);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(every_corner_agrees_with_the_reference);
    RUN(impossible_problems_are_refused);
    RUN(workload_passes_its_check);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
