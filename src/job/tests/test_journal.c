/* labels: threads */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "job/journal.h"

static const char key[] = "receptor=a\nseed=7\n";

/* Records read from a journal. */
enum { MAX = 16 };
static struct {
    int count;
    uint64_t piece[MAX];
    size_t size[MAX];
    char data[MAX][64];
} seen;

static qn_status see(uint64_t piece, const void *data, size_t size, void *user)
{
    (void)user;
    if (!CHECK(seen.count < MAX && size <= sizeof seen.data[0])) return QN_INTERNAL;
    seen.piece[seen.count] = piece;
    seen.size[seen.count] = size;
    memcpy(seen.data[seen.count], data, size);
    seen.count++;
    return QN_OK;
}

static const char *path_of(const char *name)
{
    static char path[700];
    snprintf(path, sizeof path, "%s/%s", check_scratch_folder(), name);
    return path;
}

static const char *journal_path(void)
{
    return path_of("journal.0");
}

/* Write the journal's file with these bytes, without flushing it to disk, as it is written a thousand times. */
static void put(const char *data, size_t size)
{
    FILE *file = fopen(journal_path(), "wb");
    CHECK(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

static qn_status open_again(const char *with_key, qn_journal **journal)
{
    seen.count = 0;
    return qn_journal_open(journal_path(), with_key, true, see, NULL, journal);
}

/* Three records, the second without bytes. */
static void write_three(void)
{
    qn_journal *journal;
    CHECK_OK(qn_journal_open(journal_path(), key, false, see, NULL, &journal));
    CHECK_OK(qn_journal_append(journal, 5, "first", 5));
    CHECK_OK(qn_journal_append(journal, UINT64_MAX, NULL, 0));
    const qn_journal_part parts[] = {{"the ", 4}, {NULL, 0}, {"third one", 9}};
    CHECK_OK(qn_journal_append_checked(journal, 0, parts, 3, qn_journal_checksum(0, parts, 3, NULL)));
    qn_journal_close(&journal);
    CHECK(journal == NULL);
}

static void check_first(int count)
{
    CHECK(seen.count == count);
    if (count > 0) CHECK(seen.piece[0] == 5 && seen.size[0] == 5 && memcmp(seen.data[0], "first", 5) == 0);
    if (count > 1) CHECK(seen.piece[1] == UINT64_MAX && seen.size[1] == 0);
    if (count > 2) CHECK(seen.piece[2] == 0 && seen.size[2] == 13 && memcmp(seen.data[2], "the third one", 13) == 0);
}

static void appended_records_are_read_back(void)
{
    qn_journal *journal;
    write_three();
    CHECK_OK(open_again(key, &journal));
    check_first(3);
    CHECK_OK(qn_journal_append(journal, 9, "x", 1));
    qn_journal_close(&journal);
    seen.count = 0;
    CHECK_OK(qn_journal_read(journal_path(), key, see, NULL));

    CHECK(seen.count == 4 && seen.piece[3] == 9 && seen.data[3][0] == 'x');
    CHECK_OK(qn_journal_open(journal_path(), key, false, see, NULL, &journal)); /* empties the journal */
    qn_journal_close(&journal);
    CHECK_OK(open_again(key, &journal));
    CHECK(seen.count == 0);
    qn_journal_close(&journal);
    CHECK_FAILS(qn_journal_read(path_of("absent"), key, see, NULL), QN_NOT_FOUND);
}

/* Cut the file at every length: complete records are kept, the cut record is dropped, and appending works. */
static void a_kill_at_any_byte_loses_one_record_at_most(void)
{
    char *data;
    size_t size;
    write_three();
    CHECK_OK(qn_file_read(journal_path(), &data, &size));
    /* ends of the records, counted from the end of the file; a record has a head of 24 bytes */
    const size_t third = size, second = size - 24 - 13, first = second - 24;
    for (size_t length = 0; length < size; length++) {
        qn_journal *journal;
        int whole = (length >= first) + (length >= second) + (length >= third);
        put(data, length);
        seen.count = 0;
        CHECK_OK(qn_journal_read(journal_path(), key, see, NULL));
        check_first(whole);
        CHECK_OK(open_again(key, &journal));
        check_first(whole);
        CHECK_OK(qn_journal_append(journal, 77, "after", 5));
        qn_journal_close(&journal);
        CHECK_OK(open_again(key, &journal));
        CHECK(seen.count == whole + 1 && seen.piece[whole] == 77);
        qn_journal_close(&journal);
    }
    qn_release(&data);
}

/* Flip every bit of the file: a flip in a record drops this record and those after it; a flip in the key is refused. */
static void a_flipped_bit_is_always_detected(void)
{
    char *data;
    size_t size;
    write_three();
    CHECK_OK(qn_file_read(journal_path(), &data, &size));
    const size_t second = size - 24 - 13, first = second - 24, head = first - 24 - 5;
    for (size_t bit = 0; bit < 8 * size; bit++) {
        size_t byte = bit / 8;
        data[byte] ^= (char)(1 << bit % 8);
        put(data, size);
        seen.count = 0;
        if (byte < head) {
            CHECK_FAILS(qn_journal_read(journal_path(), key, see, NULL), QN_ALREADY_EXISTS);
        } else {
            CHECK_OK(qn_journal_read(journal_path(), key, see, NULL));
            check_first((byte >= first) + (byte >= second));
        }
        data[byte] ^= (char)(1 << bit % 8);
    }
    qn_release(&data);
}

static void journals_of_other_runs_are_refused(void)
{
    qn_journal *journal;
    write_three();
    CHECK_FAILS(open_again("receptor=a\nseed=8\n", &journal), QN_ALREADY_EXISTS);
    CHECK_MESSAGE_HAS("there seed=7, here seed=8");
    CHECK(journal == NULL);
    CHECK_FAILS(open_again("receptor=a\n", &journal), QN_ALREADY_EXISTS);
    CHECK_FAILS(open_again("receptor=a\nseed=7\nbox=1\n", &journal), QN_ALREADY_EXISTS);
    CHECK_FAILS(open_again("receptor=abcdefghijklmnopqrstuvwxyz\nseed=7\n", &journal), QN_ALREADY_EXISTS);
    CHECK_OK(qn_file_write(journal_path(), "a letter, not a journal", 23));
    CHECK_FAILS(open_again(key, &journal), QN_ALREADY_EXISTS);
    CHECK_MESSAGE_HAS("is not a journal of this version");
}

static void values_of_the_key_can_be_read(void)
{
    char value[8], *data;
    size_t size;
    write_three();
    CHECK_OK(qn_journal_value(journal_path(), "seed", value, sizeof value));
    CHECK_TEXT(value, "7");
    CHECK_OK(qn_journal_value(journal_path(), "receptor", value, sizeof value));
    CHECK_TEXT(value, "a");
    CHECK_OK(qn_journal_value(journal_path(), "see", value, sizeof value));
    CHECK_TEXT(value, "");
    CHECK_OK(qn_journal_value(path_of("absent"), "seed", value, sizeof value));
    CHECK_TEXT(value, "");
    CHECK_OK(qn_file_read(journal_path(), &data, &size));
    CHECK_OK(qn_file_write(journal_path(), data, 30)); /* within the key */
    CHECK_OK(qn_journal_value(journal_path(), "receptor", value, sizeof value));
    CHECK_TEXT(value, "");
    qn_release(&data);
}

/* A child process has the journal open, so this process is refused until the child was killed. */
static void two_processes_do_not_write_one_journal(void)
{
    int ready[2], go[2];
    char byte = 'x';
    qn_journal *journal;
    write_three();
    CHECK(pipe(ready) == 0 && pipe(go) == 0);
    pid_t child = fork();
    if (child == 0) {
        bool opened = qn_journal_open(journal_path(), key, true, NULL, NULL, &journal) == QN_OK &&
                      qn_journal_append(journal, 6, "child", 5) == QN_OK;
        close(go[1]);
        if (!opened || write(ready[1], &byte, 1) != 1) _exit(1);
        ssize_t got = read(go[0], &byte, 1); /* until killed */
        _exit(got == 0 ? 0 : 2);
    }
    CHECK(child > 0 && read(ready[0], &byte, 1) == 1);
    CHECK_FAILS(open_again(key, &journal), QN_ALREADY_EXISTS);
    CHECK_MESSAGE_HAS("is in use by another run");
    CHECK(seen.count == 0);
    CHECK_FAILS(qn_journal_open(journal_path(), key, false, see, NULL, &journal), QN_ALREADY_EXISTS);
    kill(child, SIGKILL);
    CHECK(waitpid(child, NULL, 0) == child);
    CHECK_OK(open_again(key, &journal));
    CHECK(seen.count == 4 && seen.piece[3] == 6);
    qn_journal_close(&journal);
    for (int end = 0; end < 2; end++) {
        close(ready[end]);
        close(go[end]);
    }
}

static qn_status refuse(uint64_t piece, const void *data, size_t size, void *user)
{
    (void)data, (void)size, (void)user;
    return QN_FAIL(QN_BAD_FORMAT, "record %llu is refused", (unsigned long long)piece);
}

static void a_refused_record_ends_the_reading(void)
{
    qn_journal *journal;
    write_three();
    CHECK_FAILS(qn_journal_open(journal_path(), key, true, refuse, NULL, &journal), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("record 5 is refused");
    CHECK_OK(open_again(key, &journal)); /* the file is unchanged */
    check_first(3);
    qn_journal_close(&journal);
}

static void differences_are_said_without_whole_digests(void)
{
    CHECK_FAILS(
        qn_key_compare("journal.0",
                       "a=1\nrotations=10 ef86fae79b04d3e51e9e4e3dcbfeffbdeefbcc6685a316c592883f844a5b1d07\nb=2\n",
                       "a=1\nrotations=20 957d39afb80ac3d9cb76756be7bd057d0edda0051769cad6f342166d718473e5\nb=2\n"),
        QN_ALREADY_EXISTS);
    CHECK_TEXT(qn_error_message(), "journal.0: this run cannot go on from another one: there rotations=10 ef86fae7…, "
                                   "here rotations=20 957d39af…");
    CHECK_FAILS(qn_key_compare("journal.0", "a=1\n", "a=1\nface=decade 0.5\n"), QN_ALREADY_EXISTS);
    CHECK_MESSAGE_HAS("there nothing, here face=decade 0.5");
    CHECK_OK(qn_key_compare("journal.0", "a=1\n", "a=1\n"));
}

/* The checksum of large parts, which threads compute piece by piece, is the CRC-32 of all bytes. */
static void threads_find_the_checksum_of_large_parts(void)
{
    const size_t sizes[] = {1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 66 << 20};
    unsigned char *data = malloc(66 << 20);
    qn_pool *pool;
    if (!CHECK_OK(qn_pool_create(3, &pool))) return;
    for (size_t i = 0; i < 66 << 20; i++) data[i] = (unsigned char)(i * 2654435761u >> 13);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const qn_journal_part parts[] = {{"small", 5}, {data, sizes[k]}};
        const uint64_t own[] = {7, 5 + sizes[k]};
        uLong expected = crc32(0, (const Bytef *)own, sizeof own);
        expected = crc32(expected, (const Bytef *)"small", 5);
        expected = crc32(expected, data, (uInt)sizes[k]);
        CHECK(qn_journal_checksum(7, parts, 2, pool) == (uint32_t)expected);
        CHECK(qn_journal_checksum(7, parts, 2, NULL) == (uint32_t)expected);
    }
    qn_pool_destroy(&pool);
    free(data);
}

int main(void)
{
    RUN(appended_records_are_read_back);
    RUN(a_kill_at_any_byte_loses_one_record_at_most);
    RUN(a_flipped_bit_is_always_detected);
    RUN(journals_of_other_runs_are_refused);
    RUN(differences_are_said_without_whole_digests);
    RUN(values_of_the_key_can_be_read);
    RUN(two_processes_do_not_write_one_journal);
    RUN(a_refused_record_ends_the_reading);
    RUN(threads_find_the_checksum_of_large_parts);
    return check_finish();
}
