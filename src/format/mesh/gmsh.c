/* Gmsh's header, names of physical groups, kinds of elements. */
#include "format/mesh/gmsh.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "format/number.h"

static const qn_mesh_kind kinds[] = {
    {"line of 2 nodes", 1, 1, 2, false},
    {"triangle of 3 nodes", 2, 2, 3, false},
    {"quadrilateral of 4 nodes", 3, 2, 0, false},
    {"tetrahedron of 4 nodes", 4, 3, 4, false},
    {"hexahedron of 8 nodes", 5, 3, 0, false},
    {"prism of 6 nodes", 6, 3, 0, false},
    {"pyramid of 5 nodes", 7, 3, 0, false},
    {"line of 3 nodes", 8, 1, 3, false},
    {"triangle of 6 nodes", 9, 2, 6, false},
    {"quadrilateral of 9 nodes", 10, 2, 0, false},
    {"tetrahedron of 10 nodes", 11, 3, 10, true},
    {"hexahedron of 27 nodes", 12, 3, 0, false},
    {"prism of 18 nodes", 13, 3, 0, false},
    {"pyramid of 14 nodes", 14, 3, 0, false},
    {"point", 15, 0, 1, false},
    {"quadrilateral of 8 nodes", 16, 2, 0, false},
    {"hexahedron of 20 nodes", 17, 3, 0, false},
    {"prism of 15 nodes", 18, 3, 0, false},
    {"pyramid of 13 nodes", 19, 3, 0, false},
    {"triangle of 9 nodes", 20, 2, 0, false},
    {"triangle of 10 nodes", 21, 2, 0, false},
    {"triangle of 12 nodes", 22, 2, 0, false},
    {"triangle of 15 nodes", 23, 2, 0, false},
    {"triangle of 15 nodes", 24, 2, 0, false},
    {"triangle of 21 nodes", 25, 2, 0, false},
    {"line of 4 nodes", 26, 1, 0, false},
    {"line of 5 nodes", 27, 1, 0, false},
    {"line of 6 nodes", 28, 1, 0, false},
    {"tetrahedron of 20 nodes", 29, 3, 0, false},
    {"tetrahedron of 35 nodes", 30, 3, 0, false},
    {"tetrahedron of 56 nodes", 31, 3, 0, false},
    {"hexahedron of 64 nodes", 92, 3, 0, false},
    {"hexahedron of 125 nodes", 93, 3, 0, false},
};

const qn_mesh_kind *qn_gmsh_kind(int64_t type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].number == type) return &kinds[i];
    return NULL;
}

qn_status qn_gmsh_unknown_type(const qn_mesh_cursor *cursor, int64_t type)
{
    return QN_FAIL(QN_BAD_FORMAT,
                   "%s%s: element type %" PRId64 "; expected 4 or 11 (tetrahedra of 4 or 10 nodes), or 1, 2, 8, 9, 15 "
                   "(lines, triangles, points)",
                   cursor->path, qn_mesh_cursor_place(cursor).text, type);
}

/* ---- sections ---- */

/* The end of a section in lower case: "$endnod" of "$NOD". */
static bool ends_section(qn_word line, qn_word section)
{
    if (line.length != section.length + 3 || line.text[0] != '$') return false;
    return (memcmp(line.text + 1, "End", 3) == 0 || memcmp(line.text + 1, "END", 3) == 0) &&
           memcmp(line.text + 4, section.text + 1, section.length - 1) == 0;
}

qn_status qn_gmsh_skip_section(qn_mesh_cursor *cursor, qn_word section)
{
    const size_t first_line = cursor->line;
    qn_word line;
    while (qn_mesh_cursor_line(cursor, &line))
        if (ends_section(line, section)) return QN_OK;
    return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: section %s has no end", cursor->path, first_line - 1,
                   qn_quote(section.text, section.length).text);
}

qn_status qn_gmsh_end_section(qn_mesh_cursor *cursor, const char *section)
{
    const qn_word word = qn_mesh_cursor_word(cursor);
    qn_word rest;
    if (!ends_section(word, (qn_word){section, strlen(section)}))
        return QN_FAIL(QN_BAD_FORMAT, "%s%s: \"%s\" follows the content of section %s; expected its end", cursor->path,
                       qn_mesh_cursor_place(cursor).text, qn_quote(word.text, word.length).text, section);
    qn_mesh_cursor_line(cursor, &rest);
    return QN_OK;
}

typedef struct gmsh_file {
    int version; /* 1, 2 or 4 */
    bool binary, swapped;
    bool has_nodes, has_elements;
    qn_mesh_cursor names; /* behind the line $PhysicalNames; .at is NULL: none */
    qn_gmsh_entities entities;
} gmsh_file;

/* Binary files have the number 1 behind the line of the version. */
static qn_status read_byte_order(qn_mesh_cursor *cursor, gmsh_file *file)
{
    qn_mesh_cursor raw = *cursor;
    int64_t one;
    qn_word line;
    raw.binary = true;
    QN_TRY(qn_mesh_cursor_whole(&raw, 4, "the number 1", &one));
    file->swapped = one == 0x01000000;
    if (one != 1 && !file->swapped)
        return QN_FAIL(QN_BAD_FORMAT, "%s: byte %zu: the mark of the byte order is %" PRId64 "; expected the number 1",
                       cursor->path, (size_t)(cursor->at - cursor->begin), one);
    cursor->at = raw.at;
    qn_mesh_cursor_line(cursor, &line);
    return QN_OK;
}

static qn_status read_format(qn_mesh_cursor *cursor, gmsh_file *file)
{
    double version;
    int64_t type, size;
    qn_word line;
    QN_TRY(qn_mesh_cursor_real(cursor, 8, "the version of the format", &version));
    QN_TRY(qn_mesh_cursor_whole(cursor, 4, "0 (text) or 1 (binary)", &type));
    QN_TRY(qn_mesh_cursor_whole(cursor, 4, "the size of numbers, 8", &size));
    if (version != 4.1 && !(version >= 2 && version < 3))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: version %g of Gmsh's format; expected 1, 2 to 2.2 or 4.1", cursor->path,
                       cursor->line, version);
    if (type != 0 && type != 1)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: file type %" PRId64 "; expected 0 (text) or 1 (binary)", cursor->path,
                       cursor->line, type);
    if (size != 8)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: numbers of %" PRId64 " bytes; expected 8", cursor->path, cursor->line,
                       size);
    file->version = version > 3 ? 4 : 2;
    file->binary = type == 1;
    qn_mesh_cursor_line(cursor, &line);
    if (file->binary) QN_TRY(read_byte_order(cursor, file));
    return qn_gmsh_end_section(cursor, "$MeshFormat");
}

/* A name is in quotes, which a line may hold blanks between. */
static qn_status read_names(qn_mesh_cursor *cursor, qn_mesh_builder *builder)
{
    size_t count;
    QN_TRY(qn_mesh_cursor_count(cursor, 4, 6, "the number of names", &count));
    for (size_t i = 0; i < count; i++) {
        int64_t dimension, tag;
        qn_word line;
        QN_TRY(qn_mesh_cursor_whole(cursor, 4, "the dimension of a physical group", &dimension));
        QN_TRY(qn_mesh_cursor_whole(cursor, 4, "the number of a physical group", &tag));
        const size_t number = cursor->line;
        qn_mesh_cursor_line(cursor, &line);
        if (line.length < 2 || line.text[0] != '"' || line.text[line.length - 1] != '"')
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%s\" is no name; expected a physical group's in quotes",
                           cursor->path, number, qn_quote(line.text, line.length).text);
        QN_TRY(qn_mesh_builder_name(builder, (int)dimension, tag, line.text + 1, line.length - 2));
    }
    return qn_gmsh_end_section(cursor, "$PhysicalNames");
}

static qn_status read_section(qn_mesh_cursor *cursor, qn_word section, gmsh_file *file, qn_mesh_builder *builder)
{
    const bool parametric = file->version == 2 && qn_word_is(section, "$ParametricNodes");
    const bool nodes = parametric || qn_word_is(section, "$Nodes") || qn_word_is(section, "$NOD");
    const bool elements = qn_word_is(section, "$Elements") || qn_word_is(section, "$ELM");
    const bool of_version_1 = qn_word_is(section, "$NOD") || qn_word_is(section, "$ELM");
    bool *done = nodes ? &file->has_nodes : &file->has_elements;
    if (qn_word_is(section, "$PartitionedEntities"))
        return QN_FAIL(QN_BAD_FORMAT, "%s: the mesh is in partitions; expected one without (Gmsh: UnpartitionMesh)",
                       cursor->path);
    if (qn_word_is(section, "$PhysicalNames")) file->names = *cursor;
    cursor->swapped = file->swapped;
    if (file->version == 4 && qn_word_is(section, "$Entities")) {
        cursor->binary = file->binary;
        return qn_gmsh_entities_read(cursor, &file->entities);
    }
    if (!nodes && !elements) return qn_gmsh_skip_section(cursor, section);
    if (*done || of_version_1 != (file->version == 1))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: section %s %s; expected one section of nodes and one of elements",
                       cursor->path, cursor->line - 1, qn_quote(section.text, section.length).text,
                       *done ? "comes twice" : "is of another version of the format");
    *done = true;
    if (file->version == 4) {
        cursor->binary = file->binary;
        return nodes ? qn_gmsh4_nodes(cursor, builder) : qn_gmsh4_elements(cursor, &file->entities, builder);
    }
    /* the count is text even in binary files */
    const char *name = parametric ? "$ParametricNodes" : of_version_1 ? "$NOD" : "$Nodes";
    return nodes ? qn_gmsh_legacy_nodes(cursor, name, file->binary, builder)
                 : qn_gmsh_legacy_elements(cursor, of_version_1, file->binary, builder);
}

static qn_status read_sections(qn_mesh_cursor *cursor, gmsh_file *file, qn_mesh_builder *builder)
{
    qn_word line;
    while (qn_mesh_cursor_line(cursor, &line)) {
        if (line.length == 0) continue;
        if (line.text[0] != '$')
            return QN_FAIL(QN_BAD_FORMAT, "%s%s: \"%s\" is outside of sections; expected a section, as $Nodes",
                           cursor->path, qn_mesh_cursor_place(cursor).text, qn_quote(line.text, line.length).text);
        if (qn_word_is(line, "$MeshFormat"))
            QN_TRY(read_format(cursor, file));
        else
            QN_TRY(read_section(cursor, line, file, builder));
        cursor->binary = false;
    }
    if (!file->has_nodes || !file->has_elements)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has no section of %s", cursor->path, file->has_nodes ? "elements" : "nodes");
    return file->names.at ? read_names(&file->names, builder) : QN_OK;
}

qn_status qn_gmsh_read(qn_mesh_cursor *cursor, qn_mesh_builder *builder)
{
    gmsh_file file = {.version = 1};
    const qn_status status = read_sections(cursor, &file, builder);
    builder->repeats = file.version < 4;
    qn_gmsh_entities_clear(&file.entities);
    return status;
}
