/* VTK's legacy format: keywords on lines, each followed by its numbers, as text or as big-endian bytes. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/mesh/vtk_grid.h"
#include "format/number.h"

/* `long` has 8 bytes in files of 64-bit systems; vtkIdType is always written as int. */
static const qn_vtk_type types[] = {
    {"unsigned_char", 1, false, true}, {"char", 1, false, false},         {"signed_char", 1, false, false},
    {"vtktypeint8", 1, false, false},  {"vtktypeuint8", 1, false, true},  {"unsigned_short", 2, false, true},
    {"short", 2, false, false},        {"vtktypeint16", 2, false, false}, {"vtktypeuint16", 2, false, true},
    {"unsigned_int", 4, false, true},  {"int", 4, false, false},          {"vtktypeint32", 4, false, false},
    {"vtktypeuint32", 4, false, true}, {"unsigned_long", 8, false, true}, {"long", 8, false, false},
    {"vtktypeint64", 8, false, false}, {"vtktypeuint64", 8, false, true}, {"vtkIdType", 4, false, false},
    {"float", 4, true, false},         {"double", 8, true, false},        {NULL, 0, false, false},
};
static const qn_vtk_type byte_type = {"unsigned_char", 1, false, true}, real_type = {"float", 4, true, false};
static const qn_vtk_type int_type = {"int", 4, false, false};

enum { MOST_WORDS = 8 };

/* A line in words. */
typedef struct line {
    qn_word words[MOST_WORDS];
    int count;
    size_t number;
} line;

typedef struct cell_array {
    char *name;
    int64_t *values;
    size_t count;
} cell_array;

typedef struct legacy_file {
    qn_mesh_cursor *cursor;
    qn_mesh_builder *builder;
    bool binary, has_points, has_cells, of_cells; /* of_cells: arrays belong to cells */
    size_t attribute_count;                       /* values of each array that follow CELL_DATA or POINT_DATA */
    qn_vtk_grid grid;
    void *arrays; /* cell_array */
    size_t array_count, array_capacity;
} legacy_file;

static bool is_keyword(qn_word word, const char *keyword)
{
    return strlen(keyword) == word.length && strncasecmp(word.text, keyword, word.length) == 0;
}

static void split(qn_word text, line *l)
{
    const qn_record_lines record = {.text = text.text, .length = text.length};
    size_t at = 0;
    l->count = 0;
    while (l->count < MOST_WORDS) {
        const qn_word word = qn_record_word(&record, &at);
        if (word.length == 0) return;
        l->words[l->count++] = word;
    }
}

/* The next line with a word; false at the end of the file. */
static bool next_line(legacy_file *file, line *l)
{
    qn_word text;
    do {
        l->number = file->cursor->line;
        if (!qn_mesh_cursor_line(file->cursor, &text)) return false;
    } while (text.length == 0);
    split(text, l);
    return true;
}

static qn_status fail_line(const legacy_file *file, const line *l, const char *expected)
{
    return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%s\" begins a line with %s; expected %s", file->cursor->path, l->number,
                   qn_quote(l->words[0].text, l->words[0].length).text, qn_count_of((unsigned)l->count, "word").text,
                   expected);
}

static qn_status read_size(const legacy_file *file, const line *l, int word, const char *what, size_t *size)
{
    int64_t value = -1;
    if (word >= l->count || !qn_mesh_parse_whole(l->words[word], &value) || value < 0 || value > INT64_C(1) << 40)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%s\" is no number of %s; expected 0 or more", file->cursor->path,
                       l->number, word < l->count ? qn_quote(l->words[word].text, l->words[word].length).text : "",
                       what);
    *size = (size_t)value;
    return QN_OK;
}

static qn_status read_type(const legacy_file *file, const line *l, int word, const qn_vtk_type **type)
{
    *type = word < l->count ? qn_vtk_type_find(types, l->words[word]) : NULL;
    if (*type) return QN_OK;
    return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%s\" is no type of numbers; expected int, float, double or such",
                   file->cursor->path, l->number,
                   word < l->count ? qn_quote(l->words[word].text, l->words[word].length).text : "");
}

/* ---- arrays ---- */

static qn_status skip_values(const qn_vtk_values *values)
{
    QN_TRY(qn_vtk_check_room(values, "the values of an array"));
    if (values->cursor->binary)
        return qn_mesh_cursor_skip(values->cursor, values->count * (size_t)values->type->bytes, "values of an array");
    for (size_t i = 0; i < values->count; i++)
        if (qn_mesh_cursor_word(values->cursor).length == 0)
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the file ends; expected %zu values of an array",
                           values->cursor->path, values->cursor->line, values->count);
    return QN_OK;
}

/* Names have % and two hexadecimal digits for blanks and quotes. */
static qn_status copy_name(qn_word word, char **name)
{
    static const char digits[] = "0123456789abcdef";
    void *memory;
    QN_TRY(qn_allocate(word.length + 1, 1, &memory));
    char *to = memory;
    *name = memory;
    for (size_t i = 0; i < word.length; i++) {
        const char *high = i + 2 < word.length && word.text[i] == '%' && word.text[i + 1]
                               ? strchr(digits, word.text[i + 1] | 32)
                               : NULL;
        const char *low = high && word.text[i + 2] ? strchr(digits, word.text[i + 2] | 32) : NULL;
        const int code = low ? (int)(16 * (high - digits) + (low - digits)) : 0;
        *to++ = code >= 32 ? (char)code : word.text[i];
        if (code >= 32) i += 2;
    }
    return QN_OK;
}

/* Read an array of cells, of which groups are made at the end; skip others. */
static qn_status read_array(legacy_file *file, qn_word name, const qn_vtk_type *type, size_t components, size_t tuples)
{
    qn_vtk_values values = {file->cursor, type, 0};
    if (components > 0 && tuples > SIZE_MAX / 64 / components)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: an array of %zu times %zu values; expected fewer", file->cursor->path,
                       file->cursor->line, tuples, components);
    values.count = components * tuples;
    file->cursor->binary = file->binary;
    qn_status status;
    if (!file->of_cells || type->is_real || components != 1 || tuples != file->attribute_count) {
        status = skip_values(&values);
    } else {
        status = qn_grow(&file->arrays, &file->array_capacity, file->array_count + 1, sizeof(cell_array));
        if (status != QN_OK) return status;
        cell_array *array = (cell_array *)file->arrays + file->array_count++;
        *array = (cell_array){.count = tuples};
        status = copy_name(name, &array->name);
        if (status == QN_OK) status = qn_vtk_read_wholes(&values, "the values of an array", &array->values);
    }
    file->cursor->binary = false;
    return status;
}

/* FIELD name count, then for each array: name components tuples type. */
static qn_status read_field(legacy_file *file, const line *l)
{
    size_t count;
    QN_TRY(read_size(file, l, 2, "arrays", &count));
    for (size_t i = 0; i < count; i++) {
        line array;
        size_t components, tuples;
        const qn_vtk_type *type;
        do {
            if (!next_line(file, &array))
                return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the file ends; expected %zu arrays of a field, not %zu",
                               file->cursor->path, file->cursor->line, count, i);
            if (!is_keyword(array.words[0], "METADATA")) break;
            qn_word text;
            while (qn_mesh_cursor_line(file->cursor, &text) && text.length > 0) continue;
        } while (true);
        if (array.count != 4) return fail_line(file, &array, "an array's name, components, tuples and type");
        QN_TRY(read_size(file, &array, 1, "components", &components));
        QN_TRY(read_size(file, &array, 2, "tuples", &tuples));
        QN_TRY(read_type(file, &array, 3, &type));
        QN_TRY(read_array(file, array.words[0], type, components, tuples));
    }
    return QN_OK;
}

/* SCALARS name type [components], then a line LOOKUP_TABLE name. */
static qn_status read_scalars(legacy_file *file, const line *l)
{
    const qn_vtk_type *type;
    size_t components = 1;
    qn_word text;
    QN_TRY(read_type(file, l, 2, &type));
    if (l->count > 3) QN_TRY(read_size(file, l, 3, "components", &components));
    if (is_keyword(qn_mesh_cursor_peek(file->cursor), "LOOKUP_TABLE"))
        while (qn_mesh_cursor_line(file->cursor, &text) && text.length == 0) continue;
    return read_array(file, l->words[1], type, components, file->attribute_count);
}

/* Attributes with a fixed number of components: NAME array type. */
static qn_status read_attribute(legacy_file *file, const line *l, bool *known)
{
    static const struct {
        const char *keyword;
        size_t components;
    } attributes[] = {{"VECTORS", 3},    {"NORMALS", 3},      {"TENSORS", 9},    {"TENSORS6", 6},
                      {"GLOBAL_IDS", 1}, {"PEDIGREE_IDS", 1}, {"EDGE_FLAGS", 1}, {"RATIONALWEIGHTS", 1}};
    const qn_vtk_type *type;
    *known = true;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        if (!is_keyword(l->words[0], attributes[i].keyword)) continue;
        QN_TRY(read_type(file, l, 2, &type));
        /* numbers of single cells are no groups */
        const bool of_cells = file->of_cells;
        file->of_cells = false;
        const qn_status status = read_array(file, l->words[1], type, attributes[i].components, file->attribute_count);
        file->of_cells = of_cells;
        return status;
    }
    *known = false;
    return QN_OK;
}

/* Colours: bytes in binary files, numbers from 0 to 1 in text. */
static qn_status read_colours(legacy_file *file, const line *l, bool is_table)
{
    size_t count;
    QN_TRY(read_size(file, l, 2, is_table ? "colours" : "components", &count));
    return read_array(file, l->words[1], file->binary ? &byte_type : &real_type, is_table ? 4 : count,
                      is_table ? count : file->attribute_count);
}

/* ---- the grid ---- */

static qn_status read_points(legacy_file *file, const line *l)
{
    const qn_vtk_type *type;
    size_t count;
    if (l->count != 3 || file->has_points) return fail_line(file, l, "POINTS count type, once");
    QN_TRY(read_size(file, l, 1, "points", &count));
    QN_TRY(read_type(file, l, 2, &type));
    file->has_points = true;
    file->cursor->binary = file->binary;
    const qn_status status = qn_vtk_read_points(&(qn_vtk_values){file->cursor, type, 3 * count}, file->builder);
    file->cursor->binary = false;
    return status;
}

static qn_status read_list(legacy_file *file, const char *keyword, size_t count, int64_t **numbers)
{
    const qn_vtk_type *type;
    line l;
    if (!next_line(file, &l)) l = (line){.number = file->cursor->line, .words = {{"", 0}}};
    if (!is_keyword(l.words[0], keyword)) return fail_line(file, &l, keyword);
    QN_TRY(read_type(file, &l, 1, &type));
    file->cursor->binary = file->binary;
    const qn_status status = qn_vtk_read_wholes(&(qn_vtk_values){file->cursor, type, count}, keyword, numbers);
    file->cursor->binary = false;
    return status;
}

/* Since version 5: CELLS offsets points, then the two lists. The first offset is 0. */
static qn_status read_new_cells(legacy_file *file, size_t offsets, size_t points)
{
    qn_vtk_grid *grid = &file->grid;
    QN_TRY(read_list(file, "OFFSETS", offsets, &grid->ends));
    QN_TRY(read_list(file, "CONNECTIVITY", points, &grid->connectivity));
    if (offsets == 0 || grid->ends[0] != 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: the offsets of cells begin with %" PRId64 "; expected 0", file->cursor->path,
                       offsets ? grid->ends[0] : -1);
    memmove(grid->ends, grid->ends + 1, (offsets - 1) * sizeof *grid->ends);
    grid->cell_count = offsets - 1;
    grid->connectivity_count = points;
    return QN_OK;
}

/* Before version 5: CELLS count size, then for each cell the number of its points and these. */
static qn_status read_old_cells(legacy_file *file, size_t count, size_t size)
{
    qn_vtk_grid *grid = &file->grid;
    void *memory;
    int64_t at = 0;
    file->cursor->binary = file->binary;
    const qn_status status =
        qn_vtk_read_wholes(&(qn_vtk_values){file->cursor, &int_type, size}, "the cells", &grid->connectivity);
    file->cursor->binary = false;
    QN_TRY(status);
    if (count > size)
        return QN_FAIL(QN_BAD_FORMAT, "%s: %zu cells of %zu numbers; expected more numbers than cells",
                       file->cursor->path, count, size);
    QN_TRY(qn_allocate(count, sizeof *grid->ends, &memory));
    grid->ends = memory;
    grid->cell_count = count;
    /* the numbers of points are taken out of the list */
    for (size_t cell = 0, from = 0; cell < count; cell++) {
        const int64_t length = from < size ? grid->connectivity[from++] : -1;
        if (length < 0 || (uint64_t)length > size - from)
            return QN_FAIL(QN_BAD_FORMAT, "%s: cell %zu has %" PRId64 " points; expected at most %zu, which are left",
                           file->cursor->path, cell, length, size - from);
        memmove(grid->connectivity + at, grid->connectivity + from, (size_t)length * sizeof *grid->connectivity);
        at += length;
        from += (size_t)length;
        grid->ends[cell] = at;
    }
    grid->connectivity_count = (size_t)at;
    return QN_OK;
}

static qn_status read_cells(legacy_file *file, const line *l)
{
    size_t count, size;
    if (l->count != 3 || file->has_cells) return fail_line(file, l, "CELLS count size, once");
    QN_TRY(read_size(file, l, 1, "cells", &count));
    QN_TRY(read_size(file, l, 2, "numbers", &size));
    file->has_cells = true;
    const char *at = file->cursor->at;
    const bool is_new = file->cursor->end - at >= 7 && strncasecmp(at, "OFFSETS", 7) == 0;
    return is_new ? read_new_cells(file, count, size) : read_old_cells(file, count, size);
}

static qn_status read_cell_types(legacy_file *file, const line *l)
{
    size_t count;
    if (!file->has_cells || file->grid.types) return fail_line(file, l, "CELL_TYPES once, after CELLS");
    QN_TRY(read_size(file, l, 1, "cells", &count));
    if (count != file->grid.cell_count)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: %zu types of cells; expected %zu, as CELLS has", file->cursor->path,
                       l->number, count, file->grid.cell_count);
    file->cursor->binary = file->binary;
    const qn_status status =
        qn_vtk_read_wholes(&(qn_vtk_values){file->cursor, &int_type, count}, "the types of cells", &file->grid.types);
    file->cursor->binary = false;
    return status;
}

/* ---- the file ---- */

static qn_status read_header(legacy_file *file)
{
    qn_word text;
    line l = {.number = 3, .words = {{"", 0}}};
    qn_mesh_cursor_line(file->cursor, &text);
    qn_mesh_cursor_line(file->cursor, &text);
    if (qn_mesh_cursor_line(file->cursor, &text)) split(text, &l);
    file->binary = is_keyword(l.words[0], "BINARY");
    if (!file->binary && !is_keyword(l.words[0], "ASCII")) return fail_line(file, &l, "ASCII or BINARY");
    const uint16_t one = 1;
    file->cursor->swapped = *(const unsigned char *)&one == 1;
    return QN_OK;
}

static qn_status read_data(legacy_file *file, const line *l)
{
    const char *expected = "POINTS, CELLS, CELL_TYPES, CELL_DATA, POINT_DATA or an array";
    qn_word text;
    bool known;
    if (is_keyword(l->words[0], "METADATA")) {
        while (qn_mesh_cursor_line(file->cursor, &text) && text.length > 0) continue;
        return QN_OK;
    }
    if (l->count < 2) return fail_line(file, l, expected);
    if (is_keyword(l->words[0], "DATASET"))
        return is_keyword(l->words[1], "UNSTRUCTURED_GRID") ? QN_OK : fail_line(file, l, "DATASET UNSTRUCTURED_GRID");
    if (is_keyword(l->words[0], "POINTS")) return read_points(file, l);
    if (is_keyword(l->words[0], "CELLS")) return read_cells(file, l);
    if (is_keyword(l->words[0], "CELL_TYPES")) return read_cell_types(file, l);
    if (is_keyword(l->words[0], "FIELD")) return read_field(file, l);
    if (is_keyword(l->words[0], "CELL_DATA") || is_keyword(l->words[0], "POINT_DATA")) {
        file->of_cells = is_keyword(l->words[0], "CELL_DATA");
        return read_size(file, l, 1, file->of_cells ? "cells" : "points", &file->attribute_count);
    }
    if (l->count < 3) return fail_line(file, l, expected);
    if (is_keyword(l->words[0], "SCALARS")) return read_scalars(file, l);
    if (is_keyword(l->words[0], "COLOR_SCALARS")) return read_colours(file, l, false);
    if (is_keyword(l->words[0], "LOOKUP_TABLE")) return read_colours(file, l, true);
    if (is_keyword(l->words[0], "TEXTURE_COORDINATES")) {
        const qn_vtk_type *type;
        size_t components;
        QN_TRY(read_size(file, l, 2, "components", &components));
        QN_TRY(read_type(file, l, 3, &type));
        return read_array(file, l->words[1], type, components, file->attribute_count);
    }
    QN_TRY(read_attribute(file, l, &known));
    return known ? QN_OK : fail_line(file, l, expected);
}

static qn_status read_file(legacy_file *file)
{
    line l;
    QN_TRY(read_header(file));
    while (next_line(file, &l)) QN_TRY(read_data(file, &l));
    if (!file->has_points || !file->has_cells || !file->grid.types)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has no %s; expected an unstructured grid with points, cells and their types",
                       file->cursor->path,
                       !file->has_points  ? "POINTS"
                       : !file->has_cells ? "CELLS"
                                          : "CELL_TYPES");
    QN_TRY(qn_vtk_add_cells(&file->grid, file->builder));
    const cell_array *arrays = file->arrays;
    for (size_t i = 0; i < file->array_count; i++) {
        if (arrays[i].count != file->grid.cell_count)
            return QN_FAIL(QN_BAD_FORMAT, "%s: array \"%s\" has %zu values; expected %zu, one for each cell",
                           file->cursor->path, qn_quote(arrays[i].name, strlen(arrays[i].name)).text, arrays[i].count,
                           file->grid.cell_count);
        QN_TRY(qn_vtk_add_groups(&file->grid, arrays[i].name, strlen(arrays[i].name), arrays[i].values, file->builder));
    }
    return QN_OK;
}

qn_status qn_vtk_legacy_read(qn_mesh_cursor *cursor, qn_mesh_builder *builder)
{
    legacy_file file = {.cursor = cursor, .builder = builder};
    const qn_status status = read_file(&file);
    cell_array *arrays = file.arrays;
    for (size_t i = 0; i < file.array_count; i++) {
        qn_release(&arrays[i].name);
        qn_release(&arrays[i].values);
    }
    qn_release(&file.arrays);
    qn_vtk_grid_clear(&file.grid);
    return status;
}
