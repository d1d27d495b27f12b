/* devices: opencl:0 checking:opencl:0 cuda:0 */
/* labels: unsanitized */
/* T1 problems: reading, messages about mistakes, and the user's kernel run and checked on a device. */
#define _DEFAULT_SOURCE
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <quern/device.h>
#include <quern/tune.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "tune/exchange/t1_outputs.h"

static const char *device_name;

static const char *problem_path(void)
{
    return check_data(strstr(device_name, "cuda") ? "tune/t1/scale_cu.json" : "tune/t1/scale_cl.json");
}

static qn_point point_of(const qn_t1 *t1, int block, int unroll, int way)
{
    const qn_value values[3] = {qn_value_integer(block), qn_value_integer(unroll), qn_value_integer(way)};
    qn_point point = 0;
    CHECK(qn_space_find_values(t1->space, values, &point));
    return point;
}

static void problems_are_read(void)
{
    qn_t1 *t1;
    qn_geometry geometry;
    if (!CHECK_OK(qn_t1_read(problem_path(), &t1))) return;
    CHECK_TEXT(t1->name, "scale");
    /* (block, unroll) by hand: 16: 2 4; 32: 1 2 4; 64: 1 2 4; 128: 1 2; 256: 1 */
    CHECK(qn_space_size(t1->space) == 11 * 3);
    CHECK(qn_space_usual(t1->space, 0) == 2 && qn_space_usual(t1->space, 1) == 0);
    CHECK(t1->argument_count == 5 && t1->arguments[1].count == 4096 && t1->arguments[0].output);
    CHECK(t1->arguments[0].reference && !t1->arguments[3].reference && t1->arguments[3].output);
    CHECK(!t1->arguments[1].written && !t1->arguments[2].vector);
    CHECK_OK(qn_t1_geometry(t1, point_of(t1, 32, 4, 1), &geometry));
    CHECK(geometry.group[0] == 32 && geometry.items[0] == 1024 && geometry.items[1] == 1);
    qn_t1_destroy(&t1);
}

/* The community's problems are read completely; only the files of the kernels are missing. One problem has an error. */
static void published_problems_are_read(void)
{
    static const char *const names[] = {"convolution_milo", "dedispersion_milo", "hotspot_milo"};
    char name[128];
    qn_t1 *t1;
    CHECK(true);
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "tuning/t1_inputs/%s.json", names[i]);
        const char *path = check_reference_data(name);
        if (!path) return;
        CHECK_FAILS(qn_t1_read(path, &t1), QN_NOT_FOUND);
        CHECK_MESSAGE_HAS("KernelFile");
    }
    CHECK_FAILS(qn_t1_read(check_reference_data("tuning/t1_inputs/gemm_milo.json"), &t1), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("LocalSize.X \"block_size_x\", column 1: \"block_size_x\" is not understood");
}

/* Expect a failure for the file with `old` replaced by `new`. A kernel is beside the file. */
static void refuse(const char *old, const char *new, qn_status status, const char *part)
{
    char *data, *path = NULL, *kernel = NULL;
    size_t size;
    qn_text changed = {0};
    qn_t1 *t1 = NULL;
    if (!CHECK_OK(qn_file_read(problem_path(), &data, &size))) return;
    char *place = strstr(data, old);
    if (CHECK(place != NULL)) {
        CHECK_OK(qn_text_append(&changed, "%.*s%s%s", (int)(place - data), data, new, place + strlen(old)));
        CHECK_OK(qn_path_join(check_scratch_folder(), "wrong.json", &path));
        CHECK_OK(qn_file_write(path, changed.data, changed.length));
        CHECK_OK(qn_path_join(check_scratch_folder(), strstr(device_name, "cuda") ? "scale.cu" : "scale.cl", &kernel));
        CHECK_OK(qn_file_write(kernel, "scale unroll WAY", 16));
        if (!CHECK_FAILS(qn_t1_read(path, &t1), status)) fprintf(stderr, "  %s\n", new);
        CHECK(t1 == NULL);
        CHECK_MESSAGE_HAS("wrong.json");
        CHECK_MESSAGE_HAS(part);
        qn_t1_destroy(&t1);
    }
    qn_text_clear(&changed);
    qn_release(&data);
    qn_release(&path);
    qn_release(&kernel);
}

static void mistakes_are_named(void)
{
    qn_t1 *t1;
    CHECK_FAILS(qn_t1_read("no/such.json", &t1), QN_NOT_FOUND);
    refuse("{", "{{", QN_BAD_FORMAT, "no JSON");
    refuse("KernelSpecification", "Kernel", QN_BAD_FORMAT, "no KernelSpecification");
    refuse(
        "32 <= block_size_x * unroll", "32 <=> block_size_x", QN_BAD_FORMAT,
        "constraint 1 of scale \"32 <=> block_size_x <= MAX_THREADS\", column 6: \"> block_size\" is not understood");
    refuse("block_size_x * unroll <= MAX_THREADS", "unroll", QN_BAD_FORMAT,
           "constraint 1 of scale \"32 <= unroll\" excludes every combination");
    refuse("range(4, 9)]", "range(4, 9)", QN_BAD_FORMAT, "Values of parameter block_size_x");
    refuse("\"range(1, 4)\"", "\"[1.5, 2]\"", QN_BAD_FORMAT, "value 1.5 of parameter WAY is not of its Type, int");
    refuse("\"range(1, 4)\"", "\"[]\"", QN_BAD_FORMAT, "parameter WAY has no values");
    refuse("\"Name\": \"WAY\"", "\"Name\": \"WAYS\"", QN_BAD_FORMAT, "parameter WAYS is used neither in");
    refuse("\"KernelFile\": \"", "\"KernelFile\": \"missing_", QN_NOT_FOUND, "missing_scale.c");
    refuse("\"KernelName\": \"scale\"", "\"KernelName\": \"scales\"", QN_BAD_FORMAT, "there is no kernel scales in");
    refuse(
        "\"LocalSize\": {\"X\": \"block_size_x\"}", "\"LocalSize\": {\"X\": \"block_size\"}", QN_BAD_FORMAT,
        "LocalSize.X \"block_size\", column 1: \"block_size\" is not understood; expected one of block_size_x unroll");
    refuse("max(unroll)", "unroll", QN_BAD_FORMAT, "Size of argument 2 x depends on unroll");
    refuse("\"Type\": \"float\"", "\"Type\": \"real\"", QN_BAD_FORMAT, "argument 1 y: Type \"real\"");
    refuse("\"Generator\"", "\"Script\"", QN_BAD_FORMAT, "argument 2 x: FillType \"Script\"");
    refuse("\"Vector\"", "\"Local\"", QN_BAD_FORMAT, "argument 1 y: MemoryType \"Local\"");
    refuse("\"TargetName\": \"y\"", "\"TargetName\": \"x\"", QN_BAD_FORMAT, "reference argument of \"x\"");
    refuse("\"GlobalSizeType\": \"OpenCL\"", "\"GlobalSizeType\": \"Metal\"", QN_BAD_FORMAT, "GlobalSizeType");
    refuse("\"ProblemSize\": [4096]", "\"ProblemSize\": [-1]", QN_BAD_FORMAT, "ProblemSize");
    refuse("\"General\"", "\"Generals\"", QN_BAD_FORMAT, "there is no key Generals; did you mean General?");
    refuse("\"Conditions\"", "\"Constraints\"", QN_BAD_FORMAT,
           "no key ConfigurationSpace.Constraints; expected one of TuningParameters Conditions");
    refuse("\"BenchmarkName\"", "\"OutputFile\"", QN_BAD_FORMAT, "General.OutputFile is set");
    refuse("\"Default\": 64", "\"Default\": 65", QN_BAD_FORMAT,
           "Default 65 of parameter block_size_x is not one of its Values");
    refuse("\"SharedMemory\": 0", "\"SharedMemory\": 1", QN_BAD_FORMAT, "SharedMemory");
    refuse("\"WriteOnly\"", "\"Write\"", QN_BAD_FORMAT, "argument 1 y: AccessType \"Write\"");
    refuse("\"Output\": 1", "\"ValidationThreshold\": \"1\"", QN_BAD_FORMAT, "argument 1 y: ValidationThreshold");
    refuse("\"Output\": 1", "\"AbsoluteTolerance\": 1, \"ValidationMethod\": \"AbsoluteDifference\"", QN_BAD_FORMAT,
           "argument 1 y; expected either ValidationThreshold or AbsoluteTolerance");
    refuse("\"General\":", "\"Budget\": [{\"Type\": \"Tests\", \"BudgetValue\": 3}], \"General\":", QN_BAD_FORMAT,
           "Budget[0].Type \"Tests\"");
    refuse("\"General\":", "\"Budget\": [{\"Type\": \"ConfigurationCount\", \"BudgetValue\": 0}], \"General\":",
           QN_BAD_FORMAT, "Budget[0].BudgetValue");
    refuse("\"SharedMemory\": 0,", "\"ReferenceKernel\": {\"KernelName\": \"right\"},", QN_BAD_FORMAT,
           "ReferenceKernel; expected KernelName, LocalSize.X and GlobalSize.X");
    refuse("\"Language\": \"", "\"Language\": \"Vulkan ", QN_BAD_FORMAT, "Language");
}

/* Differences by hand, in units of the tolerance. */
static void outputs_are_compared(void)
{
    const float reference[] = {1, -2, 4}, is[] = {1, -2.5f, 4.25f};
    const int32_t whole_reference[] = {7, 8}, whole[] = {7, 10};
    const uint16_t half_reference[] = {0x3c00, 0xc000}, half[] = {0x3c00, 0xc100}; /* 1, -2; 1, -2.5 */
    char words[QN_T1_DIFFERENCE_BYTES], name[] = "y";
    qn_t1_argument y = {.name = name, .type = QN_T1_FLOAT, .lanes = 1, .count = 3};
    y.tolerance = (qn_t1_tolerance){.absolute = 0.25};
    CHECK_NEAR(qn_t1_compare(&y, is, reference, words), 2, 1e-12);
    CHECK_TEXT(words, "y[1] is -2.5 and the reference -2, which is 2 times the tolerance");
    y.tolerance = (qn_t1_tolerance){.absolute = 0.5, .relative = 0.25};
    CHECK_NEAR(qn_t1_compare(&y, is, reference, words), 0.5, 1e-12); /* 0.5 / (0.5 + 0.25 · 2) */
    y.tolerance = (qn_t1_tolerance){.relative = 0.0625};
    CHECK_NEAR(qn_t1_compare(&y, is, reference, words), 4, 1e-12); /* 0.5 / (2 / 16) */
    y.tolerance = (qn_t1_tolerance){.absolute = 1.5, .of_sum = true};
    CHECK_NEAR(qn_t1_compare(&y, is, reference, words), 0.5, 1e-12); /* (0.5 + 0.25) / 1.5 */
    y.tolerance = (qn_t1_tolerance){.absolute = -1, .relative = -1};
    CHECK_NEAR(qn_t1_compare(&y, is, reference, words), 0.5 / (2e-4 + 4e-6), 1e-6);
    CHECK(qn_t1_compare(&y, reference, reference, words) == 0 && words[0] == 0);
    y = (qn_t1_argument){.name = name, .type = QN_T1_INT32, .lanes = 1, .count = 2, .tolerance = y.tolerance};
    CHECK(isinf(qn_t1_compare(&y, whole, whole_reference, words)));
    y.tolerance = (qn_t1_tolerance){.absolute = 4};
    CHECK_NEAR(qn_t1_compare(&y, whole, whole_reference, words), 0.5, 1e-12);
    y.type = QN_T1_HALF;
    CHECK_NEAR(qn_t1_compare(&y, half, half_reference, words), 0.125, 1e-12);
    y.tolerance = (qn_t1_tolerance){.absolute = -1, .relative = -1};
    CHECK(isinf(qn_t1_compare(&y, half, half_reference, words)));
}

/* Outputs after runs on 0xFF and on 0 bytes. */
static void references_are_checked(void)
{
    const uint32_t unwritten = 0xffffffff;
    float first[] = {1, 2}, second[] = {1, 2}, before[] = {1, 2};
    char name[] = "y";
    bool changed = false;
    qn_t1_argument y = {.name = name, .type = QN_T1_FLOAT, .lanes = 2, .count = 1, .tolerance = {-1, -1, false}};
    CHECK_OK(qn_t1_check_reference(&y, NULL, first, second, 0xff, 0, &changed));
    CHECK(changed);
    y.kept = true;
    changed = false;
    CHECK_OK(qn_t1_check_reference(&y, before, first, second, 0xff, 0, &changed));
    CHECK(!changed);
    y.kept = false;
    second[1] = 2.001f;
    CHECK_FAILS(qn_t1_check_reference(&y, NULL, first, second, 0xff, 0, &changed), QN_CHECK_FAILED);
    CHECK_MESSAGE_HAS("y[1] is 2 after one run and 2.00");
    first[1] = second[1] = INFINITY;
    CHECK_FAILS(qn_t1_check_reference(&y, NULL, first, second, 0xff, 0, &changed), QN_CHECK_FAILED);
    CHECK_MESSAGE_HAS("it gives inf in y[1]; expected finite numbers");
    memcpy(&first[1], &unwritten, sizeof unwritten);
    second[1] = 0;
    CHECK_FAILS(qn_t1_check_reference(&y, NULL, first, second, 0xff, 0, &changed), QN_CHECK_FAILED);
    CHECK_MESSAGE_HAS("it does not write y[1]");
}

static qn_context *context;
static qn_device *device;

static void kernels_run_and_are_checked(void)
{
    qn_queue *queue = NULL;
    qn_t1 *t1 = NULL;
    qn_t1_target *target = NULL;
    double error = -1, seconds = -1;
    CHECK_OK(qn_queue_create(device, &queue));
    if (CHECK_OK(qn_t1_read(problem_path(), &t1)) && CHECK_OK(qn_t1_target_create(t1, queue, 1, &target)) &&
        CHECK_OK(qn_t1_target_reference(target, point_of(t1, 64, 1, 1)))) {
        for (int unroll = 1; unroll <= 4; unroll *= 2)
            for (int way = 1; way <= 3; way++) {
                CHECK_OK(qn_t1_target_set(target, point_of(t1, 64, unroll, way)));
                CHECK_OK(qn_t1_target_build(target));
                CHECK_OK(qn_t1_workload.clear(target, queue));
                CHECK_OK(qn_t1_workload.run(target, queue, NULL, &seconds));
                CHECK_OK(qn_t1_workload.check(target, queue, &error));
                CHECK(way == 3 ? error > 1 : error <= 1);
                CHECK(seconds >= 0);
            }
    }
    qn_t1_target_destroy(&target);
    qn_t1_destroy(&t1);
    qn_queue_destroy(&queue);
}

static int calls;

static int count_calls(const qn_tune_progress *progress, void *user)
{
    (void)user;
    calls++;
    return progress->tests == 20 ? 1 : 0;
}

/* A third of the 33 configurations is wrong, and none of those is chosen. */
static void problems_are_tuned(void)
{
    qn_tune_result result;
    qn_tune_options options = {.size = sizeof options,
                               .tuner = {.size = sizeof(qn_tuner_options), .searcher = "random", .seed = 3},
                               .most_repeats = 3};
    CHECK_OK(qn_tune_run_file(device, problem_path(), &options, &result));
    CHECK(result.tests == 33 && result.failed[QN_TEST_WRONG] == 11);
    CHECK(result.best.outcome == QN_TEST_CORRECT && result.best.objective <= result.fallback.objective);
    CHECK(result.fallback.outcome == QN_TEST_CORRECT && !strstr(result.text, "WAY=3"));
    CHECK(strstr(result.text, "block_size_x=") != NULL);
    options.progress = count_calls;
    CHECK_FAILS(qn_tune_run_file(device, problem_path(), &options, &result), QN_CANCELLED);
    CHECK(calls == 20 && result.tests == 20);
}

/* A worker, here this program again, finds the same as this process. */
static void workers_test(void)
{
    const char *const worker[] = {"/proc/self/exe", "--worker", NULL}, *const none[] = {"/no/such/program", NULL};
    qn_tune_result result;
    qn_tune_options options = {.size = sizeof options,
                               .tuner = {.size = sizeof(qn_tuner_options), .searcher = "random", .seed = 3},
                               .most_repeats = 3,
                               .worker = worker};
    CHECK_OK(qn_tune_run_file(device, problem_path(), &options, &result));
    CHECK(result.tests == 33 && result.failed[QN_TEST_WRONG] == 11 && !strstr(result.text, "WAY=3"));
    options.worker_memory_bytes = 1 << 16;
    /* the worker is killed while it starts or, on a busy machine, at its first task */
    const qn_status killed = qn_tune_run_file(device, problem_path(), &options, &result);
    CHECK(killed == QN_IO_ERROR || killed == QN_LAUNCH_FAILED);
    CHECK_MESSAGE_HAS("GiB of memory and was killed");
    options.worker = none;
    CHECK_FAILS(qn_tune_run_file(device, problem_path(), &options, &result), QN_IO_ERROR);
    CHECK_MESSAGE_HAS("/no/such/program: cannot start it as a worker");
    CHECK_FAILS(qn_tune_serve(), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("no socket of a tuning");
}

/* With a store a tuning continues where it stopped; with `restart` it starts again. */
static void stopped_tunings_are_resumed(void)
{
    qn_tune_store *store = NULL;
    qn_tune_result result;
    char *path;
    if (!CHECK_OK(qn_path_join(check_scratch_folder(), "tuning.db", &path))) return;
    if (CHECK_OK(qn_tune_store_open(NULL, path, &store))) {
        qn_tune_options options = {
            .size = sizeof options,
            .tuner = {.size = sizeof(qn_tuner_options), .searcher = "random", .seed = 3, .tests = 10},
            .most_repeats = 3,
            .store = store};
        CHECK_OK(qn_tune_run_file(device, problem_path(), &options, &result));
        CHECK(result.tests == 10);
        options.tuner.tests = 33;
        options.progress = count_calls;
        calls = 0;
        CHECK_FAILS(qn_tune_run_file(device, problem_path(), &options, &result), QN_CANCELLED);
        CHECK(calls <= 12); /* ten are known; the default and the best are measured again */
        options.restart = true;
        calls = 0;
        CHECK_FAILS(qn_tune_run_file(device, problem_path(), &options, &result), QN_CANCELLED);
        CHECK(calls == 20);
    }
    qn_tune_store_close(&store);
    qn_release(&path);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--worker") == 0) return qn_tune_serve() != QN_OK;
    device_name = argc > 1 ? argv[1] : "opencl:0";
    setenv("QUERN_LOAD", "0", 1);           /* the load of this machine would decide which tests are made again */
    setenv("QUERN_KERNEL_CACHE", "off", 1); /* PoCL 3 aborts when it loads the binaries of some kernels of users */
    RUN(problems_are_read);
    RUN(published_problems_are_read);
    RUN(mistakes_are_named);
    RUN(outputs_are_compared);
    RUN(references_are_checked);
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, device_name, &device) != QN_OK) check_skip(device_name, qn_error_message());
    if (device) {
        RUN(kernels_run_and_are_checked);
        RUN(problems_are_tuned);
        RUN(workers_test);
        RUN(stopped_tunings_are_resumed);
    }
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
