#define _POSIX_C_SOURCE 200809L
#include "dock/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

static const char magic[] = "quern dock journal 1\n";

struct qn_dock_journal {
    int descriptor;
    int per_rotation;
    char *path;
};

/* In front of a record's hits. */
typedef struct record_head {
    int32_t first, count;
    uint32_t checksum; /* CRC-32 of first, count and the hits */
} record_head;

static uint32_t checksum(int32_t first, int32_t count, const void *hits, size_t bytes)
{
    int32_t numbers[2] = {first, count};
    uLong crc = crc32(crc32(0, NULL, 0), (const Bytef *)numbers, sizeof numbers);
    return (uint32_t)crc32(crc, hits, (uInt)bytes);
}

static qn_status append_bytes(qn_dock_journal *journal, const void *data, size_t size)
{
    const char *bytes = data;
    for (size_t done = 0; done < size;) {
        ssize_t written = write(journal->descriptor, bytes + done, size - done);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) QN_FAIL(QN_IO_ERROR, "%s: cannot write: %s", journal->path, strerror(errno));
        done += (size_t)written;
    }
    return QN_OK;
}

/* "name=value" lines: report the first that differs between the journal's key and this run's. */
static qn_status explain_difference(const char *path, const char *theirs, const char *ours)
{
    while (*theirs && *ours) {
        size_t their_length = strcspn(theirs, "\n"), our_length = strcspn(ours, "\n");
        if (their_length != our_length || strncmp(theirs, ours, our_length) != 0)
            QN_FAIL(QN_INVALID_ARGUMENT, "%s: this run cannot go on from another one: there %.*s, here %.*s", path,
                    (int)their_length, theirs, (int)our_length, ours);
        theirs += their_length + (theirs[their_length] == '\n');
        ours += our_length + (ours[our_length] == '\n');
    }
    QN_FAIL(QN_INVALID_ARGUMENT, "%s: the journal belongs to another run", path);
}

/* Read the records after the key; *end gets the file offset behind the last whole one. */
static void read_records(const char *data, size_t size, size_t at, int rotation_count, int per_rotation,
                         qn_dock_hit *hits, unsigned char *done, size_t *end)
{
    record_head head;
    while (size - at >= sizeof head) {
        memcpy(&head, data + at, sizeof head);
        if (head.first < 0 || head.count <= 0 || head.count > rotation_count - head.first) break;
        size_t bytes = (size_t)head.count * (size_t)per_rotation * sizeof *hits;
        if (size - at - sizeof head < bytes) break;
        const char *body = data + at + sizeof head;
        if (checksum(head.first, head.count, body, bytes) != head.checksum) break;
        memcpy(hits + (size_t)head.first * (size_t)per_rotation, body, bytes);
        memset(done + head.first, 1, (size_t)head.count);
        at += sizeof head + bytes;
    }
    *end = at;
}

static qn_status read_journal(const char *path, const char *key, int rotation_count, int per_rotation,
                              qn_dock_hit *hits, unsigned char *done, size_t *end)
{
    char *data;
    size_t size, magic_length = strlen(magic);
    QN_TRY(qn_file_read(path, &data, &size));
    size_t key_end = size > magic_length ? magic_length + strnlen(data + magic_length, size - magic_length) : size;
    qn_status status = QN_OK;
    if (key_end >= size || memcmp(data, magic, magic_length) != 0)
        *end = 0; /* killed before the key was whole: begin anew */
    else if (strcmp(data + magic_length, key) != 0)
        status = explain_difference(path, data + magic_length, key);
    else
        read_records(data, size, key_end + 1, rotation_count, per_rotation, hits, done, end);
    qn_release(&data);
    return status;
}

qn_status qn_dock_journal_open(const char *path, const char *key, int rotation_count, int per_rotation, bool resume,
                               qn_dock_hit *hits, unsigned char *done, qn_dock_journal **out)
{
    size_t end = 0;
    void *memory;
    if (resume && qn_file_exists(path)) QN_TRY(read_journal(path, key, rotation_count, per_rotation, hits, done, &end));
    QN_TRY(qn_allocate(1, sizeof(qn_dock_journal), &memory));
    qn_dock_journal *journal = memory;
    journal->per_rotation = per_rotation;
    journal->descriptor = -1;
    qn_status status = qn_text_copy(path, &journal->path);
    if (status == QN_OK) {
        journal->descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        if (journal->descriptor < 0 || ftruncate(journal->descriptor, (off_t)end) != 0 ||
            lseek(journal->descriptor, 0, SEEK_END) < 0)
            status =
                qn_error_set(QN_IO_ERROR, __FILE__, __LINE__, "%s: cannot open for writing: %s", path, strerror(errno));
    }
    if (status == QN_OK && end == 0) status = append_bytes(journal, magic, strlen(magic));
    if (status == QN_OK && end == 0) status = append_bytes(journal, key, strlen(key) + 1);
    if (status != QN_OK) {
        qn_dock_journal_close(&journal);
        return status;
    }
    *out = journal;
    return QN_OK;
}

qn_status qn_dock_journal_value(const char *path, const char *name, char *value, size_t capacity)
{
    char *data;
    size_t size, length = strlen(name);
    value[0] = '\0';
    if (!qn_file_exists(path)) return QN_OK;
    QN_TRY(qn_file_read(path, &data, &size));
    for (const char *line = data; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        size_t end = strcspn(line, "\n");
        if (strncmp(line, name, length) != 0 || line[length] != '=' || end - length - 1 >= capacity) continue;
        memcpy(value, line + length + 1, end - length - 1);
        value[end - length - 1] = '\0';
    }
    qn_release(&data);
    return QN_OK;
}

qn_status qn_dock_journal_append(qn_dock_journal *journal, int first, int count, const qn_dock_hit *hits)
{
    size_t bytes = (size_t)count * (size_t)journal->per_rotation * sizeof *hits;
    record_head head = {first, count, checksum(first, count, hits, bytes)};
    QN_TRY(append_bytes(journal, &head, sizeof head));
    return append_bytes(journal, hits, bytes);
}

void qn_dock_journal_close(qn_dock_journal **pointer)
{
    qn_dock_journal *journal = *pointer;
    if (!journal) return;
    if (journal->descriptor >= 0) close(journal->descriptor);
    qn_release(&journal->path);
    qn_release(pointer);
}
