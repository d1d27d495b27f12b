#define _POSIX_C_SOURCE 200809L
#include "format/movie/movie_file.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/gzip.h"
#include "base/memory.h"
#include "base/pipe.h"
#include "base/text.h"
#include "format/movie/movie_format.h"

enum { HEAD_BYTES = 1024 };

size_t qn_sample_bytes(qn_sample_kind kind)
{
    switch (kind) {
    case QN_SAMPLE_UINT8:
    case QN_SAMPLE_INT8: return 1;
    case QN_SAMPLE_UINT16:
    case QN_SAMPLE_INT16: return 2;
    default: return 4;
    }
}

qn_movie_options qn_movie_default_options(void)
{
    return (qn_movie_options){.eer_group = 40, .eer_upsampling = 1};
}

/* Read `size` bytes from `offset` on; *got is less only at the file's end. */
static qn_status read_at(const qn_movie_file *movie, uint64_t offset, void *bytes, size_t size, size_t *got)
{
    for (*got = 0; *got < size;) {
        const ssize_t count = pread(movie->descriptor, (char *)bytes + *got, size - *got, (off_t)(offset + *got));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return QN_FAIL(QN_IO_ERROR, "%s: cannot read: %s", movie->path, strerror(errno));
        if (count == 0) return QN_OK;
        *got += (size_t)count;
    }
    return QN_OK;
}

qn_status qn_movie_read_bytes(const qn_movie_file *movie, uint64_t offset, void *bytes, size_t size)
{
    size_t got;
    QN_TRY(read_at(movie, offset, bytes, size, &got));
    if (got < size)
        return QN_FAIL(QN_BAD_FORMAT, "%s: ends at byte %llu; it had %llu bytes when it was opened", movie->path,
                       (unsigned long long)(offset + got), (unsigned long long)movie->file_bytes);
    return QN_OK;
}

qn_status qn_movie_room(qn_movie_reader *reader, size_t size)
{
    return qn_grow(&reader->bytes, &reader->capacity, size, 1);
}

qn_status qn_movie_check_sides(const char *path, uint64_t width, uint64_t height)
{
    if (width > QN_MOVIE_SIDE_MAX || height > QN_MOVIE_SIDE_MAX)
        return QN_FAIL(QN_UNSUPPORTED, "%s: has frames of %llu x %llu pixels; expected at most %d each way", path,
                       (unsigned long long)width, (unsigned long long)height, QN_MOVIE_SIDE_MAX);
    return QN_OK;
}

static qn_status recognise(qn_movie_file *movie)
{
    static const qn_movie_format *const formats[] = {&qn_movie_tiff, &qn_movie_mrc}; /* MRC has no sure mark: last */
    unsigned char head[HEAD_BYTES];
    size_t got;
    QN_TRY(read_at(movie, 0, head, sizeof head, &got));
    if (qn_is_gzip((const char *)head, got))
        return QN_FAIL(QN_UNSUPPORTED, "%s: is gzipped, and frames are read in any order; unpack it first: gunzip '%s'",
                       movie->path, movie->path);
    for (size_t i = 0; i < sizeof formats / sizeof *formats && !movie->format; i++)
        if (formats[i]->recognise(head, got)) movie->format = formats[i];
    if (!movie->format)
        return QN_FAIL(QN_BAD_FORMAT, "%s: is no movie; expected MRC (with a header of %d bytes), TIFF or EER",
                       movie->path, HEAD_BYTES);
    return QN_OK;
}

static qn_status start(qn_movie_file *movie, const char *path)
{
    struct stat information;
    QN_TRY(qn_text_copy(path, &movie->path));
    /* a pipe is refused before it is waited for */
    if (stat(path, &information) == 0 && !S_ISREG(information.st_mode))
        return QN_FAIL(QN_UNSUPPORTED, "%s: is not a plain file; frames are read in any order", path);
    QN_TRY(qn_file_open(path, &movie->descriptor));
    if (fstat(movie->descriptor, &information) != 0 || !S_ISREG(information.st_mode))
        return QN_FAIL(QN_UNSUPPORTED, "%s: is not a plain file; frames are read in any order", path);
    movie->file_bytes = (uint64_t)information.st_size;
    QN_TRY(recognise(movie));
    return movie->format->open(movie);
}

qn_status qn_movie_file_open(const char *path, const qn_movie_options *options, qn_movie_file **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_movie_file *movie = memory;
    movie->descriptor = -1;
    movie->options = options ? *options : qn_movie_default_options();
    const qn_status status = start(movie, path);
    if (status != QN_OK)
        qn_movie_file_close(&movie);
    else
        *out = movie;
    return status;
}

static void close_reader(const qn_movie_format *format, qn_movie_reader **reader)
{
    if (!*reader) return;
    if ((*reader)->decoder) format->close_decoder(&(*reader)->decoder);
    qn_release(&(*reader)->bytes);
    qn_release(reader);
}

void qn_movie_file_close(qn_movie_file **movie)
{
    if (!*movie) return;
    const qn_movie_format *format = (*movie)->format;
    for (int i = 0; i < QN_MOVIE_THREADS; i++) close_reader(format, &(*movie)->readers[i]);
    if (format && format->close) format->close(*movie);
    if ((*movie)->descriptor >= 0) close((*movie)->descriptor);
    qn_release(&(*movie)->path);
    qn_release(movie);
}

const qn_movie_shape *qn_movie_file_shape(const qn_movie_file *movie)
{
    return &movie->shape;
}

size_t qn_movie_file_frame_bytes(const qn_movie_file *movie)
{
    return (size_t)movie->shape.width * (size_t)movie->shape.height * qn_sample_bytes(movie->shape.kind);
}

void qn_movie_file_raw_frames(const qn_movie_file *movie, int frame, int *first, int *count)
{
    const qn_movie_options *options = &movie->options;
    *first = frame;
    *count = 1;
    if (!movie->shape.is_eer) return;
    if (options->eer_fraction_frames > 0) {
        *first = (int)floor(frame * options->eer_fraction_frames);
        *count = (int)floor((frame + 1) * options->eer_fraction_frames) - *first;
    } else {
        *first = frame * options->eer_group;
        *count = options->eer_group;
    }
}

size_t qn_movie_file_thread_bytes(const qn_movie_file *movie)
{
    const size_t needed = movie->format->scratch_bytes(movie);
    return sizeof(qn_movie_reader) + needed + needed / 2; /* memory that grows, grows by half at least */
}

int qn_movie_file_broken_frames(const qn_movie_file *movie)
{
    return movie->format->broken_frames ? movie->format->broken_frames(movie) : 0;
}

/* A sample that is not finite would spoil every sum that it is in. */
static qn_status check_finite(const qn_movie_file *movie, int frame, const float *values)
{
    const int width = movie->shape.width, height = movie->shape.height;
    for (int y = 0; y < height; y++, values += width) {
        int wrong = 0;
#pragma omp simd reduction(+ : wrong)
        for (int x = 0; x < width; x++) wrong += !(fabsf(values[x]) <= 3.402823466e38f);
        if (!wrong) continue;
        int x = 0;
        while (isfinite(values[x])) x++;
        return QN_FAIL(QN_BAD_FORMAT, "%s: frame %d has %g at column %d, row %d (from 0); expected a finite number",
                       movie->path, frame + 1, (double)values[x], x, y);
    }
    return QN_OK;
}

static qn_status check_frame(const qn_movie_file *movie, int frame)
{
    if (frame >= 0 && frame < movie->shape.frames) return QN_OK;
    return QN_FAIL(QN_INVALID_ARGUMENT, "%s: has no frame %d; expected 1 to %d", movie->path, frame + 1,
                   movie->shape.frames);
}

qn_status qn_movie_file_read(qn_movie_file *movie, int frame, int thread, void *samples)
{
    QN_TRY(check_frame(movie, frame));
    if (thread < 0 || thread >= QN_MOVIE_THREADS)
        return QN_FAIL(QN_INVALID_ARGUMENT, "thread %d reads a movie; expected 0 to %d", thread, QN_MOVIE_THREADS - 1);
    qn_movie_reader **reader = &movie->readers[thread];
    if (!*reader) {
        void *memory;
        QN_TRY(qn_allocate(1, sizeof **reader, &memory));
        *reader = memory;
    }
    QN_TRY(movie->format->read(movie, frame, *reader, samples));
    return movie->shape.kind == QN_SAMPLE_FLOAT32 ? check_finite(movie, frame, samples) : QN_OK;
}

bool qn_movie_file_has_parts(const qn_movie_file *movie)
{
    uint64_t offset;
    return movie->format->find_stored && movie->format->find_stored(movie, 0, &offset) &&
           movie->shape.kind != QN_SAMPLE_FLOAT32;
}

qn_status qn_movie_file_read_part(const qn_movie_file *movie, int frame, size_t first, size_t bytes, void *samples)
{
    uint64_t offset;
    const size_t frame_bytes = qn_movie_file_frame_bytes(movie);
    QN_TRY(check_frame(movie, frame));
    if (!qn_movie_file_has_parts(movie) || first > frame_bytes || bytes > frame_bytes - first)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: bytes %zu to %zu of a frame cannot be read alone", movie->path, first,
                       first + bytes);
    movie->format->find_stored(movie, frame, &offset);
    return qn_movie_read_bytes(movie, offset + first, samples, bytes);
}
