/* Cells and bins of score_poses_near. */
#ifndef QN_SCREEN_SCORE_POSES_NEAR_DEV_H
#define QN_SCREEN_SCORE_POSES_NEAR_DEV_H

/* Items of a bin that a work-group takes together; where a bin has more they are several blocks. */
#define NEAR_BLOCK 128

/* The number of the cell along one axis, -1 where there is none. */
DEVICE_FN int cell_along(float x, float first, float cells_per_angstrom, int cells)
{
    float cell = (x - first) * cells_per_angstrom;
    return cell >= 0.0f && cell < (float)cells ? (int)cell : -1;
}

/* The cell of a point, -1 where there is none. */
DEVICE_FN int cell_of(int x, int y, int z, int nx, int ny)
{
    return x < 0 || y < 0 || z < 0 ? -1 : x + nx * (y + ny * z);
}

#endif
