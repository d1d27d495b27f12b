/* The forms of mesh files. Each reader starts at the beginning of the file. */
#ifndef QN_FORMAT_MESH_MESH_FORMATS_H
#define QN_FORMAT_MESH_MESH_FORMATS_H

#include "format/mesh/mesh_builder.h"
#include "format/mesh/mesh_cursor.h"

/* Gmsh's MSH of all versions; the header chooses one of the other three. */
QN_MUST_CHECK qn_status qn_gmsh_read(qn_mesh_cursor *cursor, qn_mesh_builder *builder);

/* VTK's legacy format, and the XML format of unstructured grids. */
QN_MUST_CHECK qn_status qn_vtk_legacy_read(qn_mesh_cursor *cursor, qn_mesh_builder *builder);
QN_MUST_CHECK qn_status qn_vtu_read(qn_mesh_cursor *cursor, qn_mesh_builder *builder);

#endif
