#include "dock/search/search.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dock/search/kernels/ligand_grids.h"
#include "dock/search/path.h"
#include "runtime/device.h"

static const qn_search_path *path_of(qn_dock_path path)
{
    return path == QN_DOCK_PATH_FUSED ? &qn_search_fused_path : &qn_search_library_path;
}

/* The sum of the memory of the path, the rotations, the ligand, the results, and either a batch or, while the receptor
 * is transformed, the grids and spectra of one set, whichever is larger. */
size_t qn_dock_search_bytes(const qn_dock_search_options *options, const qn_dock_grid *grid,
                            const qn_dock_energy *energy, int sites, int rotation_count)
{
    const size_t grids = (size_t)energy->grid_count, volume = qn_dock_grid_volume(grid);
    size_t receptor, each;
    path_of(options->path)->bytes(options, grid, energy, sites, &receptor, &each);
    each += energy->set_count * (size_t)options->per_rotation * QN_DOCK_SLOTS * 8;
    const size_t spectra =
        grids * ((size_t)grid->cells[0] / 2 + 1) * (size_t)grid->cells[1] * (size_t)grid->cells[2] * 8;
    const size_t batch = (size_t)options->batch * each, one_set = grids * volume * 4 + spectra;
    return receptor + (size_t)rotation_count * 4 * QN_ROTATION_INTS +
           (size_t)sites * 4 * (QN_LIGAND_ATOM_INTS + grids) + (batch > one_set ? batch : one_set);
}

/* Batch of a CPU: a rotation for each thread on the library path. On the fused path the threads share a rotation, and
 * eight rotations share each read of the receptor's spectra, which are larger than the caches; 16 are no faster. */
static int cpu_batch(const qn_dock_search_options *options, int threads, size_t each)
{
    const size_t most_bytes = (size_t)512 << 20;
    int batch = 8;
    if (options->path != QN_DOCK_PATH_FUSED) return threads;
    while (batch > 1 && (size_t)batch * each > most_bytes) batch /= 2;
    return batch;
}

/* Choose a batch of enough rotations to fill the device and to make the overhead of launches small. */
static int choose_batch(qn_device *device, const qn_dock_search_options *asked, const qn_dock_grid *grid,
                        const qn_dock_energy *energy, int sites, int rotation_count)
{
    enum { LEAST = 16, MAX = 256 };
    const double voxels_of_a_launch = 4e9;
    const qn_device_info *info = qn_device_get_info(device);
    const double voxels = (double)qn_dock_grid_volume(grid) * (energy->grid_count + (double)energy->set_count);
    qn_dock_search_options options = *asked;
    int *batch = &options.batch;
    size_t receptor, each;
    path_of(options.path)->bytes(&options, grid, energy, sites, &receptor, &each);
    *batch = LEAST;
    while (options.path == QN_DOCK_PATH_FUSED && *batch < MAX && *batch * voxels < voxels_of_a_launch &&
           2 * (size_t)*batch * each < info->memory_bytes / 8)
        *batch *= 2;
    if (info->kind == QN_DEVICE_CPU) *batch = cpu_batch(&options, info->compute_units, each);
    if (*batch > rotation_count) *batch = rotation_count;
    while (*batch > 1 &&
           (qn_dock_search_bytes(&options, grid, energy, sites, rotation_count) > info->memory_bytes / 2 ||
            (size_t)*batch * each > info->largest_buffer_bytes))
        *batch /= 2;
    return *batch > 0 ? *batch : 1;
}

qn_status qn_search_buffer_zeroed(qn_dock_search *search, size_t bytes, qn_buffer **buffer)
{
    QN_TRY(qn_buffer_create(qn_queue_device(search->queue), bytes, buffer));
    search->bytes += bytes;
    return qn_queue_fill(search->queue, *buffer, 0, bytes, 0, NULL);
}

qn_status qn_search_buffer_filled(qn_dock_search *search, const void *data, size_t bytes, qn_buffer **buffer)
{
    QN_TRY(qn_buffer_create(qn_queue_device(search->queue), bytes, buffer));
    search->bytes += bytes;
    QN_TRY(qn_queue_write(search->queue, *buffer, 0, data, bytes, NULL));
    return qn_queue_finish(search->queue);
}

static void set_best_problem(qn_dock_search *search, const qn_dock_grid *grid)
{
    search->best_problem = (qn_best_cells_problem){.rotations = search->options.batch * (int)search->set_count,
                                                   .keep = search->options.per_rotation,
                                                   .radius = search->options.exclusion_cells};
    memcpy(search->best_problem.cells, grid->cells, sizeof grid->cells);
    memcpy(search->best_problem.first_shift, grid->first_shift, sizeof grid->first_shift);
    memcpy(search->best_problem.last_shift, grid->last_shift, sizeof grid->last_shift);
}

/* Create the buffers of the ligand, the rotations and the results. */
static qn_status create_buffers(qn_dock_search *search, const qn_dock_ligand *ligand, const int32_t *rotations,
                                int rotation_count)
{
    const size_t atoms = (size_t)ligand->site_count;
    const size_t hits = (size_t)search->options.batch * search->set_count * (size_t)search->options.per_rotation;
    QN_TRY(qn_search_buffer_filled(search, ligand->sites, atoms * QN_LIGAND_ATOM_INTS * 4, &search->atoms));
    QN_TRY(qn_search_buffer_filled(search, ligand->weights, atoms * search->grid_count * 4, &search->weights));
    QN_TRY(
        qn_search_buffer_filled(search, rotations, (size_t)rotation_count * QN_ROTATION_INTS * 4, &search->rotations));
    for (int i = 0; i < QN_DOCK_SLOTS; i++) {
        qn_search_slot *slot = &search->slots[i];
        void *memory;
        QN_TRY(qn_search_buffer_zeroed(search, hits * 4, &slot->energies_on_device));
        QN_TRY(qn_search_buffer_zeroed(search, hits * 4, &slot->cells_on_device));
        QN_TRY(qn_allocate(hits, sizeof(float), &memory));
        slot->energies = memory;
        QN_TRY(qn_allocate(hits, sizeof(int32_t), &memory));
        slot->cells = memory;
    }
    return QN_OK;
}

/* Plan and buffers for the transforms of the receptor's grids. */
typedef struct receptor_transform {
    qn_fft_plan *plan;
    float *values; /* [grids][volume] */
    qn_buffer *grids, *spectra;
    qn_buffer *receptor;
    size_t plane_numbers, common; /* common: the last grids, which all sets share */
} receptor_transform;

/* Copy `count` spectra from place `from` among those of a set to place `to` among the receptor's. */
static qn_status copy_spectra(qn_dock_search *search, const receptor_transform *transform, size_t planes, size_t from,
                              size_t to, size_t count)
{
    const size_t from_plane = search->bins / planes * 8, to_plane = transform->plane_numbers * 8;
    if (from_plane == to_plane)
        return qn_queue_copy(search->queue, transform->spectra, from * planes * from_plane, transform->receptor,
                             to * planes * to_plane, count * planes * to_plane, NULL);
    for (size_t i = 0; i < count * planes; i++)
        QN_TRY(qn_queue_copy(search->queue, transform->spectra, (from * planes + i) * from_plane, transform->receptor,
                             (to * planes + i) * to_plane, from_plane, NULL));
    return QN_OK;
}

/* The weighted layers of a set, of which each plane of a grid is a task. */
typedef struct combine_job {
    const qn_dock_energy *energy;
    size_t set, planes, plane_cells;
    float volume;
    float *values;
} combine_job;

/* Combine the layers of a plane, and divide by the number of cells, which a transform forth and back multiplies by. */
static qn_status combine_plane(size_t index, int worker, void *user)
{
    const combine_job *job = user;
    const size_t grid = index / job->planes, first = index % job->planes * job->plane_cells;
    float *values = job->values + index * job->plane_cells;
    (void)worker;
    qn_dock_energy_combine(job->energy, job->set, (int)grid, first, job->plane_cells, values);
    for (size_t i = 0; i < job->plane_cells; i++) values[i] /= job->volume;
    return QN_OK;
}

static qn_status transform_set(qn_dock_search *search, const qn_dock_energy *energy, size_t set, size_t planes,
                               const receptor_transform *transform)
{
    const size_t volume = search->volume, own = search->grid_count - transform->common;
    combine_job job = {energy, set, planes, volume / planes, (float)volume, transform->values};
    QN_TRY(qn_pool_run(search->options.pool, search->grid_count * planes, combine_plane, &job));
    QN_TRY(
        qn_queue_write(search->queue, transform->grids, 0, transform->values, search->grid_count * volume * 4, NULL));
    QN_TRY(qn_fft_execute(transform->plan, search->queue, transform->grids, transform->spectra, NULL));
    QN_TRY(copy_spectra(search, transform, planes, 0, set * own, own));
    if (set == 0 && transform->common > 0)
        QN_TRY(copy_spectra(search, transform, planes, own, search->set_count * own, transform->common));
    return qn_queue_finish(search->queue);
}

qn_status qn_search_transform_receptor(qn_dock_search *search, const qn_dock_grid *grid, const qn_dock_energy *energy,
                                       qn_fft_engine engine, size_t plane_numbers, size_t common, qn_buffer **receptor)
{
    qn_device *device = qn_queue_device(search->queue);
    const size_t grids = search->grid_count, planes = (size_t)grid->cells[2];
    receptor_transform transform = {.plane_numbers = plane_numbers ? plane_numbers : search->bins / planes,
                                    .common = common};
    const size_t kept = search->set_count * (grids - common) + common;
    qn_fft_options options = {
        .size_bytes = sizeof options, .batch = (int)grids, .kind = QN_FFT_REAL_FORWARD, .engine = engine};
    void *memory;
    memcpy(options.size, grid->cells, sizeof options.size);
    QN_TRY(qn_allocate(grids * search->volume, sizeof(float), &memory));
    transform.values = memory;
    qn_status status = qn_buffer_create(device, grids * search->volume * 4, &transform.grids);
    if (status == QN_OK) status = qn_buffer_create(device, grids * search->bins * 8, &transform.spectra);
    if (status == QN_OK)
        status = qn_search_buffer_zeroed(search, kept * planes * transform.plane_numbers * 8, receptor);
    transform.receptor = *receptor;
    if (status == QN_OK) status = qn_fft_plan_create(device, &options, &transform.plan);
    for (size_t set = 0; set < search->set_count && status == QN_OK; set++)
        status = transform_set(search, energy, set, planes, &transform);
    qn_fft_plan_destroy(&transform.plan);
    qn_buffer_release(&transform.grids);
    qn_buffer_release(&transform.spectra);
    qn_release(&memory);
    return status;
}

qn_status qn_dock_search_check(qn_device *device, const qn_dock_grid *grid, const qn_dock_energy *energy, int sites,
                               int rotation_count, qn_dock_search_options *options, size_t *bytes)
{
    const qn_device_info *info = qn_device_get_info(device);
    if (options->path == QN_DOCK_PATH_AUTO)
        options->path = qn_search_fused_suits(device, grid) ? QN_DOCK_PATH_FUSED : QN_DOCK_PATH_LIBRARY;
    QN_TRY(path_of(options->path)->check(options, device, grid));
    if (options->batch <= 0) options->batch = choose_batch(device, options, grid, energy, sites, rotation_count);
    *bytes = qn_dock_search_bytes(options, grid, energy, sites, rotation_count);
    if (*bytes > info->memory_bytes)
        return QN_FAIL(QN_OUT_OF_MEMORY,
                       "a %d x %d x %d grid with batches of %d needs %.2f GB on %s, which has %.2f GB; expected "
                       "a larger --spacing, a smaller --grid or a smaller --batch",
                       grid->cells[0], grid->cells[1], grid->cells[2], options->batch, 1e-9 * (double)*bytes,
                       info->identifier, 1e-9 * (double)info->memory_bytes);
    return QN_OK;
}

qn_status qn_dock_search_create(qn_device *device, const qn_dock_grid *grid, const qn_dock_energy *energy,
                                const qn_dock_ligand *ligand, const int32_t *rotations, int rotation_count,
                                const qn_dock_search_options *options, qn_dock_search **out)
{
    void *memory;
    size_t bytes;
    QN_TRY(qn_allocate(1, sizeof(qn_dock_search), &memory));
    qn_dock_search *search = memory;
    search->options = *options;
    search->volume = qn_dock_grid_volume(grid);
    search->bins = ((size_t)grid->cells[0] / 2 + 1) * (size_t)grid->cells[1] * (size_t)grid->cells[2];
    search->grid_count = (size_t)energy->grid_count;
    search->set_count = energy->set_count;
    qn_status status =
        qn_dock_search_check(device, grid, energy, ligand->site_count, rotation_count, &search->options, &bytes);
    search->path = path_of(search->options.path);
    set_best_problem(search, grid);
    if (status == QN_OK) status = qn_queue_create(device, &search->queue);
    if (status == QN_OK) status = create_buffers(search, ligand, rotations, rotation_count);
    if (status == QN_OK) status = search->path->create(search, grid, energy, ligand, rotation_count);
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
    qn_queue_destroy(&search->queue); /* waits for batches in flight */
    if (search->path) search->path->destroy(search);
    qn_buffer_release(&search->atoms);
    qn_buffer_release(&search->weights);
    qn_buffer_release(&search->rotations);
    for (int i = 0; i < QN_DOCK_SLOTS; i++) {
        qn_search_slot *slot = &search->slots[i];
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

qn_dock_path qn_dock_search_path(const qn_dock_search *search)
{
    return search->options.path;
}

qn_fft_engine qn_dock_search_engine(const qn_dock_search *search)
{
    return search->options.engine;
}

const char *qn_dock_search_transforms(const qn_dock_search *search)
{
    if (!search->path->name) return qn_fft_engine_name(search->options.engine);
    return search->options.halves ? "fused-half" : search->path->name;
}

size_t qn_dock_search_device_bytes(const qn_dock_search *search)
{
    return search->bytes;
}

qn_status qn_dock_search_submit(qn_dock_search *search, int first, int slot_number)
{
    qn_search_slot *slot = &search->slots[slot_number];
    size_t bytes = (size_t)search->options.batch * search->set_count * (size_t)search->options.per_rotation * 4;
    QN_TRY(search->path->submit(search, first, slot));
    QN_TRY(qn_queue_read(search->queue, slot->energies_on_device, 0, slot->energies, bytes, NULL));
    return qn_queue_read(search->queue, slot->cells_on_device, 0, slot->cells, bytes, &slot->done);
}

qn_status qn_dock_search_collect(qn_dock_search *search, int slot_number, qn_dock_hit *hits)
{
    qn_search_slot *slot = &search->slots[slot_number];
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
