#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "dock/records.h"
#include "dock/run.h"
#include "runtime/device.h"

/* State that the devices of a process share during the search. */
typedef struct search_loop {
    qn_dock_state *run;
    qn_dock_search *searches[QN_DEVICES_MAX];
    qn_dock_known known;   /* rotations that journals had when the run began, without their hits */
    pthread_mutex_t mutex; /* guards `reached` and the reports of progress */
    int reached; /* end of the last batch recorded here: about the number of rotations that all processes have done */
    double started_s;
} search_loop;

/* Make an empty set of known rotations, whose hits will be copied to `hits`. */
static qn_status make_known(const qn_dock_state *run, qn_dock_hit *hits, qn_dock_known *known)
{
    void *memory;
    *known = (qn_dock_known){.rotation_count = run->rotation_count,
                             .per_rotation = (int)run->energy.set_count * run->options->per_rotation,
                             .hits = hits};
    QN_TRY(qn_allocate((size_t)run->rotation_count, 1, &memory));
    known->done = memory;
    return QN_OK;
}

/* Count the rotations that all processes have recorded so far. */
static qn_status count_recorded(const search_loop *loop, int *count)
{
    qn_dock_known known;
    QN_TRY(make_known(loop->run, NULL, &known));
    qn_status status = qn_job_scan(loop->run->job, qn_dock_record_read, &known);
    *count = qn_dock_known_count(&known);
    qn_release(&known.done);
    return status;
}

static qn_status report_progress(const search_loop *loop)
{
    const qn_dock_state *run = loop->run;
    const int resumed = run->resumed_rotations;
    const qn_progress progress = {.stage = "docking",
                                  .unit = "rotations",
                                  .done = (size_t)(loop->reached > resumed ? loop->reached : resumed),
                                  .total = (size_t)run->rotation_count,
                                  .seconds = qn_clock_s() - loop->started_s};
    int done;
    if (!qn_job_is_stopped(run->job, &progress)) return QN_OK;
    QN_TRY(count_recorded(loop, &done));
    return QN_FAIL(QN_CANCELLED, "stopped after %d of %d rotations%s", done, run->rotation_count,
                   run->job->in_memory ? "" : "; continue with --resume");
}

/* Report progress. QN_CANCELLED if the caller stops the run or another rank has stopped it. */
static qn_status ask_to_go_on(search_loop *loop)
{
    pthread_mutex_lock(&loop->mutex);
    qn_status status = report_progress(loop);
    if (status == QN_OK) status = qn_agreement_poll(&loop->run->job->agreement);
    pthread_mutex_unlock(&loop->mutex);
    return status;
}

static bool are_known(const qn_dock_known *known, int first, int count)
{
    int done = 0;
    for (int i = 0; i < count; i++) done += known->done[first + i];
    return done == count;
}

/* Number of rotations of the batch that begins at `first`. */
static int batch_count(const search_loop *loop, int batch, int first)
{
    const int left = loop->run->rotation_count - first;
    return left < batch ? left : batch;
}

/* Take the next batch that has a rotation to compute. *first is its first rotation, rotation_count if no batch is left.
 */
static qn_status take_batch(search_loop *loop, int batch, int *first)
{
    const int count = loop->run->rotation_count;
    uint64_t dealt;
    bool none;
    do {
        QN_TRY(qn_agreement_deal(&loop->run->job->agreement, (uint64_t)batch, &dealt, &none));
        *first = none || dealt >= (uint64_t)count ? count : (int)dealt;
    } while (*first < count && are_known(&loop->known, *first, batch_count(loop, batch, *first)));
    return QN_OK;
}

/* Wait for the batch that began at rotation `first` and record its hits. */
static qn_status finish_batch(search_loop *loop, qn_dock_search *search, int first, int slot, qn_dock_hit *hits)
{
    const int count = batch_count(loop, qn_dock_search_batch(search), first);
    QN_TRY(qn_dock_search_collect(search, slot, hits));
    QN_TRY(qn_dock_record(loop->run->job, loop->known.per_rotation, first, count, hits));
    pthread_mutex_lock(&loop->mutex);
    if (first + count > loop->reached) loop->reached = first + count;
    pthread_mutex_unlock(&loop->mutex);
    return ask_to_go_on(loop);
}

/* Search batches until none is left. Up to two batches are in flight: the device computes one while the host records
 * the other. */
static qn_status run_batches(search_loop *loop, qn_dock_search *search, qn_dock_hit *hits)
{
    const int count = loop->run->rotation_count, batch = qn_dock_search_batch(search);
    int waiting[QN_DOCK_SLOTS] = {-1, -1}, slot = 0, first;
    qn_status status = take_batch(loop, batch, &first);
    for (; status == QN_OK && first < count; slot = !slot) {
        if (waiting[slot] >= 0) status = finish_batch(loop, search, waiting[slot], slot, hits);
        waiting[slot] = -1;
        if (status == QN_OK) status = qn_dock_search_submit(search, first, slot);
        if (status != QN_OK) break;
        waiting[slot] = first;
        status = take_batch(loop, batch, &first);
    }
    for (int i = 0; i < QN_DOCK_SLOTS && status == QN_OK; i++, slot = !slot)
        if (waiting[slot] >= 0) status = finish_batch(loop, search, waiting[slot], slot, hits);
    return status == QN_OK ? ask_to_go_on(loop) : status; /* no batch may be left because the run was stopped */
}

typedef struct device_work {
    search_loop *loop;
    qn_dock_search *search;
} device_work;

/* Search with one device until no batch is left. */
static qn_status run_device(int device, void *user)
{
    search_loop *loop = user;
    qn_dock_search *search = loop->searches[device];
    void *hits;
    qn_status status = qn_allocate((size_t)qn_dock_search_batch(search) * (size_t)loop->known.per_rotation,
                                   sizeof(qn_dock_hit), &hits);
    if (status == QN_OK) status = run_batches(loop, search, hits);
    qn_release(&hits);
    return status;
}

/* In a resumed run, take the transforms of the earlier run. */
static qn_status keep_transforms(qn_dock_state *run)
{
    char name[16];
    qn_dock_transforms known;
    if (!run->options->run.resume || run->asked.path != QN_DOCK_PATH_AUTO) return QN_OK;
    QN_TRY(qn_output_value(&run->job->output, "transforms", name, sizeof name));
    if (qn_dock_read_transforms(name, &known)) run->transforms = known;
    return QN_OK;
}

qn_dock_search_options qn_dock_search_options_of(const qn_dock_state *run, int i)
{
    const char *driver = qn_device_get_info(run->job->devices[i])->driver;
    const bool alike = strcmp(driver, qn_device_get_info(run->job->devices[0])->driver) == 0;
    const qn_dock_transforms *transforms = alike ? &run->transforms : &run->asked;
    return (qn_dock_search_options){.batch = run->options->run.batch,
                                    .per_rotation = run->options->per_rotation,
                                    .exclusion_cells = run->exclusion_cells,
                                    .engine = transforms->engine,
                                    .path = transforms->path,
                                    .halves = transforms->halves,
                                    .pool = run->job->pool};
}

/* Create a search on each device. Devices with the same driver as the first device use the transforms that the first
 * device chose. */
static qn_status create_searches(search_loop *loop)
{
    qn_dock_state *run = loop->run;
    for (int i = 0; i < run->job->device_count; i++) {
        qn_dock_worker *worker = &run->workers[i];
        qn_device *device = run->job->devices[i];
        const qn_dock_search_options search_options = qn_dock_search_options_of(run, i);
        QN_TRY(qn_dock_search_create(device, &run->grid, &run->energy, &run->ligand_sites, run->rotations,
                                     run->rotation_count, &search_options, &loop->searches[i]));
        worker->transforms = qn_dock_search_transforms(loop->searches[i]);
        worker->batch = qn_dock_search_batch(loop->searches[i]);
        worker->device_bytes = qn_dock_search_device_bytes(loop->searches[i]);
        if (i == 0) {
            run->transforms.engine = qn_dock_search_engine(loop->searches[i]);
            run->transforms.path = qn_dock_search_path(loop->searches[i]);
        }
        qn_log(QN_LOG_NOTE, "%s: %d %s a batch, %.2f GiB on the device, %s transforms",
               qn_device_get_info(device)->identifier, worker->batch,
               qn_plural((size_t)worker->batch, "rotation", "rotations"),
               (double)worker->device_bytes / (1024.0 * 1024 * 1024), worker->transforms);
    }
    return QN_OK;
}

/* Create the searches of all ranks. The first rank chooses the transforms, and the other ranks use the same ones
 * because transforms differ in rounding. */
static qn_status create_together(search_loop *loop)
{
    qn_dock_state *run = loop->run;
    qn_job *job = run->job;
    const bool first = qn_job_is_first(job);
    qn_status status = QN_OK;
    if (first) status = keep_transforms(run);
    if (first && status == QN_OK) status = create_searches(loop);
    QN_TRY(qn_job_agree(job, status));
    QN_TRY(qn_job_agree(job, qn_ranks_broadcast(job->ranks, &run->transforms, sizeof run->transforms)));
    if (!first) status = create_searches(loop);
    for (int i = 0; i < job->device_count && status == QN_OK; i++)
        status = qn_dock_tuning_explore(run, loop->searches[i]);
    if (status == QN_OK) status = qn_job_key(job, "transforms=%s\n", qn_dock_transforms_name(&run->transforms));
    return qn_job_agree(job, status);
}

/* Find the rotations that all journals have. */
static qn_status find_known(search_loop *loop)
{
    qn_dock_state *run = loop->run;
    QN_TRY(make_known(run, NULL, &loop->known));
    if (!run->job->options->resume) return QN_OK;
    QN_TRY(qn_job_scan(run->job, qn_dock_record_read, &loop->known));
    run->resumed_rotations = qn_dock_known_count(&loop->known);
    if (run->resumed_rotations)
        qn_log(QN_LOG_NOTE, "resuming: %d of %d rotations are done", run->resumed_rotations, run->rotation_count);
    return QN_OK;
}

/* Allocate the hits on the first rank, which makes the results. This comes before the search, which may take hours. */
static qn_status allocate_hits(qn_dock_state *run)
{
    const size_t hits = (size_t)run->rotation_count * run->energy.set_count * (size_t)run->options->per_rotation;
    void *memory;
    if (!qn_job_is_first(run->job)) return QN_OK;
    QN_TRY(qn_allocate(hits, sizeof(qn_dock_hit), &memory));
    run->hits = memory;
    return QN_OK;
}

/* Read the hits of all journals. Fails if a rotation is missing, because incomplete results would look complete. */
static qn_status gather_hits(search_loop *loop)
{
    qn_dock_state *run = loop->run;
    qn_dock_known known;
    if (!qn_job_is_first(run->job)) return QN_OK;
    QN_TRY(make_known(run, run->hits, &known));
    qn_status status = qn_job_scan(run->job, qn_dock_record_read, &known);
    const int done = qn_dock_known_count(&known);
    qn_release(&known.done);
    QN_TRY(status);
    if (done < run->rotation_count)
        return QN_FAIL(QN_BAD_FORMAT, "%s: its journals have %d of %d rotations; expected all: continue with --resume",
                       run->job->in_memory ? "the run" : run->options->output, done, run->rotation_count);
    return QN_OK;
}

static qn_status search(search_loop *loop)
{
    qn_dock_state *run = loop->run;
    qn_job *job = run->job;
    QN_TRY(create_together(loop));
    QN_TRY(qn_job_agree(job, allocate_hits(run)));
    QN_TRY(qn_job_journal(job));
    if (job->over) return QN_OK;
    QN_TRY(qn_job_agree(job, find_known(loop)));
    loop->started_s = qn_clock_s();
    qn_status status = qn_job_each_device(job, run_device, loop);
    qn_job_records_end(job);
    status = qn_job_agree(job, status);
    run->timings.search_s = qn_clock_s() - loop->started_s;
    return status == QN_OK ? qn_job_agree(job, gather_hits(loop)) : status;
}

qn_status qn_dock_search_all(qn_dock_state *run)
{
    search_loop loop = {.run = run, .mutex = PTHREAD_MUTEX_INITIALIZER};
    qn_status status = search(&loop);
    for (int i = 0; i < run->job->device_count; i++) qn_dock_search_destroy(&loop.searches[i]);
    qn_release(&loop.known.done);
    pthread_mutex_destroy(&loop.mutex);
    return status;
}
