/* Shared by the families drmsd and drmsd_products: sizes of panels and slices (drmsd.dev.h), and the tunables and the
 * geometry of tiles of sums (panel_tiles.dev.h). A source includes prelude_host.h and drmsd.dev.h first. */
#ifndef QN_CLUSTER_MEASURE_KERNELS_PANEL_TILES_H
#define QN_CLUSTER_MEASURE_KERNELS_PANEL_TILES_H

#include "cluster/measure/kernels/drmsd.h"

enum { GROUP_ROWS, GROUP_COLUMNS, ITEM_ROWS, ITEM_COLUMNS, DEPTH, LOCAL_BUFFERS, RESIDENT, PANEL_TUNABLES };

static inline int qn_panel_pairs(int atoms)
{
    return atoms * (atoms - 1) / 2;
}

static inline size_t qn_panel_count(size_t count)
{
    return (count + DRMSD_PANEL - 1) / DRMSD_PANEL;
}

/* Pairs of atoms of a slice. */
static inline int qn_panel_slice_pairs(int atoms, int slice)
{
    const int left = qn_panel_pairs(atoms) - slice * DRMSD_SLICE;
    return left < DRMSD_SLICE ? left : DRMSD_SLICE;
}

/* The pairs with the zeros that make whole steps of them. */
static inline int qn_panel_slice_rows(int atoms, int slice)
{
    return (qn_panel_slice_pairs(atoms, slice) + DRMSD_STEP - 1) / DRMSD_STEP * DRMSD_STEP;
}

/* Bytes of the distances of a slice. */
static inline size_t qn_panel_slice_bytes(int atoms, int slice, int count)
{
    return qn_panel_count((size_t)count) * DRMSD_PANEL * (size_t)qn_panel_slice_rows(atoms, slice) * sizeof(float);
}

static inline qn_geometry qn_panel_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_drmsd_problem *problem = user;
    const size_t group[2] = {(size_t)configuration->value[GROUP_COLUMNS], (size_t)configuration->value[GROUP_ROWS]};
    const size_t tile[2] = {group[0] * (size_t)configuration->value[ITEM_COLUMNS],
                            group[1] * (size_t)configuration->value[ITEM_ROWS]};
    const size_t across = ((size_t)problem->column_count + tile[0] - 1) / tile[0];
    const size_t down = ((size_t)problem->row_count + tile[1] - 1) / tile[1];
    return (qn_geometry){{across * group[0], down * group[1], 1}, {group[0], group[1], 1}};
}

/* Work on each pair of structures and each pair of atoms of a slice: `operations` subtractions and multiply-adds. */
static inline void qn_panel_work(const qn_drmsd_problem *problem, double operations, qn_work *least)
{
    const double rows = problem->row_count, columns = problem->column_count;
    const double pairs = problem->diagonal ? rows * (rows - 1) / 2 : rows * columns;
    const double terms = qn_panel_slice_pairs(problem->atoms, problem->slice);
    *least = (qn_work){.bytes_read = 4 * terms * (problem->diagonal ? rows : rows + columns),
                       .bytes_written = 4 * pairs,
                       .multiply_adds = operations * terms * pairs};
}

static const qn_tunable qn_panel_tunables[PANEL_TUNABLES] = {
    [GROUP_ROWS] = {"GROUP_ROWS", {4, 8, 16}, 3, 16, "work-items of a group along the rows"},
    [GROUP_COLUMNS] = {"GROUP_COLUMNS", {8, 16, 32}, 3, 16, "work-items of a group along the columns"},
    [ITEM_ROWS] = {"ITEM_ROWS", {4, 8}, 2, 8, "structures of the rows that an item compares"},
    [ITEM_COLUMNS] = {"ITEM_COLUMNS", {4, 8}, 2, 8, "structures of the columns that an item compares"},
    [DEPTH] = {"DEPTH", {4, 8, 16, 32}, 4, 8, "pairs of atoms of a step"},
    [LOCAL_BUFFERS] = {"LOCAL_BUFFERS", {0, 1, 2, 3}, 4, 2, "steps in local memory at a time; 0: caches instead"},
    [RESIDENT] = {"RESIDENT", {1, 2, 3, 4}, 4, 2, "groups that must fit a compute unit at once"},
};

static const char *const qn_panel_constraints[] = {
    "GROUP_ROWS * GROUP_COLUMNS <= device.largest_group",
    "GROUP_ROWS * GROUP_COLUMNS >= device.subgroup_size",
    "GROUP_ROWS * ITEM_ROWS <= 128", /* DRMSD_PANEL */
    "GROUP_COLUMNS * ITEM_COLUMNS <= 128",
    "4 * LOCAL_BUFFERS * DEPTH * (GROUP_ROWS * ITEM_ROWS + GROUP_COLUMNS * ITEM_COLUMNS) <= device.local_memory_bytes",
    "LOCAL_BUFFERS > 0 || DEPTH == 8", /* unused otherwise */
    "GROUP_ROWS * GROUP_COLUMNS * RESIDENT <= 1024",
    "!device.is_host || (GROUP_ROWS == 16 && GROUP_COLUMNS == 16 && ITEM_ROWS == 8 && ITEM_COLUMNS == 8 && DEPTH == 8 "
    "&& LOCAL_BUFFERS == 2 && RESIDENT == 2)",
};

enum { PANEL_CONSTRAINTS = sizeof qn_panel_constraints / sizeof *qn_panel_constraints };

#endif
