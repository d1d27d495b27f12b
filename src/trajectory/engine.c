#define _POSIX_C_SOURCE 200809L
#include "trajectory/engine.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/thread.h"
#include "trajectory/slots.h"

/* State that the threads share. Frames move through the ring by counters: collected ≤ taken ≤ decoded ≤ read. */
typedef struct trajectory_engine {
    qn_trajectory_state *run;
    qn_slots slots;
    pthread_mutex_t mutex; /* of the members up to `failure` */
    pthread_cond_t changed;
    uint64_t read, decoded, taken, collected;
    double share; /* of all frames, estimated: those that `read` counts */
    bool read_all, failed;
    qn_error_trail failure; /* of the first thread that failed */
    qn_piece_record record; /* this and the members below belong to the collector */
    double started_s, wrote_s;
    bool complete;
} trajectory_engine;

typedef struct engine_thread {
    trajectory_engine *engine;
    qn_thread thread;
    qn_status (*work)(struct engine_thread *);
    int device, worker; /* of device workers; their numbers follow those of the pool's workers */
} engine_thread;

static void fail(trajectory_engine *engine, qn_status status)
{
    pthread_mutex_lock(&engine->mutex);
    if (!engine->failed) qn_error_save(status, &engine->failure);
    engine->failed = true;
    pthread_cond_broadcast(&engine->changed);
    pthread_mutex_unlock(&engine->mutex);
    qn_source_stop(engine->run->source);
}

static bool has_failed(trajectory_engine *engine)
{
    pthread_mutex_lock(&engine->mutex);
    const bool failed = engine->failed;
    pthread_mutex_unlock(&engine->mutex);
    return failed;
}

/* ---- the reader ---- */

/* A free slot to read into; NULL after a failure. */
static qn_slot *free_slot(trajectory_engine *engine)
{
    pthread_mutex_lock(&engine->mutex);
    while (!engine->failed && engine->read - engine->collected == engine->slots.count)
        pthread_cond_wait(&engine->changed, &engine->mutex);
    qn_slot *slot = engine->failed ? NULL : qn_slot_of(&engine->slots, engine->read);
    pthread_mutex_unlock(&engine->mutex);
    return slot;
}

static void hand_on(trajectory_engine *engine)
{
    const double share = qn_source_share(engine->run->source, NULL);
    pthread_mutex_lock(&engine->mutex);
    engine->read++;
    engine->share = share;
    pthread_cond_broadcast(&engine->changed);
    pthread_mutex_unlock(&engine->mutex);
}

/* Whether an error lies in the file, which is then read no further, and not in the machine. */
static bool is_files_fault(qn_status status)
{
    return status == QN_BAD_FORMAT || status == QN_IO_ERROR || status == QN_NOT_FOUND || status == QN_UNSUPPORTED;
}

/* Read the frame with this ordinal into the slot. The first frame was read before. */
static qn_status read_frame(trajectory_engine *engine, uint64_t ordinal, qn_slot *slot, bool *end)
{
    qn_trajectory_state *run = engine->run;
    QN_TRY(qn_slot_prepare(&engine->slots, slot));
    slot->damage.status = QN_OK;
    if (ordinal == 0) {
        const qn_source_item free_item = slot->item;
        slot->item = run->first_item;
        run->first_item = free_item;
        qn_slot_copy_frame(&run->first, &slot->frame);
        *end = false;
        return QN_OK;
    }
    QN_TRY(qn_source_skip(run->source, ordinal - qn_source_position(run->source)));
    return qn_source_next(run->source, &slot->item, &slot->frame, end);
}

/* Read the frames of one piece, fewer at the end. A damaged file is an end too; the slot keeps its error. */
static qn_status read_piece(trajectory_engine *engine, uint64_t piece, bool *end)
{
    for (int i = 0; i < QN_TRAJECTORY_PIECE && !*end; i++) {
        qn_slot *slot = free_slot(engine);
        if (!slot) {
            *end = true;
            return QN_OK;
        }
        qn_status status = read_frame(engine, piece * QN_TRAJECTORY_PIECE + (uint64_t)i, slot, end);
        if (status != QN_OK && !is_files_fault(status)) return status;
        if (status != QN_OK) {
            qn_error_save(status, &slot->damage);
            qn_error_clear();
        }
        if (status == QN_OK && *end) return QN_OK;
        hand_on(engine);
        if (status != QN_OK) *end = true;
    }
    return QN_OK;
}

/* Read the pieces that are dealt to this rank, until none is left. */
static qn_status read_pieces(trajectory_engine *engine)
{
    qn_trajectory_state *run = engine->run;
    bool end = false;
    while (!end) {
        uint64_t piece;
        bool none;
        QN_TRY(qn_agreement_deal(&run->job->agreement, 1, &piece, &none));
        if (none) return QN_OK;
        if (qn_piece_set_has(&run->job->done, piece)) continue;
        QN_TRY(read_piece(engine, piece, &end));
    }
    return QN_OK;
}

static qn_status work_as_reader(engine_thread *thread)
{
    trajectory_engine *engine = thread->engine;
    QN_TRY(read_pieces(engine));
    engine->run->expected = qn_source_position(engine->run->source);
    pthread_mutex_lock(&engine->mutex);
    engine->read_all = true;
    pthread_cond_broadcast(&engine->changed);
    pthread_mutex_unlock(&engine->mutex);
    return QN_OK;
}

/* ---- the pool: decode, select, make whole, measure for queries that are not on_device ---- */

typedef struct block_decoding {
    trajectory_engine *engine;
    uint64_t first;
} block_decoding;

static qn_status decode_frame(size_t index, int worker, void *user)
{
    const block_decoding *block = user;
    trajectory_engine *engine = block->engine;
    qn_slot *slot = qn_slot_of(&engine->slots, block->first + index);
    if (slot->damage.status != QN_OK) return QN_OK;
    QN_TRY(qn_slot_borrow_room(&engine->slots, slot, worker));
    qn_status status = qn_source_decode(&slot->item, &slot->frame);
    qn_source_let_go(engine->run->source, &slot->item);
    if (status == QN_OK) {
        status = qn_slot_measure(&engine->slots, slot, worker);
    } else if (is_files_fault(status)) {
        qn_error_save(status, &slot->damage);
        qn_error_clear();
        status = QN_OK;
    }
    qn_slot_give_back_room(&engine->slots, slot);
    return status;
}

/* Wait for frames to decode. Returns how many there are, at most a block, so that other threads need not wait for many
 * frames; 0 at the end. */
static size_t next_block(trajectory_engine *engine, uint64_t *first)
{
    pthread_mutex_lock(&engine->mutex);
    while (!engine->failed && engine->read == engine->decoded && !engine->read_all)
        pthread_cond_wait(&engine->changed, &engine->mutex);
    size_t count = engine->failed ? 0 : (size_t)(engine->read - engine->decoded);
    if (count > engine->slots.block) count = engine->slots.block;
    *first = engine->decoded;
    pthread_mutex_unlock(&engine->mutex);
    return count;
}

static qn_status decode_all(trajectory_engine *engine)
{
    block_decoding block = {.engine = engine};
    for (size_t count; (count = next_block(engine, &block.first)) > 0;) {
        QN_TRY(qn_pool_run(engine->run->job->pool, count, decode_frame, &block));
        pthread_mutex_lock(&engine->mutex);
        engine->decoded += count;
        pthread_cond_broadcast(&engine->changed);
        pthread_mutex_unlock(&engine->mutex);
    }
    return QN_OK;
}

/* ---- devices ---- */

/* The next decoded frame that no device has; NULL at the end. */
static qn_slot *take_frame(trajectory_engine *engine)
{
    qn_slot *slot = NULL;
    pthread_mutex_lock(&engine->mutex);
    while (!engine->failed && engine->taken == engine->decoded &&
           !(engine->read_all && engine->decoded == engine->read))
        pthread_cond_wait(&engine->changed, &engine->mutex);
    if (!engine->failed && engine->taken < engine->decoded) slot = qn_slot_of(&engine->slots, engine->taken++);
    pthread_mutex_unlock(&engine->mutex);
    return slot;
}

/* If the user asked for tuning before the run, measure the first frame repeatedly until the tuner is done. */
static qn_status explore(engine_thread *thread, qn_queue *queue, qn_slot *slot)
{
    const qn_tuning *tuning = &thread->engine->run->job->tuning;
    const double start_s = qn_clock_s();
    bool explores;
    QN_TRY(qn_tuning_explores(tuning, 0, &explores));
    while (explores && !has_failed(thread->engine)) {
        QN_TRY(qn_slot_measure_on_device(&thread->engine->slots, slot, thread->worker, thread->device, queue));
        QN_TRY(qn_tuning_explores(tuning, qn_clock_s() - start_s, &explores));
    }
    return QN_OK;
}

static qn_status measure_frames(engine_thread *thread, qn_queue *queue)
{
    trajectory_engine *engine = thread->engine;
    bool first = thread->worker == qn_pool_threads(engine->run->job->pool);
    for (qn_slot *slot; (slot = take_frame(engine));) {
        if (slot->damage.status == QN_OK) {
            if (first) QN_TRY(explore(thread, queue, slot));
            QN_TRY(qn_slot_measure_on_device(&engine->slots, slot, thread->worker, thread->device, queue));
        }
        first = false;
        pthread_mutex_lock(&engine->mutex);
        slot->on_device_done = true;
        pthread_cond_broadcast(&engine->changed);
        pthread_mutex_unlock(&engine->mutex);
    }
    return QN_OK;
}

static qn_status work_on_device(engine_thread *thread)
{
    qn_queue *queue;
    QN_TRY(qn_queue_create(thread->engine->run->job->devices[thread->device], &queue));
    qn_status status = measure_frames(thread, queue);
    if (status == QN_OK) status = qn_queue_finish(queue);
    /* The scratch may hold buffers of the queue, so it goes first, and commands that use the scratch before. */
    qn_queue_settle(queue);
    qn_slots_drop_scratch(&thread->engine->slots, thread->worker);
    qn_queue_destroy(&queue);
    return status;
}

/* ---- the collector ---- */

/* The number of frames, of which `done` are analysed: exact once all are read, else estimated from the share of them
 * that has been read; SIZE_MAX if nothing is known. */
static size_t expected_frames(trajectory_engine *engine, uint64_t done)
{
    pthread_mutex_lock(&engine->mutex);
    const uint64_t known = done + (engine->read - engine->collected);
    const double share = engine->read_all ? 1 : engine->share;
    pthread_mutex_unlock(&engine->mutex);
    return share > 0.001 ? (size_t)((double)known / share + 0.5) : SIZE_MAX;
}

static qn_status report_progress(trajectory_engine *engine)
{
    qn_trajectory_state *run = engine->run;
    (void)qn_source_share(run->source, &run->bytes);
    const uint64_t done = run->resumed + run->analysed_here;
    const size_t total = engine->complete ? 0 : expected_frames(engine, done);
    const qn_progress progress = {.stage = "analysing",
                                  .unit = "frames",
                                  .done = (size_t)done,
                                  .total = total > done ? total : (size_t)done,
                                  .seconds = qn_clock_s() - engine->started_s,
                                  .bytes = run->bytes};
    if (!qn_job_is_stopped(run->job, &progress) || engine->complete) return QN_OK;
    if (run->options->live) {
        qn_source_stop(run->source); /* the frames received so far are still analysed */
        run->interrupted = true;
        return QN_OK;
    }
    return QN_FAIL(QN_CANCELLED, "stopped after %s%s", qn_count_of(done, "frame").text,
                   run->records ? "; continue with --resume" : "");
}

/* Tasks repeated at intervals, also while no frames arrive: warnings, progress, cancellation, intermediate results. */
static qn_status look_around(trajectory_engine *engine)
{
    qn_trajectory_state *run = engine->run;
    const double now_s = qn_clock_s();
    for (const char *warning; (warning = qn_source_warning(run->source));) QN_TRY(qn_job_warn(run->job, "%s", warning));
    QN_TRY(report_progress(engine));
    QN_TRY(qn_agreement_poll(&run->job->agreement));
    if (!run->options->live || !run->options->output || run->frames == 0 ||
        now_s - engine->wrote_s < run->options->live_interval_s)
        return QN_OK;
    qn_status status = qn_trajectory_write_results(run, false);
    engine->wrote_s = qn_clock_s();
    if (status == QN_OK || status == QN_IO_ERROR || status == QN_OUT_OF_MEMORY) return status;
    qn_log(QN_LOG_DEBUG, "no results yet: %s", qn_error_message()); /* a query may need more frames */
    qn_error_clear();
    return QN_OK;
}

/* Number of frames at the front of the ring that are measured for all queries; *over: no more will come. Waits up to
 * 0.1 s if there are none. */
static size_t ready_frames(trajectory_engine *engine, uint64_t *first, bool *over)
{
    size_t count = 0;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&engine->mutex);
    for (int waited = 0; waited == 0;) {
        const uint64_t most = engine->run->any_on_device ? engine->taken : engine->decoded;
        *first = engine->collected;
        while (*first + count < most &&
               (!engine->run->any_on_device || qn_slot_of(&engine->slots, *first + count)->on_device_done))
            count++;
        *over = engine->failed || (count == 0 && engine->read_all && engine->collected == engine->read);
        if (count > 0 || *over) break;
        waited = pthread_cond_timedwait(&engine->changed, &engine->mutex, &until);
    }
    pthread_mutex_unlock(&engine->mutex);
    return count;
}

/* Pass one frame's partial results to the queries and to the journal. A damaged frame ends the run. */
static qn_status collect_frame(trajectory_engine *engine, uint64_t place, bool *over)
{
    qn_trajectory_state *run = engine->run;
    qn_slot *slot = qn_slot_of(&engine->slots, place);
    if (slot->damage.status != QN_OK) {
        run->damage = slot->damage;
        *over = true;
        return QN_OK;
    }
    slot->on_device_done = false;
    qn_trajectory_frame frame = slot->frame;
    frame.positions_nm = NULL;
    if (run->collects) QN_TRY(qn_trajectory_collect(run, &frame, slot->partials));
    run->analysed_here++;
    if (!run->records) return QN_OK;
    const uint64_t piece = slot->item.ordinal / QN_TRAJECTORY_PIECE;
    if (engine->record.frames > 0 && engine->record.piece != piece) {
        QN_TRY(qn_piece_record_write(&engine->record, run->job));
    }
    engine->record.piece = piece;
    QN_TRY(qn_piece_record_add(&engine->record, &frame, slot->partials, run->partial_count));
    return engine->record.frames < QN_TRAJECTORY_PIECE ? QN_OK : qn_piece_record_write(&engine->record, run->job);
}

static qn_status collect_frames(trajectory_engine *engine)
{
    uint64_t first;
    bool over = false, damaged = false;
    while (!over && !damaged) {
        const size_t count = ready_frames(engine, &first, &over);
        for (size_t i = 0; i < count && !damaged; i++) QN_TRY(collect_frame(engine, first + i, &damaged));
        pthread_mutex_lock(&engine->mutex);
        engine->collected += count; /* before progress is told, which adds what is read and not collected */
        pthread_cond_broadcast(&engine->changed);
        pthread_mutex_unlock(&engine->mutex);
        QN_TRY(look_around(engine));
    }
    return QN_OK;
}

static qn_status work_as_collector(engine_thread *thread)
{
    trajectory_engine *engine = thread->engine;
    QN_TRY(collect_frames(engine));
    if (engine->run->damage.status != QN_OK) {
        /* Do not record the incomplete piece: in a journal a short piece is the last one, but the file may be repaired
         * and read further. */
        engine->run->tail = engine->record.bytes;
        engine->run->tail_frames = engine->record.frames;
        engine->record = (qn_piece_record){0};
        fail(engine, QN_OK); /* stop the other threads without an error */
        return QN_OK;
    }
    if (has_failed(engine)) return QN_OK;
    engine->complete = true;
    QN_TRY(report_progress(engine));
    if (engine->record.frames == 0) return QN_OK;
    return qn_piece_record_write(&engine->record, engine->run->job);
}

/* ---- threads ---- */

static qn_status run_thread(void *user)
{
    engine_thread *thread = user;
    qn_status status = thread->work(thread);
    if (status != QN_OK) fail(thread->engine, status); /* keeps the first failure */
    return QN_OK;
}

/* Two per GPU. One per CPU device, because its kernels use the pool's threads, and two workers would only share them.
 */
static int workers_of(qn_device *device)
{
    return qn_device_get_info(device)->kind == QN_DEVICE_CPU ? 1 : 2;
}

/* Run reader, collector and device workers; the calling thread decodes with the pool. */
static qn_status run_threads(trajectory_engine *engine, engine_thread *threads, int count)
{
    int started = 0;
    for (; started < count; started++) {
        qn_status status = qn_thread_start(&threads[started].thread, run_thread, &threads[started]);
        if (status == QN_OK) continue;
        fail(engine, status);
        break;
    }
    qn_status status = decode_all(engine);
    if (status != QN_OK) fail(engine, status);
    for (int i = 0; i < started; i++) (void)qn_thread_join(&threads[i].thread);
    return engine->failed ? qn_error_restore(&engine->failure) : QN_OK;
}

static int list_threads(trajectory_engine *engine, engine_thread threads[2 + 2 * QN_DEVICES_MAX])
{
    qn_trajectory_state *run = engine->run;
    int count = 0, worker = qn_pool_threads(run->job->pool);
    threads[count++] = (engine_thread){.engine = engine, .work = work_as_reader};
    threads[count++] = (engine_thread){.engine = engine, .work = work_as_collector};
    for (int device = 0; run->any_on_device && device < run->job->device_count; device++)
        for (int i = 0; i < workers_of(run->job->devices[device]); i++)
            threads[count++] =
                (engine_thread){.engine = engine, .work = work_on_device, .device = device, .worker = worker++};
    return count;
}

qn_status qn_trajectory_engine_run(qn_trajectory_state *run)
{
    trajectory_engine engine = {.run = run, .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    engine_thread threads[2 + 2 * QN_DEVICES_MAX];
    const int count = list_threads(&engine, threads);
    engine.started_s = engine.wrote_s = qn_clock_s();
    qn_status status = qn_slots_create(run, qn_pool_threads(run->job->pool) + count - 2, &engine.slots);
    if (status == QN_OK) status = run_threads(&engine, threads, count);
    qn_slots_sum_seconds(&engine.slots, run->client_seconds);
    qn_slots_clear(&engine.slots);
    qn_text_clear(&engine.record.bytes);
    (void)qn_source_share(run->source, &run->bytes);
    pthread_cond_destroy(&engine.changed);
    pthread_mutex_destroy(&engine.mutex);
    if (status == QN_OK && run->damage.status == QN_OK) return QN_OK;
    return qn_agreement_cancel(&run->job->agreement, status);
}
