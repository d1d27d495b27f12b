#include "model/mesh.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

const uint8_t qn_mesh_edges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
const uint8_t qn_mesh_faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

static qn_status allocate_arrays(qn_mesh *mesh)
{
    void *memory;
    QN_TRY(qn_allocate(3 * mesh->node_count, sizeof(double), &memory));
    mesh->positions = memory;
    QN_TRY(qn_allocate(mesh->node_count, sizeof(uint64_t), &memory));
    mesh->node_labels = memory;
    QN_TRY(qn_allocate(mesh->element_count * (size_t)qn_mesh_element_nodes(mesh), sizeof(uint32_t), &memory));
    mesh->elements = memory;
    QN_TRY(qn_allocate(mesh->element_count, sizeof(uint64_t), &memory));
    mesh->element_labels = memory;
    for (size_t i = 0; i < mesh->node_count; i++) mesh->node_labels[i] = i + 1;
    for (size_t i = 0; i < mesh->element_count; i++) mesh->element_labels[i] = i + 1;
    return QN_OK;
}

qn_status qn_mesh_allocate(int order, size_t node_count, size_t element_count, qn_mesh **result)
{
    void *memory;
    *result = NULL;
    if (order != 1 && order != 2) return QN_FAIL(QN_INVALID_ARGUMENT, "order %d of a mesh; expected 1 or 2", order);
    if (element_count > QN_MESH_MOST_ELEMENTS || node_count > 10 * QN_MESH_MOST_ELEMENTS)
        return QN_FAIL(QN_INVALID_ARGUMENT, "a mesh of %zu elements and %zu nodes; expected at most %zu elements",
                       element_count, node_count, QN_MESH_MOST_ELEMENTS);
    QN_TRY(qn_allocate(1, sizeof(qn_mesh), &memory));
    qn_mesh *mesh = memory;
    mesh->order = order;
    mesh->node_count = node_count;
    mesh->element_count = element_count;
    const qn_status status = allocate_arrays(mesh);
    if (status != QN_OK) qn_mesh_destroy(&mesh);
    *result = mesh;
    return status;
}

qn_status qn_mesh_allocate_groups(qn_mesh *mesh, size_t count)
{
    void *memory;
    QN_TRY(qn_allocate(count, sizeof(qn_mesh_group), &memory));
    mesh->groups = memory;
    mesh->group_count = count;
    return QN_OK;
}

qn_status qn_mesh_group_collect(qn_mesh_group *group, const bool *marked, size_t node_count)
{
    void *memory;
    size_t count = 0;
    for (size_t i = 0; i < node_count; i++) count += marked[i];
    QN_TRY(qn_allocate(count, sizeof(uint32_t), &memory));
    qn_release(&group->nodes);
    group->nodes = memory;
    group->node_count = 0;
    for (size_t i = 0; i < node_count; i++)
        if (marked[i]) group->nodes[group->node_count++] = (uint32_t)i;
    return QN_OK;
}

qn_status qn_mesh_create(int order, const double *positions, size_t node_count, const uint32_t *elements,
                         size_t element_count, qn_mesh **result)
{
    *result = NULL;
    const size_t stride = order == 2 ? 10 : 4;
    for (size_t i = 0; i < stride * element_count; i++)
        if (elements[i] >= node_count)
            return QN_FAIL(QN_INVALID_ARGUMENT, "element %zu has node %u; expected a number below %zu", i / stride,
                           elements[i], node_count);
    qn_mesh *mesh;
    QN_TRY(qn_mesh_allocate(order, node_count, element_count, &mesh));
    if (node_count > 0) memcpy(mesh->positions, positions, 3 * node_count * sizeof(double));
    if (element_count > 0) memcpy(mesh->elements, elements, stride * element_count * sizeof(uint32_t));
    *result = mesh;
    return QN_OK;
}

void qn_mesh_destroy(qn_mesh **pointer)
{
    qn_mesh *mesh = *pointer;
    if (!mesh) return;
    for (size_t i = 0; i < mesh->group_count; i++) {
        qn_release(&mesh->groups[i].name);
        qn_release(&mesh->groups[i].nodes);
        qn_release(&mesh->groups[i].elements);
    }
    qn_release(&mesh->groups);
    qn_release(&mesh->positions);
    qn_release(&mesh->node_labels);
    qn_release(&mesh->elements);
    qn_release(&mesh->element_labels);
    qn_release(&mesh->name);
    qn_release(pointer);
}

const char *qn_mesh_name(const qn_mesh *mesh)
{
    return mesh->name ? mesh->name : "mesh";
}

double qn_mesh_element_volume(const qn_mesh *mesh, size_t element)
{
    const uint32_t *nodes = mesh->elements + element * (size_t)qn_mesh_element_nodes(mesh);
    const double *p0 = mesh->positions + 3 * (size_t)nodes[0];
    double e[3][3];
    for (int i = 0; i < 3; i++)
        for (int axis = 0; axis < 3; axis++) e[i][axis] = mesh->positions[3 * (size_t)nodes[i + 1] + axis] - p0[axis];
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6;
}
