/* Insertion of all batches. Each device has a thread that takes the next batch, reads it while the device works on the
 * batch before, and inserts it. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "reconstruct/run.h"
#include "reconstruct/saved_sums.h"

typedef struct device_worker device_worker;

/* State that the threads of all devices share. */
typedef struct insertion {
    qn_reconstruct_state *run;
    device_worker *workers;             /* one worker for each device */
    pthread_mutex_t mutex;              /* guards the fields below and the saving of sums */
    uint64_t images_done, images_total; /* images up to the end of the latest inserted batch; all images */
    double started_s;
    bool failed;
} insertion;

struct device_worker {
    insertion *shared;
    int device;
    uint64_t next;     /* next batch of this device in a deterministic run */
    uint64_t *batches; /* batches that this device has inserted */
    size_t count, capacity, saved_count;
    const qn_particle **particles; /* particles of the current batch */
    double saved_s;
    bool cut_short; /* another thread or process failed before all batches were inserted */
};

/* ---- choice of a batch ---- */

/* Take the next batch. In deterministic runs the batches of every device are fixed; otherwise a device takes the next
 * batch when it is free. */
static qn_status take_next(device_worker *worker, uint64_t *batch, bool *none)
{
    qn_reconstruct_state *run = worker->shared->run;
    *none = false;
    if (!run->options->deterministic) QN_TRY(qn_agreement_deal(&run->job->agreement, 1, batch, none));
    worker->cut_short |= *none;
    if (run->options->deterministic) {
        *batch = worker->next;
        worker->next += (uint64_t)run->worker_count;
    }
    *none |= *batch >= run->plan.batch_count;
    return QN_OK;
}

/* Find the next batch that is not done. *none: no batch is left, or another device failed. */
static qn_status next_batch(device_worker *worker, uint64_t *batch, bool *none)
{
    insertion *shared = worker->shared;
    QN_TRY(qn_agreement_poll(&shared->run->job->agreement));
    do QN_TRY(take_next(worker, batch, none));
    while (!*none && qn_piece_set_has(&shared->run->job->done, *batch));
    pthread_mutex_lock(&shared->mutex);
    worker->cut_short |= shared->failed;
    *none |= shared->failed;
    pthread_mutex_unlock(&shared->mutex);
    return QN_OK;
}

/* ---- one batch ---- */

static qn_status report_progress(insertion *shared)
{
    const qn_reconstruct_state *run = shared->run;
    const double now_s = qn_clock_s();
    const qn_progress progress = {.stage = "inserting",
                                  .unit = "images",
                                  .done = (size_t)shared->images_done,
                                  .total = (size_t)shared->images_total,
                                  .seconds = now_s - shared->started_s};
    if (!qn_job_is_stopped(run->job, &progress)) return QN_OK;
    return QN_FAIL(QN_CANCELLED, "stopped after about %llu of %llu image%s%s", (unsigned long long)shared->images_done,
                   (unsigned long long)shared->images_total, shared->images_total == 1 ? "" : "s",
                   run->saved ? "; continue with --resume" : "");
}

/* Scale images if the size of their pixels differs from that of the map's voxels: a transform is a sum over pixels, and
 * these images have more or fewer pixels for the same projection. */
static void rescale(const qn_reconstruct_state *run, const qn_image_batch_plan *batch, int side, float *images)
{
    const double ratio = run->particles->optics[batch->optics].pixel_angstrom / run->voxel_angstrom;
    const float factor = (float)(ratio * ratio);
    const size_t pixels = batch->count * (size_t)side * (size_t)side;
    if (ratio == 1) return;
    for (size_t i = 0; i < pixels; i++) images[i] *= factor;
}

/* Read and insert one batch. `particles` has room for a batch; *read_s gets the seconds spent on reading. */
static qn_status read_and_insert(qn_reconstruct_state *run, qn_accumulator *accumulator, uint64_t number,
                                 const qn_particle **particles, double *read_s)
{
    const qn_image_batch_plan *batch = &run->plan.batches[number];
    const int side = run->image_sides[batch->optics];
    float *images;
    QN_TRY(qn_accumulator_staging(accumulator, &images));
    double since = qn_clock_s();
    QN_TRY(qn_image_batch_read(run->particles, &run->plan, (size_t)number, run->stacks, side, run->job->pool, images));
    *read_s = qn_clock_lap_s(&since);
    rescale(run, batch, side, images);
    for (size_t i = 0; i < batch->count; i++)
        particles[i] = &run->particles->particles[run->plan.order[batch->first + i]];
    return qn_accumulator_insert(accumulator, batch->half, &run->particles->optics[batch->optics], side, particles,
                                 batch->count);
}

static qn_status insert_batch(device_worker *worker, uint64_t number)
{
    insertion *shared = worker->shared;
    qn_reconstruct_state *run = shared->run;
    const qn_image_batch_plan *batch = &run->plan.batches[number];
    double read_s;
    QN_TRY(read_and_insert(run, run->accumulators[worker->device], number, worker->particles, &read_s));
    void *memory = worker->batches;
    QN_TRY(qn_grow(&memory, &worker->capacity, worker->count + 1, sizeof *worker->batches));
    worker->batches = memory;
    worker->batches[worker->count++] = number;
    pthread_mutex_lock(&shared->mutex);
    run->read_s += read_s;
    if (shared->images_done < batch->first + batch->count) shared->images_done = batch->first + batch->count;
    run->inserted += batch->count;
    qn_status status = report_progress(shared);
    pthread_mutex_unlock(&shared->mutex);
    return status;
}

/* ---- a device's thread ---- */

static qn_status save(device_worker *worker)
{
    qn_reconstruct_state *run = worker->shared->run;
    if (!run->saved || worker->count == worker->saved_count) return QN_OK;
    QN_TRY(qn_accumulator_finish(run->accumulators[worker->device]));
    pthread_mutex_lock(&worker->shared->mutex);
    qn_status status = qn_saved_sums_write(run->saved, worker->device, run->accumulators[worker->device],
                                           worker->batches, worker->count);
    pthread_mutex_unlock(&worker->shared->mutex);
    worker->saved_count = worker->count;
    worker->saved_s = qn_clock_s();
    return status;
}

static qn_status work(device_worker *worker)
{
    qn_reconstruct_state *run = worker->shared->run;
    const double interval_s = run->options->checkpoint_s;
    for (;;) {
        uint64_t batch;
        bool none;
        QN_TRY(next_batch(worker, &batch, &none));
        if (none) break;
        QN_TRY(insert_batch(worker, batch));
        if (run->saved && interval_s > 0 && qn_clock_s() - worker->saved_s >= interval_s) QN_TRY(save(worker));
    }
    return qn_accumulator_finish(run->accumulators[worker->device]);
}

/* Thread of a device. The device's sums are saved if the run is stopped. After a failure the other devices get no more
 * batches. */
static qn_status work_on_device(int device, void *user)
{
    insertion *shared = user;
    device_worker *worker = &shared->workers[device];
    qn_status status = work(worker);
    if (status != QN_OK) {
        pthread_mutex_lock(&shared->mutex);
        shared->failed = true;
        pthread_mutex_unlock(&shared->mutex);
        status = qn_agreement_cancel(&shared->run->job->agreement, status);
    }
    if (status != QN_CANCELLED && !(status == QN_OK && worker->cut_short)) return status;
    qn_error_trail trail;
    qn_error_save(status, &trail);
    QN_TRY(save(worker));
    return qn_error_restore(&trail);
}

static qn_status begin_worker(insertion *shared, int device)
{
    const qn_reconstruct_state *run = shared->run;
    device_worker *worker = &shared->workers[device];
    void *memory;
    *worker = (device_worker){.shared = shared,
                              .device = device,
                              .next = (uint64_t)run->first_worker + (uint64_t)device,
                              .saved_s = shared->started_s};
    QN_TRY(qn_allocate((size_t)run->batch, sizeof *worker->particles, &memory));
    worker->particles = memory;
    return QN_OK;
}

qn_status qn_reconstruct_insert(qn_reconstruct_state *run)
{
    device_worker workers[QN_DEVICES_MAX] = {0};
    insertion shared = {.run = run,
                        .workers = workers,
                        .images_done = run->resumed,
                        .images_total = run->plan.image_count,
                        .started_s = qn_clock_s()};
    qn_status status = QN_OK;
    pthread_mutex_init(&shared.mutex, NULL);
    for (int i = 0; i < run->job->device_count && status == QN_OK; i++) status = begin_worker(&shared, i);
    if (status == QN_OK) status = qn_job_each_device(run->job, work_on_device, &shared);
    for (int i = 0; i < run->job->device_count; i++) {
        qn_release(&workers[i].particles);
        qn_release(&workers[i].batches);
    }
    pthread_mutex_destroy(&shared.mutex);
    return status;
}

/* ---- tuning before a run ---- */

static qn_status explore(qn_reconstruct_state *run, qn_accumulator *accumulator, const qn_particle **particles)
{
    const double started_s = qn_clock_s();
    for (bool explores = true; explores;) {
        double read_s, spent_s;
        QN_TRY(read_and_insert(run, accumulator, 0, particles, &read_s));
        QN_TRY(qn_accumulator_finish(accumulator));
        spent_s = qn_clock_s() - started_s;
        const qn_progress progress = {.stage = "tuning", .unit = "images", .seconds = spent_s};
        if (qn_job_is_stopped(run->job, &progress))
            return QN_FAIL(QN_CANCELLED, "stopped while tuning; nothing was written");
        QN_TRY(qn_tuning_explores(&run->job->tuning, spent_s, &explores));
    }
    return QN_OK;
}

/* Tuning has its own sums, which are freed before the run allocates its sums. */
qn_status qn_reconstruct_explore(qn_reconstruct_state *run, int device)
{
    bool explores;
    qn_accumulator *accumulator = NULL;
    void *memory = NULL;
    QN_TRY(qn_tuning_explores(&run->job->tuning, 0, &explores));
    if (!explores) return QN_OK;
    qn_status status = qn_accumulator_create(run->job->devices[device], &run->accumulation, &accumulator);
    if (status == QN_OK) status = qn_allocate((size_t)run->batch, sizeof(qn_particle *), &memory);
    if (status == QN_OK) status = explore(run, accumulator, memory);
    qn_release(&memory);
    qn_accumulator_destroy(&accumulator);
    return status;
}
