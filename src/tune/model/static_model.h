/* The static model: columns like hardware counters, computed from a configuration without running it. With the time of
 * a run and the device's rates they show what limited the run, so that `profile` works without readable counters.
 *
 * A launch is described by its geometry, the compiler's report, its traffic and its operations; numbers that are not
 * known are 0. The more of them differ between configurations, the better the model guides a search: geometry alone
 * shows little except the parallelism.
 *
 * Life cycle: describe → qn_static_model_create → (as any model). Thread rule: as models.
 */
#ifndef QN_TUNE_MODEL_STATIC_MODEL_H
#define QN_TUNE_MODEL_STATIC_MODEL_H

#include "tune/model/expert.h"
#include "tune/model/model.h"

typedef struct qn_static_launch {
    double groups, group_items;
    double group_width;               /* work-items in a group's first dimension */
    double registers;                 /* per work-item */
    double local_bytes;               /* per group */
    double private_bytes;             /* spilled, per work-item */
    double bytes_read, bytes_written; /* of device memory, if each value is moved once */
    double cache_bytes_read;          /* sum of the bytes that each group reads; 0: bytes_read */
    double global_reads;              /* of 4 bytes, counted per work-item; 0: as many as cache_bytes_read needs */
    double local_reads, local_writes; /* likewise */
    double local_conflicts;           /* parts that an access of a warp is split into; 0: rows of a group per warp */
    double multiply_adds;             /* counted per work-item */
    double integers;                  /* likewise; addresses and loops */
} qn_static_launch;

/* Resources of a compute unit, which its groups share. */
typedef struct qn_static_limits {
    double items, groups, registers, local_bytes;
} qn_static_limits;

/* 2048 work-items, 32 groups, 65536 registers, and 4/3 of the local memory that a group may have: usual on GPUs. device
 * NULL: a group may have 48 KiB. */
qn_static_limits qn_static_limits_of(const qn_device_info *device);

/* One column for each role of the expert, in the roles' order. A column is NaN if nothing is known without a run, such
 * as the use of most parts and the rarer classes of instructions. Counters that are read while tuning replace these
 * columns too. */
enum { QN_STATIC_COLUMNS = QN_EXPERT_ROLES };

const char *qn_static_column(size_t column);
void qn_static_columns(const qn_static_launch *launch, const qn_static_limits *limits,
                       double columns[QN_STATIC_COLUMNS]);

/* Work-items that are resident on a compute unit, as a share of the maximum; 0 when no group fits. */
double qn_static_residence(const qn_static_launch *launch, const qn_static_limits *limits);

typedef qn_status (*qn_static_describe)(const qn_space *space, qn_point point, qn_static_launch *launch, void *user);

QN_MUST_CHECK qn_status qn_static_model_create(const qn_space *space, qn_static_describe describe, void *user,
                                               const qn_static_limits *limits, qn_tuning_model **model);

/* Add the columns of another kernel of a family to `sum`, which is 0 at first: counts are added, the least residence
 * and the largest local memory are kept. */
void qn_static_add(const double kernel[QN_STATIC_COLUMNS], double sum[QN_STATIC_COLUMNS]);

/* Make the model of a kernel family in a space of its tunables (qn_tune_family_space). Geometry and work are those that
 * the family states; local memory is the smallest that satisfies the family's constraints on device.local_memory_bytes.
 * `problem` is the family's own struct. The counts of several kernels are added. The model is a table: nothing needs to
 * outlive the call. */
QN_MUST_CHECK qn_status qn_static_model_of_family(const qn_family *family, const void *problem,
                                                  const qn_device_info *device, const qn_space *space,
                                                  qn_tuning_model **model);

#endif
