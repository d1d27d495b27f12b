/* Collective variables of a running simulation: distances between a frame and reference structures, and the path
 * variables of Branduardi, Gervasio and Parrinello (2007, doi 10.1063/1.2432340), all with gradients by atom.
 *
 * Life cycle: create (copies the references, allocates everything) → evaluate, frame after frame → destroy. Evaluating
 * allocates nothing. Thread rule: one thread at a time per handle; it uses the threads of the context.
 *
 *     double rmsd[2], s_gradient[4][3];
 *     qn_collective_options options = qn_collective_default_options();
 *     qn_collective_values values = {.size = sizeof values, .rmsd = rmsd, .s_gradient = &s_gradient[0][0]};
 *     qn_collective *path;
 *     options.references = &references[0][0][0], options.reference_count = 2, options.atom_count = 4;
 *     if (qn_collective_create(context, &options, &path) != QN_OK) return 1;
 *     if (qn_collective_evaluate(path, &references[1][0][0], &values) == QN_OK) printf("s = %.2f\n", values.s);
 *     qn_collective_destroy(&path);
 */
#ifndef QUERN_COLLECTIVE_H
#define QUERN_COLLECTIVE_H

#include <quern/device.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The distance d(i) to reference i that the path variables use. */
typedef enum qn_path_distance {
    QN_PATH_RMSD_SQUARED, /* the mean square deviation after superposition, as in the paper */
    QN_PATH_RMSD,
    QN_PATH_DRMSD_SQUARED,
    QN_PATH_DRMSD,
    QN_PATH_NONE /* no path variables */
} qn_path_distance;

/* Lengths may be in any unit, the same for references and frames; distances are in that unit. */
typedef struct qn_collective_options {
    size_t size;              /* of this struct in bytes */
    const double *references; /* [reference_count][atom_count][3], the path in its order; copied */
    size_t reference_count;   /* N, 1 … 10^6 */
    size_t atom_count;        /* m, 3 … 10^6 */
    const double *weights; /* m weights w ≥ 0 of the superposition, with a sum above 0; NULL: all 1; copied. dRMSD has
                              no weights */
    qn_path_distance path; /* default QN_PATH_RMSD_SQUARED */
    bool drmsd;            /* dRMSD will be asked for; implied by a path of dRMSD. Needs 4 m² bytes a reference,
                                 but not with a device */
    double lambda;         /* λ, in 1 / unit of d; 0: 2.3 / mean of d between successive references */
    size_t neighbours;     /* path variables sum over this number of nearest references only; 0: all */
    size_t neighbour_stride; /* calls between searches for the nearest references; default 20 */
    qn_device *device; /* for many references: their distances are computed there in single precision, to about 1e-6 of
                          the structures' size; path variables and their gradients take the references that matter
                          again, in double precision. A call that asks for the gradients of all RMSD or dRMSD computes
                          that distance without the device. NULL: none */
    const double *deviation_weights; /* m weights v ≥ 0 of the deviation, with a sum above 0; NULL: those of the
                                        superposition; copied. Not with a device */
} qn_collective_options;

static inline qn_collective_options qn_collective_default_options(void)
{
    qn_collective_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.neighbour_stride = 20;
    return options;
}

/* Results of a call: `s` and `z` are filled in, and the arrays that the caller gives. Arrays that are NULL are not
 * computed. A reference that is in no neighbour list has the distance NaN and a gradient of NaN. */
typedef struct qn_collective_values {
    size_t size;        /* of this struct in bytes */
    double s, z;        /* Σ i exp(−λ d(i)) / Σ exp(−λ d(i)), i from 1; −ln(Σ exp(−λ d(i))) / λ */
    double *s_gradient; /* [m][3], ∂s/∂x */
    double *z_gradient; /* [m][3], ∂z/∂x */
    double *rmsd; /* [N], √(Σ v |x − R y − t|² / Σ v), with the rotation R and the shift t that make Σ w |x − R y − t|²
                     least */
    double *rmsd_gradients; /* [N][m][3]; 0 for an RMSD of 0, where it has no derivative */
    double *drmsd; /* [N], √(2 / (m (m − 1)) Σ_{a<b} (|x_a − x_b| − |y_a − y_b|)²): the same for mirror images */
    double *drmsd_gradients; /* [N][m][3]; 0 for a dRMSD of 0; a pair of atoms at one place adds nothing */
} qn_collective_values;

typedef struct qn_collective qn_collective;

/* Plan. `context` gives the threads; NULL: one thread. Errors: QN_INVALID_ARGUMENT naming the option, the value and
 * what was expected (also references whose mean distance is 0 where lambda is 0); QN_OUT_OF_MEMORY; with a device also
 * QN_UNSUPPORTED (deviation_weights) and the errors of the device. */
QN_MUST_CHECK qn_status qn_collective_create(qn_context *context, const qn_collective_options *options,
                                             qn_collective **collective);
void qn_collective_destroy(qn_collective **collective);

/* Compare a frame, `positions` [m][3], with the references. Results do not depend on the number of threads.
 * QN_INVALID_ARGUMENT for positions that are not finite, naming the atom, and for dRMSD that was not planned; with a
 * device also the errors of the device. */
QN_MUST_CHECK qn_status qn_collective_evaluate(qn_collective *collective, const double *positions,
                                               qn_collective_values *values);

/* λ as planned; NaN without path variables. */
double qn_collective_lambda(const qn_collective *collective);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
