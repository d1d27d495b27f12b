/* labels: threads */
#define _POSIX_C_SOURCE 200809L /* symlink */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/thread_pool.h"

static qn_status inner_failure(void)
{
    return QN_FAIL(QN_BAD_FORMAT, "box has %s volume", "zero");
}

static qn_status outer_failure(void)
{
    qn_status status = inner_failure();
    return qn_error_add_context(status, "%s:%d", "water.gro", 7);
}

static void trail_holds_sentence_context_and_origin(void)
{
    CHECK_FAILS(outer_failure(), QN_BAD_FORMAT);
    CHECK_TEXT(qn_error_message(), "water.gro:7: box has zero volume");
    CHECK(strstr(qn_error_origin(), "test_base.c:") == qn_error_origin());
    CHECK_FAILS(qn_error_add_context(QN_BAD_FORMAT, "water.gro"), QN_BAD_FORMAT); /* it is named already */
    CHECK_TEXT(qn_error_message(), "water.gro:7: box has zero volume");
    CHECK_FAILS(qn_error_add_context(QN_BAD_FORMAT, "water"), QN_BAD_FORMAT); /* another name that begins so */
    CHECK_TEXT(qn_error_message(), "water: water.gro:7: box has zero volume");
    CHECK(qn_error_raise(QN_OUT_OF_MEMORY, "no memory for %d atoms", 12) == QN_OUT_OF_MEMORY);
    CHECK_TEXT(qn_error_message(), "no memory for 12 atoms");
    CHECK_TEXT(qn_error_origin(), "");
    CHECK(qn_error_raise(QN_OUT_OF_MEMORY, "frame 3: %s", qn_error_message()) == QN_OUT_OF_MEMORY);
    CHECK_TEXT(qn_error_message(), "frame 3: no memory for 12 atoms");
    qn_error_clear();
    CHECK_TEXT(qn_error_message(), "");
}

static void a_failure_can_be_marked_as_reported(void)
{
    qn_error_trail trail;
    CHECK(QN_FAIL(QN_CANCELLED, "stopped") == QN_CANCELLED);
    CHECK(!qn_error_is_reported());
    CHECK(qn_error_mark_reported(QN_CANCELLED) == QN_CANCELLED && qn_error_is_reported());
    qn_error_save(QN_CANCELLED, &trail);
    qn_error_clear();
    CHECK(!qn_error_is_reported());
    CHECK(qn_error_restore(&trail) == QN_CANCELLED && qn_error_is_reported());
    CHECK_TEXT(qn_error_message(), "stopped");
    CHECK(QN_FAIL(QN_NOT_FOUND, "another") == QN_NOT_FOUND);
    CHECK(!qn_error_is_reported());
    qn_error_clear();
}

static void allocation_overflow_is_reported(void)
{
    void *memory;
    CHECK_FAILS(qn_allocate((size_t)-1, 16, &memory), QN_OUT_OF_MEMORY);
    CHECK_MESSAGE_HAS("out of memory: ");
    CHECK_MESSAGE_HAS("MiB more cannot be allocated");
    CHECK(memory == NULL);
    CHECK_OK(qn_allocate(3, 5, &memory));
    CHECK((size_t)memory % 64 == 0);
    CHECK(((char *)memory)[14] == 0);
    qn_release(&memory);
    CHECK(memory == NULL);
}

static qn_status add_index(size_t index, int worker, void *user)
{
    (void)worker;
    __atomic_fetch_add((size_t *)user, index, __ATOMIC_RELAXED);
    return QN_OK;
}

static qn_status fail_from_40(size_t index, int worker, void *user)
{
    (void)worker, (void)user;
    if (index >= 40) return QN_FAIL(QN_INTERNAL, "piece %zu failed", index);
    return QN_OK;
}

static void pool_runs_every_task_and_returns_the_lowest_failure(void)
{
    for (int threads = 1; threads <= 5; threads += 2) {
        qn_pool *pool;
        CHECK_OK(qn_pool_create(threads, &pool));
        CHECK(qn_pool_threads(pool) == threads);
        for (int repeat = 0; repeat < 50; repeat++) {
            size_t sum = 0;
            CHECK_OK(qn_pool_run(pool, 1000, add_index, &sum));
            CHECK(sum == 499500);
        }
        CHECK_FAILS(qn_pool_run(pool, 1000, fail_from_40, NULL), QN_INTERNAL);
        CHECK_MESSAGE_HAS("piece 40 failed");
        qn_pool_destroy(&pool);
        CHECK(pool == NULL);
    }
    qn_pool *pool;
    CHECK_FAILS(qn_pool_create(-1, &pool), QN_INVALID_ARGUMENT);
}

static void hash_gives_the_published_digests(void)
{
    /* FIPS 180-4 examples. */
    qn_hash hash;
    char digest[65];
    qn_hash_start(&hash);
    qn_hash_add(&hash, "abc", 3);
    qn_hash_finish(&hash, digest);
    CHECK_TEXT(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    const char *two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    qn_hash_start(&hash);
    qn_hash_add(&hash, two_blocks, strlen(two_blocks));
    qn_hash_finish(&hash, digest);
    CHECK_TEXT(digest, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

/* The digest depends neither on how the bytes are split nor on the implementation. */
static void hash_does_not_depend_on_how_bytes_are_split(void)
{
    static const char million_a[] = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"; /* FIPS 180-4 */
    static const size_t pieces[] = {1, 7, 63, 64, 65, 128, 1000, 100000};
    static char data[100000];
    memset(data, 'a', sizeof data);
    for (size_t i = 0; i < 2 * (sizeof pieces / sizeof *pieces); i++) {
        char digest[65];
        qn_hash hash;
        qn_hash_start(&hash);
        if (i % 2 == 1) hash.by_sha = false;
        for (size_t done = 0; done < 1000000;) {
            const size_t piece = pieces[i / 2] < 1000000 - done ? pieces[i / 2] : 1000000 - done;
            qn_hash_add(&hash, data, piece);
            done += piece;
        }
        qn_hash_finish(&hash, digest);
        CHECK_TEXT(digest, million_a);
    }
}

static void files_appear_only_when_complete(void)
{
    char path[700], missing[700];
    char *data;
    size_t size;
    snprintf(path, sizeof path, "%s/deep/er/file.txt", check_scratch_folder());
    snprintf(missing, sizeof missing, "%s/none/file.txt", check_scratch_folder());
    CHECK_FAILS(qn_file_write(missing, "x", 1), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("none/file.txt: cannot create");
    snprintf(path, sizeof path, "%s/deep/er", check_scratch_folder());
    CHECK_OK(qn_folder_create(path));
    bool empty;
    CHECK_OK(qn_folder_is_empty(path, &empty));
    CHECK(empty);
    strcat(path, "/file.txt");
    CHECK_OK(qn_file_write(path, "first", 5));
    CHECK_OK(qn_file_write(path, "second\n", 7));
    CHECK_OK(qn_file_read(path, &data, &size));
    CHECK(size == 7);
    CHECK_TEXT(data, "second\n");
    qn_release(&data);
    CHECK_FAILS(qn_folder_create(path), QN_ALREADY_EXISTS);
}

/* The message gives the error of the parent folder, not that of the missing folder below it. */
static void a_folder_without_permission_is_reported(void)
{
    char path[700];
    snprintf(path, sizeof path, "%s/closed", check_scratch_folder());
    CHECK(mkdir(path, 0555) == 0);
    if (access(path, W_OK) == 0) return; /* root has every permission */
    strcat(path, "/one/two");
    CHECK_FAILS(qn_folder_create(path), QN_IO_ERROR);
    CHECK_MESSAGE_HAS("cannot create the folder: Permission denied");
}

static void full_disk_leaves_no_file(void)
{
    if (access("/dev/full", W_OK) != 0) return;
    char link[700], data[64] = {0};
    /* A link sends the temporary file, whose name is known, to /dev/full. */
    snprintf(link, sizeof link, "%s/full.bin.partial.%ld", check_scratch_folder(), (long)getpid());
    CHECK(symlink("/dev/full", link) == 0);
    snprintf(link, sizeof link, "%s/full.bin", check_scratch_folder());
    CHECK_FAILS(qn_file_write(link, data, sizeof data), QN_IO_ERROR);
    CHECK_MESSAGE_HAS("No space left");
    CHECK(!qn_file_exists(link));
}

static void text_grows(void)
{
    qn_text text = {0};
    for (int i = 0; i < 1000; i++) CHECK_OK(qn_text_append(&text, "%03d", i));
    CHECK(text.length == 3000);
    CHECK(strncmp(text.data + 2997, "999", 4) == 0);
    qn_text_clear(&text);
    CHECK(text.data == NULL);
}

int main(void)
{
    RUN(trail_holds_sentence_context_and_origin);
    RUN(a_failure_can_be_marked_as_reported);
    RUN(allocation_overflow_is_reported);
    RUN(pool_runs_every_task_and_returns_the_lowest_failure);
    RUN(hash_gives_the_published_digests);
    RUN(hash_does_not_depend_on_how_bytes_are_split);
    RUN(files_appear_only_when_complete);
    RUN(a_folder_without_permission_is_reported);
    RUN(full_disk_leaves_no_file);
    RUN(text_grows);
    return check_finish();
}
