/* Sections of Gmsh's version 4.1. Nodes and elements come in blocks, each of one entity. Counts and the numbers of
 * nodes and elements have 8 bytes in binary files, entities and groups 4. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/mesh/gmsh.h"

/* ---- entities ---- */

static qn_status read_groups(qn_mesh_cursor *cursor, int dimension, int64_t tag, qn_gmsh_entities *entities)
{
    size_t count;
    QN_TRY(qn_mesh_cursor_count(cursor, 8, 2, "the number of an entity's physical groups", &count));
    for (size_t i = 0; i < count; i++) {
        int64_t group;
        QN_TRY(qn_mesh_cursor_whole(cursor, 4, "the number of a physical group", &group));
        QN_TRY(qn_grow(&entities->list, &entities->capacity, entities->count + 1, sizeof(qn_gmsh_entity)));
        ((qn_gmsh_entity *)entities->list)[entities->count++] = (qn_gmsh_entity){dimension, tag, llabs(group)};
    }
    return QN_OK;
}

/* An entity has a place or a box, its groups and, but for points, the entities around it. */
static qn_status read_entity(qn_mesh_cursor *cursor, int dimension, qn_gmsh_entities *entities)
{
    int64_t tag, side;
    double coordinate;
    size_t count;
    QN_TRY(qn_mesh_cursor_whole(cursor, 4, "the number of an entity", &tag));
    for (int i = 0; i < (dimension == 0 ? 3 : 6); i++)
        QN_TRY(qn_mesh_cursor_real(cursor, 8, "a coordinate of an entity", &coordinate));
    QN_TRY(read_groups(cursor, dimension, tag, entities));
    if (dimension == 0) return QN_OK;
    QN_TRY(qn_mesh_cursor_count(cursor, 8, 2, "the number of entities around an entity", &count));
    for (size_t i = 0; i < count; i++)
        QN_TRY(qn_mesh_cursor_whole(cursor, 4, "the number of an entity around another", &side));
    return QN_OK;
}

static int compare_entities(const void *a, const void *b)
{
    const qn_gmsh_entity *x = a, *y = b;
    if (x->dimension != y->dimension) return x->dimension < y->dimension ? -1 : 1;
    if (x->tag != y->tag) return x->tag < y->tag ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

qn_status qn_gmsh_entities_read(qn_mesh_cursor *cursor, qn_gmsh_entities *entities)
{
    size_t counts[4];
    if (entities->is_read)
        return QN_FAIL(QN_BAD_FORMAT, "%s: section $Entities comes twice; expected it once", cursor->path);
    entities->is_read = true;
    for (int i = 0; i < 4; i++) QN_TRY(qn_mesh_cursor_count(cursor, 8, 8, "a number of entities", &counts[i]));
    for (int dimension = 0; dimension < 4; dimension++)
        for (size_t i = 0; i < counts[dimension]; i++) QN_TRY(read_entity(cursor, dimension, entities));
    if (entities->count > 0) qsort(entities->list, entities->count, sizeof(qn_gmsh_entity), compare_entities);
    cursor->binary = false;
    return qn_gmsh_end_section(cursor, "$Entities");
}

void qn_gmsh_entities_clear(qn_gmsh_entities *entities)
{
    qn_release(&entities->list);
    entities->count = entities->capacity = 0;
}

/* ---- blocks ---- */

typedef struct block {
    int64_t dimension, entity, third; /* third: 1 for parametric nodes, or the type of elements */
    size_t count;
} block;

static qn_status read_totals(qn_mesh_cursor *cursor, const char *what, size_t *blocks, size_t *count)
{
    int64_t label;
    QN_TRY(qn_mesh_cursor_count(cursor, 8, 8, "the number of blocks", blocks));
    QN_TRY(qn_mesh_cursor_count(cursor, 8, 4, what, count)); /* a point: "1 1" */
    QN_TRY(qn_mesh_cursor_whole(cursor, 8, "the lowest number", &label));
    return qn_mesh_cursor_whole(cursor, 8, "the highest number", &label);
}

static qn_status read_block(qn_mesh_cursor *cursor, const char *what, size_t left, block *b)
{
    QN_TRY(qn_mesh_cursor_whole(cursor, 4, "the dimension of an entity", &b->dimension));
    QN_TRY(qn_mesh_cursor_whole(cursor, 4, "the number of an entity", &b->entity));
    QN_TRY(qn_mesh_cursor_whole(cursor, 4, what, &b->third));
    if (b->dimension < 0 || b->dimension > 3)
        return QN_FAIL(QN_BAD_FORMAT, "%s%s: an entity of dimension %" PRId64 "; expected 0 to 3", cursor->path,
                       qn_mesh_cursor_place(cursor).text, b->dimension);
    QN_TRY(qn_mesh_cursor_count(cursor, 8, 4, "the length of a block", &b->count));
    if (b->count > left)
        return QN_FAIL(QN_BAD_FORMAT, "%s%s: a block of %zu; expected at most %zu, which are left of the section's",
                       cursor->path, qn_mesh_cursor_place(cursor).text, b->count, left);
    return QN_OK;
}

/* The labels of a block come before the places, so a second cursor reads them. */
static qn_status read_nodes(qn_mesh_cursor *cursor, const block *b, qn_mesh_builder *builder)
{
    qn_mesh_cursor labels = *cursor;
    int64_t label;
    for (size_t i = 0; i < b->count; i++) QN_TRY(qn_mesh_cursor_whole(cursor, 8, "the number of a node", &label));
    for (size_t i = 0; i < b->count; i++) {
        double place[3], parameter;
        for (int axis = 0; axis < 3; axis++)
            QN_TRY(qn_mesh_cursor_real(cursor, 8, "a coordinate of a node", &place[axis]));
        for (int64_t k = 0; b->third == 1 && k < b->dimension; k++)
            QN_TRY(qn_mesh_cursor_real(cursor, 8, "a parameter of a node", &parameter));
        QN_TRY(qn_mesh_cursor_whole(&labels, 8, "the number of a node", &label));
        QN_TRY(qn_mesh_builder_node(builder, qn_mesh_cursor_place(cursor).text, label, place));
    }
    return QN_OK;
}

qn_status qn_gmsh4_nodes(qn_mesh_cursor *cursor, qn_mesh_builder *builder)
{
    size_t blocks, left;
    QN_TRY(read_totals(cursor, "the number of nodes", &blocks, &left));
    for (size_t i = 0; i < blocks; i++) {
        block b;
        QN_TRY(read_block(cursor, "0, or 1 for parametric nodes", left, &b));
        if (b.third != 0 && b.third != 1)
            return QN_FAIL(QN_BAD_FORMAT, "%s%s: %" PRId64 " says whether nodes are parametric; expected 0 or 1",
                           cursor->path, qn_mesh_cursor_place(cursor).text, b.third);
        QN_TRY(read_nodes(cursor, &b, builder));
        left -= b.count;
    }
    cursor->binary = false;
    return qn_gmsh_end_section(cursor, "$Nodes");
}

/* The first of an entity's groups in the sorted list. */
static size_t find_groups(const qn_gmsh_entities *entities, const block *b)
{
    const qn_gmsh_entity *list = entities->list;
    const qn_gmsh_entity wanted = {(int)b->dimension, b->entity, INT64_MIN};
    size_t low = 0, high = entities->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_entities(&list[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static qn_status read_element(qn_mesh_cursor *cursor, const block *b, const qn_mesh_kind *kind,
                              const qn_gmsh_entities *entities, qn_mesh_builder *builder)
{
    const qn_gmsh_entity *list = entities->list;
    const qn_mesh_place place = qn_mesh_cursor_place(cursor);
    int64_t label, nodes[10];
    QN_TRY(qn_mesh_cursor_whole(cursor, 8, "the number of an element", &label));
    const size_t line = cursor->line;
    for (int i = 0; i < kind->nodes; i++)
        QN_TRY(qn_mesh_cursor_whole(cursor, 8, "the number of an element's node", &nodes[i]));
    QN_TRY(qn_mesh_cursor_end_line(cursor, line, "an element's number and nodes"));
    QN_TRY(qn_mesh_builder_element(builder, place.text, label, kind, nodes));
    for (size_t i = find_groups(entities, b);
         i < entities->count && list[i].dimension == b->dimension && list[i].tag == b->entity; i++) {
        size_t group;
        QN_TRY(qn_mesh_builder_group(builder, place.text, kind->dimension, list[i].group, &group));
        QN_TRY(qn_mesh_builder_group_element(builder, group, kind, nodes));
    }
    return QN_OK;
}

qn_status qn_gmsh4_elements(qn_mesh_cursor *cursor, const qn_gmsh_entities *entities, qn_mesh_builder *builder)
{
    size_t blocks, left;
    QN_TRY(read_totals(cursor, "the number of elements", &blocks, &left));
    for (size_t i = 0; i < blocks; i++) {
        block b;
        QN_TRY(read_block(cursor, "the type of elements", left, &b));
        const qn_mesh_kind *kind = qn_gmsh_kind(b.third);
        if (!kind) return qn_gmsh_unknown_type(cursor, b.third);
        if (kind->nodes == 0) {
            int64_t label;
            QN_TRY(qn_mesh_cursor_whole(cursor, 8, "the number of an element", &label));
            return qn_mesh_builder_element(builder, qn_mesh_cursor_place(cursor).text, label, kind, NULL);
        }
        for (size_t k = 0; k < b.count; k++) QN_TRY(read_element(cursor, &b, kind, entities, builder));
        left -= b.count;
    }
    cursor->binary = false;
    return qn_gmsh_end_section(cursor, "$Elements");
}
