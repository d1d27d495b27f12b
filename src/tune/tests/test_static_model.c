/* The static model against counts computed by hand. */
#include "tune/model/static_model.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "tune/model/expert.h"

static double column(const double *columns, qn_expert_role role)
{
    for (size_t i = 0; i < QN_STATIC_COLUMNS; i++)
        if (strcmp(qn_static_column(i), qn_expert_column(role)) == 0) return columns[i];
    CHECK(0);
    return NAN;
}

/* 1000 groups of 64 in 16 columns, 8 KiB of local memory each: every count follows from these. */
static void counts_follow_from_the_launch(void)
{
    qn_static_launch launch = {.groups = 1000, .group_items = 64, .group_width = 16, .local_bytes = 8192};
    launch.bytes_read = 3.2e6;
    launch.bytes_written = 6.4e6;
    launch.cache_bytes_read = 8192e3;
    launch.local_reads = 3.2e6;
    launch.local_writes = 2048e3;
    launch.multiply_adds = 6.4e6;
    launch.integers = 1e6;
    qn_static_limits limits = {.items = 1024, .groups = 16, .registers = 65536, .local_bytes = 65536};
    double c[QN_STATIC_COLUMNS];
    qn_static_columns(&launch, &limits, c);
    CHECK_NEAR(column(c, QN_EXPERT_DRAM_READ), 1e5, 1e-6);
    CHECK_NEAR(column(c, QN_EXPERT_DRAM_WRITE), 2e5, 1e-6);
    CHECK_NEAR(column(c, QN_EXPERT_L2_READ), 256e3, 1e-6);
    /* rows of 16: a warp's reads are split in two, of local memory too */
    CHECK_NEAR(column(c, QN_EXPERT_L1_READ), 2 * 64e3, 1e-6);
    CHECK_NEAR(column(c, QN_EXPERT_SHARED_READ), 2 * 1e5, 1e-6);
    CHECK_NEAR(column(c, QN_EXPERT_SHARED_WRITE), 64e3, 1e-6);
    CHECK_NEAR(column(c, QN_EXPERT_MEMORY), 2048e3 + 1.6e6 + 3.2e6 + 2048e3, 1e-6);
    CHECK_NEAR(column(c, QN_EXPERT_INSTRUCTIONS), (6.4e6 + 1e6 + 2048e3 + 1.6e6 + 3.2e6 + 2048e3) / 32, 1e-6);
    CHECK_NEAR(column(c, QN_EXPERT_GLOBAL_SIZE), 64e3, 0);
    /* 65536 / 8192 = 8 groups of 64 work-items: half of 1024 */
    CHECK_NEAR(column(c, QN_EXPERT_WARPS_USE), 50, 1e-12);
    launch.global_reads = 3.2e6;
    launch.local_conflicts = 5;
    launch.private_bytes = 64;
    qn_static_columns(&launch, &limits, c);
    CHECK_NEAR(column(c, QN_EXPERT_SHARED_READ), 5 * 1e5, 1e-6);
    CHECK_NEAR(column(c, QN_EXPERT_L1_READ), 2 * 1e5, 1e-6);
    CHECK_NEAR(column(c, QN_EXPERT_SPILL_WRITE), 128e3, 1e-6);
    CHECK_NEAR(column(c, QN_EXPERT_L2_WRITE), 2e5 + 128e3, 1e-6);
}

static void residence_obeys_every_limit(void)
{
    qn_static_limits limits = {.items = 2048, .groups = 32, .registers = 65536, .local_bytes = 65536};
    CHECK_NEAR(qn_static_residence(&(qn_static_launch){.group_items = 256}, &limits), 1, 0);
    CHECK_NEAR(qn_static_residence(&(qn_static_launch){.group_items = 32}, &limits), 0.5, 0); /* 32 groups at most */
    /* 64 registers · 256 = 16384 per group: four groups */
    CHECK_NEAR(qn_static_residence(&(qn_static_launch){.group_items = 256, .registers = 64}, &limits), 0.5, 0);
    CHECK_NEAR(qn_static_residence(&(qn_static_launch){.group_items = 256, .local_bytes = 32768}, &limits), 0.25, 0);
    CHECK_NEAR(qn_static_residence(&(qn_static_launch){.group_items = 256, .local_bytes = 1e6}, &limits), 0, 0);
    /* 33 work-items take two warps */
    CHECK_NEAR(qn_static_residence(&(qn_static_launch){.group_items = 33}, &limits), 32 * 64 / 2048.0, 0);
    CHECK_NEAR(qn_static_limits_of(&(qn_device_info){.local_memory_bytes = 49152}).local_bytes, 65536, 0);
}

/* ---- A simple family ---- */

static qn_geometry family_geometry(const qn_configuration *configuration, const void *problem)
{
    size_t items = *(const size_t *)problem, group = (size_t)configuration->value[0];
    return (qn_geometry){{items, 1, 1}, {group, 1, 1}};
}

static void family_work(const void *problem, qn_work *work)
{
    *work = (qn_work){.bytes_read = 4.0 * (double)*(const size_t *)problem, .multiply_adds = 1e6};
}

static qn_status family_host(const qn_host_launch *launch)
{
    (void)launch;
    return QN_OK;
}

static const qn_kernel_declaration family_kernels[] = {
    {.name = "fold", .geometry = family_geometry, .host = family_host, .work = family_work}};
static const qn_tunable family_tunables[] = {
    {"GROUP_SIZE", {64, 128, 256}, 3, 64, "work-items per group"},
    {"KEEP", {0, 1}, 2, 0, "whether local memory is used"},
};
static const char *const family_constraints[] = {"KEEP == 0 || 12 * GROUP_SIZE + 4 <= device.local_memory_bytes"};
static const qn_family family = {.name = "test/fold",
                                 .kernels = family_kernels,
                                 .kernel_count = 1,
                                 .tunables = family_tunables,
                                 .tunable_count = 2,
                                 .constraints = family_constraints,
                                 .constraint_count = 1};

static void families_are_described_by_their_declarations(void)
{
    qn_device_info device = {.driver = "opencl", .local_memory_bytes = 49152, .largest_group = 1024};
    size_t problem = 1 << 16;
    qn_space *space = NULL;
    qn_tuning_model *model = NULL;
    qn_tuning_model_binding *binding = NULL;
    if (CHECK_OK(qn_tune_family_space(&family, &device, &space)) &&
        CHECK_OK(qn_static_model_of_family(&family, &problem, &device, space, &model)) &&
        CHECK_OK(qn_tuning_model_bind(model, space, &binding))) {
        CHECK(qn_space_size(space) == 6);
        for (qn_point point = 0; point < qn_space_size(space); point++) {
            double c[QN_STATIC_COLUMNS];
            qn_configuration chosen = qn_tune_configuration(space, point);
            qn_tuning_model_predict(model, binding, point, c);
            double local = chosen.value[1] ? 12 * chosen.value[0] + 4 : 0;
            CHECK_NEAR(column(c, QN_EXPERT_LOCAL_MEMORY), local, 0);
            CHECK_NEAR(column(c, QN_EXPERT_GLOBAL_SIZE), 65536, 0);
            CHECK_NEAR(column(c, QN_EXPERT_SHARED_WRITE), 65536.0 / chosen.value[0] * local / 4 / 32, 1e-9);
            CHECK_NEAR(column(c, QN_EXPERT_FP32), 1e6, 0);
        }
    }
    qn_tuning_model_unbind(&binding);
    qn_tuning_model_destroy(&model);
    qn_space_destroy(&space);
}

int main(void)
{
    RUN(counts_follow_from_the_launch);
    RUN(residence_obeys_every_limit);
    RUN(families_are_described_by_their_declarations);
    return check_finish();
}
