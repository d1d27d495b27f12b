/* Splitting every tetrahedron into 8: one at each corner, and four around a diagonal of the octahedron that is left (J.
 * Bey, Computing 55 (1995) 355). */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/mesh_copy.h"

/* Nodes of the tetrahedra at the corners: 0 to 3 corners, 4 to 9 middles. */
static const uint8_t at_corners[4][4] = {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3}};

/* The diagonals of the octahedron, and the other four middles around each. */
static const uint8_t diagonals[3][2] = {{4, 9}, {5, 7}, {6, 8}};
static const uint8_t rings[3][4] = {{7, 8, 5, 6}, {8, 9, 6, 4}, {4, 5, 9, 7}};

static double square_distance(const qn_mesh *mesh, uint32_t a, uint32_t b)
{
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double difference = mesh->positions[3 * (size_t)a + axis] - mesh->positions[3 * (size_t)b + axis];
        sum += difference * difference;
    }
    return sum;
}

static uint32_t lower(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The choice does not depend on the order of the corners, so that a group's tetrahedron is split as the mesh's. */
static int choose_diagonal(const qn_mesh *mesh, const uint32_t nodes[10])
{
    int best = 0;
    double best_square = 0;
    uint32_t best_node = 0;
    for (int i = 0; i < 3; i++) {
        const uint32_t a = nodes[diagonals[i][0]], b = nodes[diagonals[i][1]];
        const double square = square_distance(mesh, a, b);
        if (i > 0 && (square > best_square || (square == best_square && lower(a, b) > best_node))) continue;
        best = i;
        best_square = square;
        best_node = lower(a, b);
    }
    return best;
}

static void split_tetrahedron(const qn_mesh *mesh, const uint32_t nodes[10], uint32_t children[32])
{
    const int diagonal = choose_diagonal(mesh, nodes);
    for (int child = 0; child < 4; child++)
        for (int node = 0; node < 4; node++) *children++ = nodes[at_corners[child][node]];
    for (int child = 0; child < 4; child++) {
        *children++ = nodes[diagonals[diagonal][0]];
        *children++ = nodes[diagonals[diagonal][1]];
        *children++ = nodes[rings[diagonal][child]];
        *children++ = nodes[rings[diagonal][(child + 1) % 4]];
    }
}

/* ---- groups ---- */

/* Split one element of a group; returns the number of its children. An element with an edge that the mesh does not have
 * stays as it is. */
static int split_group_element(const qn_mesh *fine, size_t corner_nodes, const qn_mesh_edge_list *edges, int dimension,
                               const uint32_t *nodes, uint32_t children[32])
{
    static const uint8_t triangles[4][3] = {{0, 4, 6}, {4, 1, 5}, {6, 5, 2}, {4, 5, 6}};
    uint32_t all[10];
    const int corners = dimension + 1;
    memcpy(children, nodes, (size_t)corners * sizeof *nodes);
    memcpy(all, nodes, (size_t)corners * sizeof *nodes);
    for (int edge = 0; edge < 6; edge++) {
        const int a = qn_mesh_edges[edge][0], b = qn_mesh_edges[edge][1];
        if (a >= corners || b >= corners) continue;
        const uint32_t number = qn_mesh_edge_find(edges, nodes[a], nodes[b]);
        if (number == UINT32_MAX) return 1;
        all[4 + edge] = (uint32_t)corner_nodes + number;
    }
    if (dimension == 0) return 1;
    if (dimension == 3) {
        split_tetrahedron(fine, all, children);
        return 8;
    }
    if (dimension == 1) {
        children[1] = children[2] = all[4];
        children[3] = nodes[1];
        return 2;
    }
    for (int i = 0; i < 12; i++) children[i] = all[triangles[i / 3][i % 3]];
    return 4;
}

static qn_status split_group(const qn_mesh *mesh, const qn_mesh_edge_list *edges, const qn_mesh *fine,
                             const qn_mesh_group *from, qn_mesh_group *group)
{
    const size_t corners = (size_t)from->dimension + 1;
    void *memory;
    QN_TRY(qn_allocate(((size_t)1 << from->dimension) * corners * from->element_count, sizeof(uint32_t), &memory));
    group->elements = memory;
    for (size_t i = 0; i < from->element_count; i++) {
        uint32_t children[32];
        const int count =
            split_group_element(fine, mesh->node_count, edges, from->dimension, from->elements + corners * i, children);
        memcpy(group->elements + corners * group->element_count, children, (size_t)count * corners * sizeof *children);
        group->element_count += (size_t)count;
    }
    return qn_mesh_collect_middles(mesh, from, edges, fine, group);
}

/* ---- the mesh ---- */

static qn_status split_all(const qn_mesh *mesh, const qn_mesh_edge_list *edges, qn_mesh *fine)
{
    qn_mesh_copy_nodes_and_middles(mesh, edges, fine);
    for (size_t i = 0; i < mesh->element_count; i++) {
        uint32_t nodes[10];
        memcpy(nodes, mesh->elements + 4 * i, 4 * sizeof *nodes);
        for (size_t edge = 0; edge < 6; edge++)
            nodes[4 + edge] = (uint32_t)(mesh->node_count + edges->of_element[6 * i + edge]);
        split_tetrahedron(fine, nodes, fine->elements + 32 * i);
    }
    for (size_t i = 0; i < mesh->group_count; i++)
        QN_TRY(split_group(mesh, edges, fine, &mesh->groups[i], &fine->groups[i]));
    return QN_OK;
}

static qn_status refine_once(const qn_mesh *mesh, qn_mesh **result)
{
    qn_mesh_edge_list edges;
    if (mesh->element_count > QN_MESH_MOST_ELEMENTS / 8)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: %zu elements split into 8 are more than %zu", qn_mesh_name(mesh),
                       mesh->element_count, QN_MESH_MOST_ELEMENTS);
    QN_TRY(qn_mesh_edge_list_make(mesh, &edges));
    qn_status status = qn_mesh_begin_copy(mesh, 1, mesh->node_count + edges.count, 8 * mesh->element_count, result);
    if (status == QN_OK) status = split_all(mesh, &edges, *result);
    if (status != QN_OK) qn_mesh_destroy(result);
    qn_mesh_edge_list_clear(&edges);
    return status;
}

qn_status qn_mesh_refine(const qn_mesh *mesh, int times, qn_mesh **result)
{
    qn_mesh *coarse, *fine = NULL;
    *result = NULL;
    if (times < 0) return QN_FAIL(QN_INVALID_ARGUMENT, "%d refinements of a mesh; expected 0 or more", times);
    QN_TRY(qn_mesh_with_order(mesh, 1, &coarse));
    for (int i = 0; i < times; i++) {
        const qn_status status = refine_once(coarse, &fine);
        qn_mesh_destroy(&coarse);
        QN_TRY(status);
        coarse = fine;
    }
    *result = coarse;
    return QN_OK;
}
