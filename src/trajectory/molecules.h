/* Sums over the selected atoms of each molecule. */
#ifndef QN_TRAJECTORY_MOLECULES_H
#define QN_TRAJECTORY_MOLECULES_H

#include "trajectory/atom_weights.h"

/* 1 D is 1e-21 C m² / s over the speed of light; the elementary charge is 1.602176634e-19 C. */
#define QN_DEBYE_PER_E_NM (1.602176634e-28 / (1e-21 / 299792458.0))

typedef struct qn_molecule_sums {
    double mass, charge;                     /* amu, e */
    double mass_moment[3], charge_moment[3]; /* amu nm, e nm; about the origin */
} qn_molecule_sums;

/* What is needed to sum; weights are those of the selection. */
typedef struct qn_molecules {
    size_t count;    /* of the topology */
    uint32_t *atoms; /* molecule of every atom */
    qn_atom_weights masses, charges;
} qn_molecules;

/* Of selection 0. Without `charged`, charges and their moments are those of unit charges. */
QN_MUST_CHECK qn_status qn_molecules_create(const qn_query_setup *setup, bool charged, qn_molecules *molecules);
void qn_molecules_clear(qn_molecules *molecules);

/* *sums has one of each molecule of the topology, all zero for one without selected atoms; it lives in
 * *frame->scratch, which qn_molecules_scratch_destroy releases. */
QN_MUST_CHECK qn_status qn_molecules_sum(const qn_molecules *molecules, const qn_query_frame *frame,
                                         qn_molecule_sums **sums);
void qn_molecules_scratch_destroy(void *scratch);

/* Centre of mass; false for a molecule without mass. */
bool qn_molecule_centre(const qn_molecule_sums *sums, double centre_nm[3]);

/* Dipole about the centre of mass, e nm; |dipole|. */
double qn_molecule_dipole(const qn_molecule_sums *sums, const double centre_nm[3], double dipole[3]);

#endif
