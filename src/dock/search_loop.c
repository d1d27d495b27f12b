#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "dock/journal.h"
#include "dock/run.h"
#include "runtime/device.h"

double qn_dock_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Everything the hits depend on, a line each: a journal with another key is refused. */
static qn_status make_key(const qn_dock_state *run, const qn_dock_search *search, qn_text *key)
{
    const qn_dock_options *options = run->options;
    const qn_device_info *device = qn_device_get_info(run->device);
    qn_hash hash;
    char rotations[65];
    qn_hash_start(&hash);
    qn_hash_add(&hash, run->rotations, (size_t)run->rotation_count * 9 * sizeof(int32_t));
    qn_hash_finish(&hash, rotations);
    return qn_text_append(
        key,
        "version=%s\nreceptor=%s %zu atoms\nligand=%s %zu atoms\nmodel=%d\nscore=%s\nrotations=%d %s\n"
        "spacing=%.17g\ngrid=%d %d %d\nper rotation=%d\ndevice=%s %s\nfft engine=%s\n",
        QN_VERSION, run->receptor.hash, run->receptor.molecule->atom_count, run->ligand.hash,
        run->ligand.molecule->atom_count, options->model, options->score, run->rotation_count, rotations,
        run->grid.spacing_angstrom, run->grid.cells[0], run->grid.cells[1], run->grid.cells[2], options->per_rotation,
        device->driver, device->name, qn_fft_engine_name(qn_dock_search_engine(search)));
}

static qn_status report_progress(const qn_dock_state *run, int done, double started_s)
{
    qn_progress progress = {"docking", "rotations", (size_t)done, (size_t)run->rotation_count,
                            qn_dock_clock_s() - started_s};
    if (run->options->progress && run->options->progress(&progress, run->options->progress_user) != 0)
        QN_FAIL(QN_CANCELLED, "stopped after %d of %d rotations; continue with --resume", done, run->rotation_count);
    return QN_OK;
}

/* Next batch that holds a rotation not done yet, from `first` on; rotation_count when there is none. */
static int next_open(const unsigned char *done, int first, int count)
{
    while (first < count && done[first]) first++;
    return first;
}

typedef struct search_loop {
    qn_dock_state *run;
    qn_dock_search *search;
    qn_dock_journal *journal;
    unsigned char *done;
    qn_dock_hit *batch_hits;
    int batch, finished;
    double started_s;
} search_loop;

/* Wait for the batch that began at rotation `first`, keep and record its hits. */
static qn_status finish_batch(search_loop *loop, int first, int slot)
{
    qn_dock_state *run = loop->run;
    size_t per_rotation = (size_t)run->options->per_rotation;
    int count = run->rotation_count - first < loop->batch ? run->rotation_count - first : loop->batch;
    QN_TRY(qn_dock_search_collect(loop->search, slot, loop->batch_hits));
    memcpy(run->hits + (size_t)first * per_rotation, loop->batch_hits,
           (size_t)count * per_rotation * sizeof *loop->batch_hits);
    QN_TRY(qn_dock_journal_append(loop->journal, first, count, loop->batch_hits));
    for (int i = 0; i < count; i++) {
        loop->finished += !loop->done[first + i];
        loop->done[first + i] = 1;
    }
    return report_progress(run, loop->finished, loop->started_s);
}

/* Two batches are under way at any time: the device computes one while the host records the other. */
static qn_status run_batches(search_loop *loop)
{
    const int count = loop->run->rotation_count;
    int waiting[QN_DOCK_SLOTS] = {-1, -1}, slot = 0;
    qn_status status = QN_OK;
    for (int first = next_open(loop->done, 0, count); first < count && status == QN_OK; slot = !slot) {
        if (waiting[slot] >= 0) status = finish_batch(loop, waiting[slot], slot);
        waiting[slot] = -1;
        if (status != QN_OK) break;
        status = qn_dock_search_submit(loop->search, first, slot);
        if (status == QN_OK) waiting[slot] = first;
        first = next_open(loop->done, first + loop->batch, count);
    }
    for (int i = 0; i < QN_DOCK_SLOTS && status == QN_OK; i++, slot = !slot)
        if (waiting[slot] >= 0) status = finish_batch(loop, waiting[slot], slot);
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
    qn_status status = make_key(run, loop->search, &key);
    if (status == QN_OK)
        status = qn_dock_journal_open(path, key.data, run->rotation_count, run->options->per_rotation,
                                      run->options->resume, run->hits, loop->done, &loop->journal);
    qn_text_clear(&key);
    for (int i = 0; status == QN_OK && i < run->rotation_count; i++) run->resumed_rotations += loop->done[i];
    loop->finished = run->resumed_rotations;
    if (status == QN_OK && run->resumed_rotations)
        qn_log(QN_LOG_NOTE, "resuming: %d of %d rotations are done", run->resumed_rotations, run->rotation_count);
    return status;
}

static qn_status create_search(qn_dock_state *run, qn_dock_search **search)
{
    const qn_dock_options *options = run->options;
    qn_dock_search_options search_options = {options->batch, options->per_rotation, run->exclusion_cells, run->engine};
    QN_TRY(qn_dock_search_create(run->device, &run->grid, run->receptor_grids, &run->ligand_atoms, run->rotations,
                                 run->rotation_count, &search_options, search));
    run->engine = qn_dock_search_engine(*search);
    run->batch = qn_dock_search_batch(*search);
    run->device_bytes = qn_dock_search_device_bytes(*search);
    qn_log(QN_LOG_NOTE,
           "grid: %d x %d x %d cells of %g Å, %d rotations a batch, %.2f GB on the device, transforms by %s",
           run->grid.cells[0], run->grid.cells[1], run->grid.cells[2], run->grid.spacing_angstrom, run->batch,
           1e-9 * (double)run->device_bytes, qn_fft_engine_name(run->engine));
    return QN_OK;
}

static qn_status allocate_hits(search_loop *loop)
{
    qn_dock_state *run = loop->run;
    size_t per_rotation = (size_t)run->options->per_rotation, hits = (size_t)run->rotation_count * per_rotation;
    void *memory;
    QN_TRY(qn_allocate(hits, sizeof(qn_dock_hit), &memory));
    run->hits = memory;
    for (size_t i = 0; i < hits; i++) run->hits[i].cell = -1;
    QN_TRY(qn_allocate((size_t)run->rotation_count, 1, &memory));
    loop->done = memory;
    QN_TRY(qn_allocate((size_t)loop->batch * per_rotation, sizeof(qn_dock_hit), &memory));
    loop->batch_hits = memory;
    return QN_OK;
}

qn_status qn_dock_search_all(qn_dock_state *run)
{
    search_loop loop = {.run = run};
    char *path;
    QN_TRY(qn_path_join(run->options->output, "journal.bin", &path));
    qn_status status = keep_engine(run, path);
    if (status == QN_OK) status = create_search(run, &loop.search);
    loop.batch = run->batch;
    if (status == QN_OK) status = allocate_hits(&loop);
    if (status == QN_OK) status = open_journal(&loop, path);
    loop.started_s = qn_dock_clock_s();
    if (status == QN_OK) status = run_batches(&loop);
    run->timings.search_s = qn_dock_clock_s() - loop.started_s;
    qn_release(&path);
    qn_dock_journal_close(&loop.journal);
    qn_dock_search_destroy(&loop.search);
    qn_release(&loop.done);
    qn_release(&loop.batch_hits);
    return status;
}
