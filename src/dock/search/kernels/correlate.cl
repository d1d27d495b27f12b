/* Correlation in Fourier space, summed over grids:
 *     product[s][r][k] = sum over g of receptor[s][g][k] * conj(ligand[r][g][k]).
 *
 * Shapes: receptor [set][grids][bins] complex, ligand [rotation][grids][bins], product [set][rotation][bins]; bins =
 * (nx/2 + 1) * ny * nz. An item computes one bin (x) of ROTATIONS_PER_ITEM rotations (y) in SETS_PER_ITEM coefficient
 * sets (z), so that each receptor value that is read is used for several rotations, and each ligand value for several
 * sets. */

#include "dock/search/kernels/correlate.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif
#ifndef ROTATIONS_PER_ITEM
#error "ROTATIONS_PER_ITEM: rotations that share one read of the receptor"
#endif
#ifndef SETS_PER_ITEM
#error "SETS_PER_ITEM: coefficient sets that share one read of the ligand"
#endif

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void correlate(
    GLOBAL const qn_complex *RESTRICT receptor, GLOBAL const qn_complex *RESTRICT ligand,
    GLOBAL qn_complex *RESTRICT product, const correlate_scalars s)
{
    int bin = (int)GLOBAL_ID(0), first = (int)GLOBAL_ID(1) * ROTATIONS_PER_ITEM;
    int first_set = (int)GLOBAL_ID(2) * SETS_PER_ITEM;
    float sum_x[SETS_PER_ITEM][ROTATIONS_PER_ITEM], sum_y[SETS_PER_ITEM][ROTATIONS_PER_ITEM];
    qn_complex a[SETS_PER_ITEM];
    if (bin >= s.bins) return;
    UNROLL
    for (int set = 0; set < SETS_PER_ITEM; set++) {
        UNROLL
        for (int r = 0; r < ROTATIONS_PER_ITEM; r++) sum_x[set][r] = sum_y[set][r] = 0.0f;
    }
    for (int grid = 0; grid < s.grids; grid++) {
        UNROLL
        for (int set = 0; set < SETS_PER_ITEM; set++)
            a[set] = receptor[((qn_int64)MIN(first_set + set, s.sets - 1) * s.grids + grid) * s.bins + bin];
        UNROLL
        for (int r = 0; r < ROTATIONS_PER_ITEM; r++) {
            if (first + r >= s.rotations) continue;
            qn_complex b = ligand[((qn_int64)(first + r) * s.grids + grid) * s.bins + bin];
            UNROLL
            for (int set = 0; set < SETS_PER_ITEM; set++) {
                sum_x[set][r] = FMA(a[set].x, b.x, FMA(a[set].y, b.y, sum_x[set][r]));
                sum_y[set][r] = FMA(a[set].y, b.x, FMA(-a[set].x, b.y, sum_y[set][r]));
            }
        }
    }
    UNROLL
    for (int set = 0; set < SETS_PER_ITEM; set++) {
        UNROLL
        for (int r = 0; r < ROTATIONS_PER_ITEM; r++) {
            if (first_set + set >= s.sets || first + r >= s.rotations) continue;
            product[((qn_int64)(first_set + set) * s.rotations + first + r) * s.bins + bin] =
                COMPLEX_MAKE(sum_x[set][r], sum_y[set][r]);
        }
    }
}
