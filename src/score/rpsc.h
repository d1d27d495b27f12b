/* Constants of the fast score "rpsc": real pairwise shape complementarity with contact energies, by the published idea
 * of MEGADOCK (Ohue et al. 2014), plus electrostatics. See docs/design/docking.md. */
#ifndef QN_SCORE_RPSC_H
#define QN_SCORE_RPSC_H

/* Energy of a ligand heavy atom in the receptor's core. */
#define QN_RPSC_CORE 45.0
/* A receptor atom attracts ligand atoms closer than its radius + reach. */
#define QN_RPSC_REACH_ANGSTROM 3.6
/* Weight of the atomic contact energy in 1 − weight · ACE. */
#define QN_RPSC_CONTACT_WEIGHT 0.8
/* Weight of the electrostatic energy in e²/Å. */
#define QN_RPSC_ELECTROSTATIC_WEIGHT 300.0

/* Mean atomic contact energies (Zhang, Vasmatzis, Cornette, DeLisi 1997) of the 18 atom types, dimensionless (kT). */
static const double qn_rpsc_contact_energy[18] = {-0.495, -0.553, -0.464, -0.079, 0.008,  -0.353,
                                                  1.334,  1.046,  0.933,  0.726,  0.693,  0.606,
                                                  0.232,  0.061,  -0.289, -0.432, -0.987, -1.827};

#endif
