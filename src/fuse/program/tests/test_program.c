/* devices: host opencl:0 checking:host */
/* labels: unsanitized long@opencl long@checking */
#define _DEFAULT_SOURCE /* setenv */
/* Generated kernels against the meaning in double precision: equal where sums are exact, and else within the bound of
 * rounding. All examples, odd sizes, corners of the shapes, fused and not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "fuse/graph/tests/graph_of.h"
#include "fuse/program/inputs.h"
#include "math/random.h"

static const char *device_name;
static qn_context *context;
static qn_device *device;

static qn_arena arena;
static qn_graph graph;
static qn_plan plan;
static qn_sizes sizes;
static double stored[QN_GRAPH_VALUES_MAX];

static qn_status make(const char *text, int m, int n, int rounds, qn_fusion fusion)
{
    QN_TRY(graph_of(text, &arena, &graph));
    for (int i = 0; i < graph.extent_count; i++)
        sizes.of[i] = graph.extents[i].number ? rounds : strcmp(graph.extents[i].name, "m") == 0 ? m : n;
    qn_inputs_stored(&graph, &sizes, stored);
    const qn_plan_options options = {
        .fusion = fusion, .launch_s = 4e-6, .bytes_per_s = 2e12, .sizes = &sizes, .stored = stored};
    QN_TRY(qn_plan_make(&graph, &options, &plan));
    qn_plan_share_launches(&options, &plan);
    return QN_OK;
}

/* Compare all results; returns how many numbers are too far from the meaning. */
static size_t differences(qn_program *program, const qn_inputs *inputs, bool exact)
{
    size_t wrong = 0, undecided = 0, count = 0;
    double terms = graph.call_count;
    for (int i = 0; i < graph.extent_count; i++) terms = fmax(terms, (double)sizes.of[i]);
    for (int value = 0; value < graph.value_count; value++) {
        const qn_numbers *numbers = &inputs->numbers[value];
        float *found;
        if (!graph.values[value].is_result) continue;
        CHECK_OK(qn_allocate(numbers->count, sizeof *found, (void **)&found));
        CHECK_OK(qn_program_read(program, value, found));
        for (size_t k = 0; k < numbers->count; k++) {
            const double bound = exact ? 0 : 4 * sqrt(terms) * 0x1p-24 * numbers->scales[k] + 1e-30;
            const double difference = fabs(found[k] - numbers->values[k]);
            undecided += !isfinite(bound) || isnan(numbers->values[k]);
            if (difference <= bound || (isnan(found[k]) && isnan(numbers->values[k]))) continue;
            if (wrong++ == 0)
                printf("%s: %s[%zu] is %g, expected %g within %g\n", graph.name, graph.values[value].name, k,
                       (double)found[k], numbers->values[k], bound);
        }
        count += numbers->count;
        qn_release(&found);
    }
    if (!CHECK(undecided == 0 || sizes.of[0] == 1)) printf("%s: %zu of %zu undecided\n", graph.name, undecided, count);
    return wrong;
}

static void compare(const qn_shape *shape, qn_inputs_kind kind, bool exact)
{
    qn_program *program;
    qn_inputs inputs;
    int64_t rounds, expected_rounds;
    const qn_shape used = shape ? *shape : qn_program_fitted_shape(&plan, qn_device_get_info(device), &sizes, stored);
    if (!CHECK_OK(qn_inputs_make(&graph, &sizes, 7, kind, true, &inputs))) return;
    for (int value = 0; value < graph.value_count; value++)
        if (strcmp(graph.values[value].name, "limit") == 0)
            inputs.floats[value][0] = -1, inputs.numbers[value].values[0] = -1;
    if (CHECK_OK(qn_program_create(&plan, device, shape, &sizes, stored, &program))) {
        CHECK_OK(qn_inputs_write(&inputs, &graph, program));
        const qn_status status = qn_program_run(program, 0, &rounds, NULL);
        CHECK_OK(status);
        CHECK_OK(qn_graph_interpret(&graph, &sizes, inputs.numbers, 0, &expected_rounds));
        CHECK(rounds == expected_rounds);
        if (!CHECK(status == QN_OK && differences(program, &inputs, exact) == 0))
            printf("%s, shape %d %d %d %d %d %d %d %d %d %d\n%s\n", device_name, used.group_x, used.group_y,
                   used.elements, used.tile, used.panel, used.parts, used.strip, used.rows, used.vector_width,
                   used.terms, qn_program_text(program));
        qn_program_destroy(&program);
    }
    qn_inputs_clear(&inputs);
}

static bool on_host(void)
{
    return strstr(device_name, "host") != NULL;
}

/* On the host a group is one work-item. */
static const qn_shape *shapes(int *count)
{
    static const qn_shape of_host[] = {
        {1, 1, 512, 16, 16, 64, 512, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 7, 2, 4, 3, 5, 1, 1, 1}};
    static const qn_shape of_devices[] = {{64, 4, 4, 4, 64, 512, 4, 2, 4, 5}, {8, 4, 3, 3, 7, 5, 2, 2, 1, 3}};
    *count = on_host() ? 3 : 2;
    return on_host() ? of_host : of_devices;
}

/* Each compilation takes a while. So kernels that are not fused are tried on the host only, all sizes with the first
 * shape there, and elsewhere the corners of shapes with a few sequences (`has_corners`). */
static void compare_text(const char *text, const int (*extents)[2], int extent_count, qn_inputs_kind kind, bool exact,
                         bool has_corners)
{
    int shape_count;
    const qn_shape *shape = shapes(&shape_count);
    if (!has_corners && !on_host()) shape_count = 1;
    for (int s = 0; s < shape_count; s++)
        for (int e = s == 0 && on_host() ? 0 : extent_count - 1; e < extent_count; e++)
            for (int fusion = 0; fusion < (s == 0 && on_host() && e == extent_count - 1 ? 2 : 1); fusion++) {
                if (!CHECK_OK(make(text, extents[e][0], extents[e][1], 3, fusion ? QN_FUSION_NONE : QN_FUSION_AUTO)))
                    return;
                compare(&shape[s], kind, exact);
            }
}

static void compare_example(const char *name, bool exact)
{
    static const int extents[][2] = {{1, 1}, {1000, 1}, {65, 1023}};
    char path[1024];
    char *text;
    size_t size;
    snprintf(path, sizeof path, "%s/../../examples/fuse/%s.qf", QN_TEST_DATA_FOLDER, name);
    if (!CHECK_OK(qn_file_read(path, &text, &size))) return;
    const bool has_corners = strcmp(name, "bicgk") == 0 || strcmp(name, "cg") == 0;
    /* PoCL needs seconds for each kernel: there one sequence of each kind is enough */
    const bool is_alike = strcmp(name, "vadd") == 0 || strcmp(name, "waxpby") == 0 || strcmp(name, "madd") == 0 ||
                          strcmp(name, "gesummv") == 0 || strcmp(name, "gemvt") == 0;
    if (is_alike && strstr(device_name, "opencl")) return;
    compare_text(text, extents, 3, exact ? QN_INPUTS_SIGNS : QN_INPUTS_UNIFORM, exact, has_corners);
    qn_release(&text);
}

static void sums_of_small_integers_are_equal(void)
{
    static const char *const names[] = {"axpydot", "vadd", "waxpby", "bicgk", "mvt",     "atax",
                                        "gesummv", "madd", "gemver", "gemvt", "two_sums"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) compare_example(names[i], true);
}

static void sequences_with_quotients_are_within_the_bound(void)
{
    static const char *const names[] = {"cg", "jacobi", "power"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) compare_example(names[i], false);
}

static const int sides[][2] = {{1, 1}, {33, 33}, {130, 130}};

/* A vector that is needed along both axes; a map along the columns with a sum of its own; three sweeps. */
static void vectors_lie_along_both_axes(void)
{
    compare_text(
        "sequence s\ninput A: matrix(n, n); input x, y: vector(n)\noutput q, p, t: vector(n); output b, c: scalar\n"
        "p = x + y\nq = A*p\nb = dot(p, q)\nc = dot(p, y)\nt = A'*q\n",
        sides, 3, QN_INPUTS_SIGNS, true, false);
}

static void columns_are_stored_either_way(void)
{
    compare_text(
        "sequence s\ninput A: matrix(m, n) column; input B: matrix(m, n); input x: vector(n); input y: vector(m)\n"
        "output q: vector(m); output s: vector(n); output C: matrix(m, n) column; output D: matrix(n, m)\n"
        "q = A*x\ns = A'*y\nC = A + B\nD = 2*A'\n",
        (const int[][2]){{1, 1}, {31, 70}}, 2, QN_INPUTS_SIGNS, true, false);
}

/* Sums of unequal spaces: complete in one launch if they are short, else as parts that one launch leaves. */
static void short_kernels_share_launches(void)
{
    compare_text("sequence s\ninput x: vector(n); input y: vector(m)\noutput a, b, c, d: scalar\n"
                 "a = sum(x)\nb = dot(y, y)\nc = max(x)\nd = a + b\n",
                 (const int[][2]){{1, 1}, {5000, 33}, {5000, 9000}}, 3, QN_INPUTS_SIGNS, true, false);
    CHECK(plan.kernel_count > 1 && plan.kernels[1].joins);
}

static void extremes_are_found(void)
{
    compare_text(
        "sequence s\ninput x: vector(n)\noutput a, b, c: scalar; output y: vector(n)\na = max(x); b = min(x - 2)\n"
        "y = a - b*x\nc = asum(y)\n",
        sides, 3, QN_INPUTS_SIGNS, true, false);
}

/* A is replaced while later steps read the new one; x is replaced by a product that reads all of it. */
static void values_are_replaced(void)
{
    compare_text(
        "sequence s\ninput u, v: vector(n); inout A: matrix(n, n); inout x: vector(n)\noutput t, s: vector(n)\n"
        "A = A + u*v'\nt = A*v\ns = A'*t\nx = A*x\n",
        (const int[][2]){{1, 1}, {33, 33}, {60, 60}}, 3, QN_INPUTS_SIGNS, true, false);
}

/* Lines that are one chunk of the first shape of devices, so that sums of columns stay in registers; a matrix that the
 * first sweep makes. */
static void whole_lines_are_swept_again(void)
{
    compare_text("sequence s\ninput A: matrix(m, n); input x: vector(n); input u: vector(m)\n"
                 "output y, z: vector(n); output C: matrix(m, n)\ny = A'*(A*x)\nC = A + u*x'\nz = C'*(C*x)\n",
                 (const int[][2]){{1, 1}, {50, 256}}, 2, QN_INPUTS_SIGNS, true, false);
}

static void maps_are_computed_again_where_they_are_gathered(void)
{
    compare_text("sequence s\ninput A: csr(n, n); input x, y: vector(n)\noutput p, q: vector(n); output b: scalar\n"
                 "p = x - 2*y\nq = A*p\nb = dot(p, q)\n",
                 sides, 3, QN_INPUTS_SIGNS, true, false);
}

/* A sum that leaves as parts is complete before a map of it is computed again for gathered elements. */
static void sums_are_complete_where_maps_of_them_are_gathered(void)
{
    compare_text("sequence s\ninput A: matrix(n, n); input S: csr(n, n); input x, y: vector(n)\n"
                 "output p, q: vector(n)\ns = A'*x\np = s - y\nq = S*p\n",
                 sides, 3, QN_INPUTS_SIGNS, true, false);
}

static void conditions_end_loops(void)
{
    int count;
    const qn_shape *shape = shapes(&count);
    qn_program *program;
    qn_inputs inputs;
    int64_t rounds = 0;
    float x = 0, one = 1;
    CHECK_OK(make("sequence s\ninout x: scalar\nrepeat 500 until x > 16 every 3 { next x = x + x }\n", 1, 1, 500,
                  QN_FUSION_AUTO));
    CHECK_OK(qn_inputs_make(&graph, &sizes, 7, QN_INPUTS_SIGNS, false, &inputs));
    inputs.floats[0][0] = one;
    if (CHECK_OK(qn_program_create(&plan, device, shape, &sizes, stored, &program))) {
        CHECK_OK(qn_inputs_write(&inputs, &graph, program));
        CHECK_OK(qn_program_run(program, 0, &rounds, NULL));
        CHECK_OK(qn_program_read(program, 0, &x));
        CHECK(rounds == 6 && x == 64); /* 16 after four rounds; checked after three and six */
        qn_program_destroy(&program);
    }
    qn_inputs_clear(&inputs);
}

/* Sums of columns move a part for each panel or group, written and read: 2 / PANEL of the matrix at most. A large
 * matrix on a large GPU moves at most a hundredth more so; a small one fills the GPU instead. */
static void shapes_suit_a_large_gpu(void)
{
    const qn_device_info gpu = {.driver = "cuda", .identifier = "cuda:0", .kind = QN_DEVICE_GPU, .compute_units = 132};
    const char *const text = "sequence s\ninput A: matrix(m, n); input y: vector(m); input x: vector(n)\n"
                             "output s: vector(n); output q: vector(m)\ns = A'*y; q = A*x\n";
    CHECK_OK(make(text, 32768, 32768, 1, QN_FUSION_AUTO));
    qn_shape shape = qn_program_fitted_shape(&plan, &gpu, &sizes, stored);
    CHECK(2.0 / shape.panel <= 0.01 && 32768 / shape.panel >= 0.9 * 132);
    CHECK_OK(make(text, 4096, 4096, 1, QN_FUSION_AUTO));
    shape = qn_program_fitted_shape(&plan, &gpu, &sizes, stored);
    CHECK((4096 + shape.panel - 1) / shape.panel >= 0.9 * 132);
    /* rows of sparse matrices: one turn of groups of 1280 work-items, and rows of five in one turn */
    CHECK_OK(make("sequence s\ninput A: csr(n, n); input x: vector(n)\noutput y: vector(n)\ny = A*x\n", 1, 1 << 24, 1,
                  QN_FUSION_AUTO));
    shape = qn_program_fitted_shape(&plan, &gpu, &sizes, stored);
    CHECK(shape.terms == 5 && shape.group_x * shape.group_y * shape.parts == 1280 * 132);
    for (int value = 0; value < graph.value_count; value++) stored[value] *= 27.0 / 5;
    shape = qn_program_fitted_shape(&plan, &gpu, &sizes, stored);
    CHECK(shape.terms == 7 && shape.group_x * shape.group_y * shape.parts == 1024 * 132);
    /* two sweeps: the panel's lines stay in a cache */
    CHECK_OK(make("sequence s\ninput A: matrix(m, n); input x: vector(n)\noutput y: vector(n)\ny = A'*(A*x)\n", 32768,
                  8192, 1, QN_FUSION_AUTO));
    shape = qn_program_fitted_shape(&plan, &gpu, &sizes, stored);
    CHECK(shape.panel * 4 * 8192 <= QN_PLAN_PANEL_BYTES && shape.panel >= 1 && shape.tile <= shape.panel);
}

/* A tuner of the worst kind: another configuration for each launch, from the ends of the tunables' values. */
static const char *choose_another(qn_family_launch *launch, void *user)
{
    int *launches = user;
    for (int attempt = 0; attempt < 64; attempt++) {
        qn_configuration tried = qn_family_fallback(launch->family);
        for (int i = 0; i < launch->family->tunable_count; i++) {
            const qn_tunable *tunable = &launch->family->tunables[i];
            const double uniform = qn_random_uniform(11, (uint64_t)(*launches * 64 + attempt), (uint64_t)i);
            tried.value[i] = tunable->values[uniform < 0.5 ? 0 : tunable->value_count - 1];
        }
        bool allowed;
        CHECK_OK(qn_family_allows(launch->family, qn_device_get_info(device), &tried, &allowed, NULL));
        if (!allowed) continue;
        launch->configuration = tried;
        ++*launches;
        return "test";
    }
    return NULL;
}

/* Kernels that complete sums know how many parts the kernel before left, whatever its configuration was. */
static void a_tuner_may_choose_any_configuration(void)
{
    int launches = 0;
    const qn_configuration_source source = {.choose = choose_another, .user = &launches};
    qn_context_set_configuration_source(context, &source);
    if (CHECK_OK(make("sequence s\ninput A: matrix(m, n); input y: vector(m); input x: vector(n)\n"
                      "output s, t: vector(n); output q: vector(m)\ns = A'*y; q = A*x; t = s + x\n",
                      70, 90, 1, QN_FUSION_AUTO)))
        for (int i = 0; i < (on_host() ? 4 : 1); i++) compare(NULL, QN_INPUTS_SIGNS, true);
    qn_context_set_configuration_source(context, NULL);
    CHECK(launches > 0);
}

/* Vectors of four elements, of which a strip has two, would leave elements out. */
static const char *choose_narrow_strips(qn_family_launch *launch, void *user)
{
    bool *allowed = user;
    qn_configuration tried = qn_family_fallback(launch->family);
    tried.value[QN_SHAPE_STRIP] = 2, tried.value[QN_SHAPE_VECTOR_WIDTH] = 4, tried.value[QN_SHAPE_ELEMENTS] = 4;
    CHECK_OK(qn_family_allows(launch->family, qn_device_get_info(device), &tried, allowed, NULL));
    return NULL;
}

static void strips_hold_whole_vectors(void)
{
    bool allowed = true;
    const qn_configuration_source source = {.choose = choose_narrow_strips, .user = &allowed};
    qn_context_set_configuration_source(context, &source);
    if (CHECK_OK(make("sequence s\ninput x, y: vector(n)\noutput z: vector(n)\nz = x + y\n", 1, 90, 1, QN_FUSION_AUTO)))
        compare(NULL, QN_INPUTS_SIGNS, true);
    qn_context_set_configuration_source(context, NULL);
    CHECK(!allowed);
}

static void a_missing_compiler_is_named(void)
{
    int count;
    const qn_shape *shape = shapes(&count);
    qn_program *program;
    CHECK_OK(make("sequence s\ninput x: scalar\noutput y: scalar\ny = x + 1\n", 1, 1, 1, QN_FUSION_AUTO));
    setenv("QUERN_CC", "/nowhere/cc", 1);
    CHECK_FAILS(qn_program_create(&plan, device, shape, &sizes, stored, &program), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("need a C compiler, and /nowhere/cc cannot be run");
    unsetenv("QUERN_CC");
}

/* A device with room for 4,000 bytes: x and z fill it, and the sum is no matter; y does not fit beside them. */
static void values_that_do_not_fit_are_named(void)
{
    const qn_device_info small = {.identifier = "small", .memory_bytes = 4000, .largest_buffer_bytes = 2400};
    CHECK_OK(make("sequence s\ninput x: vector(n)\noutput z: vector(n)\noutput r: scalar\nz = 2*x; r = dot(x, z)\n", 1,
                  499, 1, QN_FUSION_AUTO));
    CHECK_OK(qn_program_check_room(&plan, &small, &sizes, stored));
    CHECK_OK(make("sequence s\ninput x: vector(n)\ninput y: vector(m)\noutput z: vector(n)\noutput r: scalar\n"
                  "z = 2*x; r = asum(y)\n",
                  600, 300, 1, QN_FUSION_AUTO));
    CHECK_FAILS(qn_program_check_room(&plan, &small, &sizes, stored), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS(
        ":3:7: found values of 4.804e-06 GB, of which y, a vector(m), has most; expected at most 4e-06 GB, "
        "the memory of small");
    CHECK_OK(make("sequence s\ninput x: vector(n)\noutput r: scalar\nr = asum(x)\n", 1, 601, 1, QN_FUSION_AUTO));
    CHECK_FAILS(qn_program_check_room(&plan, &small, &sizes, stored), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS(
        ":2:7: found x, a vector(n) of 2.404e-06 GB; expected at most 2.4e-06 GB, the largest buffer of small");
}

int main(int argc, char **argv)
{
    device_name = argc > 1 ? argv[1] : "host";
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, device_name, &device) != QN_OK) check_skip(device_name, qn_error_message());
    RUN(sums_of_small_integers_are_equal);
    RUN(sequences_with_quotients_are_within_the_bound);
    RUN(vectors_lie_along_both_axes);
    RUN(columns_are_stored_either_way);
    RUN(short_kernels_share_launches);
    RUN(extremes_are_found);
    RUN(values_are_replaced);
    RUN(whole_lines_are_swept_again);
    RUN(maps_are_computed_again_where_they_are_gathered);
    RUN(sums_are_complete_where_maps_of_them_are_gathered);
    RUN(conditions_end_loops);
    RUN(shapes_suit_a_large_gpu);
    RUN(a_tuner_may_choose_any_configuration);
    RUN(strips_hold_whole_vectors);
    RUN(values_that_do_not_fit_are_named);
    if (on_host()) RUN(a_missing_compiler_is_named);
    qn_arena_clear(&arena);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
