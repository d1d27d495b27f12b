/* Files of one box by Gmsh, meshio and VTK in all forms give the same mesh, which is read here from the text of VTK's
 * files with scanf; cut files are refused. */
#include <math.h>
#include <zlib.h>

#include "format/mesh/tests/mesh_text.h"

/* The points and tetrahedra of a legacy VTK text. */
typedef struct box {
    int point_count, tetrahedron_count, corners;
    double points[200][3];
    int tetrahedra[100][10];
} box;

static int skip_to(FILE *file, const char *word)
{
    char line[256];
    while (fgets(line, sizeof line, file))
        if (strncmp(line, word, strlen(word)) == 0) return atoi(line + strlen(word));
    return -1;
}

static void read_box(const char *name, int corners, box *b)
{
    FILE *file = fopen(check_data(name), "r");
    *b = (box){.corners = corners};
    b->point_count = skip_to(file, "POINTS ");
    for (int i = 0; i < b->point_count; i++)
        CHECK(fscanf(file, "%lf %lf %lf ", &b->points[i][0], &b->points[i][1], &b->points[i][2]) == 3);
    const int cells = skip_to(file, "CELLS ");
    for (int cell = 0; cell < cells; cell++) {
        int count = 0, nodes[10];
        CHECK(fscanf(file, "%d", &count) == 1 && count >= 1 && count <= 10);
        for (int i = 0; i < count; i++) CHECK(fscanf(file, "%d", &nodes[i]) == 1);
        if (count == corners) memcpy(b->tetrahedra[b->tetrahedron_count++], nodes, (size_t)count * sizeof *nodes);
    }
    fclose(file);
}

static void check_same(const char *name, const box *b, const qn_mesh *mesh)
{
    int different = 0;
    CHECK(mesh->order == (b->corners == 10 ? 2 : 1));
    CHECK((int)mesh->node_count == b->point_count && (int)mesh->element_count == b->tetrahedron_count);
    if ((int)mesh->node_count != b->point_count || (int)mesh->element_count != b->tetrahedron_count) return;
    for (int i = 0; i < b->point_count; i++)
        for (int axis = 0; axis < 3; axis++) /* meshio writes 11 digits as text, VTK 6 */
            different += fabs(mesh->positions[3 * i + axis] - b->points[i][axis]) > 1e-8;
    for (int i = 0; i < b->tetrahedron_count; i++)
        for (int node = 0; node < b->corners; node++)
            different += (int)mesh->elements[i * b->corners + node] != b->tetrahedra[i][node];
    if (!CHECK(different == 0)) printf("  %d numbers of %s differ\n", different, name);
}

static const char *const linear[] = {
    "box_1.msh",
    "box_22.msh",
    "box_22_binary.msh",
    "box_22_swapped.msh",
    "box_22_parametric.msh",
    "box_22_parametric_binary.msh",
    "box_41.msh",
    "box_41_binary.msh",
    "box_41_swapped.msh",
    "box_41_parametric.msh",
    "box_41_parametric_binary.msh",
    "box_41_parametric_swapped.msh",
    "box_meshio.msh",
    "box.vtk",
    "box_binary.vtk",
    "box_meshio.vtk",
    "box_meshio_binary.vtk",
    "box_meshio_42.vtk",
    "box_vtk_42.vtk",
    "box_vtk_51.vtk",
    "box_meshio.vtu",
    "box_meshio_binary.vtu",
    "box_meshio_zlib.vtu",
    "box_vtk_ascii.vtu",
    "box_vtk_inline.vtu",
    "box_vtk_inline_zlib.vtu",
    "box_vtk_raw.vtu",
    "box_vtk_raw_zlib.vtu",
    "box_vtk_raw_big.vtu",
    "box_vtk_base64.vtu",
    "box_vtk_base64_zlib.vtu",
};
static const char *const quadratic[] = {
    "box2_22.msh",
    "box2_41.msh",
    "box2_41_binary.msh",
    "box2.vtk",
    "box2_meshio.vtk",
    "box2_meshio_binary.vtk",
    "box2_vtk_51.vtk",
    "box2_meshio.vtu",
    "box2_meshio_zlib.vtu",
    "box2_meshio_binary.vtu",
    "box2_vtk_ascii.vtu",
    "box2_vtk_raw.vtu",
    "box2_vtk_base64_zlib.vtu",
};
enum { LINEAR = sizeof linear / sizeof *linear, QUADRATIC = sizeof quadratic / sizeof *quadratic };

static qn_mesh *read_data(const char *name)
{
    char path[64];
    qn_mesh *mesh = NULL;
    snprintf(path, sizeof path, "mesh/%s", name);
    if (!CHECK_OK(qn_mesh_read(check_data(path), 1, &mesh))) printf("  %s: %s\n", name, qn_error_message());
    return mesh;
}

static bool is_gmsh(const char *name)
{
    return strstr(name, ".msh") != NULL;
}

static void every_form_gives_the_same_mesh(void)
{
    static box b;
    read_box("mesh/box.vtk", 4, &b);
    CHECK(b.point_count == 22 && b.tetrahedron_count == 42);
    for (int i = 0; i < LINEAR; i++) {
        qn_mesh *mesh = read_data(linear[i]);
        if (!mesh) continue;
        check_same(linear[i], &b, mesh);
        CHECK_OK(qn_mesh_check(mesh));
        CHECK(mesh->node_labels[0] == (is_gmsh(linear[i]) ? 1 : 0));
        CHECK(strstr(mesh->name, linear[i]) != NULL);
        double volume = 0;
        for (size_t k = 0; k < mesh->element_count; k++) volume += qn_mesh_element_volume(mesh, k);
        CHECK_NEAR(volume, 0.04 * 0.02 * 0.01, 1e-12);
        qn_mesh_destroy(&mesh);
    }
}

/* The edges are straight, so each middle node is halfway between the corners of its edge: this tells Gmsh's order of
 * the last two from VTK's. */
static void quadratic_elements_have_vtk_order(void)
{
    static box b;
    read_box("mesh/box2.vtk", 10, &b);
    CHECK(b.point_count == 105 && b.tetrahedron_count == 42);
    for (int i = 0; i < QUADRATIC; i++) {
        qn_mesh *mesh = read_data(quadratic[i]);
        if (!mesh) continue;
        check_same(quadratic[i], &b, mesh);
        CHECK_OK(qn_mesh_check(mesh));
        double error = 0;
        for (size_t k = 0; k < 6 * mesh->element_count; k++) {
            const uint32_t *nodes = mesh->elements + k / 6 * 10;
            const double *middle = mesh->positions + 3 * nodes[4 + k % 6];
            const double *first = mesh->positions + 3 * nodes[qn_mesh_edges[k % 6][0]];
            const double *second = mesh->positions + 3 * nodes[qn_mesh_edges[k % 6][1]];
            for (int axis = 0; axis < 3; axis++)
                error = fmax(error, fabs(middle[axis] - 0.5 * (first[axis] + second[axis])));
        }
        CHECK_NEAR(error, 0, 1e-8);
        qn_mesh_destroy(&mesh);
    }
}

/* ---- groups ---- */

typedef struct expected_group {
    const char *name;
    int dimension, elements;
    size_t nodes[2]; /* in order 1 and 2 */
} expected_group;

static void check_groups(const char *name, const qn_mesh *mesh, const expected_group *expected, size_t count)
{
    if (!CHECK(mesh->group_count == count)) {
        printf("  %s has %zu groups\n", name, mesh->group_count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        size_t found = 0;
        for (size_t k = 0; k < count; k++) {
            const qn_mesh_group *group = &mesh->groups[k];
            if (strcmp(group->name, expected[i].name) != 0 || group->dimension != expected[i].dimension) continue;
            found++;
            CHECK((int)group->element_count == expected[i].elements);
            CHECK(group->node_count == expected[i].nodes[mesh->order - 1]);
            for (size_t n = 1; n < group->node_count; n++) CHECK(group->nodes[n - 1] < group->nodes[n]);
        }
        if (!CHECK(found == 1)) printf("  %s: group %s is there %zu times\n", name, expected[i].name, found);
    }
}

/* The mesh of the left and of the right end is 4 triangles around a node: 5 nodes, 13 with the middles of 8 edges. */
static void groups_have_their_elements_and_nodes(void)
{
    static const expected_group by_gmsh[] = {{"corner", 0, 1, {1, 1}},    {"edge", 1, 1, {2, 3}},
                                             {"left end", 2, 4, {5, 13}}, {"ends", 2, 8, {10, 26}},
                                             {"body", 3, 42, {22, 105}},  {"all", 3, 42, {22, 105}}};
    static const expected_group by_number[] = {{"4", 0, 1, {1, 1}},   {"3", 1, 1, {2, 3}},     {"1", 2, 4, {5, 13}},
                                               {"2", 2, 8, {10, 26}}, {"7", 3, 42, {22, 105}}, {"8", 3, 42, {22, 105}}};
    static const expected_group by_value[] = {{"CellEntityIds=4", 0, 1, {1, 1}},
                                              {"CellEntityIds=3", 1, 1, {2, 3}},
                                              {"CellEntityIds=1", 2, 4, {5, 13}},
                                              {"CellEntityIds=2", 2, 4, {5, 13}},
                                              {"CellEntityIds=7", 3, 42, {22, 105}}};
    for (int i = 0; i < LINEAR + QUADRATIC; i++) {
        const char *name = i < LINEAR ? linear[i] : quadratic[i - LINEAR];
        qn_mesh *mesh = read_data(name);
        if (!mesh) continue;
        if (strcmp(name, "box_meshio.msh") == 0)
            CHECK(mesh->group_count == 0);
        else if (strcmp(name, "box_1.msh") == 0)
            check_groups(name, mesh, by_number, 6);
        else if (is_gmsh(name))
            check_groups(name, mesh, by_gmsh, 6);
        else
            check_groups(name, mesh, by_value, 5);
        qn_mesh_destroy(&mesh);
    }
}

/* ---- scale, gzip, cut files ---- */

static void positions_are_scaled(void)
{
    qn_mesh *mesh;
    double largest = 0;
    if (!CHECK_OK(qn_mesh_read(check_data("mesh/box_22.msh"), 0.001, &mesh))) return;
    for (size_t i = 0; i < 3 * mesh->node_count; i++) largest = fmax(largest, mesh->positions[i]);
    CHECK_NEAR(largest, 4e-5, 1e-18);
    qn_mesh_destroy(&mesh);
    CHECK_FAILS(qn_mesh_read(check_data("mesh/box_22.msh"), 0, &mesh), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_mesh_read(check_data("mesh/box_22.msh"), NAN, &mesh), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("scale nan of a mesh");
    CHECK_FAILS(qn_mesh_read("no/such.msh", 1, &mesh), QN_NOT_FOUND);
}

static void gzipped_files_are_read(void)
{
    static const char *const names[] = {"mesh/box_41_binary.msh", "mesh/box_vtk_raw.vtu", "mesh/box.vtk"};
    char path[512];
    for (int i = 0; i < 3; i++) {
        size_t size;
        qn_mesh *mesh;
        char *data = whole_file(check_data(names[i]), &size);
        snprintf(path, sizeof path, "%s/box.gz", check_scratch_folder());
        gzFile file = gzopen(path, "wb");
        gzwrite(file, data, (unsigned)size);
        gzclose(file);
        free(data);
        if (!CHECK_OK(qn_mesh_read(path, 1, &mesh))) continue;
        CHECK(mesh->node_count == 22 && mesh->element_count == 42);
        qn_mesh_destroy(&mesh);
    }
}

/* A cut file is refused, or has lost nothing but what follows the mesh. */
static void cut_files_are_refused(void)
{
    for (int i = 0; i < LINEAR; i++) {
        char path[64];
        size_t size, whole = 0, cuts = 0;
        snprintf(path, sizeof path, "mesh/%s", linear[i]);
        char *data = whole_file(check_data(path), &size);
        for (size_t length = size - 1; length > 0; length = length > 61 ? length - 61 : 0, cuts++) {
            qn_mesh *mesh;
            const qn_status status = qn_mesh_read(bytes_file("cut", data, length), 1, &mesh);
            CHECK(status == QN_OK || status == QN_BAD_FORMAT);
            CHECK((status == QN_OK) == (mesh != NULL));
            if (!mesh) continue;
            whole++;
            CHECK(mesh->node_count == 22 && mesh->element_count == 42);
            qn_mesh_destroy(&mesh);
        }
        free(data);
        /* VTK's cells have values behind them, and XML has tags behind appended data */
        CHECK(whole <= (is_gmsh(linear[i]) ? 1 : cuts / 4));
    }
}

/* The held end is the plane x = 0, and all triangles of groups are of the surface. */
static void the_example_is_a_body(void)
{
    qn_mesh *mesh;
    qn_mesh_surface surface;
    if (!CHECK_OK(qn_mesh_read(check_data("../../examples/deform/lobe.msh"), 1, &mesh))) return;
    CHECK_OK(qn_mesh_check(mesh));
    CHECK_OK(qn_mesh_surface_find(mesh, &surface));
    CHECK(mesh->group_count == 3);
    for (size_t i = 0; i < mesh->group_count; i++) {
        const qn_mesh_group *group = &mesh->groups[i];
        size_t found = 0;
        for (size_t k = 0; group->dimension == 2 && k < group->element_count * surface.triangle_count; k++) {
            const uint32_t *a = group->elements + k / surface.triangle_count * 3;
            const uint32_t *b = surface.triangles + k % surface.triangle_count * 3;
            for (int turn = 0; turn < 3; turn++)
                found += a[0] == b[turn] && a[1] == b[(turn + 1) % 3] && a[2] == b[(turn + 2) % 3];
        }
        CHECK(group->dimension == 3 || found == group->element_count);
        for (size_t k = 0; strcmp(group->name, "held") == 0 && k < group->node_count; k++)
            CHECK(mesh->positions[3 * group->nodes[k]] == 0);
    }
    qn_mesh_surface_clear(&surface);
    qn_mesh_destroy(&mesh);
}

static void meshes_of_livers_are_read(void)
{
    static const struct {
        const char *name;
        size_t nodes, elements, group_count;
        double volume;
    } livers[] = {{"haptic/liver_tet_small.msh", 357, 1753, 1, 1.4293e-3},
                  {"haptic/liver_tet_large.msh", 1762, 10565, 1, 1.4293e-3},
                  {"haptic/sofa_liver.msh", 181, 596, 1, 0},
                  {"haptic/sofa_liver2.msh", 507, 1493, 3, 0}};
    for (int i = 0; i < 4; i++) {
        const char *path = check_reference_data(livers[i].name);
        qn_mesh *mesh;
        if (!path) return;
        if (!CHECK_OK(qn_mesh_read(path, 1, &mesh))) continue;
        CHECK(mesh->node_count == livers[i].nodes && mesh->element_count == livers[i].elements);
        CHECK(mesh->group_count == livers[i].group_count);
        CHECK_OK(qn_mesh_check(mesh));
        double volume = 0;
        for (size_t k = 0; k < mesh->element_count; k++) volume += qn_mesh_element_volume(mesh, k);
        if (livers[i].volume > 0) CHECK_NEAR(volume, livers[i].volume, 5e-8);
        qn_mesh_destroy(&mesh);
    }
}

int main(void)
{
    RUN(every_form_gives_the_same_mesh);
    RUN(quadratic_elements_have_vtk_order);
    RUN(groups_have_their_elements_and_nodes);
    RUN(positions_are_scaled);
    RUN(gzipped_files_are_read);
    RUN(cut_files_are_refused);
    RUN(the_example_is_a_body);
    RUN(meshes_of_livers_are_read);
    return check_finish();
}
