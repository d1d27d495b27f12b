#include "tune/model/expert.h"

#include <math.h>
#include <string.h>

/* Published values. */
static const double REACTION_MEMORY_BOUND = 0.7, REACTION_COMPUTE_BOUND = 0.5;
static const double CUT_OFF = -0.25, LEAST_WEIGHT = 1e-4;
static const double THREADS_PER_LANE = 5;     /* work-items that a lane needs to hide latencies */
static const double LANES_PER_UNIT = 64;      /* of a multiprocessor */
static const double SINGLE_CLASS_ISSUE = 0.5; /* dual issue: one class of instructions fills half of the slots */
static const double WARP = 32, SECTOR_BYTES = 32;

/* Rates that are not measured, as multiples of measured rates. */
static const double L2_OVER_MEMORY = 3;               /* bytes */
static const double MULTIPLY_ADDS_PER_WAVEFRONT = 96; /* 64 to 128 lanes in the time of one access to local memory */
static const double WAVEFRONTS_PER_L1_REQUEST = 4;
static const double ISSUE_PER_MULTIPLY_ADD = 2; /* a scheduler issues 32 lanes per cycle; 16 of them multiply and add */

#define INSTRUCTIONS(class) "smsp__sass_thread_inst_executed_op_" class "_pred_on.sum"

static const char *const COLUMNS[QN_EXPERT_ROLES] = {
    [QN_EXPERT_DRAM_USE] = "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    [QN_EXPERT_DRAM_READ] = "dram__sectors_read.sum",
    [QN_EXPERT_DRAM_WRITE] = "dram__sectors_write.sum",
    [QN_EXPERT_L2_USE] = "lts__t_sectors.avg.pct_of_peak_sustained_elapsed",
    [QN_EXPERT_L2_READ] = "lts__t_sectors_op_read.sum",
    [QN_EXPERT_L2_WRITE] = "lts__t_sectors_op_write.sum",
    [QN_EXPERT_L1_USE] = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.avg.pct_of_peak_sustained_active",
    [QN_EXPERT_L1_READ] = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    [QN_EXPERT_SHARED_USE] = "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed",
    [QN_EXPERT_SHARED_READ] = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    [QN_EXPERT_SHARED_WRITE] = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    [QN_EXPERT_SPILL_READ] = "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    [QN_EXPERT_SPILL_WRITE] = "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    [QN_EXPERT_WARPS_USE] = "sm__warps_active.avg.pct_of_peak_sustained_active",
    [QN_EXPERT_CYCLES_USE] = "smsp__cycles_active.avg.pct_of_peak_sustained_elapsed",
    [QN_EXPERT_FP16] = INSTRUCTIONS("fp16"),
    [QN_EXPERT_FP32] = INSTRUCTIONS("fp32"),
    [QN_EXPERT_FP64] = INSTRUCTIONS("fp64"),
    [QN_EXPERT_INTEGER] = INSTRUCTIONS("integer"),
    [QN_EXPERT_CONTROL] = INSTRUCTIONS("control"),
    [QN_EXPERT_MEMORY] = INSTRUCTIONS("memory"),
    [QN_EXPERT_MISCELLANEOUS] = INSTRUCTIONS("misc"),
    [QN_EXPERT_CONVERSION] = INSTRUCTIONS("conversion"),
    [QN_EXPERT_INSTRUCTIONS] = "smsp__inst_executed.sum",
    [QN_EXPERT_SPECIAL_USE] = "smsp__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active",
    [QN_EXPERT_ISSUE_USE] = "smsp__issue_active.avg.pct_of_peak_sustained_active",
    [QN_EXPERT_ACTIVE_LANES] = "smsp__thread_inst_executed_per_inst_executed.ratio",
    [QN_EXPERT_PREDICATED_LANES] = "smsp__thread_inst_executed_per_inst_executed.pct",
    [QN_EXPERT_GLOBAL_SIZE] = "global_size",
    [QN_EXPERT_LOCAL_SIZE] = "local_size",
    [QN_EXPERT_LOCAL_MEMORY] = "local_memory_bytes",
};

const char *qn_expert_column(qn_expert_role role)
{
    return COLUMNS[role];
}

qn_expert_columns qn_expert_find(const char *const *names, size_t count)
{
    qn_expert_columns found;
    for (int role = 0; role < QN_EXPERT_ROLES; role++) {
        found.column[role] = -1;
        for (size_t i = 0; i < count; i++)
            if (strcmp(names[i], COLUMNS[role]) == 0) found.column[role] = (int)i;
    }
    return found;
}

qn_expert_profile qn_expert_profile_of(const qn_expert_columns *columns, const double *values, size_t count)
{
    qn_expert_profile profile;
    for (int role = 0; role < QN_EXPERT_ROLES; role++) {
        int column = columns->column[role];
        profile.value[role] = column >= 0 && (size_t)column < count ? values[column] : NAN;
    }
    return profile;
}

static double known(const qn_expert_profile *profile, qn_expert_role role, double otherwise)
{
    double value = profile->value[role];
    return isfinite(value) ? value : otherwise;
}

static double within_one(double share)
{
    return share > 0 ? fmin(1, share) : 0; /* NaN is 0 */
}

static double percent(const qn_expert_profile *counts, qn_expert_role first, qn_expert_role second, double per_s,
                      double seconds)
{
    if (!(per_s > 0 && seconds > 0)) return 0;
    double count = known(counts, first, 0) + (second != first ? known(counts, second, 0) : 0);
    return 100 * within_one(count / per_s / seconds);
}

qn_expert_profile qn_expert_estimate(const qn_expert_profile *counts, double seconds, const qn_device_rates *rates)
{
    qn_expert_profile p = *counts;
    double sectors = rates->copy_bytes_per_s / SECTOR_BYTES;
    double wavefronts = rates->multiply_adds_per_s / MULTIPLY_ADDS_PER_WAVEFRONT;
    double issue = rates->multiply_adds_per_s * ISSUE_PER_MULTIPLY_ADD / WARP;
    p.value[QN_EXPERT_DRAM_USE] = percent(counts, QN_EXPERT_DRAM_READ, QN_EXPERT_DRAM_WRITE, sectors, seconds);
    p.value[QN_EXPERT_L2_USE] =
        percent(counts, QN_EXPERT_L2_READ, QN_EXPERT_L2_WRITE, sectors * L2_OVER_MEMORY, seconds);
    p.value[QN_EXPERT_L1_USE] =
        percent(counts, QN_EXPERT_L1_READ, QN_EXPERT_L1_READ, wavefronts / WAVEFRONTS_PER_L1_REQUEST, seconds);
    p.value[QN_EXPERT_SHARED_USE] = percent(counts, QN_EXPERT_SHARED_READ, QN_EXPERT_SHARED_WRITE, wavefronts, seconds);
    p.value[QN_EXPERT_ISSUE_USE] = percent(counts, QN_EXPERT_INSTRUCTIONS, QN_EXPERT_INSTRUCTIONS, issue, seconds);
    p.value[QN_EXPERT_SPECIAL_USE] = known(counts, QN_EXPERT_SPECIAL_USE, 0);
    p.value[QN_EXPERT_CYCLES_USE] = known(counts, QN_EXPERT_CYCLES_USE, 100);
    return p;
}

double qn_expert_tail(double groups, int compute_units)
{
    if (!(groups > 0) || compute_units <= 0) return 0;
    double waves = ceil(groups / compute_units);
    return 1 - groups / (waves * compute_units);
}

/* Divide the use of a part between reads and writes by their counts. */
static void share_out(const qn_expert_profile *p, double use, qn_expert_role read, qn_expert_role write,
                      double *read_share, double *write_share)
{
    double reads = known(p, read, 0), writes = known(p, write, 0), all = reads + writes;
    *read_share = all > 0 ? use * reads / all : 0;
    *write_share = all > 0 ? use * writes / all : 0;
}

static void judge_memory(const qn_expert_profile *p, qn_bottlenecks *b, double *busiest)
{
    double dram = within_one(known(p, QN_EXPERT_DRAM_USE, 0) / 100);
    double l2 = within_one(known(p, QN_EXPERT_L2_USE, 0) / 100);
    double l1 = within_one(known(p, QN_EXPERT_L1_USE, 0) / 100);
    double shared = within_one(known(p, QN_EXPERT_SHARED_USE, 0) / 100);
    share_out(p, dram, QN_EXPERT_DRAM_READ, QN_EXPERT_DRAM_WRITE, &b->dram_read, &b->dram_write);
    share_out(p, l2, QN_EXPERT_L2_READ, QN_EXPERT_L2_WRITE, &b->l2_read, &b->l2_write);
    share_out(p, shared, QN_EXPERT_SHARED_READ, QN_EXPERT_SHARED_WRITE, &b->shared_read, &b->shared_write);
    b->l1 = l1;
    /* Share of spilling in the traffic: spilled sectors over all sectors written to L2. */
    double spilled = known(p, QN_EXPERT_SPILL_WRITE, 0), written = known(p, QN_EXPERT_L2_WRITE, 0);
    double overhead = written > 0 ? within_one(spilled / written) : spilled > 0 ? 1 : 0;
    b->spills = overhead * fmax(dram, fmax(l2, l1));
    *busiest = fmax(fmax(dram, l2), fmax(l1, shared));
}

static void judge_instructions(const qn_expert_profile *p, qn_bottlenecks *b, double busiest_memory)
{
    double lanes = known(p, QN_EXPERT_ACTIVE_LANES, WARP) / WARP;
    double passed = known(p, QN_EXPERT_PREDICATED_LANES, 100) / 100;
    double slots = known(p, QN_EXPERT_INSTRUCTIONS, 0) * WARP;
    if (lanes > 0 && passed > 0) slots /= lanes * passed;
    double issue = within_one(known(p, QN_EXPERT_ISSUE_USE, 0) / 100);
    double filled = within_one(issue / SINGLE_CLASS_ISSUE);
    double largest = 0;
    for (int i = 0; i < QN_EXPERT_CLASSES; i++) {
        double share = slots > 0 ? within_one(known(p, (qn_expert_role)(QN_EXPERT_FP16 + i), 0) / slots) : 0;
        b->classes[i] = share * filled;
        largest = fmax(largest, share);
    }
    double special = within_one(known(p, QN_EXPERT_SPECIAL_USE, 0) / 100);
    b->reaction = filled > busiest_memory ? REACTION_COMPUTE_BOUND : REACTION_MEMORY_BOUND;
    largest = fmax(largest, special);
    b->issue = (1 - issue) * within_one((largest - b->reaction) / (1 - b->reaction));
}

static void judge_parallelism(const qn_expert_profile *p, int compute_units, qn_bottlenecks *b)
{
    b->residence = 1 - within_one(known(p, QN_EXPERT_WARPS_USE, 100) / 100);
    b->cycles = 1 - within_one(known(p, QN_EXPERT_CYCLES_USE, 100) / 100);
    double threads = known(p, QN_EXPERT_GLOBAL_SIZE, 0), group = known(p, QN_EXPERT_LOCAL_SIZE, 0);
    if (compute_units <= 0 || !(threads > 0)) return;
    double wanted = THREADS_PER_LANE * LANES_PER_UNIT * compute_units;
    b->threads = within_one((wanted - threads) / wanted);
    if (group > 0) b->tail = qn_expert_tail(threads / group, compute_units);
}

void qn_expert_judge(const qn_expert_profile *profile, int compute_units, qn_bottlenecks *bottlenecks)
{
    double busiest_memory;
    *bottlenecks = (qn_bottlenecks){0};
    judge_memory(profile, bottlenecks, &busiest_memory);
    judge_instructions(profile, bottlenecks, busiest_memory);
    judge_parallelism(profile, compute_units, bottlenecks);
}

void qn_expert_changes(const qn_bottlenecks *b, double changes[QN_EXPERT_ROLES])
{
    memset(changes, 0, QN_EXPERT_ROLES * sizeof *changes);
    changes[QN_EXPERT_DRAM_READ] = -b->dram_read;
    changes[QN_EXPERT_DRAM_WRITE] = -b->dram_write;
    changes[QN_EXPERT_L2_READ] = -b->l2_read;
    changes[QN_EXPERT_L2_WRITE] = -b->l2_write;
    changes[QN_EXPERT_L1_READ] = -b->l1;
    changes[QN_EXPERT_SHARED_READ] = -b->shared_read;
    changes[QN_EXPERT_SHARED_WRITE] = -b->shared_write;
    changes[QN_EXPERT_SPILL_READ] = changes[QN_EXPERT_SPILL_WRITE] = -b->spills;
    for (int i = 0; i < QN_EXPERT_CLASSES; i++)
        changes[QN_EXPERT_FP16 + i] = -within_one((b->classes[i] - b->reaction) / (1 - b->reaction));
    changes[QN_EXPERT_ISSUE_USE] = b->issue;
    changes[QN_EXPERT_CYCLES_USE] = b->cycles;
    changes[QN_EXPERT_WARPS_USE] = b->residence;
    changes[QN_EXPERT_GLOBAL_SIZE] = b->threads;
}

double qn_expert_score(const double changes[QN_EXPERT_ROLES], const qn_expert_profile *best,
                       const qn_expert_profile *candidate)
{
    double score = 0;
    for (int role = 0; role < QN_EXPERT_ROLES; role++) {
        double sum = candidate->value[role] + best->value[role];
        if (changes[role] != 0 && sum > 0) /* NaN: not predicted */
            score += changes[role] * 2 * (candidate->value[role] - best->value[role]) / sum;
    }
    return score;
}

void qn_expert_weights(double *scores, size_t count, double exponent)
{
    double least = 0, most = 0;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, scores[i]);
        most = fmax(most, scores[i]);
    }
    for (size_t i = 0; i < count; i++) {
        double s = scores[i], weight = 0;
        if (s >= CUT_OFF) weight = pow(s < 0 ? 1 - s / least : s > 0 ? 1 + s / most : 1, exponent);
        scores[i] = fmax(LEAST_WEIGHT, weight);
    }
}
