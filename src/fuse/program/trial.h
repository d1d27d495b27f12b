/* One call of a function on random numbers: to compare an implementation with the meaning, and to time it.
 *
 * Life cycle: open → run, compare, time → close. */
#ifndef QN_FUSE_PROGRAM_TRIAL_H
#define QN_FUSE_PROGRAM_TRIAL_H

#include "fuse/program/inputs.h"

typedef struct qn_trial {
    qn_arena arena;
    qn_text text;
    qn_source source;
    qn_implementation implementation; /* without its places, which depend on how a script stores its matrices */
    qn_graph graph;
    qn_plan plan;
    qn_sizes sizes;
    double stored[QN_GRAPH_VALUES_MAX];
    qn_inputs inputs;
    qn_program *program;
} qn_trial;

typedef struct qn_trial_call {
    const qn_library *library;
    const qn_function *function;
    const qn_implementation *implementation; /* NULL: the meaning */
    const int *choices;                      /* of its tunables; NULL: the first values */
    int64_t extents[QN_SPACE_MAX];           /* of the function's indices */
    bool with_numbers;                       /* also in double precision */
    bool marks_bodies;                       /* compilers name places of the library */
} qn_trial_call;

/* Make the program and write its values. QN_BUILD_FAILED: the kernels do not compile. */
QN_MUST_CHECK qn_status qn_trial_open(const qn_trial_call *call, qn_device *device, qn_trial **trial);
/* The script, the graph and the plan alone, without a device. */
QN_MUST_CHECK qn_status qn_trial_plan(const qn_trial_call *call, qn_trial *trial);
void qn_trial_close(qn_trial **trial);

/* The number of the kernel that does the call. */
int qn_trial_kernel(const qn_trial *trial);

#endif
