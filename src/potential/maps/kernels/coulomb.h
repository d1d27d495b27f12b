/* Plain Coulomb potential on a grid: Σ charge / |atom − point| over all atoms, every pair counted. One reciprocal
 * square root per pair sets the lower limit of the time.
 *
 * The tuning space has the parameters of the benchmark of Filipovič et al. 2017, where atoms are constant data and a
 * work-item computes several points along z: shape of groups, points of an item, unrolling, memory and layout of the
 * atoms, vectors. benchmark/coulomb3d keeps that benchmark's problem, so that results of tuners stay comparable; this
 * family takes any box of points in slabs, and any number of atoms, constant memory or not. */
#ifndef QN_POTENTIAL_COULOMB_KERNELS_H
#define QN_POTENTIAL_COULOMB_KERNELS_H

#include <quern/family.h>

enum { QN_COULOMB_ATOMS_MAX = 65536 / 16 }; /* of a launch: as many as fit the constant memory of every device */

extern const qn_family qn_potential_coulomb_family;

typedef struct qn_coulomb_problem {
    int points[3];   /* x, y, z of this launch */
    int first_plane; /* index of the first plane along z */
    int atoms;       /* of this launch, QN_COULOMB_ATOMS_MAX at most */
    bool is_first;   /* the potential begins with this launch; else it is added to */
    float origin[3]; /* position of point (0, 0, 0) */
    float spacing;   /* of the points */
    float least;     /* distances below it count as this distance; above 1e-15 */
    float factor;    /* the sum is multiplied by it */
} qn_coulomb_problem;

/* atoms: x, y, z, charge of each; components: the same numbers as four arrays, one after the other; potential: a float
 * for each point, x fastest. configuration NULL: chosen as for any family. Roots have relative errors below 1e-6. */
QN_MUST_CHECK qn_status qn_coulomb_add(qn_queue *queue, const qn_configuration *configuration,
                                       const qn_coulomb_problem *problem, qn_buffer *atoms, qn_buffer *components,
                                       qn_buffer *potential, qn_event **event);

/* The potential at one point in double; *scale gets the same sum of magnitudes, the scale of rounding errors. */
double qn_coulomb_reference(const qn_coulomb_problem *problem, const float *atoms, const int point[3], double *scale);

#endif
