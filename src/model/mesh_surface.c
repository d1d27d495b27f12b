#include "base/error.h"
#include "base/memory.h"
#include "model/mesh_edges.h"

/* Middle of the edge between two corners of an element of order 2. */
static uint32_t middle_of(const uint32_t *nodes, int a, int b)
{
    for (int edge = 0; edge < 6; edge++) {
        const int first = qn_mesh_edges[edge][0], second = qn_mesh_edges[edge][1];
        if ((first == a && second == b) || (first == b && second == a)) return nodes[4 + edge];
    }
    return nodes[0];
}

/* Mark the faces that no other element has; returns their number. */
static size_t mark_single(const qn_mesh_key *faces, size_t count, bool *single)
{
    size_t found = 0;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && qn_mesh_key_is_same(&faces[i], &faces[end]);) end++;
        single[faces[i].owner] = end == i + 1;
        found += end == i + 1;
    }
    return found;
}

static void add_triangles(const qn_mesh *mesh, const bool *single, qn_mesh_surface *surface)
{
    static const int sides[3][2] = {{0, 1}, {1, 2}, {0, 2}};
    const size_t stride = (size_t)qn_mesh_element_nodes(mesh);
    uint32_t *next = surface->triangles;
    for (size_t i = 0; i < 4 * mesh->element_count; i++) {
        if (!single[i]) continue;
        const uint32_t *nodes = mesh->elements + i / 4 * stride;
        const uint8_t *face = qn_mesh_faces[i % 4];
        for (int corner = 0; corner < 3; corner++) *next++ = nodes[face[corner]];
        for (int side = 0; mesh->order == 2 && side < 3; side++)
            *next++ = middle_of(nodes, face[sides[side][0]], face[sides[side][1]]);
    }
}

static qn_status collect_nodes(const qn_mesh *mesh, qn_mesh_surface *surface)
{
    qn_mesh_group group = {0};
    void *memory;
    QN_TRY(qn_allocate(mesh->node_count, sizeof(bool), &memory));
    bool *marked = memory;
    for (size_t i = 0; i < surface->triangle_count * (size_t)surface->triangle_nodes; i++)
        marked[surface->triangles[i]] = true;
    const qn_status status = qn_mesh_group_collect(&group, marked, mesh->node_count);
    surface->nodes = group.nodes;
    surface->node_count = group.node_count;
    qn_release(&memory);
    return status;
}

qn_status qn_mesh_surface_find(const qn_mesh *mesh, qn_mesh_surface *surface)
{
    qn_mesh_key *faces = NULL;
    void *single = NULL, *triangles = NULL;
    *surface = (qn_mesh_surface){.triangle_nodes = mesh->order == 2 ? 6 : 3};
    QN_TRY(qn_mesh_sorted_faces(mesh, &faces));
    qn_status status = qn_allocate(4 * mesh->element_count, sizeof(bool), &single);
    if (status == QN_OK) surface->triangle_count = mark_single(faces, 4 * mesh->element_count, single);
    qn_release(&faces);
    if (status == QN_OK)
        status = qn_allocate(surface->triangle_count * (size_t)surface->triangle_nodes, sizeof(uint32_t), &triangles);
    surface->triangles = triangles;
    if (status == QN_OK) add_triangles(mesh, single, surface);
    qn_release(&single);
    if (status == QN_OK) status = collect_nodes(mesh, surface);
    if (status != QN_OK) qn_mesh_surface_clear(surface);
    return status;
}

void qn_mesh_surface_clear(qn_mesh_surface *surface)
{
    qn_release(&surface->triangles);
    qn_release(&surface->nodes);
    surface->triangle_count = surface->node_count = 0;
}
