/* Cells and bins of score_poses_near. */
#ifndef QN_SCREEN_SCORE_POSES_NEAR_DEV_H
#define QN_SCREEN_SCORE_POSES_NEAR_DEV_H

/* Arguments of `count_items`, `place_bins`, `sort_items`, `score_near` and `add_items`, in order. */
enum {
    COUNT_JOBS,
    COUNT_ATOMS,
    COUNT_TRANSFORMS,
    COUNT_SECOND_ROWS,
    COUNT_CLASS_OF_ROW,
    COUNT_RANGES,
    COUNT_ITEM_COUNT,
    COUNT_USED_BINS,
    COUNT_CURSORS,
    COUNT_BIN_OF_ITEM,
    COUNT_RANK_OF_ITEM,
    COUNT_ITEM_ENERGIES,
    COUNT_SCALARS,
    COUNT_ARGUMENTS
};
enum { PLACE_ITEM_COUNT, PLACE_USED_BINS, PLACE_CURSORS, PLACE_BIN_START, PLACE_ARGUMENTS };
enum {
    SORT_JOBS,
    SORT_ATOMS,
    SORT_TRANSFORMS,
    SORT_BIN_OF_ITEM,
    SORT_RANK_OF_ITEM,
    SORT_BIN_START,
    SORT_BIN_OF_BLOCK,
    SORT_SORTED,
    SORT_SCALARS,
    SORT_ARGUMENTS
};
enum {
    SCORE_NEAR_PLACES,
    SCORE_NEAR_PAIRS,
    SCORE_NEAR_SECOND_ROWS,
    SCORE_NEAR_CLASS_OF_ROW,
    SCORE_NEAR_RANGES,
    SCORE_NEAR_LIST,
    SCORE_NEAR_ITEM_COUNT,
    SCORE_NEAR_BIN_START,
    SCORE_NEAR_BIN_OF_BLOCK,
    SCORE_NEAR_CURSORS,
    SCORE_NEAR_SORTED,
    SCORE_NEAR_ITEM_ENERGIES,
    SCORE_NEAR_STRIDE,
    SCORE_NEAR_CELLS,
    SCORE_NEAR_ARGUMENTS
};
enum {
    ADD_JOBS,
    ADD_ITEM_ENERGIES,
    ADD_USED_BINS,
    ADD_CURSORS,
    ADD_ITEM_COUNT,
    ADD_ENERGIES,
    ADD_SCALARS,
    ADD_ARGUMENTS
};

typedef struct count_scalars {
    int poses, job_count;
    int first_pose, part;            /* poses of this launch, of each job */
    float first_x, first_y, first_z; /* corner of the first cell (angstrom) */
    float cells_per_angstrom;
    int nx, ny, nz; /* cells */
} count_scalars;

typedef struct sort_scalars {
    int poses, job_count;
    int first_pose, part; /* poses of this launch, of each job */
} sort_scalars;

typedef struct add_scalars {
    int poses;
    int first_pose, part; /* poses of this launch, of each job */
} add_scalars;

/* Items of a block, which a work-group scores together; larger bins have several blocks. */
#define NEAR_BLOCK 128

/* Number of the cell along one axis; -1: outside. */
DEVICE_FN int cell_along(float x, float first, float cells_per_angstrom, int cells)
{
    float cell = (x - first) * cells_per_angstrom;
    return cell >= 0.0f && cell < (float)cells ? (int)cell : -1;
}

/* The cell of a point; -1: outside. */
DEVICE_FN int cell_of(int x, int y, int z, int nx, int ny)
{
    return x < 0 || y < 0 || z < 0 ? -1 : x + nx * (y + ny * z);
}

#endif
