/* Vina's energy of a pair of atoms, by the same operations on all devices.
 *
 * Terms and weights: Trott and Olson 2010, as in score/vina.h. No pair has both a hydrophobic and a hydrogen bond term,
 * so they share one ramp: weight · sat(offset − d · slope), sat(y) = min(1, max(0, y)). */
#ifndef QN_SCREEN_SCORE_POSES_VINA_DEV_H
#define QN_SCREEN_SCORE_POSES_VINA_DEV_H

#include "runtime/kernels/power_of_two.dev.h"

/* Arguments of `score`, in order. */
enum {
    VINA_PLACES,
    VINA_PAIRS,
    VINA_COLUMNS,
    VINA_CELL_STARTS,
    VINA_GRID,
    VINA_JOBS,
    VINA_SHARES,
    VINA_ATOMS,
    VINA_TRANSFORMS,
    VINA_ENERGIES,
    VINA_SCALARS,
    VINA_ARGUMENTS
};

typedef struct vina_scalars {
    int receptor_atoms;
    int stride;     /* of a row of `pairs` and `columns` */
    int nx, ny, nz; /* cells */
    int poses;      /* of a job */
    int job_count;
} vina_scalars;

#define VINA_SQUARED_CUTOFF 64.0f
#define VINA_CELLS 2 /* distance along each axis, in cells, of a pair within the cut-off, at most */

/* Energy of two atoms at a squared distance; `radius` is the sum of their radii. The weight of repulsion, 0.840245, is
 * smaller while the receptor is soft (screen/search/search.h). */
DEVICE_FN float vina_pair_energy(float square, float radius, float weight, float slope, float offset, float repulsion)
{
    const float d = SQRT(square) - radius, beyond = d - 3.0f, overlap = FMIN(d, 0.0f);
    /* log2(e) times −(d / 0.5)² and −((d − 3) / 2)², limited so that products are never denormal, which is slow on CPUs
     */
    const float gauss1 = qn_power_of_two(FMAX(-5.770780163555854f * (d * d), -100.0f));
    const float gauss2 = qn_power_of_two(FMAX(-0.36067376022224085f * (beyond * beyond), -100.0f));
    const float sat = FMIN(FMAX(FMA(-d, slope, offset), 0.0f), 1.0f);
    return FMA(-0.035579f, gauss1, FMA(-0.005156f, gauss2, FMA(repulsion, overlap * overlap, weight * sat)));
}

/* Cell along one axis. Far away the number is limited to what an int holds. */
DEVICE_FN int vina_cell(float place, float origin, float cells_per_angstrom)
{
    return (int)FLOOR(FMIN(FMAX((place - origin) * cells_per_angstrom, -1000.0f), 1e6f));
}

/* A coordinate of a ligand atom in a pose, by one row of [R | t]. */
DEVICE_FN float vina_moved(float m0, float m1, float m2, float m3, float x, float y, float z)
{
    return FMA(m0, x, FMA(m1, y, FMA(m2, z, m3)));
}

#endif
