/* The contrast transfer function of a microscope,
 *
 *     CTF(f) = sin(π λ Δz u² − ½ π C_s λ³ u⁴ + phase shift + asin(Q0)) · exp(−B u² / 4), u = |f| in 1/Å,
 *     Δz = mean defocus + half difference · cos 2 (φ − angle), positive for underfocus,
 *
 * positive at u = 0 (Rohou and Grigorieff 2015, doi 10.1016/j.jsb.2015.08.008, with the opposite sign). λ in Å is
 * 12.2643247 / √(V (1 + 0.978466e-6 V)), V in volts.
 *
 * Thread rule: any thread.
 */
#ifndef QN_CRYOEM_CTF_H
#define QN_CRYOEM_CTF_H

#include "model/particle_set.h"

typedef struct qn_ctf {
    double wavelength_angstrom, spherical_aberration_angstrom, amplitude_contrast;
    double defocus_mean_angstrom, defocus_half_difference_angstrom, astigmatism_angle_radians;
    double phase_shift_radians, b_factor_angstrom2;
} qn_ctf;

/* Take the parameters of a particle. QN_BAD_FORMAT naming the optics group, the value and what was expected, and for
 * values of the particle its line and row: a voltage beyond 1 … 10000 kV, an amplitude contrast beyond 0 … 1, a value
 * that is not finite. */
QN_MUST_CHECK qn_status qn_ctf_of(const qn_particle *particle, const qn_optics_group *optics, qn_ctf *ctf);

/* Value of the CTF at the frequency x, y in 1/Å. */
double qn_ctf_at(const qn_ctf *ctf, double frequency_x, double frequency_y);

#endif
