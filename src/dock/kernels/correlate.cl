/* Correlation in Fourier space, summed over terms: product[b][k] = sum over g of receptor[g][k] * conj(ligand[b][g][k]).
 *
 * Shapes: receptor [grids][bins] complex, ligand [rotation][grids][bins], product [rotation][bins]; bins =
 * (nx/2 + 1) * ny * nz. One item: one bin (x) of ROTATIONS_PER_ITEM rotations (y), so that each receptor value read
 * serves several rotations. */

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif
#ifndef ROTATIONS_PER_ITEM
#error "ROTATIONS_PER_ITEM: rotations that share one read of the receptor"
#endif

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void correlate(GLOBAL const qn_complex *RESTRICT receptor,
                                                    GLOBAL const qn_complex *RESTRICT ligand,
                                                    GLOBAL qn_complex *RESTRICT product, int grids, int bins, int rotations)
{
    int bin = (int)GLOBAL_ID(0), first = (int)GLOBAL_ID(1) * ROTATIONS_PER_ITEM;
    float sum_x[ROTATIONS_PER_ITEM], sum_y[ROTATIONS_PER_ITEM];
    if (bin >= bins) return;
    UNROLL
    for (int r = 0; r < ROTATIONS_PER_ITEM; r++) sum_x[r] = sum_y[r] = 0.0f;
    for (int grid = 0; grid < grids; grid++) {
        qn_complex a = receptor[(qn_int64)grid * bins + bin];
        for (int r = 0; r < ROTATIONS_PER_ITEM; r++) {
            if (first + r >= rotations) continue;
            qn_complex b = ligand[((qn_int64)(first + r) * grids + grid) * bins + bin];
            sum_x[r] = FMA(a.x, b.x, FMA(a.y, b.y, sum_x[r]));
            sum_y[r] = FMA(a.y, b.x, FMA(-a.x, b.y, sum_y[r]));
        }
    }
    for (int r = 0; r < ROTATIONS_PER_ITEM; r++) {
        if (first + r >= rotations) continue;
        product[(qn_int64)(first + r) * bins + bin] = COMPLEX_MAKE(sum_x[r], sum_y[r]);
    }
}
