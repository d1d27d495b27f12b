/* The unstructured grid of VTK's formats ("VTK File Formats", The VTK User's Guide): points, cells as offsets into a
 * list of points, types of cells, arrays with a value for each cell. Points and cells are numbered from 0. Private to
 * the readers of VTK's formats. */
#ifndef QN_FORMAT_MESH_VTK_GRID_H
#define QN_FORMAT_MESH_VTK_GRID_H

#include "format/mesh/mesh_formats.h"

typedef struct qn_vtk_type {
    const char *name;
    int bytes; /* 0: values that are not read */
    bool is_real, is_unsigned;
} qn_vtk_type;

/* The type of a name, whatever the case of its letters; NULL: none of the table, which ends with a name of NULL. */
const qn_vtk_type *qn_vtk_type_find(const qn_vtk_type *types, qn_word name);

/* Values that come next. */
typedef struct qn_vtk_values {
    qn_mesh_cursor *cursor;
    const qn_vtk_type *type;
    size_t count;
} qn_vtk_values;

/* Check that the file has room for the values; `what` they are goes into messages: "the points". */
QN_MUST_CHECK qn_status qn_vtk_check_room(const qn_vtk_values *values, const char *what);

/* Read all values as whole numbers; *numbers is released with qn_release. */
QN_MUST_CHECK qn_status qn_vtk_read_wholes(const qn_vtk_values *values, const char *what, int64_t **numbers);

/* Add a node for every three values. */
QN_MUST_CHECK qn_status qn_vtk_read_points(const qn_vtk_values *values, qn_mesh_builder *builder);

typedef struct qn_vtk_grid {
    size_t cell_count, connectivity_count;
    int64_t *connectivity; /* numbers of points */
    int64_t *ends;         /* of each cell in the connectivity: cell_count */
    int64_t *types;
} qn_vtk_grid;

/* Add the elements of the grid, whose arrays are complete. */
QN_MUST_CHECK qn_status qn_vtk_add_cells(const qn_vtk_grid *grid, qn_mesh_builder *builder);

/* Make groups of the cells with equal values, unless there are more than 256 different values. */
QN_MUST_CHECK qn_status qn_vtk_add_groups(const qn_vtk_grid *grid, const char *name, size_t length,
                                          const int64_t *values, qn_mesh_builder *builder);

void qn_vtk_grid_clear(qn_vtk_grid *grid);

#endif
