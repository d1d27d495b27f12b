/* devices: host opencl:0 cuda:0 checking:host checking:opencl:0 */
/* labels: unsanitized long@opencl */
/* Rows of sparse matrices in generated kernels: empty ones, long ones, and groups that end within rows. Sums of small
 * integers are equal to the meaning; sums of other numbers have the same bits for all values of TERMS. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "check.h"
#include "fuse/program/inputs.h"
#include "math/random.h"

enum { LONGEST = 700, SIZES = 6, TERMS_COUNT = 4 };
static const int row_counts[SIZES] = {1, 31, 32, 33, 300, 1};

static qn_context *context;
static qn_device *device;
static const char *device_name;
static qn_arena arena;
static qn_source library_source, script_source;
static qn_graph graph;
static qn_plan plan;
static qn_sizes sizes;
static double stored[QN_GRAPH_VALUES_MAX];

/* A term needs its line; two outputs, of which one is no sum; maps that are computed again for each element. */
static const char library_text[] =
    "function leave(A(i,j), x(j), b(i)) -> y(i) point { y += A * (x - b); }\n"
    "function sizes(A(i,j), x(j), a()) -> y(i), z(i) point { y += a * A * x; z = FMAX(z, ABS(A) * x); }\n";
static const char script_text[] = "sequence rows\n"
                                  "input A, B: csr(m, n); input x, y: vector(n); input b: vector(m); input a: scalar\n"
                                  "output p, q, t, u, v: vector(m); output r: scalar\n"
                                  "p = A*(x - 2*y)\nq = leave(A, x, b)\nt, u = sizes(B, y, a)\nv = B*x + p\n"
                                  "r = sum(p + v)\n";

static qn_status make(void)
{
    qn_library library = {0};
    qn_script script;
    library_source = qn_source_make("s.qel", library_text, strlen(library_text));
    script_source = qn_source_make("s.qf", script_text, strlen(script_text));
    QN_TRY(qn_library_add_shipped(&arena, &library));
    QN_TRY(qn_library_parse(&library_source, &arena, &library));
    QN_TRY(qn_script_parse(&script_source, &arena, &script));
    return qn_graph_make(&script, &library, &arena, &graph);
}

/* A third of the rows is empty, most have a few elements, and some have many. */
static int row_length(int value, int row)
{
    const double uniform = qn_random_uniform(3, (uint64_t)value, (uint64_t)row);
    if (sizes.of[0] == 1) return sizes.of[1] == 1 ? 0 : LONGEST;
    if (row % 29 == 7 + value) return LONGEST;
    return uniform < 0.33 ? 0 : (int)(12 * (uniform - 0.33));
}

/* Give a matrix rows of its own in place of the usual stencil. */
static qn_status make_rows(int value, bool exact, qn_inputs *inputs)
{
    const int rows = (int)sizes.of[0];
    const size_t count = (size_t)stored[value];
    qn_release(&inputs->starts[value]), qn_release(&inputs->columns[value]);
    qn_release(&inputs->floats[value]), qn_release(&inputs->numbers[value].values);
    QN_TRY(qn_allocate((size_t)rows + 1, sizeof(int32_t), (void **)&inputs->starts[value]));
    QN_TRY(qn_allocate(count + 1, sizeof(int32_t), (void **)&inputs->columns[value]));
    QN_TRY(qn_allocate(count + 1, sizeof(float), (void **)&inputs->floats[value]));
    QN_TRY(qn_allocate(count + 1, sizeof(double), (void **)&inputs->numbers[value].values));
    for (int row = 0; row < rows; row++)
        inputs->starts[value][row + 1] = inputs->starts[value][row] + row_length(value, row);
    for (size_t k = 0; k < count; k++) {
        const double uniform = qn_random_uniform(5, (uint64_t)value, k);
        inputs->columns[value][k] = (int32_t)(qn_random_uniform(4, (uint64_t)value, k) * 0.999 * (double)sizes.of[1]);
        inputs->floats[value][k] = exact ? (float)((int)(7 * uniform) - 3) : (float)(2 * uniform - 1);
        inputs->numbers[value].values[k] = inputs->floats[value][k];
    }
    inputs->numbers[value].count = count;
    inputs->numbers[value].starts = inputs->starts[value];
    inputs->numbers[value].columns = inputs->columns[value];
    return QN_OK;
}

static qn_status make_inputs(int rows, int columns, bool exact, qn_inputs *inputs)
{
    sizes.of[0] = rows, sizes.of[1] = columns;
    QN_TRY(qn_inputs_make(&graph, &sizes, 7, exact ? QN_INPUTS_SIGNS : QN_INPUTS_UNIFORM, true, inputs));
    for (int value = 0; value < graph.value_count; value++) {
        stored[value] = 0;
        if (graph.values[value].kind != QN_CSR) continue;
        for (int row = 0; row < rows; row++) stored[value] += row_length(value, row);
        QN_TRY(make_rows(value, exact, inputs));
    }
    const qn_plan_options options = {
        .launch_s = 4e-6, .bytes_per_s = 2e12, .sizes = &sizes, .stored = stored, .fusion = QN_FUSION_AUTO};
    return qn_plan_make(&graph, &options, &plan);
}

/* Run with a number of terms; all results, one after another, come to `results`. */
static void run(int terms, int group_y, const qn_inputs *inputs, float *results)
{
    const bool on_host = strstr(device_name, "host") != NULL;
    const qn_shape of_host = {1, 1, 7, 2, 4, 3 + group_y, 5, 1, 1, 1};
    const qn_shape of_devices = {8, group_y, 4, 4, 16, 3, 2, 2, 1, terms};
    qn_program *program;
    if (!CHECK_OK(qn_program_create(&plan, device, on_host ? &of_host : &of_devices, &sizes, stored, &program))) return;
    CHECK_OK(qn_inputs_write(inputs, &graph, program));
    CHECK_OK(qn_program_run(program, 0, NULL, NULL));
    for (int value = 0; value < graph.value_count; value++) {
        if (!graph.values[value].is_result) continue;
        CHECK_OK(qn_program_read(program, value, results));
        results += qn_value_elements(&graph, value, &sizes, 0);
    }
    qn_program_destroy(&program);
}

static void compare_with_meaning(const qn_inputs *inputs, int terms, const float *results)
{
    for (int value = 0; value < graph.value_count; value++) {
        const qn_numbers *numbers = &inputs->numbers[value];
        size_t wrong = 0;
        if (!graph.values[value].is_result) continue;
        for (size_t k = 0; k < numbers->count; k++) /* an empty row has no greatest term */
            if (!((double)results[k] == numbers->values[k])) wrong++;
        if (!CHECK(wrong == 0))
            printf("%s: %d rows, TERMS %d: %zu of %zu numbers of %s differ\n", device_name, (int)sizes.of[0], terms,
                   wrong, numbers->count, graph.values[value].name);
        results += numbers->count;
    }
}

static size_t result_count(void)
{
    size_t count = 0;
    for (int value = 0; value < graph.value_count; value++)
        if (graph.values[value].is_result) count += qn_value_elements(&graph, value, &sizes, 0);
    return count;
}

static void sums_of_small_integers_are_equal(void)
{
    static const int terms[TERMS_COUNT] = {1, 2, 3, 8};
    for (int size = 0; size < SIZES; size++) {
        qn_inputs inputs;
        float *results;
        CHECK_OK(make_inputs(row_counts[size], size == SIZES - 1 ? 1 : 97, true, &inputs));
        CHECK_OK(qn_graph_interpret(&graph, &sizes, inputs.numbers, 0, NULL));
        CHECK_OK(qn_allocate(result_count(), sizeof *results, (void **)&results));
        for (int i = 0; i < TERMS_COUNT; i++) {
            run(terms[i], 4, &inputs, results);
            compare_with_meaning(&inputs, terms[i], results);
        }
        qn_release(&results);
        qn_inputs_clear(&inputs);
    }
}

/* Groups of one size add up scalars in one order; the rows' own sums do not depend on anything. */
static void terms_do_not_change_bits(void)
{
    static const int terms[TERMS_COUNT] = {1, 2, 3, 8};
    qn_inputs inputs;
    float *expected, *found;
    CHECK_OK(make_inputs(300, 97, false, &inputs));
    CHECK_OK(qn_allocate(result_count(), sizeof *expected, (void **)&expected));
    CHECK_OK(qn_allocate(result_count(), sizeof *found, (void **)&found));
    run(1, 4, &inputs, expected);
    for (int i = 1; i < TERMS_COUNT; i++) {
        run(terms[i], 4, &inputs, found);
        CHECK(memcmp(expected, found, result_count() * sizeof *found) == 0);
    }
    qn_release(&expected), qn_release(&found);
    qn_inputs_clear(&inputs);
}

int main(int argc, char **argv)
{
    device_name = argc > 1 ? argv[1] : "host";
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, device_name, &device) != QN_OK) check_skip(device_name, qn_error_message());
    if (CHECK_OK(make())) {
        RUN(sums_of_small_integers_are_equal);
        RUN(terms_do_not_change_bits);
    }
    qn_arena_clear(&arena);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
