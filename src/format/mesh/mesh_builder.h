/* A mesh in the making: readers add nodes, tetrahedra and groups in any order, by the numbers of the file.
 *
 *     qn_mesh_builder builder = {.path = path, .scale = 1};
 *     QN_TRY(qn_mesh_builder_node(&builder, 1, place)); …
 *     status = qn_mesh_builder_finish(&builder, &mesh);
 *     qn_mesh_builder_clear(&builder);
 */
#ifndef QN_FORMAT_MESH_MESH_BUILDER_H
#define QN_FORMAT_MESH_MESH_BUILDER_H

#include <quern/mesh.h>
#include <stdbool.h>

enum { QN_MESH_MOST_GROUPS = 4096 };

/* A kind of element. Kinds without nodes are refused by their name. */
typedef struct qn_mesh_kind {
    const char *name;   /* "tetrahedron of 10 nodes" */
    signed char number; /* of the format */
    signed char dimension;
    signed char nodes; /* 0: not read */
    bool swapped;      /* the last two nodes are in the other order than VTK's */
} qn_mesh_kind;

typedef struct qn_mesh_building_group {
    int dimension;
    int64_t tag;
    char *name;             /* NULL: the tag as text */
    void *corners, *others; /* uint64_t labels: dimension + 1 for each element; further nodes */
    size_t element_count, other_count, corner_capacity, other_capacity;
} qn_mesh_building_group;

typedef struct qn_mesh_builder {
    const char *path;
    double scale;
    void *labels, *places; /* uint64_t, double[3] */
    size_t node_count, label_capacity, place_capacity;
    int order;                       /* 0: no tetrahedron yet */
    void *elements, *element_labels; /* uint64_t labels of 4 or 10 nodes; uint64_t */
    size_t element_count, element_capacity, element_label_capacity;
    bool repeats; /* an element in several groups is in the file several times (Gmsh 1 and 2) */
    void *groups; /* qn_mesh_building_group */
    size_t group_count, group_capacity, last_group;
} qn_mesh_builder;

/* `where` stands in messages for the place in the file: ":12". */
QN_MUST_CHECK qn_status qn_mesh_builder_node(qn_mesh_builder *builder, const char *where, int64_t label,
                                             const double place[3]);

/* Add an element to the mesh if it is a tetrahedron, and to a group if `group` ≥ 0. */
QN_MUST_CHECK qn_status qn_mesh_builder_element(qn_mesh_builder *builder, const char *where, int64_t label,
                                                const qn_mesh_kind *kind, const int64_t *nodes);
QN_MUST_CHECK qn_status qn_mesh_builder_group_element(qn_mesh_builder *builder, size_t group, const qn_mesh_kind *kind,
                                                      const int64_t *nodes);

/* Number of a group, which is added at its first use. */
QN_MUST_CHECK qn_status qn_mesh_builder_group(qn_mesh_builder *builder, const char *where, int dimension, int64_t tag,
                                              size_t *group);
/* Add a group with a name of `length` bytes; its tag is its number. */
QN_MUST_CHECK qn_status qn_mesh_builder_named_group(qn_mesh_builder *builder, int dimension, const char *name,
                                                    size_t length, size_t *group);

/* Name a group, if there is one of that dimension and tag. */
QN_MUST_CHECK qn_status qn_mesh_builder_name(qn_mesh_builder *builder, int dimension, int64_t tag, const char *name,
                                             size_t length);

/* Make the mesh. QN_BAD_FORMAT: no tetrahedron, a number of no node, two nodes with one number. */
QN_MUST_CHECK qn_status qn_mesh_builder_finish(qn_mesh_builder *builder, qn_mesh **mesh);
void qn_mesh_builder_clear(qn_mesh_builder *builder);

#endif
