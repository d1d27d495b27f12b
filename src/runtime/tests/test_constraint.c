/* Constraint texts: their values, messages about mistakes, and the corners of a space. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "runtime/configuration.h"
#include "runtime/constraint.h"

static const qn_tunable tunables[] = {
    {"GROUP_SIZE", {32, 64, 128}, 3, 64, "work-items per group"},
    {"WIDTH", {1, 2, 4}, 3, 1, "floats per vector"},
    {"TILE", {8}, 1, 8, "voxels"},
};
static const char *const constraints[] = {"GROUP_SIZE * WIDTH <= device.largest_group",
                                          "WIDTH == 1 || device.is_opencl"};
static const qn_family family = {.name = "test/constraint",
                                 .tunables = tunables,
                                 .tunable_count = 3,
                                 .constraints = constraints,
                                 .constraint_count = 2};
static const qn_configuration configuration = {{128, 2, 8}};
static qn_device_info device = {.identifier = "opencl:3",
                                .driver = "opencl",
                                .local_memory_bytes = 49152,
                                .largest_group = 256,
                                .subgroup_size = 32,
                                .compute_units = 17};

static void expect(const char *text, int64_t expected)
{
    int64_t value = -12345;
    if (!CHECK_OK(qn_constraint_evaluate(text, &family, &configuration, &device, &value)) || !CHECK(value == expected))
        fprintf(stderr, "  \"%s\" is %lld, expected %lld\n", text, (long long)value, (long long)expected);
}

static void arithmetic_follows_python(void)
{
    expect("1 + 2 * 3", 7);
    expect("(1 + 2) * 3", 9);
    expect("7 // 2", 3);
    expect("-7 // 2", -4);
    expect("-7 % 4", 1);
    expect("7 / 2 == 3.5", 1);
    expect("7 % 4 - 10", -7);
    expect("10 - 3 - 2", 5);
    expect("2 * -3", -6);
    expect("  4096\t", 4096);
    expect("min(3, 2) + max(3, 2) * 10", 32);
    expect("min(max(1, 5), 4)", 4);
}

static void comparisons_and_logic_give_0_or_1(void)
{
    expect("1 < 2", 1);
    expect("2 <= 1", 0);
    expect("3 >= 3", 1);
    expect("3 > 3", 0);
    expect("3 == 3", 1);
    expect("3 != 3", 0);
    expect("1 + 1 == 2 && 5 > 4", 1);
    expect("0 || 7", 7);
    expect("1 || 0 && 0", 1);
    expect("!0 + !5", 1);
    expect("not 0 and not (1 == 2) or 0", 1);
    expect("not(1)", 0);
    expect("!(2 > 1)", 0);
}

static void names_have_their_values(void)
{
    expect("GROUP_SIZE * WIDTH + TILE", 264);
    expect("device.local_memory_bytes", 49152);
    expect("device.largest_group - device.subgroup_size + device.compute_units", 241);
    expect("device.is_opencl + 10 * device.is_cuda + 100 * device.is_host", 1);
    expect("4 * GROUP_SIZE <= device.local_memory_bytes", 1);
}

/* A constraint that holds for a device also holds for it under the checking driver. */
static void checking_devices_count_as_the_devices_that_they_check(void)
{
    qn_device_info saved = device;
    snprintf(device.identifier, sizeof device.identifier, "checking:host");
    snprintf(device.driver, sizeof device.driver, "checking");
    expect("device.is_opencl + 10 * device.is_cuda + 100 * device.is_host", 100);
    snprintf(device.identifier, sizeof device.identifier, "checking:cuda:1");
    expect("device.is_opencl + 10 * device.is_cuda + 100 * device.is_host", 10);
    device = saved;
}

/* An operand of && or || that does not affect the result is parsed, but not evaluated. */
static void skipped_operands_cause_no_error(void)
{
    expect("0 && 1 / 0", 0);
    expect("1 || 1 % 0", 1);
    expect("WIDTH == 2 || 64 % (WIDTH - 2) == 0", 1);
    expect("0 && (1 / 0 || 1)", 0);
    expect("0 && 9223372036854775807 + 1", 0);
}

static void refuse(const char *text, const char *part)
{
    int64_t value;
    if (!CHECK_FAILS(qn_constraint_evaluate(text, &family, &configuration, &device, &value), QN_INVALID_ARGUMENT))
        fprintf(stderr, "  \"%s\"\n", text);
    CHECK_MESSAGE_HAS(part);
    CHECK_MESSAGE_HAS("test/constraint");
}

static void mistakes_are_reported_with_their_columns(void)
{
    refuse("GROUP_SIZE <= HEIGHT",
           "column 15: \"HEIGHT\" is not understood; expected one of GROUP_SIZE WIDTH TILE device.");
    refuse("device.speed > 1", "column 1: \"device.speed");
    refuse("WIDT", "column 1: \"WIDT\"");
    refuse("WIDTHS", "column 1: \"WIDTHS\"");
    refuse("1 +", "column 4: \"\"");
    refuse("", "column 1");
    refuse("(1 + 2", "column 7: \"\" is not understood; expected \")\"");
    refuse("1 2", "column 3: \"2\" is not understood; expected an operator or the end");
    refuse("1 = 2", "column 3: \"= 2\"");
    refuse("12ab", "column 1: \"12ab\"");
    refuse("min(1)", "column 1: one value where a list is needed");
    refuse("min 1, 2", "column 5: \"1, 2\"");
    refuse("WIDTH &&", "column 9");
    refuse("WIDTH / 0", "division by zero");
    refuse("WIDTH % (1 - 1)", "division by zero");
    refuse("9223372036854775807 + 1", "does not fit 64 bits");
    refuse("-9223372036854775807 - 2", "does not fit 64 bits");
    refuse("4611686018427387904 * 2", "does not fit 64 bits");
    refuse("(-9223372036854775807 - 1) // -1", "does not fit 64 bits");
    refuse("99999999999999999999", "column 1");
    refuse("0 && HEIGHT", "column 6: \"HEIGHT\"");
}

static void nesting_is_limited(void)
{
    char deep[401];
    memset(deep, '(', 400);
    deep[400] = 0;
    refuse(deep, "fewer nested parentheses");
    memset(deep, '!', 400);
    refuse(deep, "fewer nested parentheses");
}

static void broken_constraints_are_named(void)
{
    qn_configuration good = {{128, 2, 8}}, bad = {{128, 4, 8}};
    bool allowed = false;
    const char *broken = "";
    CHECK_OK(qn_family_allows(&family, &device, &good, &allowed, &broken));
    CHECK(allowed && broken == NULL);
    CHECK_OK(qn_family_allows(&family, &device, &bad, &allowed, &broken));
    CHECK(!allowed);
    CHECK_TEXT(broken, constraints[0]);
    CHECK_OK(qn_family_allows(&family, &device, &bad, &allowed, NULL));
    CHECK(!allowed);
}

static int visits;
static qn_configuration visited[64];

static qn_status note(const qn_configuration *corner, void *user)
{
    visited[visits++ % 64] = *corner;
    if (user && visits == *(int *)user) return QN_FAIL(QN_CANCELLED, "enough");
    return QN_OK;
}

/* By hand: GROUP_SIZE 32, 64 (the fallback), 128; WIDTH 1 (the fallback) and 4; TILE 8. The constraint excludes
 * 128 · 4 > 256. */
static void corners_combine_extreme_and_fallback_values(void)
{
    int large = 0, at_most = 2;
    visits = 0;
    CHECK_OK(qn_family_corners(&family, &device, note, NULL));
    CHECK(visits == 5);
    for (int i = 0; i < visits && i < 64; i++) {
        CHECK(visited[i].value[2] == 8 && visited[i].value[1] != 2);
        CHECK(visited[i].value[0] * visited[i].value[1] <= 256);
        large += visited[i].value[1] == 4;
        for (int k = 0; k < i; k++) CHECK(memcmp(&visited[i], &visited[k], sizeof visited[i]) != 0);
    }
    CHECK(large == 2);
    visits = 0;
    CHECK_FAILS(qn_family_corners(&family, &device, note, &at_most), QN_CANCELLED);
    CHECK(visits == 2);
}

/* A sample has the fallback first and no corner twice: the requested number of corners, or all five if more are
 * requested. */
static void corners_can_be_sampled(void)
{
    qn_configuration fallback = qn_family_fallback(&family);
    for (int most = 1; most <= 9; most++) {
        visits = 0;
        CHECK_OK(qn_family_sample_corners(&family, &device, most, note, NULL));
        CHECK(visits == (most < 5 ? most : 5));
        CHECK(memcmp(&visited[0], &fallback, sizeof fallback) == 0);
        for (int i = 0; i < visits; i++)
            for (int k = 0; k < i; k++) CHECK(memcmp(&visited[i], &visited[k], sizeof visited[i]) != 0);
    }
}

/* The fallback of every family is allowed on a device with small limits, with each driver. */
static void fallbacks_fit_the_smallest_devices(void)
{
    const char *const drivers[] = {"host", "opencl", "cuda"};
    size_t count = 0;
    const qn_family *const *families = qn_family_list(&count);
    CHECK(count > 0);
    for (size_t i = 0; i < count; i++)
        for (int d = 0; d < 3; d++) {
            qn_device_info small = {
                .local_memory_bytes = 32768, .largest_group = 256, .subgroup_size = 1, .compute_units = 1};
            bool allowed = false;
            const char *broken = NULL;
            qn_configuration fallback = qn_family_fallback(families[i]);
            snprintf(small.identifier, sizeof small.identifier, "%s:0", drivers[d]);
            snprintf(small.driver, sizeof small.driver, "%s", drivers[d]);
            CHECK_OK(qn_family_allows(families[i], &small, &fallback, &allowed, &broken));
            if (!CHECK(allowed)) fprintf(stderr, "  %s: \"%s\" on %s\n", families[i]->name, broken, drivers[d]);
        }
}

int main(void)
{
    RUN(arithmetic_follows_python);
    RUN(comparisons_and_logic_give_0_or_1);
    RUN(names_have_their_values);
    RUN(checking_devices_count_as_the_devices_that_they_check);
    RUN(skipped_operands_cause_no_error);
    RUN(mistakes_are_reported_with_their_columns);
    RUN(nesting_is_limited);
    RUN(broken_constraints_are_named);
    RUN(corners_combine_extreme_and_fallback_values);
    RUN(corners_can_be_sampled);
    RUN(fallbacks_fit_the_smallest_devices);
    return check_finish();
}
