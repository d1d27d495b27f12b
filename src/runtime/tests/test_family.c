/* devices: host opencl:0 cuda:0 checking:host checking:opencl:0 checking:cuda:0 */
#define _DEFAULT_SOURCE
/* Running a family made for this test: configurations, definitions, and messages about wrong calls. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <quern/log.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "runtime/objects.h"

enum { COUNT = 1000, GROUP_SIZE = 0, BONUS = 1 };

static qn_context *context;
static const char *name;
static qn_device *device;
static qn_queue *queue;
static int launches_on_host;

/* y[i] = x[i] · factor + BONUS + EXTRA; a host kernel has no definitions, so EXTRA is 0 there. */
static const char source[] = "#ifndef EXTRA\n"
                             "#define EXTRA 0\n"
                             "#endif\n"
                             "KERNEL void scale(GLOBAL const int *x, GLOBAL int *y, int factor, int n)\n"
                             "{\n"
                             "    int i = GLOBAL_ID(0);\n"
                             "    if (i < n) y[i] = x[i] * factor + BONUS + EXTRA;\n"
                             "}\n"
                             "KERNEL void nothing(GLOBAL int *y) { y[GLOBAL_ID(0)] += 0; }\n";

static qn_geometry geometry(const qn_configuration *configuration, const void *problem)
{
    size_t group = (size_t)configuration->value[GROUP_SIZE], count = (size_t) * (const int *)problem;
    return (qn_geometry){{(count + group - 1) / group * group, 1, 1}, {group, 1, 1}};
}

static qn_geometry uneven_geometry(const qn_configuration *configuration, const void *problem)
{
    (void)configuration, (void)problem;
    return (qn_geometry){{100, 1, 1}, {64, 1, 1}};
}

enum { WORKERS_MAX = 256 };

typedef struct scaling {
    const qn_host_launch *launch;
    const int *x;
    int *y, factor;
    int done[WORKERS_MAX]; /* number of tasks of each worker */
} scaling;

static qn_status scale_one(size_t i, int worker, void *user)
{
    scaling *job = user;
    job->y[i] = job->x[i] * job->factor + job->launch->configuration->value[BONUS];
    job->done[worker]++;
    return QN_OK;
}

static qn_status scale_host(const qn_host_launch *launch)
{
    const int *x = launch->arguments[0];
    int *y = launch->arguments[1], factor = *(const int *)launch->arguments[2], n = *(const int *)launch->arguments[3];
    launches_on_host++;
    if (launch->argument_bytes[0] < (size_t)n * sizeof(int) || launch->argument_bytes[2] != 0 || !launch->pool)
        return QN_FAIL(QN_INTERNAL, "the launch lacks its buffers or pool");
    scaling job = {launch, x, y, factor, {0}};
    if (qn_host_workers(launch) > WORKERS_MAX) return QN_FAIL(QN_INTERNAL, "there are more workers than expected");
    QN_TRY(qn_host_parallel(launch, (size_t)n, scale_one, &job));
    for (int worker = 0; worker < WORKERS_MAX; worker++) n -= job.done[worker];
    return n == 0 ? QN_OK : QN_FAIL(QN_INTERNAL, "%d tasks were not run exactly once", n);
}

static const qn_argument_declaration scale_arguments[] = {
    {"x", QN_IN, QN_INT32}, {"y", QN_OUT, QN_INT32}, {"factor", QN_VALUE, QN_INT32}, {"n", QN_VALUE, QN_INT32}};
static const qn_argument_declaration nothing_arguments[] = {{"y", QN_INOUT, QN_INT32}};
static const qn_kernel_declaration kernels[] = {
    {"scale", scale_arguments, 4, geometry, scale_host, NULL},
    {"nothing", nothing_arguments, 1, uneven_geometry, NULL, NULL},
};
static const qn_tunable tunables[] = {{"GROUP_SIZE", {32, 64, 128}, 3, 64, "work-items per group"},
                                      {"BONUS", {0, 5, 9}, 3, 5, "added"}};
static const char *const constraints[] = {"GROUP_SIZE <= device.largest_group", "BONUS != 9 || GROUP_SIZE == 32"};
static const qn_family family = {.name = "test/family",
                                 .source = source,
                                 .source_path = "test/kernels/family.cl",
                                 .kernels = kernels,
                                 .kernel_count = 2,
                                 .tunables = tunables,
                                 .tunable_count = 2,
                                 .constraints = constraints,
                                 .constraint_count = 2};

/* A struct by value with members of every allowed type. It is declared here for the host and again in the kernel's
 * source. Each member has a different value. */
typedef struct mixed_scalars {
    int64_t large;
    float half_value;
    int32_t negative;
    uint32_t high;
    int32_t count;
    int32_t row[3];
    float last;
} mixed_scalars;
_Static_assert(sizeof(mixed_scalars) == 40, "no padding");

static const mixed_scalars mixed = {.large = INT64_C(0x123456789abcdef0),
                                    .half_value = 0.5f,
                                    .negative = -7,
                                    .high = 0xdeadbeef,
                                    .count = 3,
                                    .row = {10, 20, 30},
                                    .last = -2.25f};
enum { MIXED_RESULTS = 12 };
static const int32_t mixed_results[MIXED_RESULTS] = {
    (int32_t)0x9abcdef0, 0x12345678, 0x3f000000, -7, (int32_t)0xdeadbeef, 3, 10, 20, 30, (int32_t)0xc0100000, 41, 3};

static const char mixed_source[] = "typedef struct mixed_scalars {\n"
                                   "    qn_int64 large;\n"
                                   "    float half_value;\n"
                                   "    int negative;\n"
                                   "    qn_uint32 high;\n"
                                   "    int count;\n"
                                   "    int row[3];\n"
                                   "    float last;\n"
                                   "} mixed_scalars;\n"
                                   "KERNEL void spell(int before, const mixed_scalars s, GLOBAL int *y, int after)\n"
                                   "{\n"
                                   "    y[0] = (int)(qn_uint32)s.large;\n"
                                   "    y[1] = (int)(s.large >> 32);\n"
                                   "    y[2] = (int)FLOAT_BITS(s.half_value);\n"
                                   "    y[3] = s.negative;\n"
                                   "    y[4] = (int)s.high;\n"
                                   "    y[5] = s.count;\n"
                                   "    for (int i = 0; i < s.count; i++) y[6 + i] = s.row[i];\n"
                                   "    y[9] = (int)FLOAT_BITS(s.last);\n"
                                   "    y[10] = before;\n"
                                   "    y[11] = after;\n"
                                   "}\n";

static qn_geometry single_geometry(const qn_configuration *configuration, const void *problem)
{
    (void)configuration, (void)problem;
    return (qn_geometry){{1, 1, 1}, {1, 1, 1}};
}

static qn_status spell_host(const qn_host_launch *launch)
{
    const mixed_scalars *s = launch->arguments[1];
    int32_t *y = launch->arguments[2];
    if (launch->argument_bytes[1] != 0) return QN_FAIL(QN_INTERNAL, "a struct by value is not a buffer");
    memcpy(y, &s->large, sizeof s->large); /* little-endian, as all devices are */
    memcpy(y + 2, &s->half_value, sizeof s->half_value);
    y[3] = s->negative;
    memcpy(y + 4, &s->high, sizeof s->high);
    y[5] = s->count;
    memcpy(y + 6, s->row, sizeof s->row);
    memcpy(y + 9, &s->last, sizeof s->last);
    y[10] = *(const int32_t *)launch->arguments[0];
    y[11] = *(const int32_t *)launch->arguments[3];
    return QN_OK;
}

static const qn_argument_declaration mixed_arguments[] = {{"before", QN_VALUE, QN_INT32},
                                                          {"scalars", QN_VALUE, QN_BYTES, sizeof(mixed_scalars)},
                                                          {"y", QN_OUT, QN_INT32},
                                                          {"after", QN_VALUE, QN_INT32}};
static const qn_kernel_declaration mixed_kernel = {"spell", mixed_arguments, 4, single_geometry, spell_host, NULL};
static const qn_family mixed_family = {
    .name = "test/mixed", .source = mixed_source, .kernels = &mixed_kernel, .kernel_count = 1};

static bool runs_source(void)
{
    return strcmp(qn_device_inner_driver(device), "host") != 0;
}

static qn_buffer *make_buffer(const void *data, size_t bytes)
{
    qn_buffer *buffer = NULL;
    CHECK_OK(qn_buffer_create(device, bytes, &buffer));
    if (data) CHECK_OK(qn_queue_write(queue, buffer, 0, data, bytes, NULL));
    CHECK_OK(qn_queue_finish(queue));
    return buffer;
}

/* Run the kernel scale of family `of` with factor 3 and check that every result is 3 x + added. */
static void expect_run(const qn_family *of, const qn_configuration *configuration, const char *definitions, int added)
{
    static int x[COUNT], y[COUNT];
    const int count = COUNT;
    qn_event *event = NULL;
    double seconds = -1;
    for (int i = 0; i < COUNT; i++) x[i] = i - 77;
    memset(y, 0, sizeof y);
    qn_buffer *from = make_buffer(x, sizeof x), *to = make_buffer(NULL, sizeof y);
    qn_argument arguments[] = {qn_argument_buffer(from), qn_argument_buffer(to), qn_argument_int32(3),
                               qn_argument_int32(COUNT)};
    qn_family_call call = {.arguments = arguments,
                           .argument_count = 4,
                           .problem = &count,
                           .configuration = configuration,
                           .definitions = definitions};
    CHECK_OK(qn_family_run(of, queue, &call, &event));
    if (CHECK(event != NULL)) CHECK_OK(qn_event_seconds(event, &seconds));
    CHECK(seconds >= 0 && seconds < 100);
    qn_event_destroy(&event);
    CHECK_OK(qn_queue_read(queue, to, 0, y, sizeof y, NULL));
    CHECK_OK(qn_queue_finish(queue));
    int wrong = 0;
    for (int i = 0; i < COUNT; i++) wrong += y[i] != 3 * x[i] + added;
    if (!CHECK(wrong == 0)) fprintf(stderr, "  %d wrong; y[0] is %d\n", wrong, y[0]);
    qn_buffer_release(&from);
    qn_buffer_release(&to);
}

/* The kernel gets every member of a struct by value, and the arguments before and after it, unchanged. */
static void a_struct_reaches_the_kernel(void)
{
    int32_t y[MIXED_RESULTS] = {0};
    qn_buffer *to = make_buffer(NULL, sizeof y);
    mixed_scalars passed = mixed;
    const qn_argument arguments[] = {qn_argument_int32(41), qn_argument_struct(&passed, sizeof passed),
                                     qn_argument_buffer(to), qn_argument_int32(3)};
    CHECK_OK(qn_family_run(&mixed_family, queue, &(qn_family_call){.arguments = arguments, .argument_count = 4}, NULL));
    memset(&passed, 0x55, sizeof passed); /* the launch is queued, so the caller may change the struct */
    CHECK_OK(qn_queue_read(queue, to, 0, y, sizeof y, NULL));
    CHECK_OK(qn_queue_finish(queue));
    for (int i = 0; i < MIXED_RESULTS; i++)
        if (!CHECK(y[i] == mixed_results[i]))
            fprintf(stderr, "  result %d is %d, expected %d\n", i, y[i], mixed_results[i]);
    qn_buffer_release(&to);
}

static void refuse_struct(qn_argument scalars, const char *part)
{
    qn_buffer *to = make_buffer(NULL, MIXED_RESULTS * sizeof(int32_t));
    const qn_argument arguments[] = {qn_argument_int32(41), scalars, qn_argument_buffer(to), qn_argument_int32(3)};
    const qn_family_call call = {.arguments = arguments, .argument_count = 4};
    CHECK_FAILS(qn_family_run(&mixed_family, queue, &call, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS(part);
    qn_buffer_release(&to);
}

static void structs_of_wrong_size_are_refused(void)
{
    const char wrong_size[] = "\"scalars\" of spell must be a struct of 40 bytes, got ";
    refuse_struct(qn_argument_struct(&mixed, sizeof mixed - 4), wrong_size);
    refuse_struct(qn_argument_struct(NULL, sizeof mixed), wrong_size);
    refuse_struct(qn_argument_int64(40), "\"scalars\" of spell must be a value of the declared type");
}

static void configurations_reach_the_kernel(void)
{
    const qn_configuration plain = {{128, 0}}, nine = {{32, 9}};
    expect_run(&family, NULL, NULL, 5);
    expect_run(&family, &plain, NULL, 0);
    expect_run(&family, &nine, "", 9);
    expect_run(&family, NULL, NULL, 5); /* again, with the program in memory */
    CHECK(runs_source() || launches_on_host >= 4);
    qn_configuration fallback = qn_family_fallback(&family);
    CHECK(fallback.value[0] == 64 && fallback.value[1] == 5);
}

static void definitions_reach_the_source(void)
{
    expect_run(&family, NULL, "EXTRA=1000", runs_source() ? 1005 : 5);
    expect_run(&family, NULL, "  UNUSED EXTRA=(3*4)  ", runs_source() ? 17 : 5);
    expect_run(&family, NULL, NULL, 5);
}

static void programs_are_built_ahead(void)
{
    const qn_configuration nine = {{32, 9}}, broken = {{64, 9}};
    CHECK_OK(qn_family_build(&family, device, &nine, "EXTRA=2"));
    CHECK_OK(qn_family_build(&family, device, NULL, NULL));
    CHECK_FAILS(qn_family_build(&family, device, &broken, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("BONUS != 9 || GROUP_SIZE == 32");
}

static int count_programs(void)
{
    int count = 0;
    for (const qn_program_entry *entry = device->programs; entry; entry = entry->next) count++;
    return count;
}

/* Built programs can be dropped, one configuration at a time. They are built again when they are run. */
static void programs_are_forgotten(void)
{
    const qn_configuration nine = {{32, 9}}, plain = {{128, 0}};
    const int before = count_programs();
    CHECK_OK(qn_family_build(&family, device, &nine, "EXTRA=77"));
    CHECK_OK(qn_family_build(&family, device, &plain, "EXTRA=77"));
    CHECK(count_programs() == before + 2);
    qn_family_forget(&family, device, &nine);
    for (const qn_program_entry *entry = device->programs; entry; entry = entry->next)
        CHECK(!qn_program_matches(entry, &family, &nine));
    const int left = count_programs();
    CHECK(left < before + 2);
    qn_family_forget(&family, device, &nine);
    CHECK(count_programs() == left);
    expect_run(&family, &nine, NULL, 9);
}

/* A forgotten program is not freed while it is in use. A use after free would be found by the address sanitizer. */
static void a_program_in_use_is_kept(void)
{
    const qn_configuration nine = {{32, 9}};
    qn_program_entry *entry;
    CHECK_OK(qn_program_acquire(device, &family, &nine, "EXTRA=78", &entry));
    qn_family_forget(&family, device, &nine);
    CHECK(entry->forgotten && entry->users == 1 && strcmp(entry->definitions, "EXTRA=78") == 0);
    qn_program_done(device, entry);
}

static void resources_are_reported(void)
{
    const qn_configuration nine = {{32, 9}};
    const int count = 100;
    qn_kernel_resources resources = {0};
    CHECK_OK(qn_family_resources(&family, device, &nine, NULL, 0, &resources));
    CHECK(resources.largest_group >= 32 && resources.largest_group <= qn_device_get_info(device)->largest_group);
    /* the kernel has no LOCAL array; some GPUs reserve 1 KiB for every group, which NVIDIA's OpenCL counts */
    if (!CHECK(resources.local_bytes <= 1024)) printf("%zu bytes of local memory\n", resources.local_bytes);
    CHECK_FAILS(qn_family_resources(&family, device, &nine, NULL, 2, &resources), QN_INVALID_ARGUMENT);
    CHECK_OK(qn_family_fits(&family, device, &nine, NULL, NULL));
    /* the items of its second kernel are not a multiple of the group size */
    CHECK_FAILS(qn_family_fits(&family, device, &nine, NULL, &count), QN_INVALID_ARGUMENT);
}

static const char *chosen_origin;
static qn_configuration chosen;
static int asked, reported, ended;
static bool wants_time;

static const char *choose(qn_family_launch *launch, void *user)
{
    asked++;
    CHECK(launch->family == &family && launch->queue == queue && user == &chosen && launch->problem_class == NULL);
    CHECK(launch->kernel == 0 && *(const int *)launch->problem == COUNT);
    CHECK(launch->configuration.value[0] == 64 && launch->configuration.value[1] == 5);
    launch->configuration = chosen; /* set even if the source then declines, which must have no effect */
    launch->timed = wants_time;
    launch->tag = &asked;
    return chosen_origin;
}

/* After a failure, ask for another choice: the configuration whose BONUS is 9. */
static bool report(const qn_family_launch *launch, qn_status status, qn_event *event, void *user)
{
    reported++;
    CHECK(user == &chosen && launch->tag == &asked && launch->kernel == 0);
    CHECK((event != NULL) == (wants_time && status == QN_OK));
    if (event) {
        double seconds = -1;
        bool done = false;
        CHECK_OK(qn_event_wait(event));
        CHECK_OK(qn_event_done(event, &done));
        CHECK(done);
        CHECK_OK(qn_event_seconds(event, &seconds));
        CHECK(seconds >= 0);
        qn_event_destroy(&event);
    }
    if (status == QN_OK) return false;
    CHECK(status == QN_INVALID_ARGUMENT);
    chosen = (qn_configuration){{32, 9}};
    return true;
}

static void end(void *user)
{
    CHECK(user == &chosen);
    ended++;
}

static const qn_configuration_source test_source = {choose, report, end, &chosen};

static char last_note[512];
static int notes;

static void keep_note(qn_log_level level, const char *message, void *user)
{
    (void)user;
    if (level != QN_LOG_NOTE) return;
    notes++;
    snprintf(last_note, sizeof last_note, "%s", message);
}

static void a_source_of_configurations_is_asked(void)
{
    const qn_configuration own = {{64, 0}};
    asked = reported = 0;
    qn_context_set_configuration_source(context, &test_source);
    chosen = (qn_configuration){{32, 9}};
    chosen_origin = "store";
    expect_run(&family, NULL, NULL, 9);
    CHECK(asked == 1 && reported == 1);
    wants_time = true;
    expect_run(&family, NULL, NULL, 9);
    CHECK(asked == 2 && reported == 2);
    expect_run(&family, &own, NULL, 0);
    CHECK(asked == 2 && reported == 2);
    chosen_origin = NULL;
    expect_run(&family, NULL, NULL, 5);
    CHECK(asked == 3 && reported == 2);
    chosen_origin = "store";
    chosen = (qn_configuration){{64, 9}}; /* breaks a constraint: the source chooses again */
    expect_run(&family, NULL, NULL, 9);
    CHECK(asked == 5 && reported == 4);
    qn_context_set_configuration_source(context, NULL);
    CHECK(ended == 0);
}

static void a_source_is_told_when_its_context_ends(void)
{
    qn_context *other = NULL;
    CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 1}, &other));
    qn_context_set_configuration_source(other, &test_source);
    qn_context_destroy(&other);
    CHECK(ended == 1);
}

/* With --explain there is one note for each configuration with which a family runs on a device. */
static void the_origin_is_logged_once(void)
{
    const qn_configuration own = {{128, 0}};
    qn_context *saved_context = context;
    qn_device *saved_device = device;
    qn_queue *saved_queue = queue;
    CHECK_OK(qn_context_create(
        &(qn_context_options){.size = sizeof(qn_context_options), .explain = true, .log = keep_note}, &context));
    CHECK_OK(qn_device_open(context, name, &device));
    CHECK_OK(qn_queue_create(device, &queue));
    notes = 0;
    CHECK_OK(qn_family_build(&family, device, NULL, NULL)); /* building logs no note */
    CHECK(notes == 0);
    expect_run(&family, NULL, NULL, 5);
    CHECK(notes == 1);
    CHECK(strstr(last_note, "test/family") && strstr(last_note, name) && strstr(last_note, "GROUP_SIZE=64 BONUS=5") &&
          strstr(last_note, "fallback"));
    expect_run(&family, NULL, NULL, 5);
    CHECK(notes == 1);
    expect_run(&family, &own, NULL, 0);
    CHECK(notes == 2);
    CHECK(strstr(last_note, "GROUP_SIZE=128 BONUS=0") && strstr(last_note, "caller"));
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    context = saved_context;
    device = saved_device;
    queue = saved_queue;
}

static void refuse(const qn_argument *arguments, int count, int kernel, const char *part)
{
    const int problem = COUNT;
    qn_event *event = (qn_event *)&problem;
    qn_family_call call = {.kernel = kernel, .arguments = arguments, .argument_count = count, .problem = &problem};
    if (!CHECK_FAILS(qn_family_run(&family, queue, &call, &event), QN_INVALID_ARGUMENT))
        fprintf(stderr, "  expected \"%s\"\n", part);
    CHECK(event == NULL);
    CHECK_MESSAGE_HAS(part);
    CHECK_MESSAGE_HAS("test/family");
}

static void wrong_arguments_are_refused(void)
{
    qn_device *other_device = NULL;
    qn_buffer *x = make_buffer(NULL, 4096), *y = make_buffer(NULL, 4096), *other = NULL;
    const qn_argument good[4] = {qn_argument_buffer(x), qn_argument_buffer(y), qn_argument_int32(1),
                                 qn_argument_int32(COUNT)};
    qn_argument bad[4];
    refuse(good, 3, 0, "scale takes 4 arguments, got 3");
    refuse(good, 4, 2, "kernel 2");
    refuse(good, 4, -1, "kernel -1");
    refuse(good, QN_ARGUMENT_MAX + 1, 0, "25 arguments");
    memcpy(bad, good, sizeof bad);
    bad[2] = qn_argument_float32(1);
    refuse(bad, 4, 0, "\"factor\" of scale must be a value of the declared type");
    bad[2] = qn_argument_buffer(x);
    refuse(bad, 4, 0, "\"factor\"");
    memcpy(bad, good, sizeof bad);
    bad[0] = qn_argument_int32(7);
    refuse(bad, 4, 0, "\"x\" of scale must be a buffer");
    bad[0] = qn_argument_range(x, 128, 256);
    refuse(bad, 4, 0, "multiple of 256");
    bad[0] = qn_argument_range(x, 3840, 257);
    refuse(bad, 4, 0, "\"x\" of scale has 257 bytes from byte 3840 of a buffer of 4096");
    bad[0] = qn_argument_range(x, 8192, 0);
    refuse(bad, 4, 0, "\"x\"");
    bad[0] = qn_argument_range(x, 0, 6);
    refuse(bad, 4, 0, "\"x\" of scale has 6 bytes; its elements have 4 each");
    CHECK_OK(qn_device_open(context, name, &other_device));
    CHECK_OK(qn_buffer_create(other_device, 4096, &other));
    bad[0] = qn_argument_buffer(other);
    refuse(bad, 4, 0, "\"x\" of scale must be a buffer of");
    qn_buffer_release(&other);
    qn_device_release(&other_device);
    qn_buffer_release(&x);
    qn_buffer_release(&y);
}

static void wrong_configurations_are_refused(void)
{
    const int problem = COUNT;
    const qn_configuration foreign = {{0, 5}}, broken = {{128, 9}};
    qn_buffer *x = make_buffer(NULL, 4096), *y = make_buffer(NULL, 4096);
    const qn_argument arguments[4] = {qn_argument_buffer(x), qn_argument_buffer(y), qn_argument_int32(1),
                                      qn_argument_int32(COUNT)};
    qn_family_call call = {.arguments = arguments, .argument_count = 4, .problem = &problem, .configuration = &foreign};
    CHECK_FAILS(qn_family_run(&family, queue, &call, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("GROUP_SIZE=0 is not one of its values");
    call.configuration = &broken;
    CHECK_FAILS(qn_family_run(&family, queue, &call, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("BONUS != 9 || GROUP_SIZE == 32");
    qn_argument one = qn_argument_buffer(x);
    qn_family_call uneven = {.kernel = 1, .arguments = &one, .argument_count = 1};
    CHECK_FAILS(qn_family_run(&family, queue, &uneven, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("nothing would run 100 work-items in groups of 64");
    qn_buffer_release(&x);
    qn_buffer_release(&y);
}

static void errors_of_the_compiler_are_reported(void)
{
    /* static: a device keeps the programs of a family until the device is released */
    static const qn_family broken = {
        .name = "test/broken",
        .source = "#line 1 \"broken.cl\"\nKERNEL void scale(GLOBAL int *x) { x[0] = absent_name; }\n",
        .kernels = kernels,
        .kernel_count = 1};
    if (!runs_source()) {
        CHECK_OK(qn_family_build(&broken, device, NULL, NULL));
        return;
    }
    CHECK_FAILS(qn_family_build(&broken, device, NULL, NULL), QN_BUILD_FAILED);
    CHECK_MESSAGE_HAS("test/broken");
    CHECK_MESSAGE_HAS("absent_name");
    /* Messages of NVIDIA's OpenCL compiler name no file, even after #line. */
    const qn_device_info *info = qn_device_get_info(device);
    bool names_files = strstr(info->identifier, "opencl") == NULL || info->kind == QN_DEVICE_CPU;
    if (names_files) CHECK_MESSAGE_HAS("broken.cl");
}

/* Write a family to disk: an included file, and a source that adds 100 to the results of the embedded source. */
static void write_folder(const char *folder)
{
    char path[700];
    const char head[] = "#define OF_DISK 100\n";
    const char text[] = "#include \"test/kernels/family.dev.h\"\n"
                        "#include \"test/kernels/family.dev.h\"\n"
                        "KERNEL void scale(GLOBAL const int *x, GLOBAL int *y, int factor, int n)\n"
                        "{\n"
                        "    int i = GLOBAL_ID(0);\n"
                        "    if (i < n) y[i] = x[i] * factor + BONUS + OF_DISK;\n"
                        "}\n"
                        "KERNEL void nothing(GLOBAL int *y) { y[GLOBAL_ID(0)] += 0; }\n";
    snprintf(path, sizeof path, "%s/test/kernels", folder);
    CHECK_OK(qn_folder_create(path));
    snprintf(path, sizeof path, "%s/test/kernels/family.dev.h", folder);
    CHECK_OK(qn_file_write(path, head, sizeof head - 1));
    snprintf(path, sizeof path, "%s/test/kernels/family.cl", folder);
    CHECK_OK(qn_file_write(path, text, sizeof text - 1));
}

static void sources_can_be_read_from_disk(void)
{
    qn_context *saved_context = context;
    qn_device *saved_device = device;
    qn_queue *saved_queue = queue;
    qn_family absent = family;
    write_folder(check_scratch_folder());
    absent.source_path = "test/kernels/absent.cl";
    for (int by_variable = 0; by_variable < 2; by_variable++) {
        qn_context_options options = {.size = sizeof options,
                                      .kernel_folder = by_variable ? NULL : check_scratch_folder()};
        if (by_variable) setenv("QUERN_KERNEL_DIR", check_scratch_folder(), 1);
        CHECK_OK(qn_context_create(&options, &context));
        unsetenv("QUERN_KERNEL_DIR");
        CHECK_OK(qn_device_open(context, name, &device));
        CHECK_OK(qn_queue_create(device, &queue));
        expect_run(&family, NULL, NULL, runs_source() ? 105 : 5);
        CHECK_FAILS(qn_family_build(&absent, device, NULL, NULL), QN_NOT_FOUND);
        CHECK_MESSAGE_HAS("absent.cl");
        qn_queue_destroy(&queue);
        qn_device_release(&device);
        qn_context_destroy(&context);
    }
    context = saved_context;
    device = saved_device;
    queue = saved_queue;
}

int main(int argc, char **argv)
{
    name = argc > 1 ? argv[1] : "host";
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    setenv("XDG_CACHE_HOME", check_scratch_folder(), 1);
    RUN(configurations_reach_the_kernel);
    RUN(a_struct_reaches_the_kernel);
    RUN(structs_of_wrong_size_are_refused);
    RUN(definitions_reach_the_source);
    RUN(programs_are_built_ahead);
    RUN(programs_are_forgotten);
    RUN(a_program_in_use_is_kept);
    RUN(resources_are_reported);
    RUN(a_source_of_configurations_is_asked);
    RUN(a_source_is_told_when_its_context_ends);
    RUN(the_origin_is_logged_once);
    RUN(wrong_arguments_are_refused);
    RUN(wrong_configurations_are_refused);
    RUN(errors_of_the_compiler_are_reported);
    RUN(sources_can_be_read_from_disk);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
