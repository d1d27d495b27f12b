/* devices: host opencl:0 cuda:0 checking:host */
/* Compare deform/balance with its reference in double precision, over corners of the tunables, both forms, and odd
 * numbers of states. */
#include "deform/body/tests/box_mesh.h"

#include <math.h>
#include <stdio.h>

#include "check_workload.h"
#include "deform/batch/kernels/balance.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

enum { CORNERS_MAX = 12, KERNELS = QN_BALANCE_STIFFNESS + 1, INPUTS_MAX = 3 };

/* Relative to the largest number of a result. */
static const double TOLERANCE = 2e-6;

static qn_device *device;
static qn_queue *queue;
static box_mesh box;
static qn_body *body;
static qn_problem *problem;

/* A box fixed below and held at its upper corner; with pressures at corners in the mixed form. */
static void make_problem(bool mixed)
{
    qn_material material;
    uint32_t fixed[BOX_NODES_MAX], held[BOX_NODES_MAX];
    size_t fixed_count = 0, held_count = 0;
    box_make(&box, (const int[]){3, 2, 2}, 0.02, 0.1, 1);
    CHECK_OK(qn_material_parse("mooney-rivlin:1400,280,20000", &material));
    if (!CHECK_OK(qn_body_create(&box.mesh, &material, mixed, &body))) exit(check_finish());
    for (uint32_t i = 0; i < box.mesh.node_count; i++) {
        const double height = box.grid[3 * i + 2];
        if (height < 0.001) fixed[fixed_count++] = i;
        if (height > 0.039 && box.grid[3 * i] < 0.03) held[held_count++] = i;
    }
    if (!CHECK_OK(qn_problem_create(body, fixed, fixed_count, held, held_count, false, &problem))) exit(check_finish());
}

static void clear_problem(void)
{
    qn_problem_destroy(&problem);
    qn_body_destroy(&body);
}

/* Entries of the inputs of a kernel, 0 ends; and of its result. */
typedef struct sizes {
    size_t inputs[INPUTS_MAX], result;
    int sides;
} sizes;

static sizes sizes_of(int kernel)
{
    const size_t n = body->freedom_count,
                 values = body->pattern.block_start[body->pattern.row_start[body->pattern.node_count]];
    switch (kernel) {
    case QN_BALANCE_START: return (sizes){{n, 3 * n, 6}, n, 1};
    case QN_BALANCE_NEGATE: return (sizes){{3 * n}, 3 * n, 3};
    case QN_BALANCE_ADVANCE: return (sizes){{n, n, 1}, n, 1};
    case QN_BALANCE_NORMS: return (sizes){{n}, QN_BALANCE_NORM_ROWS, 1};
    case QN_BALANCE_COLUMNS: return (sizes){{values}, 3 * n, 1};
    default: return (sizes){{3 * n, 3 * n}, QN_BALANCE_STIFFNESS_ROWS, 1};
    }
}

/* Run a kernel on random numbers. inputs and result are allocated. */
static void run_kernel(int kernel, const qn_configuration *configuration, int stride, float *inputs[INPUTS_MAX],
                       float *result)
{
    const sizes size = sizes_of(kernel);
    qn_buffer *buffers[INPUTS_MAX + 1] = {NULL};
    qn_balance *balance = NULL;
    int count = 0;
    if (!CHECK_OK(qn_balance_create(queue, problem, &balance))) return;
    for (; count < INPUTS_MAX && size.inputs[count] > 0; count++)
        CHECK_OK(qn_workload_make_buffer(queue, inputs[count], size.inputs[count] * (size_t)stride * sizeof(float),
                                         &buffers[count]));
    const size_t bytes = size.result * (size_t)stride * sizeof(float);
    CHECK_OK(qn_buffer_create(device, bytes, &buffers[count]));
    CHECK_OK(qn_balance_run(queue, kernel, configuration, balance, stride, size.sides, buffers, NULL));
    CHECK_OK(qn_workload_read(queue, buffers[count], 0, result, bytes));
    for (int k = 0; k <= count; k++) qn_buffer_release(&buffers[k]);
    qn_balance_destroy(&balance);
}

static void make_inputs(int kernel, int stride, float *inputs[INPUTS_MAX], float **result)
{
    const sizes size = sizes_of(kernel);
    for (int k = 0; k < INPUTS_MAX; k++) {
        const size_t count = size.inputs[k] * (size_t)stride;
        inputs[k] = malloc(count * sizeof(float) + 4);
        for (size_t i = 0; i < count; i++) inputs[k][i] = (float)box_random((uint64_t)(50 + k), i);
        for (size_t i = 0; kernel == QN_BALANCE_ADVANCE && k == 2 && i < count; i += 2) inputs[k][i] = 0;
    }
    *result = malloc(size.result * (size_t)stride * sizeof(float));
}

static void clear_inputs(float *inputs[INPUTS_MAX], float *result)
{
    for (int k = 0; k < INPUTS_MAX; k++) free(inputs[k]);
    free(result);
}

static void check_kernel(int kernel, const qn_configuration *configuration, int stride)
{
    const sizes size = sizes_of(kernel);
    float *inputs[INPUTS_MAX], *result;
    const size_t room = size.result + (kernel == QN_BALANCE_COLUMNS ? size.inputs[0] : 0);
    double *exact = malloc(room * sizeof *exact);
    make_inputs(kernel, stride, inputs, &result);
    run_kernel(kernel, configuration, stride, inputs, result);
    for (int state = 0; state < stride; state++) {
        double largest = 0, worst = 0;
        qn_balance_reference(problem, kernel, stride, state, size.sides, (const float *const *)inputs, exact);
        for (size_t i = 0; i < size.result; i++) {
            const double found = (double)result[i * (size_t)stride + (size_t)state];
            largest = fmax(largest, fabs(exact[i]));
            worst = qn_workload_larger_error(worst, fabs(found - exact[i]));
        }
        if (!CHECK(largest > 0 && worst <= TOLERANCE * fmax(largest, 1)))
            fprintf(stderr, "kernel %d, state %d of %d: %g of %g\n", kernel, state, stride, worst, largest);
    }
    free(exact);
    clear_inputs(inputs, result);
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    (void)user;
    for (int kernel = 0; kernel < KERNELS; kernel++) check_kernel(kernel, configuration, 5);
    return QN_OK;
}

static void sampled_corners_are_right(void)
{
    make_problem(true);
    CHECK_OK(qn_family_sample_corners(&qn_deform_balance_family, qn_device_get_info(device),
                                      corners_to_visit(qn_device_get_info(device), CORNERS_MAX), check_corner, NULL));
    clear_problem();
}

static void numbers_of_states_are_right(void)
{
    static const int strides[] = {1, 8, 33};
    for (int mixed = 0; mixed < 2; mixed++) {
        make_problem(mixed);
        for (int k = 0; k < 3; k++)
            for (int kernel = 0; kernel < KERNELS; kernel++) check_kernel(kernel, NULL, strides[k]);
        clear_problem();
    }
}

/* A state alone has the same bits as among others. */
static void bits_depend_on_the_state_alone(void)
{
    make_problem(true);
    for (int kernel = 0; kernel < KERNELS; kernel++) {
        const sizes size = sizes_of(kernel);
        const size_t stride = 19, alone = 11;
        float *inputs[INPUTS_MAX], *own[INPUTS_MAX], *result, *own_result;
        size_t different = 0;
        make_inputs(kernel, (int)stride, inputs, &result);
        make_inputs(kernel, 1, own, &own_result);
        for (int k = 0; k < INPUTS_MAX; k++)
            for (size_t i = 0; i < size.inputs[k]; i++) own[k][i] = inputs[k][i * stride + alone];
        run_kernel(kernel, NULL, (int)stride, inputs, result);
        run_kernel(kernel, NULL, 1, own, own_result);
        for (size_t i = 0; i < size.result; i++) different += own_result[i] != result[i * stride + alone];
        if (!CHECK(different == 0)) fprintf(stderr, "kernel %d: %zu differ\n", kernel, different);
        clear_inputs(inputs, result);
        clear_inputs(own, own_result);
    }
    clear_problem();
}

static void a_mean_is_refused(void)
{
    qn_problem *of_mean = NULL;
    qn_balance *balance = NULL;
    const uint32_t fixed[] = {0}, held[] = {1, 2};
    make_problem(false);
    CHECK_OK(qn_problem_create(body, fixed, 1, held, 2, true, &of_mean));
    CHECK_FAILS(qn_balance_create(queue, of_mean, &balance), QN_UNSUPPORTED);
    CHECK(balance == NULL);
    qn_problem_destroy(&of_mean);
    clear_problem();
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(sampled_corners_are_right);
    RUN(numbers_of_states_are_right);
    RUN(bits_depend_on_the_state_alone);
    RUN(a_mean_is_refused);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
