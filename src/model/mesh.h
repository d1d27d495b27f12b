/* Meshes of tetrahedra: their checks, orders and surface. */
#ifndef QN_MODEL_MESH_H
#define QN_MODEL_MESH_H

#include <quern/mesh.h>
#include <stdbool.h>

/* Most tetrahedra of a mesh: 8 times their number is still an index of 32 bits. */
#define QN_MESH_MOST_ELEMENTS ((size_t)1 << 28)

/* The two corners of each edge of a tetrahedron, in the order of the middles. */
extern const uint8_t qn_mesh_edges[6][2];

/* The three corners of each face of a tetrahedron, counterclockwise from outside. */
extern const uint8_t qn_mesh_faces[4][3];

/* Make a mesh whose arrays are zero, without groups; labels are 1, 2, … QN_INVALID_ARGUMENT: another order than 1 or 2,
 * or too many nodes or elements. */
QN_MUST_CHECK qn_status qn_mesh_allocate(int order, size_t node_count, size_t element_count, qn_mesh **mesh);

/* Give the mesh `count` empty groups, which it must not have yet. */
QN_MUST_CHECK qn_status qn_mesh_allocate_groups(qn_mesh *mesh, size_t count);

/* Make the list of a group's nodes: those with marked[node]. */
QN_MUST_CHECK qn_status qn_mesh_group_collect(qn_mesh_group *group, const bool *marked, size_t node_count);

/* File of the mesh, for messages; "mesh" if it has none. */
const char *qn_mesh_name(const qn_mesh *mesh);

/* Volume of the tetrahedron of an element's corners, m³. */
double qn_mesh_element_volume(const qn_mesh *mesh, size_t element);

/* Check that a body can be made of the mesh: every volume positive (in order 2 at the corners of each element too),
 * one element at each side of a face at most, one connected part, no node twice in an element, finite positions.
 * QN_BAD_FORMAT with one sentence that names file, element, value and what was expected. */
QN_MUST_CHECK qn_status qn_mesh_check(const qn_mesh *mesh);

/* A copy in another order: 2 adds the middle of each edge (numbered after the corners, in order of the edge's lower,
 * then higher corner), 1 leaves the middles out. Groups go along: a middle belongs to a group if one of the group's
 * elements has the edge. */
QN_MUST_CHECK qn_status qn_mesh_with_order(const qn_mesh *mesh, int order, qn_mesh **result);

/* A copy of order 1 in which each tetrahedron is split into 8, `times` times. The inner octahedron is split along its
 * shortest diagonal (of equal ones, that of the lowest node). Groups go along. Labels of elements are 1, 2, …
 * QN_INVALID_ARGUMENT: too many elements. */
QN_MUST_CHECK qn_status qn_mesh_refine(const qn_mesh *mesh, int times, qn_mesh **result);

/* Surface: faces of one element only, seen from outside counterclockwise, in the order of elements. */
typedef struct qn_mesh_surface {
    int triangle_nodes; /* 3, or 6: corners, then the middles of the edges 01, 12, 02 */
    uint32_t *triangles;
    size_t triangle_count;
    uint32_t *nodes; /* ascending */
    size_t node_count;
} qn_mesh_surface;

QN_MUST_CHECK qn_status qn_mesh_surface_find(const qn_mesh *mesh, qn_mesh_surface *surface);
void qn_mesh_surface_clear(qn_mesh_surface *surface);

#endif
