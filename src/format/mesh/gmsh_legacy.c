/* Sections of nodes and elements of Gmsh's versions 1 ($NOD, $ELM) and 2. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "format/mesh/gmsh.h"

enum { MOST_TAGS = 1000 };

/* Numbers of the content are binary behind the line of the count. */
static qn_status read_count(qn_mesh_cursor *cursor, bool binary, size_t least_bytes, const char *what, size_t *count)
{
    qn_word line;
    QN_TRY(qn_mesh_cursor_count(cursor, 4, least_bytes, what, count));
    qn_mesh_cursor_line(cursor, &line);
    cursor->binary = binary;
    return QN_OK;
}

/* Dimension and number of the node's entity, and one parameter on a curve, two on a surface. */
static qn_status skip_parameters(qn_mesh_cursor *cursor)
{
    int64_t dimension, entity;
    double parameter;
    QN_TRY(qn_mesh_cursor_whole(cursor, 4, "the dimension of a node's entity", &dimension));
    QN_TRY(qn_mesh_cursor_whole(cursor, 4, "the number of a node's entity", &entity));
    for (int i = 0; i < dimension && dimension < 3; i++)
        QN_TRY(qn_mesh_cursor_real(cursor, 8, "a parameter of a node", &parameter));
    return QN_OK;
}

qn_status qn_gmsh_legacy_nodes(qn_mesh_cursor *cursor, const char *section, bool binary, qn_mesh_builder *builder)
{
    const bool is_parametric = section[1] == 'P';
    size_t count;
    QN_TRY(read_count(cursor, binary, binary ? 28 : 8, "the number of nodes", &count));
    for (size_t i = 0; i < count; i++) {
        int64_t label;
        double place[3];
        QN_TRY(qn_mesh_cursor_whole(cursor, 4, "the number of a node", &label));
        const size_t line = cursor->line;
        for (int axis = 0; axis < 3; axis++)
            QN_TRY(qn_mesh_cursor_real(cursor, 8, "a coordinate of a node", &place[axis]));
        if (is_parametric) QN_TRY(skip_parameters(cursor));
        QN_TRY(qn_mesh_cursor_end_line(cursor, line, "the number of a node and three coordinates"));
        QN_TRY(qn_mesh_builder_node(builder, qn_mesh_cursor_place(cursor).text, label, place));
    }
    cursor->binary = false;
    return qn_gmsh_end_section(cursor, section);
}

typedef struct element {
    int64_t label, type, group; /* group 0: none */
    const qn_mesh_kind *kind;
} element;

static qn_status choose_kind(const qn_mesh_cursor *cursor, qn_mesh_builder *builder, element *e)
{
    e->kind = qn_gmsh_kind(e->type);
    if (!e->kind) return qn_gmsh_unknown_type(cursor, e->type);
    if (e->kind->nodes > 0) return QN_OK;
    return qn_mesh_builder_element(builder, qn_mesh_cursor_place(cursor).text, e->label, e->kind, NULL);
}

/* The first tag is the physical group. */
static qn_status read_tags(qn_mesh_cursor *cursor, int64_t count, element *e)
{
    e->group = 0;
    if (count < 0 || count > MOST_TAGS)
        return QN_FAIL(QN_BAD_FORMAT, "%s%s: an element has %" PRId64 " tags; expected 0 to %d", cursor->path,
                       qn_mesh_cursor_place(cursor).text, count, MOST_TAGS);
    for (int64_t i = 0; i < count; i++) {
        int64_t tag;
        QN_TRY(qn_mesh_cursor_whole(cursor, 4, "a tag of an element", &tag));
        if (i == 0) e->group = tag;
    }
    return QN_OK;
}

static qn_status read_nodes(qn_mesh_cursor *cursor, const element *e, qn_mesh_builder *builder)
{
    const qn_mesh_place place = qn_mesh_cursor_place(cursor);
    int64_t nodes[10];
    size_t group;
    for (int i = 0; i < e->kind->nodes; i++)
        QN_TRY(qn_mesh_cursor_whole(cursor, 4, "the number of an element's node", &nodes[i]));
    QN_TRY(qn_mesh_builder_element(builder, place.text, e->label, e->kind, nodes));
    if (e->group == 0) return QN_OK;
    QN_TRY(qn_mesh_builder_group(builder, place.text, e->kind->dimension, llabs(e->group), &group));
    return qn_mesh_builder_group_element(builder, group, e->kind, nodes);
}

static qn_status read_text_element(qn_mesh_cursor *cursor, bool of_version_1, qn_mesh_builder *builder)
{
    element e;
    int64_t count = 2;
    QN_TRY(qn_mesh_cursor_whole(cursor, 4, "the number of an element", &e.label));
    const size_t line = cursor->line;
    QN_TRY(qn_mesh_cursor_whole(cursor, 4, "the type of an element", &e.type));
    QN_TRY(choose_kind(cursor, builder, &e));
    if (!of_version_1) QN_TRY(qn_mesh_cursor_whole(cursor, 4, "the number of an element's tags", &count));
    QN_TRY(read_tags(cursor, count, &e));
    if (of_version_1) {
        QN_TRY(qn_mesh_cursor_whole(cursor, 4, "the number of an element's nodes", &count));
        if (count != e.kind->nodes)
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: a %s with %" PRId64 " nodes; expected %d", cursor->path,
                           cursor->line, e.kind->name, count, e.kind->nodes);
    }
    QN_TRY(read_nodes(cursor, &e, builder));
    return qn_mesh_cursor_end_line(cursor, line, "an element's number, type, tags and nodes");
}

/* Binary elements come in blocks of one type. */
static qn_status read_binary_elements(qn_mesh_cursor *cursor, size_t count, qn_mesh_builder *builder)
{
    for (size_t done = 0; done < count;) {
        element e = {0};
        int64_t tags;
        size_t block;
        QN_TRY(qn_mesh_cursor_whole(cursor, 4, "the type of elements", &e.type));
        QN_TRY(qn_mesh_cursor_count(cursor, 4, 8, "the number of elements in a block", &block));
        QN_TRY(qn_mesh_cursor_whole(cursor, 4, "the number of an element's tags", &tags));
        if (block == 0 || block > count - done)
            return QN_FAIL(QN_BAD_FORMAT, "%s%s: a block of %zu elements; expected 1 to %zu", cursor->path,
                           qn_mesh_cursor_place(cursor).text, block, count - done);
        QN_TRY(choose_kind(cursor, builder, &e));
        for (size_t i = 0; i < block; i++) {
            QN_TRY(qn_mesh_cursor_whole(cursor, 4, "the number of an element", &e.label));
            QN_TRY(read_tags(cursor, tags, &e));
            QN_TRY(read_nodes(cursor, &e, builder));
        }
        done += block;
    }
    return QN_OK;
}

qn_status qn_gmsh_legacy_elements(qn_mesh_cursor *cursor, bool of_version_1, bool binary, qn_mesh_builder *builder)
{
    size_t count;
    QN_TRY(read_count(cursor, binary, 8, "the number of elements", &count));
    if (binary) QN_TRY(read_binary_elements(cursor, count, builder));
    for (size_t i = 0; !binary && i < count; i++) QN_TRY(read_text_element(cursor, of_version_1, builder));
    cursor->binary = false;
    return qn_gmsh_end_section(cursor, of_version_1 ? "$ELM" : "$Elements");
}
