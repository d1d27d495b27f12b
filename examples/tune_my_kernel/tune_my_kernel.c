/* Tune a user-defined kernel family, y = a x + y, with its workload, and print the speedup over the fallback.
 *
 *     tune_my_kernel [DEVICE] [ELEMENTS]
 */
#include <math.h>
#include <quern/tune.h>
#include <stdio.h>
#include <stdlib.h>

enum { GROUP_SIZE, PER_ITEM };

/* Words in capitals come from Quern; tunables are definitions of the compiler. */
static const char source[] = "KERNEL void saxpy(GLOBAL const float *x, GLOBAL float *y, float a, int n)\n"
                             "{\n"
                             "    int first = GLOBAL_ID(0) * PER_ITEM;\n"
                             "    for (int i = first; i < first + PER_ITEM && i < n; i++) y[i] = a * x[i] + y[i];\n"
                             "}\n";

static qn_geometry geometry(const qn_configuration *configuration, const void *problem)
{
    size_t group = (size_t)configuration->value[GROUP_SIZE], each = (size_t)configuration->value[PER_ITEM];
    size_t items = ((size_t) * (const int *)problem + each - 1) / each;
    return (qn_geometry){{(items + group - 1) / group * group, 1, 1}, {group, 1, 1}};
}

/* The host driver runs this C function instead of the kernel, in pieces of PER_ITEM · GROUP_SIZE elements. */
static qn_status saxpy_host(const qn_host_launch *launch)
{
    const float *x = launch->arguments[0], a = *(const float *)launch->arguments[2];
    float *y = launch->arguments[1];
    int n = *(const int *)launch->arguments[3];
    int piece = launch->configuration->value[GROUP_SIZE] * launch->configuration->value[PER_ITEM];
    for (int first = 0; first < n; first += piece)
        for (int i = first; i < first + piece && i < n; i++) y[i] = a * x[i] + y[i];
    return QN_OK;
}

static void work(const void *problem, qn_work *done)
{
    double n = *(const int *)problem;
    *done = (qn_work){.bytes_read = 8 * n, .bytes_written = 4 * n, .multiply_adds = 2 * n};
}

static const qn_argument_declaration arguments[] = {
    {"x", QN_IN, QN_FLOAT32}, {"y", QN_INOUT, QN_FLOAT32}, {"a", QN_VALUE, QN_FLOAT32}, {"n", QN_VALUE, QN_INT32}};
static const qn_kernel_declaration kernels[] = {{"saxpy", arguments, 4, geometry, saxpy_host, work}};
static const qn_tunable tunables[] = {{"GROUP_SIZE", {32, 64, 128, 256}, 4, 64, "work-items per group"},
                                      {"PER_ITEM", {1, 2, 4, 8, 16}, 5, 1, "elements of a work-item"}};
static const char *const constraints[] = {"GROUP_SIZE <= device.largest_group", "GROUP_SIZE * PER_ITEM <= 2048"};
static const qn_family family = {.name = "example/saxpy",
                                 .source = source,
                                 .source_path = "saxpy.cl",
                                 .kernels = kernels,
                                 .kernel_count = 1,
                                 .tunables = tunables,
                                 .tunable_count = 2,
                                 .constraints = constraints,
                                 .constraint_count = 2};

typedef struct state {
    int n;
    float *values;
    qn_buffer *x, *y;
} state;

static void destroy(void **pointer)
{
    state *own = *pointer;
    *pointer = NULL;
    if (!own) return;
    qn_buffer_release(&own->x);
    qn_buffer_release(&own->y);
    free(own->values);
    free(own);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    size_t bytes = (size_t)sizes[0] * sizeof(float);
    state *own = calloc(1, sizeof *own);
    *out = own;
    if (!own || !(own->values = malloc(bytes))) return QN_OUT_OF_MEMORY;
    own->n = sizes[0];
    for (int i = 0; i < own->n; i++) own->values[i] = (float)((i + (int)(seed % 7)) % 100);
    qn_status status = qn_buffer_create(qn_queue_device(queue), bytes, &own->x);
    if (status == QN_OK) status = qn_buffer_create(qn_queue_device(queue), bytes, &own->y);
    if (status == QN_OK) status = qn_queue_write(queue, own->x, 0, own->values, bytes, NULL);
    if (status == QN_OK) status = qn_queue_finish(queue);
    return status;
}

/* y is also an input, so it is set to 0 before the run that is checked. */
static qn_status clear(void *user, qn_queue *queue)
{
    state *own = user;
    return qn_queue_fill(queue, own->y, 0, (size_t)own->n * sizeof(float), 0, NULL);
}

static qn_status run(void *user, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    state *own = user;
    qn_event *event = NULL;
    double ignored;
    const qn_argument given[] = {qn_argument_buffer(own->x), qn_argument_buffer(own->y), qn_argument_float32(3),
                                 qn_argument_int32(own->n)};
    const qn_family_call call = {
        .arguments = given, .argument_count = 4, .problem = &own->n, .configuration = configuration};
    qn_status status = qn_family_run(&family, queue, &call, &event);
    if (status != QN_OK) return status;
    status = qn_event_seconds(event, seconds ? seconds : &ignored);
    qn_event_destroy(&event);
    return status;
}

static qn_status check(void *user, qn_queue *queue, double *largest_error)
{
    state *own = user;
    size_t bytes = (size_t)own->n * sizeof(float);
    float *y = malloc(bytes);
    if (!y) return QN_OUT_OF_MEMORY;
    qn_status status = qn_queue_read(queue, own->y, 0, y, bytes, NULL);
    if (status == QN_OK) status = qn_queue_finish(queue);
    *largest_error = 0;
    for (int i = 0; status == QN_OK && i < own->n; i++) /* whole numbers are exact, so the tolerance is half a unit */
        *largest_error = fmax(*largest_error, 2 * fabs(y[i] - 3.0 * own->values[i]));
    free(y);
    return status;
}

static void total(const void *user, qn_work *done)
{
    work(&((const state *)user)->n, done);
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    snprintf(text, 64, "n=%d", sizes[0]);
}

static const qn_workload workload = {.name = "example/saxpy",
                                     .summary = "y = a x + y",
                                     .family = &family,
                                     .size_names = {"elements"},
                                     .gpu_sizes = {1 << 24},
                                     .cpu_sizes = {1 << 20},
                                     .create = create,
                                     .clear = clear,
                                     .run = run,
                                     .check = check,
                                     .work = total,
                                     .problem_class = problem_class,
                                     .destroy = destroy};

static int report_failure(void)
{
    fprintf(stderr, "tune_my_kernel: %s\n", qn_error_message());
    return 1;
}

int main(int argc, char **argv)
{
    qn_context *context = NULL;
    qn_device *device = NULL;
    qn_tune_store *store = NULL;
    qn_tune_result result;
    qn_tune_options options = {.size = sizeof options,
                               .tuner = {.size = sizeof(qn_tuner_options), .seed = 1, .seconds = 60},
                               .sizes = {argc > 2 ? atoi(argv[2]) : 0}};
    qn_status status = qn_context_create(NULL, &context);
    if (status == QN_OK) status = qn_device_open(context, argc > 1 ? argv[1] : "auto", &device);
    if (status == QN_OK)
        status = qn_tune_store_open(NULL, NULL, &store); /* the store keeps the results, so a second run is quick */
    options.store = store;
    if (status == QN_OK) status = qn_tune_run(device, &workload, &options, &result);
    if (status == QN_OK)
        printf("%s: %s takes %.3g ms, %.2f times as fast as the fallback; %llu tests, %s\n", workload.name, result.text,
               1e3 * result.best.objective, result.fallback.objective / result.best.objective,
               (unsigned long long)result.tests, result.finished);
    int exit_code = status == QN_OK ? 0 : report_failure();
    qn_tune_store_close(&store);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return exit_code;
}
