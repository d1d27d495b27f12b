/* Copies of meshes with other elements. Private to the mesh's files. */
#ifndef QN_MODEL_MESH_COPY_H
#define QN_MODEL_MESH_COPY_H

#include "model/mesh_edges.h"

/* Make a mesh with the name of another, and with its groups without nodes and elements. */
QN_MUST_CHECK qn_status qn_mesh_begin_copy(const qn_mesh *mesh, int order, size_t node_count, size_t element_count,
                                           qn_mesh **copy);

/* Copy all nodes of `mesh` to the first of `copy`, whose other nodes become the middles of the edges; their labels
 * follow the largest one. */
void qn_mesh_copy_nodes_and_middles(const qn_mesh *mesh, const qn_mesh_edge_list *edges, qn_mesh *copy);

/* Make the list of a group's nodes in `copy`, which has the nodes and the middles of `mesh`. */
QN_MUST_CHECK qn_status qn_mesh_collect_middles(const qn_mesh *mesh, const qn_mesh_group *from,
                                                const qn_mesh_edge_list *edges, const qn_mesh *copy,
                                                qn_mesh_group *group);

#endif
