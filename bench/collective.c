/* Time of collective variables: quern_bench_collective [REFERENCES [ATOMS [THREADS [DEVICE]]]]
 *
 * The references are a path: a random coil that is bent further from one to the next; the frame lies near the middle.
 * Each line is the median over SAMPLES of the mean time of a call. The goal is 60 µs for 50 references of 200 atoms
 * with all gradients of RMSD, on one thread.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <math.h>
#include <quern/collective.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SAMPLES = 15 };

static const double sample_s = 0.02;

typedef struct measurement {
    const char *name;
    qn_path_distance path;
    bool rmsd, drmsd, gradients;
} measurement;

typedef struct bench {
    qn_context *context;
    qn_device *device;
    size_t references, atoms;
    double *positions, *frame, *distances, *gradients, *path_gradients;
} bench;

static double clock_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double uniform(void)
{
    return 2.0 * rand() / RAND_MAX - 1;
}

/* Lengths in nm: steps of 0.38 nm, as between residues. */
static void make_structures(const bench *all)
{
    const size_t numbers = 3 * all->atoms;
    double at[3] = {0};
    for (size_t i = 0; i < all->atoms; i++)
        for (size_t k = 0; k < 3; k++) {
            at[k] += 0.38 * uniform() - 0.02 * at[k];
            all->positions[3 * i + k] = at[k];
        }
    for (size_t n = 1; n < all->references; n++)
        for (size_t i = 0; i < numbers; i++) {
            const double before = all->positions[(n - 1) * numbers + i];
            all->positions[n * numbers + i] = before + 0.05 * sin(0.02 * (double)i + (double)n) + 0.02 * uniform();
        }
    for (size_t i = 0; i < numbers; i++)
        all->frame[i] = all->positions[all->references / 2 * numbers + i] + 0.03 * uniform();
}

static int by_time(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double samples[SAMPLES])
{
    qsort(samples, SAMPLES, sizeof *samples, by_time);
    return samples[SAMPLES / 2];
}

/* seconds: by the clock, and of processors */
static qn_status time_calls(qn_collective *collective, const double *frame, qn_collective_values *values,
                            double seconds[2])
{
    double samples[2][SAMPLES];
    for (int k = -1; k < SAMPLES; k++) { /* the first sample warms up */
        const double start_s = clock_s(CLOCK_MONOTONIC), busy_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);
        double spent_s = 0;
        int calls = 0;
        for (; spent_s < sample_s; calls++, spent_s = clock_s(CLOCK_MONOTONIC) - start_s) {
            const qn_status status = qn_collective_evaluate(collective, frame, values);
            if (status != QN_OK) return status;
        }
        if (k < 0) continue;
        samples[0][k] = spent_s / calls;
        samples[1][k] = (clock_s(CLOCK_PROCESS_CPUTIME_ID) - busy_s) / calls;
    }
    for (int i = 0; i < 2; i++) seconds[i] = median(samples[i]);
    return QN_OK;
}

static qn_status measure(const bench *all, const measurement *one)
{
    qn_collective_options options = qn_collective_default_options();
    qn_collective *collective;
    double seconds[2] = {0};
    options.references = all->positions;
    options.reference_count = all->references;
    options.atom_count = all->atoms;
    options.path = one->path;
    options.drmsd = one->drmsd;
    options.device = all->device;
    qn_collective_values values = {.size = sizeof values};
    if (one->rmsd) values.rmsd = all->distances;
    if (one->rmsd && one->gradients) values.rmsd_gradients = all->gradients;
    if (one->drmsd) values.drmsd = all->distances;
    if (one->drmsd && one->gradients) values.drmsd_gradients = all->gradients;
    if (one->path != QN_PATH_NONE) {
        values.s_gradient = all->path_gradients;
        values.z_gradient = all->path_gradients + 3 * all->atoms;
    }
    qn_status status = qn_collective_create(all->context, &options, &collective);
    if (status == QN_OK) status = time_calls(collective, all->frame, &values, seconds);
    if (status == QN_OK)
        printf("%-40s %10.1f µs, %10.1f µs of processors   s = %.3f\n", one->name, 1e6 * seconds[0], 1e6 * seconds[1],
               values.s);
    qn_collective_destroy(&collective);
    return status;
}

static const measurement measurements[] = {
    {"RMSD", QN_PATH_NONE, true, false, false},
    {"RMSD and all its gradients", QN_PATH_NONE, true, false, true},
    {"s, z of RMSD² and their gradients", QN_PATH_RMSD_SQUARED, false, false, false},
    {"s, z of RMSD², RMSD and all gradients", QN_PATH_RMSD_SQUARED, true, false, true},
    {"dRMSD", QN_PATH_NONE, false, true, false},
    {"dRMSD and all its gradients", QN_PATH_NONE, false, true, true},
    {"s, z of dRMSD² and their gradients", QN_PATH_DRMSD_SQUARED, false, false, false},
};

int main(int argc, char **argv)
{
    bench all = {.references = argc > 1 ? strtoul(argv[1], NULL, 10) : 50,
                 .atoms = argc > 2 ? strtoul(argv[2], NULL, 10) : 200};
    qn_context_options options = qn_context_default_options();
    options.threads = argc > 3 ? atoi(argv[3]) : 1;
    const size_t numbers = 3 * all.atoms;
    all.positions = calloc(all.references * numbers, sizeof(double));
    all.frame = calloc(numbers, sizeof(double));
    all.distances = calloc(all.references, sizeof(double));
    all.gradients = calloc(all.references * numbers, sizeof(double));
    all.path_gradients = calloc(2 * numbers, sizeof(double));
    if (!all.positions || !all.frame || !all.distances || !all.gradients || !all.path_gradients) return 1;
    qn_status status = qn_context_create(&options, &all.context);
    if (status == QN_OK && argc > 4) status = qn_device_open(all.context, argv[4], &all.device);
    make_structures(&all);
    printf("%zu references of %zu atoms, %d threads, %s\n", all.references, all.atoms, options.threads,
           argc > 4 ? argv[4] : "double precision");
    for (size_t i = 0; i < sizeof measurements / sizeof *measurements && status == QN_OK; i++) {
        const measurement *one = &measurements[i];
        const bool large = all.references * all.atoms * all.atoms > (size_t)1 << 28; /* 2 GiB of distances */
        if (all.device || !large || (!one->drmsd && one->path != QN_PATH_DRMSD_SQUARED)) status = measure(&all, one);
    }
    if (status != QN_OK) fprintf(stderr, "quern_bench_collective: %s\n", qn_error_message());
    qn_device_release(&all.device);
    qn_context_destroy(&all.context);
    free(all.positions);
    free(all.frame);
    free(all.distances);
    free(all.gradients);
    free(all.path_gradients);
    return status == QN_OK ? 0 : 1;
}
