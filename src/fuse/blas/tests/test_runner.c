/* devices: host opencl:0 */
/* labels: unsanitized */
/* Sequences of BLAS calls against the meaning in double precision: equal where sums are exact, and else within the
 * bound of rounding. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "check.h"
#include "fuse/blas/cublas_api.h"
#include "fuse/blas/runner.h"
#include "fuse/graph/tests/graph_of.h"
#include "math/random.h"

static qn_context *context;
static qn_device *device;
static qn_arena arena;
static qn_graph graph;
static qn_sizes sizes;
static double stored[QN_GRAPH_VALUES_MAX];
static float *floats[QN_GRAPH_VALUES_MAX];
static int32_t *starts[QN_GRAPH_VALUES_MAX], *columns[QN_GRAPH_VALUES_MAX];
static qn_numbers numbers[QN_GRAPH_VALUES_MAX];
static const qn_blas_given given = {floats, starts, columns};

static void clear(void)
{
    for (int value = 0; value < QN_GRAPH_VALUES_MAX; value++) {
        qn_release(&floats[value]);
        qn_numbers_clear(&numbers[value]);
    }
}

/* -1, 0 and 1, but scalars are 2 */
static bool make_inputs(const char *text, int m, int n)
{
    clear();
    if (!CHECK_OK(graph_of(text, &arena, &graph))) return false;
    for (int i = 0; i < graph.extent_count; i++)
        sizes.of[i] = graph.extents[i].number > 0 ? 3 : strcmp(graph.extents[i].name, "m") == 0 ? m : n;
    for (int value = 0; value < graph.value_count; value++) {
        if (!graph.values[value].is_given) continue;
        const size_t count = numbers[value].count = qn_value_elements(&graph, value, &sizes, 0);
        if (!CHECK_OK(qn_allocate(count, sizeof(float), (void **)&floats[value])) ||
            !CHECK_OK(qn_allocate(count, sizeof(double), (void **)&numbers[value].values)))
            return false;
        for (size_t k = 0; k < count; k++) {
            const double sign = floor(3 * qn_random_uniform(5, (uint64_t)value, k)) - 1;
            numbers[value].values[k] = graph.values[value].kind == QN_SCALAR ? 2 : sign;
            floats[value][k] = (float)numbers[value].values[k];
        }
    }
    return true;
}

static void compare_value(qn_blas_runner *runner, int value, bool exact)
{
    float *found;
    size_t wrong = 0;
    CHECK_OK(qn_allocate(numbers[value].count, sizeof *found, (void **)&found));
    CHECK_OK(qn_blas_runner_read(runner, value, found));
    for (size_t k = 0; k < numbers[value].count; k++) {
        const double bound = exact ? 0 : 1e-4 * numbers[value].scales[k];
        wrong += !(fabs(found[k] - numbers[value].values[k]) <= bound);
    }
    if (!CHECK(wrong == 0)) printf("%s: %zu numbers of %s differ\n", graph.name, wrong, graph.values[value].name);
    qn_release(&found);
}

static void run_way(const char *text, int m, int n, bool exact, qn_blas_way way)
{
    qn_blas_runner *runner;
    int64_t rounds, expected_rounds;
    if (!make_inputs(text, m, n)) return;
    const qn_status status = qn_blas_runner_create(&graph, device, way, &sizes, stored, &given, &runner);
    if (status == QN_UNSUPPORTED && strstr(qn_error_message(), "not installed")) check_skip("BLAS", qn_error_message());
    if (!CHECK_OK(status)) return;
    CHECK_OK(qn_graph_interpret(&graph, &sizes, numbers, 0, &expected_rounds));
    for (int run = 0; run < 2; run++) { /* the second one from restored values */
        CHECK_OK(qn_blas_runner_restore(runner, &given));
        CHECK_OK(qn_blas_runner_run(runner, 0, &rounds));
        CHECK(rounds == expected_rounds);
        for (int value = 0; value < graph.value_count; value++)
            if (graph.values[value].is_result) compare_value(runner, value, exact);
    }
    qn_blas_runner_destroy(&runner);
}

static void run_text(const char *text, int m, int n, bool exact)
{
    run_way(text, m, n, exact, QN_BLAS_BY_LEGACY);
}

/* Two outer products as one product of matrices, with factors, by rows and by columns; a third one is left. */
static void outer_products_are_added_in_pairs(void)
{
    run_way("sequence s\ninput A: matrix(m, n); input u, v, w: vector(m); input x, y, z: vector(n)\ninput a: scalar\n"
            "output B: matrix(m, n); output q: vector(m)\nB = a*u*x' + A - 3*v*y' + w*z'\nq = B*x\n",
            33, 70, true, QN_BLAS_BY_BEST);
    run_way("sequence s\ninput A: matrix(m, n) column; input u, v: vector(m); input x, y: vector(n)\n"
            "output B: matrix(m, n) column\nB = A + u*x' - v*y'\n",
            31, 50, true, QN_BLAS_BY_BEST);
}

static void examples_mean_what_the_calls_do(void)
{
    static const char *const names[] = {"axpydot", "vadd", "waxpby",  "bicgk", "mvt",
                                        "atax",    "madd", "gesummv", "gemvt", "gemver"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1024];
        char *text;
        size_t size;
        snprintf(path, sizeof path, "%s/../../examples/fuse/%s.qf", QN_TEST_DATA_FOLDER, names[i]);
        if (!CHECK_OK(qn_file_read(path, &text, &size))) continue;
        run_text(text, 65, 130, true);
        qn_release(&text);
    }
}

/* Replaced values, loops with scalars of the host, matrices by columns, a vector that a product of itself replaces. */
static void values_are_replaced_as_they_should(void)
{
    run_text("sequence s\ninput A: matrix(n, n); inout x, p: vector(n); inout a: scalar\n"
             "repeat 3 { q = A*p; next a = a + dot(p, x); next x = x - 2*q; next p = next x - p }\n",
             40, 40, true);
    run_text("sequence s\ninput A: matrix(m, n) column; input x: vector(n); input y: vector(m)\n"
             "output q: vector(m); output s: vector(n); output B: matrix(m, n) column; output t: scalar\n"
             "q = A*x\ns = A'*y\nB = A + (2*y)*x'\nt = asum(q - 3*y)\n",
             33, 70, true);
    run_text("sequence s\ninput A: matrix(n, n); inout x: vector(n)\nx = A*x + x\n", 31, 31, true);
    run_text("sequence s\ninput A: matrix(n, n); inout x: vector(n)\noutput norm: scalar\n"
             "repeat 3 until norm > 1000 { y = A*x; norm = nrm2(y); next x = y / norm }\n",
             50, 50, false);
}

static void what_cannot_be_done_is_said(void)
{
    qn_blas_runner *runner;
    if (!make_inputs("sequence s\ninput x, y: vector(n)\noutput z: vector(n)\nz = x.*y + x\n", 9, 9)) return;
    CHECK_FAILS(qn_blas_runner_create(&graph, device, QN_BLAS_BY_LEGACY, &sizes, stored, &given, &runner),
                QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("s: \"z = x * y + x\" has no call in ");
    /* No library has a better call for a product of a matrix and a vector than its gemv. */
    if (!make_inputs("sequence s\ninput A: matrix(m, n); input x: vector(n)\noutput q: vector(m)\nq = A*x\n", 9, 9))
        return;
    CHECK_FAILS(qn_blas_runner_create(&graph, device, QN_BLAS_BY_BEST, &sizes, stored, &given, &runner),
                QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("no other calls");
}

/* Where NVIDIA's libraries are installed, they have every function that is declared here. */
static void the_functions_of_cuda_exist(void)
{
    qn_cublas_api blas = {0};
    qn_cusparse_api of_sparse = {0};
    if (qn_cublas_load(qn_cublas_paths, &blas) != QN_OK) {
        CHECK_MESSAGE_HAS("cuBLAS is not installed");
        return;
    }
    CHECK(blas.geam != NULL);
    CHECK_OK(qn_cusparse_load(&of_sparse));
    CHECK(of_sparse.product != NULL);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) != QN_OK) check_skip(name, qn_error_message());
    RUN(examples_mean_what_the_calls_do);
    RUN(values_are_replaced_as_they_should);
    if (qn_blas_library_of(device)->more >> QN_BLAS_GER2 & 1) RUN(outer_products_are_added_in_pairs);
    RUN(what_cannot_be_done_is_said);
    if (strcmp(name, "host") == 0) RUN(the_functions_of_cuda_exist);
    clear();
    qn_arena_clear(&arena);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
