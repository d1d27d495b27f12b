/* The energy of a pair of atoms as the kernels compute it, folded so that eleven operations and a root are all of it.
 *
 * A pair's energy falls from distance 0 on, bends where the atoms touch and bends again where it vanishes. Such a line
 * is a sum of two ramps to 0, amplitude * max(0, 1 - r / end): one ends at contact, one where the energy vanishes. */
#ifndef QN_SCREEN_SCORE_POSES_DEV_H
#define QN_SCREEN_SCORE_POSES_DEV_H

/* Added to squared distances, so that atoms in one place have a reciprocal root too. */
#define SMALLEST_SQUARE 1e-30f

/* Å of a coordinate of a ligand atom under one row of a pose's [R | t]. */
DEVICE_FN float moved_coordinate(float x_of_row, float y_of_row, float z_of_row, float shift, float x, float y, float z)
{
    return FMA(z_of_row, z, FMA(y_of_row, y, FMA(x_of_row, x, shift)));
}

/* `total` and a pair's energy at distance r; `contact` and `end` are minus the reciprocals of where its ramps end. */
DEVICE_FN float add_pair(float total, float r, float contact, float end, float contact_energy, float end_energy)
{
    float near = FMA(r, contact, 1.0f), far = FMA(r, end, 1.0f);
    total = FMA(near > 0.0f ? near : 0.0f, contact_energy, total);
    return FMA(far > 0.0f ? far : 0.0f, end_energy, total);
}

#endif
