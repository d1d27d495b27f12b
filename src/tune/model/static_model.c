#include "tune/model/static_model.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static const double WARP = 32, SECTOR_BYTES = 32, WORD_BYTES = 4;

const char *qn_static_column(size_t column)
{
    return qn_expert_column((qn_expert_role)column);
}

qn_static_limits qn_static_limits_of(const qn_device_info *device)
{
    double local = device && device->local_memory_bytes ? (double)device->local_memory_bytes : 49152;
    return (qn_static_limits){.items = 2048, .groups = 32, .registers = 65536, .local_bytes = local * 4 / 3};
}

double qn_static_residence(const qn_static_launch *launch, const qn_static_limits *limits)
{
    double items = WARP * ceil(launch->group_items / WARP);
    if (!(items > 0)) return 0;
    double groups = fmin(limits->groups, floor(limits->items / items));
    if (launch->local_bytes > 0) groups = fmin(groups, floor(limits->local_bytes / launch->local_bytes));
    if (launch->registers > 0) groups = fmin(groups, floor(limits->registers / (launch->registers * items)));
    return groups * items / limits->items;
}

void qn_static_columns(const qn_static_launch *l, const qn_static_limits *limits, double columns[QN_STATIC_COLUMNS])
{
    double items = l->groups * l->group_items, warps = l->groups * ceil(l->group_items / WARP);
    /* Idle lanes of a warp issue as well. */
    double lanes = items > 0 ? warps * WARP / items : 1;
    /* A warp of narrow groups reads several short rows: one access per row, and only a part of each sector is
     * needed. */
    double rows = l->group_width > 0 ? fmax(1, WARP / l->group_width) : 1;
    double waste = l->group_width > 0 ? fmax(1, SECTOR_BYTES / WORD_BYTES / l->group_width) : 1;
    double conflicts = l->local_conflicts > 0 ? l->local_conflicts : rows;
    double cached = l->cache_bytes_read > 0 ? l->cache_bytes_read : l->bytes_read;
    double reads = l->global_reads > 0 ? l->global_reads : cached / WORD_BYTES;
    double spilled = items * l->private_bytes / SECTOR_BYTES;
    double written = l->bytes_written / SECTOR_BYTES;
    double accesses = reads + l->bytes_written / WORD_BYTES + l->local_reads + l->local_writes;
    for (size_t i = 0; i < QN_STATIC_COLUMNS; i++) columns[i] = NAN;
    columns[QN_EXPERT_DRAM_READ] = l->bytes_read / SECTOR_BYTES;
    columns[QN_EXPERT_DRAM_WRITE] = written;
    columns[QN_EXPERT_L2_READ] = cached / SECTOR_BYTES * waste + spilled;
    columns[QN_EXPERT_L2_WRITE] = written + spilled;
    columns[QN_EXPERT_L1_READ] = reads / WARP * lanes * rows;
    columns[QN_EXPERT_SHARED_READ] = l->local_reads / WARP * lanes * conflicts;
    columns[QN_EXPERT_SHARED_WRITE] = l->local_writes / WARP * lanes;
    columns[QN_EXPERT_SPILL_READ] = spilled;
    columns[QN_EXPERT_SPILL_WRITE] = spilled;
    columns[QN_EXPERT_FP32] = l->multiply_adds;
    columns[QN_EXPERT_INTEGER] = l->integers;
    columns[QN_EXPERT_MEMORY] = accesses;
    columns[QN_EXPERT_INSTRUCTIONS] = (l->multiply_adds + l->integers + accesses) / WARP * lanes;
    columns[QN_EXPERT_WARPS_USE] = 100 * qn_static_residence(l, limits);
    columns[QN_EXPERT_GLOBAL_SIZE] = items;
    columns[QN_EXPERT_LOCAL_MEMORY] = l->local_bytes;
}

static qn_status from_columns(const qn_space *space, const double *columns, qn_tuning_model **model)
{
    const char *names[QN_STATIC_COLUMNS];
    for (size_t i = 0; i < QN_STATIC_COLUMNS; i++) names[i] = qn_static_column(i);
    return qn_tuning_model_from_table(space, names, QN_STATIC_COLUMNS, columns, model);
}

qn_status qn_static_model_create(const qn_space *space, qn_static_describe describe, void *user,
                                 const qn_static_limits *limits, qn_tuning_model **model)
{
    double *columns = NULL;
    uint64_t size = qn_space_size(space);
    *model = NULL;
    qn_status status = qn_allocate(size * QN_STATIC_COLUMNS, sizeof *columns, (void **)&columns);
    for (qn_point point = 0; point < size && status == QN_OK; point++) {
        qn_static_launch launch = {0};
        status = describe(space, point, &launch, user);
        if (status == QN_OK) qn_static_columns(&launch, limits, columns + point * QN_STATIC_COLUMNS);
    }
    if (status == QN_OK) status = from_columns(space, columns, model);
    qn_release(&columns);
    return status;
}

void qn_static_add(const double kernel[QN_STATIC_COLUMNS], double sum[QN_STATIC_COLUMNS])
{
    for (size_t i = 0; i < QN_STATIC_COLUMNS; i++) {
        if (i == QN_EXPERT_WARPS_USE)
            sum[i] = sum[i] > 0 ? fmin(sum[i], kernel[i]) : kernel[i];
        else if (i == QN_EXPERT_LOCAL_MEMORY)
            sum[i] = fmax(sum[i], kernel[i]);
        else
            sum[i] += kernel[i];
    }
}
