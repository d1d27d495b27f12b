#include "runtime/program_cache.h"

#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

/* An entry is the digest of the binary and the binary. If they do not match, the entry is ignored and overwritten. */
enum { DIGEST = 64 };

static void digest_of(const void *data, size_t size, char digest[65])
{
    qn_hash hash;
    qn_hash_start(&hash);
    qn_hash_add(&hash, data, size);
    qn_hash_finish(&hash, digest);
}

void qn_program_cache_key(const qn_device_info *device, const char *text, const char *options, char key[65])
{
    const char *parts[] = {QN_VERSION, device->driver, device->name, device->driver_version, options, text};
    qn_hash hash;
    qn_hash_start(&hash);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) qn_hash_add(&hash, parts[i], strlen(parts[i]) + 1);
    qn_hash_finish(&hash, key);
}

void qn_program_cache_load(const char *key, void **binary, size_t *bytes)
{
    qn_text path = {0};
    char *data = NULL, digest[65];
    size_t size = 0;
    *binary = NULL;
    *bytes = 0;
    qn_status status = qn_cache_folder(&path);
    if (status == QN_OK) status = qn_text_append(&path, "/%s.kernel", key);
    if (status == QN_OK) status = qn_file_read(path.data, &data, &size);
    qn_text_clear(&path);
    if (status != QN_OK || size <= DIGEST) {
        qn_release(&data);
        return;
    }
    digest_of(data + DIGEST, size - DIGEST, digest);
    if (memcmp(digest, data, DIGEST) == 0) {
        memmove(data, data + DIGEST, size - DIGEST);
        *binary = data;
        *bytes = size - DIGEST;
    } else {
        qn_release(&data);
    }
}

void qn_program_cache_store(const char *key, const void *binary, size_t bytes)
{
    qn_text path = {0}, content = {0};
    char digest[65];
    digest_of(binary, bytes, digest);
    qn_status status = qn_cache_folder(&path);
    if (status == QN_OK) status = qn_folder_create(path.data);
    if (status == QN_OK) status = qn_text_append(&path, "/%s.kernel", key);
    if (status == QN_OK) status = qn_text_append_bytes(&content, digest, DIGEST);
    if (status == QN_OK) status = qn_text_append_bytes(&content, binary, bytes);
    if (status == QN_OK) status = qn_file_write(path.data, content.data, content.length);
    if (status != QN_OK) qn_error_clear(); /* a run without a cache only starts more slowly */
    qn_text_clear(&path);
    qn_text_clear(&content);
}

/* ---- one build of a program at a time ---- */

static bool is_built_now(const qn_context *context, const char *key)
{
    const qn_program_build *build = context->builds;
    while (build && strcmp(build->key, key) != 0) build = build->next;
    return build != NULL;
}

void qn_program_build_begin(qn_context *context, qn_program_build *own)
{
    pthread_mutex_lock(&context->build_mutex);
    while (is_built_now(context, own->key)) pthread_cond_wait(&context->built, &context->build_mutex);
    own->next = context->builds;
    context->builds = own;
    pthread_mutex_unlock(&context->build_mutex);
}

void qn_program_build_end(qn_context *context, const qn_program_build *own)
{
    pthread_mutex_lock(&context->build_mutex);
    qn_program_build **at = &context->builds;
    while (*at != own) at = &(*at)->next;
    *at = own->next;
    pthread_cond_broadcast(&context->built);
    pthread_mutex_unlock(&context->build_mutex);
}

qn_status qn_program_cache_compile(qn_device *device, const char *text, const char *options,
                                   qn_program_compiler compile, void *user, void **binary, size_t *bytes)
{
    qn_context *context = device->context;
    char key[65];
    if (!context->use_cache) return compile(user, binary, bytes);
    qn_program_cache_key(&device->info, text, options, key);
    qn_program_build own = {.key = key};
    qn_status status = QN_OK;
    qn_program_build_begin(context, &own);
    qn_program_cache_load(key, binary, bytes);
    if (!*binary) {
        status = compile(user, binary, bytes);
        if (status == QN_OK) qn_program_cache_store(key, *binary, *bytes);
    }
    qn_program_build_end(context, &own);
    return status;
}
