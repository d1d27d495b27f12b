/* devices: host */
/* labels: unsanitized */
#define _DEFAULT_SOURCE /* getenv of the number of scripts */
/* Random scripts, fused, against their meaning in double precision within the bound of rounding. QUERN_FUSE_SCRIPTS is
 * their number, QUERN_FUSE_SEED the first one's seed; a failure prints the script with its seed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "check.h"
#include "fuse/graph/tests/graph_of.h"
#include "fuse/program/inputs.h"
#include "math/random.h"

static qn_context *context;
static qn_device *device;
static qn_arena arena;
static qn_graph graph;
static qn_plan plan;
static qn_sizes sizes;
static double stored[QN_GRAPH_VALUES_MAX];

/* ---- scripts ---- */

/* Shapes of values: scalars, vectors along m and n, matrices m × n and n × m. With m = n in name, all are square. Each
 * script has a sparse matrix S, m × n, too. */
typedef enum shape { SCALAR, ALONG_M, ALONG_N, MATRIX, TRANSPOSED, SHAPES } shape;

typedef struct maker {
    uint64_t seed, index;
    qn_text text;
    bool square, in_loop;
    char names[SHAPES][32][16];
    int counts[SHAPES];
    int made;
} maker;

static int draw(maker *at, int below)
{
    return (int)(qn_random_uniform(at->seed, 1, at->index++) * below);
}

/* A name of a value of a shape; in a square script a vector of either kind. */
static const char *pick(maker *at, shape of)
{
    if (at->square && of == ALONG_N) of = ALONG_M;
    if (at->square && of == TRANSPOSED) of = MATRIX;
    return at->names[of][draw(at, at->counts[of])];
}

static void keep(maker *at, shape of, const char *name)
{
    if (at->square && of == ALONG_N) of = ALONG_M;
    if (at->square && of == TRANSPOSED) of = MATRIX;
    if (at->counts[of] < 32) strcpy(at->names[of][at->counts[of]++], name);
}

static void put(maker *at, const char *text)
{
    CHECK_OK(qn_text_append(&at->text, "%s", text));
}

/* An element-wise expression of two or three values of a shape. */
static void put_map(maker *at, shape of)
{
    static const char *const signs[] = {" + ", " - ", " .* "};
    CHECK_OK(qn_text_append(&at->text, "%s", pick(at, of)));
    for (int terms = 1 + draw(at, 2); terms > 0; terms--) {
        if (draw(at, 3) == 0)
            CHECK_OK(qn_text_append(&at->text, " + %s*%s", pick(at, SCALAR), pick(at, of)));
        else
            CHECK_OK(qn_text_append(&at->text, "%s%s", signs[draw(at, 3)], pick(at, of)));
    }
}

static void put_expression(maker *at, shape of)
{
    const shape other = of == ALONG_M ? ALONG_N : ALONG_M;
    switch (of) {
    case SCALAR:
        switch (draw(at, 4)) {
        case 0: CHECK_OK(qn_text_append(&at->text, "dot(%s, %s)", pick(at, ALONG_M), pick(at, ALONG_M))); break;
        case 1: CHECK_OK(qn_text_append(&at->text, "sum(%s)", pick(at, ALONG_N))); break;
        case 2: CHECK_OK(qn_text_append(&at->text, "max(%s)", pick(at, ALONG_M))); break;
        default: put_map(at, SCALAR);
        }
        break;
    case ALONG_M:
    case ALONG_N:
        switch (draw(at, of == ALONG_M || at->square ? 6 : 5)) {
        case 0:
        case 1:
            CHECK_OK(
                qn_text_append(&at->text, "%s*%s", pick(at, of == ALONG_M ? MATRIX : TRANSPOSED), pick(at, other)));
            break;
        case 2:
            CHECK_OK(
                qn_text_append(&at->text, "%s'*%s", pick(at, of == ALONG_M ? TRANSPOSED : MATRIX), pick(at, other)));
            break;
        case 5: CHECK_OK(qn_text_append(&at->text, "S*%s", pick(at, ALONG_N))); break;
        default: put_map(at, of);
        }
        break;
    case MATRIX:
    case TRANSPOSED:
        switch (draw(at, 4)) {
        case 0:
            CHECK_OK(qn_text_append(&at->text, "%s + %s*%s'", pick(at, of), pick(at, of == MATRIX ? ALONG_M : ALONG_N),
                                    pick(at, of == MATRIX ? ALONG_N : ALONG_M)));
            break;
        case 1:
            CHECK_OK(qn_text_append(&at->text, "%s - %s'", pick(at, of), pick(at, of == MATRIX ? TRANSPOSED : MATRIX)));
            break;
        default: put_map(at, of);
        }
        break;
    default: break;
    }
}

static const char *type_of(const maker *at, shape of)
{
    static const char *const types[] = {"scalar", "vector(m)", "vector(n)", "matrix(m, n)", "matrix(n, m)"};
    static const char *const square[] = {"scalar", "vector(n)", "vector(n)", "matrix(n, n)", "matrix(n, n)"};
    return at->square ? square[of] : types[of];
}

static void declare(maker *at, const char *role, shape of, const char *name, const char *suffix)
{
    CHECK_OK(qn_text_append(&at->text, "%s %s: %s%s\n", role, name, type_of(at, of), suffix));
    keep(at, of, name);
}

/* Inputs of all shapes, an inout of some, then assignments; half of the results are outputs. */
static void make_script(uint64_t seed, maker *at)
{
    char name[16];
    *at = (maker){.seed = seed};
    at->square = draw(at, 2) == 0;
    at->in_loop = draw(at, 3) == 0;
    put(at, "sequence s\n");
    static const char *const inputs[SHAPES] = {"a", "u", "x", "A", "B"};
    for (int of = 0; of < SHAPES; of++) {
        declare(at, "input", (shape)of, inputs[of], of >= MATRIX && draw(at, 4) == 0 ? " column" : "");
        snprintf(name, sizeof name, "%s2", inputs[of]);
        if (of < MATRIX) declare(at, "input", (shape)of, name, "");
    }
    put(at, at->square ? "input S: csr(n, n)\n" : "input S: csr(m, n)\n");
    static const char *const inouts[SHAPES] = {"b", "v", "y", "C", "D"};
    const int assignments = 2 + draw(at, 7);
    int shapes[16];
    for (int i = 0; i < assignments; i++) {
        shapes[i] = draw(at, 10);
        shapes[i] = shapes[i] < 2   ? SCALAR
                    : shapes[i] < 5 ? ALONG_M
                    : shapes[i] < 8 ? ALONG_N
                    : shapes[i] < 9 ? MATRIX
                                    : TRANSPOSED;
        snprintf(name, sizeof name, "r%d", i);
        if (i == 0 || i == assignments - 1 || draw(at, 2) == 0)
            CHECK_OK(qn_text_append(&at->text, "output %s: %s%s\n", name, type_of(at, (shape)shapes[i]),
                                    shapes[i] >= MATRIX && draw(at, 4) == 0 ? " column" : ""));
    }
    const int replaced = draw(at, 3); /* shapes whose inout is assigned, in this order, between the others */
    int inout_shapes[2] = {draw(at, SHAPES - 1), 0};
    inout_shapes[1] = (inout_shapes[0] + 1 + draw(at, SHAPES - 2)) % SHAPES;
    for (int i = 0; i < replaced; i++) declare(at, "inout", (shape)inout_shapes[i], inouts[inout_shapes[i]], "");
    /* conditions that never hold: rounds that are checked, and rounds that are not */
    if (at->in_loop) put(at, draw(at, 3) == 0 ? "repeat 5 until a < -9 every 2 {\n" : "repeat 3 {\n");
    for (int i = 0, done = 0; i < assignments; i++) {
        CHECK_OK(qn_text_append(&at->text, "r%d = ", i));
        put_expression(at, (shape)shapes[i]);
        put(at, "\n");
        snprintf(name, sizeof name, "r%d", i);
        keep(at, (shape)shapes[i], name);
        if (done < replaced && draw(at, 3) == 0) {
            CHECK_OK(
                qn_text_append(&at->text, "%s%s = 0.25*(", at->in_loop ? "next " : "", inouts[inout_shapes[done]]));
            put_map(at, (shape)inout_shapes[done]);
            put(at, ")\n");
            done++;
        }
    }
    if (at->in_loop) put(at, "}\n");
}

/* ---- comparing ---- */

static qn_status make_plan(const char *text, int m, int n)
{
    QN_TRY(graph_of(text, &arena, &graph));
    for (int i = 0; i < graph.extent_count; i++)
        sizes.of[i] = graph.extents[i].number                   ? graph.extents[i].number
                      : strcmp(graph.extents[i].name, "m") == 0 ? m
                                                                : n;
    qn_inputs_stored(&graph, &sizes, stored);
    const qn_plan_options options = {.launch_s = 4e-6, .bytes_per_s = 2e12, .sizes = &sizes, .stored = stored};
    QN_TRY(qn_plan_make(&graph, &options, &plan));
    qn_plan_share_launches(&options, &plan);
    return QN_OK;
}

static size_t differences(qn_program *program, const qn_inputs *inputs, size_t *decided)
{
    size_t wrong = 0;
    for (int value = 0; value < graph.value_count; value++) {
        const qn_numbers *numbers = &inputs->numbers[value];
        float *found;
        if (!graph.values[value].is_result) continue;
        CHECK_OK(qn_allocate(numbers->count, sizeof *found, (void **)&found));
        CHECK_OK(qn_program_read(program, value, found));
        for (size_t k = 0; k < numbers->count; k++) {
            /* numbers below 2^-126 have fewer bits */
            const double bound = 4 * sqrt(64) * 0x1p-24 * numbers->scales[k] + 0x1p-126;
            if (!(fabs(numbers->values[k]) < 1e30) || !(bound < 1e30)) continue; /* beyond float32 */
            ++*decided;
            if (fabs(found[k] - numbers->values[k]) <= bound) continue;
            if (wrong++ == 0)
                printf("%s[%zu] is %g, expected %g within %g\n", graph.values[value].name, k, (double)found[k],
                       numbers->values[k], bound);
        }
        qn_release(&found);
    }
    return wrong;
}

static bool check_script(uint64_t seed, const char *text, size_t *decided, size_t *fused)
{
    static const qn_shape of_host[] = {
        {1, 1, 8, 2, 4, 3, 8, 1, 1, 1}, {1, 1, 3, 5, 5, 2, 3, 1, 1, 1}, {1, 1, 64, 64, 64, 64, 64, 1, 1, 1}};
    static const qn_shape of_devices[] = {
        {4, 2, 4, 2, 4, 3, 4, 1, 4, 2}, {2, 1, 3, 5, 5, 2, 3, 1, 1, 3}, {8, 1, 4, 8, 8, 64, 4, 2, 4, 1}};
    const qn_shape *shapes = qn_program_form(qn_device_get_info(device)) == QN_EMIT_LOOPS ? of_host : of_devices;
    qn_inputs inputs = {.floats = {NULL}};
    qn_program *program = NULL;
    if (!CHECK_OK(make_plan(text, 7, 12))) return false;
    qn_status status = qn_inputs_make(&graph, &sizes, seed, QN_INPUTS_UNIFORM, true, &inputs);
    if (status == QN_OK) status = qn_program_create(&plan, device, &shapes[seed % 3], &sizes, stored, &program);
    if (status == QN_OK) status = qn_inputs_write(&inputs, &graph, program);
    if (status == QN_OK) status = qn_program_run(program, 0, NULL, NULL);
    if (status == QN_OK) status = qn_graph_interpret(&graph, &sizes, inputs.numbers, 0, NULL);
    bool good = CHECK_OK(status);
    if (good) good = differences(program, &inputs, decided) == 0;
    if (!good && program) printf("%s\n", qn_program_text(program));
    *fused += (size_t)(graph.call_count - plan.kernel_count);
    qn_program_destroy(&program);
    qn_inputs_clear(&inputs);
    return good;
}

static void random_scripts_mean_the_same_fused(void)
{
    const char *wanted = getenv("QUERN_FUSE_SCRIPTS"), *first = getenv("QUERN_FUSE_SEED");
    const uint64_t count = wanted ? strtoull(wanted, NULL, 10) : 40, begin = first ? strtoull(first, NULL, 10) : 1;
    size_t decided = 0, fused = 0, failed = 0;
    for (uint64_t seed = begin; seed < begin + count && failed < 5; seed++) {
        maker script;
        make_script(seed, &script);
        if (CHECK(check_script(seed, script.text.data, &decided, &fused))) {
            qn_text_clear(&script.text);
            continue;
        }
        printf("seed %llu:\n%s\n", (unsigned long long)seed, script.text.data);
        qn_text_clear(&script.text);
        failed++;
    }
    printf("%llu scripts, %zu numbers compared, %zu kernels fewer than calls\n", (unsigned long long)count, decided,
           fused);
    CHECK(decided > 100 * count && fused > count);
}

int main(int argc, char **argv)
{
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    CHECK_OK(qn_device_open(context, argc > 1 ? argv[1] : "host", &device));
    RUN(random_scripts_mean_the_same_fused);
    qn_arena_clear(&arena);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
