#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "dock/journal.h"
#include "dock/run.h"
#include "runtime/device.h"

/* A coefficient set with all that its energies depend on: the weighted layers and the ligand's weights, hashed. */
static qn_status describe_set(const qn_dock_state *run, size_t set, qn_text *key)
{
    const qn_dock_energy *energy = &run->energy;
    qn_hash hash;
    char digest[65];
    qn_hash_start(&hash);
    qn_hash_add(&hash, energy->sets[set].weight, sizeof energy->sets[set].weight);
    for (size_t i = 0; i < energy->layer_count; i++) {
        const qn_dock_layer *layer = &energy->layers[i];
        const double numbers[] = {(double)layer->kind,       (double)layer->term,    (double)layer->ligand_grid,
                                  layer->reach_angstrom,     layer->length_angstrom, layer->cap,
                                  energy->sets[set].scale[i]};
        if (energy->sets[set].scale[i] == 0) continue;
        qn_hash_add(&hash, numbers, sizeof numbers);
        qn_hash_add(&hash, layer->weights, run->receptor.site_count * sizeof(double));
    }
    qn_hash_add(&hash, energy->ligand_weights, (size_t)energy->grid_count * run->ligand.site_count * sizeof(double));
    qn_hash_finish(&hash, digest);
    return qn_text_append(key, "coefficients=%s %s\n", energy->sets[set].name, digest);
}

/* Everything the hits depend on, a line each: a journal with another key is refused. */
static qn_status make_key(const qn_dock_state *run, qn_text *key)
{
    const qn_dock_options *options = run->options;
    qn_hash hash;
    char rotations[65];
    qn_hash_start(&hash);
    qn_hash_add(&hash, run->rotations, (size_t)run->rotation_count * 9 * sizeof(int32_t));
    qn_hash_finish(&hash, rotations);
    QN_TRY(qn_text_append(key,
                          "version=%s\nreceptor=%s %zu atoms\nligand=%s %zu atoms\nmodel=%d\nscore=%s\nrotations=%d "
                          "%s\nspacing=%.17g\ngrid=%d %d %d\nper rotation=%d\nfft engine=%s\n",
                          QN_VERSION, run->receptor.hash, run->receptor.molecule->atom_count, run->ligand.hash,
                          run->ligand.molecule->atom_count, options->model, options->score, run->rotation_count,
                          rotations, run->grid.spacing_angstrom, run->grid.cells[0], run->grid.cells[1],
                          run->grid.cells[2], options->per_rotation, qn_fft_engine_name(run->engine)));
    for (size_t s = 0; s < run->energy.set_count; s++) QN_TRY(describe_set(run, s, key));
    for (int i = 0; i < run->worker_count; i++) {
        const qn_device_info *device = qn_device_get_info(run->workers[i].device);
        QN_TRY(qn_text_append(key, "device=%s %s\n", device->driver, device->name));
    }
    return QN_OK;
}

/* What the devices of a run share while they work. */
typedef struct search_loop {
    qn_dock_state *run;
    qn_dock_search *searches[QN_DOCK_MOST_DEVICES];
    qn_dock_journal *journal;
    unsigned char *done; /* rotations whose hits are kept */
    int next;            /* rotations before it are done or taken by a device */
    int finished;
    bool failed;           /* a device failed: the others stop */
    pthread_mutex_t mutex; /* of all above */
    double started_s;
} search_loop;

static qn_status report_progress(const search_loop *loop)
{
    const qn_dock_state *run = loop->run;
    const qn_progress progress = {.stage = "docking",
                                  .unit = "rotations",
                                  .done = (size_t)loop->finished,
                                  .total = (size_t)run->rotation_count,
                                  .seconds = qn_clock_s() - loop->started_s};
    if (run->options->progress && run->options->progress(&progress, run->options->progress_user) != 0)
        QN_FAIL(QN_CANCELLED, "stopped after %d of %d rotations; continue with --resume", loop->finished,
                run->rotation_count);
    return QN_OK;
}

/* First rotation of a batch that holds one not done yet; rotation_count when there is none left. */
static int take_batch(search_loop *loop, int batch)
{
    const int count = loop->run->rotation_count;
    pthread_mutex_lock(&loop->mutex);
    while (loop->next < count && loop->done[loop->next]) loop->next++;
    int first = loop->failed ? count : loop->next;
    loop->next = first < count - batch ? first + batch : count;
    pthread_mutex_unlock(&loop->mutex);
    return first;
}

/* Keep and record the hits of a batch that began at rotation `first`. */
static qn_status keep_hits(search_loop *loop, int first, int count, const qn_dock_hit *hits)
{
    qn_dock_state *run = loop->run;
    const size_t each = run->energy.set_count * (size_t)run->options->per_rotation;
    pthread_mutex_lock(&loop->mutex);
    memcpy(run->hits + (size_t)first * each, hits, (size_t)count * each * sizeof *hits);
    qn_status status = qn_dock_journal_append(loop->journal, first, count, hits);
    for (int i = 0; i < count && status == QN_OK; i++) {
        loop->finished += !loop->done[first + i];
        loop->done[first + i] = 1;
    }
    if (status == QN_OK) status = report_progress(loop);
    pthread_mutex_unlock(&loop->mutex);
    return status;
}

/* Wait for the batch that began at rotation `first`. */
static qn_status finish_batch(search_loop *loop, qn_dock_search *search, int first, int slot, qn_dock_hit *hits)
{
    int left = loop->run->rotation_count - first, batch = qn_dock_search_batch(search);
    QN_TRY(qn_dock_search_collect(search, slot, hits));
    return keep_hits(loop, first, left < batch ? left : batch, hits);
}

/* Two batches are under way at any time: the device computes one while the host records the other. */
static qn_status run_batches(search_loop *loop, qn_dock_search *search, qn_dock_hit *hits)
{
    const int count = loop->run->rotation_count, batch = qn_dock_search_batch(search);
    int waiting[QN_DOCK_SLOTS] = {-1, -1}, slot = 0;
    qn_status status = QN_OK;
    for (int first = take_batch(loop, batch); first < count && status == QN_OK; slot = !slot) {
        if (waiting[slot] >= 0) status = finish_batch(loop, search, waiting[slot], slot, hits);
        waiting[slot] = -1;
        if (status != QN_OK) break;
        status = qn_dock_search_submit(search, first, slot);
        if (status == QN_OK) waiting[slot] = first;
        first = take_batch(loop, batch);
    }
    for (int i = 0; i < QN_DOCK_SLOTS && status == QN_OK; i++, slot = !slot)
        if (waiting[slot] >= 0) status = finish_batch(loop, search, waiting[slot], slot, hits);
    return status;
}

/* One device works until no batch is left. */
static qn_status run_device(size_t index, int worker, void *user)
{
    search_loop *loop = user;
    qn_dock_search *search = loop->searches[index];
    const size_t each = loop->run->energy.set_count * (size_t)loop->run->options->per_rotation;
    void *hits;
    (void)worker;
    QN_TRY(qn_allocate((size_t)qn_dock_search_batch(search) * each, sizeof(qn_dock_hit), &hits));
    qn_status status = run_batches(loop, search, hits);
    if (status != QN_OK) {
        pthread_mutex_lock(&loop->mutex);
        loop->failed = true;
        pthread_mutex_unlock(&loop->mutex);
    }
    qn_release(&hits);
    return status;
}

/* One device on this thread; several on a thread each. */
static qn_status run_devices(search_loop *loop)
{
    qn_pool *pool = NULL;
    int devices = loop->run->worker_count;
    if (devices == 1) return run_device(0, 0, loop);
    QN_TRY(qn_pool_create(devices, &pool));
    qn_status status = qn_pool_run(pool, (size_t)devices, run_device, loop);
    qn_pool_destroy(&pool);
    return status;
}

/* A resumed run keeps the transform engine that the killed one had measured to be the fastest. */
static qn_status keep_engine(qn_dock_state *run, const char *journal)
{
    char name[16];
    if (!run->options->resume || run->engine != QN_FFT_AUTO) return QN_OK;
    QN_TRY(qn_dock_journal_value(journal, "fft engine", name, sizeof name));
    for (int engine = QN_FFT_AUTO; engine <= QN_FFT_CUFFT; engine++)
        if (strcmp(name, qn_fft_engine_name((qn_fft_engine)engine)) == 0) run->engine = (qn_fft_engine)engine;
    return QN_OK;
}

static qn_status open_journal(search_loop *loop, const char *path)
{
    qn_dock_state *run = loop->run;
    qn_text key = {0};
    qn_status status = make_key(run, &key);
    if (status == QN_OK)
        status = qn_dock_journal_open(path, key.data, run->rotation_count,
                                      (int)run->energy.set_count * run->options->per_rotation, run->options->resume,
                                      run->hits, loop->done, &loop->journal);
    qn_text_clear(&key);
    for (int i = 0; status == QN_OK && i < run->rotation_count; i++) run->resumed_rotations += loop->done[i];
    loop->finished = run->resumed_rotations;
    if (status == QN_OK && run->resumed_rotations)
        qn_log(QN_LOG_NOTE, "resuming: %d of %d rotations are done", run->resumed_rotations, run->rotation_count);
    return status;
}

/* A search on every device; devices of one driver share the transform engine that the first of them chose. */
static qn_status create_searches(search_loop *loop)
{
    qn_dock_state *run = loop->run;
    const qn_dock_options *options = run->options;
    const qn_fft_engine asked = run->engine;
    for (int i = 0; i < run->worker_count; i++) {
        qn_dock_worker *worker = &run->workers[i];
        bool alike =
            strcmp(qn_device_get_info(worker->device)->driver, qn_device_get_info(run->workers[0].device)->driver) == 0;
        qn_dock_search_options search_options = {.batch = options->batch,
                                                 .per_rotation = options->per_rotation,
                                                 .exclusion_cells = run->exclusion_cells,
                                                 .engine = alike ? run->engine : asked};
        QN_TRY(qn_dock_search_create(worker->device, &run->grid, &run->energy, &run->ligand_sites, run->rotations,
                                     run->rotation_count, &search_options, &loop->searches[i]));
        worker->engine = qn_dock_search_engine(loop->searches[i]);
        worker->batch = qn_dock_search_batch(loop->searches[i]);
        worker->device_bytes = qn_dock_search_device_bytes(loop->searches[i]);
        if (i == 0) run->engine = worker->engine;
        qn_log(QN_LOG_NOTE, "%s: %d rotations a batch, %.2f GB on the device, transforms by %s",
               qn_device_get_info(worker->device)->identifier, worker->batch, 1e-9 * (double)worker->device_bytes,
               qn_fft_engine_name(worker->engine));
    }
    return QN_OK;
}

static qn_status allocate_hits(search_loop *loop)
{
    qn_dock_state *run = loop->run;
    size_t hits = (size_t)run->rotation_count * run->energy.set_count * (size_t)run->options->per_rotation;
    void *memory;
    QN_TRY(qn_allocate(hits, sizeof(qn_dock_hit), &memory));
    run->hits = memory;
    for (size_t i = 0; i < hits; i++) run->hits[i].cell = -1;
    QN_TRY(qn_allocate((size_t)run->rotation_count, 1, &memory));
    loop->done = memory;
    return QN_OK;
}

qn_status qn_dock_search_all(qn_dock_state *run)
{
    search_loop loop = {.run = run, .mutex = PTHREAD_MUTEX_INITIALIZER};
    char *path;
    QN_TRY(qn_path_join(run->options->output, "journal.bin", &path));
    qn_status status = keep_engine(run, path);
    if (status == QN_OK) status = create_searches(&loop);
    for (int i = 0; i < run->worker_count && status == QN_OK; i++)
        status = qn_dock_tuning_explore(run, loop.searches[i]);
    if (status == QN_OK) status = allocate_hits(&loop);
    if (status == QN_OK) status = open_journal(&loop, path);
    loop.started_s = qn_clock_s();
    if (status == QN_OK) status = run_devices(&loop);
    run->timings.search_s = qn_clock_s() - loop.started_s;
    qn_release(&path);
    qn_dock_journal_close(&loop.journal);
    for (int i = 0; i < run->worker_count; i++) qn_dock_search_destroy(&loop.searches[i]);
    qn_release(&loop.done);
    pthread_mutex_destroy(&loop.mutex);
    return status;
}
