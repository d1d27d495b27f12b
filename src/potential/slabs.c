/* The pieces of the run: slabs of planes, computed by devices and ranks and recorded in journals. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "potential/maps/coulomb.h"
#include "potential/maps/electrostatics.h"
#include "potential/maps/map_text.h"
#include "potential/maps/short_range.h"
#include "potential/run.h"

enum { SLAB_POINTS = 1 << 19, PLANES_STEP = 8 }; /* points of a slab, roughly; planes of a brick of the kernels */

size_t qn_potential_slab_points(const qn_potential_run_state *run, int slab, int count)
{
    const int *points = run->model->settings.grid.points;
    const int first = slab * run->slab_planes, end = first + count * run->slab_planes;
    const int planes = (end < points[2] ? end : points[2]) - first;
    return (size_t)points[0] * (size_t)points[1] * (size_t)planes;
}

/* ---- memory ---- */

static uint64_t allowed_bytes(const qn_potential_run_state *run)
{
    const uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t stated = run->options->run.memory_bytes;
    return stated ? stated : all / 2 / (uint64_t)qn_ranks_local_count(run->job->ranks);
}

static void choose_slabs(qn_potential_run_state *run)
{
    const int *points = run->model->settings.grid.points;
    const int all = (points[2] + PLANES_STEP - 1) / PLANES_STEP * PLANES_STEP;
    int planes = SLAB_POINTS / (points[0] * points[1]) / PLANES_STEP * PLANES_STEP;
    if (planes > all) planes = all;
    run->slab_planes = planes < PLANES_STEP ? PLANES_STEP : planes;
    run->slab_count = (points[2] + run->slab_planes - 1) / run->slab_planes;
}

qn_status qn_potential_divide(qn_potential_run_state *run)
{
    choose_slabs(run);
    const double mib = 1024.0 * 1024;
    const uint64_t value_bytes = (uint64_t)run->map_count * sizeof(float);
    const uint64_t slab = value_bytes * qn_potential_slab_points(run, 0, 1), allowed = allowed_bytes(run);
    /* for each device a slab in its buffers and a copy in memory; for the writer the text of some lines */
    const uint64_t text = run->job->in_memory ? 0 : qn_potential_writing_bytes(run->map_count);
    const uint64_t work = 2 * slab * (uint64_t)run->job->device_count + text;
    const uint64_t all = value_bytes * qn_potential_grid_size(&run->model->settings.grid);
    const bool keeps = run->job->in_memory || (run->options->keep_maps && run->wants_result) ||
                       (run->formats & ~(unsigned)QN_POTENTIAL_FORMAT_MAP);
    run->window_slabs = run->slab_count;
    if (all + work > allowed && !keeps) run->window_slabs = work + slab < allowed ? (int)((allowed - work) / slab) : 1;
    const uint64_t window = run->window_slabs < run->slab_count ? slab * (uint64_t)run->window_slabs : all;
    qn_log(QN_LOG_NOTE,
           "%zu atoms, %d maps of %d x %d x %d points; memory: %.0f MiB for %s, %.0f MiB for %d %s of work",
           run->model->atom_count, run->map_count, run->model->settings.grid.points[0],
           run->model->settings.grid.points[1], run->model->settings.grid.points[2], ceil((double)window / mib),
           run->window_slabs < run->slab_count ? "a part of the maps at a time" : "the maps", ceil((double)work / mib),
           2 * run->job->device_count, qn_plural(2 * (size_t)run->job->device_count, "slab", "slabs"));
    if (window + work > allowed)
        return QN_FAIL(
            QN_OUT_OF_MEMORY,
            "the maps take %.0f MiB of memory, and %.0f MiB are allowed; expected at least so much, a smaller "
            "grid, or fewer types",
            ceil((double)(window + work) / mib), floor((double)allowed / mib));
    return QN_OK;
}

/* ---- computing ---- */

typedef struct slab_loop {
    qn_potential_run_state *run;
    pthread_mutex_t mutex; /* of `done`, the least and the most values, and the progress */
    int done;
    double started_s;
} slab_loop;

/* A device at work: its queue, its kernels and the places of a slab's values. */
typedef struct slab_device {
    slab_loop *loop;
    qn_queue *queue;
    qn_short_range *short_range;
    qn_electrostatics *electrostatics;
    qn_coulomb *coulomb;
    qn_vina_device *vina;
    qn_buffer *potential;
    float *values; /* [map][points of the slab]; NULL: values go into the window */
    float *maps[QN_POTENTIAL_MAPS_MAX];
    int slab;
} slab_device;

/* Finish a row of the maps on the host: round electrostatics, compute maps that need no kernel. */
static qn_status finish_row(size_t row, int worker, void *user)
{
    const slab_device *work = user;
    const qn_potential_run_state *run = work->loop->run;
    const qn_potential_model *model = run->model;
    const int *points = model->settings.grid.points, probes = model->settings.probe_count;
    const size_t place = row * (size_t)points[0];
    float *electrostatic = work->maps[probes] + place;
    int point[3] = {0, (int)(row % (size_t)points[1]), work->slab * run->slab_planes + (int)(row / (size_t)points[1])};
    (void)worker;
    for (int x = 0; x < points[0]; x++) electrostatic[x] = qn_map_value_round((double)electrostatic[x]);
    for (point[0] = 0; point[0] < points[0] && model->covalent_probe >= 0; point[0]++)
        work->maps[model->covalent_probe][place + (size_t)point[0]] =
            qn_map_value_round(qn_potential_covalent_value(model, point));
    for (point[0] = 0; point[0] < points[0] && run->field_count > probes + 2; point[0]++)
        work->maps[probes + 2][place + (size_t)point[0]] =
            qn_map_value_round(qn_potential_distance_value(model, point));
    return QN_OK;
}

/* Point to the maps of a slab: in the device's own memory, or in the window. */
static void place_maps(slab_device *work, int slab)
{
    const qn_potential_run_state *run = work->loop->run;
    const size_t points = qn_potential_slab_points(run, slab, 1),
                 all = qn_potential_slab_points(run, 0, run->slab_count);
    work->slab = slab;
    for (int map = 0; map < run->map_count; map++)
        work->maps[map] = work->values ? work->values + (size_t)map * points
                                       : run->values + (size_t)map * all + qn_potential_slab_points(run, 0, slab);
}

static qn_status compute_coulomb(slab_device *work, int first, int count, size_t points)
{
    QN_TRY(qn_coulomb_planes(work->coulomb, first, count, work->potential, NULL));
    QN_TRY(qn_queue_read(work->queue, work->potential, 0, work->maps[0], points * sizeof(float), NULL));
    return qn_queue_finish(work->queue);
}

static qn_status compute_slab(slab_device *work, int slab)
{
    const qn_potential_run_state *run = work->loop->run;
    const int *grid = run->model->settings.grid.points, probes = run->model->settings.probe_count;
    const size_t points = qn_potential_slab_points(run, slab, 1), plane = (size_t)grid[0] * (size_t)grid[1];
    const int first = slab * run->slab_planes, count = (int)(points / plane);
    float *short_maps[QN_POTENTIAL_MAPS_MAX];
    place_maps(work, slab);
    if (run->vina) QN_TRY(qn_vina_device_compute(work->vina, first, count, work->maps[run->field_count]));
    if (run->options->coulomb) return compute_coulomb(work, first, count, points);
    if (run->field_count == 0) return QN_OK;
    memcpy(short_maps, work->maps, sizeof short_maps);
    short_maps[probes] = work->maps[probes + 1]; /* desolvation comes after electrostatics */
    QN_TRY(qn_electrostatics_planes(work->electrostatics, first, count, work->potential, NULL));
    QN_TRY(qn_short_range_planes(work->short_range, first, count, short_maps));
    QN_TRY(qn_queue_read(work->queue, work->potential, 0, work->maps[probes], points * sizeof(float), NULL));
    QN_TRY(qn_queue_finish(work->queue));
    return qn_pool_run(run->job->pool, points / (size_t)grid[0], finish_row, work);
}

/* Copy the values of a slab into the window. */
static void keep_slab(qn_potential_run_state *run, int slab, const float *values)
{
    const size_t points = qn_potential_slab_points(run, slab, 1);
    const size_t stride = qn_potential_slab_points(run, run->window_first, run->window_slabs);
    const size_t place = qn_potential_slab_points(run, run->window_first, slab - run->window_first);
    for (int map = 0; map < run->map_count; map++)
        memcpy(run->values + (size_t)map * stride + place, values + (size_t)map * points, points * sizeof *values);
}

static qn_status report_progress(slab_loop *loop)
{
    qn_potential_run_state *run = loop->run;
    const qn_progress progress = {.stage = "computing maps",
                                  .unit = "slabs",
                                  .done = (size_t)loop->done,
                                  .total = (size_t)run->slab_count,
                                  .seconds = qn_clock_s() - loop->started_s};
    if (!qn_job_is_stopped(run->job, &progress)) return QN_OK;
    return QN_FAIL(QN_CANCELLED, "stopped after %d of %d slabs%s", loop->done, run->slab_count,
                   run->job->in_memory ? "" : "; continue with --resume");
}

static qn_status finish_slab(slab_loop *loop, int slab, const float *values)
{
    qn_potential_run_state *run = loop->run;
    const size_t bytes = (size_t)run->map_count * qn_potential_slab_points(run, slab, 1) * sizeof *values;
    if (!run->job->in_memory) QN_TRY(qn_job_record(run->job, (uint64_t)slab, values, bytes));
    if (values && qn_potential_holds_all(run)) keep_slab(run, slab, values);
    pthread_mutex_lock(&loop->mutex);
    loop->done++;
    qn_status status = report_progress(loop);
    pthread_mutex_unlock(&loop->mutex);
    return status == QN_OK ? qn_agreement_poll(&run->job->agreement) : status;
}

/* *slab is slab_count when no slab is left. */
static qn_status take_slab(slab_loop *loop, int *slab)
{
    qn_job *job = loop->run->job;
    uint64_t dealt;
    bool none;
    do {
        QN_TRY(qn_agreement_deal(&job->agreement, 1, &dealt, &none));
        *slab = none || dealt >= (uint64_t)loop->run->slab_count ? loop->run->slab_count : (int)dealt;
    } while (*slab < loop->run->slab_count && qn_piece_set_has(&job->done, (uint64_t)*slab));
    return QN_OK;
}

static qn_status run_slabs(slab_device *work)
{
    slab_loop *loop = work->loop;
    int slab;
    QN_TRY(take_slab(loop, &slab));
    while (slab < loop->run->slab_count) {
        QN_TRY(compute_slab(work, slab));
        QN_TRY(finish_slab(loop, slab, work->values));
        QN_TRY(take_slab(loop, &slab));
    }
    return QN_OK;
}

static qn_status open_device(const qn_potential_run_state *run, int device, slab_device *work)
{
    const qn_potential_model *model = run->model;
    const size_t points = qn_potential_slab_points(run, 0, 1);
    const qn_short_range_input input = {.model = model, .planes_max = run->slab_planes, .pool = run->job->pool};
    const qn_electrostatics_input charges = {.grid = model->settings.grid,
                                             .atom_count = model->atom_count,
                                             .positions_angstrom = model->positions_angstrom,
                                             .charges_e = model->charges_e,
                                             .screening = model->screening,
                                             .entries = QN_POTENTIAL_DIELECTRIC_ENTRIES,
                                             .planes_max = run->slab_planes};
    QN_TRY(qn_queue_create(run->job->devices[device], &work->queue));
    if (!run->job->in_memory || run->vina) /* Vina's maps come as one block */
        QN_TRY(qn_allocate((size_t)run->map_count * points, sizeof(float), (void **)&work->values));
    if (run->vina) QN_TRY(qn_vina_device_create(run->vina, &model->settings.grid, work->queue, &work->vina));
    if (run->options->coulomb) {
        QN_TRY(qn_coulomb_create(work->queue, &model->settings.grid, model->atom_count, model->positions_angstrom,
                                 model->charges_e, QN_COULOMB_KCAL_PER_MOL, &work->coulomb));
        return qn_buffer_create(run->job->devices[device], points * sizeof(float), &work->potential);
    }
    if (run->field_count == 0) return QN_OK;
    QN_TRY(qn_short_range_create(work->queue, &input, &work->short_range));
    QN_TRY(qn_electrostatics_create(work->queue, &charges, &work->electrostatics));
    return qn_buffer_create(run->job->devices[device], points * sizeof(float), &work->potential);
}

static qn_status run_device(int device, void *user)
{
    slab_loop *loop = user;
    slab_device work = {.loop = loop};
    qn_status status = open_device(loop->run, device, &work);
    if (status == QN_OK) status = run_slabs(&work);
    qn_queue_settle(work.queue); /* it may use memory of the parts below */
    qn_short_range_destroy(&work.short_range);
    qn_electrostatics_destroy(&work.electrostatics);
    qn_coulomb_destroy(&work.coulomb);
    qn_vina_device_destroy(&work.vina);
    qn_buffer_release(&work.potential);
    qn_queue_destroy(&work.queue);
    qn_release(&work.values);
    return status;
}

/* ---- slabs of earlier runs and of other ranks ---- */

static qn_status know_slab(uint64_t slab, const void *data, size_t size, void *user)
{
    slab_loop *loop = user;
    qn_potential_run_state *run = loop->run;
    (void)data;
    if (slab >= (uint64_t)run->slab_count ||
        size != (size_t)run->map_count * qn_potential_slab_points(run, (int)slab, 1) * sizeof(float))
        return QN_FAIL(QN_BAD_FORMAT, "slab %llu of the journals does not belong to this run",
                       (unsigned long long)slab);
    if (!qn_piece_set_has(&run->job->done, slab)) loop->done++;
    return qn_piece_set_add(&run->job->done, slab);
}

typedef struct gathering {
    qn_potential_run_state *run;
    qn_piece_set found;
} gathering;

static qn_status gather_slab(uint64_t slab, const void *data, size_t size, void *user)
{
    gathering *all = user;
    qn_potential_run_state *run = all->run;
    const int offset = (int)slab - run->window_first;
    (void)size;
    if (slab >= (uint64_t)run->slab_count || offset < 0 || offset >= run->window_slabs) return QN_OK;
    keep_slab(run, (int)slab, data);
    return qn_piece_set_add(&all->found, slab);
}

qn_status qn_potential_gather(qn_potential_run_state *run, int slab)
{
    gathering all = {.run = run};
    run->window_first = slab;
    if (run->job->in_memory) return QN_OK;
    if (qn_potential_holds_all(run) && run->computed == run->slab_count) return QN_OK;
    qn_status status = qn_job_scan(run->job, gather_slab, &all);
    const int end = slab + run->window_slabs < run->slab_count ? slab + run->window_slabs : run->slab_count;
    if (status == QN_OK && all.found.count < (uint64_t)(end - slab) && !qn_potential_holds_all(run))
        status =
            QN_FAIL(QN_BAD_FORMAT, "the journals lack %d of %d slabs", end - slab - (int)all.found.count, end - slab);
    qn_release(&all.found.bits);
    return status;
}

static qn_status compute(slab_loop *loop)
{
    qn_potential_run_state *run = loop->run;
    if (run->options->run.resume) QN_TRY(qn_job_scan(run->job, know_slab, loop));
    const int known = loop->done;
    if (known) qn_log(QN_LOG_NOTE, "resuming: %d of %d slabs are done", known, run->slab_count);
    const qn_status status = qn_job_each_device(run->job, run_device, loop);
    run->computed = loop->done - known;
    return status;
}

enum { TOUCHED_BYTES = 1 << 20 };

/* Write zeros to the memory of the window on all threads: the system provides each page at its first use, and for one
 * thread this takes longer than a GPU needs for the maps. */
static qn_status touch(size_t part, int worker, void *user)
{
    const qn_potential_run_state *run = user;
    const size_t all = (size_t)run->map_count * qn_potential_slab_points(run, 0, run->window_slabs) * sizeof(float);
    const size_t first = part * TOUCHED_BYTES, left = all - first;
    (void)worker;
    memset((char *)run->values + first, 0, left < TOUCHED_BYTES ? left : TOUCHED_BYTES);
    return QN_OK;
}

static qn_status make_window(qn_potential_run_state *run)
{
    const size_t count = (size_t)run->map_count * qn_potential_slab_points(run, 0, run->window_slabs);
    size_t capacity = 0;
    if (!qn_job_is_first(run->job) && !qn_potential_holds_all(run)) return QN_OK;
    QN_TRY(qn_grow((void **)&run->values, &capacity, count, sizeof *run->values)); /* `touch` writes zeros to it */
    return qn_pool_run(run->job->pool, (count * sizeof *run->values + TOUCHED_BYTES - 1) / TOUCHED_BYTES, touch, run);
}

qn_status qn_potential_compute(qn_potential_run_state *run)
{
    slab_loop loop = {.run = run, .started_s = qn_clock_s()};
    QN_TRY(make_window(run));
    pthread_mutex_init(&loop.mutex, NULL);
    const qn_status status = compute(&loop);
    pthread_mutex_destroy(&loop.mutex);
    run->compute_s = qn_clock_s() - loop.started_s;
    return status;
}
