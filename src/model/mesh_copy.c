#include "model/mesh_copy.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

qn_status qn_mesh_begin_copy(const qn_mesh *mesh, int order, size_t node_count, size_t element_count, qn_mesh **result)
{
    qn_mesh *copy;
    *result = NULL;
    QN_TRY(qn_mesh_allocate(order, node_count, element_count, &copy));
    qn_status status = mesh->name ? qn_text_copy(mesh->name, &copy->name) : QN_OK;
    if (status == QN_OK) status = qn_mesh_allocate_groups(copy, mesh->group_count);
    for (size_t i = 0; status == QN_OK && i < mesh->group_count; i++) {
        copy->groups[i].dimension = mesh->groups[i].dimension;
        status = qn_text_copy(mesh->groups[i].name, &copy->groups[i].name);
    }
    if (status != QN_OK) qn_mesh_destroy(&copy);
    *result = copy;
    return status;
}

void qn_mesh_copy_nodes_and_middles(const qn_mesh *mesh, const qn_mesh_edge_list *edges, qn_mesh *copy)
{
    const size_t count = mesh->node_count;
    uint64_t largest = 0;
    for (size_t i = 0; i < count; i++) {
        copy->node_labels[i] = mesh->node_labels[i];
        if (mesh->node_labels[i] > largest) largest = mesh->node_labels[i];
    }
    memcpy(copy->positions, mesh->positions, 3 * count * sizeof(double));
    for (size_t i = 0; i < edges->count; i++) {
        const double *a = mesh->positions + 3 * (size_t)edges->ends[i][0];
        const double *b = mesh->positions + 3 * (size_t)edges->ends[i][1];
        for (int axis = 0; axis < 3; axis++) copy->positions[3 * (count + i) + axis] = 0.5 * (a[axis] + b[axis]);
        copy->node_labels[count + i] = largest + 1 + i;
    }
}

qn_status qn_mesh_collect_middles(const qn_mesh *mesh, const qn_mesh_group *from, const qn_mesh_edge_list *edges,
                                  const qn_mesh *copy, qn_mesh_group *group)
{
    const size_t corners = (size_t)from->dimension + 1;
    void *memory;
    QN_TRY(qn_allocate(copy->node_count, sizeof(bool), &memory));
    bool *marked = memory;
    for (size_t i = 0; i < from->node_count; i++) marked[from->nodes[i]] = true;
    for (size_t i = 0; i < from->element_count; i++) {
        const uint32_t *nodes = from->elements + corners * i;
        for (size_t a = 1; a < corners; a++)
            for (size_t b = 0; b < a; b++) {
                const uint32_t edge = qn_mesh_edge_find(edges, nodes[a], nodes[b]);
                if (edge != UINT32_MAX) marked[mesh->node_count + edge] = true;
            }
    }
    const qn_status status = qn_mesh_group_collect(group, marked, copy->node_count);
    qn_release(&memory);
    return status;
}
