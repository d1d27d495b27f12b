/* devices: host opencl:0 checking:host */
/* labels: unsanitized */
/* The residuals of CG and BiCGStab after each of 50 steps, whose bodies are rings, follow the meaning in double
 * precision. With a file as second argument, the system and the residuals are written there, to be compared with other
 * solvers (tests/fuse/check_solvers.sh). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "fuse/graph/tests/graph_of.h"
#include "fuse/program/inputs.h"

enum { ORDER = 1600, STEPS = 50 };

static qn_context *context;
static qn_device *device;
static FILE *history;

static qn_arena arena;
static qn_graph graph;
static qn_plan plan;
static qn_sizes sizes;
static double stored[QN_GRAPH_VALUES_MAX];

static qn_status make_example(const char *name)
{
    char path[1024];
    char *text;
    size_t size;
    snprintf(path, sizeof path, "%s/../../examples/fuse/%s.qf", QN_TEST_DATA_FOLDER, name);
    QN_TRY(qn_file_read(path, &text, &size));
    qn_status status = graph_of(text, &arena, &graph);
    qn_release(&text);
    QN_TRY(status);
    for (int i = 0; i < graph.extent_count; i++) sizes.of[i] = graph.extents[i].number ? STEPS : ORDER;
    qn_inputs_stored(&graph, &sizes, stored);
    const qn_plan_options options = {.launch_s = 4e-6, .bytes_per_s = 2e12, .sizes = &sizes, .stored = stored};
    return qn_plan_make(&graph, &options, &plan);
}

static int find_value(const char *name)
{
    for (int value = 0; value < graph.value_count; value++)
        if (strcmp(graph.values[value].name, name) == 0) return value;
    return -1;
}

static void set(qn_inputs *inputs, const char *name, const float *numbers, float number)
{
    const int value = find_value(name);
    for (size_t k = 0; value >= 0 && k < inputs->numbers[value].count; k++) {
        inputs->floats[value][k] = numbers ? numbers[k] : number;
        inputs->numbers[value].values[k] = inputs->floats[value][k];
    }
}

/* The system A x = b from x = 0, a stencil. CG's is nearly singular, so that it needs 50 steps. BiCGStab's is less so:
 * its steps amplify rounding errors so much that single and double precision part before the end. Returns b'b. */
static float start(qn_inputs *inputs)
{
    const float diagonal = find_value("h") < 0 ? 4.0625F : 4.5F;
    const int matrix = find_value("A");
    const float *b = inputs->floats[find_value("r")];
    float rr = 0;
    for (size_t k = 0; k < inputs->numbers[matrix].count; k += QN_INPUTS_ROW)
        inputs->numbers[matrix].values[k] = inputs->floats[matrix][k] = diagonal;
    for (size_t k = 0; k < ORDER; k++) rr += b[k] * b[k];
    set(inputs, "p", b, 0), set(inputs, "h", b, 0), set(inputs, "x", NULL, 0), set(inputs, "v", NULL, 0);
    set(inputs, "rr", NULL, rr), set(inputs, "rho", NULL, rr), set(inputs, "limit", NULL, -1);
    set(inputs, "al", NULL, 1), set(inputs, "om", NULL, 1);
    return rr;
}

static double norm_of(const float *numbers)
{
    double sum = 0;
    for (size_t k = 0; k < ORDER; k++) sum += (double)numbers[k] * numbers[k];
    return sqrt(sum);
}

/* ‖r‖ after `steps`, on the device and by meaning. The inputs change, so each length begins anew. */
static void residuals(qn_program *program, const char *name, int steps, double *found, double *expected)
{
    static float r[ORDER];
    qn_inputs inputs;
    *found = *expected = NAN;
    if (!CHECK_OK(qn_inputs_make(&graph, &sizes, 3, QN_INPUTS_UNIFORM, true, &inputs))) return;
    const double first = sqrt(start(&inputs));
    if (history && steps == 1)
        for (size_t k = 0; k < ORDER; k++) fprintf(history, "b %.9g\n", (double)inputs.floats[find_value("r")][k]);
    CHECK_OK(qn_inputs_write(&inputs, &graph, program));
    CHECK_OK(qn_program_run(program, steps, NULL, NULL));
    CHECK_OK(qn_program_read(program, find_value("r"), r));
    CHECK_OK(qn_graph_interpret(&graph, &sizes, inputs.numbers, steps, NULL));
    double sum = 0;
    for (size_t k = 0; k < ORDER; k++) {
        const double number = inputs.numbers[find_value("r")].values[k];
        sum += number * number;
    }
    *found = norm_of(r) / first;
    *expected = sqrt(sum) / first;
    if (history) fprintf(history, "%s %.9g\n", name, *found);
    qn_inputs_clear(&inputs);
}

/* Lengths between the checks, at them, and at the end. */
static void follow(const char *name)
{
    qn_program *program;
    double found, expected = 1, largest = 0;
    if (!CHECK_OK(make_example(name))) return;
    CHECK(plan.graph->sections[0].part == QN_SECTION_HEAD);
    if (!CHECK_OK(qn_program_create(&plan, device, NULL, &sizes, stored, &program))) return;
    for (int steps = 1; steps <= STEPS; steps += history || steps < 12 ? 1 : 13) {
        residuals(program, name, steps, &found, &expected);
        largest = fmax(largest, fabs(found - expected));
        CHECK_NEAR(found, expected, 1e-4);
    }
    printf("%s: residuals differ by %.2g of the first at most; the last is %.2g\n", name, largest, expected);
    CHECK(expected < 1e-2);
    qn_program_destroy(&program);
}

static void solvers_follow_their_meaning(void)
{
    follow("cg");
    follow("bicgstab");
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) != QN_OK) check_skip(name, qn_error_message());
    if (argc > 2) history = fopen(argv[2], "w");
    RUN(solvers_follow_their_meaning);
    if (history) CHECK(fclose(history) == 0);
    qn_arena_clear(&arena);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
