/* The expert against arithmetic done by hand on small profiles. */
#include "tune/model/expert.h"

#include <math.h>

#include "check.h"

static qn_expert_profile nothing(void)
{
    qn_expert_profile profile;
    for (int i = 0; i < QN_EXPERT_ROLES; i++) profile.value[i] = NAN;
    return profile;
}

/* DRAM is used to 70 %, with three sectors read for each one written: 0.525 and 0.175. */
static void use_is_divided_by_the_counts(void)
{
    qn_expert_profile p = nothing();
    qn_bottlenecks b;
    p.value[QN_EXPERT_DRAM_USE] = 70;
    p.value[QN_EXPERT_DRAM_READ] = 3e6;
    p.value[QN_EXPERT_DRAM_WRITE] = 1e6;
    qn_expert_judge(&p, 0, &b);
    CHECK_NEAR(b.dram_read, 0.525, 1e-12);
    CHECK_NEAR(b.dram_write, 0.175, 1e-12);
    double changes[QN_EXPERT_ROLES];
    qn_expert_changes(&b, changes);
    CHECK_NEAR(changes[QN_EXPERT_DRAM_READ], -0.525, 1e-12);
    CHECK_NEAR(changes[QN_EXPERT_L2_READ], 0, 0);
}

/* The overhead of spilling is spilled sectors / written sectors, at most 1, times the use of L2, 80 %. */
static void spilling_is_proportional_to_its_sectors(void)
{
    qn_expert_profile p = nothing();
    qn_bottlenecks b;
    p.value[QN_EXPERT_L2_USE] = 80;
    p.value[QN_EXPERT_L2_READ] = 1e6;
    p.value[QN_EXPERT_L2_WRITE] = 4e6;
    const double spilled[] = {0, 1e6, 2e6, 9e6}, expected[] = {0, 0.25 * 0.8, 0.5 * 0.8, 0.8};
    for (int i = 0; i < 4; i++) {
        p.value[QN_EXPERT_SPILL_WRITE] = spilled[i];
        qn_expert_judge(&p, 0, &b);
        CHECK_NEAR(b.spills, expected[i], 1e-12);
    }
}

/* 68 multiprocessors: 68 and 136 groups fill their waves, 69 leave 67 of 136 places empty, one leaves 67 of 68. */
static void tail_is_the_share_of_empty_places(void)
{
    CHECK_NEAR(qn_expert_tail(68, 68), 0, 0);
    CHECK_NEAR(qn_expert_tail(136, 68), 0, 0);
    CHECK_NEAR(qn_expert_tail(69, 68), 67.0 / 136, 1e-12);
    CHECK_NEAR(qn_expert_tail(1, 68), 67.0 / 68, 1e-12);
    CHECK_NEAR(qn_expert_tail(100, 0), 0, 0);
    qn_expert_profile p = nothing();
    qn_bottlenecks b;
    p.value[QN_EXPERT_GLOBAL_SIZE] = 69 * 128;
    p.value[QN_EXPERT_LOCAL_SIZE] = 128;
    qn_expert_judge(&p, 68, &b);
    CHECK_NEAR(b.tail, 67.0 / 136, 1e-12);
    /* 5 · 64 · 68 = 21760 work-items are wanted, 8832 are there. */
    CHECK_NEAR(b.threads, (21760 - 8832) / 21760.0, 1e-12);
}

/* 1000 warp instructions have 32000 slots, of which 28000 are fp32, and half of the cycles issue: the share of fp32 is
 * 7/8, and above the threshold of 1/2 that is (0.875 - 0.5) / 0.5 = 0.75. */
static void instructions_count_above_the_threshold(void)
{
    qn_expert_profile p = nothing();
    qn_bottlenecks b;
    double changes[QN_EXPERT_ROLES];
    p.value[QN_EXPERT_INSTRUCTIONS] = 1000;
    p.value[QN_EXPERT_FP32] = 28000;
    p.value[QN_EXPERT_INTEGER] = 4000;
    p.value[QN_EXPERT_ISSUE_USE] = 50;
    qn_expert_judge(&p, 0, &b);
    CHECK_NEAR(b.reaction, 0.5, 0);
    qn_expert_changes(&b, changes);
    CHECK_NEAR(changes[QN_EXPERT_FP32], -0.75, 1e-12);
    CHECK_NEAR(changes[QN_EXPERT_INTEGER], 0, 0);
    CHECK_NEAR(changes[QN_EXPERT_ISSUE_USE], 0.5 * 0.75, 1e-12);
    /* If memory is busier than the instructions, the threshold is 0.7. */
    p.value[QN_EXPERT_DRAM_USE] = 100;
    p.value[QN_EXPERT_ISSUE_USE] = 45;
    qn_expert_judge(&p, 0, &b);
    CHECK_NEAR(b.reaction, 0.7, 0);
}

/* Halving a count whose wanted change is -0.6 scores 0.6 · 2 · 0.5 / 1.5 = 0.4; unknown counts add nothing.
 */
static void scores_follow_the_wanted_changes(void)
{
    qn_expert_profile best = nothing(), candidate = nothing();
    double changes[QN_EXPERT_ROLES] = {0};
    changes[QN_EXPERT_DRAM_READ] = -0.6;
    changes[QN_EXPERT_L2_READ] = -1;
    best.value[QN_EXPERT_DRAM_READ] = 2e6;
    candidate.value[QN_EXPERT_DRAM_READ] = 1e6;
    CHECK_NEAR(qn_expert_score(changes, &best, &candidate), 0.4, 1e-12);
    CHECK_NEAR(qn_expert_score(changes, &candidate, &best), -0.4, 1e-12);
    CHECK_NEAR(qn_expert_score(changes, &best, &best), 0, 0);
}

static void weights_are_powers_of_scores(void)
{
    double w[] = {-1, -0.2, 0, 0.25, 0.5};
    qn_expert_weights(w, 5, 8);
    CHECK_NEAR(w[0], 1e-4, 0);           /* below the cut-off of -0.25 */
    CHECK_NEAR(w[1], 0.16777216, 1e-12); /* (1 - 0.2)^8 */
    CHECK_NEAR(w[2], 1, 0);
    CHECK_NEAR(w[3], 25.62890625, 1e-12); /* 1.5^8 */
    CHECK_NEAR(w[4], 256, 1e-9);          /* 2^8 */
    double even[] = {0, 0};
    qn_expert_weights(even, 2, 8);
    CHECK(even[0] == 1 && even[1] == 1);
}

/* 3.2e9 bytes in 0.1 s are half of what memory moves at 6.4e10 bytes/s. Without rates the use is 0. */
static void uses_are_estimated_from_rates(void)
{
    qn_expert_profile counts = nothing();
    counts.value[QN_EXPERT_DRAM_READ] = 5e7;
    counts.value[QN_EXPERT_DRAM_WRITE] = 5e7;
    qn_device_rates rates = {.copy_bytes_per_s = 6.4e10};
    qn_expert_profile p = qn_expert_estimate(&counts, 0.1, &rates);
    CHECK_NEAR(p.value[QN_EXPERT_DRAM_USE], 50, 1e-9);
    p = qn_expert_estimate(&counts, 0.1, &(qn_device_rates){0});
    CHECK_NEAR(p.value[QN_EXPERT_DRAM_USE], 0, 0);
}

static void columns_are_found_by_name(void)
{
    const char *names[] = {"registers", "local_size", qn_expert_column(QN_EXPERT_SPILL_WRITE)};
    const double values[] = {40, 128, 7};
    qn_expert_columns columns = qn_expert_find(names, 3);
    qn_expert_profile p = qn_expert_profile_of(&columns, values, 3);
    CHECK_NEAR(p.value[QN_EXPERT_LOCAL_SIZE], 128, 0);
    CHECK_NEAR(p.value[QN_EXPERT_SPILL_WRITE], 7, 0);
    CHECK(isnan(p.value[QN_EXPERT_DRAM_READ]));
    CHECK_TEXT(qn_expert_column(QN_EXPERT_SPILL_WRITE), "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum");
}

int main(void)
{
    RUN(use_is_divided_by_the_counts);
    RUN(spilling_is_proportional_to_its_sectors);
    RUN(tail_is_the_share_of_empty_places);
    RUN(instructions_count_above_the_threshold);
    RUN(scores_follow_the_wanted_changes);
    RUN(weights_are_powers_of_scores);
    RUN(uses_are_estimated_from_rates);
    RUN(columns_are_found_by_name);
    return check_finish();
}
