/* Coefficient sets of the PIPER energy: the shipped ones and a user's file.
 *
 * A weights file has one set in each line, fields separated by blanks; # begins a comment:
 *
 *     # name     w_rep  w_attr  w_elec  w_pair  reach  D    core  cap
 *     balanced   0.40   -0.30   325     1.00    4.8    4.0  150   none
 */
#ifndef QN_SCORE_COEFFICIENTS_H
#define QN_SCORE_COEFFICIENTS_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>

enum { QN_COEFFICIENTS_NAME = 32, QN_COEFFICIENTS_MAX = 64 };

/* E = repulsion · E_rep + attraction · E_attr + electrostatic · E_elec + pair · E_pair. */
typedef struct qn_coefficients {
    char name[QN_COEFFICIENTS_NAME];
    double repulsion, attraction, electrostatic, pair;
    double reach_angstrom;  /* a receptor atom attracts ligand atoms closer than its radius + reach */
    double length_angstrom; /* D of the electrostatics, score/electrostatics.h */
    double core;            /* E_rep of one ligand heavy atom in the receptor's core */
    double cap;             /* number of receptor atoms that attract one ligand atom, at most; INFINITY: no limit */
    bool cdrs_only;         /* in antibodies, mask all residues outside the complementarity-determining regions */
} qn_coefficients;

/* Find the sets that `list` names: shipped sets and families of sets, separated by commas, or the path of a weights
 * file. *sets is released with qn_release. QN_INVALID_ARGUMENT for unknown or repeated names; QN_BAD_FORMAT, naming
 * file, line and value, for a malformed file. */
QN_MUST_CHECK qn_status qn_coefficients_find(const char *list, qn_coefficients **sets, size_t *count);

/* Read the sets of one weights file. */
QN_MUST_CHECK qn_status qn_coefficients_read(const char *path, qn_coefficients **sets, size_t *count);

#endif
