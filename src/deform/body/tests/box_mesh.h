/* Meshes for tests: a box of cubes, each split into six tetrahedra about a diagonal, with nodes moved at random and
 * numbered in a random order. */
#ifndef QN_DEFORM_BODY_TESTS_BOX_MESH_H
#define QN_DEFORM_BODY_TESTS_BOX_MESH_H

#include "check.h"

#include <quern/mesh.h>
#include <stdlib.h>
#include <string.h>

#include "math/random.h"

enum { BOX_NODES_MAX = 4000, BOX_ELEMENTS_MAX = 3000 };

typedef struct box_mesh {
    qn_mesh mesh;
    double positions[3 * BOX_NODES_MAX];
    uint32_t elements[10 * BOX_ELEMENTS_MAX];
    bool inner[BOX_NODES_MAX];      /* nodes inside the box */
    double grid[3 * BOX_NODES_MAX]; /* positions before nodes were moved */
} box_mesh;

static inline double box_random(uint64_t stream, uint64_t index)
{
    return 2 * qn_random_uniform(77, stream, index) - 1;
}

/* The middle of two nodes, made when it is first asked for. */
static uint32_t box_middle(box_mesh *box, uint32_t a, uint32_t b, uint32_t *ends, size_t corners)
{
    const uint32_t low = a < b ? a : b, high = a + b - low;
    qn_mesh *mesh = &box->mesh;
    for (size_t k = corners; k < mesh->node_count; k++)
        if (ends[2 * k] == low && ends[2 * k + 1] == high) return (uint32_t)k;
    const size_t k = mesh->node_count++;
    ends[2 * k] = low;
    ends[2 * k + 1] = high;
    for (int i = 0; i < 3; i++) {
        box->positions[3 * k + i] = 0.5 * (box->positions[3 * low + i] + box->positions[3 * high + i]);
        box->grid[3 * k + i] = 0.5 * (box->grid[3 * low + i] + box->grid[3 * high + i]);
    }
    return (uint32_t)k;
}

static void box_add_middles(box_mesh *box)
{
    static const int edges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
    static uint32_t ends[2 * BOX_NODES_MAX], corners[4 * BOX_ELEMENTS_MAX];
    qn_mesh *mesh = &box->mesh;
    const size_t corner_count = mesh->node_count;
    memcpy(corners, box->elements, 4 * mesh->element_count * sizeof *corners);
    for (size_t e = 0; e < mesh->element_count; e++) {
        memcpy(box->elements + 10 * e, corners + 4 * e, 4 * sizeof *corners);
        for (int k = 0; k < 6; k++)
            box->elements[10 * e + 4 + (size_t)k] = box_middle(
                box, corners[4 * e + (size_t)edges[k][0]], corners[4 * e + (size_t)edges[k][1]], ends, corner_count);
    }
    mesh->order = 2;
}

/* Give node k the number order[k], with order a random permutation. */
static void box_shuffle(box_mesh *box)
{
    static double positions[3 * BOX_NODES_MAX], grid[3 * BOX_NODES_MAX];
    static uint32_t order[BOX_NODES_MAX];
    const size_t count = box->mesh.node_count, width = box->mesh.order == 2 ? 10 : 4;
    for (size_t k = 0; k < count; k++) order[k] = (uint32_t)k;
    for (size_t k = count - 1; k > 0; k--) {
        const size_t other = (size_t)(qn_random_uniform(78, 0, k) * (double)(k + 1));
        const uint32_t held = order[k];
        order[k] = order[other];
        order[other] = held;
    }
    memcpy(positions, box->positions, 3 * count * sizeof *positions);
    memcpy(grid, box->grid, 3 * count * sizeof *grid);
    for (size_t k = 0; k < count; k++) {
        memcpy(box->positions + 3 * (size_t)order[k], positions + 3 * k, 3 * sizeof *positions);
        memcpy(box->grid + 3 * (size_t)order[k], grid + 3 * k, 3 * sizeof *grid);
    }
    for (size_t k = 0; k < width * box->mesh.element_count; k++) box->elements[k] = order[box->elements[k]];
}

/* Cubes of side `side`, counts[0] × counts[1] × counts[2] of them. Inner nodes move by up to `shift` of a side. */
static void box_make(box_mesh *box, const int counts[3], double side, double shift, int order)
{
    static const int axes[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};
    const int nx = counts[0] + 1, ny = counts[1] + 1, nz = counts[2] + 1;
    const int steps[3] = {1, nx, nx * ny};
    memset(box, 0, sizeof *box);
    box->mesh = (qn_mesh){.order = 1, .positions = box->positions, .elements = box->elements};
    for (int k = 0; k < nx * ny * nz; k++) {
        const int at[3] = {k % nx, k / nx % ny, k / (nx * ny)};
        bool inside = true;
        for (int i = 0; i < 3; i++) inside = inside && at[i] > 0 && at[i] < counts[i];
        for (int i = 0; i < 3; i++) {
            box->grid[3 * k + i] = side * at[i];
            box->positions[3 * k + i] = side * (at[i] + (inside ? shift * box_random(1, (uint64_t)(3 * k + i)) : 0));
        }
    }
    box->mesh.node_count = (size_t)(nx * ny * nz);
    for (int k = 0; k < nx * ny * nz; k++) {
        if (k % nx == counts[0] || k / nx % ny == counts[1] || k / (nx * ny) == counts[2]) continue;
        for (int t = 0; t < 6; t++) {
            uint32_t *corner = box->elements + 4 * box->mesh.element_count++;
            corner[0] = (uint32_t)k;
            for (int c = 0; c < 3; c++) corner[c + 1] = corner[c] + (uint32_t)steps[axes[t][c]];
            if (t < 3) continue;
            const uint32_t held = corner[1]; /* odd orders of the axes turn the other way round */
            corner[1] = corner[2];
            corner[2] = held;
        }
    }
    if (order == 2) box_add_middles(box);
    box_shuffle(box);
    for (size_t k = 0; k < box->mesh.node_count; k++) {
        box->inner[k] = true;
        for (int i = 0; i < 3; i++)
            if (box->grid[3 * k + (size_t)i] < 1e-9 || box->grid[3 * k + (size_t)i] > side * counts[i] - 1e-9)
                box->inner[k] = false;
    }
}

#endif
