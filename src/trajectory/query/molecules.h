/* Sums over the selected atoms of each molecule. */
#ifndef QN_TRAJECTORY_QUERY_MOLECULES_H
#define QN_TRAJECTORY_QUERY_MOLECULES_H

#include <math.h>

#include "trajectory/query/atom_weights.h"

/* 1 D is 1e-21 C m² / s over the speed of light; the elementary charge is 1.602176634e-19 C. */
#define QN_DEBYE_PER_E_NM (1.602176634e-28 / (1e-21 / 299792458.0))

/* Data for sums over molecules, with the weights of the selection. */
typedef struct qn_molecules {
    size_t count;    /* number of molecules of the topology */
    uint32_t *atoms; /* atoms[i]: molecule of atom i of the topology */
    bool ordered;    /* `atoms` never descends */
    qn_atom_weights masses, charges;
    const qn_atom_sums *sums; /* the code for this processor */
} qn_molecules;

/* Data for selection 0. If `charged` is false, every atom has the charge 1. */
QN_MUST_CHECK qn_status qn_molecules_create(const qn_query_setup *setup, bool charged, qn_molecules *molecules);
void qn_molecules_clear(qn_molecules *molecules);

/* (*sums)[i] becomes the sums of molecule i of the topology, all zero if it has no selected atoms. *sums lies in
 * *frame->scratch, which qn_molecules_scratch_destroy releases. */
QN_MUST_CHECK qn_status qn_molecules_sum(const qn_molecules *molecules, const qn_query_frame *frame,
                                         qn_molecule_sums **sums);
void qn_molecules_scratch_destroy(void *scratch);

/* The same sums of the molecules that have selected atoms, up to QN_ATOM_BLOCK molecules per call. No memory is
 * allocated if the molecules are `ordered`; else all molecules are listed. Call start, then next until it returns 0;
 * a walk may be left at any time. */
typedef struct qn_molecule_walk {
    const qn_molecules *molecules;
    const qn_query_frame *frame;
    size_t next;    /* next atom of the selection; if is_listed, next molecule */
    bool is_listed; /* all sums were made at once */
    bool has_open;  /* the next block may have more atoms of molecule `open`, the last one so far */
    uint32_t open;
    qn_molecule_sums open_sums, room[QN_ATOM_BLOCK + 1], *listed;
} qn_molecule_walk;

QN_MUST_CHECK qn_status qn_molecule_walk_start(const qn_molecules *molecules, const qn_query_frame *frame,
                                               qn_molecule_walk *walk);
size_t qn_molecule_walk_next(qn_molecule_walk *walk, const qn_molecule_sums **sums);

static inline void qn_molecule_sums_add(const qn_molecule_sums *part, qn_molecule_sums *sums)
{
    for (int axis = 0; axis < 3; axis++) {
        sums->mass_moment[axis] += part->mass_moment[axis];
        sums->charge_moment[axis] += part->charge_moment[axis];
    }
    sums->mass += part->mass;
    sums->charge += part->charge;
}

/* Centre of mass; false for a molecule without mass. */
static inline bool qn_molecule_centre(const qn_molecule_sums *sums, double centre_nm[3])
{
    if (!(sums->mass > 0)) return false;
    const double inverse = 1 / sums->mass;
    for (int axis = 0; axis < 3; axis++) centre_nm[axis] = sums->mass_moment[axis] * inverse;
    return true;
}

/* Compute the dipole about the centre of mass in e nm; return |dipole|. */
static inline double qn_molecule_dipole(const qn_molecule_sums *sums, const double centre_nm[3], double dipole[3])
{
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        dipole[axis] = sums->charge_moment[axis] - sums->charge * centre_nm[axis];
        square += dipole[axis] * dipole[axis];
    }
    return sqrt(square);
}

#endif
