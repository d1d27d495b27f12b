#include "format/mesh/vtu_write.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/written_file.h"

/* Numbers of the file have this machine's order of bytes. */
static const char *byte_order(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1 ? "LittleEndian" : "BigEndian";
}

static size_t bytes_of(const qn_vtu_array *array)
{
    return (array->type == QN_VTU_FLOAT64 ? 8 : 4) * (size_t)array->components;
}

static qn_status append_name(qn_text *xml, const char *name)
{
    for (; *name; name++) {
        const char *reference = *name == '&' ? "&amp;" : *name == '<' ? "&lt;" : *name == '"' ? "&quot;" : NULL;
        QN_TRY(reference ? qn_text_append(xml, "%s", reference) : qn_text_append_bytes(xml, name, 1));
    }
    return QN_OK;
}

/* Declare an array at *offset, and move *offset behind its data: 8 bytes of the size, then the values. */
static qn_status declare(qn_text *xml, const char *type, const char *name, int components, size_t bytes,
                         uint64_t *offset)
{
    QN_TRY(qn_text_append(xml, "        <DataArray type=\"%s\" Name=\"", type));
    QN_TRY(append_name(xml, name));
    QN_TRY(qn_text_append(xml, "\""));
    /* stated for one component too, readers make a matrix of one column of it */
    if (components > 1) QN_TRY(qn_text_append(xml, " NumberOfComponents=\"%d\"", components));
    QN_TRY(qn_text_append(xml, " format=\"appended\" offset=\"%" PRIu64 "\"/>\n", *offset));
    *offset += 8 + bytes;
    return QN_OK;
}

static qn_status declare_arrays(qn_text *xml, const char *section, const qn_vtu_array *arrays, size_t array_count,
                                size_t count, uint64_t *offset)
{
    static const char *const types[] = {
        [QN_VTU_FLOAT32] = "Float32", [QN_VTU_FLOAT64] = "Float64", [QN_VTU_INT32] = "Int32"};
    QN_TRY(qn_text_append(xml, "      <%s>\n", section));
    for (size_t i = 0; i < array_count; i++)
        QN_TRY(declare(xml, types[arrays[i].type], arrays[i].name, arrays[i].components, count * bytes_of(&arrays[i]),
                       offset));
    return qn_text_append(xml, "      </%s>\n", section);
}

typedef struct vtu_content {
    const qn_mesh *mesh;
    const qn_vtu_array *at_nodes, *at_elements;
    size_t at_nodes_count, at_elements_count;
} vtu_content;

static qn_status append_xml(const vtu_content *content, qn_text *xml)
{
    const size_t nodes = content->mesh->node_count, elements = content->mesh->element_count;
    const size_t stride = (size_t)qn_mesh_element_nodes(content->mesh);
    uint64_t offset = 0;
    QN_TRY(qn_text_append(xml,
                          "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
                          "byte_order=\"%s\" header_type=\"UInt64\">\n  <UnstructuredGrid>\n"
                          "    <Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n",
                          byte_order(), nodes, elements));
    QN_TRY(declare_arrays(xml, "PointData", content->at_nodes, content->at_nodes_count, nodes, &offset));
    QN_TRY(declare_arrays(xml, "CellData", content->at_elements, content->at_elements_count, elements, &offset));
    QN_TRY(qn_text_append(xml, "      <Points>\n"));
    QN_TRY(declare(xml, "Float64", "Points", 3, nodes * 3 * sizeof(double), &offset));
    QN_TRY(qn_text_append(xml, "      </Points>\n      <Cells>\n"));
    QN_TRY(declare(xml, "Int64", "connectivity", 1, elements * stride * sizeof(int64_t), &offset));
    QN_TRY(declare(xml, "Int64", "offsets", 1, elements * sizeof(int64_t), &offset));
    QN_TRY(declare(xml, "UInt8", "types", 1, elements, &offset));
    return qn_text_append(xml,
                          "      </Cells>\n    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_");
}

/* ---- data ---- */

static qn_status write_size(qn_written_file *file, uint64_t bytes)
{
    return qn_written_file_write(file, &bytes, sizeof bytes);
}

static qn_status write_arrays(qn_written_file *file, const qn_vtu_array *arrays, size_t array_count, size_t count)
{
    for (size_t i = 0; i < array_count; i++) {
        QN_TRY(write_size(file, count * bytes_of(&arrays[i])));
        QN_TRY(qn_written_file_write(file, arrays[i].values, count * bytes_of(&arrays[i])));
    }
    return QN_OK;
}

/* `numbers` has room for the connectivity. */
static qn_status write_cells(qn_written_file *file, const qn_mesh *mesh, int64_t *numbers)
{
    const size_t stride = (size_t)qn_mesh_element_nodes(mesh), count = mesh->element_count;
    for (size_t i = 0; i < stride * count; i++) numbers[i] = mesh->elements[i];
    QN_TRY(write_size(file, stride * count * sizeof *numbers));
    QN_TRY(qn_written_file_write(file, numbers, stride * count * sizeof *numbers));
    for (size_t i = 0; i < count; i++) numbers[i] = (int64_t)(stride * (i + 1));
    QN_TRY(write_size(file, count * sizeof *numbers));
    QN_TRY(qn_written_file_write(file, numbers, count * sizeof *numbers));
    memset(numbers, mesh->order == 2 ? 24 : 10, count); /* quadratic tetrahedron, tetrahedron */
    QN_TRY(write_size(file, count));
    return qn_written_file_write(file, numbers, count);
}

static qn_status write_all(qn_written_file *file, const vtu_content *content, const qn_text *xml)
{
    static const char end[] = "\n  </AppendedData>\n</VTKFile>\n";
    const qn_mesh *mesh = content->mesh;
    void *numbers;
    QN_TRY(qn_written_file_write(file, xml->data, xml->length));
    QN_TRY(write_arrays(file, content->at_nodes, content->at_nodes_count, mesh->node_count));
    QN_TRY(write_arrays(file, content->at_elements, content->at_elements_count, mesh->element_count));
    QN_TRY(write_size(file, mesh->node_count * 3 * sizeof(double)));
    QN_TRY(qn_written_file_write(file, mesh->positions, mesh->node_count * 3 * sizeof(double)));
    QN_TRY(qn_allocate(mesh->element_count * (size_t)qn_mesh_element_nodes(mesh), sizeof(int64_t), &numbers));
    const qn_status status = write_cells(file, mesh, numbers);
    qn_release(&numbers);
    QN_TRY(status);
    return qn_written_file_write(file, end, sizeof end - 1);
}

/* ---- all ---- */

static qn_status check_arrays(const char *path, const qn_vtu_array *arrays, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!arrays[i].name || !arrays[i].name[0])
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s: array %zu has no name; expected one", path, i + 1);
        if (arrays[i].components != 1 && arrays[i].components != 3 && arrays[i].components != 9)
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s: array \"%s\" has %d components; expected 1, 3 or 9", path,
                           arrays[i].name, arrays[i].components);
        for (size_t k = 0; k < i; k++)
            if (strcmp(arrays[i].name, arrays[k].name) == 0)
                return QN_FAIL(QN_INVALID_ARGUMENT, "%s: two arrays have the name \"%s\"; expected different names",
                               path, arrays[i].name);
    }
    return QN_OK;
}

qn_status qn_vtu_write(const char *path, const qn_mesh *mesh, const qn_vtu_array *at_nodes, size_t at_nodes_count,
                       const qn_vtu_array *at_elements, size_t at_elements_count)
{
    const vtu_content content = {mesh, at_nodes, at_elements, at_nodes_count, at_elements_count};
    qn_written_file file;
    qn_text xml = {0};
    QN_TRY(check_arrays(path, at_nodes, at_nodes_count));
    QN_TRY(check_arrays(path, at_elements, at_elements_count));
    qn_status status = append_xml(&content, &xml);
    if (status == QN_OK) {
        status = qn_written_file_open(path, false, &file);
        if (status == QN_OK) {
            status = write_all(&file, &content, &xml);
            if (status == QN_OK) status = qn_written_file_finish(&file);
            if (status != QN_OK) qn_written_file_discard(&file);
        }
    }
    qn_text_clear(&xml);
    return status;
}
