/* Plans of the sequences in examples/fuse: kernels, and words as the published fusions and hand counts have them. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "fuse/graph/tests/graph_of.h"
#include "fuse/plan/plan.h"

static qn_arena arena;
static qn_graph graph;
static qn_sizes sizes;
static double stored[QN_GRAPH_VALUES_MAX];
static qn_plan_options options = {.launch_s = 4e-6, .bytes_per_s = 2e12, .sizes = &sizes, .stored = stored};
static qn_plan plan;

static qn_status make(const char *text)
{
    QN_TRY(graph_of(text, &arena, &graph));
    for (int i = 0; i < graph.extent_count; i++) sizes.of[i] = 8192;
    for (int value = 0; value < graph.value_count; value++) stored[value] = 5 * 8192;
    return qn_plan_make(&graph, &options, &plan);
}

static qn_status make_example(const char *name)
{
    char path[1024];
    char *text;
    size_t size;
    snprintf(path, sizeof path, "%s/../../examples/fuse/%s.qf", QN_TEST_DATA_FOLDER, name);
    QN_TRY(qn_file_read(path, &text, &size));
    char *copy;
    qn_status status = qn_text_copy(text, &copy);
    qn_release(&text);
    QN_TRY(status);
    static char *kept;
    qn_release(&kept);
    kept = copy;
    return make(copy);
}

static void count(int *kernels, int *folds)
{
    qn_plan_count(&plan, kernels, folds);
}

/* The section of the plan that a report counts: the ring, if there is one. */
static int counted_section(void)
{
    return plan.graph->sections[0].part == QN_SECTION_HEAD ? 1 : 0;
}

/* An example's kernels, folds, and words; of a loop, those of a round. */
static void expect(const char *name, int kernels, int folds, const char *words)
{
    int own_kernels, own_folds;
    qn_words moved;
    qn_text text = {0};
    CHECK_OK(make_example(name));
    count(&own_kernels, &own_folds);
    qn_plan_words(&plan, counted_section(), &moved);
    CHECK_OK(qn_words_write(&graph, &moved, &text));
    if (!CHECK_TEXT(text.data, words) || !CHECK(own_kernels == kernels && own_folds == folds))
        printf("%s: %d kernels, %d folds\n", name, own_kernels, own_folds);
    qn_text_clear(&text);
}

static void examples_have_the_kernels_of_the_table(void)
{
    expect("axpydot", 1, 1, "4n");
    expect("vadd", 1, 0, "4n");
    expect("waxpby", 1, 0, "3n");
    expect("bicgk", 1, 1, "m·n + 2m + 2n");
    expect("mvt", 2, 0, "n² + 8n");
    expect("atax", 1, 1, "m·n + 2n");
    expect("gesummv", 1, 0, "2m·n + m + n");
    expect("madd", 1, 0, "3m·n");
    expect("gemver", 2, 1, "3n² + 10n");
    expect("gemvt", 2, 1, "2m·n + 2m + 4n");
    expect("image", 2, 0, "3n");
    expect("two_sums", 1, 1, "2n");
}

/* With five stored elements a row, rows' starts and columns: CG 20n words a round and BiCGStab 39n. A power step needs
 * x only inside of its kernel, which makes it of the product of the step before. */
static void loops_are_rings(void)
{
    expect("cg", 2, 0, "2 stored(A) + 10n");
    expect("bicgstab", 3, 0, "4 stored(A) + 19n");
    expect("jacobi", 1, 0, "n² + 4n");
    expect("power", 1, 0, "n² + 2n");
}

/* A loop that is checked after each round would only run heads and tails. */
static void rings_pay_only_between_checks(void)
{
    CHECK_OK(make("sequence s\ninput A: matrix(n, n); input limit: scalar\ninout x: vector(n)\n"
                  "repeat 100 until norm < limit { y = A*x; norm = nrm2(y); next x = y/norm }\n"));
    CHECK(plan.graph->section_count == 1 && plan.kernel_count == 2);
    CHECK_OK(make("sequence s\ninput A: matrix(n, n); input limit: scalar\ninout x: vector(n)\n"
                  "repeat 100 until norm < limit every 5 { y = A*x; norm = nrm2(y); next x = y/norm }\n"));
    CHECK(plan.graph->section_count == 3);
    /* 12 rounds end three times with a check or the loop's end */
    CHECK(qn_plan_runs(&plan, 0, 12) == 3 && qn_plan_runs(&plan, 1, 12) == 9 && qn_plan_runs(&plan, 2, 12) == 3);
}

/* A group sweeps twice over its lines. Where one of them does not stay in a cache, the matrix is read twice. */
static void further_sweeps_read_from_a_cache_or_again(void)
{
    options.panel_bytes = 4 * 8192;
    expect("atax", 1, 1, "m·n + 2n");
    options.panel_bytes--;
    options.fusion = QN_FUSION_NONE;
    expect("atax", 2, 1, "2m·n + 2m + 2n");
    options.fusion = QN_FUSION_AUTO;
    expect("atax", 1, 1, "2m·n + 2n"); /* the product stays in the kernel */
    CHECK(plan.kernels[0].again.count == 1 && plan.kernels[0].again.line_bytes == 4 * 8192);
    /* B is made from A in each sweep, or stored and read again */
    CHECK_OK(make("sequence s\ninput A: matrix(m, n); input x: vector(n)\noutput y: vector(n)\n"
                  "B = 2*A; t = B*x; y = B'*t\n"));
    CHECK(qn_words_count(&plan.kernels[0].words, &sizes, stored) == 2.0 * 8192 * 8192 + 2 * 8192);
    CHECK_OK(make("sequence s\ninput A: matrix(m, n); input x: vector(n)\noutput B: matrix(m, n); output y: vector(n)\n"
                  "B = 2*A; t = B*x; y = B'*t\n"));
    CHECK(qn_words_count(&plan.kernels[0].words, &sizes, stored) == 3.0 * 8192 * 8192 + 2 * 8192);
    options.panel_bytes = 0;
}

/* R7: calls of unequal spaces have kernels of their own, and where these are short, one launch. */
static void short_kernels_share_launches(void)
{
    int kernels, folds;
    const char *const sums = "sequence s\ninput x: vector(n); input y: vector(k)\noutput a, b: scalar\n"
                             "a = sum(x)\nb = sum(y)\n";
    CHECK_OK(make(sums));
    qn_plan_share_launches(&options, &plan);
    count(&kernels, &folds);
    CHECK(kernels == 1 && folds == 1); /* 8192 elements are too many for one group */
    for (int i = 0; i < 2; i++) sizes.of[i] = 1000;
    CHECK_OK(qn_plan_make(&graph, &options, &plan));
    count(&kernels, &folds);
    CHECK(kernels == 2 && folds == 1);
    qn_plan_share_launches(&options, &plan);
    count(&kernels, &folds);
    CHECK(kernels == 1 && folds == 0 && plan.kernel_count == 2);
    for (int i = 0; i < 2; i++) sizes.of[i] = 1 << 24;
    CHECK_OK(qn_plan_make(&graph, &options, &plan));
    qn_plan_share_launches(&options, &plan);
    count(&kernels, &folds);
    CHECK(kernels == 2 && folds == 1); /* each fills the device */
    /* z needs y: no launch is shared */
    CHECK_OK(
        make("sequence s\ninput x: vector(n); input A: csr(n, n); output z: vector(n)\ny = 2*x\nw = A*y\nz = A*w\n"));
    qn_plan_share_launches(&options, &plan);
    count(&kernels, &folds);
    CHECK(kernels == 2);
}

static void without_fusion_each_call_has_a_kernel(void)
{
    int kernels, folds;
    options.fusion = QN_FUSION_NONE;
    CHECK_OK(make_example("bicgk"));
    options.fusion = QN_FUSION_AUTO;
    count(&kernels, &folds);
    CHECK(kernels == 2 && folds == 1);
}

static void results_can_be_forced_together(void)
{
    int kernels, folds;
    options.forced[0] = 3; /* both sums, though not worth it for the first two calls alone */
    options.forced_count = 1;
    CHECK_OK(make("sequence s\ninput x, y: vector(n)\noutput a, b: scalar\na = sum(x)\nb = sum(y)\n"));
    count(&kernels, &folds);
    CHECK(kernels == 1);
    CHECK_FAILS(
        make("sequence s\ninput x: vector(n); input y: vector(k)\noutput a, b: scalar\na = sum(x)\nb = sum(y)\n"),
        QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--fusion joins calls that cannot share a kernel (R7)");
    options.forced_count = 0;
}

/* A chain of 30 maps with three sums is beyond the exact search. */
static void long_scripts_use_a_beam(void)
{
    char text[4096] = "sequence s\ninput x0: vector(n)\noutput a, b, y: scalar\n";
    int kernels, folds;
    for (int i = 1; i <= 30; i++)
        sprintf(text + strlen(text), "x%d = %d*x%d + 1\n%s", i, i, i - 1, i == 15 ? "a = sum(x15)\n" : "");
    strcat(text, "b = sum(x30)\ny = a + b\n");
    CHECK_OK(make(text));
    count(&kernels, &folds);
    CHECK(kernels == 2); /* all elements at once, then the scalar */
    qn_words moved;
    qn_plan_words(&plan, 0, &moved);
    CHECK(qn_words_count(&moved, &sizes, stored) == 8192);
}

/* As many calls as a graph can have: sets of calls fill a word of 64 bits. */
static void a_full_graph_is_planned(void)
{
    char text[4096] = "sequence s\ninput x0: vector(n)\noutput x64: vector(n)\n";
    int kernels, folds;
    for (int i = 1; i <= 64; i++) sprintf(text + strlen(text), "x%d = 2*x%d\n", i, i - 1);
    CHECK_OK(make(text));
    count(&kernels, &folds);
    CHECK(graph.call_count == 64 && kernels == 1 && folds == 0);
}

/* The partition of least cost by brute force: every way to give each of the calls to a kernel. */
static double cheapest(const qn_scope *scope, int call, qn_calls *groups, int count_of)
{
    const qn_section *section = &plan.graph->sections[scope->section];
    const int calls = section->first_call + section->call_count;
    double best = 1e30;
    if (call < calls) {
        for (int g = 0; g <= count_of; g++) {
            groups[g] = (g < count_of ? groups[g] : 0) | qn_calls_one(call);
            const double cost = cheapest(scope, call + 1, groups, g == count_of ? count_of + 1 : count_of);
            if (cost < best) best = cost;
            groups[g] &= ~qn_calls_one(call);
        }
        return best;
    }
    /* legal kernels that can be put in an order */
    double cost = 0;
    qn_calls done = 0;
    for (int left = count_of; left > 0;) {
        int found = -1;
        for (int g = 0; g < count_of && found < 0; g++) {
            bool ready = groups[g] != 0 && !(groups[g] & done);
            for (int c = section->first_call; ready && c < calls; c++)
                if (qn_calls_have(groups[g], c)) ready = (scope->before[c] & ~(done | groups[g])) == 0;
            if (ready) found = g;
        }
        qn_layout layout;
        qn_again again;
        qn_words words;
        if (found < 0 || !qn_rules_allow(scope, groups[found], &layout, NULL)) return 1e30;
        qn_kernel_words(scope, groups[found], &layout, &options, &again, &words);
        cost += options.launch_s + 4 * qn_words_count(&words, &sizes, stored) / options.bytes_per_s;
        done |= groups[found];
        left--;
    }
    return cost;
}

static void compare_with_brute_force(void)
{
    const int section = counted_section();
    qn_scope scope;
    qn_calls groups[QN_GRAPH_CALLS_MAX] = {0};
    double cost = 0;
    qn_scope_make(plan.graph, section, &scope);
    for (int k = 0; k < plan.kernel_count; k++)
        if (!plan.kernels[k].is_fold && plan.kernels[k].section == section)
            cost += options.launch_s + 4 * qn_words_count(&plan.kernels[k].words, &sizes, stored) / options.bytes_per_s;
    CHECK_NEAR(cost, cheapest(&scope, plan.graph->sections[section].first_call, groups, 0), 1e-12);
}

static void the_search_finds_the_best(void)
{
    static const char *const names[] = {"gemver", "gemvt", "mvt", "image", "cg", "power", "jacobi"};
    static const char *const texts[] = {
        /* two sums that split a chain, and maps on both sides of them */
        "sequence s\ninput x, y: vector(n)\noutput c, e, f: vector(n)\na = sum(x)\nb = dot(x, y)\nc = a*x + y\n"
        "d = y - x\ne = b*d + c\ng = sum(e)\nf = g*d\n",
        /* a square matrix, whose vectors lie along either axis */
        "sequence s\ninput A: matrix(n, n); input x: vector(n)\noutput y, z, w: vector(n); output d: scalar\n"
        "y = A'*x\nu = 2*y + x\nv = 3*x\nd = dot(u, v)\nz = A'*v + d*x\nw = A*v\n",
        "sequence s\ninput A: matrix(m, n); input p, x: vector(n); input r, y: vector(m)\noutput q, s, b, t: "
        "vector(n)\n"
        "q = A'*r\ns = q + p\nb = 2*x\nt = b + s\nu = A*x\nv = u + y\n"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (CHECK_OK(make_example(names[i]))) compare_with_brute_force();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (CHECK_OK(make(texts[i]))) compare_with_brute_force();
}

/* Seconds of a processor. The limit is that of a program; sanitizers make it slower. */
static void check_time(const char *text)
{
    const clock_t begin = clock();
    CHECK_OK(make(text));
    CHECK((double)(clock() - begin) / CLOCKS_PER_SEC < 2);
}

/* Where many partitions are alike, or every axis of 12 vectors is wrong, the search must not try all. */
static void sixteen_calls_are_planned_at_once(void)
{
    char text[4096] = "sequence s\ninput x: vector(n)\n";
    for (int i = 0; i < 16; i++) sprintf(text + strlen(text), "output y%d: vector(n)\ny%d = %d*x\n", i, i, i);
    check_time(text);
    strcpy(text, "sequence s\ninput x: vector(n)\n");
    for (int i = 0; i < 16; i++)
        sprintf(text + strlen(text), "output y%d: scalar\ninput x%d: vector(n)\ny%d = sum(x%d)\n", i, i, i, i);
    check_time(text);
    strcpy(text, "sequence s\ninput A: matrix(n, n); input x: vector(n)\ny0 = A'*x\n");
    for (int i = 1; i <= 12; i++) sprintf(text + strlen(text), "output y%d: vector(n)\ny%d = %d*y0 + x\n", i, i, i);
    strcat(text, "output d: scalar\nd = dot(y12, x)\noutput z: vector(n)\nz = A'*y12 + d*x\n");
    check_time(text);
}

/* ---- candidates ---- */

static int list(int most, qn_plan **plans)
{
    int found = 0;
    CHECK_OK(qn_allocate((size_t)most, sizeof **plans, (void **)plans));
    CHECK_OK(qn_plan_candidates(&graph, &options, most, *plans, &found));
    for (int i = 1; i < found; i++) CHECK((*plans)[i].seconds >= (*plans)[i - 1].seconds * (1 - 1e-6));
    return found;
}

/* Four calls that may share kernels in any way have as many plans as a set of four has partitions: Bell's number 15. */
static void candidates_are_all_partitions(void)
{
    qn_plan *plans;
    int kernels[5] = {0}, folds;
    CHECK_OK(
        make("sequence s\ninput x: vector(n)\noutput a, b, c, d: vector(n)\na = 2*x; b = 3*x; c = 4*x; d = 5*x\n"));
    const int found = list(64, &plans);
    CHECK(found == 15);
    for (int i = 0; i < found; i++) {
        int own;
        qn_plan_count(&plans[i], &own, &folds);
        if (CHECK(own >= 1 && own <= 4)) kernels[own]++;
    }
    /* Stirling's numbers of the second kind; the fewest kernels move the fewest words, x once for each kernel */
    CHECK(kernels[1] == 1 && kernels[2] == 7 && kernels[3] == 6 && kernels[4] == 1);
    CHECK(plans[0].kernel_count == 1 && plans[14].kernel_count == 4);
    const double words[] = {5 * 8192, 8 * 8192};
    for (int i = 0; i < 2; i++) {
        const qn_plan *one = &plans[14 * i];
        const double expected = one->kernel_count * options.launch_s + 4 * words[i] / options.bytes_per_s;
        CHECK(one->seconds > expected * (1 - 1e-5) && one->seconds < expected * (1 + 1e-5));
    }
    qn_release(&plans);
}

static void few_candidates_are_the_best_ones(void)
{
    qn_plan *plans;
    CHECK_OK(make_example("bicgk"));
    CHECK(list(8, &plans) == 2); /* both products in one kernel, or in two */
    CHECK(plans[0].kernels[0].calls == 3 && plans[1].kernels[0].calls != 3);
    qn_release(&plans);
    CHECK_OK(make_example("bicgstab"));
    CHECK(list(8, &plans) == 8);
    int rings = 0;
    for (int i = 0; i < 8; i++) {
        rings += plans[i].graph != &graph;
        for (int k = 0; k < i; k++)
            CHECK(plans[i].graph != plans[k].graph || plans[i].kernel_count != plans[k].kernel_count ||
                  memcmp(plans[i].kernels, plans[k].kernels, (size_t)plans[i].kernel_count * sizeof *plans->kernels));
    }
    CHECK(plans[0].graph != &graph && rings > 0); /* the best is a ring */
    CHECK(plans[0].kernel_count == plan.kernel_count && plans[0].seconds == plan.seconds);
    qn_release(&plans);
}

/* ---- costs ---- */

static double seconds_of(qn_calls calls)
{
    qn_scope scope;
    qn_layout layout;
    qn_again again;
    qn_words words;
    qn_scope_make(&graph, 0, &scope);
    CHECK(qn_rules_allow(&scope, calls, &layout, NULL));
    qn_kernel_words(&scope, calls, &layout, &options, &again, &words);
    return qn_kernel_seconds(&scope, calls, &words, &options);
}

/* x and y have n = 8192 words: 4 · 8192 bytes each. */
static void measured_rates_decide_costs(void)
{
    const double n = 8192, bytes = 4 * n;
    CHECK_OK(make("sequence s\ninput A: matrix(m, n); input x, y: vector(n)\noutput r: scalar; output q: vector(m)\n"
                  "r = dot(x, y); q = A*x\n"));
    CHECK_NEAR(seconds_of(1), 4e-6 + 2 * bytes / 2e12, 1e-15);
    graph.calls[0].bytes_per_s = 1e9;
    CHECK_NEAR(seconds_of(1), 4e-6 + 2 * bytes / 1e9, 1e-12);
    CHECK_NEAR(seconds_of(2), 4e-6 + (n * n + 2 * n) * 4 / 2e12, 1e-12);
    /* dot has 2 n words at 1e9 bytes a second, A*x n² + 2 n at 2e12; together n² + 3 n */
    const double own_s = 2 * bytes / 1e9 + (n * n + 2 * n) * 4 / 2e12, own_bytes = (n * n + 4 * n) * 4;
    CHECK_NEAR(seconds_of(3), 4e-6 + (n * n + 3 * n) * 4 * own_s / own_bytes, 1e-9);
}

static void operations_decide_where_they_take_longer(void)
{
    const double n = 8192;
    CHECK_OK(make("sequence s\ninput A: matrix(m, n); input x: vector(n)\noutput q: vector(m)\nq = A*x\n"));
    graph.calls[0].slots[QN_PIPE_ROOT] = 3;
    CHECK_NEAR(seconds_of(1), 4e-6 + (n * n + 2 * n) * 4 / 2e12, 1e-12);
    options.slots_per_s[QN_PIPE_ROOT] = 1e11;
    CHECK_NEAR(seconds_of(1), 4e-6 + 3 * n * n / 1e11, 1e-9);
    options.slots_per_s[QN_PIPE_ROOT] = 0;
}

/* On a device that adds up slowly, what is fused stays fused, and the plan is still found. */
static void plans_obey_measured_rates(void)
{
    CHECK_OK(make("sequence s\ninput x, y, v: vector(n)\noutput r, t: scalar\nr = dot(x, y); t = dot(x, v)\n"));
    for (int call = 0; call < graph.call_count; call++) graph.calls[call].bytes_per_s = 4e12;
    CHECK_OK(qn_plan_make(&graph, &options, &plan));
    int kernels, folds;
    count(&kernels, &folds);
    CHECK(kernels == 1 && folds == 1);
}

int main(void)
{
    RUN(candidates_are_all_partitions);
    RUN(few_candidates_are_the_best_ones);
    RUN(examples_have_the_kernels_of_the_table);
    RUN(loops_are_rings);
    RUN(rings_pay_only_between_checks);
    RUN(further_sweeps_read_from_a_cache_or_again);
    RUN(short_kernels_share_launches);
    RUN(without_fusion_each_call_has_a_kernel);
    RUN(results_can_be_forced_together);
    RUN(long_scripts_use_a_beam);
    RUN(a_full_graph_is_planned);
    RUN(the_search_finds_the_best);
    RUN(sixteen_calls_are_planned_at_once);
    RUN(measured_rates_decide_costs);
    RUN(operations_decide_where_they_take_longer);
    RUN(plans_obey_measured_rates);
    qn_arena_clear(&arena);
    return check_finish();
}
