/* How fast slices are inserted: quern_bench_reconstruct [DEVICE [SIDE [IMAGES [KEY=VALUE …]]]]
 *
 * IMAGES transformed images of padded side SIDE at random views, resident on the device, are gathered into the volume
 * (reconstruct/insert_slices) and scattered into it (reconstruct/scatter_slices, where the device runs it), with the
 * same blob and arrays. Prints the median of five launches by the device's own clock, insertions per second, what the
 * slowest pipe of the device allows, how much of that is reached, and by how much the two weights differ, relatively.
 * KEY=VALUE sets tunables of the first; without any, the configuration is the tuned one where there is one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cryoem/blob.h"
#include "reconstruct/kernels/insert_slices.h"
#include "reconstruct/kernels/scatter_slices.h"
#include "tune/workload_inputs.h"

#include <quern/tune.h>

enum { REPEATS = 5 };
enum { IMAGES, IMAGE_WEIGHTS, MATRICES, BLOB, NUMERATOR, WEIGHT, BUFFERS };

typedef qn_status (*insert_function)(qn_queue *queue, const qn_configuration *configuration,
                                     const qn_insert_problem *problem, qn_buffer *images, qn_buffer *image_weights,
                                     qn_buffer *matrices, qn_buffer *blob_table, qn_buffer *numerator,
                                     qn_buffer *weight, qn_event **event);

typedef struct bench_run {
    qn_queue *queue;
    qn_device_rates rates;
    qn_insert_problem problem;
    qn_buffer *buffers[BUFFERS];
    size_t voxels;
} bench_run;

static bool failed(qn_status status, const char *doing)
{
    if (status != QN_OK) fprintf(stderr, "%s: %s\n", doing, qn_error_message());
    return status != QN_OK;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Uniform random rotations, from quaternions. */
static qn_status make_matrices(bench_run *run)
{
    const size_t slices = (size_t)run->problem.images;
    void *memory;
    qn_status status = qn_allocate(slices, 9 * sizeof(float), &memory);
    float *matrices = memory;
    for (size_t i = 0; i < slices && status == QN_OK; i++) {
        double q[4], length = 2;
        for (uint64_t draw = 0; length > 1 || length < 1e-3; draw++) {
            length = 0;
            for (uint64_t c = 0; c < 4; c++) {
                q[c] = (double)qn_workload_input(3 + draw, 4 * i + c);
                length += q[c] * q[c];
            }
        }
        const double s = 2 / length, w = q[0], x = q[1], y = q[2], z = q[3];
        const double rows[9] = {1 - s * (y * y + z * z), s * (x * y - w * z),     s * (x * z + w * y),
                                s * (x * y + w * z),     1 - s * (x * x + z * z), s * (y * z - w * x),
                                s * (x * z - w * y),     s * (y * z + w * x),     1 - s * (x * x + y * y)};
        for (int c = 0; c < 9; c++) matrices[9 * i + (size_t)c] = (float)rows[c];
    }
    if (status == QN_OK)
        status = qn_workload_make_buffer(run->queue, matrices, slices * 9 * sizeof(float), &run->buffers[MATRICES]);
    qn_release(&memory);
    return status;
}

static qn_status make_buffers(bench_run *run)
{
    float table[QN_BLOB_ENTRIES];
    const size_t side = (size_t)run->problem.side, pixels = side * (side / 2 + 1);
    qn_device *device = qn_queue_device(run->queue);
    run->voxels = side * pixels;
    qn_blob_table(table);
    qn_status status = make_matrices(run);
    if (status == QN_OK)
        status =
            qn_workload_make_inputs(run->queue, 1, 2 * pixels * (size_t)run->problem.images, &run->buffers[IMAGES]);
    if (status == QN_OK)
        status =
            qn_workload_make_inputs(run->queue, 2, pixels * (size_t)run->problem.images, &run->buffers[IMAGE_WEIGHTS]);
    if (status == QN_OK) status = qn_workload_make_buffer(run->queue, table, sizeof table, &run->buffers[BLOB]);
    if (status == QN_OK) status = qn_buffer_create(device, 2 * run->voxels * sizeof(float), &run->buffers[NUMERATOR]);
    if (status == QN_OK) status = qn_buffer_create(device, run->voxels * sizeof(float), &run->buffers[WEIGHT]);
    return status;
}

/* The first launch compiles and warms up; weights [voxels] gets what the last one gave. */
static qn_status time_launches(const bench_run *run, insert_function insert, const qn_configuration *configuration,
                               double *seconds, float *weights)
{
    double times[REPEATS];
    qn_buffer *const *b = run->buffers;
    qn_status status = QN_OK;
    for (int i = -1; i < REPEATS && status == QN_OK; i++) {
        qn_event *event = NULL;
        double *time = &times[i < 0 ? 0 : i];
        *time = 0;
        status = qn_workload_fill(run->queue, b[NUMERATOR], 0);
        if (status == QN_OK) status = qn_workload_fill(run->queue, b[WEIGHT], 0);
        if (status == QN_OK)
            status = insert(run->queue, configuration, &run->problem, b[IMAGES], b[IMAGE_WEIGHTS], b[MATRICES], b[BLOB],
                            b[NUMERATOR], b[WEIGHT], &event);
        status = qn_workload_take_seconds(status, &event, 1, time);
    }
    qsort(times, REPEATS, sizeof *times, compare);
    *seconds = times[REPEATS / 2];
    if (status != QN_OK) return status;
    return qn_workload_read(run->queue, b[WEIGHT], 0, weights, run->voxels * sizeof *weights);
}

static void print_speed(const bench_run *run, const qn_family *family, double seconds)
{
    qn_work work;
    const char *pipe = "";
    family->kernels[0].work(&run->problem, &work);
    const double limit = qn_work_limit_seconds(&work, &run->rates, &pipe);
    printf("%-26s side %4d %6d slices %10.3f ms %10.0f insertions/s", family->name, run->problem.side,
           run->problem.images, 1e3 * seconds, run->problem.images / seconds);
    if (limit > 0) printf("   %5.1f %% of %.0f (%s)", 100 * limit / seconds, run->problem.images / limit, pipe);
    printf("\n");
    fflush(stdout);
}

static bool compare_forms(const bench_run *run, const qn_configuration *configuration, float *gathered,
                          float *scattered)
{
    double seconds, difference = 0, whole = 1e-300;
    if (failed(time_launches(run, qn_insert_slices, configuration, &seconds, gathered), "gathering")) return false;
    print_speed(run, &qn_reconstruct_insert_slices_family, seconds);
    if (qn_device_get_info(qn_queue_device(run->queue))->kind == QN_DEVICE_CPU) return true;
    if (failed(time_launches(run, qn_scatter_slices, NULL, &seconds, scattered), "scattering")) return false;
    print_speed(run, &qn_reconstruct_scatter_slices_family, seconds);
    for (size_t i = 0; i < run->voxels; i++) {
        difference += ((double)gathered[i] - (double)scattered[i]) * ((double)gathered[i] - (double)scattered[i]);
        whole += (double)scattered[i] * (double)scattered[i];
    }
    printf("weights differ by %.2g\n", sqrt(difference / whole));
    return difference <= 1e-10 * whole;
}

/* KEY=VALUE … on top of the fallback. */
static bool read_configuration(int count, char **words, qn_configuration *configuration)
{
    const qn_family *family = &qn_reconstruct_insert_slices_family;
    *configuration = qn_family_fallback(family);
    for (int w = 0; w < count; w++) {
        const char *equals = strchr(words[w], '=');
        bool known = false;
        for (int t = 0; equals && t < family->tunable_count; t++)
            if (strlen(family->tunables[t].name) == (size_t)(equals - words[w]) &&
                strncmp(family->tunables[t].name, words[w], (size_t)(equals - words[w])) == 0) {
                configuration->value[t] = atoi(equals + 1);
                known = true;
            }
        if (!known) {
            fprintf(stderr, "%s: no tunable of %s\n", words[w], family->name);
            return false;
        }
    }
    return true;
}

static int bench(qn_context *context, qn_device *device, bench_run *run, int count, char **words)
{
    qn_configuration configuration;
    void *gathered = NULL, *scattered = NULL;
    bool good = read_configuration(count, words, &configuration) &&
                !failed(qn_tune_attach(context, &(qn_tune_attach_options){.mode = QN_TUNE_KNOWN}), "tuning results") &&
                !failed(qn_queue_create(device, &run->queue), "queue") &&
                !failed(qn_device_measure(device, &run->rates), "measuring the device") &&
                !failed(make_buffers(run), "buffers") &&
                !failed(qn_allocate(run->voxels, sizeof(float), &gathered), "memory") &&
                !failed(qn_allocate(run->voxels, sizeof(float), &scattered), "memory");
    if (good) printf("%s\n", qn_device_get_info(device)->name);
    good = good && compare_forms(run, count > 0 ? &configuration : NULL, gathered, scattered);
    qn_release(&gathered);
    qn_release(&scattered);
    for (int b = 0; b < BUFFERS; b++) qn_buffer_release(&run->buffers[b]);
    qn_queue_destroy(&run->queue);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    qn_context *context = NULL;
    qn_device *device = NULL;
    int result = 1;
    bench_run run = {.problem = {.side = argc > 2 ? atoi(argv[2]) : 312,
                                 .images = argc > 3 ? atoi(argv[3]) : 64,
                                 .operators = 1,
                                 .radius = (float)QN_BLOB_RADIUS}};
    run.problem.most = 0.5f * (float)run.problem.side;
    if (run.problem.side < 4 || run.problem.images < 1) {
        fprintf(stderr, "expected a side of 4 or more and at least one image\n");
        return 2;
    }
    if (!failed(qn_context_create(&(qn_context_options){0}, &context), "context") &&
        !failed(qn_device_open(context, argc > 1 ? argv[1] : "auto", &device), "device"))
        result = bench(context, device, &run, argc > 4 ? argc - 4 : 0, argv + 4);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return result;
}
