/* Words and calls of the BLAS sequences of the examples, as hand counts have them. */
#include <stdio.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "check.h"
#include "fuse/blas/steps.h"
#include "fuse/graph/tests/graph_of.h"

static qn_arena arena;
static qn_graph graph;
static qn_blas_steps steps;
static char *kept;

enum { N = 1000 };

static bool make(const char *name, qn_blas_kinds kinds)
{
    char path[1024];
    size_t size;
    snprintf(path, sizeof path, "%s/../../examples/fuse/%s.qf", QN_TEST_DATA_FOLDER, name);
    qn_release(&kept);
    return CHECK_OK(qn_file_read(path, &kept, &size)) && CHECK_OK(graph_of(kept, &arena, &graph)) &&
           CHECK_OK(qn_blas_steps_make(&graph, kinds, &steps));
}

/* `squares` n² and `lines` n words, all extents n and five elements in a row of csr matrices; of a loop, those of a
 * round. */
static void expect(const char *name, qn_blas_kinds kinds, int calls, double squares, double lines)
{
    qn_sizes sizes;
    double stored[QN_GRAPH_VALUES_MAX], words = 0;
    int count = 0;
    if (!make(name, kinds)) return;
    if (!CHECK(steps.refused < 0)) printf("%s: %s\n", name, graph.calls[steps.refused].text);
    for (int i = 0; i < QN_GRAPH_EXTENTS_MAX; i++) sizes.of[i] = N;
    for (int i = 0; i < graph.value_count; i++) stored[i] = 5 * N;
    for (int i = 0; i < steps.count; i++) {
        words += qn_blas_step_words(&steps, &steps.steps[i], &sizes, stored);
        count += steps.steps[i].kind != QN_BLAS_HOST;
    }
    if (!CHECK(count == calls) || !CHECK(words == squares * N * N + lines * N))
        printf("%s: %d calls, %.0f words\n", name, count, words);
}

static const qn_blas_kinds legacy = QN_BLAS_LEGACY | QN_BLAS_HAS(SPMV),
                           best = legacy | QN_BLAS_HAS(GEAM) | QN_BLAS_HAS(GER2);

static void legacy_sequences_are_those_of_the_table(void)
{
    expect("axpydot", legacy, 3, 0, 7);
    expect("vadd", legacy, 3, 0, 8);
    expect("waxpby", legacy, 3, 0, 7);
    expect("bicgk", legacy, 2, 2, 4);
    expect("mvt", legacy, 2, 2, 6);
    expect("atax", legacy, 2, 2, 4);
    expect("gesummv", legacy, 2, 2, 5);
    expect("madd", legacy, 2, 5, 0);
    expect("gemvt", legacy, 3, 2, 7);   /* z is copied, and added to */
    expect("gemver", legacy, 6, 8, 11); /* copy, twice ger, copy, twice gemv */
    expect("cg", legacy, 7, 0, 27);
    expect("bicgstab", legacy, 16, 0, 58);    /* with the norm */
    expect("power", legacy, 4, 1, 2 + 1 + 4); /* the quotient is a copy and a factor */
}

static void the_best_sequences_add_two_at_once(void)
{
    expect("axpydot", best, 2, 0, 5);
    expect("vadd", best, 2, 0, 6);
    expect("waxpby", best, 1, 0, 3);
    expect("madd", best, 1, 3, 0);
    expect("gemver", best, 5, 6, 11); /* two outer products as one */
    expect("cg", best, 6, 0, 25);
    expect("bicgstab", best, 13, 0, 52);
}

static void what_has_no_call_is_named(void)
{
    if (make("jacobi", legacy)) CHECK(steps.refused >= 0);
    CHECK_TEXT(graph.calls[steps.refused].text, "next x = x + g / d");
    if (make("two_sums", legacy)) CHECK(steps.refused == 0);
    if (make("cg", QN_BLAS_LEGACY)) CHECK(steps.refused == 0); /* spmv */
}

int main(void)
{
    RUN(legacy_sequences_are_those_of_the_table);
    RUN(the_best_sequences_add_two_at_once);
    RUN(what_has_no_call_is_named);
    qn_release(&kept);
    qn_arena_clear(&arena);
    return check_finish();
}
