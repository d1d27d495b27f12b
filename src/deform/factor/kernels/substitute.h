/* Solve K x = b for many states with factors of deform/factor, in single precision. */
#ifndef QN_DEFORM_FACTOR_KERNELS_SUBSTITUTE_H
#define QN_DEFORM_FACTOR_KERNELS_SUBSTITUTE_H

#include "deform/factor/kernels/factor.h"

extern const qn_family qn_deform_substitute_family;

enum {
    QN_SUBSTITUTE_STATES,
    QN_SUBSTITUTE_BLOCK,
    QN_SUBSTITUTE_PANEL,
    QN_SUBSTITUTE_TEAMS, /* 0: a launch for each step of a level; else one launch for all */
    QN_SUBSTITUTE_TUNABLES
};
enum { QN_SUBSTITUTE_SIDES_MAX = 4 };

/* The configuration for factors of a schedule on the queue's device: that of the context's source (the tuner) if it has
 * BLOCK and PANEL of the schedule; else GPUs solve in one launch, and other devices level by level. */
qn_configuration qn_substitute_configuration(qn_queue *queue, const qn_factor_schedule *schedule, int states);

/* x [side][freedom of the body][state]: right sides, which become solutions; 1 to QN_SUBSTITUTE_SIDES_MAX sides.
 * Freedoms that are not free keep their numbers. Solutions of a state depend on nothing but the state and the schedule.
 * seconds (may be NULL): the queue is finished and the device seconds of all kernels are summed. Errors:
 * QN_INVALID_ARGUMENT for sizes and buffers that are too small; those of qn_family_run. */
QN_MUST_CHECK qn_status qn_substitute_states(qn_queue *queue, const qn_configuration *configuration,
                                             const qn_factor_lists *lists, const qn_factor_arrays *arrays, int sides,
                                             qn_buffer *x, double *seconds);

/* The same in double precision for one side of one state, slow and simple. */
void qn_substitute_states_reference(const qn_factor_schedule *schedule, const double *tiles, const double *diagonals,
                                    double *x);

#endif
