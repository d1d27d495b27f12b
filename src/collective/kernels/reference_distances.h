/* RMSD of a frame from many references, after the best rotation of each, and dRMSD, in single precision.
 *
 * Shapes. References: [count][3][stride], rows of x, y and z about the weighted centre. Frame: [4][stride], rows of x,
 * y and z about the weighted centre, and the weights. The stride is a multiple of QN_REFERENCE_DISTANCES_STEP, and the
 * places after the last atom hold 0. RMSD or dRMSD: [count].
 *
 * The deviation is summed after the rotation, because the closed form Σ|x|² + Σ|y|² − 2λ loses half of the digits where
 * structures are alike. The error is about 1e-6 of the structures' size. Sums have one order for all configurations.
 */
#ifndef QN_COLLECTIVE_REFERENCE_DISTANCES_H
#define QN_COLLECTIVE_REFERENCE_DISTANCES_H

#include <quern/family.h>

enum { QN_REFERENCE_DISTANCES_STEP = 16, QN_REFERENCE_DISTANCES_MAX = 1 << 24 };

extern const qn_family qn_collective_reference_distances_family;

typedef struct qn_reference_distances_problem {
    int count, stride; /* up to QN_REFERENCE_DISTANCES_MAX each */
    double weight_sum; /* for RMSD */
    int atoms;         /* for dRMSD: m, 2 … stride */
} qn_reference_distances_problem;

/* QN_INVALID_ARGUMENT for impossible problems and buffers that are too small. `configuration` NULL: chosen by the
 * tuner. */
QN_MUST_CHECK qn_status qn_reference_distances(qn_queue *queue, const qn_configuration *configuration,
                                               const qn_reference_distances_problem *problem, qn_buffer *references,
                                               qn_buffer *frame, qn_buffer *rmsd, qn_event **event);

/* dRMSD = √(2 / (m (m − 1)) Σ_{a<b} (|x_a − x_b| − |y_a − y_b|)²), without weights. */
QN_MUST_CHECK qn_status qn_reference_drmsd(qn_queue *queue, const qn_configuration *configuration,
                                           const qn_reference_distances_problem *problem, qn_buffer *references,
                                           qn_buffer *frame, qn_buffer *drmsd, qn_event **event);

/* Name of the problem's class, the key of tuning results. */
void qn_reference_distances_class(const qn_reference_distances_problem *problem, char text[64]);

/* The RMSD from one reference (3 rows) in double precision: by the definition, with the rows' origins as centres. */
double qn_reference_distance_exact(const qn_reference_distances_problem *problem, const float *reference,
                                   const float *frame);
double qn_reference_drmsd_exact(const qn_reference_distances_problem *problem, const float *reference,
                                const float *frame);

#endif
