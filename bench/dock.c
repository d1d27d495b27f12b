/* Measure docked rotations per second: quern_bench_dock [DEVICE [SIDES [BOX [BATCH [GRIDS [SETS]]]]]] [options]
 *
 * Three ways to compute the same rotations, in one process and in turns:
 *
 *     published   the design of the published GPU version of PIPER (Sukhwani and Herbordt 2009): a library transforms
 *                 each ligand grid in a grid of full size, one kernel multiplies and sums over grids, the library makes
 *                 one whole inverse transform for each coefficient set, and one kernel filters. The library is the
 *                 fastest that the device has of cuFFT, VkFFT and FFTW; our own transforms are not tried.
 *     library     the search with transforms of the engine that it chooses itself and zero-padded inputs.
 *     fused       the search with transforms, products and filter in kernels of our own.
 *
 * SIDES: cells of the grid, "160" or "80x84x80"; BOX: cells along a side of the ligand's box; BATCH: rotations in a
 * batch of the search, 0 for the fastest of 1 … 32, which the published design always gets; GRIDS: ligand grids, 2 … 20
 * (2 for the shape and the charges, one more for each pair term); SETS: coefficient sets, one inverse transform each.
 * Receptor and ligand are random atoms, as dense as in a protein, that fill an ellipsoid (receptor) and the ball inside
 * the box (ligand). Kernels run with their tuned or shipped configurations.
 *
 * Options: --engine NAME  engine for the transforms of the published design; "own" is allowed
 *          --rotations N  rotations of one measurement of a rate (default: as many as run in some seconds)
 *          --turns N      measurements of each way (default 5)
 *          --atoms N      atoms of the ligand (default: as dense as a protein, 4000 at most)
 *
 * Prints for each stage: milliseconds, the least bytes that it must move (each input read once, each output written
 * once; a transform in three passes moves more), their share of the device's copy limit, and the share of the limit of
 * its whole work (family.h, qn_work). These times are taken by the wall clock around several launches on a finished
 * queue, because not every transform gives events. Rates are measured in the loop that `quern dock` runs, with two
 * batches under way. At the end the best cells of the three ways are compared; the exit status is 1 when they differ by
 * more than rounding errors. */
#define _POSIX_C_SOURCE 200809L
#include <getopt.h>
#include <math.h>
#include <quern/fft.h>
#include <quern/tune.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "dock_parts/fused_way.h"
#include "dock_parts/library_way.h"
#include "dock_parts/stages.h"

enum { PUBLISHED, LIBRARY, FUSED, WAYS };
enum { COMPARED = 64, TURNS_MAX = 99, BATCHES = 6 };

static const int batches[BATCHES] = {1, 2, 4, 8, 16, 32};
static const char *const way_names[WAYS] = {"published", "library", "fused"};
static const double sweep_s = 0.4, turn_s = 2, tolerance = 1e-4;

/* ---- the program's search ---- */

static qn_status open_search(const dock_bench *bench, bool fused, int batch, void **out)
{
    const qn_dock_search_options options = {.batch = batch,
                                            .per_rotation = KEEP,
                                            .engine = QN_FFT_AUTO,
                                            .path = fused ? QN_DOCK_PATH_FUSED : QN_DOCK_PATH_LIBRARY};
    qn_dock_search *search = NULL;
    *out = NULL;
    QN_TRY(qn_dock_search_create(bench->device, &bench->grid, &bench->energy, &bench->sites, bench->rotations,
                                 ROTATIONS, &options, &search));
    *out = search;
    return QN_OK;
}

static void close_search(void **pointer)
{
    qn_dock_search *search = *pointer;
    qn_dock_search_destroy(&search);
    *pointer = NULL;
}

static qn_status submit_search(void *search, int first, int slot)
{
    return qn_dock_search_submit(search, first, slot);
}

static qn_status collect_search(void *search, int slot, qn_dock_hit *hits)
{
    return qn_dock_search_collect(search, slot, hits);
}

/* ---- the loop over rotations ---- */

/* One of the three ways to dock, ready to run. */
typedef struct runner {
    const dock_bench *bench;
    int way, batch;
    qn_fft_engine engine;
    void *state; /* NULL: this way cannot run on the device */
    qn_status (*submit)(void *state, int first, int slot);
    qn_status (*collect)(void *state, int slot, qn_dock_hit *hits);
    void (*close)(void **state);
    qn_dock_hit *hits; /* of a batch */
    double rates[TURNS_MAX];
} runner;

static const char *transforms_of(int way, qn_fft_engine engine)
{
    return way == FUSED ? "the same kernels" : qn_fft_engine_name(engine);
}

static void close_runner(runner *run)
{
    if (run->state) run->close(&run->state);
    qn_release(&run->hits);
}

static qn_status open_runner(const dock_bench *bench, int way, qn_fft_engine engine, int batch, runner *run)
{
    const bool searches = way != PUBLISHED;
    *run = (runner){.bench = bench,
                    .way = way,
                    .batch = batch,
                    .engine = engine,
                    .submit = searches ? submit_search : library_way_submit,
                    .collect = searches ? collect_search : library_way_collect,
                    .close = searches ? close_search : library_way_close};
    QN_TRY(searches ? open_search(bench, way == FUSED, batch, &run->state)
                    : library_way_open(bench, engine, false, batch, &run->state));
    if (searches) run->batch = qn_dock_search_batch(run->state);
    if (way == LIBRARY) run->engine = qn_dock_search_engine(run->state);
    run->hits = bench_allocate((size_t)run->batch * (size_t)bench->sets, sizeof *run->hits);
    return QN_OK;
}

static void keep_hits(runner *run, long first, long count, qn_dock_hit *kept)
{
    const long left = count - first, sets = run->bench->sets;
    if (kept)
        memcpy(kept + first * sets, run->hits, (size_t)((left < run->batch ? left : run->batch) * sets) * sizeof *kept);
}

/* Dock `count` rotations with two batches under way at any time, as the program does. Returns the seconds. The hits go
 * to `kept`; NULL: they are dropped. */
static double run_rotations(runner *run, long count, qn_dock_hit *kept)
{
    long waiting[QN_DOCK_SLOTS] = {-1, -1};
    int slot = 0;
    double since_s = qn_clock_s();
    for (long first = 0; first < count + QN_DOCK_SLOTS * run->batch; first += run->batch, slot = !slot) {
        if (waiting[slot] >= 0) {
            bench_must(run->collect(run->state, slot, run->hits));
            keep_hits(run, waiting[slot], count, kept);
            waiting[slot] = -1;
        }
        if (first >= count) continue;
        bench_must(run->submit(run->state, (int)(first % ROTATIONS), slot));
        waiting[slot] = first;
    }
    return qn_clock_lap_s(&since_s);
}

/* Number of rotations, in whole batches, that take about `seconds`. */
static long rotations_of(runner *run, double seconds)
{
    const long batch = run->batch;
    double took_s = run_rotations(run, 2 * batch, NULL); /* warms up */
    long count = 2 * batch;
    for (took_s = run_rotations(run, count, NULL); took_s < seconds / 8; took_s = run_rotations(run, count, NULL))
        count *= 4;
    const double wanted = (double)count * seconds / took_s;
    return batch * (long)fmax(4, ceil(wanted / (double)batch));
}

/* Return the fastest batch size for a way and an engine; 0 when none runs. */
static int best_batch(const dock_bench *bench, int way, qn_fft_engine engine, double *best_rate)
{
    int best = 0;
    *best_rate = 0;
    printf("%s, transforms by %s, rotations/s of batches of", way_names[way], transforms_of(way, engine));
    for (int i = 0; i < BATCHES; i++) {
        runner run = {0};
        const bool small = bench_fits(bench, batches[i]);
        if (small && open_runner(bench, way, engine, batches[i], &run) == QN_OK) {
            const long count = rotations_of(&run, sweep_s);
            const double rate = (double)count / run_rotations(&run, count, NULL);
            printf("%s %d: %.0f", i ? "," : "", batches[i], rate);
            if (rate > *best_rate) best = batches[i];
            if (rate > *best_rate) *best_rate = rate;
        } else
            printf("%s %d: %s", i ? "," : "", batches[i], small ? qn_error_message() : "too large");
        fflush(stdout);
        close_runner(&run);
    }
    printf("\n");
    return best;
}

/* Open the published design with its fastest engine and batch size. */
static void open_published(const dock_bench *bench, runner *run)
{
    static const qn_fft_engine libraries[] = {QN_FFT_CUFFT, QN_FFT_VKFFT, QN_FFT_FFTW};
    qn_fft_engine best_engine = QN_FFT_AUTO;
    int best = 0;
    double best_rate = 0;
    const size_t count = bench->engine == QN_FFT_AUTO ? sizeof libraries / sizeof *libraries : 1;
    for (size_t i = 0; i < count; i++) {
        const qn_fft_engine engine = bench->engine == QN_FFT_AUTO ? libraries[i] : bench->engine;
        double rate;
        qn_fft_plan *plan = NULL;
        const qn_fft_options trial = {
            .size_bytes = sizeof trial, .size = {16, 16, 16}, .kind = QN_FFT_REAL_FORWARD, .engine = engine};
        if (qn_fft_plan_create(bench->device, &trial, &plan) != QN_OK) continue;
        qn_fft_plan_destroy(&plan);
        const int batch = best_batch(bench, PUBLISHED, engine, &rate);
        if (rate <= best_rate) continue;
        best = batch;
        best_rate = rate;
        best_engine = engine;
    }
    if (!best) {
        fprintf(stderr, "quern_bench_dock: no library transforms on %s (the last one: %s); expected one, or --engine\n",
                bench->info->identifier, qn_error_message());
        exit(1);
    }
    bench_must(open_runner(bench, PUBLISHED, best_engine, best, run));
}

/* Open the search with the batch size of the command line, or with the fastest. */
static void open_searcher(const dock_bench *bench, int way, runner *run)
{
    double rate;
    int batch = bench->batch;
    qn_status status = open_runner(bench, way, QN_FFT_AUTO, batch, run);
    if (status != QN_OK) {
        printf("%s: %s\n", way_names[way], qn_error_message());
        close_runner(run);
        return;
    }
    if (batch) return;
    printf("%s: the program takes batches of %d\n", way_names[way], run->batch);
    close_runner(run);
    batch = best_batch(bench, way, QN_FFT_AUTO, &rate);
    if (batch) bench_must(open_runner(bench, way, QN_FFT_AUTO, batch, run));
}

/* ---- results ---- */

static void print_table(const dock_bench *bench, const runner *run)
{
    printf("\n%s, batches of %d, transforms by %s\n", way_names[run->way], run->batch,
           transforms_of(run->way, run->engine));
    if (run->way == FUSED)
        fused_way_print(bench, run->batch);
    else
        library_way_print(bench, run->engine, run->way == LIBRARY, run->batch);
}

/* Print median, lowest and highest value of all turns. */
static void print_spread(const char *name, const double *values, int turns, int digits)
{
    double sorted[TURNS_MAX];
    memcpy(sorted, values, (size_t)turns * sizeof *values);
    qsort(sorted, (size_t)turns, sizeof *sorted, bench_by_value);
    const double shown[] = {sorted[turns / 2], sorted[0], sorted[turns - 1]};
    printf("%-20s", name);
    for (int i = 0; i < 3; i++) printf(" %9.*f", digits, shown[i]);
    printf("\n");
}

/* Print the ratio of two ways turn by turn, so that slow drifts of the machine cancel. */
static void print_ratio(const runner *runs, int way, int over, int turns)
{
    double ratios[TURNS_MAX];
    char name[64];
    if (!runs[way].state || !runs[over].state) return;
    for (int turn = 0; turn < turns; turn++) ratios[turn] = runs[way].rates[turn] / runs[over].rates[turn];
    snprintf(name, sizeof name, "%s/%s", way_names[way], way_names[over]);
    print_spread(name, ratios, turns, 3);
}

static void compare_rates(const dock_bench *bench, runner *runs)
{
    long counts[WAYS] = {0};
    for (int way = 0; way < WAYS; way++)
        if (runs[way].state)
            counts[way] = bench->turn_rotations ? bench->turn_rotations : rotations_of(&runs[way], turn_s);
    for (int turn = 0; turn < bench->turns; turn++)
        for (int i = 0; i < WAYS; i++) {
            const int way = turn % 2 ? WAYS - 1 - i : i;
            if (!runs[way].state) continue;
            runs[way].rates[turn] = (double)counts[way] / run_rotations(&runs[way], counts[way], NULL);
        }
    printf("\n%-20s %9s %9s %9s   of %d turns of", "rotations/s", "median", "lowest", "highest", bench->turns);
    for (int way = 0; way < WAYS; way++)
        if (runs[way].state) printf(" %ld", counts[way]);
    printf(" rotations\n");
    for (int way = 0; way < WAYS; way++)
        if (runs[way].state) print_spread(way_names[way], runs[way].rates, bench->turns, 1);
    print_ratio(runs, LIBRARY, PUBLISHED, bench->turns);
    print_ratio(runs, FUSED, PUBLISHED, bench->turns);
    print_ratio(runs, FUSED, LIBRARY, bench->turns);
}

/* Return whether two ways found the same hits: where cells differ, energies must agree within rounding. */
static bool compare_hits(const dock_bench *bench, int way, int over, const qn_dock_hit *found, const qn_dock_hit *other)
{
    const int count = COMPARED * bench->sets;
    int same = 0, tied = 0;
    double largest = 0;
    for (int i = 0; i < count; i++) {
        const double energy = (double)other[i].energy, apart = fabs((double)found[i].energy - energy);
        const double relative = apart / fmax(1, fabs(energy));
        same += found[i].cell == other[i].cell;
        tied += found[i].cell != other[i].cell && relative <= tolerance;
        if (!(relative <= largest)) largest = relative;
    }
    printf("%s and %s: same cells: %d of %d (%d of the others as low), energies within %.1e\n", way_names[way],
           way_names[over], same, count, tied, largest);
    return same + tied == count && largest <= tolerance;
}

static bool compare_ways(const dock_bench *bench, runner *runs)
{
    qn_dock_hit *hits[WAYS] = {NULL};
    bool same = true;
    printf("\n");
    for (int way = 0; way < WAYS; way++) {
        if (!runs[way].state) continue;
        hits[way] = bench_allocate((size_t)COMPARED * (size_t)bench->sets, sizeof **hits);
        run_rotations(&runs[way], COMPARED, hits[way]);
        for (int over = 0; over < way; over++)
            if (hits[over]) same = compare_hits(bench, way, over, hits[way], hits[over]) && same;
    }
    double lowest = 0;
    for (int i = 0; i < COMPARED * bench->sets; i++) lowest = fmin(lowest, (double)hits[PUBLISHED][i].energy);
    printf("lowest energy %.2f; %s\n", lowest, same ? "the ways agree" : "THE WAYS DIFFER");
    for (int way = 0; way < WAYS; way++) qn_release(&hits[way]);
    return same;
}

static void usage(void)
{
    fprintf(stderr, "usage: quern_bench_dock [DEVICE [SIDES [BOX [BATCH [GRIDS [SETS]]]]]] [--engine NAME] "
                    "[--rotations N] [--turns N] [--atoms N]\n");
    exit(2);
}

static void read_options(int argc, char **argv, dock_bench *bench)
{
    static const struct option options[] = {{"engine", required_argument, NULL, 'e'},
                                            {"rotations", required_argument, NULL, 'r'},
                                            {"turns", required_argument, NULL, 't'},
                                            {"atoms", required_argument, NULL, 'a'},
                                            {NULL, 0, NULL, 0}};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        bool known = false;
        switch (option) {
        case 'e':
            for (int e = QN_FFT_AUTO; e <= QN_FFT_CUFFT; e++)
                if (strcmp(optarg, qn_fft_engine_name((qn_fft_engine)e)) == 0) {
                    bench->engine = (qn_fft_engine)e;
                    known = true;
                }
            if (!known) usage();
            break;
        case 'r': bench->turn_rotations = atol(optarg); break;
        case 't': bench->turns = atoi(optarg); break;
        case 'a': bench->most_atoms = atoi(optarg); break;
        default: usage();
        }
    }
}

/* Fill `bench` from the command line. Returns the device identifier. */
static const char *read_arguments(int argc, char **argv, dock_bench *bench)
{
    int *numbers[] = {&bench->grid.box, &bench->batch, &bench->grids, &bench->sets};
    int *cells = bench->grid.cells;
    *bench = (dock_bench){.turns = 5, .most_atoms = 4000, .grids = 8, .sets = 1, .grid = {.box = 84}};
    read_options(argc, argv, bench);
    const int count = argc - optind;
    const int sides = sscanf(count > 1 ? argv[optind + 1] : "160", "%dx%dx%d", &cells[0], &cells[1], &cells[2]);
    if (sides == 1) cells[1] = cells[2] = cells[0];
    for (int i = 2; i < count && i < 6; i++) *numbers[i - 2] = atoi(argv[optind + i]);
    if (count > 6 || (sides != 1 && sides != 3) || bench->turns < 1 || bench->turns > TURNS_MAX) usage();
    for (int axis = 0; axis < 3; axis++)
        if (cells[axis] < bench->grid.box || cells[axis] > 1024 || bench->grid.box < 8) {
            fprintf(stderr,
                    "quern_bench_dock: a box of %d in a grid of %d x %d x %d cells; expected 8 at least, and no "
                    "side shorter than the box or longer than 1024\n",
                    bench->grid.box, cells[0], cells[1], cells[2]);
            exit(2);
        }
    if (bench->grids < LEAST_GRIDS || bench->grids > GRIDS_MAX || bench->sets < 1 || bench->sets > SETS_MAX ||
        bench->batch < 0 || bench->most_atoms < 1 || bench->turn_rotations < 0) {
        fprintf(stderr, "quern_bench_dock: expected %d to %d grids, 1 to %d sets, and no negative numbers\n",
                LEAST_GRIDS, GRIDS_MAX, SETS_MAX);
        exit(2);
    }
    return count > 0 ? argv[optind] : "auto";
}

int main(int argc, char **argv)
{
    dock_bench bench;
    runner runs[WAYS] = {{0}};
    qn_tune_store *store;
    const char *identifier = read_arguments(argc, argv, &bench);
    bench_must(qn_context_create(NULL, &bench.context));
    bench_must(qn_device_open(bench.context, identifier, &bench.device));
    bench_must(qn_tune_store_open(NULL, NULL, &store));
    bench_must(qn_tune_attach(
        bench.context,
        &(qn_tune_attach_options){.size = sizeof(qn_tune_attach_options), .mode = QN_TUNE_KNOWN, .store = store}));
    bench.info = qn_device_get_info(bench.device);
    bench_must(qn_device_measure(bench.device, &bench.rates));
    bench_must(qn_queue_create(bench.device, &bench.queue));
    bench_make_problem(&bench);
    printf("%s, %s: %d x %d x %d cells, ligand box %d, %d and %d atoms, %d grids, %d sets; copy limit %.0f GB/s, %.3g "
           "multiply-adds/s\n",
           bench.info->identifier, bench.info->name, bench.grid.cells[0], bench.grid.cells[1], bench.grid.cells[2],
           bench.grid.box, (int)bench.receptor.site_count, (int)bench.ligand.site_count, bench.grids, bench.sets,
           1e-9 * bench.rates.copy_bytes_per_s, bench.rates.multiply_adds_per_s);
    open_published(&bench, &runs[PUBLISHED]);
    open_searcher(&bench, LIBRARY, &runs[LIBRARY]);
    open_searcher(&bench, FUSED, &runs[FUSED]);
    for (int way = 0; way < WAYS; way++)
        if (runs[way].state) print_table(&bench, &runs[way]);
    compare_rates(&bench, runs);
    const bool same = compare_ways(&bench, runs);
    for (int way = 0; way < WAYS; way++) close_runner(&runs[way]);
    bench_release_problem(&bench);
    qn_queue_destroy(&bench.queue);
    qn_device_release(&bench.device);
    qn_context_destroy(&bench.context);
    qn_tune_store_close(&store);
    return same ? 0 : 1;
}
