/* labels: long unsanitized */
/* Every kernel family compiles without an error or a warning at corners of its tunables' space (two of them;
 * QUERN_TEST_CORNERS sets another number), with every compiler of this machine: that of opencl:0, and NVRTC, which
 * needs no GPU. NVRTC's capabilities share the two corners, each has one; another number of corners is of each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <quern/family.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "check.h"
#include "runtime/configuration.h"
#include "runtime/cuda/cuda_compile.h"
#include "runtime/driver.h"
#include "runtime/kernel_source.h"

extern const qn_driver qn_opencl_driver;

/* Compute capabilities of the oldest and the newest GPUs that the kernels support; one that NVRTC does not know is
 * skipped. */
enum { CAPABILITIES = 2 };
static const int capabilities[CAPABILITIES] = {75, 90};

/* Corners of each family's space: by default, and the largest number that QUERN_TEST_CORNERS may set. */
enum { FEW_CORNERS = 2, CORNERS_MAX = 64 };

static const qn_family *family; /* the family being compiled */
static qn_driver_device opencl_device;
static qn_device_info opencl_info;
static int capability;
static int compiled;
static int turns, turn;    /* each `turns`-th configuration of a family is compiled, from `turn` on; 1 and 0: all */
static int configurations; /* of the family so far */
static int serious_messages;

/* Count the lines of a compiler's log with an error or a warning. One warning is ignored: that vectors wider than the
 * processor's are passed in memory. It is harmless here, because caller and callee are in one program. */
static int count_messages(const char *log)
{
    int count = 0;
    for (const char *line = log; *line;) {
        size_t length = strcspn(line, "\n");
        char text[512];
        snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text - 1), line);
        bool is_message = strstr(text, "error:") || strstr(text, "warning:") || strstr(text, "warning #");
        if (is_message && !strstr(text, "changes the ABI")) count++;
        line += length + (line[length] == '\n');
    }
    return count;
}

static void on_log(qn_log_level level, const char *message, void *user)
{
    (void)level;
    (void)user;
    serious_messages += count_messages(message);
}

static bool is_tunable(const char *name, size_t length)
{
    for (int i = 0; i < family->tunable_count; i++)
        if (strlen(family->tunables[i].name) == length && strncmp(family->tunables[i].name, name, length) == 0)
            return true;
    return false;
}

static bool is_defined(const char *name, size_t length)
{
    const char *definitions = family->check_definitions;
    for (; definitions && *definitions; definitions += strcspn(definitions, " "), definitions += *definitions == ' ')
        if (strncmp(definitions, name, length) == 0 && definitions[length] == '=') return true;
    return false;
}

/* Define the constants of a problem, which a launch function defines otherwise. A source lists them by #ifndef NAME and
 * #error, and the family gives values to compile with; constants without such a value get 4. */
static qn_status make_definitions(qn_text *definitions)
{
    static const char question[] = "#ifndef ";
    QN_TRY(qn_text_append(definitions, "%s ", family->check_definitions ? family->check_definitions : ""));
    for (const char *at = family->source; (at = strstr(at, question)) != NULL;) {
        at += strlen(question);
        size_t length = strcspn(at, " \t\n");
        const char *next = at + length + strspn(at + length, " \t\n");
        if (strncmp(next, "#error", strlen("#error")) != 0 || is_tunable(at, length) || is_defined(at, length))
            continue;
        QN_TRY(qn_text_append(definitions, "%.*s=4 ", (int)length, at));
    }
    return QN_OK;
}

static qn_status make_text(const char *driver, const qn_configuration *configuration, qn_text *text)
{
    qn_text definitions = {0};
    qn_status status = make_definitions(&definitions);
    if (status == QN_OK) status = qn_kernel_source_make(NULL, driver, family, configuration, definitions.data, text);
    qn_text_clear(&definitions);
    return status;
}

static void name_configuration(const qn_configuration *configuration)
{
    fprintf(stderr, "%s:", family->name);
    for (int i = 0; i < family->tunable_count; i++)
        fprintf(stderr, " %s=%d", family->tunables[i].name, configuration->value[i]);
    fprintf(stderr, "\n");
}

/* -Werror makes warnings failures; a build that failed only by the ignored warning is repeated without -Werror. */
static qn_status compile_opencl(const qn_configuration *configuration, void *user)
{
    qn_text text = {0};
    qn_driver_program program = NULL;
    (void)user;
    if (!CHECK_OK(make_text("opencl", configuration, &text))) return QN_OK;
    qn_program_source source = {family, text.data, "-Werror", configuration};
    serious_messages = 0;
    qn_status status = qn_opencl_driver.program_build(opencl_device, &source, NULL, 0, &program);
    if (status == QN_BUILD_FAILED && serious_messages == 0) {
        source.options = "";
        status = qn_opencl_driver.program_build(opencl_device, &source, NULL, 0, &program);
    }
    if (!CHECK_OK(status)) name_configuration(configuration);
    for (int i = 0; i < family->kernel_count && status == QN_OK; i++) {
        qn_driver_kernel kernel = NULL;
        if (CHECK_OK(qn_opencl_driver.kernel_create(opencl_device, program, &family->kernels[i], &kernel)))
            qn_opencl_driver.kernel_destroy(opencl_device, kernel);
    }
    if (status == QN_OK) qn_opencl_driver.program_destroy(opencl_device, program);
    qn_text_clear(&text);
    compiled++;
    return QN_OK;
}

static qn_status compile_cuda(const qn_configuration *configuration, void *user)
{
    qn_text text = {0};
    qn_cuda_code code = {0};
    (void)user;
    if (configurations++ % turns != turn) return QN_OK;
    if (!CHECK_OK(make_text("cuda", configuration, &text))) return QN_OK;
    qn_status status = qn_cuda_compile_only(family->name, text.data, capability, "", &code);
    if (!CHECK_OK(status)) name_configuration(configuration);
    if (status == QN_OK && !CHECK(code.bytes > 0 && count_messages(code.log) == 0)) {
        name_configuration(configuration);
        fprintf(stderr, "%s\n", code.log);
    }
    qn_cuda_code_clear(&code);
    qn_text_clear(&text);
    compiled++;
    return QN_OK;
}

static void visit_families(const qn_device_info *info,
                           qn_status (*compile)(const qn_configuration *configuration, void *user))
{
    size_t count = 0;
    const qn_family *const *families = qn_family_list(&count);
    const char *wanted = getenv("QUERN_TEST_CORNERS");
    const bool many = wanted && atoi(wanted) > 0 && atoi(wanted) <= CORNERS_MAX;
    const int corners = many ? atoi(wanted) : FEW_CORNERS;
    CHECK(count > 0);
    for (size_t i = 0; i < count; i++) {
        int before = compiled;
        family = families[i];
        turns = many ? 1 : CAPABILITIES;
        turn = !many && capability == capabilities[1];
        configurations = 0;
        CHECK_OK(qn_family_sample_corners(family, info, corners, compile, NULL));
        if (compiled == before && configurations > 0) { /* a family without tunables has one configuration */
            turns = 1, turn = 0;
            CHECK_OK(qn_family_sample_corners(family, info, corners, compile, NULL));
        }
        if (!CHECK(compiled > before)) fprintf(stderr, "%s has no configuration for %s\n", family->name, info->name);
    }
}

static void families_compile_as_opencl(void)
{
    visit_families(&opencl_info, compile_opencl);
}

static void families_compile_as_cuda(void)
{
    qn_device_info info = {.identifier = "cuda:0",
                           .driver = "cuda",
                           .name = "a CUDA GPU",
                           .kind = QN_DEVICE_GPU,
                           .memory_bytes = (uint64_t)8 << 30,
                           .largest_buffer_bytes = (uint64_t)8 << 30,
                           .local_memory_bytes = 48 << 10,
                           .compute_units = 40,
                           .largest_group = 1024,
                           .subgroup_size = 32,
                           .vector_width = 1};
    visit_families(&info, compile_cuda);
}

/* The test itself notices errors and warnings in bad kernels. */
static void bad_kernels_are_noticed(void)
{
    qn_cuda_code code = {0};
    CHECK(count_messages("kernels.cl:3:5: error: no\n1 error generated.\nfine\n") == 1);
    CHECK(count_messages("a(2): warning #177-D: unused\nx: warning: this changes the ABI\n") == 1);
    CHECK(count_messages("") == 0);
    if (capability == 0) return;
    CHECK_FAILS(qn_cuda_compile_only("bad", "extern \"C\" __global__ void f() { x; }", capability, "", &code),
                QN_BUILD_FAILED);
    CHECK_MESSAGE_HAS("\"x\" is undefined");
    qn_cuda_code_clear(&code);
    /* a kernel that needs more than the device has is not a failed build */
    CHECK_FAILS(
        qn_cuda_compile_only("large",
                             "extern \"C\" __global__ void f(int *x) { __shared__ int a[1 << 20]; a[threadIdx.x] "
                             "= *x; __syncthreads(); *x = a[*x & 63]; }",
                             capability, "", &code),
        QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("too much shared data");
    qn_cuda_code_clear(&code);
    CHECK_OK(qn_cuda_compile_only("dusty", "extern \"C\" __global__ void f() { int x; }", capability, "", &code));
    CHECK(code.log && count_messages(code.log) == 1);
    qn_cuda_code_clear(&code);
    CHECK_FAILS(qn_cuda_compile_only("old", "", 9, "", &code), QN_UNSUPPORTED);
    qn_cuda_code_clear(&code);
}

static bool open_opencl(void)
{
    qn_device_listing listing;
    size_t count = 0;
    if (!CHECK_OK(qn_opencl_driver.list(&listing, 1, &count))) return false;
    if (!listing.usable) {
        printf("OpenCL is left out: %s\n", listing.reason);
        return false;
    }
    return CHECK_OK(qn_opencl_driver.device_open(NULL, 0, NULL, &opencl_device, &opencl_info));
}

static bool has_nvrtc(void)
{
    qn_nvrtc_api api;
    if (qn_nvrtc_load(&api, 0) != QN_OK) {
        printf("CUDA is left out: %s\n", qn_error_message());
        return false;
    }
    qn_nvrtc_unload(&api);
    return true;
}

int main(void)
{
    bool opencl = open_opencl(), nvrtc = has_nvrtc();
    if (!opencl && !nvrtc) check_skip("compilers", "this machine has neither an OpenCL device nor NVRTC");
    static qn_log_target heard = {.callback = on_log, .mutex = PTHREAD_MUTEX_INITIALIZER};
    qn_log_enter(&heard);
    if (opencl) {
        RUN(families_compile_as_opencl);
        qn_opencl_driver.device_close(opencl_device);
    }
    for (size_t i = 0; nvrtc && i < CAPABILITIES; i++) {
        qn_cuda_code code = {0};
        capability = capabilities[i];
        if (qn_cuda_compile_only("empty", "", capability, "", &code) == QN_UNSUPPORTED)
            printf("%s\n", qn_error_message());
        else
            RUN(families_compile_as_cuda);
        qn_cuda_code_clear(&code);
    }
    RUN(bad_kernels_are_noticed);
    printf("%d compilations\n", compiled);
    return check_finish();
}
