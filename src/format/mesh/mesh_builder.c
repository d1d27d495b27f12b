#include "format/mesh/mesh_builder.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/mesh.h"

qn_status qn_mesh_builder_node(qn_mesh_builder *builder, const char *where, int64_t label, const double place[3])
{
    const size_t count = builder->node_count;
    if (label < 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s%s: a node has the number %" PRId64 "; expected 0 or more", builder->path,
                       where, label);
    for (int axis = 0; axis < 3; axis++)
        if (!isfinite(place[axis]))
            return QN_FAIL(QN_BAD_FORMAT, "%s%s: node %" PRId64 " has %c = %g; expected a finite number", builder->path,
                           where, label, 'x' + axis, place[axis]);
    QN_TRY(qn_grow(&builder->labels, &builder->label_capacity, count + 1, sizeof(uint64_t)));
    QN_TRY(qn_grow(&builder->places, &builder->place_capacity, count + 1, 3 * sizeof(double)));
    ((uint64_t *)builder->labels)[count] = (uint64_t)label;
    for (int axis = 0; axis < 3; axis++)
        ((double *)builder->places)[3 * count + (size_t)axis] = place[axis] * builder->scale;
    builder->node_count++;
    return QN_OK;
}

static qn_status add_tetrahedron(qn_mesh_builder *builder, const char *where, int64_t label, int nodes_count,
                                 const int64_t *nodes, bool swapped)
{
    const size_t count = builder->element_count;
    const int order = nodes_count == 10 ? 2 : 1;
    if (builder->order == 0) builder->order = order;
    if (builder->order != order)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s%s: element %" PRId64 " is a tetrahedron of %d nodes; expected one of %d, as the others",
                       builder->path, where, label, nodes_count, builder->order == 2 ? 10 : 4);
    QN_TRY(qn_grow(&builder->elements, &builder->element_capacity, count + 1, (size_t)nodes_count * sizeof(uint64_t)));
    QN_TRY(qn_grow(&builder->element_labels, &builder->element_label_capacity, count + 1, sizeof(uint64_t)));
    uint64_t *to = (uint64_t *)builder->elements + (size_t)nodes_count * count;
    for (int i = 0; i < nodes_count; i++) to[i] = (uint64_t)nodes[i];
    if (swapped) {
        to[8] = (uint64_t)nodes[9];
        to[9] = (uint64_t)nodes[8];
    }
    ((uint64_t *)builder->element_labels)[count] = (uint64_t)label;
    builder->element_count++;
    return QN_OK;
}

qn_status qn_mesh_builder_element(qn_mesh_builder *builder, const char *where, int64_t label, const qn_mesh_kind *kind,
                                  const int64_t *nodes)
{
    if (kind->nodes == 0)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s%s: element %" PRId64 " is a %s; expected tetrahedra of 4 or 10 nodes, and on their surface "
                       "triangles, lines and points",
                       builder->path, where, label, kind->name);
    if (kind->dimension < 3) return QN_OK;
    return add_tetrahedron(builder, where, label, kind->nodes, nodes, kind->swapped);
}

/* ---- groups ---- */

static qn_status add_group(qn_mesh_builder *builder, const char *where, int dimension, int64_t tag)
{
    if (builder->group_count == QN_MESH_MOST_GROUPS)
        return QN_FAIL(QN_BAD_FORMAT, "%s%s: more than %d groups of elements; expected at most %d", builder->path,
                       where, QN_MESH_MOST_GROUPS, QN_MESH_MOST_GROUPS);
    QN_TRY(
        qn_grow(&builder->groups, &builder->group_capacity, builder->group_count + 1, sizeof(qn_mesh_building_group)));
    ((qn_mesh_building_group *)builder->groups)[builder->group_count++] =
        (qn_mesh_building_group){.dimension = dimension, .tag = tag};
    return QN_OK;
}

qn_status qn_mesh_builder_group(qn_mesh_builder *builder, const char *where, int dimension, int64_t tag, size_t *found)
{
    qn_mesh_building_group *groups = builder->groups;
    *found = builder->last_group;
    if (*found < builder->group_count && groups[*found].tag == tag && groups[*found].dimension == dimension)
        return QN_OK;
    for (*found = 0; *found < builder->group_count; ++*found)
        if (groups[*found].tag == tag && groups[*found].dimension == dimension) break;
    builder->last_group = *found;
    if (*found < builder->group_count) return QN_OK;
    return add_group(builder, where, dimension, tag);
}

qn_status qn_mesh_builder_named_group(qn_mesh_builder *builder, int dimension, const char *name, size_t length,
                                      size_t *group)
{
    *group = builder->group_count;
    QN_TRY(add_group(builder, "", dimension, (int64_t)*group));
    return qn_mesh_builder_name(builder, dimension, (int64_t)*group, name, length);
}

qn_status qn_mesh_builder_group_element(qn_mesh_builder *builder, size_t number, const qn_mesh_kind *kind,
                                        const int64_t *nodes)
{
    qn_mesh_building_group *group = (qn_mesh_building_group *)builder->groups + number;
    const size_t corners = (size_t)group->dimension + 1, others = (size_t)kind->nodes - corners;
    QN_TRY(qn_grow(&group->corners, &group->corner_capacity, group->element_count + 1, corners * sizeof(uint64_t)));
    QN_TRY(qn_grow(&group->others, &group->other_capacity, group->other_count + others, sizeof(uint64_t)));
    for (size_t i = 0; i < corners; i++)
        ((uint64_t *)group->corners)[corners * group->element_count + i] = (uint64_t)nodes[i];
    for (size_t i = 0; i < others; i++)
        ((uint64_t *)group->others)[group->other_count + i] = (uint64_t)nodes[corners + i];
    group->element_count++;
    group->other_count += others;
    return QN_OK;
}

qn_status qn_mesh_builder_name(qn_mesh_builder *builder, int dimension, int64_t tag, const char *name, size_t length)
{
    qn_mesh_building_group *groups = builder->groups;
    for (size_t i = 0; i < builder->group_count; i++) {
        if (groups[i].tag != tag || groups[i].dimension != dimension || groups[i].name) continue;
        void *memory;
        QN_TRY(qn_allocate(length + 1, 1, &memory));
        memcpy(memory, name, length);
        groups[i].name = memory;
    }
    return QN_OK;
}

/* ---- the mesh ---- */

void qn_mesh_builder_clear(qn_mesh_builder *builder)
{
    qn_mesh_building_group *groups = builder->groups;
    for (size_t i = 0; i < builder->group_count; i++) {
        qn_release(&groups[i].corners);
        qn_release(&groups[i].others);
        qn_release(&groups[i].name);
    }
    qn_release(&builder->groups);
    qn_release(&builder->labels);
    qn_release(&builder->places);
    qn_release(&builder->elements);
    qn_release(&builder->element_labels);
    builder->group_count = builder->node_count = builder->element_count = 0;
}
