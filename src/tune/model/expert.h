/* The expert of the `profile` searcher. It finds from the counters of a run which parts of the device limit the run,
 * decides how each counter should change, and scores configurations by the counters that a model predicts for them.
 *
 * Method and constants: Filipovič, Hozzová, Nezarat, Oľha, Petrovič, "Using hardware performance counters to speed up
 * autotuning convergence on GPUs", 2022. Counters are those of NVIDIA devices since Volta. If no counters were read,
 * the use of each part is estimated from predicted counts, the run's time and the device's rates.
 *
 * Thread rule: plain data and pure functions.
 */
#ifndef QN_TUNE_MODEL_EXPERT_H
#define QN_TUNE_MODEL_EXPERT_H

#include <quern/device.h>

/* Columns of a model or record that the expert uses; their names are in expert.c. */
typedef enum qn_expert_role {
    QN_EXPERT_DRAM_USE, /* percent of the peak, as every _USE */
    QN_EXPERT_DRAM_READ,
    QN_EXPERT_DRAM_WRITE,
    QN_EXPERT_L2_USE,
    QN_EXPERT_L2_READ,
    QN_EXPERT_L2_WRITE,
    QN_EXPERT_L1_USE,
    QN_EXPERT_L1_READ,
    QN_EXPERT_SHARED_USE,
    QN_EXPERT_SHARED_READ,
    QN_EXPERT_SHARED_WRITE,
    QN_EXPERT_SPILL_READ, /* sectors of memory that replaces registers */
    QN_EXPERT_SPILL_WRITE,
    QN_EXPERT_WARPS_USE, /* resident warps, percent of the maximum */
    QN_EXPERT_CYCLES_USE,
    QN_EXPERT_FP16, /* instructions by class, counted per work-item */
    QN_EXPERT_FP32,
    QN_EXPERT_FP64,
    QN_EXPERT_INTEGER,
    QN_EXPERT_CONTROL,
    QN_EXPERT_MEMORY,
    QN_EXPERT_MISCELLANEOUS,
    QN_EXPERT_CONVERSION,
    QN_EXPERT_INSTRUCTIONS, /* of all classes, counted per warp */
    QN_EXPERT_SPECIAL_USE,
    QN_EXPERT_ISSUE_USE,
    QN_EXPERT_ACTIVE_LANES,     /* work-items per instruction of a warp, at most 32 */
    QN_EXPERT_PREDICATED_LANES, /* percent of them that a predicate lets through */
    QN_EXPERT_GLOBAL_SIZE,      /* work-items */
    QN_EXPERT_LOCAL_SIZE,       /* work-items in a group */
    QN_EXPERT_LOCAL_MEMORY,     /* bytes per group */
    QN_EXPERT_ROLES
} qn_expert_role;

enum { QN_EXPERT_CLASSES = QN_EXPERT_CONVERSION - QN_EXPERT_FP16 + 1 };

const char *qn_expert_column(qn_expert_role role);

/* Values by role; NaN if not known. */
typedef struct qn_expert_profile {
    double value[QN_EXPERT_ROLES];
} qn_expert_profile;

/* column[role]: index into names[0 … count - 1]; -1: none. */
typedef struct qn_expert_columns {
    int column[QN_EXPERT_ROLES];
} qn_expert_columns;

qn_expert_columns qn_expert_find(const char *const *names, size_t count);
qn_expert_profile qn_expert_profile_of(const qn_expert_columns *columns, const double *values, size_t count);

/* Estimate the use of each part in a run of `seconds` with these counts, from rates; a part whose rate is 0 counts as
 * idle. The rates of L2, L1, local memory and issue are not measured: they are fixed multiples of the rates of memory
 * and multiply-adds. */
qn_expert_profile qn_expert_estimate(const qn_expert_profile *counts, double seconds, const qn_device_rates *rates);

/* Degree to which each part limits the run, 0 to 1. */
typedef struct qn_bottlenecks {
    double dram_read, dram_write, l2_read, l2_write, l1, shared_read, shared_write, spills;
    double classes[QN_EXPERT_CLASSES]; /* each class of instructions, from QN_EXPERT_FP16 */
    double issue;                      /* empty issue slots although one class of instructions is in demand */
    double residence, cycles;          /* too few warps on a multiprocessor; multiprocessors idle */
    double tail, threads;              /* a last wave of groups that is not full; too few work-items for the device */
    double reaction;                   /* the share above which a class of instructions counts */
} qn_bottlenecks;

/* compute_units 0: not known, tail and threads stay 0. */
void qn_expert_judge(const qn_expert_profile *profile, int compute_units, qn_bottlenecks *bottlenecks);

/* Share of the places for groups that are empty because the last wave is not full: 0 when `compute_units` divides
 * `groups`. */
double qn_expert_tail(double groups, int compute_units);

/* Wanted change of each role's count: the sign is the direction, the size the importance. */
void qn_expert_changes(const qn_bottlenecks *bottlenecks, double changes[QN_EXPERT_ROLES]);

/* Σ change · 2 (candidate - best) / (candidate + best). */
double qn_expert_score(const double changes[QN_EXPERT_ROLES], const qn_expert_profile *best,
                       const qn_expert_profile *candidate);

/* Replace scores by weights of a roulette: 1e-4 for scores below -0.25, else (1 ± share of the extreme
 * score)^exponent. */
void qn_expert_weights(double *scores, size_t count, double exponent);

#endif
