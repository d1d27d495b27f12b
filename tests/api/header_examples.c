/* Runs the example of one public header: makes the objects that examples use, calls example(), which check_examples.sh
 * has made from the header, and prints the message of a failure. */
#include "example_objects.h"

#include <math.h>

qn_context *context;
qn_device *device;
qn_queue *queue;
qn_buffer *x, *y, *grid, *spectrum;
qn_volume *half_1, *half_2;
const qn_volume *mask;
qn_space *space;
const int n = NUMBERS;
float values[NUMBERS];
const float data[NUMBERS];
const size_t bytes = sizeof data;
const double references[2][4][3] = {{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}},
                                    {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 1}}};

/* ---- a kernel family ---- */

static const char source[] = "KERNEL void add(GLOBAL const float *x, GLOBAL float *y, int n)\n"
                             "{\n"
                             "    int i = GLOBAL_ID(0);\n"
                             "    if (i < n) y[i] = x[i] + y[i];\n"
                             "}\n";

static qn_geometry geometry(const qn_configuration *configuration, const void *problem)
{
    const size_t items = (size_t) * (const int *)problem;
    (void)configuration;
    return (qn_geometry){{(items + 63) / 64 * 64, 1, 1}, {64, 1, 1}};
}

static qn_status add_on_host(const qn_host_launch *launch)
{
    const float *first = launch->arguments[0];
    float *second = launch->arguments[1];
    for (int i = 0; i < *(const int *)launch->arguments[2]; i++) second[i] = first[i] + second[i];
    return QN_OK;
}

static const qn_argument_declaration arguments[] = {
    {"x", QN_IN, QN_FLOAT32}, {"y", QN_INOUT, QN_FLOAT32}, {"n", QN_VALUE, QN_INT32}};
static const qn_kernel_declaration kernels[] = {{"add", arguments, 3, geometry, add_on_host, NULL}};
const qn_family add_family = {
    .name = "example/add", .source = source, .source_path = "add.cl", .kernels = kernels, .kernel_count = 1};

/* ---- functions that examples call ---- */

double time_it(qn_point point)
{
    return 1e-3 * (double)(3 - point);
}

void print_message(qn_log_level level, const char *message, void *user)
{
    (void)level, (void)user;
    printf("message: %s\n", message);
}

void print_table(const qn_trajectory_result_table *table)
{
    printf("%zu rows of %s\n", table->row_count, table->title);
}

/* ---- objects ---- */

static qn_status make_buffers(void)
{
    for (int i = 0; i < NUMBERS; i++) values[i] = (float)i;
    qn_status status = qn_buffer_create(device, sizeof values, &x);
    if (status == QN_OK) status = qn_buffer_create(device, sizeof values, &y);
    if (status == QN_OK) status = qn_buffer_create(device, 16 * 16 * 16 * sizeof(float), &grid);
    if (status == QN_OK) status = qn_buffer_create(device, 2 * 9 * 16 * 16 * sizeof(float), &spectrum);
    if (status == QN_OK) status = qn_queue_write(queue, x, 0, values, sizeof values, NULL);
    if (status == QN_OK) status = qn_queue_write(queue, y, 0, values, sizeof values, NULL);
    if (status == QN_OK) status = qn_queue_fill(queue, grid, 0, qn_buffer_bytes(grid), 0, NULL);
    return status == QN_OK ? qn_queue_finish(queue) : status;
}

/* A soft sphere plus noise that differs between the halves and exceeds the sphere at high spatial frequencies only. */
static qn_status make_half(int half, qn_volume **volume)
{
    const qn_status status = qn_volume_create((const int[]){SPHERE_SIDE, SPHERE_SIDE, SPHERE_SIDE}, 2, volume);
    uint64_t state = 12345 + (uint64_t)half;
    for (int i = 0; status == QN_OK && i < SPHERE_SIDE * SPHERE_SIDE * SPHERE_SIDE; i++) {
        const int from[] = {i % SPHERE_SIDE - SPHERE_SIDE / 2, i / SPHERE_SIDE % SPHERE_SIDE - SPHERE_SIDE / 2,
                            i / SPHERE_SIDE / SPHERE_SIDE - SPHERE_SIDE / 2};
        state = state * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX generator */
        (*volume)->values[i] = (float)(exp(-(from[0] * from[0] + from[1] * from[1] + from[2] * from[2]) / 20.0) +
                                       0.1 * ((double)(state >> 33) * 0x1p-31 - 0.5));
    }
    return status;
}

static qn_status make_objects(void)
{
    qn_context_options options = qn_context_default_options();
    options.threads = 2;
    qn_status status = qn_context_create(&options, &context);
    if (status == QN_OK) status = qn_device_open(context, "host", &device);
    if (status == QN_OK) status = qn_queue_create(device, &queue);
    if (status == QN_OK) status = make_buffers();
    if (status == QN_OK) status = make_half(1, &half_1);
    if (status == QN_OK) status = make_half(2, &half_2);
    if (status == QN_OK) status = qn_space_create("example", &space);
    if (status == QN_OK) status = qn_space_add_integers(space, "TILE", (const int64_t[]){8, 16, 32}, 3, 8);
    return status == QN_OK ? qn_space_solve(space) : status;
}

static void release_objects(void)
{
    qn_space_destroy(&space);
    qn_volume_destroy(&half_1);
    qn_volume_destroy(&half_2);
    qn_buffer_release(&x);
    qn_buffer_release(&y);
    qn_buffer_release(&grid);
    qn_buffer_release(&spectrum);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
}

int main(void)
{
    if (make_objects() != QN_OK) {
        fprintf(stderr, "the objects of the examples: %s\n", qn_error_message());
        return 1;
    }
    const int result = example();
    if (result != 0) fprintf(stderr, "%s\n", qn_error_message());
    release_objects();
    return result;
}
