/* Steps of Newton's method for many states at once on a device, in single precision, beside the families that assemble
 * and factor. Numbers of a batch are [entry][state], an entry of a state at entry · stride + state. Sums over freedoms
 * have a fixed order, so that a state's results depend on no other state and on no configuration.
 *
 *   start      x = parent + change · way; fixed freedoms are 0, held ones the tool's place
 *   negate     b = −values at free freedoms, 0 elsewhere; for one or three right sides
 *   advance    result = x + length · step
 *   norms      Σ r² over free freedoms, Σ r² over the others, Σ r over held freedoms along x, y, z
 *   columns    K's columns of the held freedoms, added up for each axis
 *   stiffness  H = K_cc + K_cf Z of those columns and the change Z */
#ifndef QN_DEFORM_BATCH_KERNELS_BALANCE_H
#define QN_DEFORM_BATCH_KERNELS_BALANCE_H

#include <quern/family.h>

#include "deform/state/problem.h"

enum { QN_BALANCE_STATES, QN_BALANCE_ROWS }; /* tunables */
enum {
    QN_BALANCE_START,
    QN_BALANCE_NEGATE,
    QN_BALANCE_ADVANCE,
    QN_BALANCE_NORMS,
    QN_BALANCE_COLUMNS,
    QN_BALANCE_STIFFNESS
}; /* kernels */
enum { QN_BALANCE_NORM_ROWS = 5, QN_BALANCE_STIFFNESS_ROWS = 9 };

/* A problem on a device. Not for a mean. */
typedef struct qn_balance {
    const qn_problem *problem; /* outlives it */
    int term_count;
    qn_buffer *kinds, *scales, *starts, *terms;
} qn_balance;

QN_MUST_CHECK qn_status qn_balance_create(qn_queue *queue, const qn_problem *problem, qn_balance **balance);
void qn_balance_destroy(qn_balance **balance);

/* Launch a kernel for `stride` states; `rows` right sides (1 or 3) of negate, else 1. buffers: the arguments after
 * those of the problem, in declared order. `configuration` NULL: chosen by the tuner. */
QN_MUST_CHECK qn_status qn_balance_run(qn_queue *queue, int kernel, const qn_configuration *configuration,
                                       const qn_balance *balance, int stride, int sides, qn_buffer *const buffers[],
                                       qn_event **event);

/* The same for one state in double precision: inputs as the buffers, without the result. The result of columns has room
 * for the values of K after its 3 freedom_count numbers. */
void qn_balance_reference(const qn_problem *problem, int kernel, int stride, int state, int sides,
                          const float *const inputs[], double *result);

extern const qn_family qn_deform_balance_family;

#endif
