/* Gmsh's MSH formats (Gmsh reference manual, "MSH file format" and "Legacy formats"). Private to the reader's files. */
#ifndef QN_FORMAT_MESH_GMSH_H
#define QN_FORMAT_MESH_GMSH_H

#include "format/mesh/mesh_formats.h"

/* The kind of a type of element; NULL: no such type. */
const qn_mesh_kind *qn_gmsh_kind(int64_t type);

/* Fail with the sentence for a type that no kind has. */
QN_MUST_CHECK qn_status qn_gmsh_unknown_type(const qn_mesh_cursor *cursor, int64_t type);

/* Go to the line after the end of a section that begins with "$…". */
QN_MUST_CHECK qn_status qn_gmsh_skip_section(qn_mesh_cursor *cursor, qn_word section);

/* Take the end of a section, which must come next. */
QN_MUST_CHECK qn_status qn_gmsh_end_section(qn_mesh_cursor *cursor, const char *section);

/* Sections of versions 1 and 2, from the line behind the first one. Nodes are those of $NOD, $Nodes or
 * $ParametricNodes, whose nodes have parameters on their entity too. */
QN_MUST_CHECK qn_status qn_gmsh_legacy_nodes(qn_mesh_cursor *cursor, const char *section, bool binary,
                                             qn_mesh_builder *builder);
QN_MUST_CHECK qn_status qn_gmsh_legacy_elements(qn_mesh_cursor *cursor, bool of_version_1, bool binary,
                                                qn_mesh_builder *builder);

/* Physical groups of version 4: each belongs to an entity, a piece of the geometry, as do the elements. */
typedef struct qn_gmsh_entity {
    int dimension;
    int64_t tag, group;
} qn_gmsh_entity;

typedef struct qn_gmsh_entities {
    void *list; /* qn_gmsh_entity, by dimension and tag; an entity of several groups comes several times */
    size_t count, capacity;
    bool is_read;
} qn_gmsh_entities;

QN_MUST_CHECK qn_status qn_gmsh_entities_read(qn_mesh_cursor *cursor, qn_gmsh_entities *entities);
void qn_gmsh_entities_clear(qn_gmsh_entities *entities);

/* Sections of version 4.1, likewise. */
QN_MUST_CHECK qn_status qn_gmsh4_nodes(qn_mesh_cursor *cursor, qn_mesh_builder *builder);
QN_MUST_CHECK qn_status qn_gmsh4_elements(qn_mesh_cursor *cursor, const qn_gmsh_entities *entities,
                                          qn_mesh_builder *builder);

#endif
