/* Vina's terms of an atom with a range of atoms of a receptor. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-pre") /* it moves parts of a minimum or maximum into branches: no vectors */
#endif
#include <math.h>
#include <string.h>

#include "flexible/receptor_sum.h"
#include "score/vina.h"

enum { LANES = QN_RECEPTOR_LANES };

/* Of numbers alone, as vectors have them. */
static inline double least(double a, double b)
{
    return a < b ? a : b;
}

static inline double most(double a, double b)
{
    return a > b ? a : b;
}

/* e^x for −700 ≤ x ≤ 0, relative error below 1e-12: 2^n times the Taylor series to degree 10 in the rest, which is
 * within ln 2 / 2; ln 2 is taken off in two parts (Cody & Waite 1980). */
static inline double exponential(double x)
{
    const double shift = 6755399441055744.0; /* 1.5 · 2^52: a sum's last bits are the nearest whole number */
    const double shifted = x * 1.4426950408889634 + shift, n = shifted - shift;
    const double r = (x - n * 0.69314718036912382) - n * 1.9082149292705877e-10;
    double p = 2.7557319223985888e-07;
    p = p * r + 2.7557319223985893e-06;
    p = p * r + 2.4801587301587302e-05;
    p = p * r + 1.9841269841269841e-04;
    p = p * r + 1.3888888888888889e-03;
    p = p * r + 8.3333333333333332e-03;
    p = p * r + 4.1666666666666664e-02;
    p = p * r + 1.6666666666666666e-01;
    p = p * r + 0.5;
    p = p * r + 1;
    p = p * r + 1;
    uint64_t bits, whole;
    memcpy(&bits, &p, sizeof bits);
    memcpy(&whole, &shifted, sizeof whole);
    bits += whole << 52; /* the exponent's bits; those of `shift` fall off */
    memcpy(&p, &bits, sizeof p);
    return p;
}

static void add(const qn_receptor_cells *cells, const qn_receptor_atom *atom, uint32_t first, uint32_t end,
                qn_receptor_lanes sums)
{
    const double cutoff2 = QN_VINA_CUTOFF_ANGSTROM * QN_VINA_CUTOFF_ANGSTROM, steepness = 1 / (atom->bad - atom->good);
    for (uint32_t from = first; from < end; from += LANES) {
        const double *x = cells->x + from, *y = cells->y + from, *z = cells->z + from;
        const double *radius = cells->radius + from, *partner = atom->partner + from;
        const int64_t count = (int64_t)end - from;
        double squares[LANES];
#pragma omp simd
        for (int64_t l = 0; l < LANES; l++) {
            const double dx = atom->x - x[l], dy = atom->y - y[l], dz = atom->z - z[l];
            squares[l] = dx * dx + dy * dy + dz * dz;
        }
        if (least(least(squares[0], squares[1]), least(squares[2], squares[3])) >= cutoff2) continue;
#pragma omp simd
        for (int64_t l = 0; l < LANES; l++) {
            const double dx = atom->x - x[l], dy = atom->y - y[l], dz = atom->z - z[l];
            const double square = squares[l];
            const double inside = (square < cutoff2 ? 1.0 : 0.0) * (l < count ? 1.0 : 0.0);
            const double safe = least(most(square, 1e-30), cutoff2), root = sqrt(safe);
            const double d = root - (atom->radius + radius[l]), beyond = (d - 3) * 0.5;
            const double gauss1 = inside * QN_VINA_GAUSS1 * exponential(-(4 * d) * d);
            const double gauss2 = inside * QN_VINA_GAUSS2 * exponential(-beyond * beyond);
            const double overlap = inside * QN_VINA_REPULSION * least(d, 0);
            const double share = (atom->bad - d) * steepness, weight = inside * atom->weight * partner[l];
            const double ramp = weight * least(most(share, 0), 1);
            const double falls = (share > 0 ? 1.0 : 0.0) * (share < 1 ? 1.0 : 0.0);
            const double slope = (-8 * d * gauss1 - beyond * gauss2 + 2 * overlap - falls * steepness * weight) / root;
            sums[QN_SUM_GAUSS1][l] += gauss1;
            sums[QN_SUM_GAUSS2][l] += gauss2;
            sums[QN_SUM_REPULSION][l] += overlap * least(d, 0);
            sums[QN_SUM_RAMP][l] += ramp;
            sums[QN_SUM_X][l] += slope * dx;
            sums[QN_SUM_Y][l] += slope * dy;
            sums[QN_SUM_Z][l] += slope * dz;
        }
    }
}

extern const qn_receptor_add QN_HOST_VARIANT(qn_receptor_add_host)[];
const qn_receptor_add QN_HOST_VARIANT(qn_receptor_add_host)[] = {add};
