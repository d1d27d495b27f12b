/* Screened electrostatics of the docking scores. */
#ifndef QN_SCORE_ELECTROSTATICS_H
#define QN_SCORE_ELECTROSTATICS_H

#include <math.h>

#define QN_ELECTROSTATIC_LENGTH_ANGSTROM 4.0  /* D, unless a coefficient set has another */
#define QN_ELECTROSTATIC_SWITCH_ANGSTROM 10.0 /* begin of the switch */
#define QN_ELECTROSTATIC_CUTOFF_ANGSTROM 12.0 /* end of the switch: 0 from here on */

/* Potential (e/Å) of a unit charge at the squared distance `r2` (Å²), generalised-Born-like:
 * 1 / sqrt(r² + D² exp(−r² / 4D²)) (Kozakov et al. 2006), switched off by the quintic 1 − 10 s³ + 15 s⁴ − 6 s⁵. */
static inline double qn_electrostatic_potential(double r2, double length_angstrom)
{
    const double d2 = length_angstrom * length_angstrom;
    const double cutoff = QN_ELECTROSTATIC_CUTOFF_ANGSTROM, start = QN_ELECTROSTATIC_SWITCH_ANGSTROM;
    if (r2 >= cutoff * cutoff) return 0;
    double value = 1 / sqrt(r2 + d2 * exp(-r2 / (4 * d2)));
    if (r2 <= start * start) return value;
    double s = (sqrt(r2) - start) / (cutoff - start);
    return value * (1 - s * s * s * (10 - s * (15 - 6 * s)));
}

#endif
