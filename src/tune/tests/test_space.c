/* Tuning spaces: a solved space has exactly the valid combinations, points and value numbers are converted to each
 * other, and messages name mistakes. */
#include "check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tune/space/space.h"

static qn_space *make(const char *name)
{
    qn_space *space = NULL;
    CHECK_OK(qn_space_create(name, &space));
    return space;
}

static void add(qn_space *space, const char *name, const int64_t *values, size_t count)
{
    CHECK_OK(qn_space_add_integers(space, name, values, count, values[0]));
}

static void add_range(qn_space *space, const char *name, int64_t first, int64_t last, int64_t step)
{
    int64_t values[256];
    size_t count = 0;
    for (int64_t value = first; value <= last && count < 256; value += step) values[count++] = value;
    add(space, name, values, count);
}

static void add_powers(qn_space *space, const char *name, int64_t first, int64_t last)
{
    int64_t values[32];
    size_t count = 0;
    for (int64_t value = first; value <= last; value *= 2) values[count++] = value;
    add(space, name, values, count);
}

/* Every point, converted to value numbers or values and back, is the same point. */
static void points_and_numbers_agree(const qn_space *space)
{
    size_t wrong = 0;
    for (qn_point point = 0, found; point < qn_space_size(space); point++) {
        uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
        qn_value values[QN_SPACE_PARAMETERS_MAX];
        qn_space_get(space, point, numbers);
        wrong += !qn_space_find(space, numbers, &found) || found != point;
        for (size_t i = 0; i < qn_space_parameter_count(space); i++) values[i] = *qn_space_value(space, i, numbers[i]);
        wrong += !qn_space_find_values(space, values, &found) || found != point;
    }
    CHECK(wrong == 0);
}

/* Compare with every combination, tested in C. */
static void solutions_equal_those_of_brute_force(void)
{
    qn_space *space = make("brute");
    size_t valid = 0, wrong = 0;
    add_range(space, "a", 1, 12, 1);
    add_range(space, "b", 0, 8, 2);
    add_powers(space, "c", 1, 16);
    add_range(space, "d", -2, 3, 1);
    add_range(space, "e", 1, 3, 1);
    CHECK_OK(qn_space_set_constant(space, "device.limit", qn_value_integer(48)));
    CHECK_OK(qn_space_add_constraint(space, "a * c <= device.limit and b % a == 0"));
    CHECK_OK(qn_space_add_constraint(space, "d < e || e == 1"));
    if (!CHECK_OK(qn_space_solve(space))) goto done;
    CHECK(space->group_count == 2);
    for (int i = 0; i < 12 * 5 * 5 * 6 * 3; i++) {
        int n[5] = {i % 12, i / 12 % 5, i / 60 % 5, i / 300 % 6, i / 1800};
        int a = 1 + n[0], b = 2 * n[1], c = 1 << n[2], d = n[3] - 2, e = 1 + n[4];
        bool holds = a * c <= 48 && b % a == 0 && (d < e || e == 1);
        uint16_t numbers[5] = {(uint16_t)n[0], (uint16_t)n[1], (uint16_t)n[2], (uint16_t)n[3], (uint16_t)n[4]};
        qn_point point;
        valid += holds;
        wrong += qn_space_find(space, numbers, &point) != holds;
    }
    CHECK(wrong == 0);
    CHECK(valid == qn_space_size(space));
    CHECK_NEAR(qn_space_raw_size(space), 5400, 0);
    points_and_numbers_agree(space);
    CHECK(!qn_space_find(space, (uint16_t[]){12, 0, 0, 0, 0}, &(qn_point){0}));
done:
    qn_space_destroy(&space);
}

/* Sizes published with the recorded spaces of the community's benchmark set. */
static void published_spaces_have_the_published_sizes(void)
{
    qn_space *space = make("gemm");
    add_powers(space, "MWG", 16, 128);
    add_powers(space, "NWG", 16, 128);
    add_powers(space, "KWG", 32, 32);
    for (int i = 0; i < 4; i++) add_powers(space, (const char *[]){"MDIMC", "NDIMC", "MDIMA", "NDIMB"}[i], 8, 32);
    add_powers(space, "KWI", 2, 2);
    add_powers(space, "VWM", 1, 8);
    add_powers(space, "VWN", 1, 8);
    add_range(space, "SA", 0, 1, 1);
    add_range(space, "SB", 0, 1, 1);
    CHECK_OK(qn_space_add_constraint(space, "KWG % KWI == 0"));
    CHECK_OK(qn_space_add_constraint(space, "MWG % (MDIMC * VWM) == 0"));
    CHECK_OK(qn_space_add_constraint(space, "NWG % (NDIMC * VWN) == 0"));
    CHECK_OK(qn_space_add_constraint(space, "MWG % (MDIMA * VWM) == 0"));
    CHECK_OK(qn_space_add_constraint(space, "NWG % (NDIMB * VWN) == 0"));
    CHECK_OK(qn_space_add_constraint(space, "KWG % ((MDIMC * NDIMC)/MDIMA) == 0"));
    CHECK_OK(qn_space_add_constraint(space, "KWG % ((MDIMC * NDIMC)/NDIMB) == 0"));
    CHECK_OK(qn_space_solve(space));
    CHECK(qn_space_size(space) == 17956);
    points_and_numbers_agree(space);
    qn_space_destroy(&space);

    space = make("convolution");
    add_range(space, "block_size_x", 16, 256, 16);
    add_powers(space, "block_size_y", 1, 16);
    add_range(space, "tile_size_x", 1, 4, 1);
    add_range(space, "tile_size_y", 1, 4, 1);
    for (int i = 0; i < 3; i++) add_range(space, (const char *[]){"read_only", "use_padding", "use_shmem"}[i], 0, 1, 1);
    add_range(space, "filter_height", 15, 15, 1);
    add_range(space, "filter_width", 15, 15, 1);
    CHECK_OK(qn_space_add_constraint(space, "use_padding==0 or block_size_x % 32 != 0"));
    CHECK_OK(qn_space_add_constraint(space, "block_size_x*block_size_y<=1024"));
    CHECK_OK(qn_space_add_constraint(space, "use_padding==0 or use_shmem != 0"));
    CHECK_OK(qn_space_add_constraint(space, "use_shmem == 0 or (((block_size_x*tile_size_x+(filter_width-1)))*"
                                            "((block_size_y*tile_size_y+(filter_height-1)))) < 12*1024"));
    CHECK_OK(qn_space_solve(space));
    CHECK(qn_space_size(space) == 4362);
    qn_space_destroy(&space);

    space = make("dedispersion");
    add_powers(space, "block_size_x", 1, 32);
    add_range(space, "block_size_y", 32, 256, 8);
    add_range(space, "tile_size_x", 1, 4, 1);
    add_range(space, "tile_size_y", 1, 8, 1);
    add_range(space, "tile_stride_x", 0, 1, 1);
    add_range(space, "tile_stride_y", 0, 1, 1);
    CHECK_OK(qn_space_add_constraint(space, "32 <= block_size_x * block_size_y <= 1024"));
    CHECK_OK(qn_space_add_constraint(space, "tile_size_x > 1 or tile_stride_x == 0"));
    CHECK_OK(qn_space_add_constraint(space, "tile_size_y > 1 or tile_stride_y == 0"));
    CHECK_OK(qn_space_solve(space));
    CHECK(qn_space_size(space) == 11130);
    CHECK(space->group_count == 3);
    points_and_numbers_agree(space);
    qn_space_destroy(&space);
}

/* 60 parameters of 10 values have 10^60 combinations. Each of five chains of ten falling numbers out of ten has one
 * solution; ten parameters are free. Keys of a wide group have more than one word. */
static void large_products_are_not_enumerated(void)
{
    qn_space *space = make("many");
    char name[16], constraint[64];
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    for (int i = 0; i < 60; i++) {
        snprintf(name, sizeof name, "p%d", i);
        add_range(space, name, 1, 10, 1);
        snprintf(constraint, sizeof constraint, "p%d > p%d", i - 1, i);
        if (i < 50 && i % 10 > 0) CHECK_OK(qn_space_add_constraint(space, constraint));
    }
    CHECK_OK(qn_space_solve(space));
    CHECK_NEAR(qn_space_raw_size(space), 1e60, 1e46);
    CHECK(qn_space_size(space) == 10000000000);
    qn_space_get(space, 1234567890, numbers);
    for (int i = 0; i < 50; i++) CHECK(numbers[i] == 9 - i % 10);
    for (int i = 50; i < 60; i++) CHECK(numbers[i] == (i - 49) % 10);
    qn_space_destroy(&space);

    space = make("wide");
    for (int i = 0; i < 30; i++) {
        snprintf(name, sizeof name, "p%d", i);
        add_range(space, name, 1, 10, 1);
        snprintf(constraint, sizeof constraint, "p%d <= p%d <= p%d + 1", i - 1, i, i - 1);
        if (i > 0) CHECK_OK(qn_space_add_constraint(space, constraint));
    }
    CHECK_OK(qn_space_add_constraint(space, "p29 - p0 == 2"));
    CHECK_OK(qn_space_solve(space));
    CHECK(space->group_count == 1 && space->groups[0].words == 2);
    CHECK(qn_space_size(space) == 8 * 29 * 28 / 2); /* 8 starts, and 2 of 29 steps rise */
    points_and_numbers_agree(space);
    qn_space_destroy(&space);
}

/* Without constraints every combination is valid, each parameter a group of its own. */
static void constraints_are_not_needed(void)
{
    qn_space *space = make("free");
    add_range(space, "a", 1, 3, 1);
    add_range(space, "b", 5, 5, 1);
    add_range(space, "c", 1, 4, 1);
    CHECK_OK(qn_space_solve(space));
    CHECK(qn_space_size(space) == 12 && space->group_count == 3);
    points_and_numbers_agree(space);
    qn_space_destroy(&space);
}

static void points_are_in_lexicographic_order(void)
{
    qn_space *space = make("order");
    uint16_t numbers[3], before[3] = {0};
    add_range(space, "a", 1, 9, 1);
    add_range(space, "b", 1, 5, 1);
    add_range(space, "c", 1, 7, 1);
    CHECK_OK(qn_space_add_constraint(space, "(a + b * c) % 3 == 1"));
    CHECK_OK(qn_space_solve(space));
    for (qn_point point = 0; point < qn_space_size(space); point++) {
        qn_space_get(space, point, numbers);
        int order = 0;
        for (int i = 0; i < 3 && order == 0; i++) order = numbers[i] - before[i];
        if (point > 0 && !CHECK(order > 0)) break;
        memcpy(before, numbers, sizeof before);
    }
    qn_space_destroy(&space);
}

static void values_have_kinds(void)
{
    qn_space *space = make("kinds");
    const qn_value layouts[] = {qn_value_text("row"), qn_value_text("tile")};
    const qn_value factors[] = {qn_value_real(0.5), qn_value_integer(1), qn_value_real(1.5)};
    const qn_value switches[] = {qn_value_boolean(false), qn_value_boolean(true)};
    qn_point point;
    char text[128], cut[12];
    CHECK_OK(qn_space_add(space, "LAYOUT", layouts, 2, layouts[1]));
    CHECK_OK(qn_space_add(space, "FACTOR", factors, 3, factors[0]));
    CHECK_OK(qn_space_add(space, "FAST", switches, 2, switches[1]));
    CHECK_OK(qn_space_add_constraint(space, "FAST or LAYOUT == \"row\""));
    CHECK_OK(qn_space_add_constraint(space, "FACTOR < 1.25"));
    CHECK_OK(qn_space_solve(space));
    CHECK(qn_space_size(space) == 6);
    CHECK(qn_space_usual(space, 0) == 1 && qn_space_usual(space, 1) == 0 && qn_space_usual(space, 2) == 1);
    const qn_value wanted[] = {qn_value_text("row"), qn_value_real(0.5), qn_value_integer(0)};
    if (CHECK(qn_space_find_values(space, wanted, &point))) {
        qn_space_format(space, point, text, sizeof text);
        CHECK_TEXT(text, "LAYOUT=row FACTOR=0.5 FAST=False");
        qn_space_format(space, point, cut, sizeof cut);
        CHECK_TEXT(cut, "LAYOUT=row ");
    }
    const qn_value invalid[] = {qn_value_text("tile"), qn_value_real(0.5), qn_value_boolean(false)};
    CHECK(!qn_space_find_values(space, invalid, &point));
    const qn_value unknown[] = {qn_value_text("column"), qn_value_real(0.5), qn_value_boolean(true)};
    CHECK(!qn_space_find_values(space, unknown, &point));
    CHECK_TEXT(qn_space_name(space), "kinds");
    CHECK_TEXT(qn_space_constraint(space, 1), "FACTOR < 1.25");
    CHECK(qn_space_constraint_count(space) == 2 && qn_space_value_count(space, 1) == 3);
    qn_space_destroy(&space);
}

static void mistakes_are_named(void)
{
    qn_space *space = make("wrong");
    const qn_value twice[] = {qn_value_integer(1), qn_value_integer(2), qn_value_boolean(true)};
    CHECK_FAILS(qn_space_solve(space), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("space wrong has no parameters");
    CHECK_FAILS(qn_space_add(space, "A", twice, 3, twice[0]), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("space wrong: parameter A has the value True twice");
    CHECK_FAILS(qn_space_add(space, "A", twice, 0, twice[0]), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("parameter A has 0 values");
    CHECK_FAILS(qn_space_add(space, "A", twice, 2, qn_value_integer(5)), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("the usual value 5 of parameter A is none of its values");
    CHECK_OK(qn_space_add(space, "A", twice, 2, twice[1]));
    CHECK_FAILS(qn_space_add(space, "A", twice, 2, twice[1]), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("\"A\" is there twice");
    CHECK_FAILS(qn_space_set_constant(space, "A", twice[0]), QN_INVALID_ARGUMENT);
    CHECK_OK(qn_space_set_constant(space, "B", qn_value_text("old")));
    CHECK_OK(qn_space_set_constant(space, "B", qn_value_integer(3)));
    CHECK_FAILS(qn_space_add(space, "B", twice, 2, twice[1]), QN_INVALID_ARGUMENT);
    CHECK(!qn_space_find(space, (uint16_t[]){0}, &(qn_point){0})); /* not solved yet */
    CHECK_OK(qn_space_add_constraint(space, "A < B"));
    CHECK_OK(qn_space_solve(space));
    CHECK(qn_space_size(space) == 2);
    CHECK_OK(qn_space_add_constraint(space, "A <= C"));
    CHECK_FAILS(qn_space_solve(space), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("constraint 2 of wrong \"A <= C\", column 6: \"C\" is not understood; expected one of A B");
    CHECK(qn_space_size(space) == 0);
    qn_space_destroy(&space);
    qn_space_destroy(&space);
}

static void the_excluding_constraint_is_named(void)
{
    qn_space *space = make("empty");
    add_range(space, "a", 1, 9, 1);
    add_range(space, "b", 1, 9, 1);
    add_range(space, "c", 1, 9, 1);
    CHECK_OK(qn_space_add_constraint(space, "c > 4"));
    CHECK_OK(qn_space_add_constraint(space, "a + b > 16"));
    CHECK_OK(qn_space_add_constraint(space, "a != b"));
    CHECK_OK(qn_space_add_constraint(space, "a * b != 72"));
    CHECK_OK(qn_space_add_constraint(space, "a > 100"));
    CHECK_FAILS(qn_space_solve(space), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("constraint 4 of empty \"a * b != 72\" excludes every combination");
    qn_space_destroy(&space);

    space = make("never");
    add_range(space, "a", 1, 9, 1);
    CHECK_OK(qn_space_add_constraint(space, "a > 2 and 1 > 2"));
    CHECK_FAILS(qn_space_solve(space), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("constraint 1 of never");
    CHECK_MESSAGE_HAS("does not hold whatever the parameters are");
    qn_space_destroy(&space);
}

/* As in Python, a constraint that cannot be evaluated matters only if those before it hold. */
static void earlier_constraints_guard_later_ones(void)
{
    qn_space *space = make("guarded");
    add_range(space, "a", -2, 2, 1);
    add_range(space, "b", 0, 1, 1);
    CHECK_OK(qn_space_add_constraint(space, "a != 0 or b > 5"));
    CHECK_OK(qn_space_add_constraint(space, "4 % a == 0"));
    CHECK_OK(qn_space_solve(space));
    CHECK(qn_space_size(space) == 8);
    CHECK_OK(qn_space_add_constraint(space, "1 // (b - 1) < 9"));
    CHECK_FAILS(qn_space_solve(space), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("constraint 3 of guarded \"1 // (b - 1) < 9\", column 3: division by zero");
    qn_space_destroy(&space);
}

static void rows_make_a_space(void)
{
    qn_space *space = make("rows");
    const uint16_t rows[] = {2, 0, 0, 1, 2, 0, 1, 1, 0, 1, 0, 0};
    uint16_t numbers[2];
    qn_point point;
    add_range(space, "a", 1, 3, 1);
    add_range(space, "b", 1, 2, 1);
    CHECK_FAILS(qn_space_take_rows(space, rows, 0), QN_INVALID_ARGUMENT);
    CHECK_OK(qn_space_take_rows(space, rows, 6));
    CHECK(qn_space_size(space) == 4); /* two of the six rows are repeated */
    qn_space_get(space, 0, numbers);
    CHECK(numbers[0] == 0 && numbers[1] == 0);
    qn_space_get(space, 3, numbers);
    CHECK(numbers[0] == 2 && numbers[1] == 0);
    CHECK(!qn_space_find(space, (uint16_t[]){2, 1}, &point));
    points_and_numbers_agree(space);
    qn_space_destroy(&space);
}

int main(void)
{
    RUN(solutions_equal_those_of_brute_force);
    RUN_LONG(published_spaces_have_the_published_sizes);
    RUN_LONG(large_products_are_not_enumerated);
    RUN(constraints_are_not_needed);
    RUN(points_are_in_lexicographic_order);
    RUN(values_have_kinds);
    RUN(mistakes_are_named);
    RUN(the_excluding_constraint_is_named);
    RUN(earlier_constraints_guard_later_ones);
    RUN(rows_make_a_space);
    return check_finish();
}
