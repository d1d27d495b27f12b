/* Writing a mesh with values at its nodes and elements as VTK's XML format: arrays are appended as raw bytes.
 *
 *     const qn_vtu_array moved = {.name = "displacement", .type = QN_VTU_FLOAT64, .components = 3, .values = u};
 *     QN_TRY(qn_vtu_write("state.vtu", mesh, &moved, 1, NULL, 0));
 */
#ifndef QN_FORMAT_MESH_VTU_WRITE_H
#define QN_FORMAT_MESH_VTU_WRITE_H

#include <quern/mesh.h>

typedef enum qn_vtu_number { QN_VTU_FLOAT32, QN_VTU_FLOAT64, QN_VTU_INT32 } qn_vtu_number;

/* Values at all nodes, or at all elements. A tensor has 9 components, row by row. */
typedef struct qn_vtu_array {
    const char *name;
    qn_vtu_number type;
    int components; /* 1, 3 or 9 */
    const void *values;
} qn_vtu_array;

/* Write mesh and arrays; positions are in double precision. The file is complete or not there at all. Errors: those of
 * qn_file_write; QN_INVALID_ARGUMENT: an array without a name, with the name of another, or with another number of
 * components. */
QN_MUST_CHECK qn_status qn_vtu_write(const char *path, const qn_mesh *mesh, const qn_vtu_array *at_nodes,
                                     size_t at_nodes_count, const qn_vtu_array *at_elements, size_t at_elements_count);

#endif
