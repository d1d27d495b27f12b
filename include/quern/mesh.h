/* Meshes of tetrahedra, read from Gmsh's, VTK's and VTU files or made of arrays.
 *
 * Life cycle: read or create → use → destroy. Thread rule: a mesh that no thread changes may be read by all.
 *
 *     qn_mesh *mesh;
 *     if (qn_mesh_read("lobe.msh", 1, &mesh) != QN_OK) return 1;
 *     printf("%zu nodes, %zu tetrahedra\n", mesh->node_count, mesh->element_count);
 *     qn_mesh_destroy(&mesh);
 */
#ifndef QUERN_MESH_H
#define QUERN_MESH_H

#include <quern/status.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Elements that a file gives a name, and their nodes: of a physical group (Gmsh), or cells of one dimension with one
 * value of an integer array (VTK). */
typedef struct qn_mesh_group {
    char *name;      /* of the file, or its number as text; "array=value" in VTK's files */
    int dimension;   /* of its elements: 0 points, 1 lines, 2 triangles, 3 tetrahedra */
    uint32_t *nodes; /* indices, ascending */
    size_t node_count;
    uint32_t *elements; /* element_count × (dimension + 1) corners */
    size_t element_count;
} qn_mesh_group;

/* Nodes of an element: corners 0 to 3 with positive volume (p1 − p0) · ((p2 − p0) × (p3 − p0)) / 6; in order 2, then
 * the middles of the edges 01, 12, 02, 03, 13, 23 (VTK's order). */
typedef struct qn_mesh {
    int order; /* 1: 4 nodes an element; 2: 10 nodes */
    size_t node_count;
    double *positions;     /* node_count × 3, m */
    uint64_t *node_labels; /* numbers of the nodes in the file (VTK: from 0); 1, 2, … for a mesh of arrays */
    size_t element_count;
    uint32_t *elements; /* element_count × (4 or 10) indices of nodes */
    uint64_t *element_labels;
    size_t group_count;
    qn_mesh_group *groups;
    char *name; /* file that the mesh was read from; NULL: none */
} qn_mesh;

/* Nodes of an element of that order: 4 or 10. */
static inline int qn_mesh_element_nodes(const qn_mesh *mesh)
{
    return mesh->order == 2 ? 10 : 4;
}

/* Read a mesh: Gmsh MSH 1, 2.2 and 4.1 (text or binary), VTK legacy (text or binary), VTU (text, base64, raw,
 * compressed by zlib); gzipped or not. Positions are multiplied by `scale` (m per unit of the file). Triangles, lines
 * and points only make groups; nodes that no tetrahedron uses are left out. QN_NOT_FOUND; QN_BAD_FORMAT naming file,
 * place, value and what was expected (also for hexahedra and other cells, and tetrahedra of both orders in one file);
 * QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_mesh_read(const char *path, double scale, qn_mesh **mesh);

/* Make a mesh of arrays, which are copied. positions: node_count × 3, m; elements: element_count × (4 or 10), from 0.
 * QN_INVALID_ARGUMENT for indices that are out of range; QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_mesh_create(int order, const double *positions, size_t node_count, const uint32_t *elements,
                                       size_t element_count, qn_mesh **mesh);

void qn_mesh_destroy(qn_mesh **mesh);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
