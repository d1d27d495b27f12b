#include "format/compound/compound_stream.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/byte_source.h"
#include "format/compound/compound_formats.h"
#include "format/compound/packed_library.h"
#include "format/compound/smiles_process.h"
#include "format/number.h"

struct qn_compound_stream {
    char *path;
    qn_byte_source *source;     /* NULL for a packed library */
    qn_packed_library *library; /* or NULL */
    qn_smiles_process *smiles;  /* or NULL; `source` then reads its output */
    qn_compound_record made;    /* the next record of `smiles`, which belongs to a later line */
    int made_of;                /* the number of that line; −1: there is no such record */
    bool all_made;
    qn_compound_format format;
    bool ended;
    uint64_t index; /* of the next molecule */
    size_t line;    /* next one of the file, from 1 */
};

/* The source of a stream's bytes. */
typedef struct compound_bytes {
    const char *path; /* or the name of bytes in memory */
    const void *data; /* in memory; NULL: a file's */
    size_t size;
    bool is_pipe; /* the bytes can be read only once */
} compound_bytes;

static const size_t most_record_bytes = (size_t)64 << 20;
static const uint64_t most_skipped_bytes = (uint64_t)1 << 30; /* of a record that is too large to be kept */

/* Find the format by the first bytes, and open a packed library. */
static qn_status find_format(qn_compound_stream *stream, const compound_bytes *bytes)
{
    const size_t shown = 65536;
    const char *text;
    size_t size;
    bool gzipped = qn_byte_source_is_gzip(stream->source);
    QN_TRY(qn_byte_source_peek(stream->source, shown, &text, &size));
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) { /* a byte order mark */
        qn_byte_source_take(stream->source, 3);
        text += 3, size -= 3;
    }
    bool packed = qn_packed_library_recognise(text, size);
    if (packed && (gzipped || bytes->is_pipe))
        return QN_FAIL(QN_UNSUPPORTED, "%s: is a packed library%s; expected one that is a file of its own",
                       stream->path, gzipped ? " that is gzipped" : "");
    stream->format = QN_COMPOUND_PACKED;
    if (!packed) QN_TRY(qn_compound_format_find(stream->path, text, size, &stream->format));
    if (packed || stream->format == QN_COMPOUND_PACKED) {
        qn_byte_source_close(&stream->source);
        return bytes->data ? qn_packed_library_open_memory(stream->path, bytes->data, bytes->size, &stream->library)
                           : qn_packed_library_open(stream->path, &stream->library);
    }
    if (stream->format != QN_COMPOUND_SMILES) return QN_OK;
    qn_byte_source *lines = stream->source;
    stream->source = NULL;
    return qn_smiles_process_start(stream->path, lines, &stream->smiles, &stream->source);
}

static qn_status open_stream(const compound_bytes *bytes, qn_compound_stream **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_compound_stream *stream = memory;
    stream->line = 1;
    stream->made_of = -1;
    qn_status status = qn_text_copy(bytes->is_pipe ? "standard input" : bytes->path, &stream->path);
    if (status == QN_OK)
        status = bytes->data ? qn_byte_source_open_memory(bytes->path, bytes->data, bytes->size, &stream->source)
                             : qn_byte_source_open(bytes->path, &stream->source);
    if (status == QN_OK) status = find_format(stream, bytes);
    if (status != QN_OK) {
        qn_compound_stream_close(&stream);
        return status;
    }
    *out = stream;
    return QN_OK;
}

qn_status qn_compound_stream_open(const char *path, qn_compound_stream **stream)
{
    return open_stream(&(compound_bytes){.path = path, .is_pipe = strcmp(path, "-") == 0}, stream);
}

qn_status qn_compound_stream_open_memory(const char *name, const void *data, size_t size, qn_compound_stream **stream)
{
    return open_stream(&(compound_bytes){.path = name, .data = size > 0 ? data : "", .size = size}, stream);
}

void qn_compound_stream_close(qn_compound_stream **stream)
{
    qn_compound_stream *s = *stream;
    if (!s) return;
    qn_byte_source_close(&s->source); /* before waiting for the process that writes to it */
    qn_smiles_process_stop(&s->smiles);
    qn_compound_record_clear(&s->made);
    qn_packed_library_close(&s->library);
    qn_release(&s->path);
    qn_release(stream);
}

static bool is_blank(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!strchr(" \t\r\n", text[i]) || text[i] == '\0') return false;
    return true;
}

static qn_status append(qn_compound_record *record, const char *text, size_t size)
{
    void *memory = record->text;
    qn_status status = qn_grow(&memory, &record->capacity, record->size + size + 1, 1);
    record->text = memory;
    QN_TRY(status);
    memcpy(record->text + record->size, text, size);
    record->text[record->size + size] = '\0';
    return QN_OK;
}

/* Read lines up to the record's end; `keep`: with their text. Blank lines alone are not a record. */
static qn_status cut_record(qn_compound_stream *stream, qn_compound_record *record, bool keep)
{
    const qn_compound_format_entry *format = qn_compound_format_entry_of(stream->format);
    qn_record_cutter cutter = {0};
    bool starts_line = true, blank = true, ended = false;
    uint64_t skipped = 0;
    while (!ended) {
        const char *line;
        size_t size;
        QN_TRY(qn_byte_source_line(stream->source, &line, &size));
        if (size == 0) break;
        qn_record_cut cut = starts_line ? format->cut(&cutter, line, size) : QN_CUT_INSIDE;
        if (cut == QN_CUT_NEXT) break;
        starts_line = line[size - 1] == '\n';
        stream->line += starts_line;
        if (cut == QN_CUT_NONE && !cutter.begun) {
            record->line = stream->line;
            qn_byte_source_take(stream->source, size);
            continue;
        }
        cutter.begun = true;
        record->too_large |= size > most_record_bytes - record->size;
        skipped += record->too_large ? size : 0;
        if (skipped > most_skipped_bytes)
            return QN_FAIL(
                QN_BAD_FORMAT, "%s:%llu: the molecule does not end within %llu MiB; expected the end of its record",
                stream->path, (unsigned long long)record->line, (unsigned long long)(most_skipped_bytes >> 20));
        if (keep && !record->too_large) QN_TRY(append(record, line, size));
        if (!record->too_large) record->size += size;
        blank = blank && is_blank(line, size);
        ended = cut == QN_CUT_LAST;
        qn_byte_source_take(stream->source, size);
    }
    if (blank) record->size = 0;
    return QN_OK;
}

/* Take the packed bytes of the next molecule. */
static qn_status take_packed(qn_compound_stream *stream, qn_compound_record *record, bool keep)
{
    const char *bytes;
    size_t size;
    record->line = 0;
    if (stream->index == qn_packed_library_count(stream->library)) return QN_OK;
    QN_TRY(qn_packed_library_bytes(stream->library, stream->index, &bytes, &size));
    record->too_large = size > most_record_bytes;
    if (keep && !record->too_large) QN_TRY(append(record, bytes, size));
    record->size = size;
    return QN_OK;
}

/* Read the next record of Open Babel's output; its title is the number of the line that it was made from. */
static qn_status make_next(qn_compound_stream *stream)
{
    qn_compound_record *made = &stream->made;
    *made = (qn_compound_record){.line = 1, .path = stream->path, .text = made->text, .capacity = made->capacity};
    QN_TRY(cut_record(stream, made, true));
    stream->all_made = made->size == 0;
    if (stream->all_made) return qn_smiles_process_finish(stream->smiles);
    size_t title = strcspn(made->text, "\r\n");
    if (!qn_number_parse_whole(made->text, title, &stream->made_of) || (uint64_t)stream->made_of < stream->index)
        return QN_FAIL(QN_IO_ERROR, "%s: obabel titled a molecule \"%s\"; expected the number of a line, %llu or more",
                       stream->path, qn_quote(made->text, title).text, (unsigned long long)stream->index);
    return QN_OK;
}

/* Make the record of a line: the SDF text with the line's own name as title, or the line itself when Open Babel made no
 * record of it. */
static qn_status use_line(qn_compound_stream *stream, qn_compound_record *record, const char *line)
{
    const qn_compound_record *made = &stream->made;
    if (stream->made_of < 0 || (uint64_t)stream->made_of != stream->index) {
        QN_TRY(append(record, line, strlen(line)));
        record->size = strlen(line);
        return QN_OK;
    }
    const char *name = line + strcspn(line, " \t"), *rest = made->text + strcspn(made->text, "\n");
    name += strspn(name, " \t");
    record->too_large = made->too_large;
    size_t length = strlen(name), rest_length = made->size - (size_t)(rest - made->text);
    QN_TRY(append(record, name, length));
    record->size = length;
    QN_TRY(append(record, rest, rest_length));
    record->size += rest_length;
    stream->made_of = -1;
    return QN_OK;
}

static qn_status take_made(qn_compound_stream *stream, qn_compound_record *record, bool keep)
{
    char *line;
    if (stream->made_of < 0 && !stream->all_made) QN_TRY(make_next(stream));
    qn_smiles_process_take(stream->smiles, &line, &record->line);
    if (!line) return QN_OK;
    qn_status status = use_line(stream, record, line);
    qn_release(&line);
    if (!keep && record->text) record->text[0] = '\0';
    return status;
}

static qn_status advance(qn_compound_stream *stream, qn_compound_record *record, bool keep)
{
    record->format = stream->format;
    record->index = stream->index;
    record->line = stream->line;
    record->path = stream->path;
    record->size = 0;
    record->too_large = false;
    if (record->text) record->text[0] = '\0';
    if (stream->ended) return QN_OK;
    qn_status status = stream->library  ? take_packed(stream, record, keep)
                       : stream->smiles ? take_made(stream, record, keep)
                                        : cut_record(stream, record, keep);
    if (status != QN_OK) record->size = 0;
    stream->ended = record->size == 0;
    stream->index += record->size > 0;
    return status;
}

qn_status qn_compound_stream_next(qn_compound_stream *stream, qn_compound_record *record)
{
    return advance(stream, record, true);
}

qn_status qn_compound_stream_skip(qn_compound_stream *stream, qn_compound_record *record)
{
    return advance(stream, record, false);
}

void qn_compound_stream_progress(const qn_compound_stream *stream, uint64_t *done_bytes, uint64_t *all_bytes)
{
    if (stream->library) {
        uint64_t count = qn_packed_library_count(stream->library);
        *all_bytes = qn_packed_library_size(stream->library);
        *done_bytes = count ? (uint64_t)((double)*all_bytes * (double)stream->index / (double)count) : *all_bytes;
    } else if (stream->smiles) {
        *done_bytes = *all_bytes = 0; /* unknown: the process reads far ahead of its output */
    } else {
        qn_byte_source_progress(stream->source, done_bytes, all_bytes);
    }
}

void qn_compound_record_clear(qn_compound_record *record)
{
    qn_release(&record->text);
    record->size = record->capacity = 0;
}

qn_status qn_compound_read(const qn_compound_record *record, qn_compound **compound)
{
    *compound = NULL;
    if (record->too_large)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the record of molecule %llu has over %zu MiB; expected a small molecule",
                       record->path, record->line, (unsigned long long)record->index + 1, most_record_bytes >> 20);
    return qn_compound_format_entry_of(record->format)->read(record, compound);
}

static qn_status read_all(qn_compound_stream *stream, qn_compound_record *record, qn_compound ***compounds,
                          size_t *count)
{
    size_t capacity = 0;
    for (;;) {
        QN_TRY(qn_compound_stream_next(stream, record));
        if (record->size == 0) return QN_OK;
        void *list = *compounds;
        qn_status status = qn_grow(&list, &capacity, *count + 1, sizeof **compounds);
        *compounds = list;
        QN_TRY(status);
        QN_TRY(qn_compound_read(record, &(*compounds)[*count]));
        ++*count;
    }
}

/* Read all molecules of a stream, and close it. */
static qn_status read_and_close(qn_compound_stream *stream, const char *name, qn_compound ***compounds, size_t *count)
{
    qn_compound_record record = {0};
    qn_status status = read_all(stream, &record, compounds, count);
    if (status == QN_OK && *count == 0)
        status = qn_error_set(QN_BAD_FORMAT, __FILE__, __LINE__, "%s: holds no molecule", name);
    qn_compound_record_clear(&record);
    qn_compound_stream_close(&stream);
    if (status == QN_OK) return QN_OK;
    while (*count > 0) qn_compound_destroy(&(*compounds)[--*count]);
    qn_release(compounds);
    return status;
}

qn_status qn_compound_read_file(const char *path, qn_compound ***compounds, size_t *count)
{
    qn_compound_stream *stream;
    *compounds = NULL;
    *count = 0;
    QN_TRY(qn_compound_stream_open(path, &stream));
    return read_and_close(stream, path, compounds, count);
}

qn_status qn_compound_read_memory(const char *name, const void *data, size_t size, qn_compound ***compounds,
                                  size_t *count)
{
    qn_compound_stream *stream;
    *compounds = NULL;
    *count = 0;
    QN_TRY(qn_compound_stream_open_memory(name, data, size, &stream));
    return read_and_close(stream, name, compounds, count);
}
