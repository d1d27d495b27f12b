/* The fused path of a search: ligand_planes, correlate_columns, score_planes. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dock/search/kernels/ligand_grids.h"
#include "dock/search/path.h"
#include "runtime/device.h"

typedef struct fused_state {
    qn_fused_problems problems;
    qn_buffer *receptor, *roots;
    qn_buffer *positions, *planes, *products; /* of a batch */
    qn_buffer *scores;                        /* NULL if only the best cell of a rotation is kept */
    qn_buffer *scratch;
} fused_state;

/* Make the kernels' description of the grid and of the batch. */
static qn_rotation_grid rotation_grid(const qn_dock_search_options *options, const qn_dock_grid *grid)
{
    return (qn_rotation_grid){.cells = {grid->cells[0], grid->cells[1], grid->cells[2]},
                              .box = grid->box,
                              .halves = options->halves,
                              .plane_scale = 1,
                              .product_scale = 1};
}

static qn_status fused_check(const qn_dock_search_options *options, qn_device *device, const qn_dock_grid *grid)
{
    const qn_rotation_grid shape = rotation_grid(options, grid);
    for (int axis = 0; axis < 3; axis++)
        if (grid->box > grid->cells[axis])
            return QN_FAIL(
                QN_UNSUPPORTED,
                "no fused transforms of a ligand's box of %d cells in a grid of %d x %d x %d; expected one that fits",
                grid->box, grid->cells[0], grid->cells[1], grid->cells[2]);
    return qn_rotation_grid_check(&shape, device);
}

bool qn_search_fused_suits(qn_device *device, const qn_dock_grid *grid)
{
    enum { LEAST_ROOM = 48 << 10 };
    const qn_device_info *info = qn_device_get_info(device);
    const bool can = fused_check(&(qn_dock_search_options){0}, device, grid) == QN_OK;
    if (!can) qn_error_clear();
    return can && (strcmp(qn_device_inner_driver(device), "host") == 0 ||
                   (info->kind == QN_DEVICE_GPU && info->local_room_bytes >= LEAST_ROOM));
}

/* Whether scores must be written: a single best cell is found without comparing it with its neighbours. */
static bool needs_scores(int per_rotation)
{
    return per_rotation > 1;
}

static void fused_bytes(const qn_dock_search_options *options, const qn_dock_grid *grid, const qn_dock_energy *energy,
                        int sites, size_t *receptor, size_t *each)
{
    const qn_rotation_grid shape = rotation_grid(options, grid);
    const size_t columns = (size_t)qn_rotation_columns(&shape), nz = (size_t)grid->cells[2];
    const size_t grids = (size_t)energy->grid_count, sets = energy->set_count;
    const size_t planes = grids * (size_t)grid->box + sets * nz;
    const qn_correlate_columns_problem problem = {
        .grids = energy->grid_count, .sets = (int)sets, .common = qn_dock_energy_common_grids(energy)};
    *receptor = qn_correlate_columns_spectra(&problem) * nz * columns * 8;
    *each = planes * columns * qn_rotation_value_bytes(&shape) + 12 * (size_t)sites;
    if (needs_scores(options->per_rotation))
        *each += sets * (qn_dock_grid_volume(grid) * 4 + (size_t)options->per_rotation * 256 * 8);
}

/* Largest power of two, at most 2^14, that scales `largest` to at most half of the largest number in half precision. */
static float scale_for_halves(double largest)
{
    const double most = 65504 / 2.0;
    return largest > 0 ? (float)exp2(fmin(floor(log2(most / largest)), 14)) : 1.0f;
}

/* Choose the scales of intermediates. A value of a plane is at most the sum of the absolute weights of a grid. A
 * product is at most the largest possible score: the sum, over ligand grids, of this sum times the receptor's largest
 * absolute value. */
static qn_status choose_scales(const qn_dock_search *search, const qn_dock_energy *energy, const qn_dock_ligand *ligand,
                               qn_rotation_grid *shape)
{
    const size_t sites = (size_t)ligand->site_count, volume = search->volume;
    double most_weight = 0, most_score = 0;
    void *memory;
    QN_TRY(qn_allocate(volume, sizeof(float), &memory));
    float *values = memory;
    for (size_t set = 0; set < search->set_count; set++) {
        double score = 0;
        for (size_t g = 0; g < search->grid_count; g++) {
            double weight = 0;
            float most = 0;
            for (size_t i = 0; i < sites; i++)
                weight += fabs((double)ligand->weights[g * sites + i]) / QN_LIGAND_WEIGHT_UNITS;
            qn_dock_energy_combine(energy, set, (int)g, 0, volume, values);
            for (size_t i = 0; i < volume; i++) most = fmaxf(most, fabsf(values[i]));
            score += weight * (double)most;
            most_weight = fmax(most_weight, weight);
        }
        most_score = fmax(most_score, score);
    }
    qn_release(&memory);
    shape->plane_scale = scale_for_halves(most_weight);
    shape->product_scale = scale_for_halves(most_score);
    return QN_OK;
}

void qn_search_fused_problems(const qn_rotation_grid *shape, const qn_dock_grid *grid, const qn_dock_energy *energy,
                              int sites, int rotation_count, int batch, qn_fused_problems *problems)
{
    const int sets = (int)energy->set_count;
    problems->planes = (qn_ligand_planes_problem){.grid = *shape,
                                                  .atoms = sites,
                                                  .grids = energy->grid_count,
                                                  .trilinear_grid = energy->trilinear_grid,
                                                  .rotations = rotation_count,
                                                  .batch = batch,
                                                  .box_centre = grid->box_centre,
                                                  .scale = qn_dock_ligand_scale(grid)};
    problems->columns = (qn_correlate_columns_problem){.grid = *shape,
                                                       .grids = energy->grid_count,
                                                       .rotations = batch,
                                                       .sets = sets,
                                                       .common = qn_dock_energy_common_grids(energy)};
    problems->scores = (qn_score_planes_problem){.grid = *shape, .outputs = batch * sets};
    memcpy(problems->scores.first_shift, grid->first_shift, sizeof grid->first_shift);
    memcpy(problems->scores.last_shift, grid->last_shift, sizeof grid->last_shift);
}

static qn_status create_roots(qn_dock_search *search)
{
    fused_state *state = search->state;
    const int *cells = state->problems.columns.grid.cells;
    float *roots;
    QN_TRY(qn_rotation_grid_roots(&state->problems.columns.grid, &roots));
    const size_t bytes = 8 * (size_t)(cells[0] + cells[1] + cells[2]);
    qn_status status = qn_search_buffer_filled(search, roots, bytes, &state->roots);
    qn_release(&roots);
    return status;
}

static qn_status fused_create(qn_dock_search *search, const qn_dock_grid *grid, const qn_dock_energy *energy,
                              const qn_dock_ligand *ligand, int rotation_count)
{
    const size_t batch = (size_t)search->options.batch, outputs = batch * search->set_count;
    const size_t nz = (size_t)grid->cells[2], atoms = (size_t)ligand->site_count;
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(fused_state), &memory));
    fused_state *state = search->state = memory;
    qn_rotation_grid shape = rotation_grid(&search->options, grid);
    qn_rotation_grid_fit_device(&shape, qn_queue_device(search->queue));
    if (shape.halves) QN_TRY(choose_scales(search, energy, ligand, &shape));
    qn_search_fused_problems(&shape, grid, energy, ligand->site_count, rotation_count, search->options.batch,
                             &state->problems);
    const size_t columns = (size_t)qn_rotation_columns(&shape), value_bytes = qn_rotation_value_bytes(&shape);
    search->options.engine = qn_fft_engine_of(qn_queue_device(search->queue));
    QN_TRY(qn_search_transform_receptor(search, grid, energy, search->options.engine, columns,
                                        (size_t)state->problems.columns.common, &state->receptor));
    QN_TRY(create_roots(search));
    QN_TRY(qn_search_buffer_zeroed(search, batch * 3 * atoms * 4, &state->positions));
    QN_TRY(qn_search_buffer_zeroed(search, batch * search->grid_count * (size_t)grid->box * columns * value_bytes,
                                   &state->planes));
    QN_TRY(qn_search_buffer_zeroed(search, outputs * nz * columns * value_bytes, &state->products));
    if (!needs_scores(search->options.per_rotation))
        return qn_search_buffer_zeroed(search, qn_score_planes_scratch_bytes(&state->problems.scores), &state->scratch);
    QN_TRY(qn_search_buffer_zeroed(search, outputs * search->volume * 4, &state->scores));
    return qn_search_buffer_zeroed(search, qn_best_cells_scratch_bytes(&search->best_problem), &state->scratch);
}

static void fused_destroy(qn_dock_search *search)
{
    fused_state *state = search->state;
    if (!state) return;
    qn_buffer **buffers[] = {&state->receptor, &state->roots,  &state->positions, &state->planes,
                             &state->products, &state->scores, &state->scratch};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) qn_buffer_release(buffers[i]);
    qn_release(&search->state);
}

static qn_status fused_submit(qn_dock_search *search, int first, const qn_search_slot *slot)
{
    fused_state *state = search->state;
    qn_queue *queue = search->queue;
    QN_TRY(qn_ligand_planes_place(queue, NULL, &state->problems.planes, search->atoms, search->rotations, first,
                                  state->positions, NULL));
    QN_TRY(qn_ligand_planes(queue, NULL, &state->problems.planes, state->positions, search->weights, state->roots,
                            state->planes, NULL));
    QN_TRY(qn_correlate_columns(queue, NULL, &state->problems.columns, state->planes, state->receptor, state->roots,
                                state->products, NULL));
    if (!needs_scores(search->options.per_rotation))
        return qn_score_planes_best(queue, NULL, &state->problems.scores, state->products, state->roots, state->scratch,
                                    slot->energies_on_device, slot->cells_on_device, NULL);
    QN_TRY(qn_score_planes_write(queue, NULL, &state->problems.scores, state->products, state->roots, state->scores,
                                 NULL));
    return qn_best_cells(queue, NULL, &search->best_problem, state->scores, state->scratch, slot->energies_on_device,
                         slot->cells_on_device, NULL);
}

const qn_search_path qn_search_fused_path = {.name = "fused",
                                             .check = fused_check,
                                             .bytes = fused_bytes,
                                             .create = fused_create,
                                             .submit = fused_submit,
                                             .destroy = fused_destroy};
