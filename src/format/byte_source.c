#define _POSIX_C_SOURCE 200809L
#define ZLIB_CONST
#include "format/byte_source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/error.h"
#include "base/gzip.h"
#include "base/memory.h"
#include "base/pipe.h"
#include "base/text.h"

enum { BUFFER_MAX = 1 << 20, SMALLEST_BUFFER = 1 << 16, AFTER_SEEK = 4096 };

struct qn_byte_source {
    char *name;
    int descriptor;     /* −1: the bytes are in `memory` */
    const char *memory; /* the bytes that are not read yet */
    size_t memory_bytes;
    bool packed, at_end; /* at_end: the file has no bytes after those in the buffer */
    bool in_member;      /* inside a member of a gzip file, which must end before the file does */
    bool seekable;       /* a plain file */
    bool sought;         /* the next bytes may be skipped by seeking, so little is read ahead */
    bool failed;         /* with `failure`, which is reported once the bytes read before it are taken */
    qn_error_trail failure;
    uint64_t done_bytes, all_bytes;
    uint64_t taken_bytes;            /* unpacked */
    size_t room, packed_room;        /* bytes of the buffers */
    size_t begin, end;               /* of the bytes in the buffer */
    size_t packed_begin, packed_end; /* of the bytes in the packed buffer */
    z_stream inflation;
    char *buffer, *packed_buffer;
};

static size_t read_memory(qn_byte_source *source, char *data, size_t size)
{
    if (size > source->memory_bytes) size = source->memory_bytes;
    if (size > 0) memcpy(data, source->memory, size);
    source->memory += size;
    source->memory_bytes -= size;
    return size;
}

/* Read at most `size` bytes of the file; *got is 0 at its end. */
static qn_status read_some(qn_byte_source *source, char *data, size_t size, size_t *got)
{
    ssize_t count;
    if (source->descriptor < 0) {
        *got = read_memory(source, data, size);
        source->done_bytes += *got;
        return QN_OK;
    }
    do count = read(source->descriptor, data, size);
    while (count < 0 && errno == EINTR);
    if (count < 0) return QN_FAIL(QN_IO_ERROR, "%s: cannot read: %s", source->name, strerror(errno));
    *got = (size_t)count;
    source->done_bytes += *got;
    return QN_OK;
}

static qn_status fill_packed(qn_byte_source *source)
{
    size_t held = source->packed_end - source->packed_begin, got;
    memmove(source->packed_buffer, source->packed_buffer + source->packed_begin, held);
    source->packed_begin = 0;
    source->packed_end = held;
    QN_TRY(read_some(source, source->packed_buffer + held, source->packed_room - held, &got));
    source->packed_end += got;
    return QN_OK;
}

/* Begin the next gzip member, or set at_end. Other bytes after the last member (padding) are ignored. */
static qn_status begin_member(qn_byte_source *source)
{
    while (source->packed_end - source->packed_begin < 2) {
        size_t held = source->packed_end - source->packed_begin;
        QN_TRY(fill_packed(source));
        if (source->packed_end - source->packed_begin == held) break;
    }
    source->in_member =
        qn_is_gzip(source->packed_buffer + source->packed_begin, source->packed_end - source->packed_begin);
    if (source->in_member && inflateReset(&source->inflation) != Z_OK)
        return QN_FAIL(QN_INTERNAL, "%s: zlib cannot be reset", source->name);
    source->at_end = !source->in_member;
    return QN_OK;
}

static qn_status inflate_some(qn_byte_source *source)
{
    z_stream *inflation = &source->inflation;
    if (!source->in_member) {
        QN_TRY(begin_member(source));
        if (source->at_end) return QN_OK;
    }
    if (source->packed_begin == source->packed_end) {
        QN_TRY(fill_packed(source));
        if (source->packed_begin == source->packed_end)
            return QN_FAIL(QN_BAD_FORMAT, "%s: the gzipped data is cut off (after %llu bytes)", source->name,
                           (unsigned long long)source->done_bytes);
    }
    inflation->next_in = (const Bytef *)source->packed_buffer + source->packed_begin;
    inflation->avail_in = (uInt)(source->packed_end - source->packed_begin);
    inflation->next_out = (Bytef *)source->buffer + source->end;
    inflation->avail_out = (uInt)(source->room - source->end);
    int result = inflate(inflation, Z_NO_FLUSH);
    source->packed_begin = source->packed_end - inflation->avail_in;
    source->end = source->room - inflation->avail_out;
    if (result == Z_STREAM_END)
        source->in_member = false;
    else if (result != Z_OK)
        return QN_FAIL(QN_BAD_FORMAT, "%s: the gzipped data is damaged (before byte %llu)", source->name,
                       (unsigned long long)source->done_bytes);
    return QN_OK;
}

static qn_status read_plain(qn_byte_source *source)
{
    size_t got, room = source->room - source->end;
    if (source->sought && room > AFTER_SEEK) room = AFTER_SEEK;
    source->sought = false;
    QN_TRY(read_some(source, source->buffer + source->end, room, &got));
    source->end += got;
    source->at_end = got == 0;
    return QN_OK;
}

/* Read more bytes after those in the buffer, or set at_end or failed. The buffer must have room. */
static void fill(qn_byte_source *source)
{
    qn_status status = source->packed ? inflate_some(source) : read_plain(source);
    if (status == QN_OK) return;
    qn_error_save(status, &source->failure);
    source->failed = true;
}

static void move_to_front(qn_byte_source *source)
{
    memmove(source->buffer, source->buffer + source->begin, source->end - source->begin);
    source->end -= source->begin;
    source->begin = 0;
}

qn_status qn_byte_source_peek(qn_byte_source *source, size_t wanted, const char **data, size_t *size)
{
    if (source->room - source->begin < wanted) move_to_front(source);
    while (!source->at_end && !source->failed && source->end - source->begin < wanted) fill(source);
    *data = source->buffer + source->begin;
    *size = source->end - source->begin;
    return source->failed && *size == 0 ? qn_error_restore(&source->failure) : QN_OK;
}

qn_status qn_byte_source_line(qn_byte_source *source, const char **line, size_t *size)
{
    for (size_t seen = 0;;) {
        size_t held = source->end - source->begin;
        const char *begin = source->buffer + source->begin;
        const char *newline = held > seen ? memchr(begin + seen, '\n', held - seen) : NULL;
        if (newline || source->at_end || held == source->room) {
            *line = begin;
            *size = newline ? (size_t)(newline - begin) + 1 : held;
            return QN_OK;
        }
        if (source->failed) return qn_error_restore(&source->failure);
        seen = held;
        if (source->end == source->room) move_to_front(source);
        fill(source);
    }
}

void qn_byte_source_take(qn_byte_source *source, size_t size)
{
    source->begin += size;
    source->taken_bytes += size;
    if (source->begin == source->end) source->begin = source->end = 0;
}

qn_status qn_byte_source_copy(qn_byte_source *source, void *data, size_t size, size_t *copied)
{
    char *next = data;
    for (*copied = 0; *copied < size;) {
        size_t held = source->end - source->begin, wanted = size - *copied;
        if (held == 0 && !source->packed && wanted >= source->room && !source->failed) { /* not through the buffer */
            QN_TRY(read_some(source, next + *copied, wanted, &held));
            source->taken_bytes += held;
            if (held == 0) return QN_OK;
        } else {
            const char *shown;
            QN_TRY(qn_byte_source_peek(source, 1, &shown, &held));
            if (held == 0) return QN_OK;
            if (held > wanted) held = wanted;
            memcpy(next + *copied, shown, held);
            qn_byte_source_take(source, held);
        }
        *copied += held;
    }
    return QN_OK;
}

bool qn_byte_source_remaining(const qn_byte_source *source, uint64_t *size)
{
    struct stat information;
    *size = 0;
    if (!source->seekable || source->packed || fstat(source->descriptor, &information) != 0) return false;
    const off_t at = lseek(source->descriptor, 0, SEEK_CUR);
    if (at < 0) return false;
    if (information.st_size > at) *size = (uint64_t)(information.st_size - at);
    *size += source->end - source->begin;
    return true;
}

/* Seek past the end of the buffer. */
static qn_status seek_forwards(qn_byte_source *source, uint64_t size)
{
    const size_t held = source->end - source->begin;
    qn_byte_source_take(source, held);
    if (lseek(source->descriptor, (off_t)(size - held), SEEK_CUR) < 0)
        return QN_FAIL(QN_IO_ERROR, "%s: cannot seek: %s", source->name, strerror(errno));
    source->sought = true;
    source->done_bytes += size - held;
    source->taken_bytes += size - held;
    return QN_OK;
}

qn_status qn_byte_source_advance(qn_byte_source *source, uint64_t size, uint64_t *advanced)
{
    uint64_t remaining;
    *advanced = 0;
    if (size > source->end - source->begin && qn_byte_source_remaining(source, &remaining)) {
        if (size > remaining) size = remaining;
        if (size > source->end - source->begin)
            QN_TRY(seek_forwards(source, size));
        else
            qn_byte_source_take(source, (size_t)size);
        *advanced = size;
        return QN_OK;
    }
    while (*advanced < size) {
        const char *shown;
        size_t held;
        QN_TRY(qn_byte_source_peek(source, 1, &shown, &held));
        if (held == 0) return QN_OK;
        if (held > size - *advanced) held = (size_t)(size - *advanced);
        qn_byte_source_take(source, held);
        *advanced += held;
    }
    return QN_OK;
}

size_t qn_byte_source_held(const qn_byte_source *source)
{
    return source->end - source->begin;
}

bool qn_byte_source_is_gzip(const qn_byte_source *source)
{
    return source->packed;
}

void qn_byte_source_progress(const qn_byte_source *source, uint64_t *done_bytes, uint64_t *all_bytes)
{
    const uint64_t waiting = source->end - source->begin, unpacked = source->taken_bytes + waiting;
    const uint64_t packed = source->done_bytes - (source->packed_end - source->packed_begin);
    *done_bytes = !source->packed ? source->done_bytes - waiting
                  : unpacked > 0  ? (uint64_t)((double)packed * ((double)source->taken_bytes / (double)unpacked))
                                  : 0;
    *all_bytes = source->all_bytes;
}

/* Detect gzip. If the file is gzipped, the bytes read so far become the packed bytes. */
static qn_status start_unpacking(qn_byte_source *source)
{
    const char *data;
    size_t size;
    void *memory;
    QN_TRY(qn_byte_source_peek(source, 2, &data, &size));
    if (!qn_is_gzip(data, size)) return QN_OK;
    QN_TRY(qn_allocate(BUFFER_MAX, 1, &memory));
    source->packed_buffer = source->buffer;
    source->packed_room = source->room;
    source->room = BUFFER_MAX;
    source->packed_end = source->end;
    source->buffer = memory;
    source->end = 0;
    source->at_end = false;
    if (inflateInit2(&source->inflation, MAX_WBITS + 16) != Z_OK)
        return QN_FAIL(QN_OUT_OF_MEMORY, "%s: cannot begin to unpack gzipped data", source->name);
    source->packed = source->in_member = true;
    return QN_OK;
}

static qn_status start(qn_byte_source *source, const char *name)
{
    void *memory;
    struct stat information;
    QN_TRY(qn_text_copy(name, &source->name));
    source->room = BUFFER_MAX;
    source->all_bytes = source->memory_bytes;
    if (source->descriptor >= 0 && fstat(source->descriptor, &information) == 0 && S_ISREG(information.st_mode)) {
        source->seekable = true;
        source->all_bytes = (uint64_t)information.st_size;
    }
    if ((source->seekable || source->memory) && source->all_bytes < BUFFER_MAX)
        source->room = SMALLEST_BUFFER + (size_t)source->all_bytes;
    QN_TRY(qn_allocate(source->room, 1, &memory));
    source->buffer = memory;
    return start_unpacking(source);
}

static qn_status start_or_close(qn_byte_source *source, const char *name, qn_byte_source **out)
{
    qn_status status = start(source, name);
    if (status == QN_OK)
        *out = source;
    else
        qn_byte_source_close(&source);
    return status;
}

qn_status qn_byte_source_wrap(const char *name, int descriptor, qn_byte_source **out)
{
    void *memory;
    *out = NULL;
    qn_status status = qn_allocate(1, sizeof **out, &memory);
    if (status != QN_OK) {
        close(descriptor);
        return status;
    }
    qn_byte_source *source = memory;
    source->descriptor = descriptor;
    return start_or_close(source, name, out);
}

qn_status qn_byte_source_open_memory(const char *name, const void *data, size_t size, qn_byte_source **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_byte_source *source = memory;
    source->descriptor = -1;
    source->memory = size > 0 ? data : "";
    source->memory_bytes = size;
    return start_or_close(source, name, out);
}

qn_status qn_byte_source_open(const char *path, qn_byte_source **source)
{
    *source = NULL;
    bool standard_input = strcmp(path, "-") == 0;
    int descriptor = -1;
    if (!standard_input)
        QN_TRY(qn_file_open(path, &descriptor));
    else if ((descriptor = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)) < 0)
        return QN_FAIL(QN_IO_ERROR, "standard input: cannot open: %s", strerror(errno));
    return qn_byte_source_wrap(standard_input ? "standard input" : path, descriptor, source);
}

void qn_byte_source_close(qn_byte_source **source)
{
    qn_byte_source *s = *source;
    if (!s) return;
    if (s->packed) inflateEnd(&s->inflation);
    if (s->descriptor >= 0) close(s->descriptor);
    qn_release(&s->name);
    qn_release(&s->buffer);
    qn_release(&s->packed_buffer);
    qn_release(source);
}
