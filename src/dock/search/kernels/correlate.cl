/* Correlation in Fourier space, summed over terms:
 *     product[s][r][k] = sum over g of receptor[s][g][k] * conj(ligand[r][g][k]).
 *
 * Shapes: receptor [set][grids][bins] complex, ligand [rotation][grids][bins], product [set][rotation][bins]; bins =
 * (nx/2 + 1) * ny * nz. One item: one bin (x) of ROTATIONS_PER_ITEM rotations (y) in SETS_PER_ITEM coefficient sets (z),
 * so that each receptor value read serves several rotations and each ligand value several sets. */

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif
#ifndef ROTATIONS_PER_ITEM
#error "ROTATIONS_PER_ITEM: rotations that share one read of the receptor"
#endif
#ifndef SETS_PER_ITEM
#error "SETS_PER_ITEM: coefficient sets that share one read of the ligand"
#endif

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void correlate(GLOBAL const qn_complex *RESTRICT receptor,
                                                    GLOBAL const qn_complex *RESTRICT ligand,
                                                    GLOBAL qn_complex *RESTRICT product, int grids, int bins, int rotations,
                                                    int sets)
{
    int bin = (int)GLOBAL_ID(0), first = (int)GLOBAL_ID(1) * ROTATIONS_PER_ITEM;
    int first_set = (int)GLOBAL_ID(2) * SETS_PER_ITEM;
    float sum_x[SETS_PER_ITEM][ROTATIONS_PER_ITEM], sum_y[SETS_PER_ITEM][ROTATIONS_PER_ITEM];
    qn_complex a[SETS_PER_ITEM];
    if (bin >= bins) return;
    UNROLL
    for (int s = 0; s < SETS_PER_ITEM; s++) {
        UNROLL
        for (int r = 0; r < ROTATIONS_PER_ITEM; r++) sum_x[s][r] = sum_y[s][r] = 0.0f;
    }
    for (int grid = 0; grid < grids; grid++) {
        UNROLL
        for (int s = 0; s < SETS_PER_ITEM; s++)
            a[s] = receptor[((qn_int64)MIN(first_set + s, sets - 1) * grids + grid) * bins + bin];
        UNROLL
        for (int r = 0; r < ROTATIONS_PER_ITEM; r++) {
            if (first + r >= rotations) continue;
            qn_complex b = ligand[((qn_int64)(first + r) * grids + grid) * bins + bin];
            UNROLL
            for (int s = 0; s < SETS_PER_ITEM; s++) {
                sum_x[s][r] = FMA(a[s].x, b.x, FMA(a[s].y, b.y, sum_x[s][r]));
                sum_y[s][r] = FMA(a[s].y, b.x, FMA(-a[s].x, b.y, sum_y[s][r]));
            }
        }
    }
    UNROLL
    for (int s = 0; s < SETS_PER_ITEM; s++) {
        UNROLL
        for (int r = 0; r < ROTATIONS_PER_ITEM; r++) {
            if (first_set + s >= sets || first + r >= rotations) continue;
            product[((qn_int64)(first_set + s) * rotations + first + r) * bins + bin] =
                COMPLEX_MAKE(sum_x[s][r], sum_y[s][r]);
        }
    }
}
