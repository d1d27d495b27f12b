/* Time the insertion of slices: quern_bench_reconstruct [DEVICE [SIDE [IMAGES [KEY=VALUE …]]]]
 *
 * Transformed images at uniform random views, resident on the device, are inserted into a volume of padded side SIDE
 * twice with the same blob and arrays: by gathering (reconstruct/insert_slices) and by scattering
 * (reconstruct/scatter_slices, if the device runs it). There are two ways to measure:
 *
 * Without `total`: prints the median of five launches of IMAGES images by the device's own clock, nanoseconds for each
 * visited voxel, and the relative difference between the weights of the two kernels.
 *
 * With total=N: times a whole run by the wall clock, after one launch to compile. IMAGES images are inserted again and
 * again, `launch` (default 512) of them in a launch, with 61 sets of views, until N are inserted; sums settle after at
 * most 2^13 insertions. The workload of Brome mosaic virus: quern_bench_reconstruct cuda:0 312 4096 image_side=156
 * spacing=2 total=1826160
 *
 * Both print insertions per second, the least time of the work on each pipe (family.h, qn_work), the limit, which is
 * the longest of these times, and the share of the limit that was reached.
 *
 * KEY=VALUE: image_side, spacing, most (as in qn_insert_problem; by default up to the images' Nyquist
 * frequency), total, launch, scatter=0 (do not measure scattering), tune=online (search for the configuration during
 * the run). Keys in upper case are tunables of insert_slices; without any, the tuned configuration is used if there is
 * one, else the fallback. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "cryoem/blob.h"
#include "math/rotation.h"
#include "reconstruct/kernels/insert_slices.h"
#include "reconstruct/kernels/scatter_slices.h"
#include "tune/workload_inputs.h"

#include <quern/tune.h>

enum { REPEATS = 5, GROUPS_MAX = 64, VIEW_SETS = 61 };
enum { NUMERATOR, WEIGHT, NUMERATOR_TOTAL, NUMERATOR_LOW, WEIGHT_TOTAL, WEIGHT_LOW, SUMS };

typedef qn_status (*insert_function)(qn_queue *queue, const qn_configuration *configuration,
                                     const qn_insert_problem *problem, qn_buffer *images, qn_buffer *image_weights,
                                     qn_buffer *matrices, qn_buffer *blob_table, qn_buffer *numerator,
                                     qn_buffer *weight, qn_event **event);

typedef struct bench_run {
    qn_queue *queue;
    qn_device_rates rates;
    qn_insert_problem problem; /* of a launch */
    int images;                /* images on the device */
    double total;              /* insertions of a whole run; 0: launches one by one */
    bool scatter, online, has_configuration;
    qn_configuration configuration;
    int groups, view_sets;                                         /* of problem.images each */
    qn_buffer *image_group[GROUPS_MAX], *weight_group[GROUPS_MAX]; /* [images][n][n/2 + 1] of each */
    qn_buffer *matrices[VIEW_SETS], *blob, *sums[SUMS];
    size_t voxels;
} bench_run;

static bool failed(qn_status status, const char *doing)
{
    if (status != QN_OK) fprintf(stderr, "%s: %s\n", doing, qn_error_message());
    return status != QN_OK;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- images and views ---- */

static qn_status make_matrices(bench_run *run, int set)
{
    const size_t slices = (size_t)run->problem.images;
    void *memory;
    qn_status status = qn_allocate(slices, 9 * sizeof(float), &memory);
    float *matrices = memory;
    for (size_t i = 0; i < slices && status == QN_OK; i++) {
        double rotation[9];
        qn_rotation_from_seed(1 + (uint64_t)set * slices + i, rotation);
        for (size_t c = 0; c < 9; c++) matrices[9 * i + c] = (float)rotation[c];
    }
    if (status == QN_OK)
        status = qn_workload_make_buffer(run->queue, matrices, slices * 9 * sizeof(float), &run->matrices[set]);
    qn_release(&memory);
    return status;
}

static qn_status make_buffers(bench_run *run)
{
    float table[QN_BLOB_ENTRIES];
    const qn_insert_shape shape = qn_insert_shape_of(&run->problem);
    const size_t pixels = shape.image_pixels * (size_t)run->problem.images;
    qn_device *device = qn_queue_device(run->queue);
    qn_status status = QN_OK;
    run->voxels = shape.plane_voxels * (size_t)shape.planes;
    qn_blob_table(table);
    for (int set = 0; set < run->view_sets && status == QN_OK; set++) status = make_matrices(run, set);
    for (int g = 0; g < run->groups && status == QN_OK; g++) {
        status = qn_workload_make_inputs(run->queue, 1 + 2 * (uint64_t)g, 2 * pixels, &run->image_group[g]);
        if (status == QN_OK)
            status = qn_workload_make_inputs(run->queue, 2 + 2 * (uint64_t)g, pixels, &run->weight_group[g]);
    }
    if (status == QN_OK) status = qn_workload_make_buffer(run->queue, table, sizeof table, &run->blob);
    for (int s = 0; s < (run->total > 0 ? SUMS : 2) && status == QN_OK; s++) {
        const bool of_weights = s == WEIGHT || s == WEIGHT_TOTAL || s == WEIGHT_LOW;
        status = qn_buffer_create(device, (of_weights ? 1 : 2) * run->voxels * sizeof(float), &run->sums[s]);
    }
    return status;
}

static void release_buffers(bench_run *run)
{
    for (int g = 0; g < run->groups; g++) {
        qn_buffer_release(&run->image_group[g]);
        qn_buffer_release(&run->weight_group[g]);
    }
    for (int set = 0; set < run->view_sets; set++) qn_buffer_release(&run->matrices[set]);
    for (int s = 0; s < SUMS; s++) qn_buffer_release(&run->sums[s]);
    qn_buffer_release(&run->blob);
}

/* ---- measuring ---- */

static qn_status launch(const bench_run *run, insert_function insert, const qn_insert_problem *problem, long number,
                        qn_event **event)
{
    const int group = (int)(number % run->groups), set = (int)(number % run->view_sets);
    const bool gathers = insert == qn_insert_slices && run->has_configuration;
    return insert(run->queue, gathers ? &run->configuration : NULL, problem, run->image_group[group],
                  run->weight_group[group], run->matrices[set], run->blob, run->sums[NUMERATOR], run->sums[WEIGHT],
                  event);
}

static qn_status clear_sums(const bench_run *run)
{
    for (int s = 0; s < SUMS; s++)
        if (run->sums[s]) QN_TRY(qn_workload_fill(run->queue, run->sums[s], 0));
    return qn_queue_finish(run->queue);
}

/* Time several launches. The first one compiles and warms up; weights [voxels] receives the result of the last one. */
static qn_status time_launches(const bench_run *run, insert_function insert, double *seconds, float *weights)
{
    double times[REPEATS];
    qn_status status = QN_OK;
    for (int i = -1; i < REPEATS && status == QN_OK; i++) {
        qn_event *event = NULL;
        double *time = &times[i < 0 ? 0 : i];
        *time = 0;
        status = clear_sums(run);
        if (status == QN_OK) status = launch(run, insert, &run->problem, 0, &event);
        status = qn_workload_take_seconds(status, &event, 1, time);
    }
    qsort(times, REPEATS, sizeof *times, compare);
    *seconds = times[REPEATS / 2];
    if (status != QN_OK) return status;
    return qn_workload_read(run->queue, run->sums[WEIGHT], 0, weights, run->voxels * sizeof *weights);
}

static qn_status settle(const bench_run *run)
{
    qn_buffer *const *sums = run->sums;
    QN_TRY(qn_insert_settle(run->queue, 2 * run->voxels, sums[NUMERATOR], sums[NUMERATOR_TOTAL], sums[NUMERATOR_LOW],
                            NULL));
    return qn_insert_settle(run->queue, run->voxels, sums[WEIGHT], sums[WEIGHT_TOTAL], sums[WEIGHT_LOW], NULL);
}

/* Time `total` insertions. weights [voxels] receives the sums, *settled the number of times that they settled. */
static qn_status time_run(const bench_run *run, insert_function insert, double *seconds, int *settled, float *weights)
{
    long number = 0, since = 0;
    QN_TRY(launch(run, insert, &run->problem, 0, NULL));
    QN_TRY(settle(run));
    QN_TRY(clear_sums(run));
    const double start_s = now_s();
    *settled = 0;
    for (double done = 0; done < run->total; number++) {
        qn_insert_problem problem = run->problem;
        problem.images = (int)fmin(run->total - done, problem.images);
        QN_TRY(launch(run, insert, &problem, number, NULL));
        done += problem.images;
        since += problem.images;
        if (since + run->problem.images <= QN_INSERT_BEFORE_SETTLING_MAX && done < run->total) continue;
        QN_TRY(settle(run));
        since = 0;
        ++*settled;
    }
    QN_TRY(qn_queue_finish(run->queue));
    *seconds = now_s() - start_s;
    return qn_workload_read(run->queue, run->sums[WEIGHT_TOTAL], 0, weights, run->voxels * sizeof *weights);
}

/* ---- printing ---- */

static void add_work(qn_work *sum, const qn_work *work, double times)
{
    sum->bytes_read += times * work->bytes_read;
    sum->bytes_written += times * work->bytes_written;
    sum->multiply_adds += times * work->multiply_adds;
}

static void print_speed(const bench_run *run, const qn_family *family, double seconds, int settled)
{
    qn_work launch_work, settle_work, work = {0};
    const double insertions = run->total > 0 ? run->total : run->problem.images;
    const size_t floats = 3 * run->voxels;
    family->kernels[0].work(&run->problem, &launch_work);
    qn_reconstruct_insert_slices_family.kernels[1].work(&floats, &settle_work);
    add_work(&work, &launch_work, insertions / run->problem.images);
    add_work(&work, &settle_work, settled);
    const qn_work traffic = {.bytes_read = work.bytes_read, .bytes_written = work.bytes_written};
    const qn_work issue = {.multiply_adds = work.multiply_adds};
    const double traffic_s = qn_work_limit_seconds(&traffic, &run->rates, NULL);
    const double issue_s = qn_work_limit_seconds(&issue, &run->rates, NULL), limit = fmax(traffic_s, issue_s);
    printf("%-26s P %d, n %d, spacing %g: %.0f insertions, %.4g s, %.0f insertions/s", family->name, run->problem.side,
           qn_insert_shape_of(&run->problem).image_side, qn_insert_shape_of(&run->problem).spacing, insertions, seconds,
           insertions / seconds);
    if (limit > 0)
        printf("; limit %.4g s (traffic %.4g, multiply-adds %.4g), %.1f %% of it", limit, traffic_s, issue_s,
               100 * limit / seconds);
    if (run->total > 0) printf("; settled %d times", settled);
    printf("\n");
    fflush(stdout);
}

/* Print the visited voxels of an insertion: the half disc up to the limit, twice the blob's radius thick. */
static void print_visits(const bench_run *run, double seconds)
{
    const qn_insert_shape shape = qn_insert_shape_of(&run->problem);
    const double radius = (double)run->problem.radius;
    const double across = fmin(shape.most, run->problem.side / 2.0);
    const double visits = run->problem.images * 3.14159265358979 * across * across * radius;
    printf("%.3g voxels visited per insertion, %.3g ns per visit\n", visits / run->problem.images,
           1e9 * seconds / visits);
}

static void print_gains(qn_context *context)
{
    qn_tune_gain gains[8];
    size_t count = 0;
    if (failed(qn_tune_gains(context, gains, 8, &count), "gains of tuning")) return;
    for (size_t i = 0; i < count && i < 8; i++) {
        char origin[256];
        qn_tune_origin_text(gains[i].origin, gains[i].nearness, gains[i].found_on, origin, sizeof origin);
        printf(
            "%s (%s): %s (%s), %llu tests, %llu failed, %.2f times the speed of the first configuration, %.3g s lost\n",
            gains[i].family, gains[i].problem_class, gains[i].configuration, origin, (unsigned long long)gains[i].tests,
            (unsigned long long)gains[i].failed, gains[i].speedup, gains[i].lost_seconds);
    }
}

static bool measure(const bench_run *run, insert_function insert, const qn_family *family, double *seconds,
                    float *weights)
{
    int settled = 0;
    const qn_status status = run->total > 0 ? time_run(run, insert, seconds, &settled, weights)
                                            : time_launches(run, insert, seconds, weights);
    if (failed(status, family->name)) return false;
    print_speed(run, family, *seconds, settled);
    if (run->total == 0) print_visits(run, *seconds);
    return true;
}

static bool compare_forms(qn_context *context, const bench_run *run, float *gathered, float *scattered)
{
    double gather_s, scatter_s, difference = 0, whole = 1e-300;
    const bool on_cores = qn_device_get_info(qn_queue_device(run->queue))->kind == QN_DEVICE_CPU;
    if (!measure(run, qn_insert_slices, &qn_reconstruct_insert_slices_family, &gather_s, gathered)) return false;
    if (run->online) print_gains(context);
    if (on_cores || !run->scatter) return true;
    if (!measure(run, qn_scatter_slices, &qn_reconstruct_scatter_slices_family, &scatter_s, scattered)) return false;
    for (size_t i = 0; i < run->voxels; i++) {
        difference += ((double)gathered[i] - (double)scattered[i]) * ((double)gathered[i] - (double)scattered[i]);
        whole += (double)scattered[i] * (double)scattered[i];
    }
    printf("gathering is %.2f times as fast; weights differ by %.2g\n", scatter_s / gather_s, sqrt(difference / whole));
    return difference <= 1e-10 * whole;
}

/* ---- the command line ---- */

static bool set_tunable(bench_run *run, const char *name, size_t length, int value)
{
    const qn_family *family = &qn_reconstruct_insert_slices_family;
    for (int t = 0; t < family->tunable_count; t++)
        if (strlen(family->tunables[t].name) == length && strncmp(family->tunables[t].name, name, length) == 0) {
            run->configuration.value[t] = value;
            return run->has_configuration = true;
        }
    return false;
}

static bool set_key(bench_run *run, const char *word)
{
    const char *equals = strchr(word, '=');
    const size_t length = equals ? (size_t)(equals - word) : 0;
    const double value = equals ? atof(equals + 1) : 0;
    if (length == 0) return false;
#define IS(name) (length == strlen(name) && strncmp(word, name, length) == 0)
    if (IS("image_side"))
        run->problem.image_side = (int)value;
    else if (IS("spacing"))
        run->problem.spacing = (float)value;
    else if (IS("most"))
        run->problem.most = (float)value;
    else if (IS("total"))
        run->total = value;
    else if (IS("launch"))
        run->problem.images = (int)value;
    else if (IS("scatter"))
        run->scatter = value != 0;
    else if (IS("tune"))
        run->online = strcmp(equals + 1, "online") == 0;
    else
        return set_tunable(run, word, length, (int)value);
#undef IS
    return true;
}

static bool read_arguments(int argc, char **argv, bench_run *run)
{
    run->configuration = qn_family_fallback(&qn_reconstruct_insert_slices_family);
    run->problem = (qn_insert_problem){.side = argc > 2 ? atoi(argv[2]) : 312,
                                       .operators = 1,
                                       .radius = (float)QN_BLOB_RADIUS,
                                       .most = QN_INSERT_SIDE_MAX};
    run->images = argc > 3 ? atoi(argv[3]) : 64;
    run->scatter = true;
    for (int w = 4; w < argc; w++)
        if (!set_key(run, argv[w])) {
            fprintf(stderr, "%s: neither a key nor a tunable of %s\n", argv[w],
                    qn_reconstruct_insert_slices_family.name);
            return false;
        }
    if (run->problem.side < 4 || run->images < 1) {
        fprintf(stderr, "expected a side of 4 or more and at least one image\n");
        return false;
    }
    if (run->problem.images == 0) run->problem.images = run->total > 0 && run->images > 512 ? 512 : run->images;
    if (run->total == 0) run->problem.images = run->images;
    run->groups = run->images / run->problem.images;
    run->view_sets = run->total > 0 ? VIEW_SETS : 1;
    if (run->groups >= 1 && run->groups <= GROUPS_MAX) return true;
    fprintf(stderr, "%d images per launch; expected %d or fewer, and at most %d launches for all images\n",
            run->problem.images, run->images, GROUPS_MAX);
    return false;
}

static int bench(qn_context *context, qn_device *device, bench_run *run)
{
    void *gathered = NULL, *scattered = NULL;
    const qn_tune_attach_options tuning = {
        .size = sizeof tuning, .mode = run->online ? QN_TUNE_ONLINE : QN_TUNE_KNOWN, .seed = 1};
    bool good = !failed(qn_insert_problem_check(&run->problem, "reconstruct/insert_slices"), "problem") &&
                !failed(qn_tune_attach(context, &tuning), "tuning results") &&
                !failed(qn_queue_create(device, &run->queue), "queue") &&
                !failed(qn_device_measure(device, &run->rates), "measuring the device") &&
                !failed(make_buffers(run), "buffers") &&
                !failed(qn_allocate(run->voxels, sizeof(float), &gathered), "memory") &&
                !failed(qn_allocate(run->voxels, sizeof(float), &scattered), "memory");
    if (good)
        printf("%s: %.4g multiply-adds/s, memory %.4g bytes/s\n", qn_device_get_info(device)->name,
               run->rates.multiply_adds_per_s, run->rates.copy_bytes_per_s);
    good = good && compare_forms(context, run, gathered, scattered);
    qn_release(&gathered);
    qn_release(&scattered);
    release_buffers(run);
    qn_queue_destroy(&run->queue);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    qn_context *context = NULL;
    qn_device *device = NULL;
    int result = 1;
    static bench_run run;
    if (!read_arguments(argc, argv, &run)) return 2;
    if (!failed(qn_context_create(NULL, &context), "context") &&
        !failed(qn_device_open(context, argc > 1 ? argv[1] : "auto", &device), "device"))
        result = bench(context, device, &run);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return result;
}
