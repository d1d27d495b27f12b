/* A cube of n³ cells, each split into six tetrahedra around its diagonal (Kuhn's triangulation). */
#ifndef QN_MODEL_TESTS_CUBE_MESH_H
#define QN_MODEL_TESTS_CUBE_MESH_H

#include <stdlib.h>

#include "base/memory.h"
#include "check.h"
#include "model/mesh.h"

static inline uint32_t cube_node(int n, const int at[3])
{
    return (uint32_t)(at[0] + (n + 1) * (at[1] + (n + 1) * at[2]));
}

/* The cube with sides of 1, 1 and `height`; height is exact for powers of 2. */
static inline qn_mesh *make_cube(int n, double height)
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    const size_t side = (size_t)n + 1, cells = (size_t)(n * n * n);
    double *places = malloc(side * side * side * 3 * sizeof *places);
    uint32_t *elements = malloc(cells * 24 * sizeof *elements), *next = elements;
    qn_mesh *mesh = NULL;
    for (int node = 0; node < (int)(side * side * side); node++) {
        places[3 * node] = (double)(node % (n + 1)) / n;
        places[3 * node + 1] = (double)(node / (n + 1) % (n + 1)) / n;
        places[3 * node + 2] = height * (double)(node / (n + 1) / (n + 1)) / n;
    }
    for (int cell = 0; cell < (int)cells; cell++)
        for (int order = 0; order < 6; order++, next += 4) {
            int at[3] = {cell % n, cell / n % n, cell / n / n};
            next[0] = cube_node(n, at);
            for (int step = 0; step < 3; step++) {
                at[orders[order][step]]++;
                next[step + 1] = cube_node(n, at);
            }
            if (order < 3) continue; /* the other three permutations are odd */
            const uint32_t node = next[2];
            next[2] = next[3];
            next[3] = node;
        }
    CHECK_OK(qn_mesh_create(1, places, side * side * side, elements, 6 * cells, &mesh));
    free(places);
    free(elements);
    return mesh;
}

/* Give the mesh a group with elements of `dimension` + 1 corners, and their nodes. */
static inline void add_group(qn_mesh *mesh, char *name, int dimension, const uint32_t *elements, size_t count)
{
    const size_t numbers = count * ((size_t)dimension + 1);
    qn_mesh_group *group = mesh->groups + mesh->group_count++;
    bool *marked = calloc(mesh->node_count, sizeof *marked);
    group->name = name;
    group->dimension = dimension;
    group->element_count = count;
    void *memory = NULL;
    CHECK_OK(qn_allocate(numbers, sizeof *elements, &memory));
    group->elements = memory;
    for (size_t i = 0; i < numbers; i++) {
        group->elements[i] = elements[i];
        marked[elements[i]] = true;
    }
    CHECK_OK(qn_mesh_group_collect(group, marked, mesh->node_count));
    free(marked);
}

#endif
