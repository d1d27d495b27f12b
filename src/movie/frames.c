#include "movie/frames.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { ROWS = 16 }; /* that a task adds up */

/* Frames that are sums of frames of the file are given as floats: they may exceed the range of the file's samples. */
static qn_sample_kind kind_of(const qn_movie_file *file, const qn_movie_frame_plan *plan)
{
    return plan->adds ? QN_SAMPLE_FLOAT32 : qn_movie_file_shape(file)->kind;
}

static size_t bytes_of_frame(const qn_movie_file *file, const qn_movie_frame_plan *plan)
{
    const qn_movie_shape *shape = qn_movie_file_shape(file);
    return (size_t)shape->width * (size_t)shape->height * qn_sample_bytes(kind_of(file, plan));
}

uint64_t qn_movie_frames_bytes(const qn_movie_file *file, const qn_movie_frame_plan *plan)
{
    return (uint64_t)plan->count * bytes_of_frame(file, plan);
}

/* ---- samples ---- */

static void widen(qn_sample_kind kind, const void *samples, size_t count, float *values)
{
    const void *from = samples;
    switch (kind) {
    case QN_SAMPLE_UINT8:
        for (size_t i = 0; i < count; i++) values[i] = ((const uint8_t *)from)[i];
        break;
    case QN_SAMPLE_INT8:
        for (size_t i = 0; i < count; i++) values[i] = ((const int8_t *)from)[i];
        break;
    case QN_SAMPLE_UINT16:
        for (size_t i = 0; i < count; i++) values[i] = ((const uint16_t *)from)[i];
        break;
    case QN_SAMPLE_INT16:
        for (size_t i = 0; i < count; i++) values[i] = ((const int16_t *)from)[i];
        break;
    case QN_SAMPLE_FLOAT32: memcpy(values, from, count * sizeof *values); break;
    }
}

static void add(qn_sample_kind kind, const void *samples, size_t count, float *sum)
{
    const void *from = samples;
    switch (kind) {
    case QN_SAMPLE_UINT8:
        for (size_t i = 0; i < count; i++) sum[i] += ((const uint8_t *)from)[i];
        break;
    case QN_SAMPLE_INT8:
        for (size_t i = 0; i < count; i++) sum[i] += ((const int8_t *)from)[i];
        break;
    case QN_SAMPLE_UINT16:
        for (size_t i = 0; i < count; i++) sum[i] += ((const uint16_t *)from)[i];
        break;
    case QN_SAMPLE_INT16:
        for (size_t i = 0; i < count; i++) sum[i] += ((const int16_t *)from)[i];
        break;
    case QN_SAMPLE_FLOAT32:
        for (size_t i = 0; i < count; i++) sum[i] += ((const float *)from)[i];
        break;
    }
}

/* ---- decoding ---- */

/* A batch that is decoded: frames `first` … `first + count − 1` of the plan. */
typedef struct decoding {
    qn_movie_frames *frames;
    int first, count;
} decoding;

/* Add up the frames of the file that make a frame of the plan. */
static qn_status decode_sum(const qn_movie_frames *frames, const qn_movie_frame *frame, int worker, float *values)
{
    const size_t pixels = (size_t)frames->width * (size_t)frames->height;
    const qn_sample_kind kind = qn_movie_file_shape(frames->file)->kind;
    float *scratch = frames->scratch + (size_t)worker * pixels;
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
    unsigned char *samples = frames->samples + (frames->held ? (size_t)number : index) * frames->frame_bytes;
    if (!frames->plan->adds) return qn_movie_file_read(frames->file, frame->first, worker, samples);
    return decode_sum(frames, frame, worker, (float *)(void *)samples);
}

static qn_status add_rows(size_t index, int worker, void *user)
{
    const decoding *work = user;
    const qn_movie_frames *frames = work->frames;
    const size_t width = (size_t)frames->width, sample = qn_sample_bytes(frames->kind);
    const size_t row = index * ROWS, rows = (size_t)frames->height - row < ROWS ? (size_t)frames->height - row : ROWS;
    (void)worker;
    for (int i = 0; i < work->count; i++) {
        const size_t place = frames->held ? (size_t)(work->first + i) : (size_t)i;
        const unsigned char *samples = frames->samples + place * frames->frame_bytes + row * width * sample;
        add(frames->kind, samples, rows * width, frames->sum + row * width);
    }
    return QN_OK;
}

static int count_of_batch(const qn_movie_frames *frames, int first)
{
    return frames->plan->count - first < frames->batch ? frames->plan->count - first : frames->batch;
}

static qn_status decode_batch(qn_movie_frames *frames, int first)
{
    decoding work = {.frames = frames, .first = first, .count = count_of_batch(frames, first)};
    return qn_pool_run(frames->pool, (size_t)work.count, decode, &work);
}

static qn_status add_batch(qn_movie_frames *frames, int first)
{
    decoding work = {.frames = frames, .first = first, .count = count_of_batch(frames, first)};
    return qn_pool_run(frames->pool, ((size_t)frames->height + ROWS - 1) / ROWS, add_rows, &work);
}

static qn_status measure(qn_movie_frames *frames)
{
    const size_t pixels = (size_t)frames->width * (size_t)frames->height;
    double total = 0;
    bool any = false;
    for (size_t i = 0; i < pixels; i++) {
        total += frames->sum[i];
        any |= frames->sum[i] != 0;
    }
    frames->mean = total / (double)pixels / frames->plan->count;
    return any ? QN_OK : QN_FAIL(QN_BAD_FORMAT, "all counts are 0; expected frames with electrons");
}

static qn_status make_room(qn_movie_frames *frames, uint64_t memory_bytes)
{
    const size_t pixels = (size_t)frames->width * (size_t)frames->height;
    const int threads = qn_pool_threads(frames->pool), count = frames->plan->count;
    void *memory;
    frames->held = (uint64_t)count * frames->frame_bytes <= memory_bytes;
    frames->batch = threads < count ? threads : count;
    QN_TRY(qn_allocate((size_t)(frames->held ? count : frames->batch), frames->frame_bytes, &memory));
    frames->samples = memory;
    QN_TRY(qn_allocate(pixels, sizeof(float), &memory));
    frames->sum = memory;
    if (!frames->plan->adds) return QN_OK;
    QN_TRY(qn_allocate((size_t)threads * pixels, sizeof(float), &memory));
    frames->scratch = memory;
    return QN_OK;
}

qn_status qn_movie_frames_load(qn_movie_file *file, const qn_movie_frame_plan *plan, qn_pool *pool,
                               uint64_t memory_bytes, qn_movie_frames *frames)
{
    const qn_movie_shape *shape = qn_movie_file_shape(file);
    *frames = (qn_movie_frames){.file = file,
                                .plan = plan,
                                .pool = pool,
                                .width = shape->width,
                                .height = shape->height,
                                .kind = kind_of(file, plan),
                                .frame_bytes = bytes_of_frame(file, plan)};
    QN_TRY(make_room(frames, memory_bytes));
    for (int first = 0; first < plan->count; first += frames->batch) {
        QN_TRY(decode_batch(frames, first));
        QN_TRY(add_batch(frames, first));
    }
    return measure(frames);
}

qn_status qn_movie_frames_each(qn_movie_frames *frames, const qn_movie_frame_visitor *visitor)
{
    for (int first = 0; first < frames->plan->count; first += frames->batch) {
        if (!frames->held) QN_TRY(decode_batch(frames, first));
        for (int i = 0; i < count_of_batch(frames, first); i++) {
            const size_t place = (size_t)(frames->held ? first + i : i);
            QN_TRY(visitor->frame(first + i, frames->samples + place * frames->frame_bytes, visitor->user));
        }
        if (!frames->held) QN_TRY(visitor->flush(visitor->user));
    }
    return visitor->flush(visitor->user);
}

void qn_movie_frames_release(qn_movie_frames *frames)
{
    qn_release(&frames->samples);
    qn_release(&frames->scratch);
    qn_release(&frames->sum);
}
