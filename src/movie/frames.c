#include "movie/frames.h"

#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "movie/correct/correct.h"
#include "movie/correct/kernels/correct_frames.h"
#include "runtime/device.h"
#include "runtime/kept_buffer.h"

enum {
    ROWS = 64,             /* that a task measures */
    PIECE_BYTES = 1 << 20, /* of a frame: the pieces of all threads stay in the processor's caches, on their way too */
    PIECES = 2,            /* of a thread: one is filled while the other is copied */
    PIECES_OF_TASK = 4
};

/* ---- loader ---- */

/* The belongings of a thread of the pool that brings frames to the device. One movie at a time is decoded. */
typedef struct loading_worker {
    qn_queue *queue;
    void *scratch; /* memory for copies of whole frames */
    size_t bytes;
    int piece; /* the next to be filled; the other one may be on its way to the device */
} loading_worker;

struct qn_movie_loader {
    qn_device *device;
    qn_pool *pool;
    bool in_place;            /* the device's memory is this process's: frames are decoded into it */
    pthread_mutex_t decoding; /* guards the workers and the pieces */
    loading_worker *workers;
    void *pieces; /* [worker][PIECES][PIECE_BYTES]: memory for copies of pieces of frames; NULL: not needed yet */
};

qn_status qn_movie_loader_create(qn_device *device, qn_pool *pool, qn_movie_loader **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_movie_loader *loader = memory;
    loader->device = qn_device_retain(device);
    loader->pool = pool;
    pthread_mutex_init(&loader->decoding, NULL);
    loader->in_place = strcmp(qn_device_inner_driver(device), "host") == 0;
    const qn_status status = qn_allocate((size_t)qn_pool_threads(pool), sizeof *loader->workers, &memory);
    loader->workers = memory;
    if (status != QN_OK)
        qn_movie_loader_destroy(&loader);
    else
        *out = loader;
    return status;
}

void qn_movie_loader_destroy(qn_movie_loader **pointer)
{
    qn_movie_loader *loader = *pointer;
    if (!loader) return;
    for (int i = 0; loader->workers && i < qn_pool_threads(loader->pool); i++) {
        qn_queue_destroy(&loader->workers[i].queue);
        qn_host_memory_destroy(loader->device, &loader->workers[i].scratch);
    }
    qn_release(&loader->workers);
    qn_host_memory_destroy(loader->device, &loader->pieces);
    pthread_mutex_destroy(&loader->decoding);
    qn_device_release(&loader->device);
    qn_release(pointer);
}

static qn_status prepare_worker(const qn_movie_loader *loader, size_t bytes, loading_worker *worker)
{
    if (!worker->queue) QN_TRY(qn_queue_create(loader->device, &worker->queue));
    if (worker->bytes >= bytes) return QN_OK;
    qn_host_memory_destroy(loader->device, &worker->scratch);
    worker->bytes = 0;
    QN_TRY(qn_host_memory_create(loader->device, bytes, &worker->scratch));
    worker->bytes = bytes;
    return QN_OK;
}

/* ---- samples ---- */

/* Frames that are sums of frames of the file are given as floats: they may exceed the range of the file's samples. */
static qn_sample_kind kind_of(const qn_movie_file *file, const qn_movie_frame_plan *plan)
{
    return plan->adds ? QN_SAMPLE_FLOAT32 : qn_movie_file_shape(file)->kind;
}

static int batch_of(const qn_movie_frame_plan *plan, int threads)
{
    return threads < plan->count ? threads : plan->count;
}

uint64_t qn_movie_frames_bytes(const qn_movie_file *file, const qn_movie_frame_plan *plan, bool holds, int threads)
{
    const qn_movie_shape *shape = qn_movie_file_shape(file);
    const size_t step = qn_corrector_step_bytes(shape->width, shape->height, kind_of(file, plan));
    return (uint64_t)(holds ? plan->count : batch_of(plan, threads)) * step;
}

#define EACH_SAMPLE(type, assign) \
    for (size_t i = 0; i < count; i++) values[i] assign((const type *)from)[i]

static void widen(qn_sample_kind kind, const void *from, size_t count, float *restrict values)
{
    switch (kind) {
    case QN_SAMPLE_UINT8: EACH_SAMPLE(uint8_t, =); break;
    case QN_SAMPLE_INT8: EACH_SAMPLE(int8_t, =); break;
    case QN_SAMPLE_UINT16: EACH_SAMPLE(uint16_t, =); break;
    case QN_SAMPLE_INT16: EACH_SAMPLE(int16_t, =); break;
    case QN_SAMPLE_FLOAT32: memcpy(values, from, count * sizeof *values); break;
    }
}

static void add(qn_sample_kind kind, const void *from, size_t count, float *restrict values)
{
    switch (kind) {
    case QN_SAMPLE_UINT8: EACH_SAMPLE(uint8_t, +=); break;
    case QN_SAMPLE_INT8: EACH_SAMPLE(int8_t, +=); break;
    case QN_SAMPLE_UINT16: EACH_SAMPLE(uint16_t, +=); break;
    case QN_SAMPLE_INT16: EACH_SAMPLE(int16_t, +=); break;
    case QN_SAMPLE_FLOAT32: EACH_SAMPLE(float, +=); break;
    }
}

/* ---- decoding ---- */

/* A batch that is decoded: frames `first` … `first + count − 1` of the plan. */
typedef struct decoding {
    const qn_movie_frames *frames;
    int first, count;
    unsigned char *memory; /* of the device's samples, if frames are decoded in place */
} decoding;

static size_t place_of(const qn_movie_frames *frames, int number, int in_batch)
{
    return (size_t)(frames->held ? number : in_batch) * frames->step_bytes;
}

/* Add up the frames of the file that make a frame of the plan. */
static qn_status decode_sum(const qn_movie_frames *frames, const qn_movie_frame *frame, int worker, void *scratch,
                            float *values)
{
    const size_t pixels = (size_t)frames->width * (size_t)frames->height;
    const qn_sample_kind kind = qn_movie_file_shape(frames->file)->kind;
    for (int i = 0; i < frame->count; i++) {
        QN_TRY(qn_movie_file_read(frames->file, frame->first + i, worker, scratch));
        if (i == 0)
            widen(kind, scratch, pixels, values);
        else
            add(kind, scratch, pixels, values);
    }
    return QN_OK;
}

static qn_status decode(size_t index, int worker, void *user)
{
    const decoding *work = user;
    const qn_movie_frames *frames = work->frames;
    const int number = work->first + (int)index;
    const qn_movie_frame *frame = &frames->plan->frames[number];
    const size_t place = place_of(frames, number, (int)index);
    const size_t room = work->memory ? 0 : frames->step_bytes;
    const size_t of_file = frames->plan->adds ? qn_movie_file_frame_bytes(frames->file) : 0;
    loading_worker *mine = &frames->loader->workers[worker];
    QN_TRY(prepare_worker(frames->loader, room + of_file, mine));
    unsigned char *scratch = mine->scratch, *samples = work->memory ? work->memory + place : scratch;
    if (frames->plan->adds)
        QN_TRY(decode_sum(frames, frame, worker, scratch + room, (float *)(void *)samples));
    else
        QN_TRY(qn_movie_file_read(frames->file, frame->first, worker, samples));
    if (work->memory) return QN_OK;
    QN_TRY(qn_queue_write(mine->queue, frames->samples, place, samples, frames->frame_bytes, NULL));
    return qn_queue_finish(mine->queue);
}

/* ---- frames that are stored as the device gets them ---- */

static bool has_pieces(const qn_movie_frames *frames)
{
    return !frames->loader->in_place && !frames->plan->adds && qn_movie_file_has_parts(frames->file);
}

static size_t tasks_of_frame(const qn_movie_frames *frames)
{
    const size_t task_bytes = (size_t)PIECES_OF_TASK * PIECE_BYTES;
    return (frames->frame_bytes + task_bytes - 1) / task_bytes;
}

/* Read `bytes` bytes of a frame from byte `first` on, and begin to copy them to byte `place` of the samples. While they
 * are read, the piece before is copied; when its copy is done, its memory may be filled again. */
static qn_status bring_piece(const qn_movie_frames *frames, int frame, size_t first, size_t bytes, size_t place,
                             int worker)
{
    const qn_movie_loader *loader = frames->loader;
    loading_worker *mine = &loader->workers[worker];
    unsigned char *memory =
        (unsigned char *)loader->pieces + ((size_t)worker * PIECES + (size_t)mine->piece) * PIECE_BYTES;
    if (!mine->queue) QN_TRY(qn_queue_create(loader->device, &mine->queue));
    QN_TRY(qn_movie_file_read_part(frames->file, frame, first, bytes, memory));
    QN_TRY(qn_queue_finish(mine->queue));
    mine->piece = (mine->piece + 1) % PIECES;
    return qn_queue_write(mine->queue, frames->samples, place, memory, bytes, NULL);
}

static qn_status bring_pieces(size_t index, int worker, void *user)
{
    const decoding *work = user;
    const qn_movie_frames *frames = work->frames;
    const size_t tasks = tasks_of_frame(frames), in_batch = index / tasks;
    const int number = work->first + (int)in_batch;
    const size_t place = place_of(frames, number, (int)in_batch);
    for (size_t k = 0; k < PIECES_OF_TASK; k++) {
        const size_t first = (index % tasks * PIECES_OF_TASK + k) * PIECE_BYTES;
        if (first >= frames->frame_bytes) break;
        const size_t bytes = frames->frame_bytes - first < PIECE_BYTES ? frames->frame_bytes - first : PIECE_BYTES;
        QN_TRY(bring_piece(frames, frames->plan->frames[number].first, first, bytes, place + first, worker));
    }
    return QN_OK;
}

/* Wait until everything is copied, after a failure too. */
static qn_status finish_copies(const qn_movie_loader *loader, qn_status status)
{
    qn_error_trail trail;
    qn_error_save(status, &trail);
    for (int i = 0; i < qn_pool_threads(loader->pool); i++) {
        if (!loader->workers[i].queue) continue;
        const qn_status finished = qn_queue_finish(loader->workers[i].queue);
        if (status == QN_OK && finished != QN_OK) qn_error_save(status = finished, &trail);
    }
    return qn_error_restore(&trail);
}

/* The memory of all workers is made at once: a driver makes one piece after the other, even for many threads. */
static qn_status make_pieces(qn_movie_loader *loader)
{
    const size_t bytes = (size_t)qn_pool_threads(loader->pool) * PIECES * PIECE_BYTES;
    return loader->pieces ? QN_OK : qn_host_memory_create(loader->device, bytes, &loader->pieces);
}

static qn_status bring_all_pieces(decoding *work)
{
    const qn_movie_frames *frames = work->frames;
    qn_movie_loader *loader = frames->loader;
    const size_t tasks = (size_t)work->count * tasks_of_frame(frames);
    QN_TRY(make_pieces(loader));
    return finish_copies(loader, qn_pool_run(loader->pool, tasks, bring_pieces, work));
}

/* ---- batches ---- */

static int count_of_batch(const qn_movie_frames *frames, int first)
{
    return frames->plan->count - first < frames->batch ? frames->plan->count - first : frames->batch;
}

/* Bring frames to the device. */
static qn_status decode_frames(const qn_movie_frames *frames, int first, int count)
{
    qn_movie_loader *loader = frames->loader;
    decoding work = {.frames = frames, .first = first, .count = count};
    if (loader->in_place) work.memory = qn_buffer_native(frames->samples);
    pthread_mutex_lock(&loader->decoding);
    const qn_status status =
        has_pieces(frames) ? bring_all_pieces(&work) : qn_pool_run(loader->pool, (size_t)count, decode, &work);
    pthread_mutex_unlock(&loader->decoding);
    return status;
}

static qn_status add_frames(const qn_movie_frames *frames, int first, int count)
{
    const qn_correct_problem problem = {.width = frames->width,
                                        .height = frames->height,
                                        .padded = {frames->width, frames->height},
                                        .kind = frames->kind};
    const qn_stored_frames stored = {.samples = frames->samples,
                                     .step_bytes = frames->step_bytes,
                                     .first = frames->held ? first : 0,
                                     .count = count};
    return qn_sum_frames(frames->queue, NULL, &problem, &stored, frames->sums, NULL);
}

/* ---- the sum ---- */

typedef struct measurement {
    const qn_movie_frames *frames;
    double *totals; /* of each task */
} measurement;

static qn_status measure_rows(size_t index, int worker, void *user)
{
    const measurement *work = user;
    const size_t width = (size_t)work->frames->width, height = (size_t)work->frames->height;
    const size_t end = (index + 1) * ROWS < height ? (index + 1) * ROWS : height;
    const float *sum = work->frames->sum;
    double total = 0;
    int any = 0;
    (void)worker;
#pragma omp simd reduction(+ : total) reduction(| : any)
    for (size_t i = index * ROWS * width; i < end * width; i++) {
        total += (double)sum[i];
        any |= sum[i] != 0;
    }
    work->totals[2 * index] = total;
    work->totals[2 * index + 1] = any;
    return QN_OK;
}

static qn_status measure(qn_movie_frames *frames)
{
    const size_t tasks = ((size_t)frames->height + ROWS - 1) / ROWS;
    const double pixels = (double)frames->width * frames->height;
    double total = 0, any = 0;
    void *memory;
    QN_TRY(qn_allocate(2 * tasks, sizeof(double), &memory));
    measurement work = {.frames = frames, .totals = memory};
    const qn_status status = qn_pool_run(frames->loader->pool, tasks, measure_rows, &work);
    for (size_t i = 0; i < tasks; i++) total += work.totals[2 * i], any += work.totals[2 * i + 1];
    qn_release(&memory);
    QN_TRY(status);
    frames->mean = total / pixels / frames->plan->count;
    return any > 0 ? QN_OK : QN_FAIL(QN_BAD_FORMAT, "all counts are 0; expected frames with electrons");
}

/* ---- load ---- */

static qn_status make_room(qn_movie_frames *frames)
{
    qn_device *device = frames->loader->device;
    const size_t sum_bytes = (size_t)frames->width * (size_t)frames->height * sizeof(float);
    const int count = frames->held ? frames->plan->count : frames->batch;
    if (!frames->queue) QN_TRY(qn_queue_create(device, &frames->queue));
    QN_TRY(qn_buffer_reserve(device, (size_t)count * frames->step_bytes, &frames->samples));
    QN_TRY(qn_buffer_reserve(device, sum_bytes, &frames->sums));
    if (frames->sum_bytes < sum_bytes) {
        void *memory = frames->sum;
        frames->sum = NULL, frames->sum_bytes = 0;
        qn_host_memory_destroy(device, &memory);
        QN_TRY(qn_host_memory_create(device, sum_bytes, &memory));
        frames->sum = memory, frames->sum_bytes = sum_bytes;
    }
    return qn_queue_fill(frames->queue, frames->sums, 0, sum_bytes, 0, NULL);
}

static void take_shape(qn_movie_frames *frames, qn_movie_loader *loader, qn_movie_file *file,
                       const qn_movie_frame_plan *plan)
{
    const qn_movie_shape *shape = qn_movie_file_shape(file);
    frames->loader = loader;
    frames->file = file;
    frames->plan = plan;
    frames->width = shape->width;
    frames->height = shape->height;
    frames->kind = kind_of(file, plan);
    frames->frame_bytes = (size_t)shape->width * (size_t)shape->height * qn_sample_bytes(frames->kind);
    frames->step_bytes = qn_corrector_step_bytes(shape->width, shape->height, frames->kind);
}

static qn_status load(qn_movie_frames *frames)
{
    const int count = frames->plan->count, step = frames->held ? count : frames->batch;
    const size_t sum_bytes = (size_t)frames->width * (size_t)frames->height * sizeof(float);
    QN_TRY(make_room(frames));
    for (int first = 0; first < count; first += step) {
        const int some = count - first < step ? count - first : step;
        QN_TRY(decode_frames(frames, first, some));
        QN_TRY(add_frames(frames, first, some));
        if (!frames->held) QN_TRY(qn_queue_finish(frames->queue));
    }
    QN_TRY(qn_queue_read(frames->queue, frames->sums, 0, frames->sum, sum_bytes, NULL));
    QN_TRY(qn_queue_finish(frames->queue));
    return measure(frames);
}

qn_status qn_movie_frames_load(qn_movie_loader *loader, qn_movie_file *file, const qn_movie_frame_plan *plan,
                               bool holds, qn_movie_frames *frames)
{
    take_shape(frames, loader, file, plan);
    frames->held = holds;
    frames->batch = batch_of(plan, qn_pool_threads(loader->pool));
    const qn_status status = load(frames);
    if (status != QN_OK) qn_queue_settle(frames->queue);
    return status;
}

qn_status qn_movie_frames_each(qn_movie_frames *frames, int first, const qn_movie_frame_visitor *visitor)
{
    for (int begin = first; begin < frames->plan->count; begin += frames->batch) {
        if (!frames->held) QN_TRY(decode_frames(frames, begin, count_of_batch(frames, begin)));
        for (int i = 0; i < count_of_batch(frames, begin); i++)
            QN_TRY(visitor->frame(begin + i, frames->samples, place_of(frames, begin + i, i), visitor->user));
        if (!frames->held) QN_TRY(visitor->flush(visitor->user));
    }
    return QN_OK;
}

void qn_movie_frames_release(qn_movie_frames *frames)
{
    void *memory = frames->sum;
    qn_queue_settle(frames->queue);
    if (frames->loader) qn_host_memory_destroy(frames->loader->device, &memory);
    qn_buffer_release(&frames->samples);
    qn_buffer_release(&frames->sums);
    qn_queue_destroy(&frames->queue);
    *frames = (qn_movie_frames){.loader = NULL};
}
