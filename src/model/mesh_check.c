/* The checks before a body is made of a mesh. */
#include <inttypes.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/mesh_edges.h"

static unsigned long long label_of(const qn_mesh *mesh, size_t element)
{
    return (unsigned long long)mesh->element_labels[element];
}

static qn_status check_positions(const qn_mesh *mesh)
{
    for (size_t i = 0; i < 3 * mesh->node_count; i++)
        if (!isfinite(mesh->positions[i]))
            return QN_FAIL(QN_BAD_FORMAT, "%s: node %" PRIu64 " has %c = %g; expected a finite number",
                           qn_mesh_name(mesh), mesh->node_labels[i / 3], (int)('x' + i % 3), mesh->positions[i]);
    return QN_OK;
}

static qn_status check_nodes(const qn_mesh *mesh)
{
    const int count = qn_mesh_element_nodes(mesh);
    for (size_t element = 0; element < mesh->element_count; element++) {
        const uint32_t *nodes = mesh->elements + element * (size_t)count;
        for (int i = 1; i < count; i++)
            for (int j = 0; j < i; j++)
                if (nodes[i] == nodes[j])
                    return QN_FAIL(QN_BAD_FORMAT,
                                   "%s: element %llu has node %" PRIu64 " twice; expected %d different nodes",
                                   qn_mesh_name(mesh), label_of(mesh, element), mesh->node_labels[nodes[i]], count);
    }
    return QN_OK;
}

/* Volume that an element of order 2 has for each unit of a tetrahedron at its corner: det(∂X/∂ξ) / 6. With N_corner =
 * ξ(2ξ − 1) and N_middle = 4ξ_aξ_b, ∂X/∂ξ_k at corner c is 3X_c for k = c, else 4X_ck − X_k. */
static double corner_volume(const qn_mesh *mesh, size_t element, int corner)
{
    const uint32_t *nodes = mesh->elements + 10 * element;
    double slope[4][3];
    for (int k = 0; k < 4; k++) {
        int middle = 0;
        for (int edge = 0; edge < 6; edge++) {
            const int a = qn_mesh_edges[edge][0], b = qn_mesh_edges[edge][1];
            if ((a == corner && b == k) || (b == corner && a == k)) middle = 4 + edge;
        }
        for (int axis = 0; axis < 3; axis++) {
            const double at = mesh->positions[3 * (size_t)nodes[k] + axis];
            slope[k][axis] = k == corner ? 3 * at : 4 * mesh->positions[3 * (size_t)nodes[middle] + axis] - at;
        }
    }
    double e[3][3];
    for (int i = 0; i < 3; i++)
        for (int axis = 0; axis < 3; axis++) e[i][axis] = slope[i + 1][axis] - slope[0][axis];
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6;
}

static qn_status check_volumes(const qn_mesh *mesh)
{
    size_t negative = 0;
    for (size_t i = 0; i < mesh->element_count; i++) negative += !(qn_mesh_element_volume(mesh, i) > 0);
    for (size_t i = 0; i < mesh->element_count; i++) {
        const double volume = qn_mesh_element_volume(mesh, i);
        if (!(volume > 0))
            return QN_FAIL(QN_BAD_FORMAT, "%s: element %llu has volume %.3g; expected > 0 m³ (%zu of %s %s inverted)",
                           qn_mesh_name(mesh), label_of(mesh, i), volume, negative,
                           qn_count_of(mesh->element_count, "element").text, qn_plural(negative, "is", "are"));
        for (int corner = 0; mesh->order == 2 && corner < 4; corner++) {
            const double at_corner = corner_volume(mesh, i, corner);
            if (!(at_corner > 0))
                return QN_FAIL(QN_BAD_FORMAT,
                               "%s: element %llu is turned inside out at corner node %" PRIu64
                               " (volume %.3g there, %.3g in all); expected > 0",
                               qn_mesh_name(mesh), label_of(mesh, i),
                               mesh->node_labels[mesh->elements[10 * i + (size_t)corner]], at_corner, volume);
        }
    }
    return QN_OK;
}

/* Whether a face, seen from outside its element, has its nodes in the order of the key or in one turned from it. */
static bool is_in_order(const qn_mesh *mesh, const qn_mesh_key *face)
{
    const uint32_t *nodes = mesh->elements + face->owner / 4 * (size_t)qn_mesh_element_nodes(mesh);
    const uint8_t *corners = qn_mesh_faces[face->owner % 4];
    for (int i = 0; i < 3; i++)
        if (nodes[corners[i]] == face->nodes[0]) return nodes[corners[(i + 1) % 3]] == face->nodes[1];
    return false;
}

static qn_status fail_face(const qn_mesh *mesh, const qn_mesh_key *face, const char *what)
{
    return QN_FAIL(QN_BAD_FORMAT,
                   "%s: elements %llu and %llu %s the face of nodes %" PRIu64 ", %" PRIu64 " and %" PRIu64
                   "; expected one element at each side of a face",
                   qn_mesh_name(mesh), label_of(mesh, face[0].owner / 4), label_of(mesh, face[1].owner / 4), what,
                   mesh->node_labels[face->nodes[0]], mesh->node_labels[face->nodes[1]],
                   mesh->node_labels[face->nodes[2]]);
}

/* Elements that share a face see it in opposite orders, unless they overlap. */
static qn_status check_faces(const qn_mesh *mesh)
{
    qn_mesh_key *faces;
    QN_TRY(qn_mesh_sorted_faces(mesh, &faces));
    qn_status status = QN_OK;
    for (size_t i = 1; status == QN_OK && i < 4 * mesh->element_count; i++) {
        if (!qn_mesh_key_is_same(&faces[i - 1], &faces[i])) continue;
        if (i > 1 && qn_mesh_key_is_same(&faces[i - 2], &faces[i]))
            status = fail_face(mesh, &faces[i - 1], "and a third one share");
        else if (is_in_order(mesh, &faces[i - 1]) == is_in_order(mesh, &faces[i]))
            status = fail_face(mesh, &faces[i - 1], "are at the same side of");
    }
    qn_release(&faces);
    return status;
}

/* ---- parts ---- */

/* The lowest node that a chain of links leads to; links on the way are made shorter. */
static uint32_t root_of(uint32_t *links, uint32_t node)
{
    while (links[node] != node) {
        links[node] = links[links[node]];
        node = links[node];
    }
    return node;
}

static qn_status count_parts(const qn_mesh *mesh, uint32_t *links)
{
    const size_t stride = (size_t)qn_mesh_element_nodes(mesh);
    size_t first_part = 0, other = SIZE_MAX;
    for (size_t i = 0; i < mesh->node_count; i++) links[i] = (uint32_t)i;
    for (size_t i = 0; i < stride * mesh->element_count; i++) {
        const uint32_t a = root_of(links, mesh->elements[i / stride * stride]), b = root_of(links, mesh->elements[i]);
        links[a > b ? a : b] = a > b ? b : a;
    }
    const uint32_t root = root_of(links, mesh->elements[0]);
    for (size_t i = 0; i < mesh->element_count; i++) {
        const bool same = root_of(links, mesh->elements[i * stride]) == root;
        first_part += same;
        if (!same && other == SIZE_MAX) other = i;
    }
    if (other == SIZE_MAX) return QN_OK;
    return QN_FAIL(
        QN_BAD_FORMAT,
        "%s: is in loose parts: the part of element %llu has %zu of the %zu elements, and element %llu is in "
        "another part; expected one connected part",
        qn_mesh_name(mesh), label_of(mesh, 0), first_part, mesh->element_count, label_of(mesh, other));
}

static qn_status check_parts(const qn_mesh *mesh)
{
    void *links;
    QN_TRY(qn_allocate(mesh->node_count, sizeof(uint32_t), &links));
    const qn_status status = count_parts(mesh, links);
    qn_release(&links);
    return status;
}

qn_status qn_mesh_check(const qn_mesh *mesh)
{
    if (mesh->element_count == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has no elements; expected at least one tetrahedron", qn_mesh_name(mesh));
    QN_TRY(check_positions(mesh));
    QN_TRY(check_nodes(mesh));
    QN_TRY(check_volumes(mesh));
    QN_TRY(check_faces(mesh));
    return check_parts(mesh);
}
