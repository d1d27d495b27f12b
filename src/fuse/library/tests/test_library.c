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
    CHECK_OK(parse(
        "# two sums at once\nfunction both(x(i), y(i)) -> a(), b()\npoint { a += x * y; b += FMA(x, x, 1.0f); }\n"
        "implementation wide\n  tunable WIDTH 1 2 4\n  needs WIDTH <= 4 # a comment\n  place x(i: x) register\n"
        "  load x { if (1) { x = 0; } }\n  compute { }\nfunction next_one(x()) -> y() point { y = -(x - 1) / 2; }\n"));
    const qn_function *both = qn_library_find(&library, "both");
    CHECK(both && both->output_count == 2 && both->implementations->item_count == 5);
    const qn_implementation_item *needs = &both->implementations->items[1];
    CHECK(needs->end - needs->begin == strlen("WIDTH <= 4"));
    CHECK(value_of("next_one", (double[]){5}) == -2);
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

int main(void)
{
    RUN(shipped_functions_mean_what_they_say);
    RUN(functions_of_users_are_read);
    RUN(trees_are_written_as_they_round);
    RUN(scales_bound_the_error);
    RUN(trouble_has_its_place);
    qn_arena_clear(&arena);
    return check_finish();
}
