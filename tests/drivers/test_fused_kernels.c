/* labels: unsanitized */
/* The text of kernels: it compiles for CUDA without a GPU, and keeps to the words of the kernel language. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "fuse/emit/emit.h"
#include "fuse/program/trial.h"
#include "runtime/cuda/cuda_compile.h"
#include "runtime/kernel_source.h"

static const char *const examples[] = {"atax",  "axpydot", "bicgk", "bicgstab", "cg",    "gemver",   "gemvt", "gesummv",
                                       "image", "jacobi",  "madd",  "mvt",      "power", "two_sums", "vadd",  "waxpby"};
enum { EXAMPLES = sizeof examples / sizeof *examples };

static qn_arena arena;
static qn_graph graph;
static qn_plan plan;

/* The kernels of a script, or of an example. */
static qn_status emit(const char *name, const char *script_text, qn_text *text)
{
    static qn_source source;
    static qn_sizes sizes;
    static double stored[QN_GRAPH_VALUES_MAX];
    const qn_plan_options options = {.launch_s = 4e-6, .bytes_per_s = 2e12, .sizes = &sizes, .stored = stored};
    qn_library library = {0};
    qn_script script;
    char path[1024], *read;
    const char *copy = script_text;
    size_t size;
    qn_arena_clear(&arena);
    if (name) {
        snprintf(path, sizeof path, "%s/../../examples/fuse/%s.qf", QN_TEST_DATA_FOLDER, name);
        QN_TRY(qn_file_read(path, &read, &size));
        const qn_status status = qn_arena_copy_text(&arena, read, size, &copy);
        qn_release(&read);
        QN_TRY(status);
    }
    source = qn_source_make("s.qf", copy, strlen(copy));
    QN_TRY(qn_library_add_shipped(&arena, &library));
    QN_TRY(qn_script_parse(&source, &arena, &script));
    QN_TRY(qn_graph_make(&script, &library, &arena, &graph));
    for (int i = 0; i < QN_GRAPH_EXTENTS_MAX; i++) sizes.of[i] = 1000;
    QN_TRY(qn_plan_make(&graph, &options, &plan));
    qn_plan_share_launches(&options, &plan);
    QN_TRY(qn_emit_header(&graph, QN_EMIT_GROUPS, text));
    for (int i = 0; i < plan.kernel_count; i++) {
        qn_emitted_kernel kernel;
        QN_TRY(qn_emit_kernel(&plan, i, QN_EMIT_GROUPS, text, &kernel));
        CHECK(kernel.argument_count > 0 && kernel.argument_count <= QN_ARGUMENT_MAX);
    }
    return QN_OK;
}

static bool compile_for_cuda(const char *name, const char *source)
{
    static const char definitions[] = "GROUP_X=64 GROUP_Y=4 ELEMENTS=8 TILE=8 PANEL=64 PARTS=8 STRIP=8 ROWS=2 "
                                      "VECTOR_WIDTH=4 TERMS=5";
    const qn_family family = {.name = name, .source = source};
    const qn_configuration configuration = {{0}};
    qn_text text = {0};
    qn_cuda_code code = {0};
    CHECK_OK(qn_kernel_source_make(NULL, "cuda", &family, &configuration, definitions, &text));
    const qn_status status = qn_cuda_compile_only(name, text.data, 90, "", &code);
    const bool good = status == QN_OK;
    if (status == QN_NO_DEVICE) check_skip("cuda", qn_error_message());
    if (!CHECK(good)) printf("%s\n%s\n", qn_error_message(), source);
    qn_cuda_code_clear(&code);
    qn_text_clear(&text);
    return good;
}

/* Capital words of the text are words of the prelude, tunables, or its own. */
static void the_words_are_those_of_the_kernel_language(void)
{
    static const char words[] = " KERNEL GROUP_LIMIT GLOBAL LOCAL LOCAL_PTR RESTRICT DEVICE_FN LOCAL_ID GROUP_ID "
                                "GROUP_COUNT LOCAL_BARRIER MIN FMIN "
                                "FMAX SQRT EXP LOG FLOAT_INFINITY GROUP_X GROUP_Y ELEMENTS TILE PANEL ITEMS "
                                "PITCH COLUMNS UNROLL PARTS EACH_ELEMENT LOCAL_BARRIER_OF_32 UNROLL_BY STRIP ROWS "
                                "EACH_OF_STRIP SEGMENT SEGMENTS COLUMN PLACE PIECE "
                                "GROUP_LIMIT_RESIDENT RESIDENT TERMS MAX A B C ";
    for (int i = 0; i < EXAMPLES; i++) {
        qn_text text = {0};
        CHECK_OK(emit(examples[i], NULL, &text));
        CHECK(!strstr(text.data, "double") && !strstr(text.data, "get_global_id"));
        const char *start = strstr(text.data, "KERNEL GROUP_LIMIT");
        for (const char *at = start; at && *at; at++) {
            if (!isupper((unsigned char)*at) || isalnum((unsigned char)at[-1]) || at[-1] == '_') continue;
            char word[64] = " ";
            size_t length = 0;
            while (isupper((unsigned char)at[length]) || at[length] == '_') length++;
            if (islower((unsigned char)at[length]) || isdigit((unsigned char)at[length])) continue; /* a value's name */
            snprintf(word, sizeof word, " %.*s ", (int)length, at);
            if (!CHECK(strstr(words, word) != NULL)) printf("%s: %s\n", examples[i], word);
            at += length - 1;
        }
        qn_text_clear(&text);
    }
}

static void examples_compile_for_cuda(void)
{
    for (int i = 0; i < EXAMPLES; i++) {
        qn_text text = {0};
        if (CHECK_OK(emit(examples[i], NULL, &text))) compile_for_cuda(examples[i], text.data);
        qn_text_clear(&text);
    }
}

/* Names of values may be words of the languages, and of the kernels themselves. */
static void names_do_not_meet_words(void)
{
    qn_text text = {0};
    CHECK_OK(emit(NULL,
                  "sequence kernel\ninput half, item, PANEL: matrix(class, private); input new, j: vector(private)\n"
                  "output global, share: vector(class); inout local: vector(private)\n"
                  "global = half*new + item*j\nshare = PANEL*new\nlocal = local + j\n",
                  &text));
    compile_for_cuda("names", text.data);
    qn_text_clear(&text);
}

/* Two kernels of one launch. */
static void joined_kernels_compile(void)
{
    qn_text text = {0};
    CHECK_OK(emit(NULL,
                  "sequence two\ninput x: vector(n); input y: vector(k)\noutput a, b: scalar\na = sum(x)\nb = max(y)\n",
                  &text));
    CHECK(plan.kernel_count == 2 && plan.kernels[1].joins);
    compile_for_cuda("joined", text.data);
    qn_text_clear(&text);
}

/* Bodies of implementations, with loads, stores and tunables, and with marks of the library's lines. */
static void bodies_compile(void)
{
    static const char text_of_library[] =
        "function f(A(i,j), x(j)) -> y(i) point { y += A * x; }\n"
        "implementation a\n  tunable WIDTH 1 2\n  load A { A = *A_at; }\n  load x { x = *x_at; }\n"
        "  compute {\n    y = FMA(A, x, y) * (WIDTH / WIDTH); /* a comment */\n  }\n"
        "function g(A(i,j), x(i)) -> y(j) point { y += A * x; }\nimplementation a compute { y += x * A; }\n"
        "function h(a(), u(i), v(j)) -> B(i,j), r() point { B = a * u * v; r += u; }\n"
        "implementation a store B { *B_at = B; } compute {\n\n  B = a * (u * v);\n  r += u;\n}\n"
        "function k(x(i)) -> r() point { r = FMAX(r, x); }\n"
        "implementation a load x { x = *x_at; } compute { r = x > r ? x : r; }\n";
    static qn_trial trial;
    qn_library library = {0};
    const qn_source source = qn_source_make("f.qel", text_of_library, strlen(text_of_library));
    qn_arena_clear(&arena);
    CHECK_OK(qn_library_parse(&source, &arena, &library));
    for (const qn_function *function = library.functions; function; function = function->following)
        for (int marks = 0; marks < 2; marks++) {
            const qn_trial_call call = {.library = &library,
                                        .function = function,
                                        .implementation = function->implementations,
                                        .extents = {1000, 1000},
                                        .marks_bodies = marks};
            qn_text text = {0};
            CHECK_OK(qn_trial_plan(&call, &trial));
            CHECK_OK(qn_text_append(&text, "#define F_A_WIDTH 2\n"));
            CHECK_OK(qn_emit_header(trial.plan.graph, QN_EMIT_GROUPS, &text));
            for (int i = 0; i < trial.plan.kernel_count; i++) {
                qn_emitted_kernel kernel;
                CHECK_OK(qn_emit_kernel(&trial.plan, i, QN_EMIT_GROUPS, &text, &kernel));
            }
            CHECK(strstr(text.data, "DEVICE_FN float ") && (strstr(text.data, "#line ") != NULL) == marks);
            compile_for_cuda(function->name, text.data);
            qn_text_clear(&text), qn_text_clear(&trial.text);
            qn_arena_clear(&trial.arena);
            trial = (qn_trial){.arena = {0}};
        }
}

int main(void)
{
    RUN(the_words_are_those_of_the_kernel_language);
    RUN(names_do_not_meet_words);
    RUN(joined_kernels_compile);
    RUN(bodies_compile);
    RUN(examples_compile_for_cuda);
    qn_arena_clear(&arena);
    return check_finish();
}
