/* Files for other languages: what is taken of a prelude, and names that C does not have. tests/fuse/check_output.sh
 * compiles and runs the files. */
#include <string.h>

#include "base/error.h"
#include "check.h"
#include "fuse/graph/tests/graph_of.h"
#include "fuse/output/output.h"
#include "fuse/output/words.h"

static qn_arena arena;
static qn_graph graph;
static qn_plan plan;
static qn_code_files files;

static qn_status make(const char *text, qn_code_language language)
{
    qn_sizes sizes;
    double stored[QN_GRAPH_VALUES_MAX] = {0};
    QN_TRY(graph_of(text, &arena, &graph));
    for (int i = 0; i < QN_GRAPH_EXTENTS_MAX; i++) sizes.of[i] = 1000;
    const qn_plan_options options = {.launch_s = 4e-6, .bytes_per_s = 2e12, .sizes = &sizes, .stored = stored};
    QN_TRY(qn_plan_make(&graph, &options, &plan));
    const qn_shape shape = {32, 8, 4, 8, 64, 512, 4, 2, 4, 5};
    return qn_code_make(&plan, &shape, language, &files);
}

static const char *file(const char *ending)
{
    for (int i = 0; i < files.count; i++)
        if (strcmp(strchr(files.files[i].name, '.'), ending) == 0) return files.files[i].text.data;
    return "";
}

static void words_are_taken_with_those_that_they_need(void)
{
    static const char prelude[] = "/* head: QUIET */\n#define LOUD(x) loud(x)\n#define QUIET 1 /* of OTHER */\n"
                                  "#define OTHER 2\n"
                                  "typedef struct pair {\n    int a, b;\n} pair;\ntypedef long big; /* a; b */\n"
                                  "/* It is loud. */\nDEVICE_FN float loud(big x)\n{\n    return x;\n}\n"
                                  "#if __CUDA_ARCH__ >= 800\n#define COPY 1\n#else\n#define COPY 2\n#endif\n";
    qn_text text = {0};
    CHECK_OK(qn_words_take(prelude, "LOUD(1) /* OTHER pair */ LOUDER QUIET_", &text));
    CHECK_TEXT(text.data, "#define LOUD(x) loud(x)\ntypedef long big; /* a; b */\n"
                          "/* It is loud. */\nDEVICE_FN float loud(big x)\n{\n    return x;\n}\n");
    qn_text_clear(&text);
    CHECK_OK(qn_words_take(prelude, "pair x = COPY;", &text));
    CHECK_TEXT(text.data, "typedef struct pair {\n    int a, b;\n} pair;\n"
                          "#if __CUDA_ARCH__ >= 800\n#define COPY 1\n#else\n#define COPY 2\n#endif\n");
    qn_text_clear(&text);
    CHECK_OK(qn_words_take("#define AT(d) PASTE(AT_, d)\n#define AT_1 x\n#define BAT_1 y\n", "AT(1)", &text));
    CHECK_TEXT(text.data, "#define AT(d) PASTE(AT_, d)\n#define AT_1 x\n");
    qn_text_clear(&text);
    CHECK_OK(qn_words_take(prelude, "nothing", &text));
    CHECK(text.length == 0);
    qn_text_clear(&text);
}

static void names_of_c_are_avoided(void)
{
    CHECK_OK(make("sequence s\ninput double: vector(int)\noutput for: vector(int)\nfor = 2*double\n", QN_CODE_C));
    CHECK(strstr(file(".h"), "const float *double_;") && strstr(file(".h"), "float *for_;"));
    CHECK(strstr(file(".h"), "int32_t int_;") && strstr(file(".c"), "plan->size_int = sizes->int_;"));
    qn_code_clear(&files);
    CHECK_FAILS(make("sequence s\ninput A: matrix(n, n); input A_step: vector(n)\noutput y: vector(n)\ny = A*A_step\n",
                     QN_CODE_C),
                QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("the names A and A_step meet in C");
    qn_code_clear(&files);
}

/* Fifteen sums, each needed by the next, are more kernels than a family may have. */
static void a_family_has_at_most_eight_kernels(void)
{
    qn_text text = {0};
    CHECK_OK(qn_text_append(&text, "sequence s\ninput x0: vector(n)\noutput x15: vector(n)\n"));
    for (int i = 1; i <= 15; i++) CHECK_OK(qn_text_append(&text, "x%d = x%d / sum(x%d)\n", i, i - 1, i - 1));
    CHECK_FAILS(make(text.data, QN_CODE_QUERN), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("kernels; expected at most 8, as a kernel family has");
    qn_code_clear(&files);
    CHECK_OK(make(text.data, QN_CODE_OPENCL));
    qn_code_clear(&files);
    qn_text_clear(&text);
}

int main(void)
{
    RUN(words_are_taken_with_those_that_they_need);
    RUN(names_of_c_are_avoided);
    RUN(a_family_has_at_most_eight_kernels);
    qn_arena_clear(&arena);
    return check_finish();
}
