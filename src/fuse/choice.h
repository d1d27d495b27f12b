/* The choice of kernels and their shape for a device: the planner's candidates go to the tuner together, and what was
 * fastest is kept in the tuning store, by the script's hash, the device and the sizes' class.
 *
 * Life cycle: open → search → get → close. Thread rule: one thread at a time. */
#ifndef QN_FUSE_CHOICE_H
#define QN_FUSE_CHOICE_H

#include "fuse/program/inputs.h"
#include "fuse/sequence.h"

typedef struct qn_choice qn_choice;

typedef struct qn_chosen {
    const qn_plan *plan; /* of the choice, until it is closed */
    qn_shape shape;      /* if it was measured */
    bool is_measured;    /* in this run or in an earlier one; else it is the planner's best plan, with a fitted shape */
    int number;          /* of the plan among the candidates, from 1 */
    int candidates;
    uint64_t tests, new_tests; /* measured in all, and since open */
} qn_chosen;

enum { QN_CHOICE_CANDIDATES = 8 };

/* List at most `candidates` plans and read what is kept for them. `shares_launches`: of short kernels. Without a store
 * nothing is kept. */
QN_MUST_CHECK qn_status qn_choice_open(const qn_sequence *sequence, qn_device *device, int candidates,
                                       bool shares_launches, qn_choice **choice);
void qn_choice_close(qn_choice **choice);

/* Measure plans and shapes for at most `budget_s` seconds, on the values of `inputs`, unless a search for the same
 * candidates ended before. Loops run for some rounds. A program whose results differ from those of the first one is
 * never chosen. Errors: those of making and running the first candidate with its fitted shape. */
QN_MUST_CHECK qn_status qn_choice_search(qn_choice *choice, const qn_inputs *inputs, double budget_s, uint64_t seed);

void qn_choice_get(const qn_choice *choice, qn_chosen *chosen);

#endif
