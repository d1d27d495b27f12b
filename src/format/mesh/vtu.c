/* VTK's XML format of unstructured grids: one piece, arrays as text, in base64, or appended behind the XML part. Raw
 * appended bytes are no XML, so the parser is stopped before them. */
#include <expat.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/mesh/vtu.h"
#include "format/number.h"

const qn_vtk_type qn_vtu_types[] = {
    {"Int8", 1, false, false},   {"UInt8", 1, false, true},   {"Int16", 2, false, false}, {"UInt16", 2, false, true},
    {"Int32", 4, false, false},  {"UInt32", 4, false, true},  {"Int64", 8, false, false}, {"UInt64", 8, false, true},
    {"Float32", 4, true, false}, {"Float64", 8, true, false}, {NULL, 0, false, false},
};

typedef enum section { OTHER, POINTS, CELLS, CELL_DATA } section;
typedef enum storage { TEXT, INLINE, APPENDED } storage;

typedef struct array {
    section section;
    storage storage;
    const qn_vtk_type *type;
    int64_t components, offset;
    size_t line;
    char *name;
    qn_text text; /* between the tags */
} array;

typedef struct vtu_file {
    qn_mesh_cursor *cursor;
    qn_mesh_builder *builder;
    XML_Parser parser;
    qn_status status;
    qn_vtu_encoding encoding;
    bool has_grid, has_piece, appended_base64;
    int64_t point_count, cell_count;
    section section;
    void *arrays; /* array */
    size_t array_count, array_capacity;
    int array_depth;      /* tags that are open from DataArray on */
    bool collecting;      /* text of the DataArray belongs to the last array */
    const char *appended; /* behind the tag AppendedData; NULL: there is none */
    qn_vtk_grid grid;
} vtu_file;

static size_t line_of(const vtu_file *file)
{
    return (size_t)XML_GetCurrentLineNumber(file->parser);
}

/* Value of an attribute; NULL: it is not there. */
static const char *attribute(const char **attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0) return attributes[1];
    return NULL;
}

static qn_quotation quote(const char *text)
{
    return qn_quote(text ? text : "", text ? strlen(text) : 0);
}

static qn_status fail_attribute(const vtu_file *file, const char *name, const char *value, const char *expected)
{
    return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: %s is \"%s\"; expected %s", file->cursor->path, line_of(file), name,
                   quote(value).text, expected);
}

static qn_status read_number(const vtu_file *file, const char **attributes, const char *name, int64_t missing,
                             int64_t *number)
{
    const char *text = attribute(attributes, name);
    *number = missing;
    if (!text && missing >= 0) return QN_OK;
    if (text && qn_mesh_parse_whole((qn_word){text, strlen(text)}, number) && *number >= 0 &&
        *number < INT64_C(1) << 40)
        return QN_OK;
    return fail_attribute(file, name, text, "a whole number, 0 or more");
}

/* ---- elements of the XML part ---- */

static qn_status begin_file(vtu_file *file, const char **attributes)
{
    const char *type = attribute(attributes, "type"), *order = attribute(attributes, "byte_order");
    const char *header = attribute(attributes, "header_type"), *compressor = attribute(attributes, "compressor");
    if (!type || strcmp(type, "UnstructuredGrid") != 0)
        return fail_attribute(file, "the type of VTKFile", type, "UnstructuredGrid");
    if (order && strcmp(order, "LittleEndian") != 0 && strcmp(order, "BigEndian") != 0)
        return fail_attribute(file, "byte_order", order, "LittleEndian or BigEndian");
    if (header && strcmp(header, "UInt32") != 0 && strcmp(header, "UInt64") != 0)
        return fail_attribute(file, "header_type", header, "UInt32 or UInt64");
    if (compressor && compressor[0] && strcmp(compressor, "vtkZLibDataCompressor") != 0)
        return fail_attribute(file, "compressor", compressor, "vtkZLibDataCompressor or none");
    file->encoding.swapped = order && order[0] == 'B';
    file->encoding.header_bytes = header && strcmp(header, "UInt64") == 0 ? 8 : 4;
    file->encoding.compressed = compressor && compressor[0];
    return QN_OK;
}

static qn_status begin_piece(vtu_file *file, const char **attributes)
{
    if (file->has_piece)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: a second piece begins; expected one piece with the whole mesh",
                       file->cursor->path, line_of(file));
    file->has_piece = true;
    QN_TRY(read_number(file, attributes, "NumberOfPoints", -1, &file->point_count));
    return read_number(file, attributes, "NumberOfCells", -1, &file->cell_count);
}

/* Whether the mesh needs an array: points, what makes cells, and whole numbers of cells, which make groups. */
static bool is_needed(const vtu_file *file, const char *name, const qn_vtk_type *type, int64_t components)
{
    if (file->section == POINTS) return true;
    if (file->section == CELL_DATA) return type && !type->is_real && components == 1;
    return file->section == CELLS &&
           (strcmp(name, "connectivity") == 0 || strcmp(name, "offsets") == 0 || strcmp(name, "types") == 0);
}

static qn_status begin_array(vtu_file *file, const char **attributes)
{
    const char *type_name = attribute(attributes, "type"), *format = attribute(attributes, "format");
    const char *name = attribute(attributes, "Name");
    file->collecting = false;
    array added = {.section = file->section, .line = line_of(file)};
    if (!name) name = file->section == POINTS ? "Points" : "";
    added.type =
        qn_vtk_type_find(qn_vtu_types, (qn_word){type_name ? type_name : "", strlen(type_name ? type_name : "")});
    QN_TRY(read_number(file, attributes, "NumberOfComponents", 1, &added.components));
    if (!is_needed(file, name, added.type, added.components)) return QN_OK;
    if (!added.type) return fail_attribute(file, "the type of an array", type_name, "Int32, Float64 or such");
    if (!format || strcmp(format, "ascii") == 0)
        added.storage = TEXT;
    else if (strcmp(format, "binary") == 0)
        added.storage = INLINE;
    else if (strcmp(format, "appended") == 0)
        added.storage = APPENDED;
    else
        return fail_attribute(file, "the format of an array", format, "ascii, binary or appended");
    if (added.storage == APPENDED) QN_TRY(read_number(file, attributes, "offset", -1, &added.offset));
    QN_TRY(qn_grow(&file->arrays, &file->array_capacity, file->array_count + 1, sizeof(array)));
    QN_TRY(qn_text_copy(name, &added.name));
    ((array *)file->arrays)[file->array_count++] = added;
    file->collecting = added.storage != APPENDED;
    return QN_OK;
}

static qn_status begin_appended(vtu_file *file, const char **attributes)
{
    const char *encoding = attribute(attributes, "encoding");
    if (encoding && strcmp(encoding, "raw") != 0 && strcmp(encoding, "base64") != 0)
        return fail_attribute(file, "the encoding of AppendedData", encoding, "raw or base64");
    file->appended_base64 = encoding && encoding[0] == 'b';
    file->appended =
        file->cursor->begin + XML_GetCurrentByteIndex(file->parser) + XML_GetCurrentByteCount(file->parser);
    XML_StopParser(file->parser, XML_FALSE);
    return QN_OK;
}

static section section_of(const char *name)
{
    return strcmp(name, "Points") == 0     ? POINTS
           : strcmp(name, "Cells") == 0    ? CELLS
           : strcmp(name, "CellData") == 0 ? CELL_DATA
                                           : OTHER;
}

/* Tags in a DataArray, such as InformationKey, are skipped with their text. */
static void on_start(void *user, const char *name, const char **attributes)
{
    vtu_file *file = user;
    qn_status status = QN_OK;
    const bool is_array = strcmp(name, "DataArray") == 0;
    if (file->status != QN_OK || file->appended) return;
    if (file->array_depth > 0 || is_array) {
        file->array_depth++;
        if (file->array_depth > 1 || !file->has_piece) return;
        status = begin_array(file, attributes);
    } else if (strcmp(name, "VTKFile") == 0)
        status = begin_file(file, attributes);
    else if (strcmp(name, "UnstructuredGrid") == 0)
        file->has_grid = true;
    else if (strcmp(name, "Piece") == 0)
        status = begin_piece(file, attributes);
    else if (strcmp(name, "AppendedData") == 0)
        status = begin_appended(file, attributes);
    else if (section_of(name) != OTHER)
        file->section = section_of(name);
    file->status = status;
    if (status != QN_OK) XML_StopParser(file->parser, XML_FALSE);
}

static void on_end(void *user, const char *name)
{
    vtu_file *file = user;
    if (file->array_depth > 0)
        file->array_depth--;
    else if (section_of(name) == file->section)
        file->section = OTHER;
    if (file->array_depth == 0) file->collecting = false;
}

static void on_text(void *user, const char *text, int length)
{
    vtu_file *file = user;
    if (!file->collecting || file->array_depth != 1 || file->status != QN_OK) return;
    array *last = (array *)file->arrays + file->array_count - 1;
    file->status = qn_text_append_bytes(&last->text, text, (size_t)length);
    if (file->status != QN_OK) XML_StopParser(file->parser, XML_FALSE);
}

/* Entities of a document type would give text that is not in the file. */
static void on_document_type(void *user, const char *name, const char *system, const char *public, int has_subset)
{
    vtu_file *file = user;
    (void)system, (void)public, (void)has_subset;
    file->status = QN_FAIL(QN_BAD_FORMAT, "%s:%zu: declares the document type \"%s\"; expected none",
                           file->cursor->path, line_of(file), quote(name).text);
    XML_StopParser(file->parser, XML_FALSE);
}

/* Parse up to AppendedData or the end. */
static qn_status parse(vtu_file *file)
{
    const size_t most = (size_t)1 << 30; /* the parser takes an int */
    const char *at = file->cursor->begin;
    XML_SetUserData(file->parser, file);
    XML_SetElementHandler(file->parser, on_start, on_end);
    XML_SetStartDoctypeDeclHandler(file->parser, on_document_type);
    XML_SetCharacterDataHandler(file->parser, on_text);
    while (!file->appended) {
        const size_t left = (size_t)(file->cursor->end - at), size = left > most ? most : left;
        const enum XML_Status result = XML_Parse(file->parser, at, (int)size, size == left);
        QN_TRY(file->status);
        if (result != XML_STATUS_OK && !file->appended)
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: %s; expected XML", file->cursor->path, line_of(file),
                           XML_ErrorString(XML_GetErrorCode(file->parser)));
        at += size;
        if (size == left) break;
    }
    if (!file->has_grid || !file->has_piece)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has no %s; expected an UnstructuredGrid with one Piece", file->cursor->path,
                       file->has_grid ? "Piece" : "UnstructuredGrid");
    return QN_OK;
}

/* ---- arrays ---- */

/* Data of an array between its tags or behind the XML part. Appended data begins with an underscore. */
static qn_status find_bytes(const vtu_file *file, const array *a, qn_vtu_bytes *bytes)
{
    const char *text = a->text.data ? a->text.data : "";
    *bytes = (qn_vtu_bytes){.at = text, .end = text + a->text.length, .base64 = true};
    if (a->storage != APPENDED) return QN_OK;
    const char *mark =
        file->appended ? memchr(file->appended, '_', (size_t)(file->cursor->end - file->appended)) : NULL;
    if (!mark || file->cursor->end - mark <= a->offset)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: array \"%s\" is at offset %" PRId64 " of appended data, which has %s",
                       file->cursor->path, a->line, quote(a->name).text, a->offset,
                       mark ? "fewer bytes" : "no beginning (_)");
    *bytes = (qn_vtu_bytes){.at = mark + 1 + a->offset, .end = file->cursor->end, .base64 = file->appended_base64};
    return QN_OK;
}

typedef struct opened {
    qn_mesh_cursor cursor;
    qn_text path, data; /* path: that of the file and the array's name */
} opened;

/* Make a cursor that reads the values of an array. */
static qn_status open_array(const vtu_file *file, const array *a, opened *o)
{
    qn_vtu_bytes bytes;
    *o = (opened){0};
    if (a->storage == TEXT) {
        const char *text = a->text.data ? a->text.data : "";
        o->cursor = (qn_mesh_cursor){
            .path = file->cursor->path, .begin = text, .at = text, .end = text + a->text.length, .line = a->line};
        return QN_OK;
    }
    QN_TRY(find_bytes(file, a, &bytes));
    QN_TRY(qn_text_append(&o->path, "%s: array \"%s\"", file->cursor->path, quote(a->name).text));
    QN_TRY(qn_vtu_decode(&file->encoding, quote(a->name).text, bytes, &o->data));
    const char *data = o->data.data ? o->data.data : "";
    o->cursor = (qn_mesh_cursor){.path = o->path.data,
                                 .begin = data,
                                 .at = data,
                                 .end = data + o->data.length,
                                 .line = a->line,
                                 .binary = true,
                                 .swapped = file->encoding.swapped};
    return QN_OK;
}

static void close_array(opened *o)
{
    qn_text_clear(&o->path);
    qn_text_clear(&o->data);
}

static const array *find_array(const vtu_file *file, section where, const char *name)
{
    const array *arrays = file->arrays;
    for (size_t i = 0; i < file->array_count; i++)
        if (arrays[i].section == where && (!name || strcmp(arrays[i].name, name) == 0)) return &arrays[i];
    return NULL;
}

static qn_status read_points(const vtu_file *file)
{
    const array *a = find_array(file, POINTS, NULL);
    opened o;
    if (!a || a->components != 3)
        return QN_FAIL(QN_BAD_FORMAT, "%s: %s; expected points of 3 coordinates", file->cursor->path,
                       a ? "the points have another number of components" : "has no points");
    qn_status status = open_array(file, a, &o);
    if (status == QN_OK)
        status = qn_vtk_read_points(&(qn_vtk_values){&o.cursor, a->type, 3 * (size_t)file->point_count}, file->builder);
    close_array(&o);
    return status;
}

static qn_status read_wholes(const vtu_file *file, const array *a, size_t count, int64_t **numbers)
{
    opened o;
    qn_status status = open_array(file, a, &o);
    if (status == QN_OK)
        status = qn_vtk_read_wholes(&(qn_vtk_values){&o.cursor, a->type, count}, quote(a->name).text, numbers);
    close_array(&o);
    return status;
}

static qn_status read_cell_array(const vtu_file *file, const char *name, size_t count, int64_t **numbers)
{
    const array *a = find_array(file, CELLS, name);
    if (!a)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has no array \"%s\" of cells; expected connectivity, offsets and types",
                       file->cursor->path, name);
    return read_wholes(file, a, count, numbers);
}

static qn_status read_cells(vtu_file *file)
{
    qn_vtk_grid *grid = &file->grid;
    grid->cell_count = (size_t)file->cell_count;
    QN_TRY(read_cell_array(file, "offsets", grid->cell_count, &grid->ends));
    QN_TRY(read_cell_array(file, "types", grid->cell_count, &grid->types));
    const int64_t last = grid->cell_count > 0 ? grid->ends[grid->cell_count - 1] : 0;
    if (last < 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: the last offset of cells is %" PRId64 "; expected 0 or more",
                       file->cursor->path, last);
    grid->connectivity_count = (size_t)last;
    return read_cell_array(file, "connectivity", grid->connectivity_count, &grid->connectivity);
}

static qn_status add_groups(const vtu_file *file)
{
    const array *arrays = file->arrays;
    for (size_t i = 0; i < file->array_count; i++) {
        int64_t *values;
        if (arrays[i].section != CELL_DATA) continue;
        QN_TRY(read_wholes(file, &arrays[i], file->grid.cell_count, &values));
        const qn_status status =
            qn_vtk_add_groups(&file->grid, arrays[i].name, strlen(arrays[i].name), values, file->builder);
        qn_release(&values);
        QN_TRY(status);
    }
    return QN_OK;
}

static qn_status read_file(vtu_file *file)
{
    QN_TRY(parse(file));
    QN_TRY(read_points(file));
    QN_TRY(read_cells(file));
    QN_TRY(qn_vtk_add_cells(&file->grid, file->builder));
    return add_groups(file);
}

qn_status qn_vtu_read(qn_mesh_cursor *cursor, qn_mesh_builder *builder)
{
    vtu_file file = {.cursor = cursor, .builder = builder, .encoding = {.path = cursor->path, .header_bytes = 4}};
    file.parser = XML_ParserCreate(NULL);
    if (!file.parser) return QN_FAIL(QN_OUT_OF_MEMORY, "%s: no memory for a parser of XML", cursor->path);
    const qn_status status = read_file(&file);
    array *arrays = file.arrays;
    for (size_t i = 0; i < file.array_count; i++) {
        qn_release(&arrays[i].name);
        qn_text_clear(&arrays[i].text);
    }
    qn_release(&file.arrays);
    qn_vtk_grid_clear(&file.grid);
    XML_ParserFree(file.parser);
    return status;
}
