#include "model/mesh_edges.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Sort keys by one node of theirs, keeping the order of equal ones; `starts` has node_count + 1 zeros. */
static void sort_by(int node, const qn_mesh_key *from, size_t count, size_t node_count, uint32_t *starts,
                    qn_mesh_key *to)
{
    memset(starts, 0, (node_count + 1) * sizeof *starts);
    for (size_t i = 0; i < count; i++) starts[from[i].nodes[node] + 1]++;
    for (size_t i = 0; i < node_count; i++) starts[i + 1] += starts[i];
    for (size_t i = 0; i < count; i++) to[starts[from[i].nodes[node]]++] = from[i];
}

/* Sort by all `width` nodes, the last one first; *keys may be exchanged for another array. */
static qn_status sort_keys(int width, size_t count, size_t node_count, qn_mesh_key **keys)
{
    void *other = NULL, *starts = NULL;
    qn_status status = qn_allocate(count, sizeof **keys, &other);
    if (status == QN_OK) status = qn_allocate(node_count + 1, sizeof(uint32_t), &starts);
    for (int node = width - 1; status == QN_OK && node >= 0; node--) {
        sort_by(node, *keys, count, node_count, starts, other);
        qn_mesh_key *sorted = other;
        other = *keys;
        *keys = sorted;
    }
    qn_release(&other);
    qn_release(&starts);
    return status;
}

static void order_nodes(int width, uint32_t *nodes)
{
    for (int i = 1; i < width; i++)
        for (int j = i; j > 0 && nodes[j - 1] > nodes[j]; j--) {
            const uint32_t node = nodes[j];
            nodes[j] = nodes[j - 1];
            nodes[j - 1] = node;
        }
}

bool qn_mesh_key_is_same(const qn_mesh_key *key, const qn_mesh_key *other)
{
    return memcmp(key->nodes, other->nodes, sizeof key->nodes) == 0;
}

qn_status qn_mesh_sorted_faces(const qn_mesh *mesh, qn_mesh_key **faces)
{
    const size_t stride = (size_t)qn_mesh_element_nodes(mesh);
    void *memory;
    *faces = NULL;
    QN_TRY(qn_allocate(4 * mesh->element_count, sizeof **faces, &memory));
    qn_mesh_key *keys = memory;
    for (size_t i = 0; i < 4 * mesh->element_count; i++) {
        const uint32_t *nodes = mesh->elements + i / 4 * stride;
        for (int corner = 0; corner < 3; corner++) keys[i].nodes[corner] = nodes[qn_mesh_faces[i % 4][corner]];
        order_nodes(3, keys[i].nodes);
        keys[i].owner = (uint32_t)i;
    }
    const qn_status status = sort_keys(3, 4 * mesh->element_count, mesh->node_count, &keys);
    if (status != QN_OK) qn_release(&keys);
    *faces = keys;
    return status;
}

/* ---- edges ---- */

static qn_status sorted_edges(const qn_mesh *mesh, qn_mesh_key **edges)
{
    const size_t stride = (size_t)qn_mesh_element_nodes(mesh);
    void *memory;
    *edges = NULL;
    QN_TRY(qn_allocate(6 * mesh->element_count, sizeof **edges, &memory));
    qn_mesh_key *keys = memory;
    for (size_t i = 0; i < 6 * mesh->element_count; i++) {
        const uint32_t *nodes = mesh->elements + i / 6 * stride;
        for (int end = 0; end < 2; end++) keys[i].nodes[end] = nodes[qn_mesh_edges[i % 6][end]];
        order_nodes(2, keys[i].nodes);
        keys[i].owner = (uint32_t)i;
    }
    const qn_status status = sort_keys(2, 6 * mesh->element_count, mesh->node_count, &keys);
    if (status != QN_OK) qn_release(&keys);
    *edges = keys;
    return status;
}

static void number_edges(const qn_mesh *mesh, const qn_mesh_key *keys, qn_mesh_edge_list *edges)
{
    for (size_t i = 0; i < 6 * mesh->element_count; i++) {
        if (i == 0 || !qn_mesh_key_is_same(&keys[i], &keys[i - 1])) {
            edges->ends[edges->count][0] = keys[i].nodes[0];
            edges->ends[edges->count++][1] = keys[i].nodes[1];
            edges->first[keys[i].nodes[0] + 1]++;
        }
        edges->of_element[keys[i].owner] = (uint32_t)(edges->count - 1);
    }
    for (size_t i = 0; i < mesh->node_count; i++) edges->first[i + 1] += edges->first[i];
}

qn_status qn_mesh_edge_list_make(const qn_mesh *mesh, qn_mesh_edge_list *edges)
{
    qn_mesh_key *keys = NULL;
    void *memory[3] = {NULL};
    size_t count = 0;
    *edges = (qn_mesh_edge_list){0};
    QN_TRY(sorted_edges(mesh, &keys));
    for (size_t i = 0; i < 6 * mesh->element_count; i++)
        count += i == 0 || !qn_mesh_key_is_same(&keys[i], &keys[i - 1]);
    qn_status status = qn_allocate(count, sizeof *edges->ends, &memory[0]);
    if (status == QN_OK) status = qn_allocate(6 * mesh->element_count, sizeof(uint32_t), &memory[1]);
    if (status == QN_OK) status = qn_allocate(mesh->node_count + 1, sizeof(uint32_t), &memory[2]);
    edges->ends = memory[0];
    edges->of_element = memory[1];
    edges->first = memory[2];
    if (status == QN_OK)
        number_edges(mesh, keys, edges);
    else
        qn_mesh_edge_list_clear(edges);
    qn_release(&keys);
    return status;
}

void qn_mesh_edge_list_clear(qn_mesh_edge_list *edges)
{
    qn_release(&edges->ends);
    qn_release(&edges->of_element);
    qn_release(&edges->first);
    *edges = (qn_mesh_edge_list){0};
}

uint32_t qn_mesh_edge_find(const qn_mesh_edge_list *edges, uint32_t a, uint32_t b)
{
    const uint32_t low_node = a < b ? a : b, high_node = a < b ? b : a;
    uint32_t low = edges->first[low_node], high = edges->first[low_node + 1];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (edges->ends[middle][1] == high_node) return middle;
        if (edges->ends[middle][1] < high_node)
            low = middle + 1;
        else
            high = middle;
    }
    return UINT32_MAX;
}
