/* Sums over the selected atoms of each molecule. */
#ifndef QN_TRAJECTORY_QUERY_MOLECULES_H
#define QN_TRAJECTORY_QUERY_MOLECULES_H

#include <math.h>

#include "trajectory/query/atom_weights.h"

/* 1 D is 1e-21 C m² / s over the speed of light; the elementary charge is 1.602176634e-19 C. */
#define QN_DEBYE_PER_E_NM (1.602176634e-28 / (1e-21 / 299792458.0))

/* What is needed to sum; weights are those of the selection. */
typedef struct qn_molecules {
    size_t count;    /* of the topology */
    uint32_t *atoms; /* molecule of every atom */
    bool ordered;    /* which never descend */
    qn_atom_weights masses, charges;
    const qn_atom_sums *sums; /* of this processor */
} qn_molecules;

/* Of selection 0. Without `charged`, charges and their moments are those of unit charges. */
QN_MUST_CHECK qn_status qn_molecules_create(const qn_query_setup *setup, bool charged, qn_molecules *molecules);
void qn_molecules_clear(qn_molecules *molecules);

/* *sums has one of each molecule of the topology, all zero for one without selected atoms; it lives in
 * *frame->scratch, which qn_molecules_scratch_destroy releases. */
QN_MUST_CHECK qn_status qn_molecules_sum(const qn_molecules *molecules, const qn_query_frame *frame,
                                         qn_molecule_sums **sums);
void qn_molecules_scratch_destroy(void *scratch);

/* The same sums, of molecules that have selected atoms, up to QN_ATOM_BLOCK at a time and with no memory of their own
 * where atoms of a molecule stand together. Start, then next until it returns 0; a walk may be left at any time. */
typedef struct qn_molecule_walk {
    const qn_molecules *molecules;
    const qn_query_frame *frame;
    size_t next;              /* atom of the selection; of those that are listed, molecule */
    bool is_listed, has_open; /* all sums were made at once; else the last molecule so far may go on */
    uint32_t open;            /* which it is */
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

/* Dipole about the centre of mass, e nm; |dipole|. */
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
