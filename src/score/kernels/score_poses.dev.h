/* The energy of a pair of atoms, folded so that few operations and a root are all of it.
 *
 * A pair's energy falls from distance 0 on, bends where the atoms touch and bends again where it vanishes. Such a line
 * is a sum of two ramps to 0 at these distances. Rounded correctly, a ramp that ends at `end` is
 * slope * (end - min(r, end)); where saturation costs nothing it is height * saturate(1 - r / end). */
#ifndef QN_SCREEN_SCORE_POSES_DEV_H
#define QN_SCREEN_SCORE_POSES_DEV_H

/* Added to squared distances, so that atoms in one place have a reciprocal root too. */
#define SMALLEST_SQUARE 1e-30f

/* Å of a coordinate of a ligand atom under one row of a pose's [R | t]. */
DEVICE_FN float moved_coordinate(float x_of_row, float y_of_row, float z_of_row, float shift, float x, float y, float z)
{
    return FMA(z_of_row, z, FMA(y_of_row, y, FMA(x_of_row, x, shift)));
}

#endif
