/* Bodies of boxes, for tests of the public functions. */
#ifndef QN_TESTS_BAR_H
#define QN_TESTS_BAR_H

#include <quern/mesh.h>
#include <stdio.h>

#include "base/memory.h"

/* A box of cells, each of six tetrahedra around its diagonal, whose points `bend` may move. */
typedef struct bar_shape {
    int cells[3];
    double size[3];                /* m */
    void (*bend)(double place[3]); /* NULL: it stays straight */
} bar_shape;

static uint32_t bar_node(const bar_shape *shape, int i, int j, int k)
{
    return (uint32_t)(i + (shape->cells[0] + 1) * (j + (shape->cells[1] + 1) * k));
}

static void bar_place(const bar_shape *shape, int i, int j, int k, double place[3])
{
    const int at[3] = {i, j, k};
    for (int axis = 0; axis < 3; axis++) place[axis] = shape->size[axis] * at[axis] / shape->cells[axis];
    if (shape->bend) shape->bend(place);
}

/* Six tetrahedra of the cell: for each order of the axes, the corners on the way from its lowest to its highest. */
static void bar_add_cell(const bar_shape *shape, const int cell[3], uint32_t *elements)
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int t = 0; t < 6; t++) {
        const int is_odd = (orders[t][1] + 3 - orders[t][0]) % 3 != 1;
        int at[3] = {cell[0], cell[1], cell[2]};
        for (int corner = 0; corner < 4; corner++) {
            const int to = is_odd && (corner == 1 || corner == 2) ? 3 - corner : corner; /* positive volumes */
            elements[4 * t + to] = bar_node(shape, at[0], at[1], at[2]);
            if (corner < 3) at[orders[t][corner]]++;
        }
    }
}

/* The mesh in memory, of order 1; destroy it with qn_mesh_destroy. */
static qn_status bar_make(const bar_shape *shape, qn_mesh **mesh)
{
    const int *n = shape->cells;
    const size_t nodes = (size_t)((n[0] + 1) * (n[1] + 1) * (n[2] + 1)), cells = (size_t)(n[0] * n[1] * n[2]);
    void *positions = NULL, *elements = NULL;
    size_t count = 0;
    qn_status status = qn_allocate(3 * nodes, sizeof(double), &positions);
    if (status == QN_OK) status = qn_allocate(24 * cells, sizeof(uint32_t), &elements);
    for (int k = 0; k <= n[2] && status == QN_OK; k++)
        for (int j = 0; j <= n[1]; j++)
            for (int i = 0; i <= n[0]; i++)
                bar_place(shape, i, j, k, (double *)positions + 3 * bar_node(shape, i, j, k));
    for (int k = 0; k < n[2] && status == QN_OK; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++) {
                const int cell[3] = {i, j, k};
                bar_add_cell(shape, cell, (uint32_t *)elements + 24 * count++);
            }
    if (status == QN_OK) status = qn_mesh_create(1, positions, nodes, elements, 6 * cells, mesh);
    qn_release(&positions);
    qn_release(&elements);
    return status;
}

/* Write a mesh of order 1 as Gmsh's text, version 2.2. */
static int bar_write(const qn_mesh *mesh, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file) return 0;
    fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%zu\n", mesh->node_count);
    for (size_t i = 0; i < mesh->node_count; i++)
        fprintf(file, "%zu %.17g %.17g %.17g\n", i + 1, mesh->positions[3 * i], mesh->positions[3 * i + 1],
                mesh->positions[3 * i + 2]);
    fprintf(file, "$EndNodes\n$Elements\n%zu\n", mesh->element_count);
    for (size_t i = 0; i < mesh->element_count; i++) {
        const uint32_t *nodes = mesh->elements + 4 * i;
        fprintf(file, "%zu 4 0 %u %u %u %u\n", i + 1, nodes[0] + 1, nodes[1] + 1, nodes[2] + 1, nodes[3] + 1);
    }
    fprintf(file, "$EndElements\n");
    return fclose(file) == 0;
}

#endif
