#include "dock/search.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dock/kernels/best_cells.h"
#include "dock/kernels/correlate.h"
#include "dock/kernels/ligand_grids.h"

/* Results of a batch on their way back. */
typedef struct search_slot {
    qn_buffer *energies_on_device, *cells_on_device;
    float *energies;
    int32_t *cells;
    qn_event *done;
} search_slot;

struct qn_dock_search {
    qn_queue *queue;
    qn_dock_search_options options;
    size_t volume, bins, grid_count, set_count;
    qn_ligand_grids_problem ligand_problem;
    qn_correlate_problem correlate_problem;
    qn_best_cells_problem best_problem;
    qn_fft_plan *forward, *inverse;
    qn_buffer *atoms, *weights, *rotations; /* the ligand and all rotations */
    qn_buffer *boxes, *grids, *spectra;     /* of a batch */
    qn_buffer *receptor;                    /* [sets][grids] spectra, scaled by 1 / volume */
    qn_buffer *products, *scores, *scratch;
    search_slot slots[QN_DOCK_SLOTS];
    size_t bytes;
};

static size_t spectrum_bins(const qn_dock_grid *grid)
{
    return ((size_t)grid->cells[0] / 2 + 1) * (size_t)grid->cells[1] * (size_t)grid->cells[2];
}

size_t qn_dock_search_bytes(const qn_dock_grid *grid, const qn_dock_energy *energy, int rotation_count, int batch,
                            int per_rotation)
{
    size_t volume = qn_dock_grid_volume(grid), bins = spectrum_bins(grid), box = (size_t)grid->box;
    size_t grids = (size_t)energy->grid_count, sets = energy->set_count;
    size_t fixed = sets * grids * bins * 8 + (size_t)rotation_count * 36;
    size_t each = grids * (box * box * box * 4 + volume * 4 + bins * 8) +
                  sets * (bins * 8 + volume * 4 + (size_t)per_rotation * (256 * 8 + QN_DOCK_SLOTS * 8));
    return fixed + (size_t)batch * each;
}

/* Enough rotations to fill the device; on a CPU one a thread, so that a batch stays in its caches. */
static int choose_batch(qn_device *device, const qn_dock_grid *grid, const qn_dock_energy *energy, int rotation_count,
                        int per_rotation)
{
    const qn_device_info *info = qn_device_get_info(device);
    enum { GPU_BATCH = 16 };
    int batch = info->kind == QN_DEVICE_CPU ? info->compute_units : GPU_BATCH;
    if (batch > rotation_count) batch = rotation_count;
    size_t largest = (size_t)energy->grid_count > energy->set_count ? (size_t)energy->grid_count : energy->set_count;
    while (batch > 1 &&
           (qn_dock_search_bytes(grid, energy, rotation_count, batch, per_rotation) > info->memory_bytes / 2 ||
            (size_t)batch * largest * spectrum_bins(grid) * 8 > info->largest_buffer_bytes))
        batch /= 2;
    return batch > 0 ? batch : 1;
}

static void set_problems(qn_dock_search *search, const qn_dock_grid *grid, const qn_dock_energy *energy, int atoms,
                         int rotation_count)
{
    int batch = search->options.batch;
    search->ligand_problem = (qn_ligand_grids_problem){.atoms = atoms,
                                                       .grids = energy->grid_count,
                                                       .trilinear_grid = energy->trilinear_grid,
                                                       .rotations = rotation_count,
                                                       .batch = batch,
                                                       .box = grid->box,
                                                       .box_centre = grid->box_centre,
                                                       .scale = qn_dock_ligand_scale(grid)};
    search->correlate_problem =
        (qn_correlate_problem){energy->grid_count, (int)search->bins, batch, (int)energy->set_count};
    search->best_problem = (qn_best_cells_problem){.rotations = batch * (int)energy->set_count,
                                                   .keep = search->options.per_rotation,
                                                   .radius = search->options.exclusion_cells};
    for (int axis = 0; axis < 3; axis++) {
        search->ligand_problem.cells[axis] = search->best_problem.cells[axis] = grid->cells[axis];
        search->best_problem.first_shift[axis] = grid->first_shift[axis];
        search->best_problem.last_shift[axis] = grid->last_shift[axis];
    }
}

static qn_status create_zeroed(qn_dock_search *search, size_t bytes, qn_buffer **buffer)
{
    QN_TRY(qn_buffer_create(qn_queue_device(search->queue), bytes, buffer));
    search->bytes += bytes;
    return qn_queue_fill(search->queue, *buffer, 0, bytes, 0, NULL);
}

static qn_status create_filled(qn_dock_search *search, const void *data, size_t bytes, qn_buffer **buffer)
{
    QN_TRY(qn_buffer_create(qn_queue_device(search->queue), bytes, buffer));
    search->bytes += bytes;
    QN_TRY(qn_queue_write(search->queue, *buffer, 0, data, bytes, NULL));
    return qn_queue_finish(search->queue);
}

static qn_status create_buffers(qn_dock_search *search, const qn_dock_ligand *ligand, const int32_t *rotations,
                                int rotation_count)
{
    size_t batch = (size_t)search->options.batch, atoms = (size_t)ligand->site_count, grids = search->grid_count;
    size_t box = (size_t)search->ligand_problem.box, outputs = batch * search->set_count;
    size_t hits = outputs * (size_t)search->options.per_rotation;
    QN_TRY(create_filled(search, ligand->sites, atoms * QN_LIGAND_ATOM_INTS * 4, &search->atoms));
    QN_TRY(create_filled(search, ligand->weights, atoms * grids * 4, &search->weights));
    QN_TRY(create_filled(search, rotations, (size_t)rotation_count * QN_ROTATION_INTS * 4, &search->rotations));
    QN_TRY(create_zeroed(search, batch * grids * box * box * box * 4, &search->boxes));
    QN_TRY(create_zeroed(search, batch * grids * search->volume * 4, &search->grids));
    QN_TRY(create_zeroed(search, batch * grids * search->bins * 8, &search->spectra));
    QN_TRY(create_zeroed(search, outputs * search->bins * 8, &search->products));
    QN_TRY(create_zeroed(search, outputs * search->volume * 4, &search->scores));
    QN_TRY(create_zeroed(search, qn_best_cells_scratch_bytes(&search->best_problem), &search->scratch));
    for (int i = 0; i < QN_DOCK_SLOTS; i++) {
        search_slot *slot = &search->slots[i];
        void *memory;
        QN_TRY(create_zeroed(search, hits * 4, &slot->energies_on_device));
        QN_TRY(create_zeroed(search, hits * 4, &slot->cells_on_device));
        QN_TRY(qn_allocate(hits, sizeof(float), &memory));
        slot->energies = memory;
        QN_TRY(qn_allocate(hits, sizeof(int32_t), &memory));
        slot->cells = memory;
    }
    return QN_OK;
}

/* Weighted receptor grids of one set, scaled by 1 / volume because transforms are not: through `grids` and `spectra` to
 * their place among the receptor's spectra. */
static qn_status transform_set(qn_dock_search *search, const qn_dock_energy *energy, size_t set, qn_fft_plan *plan,
                               float *values, qn_buffer *grids, qn_buffer *spectra)
{
    size_t volume = search->volume, bytes = search->grid_count * search->bins * 8;
    for (size_t g = 0; g < search->grid_count; g++)
        qn_dock_energy_combine(energy, set, (int)g, volume, values + g * volume);
    for (size_t i = 0; i < search->grid_count * volume; i++) values[i] /= (float)volume;
    QN_TRY(qn_queue_write(search->queue, grids, 0, values, search->grid_count * volume * 4, NULL));
    QN_TRY(qn_fft_execute(plan, search->queue, grids, spectra, NULL));
    QN_TRY(qn_queue_copy(search->queue, spectra, 0, search->receptor, set * bytes, bytes, NULL));
    return qn_queue_finish(search->queue);
}

static qn_status transform_receptor(qn_dock_search *search, const qn_dock_grid *grid, const qn_dock_energy *energy)
{
    qn_device *device = qn_queue_device(search->queue);
    size_t count = search->grid_count * search->volume, bins = search->grid_count * search->bins;
    void *values;
    qn_buffer *grids = NULL, *spectra = NULL;
    qn_fft_plan *plan = NULL;
    qn_fft_options options = {
        .batch = (int)search->grid_count, .kind = QN_FFT_REAL_FORWARD, .engine = search->options.engine};
    memcpy(options.size, grid->cells, sizeof options.size);
    QN_TRY(qn_allocate(count, sizeof(float), &values));
    qn_status status = qn_buffer_create(device, count * 4, &grids);
    if (status == QN_OK) status = qn_buffer_create(device, bins * 8, &spectra);
    if (status == QN_OK) status = create_zeroed(search, search->set_count * bins * 8, &search->receptor);
    if (status == QN_OK) status = qn_fft_plan_create(device, &options, &plan);
    for (size_t set = 0; set < search->set_count && status == QN_OK; set++)
        status = transform_set(search, energy, set, plan, values, grids, spectra);
    qn_fft_plan_destroy(&plan);
    qn_buffer_release(&grids);
    qn_buffer_release(&spectra);
    qn_release(&values);
    return status;
}

static qn_status create_plans(qn_dock_search *search, const qn_dock_grid *grid)
{
    qn_device *device = qn_queue_device(search->queue);
    qn_fft_options options = {.batch = search->options.batch * (int)search->grid_count,
                              .kind = QN_FFT_REAL_FORWARD,
                              .filled = {grid->box, grid->box, grid->box},
                              .engine = search->options.engine};
    memcpy(options.size, grid->cells, sizeof options.size);
    for (int axis = 0; axis < 3; axis++)
        if (options.filled[axis] > options.size[axis]) options.filled[axis] = options.size[axis];
    QN_TRY(qn_fft_plan_create(device, &options, &search->forward));
    options = (qn_fft_options){.batch = search->options.batch * (int)search->set_count,
                               .kind = QN_FFT_REAL_INVERSE,
                               .engine = qn_fft_plan_engine(search->forward)};
    memcpy(options.size, grid->cells, sizeof options.size);
    QN_TRY(qn_fft_plan_create(device, &options, &search->inverse));
    search->options.engine = qn_fft_plan_engine(search->forward);
    search->bytes += qn_fft_plan_workspace_bytes(search->forward) + qn_fft_plan_workspace_bytes(search->inverse);
    return QN_OK;
}

static qn_status check_memory(qn_device *device, const qn_dock_grid *grid, const qn_dock_energy *energy,
                              int rotation_count, const qn_dock_search_options *options)
{
    const qn_device_info *info = qn_device_get_info(device);
    size_t needed = qn_dock_search_bytes(grid, energy, rotation_count, options->batch, options->per_rotation);
    if (needed > info->memory_bytes)
        QN_FAIL(QN_OUT_OF_MEMORY,
                "a %d x %d x %d grid with batches of %d needs %.2f GB on %s, which has %.2f GB; use a "
                "larger spacing or a smaller batch",
                grid->cells[0], grid->cells[1], grid->cells[2], options->batch, 1e-9 * (double)needed, info->identifier,
                1e-9 * (double)info->memory_bytes);
    return QN_OK;
}

qn_status qn_dock_search_create(qn_device *device, const qn_dock_grid *grid, const qn_dock_energy *energy,
                                const qn_dock_ligand *ligand, const int32_t *rotations, int rotation_count,
                                const qn_dock_search_options *options, qn_dock_search **out)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(qn_dock_search), &memory));
    qn_dock_search *search = memory;
    search->options = *options;
    if (search->options.batch <= 0)
        search->options.batch = choose_batch(device, grid, energy, rotation_count, options->per_rotation);
    search->volume = qn_dock_grid_volume(grid);
    search->bins = spectrum_bins(grid);
    search->grid_count = (size_t)energy->grid_count;
    search->set_count = energy->set_count;
    set_problems(search, grid, energy, ligand->site_count, rotation_count);
    qn_status status = check_memory(device, grid, energy, rotation_count, &search->options);
    if (status == QN_OK) status = qn_queue_create(device, &search->queue);
    if (status == QN_OK) status = create_plans(search, grid);
    if (status == QN_OK) status = transform_receptor(search, grid, energy);
    if (status == QN_OK) status = create_buffers(search, ligand, rotations, rotation_count);
    if (status == QN_OK) status = qn_queue_finish(search->queue);
    if (status != QN_OK) {
        qn_dock_search_destroy(&search);
        return status;
    }
    *out = search;
    return QN_OK;
}

void qn_dock_search_destroy(qn_dock_search **pointer)
{
    qn_dock_search *search = *pointer;
    if (!search) return;
    qn_queue_destroy(&search->queue); /* waits for what is under way */
    qn_fft_plan_destroy(&search->forward);
    qn_fft_plan_destroy(&search->inverse);
    qn_buffer **buffers[] = {&search->atoms,  &search->weights, &search->rotations, &search->boxes,
                             &search->grids,  &search->spectra, &search->receptor,  &search->products,
                             &search->scores, &search->scratch};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) qn_buffer_release(buffers[i]);
    for (int i = 0; i < QN_DOCK_SLOTS; i++) {
        search_slot *slot = &search->slots[i];
        qn_event_destroy(&slot->done);
        qn_buffer_release(&slot->energies_on_device);
        qn_buffer_release(&slot->cells_on_device);
        qn_release(&slot->energies);
        qn_release(&slot->cells);
    }
    qn_release(pointer);
}

int qn_dock_search_batch(const qn_dock_search *search)
{
    return search->options.batch;
}

qn_fft_engine qn_dock_search_engine(const qn_dock_search *search)
{
    return search->options.engine;
}

size_t qn_dock_search_device_bytes(const qn_dock_search *search)
{
    return search->bytes;
}

qn_status qn_dock_search_submit(qn_dock_search *search, int first, int slot_number)
{
    search_slot *slot = &search->slots[slot_number];
    qn_queue *queue = search->queue;
    size_t bytes = (size_t)search->options.batch * search->set_count * (size_t)search->options.per_rotation * 4;
    QN_TRY(qn_ligand_grids_spread(queue, NULL, &search->ligand_problem, search->atoms, search->weights,
                                  search->rotations, first, search->boxes, NULL));
    QN_TRY(qn_ligand_grids_settle(queue, NULL, &search->ligand_problem, search->boxes, search->grids, NULL));
    QN_TRY(qn_fft_execute(search->forward, queue, search->grids, search->spectra, NULL));
    QN_TRY(qn_correlate(queue, NULL, &search->correlate_problem, search->receptor, search->spectra, search->products,
                        NULL));
    QN_TRY(qn_fft_execute(search->inverse, queue, search->products, search->scores, NULL));
    QN_TRY(qn_best_cells(queue, NULL, &search->best_problem, search->scores, search->scratch, slot->energies_on_device,
                         slot->cells_on_device, NULL));
    QN_TRY(qn_queue_read(queue, slot->energies_on_device, 0, slot->energies, bytes, NULL));
    return qn_queue_read(queue, slot->cells_on_device, 0, slot->cells, bytes, &slot->done);
}

qn_status qn_dock_search_collect(qn_dock_search *search, int slot_number, qn_dock_hit *hits)
{
    search_slot *slot = &search->slots[slot_number];
    const size_t batch = (size_t)search->options.batch, sets = search->set_count,
                 keep = (size_t)search->options.per_rotation;
    qn_status status = qn_event_wait(slot->done);
    qn_event_destroy(&slot->done);
    QN_TRY(status);
    for (size_t set = 0; set < sets; set++)
        for (size_t rotation = 0; rotation < batch; rotation++)
            for (size_t k = 0; k < keep; k++) {
                size_t from = (set * batch + rotation) * keep + k;
                hits[(rotation * sets + set) * keep + k] = (qn_dock_hit){slot->energies[from], slot->cells[from]};
            }
    return QN_OK;
}
