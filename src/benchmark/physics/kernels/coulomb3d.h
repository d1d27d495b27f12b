/* Direct Coulomb summation on a grid: potential[z][y][x] = Σ over atoms of charge / |atom − point|, every pair counted,
 * points at multiples of `spacing`. One reciprocal square root per pair sets the lower limit of the time.
 *
 * The tuning space includes that of the same benchmark in the Kernel Tuning Toolkit (Filipovič et al. 2017): shape
 * of groups, points of an item, unrolling, memory and layout of the atoms, vectors. */
#ifndef QN_BENCHMARK_PHYSICS_COULOMB3D_H
#define QN_BENCHMARK_PHYSICS_COULOMB3D_H

#include <quern/family.h>

enum {
    QN_COULOMB3D_POINTS_STEP = 16,           /* points along x are a multiple of this */
    QN_COULOMB3D_CONSTANT_ATOMS = 65536 / 16 /* as many as fit the constant memory of every device */
};

extern const qn_family qn_benchmark_coulomb3d_family;

typedef struct qn_coulomb3d_problem {
    int points[3]; /* x, y, z */
    int atoms;
    float spacing;
} qn_coulomb3d_problem;

/* atoms: x, y, z, charge of each; components: the same numbers as four arrays, one after the other; potential: a float
 * for each point, x fastest. configuration NULL: chosen as for any family. QN_UNSUPPORTED: the configuration needs more
 * atoms in constant memory than fit. */
QN_MUST_CHECK qn_status qn_coulomb3d(qn_queue *queue, const qn_configuration *configuration,
                                     const qn_coulomb3d_problem *problem, qn_buffer *atoms, qn_buffer *components,
                                     qn_buffer *potential, qn_event **event);

/* The potential at one point in double; *scale gets Σ |charge| / distance, the scale of rounding errors. */
double qn_coulomb3d_reference(const qn_coulomb3d_problem *problem, const float *atoms, const int point[3],
                              double *scale);

#endif
