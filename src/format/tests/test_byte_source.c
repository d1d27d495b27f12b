/* labels: threads */
/* Large blocks, and skipping bytes, in plain files, gzipped files, pipes and memory. */
#define _POSIX_C_SOURCE 200809L
#include "format/byte_source.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "check.h"

enum { SIZE = 5000000 }; /* several buffers of 1 MiB */

typedef struct case_files {
    unsigned char *data; /* SIZE bytes without repeated runs */
    char plain[1024], packed[1024], fifo[1024];
} case_files;

static case_files files;

static void *feed(void *user)
{
    (void)user;
    const int descriptor = open(files.fifo, O_WRONLY);
    for (size_t done = 0; descriptor >= 0 && done < SIZE;) {
        const ssize_t count = write(descriptor, files.data + done, SIZE - done);
        if (count <= 0) break;
        done += (size_t)count;
    }
    close(descriptor);
    return NULL;
}

static void make_files(void)
{
    uint32_t state = 1;
    const char *folder = check_scratch_folder();
    files.data = malloc(SIZE);
    for (size_t i = 0; i < SIZE; i++) {
        state = state * 1664525 + 1013904223;
        files.data[i] = (unsigned char)(state >> 24);
    }
    snprintf(files.plain, sizeof files.plain, "%s/plain", folder);
    snprintf(files.packed, sizeof files.packed, "%s/packed.gz", folder);
    snprintf(files.fifo, sizeof files.fifo, "%s/fifo", folder);
    FILE *plain = fopen(files.plain, "wb");
    CHECK(plain && fwrite(files.data, 1, SIZE, plain) == SIZE && fclose(plain) == 0);
    gzFile packed = gzopen(files.packed, "wb1");
    CHECK(gzwrite(packed, files.data, SIZE) == SIZE && gzclose(packed) == Z_OK);
    CHECK(mkfifo(files.fifo, 0600) == 0);
}

static void check_copy(qn_byte_source *source, size_t at, size_t size)
{
    unsigned char *copy = malloc(size + 1);
    size_t copied;
    const size_t expected = at + size < SIZE ? size : SIZE - at;
    CHECK_OK(qn_byte_source_copy(source, copy, size, &copied));
    CHECK(copied == expected && memcmp(copy, files.data + at, copied) == 0);
    free(copy);
}

static void check_advance(qn_byte_source *source, size_t at, uint64_t size)
{
    uint64_t advanced;
    CHECK_OK(qn_byte_source_advance(source, size, &advanced));
    CHECK(advanced == (size < SIZE - at ? size : SIZE - at));
}

/* Peek, copy and advance in turn, to the end and beyond it. `plain`: the source is the plain file; `sized`: its number
 * of bytes is known. */
static void walk_source(qn_byte_source *source, bool plain, bool sized)
{
    const char *shown;
    size_t size;
    uint64_t remaining, done, all;
    CHECK_OK(qn_byte_source_peek(source, 10, &shown, &size));
    CHECK(size >= 10 && memcmp(shown, files.data, 10) == 0);
    check_copy(source, 0, 100);
    check_copy(source, 100, 2500000);
    check_advance(source, 2500100, 50);
    check_copy(source, 2500150, 850);
    check_advance(source, 2501000, 1500000);
    CHECK(qn_byte_source_remaining(source, &remaining) == plain && remaining == (plain ? SIZE - 4001000 : 0));
    CHECK_OK(qn_byte_source_peek(source, 65536, &shown, &size));
    CHECK(size >= 65536 && memcmp(shown, files.data + 4001000, 65536) == 0);
    qn_byte_source_progress(source, &done, &all);
    if (sized) CHECK(done == 4001000 && all == SIZE);
    check_copy(source, 4001000, 1000);
    check_advance(source, 4002000, (uint64_t)1 << 40);
    check_copy(source, SIZE, 10);
    check_advance(source, SIZE, 10);
    qn_byte_source_progress(source, &done, &all);
    if (sized) CHECK(done == SIZE);
    if (plain) CHECK(qn_byte_source_remaining(source, &remaining) && remaining == 0);
    CHECK(all == 0 || done <= all);
    CHECK_OK(qn_byte_source_peek(source, 10, &shown, &size));
    CHECK(size == 0);
    qn_byte_source_close(&source);
}

static void walk(const char *path, bool plain)
{
    qn_byte_source *source;
    if (CHECK_OK(qn_byte_source_open(path, &source))) walk_source(source, plain, plain);
}

static void plain_files_are_skipped_by_seeking(void)
{
    walk(files.plain, true);
}

static void gzipped_files_are_unpacked(void)
{
    walk(files.packed, false);
}

static void pipes_are_read_to_their_end(void)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, feed, NULL) == 0);
    walk(files.fifo, false);
    pthread_join(thread, NULL);
}

static void memory_is_read_plain_and_gzipped(void)
{
    static unsigned char packed[2 * SIZE];
    qn_byte_source *source;
    FILE *file = fopen(files.packed, "rb");
    const size_t size = file ? fread(packed, 1, sizeof packed, file) : 0;
    CHECK(size > SIZE / 2 && fclose(file) == 0);
    if (CHECK_OK(qn_byte_source_open_memory("gzipped", packed, size, &source))) walk_source(source, false, false);
    if (CHECK_OK(qn_byte_source_open_memory("plain", files.data, SIZE, &source))) walk_source(source, false, true);
}

static void a_growing_file_is_read_to_its_new_end(void)
{
    qn_byte_source *source;
    uint64_t remaining, advanced;
    char grown[1024];
    snprintf(grown, sizeof grown, "%s/grown", check_scratch_folder());
    FILE *file = fopen(grown, "wb");
    CHECK(fwrite(files.data, 1, 200000, file) == 200000 && fflush(file) == 0);
    if (CHECK_OK(qn_byte_source_open(grown, &source))) {
        check_copy(source, 0, 1000);
        CHECK(fwrite(files.data + 200000, 1, 300000, file) == 300000 && fflush(file) == 0);
        CHECK(qn_byte_source_remaining(source, &remaining) && remaining == 499000);
        CHECK_OK(qn_byte_source_advance(source, 449000, &advanced));
        CHECK(advanced == 449000);
        check_copy(source, 450000, 50000);
    }
    qn_byte_source_close(&source);
    fclose(file);
}

int main(void)
{
    RUN(make_files);
    RUN(plain_files_are_skipped_by_seeking);
    RUN(gzipped_files_are_unpacked);
    RUN(pipes_are_read_to_their_end);
    RUN(memory_is_read_plain_and_gzipped);
    RUN(a_growing_file_is_read_to_its_new_end);
    free(files.data);
    return check_finish();
}
