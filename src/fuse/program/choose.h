/* Which implementation each call of a graph uses: its meaning at a point, or one of the library's whose conditions hold
 * on a device, whose places fit, and whose results are right. */
#ifndef QN_FUSE_PROGRAM_CHOOSE_H
#define QN_FUSE_PROGRAM_CHOOSE_H

#include "fuse/program/program.h"

typedef struct qn_chooser {
    const qn_library *library;
    const qn_device_info *info; /* of the device that kernels suit */
    qn_device *device;          /* that tries implementations of users; NULL: none, so they are not used */
    /* Bytes that a function moves in a second by an implementation (NULL: its meaning), as it was measured; 0: not
     * known. NULL: nothing was measured. */
    double (*rate_of)(const void *user, const qn_function *function, const qn_implementation *implementation);
    const void *user;
} qn_chooser;

/* Choose for all calls. Of several implementations the one with the highest measured rate is chosen, else the first one
 * with no more operations than the meaning. `notes` gets a line for each that cannot be used, with the reason, and
 * `faults` those among them that are wrong, or that nothing could compare. Errors: QN_BAD_FORMAT (a body does not
 * compile, a condition cannot be read), with the place in the library. */
QN_MUST_CHECK qn_status qn_implementations_choose(const qn_chooser *chooser, qn_graph *graph, qn_text *notes,
                                                  qn_text *faults);

/* Whether one implementation can be used, with which values of its tunables; else the reason. */
typedef struct qn_candidate {
    const qn_implementation *of; /* NULL: the meaning */
    int choices[QN_IMPLEMENTATION_TUNABLES_MAX];
    bool is_usable;
    bool is_faulty; /* it is wrong, or nothing can tell; else its conditions do not hold, as it may be meant */
    char reason[320];
} qn_candidate;
QN_MUST_CHECK qn_status qn_implementation_try(const qn_chooser *chooser, const qn_function *function,
                                              const qn_implementation *implementation, qn_candidate *candidate);

/* Operations of a tree at one point. */
void qn_point_slots(const qn_point *point, int slots[QN_PIPES]);

/* judge.c: compare an implementation with its meaning on a device. If it is not right, or the device cannot tell,
 * `reason` gets why. Errors: QN_BAD_FORMAT, with the place in the library, if it does not compile. */
typedef struct qn_judgement {
    bool is_right;
    char reason[320];
} qn_judgement;
QN_MUST_CHECK qn_status qn_implementation_judge(qn_device *device, const qn_library *library,
                                                const qn_function *function, const qn_implementation *implementation,
                                                const int *choices, qn_judgement *judgement);

#endif
