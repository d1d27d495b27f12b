#define _POSIX_C_SOURCE 200809L
#include "screen/library.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/pipe.h"

struct qn_screen_library {
    qn_screen_sources sources;
    size_t file; /* index of the source being read; sources.count: all are read */
    qn_compound_stream *stream;
    uint64_t position;                /* molecules read or skipped */
    uint64_t bytes_before, all_bytes; /* of the sources before this one; of all */
    uint64_t *file_bytes;
};

/* Get the size of a file. A library is read again for its hits, so standard input is refused. */
static qn_status look_at_path(const char *path, uint64_t *bytes)
{
    struct stat information;
    int descriptor;
    if (strcmp(path, "-") == 0)
        return QN_FAIL(QN_UNSUPPORTED,
                       "the library is standard input, which cannot be read a second time for the hits; "
                       "expected a file");
    QN_TRY(qn_file_open(path, &descriptor));
    *bytes = fstat(descriptor, &information) == 0 ? (uint64_t)information.st_size : 0;
    close(descriptor);
    return QN_OK;
}

static qn_status check_source(const qn_screen_sources *sources, size_t index, uint64_t *bytes)
{
    qn_compound_stream *stream;
    if (sources->paths)
        QN_TRY(look_at_path(sources->paths[index], bytes));
    else
        *bytes = sources->contents[index].size;
    QN_TRY(qn_screen_sources_open(sources, index, &stream));
    qn_compound_stream_close(&stream);
    return QN_OK;
}

qn_status qn_screen_library_open(const qn_screen_sources *sources, qn_screen_library **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof(qn_screen_library), &memory));
    qn_screen_library *library = memory;
    library->sources = *sources;
    qn_status status = qn_allocate(sources->count, sizeof *library->file_bytes, &memory);
    library->file_bytes = memory;
    for (size_t i = 0; i < sources->count && status == QN_OK; i++) {
        status = check_source(sources, i, &library->file_bytes[i]);
        library->all_bytes += library->file_bytes[i];
    }
    if (status == QN_OK)
        *out = library;
    else
        qn_screen_library_close(&library);
    return status;
}

void qn_screen_library_close(qn_screen_library **pointer)
{
    if (!*pointer) return;
    qn_compound_stream_close(&(*pointer)->stream);
    qn_release(&(*pointer)->file_bytes);
    qn_release(pointer);
}

qn_status qn_screen_library_seek(qn_screen_library *library, uint64_t index, qn_compound_record *record)
{
    record->size = 0;
    while (library->file < library->sources.count) {
        const bool wanted = library->position == index;
        if (!library->stream) QN_TRY(qn_screen_sources_open(&library->sources, library->file, &library->stream));
        QN_TRY(wanted ? qn_compound_stream_next(library->stream, record)
                      : qn_compound_stream_skip(library->stream, record));
        if (record->size == 0) { /* go on with the next library */
            qn_compound_stream_close(&library->stream);
            library->bytes_before += library->file_bytes[library->file++];
            continue;
        }
        library->position++;
        if (!wanted) continue;
        record->path = qn_screen_sources_name(&library->sources, library->file);
        return QN_OK;
    }
    record->size = 0;
    return QN_OK;
}

uint64_t qn_screen_library_position(const qn_screen_library *library)
{
    return library->position;
}

size_t qn_screen_library_file(const qn_screen_library *library)
{
    return library->file;
}

uint64_t qn_screen_library_estimate(const qn_screen_library *library)
{
    uint64_t done = 0, all = 0;
    if (library->file == library->sources.count || library->position == 0) return library->position;
    if (library->stream) qn_compound_stream_progress(library->stream, &done, &all);
    if (all == 0) done = 0;
    done += library->bytes_before;
    if (done == 0 || library->all_bytes <= done) return library->position;
    return (uint64_t)((double)library->position * ((double)library->all_bytes / (double)done));
}

bool qn_screen_library_is_over(const qn_screen_library *library)
{
    return library->file == library->sources.count;
}

uint64_t qn_screen_library_bytes(const qn_screen_library *library)
{
    return library->all_bytes;
}
