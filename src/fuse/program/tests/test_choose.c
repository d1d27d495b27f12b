/* devices: host opencl cuda checking:host */
/* labels: unsanitized long@opencl */
/* Implementations of functions on a device: right ones and wrong ones are told apart, and those are used whose
 * conditions and places hold. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "check.h"
#include "fuse/program/choose.h"
#include "fuse/program/trial.h"

static qn_context *context;
static qn_device *device;
static qn_arena arena;
static qn_library library;
static qn_source source, script_source;
static qn_graph graph;
static qn_text faults;

static void read_library(const char *text)
{
    qn_arena_clear(&arena);
    library = (qn_library){0};
    CHECK_OK(qn_library_add_shipped(&arena, &library));
    source = qn_source_make("f.qel", text, strlen(text));
    CHECK_OK(qn_library_parse(&source, &arena, &library));
}

/* Judge an implementation with the last value of each of its tunables. */
static bool is_right(const char *function_name, const char *name, qn_judgement *judgement)
{
    const qn_function *function = qn_library_find(&library, function_name);
    for (const qn_implementation *of = function->implementations; of; of = of->following) {
        int choices[QN_IMPLEMENTATION_TUNABLES_MAX] = {0};
        if (strcmp(of->name, name) != 0) continue;
        for (int i = 0; i < of->tunable_count; i++)
            choices[i] = of->tunables[i].values[of->tunables[i].value_count - 1];
        return CHECK_OK(qn_implementation_judge(device, &library, function, of, choices, judgement)) &&
               judgement->is_right;
    }
    return CHECK(false);
}

static void right_bodies_are_right(void)
{
    qn_judgement judgement;
    read_library("function f(A(i,j), x(j)) -> y(i) point { y += A * x; }\n"
                 "implementation a load A { A = *A_at; } load x { x = *x_at; } compute { y = FMA(A, x, y); }\n"
                 "implementation b tunable W 1 3 compute { y += (float)W * A * x / W; }\n"
                 "function g(A(i,j), x(i)) -> y(j) point { y += A * x; }\n"
                 "implementation a compute {\n  float both = A * x;\n  if (both != 0.0f) {\n    y += both;\n  }\n}\n"
                 "function h(a(), x(i)) -> y(i), r(), s() point { y = a * x; r += x; s = FMAX(s, x); }\n"
                 "implementation a store y { *y_at = y; } compute { r += x; y = x * a; s = x > s ? x : s; }\n"
                 "function k(u(i), v(j), A(i,j)) -> B(i,j) point { B = A + u * v; }\n"
                 "implementation a store B { *B_at = B; } compute { B = FMA(u, v, A); }\n"
                 "function n(x(i)) -> r() point { r += x * x; r = SQRT(r); }\n"
                 "implementation a compute { r = FMA(x, x, r); }\n");
    CHECK(is_right("f", "a", &judgement) && is_right("f", "b", &judgement));
    CHECK(is_right("g", "a", &judgement));
    CHECK(is_right("h", "a", &judgement));
    CHECK(is_right("k", "a", &judgement));
    CHECK(is_right("n", "a", &judgement));
}

static void wrong_bodies_are_found(void)
{
    qn_judgement judgement;
    read_library("function f(A(i,j), x(j)) -> y(i) point { y += A * x; }\n"
                 "implementation dropped compute { if (x > -0.99f) y += A * x; }\n"
                 "implementation twice compute { y += A * x; y += A * x; }\n"
                 "implementation forgets compute { y = A * x; }\n"
                 "implementation loads load x { x = 1.0f; } compute { y += A * x; }\n"
                 "function k(u(i), v(j)) -> B(i,j) point { B = u * v; }\n"
                 "implementation stores store B { if (B > 0.0f) *B_at = B; } compute { B = u * v; }\n");
    CHECK(!is_right("f", "dropped", &judgement));
    CHECK(strncmp(judgement.reason, "it differs from point: ", 23) == 0);
    CHECK(!is_right("f", "twice", &judgement) && !is_right("f", "forgets", &judgement));
    CHECK(!is_right("f", "loads", &judgement) && !is_right("k", "stores", &judgement));
}

static void bodies_that_do_not_compile_have_their_place(void)
{
    qn_judgement judgement;
    read_library("function f(x(i)) -> y(i) point { y = x; }\nimplementation a\n  compute {\n    y = x + zz;\n  }\n");
    const qn_function *f = qn_library_find(&library, "f");
    const int choices[QN_IMPLEMENTATION_TUNABLES_MAX] = {0};
    CHECK_FAILS(qn_implementation_judge(device, &library, f, f->implementations, choices, &judgement), QN_BAD_FORMAT);
    CHECK(strncmp(qn_error_message(), "f.qel:4:", 8) == 0);
    CHECK_MESSAGE_HAS("found a body of f by a that does not compile: ");
    CHECK_MESSAGE_HAS("zz");
}

/* ---- which are used ---- */

static const char *chosen(const char *text, const char *value, qn_text *notes)
{
    qn_script script;
    const qn_chooser chooser = {.library = &library, .info = qn_device_get_info(device), .device = device};
    qn_text_clear(&faults);
    script_source = qn_source_make("s.qf", text, strlen(text));
    if (!CHECK_OK(qn_script_parse(&script_source, &arena, &script)) ||
        !CHECK_OK(qn_graph_make(&script, &library, &arena, &graph)) ||
        !CHECK_OK(qn_implementations_choose(&chooser, &graph, notes, &faults)))
        return "";
    for (int call = 0; call < graph.call_count; call++)
        if (strcmp(graph.values[graph.calls[call].outputs[0].value].name, value) == 0)
            return graph.calls[call].implementation ? graph.calls[call].implementation->name : "point";
    return "";
}

static void implementations_that_hold_are_used(void)
{
    qn_text notes = {0};
    read_library("function f(A(i,j), x(j)) -> y(i) point { y += A * x; }\n"
                 "implementation large\n  needs device.largest_group > 1000000\n  compute { y += A * x; }\n"
                 "implementation odd\n  threads GROUP_X + 1, GROUP_Y\n  compute { y += A * x; }\n"
                 "implementation wrong compute { y -= A * x; }\n"
                 "implementation crossed place A(i: x, j: y) register compute { y += A * x; }\n"
                 "function g(A(i,j), x(j)) -> y(i) point { y += A * x; }\n"
                 "implementation many slots multiply_add 99 compute { y += A * x; }\n"
                 "implementation fits\n  tunable W 1 2\n  needs W > 1\n  threads GROUP_X, GROUP_Y\n"
                 "  place A(i: y, j: x) register\n  compute { y += A * x * (W - 1); }\n");
    CHECK_TEXT(chosen("sequence s\ninput A: matrix(m, n); input x: vector(n)\noutput p, q: vector(m)\n"
                      "p = f(A, x); q = g(A, x)\n",
                      "p", &notes),
               "point");
    CHECK(notes.data &&
          strstr(notes.data, "f by large is not used: it needs device.largest_group > 1000000, which does"));
    CHECK(notes.data && strstr(notes.data, "f by odd is not used: it has groups of GROUP_X + 1 work-items along x"));
    CHECK(notes.data && strstr(notes.data, "f by wrong is not used: it differs from point"));
    CHECK(notes.data && strstr(notes.data, "p = f(A, x) by crossed is not used: p by crossed holds i of A along x"));
    CHECK_TEXT(graph.calls[1].implementation ? graph.calls[1].implementation->name : "point", "fits");
    CHECK(graph.calls[1].choices[0] == 2);
    CHECK(faults.data && strncmp(faults.data, "f by wrong is not used: ", 24) == 0 && !strstr(faults.data, "large"));
    qn_text_clear(&notes);
}

static void conditions_are_read(void)
{
    qn_text notes = {0};
    qn_script script;
    const char *const text = "sequence s\ninput x: vector(n)\noutput y: vector(n)\ny = f(x)\n";
    const qn_chooser chooser = {.library = &library, .info = qn_device_get_info(device), .device = device};
    read_library(
        "function f(x(i)) -> y(i) point { y = x; }\nimplementation a\n  needs WIDTH > 1\n  compute { y = x; }\n");
    script_source = qn_source_make("s.qf", text, strlen(text));
    CHECK_OK(qn_script_parse(&script_source, &arena, &script));
    CHECK_OK(qn_graph_make(&script, &library, &arena, &graph));
    CHECK_FAILS(qn_implementations_choose(&chooser, &graph, &notes, &faults), QN_BAD_FORMAT);
    CHECK(strncmp(qn_error_message(), "f.qel:3:9: found \"WIDTH > 1\", which cannot be computed: ", 55) == 0);
    qn_text_clear(&notes);
}

/* ---- what is shipped ---- */

/* exp(x) by a plan with one element; NAN if it fails. */
static float exponential_of(qn_program *program, int x, int r, float value)
{
    float found = NAN;
    if (!CHECK_OK(qn_program_write(program, x, &value, NULL, NULL)) ||
        !CHECK_OK(qn_program_run(program, 0, NULL, NULL)) || !CHECK_OK(qn_program_read(program, r, &found)))
        return NAN;
    return found;
}

static void check_exponentials(qn_program *program, int x, int r)
{
    for (double value = -110; value < 92; value += 0.317) {
        const float rounded = (float)value, found = exponential_of(program, x, r, rounded);
        const double expected = exp(rounded);
        if (expected > 3.4028235e38)
            CHECK(isinf(found));
        else if (!CHECK(fabs(found - expected) <= 4 * 0x1p-24 * expected + 0x1p-149))
            printf("exp(%.9g) is %.9g, expected %.9g\n", (double)rounded, (double)found, expected);
    }
    CHECK(exponential_of(program, x, r, 0) == 1);
    CHECK(exponential_of(program, x, r, -INFINITY) == 0);
    CHECK(isinf(exponential_of(program, x, r, INFINITY)));
    CHECK(isnan(exponential_of(program, x, r, NAN)));
}

/* Each number is one that a library for double precision gives; the sum is judged like bodies of users. */
static void shipped_bodies_are_right(void)
{
    static qn_plan plan;
    static qn_sizes sizes;
    static double stored[QN_GRAPH_VALUES_MAX];
    const qn_plan_options options = {
        .fusion = QN_FUSION_NONE, .launch_s = 4e-6, .bytes_per_s = 2e12, .sizes = &sizes, .stored = stored};
    qn_text notes = {0};
    qn_program *program;
    qn_judgement judgement;
    read_library("");
    CHECK_TEXT(chosen("sequence s\ninput x: vector(n)\noutput r: scalar\nr = sumexp(x)\n", "r", &notes),
               strcmp(qn_device_get_info(device)->driver, "host") == 0 ||
                       strstr(qn_device_get_info(device)->identifier, ":host")
                   ? "series"
                   : "point");
    sizes.of[0] = 1;
    CHECK_OK(qn_plan_make(&graph, &options, &plan));
    if (graph.calls[0].implementation && CHECK(is_right("sumexp", "series", &judgement)) &&
        CHECK_OK(qn_program_create(&plan, device, NULL, &sizes, stored, &program))) {
        check_exponentials(program, 0, graph.calls[0].outputs[0].value);
        qn_program_destroy(&program);
    }
    qn_text_clear(&notes);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) != QN_OK) check_skip(name, qn_error_message());
    RUN(right_bodies_are_right);
    RUN(wrong_bodies_are_found);
    RUN(bodies_that_do_not_compile_have_their_place);
    RUN(implementations_that_hold_are_used);
    RUN(conditions_are_read);
    RUN(shipped_bodies_are_right);
    qn_text_clear(&faults);
    qn_arena_clear(&arena);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
