#define _POSIX_C_SOURCE 200809L
#include "job/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"

/* The file has magic, key and a zero byte, then records, each a head and its bytes. Numbers are in the byte order of
 * the machine, because a journal is not meant for other machines. */
static const char magic[] = "quern journal 2\n";

struct qn_journal {
    int descriptor;
    qn_error_trail failure; /* of an append: records after an incomplete one would not be read. QN_OK: none */
    char *path;
};

typedef struct record_head {
    uint64_t piece, size;
    uint32_t checksum; /* CRC-32 of piece, size and the bytes */
    uint32_t spare;    /* 0 */
} record_head;

/* Bytes of a part whose checksum a thread computes. */
enum { CHECKED_BYTES = 1 << 20 };

typedef struct checking {
    const unsigned char *data;
    size_t size;
    uLong sums[64]; /* of the first pieces of CHECKED_BYTES, or of all of them */
} checking;

static size_t checked_size(const checking *work, size_t index)
{
    const size_t left = work->size - index * CHECKED_BYTES;
    return left < CHECKED_BYTES ? left : CHECKED_BYTES;
}

static qn_status check_some(size_t index, int worker, void *user)
{
    checking *work = user;
    (void)worker;
    work->sums[index] = crc32_z(0, work->data + index * CHECKED_BYTES, checked_size(work, index));
    return QN_OK;
}

/* The checksum `crc` after more bytes, as many as a task for each of `sums` allows at a time. */
static uLong add_to_checksum(uLong crc, const void *data, size_t size, qn_pool *pool)
{
    enum { MOST = sizeof((checking *)0)->sums / sizeof(uLong) };
    checking work;
    for (size_t done = 0; done < size; done += work.size) {
        work.data = (const unsigned char *)data + done;
        work.size = size - done < (size_t)MOST * CHECKED_BYTES ? size - done : (size_t)MOST * CHECKED_BYTES;
        const size_t pieces = (work.size + CHECKED_BYTES - 1) / CHECKED_BYTES;
        if (pieces == 1 || qn_pool_run(pool, pieces, check_some, &work) != QN_OK) {
            crc = crc32_z(crc, work.data, work.size);
            continue;
        }
        for (size_t i = 0; i < pieces; i++) crc = crc32_combine(crc, work.sums[i], (z_off_t)checked_size(&work, i));
    }
    return crc;
}

static uint32_t checksum(const record_head *head, const qn_journal_part *parts, int count, qn_pool *pool)
{
    uLong crc = crc32_z(crc32_z(0, NULL, 0), (const Bytef *)head, offsetof(record_head, checksum));
    for (int i = 0; i < count; i++) crc = add_to_checksum(crc, parts[i].data, parts[i].size, pool);
    return (uint32_t)crc;
}

static qn_status system_failure(const char *path, const char *what)
{
    return QN_FAIL(QN_IO_ERROR, "%s: cannot %s: %s", path, what, strerror(errno));
}

static qn_status append_bytes(const qn_journal *journal, const void *data, size_t size)
{
    const char *bytes = data;
    for (size_t done = 0; done < size;) {
        ssize_t written = write(journal->descriptor, bytes + done, size - done);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return system_failure(journal->path, "write");
        done += (size_t)written;
    }
    return QN_OK;
}

/* A line of a key for a message. Of a digest the beginning tells enough. */
typedef struct said_line {
    char text[256];
} said_line;

static said_line say_line(const char *line, int length)
{
    enum { DIGEST_LEAST = 32, DIGEST_SHOWN = 8 };
    said_line said = {"nothing"};
    size_t used = 0;
    for (int at = 0; at < length && used + 4 < sizeof said.text;) {
        const int word = (int)strspn(line + at, "0123456789abcdef");
        if (word >= DIGEST_LEAST)
            used += (size_t)snprintf(said.text + used, sizeof said.text - used, "%.*s…", DIGEST_SHOWN, line + at);
        else
            used += (size_t)snprintf(said.text + used, sizeof said.text - used, "%.*s", word > 0 ? word : 1, line + at);
        if (used >= sizeof said.text) used = sizeof said.text - 1;
        at += word > 0 ? word : 1;
    }
    return said;
}

qn_status qn_key_compare(const char *path, const char *theirs, const char *ours)
{
    while (*theirs || *ours) {
        const int their_length = (int)strcspn(theirs, "\n"), our_length = (int)strcspn(ours, "\n");
        const bool is_device = strncmp(theirs, "device=", 7) == 0;
        if (their_length != our_length || strncmp(theirs, ours, (size_t)our_length) != 0)
            return QN_FAIL(QN_ALREADY_EXISTS, "%s: this run cannot go on from another one: there %s, here %s%s", path,
                           say_line(theirs, their_length).text, say_line(ours, our_length).text,
                           is_device ? "; another device or instruction set may round otherwise, expected the same"
                                     : "");
        theirs += their_length + (theirs[their_length] == '\n');
        ours += our_length + (ours[our_length] == '\n');
    }
    return QN_OK;
}

/* State of reading a journal from its beginning to its last complete record. One record is in memory at a time, because
 * there may be millions. */
typedef struct journal_reader {
    const char *path;
    int descriptor;
    uint64_t size, at; /* bytes of the file; bytes read and found valid */
    void *room;
    size_t capacity;
} journal_reader;

/* Read up to `size` bytes at `offset`; *got is less only at the end of the file. */
static qn_status read_at(const journal_reader *reader, uint64_t offset, void *data, size_t size, size_t *got)
{
    for (*got = 0; *got < size;) {
        ssize_t count = pread(reader->descriptor, (char *)data + *got, size - *got, (off_t)(offset + *got));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return system_failure(reader->path, "read");
        if (count == 0) break;
        *got += (size_t)count;
    }
    return QN_OK;
}

static qn_status begin_reading(const char *path, int descriptor, journal_reader *reader)
{
    struct stat information;
    if (fstat(descriptor, &information) != 0) return system_failure(path, "read");
    reader->path = path;
    reader->descriptor = descriptor;
    reader->size = (uint64_t)information.st_size;
    return QN_OK;
}

/* Read the magic and, if `key` is not NULL, compare the key. reader->at gets the offset after them, 0 if the file was
 * cut short within them. */
static qn_status read_key(journal_reader *reader, const char *key)
{
    enum { LOOK_AHEAD = 512 }; /* so that the message has the whole line that differs */
    const size_t magic_length = strlen(magic), wanted = magic_length + (key ? strlen(key) + 1 : 0);
    size_t got;
    QN_TRY(qn_grow(&reader->room, &reader->capacity, wanted + LOOK_AHEAD + 1, 1));
    char *text = reader->room;
    QN_TRY(read_at(reader, 0, text, wanted + LOOK_AHEAD, &got));
    text[got] = '\0';
    size_t compared = got < wanted ? got : wanted;
    if (memcmp(text, magic, compared < magic_length ? compared : magic_length) != 0)
        return QN_FAIL(QN_ALREADY_EXISTS,
                       "%s: is not a journal of this version; expected one that begins with \"%.*s\"", reader->path,
                       (int)magic_length - 1, magic);
    if (key && compared > magic_length && memcmp(text + magic_length, key, compared - magic_length) != 0) {
        QN_TRY(qn_key_compare(reader->path, text + magic_length, key));
        return QN_FAIL(QN_ALREADY_EXISTS, "%s: its key does not end where this run's does", reader->path);
    }
    if (got >= wanted) reader->at = wanted;
    return QN_OK;
}

/* Read the record at reader->at into reader->room, after its head. *whole is false at the end of the valid records. */
static qn_status read_record(journal_reader *reader, record_head *head, bool *whole)
{
    size_t got;
    *whole = false;
    if (reader->size - reader->at < sizeof *head) return QN_OK;
    QN_TRY(read_at(reader, reader->at, head, sizeof *head, &got));
    if (got < sizeof *head || head->size > reader->size - reader->at - sizeof *head) return QN_OK;
    QN_TRY(qn_grow(&reader->room, &reader->capacity, (size_t)head->size + 1, 1));
    QN_TRY(read_at(reader, reader->at + sizeof *head, reader->room, (size_t)head->size, &got));
    const qn_journal_part part = {reader->room, (size_t)head->size};
    *whole = got == head->size && head->spare == 0 && checksum(head, &part, 1, NULL) == head->checksum;
    return QN_OK;
}

static qn_status read_records(journal_reader *reader, const char *key, qn_journal_record record, void *user)
{
    record_head head;
    bool whole;
    QN_TRY(read_key(reader, key));
    if (reader->at == 0) return QN_OK;
    for (;;) {
        QN_TRY(read_record(reader, &head, &whole));
        if (!whole) break;
        if (record) QN_TRY(record(head.piece, reader->room, (size_t)head.size, user));
        reader->at += sizeof head + head.size;
    }
    if (reader->at < reader->size)
        qn_log(QN_LOG_DEBUG, "%s: %llu bytes after the last whole record are not used", reader->path,
               (unsigned long long)(reader->size - reader->at));
    return QN_OK;
}

/* Lock the file against other processes. Returns false if one of them has it locked. On file systems without locks
 * (ENOLCK, ENOSYS, EOPNOTSUPP) returns true. */
static bool lock(int descriptor, const char *path)
{
    while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR) continue;
        if (errno == EWOULDBLOCK) return false;
        qn_log(QN_LOG_DEBUG, "%s: cannot be locked: %s", path, strerror(errno));
        break;
    }
    return true;
}

/* Lock the open file, read its records, and seek to the end of the valid ones. */
static qn_status prepare(qn_journal *journal, const char *key, bool resume, qn_journal_record record, void *user)
{
    journal_reader reader = {0};
    if (!lock(journal->descriptor, journal->path))
        return QN_FAIL(QN_ALREADY_EXISTS, "%s: is in use by another run; expected no other run in this folder",
                       journal->path);
    qn_status status = QN_OK;
    if (resume) status = begin_reading(journal->path, journal->descriptor, &reader);
    if (status == QN_OK && resume) status = read_records(&reader, key, record, user);
    qn_release(&reader.room);
    QN_TRY(status);
    if (ftruncate(journal->descriptor, (off_t)reader.at) != 0 || lseek(journal->descriptor, 0, SEEK_END) < 0)
        return system_failure(journal->path, "open for writing");
    if (reader.at > 0) return QN_OK;
    QN_TRY(append_bytes(journal, magic, strlen(magic)));
    return append_bytes(journal, key, strlen(key) + 1);
}

qn_status qn_journal_open(const char *path, const char *key, bool resume, qn_journal_record record, void *user,
                          qn_journal **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof(qn_journal), &memory));
    qn_journal *journal = memory;
    journal->descriptor = -1;
    qn_status status = qn_text_copy(path, &journal->path);
    if (status == QN_OK) {
        journal->descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        status = journal->descriptor < 0 ? system_failure(path, "open for writing")
                                         : prepare(journal, key, resume, record, user);
    }
    if (status != QN_OK)
        qn_journal_close(&journal);
    else
        *out = journal;
    return status;
}

static qn_status open_to_read(const char *path, int *descriptor)
{
    *descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (*descriptor < 0)
        return QN_FAIL(errno == ENOENT ? QN_NOT_FOUND : QN_IO_ERROR, "%s: cannot open: %s", path, strerror(errno));
    return QN_OK;
}

qn_status qn_journal_read(const char *path, const char *key, qn_journal_record record, void *user)
{
    journal_reader reader = {0};
    int descriptor;
    QN_TRY(open_to_read(path, &descriptor));
    qn_status status = begin_reading(path, descriptor, &reader);
    if (status == QN_OK) status = read_records(&reader, key, record, user);
    close(descriptor);
    qn_release(&reader.room);
    return status;
}

static size_t size_of(const qn_journal_part *parts, int count)
{
    size_t size = 0;
    for (int i = 0; i < count; i++) size += parts[i].size;
    return size;
}

uint32_t qn_journal_checksum(uint64_t piece, const qn_journal_part *parts, int count, qn_pool *pool)
{
    const record_head head = {.piece = piece, .size = size_of(parts, count)};
    return checksum(&head, parts, count, pool);
}

qn_status qn_journal_append(qn_journal *journal, uint64_t piece, const void *data, size_t size)
{
    const qn_journal_part part = {data, size};
    return qn_journal_append_checked(journal, piece, &part, 1, qn_journal_checksum(piece, &part, 1, NULL));
}

qn_status qn_journal_append_checked(qn_journal *journal, uint64_t piece, const qn_journal_part *parts, int count,
                                    uint32_t checksum)
{
    const record_head head = {.piece = piece, .size = size_of(parts, count), .checksum = checksum};
    if (journal->failure.status != QN_OK) return qn_error_restore(&journal->failure); /* whichever thread reports it */
    qn_status status = append_bytes(journal, &head, sizeof head);
    for (int i = 0; i < count && status == QN_OK; i++) status = append_bytes(journal, parts[i].data, parts[i].size);
    qn_error_save(status, &journal->failure);
    return status;
}

qn_status qn_journal_check_key(const char *path, const char *key)
{
    journal_reader reader = {0};
    int descriptor;
    QN_TRY(open_to_read(path, &descriptor));
    qn_status status = begin_reading(path, descriptor, &reader);
    if (status == QN_OK) status = read_key(&reader, key);
    close(descriptor);
    qn_release(&reader.room);
    return status;
}

qn_status qn_journal_is_busy(const char *path, bool *busy)
{
    int descriptor;
    QN_TRY(open_to_read(path, &descriptor));
    *busy = !lock(descriptor, path);
    close(descriptor); /* this unlocks the file too */
    return QN_OK;
}

qn_status qn_journal_belongs(const char *path, const char *program, bool *belongs)
{
    char begin[256], found[sizeof begin];
    int descriptor;
    size_t got;
    const int wanted = snprintf(begin, sizeof begin, "%sprogram=%s\n", magic, program);
    QN_TRY(open_to_read(path, &descriptor));
    const journal_reader reader = {.path = path, .descriptor = descriptor};
    qn_status status = read_at(&reader, 0, found, (size_t)wanted, &got);
    close(descriptor);
    *belongs = status == QN_OK && memcmp(found, begin, got) == 0;
    return status;
}

/* Read the key of a file, up to its zero byte, into reader->room; "" if the key is incomplete. */
static qn_status read_key_text(journal_reader *reader)
{
    const size_t step = 4096;
    size_t length = 0, got = step;
    QN_TRY(read_key(reader, NULL));
    while (reader->at > 0 && got == step) {
        QN_TRY(qn_grow(&reader->room, &reader->capacity, length + step + 1, 1));
        QN_TRY(read_at(reader, reader->at + length, (char *)reader->room + length, step, &got));
        const char *end = memchr((char *)reader->room + length, '\0', got);
        if (end) return QN_OK;
        length += got;
    }
    ((char *)reader->room)[0] = '\0';
    return QN_OK;
}

static void find_value(const char *key, const char *name, char *value, size_t capacity)
{
    const size_t length = strlen(name);
    for (const char *line = key; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t end = strcspn(line, "\n");
        if (end <= length || strncmp(line, name, length) != 0 || line[length] != '=' || end - length - 1 >= capacity)
            continue;
        memcpy(value, line + length + 1, end - length - 1);
        value[end - length - 1] = '\0';
        return;
    }
}

qn_status qn_journal_value(const char *path, const char *name, char *value, size_t capacity)
{
    journal_reader reader = {0};
    int descriptor;
    value[0] = '\0';
    if (!qn_file_exists(path)) return QN_OK;
    QN_TRY(open_to_read(path, &descriptor));
    qn_status status = begin_reading(path, descriptor, &reader);
    if (status == QN_OK) status = read_key_text(&reader);
    if (status == QN_OK) find_value(reader.room, name, value, capacity);
    close(descriptor);
    qn_release(&reader.room);
    return status;
}

void qn_journal_remove(qn_journal **pointer)
{
    if (*pointer) unlink((*pointer)->path);
    qn_journal_close(pointer);
}

void qn_journal_close(qn_journal **pointer)
{
    qn_journal *journal = *pointer;
    if (!journal) return;
    if (journal->descriptor >= 0) close(journal->descriptor);
    qn_release(&journal->path);
    qn_release(pointer);
}
