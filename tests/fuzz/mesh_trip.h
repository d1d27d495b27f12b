/* Properties of every mesh that the reader accepts. */
#ifndef QN_TESTS_FUZZ_MESH_TRIP_H
#define QN_TESTS_FUZZ_MESH_TRIP_H

#include <string.h>

#include "base/memory.h"
#include "format/mesh/vtu_write.h"
#include "memory_file.h"
#include "model/mesh.h"

static inline void check_indices(const qn_mesh *mesh)
{
    const size_t stride = (size_t)qn_mesh_element_nodes(mesh);
    demand(mesh->element_count > 0 && mesh->node_count > 0 && mesh->name);
    for (size_t i = 0; i < stride * mesh->element_count; i++) demand(mesh->elements[i] < mesh->node_count);
    for (size_t i = 0; i < mesh->group_count; i++) {
        const qn_mesh_group *group = &mesh->groups[i];
        demand(group->name && group->dimension >= 0 && group->dimension <= 3);
        for (size_t k = 0; k < group->node_count; k++) demand(group->nodes[k] < mesh->node_count);
        for (size_t k = 1; k < group->node_count; k++) demand(group->nodes[k - 1] < group->nodes[k]);
        for (size_t k = 0; k < ((size_t)group->dimension + 1) * group->element_count; k++)
            demand(group->elements[k] < mesh->node_count);
    }
}

/* Write the mesh as VTU; it is read again without change. */
static inline void write_and_read(const qn_mesh *mesh)
{
    char path[64];
    qn_mesh *back = NULL;
    snprintf(path, sizeof path, "/tmp/fuzz_mesh.%ld", (long)getpid());
    demand(qn_vtu_write(path, mesh, NULL, 0, NULL, 0) == QN_OK);
    demand(qn_mesh_read(path, 1, &back) == QN_OK);
    demand(back->order == mesh->order && back->element_count == mesh->element_count);
    demand(back->node_count == mesh->node_count);
    demand(memcmp(back->positions, mesh->positions, 3 * mesh->node_count * sizeof(double)) == 0);
    unlink(path);
    qn_mesh_destroy(&back);
}

/* Other meshes that are made of it have its groups, and are right where it is. */
static inline void change_mesh(const qn_mesh *mesh, bool right)
{
    qn_mesh_surface surface;
    demand(qn_mesh_surface_find(mesh, &surface) == QN_OK);
    for (size_t i = 0; i < surface.triangle_count * (size_t)surface.triangle_nodes; i++)
        demand(surface.triangles[i] < mesh->node_count);
    demand(!right || surface.triangle_count >= 4);
    qn_mesh_surface_clear(&surface);
    for (int order = 1; order <= 3; order++) {
        qn_mesh *other = NULL;
        demand((order < 3 ? qn_mesh_with_order(mesh, order, &other) : qn_mesh_refine(mesh, 1, &other)) == QN_OK);
        check_indices(other);
        demand(other->group_count == mesh->group_count);
        qn_mesh_destroy(&other);
    }
}

/* Read bytes that begin with `first` as a mesh. */
static inline int try_mesh(const uint8_t *data, size_t size, char first)
{
    char path[64];
    qn_mesh *mesh = NULL;
    if (size == 0 || data[0] != (uint8_t)first) return -1;
    const int descriptor = open_bytes(data, size, path);
    const qn_status status = qn_mesh_read(path, 1, &mesh);
    demand(status == QN_OK || (status == QN_BAD_FORMAT && qn_error_message()[0] && !mesh));
    if (status == QN_OK) {
        check_indices(mesh);
        const qn_status check = qn_mesh_check(mesh);
        demand(check == QN_OK || (check == QN_BAD_FORMAT && qn_error_message()[0]));
        change_mesh(mesh, check == QN_OK);
        write_and_read(mesh);
        qn_mesh_destroy(&mesh);
    }
    close(descriptor);
    return 0;
}

#endif
