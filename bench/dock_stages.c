/* quern_bench_dock_stages [DEVICE [SIDE [BOX [BATCH [GRIDS [SETS]]]]]]: time, bytes and share of the copy limit of each
 * stage of a docking rotation on random data: GRIDS ligand grids (2 for rpsc, 2 + terms for piper) and SETS coefficient
 * sets, one inverse transform each.
 *
 * Times are medians of wall-clock time around several launches on a finished queue, as not every transform gives
 * events. Bytes are what a stage must move at least: each input read once, each output written once;
 * a transform in three passes moves more. */
#include <quern/fft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "dock/kernels/best_cells.h"
#include "dock/kernels/correlate.h"
#include "dock/kernels/ligand_grids.h"

enum { RUNS = 15, ATOMS = 1622, ROTATIONS = 64, MOST_GRIDS = 21 };

typedef struct bench {
    qn_context *context;
    qn_device *device;
    qn_queue *queue;
    double copy_bytes_per_s;
    int side, box, batch, grid_count, set_count;
    size_t volume, bins;
    qn_ligand_grids_problem ligand;
    qn_correlate_problem correlate;
    qn_best_cells_problem best;
    qn_fft_plan *forward, *inverse;
    qn_buffer *atoms, *weights, *rotations, *boxes, *grids, *spectra, *receptor, *products, *scores, *scratch,
        *energies, *cells;
} bench;

static void must(qn_status status)
{
    if (status == QN_OK) return;
    fprintf(stderr, "quern_bench_dock_stages: %s\n", qn_error_message());
    exit(1);
}

static qn_buffer *make_buffer(bench *b, size_t bytes, bool random)
{
    qn_buffer *buffer = NULL;
    must(qn_buffer_create(b->device, bytes, &buffer));
    must(qn_queue_fill(b->queue, buffer, 0, bytes, 0, NULL));
    if (!random) return buffer;
    float *data = malloc(bytes);
    for (size_t i = 0; data && i < bytes / sizeof *data; i++) data[i] = (float)(rand() % 2001 - 1000) * 1e-3f;
    if (data) must(qn_queue_write(b->queue, buffer, 0, data, bytes, NULL));
    must(qn_queue_finish(b->queue));
    free(data);
    return buffer;
}

/* Atoms on a line through the box, identity-like rotations: any places do for timing. */
static void make_ligand(bench *b)
{
    static int32_t atoms[ATOMS * QN_LIGAND_ATOM_INTS], weights[MOST_GRIDS * ATOMS],
        rotations[ROTATIONS * QN_ROTATION_INTS];
    const int reach = (b->box / 2 - 3) * 4096 / 2;
    for (int i = 0; i < ATOMS; i++)
        for (int axis = 0; axis < 3; axis++) atoms[QN_LIGAND_ATOM_INTS * i + axis] = rand() % (2 * reach) - reach;
    for (int i = 0; i < MOST_GRIDS * ATOMS; i++) weights[i] = i < ATOMS ? 1 << 20 : rand() % (1 << 20) - (1 << 19);
    for (int r = 0; r < ROTATIONS; r++)
        for (int k = 0; k < 9; k += 4) rotations[QN_ROTATION_INTS * r + k] = 1 << 30;
    b->atoms = make_buffer(b, sizeof atoms, false);
    b->weights = make_buffer(b, sizeof weights, false);
    b->rotations = make_buffer(b, sizeof rotations, false);
    must(qn_queue_write(b->queue, b->atoms, 0, atoms, sizeof atoms, NULL));
    must(qn_queue_write(b->queue, b->weights, 0, weights, sizeof weights, NULL));
    must(qn_queue_write(b->queue, b->rotations, 0, rotations, sizeof rotations, NULL));
    must(qn_queue_finish(b->queue));
}

static void prepare(bench *b)
{
    const int n = b->side;
    size_t batch = (size_t)b->batch, box = (size_t)b->box, grids = (size_t)b->grid_count, sets = (size_t)b->set_count;
    b->volume = (size_t)n * (size_t)n * (size_t)n;
    b->bins = ((size_t)n / 2 + 1) * (size_t)n * (size_t)n;
    b->ligand = (qn_ligand_grids_problem){ATOMS,  b->grid_count,  1,       ROTATIONS, b->batch,
                                          b->box, b->box / 2 - 1, 1 << 20, {n, n, n}};
    b->correlate = (qn_correlate_problem){b->grid_count, (int)b->bins, b->batch, b->set_count};
    b->best = (qn_best_cells_problem){
        {n, n, n}, {1 - n / 2, 1 - n / 2, 1 - n / 2}, {n / 2, n / 2, n / 2}, b->batch * b->set_count, 1, 3};
    make_ligand(b);
    b->boxes = make_buffer(b, batch * grids * box * box * box * 4, false);
    b->grids = make_buffer(b, batch * grids * b->volume * 4, false);
    b->spectra = make_buffer(b, batch * grids * b->bins * 8, true);
    b->receptor = make_buffer(b, sets * grids * b->bins * 8, true);
    b->products = make_buffer(b, sets * batch * b->bins * 8, false);
    b->scores = make_buffer(b, sets * batch * b->volume * 4, true);
    b->scratch = make_buffer(b, qn_best_cells_scratch_bytes(&b->best), false);
    b->energies = make_buffer(b, sets * batch * 4, false);
    b->cells = make_buffer(b, sets * batch * 4, false);
    must(qn_fft_plan_create(b->device,
                            &(qn_fft_options){.size = {n, n, n},
                                              .filled = {b->box, b->box, b->box},
                                              .batch = b->batch * b->grid_count,
                                              .kind = QN_FFT_REAL_FORWARD},
                            &b->forward));
    must(qn_fft_plan_create(b->device,
                            &(qn_fft_options){.size = {n, n, n},
                                              .batch = b->batch * b->set_count,
                                              .kind = QN_FFT_REAL_INVERSE,
                                              .engine = qn_fft_plan_engine(b->forward)},
                            &b->inverse));
}

static qn_status spread(bench *b)
{
    return qn_ligand_grids_spread(b->queue, NULL, &b->ligand, b->atoms, b->weights, b->rotations, 0, b->boxes, NULL);
}
static qn_status settle(bench *b)
{
    return qn_ligand_grids_settle(b->queue, NULL, &b->ligand, b->boxes, b->grids, NULL);
}
static qn_status forward(bench *b)
{
    return qn_fft_execute(b->forward, b->queue, b->grids, b->spectra, NULL);
}
static qn_status correlate(bench *b)
{
    return qn_correlate(b->queue, NULL, &b->correlate, b->receptor, b->spectra, b->products, NULL);
}
static qn_status inverse(bench *b)
{
    return qn_fft_execute(b->inverse, b->queue, b->products, b->scores, NULL);
}
static qn_status best(bench *b)
{
    return qn_best_cells(b->queue, NULL, &b->best, b->scores, b->scratch, b->energies, b->cells, NULL);
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Seconds of one launch: the median over runs of several launches between two finished queues. */
static double time_stage(bench *b, qn_status (*stage)(bench *b))
{
    enum { LAUNCHES = 8 };
    double seconds[RUNS];
    must(stage(b));
    must(qn_queue_finish(b->queue));
    for (int run = 0; run < RUNS; run++) {
        double start_s = qn_clock_s();
        for (int launch = 0; launch < LAUNCHES; launch++) must(stage(b));
        must(qn_queue_finish(b->queue));
        seconds[run] = (qn_clock_s() - start_s) / LAUNCHES;
    }
    qsort(seconds, RUNS, sizeof *seconds, by_value);
    return seconds[RUNS / 2];
}

static void report(bench *b, const char *name, qn_status (*stage)(bench *b), double megabytes)
{
    double ms = 1e3 * time_stage(b, stage) / b->batch;
    printf("%-14s %9.4f %9.1f %9.2f\n", name, ms, megabytes, megabytes * 1e6 / (ms * 1e-3) / b->copy_bytes_per_s);
}

int main(int argc, char **argv)
{
    bench b = {.side = argc > 2 ? atoi(argv[2]) : 160,
               .box = argc > 3 ? atoi(argv[3]) : 84,
               .batch = argc > 4 ? atoi(argv[4]) : 16,
               .grid_count = argc > 5 ? atoi(argv[5]) : 6,
               .set_count = argc > 6 ? atoi(argv[6]) : 1};
    if (b.grid_count < 2 || b.grid_count > MOST_GRIDS || b.set_count < 1) {
        fprintf(stderr, "quern_bench_dock_stages: expected 2 to %d grids and at least one set\n", MOST_GRIDS);
        return 2;
    }
    qn_device_rates rates;
    must(qn_context_create(&(qn_context_options){0}, &b.context));
    must(qn_device_open(b.context, argc > 1 ? argv[1] : "auto", &b.device));
    must(qn_device_measure(b.device, &rates));
    b.copy_bytes_per_s = rates.copy_bytes_per_s;
    must(qn_queue_create(b.device, &b.queue));
    prepare(&b);
    double voxels = 1e-6 * b.box * b.box * b.box, volume = 1e-6 * (double)b.volume, bins = 1e-6 * (double)b.bins;
    printf("%s, %d cells a side, ligand box %d, %d grids, %d sets, batches of %d, transforms by %s; copy limit %.0f "
           "GB/s\n",
           qn_device_get_info(b.device)->name, b.side, b.box, b.grid_count, b.set_count, b.batch,
           qn_fft_engine_name(qn_fft_plan_engine(b.forward)), 1e-9 * rates.copy_bytes_per_s);
    printf("%-14s %9s %9s %9s   of one rotation\n", "stage", "ms", "MB", "of copy");
    const int grids = b.grid_count, sets = b.set_count;
    report(&b, "spread", spread, 1e-6 * ATOMS * (32 + 4 * grids + 8 * (grids + 7)));
    report(&b, "settle", settle, voxels * grids * 12);
    report(&b, "forward", forward, grids * (voxels * 4 + bins * 8));
    report(&b, "correlate", correlate, bins * 8 * (grids + sets + (double)grids * sets / b.batch));
    report(&b, "inverse", inverse, sets * (bins * 8 + volume * 4));
    report(&b, "best cells", best, sets * volume * 4);
    return 0;
}
