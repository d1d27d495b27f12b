/* Meshes of cubes, whose nodes, edges, faces and volumes are known by counting. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/tests/cube_mesh.h"

static double volume_of(const qn_mesh *mesh)
{
    double sum = 0;
    for (size_t i = 0; i < mesh->element_count; i++) sum += qn_mesh_element_volume(mesh, i);
    return sum;
}

static void arrays_are_checked(void)
{
    static const double places[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const uint32_t good[4] = {0, 1, 2, 3}, bad[4] = {0, 1, 2, 4};
    qn_mesh *mesh;
    if (CHECK_OK(qn_mesh_create(1, places, 4, good, 1, &mesh))) {
        CHECK(mesh->node_labels[3] == 4 && mesh->element_labels[0] == 1 && mesh->name == NULL);
        CHECK_NEAR(qn_mesh_element_volume(mesh, 0), 1.0 / 6, 1e-16);
        CHECK_OK(qn_mesh_check(mesh));
    }
    qn_mesh_destroy(&mesh);
    CHECK(mesh == NULL);
    CHECK_FAILS(qn_mesh_create(1, places, 4, bad, 1, &mesh), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("element 0 has node 4; expected a number below 4");
    CHECK_FAILS(qn_mesh_create(3, places, 4, good, 1, &mesh), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("order 3");
    CHECK(mesh == NULL);
}

/* ---- orders ---- */

/* Edges of n³ cells: along the axes, diagonals of faces, diagonals of cells. */
static size_t edges_of_cube(size_t n)
{
    return 3 * n * (n + 1) * (n + 1) + 3 * n * n * (n + 1) + n * n * n;
}

static void orders_are_changed(void)
{
    for (int n = 1; n < 5; n += 3) {
        qn_mesh *mesh = make_cube(n, 1), *second, *first, *same;
        CHECK_OK(qn_mesh_check(mesh));
        CHECK_NEAR(volume_of(mesh), 1, 1e-14);
        if (!CHECK_OK(qn_mesh_with_order(mesh, 2, &second))) return;
        const size_t corners = mesh->node_count;
        CHECK(second->order == 2 && second->node_count == corners + edges_of_cube((size_t)n));
        CHECK_OK(qn_mesh_check(second));
        uint64_t last = 0;
        for (size_t node = corners; node < second->node_count; node++) {
            /* the two corners of the middle's edge, found through the elements */
            uint64_t ends = 0;
            for (size_t i = 0; i < 6 * second->element_count && ends == 0; i++) {
                const uint32_t *nodes = second->elements + i / 6 * 10;
                if (nodes[4 + i % 6] != node) continue;
                const uint32_t a = nodes[qn_mesh_edges[i % 6][0]], b = nodes[qn_mesh_edges[i % 6][1]];
                ends = (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
                for (int axis = 0; axis < 3; axis++)
                    CHECK_NEAR(second->positions[3 * node + (size_t)axis],
                               0.5 * (mesh->positions[3 * a + axis] + mesh->positions[3 * b + axis]), 1e-15);
            }
            CHECK(ends > last); /* in order of the lower, then the higher corner */
            last = ends;
            CHECK(second->node_labels[node] == node + 1);
        }
        CHECK_OK(qn_mesh_with_order(second, 1, &first));
        CHECK_OK(qn_mesh_with_order(second, 2, &same));
        CHECK(first->node_count == corners && first->element_count == mesh->element_count);
        CHECK(memcmp(first->elements, mesh->elements, 4 * mesh->element_count * sizeof(uint32_t)) == 0);
        CHECK(memcmp(first->positions, mesh->positions, 3 * corners * sizeof(double)) == 0);
        CHECK(memcmp(same->elements, second->elements, 10 * mesh->element_count * sizeof(uint32_t)) == 0);
        CHECK(memcmp(same->positions, second->positions, 3 * second->node_count * sizeof(double)) == 0);
        qn_mesh_destroy(&mesh);
        qn_mesh_destroy(&second);
        qn_mesh_destroy(&first);
        qn_mesh_destroy(&same);
    }
}

/* ---- groups ---- */

static char *new_name(const char *name)
{
    char *copy = NULL;
    CHECK_OK(qn_text_copy(name, &copy));
    return copy;
}

/* A plate of one cell: its lower and upper faces have all nodes, but not the edges between them. */
static qn_mesh *make_plate(void)
{
    static const uint32_t faces[4][3] = {{0, 3, 1}, {0, 2, 3}, {4, 5, 7}, {4, 7, 6}};
    static const uint32_t lines[2][2] = {{0, 1}, {1, 2}}; /* the second is no edge of the mesh */
    static const uint32_t point = 7;
    static const int turned[4] = {0, 2, 3, 1};
    uint32_t half[12]; /* three tetrahedra, with their corners turned round */
    qn_mesh *mesh = make_cube(1, 0.25);
    CHECK_OK(qn_mesh_allocate_groups(mesh, 4));
    mesh->group_count = 0;
    add_group(mesh, new_name("faces"), 2, faces[0], 4);
    add_group(mesh, new_name("lines"), 1, lines[0], 2);
    add_group(mesh, new_name("point"), 0, &point, 1);
    for (int i = 0; i < 12; i++) half[i] = mesh->elements[i / 4 * 4 + turned[i % 4]];
    add_group(mesh, new_name("half"), 3, half, 3);
    return mesh;
}

static void groups_get_the_middles_of_their_edges(void)
{
    qn_mesh *mesh = make_plate(), *second, *first;
    if (!CHECK_OK(qn_mesh_with_order(mesh, 2, &second))) return;
    const qn_mesh_group *groups = second->groups;
    CHECK(second->group_count == 4);
    CHECK_TEXT(groups[0].name, "faces");
    CHECK(groups[0].node_count == 8 + 2 * 5 && groups[0].element_count == 4);
    for (size_t i = 0; i < groups[0].node_count; i++) {
        const double z = second->positions[3 * groups[0].nodes[i] + 2];
        CHECK(z == 0 || z == 0.25);
    }
    CHECK(groups[1].node_count == 3 + 1 && groups[2].node_count == 1);
    /* three tetrahedra around the diagonal share it and one more edge with the next */
    CHECK(groups[3].element_count == 3);
    CHECK_OK(qn_mesh_with_order(second, 1, &first));
    for (int i = 0; i < 4; i++) {
        CHECK(first->groups[i].node_count == mesh->groups[i].node_count);
        CHECK(first->groups[i].element_count == mesh->groups[i].element_count);
        CHECK(memcmp(first->groups[i].nodes, mesh->groups[i].nodes, first->groups[i].node_count * 4) == 0);
    }
    qn_mesh_destroy(&mesh);
    qn_mesh_destroy(&second);
    qn_mesh_destroy(&first);
}

/* ---- refinement ---- */

static int compare_nodes(const void *a, const void *b)
{
    return memcmp(a, b, 4 * sizeof(uint32_t));
}

/* Copy tetrahedra with ascending nodes, in ascending order. */
static uint32_t *sorted_tetrahedra(const uint32_t *elements, size_t count)
{
    uint32_t *copy = malloc(4 * count * sizeof *copy);
    for (size_t i = 0; i < 4 * count; i++) copy[i] = elements[i];
    for (size_t i = 0; i < count; i++)
        for (int pass = 0; pass < 3; pass++)
            for (int k = 0; k < 3; k++) {
                uint32_t *pair = copy + 4 * i + k, first = pair[0];
                if (pair[0] <= pair[1]) continue;
                pair[0] = pair[1];
                pair[1] = first;
            }
    qsort(copy, count, 4 * sizeof *copy, compare_nodes);
    return copy;
}

static bool has_tetrahedron(const uint32_t *sorted, size_t count, const uint32_t *nodes)
{
    return bsearch(nodes, sorted, count, 4 * sizeof *sorted, compare_nodes) != NULL;
}

/* The middles of a cube's edges are the nodes of a cube with twice as many cells along a side. */
static void refined_cubes_are_cubes(void)
{
    for (int times = 0; times < 3; times++) {
        qn_mesh *mesh = make_cube(2, 0.5), *fine;
        const size_t side = ((size_t)2 << times) + 1;
        if (!CHECK_OK(qn_mesh_refine(mesh, times, &fine))) return;
        CHECK(fine->order == 1 && fine->element_count == (size_t)48 << 3 * times);
        CHECK(fine->node_count == side * side * side);
        CHECK_OK(qn_mesh_check(fine));
        CHECK_NEAR(volume_of(fine), 0.5, 1e-13);
        for (size_t i = 0; i < fine->element_count; i++)
            CHECK_NEAR(qn_mesh_element_volume(fine, i), 0.5 / 48 / (1 << 3 * times), 1e-15);
        for (size_t i = 0; i < 3 * fine->node_count; i++) {
            const double cells = fine->positions[i] * (double)(side - 1) * (i % 3 == 2 ? 2 : 1);
            CHECK(cells == floor(cells) && cells >= 0 && cells <= (double)(side - 1));
        }
        qn_mesh_destroy(&mesh);
        qn_mesh_destroy(&fine);
    }
    qn_mesh *mesh = make_cube(1, 1), *fine;
    CHECK_FAILS(qn_mesh_refine(mesh, -1, &fine), QN_INVALID_ARGUMENT);
    qn_mesh_destroy(&mesh);
}

static void refined_groups_are_parts_of_the_mesh(void)
{
    qn_mesh *mesh = make_plate(), *fine;
    if (!CHECK_OK(qn_mesh_refine(mesh, 2, &fine))) return;
    const qn_mesh_group *groups = fine->groups;
    CHECK(groups[0].element_count == 4 * 16 && groups[0].node_count == 2 * 25);
    CHECK(groups[1].element_count == 4 + 1 && groups[2].element_count == 1);
    CHECK(groups[3].element_count == 3 * 64);
    uint32_t *all = sorted_tetrahedra(fine->elements, fine->element_count);
    uint32_t *part = sorted_tetrahedra(groups[3].elements, groups[3].element_count);
    size_t missing = 0;
    for (size_t i = 0; i < groups[3].element_count; i++)
        missing += !has_tetrahedron(all, fine->element_count, part + 4 * i);
    CHECK(missing == 0);
    free(all);
    free(part);
    qn_mesh_surface surface;
    CHECK_OK(qn_mesh_surface_find(fine, &surface));
    size_t inside = 0;
    for (size_t i = 0; i < groups[0].element_count; i++) {
        const uint32_t *a = groups[0].elements + 3 * i;
        bool found = false;
        for (size_t k = 0; k < surface.triangle_count && !found; k++) {
            const uint32_t *b = surface.triangles + 3 * k;
            for (int turn = 0; turn < 3; turn++)
                found |= a[0] == b[turn] && a[1] == b[(turn + 1) % 3] && a[2] == b[(turn + 2) % 3];
        }
        inside += !found;
    }
    CHECK(inside == 0);
    qn_mesh_surface_clear(&surface);
    qn_mesh_destroy(&mesh);
    qn_mesh_destroy(&fine);
}

/* The octahedron of a flat tetrahedron is split along its short diagonal, whatever the order of the corners. */
static void the_shortest_diagonal_is_chosen(void)
{
    static const uint32_t orders[12][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 0, 3, 2},
                                           {1, 2, 0, 3}, {1, 3, 2, 0}, {2, 0, 1, 3}, {2, 1, 3, 0},
                                           {2, 3, 0, 1}, {3, 0, 2, 1}, {3, 1, 0, 2}, {3, 2, 1, 0}};
    /* edges 01 and 23 cross at a height of 0.1, so the diagonal between their middles is short */
    static const double places[12] = {-1, 0, 0, 1, 0, 0, 0, 1, 0.1, 0, -1, 0.1};
    for (int i = 0; i < 12; i++) {
        qn_mesh *mesh, *fine;
        CHECK_OK(qn_mesh_create(1, places, 4, orders[i], 1, &mesh));
        CHECK(qn_mesh_element_volume(mesh, 0) > 0);
        if (CHECK_OK(qn_mesh_refine(mesh, 1, &fine))) {
            CHECK_OK(qn_mesh_check(fine));
            int around = 0;
            for (size_t k = 0; k < 8; k++) {
                int ends = 0;
                for (int node = 0; node < 4; node++) {
                    const double *place = fine->positions + 3 * fine->elements[4 * k + (size_t)node];
                    ends += place[0] == 0 && place[1] == 0;
                }
                around += ends == 2;
            }
            CHECK(around == 4);
            qn_mesh_destroy(&fine);
        }
        qn_mesh_destroy(&mesh);
    }
}

/* ---- surface ---- */

/* Gauss: the volume inside is a third of the sum of place · normal over the surface. */
static double enclosed_volume(const qn_mesh *mesh, const qn_mesh_surface *surface)
{
    double sum = 0;
    for (size_t i = 0; i < surface->triangle_count; i++) {
        const uint32_t *t = surface->triangles + i * (size_t)surface->triangle_nodes;
        const double *a = mesh->positions + 3 * t[0], *b = mesh->positions + 3 * t[1], *c = mesh->positions + 3 * t[2];
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum / 6;
}

static void surfaces_are_closed(void)
{
    for (int order = 1; order <= 2; order++) {
        qn_mesh *cube = make_cube(3, 1), *mesh;
        qn_mesh_surface surface;
        CHECK_OK(qn_mesh_with_order(cube, order, &mesh));
        if (!CHECK_OK(qn_mesh_surface_find(mesh, &surface))) return;
        CHECK(surface.triangle_nodes == (order == 2 ? 6 : 3));
        CHECK(surface.triangle_count == 12 * 9);
        /* a closed surface of T triangles has 3T/2 edges */
        CHECK(surface.node_count == 64 - 8 + (order == 2 ? 12 * 9 * 3 / 2 : 0));
        CHECK_NEAR(enclosed_volume(mesh, &surface), 1, 1e-14);
        for (size_t i = 0; i < surface.node_count; i++) {
            const double *place = mesh->positions + 3 * surface.nodes[i];
            bool outside = false;
            for (int axis = 0; axis < 3; axis++) outside |= place[axis] == 0 || place[axis] == 1;
            CHECK(outside);
            CHECK(i == 0 || surface.nodes[i - 1] < surface.nodes[i]);
        }
        for (size_t i = 0; order == 2 && i < 3 * surface.triangle_count; i++) {
            static const int sides[3][2] = {{0, 1}, {1, 2}, {0, 2}};
            const uint32_t *t = surface.triangles + i / 3 * 6;
            for (int axis = 0; axis < 3; axis++)
                CHECK_NEAR(mesh->positions[3 * t[3 + i % 3] + (uint32_t)axis],
                           0.5 * (mesh->positions[3 * t[sides[i % 3][0]] + (uint32_t)axis] +
                                  mesh->positions[3 * t[sides[i % 3][1]] + (uint32_t)axis]),
                           1e-15);
        }
        qn_mesh_surface_clear(&surface);
        CHECK(surface.nodes == NULL && surface.triangles == NULL);
        qn_mesh_destroy(&cube);
        qn_mesh_destroy(&mesh);
    }
}

/* ---- refusals ---- */

static void check_refused(qn_mesh *mesh, const char *message)
{
    CHECK_FAILS(qn_mesh_check(mesh), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS(message);
}

static void broken_meshes_are_refused(void)
{
    qn_mesh *mesh = make_cube(2, 1), *second;
    mesh->name = new_name("liver.msh");
    const uint32_t kept = mesh->elements[4 * 7 + 2];
    mesh->elements[4 * 7 + 2] = mesh->elements[4 * 7 + 3];
    check_refused(mesh, "liver.msh: element 8 has node");
    mesh->elements[4 * 7 + 3] = kept; /* now two corners are exchanged */
    check_refused(mesh, "liver.msh: element 8 has volume -0.0208; expected > 0 m³ (1 of 48 elements is inverted)");
    mesh->elements[4 * 7 + 3] = mesh->elements[4 * 7 + 2];
    mesh->elements[4 * 7 + 2] = kept;
    CHECK_OK(qn_mesh_check(mesh));
    mesh->positions[3 * 26 + 1] = NAN;
    check_refused(mesh, "liver.msh: node 27 has y = nan; expected a finite number");
    mesh->positions[3 * 26 + 1] = 1;
    if (CHECK_OK(qn_mesh_with_order(mesh, 2, &second))) {
        const uint32_t middle = second->elements[10 * 5 + 4];
        for (int axis = 0; axis < 3; axis++) second->positions[3 * middle + (uint32_t)axis] += 0.2;
        check_refused(second, "is turned inside out at corner node");
        qn_mesh_destroy(&second);
    }
    /* the first element once more, with its corners turned round, and once as it is */
    const uint32_t last[4] = {mesh->elements[188], mesh->elements[189], mesh->elements[190], mesh->elements[191]};
    const uint32_t first[4] = {mesh->elements[0], mesh->elements[1], mesh->elements[2], mesh->elements[3]};
    const uint32_t turned[4] = {first[0], first[2], first[3], first[1]};
    memcpy(mesh->elements + 188, turned, sizeof turned);
    check_refused(mesh, "liver.msh: elements 1 and 48");
    memcpy(mesh->elements + 188, first, sizeof first);
    check_refused(mesh, "expected one element at each side of a face");
    memcpy(mesh->elements + 188, last, sizeof last);
    CHECK_OK(qn_mesh_check(mesh));
    mesh->element_count = 0;
    check_refused(mesh, "liver.msh: has no elements");
    qn_mesh_destroy(&mesh);
}

/* Two tetrahedra with a common base and their tops at one side of it; and one that has the nodes of another. */
static void overlaps_are_refused(void)
{
    static const double places[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1, 0.1, 0.5};
    static const uint32_t same_side[8] = {0, 1, 2, 3, 0, 1, 2, 4}, same_nodes[8] = {0, 1, 2, 3, 0, 2, 3, 1};
    static const uint32_t third[12] = {0, 1, 2, 3, 0, 2, 1, 5, 0, 1, 2, 4};
    double six[18] = {0};
    qn_mesh *mesh;
    CHECK_OK(qn_mesh_create(1, places, 5, same_side, 2, &mesh));
    check_refused(mesh, "mesh: elements 1 and 2 are at the same side of the face of nodes 1, 2 and 3");
    qn_mesh_destroy(&mesh);
    CHECK_OK(qn_mesh_create(1, places, 4, same_nodes, 2, &mesh));
    check_refused(mesh, "mesh: elements 1 and 2 are at the same side of the face of nodes 1, 2 and 3");
    qn_mesh_destroy(&mesh);
    memcpy(six, places, sizeof places);
    six[17] = -1;
    CHECK_OK(qn_mesh_create(1, six, 6, third, 2, &mesh));
    CHECK_OK(qn_mesh_check(mesh)); /* one at each side */
    qn_mesh_destroy(&mesh);
    CHECK_OK(qn_mesh_create(1, six, 6, third, 3, &mesh));
    check_refused(mesh, "mesh: elements 2 and 3 and a third one share the face of nodes 1, 2 and 3");
    qn_mesh_destroy(&mesh);
}

static void loose_parts_are_refused(void)
{
    double places[24];
    static const uint32_t elements[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    qn_mesh *mesh;
    for (int i = 0; i < 24; i++) places[i] = (i % 12 == 3) + (i % 12 == 7) + (i % 12 == 11) + (i >= 12 ? 5 : 0);
    CHECK_OK(qn_mesh_create(1, places, 8, elements, 2, &mesh));
    check_refused(mesh, "mesh: is in loose parts: the part of element 1 has 1 of the 2 elements, and element 2 is in "
                        "another part; expected one connected part");
    mesh->elements[4] = 3; /* one common node joins them */
    CHECK(qn_mesh_element_volume(mesh, 1) > 0);
    CHECK_OK(qn_mesh_check(mesh));
    qn_mesh_destroy(&mesh);
}

int main(void)
{
    RUN(arrays_are_checked);
    RUN(orders_are_changed);
    RUN(groups_get_the_middles_of_their_edges);
    RUN(refined_cubes_are_cubes);
    RUN(refined_groups_are_parts_of_the_mesh);
    RUN(the_shortest_diagonal_is_chosen);
    RUN(surfaces_are_closed);
    RUN(broken_meshes_are_refused);
    RUN(overlaps_are_refused);
    RUN(loose_parts_are_refused);
    return check_finish();
}
