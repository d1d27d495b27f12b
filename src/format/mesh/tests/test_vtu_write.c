/* Meshes and arrays written as VTU: read back here; `write FOLDER` leaves files for tests/format/check_meshio.sh. */
#include "format/mesh/vtu_write.h"

#include "base/memory.h"
#include "format/mesh/tests/mesh_text.h"

enum { ARRAYS = 4 };

/* Arrays of every type and number of components; values are node or element × 10 + component + 0.5, whole for int. */
static void make_arrays(size_t count, qn_vtu_array arrays[ARRAYS])
{
    static const char *const names[ARRAYS] = {"stress & \"strain\" <9>", "displacement", "part", "energy"};
    static const int components[ARRAYS] = {9, 3, 1, 1};
    static const qn_vtu_number types[ARRAYS] = {QN_VTU_FLOAT64, QN_VTU_FLOAT32, QN_VTU_INT32, QN_VTU_FLOAT64};
    for (int i = 0; i < ARRAYS; i++) {
        const size_t numbers = count * (size_t)components[i];
        void *values = malloc((numbers + 1) * sizeof(double));
        for (size_t k = 0; k < numbers; k++) {
            const size_t whole = k / (size_t)components[i] * 10 + k % (size_t)components[i];
            if (types[i] == QN_VTU_FLOAT64)
                ((double *)values)[k] = (double)whole + 0.5;
            else if (types[i] == QN_VTU_FLOAT32)
                ((float *)values)[k] = (float)whole + 0.5F;
            else
                ((int32_t *)values)[k] = (int32_t)whole % 30;
        }
        arrays[i] = (qn_vtu_array){names[i], types[i], components[i], values};
    }
}

static void free_arrays(qn_vtu_array arrays[ARRAYS])
{
    for (int i = 0; i < ARRAYS; i++) free((void *)arrays[i].values);
}

static void write_box(const char *source, const char *path, qn_mesh **mesh)
{
    qn_vtu_array at_nodes[ARRAYS], at_elements[ARRAYS];
    if (!CHECK_OK(qn_mesh_read(check_data(source), 1, mesh))) return;
    make_arrays((*mesh)->node_count, at_nodes);
    make_arrays((*mesh)->element_count, at_elements);
    CHECK_OK(qn_vtu_write(path, *mesh, at_nodes, ARRAYS, at_elements, ARRAYS));
    free_arrays(at_nodes);
    free_arrays(at_elements);
}

static void written_meshes_are_read(void)
{
    static const char *const sources[] = {"mesh/box_22.msh", "mesh/box2_22.msh"};
    char path[512];
    snprintf(path, sizeof path, "%s/box.vtu", check_scratch_folder());
    for (int i = 0; i < 2; i++) {
        qn_mesh *mesh = NULL, *back;
        write_box(sources[i], path, &mesh);
        if (!mesh || !CHECK_OK(qn_mesh_read(path, 1, &back))) continue;
        CHECK(back->order == mesh->order && back->node_count == mesh->node_count);
        CHECK(back->element_count == mesh->element_count);
        CHECK(memcmp(back->positions, mesh->positions, 3 * mesh->node_count * sizeof(double)) == 0);
        CHECK(memcmp(back->elements, mesh->elements,
                     mesh->element_count * (size_t)qn_mesh_element_nodes(mesh) * sizeof(uint32_t)) == 0);
        /* the array of whole numbers has 0, 10 and 20 */
        CHECK(back->group_count == 3);
        for (size_t k = 0; k < back->group_count; k++) CHECK(back->groups[k].element_count == 42 / 3);
        CHECK_TEXT(back->groups[1].name, "part=10");
        qn_mesh_destroy(&mesh);
        qn_mesh_destroy(&back);
    }
}

static void faulty_arrays_are_refused(void)
{
    static const double values[100] = {0};
    char path[512];
    qn_mesh *mesh;
    size_t size;
    snprintf(path, sizeof path, "%s/never.vtu", check_scratch_folder());
    if (!CHECK_OK(qn_mesh_read(check_data("mesh/box_22.msh"), 1, &mesh))) return;
    const qn_vtu_array unnamed = {"", QN_VTU_FLOAT64, 1, values}, two = {"two", QN_VTU_FLOAT64, 2, values};
    const qn_vtu_array twice[2] = {{"same", QN_VTU_FLOAT64, 1, values}, {"same", QN_VTU_FLOAT64, 3, values}};
    CHECK_FAILS(qn_vtu_write(path, mesh, &unnamed, 1, NULL, 0), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("array 1 has no name");
    CHECK_FAILS(qn_vtu_write(path, mesh, NULL, 0, &two, 1), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("array \"two\" has 2 components; expected 1, 3 or 9");
    CHECK_FAILS(qn_vtu_write(path, mesh, twice, 2, NULL, 0), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("two arrays have the name \"same\"");
    CHECK(fopen(path, "r") == NULL);
    CHECK_FAILS(qn_vtu_write("/no/such/folder/a.vtu", mesh, NULL, 0, NULL, 0), QN_NOT_FOUND);
    /* the same mesh gives the same bytes */
    char *first, *second;
    CHECK_OK(qn_vtu_write(path, mesh, NULL, 0, NULL, 0));
    first = whole_file(path, &size);
    CHECK_OK(qn_vtu_write(path, mesh, NULL, 0, NULL, 0));
    second = whole_file(path, &size);
    CHECK(memcmp(first, second, size) == 0);
    free(first);
    free(second);
    qn_mesh_destroy(&mesh);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "write") == 0) {
        static const char *const sources[][2] = {{"mesh/box_22.msh", "box.vtu"}, {"mesh/box2_22.msh", "box2.vtu"}};
        for (int i = 0; i < 2; i++) {
            char path[512];
            qn_mesh *mesh = NULL;
            snprintf(path, sizeof path, "%s/%s", argv[2], sources[i][1]);
            write_box(sources[i][0], path, &mesh);
            qn_mesh_destroy(&mesh);
        }
        return check_finish();
    }
    RUN(written_meshes_are_read);
    RUN(faulty_arrays_are_refused);
    return check_finish();
}
