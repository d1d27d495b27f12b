/* The library path of a search: ligand grids, transforms by an engine of <quern/fft.h>, products, inverse transforms,
 * best cells. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dock/search/kernels/correlate.h"
#include "dock/search/kernels/ligand_grids.h"
#include "dock/search/path.h"

typedef struct library_state {
    qn_ligand_grids_problem ligand_problem;
    qn_correlate_problem correlate_problem;
    qn_fft_plan *forward, *inverse;
    qn_buffer *boxes, *grids, *spectra; /* of a batch */
    qn_buffer *receptor;                /* [sets][grids] spectra, scaled by 1 / volume */
    qn_buffer *products, *scores, *scratch;
} library_state;

static size_t spectrum_bins(const qn_dock_grid *grid)
{
    return ((size_t)grid->cells[0] / 2 + 1) * (size_t)grid->cells[1] * (size_t)grid->cells[2];
}

static qn_status library_check(const qn_dock_search_options *options, qn_device *device, const qn_dock_grid *grid)
{
    (void)grid;
    if (options->halves)
        return QN_FAIL(QN_UNSUPPORTED, "half precision is for the fused rotation; on %s a library makes the transforms",
                       qn_device_get_info(device)->identifier);
    return QN_OK;
}

/* Refuse batches of 2^31 numbers or more on GPUs: VkFFT on CUDA gave wrong results for 128 times eight grids of 160^3
 * numbers, 4.2e9 in all. No batch of fewer than 2^31 numbers has failed. */
static qn_status check_numbers(const qn_dock_search *search)
{
    const size_t grids = search->grid_count > search->set_count ? search->grid_count : search->set_count;
    const size_t most = ((size_t)1 << 31) - 1, each = grids * search->volume;
    const bool is_gpu = qn_device_get_info(qn_queue_device(search->queue))->kind == QN_DEVICE_GPU;
    if (is_gpu && (size_t)search->options.batch * each > most)
        return QN_FAIL(
            QN_UNSUPPORTED,
            "a batch of %d rotations has 2^31 or more numbers to transform at once; expected at most %zu rotations",
            search->options.batch, most / each);
    return QN_OK;
}

static void library_bytes(const qn_dock_search_options *options, const qn_dock_grid *grid, const qn_dock_energy *energy,
                          int sites, size_t *receptor, size_t *each)
{
    const size_t volume = qn_dock_grid_volume(grid), bins = spectrum_bins(grid), box = (size_t)grid->box;
    const size_t grids = (size_t)energy->grid_count, sets = energy->set_count;
    (void)sites;
    *receptor = sets * grids * bins * 8;
    *each = grids * (box * box * box * 4 + volume * 4 + bins * 8) +
            sets * (bins * 8 + volume * 4 + (size_t)options->per_rotation * 256 * 8);
}

static void set_problems(qn_dock_search *search, const qn_dock_grid *grid, const qn_dock_energy *energy, int atoms,
                         int rotation_count)
{
    library_state *state = search->state;
    const int batch = search->options.batch;
    state->ligand_problem = (qn_ligand_grids_problem){.atoms = atoms,
                                                      .grids = energy->grid_count,
                                                      .trilinear_grid = energy->trilinear_grid,
                                                      .rotations = rotation_count,
                                                      .batch = batch,
                                                      .box = grid->box,
                                                      .box_centre = grid->box_centre,
                                                      .scale = qn_dock_ligand_scale(grid)};
    memcpy(state->ligand_problem.cells, grid->cells, sizeof grid->cells);
    state->correlate_problem =
        (qn_correlate_problem){energy->grid_count, (int)search->bins, batch, (int)energy->set_count};
}

static qn_status create_plans(qn_dock_search *search, const qn_dock_grid *grid)
{
    library_state *state = search->state;
    qn_device *device = qn_queue_device(search->queue);
    qn_fft_options options = {.size_bytes = sizeof options,
                              .batch = search->options.batch * (int)search->grid_count,
                              .kind = QN_FFT_REAL_FORWARD,
                              .filled = {grid->box, grid->box, grid->box},
                              .engine = search->options.engine};
    memcpy(options.size, grid->cells, sizeof options.size);
    for (int axis = 0; axis < 3; axis++)
        if (options.filled[axis] > options.size[axis]) options.filled[axis] = options.size[axis];
    QN_TRY(qn_fft_plan_create(device, &options, &state->forward));
    options = (qn_fft_options){.size_bytes = sizeof(qn_fft_options),
                               .batch = search->options.batch * (int)search->set_count,
                               .kind = QN_FFT_REAL_INVERSE,
                               .engine = qn_fft_plan_engine(state->forward)};
    memcpy(options.size, grid->cells, sizeof options.size);
    QN_TRY(qn_fft_plan_create(device, &options, &state->inverse));
    search->options.engine = qn_fft_plan_engine(state->forward);
    search->bytes += qn_fft_plan_workspace_bytes(state->forward) + qn_fft_plan_workspace_bytes(state->inverse);
    return QN_OK;
}

static qn_status library_create(qn_dock_search *search, const qn_dock_grid *grid, const qn_dock_energy *energy,
                                const qn_dock_ligand *ligand, int rotation_count)
{
    const size_t batch = (size_t)search->options.batch, grids = search->grid_count, box = (size_t)grid->box;
    const size_t outputs = batch * search->set_count;
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(library_state), &memory));
    library_state *state = search->state = memory;
    QN_TRY(check_numbers(search));
    set_problems(search, grid, energy, ligand->site_count, rotation_count);
    QN_TRY(create_plans(search, grid));
    QN_TRY(qn_search_transform_receptor(search, grid, energy, search->options.engine, 0, 0, &state->receptor));
    QN_TRY(qn_search_buffer_zeroed(search, batch * grids * box * box * box * 4, &state->boxes));
    QN_TRY(qn_search_buffer_zeroed(search, batch * grids * search->volume * 4, &state->grids));
    QN_TRY(qn_search_buffer_zeroed(search, batch * grids * search->bins * 8, &state->spectra));
    QN_TRY(qn_search_buffer_zeroed(search, outputs * search->bins * 8, &state->products));
    QN_TRY(qn_search_buffer_zeroed(search, outputs * search->volume * 4, &state->scores));
    return qn_search_buffer_zeroed(search, qn_best_cells_scratch_bytes(&search->best_problem), &state->scratch);
}

static void library_destroy(qn_dock_search *search)
{
    library_state *state = search->state;
    if (!state) return;
    qn_fft_plan_destroy(&state->forward);
    qn_fft_plan_destroy(&state->inverse);
    qn_buffer **buffers[] = {&state->boxes,    &state->grids,  &state->spectra, &state->receptor,
                             &state->products, &state->scores, &state->scratch};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) qn_buffer_release(buffers[i]);
    qn_release(&search->state);
}

static qn_status library_submit(qn_dock_search *search, int first, const qn_search_slot *slot)
{
    library_state *state = search->state;
    qn_queue *queue = search->queue;
    QN_TRY(qn_ligand_grids_spread(queue, NULL, &state->ligand_problem, search->atoms, search->weights,
                                  search->rotations, first, state->boxes, NULL));
    QN_TRY(qn_ligand_grids_settle(queue, NULL, &state->ligand_problem, state->boxes, state->grids, NULL));
    QN_TRY(qn_fft_execute(state->forward, queue, state->grids, state->spectra, NULL));
    QN_TRY(
        qn_correlate(queue, NULL, &state->correlate_problem, state->receptor, state->spectra, state->products, NULL));
    QN_TRY(qn_fft_execute(state->inverse, queue, state->products, state->scores, NULL));
    return qn_best_cells(queue, NULL, &search->best_problem, state->scores, state->scratch, slot->energies_on_device,
                         slot->cells_on_device, NULL);
}

const qn_search_path qn_search_library_path = {.check = library_check,
                                               .bytes = library_bytes,
                                               .create = library_create,
                                               .submit = library_submit,
                                               .destroy = library_destroy};
