/* Libraries made into one packed library. */
#include <quern/screen.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/compound/packed_library.h"
#include "report/csv.h"
#include "runtime/context.h"

typedef struct packing {
    qn_packed_writer *writer;
    qn_text rejections;          /* rows of the rejected molecules' table */
    uint64_t position, rejected; /* molecules seen, of all files */
    qn_error_trail last;         /* why the last one was rejected */
} packing;

static qn_status add_rejection(packing *pack, const qn_compound_record *record)
{
    qn_text *csv = &pack->rejections;
    pack->rejected++;
    qn_error_save(QN_BAD_FORMAT, &pack->last);
    QN_TRY(qn_csv_integer(csv, (long long)pack->position));
    QN_TRY(qn_csv_text(csv, record->path));
    QN_TRY(qn_csv_integer(csv, (long long)record->line));
    QN_TRY(qn_csv_text(csv, pack->last.message));
    return qn_csv_end_row(csv);
}

/* A molecule that cannot be read is told of, and the next one's turn comes. */
static qn_status add_record(packing *pack, const qn_compound_record *record)
{
    qn_compound *compound = NULL;
    qn_status status = qn_compound_read(record, &compound);
    if (status == QN_OK) status = qn_packed_writer_append(pack->writer, compound);
    qn_compound_destroy(&compound);
    if (status == QN_BAD_FORMAT || status == QN_UNSUPPORTED || status == QN_INVALID_ARGUMENT)
        status = add_rejection(pack, record);
    pack->position++;
    return status;
}

static qn_status add_file(packing *pack, const char *path)
{
    qn_compound_stream *stream;
    qn_compound_record record = {0};
    QN_TRY(qn_compound_stream_open(path, &stream));
    qn_status status = qn_compound_stream_next(stream, &record);
    while (status == QN_OK && record.size > 0) {
        status = add_record(pack, &record);
        if (status == QN_OK) status = qn_compound_stream_next(stream, &record);
    }
    qn_compound_record_clear(&record);
    qn_compound_stream_close(&stream);
    return status;
}

static qn_status write_rejections(const packing *pack, const char *path)
{
    qn_text name = {0};
    qn_status status = qn_text_append(&name, "%s.rejected.csv", path);
    if (status == QN_OK) status = qn_csv_write(&pack->rejections, name.data);
    qn_text_clear(&name);
    return status;
}

static qn_status pack_all(packing *pack, const char *const *libraries, size_t library_count)
{
    static const char *const headers[] = {"index", "file", "line", "reason"};
    QN_TRY(qn_csv_row(&pack->rejections, sizeof headers / sizeof *headers, headers));
    for (size_t i = 0; i < library_count; i++) QN_TRY(add_file(pack, libraries[i]));
    if (pack->position == pack->rejected)
        QN_FAIL(QN_BAD_FORMAT, "%s: none of %llu molecules can be packed; expected at least one; the last because: %s",
                libraries[0], (unsigned long long)pack->position,
                pack->rejected ? pack->last.message : "there is none");
    return QN_OK;
}

static qn_status pack_libraries(const qn_screen_pack_options *options, uint64_t *molecules, uint64_t *rejected)
{
    packing pack = {0};
    QN_TRY(qn_option_check(qn_screen_pack_option_table(), options));
    QN_TRY(qn_packed_writer_create(options->output, &pack.writer));
    qn_status status = pack_all(&pack, options->libraries, options->library_count);
    if (molecules) *molecules = pack.position - pack.rejected;
    if (rejected) *rejected = pack.rejected;
    if (status == QN_OK)
        status = qn_packed_writer_finish(&pack.writer);
    else
        qn_packed_writer_discard(&pack.writer);
    if (status == QN_OK)
        status = write_rejections(&pack, options->output); /* last: alone it would belong to an older library */
    qn_text_clear(&pack.rejections);
    return status;
}

qn_status qn_screen_pack(qn_context *context, const qn_screen_pack_options *options, uint64_t *molecules,
                         uint64_t *rejected)
{
    const qn_log_scope outer = qn_context_enter_log(context);
    const qn_status status = pack_libraries(options, molecules, rejected);
    qn_log_return(outer);
    return status;
}
