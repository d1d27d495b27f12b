#include "format/trajectory/trajectory_write.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/written_file.h"
#include "format/trajectory/trajectory_write_format.h"

struct qn_trajectory_writer {
    const qn_trajectory_write_format *format;
    char *path;
    qn_written_file file;
    size_t atom_count;
    uint64_t frames;
    qn_text pending; /* not yet written */
    void *state;     /* the format's own */
    bool failed;
};

static const size_t most_pending = (size_t)1 << 20;

static const qn_trajectory_write_format *const formats[] = {&qn_trajectory_write_xtc, &qn_trajectory_write_dcd};

static qn_status write_pending(qn_trajectory_writer *writer)
{
    QN_TRY(qn_written_file_write(&writer->file, writer->pending.data, writer->pending.length));
    writer->pending.length = 0;
    return QN_OK;
}

static const qn_trajectory_write_format *find_format(const char *path)
{
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const size_t ending = strlen(formats[i]->ending);
        if (length > ending && strcmp(path + length - ending, formats[i]->ending) == 0) return formats[i];
    }
    return NULL;
}

static qn_status start(qn_trajectory_writer *writer, const char *path, const qn_trajectory_write_options *options)
{
    QN_TRY(qn_text_copy(path, &writer->path));
    if (!writer->format)
        return QN_FAIL(QN_UNSUPPORTED,
                       "%s: has no ending of a trajectory format that can be written; expected .xtc or .dcd", path);
    if (writer->atom_count == 0) return QN_FAIL(QN_INVALID_ARGUMENT, "%s: no atoms to write", path);
    QN_TRY(writer->format->create(path, writer->atom_count, options, &writer->state));
    return qn_written_file_open(path, writer->format->finish != NULL, &writer->file);
}

qn_status qn_trajectory_writer_create(const char *path, size_t atom_count, const qn_trajectory_write_options *options,
                                      qn_trajectory_writer **out)
{
    static const qn_trajectory_write_options plain = {0};
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_trajectory_writer *writer = memory;
    writer->atom_count = atom_count;
    writer->format = find_format(path);
    qn_status status = start(writer, path, options ? options : &plain);
    if (status != QN_OK)
        qn_trajectory_writer_discard(&writer);
    else
        *out = writer;
    return status;
}

static qn_status append(qn_trajectory_writer *writer, const qn_trajectory_frame *frame)
{
    if (writer->failed) return QN_FAIL(QN_IO_ERROR, "%s: an earlier frame could not be written", writer->path);
    if (frame->atom_count != writer->atom_count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: frame %llu has %s; expected %zu", writer->path,
                       (unsigned long long)writer->frames, qn_count_of(frame->atom_count, "atom").text,
                       writer->atom_count);
    qn_status status = writer->format->append(writer->state, frame, &writer->pending);
    if (status != QN_OK)
        return qn_error_add_context(status, "%s: frame %llu", writer->path, (unsigned long long)writer->frames);
    writer->frames++;
    return writer->pending.length < most_pending ? QN_OK : write_pending(writer);
}

qn_status qn_trajectory_writer_append(qn_trajectory_writer *writer, const qn_trajectory_frame *frame)
{
    qn_status status = append(writer, frame);
    writer->failed = writer->failed || status != QN_OK;
    return status;
}

static qn_status finish(qn_trajectory_writer *writer)
{
    if (writer->failed) return QN_FAIL(QN_IO_ERROR, "%s: an earlier frame could not be written", writer->path);
    QN_TRY(write_pending(writer));
    if (writer->format->finish && writer->frames > 0) {
        QN_TRY(writer->format->finish(writer->state, &writer->pending));
        QN_TRY(qn_written_file_go_to(&writer->file, 0));
        QN_TRY(write_pending(writer));
    }
    return qn_written_file_finish(&writer->file);
}

qn_status qn_trajectory_writer_finish(qn_trajectory_writer **writer)
{
    qn_status status = finish(*writer);
    qn_trajectory_writer_discard(writer);
    return status;
}

void qn_trajectory_writer_discard(qn_trajectory_writer **writer)
{
    qn_trajectory_writer *w = *writer;
    if (!w) return;
    qn_written_file_discard(&w->file);
    if (w->state) w->format->destroy(w->state);
    qn_text_clear(&w->pending);
    qn_release(&w->path);
    qn_release(writer);
}
