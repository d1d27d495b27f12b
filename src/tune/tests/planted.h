/* A family that fails for some values of its tunables, and its workload: y = 2 x + 1. By the table of delays DELAY=5 is
 * the fastest. The honest family is the same with FAULT=0 only. */
#ifndef QN_TUNE_TESTS_PLANTED_H
#define QN_TUNE_TESTS_PLANTED_H

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <quern/workload.h>

#include "base/error.h"

enum { FAULT, DELAY, TUNABLES };
enum { FAULT_NONE, FAULT_WRONG, FAULT_LAUNCH, FAULT_BUILD, FAULT_LIMITS, FAULT_SLOW, FAULTS };
enum { DELAYS = 8, BEST_DELAY = 5, COUNT = 256, GROUP = 64 };

static const int delay_us[DELAYS] = {400, 350, 300, 450, 250, 100, 200, 500};
static int planted_runs[FAULTS][DELAYS]; /* runs by the workload with a given configuration */
static int planted_delay;                /* of the configuration that the workload ran last */
static double planted_slowness = 1;      /* factor of the host's delays: the machine gets slower */
static int crash_at = -1;                /* the delay at which the workload ends the process; -1: none */
static int crash_signal;                 /* the signal that ends it; 0: _Exit */

static const char planted_source[] =
    "#ifndef NEEDED\n"
    "#error NEEDED: a definition of the launch\n"
    "#endif\n"
    "#if FAULT == 3\n"
    "#error planted\n"
    "#endif\n"
    "#define SPIN_US (FAULT == 5 ? 2000000 : DELAY == 0 ? 400 : DELAY == 1 ? 350 : DELAY == 2 ? 300 : DELAY == 3 ? 450 "
    ": DELAY == 4 ? 250 : DELAY == 5 ? 100 : DELAY == 6 ? 200 : 500)\n"
    "#if FAULT == 2\n"
    "#define OWN_LIMIT GROUP_LIMIT(32, 1, 1)\n" /* but groups have 64 work-items */
    "#else\n"
    "#define OWN_LIMIT\n"
    "#endif\n"
    "KERNEL OWN_LIMIT void planted(GLOBAL const int *x, GLOBAL int *y, int n)\n"
    "{\n"
    "#if FAULT == 4\n"
    "    LOCAL int big[1 << 26];\n"
    "    big[LOCAL_ID(0)] = x[0];\n"
    "    LOCAL_BARRIER();\n"
    "    y[0] = big[(x[0] + n) & 63];\n"
    "#endif\n"
    "    int i = GLOBAL_ID(0);\n"
    "    unsigned s = (unsigned)x[0] + (unsigned)n;\n"
    "    if (i == 0)\n"
    "        for (int k = 0; k < SPIN_US * 500; k++) s = (s ^ (s >> 7)) * 1664525u + 1013904223u;\n"
    "    if (i < n) y[i] = 2 * x[i] + 1 + (FAULT == 1) + (i == 0 && s == 12345u);\n"
    "}\n";

static double planted_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static qn_status planted_host(const qn_host_launch *launch)
{
    const int *x = launch->arguments[0], n = *(const int *)launch->arguments[2];
    int *y = launch->arguments[1], fault = launch->configuration->value[FAULT];
    double end = planted_clock_s() +
                 (fault == FAULT_SLOW ? 2 : 1e-6 * planted_slowness * delay_us[launch->configuration->value[DELAY]]);
    if (fault == FAULT_LAUNCH) return QN_FAIL(QN_LAUNCH_FAILED, "planted");
    if (fault == FAULT_BUILD) return QN_FAIL(QN_BUILD_FAILED, "planted");
    if (fault == FAULT_LIMITS) return QN_FAIL(QN_UNSUPPORTED, "planted");
    while (planted_clock_s() < end) {
    }
    for (int i = 0; i < n; i++) y[i] = 2 * x[i] + 1 + (fault == FAULT_WRONG);
    return QN_OK;
}

static qn_geometry planted_geometry(const qn_configuration *configuration, const void *problem)
{
    (void)configuration, (void)problem;
    return (qn_geometry){{COUNT, 1, 1}, {GROUP, 1, 1}};
}

static void planted_work(const void *problem, qn_work *work)
{
    (void)problem;
    *work = (qn_work){.bytes_read = 4 * COUNT, .bytes_written = 4 * COUNT};
}

static const qn_argument_declaration planted_arguments[] = {
    {"x", QN_IN, QN_INT32}, {"y", QN_OUT, QN_INT32}, {"n", QN_VALUE, QN_INT32}};
static const qn_kernel_declaration planted_kernels[] = {
    {"planted", planted_arguments, 3, planted_geometry, planted_host, planted_work}};
static const qn_tunable planted_tunables[] = {{"FAULT", {0, 1, 2, 3, 4, 5}, FAULTS, 0, "what is wrong"},
                                              {"DELAY", {0, 1, 2, 3, 4, 5, 6, 7}, DELAYS, 0, "how slow it is"}};
/* faults with one delay only, so that trying all of them takes little time */
static const char *const planted_constraints[] = {"FAULT == 0 || DELAY == 2", "FAULT == 0"};

static const qn_family planted_family = {.name = "test/planted",
                                         .source = planted_source,
                                         .source_path = "test/kernels/planted.cl",
                                         .kernels = planted_kernels,
                                         .kernel_count = 1,
                                         .tunables = planted_tunables,
                                         .tunable_count = TUNABLES,
                                         .constraints = planted_constraints,
                                         .constraint_count = 1};
static const qn_family honest_family = {.name = "test/honest",
                                        .source = planted_source,
                                        .source_path = "test/kernels/honest.cl",
                                        .kernels = planted_kernels,
                                        .kernel_count = 1,
                                        .tunables = planted_tunables,
                                        .tunable_count = TUNABLES,
                                        .constraints = planted_constraints,
                                        .constraint_count = 2};

typedef struct planted_state {
    const qn_family *family;
    qn_buffer *x, *y;
    int size;
} planted_state;

static void planted_destroy(void **pointer)
{
    planted_state *state = *pointer;
    if (state) qn_buffer_release(&state->x), qn_buffer_release(&state->y);
    free(state);
    *pointer = NULL;
}

static qn_status create_of(const qn_family *family, qn_queue *queue, const int sizes[3], void **out)
{
    int x[COUNT];
    planted_state *state = calloc(1, sizeof *state);
    for (int i = 0; i < COUNT; i++) x[i] = i - 100;
    state->family = family;
    state->size = sizes[0];
    *out = state;
    QN_TRY(qn_buffer_create(qn_queue_device(queue), sizeof x, &state->x));
    QN_TRY(qn_buffer_create(qn_queue_device(queue), sizeof x, &state->y));
    QN_TRY(qn_queue_write(queue, state->x, 0, x, sizeof x, NULL));
    return qn_queue_finish(queue);
}

static qn_status planted_create(qn_queue *queue, const int sizes[3], uint64_t seed, void **out)
{
    (void)seed;
    return create_of(&planted_family, queue, sizes, out);
}

static qn_status honest_create(qn_queue *queue, const int sizes[3], uint64_t seed, void **out)
{
    (void)seed;
    return create_of(&honest_family, queue, sizes, out);
}

static qn_status planted_clear(void *user, qn_queue *queue)
{
    planted_state *state = user;
    return qn_queue_fill(queue, state->y, 0, COUNT * sizeof(int), 0xFF, NULL);
}

static void class_of(const int sizes[3], char text[64])
{
    snprintf(text, 64, "n=%d", sizes[0]);
}

static qn_status planted_launch(planted_state *state, qn_queue *queue, const qn_configuration *configuration,
                                qn_event **event)
{
    char problem_class[64];
    class_of((const int[3]){state->size}, problem_class);
    qn_argument arguments[] = {qn_argument_buffer(state->x), qn_argument_buffer(state->y), qn_argument_int32(COUNT)};
    qn_family_call call = {.arguments = arguments,
                           .argument_count = 3,
                           .problem = state,
                           .problem_class = problem_class,
                           .definitions = "NEEDED=1",
                           .configuration = configuration};
    return qn_family_run(state->family, queue, &call, event);
}

static qn_status planted_run(void *user, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    qn_event *event = NULL;
    double ignored;
    if (configuration) {
        planted_runs[configuration->value[FAULT]][configuration->value[DELAY]]++;
        if (configuration->value[DELAY] == crash_at && crash_signal) raise(crash_signal);
        planted_delay = configuration->value[DELAY];
        if (planted_delay == crash_at) _Exit(9);
    }
    QN_TRY(planted_launch(user, queue, configuration, &event));
    qn_status status = qn_event_seconds(event, seconds ? seconds : &ignored);
    qn_event_destroy(&event);
    return status;
}

static qn_status planted_check(void *user, qn_queue *queue, double *largest_error)
{
    planted_state *state = user;
    int y[COUNT];
    QN_TRY(qn_queue_read(queue, state->y, 0, y, sizeof y, NULL));
    QN_TRY(qn_queue_finish(queue));
    *largest_error = 0;
    for (int i = 0; i < COUNT; i++) *largest_error = fmax(*largest_error, 1e3 * abs(y[i] - (2 * (i - 100) + 1)));
    return QN_OK;
}

static void planted_total(const void *user, qn_work *work)
{
    (void)user;
    planted_work(NULL, work);
}

static const void *planted_problem(const void *user)
{
    return user;
}

static const qn_workload planted_workload = {
    "test/planted",  "y = 2 x + 1", &planted_family, {"n"},         {7},           {7},
    planted_create,  planted_clear, planted_run,     planted_check, planted_total, class_of,
    planted_destroy, NULL};
static const qn_workload honest_workload = {
    "test/honest", "y = 2 x + 1", &honest_family,  {"n"},          {7},
    {7},           honest_create, planted_clear,   planted_run,    planted_check,
    planted_total, class_of,      planted_destroy, planted_problem};

#endif
