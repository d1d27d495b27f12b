/* Where functions come from: the shipped texts, and folders of the user. */
#define _DEFAULT_SOURCE /* scandir */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "fuse/library/library.h"

extern const char qn_fuse_blas_source[], qn_fuse_maps_source[];

/* A source in the arena, which functions point to. */
static qn_status add_text(const char *name, const char *text, qn_arena *arena, qn_library *library)
{
    void *memory;
    QN_TRY(qn_arena_take(arena, sizeof(qn_source), &memory));
    *(qn_source *)memory = qn_source_make(name, text, strlen(text));
    return qn_library_parse(memory, arena, library);
}

qn_status qn_library_add_shipped(qn_arena *arena, qn_library *library)
{
    QN_TRY(add_text("blas.qel", qn_fuse_blas_source, arena, library));
    QN_TRY(add_text("maps.qel", qn_fuse_maps_source, arena, library));
    for (qn_function *function = library->functions; function; function = function->following)
        function->is_shipped = true;
    return QN_OK;
}

static qn_status add_file(const char *folder, const char *file, qn_arena *arena, qn_library *library)
{
    char *path, *data = NULL;
    const char *name = NULL, *text = NULL;
    size_t size;
    QN_TRY(qn_path_join(folder, file, &path));
    qn_status status = qn_file_read(path, &data, &size);
    if (status == QN_OK) status = qn_arena_copy_text(arena, path, strlen(path), &name);
    if (status == QN_OK) status = qn_arena_copy_text(arena, data, size, &text);
    qn_release(&path);
    qn_release(&data);
    QN_TRY(status);
    if (strlen(text) != size) return QN_FAIL(QN_BAD_FORMAT, "%s: found a zero byte; expected text", name);
    return add_text(name, text, arena, library);
}

static int is_library(const struct dirent *entry)
{
    return qn_text_ends_in(entry->d_name, ".qel");
}

qn_status qn_library_add_folder(const char *folder, qn_arena *arena, qn_library *library)
{
    struct dirent **entries;
    qn_status status = QN_OK;
    const int count = scandir(folder, &entries, is_library, alphasort);
    if (count < 0) return QN_FAIL(QN_NOT_FOUND, "%s: %s; expected a folder of .qel files", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        if (status == QN_OK) status = add_file(folder, entries[i]->d_name, arena, library);
        free(entries[i]);
    }
    free(entries);
    if (status == QN_OK && count == 0)
        status = QN_FAIL(QN_NOT_FOUND, "%s: found no .qel file; expected at least one", folder);
    return status;
}
