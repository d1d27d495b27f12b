/* The energy of a pair of atoms as a sum of ramps, which take few operations and one root.
 *
 * As a function of distance the energy of a pair is piecewise linear: it bends where the atoms touch and again
 * where it becomes 0. Such a function is a sum of two ramps that end at these distances. With correct rounding a
 * ramp that ends at `end` is slope * (end - min(r, end)); where saturation costs nothing it is height * saturate(1 -
 * r / end). */
#ifndef QN_SCREEN_SCORE_POSES_DEV_H
#define QN_SCREEN_SCORE_POSES_DEV_H

/* Arguments of `score`, in order. */
enum {
    SCORE_PLACES,
    SCORE_PAIRS,
    SCORE_SECOND_ROWS,
    SCORE_JOBS,
    SCORE_ATOMS,
    SCORE_TRANSFORMS,
    SCORE_ENERGIES,
    SCORE_SCALARS,
    SCORE_ARGUMENTS
};

typedef struct score_scalars {
    int stride; /* of a row of `pairs`: receptor atoms */
    int poses;  /* of a job */
    int job_count;
    int exact; /* for the host's kernel, which is not compiled for each value of EXACT */
} score_scalars;

/* Added to squared distances, so that the reciprocal root is finite for atoms at the same position. */
#define SMALLEST_SQUARE 1e-30f

/* A coordinate (Å) of a ligand atom, by one row of the [R | t] of a pose. */
DEVICE_FN float moved_coordinate(float x_of_row, float y_of_row, float z_of_row, float shift, float x, float y, float z)
{
    return FMA(z_of_row, z, FMA(y_of_row, y, FMA(x_of_row, x, shift)));
}

#endif
