#define _XOPEN_SOURCE 700 /* realpath */
#include "format/image/stack_names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

struct qn_stack_names {
    char *folder; /* of the file, as in its path */
    char *whole;  /* the same as an absolute path; NULL where it does not exist */
    char **names; /* as written */
    size_t count, capacity;
    uint32_t *slots; /* index + 1 of the name that hashes there or before; 0: empty */
    size_t slot_count;
};

/* The folder of a path; "." where the path has none. */
static qn_status folder_of(const char *path, char **folder)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return qn_text_copy(".", folder);
    qn_text text = {0};
    QN_TRY(qn_text_append_bytes(&text, path, slash == path ? 1 : (size_t)(slash - path)));
    *folder = text.data;
    return QN_OK;
}

static qn_status resolve(const char *path, char **whole)
{
    char *found = realpath(path, NULL);
    *whole = NULL;
    if (!found) return QN_OK;
    qn_status status = qn_text_copy(found, whole);
    free(found);
    return status;
}

qn_status qn_stack_names_create(const char *path, qn_stack_names **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_stack_names *names = memory;
    qn_status status = path ? folder_of(path, &names->folder) : QN_OK;
    if (status == QN_OK && path) status = resolve(names->folder, &names->whole);
    if (status != QN_OK)
        qn_stack_names_destroy(&names);
    else
        *out = names;
    return status;
}

void qn_stack_names_destroy(qn_stack_names **names)
{
    qn_stack_names *n = *names;
    if (!n) return;
    for (size_t i = 0; i < n->count; i++) qn_release(&n->names[i]);
    qn_release(&n->names);
    qn_release(&n->slots);
    qn_release(&n->folder);
    qn_release(&n->whole);
    qn_release(names);
}

/* FNV-1a. */
static size_t hash(const char *text, size_t length)
{
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)text[i]) * 1099511628211u;
    return (size_t)(h ^ h >> 32);
}

/* The slot that holds the name, or the empty one where it belongs. */
static size_t find_slot(const qn_stack_names *names, const char *text, size_t length)
{
    size_t slot = hash(text, length) & (names->slot_count - 1);
    for (; names->slots[slot] != 0; slot = (slot + 1) & (names->slot_count - 1)) {
        const char *name = names->names[names->slots[slot] - 1];
        if (strncmp(name, text, length) == 0 && name[length] == '\0') break;
    }
    return slot;
}

/* Keep at least half of the slots empty. */
static qn_status make_room(qn_stack_names *names)
{
    void *memory = names->names;
    qn_status status = qn_grow(&memory, &names->capacity, names->count + 1, sizeof *names->names);
    names->names = memory;
    QN_TRY(status);
    if (names->slots && 2 * (names->count + 1) <= names->slot_count) return QN_OK;
    const size_t larger = names->slots ? 2 * names->slot_count : 64;
    QN_TRY(qn_allocate(larger, sizeof *names->slots, &memory));
    qn_release(&names->slots);
    names->slots = memory;
    names->slot_count = larger;
    for (size_t i = 0; i < names->count; i++)
        names->slots[find_slot(names, names->names[i], strlen(names->names[i]))] = (uint32_t)i + 1;
    return QN_OK;
}

qn_status qn_stack_names_find(qn_stack_names *names, const char *text, size_t length, uint32_t *index)
{
    QN_TRY(make_room(names));
    const size_t slot = find_slot(names, text, length);
    if (names->slots[slot] == 0) {
        qn_text copy = {0};
        if (names->count == UINT32_MAX - 1) return QN_FAIL(QN_UNSUPPORTED, "more stacks than are counted");
        QN_TRY(qn_text_append_bytes(&copy, text, length));
        names->names[names->count++] = copy.data;
        names->slots[slot] = (uint32_t)names->count;
    }
    *index = names->slots[slot] - 1;
    return QN_OK;
}

const char *qn_stack_names_text(const qn_stack_names *names, size_t index)
{
    return index < names->count ? names->names[index] : NULL;
}

/* Set *path to folder/name if that is a file, else to NULL. */
static qn_status try_folder(const char *folder, const char *name, char **path)
{
    QN_TRY(qn_path_join(folder, name, path));
    if (!qn_file_exists(*path)) qn_release(path);
    return QN_OK;
}

/* Look for the stack in the folders above the file's folder, the nearest first. */
static qn_status look_above(const qn_stack_names *names, const char *name, char **path)
{
    char *folder;
    if (!names->whole) return QN_OK;
    QN_TRY(qn_text_copy(names->whole, &folder));
    qn_status status = QN_OK;
    for (char *slash = strrchr(folder, '/'); status == QN_OK && !*path && slash; slash = strrchr(folder, '/')) {
        if (folder[1] == '\0') break; /* the root was searched */
        slash[slash == folder ? 1 : 0] = '\0';
        status = try_folder(folder, name, path);
    }
    qn_release(&folder);
    return status;
}

static qn_status find_path(const qn_stack_names *names, const char *name, char **path)
{
    if (name[0] == '/') return qn_text_copy(name, path);
    const bool beside = strcmp(names->folder, ".") == 0;
    if (!beside) QN_TRY(try_folder(names->folder, name, path));
    if (!*path && qn_file_exists(name)) return qn_text_copy(name, path);
    if (!*path) QN_TRY(look_above(names, name, path));
    if (*path) return QN_OK;
    return beside ? qn_text_copy(name, path) : qn_path_join(names->folder, name, path);
}

qn_status qn_stack_names_take(qn_stack_names *names, char ***paths, size_t *count)
{
    void *memory;
    QN_TRY(qn_allocate(names->count, sizeof **paths, &memory));
    *paths = memory;
    *count = names->count;
    for (size_t i = 0; i < names->count; i++) QN_TRY(find_path(names, names->names[i], &(*paths)[i]));
    return QN_OK;
}

/* The absolute path, with symbolic links resolved as far as the folders exist. */
static qn_status whole_path(const char *path, char **whole)
{
    char *folder, *folder_whole, here[4096];
    QN_TRY(resolve(path, whole));
    if (*whole) return QN_OK;
    QN_TRY(folder_of(path, &folder));
    qn_status status = resolve(folder, &folder_whole);
    qn_release(&folder);
    QN_TRY(status);
    if (folder_whole)
        status = qn_path_join(folder_whole, qn_path_name(path), whole);
    else if (path[0] == '/' || !getcwd(here, sizeof here))
        status = qn_text_copy(path, whole);
    else
        status = qn_path_join(here, path, whole);
    qn_release(&folder_whole);
    return status;
}

/* The path from `from` to `to`, both absolute: up to their common folder and down again. */
static qn_status relate(const char *from, const char *to, char **name)
{
    size_t shared = 0;
    for (size_t i = 0; from[i] && from[i] == to[i]; i++)
        if (from[i] == '/') shared = i + 1;
    qn_text text = {0};
    qn_status status = QN_OK;
    for (const char *c = from + shared; *c && status == QN_OK; c++)
        if (*c == '/') status = qn_text_append(&text, "../");
    if (status == QN_OK) status = qn_text_append(&text, "%s", to + shared);
    *name = text.data;
    if (status != QN_OK) qn_release(name);
    return status;
}

qn_status qn_stack_name_from(const char *path, const char *stack, char **name)
{
    char *from, *to = NULL, *folder;
    qn_text file = {0};
    *name = NULL;
    QN_TRY(folder_of(path, &folder));
    qn_status status = whole_path(folder, &from);
    qn_release(&folder);
    QN_TRY(status);
    status = whole_path(stack, &to);
    if (status == QN_OK) status = qn_text_append(&file, "%s/%s", strcmp(from, "/") == 0 ? "" : from, "x");
    if (status == QN_OK) status = relate(file.data, to, name);
    qn_text_clear(&file);
    qn_release(&from);
    qn_release(&to);
    return status;
}
