/* Faces and edges of a mesh, found by sorting. Private to the mesh's files. */
#ifndef QN_MODEL_MESH_EDGES_H
#define QN_MODEL_MESH_EDGES_H

#include "model/mesh.h"

/* A face or an edge of one element. */
typedef struct qn_mesh_key {
    uint32_t nodes[3]; /* ascending; the third is 0 for an edge */
    uint32_t owner;    /* element × 4 + face, or element × 6 + edge */
} qn_mesh_key;

/* All faces of all elements, sorted by their nodes, then by owner: 4 × element_count. Released with qn_release. */
QN_MUST_CHECK qn_status qn_mesh_sorted_faces(const qn_mesh *mesh, qn_mesh_key **faces);

bool qn_mesh_key_is_same(const qn_mesh_key *key, const qn_mesh_key *other);

/* The edges between corners, each once, in order of the lower, then the higher node. */
typedef struct qn_mesh_edge_list {
    uint32_t (*ends)[2];
    size_t count;
    uint32_t *of_element; /* element_count × 6: numbers of edges */
    uint32_t *first;      /* node_count + 1: the first edge whose lower node it is */
} qn_mesh_edge_list;

QN_MUST_CHECK qn_status qn_mesh_edge_list_make(const qn_mesh *mesh, qn_mesh_edge_list *edges);
void qn_mesh_edge_list_clear(qn_mesh_edge_list *edges);

/* Number of the edge between two nodes; UINT32_MAX: the mesh has none. */
uint32_t qn_mesh_edge_find(const qn_mesh_edge_list *edges, uint32_t a, uint32_t b);

#endif
