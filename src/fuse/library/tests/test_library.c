/* The library language: the shipped functions, functions of users, and trouble. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "check.h"
#include "fuse/library/library.h"

static qn_arena arena;
static qn_library library;

static qn_status parse(const char *text)
{
    static qn_source source;
    qn_arena_clear(&arena);
    library = (qn_library){0};
    source = qn_source_make("f.qel", text, strlen(text));
    return qn_library_parse(&source, &arena, &library);
}

static void refused(const char *text, const char *message)
{
    CHECK_FAILS(parse(text), QN_BAD_FORMAT);
    CHECK_TEXT(qn_error_message(), message);
}

static double value_of(const char *name, const double *inputs)
{
    const qn_function *function = qn_library_find(&library, name);
    return function ? qn_point_evaluate(function->meanings[0].term, inputs, NULL, NULL) : NAN;
}

static void shipped_functions_mean_what_they_say(void)
{
    static const char *const names[] = {"axpy", "scal",  "copy", "dot",  "nrm2", "asum", "max",
                                        "gemv", "gemtv", "ger",  "geam", "spmv", "sqrt"};
    qn_arena_clear(&arena);
    library = (qn_library){0};
    CHECK_OK(qn_library_add_shipped(&arena, &library));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) CHECK(qn_library_find(&library, names[i]) != NULL);
    CHECK(value_of("axpy", (double[]){2, 3, 5}) == 11);
    CHECK(value_of("dot", (double[]){3, 5}) == 15);
    CHECK(value_of("asum", (double[]){-3}) == 3);
    CHECK_NEAR(value_of("sumexp", (double[]){1}), 2.718281828459045, 1e-15);
    CHECK(value_of("geam", (double[]){2, 3, 5, 7}) == 41);
    CHECK(value_of("ger", (double[]){2, 3, 5, 7}) == 37);
    CHECK(value_of("clamp", (double[]){9, 1, 4}) == 4);
    CHECK_NEAR(value_of("power", (double[]){4, 0.5}), 2, 1e-12);
    const qn_function *nrm2 = qn_library_find(&library, "nrm2"), *gemtv = qn_library_find(&library, "gemtv");
    CHECK(nrm2->meanings[0].reduction == QN_REDUCE_SUM);
    CHECK(qn_point_evaluate(nrm2->meanings[0].finish, (double[]){0, 25}, NULL, NULL) == 5);
    CHECK(gemtv->index_count == 2 && gemtv->outputs[0].indices[0] == 1);
    CHECK(qn_library_find(&library, "max")->meanings[0].reduction == QN_REDUCE_MAXIMUM);
    CHECK(qn_function_is_map(qn_library_find(&library, "exp")) && !qn_function_is_map(nrm2));
    CHECK_TEXT(qn_library_nearest(&library, "gemvt"), "gemv");
}

static void functions_of_users_are_read(void)
{
    CHECK_OK(parse("# two sums at once\nfunction both(x(i), y(i)) -> a(), b()\n"
                   "point { a += x * y; b += FMA(x, x, 1.0f); }\n"
                   "function next_one(x()) -> y() point { y = -(x - 1) / 2; }\n"));
    const qn_function *both = qn_library_find(&library, "both");
    CHECK(both && both->output_count == 2 && !both->implementations);
    CHECK(value_of("next_one", (double[]){5}) == -2);
}

static void implementations_are_read(void)
{
    CHECK_OK(parse(
        "function f(A(i,j), x(j)) -> y(i) point { y += A * x; }\n"
        "implementation wide\n  tunable WIDTH 1 2 4\n  needs WIDTH <= device.largest_group # a comment\n"
        "  threads MAX(WIDTH, 2), 8\n  slots multiply_add 2\n  slots root 1\n"
        "  place A(i: y, j: x) register\n  load x { if (1) { x = *x_at; } }\n  compute { y += A * x; }\n"
        "implementation plain compute { y = FMA(A, x, y); }\n"
        "function g(x(i)) -> y(i) point { y = x; }\n  implementation s store y { *y_at = y; } compute { y = x; }\n"));
    const qn_implementation *wide = library.functions->implementations;
    CHECK(wide->tunable_count == 1 && wide->tunables[0].value_count == 3 && wide->tunables[0].values[2] == 4);
    CHECK_TEXT(wide->needs[0].text, "WIDTH <= device.largest_group");
    CHECK_TEXT(wide->threads[0].text, "MAX(WIDTH, 2)");
    CHECK_TEXT(wide->threads[1].text, "8");
    CHECK(wide->slots[QN_PIPE_MULTIPLY_ADD] == 2 && wide->slots[QN_PIPE_ROOT] == 1 && wide->has_slots);
    CHECK(wide->input_places[0][0] == QN_WHERE_Y && wide->input_places[0][1] == QN_WHERE_X);
    CHECK(wide->input_places[1][0] == QN_WHERE_ANY && wide->loads[1].end > 0 && wide->loads[0].end == 0);
    CHECK_TEXT(wide->following->name, "plain");
    CHECK(!wide->following->following && library.functions->following->implementations->stores[0].end > 0);
}

static void trees_are_written_as_they_round(void)
{
    qn_text text = {0};
    CHECK_OK(parse("function f(a(), b(), c()) -> y() point { y = a - (b - c) * -(a + 2) / (b * c) + (a * b) * c; }"));
    CHECK_OK(qn_point_write(library.functions->meanings[0].term, (const char *[]){"a", "b", "c"}, &text));
    CHECK_TEXT(text.data, "a - (b - c) * -(a + 2.0f) / (b * c) + a * b * c");
    qn_text_clear(&text);
}

static void scales_bound_the_error(void)
{
    double scale;
    CHECK_OK(
        parse("function f(a(), b()) -> y() point { y = a - b; } function g(a(), b()) -> y() point { y = a / b; }"));
    CHECK(qn_point_evaluate(library.functions->meanings[0].term, (double[]){5, 4}, NULL, &scale) == 1 && scale == 9);
    CHECK(qn_point_evaluate(library.functions->following->meanings[0].term, (double[]){6, 2}, NULL, &scale) == 3);
    CHECK(scale == 6);
}

static void trouble_has_its_place(void)
{
    refused("function f(x(i)) -> r() point { r += z; }", "f.qel:1:38: found the unknown name \"z\"; expected one of: x "
                                                         "r SQRT RSQRT EXP LOG SIN COS FLOOR ROUND ABS FMIN "
                                                         "FMAX MIN MAX FMA CLAMP SATURATE");
    refused("function f(x(i)) -> r()\npoint { r = x; }", "f.qel:2:9: found no reduction of \"r\", which lacks an "
                                                         "index; expected r += …, r = FMIN(r, …) or r = FMAX(r, …)");
    refused("function f(x(i)) -> y(i) point { y += x; }",
            "f.qel:1:34: found \"y\" read before it is assigned; it has all indices, so y = … is expected");
    refused("function f(x(i)) -> y(j) point { y = x; }",
            "f.qel:1:23: found the index j of an output; expected one of the inputs' indices");
    refused("function f(x(i,j), y(k)) -> r() point { r += x; }",
            "f.qel:1:22: found a third index k; expected at most two");
    refused("function f(x(i), x(i)) -> r() point { r += x; }",
            "f.qel:1:18: found \"x\" twice; expected formals of different names");
    refused(
        "function f(x(i)) -> r() point { r += x; r = x; }",
        "f.qel:1:10: found \"x\" read after the reduction of \"r\" in f; expected values without the reduced index");
    refused("function f(x(i)) -> r() point { }",
            "f.qel:1:33: found no assignment of \"r\"; expected one in the meaning of f");
    refused("function f(x(i)) -> r() point { r += x; ",
            "f.qel:1:41: found the end of the file; expected the name of an output, or \"}\"");
    refused("function f(x(i)) -> r() point { r += x; } implementation a compute { {",
            "f.qel:1:68: found a \"{\" without its end; expected \"}\" before the end of the file");
    refused("function f(x()) -> y() point { y = x; } function f(x()) -> y() point { y = x; }",
            "f.qel:1:50: found a second function \"f\"; expected another name");
}

/* Head of a function on line 1; items of an implementation are on line 2. */
#define F "function f(A(i,j), x(j)) -> y(i) point { y += A * x; }\nimplementation a "

static void trouble_of_implementations_has_its_place(void)
{
    refused(F, "f.qel:2:16: found no \"compute\" of a; expected one");
    refused(F "compute { y += A; } compute { }", "f.qel:2:38: found a second \"compute\" of a; expected one");
    refused(F "tunable width 1",
            "f.qel:2:26: found the tunable \"width\"; expected a name of capitals, digits and \"_\" "
            "that kernels do not use");
    refused(F "tunable GROUP_X 1", "f.qel:2:26: found the tunable \"GROUP_X\"; expected a name of capitals, digits and "
                                   "\"_\" that kernels do not use");
    refused(F "tunable ROWS 1", "f.qel:2:26: found the tunable \"ROWS\"; expected a name of capitals, digits and \"_\" "
                                "that kernels do not use");
    refused(F "tunable W compute { }", "f.qel:2:28: found \"compute\"; expected a whole number from 1, a value of the "
                                       "tunable");
    refused(F "tunable W 1 tunable W 2", "f.qel:2:38: found a second W of a; expected one");
    refused(F "needs\ncompute { }",
            "f.qel:2:18: found nothing after it; expected a condition over tunables and the device");
    refused(F "threads 32\ncompute { }",
            "f.qel:2:26: found \"32\"; expected the work-items of a group along x and y, as 32, 8");
    refused(F "threads 32, 8 compute { }",
            "f.qel:2:40: found \"{\" after the work-items of a group along x and y, as 32, "
            "8; expected the next item on another line");
    refused(F "tunable W 2e38 compute { }",
            "f.qel:2:28: found \"2e38\"; expected a whole number from 1, a value of the tunable");
    refused(F "slots rot 1", "f.qel:2:24: found the unknown pipe \"rot\"; expected one of: multiply_add root (did you "
                             "mean \"root\"?)");
    refused(F "slots root 1.5", "f.qel:2:29: found \"1.5\"; expected a whole number of operations at a point");
    refused(F "place z(i: x) register", "f.qel:2:24: found \"z\", which is no formal of f; expected one of: A x y");
    refused(F "place x(i: x) register", "f.qel:2:26: found \"i\"; expected an index of x");
    refused(F "place A(j: x, j: y) register", "f.qel:2:32: found a second place of an index of a; expected one");
    refused(F "place A(j: serial) register",
            "f.qel:2:29: found \"serial\"; expected x or y: a body works on one element of each formal");
    refused(F "place A(j: z) register", "f.qel:2:29: found \"z\"; expected x or y, the work-items that hold the index");
    refused(F "place A(j: x) local", "f.qel:2:32: found \"local\"; expected register: a body works on one element of "
                                     "each formal, which a work-item holds");
    refused(F "load y { }", "f.qel:2:23: found \"y\"; expected an input of f");
    refused(F "store y { }", "f.qel:2:24: found \"y\", which is reduced, so it is complete after the call; expected an "
                             "output with all indices");
    refused(F "load x { } load x { }", "f.qel:2:34: found a second load of a; expected one");
    refused(F "compute { } implementation a compute { }",
            "f.qel:2:45: found a second implementation \"a\" of f; expected another name");
    refused(F "unroll 4", "f.qel:2:18: found \"unroll\"; expected an item of an implementation, \"implementation\" or "
                          "\"function\"");
    refused("function f(x()) -> y() point { y = x; } implementation a compute { y = x; }",
            "f.qel:1:56: found an implementation of f, which has no index and becomes a part of expressions; expected "
            "one of a function with indices");
    refused("function f(x(i)) -> y(i) point { y = x; } implementation point compute { y = x; }",
            "f.qel:1:58: found the implementation \"point\", as the meaning is called; expected another name");
}

int main(void)
{
    RUN(shipped_functions_mean_what_they_say);
    RUN(functions_of_users_are_read);
    RUN(implementations_are_read);
    RUN(trees_are_written_as_they_round);
    RUN(scales_bound_the_error);
    RUN(trouble_has_its_place);
    RUN(trouble_of_implementations_has_its_place);
    qn_arena_clear(&arena);
    return check_finish();
}
