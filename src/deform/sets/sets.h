/* Sets of a mesh's nodes, in the words of users:
 *
 *     nodes:1,5-9               numbers of nodes in the file
 *     x<0.02                    nodes of the surface; also y and z, >, <= and >=
 *     box:x0:x1,y0:y1,z0:z1     nodes of the surface in a box
 *     near:x,y,z,r              nodes of the surface within r of a place
 *     tag:NAME                  nodes of a group of the file; tag:2:NAME of the one of triangles, where several have it
 *     a&b                       nodes that are in both
 *
 * Lengths are in metre. In order 2 a place decides about corners; a middle belongs to a set of places when it lies in a
 * triangle of the surface whose three corners are in the set, so that a patch has whole triangles. */
#ifndef QN_DEFORM_SETS_SETS_H
#define QN_DEFORM_SETS_SETS_H

#include "model/mesh.h"

/* Find the nodes of a set. `option` goes into messages: "--fix". *nodes are ascending indices, released with
 * qn_release. QN_INVALID_ARGUMENT: a word that is not of the language, no such node or group, no node at all; the
 * message then says where the surface is, or what each part of an intersection holds. */
QN_MUST_CHECK qn_status qn_node_set_find(const qn_mesh *mesh, const qn_mesh_surface *surface, const char *text,
                                         const char *option, uint32_t **nodes, size_t *count);

#endif
