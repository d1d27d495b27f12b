/* Time the histogram of the distances of all pairs: quern_bench_distance_histogram [DEVICE [ATOMS [KEY=VALUE …]]]
 *
 * Unordered pairs are counted into 400 bins of 0.05 nm. The atoms are random, as dense as the atoms of water, and
 * resident on the device. There are three cases: no box, a cube, and a rhombic dodecahedron of the same volume. Prints
 * the median of seven launches by the device's own clock, and the limit of the slowest pipe of the device. KEY=VALUE
 * sets tunables; without any, the tuned configuration is used if there is one, else the fallback. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "pairs/kernels/distance_histogram.h"
#include "tune/workload_inputs.h"

#include <quern/tune.h>

enum { BINS = 400, REPEATS = 7 };
static const double WIDTH_NM = 0.05, ATOMS_PER_NM3 = 98.3;

typedef struct bench_run {
    qn_queue *queue;
    const qn_configuration *configuration;
    qn_device_rates rates;
    float *positions, *packed;
    int atoms;
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

static qn_status time_launches(const bench_run *run, const qn_histogram_problem *problem, double *seconds,
                               uint64_t *total)
{
    float edges[BINS + 1];
    uint64_t counts[BINS];
    double times[REPEATS];
    qn_buffer *buffers[4] = {NULL};
    qn_histogram_bins_squared_edges(problem->bins, edges);
    qn_status status =
        qn_workload_make_buffer(run->queue, run->packed, (size_t)run->atoms * 4 * sizeof(float), &buffers[0]);
    if (status == QN_OK) status = qn_workload_make_buffer(run->queue, edges, sizeof edges, &buffers[1]);
    if (status == QN_OK)
        status = qn_workload_make_buffer(run->queue, problem->cell->values, sizeof problem->cell->values, &buffers[2]);
    if (status == QN_OK) status = qn_workload_make_buffer(run->queue, NULL, sizeof counts, &buffers[3]);
    for (int i = -1; i < REPEATS && status == QN_OK; i++) { /* the first one compiles and warms up */
        qn_event *event = NULL;
        status = qn_workload_fill(run->queue, buffers[3], 0);
        if (status == QN_OK)
            status = qn_distance_histogram(run->queue, run->configuration, problem, buffers[0], NULL, buffers[1],
                                           buffers[2], buffers[3], &event);
        status = qn_workload_take_seconds(status, &event, 1, &times[i < 0 ? 0 : i]);
    }
    if (status == QN_OK) status = qn_workload_read(run->queue, buffers[3], 0, counts, sizeof counts);
    *total = 0;
    for (int k = 0; k < BINS && status == QN_OK; k++) *total += counts[k];
    for (int b = 0; b < 4; b++) qn_buffer_release(&buffers[b]);
    qsort(times, REPEATS, sizeof *times, compare);
    *seconds = times[REPEATS / 2];
    return status;
}

static bool bench_cell(const bench_run *run, const char *name, const double vectors_nm[9])
{
    const qn_histogram_bins bins = {BINS, false, WIDTH_NM};
    const double pairs = 0.5 * run->atoms * (run->atoms - 1.0);
    qn_box box;
    qn_histogram_cell cell;
    qn_work work;
    const char *pipe = "";
    double seconds = 0;
    uint64_t total = 0;
    if (failed(qn_box_from_vectors(vectors_nm, &box), name) || failed(qn_histogram_cell_make(&box, &cell), name))
        return false;
    qn_histogram_pack(&box, run->positions, NULL, (size_t)run->atoms, run->packed);
    const qn_histogram_problem problem = {run->atoms, 0, &cell, &bins, 0};
    if (failed(time_launches(run, &problem, &seconds, &total), name)) return false;
    qn_pairs_distance_histogram_family.kernels[0].work(&problem, &work);
    const double limit = qn_work_limit_seconds(&work, &run->rates, &pipe);
    printf("%-14s %9d atoms %10.3f ms %8.2f G pairs/s", name, run->atoms, 1e3 * seconds, 1e-9 * pairs / seconds);
    if (limit > 0) printf("   %5.1f %% of %.3g (%s)", 100 * limit / seconds, 1e-9 * pairs / limit, pipe);
    printf("   %.4f of all pairs counted\n", (double)total / pairs);
    fflush(stdout);
    return true;
}

static bool bench_all(const bench_run *run)
{
    static const double none[9] = {0};
    const double a = cbrt(run->atoms / ATOMS_PER_NM3), d = a * cbrt(sqrt(2.0));
    const double cube[9] = {a, 0, 0, 0, a, 0, 0, 0, a};
    const double dodecahedron[9] = {d, 0, 0, 0, d, 0, d / 2, d / 2, d * sqrt(0.5)};
    for (uint64_t i = 0; i < 3 * (uint64_t)run->atoms; i++)
        run->positions[i] = (float)(0.5 * a * (1 + qn_workload_input(7, i)));
    return bench_cell(run, "no box", none) && bench_cell(run, "orthorhombic", cube) &&
           bench_cell(run, "triclinic", dodecahedron);
}

/* Read KEY=VALUE … over the fallback. */
static bool read_configuration(int count, char **words, qn_configuration *configuration)
{
    const qn_family *family = &qn_pairs_distance_histogram_family;
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
            fprintf(stderr, "%s: not a tunable of %s\n", words[w], family->name);
            return false;
        }
    }
    return true;
}

static int bench(qn_context *context, qn_device *device, int atoms, int count, char **words)
{
    qn_configuration configuration;
    bench_run run = {.atoms = atoms, .configuration = count > 0 ? &configuration : NULL};
    void *memory = NULL;
    bool good = read_configuration(count, words, &configuration) &&
                !failed(qn_tune_attach(context, &(qn_tune_attach_options){.size = sizeof(qn_tune_attach_options),
                                                                          .mode = QN_TUNE_KNOWN}),
                        "tuning results") &&
                !failed(qn_queue_create(device, &run.queue), "queue") &&
                !failed(qn_device_measure(device, &run.rates), "measuring the device") &&
                !failed(qn_allocate((size_t)atoms * 3, sizeof(float), &memory), "memory");
    run.positions = memory;
    memory = NULL;
    good = good && !failed(qn_allocate((size_t)atoms * 4, sizeof(float), &memory), "memory");
    run.packed = memory;
    if (good) printf("%s\n", qn_device_get_info(device)->name);
    good = good && bench_all(&run);
    qn_release(&run.positions);
    qn_release(&run.packed);
    qn_queue_destroy(&run.queue);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    qn_context *context = NULL;
    qn_device *device = NULL;
    int result = 1;
    const int atoms = argc > 2 ? atoi(argv[2]) : 98319;
    if (atoms < 2) {
        fprintf(stderr, "%s: no number of atoms; expected 2 or more\n", argv[2]);
        return 2;
    }
    if (!failed(qn_context_create(NULL, &context), "context") &&
        !failed(qn_device_open(context, argc > 1 ? argv[1] : "auto", &device), "device"))
        result = bench(context, device, atoms, argc - 3, argv + 3);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return result;
}
