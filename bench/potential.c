/* Time the electrostatic kernels of potential maps: quern_bench_potential [DEVICE [POINTS [ATOMS]]] [KEY=VALUE …]
 *
 * A cube of POINTS³ points, 0.375 Å apart, around a ball of ATOMS random charges as dense as a protein. Prints for each
 * launch of the electrostatic map, and for plain Coulomb sums, the median of seven launches by the device's own clock
 * and the share of the limit that the device's slowest pipe sets. KEY=VALUE sets tunables of the electrostatic map;
 * without any, the tuned configuration is used if there is one, else the fallback. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "potential/maps/coulomb.h"
#include "potential/maps/electrostatics.h"
#include "potential/maps/kernels/electrostatics.h"
#include "tune/workload_inputs.h"

#include <quern/tune.h>

enum { REPEATS = 7, ENTRIES = 16384 };

typedef struct bench_run {
    qn_queue *queue;
    const qn_configuration *configuration;
    qn_device_rates rates;
    qn_potential_grid grid;
    size_t atoms;
    double *positions, *charges, *screening;
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

static double median(double *times)
{
    qsort(times, REPEATS, sizeof *times, compare);
    return times[REPEATS / 2];
}

/* Random charges in a ball, and Mehler and Solmajer's dielectric. */
static void make_inputs(bench_run *run)
{
    const double radius = cbrt(0.75 * (double)run->atoms / (3.14159265 * 0.063));
    uint64_t next = 0;
    for (size_t a = 0; a < run->atoms; a++) {
        double *at = run->positions + 3 * a, squared;
        do {
            squared = 0;
            for (int axis = 0; axis < 3; axis++) {
                at[axis] = 1e-3 * (double)lround(1e3 * radius * (double)qn_workload_input(1, next++));
                squared += at[axis] * at[axis];
            }
        } while (squared > radius * radius);
        run->charges[a] = 0.4 * (double)qn_workload_input(2, a);
    }
    for (int i = 0; i < ENTRIES; i++)
        run->screening[i] = 0.1406 * 332 / (i ? -8.5525 + 86.9525 / (1 + 7.7839 * exp(-0.31537671 * 0.01 * i)) : 1);
}

static void print_line(const bench_run *run, const char *name, double seconds, const qn_work *work)
{
    const char *pipe = "";
    const double limit = qn_work_limit_seconds(work, &run->rates, &pipe);
    printf("%-16s %10.3f ms", name, 1e3 * seconds);
    if (limit > 0) printf("  %5.1f %% of the limit %.3f ms (%s)", 100 * limit / seconds, 1e3 * limit, pipe);
    printf("\n");
    fflush(stdout);
}

static qn_status time_electrostatics(const bench_run *run, qn_electrostatics *electrostatics, qn_buffer *potential)
{
    static const char *const names[QN_ELECTROSTATICS_LAUNCHES] = {"nodes", "expand x", "expand y", "points"};
    double times[QN_ELECTROSTATICS_LAUNCHES + 1][REPEATS];
    qn_work work;
    for (int i = -1; i < REPEATS; i++) { /* the first one compiles and warms up */
        qn_event *events[QN_ELECTROSTATICS_LAUNCHES] = {NULL};
        qn_electrostatics_forget(electrostatics);
        double sum = 0;
        qn_status status = qn_electrostatics_planes(electrostatics, 0, run->grid.points[2], potential, events);
        for (int k = 0; k < QN_ELECTROSTATICS_LAUNCHES; k++) {
            double *seconds = &times[k][i < 0 ? 0 : i];
            *seconds = 0;
            status = qn_workload_take_seconds(status, &events[k], 1, seconds);
            sum += *seconds;
        }
        times[QN_ELECTROSTATICS_LAUNCHES][i < 0 ? 0 : i] = sum;
        if (status != QN_OK) return status;
    }
    for (int k = 0; k < QN_ELECTROSTATICS_LAUNCHES; k++) {
        qn_electrostatics_work(electrostatics, k, &work);
        print_line(run, names[k], median(times[k]), &work);
    }
    printf("%-16s %10.3f ms\n", "all of them", 1e3 * median(times[QN_ELECTROSTATICS_LAUNCHES]));
    return QN_OK;
}

static bool bench_electrostatics(const bench_run *run)
{
    qn_electrostatics_input input = {.grid = run->grid,
                                     .atom_count = run->atoms,
                                     .positions_angstrom = run->positions,
                                     .charges_e = run->charges,
                                     .screening = run->screening,
                                     .entries = ENTRIES,
                                     .planes_max = run->grid.points[2]};
    qn_electrostatics *electrostatics = NULL;
    qn_buffer *potential = NULL;
    const double since_s = qn_clock_s();
    bool good = !failed(qn_electrostatics_create(run->queue, &input, &electrostatics), "preparing");
    printf("%-16s %10.3f ms\n", "preparation", 1e3 * (qn_clock_s() - since_s));
    qn_electrostatics_destroy(&electrostatics);
    input.counts_pairs = true;
    good = good && !failed(qn_electrostatics_create(run->queue, &input, &electrostatics), "counting") &&
           !failed(qn_buffer_create(qn_queue_device(run->queue), qn_potential_grid_size(&run->grid) * sizeof(float),
                                    &potential),
                   "memory");
    if (good) qn_electrostatics_configure(electrostatics, run->configuration);
    good = good && !failed(time_electrostatics(run, electrostatics, potential), "electrostatics");
    qn_buffer_release(&potential);
    qn_electrostatics_destroy(&electrostatics);
    return good;
}

static bool bench_coulomb(const bench_run *run)
{
    const double points = (double)qn_potential_grid_size(&run->grid), pairs = points * (double)run->atoms;
    const qn_work work = {.bytes_written = 4 * points, .multiply_adds = 3 * pairs, .reciprocal_roots = pairs};
    qn_coulomb *coulomb = NULL;
    qn_buffer *potential = NULL;
    double times[REPEATS];
    bool good =
        !failed(qn_coulomb_create(run->queue, &run->grid, run->atoms, run->positions, run->charges, 1, &coulomb),
                "plain sums") &&
        !failed(qn_buffer_create(qn_queue_device(run->queue), qn_potential_grid_size(&run->grid) * sizeof(float),
                                 &potential),
                "memory");
    for (int i = -1; i < REPEATS && good; i++)
        good =
            !failed(qn_coulomb_planes(coulomb, 0, run->grid.points[2], potential, &times[i < 0 ? 0 : i]), "plain sums");
    if (good) {
        const double seconds = median(times);
        print_line(run, "plain sums", seconds, &work);
        printf("%-16s %10.3g pairs/s\n", "", pairs / seconds);
    }
    qn_buffer_release(&potential);
    qn_coulomb_destroy(&coulomb);
    return good;
}

/* Read KEY=VALUE … over the fallback. */
static bool read_configuration(int count, char **words, qn_configuration *configuration)
{
    const qn_family *family = &qn_potential_electrostatics_family;
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

static bool allocate(size_t count, double **numbers)
{
    void *memory = NULL;
    const bool good = !failed(qn_allocate(count, sizeof(double), &memory), "memory");
    *numbers = memory;
    return good;
}

static int bench(qn_context *context, qn_device *device, int points, size_t atoms, int count, char **words)
{
    qn_configuration configuration;
    bench_run run = {.grid = {{points, points, points}, 0.375, {0}}, .atoms = atoms};
    run.configuration = count > 0 ? &configuration : NULL;
    const qn_tune_attach_options known = {.size = sizeof known, .mode = QN_TUNE_KNOWN};
    bool good = read_configuration(count, words, &configuration) &&
                !failed(qn_tune_attach(context, &known), "tuning results") &&
                !failed(qn_queue_create(device, &run.queue), "queue") &&
                !failed(qn_device_measure(device, &run.rates), "measuring the device") &&
                allocate(3 * atoms, &run.positions) && allocate(atoms, &run.charges) &&
                allocate(ENTRIES, &run.screening);
    if (good) {
        printf("%s: %d points a side, %zu atoms\n", qn_device_get_info(device)->name, points, atoms);
        make_inputs(&run);
    }
    good = good && bench_electrostatics(&run) && bench_coulomb(&run);
    qn_release(&run.positions);
    qn_release(&run.charges);
    qn_release(&run.screening);
    qn_queue_destroy(&run.queue);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    const int points = argc > 2 ? atoi(argv[2]) : 127, atoms = argc > 3 ? atoi(argv[3]) : 2702;
    qn_context *context = NULL;
    qn_device *device = NULL;
    int result = 1;
    if (points < 1 || points % 2 == 0 || atoms < 1) {
        fprintf(stderr, "quern_bench_potential [DEVICE [POINTS [ATOMS]]] [KEY=VALUE …]; POINTS is odd\n");
        return 1;
    }
    if (!failed(qn_context_create(NULL, &context), "context") && !failed(qn_device_open(context, name, &device), name))
        result = bench(context, device, points, (size_t)atoms, argc > 4 ? argc - 4 : 0, argv + 4);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return result;
}
