/* Copies of a mesh in another order. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/mesh_copy.h"

static qn_status copy_elements(const qn_mesh_group *from, qn_mesh_group *group)
{
    const size_t corners = (size_t)from->dimension + 1;
    void *memory;
    QN_TRY(qn_allocate(corners * from->element_count, sizeof(uint32_t), &memory));
    group->elements = memory;
    group->element_count = from->element_count;
    if (from->element_count > 0)
        memcpy(group->elements, from->elements, corners * from->element_count * sizeof(uint32_t));
    return QN_OK;
}

/* ---- order 1 → 2 ---- */

static qn_status add_middles(const qn_mesh *mesh, const qn_mesh_edge_list *edges, qn_mesh *copy)
{
    qn_mesh_copy_nodes_and_middles(mesh, edges, copy);
    for (size_t i = 0; i < mesh->element_count; i++) {
        copy->element_labels[i] = mesh->element_labels[i];
        memcpy(copy->elements + 10 * i, mesh->elements + 4 * i, 4 * sizeof(uint32_t));
        for (size_t edge = 0; edge < 6; edge++)
            copy->elements[10 * i + 4 + edge] = (uint32_t)(mesh->node_count + edges->of_element[6 * i + edge]);
    }
    for (size_t i = 0; i < mesh->group_count; i++) {
        QN_TRY(copy_elements(&mesh->groups[i], &copy->groups[i]));
        QN_TRY(qn_mesh_collect_middles(mesh, &mesh->groups[i], edges, copy, &copy->groups[i]));
    }
    return QN_OK;
}

static qn_status raise_order(const qn_mesh *mesh, qn_mesh **result)
{
    qn_mesh_edge_list edges;
    QN_TRY(qn_mesh_edge_list_make(mesh, &edges));
    qn_status status = qn_mesh_begin_copy(mesh, 2, mesh->node_count + edges.count, mesh->element_count, result);
    if (status == QN_OK) status = add_middles(mesh, &edges, *result);
    qn_mesh_edge_list_clear(&edges);
    return status;
}

/* ---- order 2 → 1, and the same order ---- */

/* Copy a group to the new numbers of nodes; UINT32_MAX: left out. */
static qn_status copy_group(const qn_mesh_group *from, const uint32_t *numbers, qn_mesh_group *group)
{
    const size_t corners = (size_t)from->dimension + 1;
    void *memory;
    QN_TRY(qn_allocate(from->node_count, sizeof(uint32_t), &memory));
    group->nodes = memory;
    for (size_t i = 0; i < from->node_count; i++)
        if (numbers[from->nodes[i]] != UINT32_MAX) group->nodes[group->node_count++] = numbers[from->nodes[i]];
    QN_TRY(qn_allocate(corners * from->element_count, sizeof(uint32_t), &memory));
    group->elements = memory;
    for (size_t i = 0; i < from->element_count; i++) {
        bool whole = true;
        for (size_t corner = 0; corner < corners; corner++) {
            const uint32_t number = numbers[from->elements[corners * i + corner]];
            group->elements[corners * group->element_count + corner] = number;
            whole &= number != UINT32_MAX;
        }
        group->element_count += whole;
    }
    return QN_OK;
}

static qn_status copy_kept(const qn_mesh *mesh, const uint32_t *numbers, qn_mesh *copy)
{
    const size_t from = (size_t)qn_mesh_element_nodes(mesh), to = (size_t)qn_mesh_element_nodes(copy);
    for (size_t i = 0; i < mesh->node_count; i++) {
        if (numbers[i] == UINT32_MAX) continue;
        copy->node_labels[numbers[i]] = mesh->node_labels[i];
        memcpy(copy->positions + 3 * (size_t)numbers[i], mesh->positions + 3 * i, 3 * sizeof(double));
    }
    for (size_t i = 0; i < mesh->element_count; i++) {
        copy->element_labels[i] = mesh->element_labels[i];
        for (size_t node = 0; node < to; node++)
            copy->elements[to * i + node] = numbers[mesh->elements[from * i + node]];
    }
    for (size_t i = 0; i < mesh->group_count; i++) QN_TRY(copy_group(&mesh->groups[i], numbers, &copy->groups[i]));
    return QN_OK;
}

/* Leave the middles out of a copy of order 1. */
static qn_status keep_order_or_lower(const qn_mesh *mesh, int order, qn_mesh **result)
{
    const size_t stride = (size_t)qn_mesh_element_nodes(mesh);
    void *memory;
    uint32_t kept = 0;
    QN_TRY(qn_allocate(mesh->node_count, sizeof(uint32_t), &memory));
    uint32_t *numbers = memory;
    for (size_t i = 0; i < mesh->node_count; i++) numbers[i] = order == mesh->order ? 0 : UINT32_MAX;
    for (size_t i = 0; i < 4 * mesh->element_count; i++) numbers[mesh->elements[i / 4 * stride + i % 4]] = 0;
    for (size_t i = 0; i < mesh->node_count; i++)
        if (numbers[i] == 0) numbers[i] = kept++;
    qn_status status = qn_mesh_begin_copy(mesh, order, kept, mesh->element_count, result);
    if (status == QN_OK) status = copy_kept(mesh, numbers, *result);
    qn_release(&memory);
    return status;
}

qn_status qn_mesh_with_order(const qn_mesh *mesh, int order, qn_mesh **result)
{
    *result = NULL;
    if (order != 1 && order != 2) return QN_FAIL(QN_INVALID_ARGUMENT, "order %d of a mesh; expected 1 or 2", order);
    const qn_status status = order > mesh->order ? raise_order(mesh, result) : keep_order_or_lower(mesh, order, result);
    if (status != QN_OK) qn_mesh_destroy(result);
    return status;
}
