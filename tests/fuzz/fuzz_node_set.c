/* Any text as a set of nodes of one tetrahedron in both orders. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "deform/sets/sets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds) abort();
}

static qn_mesh *make_mesh(int order)
{
    static const double places[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const uint32_t element[] = {0, 1, 2, 3};
    static const char *const names[] = {"a", "two", "a"};
    qn_mesh *mesh, *other;
    demand(qn_mesh_create(1, places, 4, element, 1, &mesh) == QN_OK);
    demand(qn_mesh_allocate_groups(mesh, 3) == QN_OK);
    for (int i = 0; i < 3; i++) {
        const bool marked[4] = {true, i > 0, i > 1, false};
        mesh->groups[i].dimension = i;
        demand(qn_text_copy(names[i], &mesh->groups[i].name) == QN_OK);
        demand(qn_mesh_group_collect(&mesh->groups[i], marked, 4) == QN_OK);
    }
    demand(qn_mesh_with_order(mesh, order, &other) == QN_OK);
    qn_mesh_destroy(&mesh);
    return other;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    qn_text text = {0};
    demand(qn_text_append_bytes(&text, "", 0) == QN_OK);
    demand(qn_text_append_bytes(&text, data, size) == QN_OK);
    for (int order = 1; order <= 2; order++) {
        qn_mesh *mesh = make_mesh(order);
        qn_mesh_surface surface;
        uint32_t *nodes;
        size_t count;
        demand(qn_mesh_surface_find(mesh, &surface) == QN_OK);
        const qn_status status = qn_node_set_find(mesh, &surface, text.data, "--set", &nodes, &count);
        demand(status == QN_OK
                   ? count > 0 && nodes[count - 1] < mesh->node_count
                   : status == QN_INVALID_ARGUMENT && !nodes && strncmp(qn_error_message(), "--set", 5) == 0);
        qn_release(&nodes);
        qn_mesh_surface_clear(&surface);
        qn_mesh_destroy(&mesh);
    }
    qn_text_clear(&text);
    return 0;
}
