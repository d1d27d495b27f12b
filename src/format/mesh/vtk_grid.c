#include "format/mesh/vtk_grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

enum { MOST_VALUES = 256 };

static const qn_mesh_kind kinds[] = {
    {"vertex", 1, 0, 1, false},
    {"poly-vertex", 2, 0, 0, false},
    {"line of 2 points", 3, 1, 2, false},
    {"poly-line", 4, 1, 0, false},
    {"triangle of 3 points", 5, 2, 3, false},
    {"triangle strip", 6, 2, 0, false},
    {"polygon", 7, 2, 0, false},
    {"pixel", 8, 2, 0, false},
    {"quadrilateral of 4 points", 9, 2, 0, false},
    {"tetrahedron of 4 points", 10, 3, 4, false},
    {"voxel", 11, 3, 0, false},
    {"hexahedron of 8 points", 12, 3, 0, false},
    {"wedge of 6 points", 13, 3, 0, false},
    {"pyramid of 5 points", 14, 3, 0, false},
    {"pentagonal prism", 15, 3, 0, false},
    {"hexagonal prism", 16, 3, 0, false},
    {"line of 3 points", 21, 1, 3, false},
    {"triangle of 6 points", 22, 2, 6, false},
    {"quadrilateral of 8 points", 23, 2, 0, false},
    {"tetrahedron of 10 points", 24, 3, 10, false},
    {"hexahedron of 20 points", 25, 3, 0, false},
    {"wedge of 15 points", 26, 3, 0, false},
    {"pyramid of 13 points", 27, 3, 0, false},
    {"quadrilateral of 9 points", 28, 2, 0, false},
    {"hexahedron of 27 points", 29, 3, 0, false},
    {"polyhedron", 42, 3, 0, false},
    {"Lagrange triangle", 69, 2, 0, false},
    {"Lagrange tetrahedron", 71, 3, 0, false},
    {"Lagrange hexahedron", 72, 3, 0, false},
};

static const qn_mesh_kind *find_kind(int64_t type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].number == type) return &kinds[i];
    return NULL;
}

const qn_vtk_type *qn_vtk_type_find(const qn_vtk_type *types, qn_word name)
{
    for (; types->name; types++)
        if (strlen(types->name) == name.length && strncasecmp(types->name, name.text, name.length) == 0) return types;
    return NULL;
}

/* ---- values ---- */

qn_status qn_vtk_check_room(const qn_vtk_values *values, const char *what)
{
    const qn_mesh_cursor *cursor = values->cursor;
    const size_t left = (size_t)(cursor->end - cursor->at);
    const size_t room = cursor->binary ? left / (size_t)values->type->bytes : left / 2 + 1;
    if (values->count <= room) return QN_OK;
    return QN_FAIL(QN_BAD_FORMAT, "%s%s: %s are %zu values; expected at most %zu, for which there is room",
                   cursor->path, qn_mesh_cursor_place(cursor).text, what, values->count, room);
}

static qn_status read_whole(const qn_vtk_values *values, const char *what, int64_t *number)
{
    const int bits = 8 * values->type->bytes;
    QN_TRY(qn_mesh_cursor_whole(values->cursor, values->type->bytes, what, number));
    if (values->cursor->binary && values->type->is_unsigned && bits < 64)
        *number = (int64_t)((uint64_t)*number & (((uint64_t)1 << bits) - 1));
    return QN_OK;
}

qn_status qn_vtk_read_wholes(const qn_vtk_values *values, const char *what, int64_t **numbers)
{
    void *memory;
    *numbers = NULL;
    if (values->type->is_real)
        return QN_FAIL(QN_BAD_FORMAT, "%s%s: %s have the type %s; expected whole numbers", values->cursor->path,
                       qn_mesh_cursor_place(values->cursor).text, what, values->type->name);
    QN_TRY(qn_vtk_check_room(values, what));
    QN_TRY(qn_allocate(values->count, sizeof **numbers, &memory));
    *numbers = memory;
    qn_status status = QN_OK;
    for (size_t i = 0; status == QN_OK && i < values->count; i++) status = read_whole(values, what, &(*numbers)[i]);
    if (status != QN_OK) qn_release(numbers);
    return status;
}

qn_status qn_vtk_read_points(const qn_vtk_values *values, qn_mesh_builder *builder)
{
    QN_TRY(qn_vtk_check_room(values, "the points"));
    for (size_t i = 0; i < values->count / 3; i++) {
        double place[3];
        for (int axis = 0; axis < 3; axis++)
            if (values->type->is_real) {
                QN_TRY(
                    qn_mesh_cursor_real(values->cursor, values->type->bytes, "a coordinate of a point", &place[axis]));
            } else {
                int64_t number;
                QN_TRY(read_whole(values, "a coordinate of a point", &number));
                place[axis] = (double)number;
            }
        QN_TRY(qn_mesh_builder_node(builder, qn_mesh_cursor_place(values->cursor).text, (int64_t)i, place));
    }
    return QN_OK;
}

/* ---- cells ---- */

static qn_status add_cell(const qn_vtk_grid *grid, size_t cell, qn_mesh_builder *builder)
{
    const qn_mesh_kind *kind = find_kind(grid->types[cell]);
    const int64_t start = cell == 0 ? 0 : grid->ends[cell - 1], end = grid->ends[cell];
    if (!kind)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: cell %zu has the type %" PRId64 "; expected 10 or 24 (tetrahedra of 4 or 10 points), or 1, "
                       "3, 5, 21, 22 (points, lines, triangles)",
                       builder->path, cell, grid->types[cell]);
    if (start < 0 || end < start || (uint64_t)end > grid->connectivity_count)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: cell %zu has the points from %" PRId64 " to %" PRId64 " of the connectivity; expected "
                       "ascending offsets up to %zu",
                       builder->path, cell, start, end, grid->connectivity_count);
    if (kind->nodes > 0 && end - start != kind->nodes)
        return QN_FAIL(QN_BAD_FORMAT, "%s: cell %zu is a %s and has %" PRId64 " points; expected %d", builder->path,
                       cell, kind->name, end - start, kind->nodes);
    return qn_mesh_builder_element(builder, "", (int64_t)cell, kind, grid->connectivity + start);
}

qn_status qn_vtk_add_cells(const qn_vtk_grid *grid, qn_mesh_builder *builder)
{
    for (size_t i = 0; i < grid->cell_count; i++) QN_TRY(add_cell(grid, i, builder));
    return QN_OK;
}

/* ---- groups ---- */

typedef struct different {
    int64_t values[MOST_VALUES];
    size_t groups[MOST_VALUES][4]; /* by dimension; SIZE_MAX: none yet */
    size_t count, last;
} different;

/* Place of a value in the list, where it is added if it is new; MOST_VALUES: the list is full. */
static size_t place_of(different *list, int64_t value)
{
    if (list->last < list->count && list->values[list->last] == value) return list->last;
    for (size_t i = 0; i < list->count; i++)
        if (list->values[i] == value) return list->last = i;
    if (list->count == MOST_VALUES) return MOST_VALUES;
    for (int dimension = 0; dimension < 4; dimension++) list->groups[list->count][dimension] = SIZE_MAX;
    list->values[list->count] = value;
    return list->last = list->count++;
}

static qn_status group_of(different *list, size_t place, int dimension, const char *name, size_t length,
                          qn_mesh_builder *builder, size_t *group)
{
    *group = list->groups[place][dimension];
    if (*group != SIZE_MAX) return QN_OK;
    qn_text text = {0};
    qn_status status = qn_text_append_bytes(&text, name, length);
    if (status == QN_OK) status = qn_text_append(&text, "=%" PRId64, list->values[place]);
    if (status == QN_OK) status = qn_mesh_builder_named_group(builder, dimension, text.data, text.length, group);
    qn_text_clear(&text);
    if (status == QN_OK) list->groups[place][dimension] = *group;
    return status;
}

qn_status qn_vtk_add_groups(const qn_vtk_grid *grid, const char *name, size_t length, const int64_t *values,
                            qn_mesh_builder *builder)
{
    different list = {0};
    for (size_t i = 0; i < grid->cell_count; i++)
        if (place_of(&list, values[i]) == MOST_VALUES) return QN_OK;
    for (size_t i = 0; i < grid->cell_count; i++) {
        const qn_mesh_kind *kind = find_kind(grid->types[i]);
        const int64_t start = i == 0 ? 0 : grid->ends[i - 1];
        size_t group;
        QN_TRY(group_of(&list, place_of(&list, values[i]), kind->dimension, name, length, builder, &group));
        QN_TRY(qn_mesh_builder_group_element(builder, group, kind, grid->connectivity + start));
    }
    return QN_OK;
}

void qn_vtk_grid_clear(qn_vtk_grid *grid)
{
    qn_release(&grid->connectivity);
    qn_release(&grid->ends);
    qn_release(&grid->types);
}
