/* The static model: columns like hardware counters, computed from a configuration without running it. With the time of
 * a run and the device's rates they say what held the run back, so that `profile` works where no counters can be read.
 *
 * A launch is described by its geometry, by what its compiler reports and by what it moves and computes; what is not
 * known is 0. The more of it differs between configurations, the better the model steers: with geometry alone it knows
 * about parallelism and little else.
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
    double private_bytes;             /* per work-item, in memory */
    double bytes_read, bytes_written; /* of device memory, each value once */
    double cache_bytes_read;          /* what the groups read in all, each for itself; 0: bytes_read */
    double global_reads;              /* of 4 bytes, by a work-item each; 0: as many as cache_bytes_read needs */
    double local_reads, local_writes; /* likewise */
    double local_conflicts;           /* accesses that one of a warp is split into; 0: 1 */
    double multiply_adds;             /* by a work-item each */
    double integers;                  /* likewise: addresses and loops */
} qn_static_launch;

/* What a compute unit has for the groups on it. */
typedef struct qn_static_limits {
    double items, groups, registers, local_bytes;
} qn_static_limits;

/* 2048 work-items, 32 groups, 65536 registers, and a third more local memory than a group may have: usual on GPUs.
 * device NULL: of 48 KiB. */
qn_static_limits qn_static_limits_of(const qn_device_info *device);

/* A column for each role of the expert, in their order; NaN where nothing is known without running: how busy the parts
 * are, and the rarer classes of instructions. Counters that are read while tuning have their place there. */
enum { QN_STATIC_COLUMNS = QN_EXPERT_ROLES };

const char *qn_static_column(size_t column);
void qn_static_columns(const qn_static_launch *launch, const qn_static_limits *limits,
                       double columns[QN_STATIC_COLUMNS]);

/* Work-items that are resident on a compute unit as a share of the most there can be; 0 when not one group fits. */
double qn_static_residence(const qn_static_launch *launch, const qn_static_limits *limits);

typedef qn_status (*qn_static_describe)(const qn_space *space, qn_point point, qn_static_launch *launch, void *user);

QN_MUST_CHECK qn_status qn_static_model_create(const qn_space *space, qn_static_describe describe, void *user,
                                               const qn_static_limits *limits, qn_tuning_model **model);

/* Add the columns of another kernel of a family: counts add up, of residences the least counts. `sum` is 0 at first. */
void qn_static_add(const double kernel[QN_STATIC_COLUMNS], double sum[QN_STATIC_COLUMNS]);

/* For a kernel family in a space of its tunables (qn_tune_family_space): geometry and work as the family states them,
 * local memory as the smallest that satisfies the family's constraints on device.local_memory_bytes. `problem` is the
 * family's own struct. Of several kernels the counts are added up. A table: nothing needs to outlive the call. */
QN_MUST_CHECK qn_status qn_static_model_of_family(const qn_family *family, const void *problem,
                                                  const qn_device_info *device, const qn_space *space,
                                                  qn_tuning_model **model);

#endif
