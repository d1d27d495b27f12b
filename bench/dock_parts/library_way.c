#include "library_way.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dock/search/kernels/best_cells.h"
#include "dock/search/kernels/correlate.h"
#include "dock/search/kernels/ligand_grids.h"
#include "stages.h"

typedef struct library_slot {
    qn_buffer *energies, *cells;
    float *energies_here;
    int32_t *cells_here;
    qn_event *done;
} library_slot;

typedef struct library_way {
    const dock_bench *bench;
    bool pruned;
    int batch, first; /* rotation that the batch begins with */
    qn_ligand_grids_problem ligand;
    qn_correlate_problem correlate;
    qn_best_cells_problem best;
    qn_fft_plan *forward, *inverse;
    qn_buffer *atoms, *weights, *rotations, *receptor;
    qn_buffer *boxes, *grids, *spectra, *products, *scores, *scratch;
    library_slot slots[QN_DOCK_SLOTS];
    int slot;
} library_way;

static qn_status start_library(void *pointer)
{
    library_way *way = pointer;
    return qn_queue_fill(way->bench->queue, way->boxes, 0, qn_buffer_bytes(way->boxes), 0, NULL);
}
static qn_status spread(void *pointer, qn_event **events)
{
    (void)events;
    library_way *way = pointer;
    return qn_ligand_grids_spread(way->bench->queue, NULL, &way->ligand, way->atoms, way->weights, way->rotations,
                                  way->first, way->boxes, NULL);
}
static qn_status settle(void *pointer, qn_event **events)
{
    (void)events;
    library_way *way = pointer;
    return qn_ligand_grids_settle(way->bench->queue, NULL, &way->ligand, way->boxes, way->grids, NULL);
}
static qn_status forward(void *pointer, qn_event **events)
{
    (void)events;
    library_way *way = pointer;
    return qn_fft_execute(way->forward, way->bench->queue, way->grids, way->spectra, NULL);
}
static qn_status correlate(void *pointer, qn_event **events)
{
    (void)events;
    library_way *way = pointer;
    return qn_correlate(way->bench->queue, NULL, &way->correlate, way->receptor, way->spectra, way->products, NULL);
}
static qn_status inverse(void *pointer, qn_event **events)
{
    (void)events;
    library_way *way = pointer;
    return qn_fft_execute(way->inverse, way->bench->queue, way->products, way->scores, NULL);
}
static qn_status find_best(void *pointer, qn_event **events)
{
    library_way *way = pointer;
    library_slot *slot = &way->slots[way->slot];
    return qn_best_cells(way->bench->queue, NULL, &way->best, way->scores, way->scratch, slot->energies, slot->cells,
                         events);
}

static void spread_work(const void *pointer, qn_work *work)
{
    qn_dock_ligand_grids_family.kernels[0].work(&((const library_way *)pointer)->ligand, work);
}
static void settle_work(const void *pointer, qn_work *work)
{
    qn_dock_ligand_grids_family.kernels[1].work(&((const library_way *)pointer)->ligand, work);
}
static void correlate_work(const void *pointer, qn_work *work)
{
    qn_dock_correlate_family.kernels[0].work(&((const library_way *)pointer)->correlate, work);
}
static void best_work(const void *pointer, qn_work *work)
{
    qn_dock_best_cells_family.kernels[0].work(&((const library_way *)pointer)->best, work);
}

/* Multiply-add slots of the transform of n complex numbers: half of the conventional 5 n log2 n operations. */
static double line_slots(double n)
{
    return 2.5 * n * log2(n);
}

/* Least work of `count` real transforms, grid to half spectrum or back; `filled` cells along each side are not 0. */
static void transform_work(const dock_bench *bench, double count, const double filled[3], bool forwards, qn_work *work)
{
    const int *n = bench->grid.cells;
    const double columns = n[0] / 2.0 + 1, grid_bytes = 4 * filled[0] * filled[1] * filled[2];
    const double spectrum_bytes = 8.0 * (double)bench_bins(bench);
    *work = (qn_work){.bytes_read = count * (forwards ? grid_bytes : spectrum_bytes),
                      .bytes_written = count * (forwards ? spectrum_bytes : grid_bytes),
                      .multiply_adds =
                          count * (filled[1] * filled[2] * line_slots(n[0]) / 2 +
                                   columns * filled[2] * line_slots(n[1]) + columns * n[1] * line_slots(n[2]))};
}

static void forward_work(const void *pointer, qn_work *work)
{
    const library_way *way = pointer;
    const qn_dock_grid *grid = &way->bench->grid;
    double filled[3];
    for (int axis = 0; axis < 3; axis++) filled[axis] = way->pruned ? grid->box : grid->cells[axis];
    transform_work(way->bench, (double)way->batch * way->bench->grids, filled, true, work);
}
static void inverse_work(const void *pointer, qn_work *work)
{
    const library_way *way = pointer;
    const int *cells = way->bench->grid.cells;
    transform_work(way->bench, (double)way->batch * way->bench->sets, (const double[]){cells[0], cells[1], cells[2]},
                   false, work);
}

static const bench_stage library_stages[] = {
    {.name = "spread atoms", .launch = spread, .work = spread_work},
    {.name = "settle boxes", .launch = settle, .work = settle_work},
    {.name = "transforms", .launch = forward, .work = forward_work},
    {.name = "products", .launch = correlate, .work = correlate_work},
    {.name = "transforms back", .launch = inverse, .work = inverse_work, .destroys_input = true},
    {.name = "best cells", .launch = find_best, .work = best_work, .kernels = {"scan", "merge"}},
};
enum { LIBRARY_STAGES = sizeof library_stages / sizeof *library_stages };

static void set_library_problems(library_way *way)
{
    const dock_bench *bench = way->bench;
    const qn_dock_grid *grid = &bench->grid;
    way->ligand = (qn_ligand_grids_problem){.atoms = bench->sites.site_count,
                                            .grids = bench->grids,
                                            .trilinear_grid = bench->energy.trilinear_grid,
                                            .rotations = ROTATIONS,
                                            .batch = way->batch,
                                            .box = grid->box,
                                            .box_centre = grid->box_centre,
                                            .scale = qn_dock_ligand_scale(grid)};
    way->correlate = (qn_correlate_problem){bench->grids, (int)bench_bins(bench), way->batch, bench->sets};
    way->best = (qn_best_cells_problem){.rotations = way->batch * bench->sets, .keep = KEEP};
    for (int axis = 0; axis < 3; axis++) {
        way->ligand.cells[axis] = way->best.cells[axis] = grid->cells[axis];
        way->best.first_shift[axis] = grid->first_shift[axis];
        way->best.last_shift[axis] = grid->last_shift[axis];
    }
}

static qn_status plan_transforms(library_way *way, qn_fft_engine engine)
{
    const dock_bench *bench = way->bench;
    qn_fft_options options = {.size_bytes = sizeof options,
                              .batch = way->batch * bench->grids,
                              .kind = QN_FFT_REAL_FORWARD,
                              .engine = engine};
    memcpy(options.size, bench->grid.cells, sizeof options.size);
    for (int axis = 0; axis < 3 && way->pruned; axis++) options.filled[axis] = bench->grid.box;
    QN_TRY(qn_fft_plan_create(bench->device, &options, &way->forward));
    options = (qn_fft_options){.size_bytes = sizeof(qn_fft_options),
                               .batch = way->batch * bench->sets,
                               .kind = QN_FFT_REAL_INVERSE,
                               .engine = qn_fft_plan_engine(way->forward)};
    memcpy(options.size, bench->grid.cells, sizeof options.size);
    return qn_fft_plan_create(bench->device, &options, &way->inverse);
}

static qn_status make_library_buffers(library_way *way)
{
    const dock_bench *bench = way->bench;
    const size_t batch = (size_t)way->batch, grids = (size_t)bench->grids, outputs = batch * (size_t)bench->sets;
    const size_t box = (size_t)bench->grid.box, bins = bench_bins(bench), atoms = (size_t)bench->sites.site_count;
    const size_t volume = qn_dock_grid_volume(&bench->grid);
    QN_TRY(bench_make_buffer(bench, bench->sites.sites, atoms * QN_LIGAND_ATOM_INTS * 4, &way->atoms));
    QN_TRY(bench_make_buffer(bench, bench->sites.weights, atoms * grids * 4, &way->weights));
    QN_TRY(bench_make_buffer(bench, bench->rotations, (size_t)ROTATIONS * QN_ROTATION_INTS * 4, &way->rotations));
    QN_TRY(bench_make_buffer(bench, NULL, batch * grids * box * box * box * 4, &way->boxes));
    QN_TRY(bench_make_buffer(bench, NULL, batch * grids * volume * 4, &way->grids));
    QN_TRY(bench_make_buffer(bench, NULL, batch * grids * bins * 8, &way->spectra));
    QN_TRY(bench_make_buffer(bench, bench->spectra, (size_t)bench->sets * grids * bins * 8, &way->receptor));
    QN_TRY(bench_make_buffer(bench, NULL, outputs * bins * 8, &way->products));
    QN_TRY(bench_make_buffer(bench, NULL, outputs * volume * 4, &way->scores));
    QN_TRY(bench_make_buffer(bench, NULL, qn_best_cells_scratch_bytes(&way->best), &way->scratch));
    for (int i = 0; i < QN_DOCK_SLOTS; i++) {
        QN_TRY(bench_make_buffer(bench, NULL, outputs * KEEP * 4, &way->slots[i].energies));
        QN_TRY(bench_make_buffer(bench, NULL, outputs * KEEP * 4, &way->slots[i].cells));
        way->slots[i].energies_here = bench_allocate(outputs * KEEP, sizeof(float));
        way->slots[i].cells_here = bench_allocate(outputs * KEEP, sizeof(int32_t));
    }
    return QN_OK;
}

void library_way_close(void **pointer)
{
    library_way *way = *pointer;
    if (!way) return;
    bench_must(qn_queue_finish(way->bench->queue));
    qn_fft_plan_destroy(&way->forward);
    qn_fft_plan_destroy(&way->inverse);
    qn_buffer **buffers[] = {&way->atoms, &way->weights, &way->rotations, &way->receptor, &way->boxes,
                             &way->grids, &way->spectra, &way->products,  &way->scores,   &way->scratch};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) qn_buffer_release(buffers[i]);
    for (int i = 0; i < QN_DOCK_SLOTS; i++) {
        qn_event_destroy(&way->slots[i].done);
        qn_buffer_release(&way->slots[i].energies);
        qn_buffer_release(&way->slots[i].cells);
        qn_release(&way->slots[i].energies_here);
        qn_release(&way->slots[i].cells_here);
    }
    qn_release(pointer);
}

qn_status library_way_open(const dock_bench *bench, qn_fft_engine engine, bool pruned, int batch, void **out)
{
    library_way *way = bench_allocate(1, sizeof *way);
    *way = (library_way){.bench = bench, .pruned = pruned, .batch = batch};
    *out = way;
    set_library_problems(way);
    qn_status status = plan_transforms(way, engine);
    if (status == QN_OK) status = make_library_buffers(way);
    if (status != QN_OK) library_way_close(out);
    return status;
}

qn_status library_way_submit(void *pointer, int first, int slot_number)
{
    library_way *way = pointer;
    library_slot *slot = &way->slots[slot_number];
    qn_queue *queue = way->bench->queue;
    const size_t bytes = (size_t)way->best.rotations * KEEP * 4;
    way->first = first;
    way->slot = slot_number;
    for (int i = 0; i < LIBRARY_STAGES; i++) QN_TRY(library_stages[i].launch(way, NULL));
    QN_TRY(qn_queue_read(queue, slot->energies, 0, slot->energies_here, bytes, NULL));
    return qn_queue_read(queue, slot->cells, 0, slot->cells_here, bytes, &slot->done);
}

qn_status library_way_collect(void *pointer, int slot_number, qn_dock_hit *hits)
{
    library_way *way = pointer;
    library_slot *slot = &way->slots[slot_number];
    const qn_status status = qn_event_wait(slot->done);
    qn_event_destroy(&slot->done);
    QN_TRY(status);
    for (int set = 0; set < way->bench->sets; set++)
        for (int rotation = 0; rotation < way->batch; rotation++) {
            const int from = set * way->batch + rotation;
            hits[rotation * way->bench->sets + set] = (qn_dock_hit){slot->energies_here[from], slot->cells_here[from]};
        }
    return QN_OK;
}

void library_way_print(const dock_bench *bench, qn_fft_engine engine, bool pruned, int batch)
{
    void *way = NULL;
    bench_must(library_way_open(bench, engine, pruned, batch, &way));
    bench_print_stages(bench, way, start_library, library_stages, LIBRARY_STAGES, batch);
    library_way_close(&way);
}
