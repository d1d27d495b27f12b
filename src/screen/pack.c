/* Write libraries as one packed library. */
#include <quern/screen.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/pipe.h"
#include "base/text.h"
#include "format/compound/packed_library.h"
#include "report/csv.h"
#include "runtime/context.h"
#include "screen/molecule.h"
#include "screen/sources.h"

/* A result with the memory that it points into. */
typedef struct owned_pack_result {
    qn_screen_pack_result result; /* the caller has its address */
    qn_screen_result_rejection *rejections;
    size_t capacity;
    qn_text bytes;
} owned_pack_result;

typedef struct packing {
    const qn_screen_pack_options *options;
    qn_screen_sources sources;
    qn_packed_writer *writer;
    uint64_t position; /* molecules seen, of all libraries */
    size_t library;    /* index of the library being read */
    uint64_t bytes;    /* of the records seen */
    double started_s;
    owned_pack_result *owned;
} packing;

/* Reject the molecule of a record because of the last error of this thread. */
static qn_status add_rejection(packing *pack, const qn_compound_record *record)
{
    owned_pack_result *owned = pack->owned;
    char *name = NULL, *reason = NULL;
    void *list = owned->rejections;
    qn_status status = qn_text_copy(qn_error_message(), &reason);
    if (status == QN_OK) status = qn_screen_record_name(record, &name);
    if (status == QN_OK)
        status = qn_grow(&list, &owned->capacity, owned->result.rejection_count + 1, sizeof *owned->rejections);
    owned->rejections = list;
    if (status != QN_OK) {
        qn_release(&name);
        qn_release(&reason);
        return status;
    }
    owned->result.rejections = owned->rejections;
    owned->rejections[owned->result.rejection_count++] = (qn_screen_result_rejection){
        .index = pack->position, .library = pack->library, .line = record->line, .name = name, .reason = reason};
    qn_error_clear();
    return QN_OK;
}

static qn_status report_progress(const packing *pack)
{
    enum { EVERY = 64 }; /* molecules */
    const qn_run_options *run = &pack->options->run;
    const qn_progress progress = {
        .stage = "packing",
        .unit = "molecules",
        .done = (size_t)pack->position,
        .total = SIZE_MAX,
        .seconds = qn_clock_s() - pack->started_s,
        .bytes = pack->bytes,
    };
    if (pack->position % EVERY != 0 || !run->progress || run->progress(&progress, run->progress_user) == 0)
        return QN_OK;
    if (!pack->options->output)
        return QN_FAIL(QN_CANCELLED, "stopped after %llu molecules; no library is returned",
                       (unsigned long long)pack->position);
    return QN_FAIL(QN_CANCELLED, "stopped after %llu molecules; %s was not written", (unsigned long long)pack->position,
                   pack->options->output);
}

/* Pack the molecule of a record; one that cannot be read is rejected, and the run goes on. */
static qn_status add_record(packing *pack, const qn_compound_record *record)
{
    qn_compound *compound = NULL;
    qn_status status = qn_compound_read(record, &compound);
    if (status == QN_OK) status = qn_packed_writer_append(pack->writer, compound);
    qn_compound_destroy(&compound);
    if (status == QN_BAD_FORMAT || status == QN_UNSUPPORTED || status == QN_INVALID_ARGUMENT)
        status = add_rejection(pack, record);
    pack->position++;
    pack->bytes += record->size;
    return status == QN_OK ? report_progress(pack) : status;
}

static qn_status add_library(packing *pack)
{
    qn_compound_stream *stream;
    qn_compound_record record = {0};
    QN_TRY(qn_screen_sources_open(&pack->sources, pack->library, &stream));
    qn_status status = qn_compound_stream_next(stream, &record);
    while (status == QN_OK && record.size > 0) {
        status = add_record(pack, &record);
        if (status == QN_OK) status = qn_compound_stream_next(stream, &record);
    }
    qn_compound_record_clear(&record);
    qn_compound_stream_close(&stream);
    return status;
}

static qn_status add_libraries(packing *pack)
{
    const qn_screen_pack_result *result = &pack->owned->result;
    for (; pack->library < pack->sources.count; pack->library++) QN_TRY(add_library(pack));
    const size_t rejected = result->rejection_count;
    if (pack->position == rejected)
        return QN_FAIL(QN_BAD_FORMAT, "%s: none of %llu %s can be packed; expected at least one; the last because: %s",
                       qn_screen_sources_name(&pack->sources, 0), (unsigned long long)pack->position,
                       qn_screen_molecules(pack->position),
                       rejected ? result->rejections[rejected - 1].reason : "there is none");
    pack->owned->result.molecule_count = pack->position - rejected;
    return QN_OK;
}

static qn_status fill_rejections(const packing *pack, qn_text *csv)
{
    static const char *const headers[] = {"index", "file", "line", "reason"};
    const qn_screen_pack_result *result = &pack->owned->result;
    QN_TRY(qn_csv_row(csv, sizeof headers / sizeof *headers, headers));
    for (size_t i = 0; i < result->rejection_count; i++) {
        const qn_screen_result_rejection *rejection = &result->rejections[i];
        const char *library = qn_screen_sources_name(&pack->sources, rejection->library);
        QN_TRY(qn_csv_integer(csv, (long long)rejection->index));
        QN_TRY(qn_csv_text(csv, strcmp(library, "-") == 0 ? "standard input" : library));
        QN_TRY(qn_csv_integer(csv, (long long)rejection->line));
        QN_TRY(qn_csv_text(csv, rejection->reason));
        QN_TRY(qn_csv_end_row(csv));
    }
    return QN_OK;
}

/* Write the table of rejections beside the library. There is no place for it beside a pipe or a device. */
static qn_status write_rejections(const packing *pack)
{
    qn_text name = {0}, csv = {0};
    struct stat information;
    const size_t rejected = pack->owned->result.rejection_count;
    if (strcmp(pack->options->output, "-") == 0 || stat(pack->options->output, &information) != 0 ||
        !S_ISREG(information.st_mode) || strncmp(pack->options->output, "/dev/", 5) == 0) {
        if (rejected > 0)
            qn_log(QN_LOG_WARNING, "%zu of %llu molecules were rejected, the last because: %s", rejected,
                   (unsigned long long)pack->position, pack->owned->result.rejections[rejected - 1].reason);
        return QN_OK;
    }
    qn_status status = fill_rejections(pack, &csv);
    if (status == QN_OK) status = qn_text_append(&name, "%s.rejected.csv", pack->options->output);
    if (status == QN_OK) status = qn_csv_write(&csv, name.data);
    qn_text_clear(&name);
    qn_text_clear(&csv);
    return status;
}

/* Finish the library as a file or in the result. The table of rejections is written last, so that it never lies beside
 * an older library. */
static qn_status finish(packing *pack)
{
    owned_pack_result *owned = pack->owned;
    if (pack->options->output) {
        QN_TRY(qn_packed_writer_finish(&pack->writer));
        return write_rejections(pack);
    }
    QN_TRY(qn_packed_writer_finish_memory(&pack->writer, &owned->bytes));
    owned->result.bytes = owned->bytes.data;
    owned->result.size = owned->bytes.length;
    return QN_OK;
}

/* Refuse an output that is an input: the library, or the table of rejections beside it. */
static qn_status check_outputs(const qn_screen_pack_options *options)
{
    static const char *const endings[] = {"", ".rejected.csv"};
    for (int k = 0; options->output && k < 2; k++) {
        qn_text name = {0};
        QN_TRY(qn_text_append(&name, "%s%s", options->output, endings[k]));
        qn_status status = QN_OK;
        for (size_t i = 0; i < options->library_count && status == QN_OK; i++)
            if (qn_file_is_same(options->libraries[i], name.data))
                status = QN_FAIL(QN_INVALID_ARGUMENT, "%s: is an input; expected another output", name.data);
        qn_text_clear(&name);
        QN_TRY(status);
    }
    return QN_OK;
}

static qn_status check_options(const qn_screen_pack_options *options)
{
    QN_TRY(qn_option_check(qn_screen_pack_option_table(), options));
    QN_TRY(check_outputs(options));
    return qn_screen_sources_check(options->library_count, options->library_contents, options->library_content_count);
}

static qn_status pack_libraries(packing *pack)
{
    const qn_screen_pack_options *options = pack->options;
    QN_TRY(check_options(options));
    pack->sources = options->library_count
                        ? (qn_screen_sources){options->libraries, NULL, options->library_count}
                        : (qn_screen_sources){NULL, options->library_contents, options->library_content_count};
    QN_TRY(qn_packed_writer_create(options->output, &pack->writer));
    const qn_status status = add_libraries(pack);
    if (status == QN_OK) return finish(pack);
    qn_packed_writer_discard(&pack->writer);
    return status;
}

qn_status qn_screen_pack(qn_context *context, const qn_screen_pack_options *options, qn_screen_pack_result **result)
{
    qn_screen_pack_options own;
    packing pack = {.options = &own, .started_s = qn_clock_s()};
    void *memory;
    if (result) *result = NULL;
    QN_TRY(qn_option_take(qn_screen_pack_option_table(), options, &own));
    const qn_log_scope outer = qn_context_enter_log(context);
    qn_status status = qn_allocate(1, sizeof *pack.owned, &memory);
    if (status == QN_OK) {
        pack.owned = memory;
        qn_pipes_keep(); /* a packed library is opened again to be mapped */
        status = pack_libraries(&pack);
        qn_pipes_release();
        qn_screen_pack_result *made = &pack.owned->result;
        if (status == QN_OK && result)
            *result = made;
        else
            qn_screen_pack_result_destroy(&made);
    }
    qn_log_return(outer);
    return status;
}

void qn_screen_pack_result_destroy(qn_screen_pack_result **result)
{
    owned_pack_result *owned = (owned_pack_result *)*result;
    if (!owned) return;
    for (size_t i = 0; i < owned->result.rejection_count; i++) {
        char *name = (char *)owned->rejections[i].name, *reason = (char *)owned->rejections[i].reason;
        qn_release(&name);
        qn_release(&reason);
    }
    qn_release(&owned->rejections);
    qn_text_clear(&owned->bytes);
    qn_release(&owned);
    *result = NULL;
}
