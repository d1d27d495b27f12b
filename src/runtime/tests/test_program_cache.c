/* devices: opencl:0 cuda:0 checking:opencl:0 */
#define _DEFAULT_SOURCE
/* Compiled programs on disk: a second process finds them, damaged ones are rebuilt, and kernels also run without a
 * cache. */
#include "check.h"

#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/thread.h"
#include "runtime/device.h"
#include "runtime/objects.h"
#include "runtime/program_cache.h"

static const char *name;
static char folder[640];

static const char source[] = "KERNEL void number(GLOBAL int *y) { y[GLOBAL_ID(0)] = NUMBER; }\n";

static qn_geometry geometry(const qn_configuration *configuration, const void *problem)
{
    (void)configuration, (void)problem;
    return (qn_geometry){{1, 1, 1}, {1, 1, 1}};
}

static const qn_argument_declaration arguments_of_number[] = {{"y", QN_OUT, QN_INT32}};
static const qn_kernel_declaration kernels[] = {{"number", arguments_of_number, 1, geometry, NULL, NULL}};
static const qn_family family = {.name = "test/number", .source = source, .kernels = kernels, .kernel_count = 1};

/* Run the kernel in a new context, as a new process would, and return the number it writes; −1: it failed. */
static int run(const char *definitions, bool without_cache)
{
    int value = -1;
    qn_context *context = NULL;
    qn_device *device = NULL;
    qn_queue *queue = NULL;
    qn_buffer *buffer = NULL;
    CHECK_OK(qn_context_create(
        &(qn_context_options){.size = sizeof(qn_context_options), .without_kernel_cache = without_cache}, &context));
    CHECK_OK(qn_device_open(context, name, &device));
    CHECK_OK(qn_queue_create(device, &queue));
    CHECK_OK(qn_buffer_create(device, sizeof value, &buffer));
    qn_argument argument = qn_argument_buffer(buffer);
    qn_family_call call = {.arguments = &argument, .argument_count = 1, .definitions = definitions};
    if (CHECK_OK(qn_family_run(&family, queue, &call, NULL)))
        CHECK_OK(qn_queue_read(queue, buffer, 0, &value, sizeof value, NULL));
    CHECK_OK(qn_queue_finish(queue));
    qn_buffer_release(&buffer);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return value;
}

/* Return the number of entries of the cache. `path` gets the path of an entry other than `but`. */
static int entries(const char *but, char path[1024])
{
    int count = 0;
    DIR *opened = opendir(folder);
    for (struct dirent *entry; opened && (entry = readdir(opened));) {
        if (entry->d_name[0] == '.') continue;
        char full[1024];
        snprintf(full, sizeof full, "%s/%s", folder, entry->d_name);
        count++;
        if (path && (!but || strcmp(but, full) != 0)) memcpy(path, full, sizeof full);
    }
    if (opened) closedir(opened);
    return count;
}

static void forget_everything(void)
{
    char path[1024];
    while (entries(NULL, path) > 0 && unlink(path) == 0) {
    }
    CHECK(entries(NULL, NULL) == 0);
}

/* The entry of NUMBER=2 is replaced by that of NUMBER=1. A run with NUMBER=2 that gives 1 has read the cache. */
static void a_second_run_finds_the_program(void)
{
    char one[1024], two[1024], *content = NULL;
    size_t size = 0;
    forget_everything();
    CHECK(run("NUMBER=1", false) == 1);
    CHECK(entries(NULL, one) == 1);
    CHECK(run("NUMBER=2", false) == 2);
    CHECK(entries(one, two) == 2);
    CHECK_OK(qn_file_read(one, &content, &size));
    CHECK(size > 64);
    CHECK_OK(qn_file_write(two, content, size));
    CHECK(run("NUMBER=2", false) == 1);
    CHECK(run("NUMBER=2", true) == 2); /* a context without a cache does not read it */
    CHECK(entries(NULL, NULL) == 2);
    qn_release(&content);
}

static void check_rebuilt(const char *path, const char *content, size_t size)
{
    char *now = NULL;
    size_t now_size = 0;
    CHECK_OK(qn_file_write(path, content, size));
    CHECK(run("NUMBER=3", false) == 3);
    CHECK_OK(qn_file_read(path, &now, &now_size));
    CHECK(now_size != size || memcmp(now, content, size) != 0); /* the damaged entry was replaced */
    CHECK(entries(NULL, NULL) == 1);
    qn_release(&now);
}

/* An entry begins with the SHA-256 of the bytes after it. Write the right digest in front of bytes that are not a
 * program. */
static void sign(char *entry, size_t size)
{
    qn_hash hash;
    char digest[65];
    qn_hash_start(&hash);
    qn_hash_add(&hash, entry + 64, size - 64);
    qn_hash_finish(&hash, digest);
    memcpy(entry, digest, 64);
}

static void damaged_entries_are_rebuilt(void)
{
    char path[1024], *content = NULL;
    size_t size = 0;
    forget_everything();
    CHECK(run("NUMBER=3", false) == 3);
    CHECK(entries(NULL, path) == 1);
    CHECK_OK(qn_file_read(path, &content, &size));
    if (!CHECK(size > 200)) return;
    content[size / 2] ^= 1; /* flip a bit */
    check_rebuilt(path, content, size);
    content[size / 2] ^= 1;
    check_rebuilt(path, content, size - 100); /* a truncated entry */
    check_rebuilt(path, content, 64);
    check_rebuilt(path, "", 0);
    memset(content + 64, 'x', 128); /* bytes that are not a program, with the right digest */
    sign(content, size);
    check_rebuilt(path, content, size);
    qn_release(&content);
}

static void the_cache_can_be_off_or_impossible(void)
{
    char file[700];
    forget_everything();
    setenv("QUERN_KERNEL_CACHE", "off", 1);
    CHECK(run("NUMBER=4", false) == 4);
    unsetenv("QUERN_KERNEL_CACHE");
    CHECK(entries(NULL, NULL) == 0);
    snprintf(file, sizeof file, "%s/file", check_scratch_folder());
    CHECK_OK(qn_file_write(file, "x", 1));
    setenv("XDG_CACHE_HOME", file, 1); /* a file is not a folder */
    CHECK(run("NUMBER=5", false) == 5);
    setenv("XDG_CACHE_HOME", check_scratch_folder(), 1);
}

/* ---- several devices of one model ---- */

static atomic_int compiled, loaded;
static const qn_driver *real;

static qn_status count_and_build(qn_driver_device device, const qn_program_source *text, const void *binary,
                                 size_t bytes, qn_driver_program *program)
{
    const struct timespec pause = {.tv_nsec = 50000000}; /* long enough for the other threads to come */
    if (!binary) nanosleep(&pause, NULL);
    atomic_fetch_add(binary ? &loaded : &compiled, 1);
    return real->program_build(device, text, binary, bytes, program);
}

static qn_status build_family(void *user)
{
    return qn_family_build(&family, user, NULL, "NUMBER=6");
}

static void devices_of_one_model_compile_once(void)
{
    enum { DEVICES = 4 };
    qn_context *context = NULL;
    qn_device *devices[DEVICES] = {0};
    qn_driver counting;
    qn_thread threads[DEVICES] = {0};
    forget_everything();
    CHECK_OK(qn_context_create(NULL, &context));
    for (int i = 0; i < DEVICES; i++) {
        CHECK_OK(qn_device_open(context, name, &devices[i]));
        real = devices[i]->driver;
        counting = *real;
        counting.program_build = count_and_build;
    }
    for (int i = 0; i < DEVICES; i++) devices[i]->driver = &counting;
    compiled = loaded = 0;
    for (int i = 0; i < DEVICES; i++) CHECK_OK(qn_thread_start(&threads[i], build_family, devices[i]));
    for (int i = 0; i < DEVICES; i++) CHECK_OK(qn_thread_join(&threads[i]));
    CHECK(compiled == 1);
    CHECK(loaded == DEVICES - 1);
    CHECK(entries(NULL, NULL) == 1);
    for (int i = 0; i < DEVICES; i++) qn_device_release(&devices[i]);
    qn_context_destroy(&context);
}

/* A compiler that takes its time, so that others ask meanwhile. */
static qn_status compile_slowly(void *user, void **binary, size_t *bytes)
{
    (void)user;
    atomic_fetch_add(&compiled, 1);
    usleep(20000);
    QN_TRY(qn_allocate(6, 1, binary));
    memcpy(*binary, "binary", 6);
    *bytes = 6;
    return QN_OK;
}

static qn_status fail_to_compile(void *user, void **binary, size_t *bytes)
{
    (void)user, (void)binary, (void)bytes;
    return QN_FAIL(QN_BUILD_FAILED, "no such word");
}

static void check_binary(qn_device *device, const char *text)
{
    void *binary = NULL;
    size_t bytes = 0;
    CHECK_OK(qn_program_cache_compile(device, text, "-O", compile_slowly, NULL, &binary, &bytes));
    CHECK(bytes == 6 && binary && memcmp(binary, "binary", 6) == 0);
    qn_release(&binary);
}

static qn_status want_binary(void *user)
{
    check_binary(user, "text");
    return QN_OK;
}

/* Programs of other compilers, such as those of a library for transforms. */
static void other_compilers_use_the_cache(void)
{
    enum { THREADS = 4 };
    qn_context *contexts[2] = {0};
    qn_device *devices[2] = {0};
    qn_thread threads[THREADS] = {0};
    void *binary = NULL;
    size_t bytes = 0;
    forget_everything();
    for (int i = 0; i < 2; i++) {
        CHECK_OK(qn_context_create(
            &(qn_context_options){.size = sizeof(qn_context_options), .without_kernel_cache = i == 1}, &contexts[i]));
        CHECK_OK(qn_device_open(contexts[i], name, &devices[i]));
    }
    compiled = 0;
    CHECK(qn_program_cache_compile(devices[0], "text", "-O", fail_to_compile, NULL, &binary, &bytes) ==
          QN_BUILD_FAILED);
    CHECK(!binary && entries(NULL, NULL) == 0); /* a failure leaves nothing, and nobody waits for it */
    for (int i = 0; i < THREADS; i++) CHECK_OK(qn_thread_start(&threads[i], want_binary, devices[0]));
    for (int i = 0; i < THREADS; i++) CHECK_OK(qn_thread_join(&threads[i]));
    CHECK(compiled == 1 && entries(NULL, NULL) == 1);
    check_binary(devices[0], "other text");
    CHECK(compiled == 2 && entries(NULL, NULL) == 2);
    check_binary(devices[1], "text"); /* its context has no cache */
    CHECK(compiled == 3 && entries(NULL, NULL) == 2);
    for (int i = 0; i < 2; i++) {
        qn_device_release(&devices[i]);
        qn_context_destroy(&contexts[i]);
    }
}

static void every_part_of_the_key_counts(void)
{
    qn_device_info device = {.driver = "opencl", .name = "A", .driver_version = "1"}, other;
    char first[65], key[65];
    qn_program_cache_key(&device, "text", "", first);
    qn_program_cache_key(&device, "text", "", key);
    CHECK_TEXT(key, first);
    CHECK(strlen(key) == 64);
    qn_program_cache_key(&device, "texu", "", key);
    CHECK(strcmp(key, first) != 0);
    qn_program_cache_key(&device, "text", "-O", key);
    CHECK(strcmp(key, first) != 0);
    other = device;
    strcpy(other.name, "B");
    qn_program_cache_key(&other, "text", "", key);
    CHECK(strcmp(key, first) != 0);
    other = device;
    strcpy(other.driver_version, "2");
    qn_program_cache_key(&other, "text", "", key);
    CHECK(strcmp(key, first) != 0);
    /* Name and version have the same letters together, but are divided at another place. */
    other = device;
    strcpy(other.name, "A1");
    other.driver_version[0] = 0;
    qn_program_cache_key(&other, "text", "", key);
    CHECK(strcmp(key, first) != 0);
}

int main(int argc, char **argv)
{
    qn_context *context = NULL;
    qn_device *device = NULL;
    name = argc > 1 ? argv[1] : "opencl:0";
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    qn_device_release(&device);
    qn_context_destroy(&context);
    setenv("XDG_CACHE_HOME", check_scratch_folder(), 1);
    unsetenv("QUERN_KERNEL_CACHE");
    snprintf(folder, sizeof folder, "%s/quern", check_scratch_folder());
    RUN(a_second_run_finds_the_program);
    RUN(damaged_entries_are_rebuilt);
    RUN(the_cache_can_be_off_or_impossible);
    RUN(devices_of_one_model_compile_once);
    RUN(other_compilers_use_the_cache);
    RUN(every_part_of_the_key_counts);
    return check_finish();
}
