/* Vina's terms of an atom with a range of atoms of a receptor, for the precision that the includer states:
 *
 *     ADD, REAL, LANES, ROOT, EXPONENTIAL  name of the function, type of numbers, lanes, square root, e^x for x <= 0
 *     SUMS, CELLS, FROM(axis)              lanes of sums, arrays of the receptor's atoms, where their places begin
 *     SKIPS                                1: vectors of atoms that are all too far are skipped; 0: there are few
 */
static void ADD(const qn_receptor_cells *cells, const qn_receptor_atom *atom, uint32_t first, uint32_t end,
                qn_receptor_lanes *lanes)
{
    const REAL cutoff2 = (REAL)(QN_VINA_CUTOFF_ANGSTROM * QN_VINA_CUTOFF_ANGSTROM);
    const REAL steepness = (REAL)(1 / (atom->bad - atom->good)), bad = (REAL)atom->bad, own = (REAL)atom->radius;
    const REAL ax = (REAL)(atom->x - FROM(0)), ay = (REAL)(atom->y - FROM(1)), az = (REAL)(atom->z - FROM(2));
    for (uint32_t from = first; from < end; from += LANES) {
        const REAL *x = CELLS.x + from, *y = CELLS.y + from, *z = CELLS.z + from;
        const REAL *radius = CELLS.radius + from, *partner = CELLS.partner[atom->partner] + from;
        const int32_t count = (int32_t)(end - from);
        REAL nearest = SKIPS ? cutoff2 : 0;
#pragma omp simd reduction(min : nearest)
        for (int32_t l = 0; l < (SKIPS ? LANES : 0); l++) {
            const REAL dx = ax - x[l], dy = ay - y[l], dz = az - z[l], square = dx * dx + dy * dy + dz * dz;
            nearest = square < nearest ? square : nearest;
        }
        if (nearest >= cutoff2) continue;
#pragma omp simd
        for (int32_t l = 0; l < LANES; l++) {
            const REAL dx = ax - x[l], dy = ay - y[l], dz = az - z[l], square = dx * dx + dy * dy + dz * dz;
            const REAL inside = (square < cutoff2 ? (REAL)1 : (REAL)0) * (l < count ? (REAL)1 : (REAL)0);
            const REAL above = square > (REAL)1e-30 ? square : (REAL)1e-30, safe = above < cutoff2 ? above : cutoff2;
            const REAL root = ROOT(safe), d = root - (own + radius[l]), beyond = (d - 3) * (REAL)0.5;
            const REAL gauss1 = inside * (REAL)QN_VINA_GAUSS1 * EXPONENTIAL(-(4 * d) * d);
            const REAL gauss2 = inside * (REAL)QN_VINA_GAUSS2 * EXPONENTIAL(-beyond * beyond);
            const REAL under = d < 0 ? d : 0, overlap = inside * (REAL)QN_VINA_REPULSION * under;
            const REAL share = (bad - d) * steepness, weight = inside * (REAL)atom->weight * partner[l];
            const REAL positive = share > 0 ? share : 0, ramp = weight * (positive < 1 ? positive : 1);
            const REAL falls = (share > 0 ? (REAL)1 : (REAL)0) * (share < 1 ? (REAL)1 : (REAL)0);
            const REAL slope = (-8 * d * gauss1 - beyond * gauss2 + 2 * overlap - falls * steepness * weight) / root;
            lanes->SUMS[QN_SUM_GAUSS1][l] += gauss1;
            lanes->SUMS[QN_SUM_GAUSS2][l] += gauss2;
            lanes->SUMS[QN_SUM_REPULSION][l] += overlap * under;
            lanes->SUMS[QN_SUM_RAMP][l] += ramp;
            lanes->SUMS[QN_SUM_X][l] += slope * dx;
            lanes->SUMS[QN_SUM_Y][l] += slope * dy;
            lanes->SUMS[QN_SUM_Z][l] += slope * dz;
        }
    }
}
