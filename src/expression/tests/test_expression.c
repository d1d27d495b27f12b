/* Expressions against their values in Python, and messages about errors.
 *
 * With the argument "evaluate" it prints the value of each line of its input instead, for the comparison of random
 * expressions with Python (tests/tune/check_expressions.sh). */
#include "check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "expression/expression.h"

/* The variables of tests/data/tune/expressions.py, which made the table. */
enum { NAMES = 8 };
static const char *const names[NAMES] = {"x", "y", "z", "big", "layout", "flag", "nought", "device.local_memory_bytes"};
static qn_value values[NAMES], problem_size[3], tile[4];
static const qn_expression_list lists[] = {{"ProblemSize", problem_size, 3}, {"tile", tile, 4}};

static void set_values(void)
{
    static const int64_t sizes[] = {4096, 2048, 1};
    values[0] = qn_value_integer(7);
    values[1] = qn_value_integer(-3);
    values[2] = qn_value_real(2.5);
    values[3] = qn_value_integer(INT64_C(9007199254740993));
    values[4] = qn_value_text("row");
    values[5] = qn_value_boolean(true);
    values[6] = qn_value_integer(0);
    values[7] = qn_value_integer(49152);
    for (int i = 0; i < 3; i++) problem_size[i] = qn_value_integer(sizes[i]);
    for (int i = 0; i < 4; i++) tile[i] = qn_value_integer(1 << i);
}

static qn_status create(const char *text, qn_expression **expression)
{
    return qn_expression_create_with_lists(text, "constraint 1 of test", names, NAMES, lists, 2, expression);
}

static void show(const qn_value *value, char *text, size_t capacity)
{
    switch (value->kind) {
    case QN_INTEGER: snprintf(text, capacity, "integer %" PRId64, value->as.integer); break;
    case QN_REAL: snprintf(text, capacity, "real %a", value->as.real); break;
    case QN_BOOLEAN: snprintf(text, capacity, "boolean %d", value->as.boolean); break;
    case QN_TEXT: snprintf(text, capacity, "text %s", value->as.text); break;
    }
}

/* Compare a value with the text of show(). Reals are compared as numbers, because Python writes another number of
 * digits; a newline is written as the two characters \n. */
static bool is_shown(const qn_value *value, const char *expected)
{
    char text[256];
    if (value->kind == QN_REAL && strncmp(expected, "real ", 5) == 0) {
        double real = strtod(expected + 5, NULL);
        return real == value->as.real && signbit(real) == signbit(value->as.real);
    }
    show(value, text, sizeof text);
    char *newline = strchr(text, '\n');
    if (newline) {
        memmove(newline + 2, newline + 1, strlen(newline));
        memcpy(newline, "\\n", 2);
    }
    return strcmp(text, expected) == 0;
}

static void expect(const char *text, char *expected)
{
    qn_expression *expression;
    qn_value *elements = NULL, value;
    size_t count = 0, wanted = 0;
    if (!CHECK_OK(create(text, &expression))) return;
    if (CHECK_OK(qn_expression_evaluate_list(expression, values, &elements, &count))) {
        for (char *part = strtok(expected, "\t"); part; part = strtok(NULL, "\t"), wanted++) {
            if (wanted < count && CHECK(is_shown(&elements[wanted], part))) continue;
            char is[256] = "nothing";
            if (wanted < count) show(&elements[wanted], is, sizeof is);
            fprintf(stderr, "  element %zu of \"%s\" is %s, expected %s\n", wanted, text, is, part);
        }
        CHECK(wanted == count);
    }
    if (count == 1 && qn_expression_evaluate(expression, values, &value) == QN_OK)
        CHECK(value.kind == elements[0].kind && qn_value_equal(&value, &elements[0]));
    qn_release(&elements);
    qn_expression_destroy(&expression);
}

static void values_agree_with_python(void)
{
    char *table;
    size_t size, lines = 0;
    if (!CHECK_OK(qn_file_read(check_data("tune/expressions.txt"), &table, &size))) return;
    for (char *line = table, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        *end = 0;
        char *tab = strchr(line, '\t');
        if (*line == '#') continue;
        if (tab) *tab = 0;
        expect(line, tab ? tab + 1 : end);
        lines++;
    }
    CHECK(lines > 200);
    qn_release(&table);
}

static void refuse_reading(const char *text, const char *part)
{
    qn_expression *expression;
    if (!CHECK_FAILS(create(text, &expression), QN_INVALID_ARGUMENT)) fprintf(stderr, "  \"%s\"\n", text);
    CHECK(expression == NULL);
    CHECK_MESSAGE_HAS(part);
    CHECK_MESSAGE_HAS("constraint 1 of test");
    qn_expression_destroy(&expression);
}

static void syntax_errors_name_their_place(void)
{
    refuse_reading("x <= HEIGHT", "column 6: \"HEIGHT\" is not understood; expected one of x y z big layout");
    refuse_reading("HEIGHT < WIDTH", "column 1: \"HEIGHT\"");
    refuse_reading("", "column 1: \"\" is not understood; expected a value");
    refuse_reading("1 +", "column 4: \"\" is not understood; expected a value");
    refuse_reading("(1 + 2", "column 7: \"\" is not understood; expected \")\"");
    refuse_reading("1 2", "column 3: \"2\" is not understood; expected an operator or the end");
    refuse_reading("x = 2", "column 3: \"= 2\" is not understood; expected an operator or the end");
    refuse_reading("x <> 2", "column 4: \"> 2\" is not understood; expected a value");
    refuse_reading("x @ 2", "column 3: \"@ 2\"");
    refuse_reading("x === 2", "column 5: \"= 2\"");
    refuse_reading("x++", "column 4: \"\"");
    refuse_reading("x and", "column 6");
    refuse_reading("x && && y", "column 6: \"&& y\"");
    refuse_reading("12ab", "column 1: \"12ab\" is not understood; expected a number");
    refuse_reading("012", "column 1: \"012\"");
    refuse_reading("1.5.2", "column 1");
    refuse_reading("1e999", "column 1");
    refuse_reading("0xZZ", "column 1: \"0xZZ\"");
    refuse_reading("99999999999999999999", "a number of at most 64 bits");
    refuse_reading("9223372036854775808", "a number of at most 64 bits");
    refuse_reading("1 - 9223372036854775808", "column 5");
    refuse_reading("\"row", "quotation mark");
    refuse_reading("\"\\q\"", "column 2: \"\\q\"");
    refuse_reading("power(x)", "column 1: \"power\" is not understood; expected one of min max");
    refuse_reading("min x", "column 5: \"x\" is not understood; expected \"(\"");
    refuse_reading("abs(1, 2)", "abs of 2 values; expected one value");
    refuse_reading("min()", "min of 0 values");
    refuse_reading("max(1, 2", "expected \",\" or \")\"");
    refuse_reading("[1, 2", "expected \",\" or \"]\"");
    refuse_reading("[i for i in range(3)", "column 21: \"\" is not understood; expected \"]\"");
    refuse_reading("[i for 3 in tile]", "the name of a variable");
    refuse_reading("[i for i of tile]", "column 10: \"of tile]\" is not understood; expected \"in\"");
    refuse_reading("[i for i in tile] + [i]", "column 22: \"i\" is not understood");
    refuse_reading("1 if x", "expected \"else\"");
    refuse_reading("x ? 1", "expected \":\"");
    refuse_reading("x[1", "expected \"]\"");
    refuse_reading("lambda", "expected a value");
    refuse_reading("tile..x", "column 5");
}

static void nesting_is_limited(void)
{
    char deep[3001];
    memset(deep, '(', 400);
    deep[400] = 0;
    refuse_reading(deep, "fewer nested parentheses");
    memset(deep, '!', 400);
    refuse_reading(deep, "fewer nested parentheses");
    memset(deep, '[', 400);
    refuse_reading(deep, "fewer nested parentheses");
    for (int i = 0; i < 3000; i += 2) memcpy(deep + i, i ? "+x" : " x", 2);
    deep[3000] = 0;
    refuse_reading(deep, "more than 1000 operations");
    for (int i = 0; i < 300; i += 4) memcpy(deep + i, "not ", 4);
    strcpy(deep + 300, "x");
    qn_expression *expression;
    bool holds = true;
    if (CHECK_OK(create(deep, &expression))) CHECK_OK(qn_expression_holds(expression, values, &holds));
    CHECK(!holds); /* 75 times not */
    qn_expression_destroy(&expression);
}

static void refuse_evaluating(const char *text, const char *part)
{
    qn_expression *expression;
    qn_value value;
    if (!CHECK_OK(create(text, &expression))) return;
    if (!CHECK_FAILS(qn_expression_evaluate(expression, values, &value), QN_INVALID_ARGUMENT))
        fprintf(stderr, "  \"%s\"\n", text);
    CHECK_MESSAGE_HAS(part);
    CHECK_MESSAGE_HAS("constraint 1 of test");
    qn_expression_destroy(&expression);
}

static void expressions_without_a_value_are_reported(void)
{
    refuse_evaluating("x / nought", "column 3: division by zero");
    refuse_evaluating("x // 0", "division by zero");
    refuse_evaluating("x % (1 - 1)", "division by zero");
    refuse_evaluating("z % 0.0", "division by zero");
    refuse_evaluating("0 ** -1", "division by zero");
    refuse_evaluating("x + 9223372036854775807", "does not fit 64 bits");
    refuse_evaluating("-9223372036854775807 - 2", "does not fit 64 bits");
    refuse_evaluating("4611686018427387904 * 2", "does not fit 64 bits");
    refuse_evaluating("-9223372036854775808 // -1", "does not fit 64 bits");
    refuse_evaluating("-(-9223372036854775808)", "does not fit 64 bits");
    refuse_evaluating("abs(-9223372036854775808)", "does not fit 64 bits");
    refuse_evaluating("x ** 100", "does not fit 64 bits");
    refuse_evaluating("1 << 63", "does not fit 64 bits");
    refuse_evaluating("int(1e19)", "does not fit 64 bits");
    refuse_evaluating("1 << -1", "a shift by a negative number");
    refuse_evaluating("1e308 * 10", "too large");
    refuse_evaluating("(-8) ** 0.5", "power of a negative");
    refuse_evaluating("z & 1", "a real number where a whole one is needed");
    refuse_evaluating("layout + 1", "a text where a number is needed");
    refuse_evaluating("layout < 3", "no order");
    refuse_evaluating("layout * x", "a text");
    refuse_evaluating("tile", "a list where one value is needed");
    refuse_evaluating("tile * 2 - 1", "a list where a number is needed");
    refuse_evaluating("tile < tile", "lists have no order");
    refuse_evaluating("tile[4]", "fewer elements");
    refuse_evaluating("tile[-5]", "fewer elements");
    refuse_evaluating("x[0]", "an index of a value that is not a list");
    refuse_evaluating("x in x", "needs a list");
    refuse_evaluating("max(x)", "one value where a list is needed");
    refuse_evaluating("min([])", "an empty list");
    refuse_evaluating("len(x)", "len of a number");
    refuse_evaluating("int(\"12a\")", "not a number");
    refuse_evaluating("log2(0)", "log2");
    refuse_evaluating("sqrt(-1)", "sqrt");
    refuse_evaluating("range(0, 5, 0)[0]", "a step of 0");
    refuse_evaluating("range(1.5)[0]", "whole");
}

/* Long loops end with an error after a limited number of steps. */
static void work_is_limited(void)
{
    refuse_evaluating("sum(range(9223372036854775807))", "more steps");
    refuse_evaluating("len([i for i in range(100000) for j in range(100000)])", "more steps");
    refuse_evaluating("len([1, 2] * 9223372036854775807)", "more steps");
    char deep[2000] = "x";
    for (int i = 0; i < 25; i++) {
        char again[2000];
        snprintf(again, sizeof again, "(0<%s<9)", deep);
        strcpy(deep, again);
    }
    refuse_evaluating(deep, "more steps");
}

/* Operands that are not needed are not evaluated. */
static void operands_are_skipped_as_in_python(void)
{
    char no[] = "boolean 0", yes[] = "boolean 1", one[] = "integer 1";
    expect("False and 1 / 0", no);
    expect("True or x % 0", yes);
    expect("1 if True else 1 / 0", one);
    char nought[] = "integer 0";
    expect("nought and 9223372036854775807 + 1", nought);
    char chain[] = "boolean 0";
    expect("3 < 2 < 1 / 0", chain);
}

static void variables_and_parts_are_reported(void)
{
    qn_expression *expression;
    bool holds = true;
    if (!CHECK_OK(create("x > 3 and 1 < y < z and (nought or flag)", &expression))) return;
    for (size_t i = 0; i < NAMES; i++) CHECK(qn_expression_uses(expression, i) == (i < 3 || i == 5 || i == 6));
    CHECK(qn_expression_part_count(expression) == 4);
    for (size_t i = 0; i < NAMES; i++) {
        CHECK(qn_expression_part_uses(expression, 0, i) == (i == 0));
        CHECK(qn_expression_part_uses(expression, 1, i) == (i == 1));
        CHECK(qn_expression_part_uses(expression, 2, i) == (i == 1 || i == 2));
        CHECK(qn_expression_part_uses(expression, 3, i) == (i == 5 || i == 6));
    }
    CHECK_OK(qn_expression_part_holds(expression, 0, values, &holds));
    CHECK(holds);
    CHECK_OK(qn_expression_part_holds(expression, 1, values, &holds));
    CHECK(!holds);
    CHECK_OK(qn_expression_holds(expression, values, &holds));
    CHECK(!holds);
    CHECK_TEXT(qn_expression_text(expression), "x > 3 and 1 < y < z and (nought or flag)");
    qn_expression_destroy(&expression);
    qn_expression_destroy(&expression);
}

static void values_compare_as_in_python(void)
{
    const qn_value one = qn_value_integer(1), yes = qn_value_boolean(true), real = qn_value_real(1.0);
    const qn_value text = qn_value_text("1"), same = qn_value_text("1"), half = qn_value_real(0.5);
    const qn_value odd = qn_value_integer(INT64_C(9007199254740993)), even = qn_value_real(9007199254740992.0);
    CHECK(qn_value_equal(&one, &yes) && qn_value_equal(&yes, &real) && qn_value_equal(&real, &one));
    CHECK(!qn_value_equal(&one, &text) && !qn_value_equal(&text, &yes) && qn_value_equal(&text, &same));
    CHECK(!qn_value_equal(&half, &one) && !qn_value_equal(&odd, &even) && qn_value_equal(&half, &half));
}

static int evaluate_lines(void)
{
    char line[4096], shown[256];
    while (fgets(line, sizeof line, stdin)) {
        qn_expression *expression;
        qn_value value;
        line[strcspn(line, "\n")] = 0;
        if (create(line, &expression) != QN_OK)
            printf("unread %s\n", qn_error_message());
        else if (qn_expression_evaluate(expression, values, &value) != QN_OK)
            printf("error %s\n", qn_error_message());
        else {
            show(&value, shown, sizeof shown);
            puts(shown);
        }
        qn_expression_destroy(&expression);
    }
    return 0;
}

int main(int argc, char **argv)
{
    set_values();
    if (argc > 1 && strcmp(argv[1], "evaluate") == 0) return evaluate_lines();
    RUN(values_agree_with_python);
    RUN(syntax_errors_name_their_place);
    RUN(nesting_is_limited);
    RUN(expressions_without_a_value_are_reported);
    RUN(work_is_limited);
    RUN(operands_are_skipped_as_in_python);
    RUN(variables_and_parts_are_reported);
    RUN(values_compare_as_in_python);
    return check_finish();
}
