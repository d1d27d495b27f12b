#include "selection/index_file.h"

#include <ctype.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/byte_source.h"
#include "format/number.h"

typedef struct reader {
    qn_index_file *file;
    size_t atom_count, line;
} reader;

static qn_status add_group(reader *r, const char *name, size_t length)
{
    qn_text text = {0};
    qn_status status = qn_text_append_bytes(&text, name, length);
    if (status == QN_OK && memchr(name, '\0', length))
        status = qn_error_set(QN_BAD_FORMAT, __FILE__, __LINE__, "%s: line %zu: a zero byte in the name of a group",
                              r->file->path, r->line);
    void *groups = r->file->groups;
    if (status == QN_OK) status = qn_grow(&groups, &r->file->capacity, r->file->count + 1, sizeof *r->file->groups);
    r->file->groups = groups;
    if (status == QN_OK) r->file->groups[r->file->count++] = (qn_index_group){.line = r->line, .name = text.data};
    if (status != QN_OK) qn_text_clear(&text);
    return status;
}

static qn_status read_name(reader *r, const char *line, size_t length)
{
    const char *end = memchr(line, ']', length);
    const char *name = line + 1;
    if (!end)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: line %zu: \"%s\" has no ]; expected the name of a group, such as [ Protein ]",
                       r->file->path, r->line, qn_quote(line, length).text);
    for (const char *rest = end + 1; rest < line + length; rest++)
        if (!isspace((unsigned char)*rest))
            return QN_FAIL(QN_BAD_FORMAT,
                           "%s: line %zu: \"%s\" after the name of a group; expected the end of the line",
                           r->file->path, r->line, qn_quote(rest, (size_t)(line + length - rest)).text);
    while (name < end && isspace((unsigned char)*name)) name++;
    while (end > name && isspace((unsigned char)end[-1])) end--;
    if (name == end)
        return QN_FAIL(QN_BAD_FORMAT, "%s: line %zu: a group without a name; expected one, such as [ Protein ]",
                       r->file->path, r->line);
    return add_group(r, name, (size_t)(end - name));
}

static qn_status add_atom(reader *r, const char *word, size_t length)
{
    int number;
    if (r->file->count == 0)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: line %zu: \"%s\" before the first group; expected its name, such as [ Protein ]",
                       r->file->path, r->line, qn_quote(word, length).text);
    if (!qn_number_parse_whole(word, length, &number) || number < 1)
        return QN_FAIL(QN_BAD_FORMAT, "%s: line %zu: \"%s\" is not an atom number; expected 1 to %zu", r->file->path,
                       r->line, qn_quote(word, length).text, r->atom_count);
    if ((size_t)number > r->atom_count)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: line %zu: there is no atom %d; expected 1 to %zu, the topology's number of atoms",
                       r->file->path, r->line, number, r->atom_count);
    qn_index_group *group = &r->file->groups[r->file->count - 1];
    void *atoms = group->atoms;
    qn_status status = qn_grow(&atoms, &group->capacity, group->count + 1, sizeof *group->atoms);
    group->atoms = atoms;
    if (status == QN_OK) group->atoms[group->count++] = (uint32_t)number - 1;
    return status;
}

static qn_status read_line(reader *r, const char *line, size_t length)
{
    const char *comment = memchr(line, ';', length);
    if (comment) length = (size_t)(comment - line);
    const char *end = line + length;
    while (line < end && isspace((unsigned char)*line)) line++;
    if (line < end && *line == '[') return read_name(r, line, (size_t)(end - line));
    while (line < end) {
        const char *word = line;
        while (line < end && !isspace((unsigned char)*line)) line++;
        QN_TRY(add_atom(r, word, (size_t)(line - word)));
        while (line < end && isspace((unsigned char)*line)) line++;
    }
    return QN_OK;
}

static qn_status read_lines(reader *r, qn_byte_source *source)
{
    const char *line;
    size_t size;
    for (;;) {
        QN_TRY(qn_byte_source_line(source, &line, &size));
        if (size == 0) break;
        bool ended = line[size - 1] == '\n';
        r->line++;
        if (!ended && size >= 65536)
            return QN_FAIL(QN_BAD_FORMAT,
                           "%s: line %zu is longer than %zu bytes; expected an index file of short lines",
                           r->file->path, r->line, size);
        QN_TRY(read_line(r, line, size - ended));
        qn_byte_source_take(source, size);
    }
    if (r->file->count == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: no group; expected an index file with names such as [ Protein ]",
                       r->file->path);
    return QN_OK;
}

qn_status qn_index_file_read(const char *path, size_t atom_count, qn_index_file **file)
{
    void *memory;
    qn_byte_source *source = NULL;
    *file = NULL;
    QN_TRY(qn_allocate(1, sizeof **file, &memory));
    reader r = {.file = memory, .atom_count = atom_count};
    qn_status status = qn_text_copy(path, &r.file->path);
    if (status == QN_OK) status = qn_byte_source_open(path, &source);
    if (status == QN_OK) status = read_lines(&r, source);
    qn_byte_source_close(&source);
    if (status == QN_OK)
        *file = r.file;
    else
        qn_index_file_destroy(&r.file);
    return status;
}

void qn_index_file_destroy(qn_index_file **file)
{
    if (!*file) return;
    for (size_t i = 0; i < (*file)->count; i++) {
        qn_release(&(*file)->groups[i].name);
        qn_release(&(*file)->groups[i].atoms);
    }
    qn_release(&(*file)->groups);
    qn_release(&(*file)->path);
    qn_release(file);
}
