/* devices: host opencl:0 cuda:0 */
/* Counters while tuning: they are copied to a model's columns by name. If a device cannot count, tuning goes on without
 * them. runtime/tests/test_counters.c tests the counts. */
#include "tune/live_counters.h"

#include <quern/log.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "runtime/context.h"
#include "runtime/counters.h"
#include "runtime/device.h"
#include "tune/model/expert.h"

enum { POINTS = 4, COUNTERS_MAX = 64 };

static qn_device *device;
static char said[512]; /* the last message of the log */

static void keep_log(qn_log_level level, const char *message, void *user)
{
    (void)level;
    (void)user;
    snprintf(said, sizeof said, "%s", message);
}

static void predict_sevens(const void *user, qn_point point, double *columns)
{
    (void)user;
    (void)point;
    for (int i = 0; i < QN_EXPERT_ROLES; i++) columns[i] = 7;
}

/* Make a model with all roles of the expert; every column of every point is 7. */
static bool make_model(const qn_space *space, qn_tuning_model **model)
{
    const char *names[QN_EXPERT_ROLES];
    for (int i = 0; i < QN_EXPERT_ROLES; i++) names[i] = qn_expert_column((qn_expert_role)i);
    return CHECK_OK(qn_tuning_model_from_function(space, names, QN_EXPERT_ROLES, predict_sevens, NULL, NULL, model));
}

/* Each counter is copied to its column, columns that were not counted keep the prediction, and counters without a
 * column are ignored. Every role of the expert is counted, except the launch sizes and local memory. */
static void counters_are_copied_to_their_columns(void)
{
    qn_space *space = NULL;
    qn_tuning_model *model = NULL;
    double counted[COUNTERS_MAX], columns[QN_EXPERT_ROLES];
    size_t count, placed = 0;
    const char *const *names = qn_counters_names(&count);
    CHECK_OK(qn_space_create("test", &space));
    CHECK_OK(qn_space_add_integers(space, "A", (int64_t[]){1, 2, 3, 4}, POINTS, 1));
    CHECK_OK(qn_space_solve(space));
    if (!CHECK(count <= COUNTERS_MAX) || !make_model(space, &model)) return;
    for (size_t i = 0; i < count; i++) counted[i] = 1000.0 + (double)i;
    counted[1] = NAN;
    for (int i = 0; i < QN_EXPERT_ROLES; i++) columns[i] = 7;
    qn_live_counters_place(model, counted, columns);
    for (int role = 0; role < QN_EXPERT_ROLES; role++) {
        double expected = 7;
        for (size_t i = 0; i < count; i++)
            if (strcmp(names[i], qn_expert_column((qn_expert_role)role)) == 0 && i != 1) expected = 1000.0 + (double)i;
        CHECK_NEAR(columns[role], expected, 0);
        placed += columns[role] >= 1000;
    }
    CHECK(strcmp(names[1], qn_expert_column(QN_EXPERT_DRAM_READ)) == 0);
    CHECK(placed == QN_EXPERT_ROLES - 3 - 1); /* global size, local size, local memory; the one that was NaN */
    qn_tuning_model_destroy(&model);
    qn_space_destroy(&space);
}

static void read_counters(qn_live_counters *live, const qn_workload *workload, const qn_space *space)
{
    int sizes[QN_WORKLOAD_SIZES];
    qn_queue *queue = NULL;
    void *state = NULL;
    qn_point point;
    const qn_configuration fallback = qn_family_fallback(workload->family);
    qn_test test = {.outcome = QN_TEST_CORRECT, .objective = 1};
    for (int i = 0; i < QN_WORKLOAD_SIZES; i++) sizes[i] = workload->gpu_sizes[i];
    for (point = 0; point < qn_space_size(space); point++) {
        qn_configuration here = qn_tune_configuration(space, point);
        if (memcmp(&here, &fallback, sizeof here) == 0) break;
    }
    if (CHECK(point < qn_space_size(space)) && CHECK_OK(qn_queue_create(device, &queue)) &&
        CHECK_OK(workload->create(queue, sizes, 1, &state)) && CHECK_OK(workload->run(state, queue, &fallback, NULL)) &&
        CHECK_OK(qn_live_counters_read(live, state, queue, point, &test)) && CHECK(test.counters != NULL)) {
        qn_work work = {0};
        workload->work(state, &work);
        CHECK(test.counter_count == QN_EXPERT_ROLES);
        CHECK(test.counters[QN_EXPERT_INSTRUCTIONS] > 1000);
        CHECK(test.counters[QN_EXPERT_DRAM_READ] > 0.5 * work.bytes_read / 32);
        CHECK(test.counters[QN_EXPERT_DRAM_USE] > 0 && test.counters[QN_EXPERT_DRAM_USE] <= 101);
        CHECK(test.counters[QN_EXPERT_ISSUE_USE] > 0 && test.counters[QN_EXPERT_ISSUE_USE] <= 101);
        CHECK_NEAR(test.counters[QN_EXPERT_GLOBAL_SIZE], 7, 0); /* as the model predicts */
        CHECK(test.run_seconds > 0);
        for (int role = 0; role < QN_EXPERT_ROLES; role++)
            printf("  %-80s %.10g\n", qn_expert_column((qn_expert_role)role), test.counters[role]);
    }
    if (state) workload->destroy(&state);
    qn_queue_destroy(&queue);
}

static void tuning_works_with_and_without_counters(void)
{
    const qn_workload *workload;
    qn_space *space = NULL;
    qn_tuning_model *model = NULL;
    qn_live_counters *live = NULL;
    qn_test test = {.outcome = QN_TEST_CORRECT, .objective = 1};
    if (!CHECK_OK(qn_workload_find("transpose", &workload)) ||
        !CHECK_OK(qn_tune_family_space(workload->family, qn_device_get_info(device), &space)) ||
        !make_model(space, &model))
        return;
    CHECK_OK(qn_live_counters_open(device, workload, NULL, space, &live));
    CHECK(live == NULL && !said[0]); /* without a model nothing is loaded and nothing is logged */
    const qn_log_scope outer = qn_context_enter_log(qn_device_context(device)); /* as a tuning run does */
    CHECK_OK(qn_live_counters_open(device, workload, model, space, &live));
    qn_log_return(outer);
    if (live) {
        CHECK(strcmp(qn_device_get_info(device)->driver, "cuda") == 0);
        read_counters(live, workload, space);
    } else {
        printf("  %s\n", said);
        CHECK(strstr(said, "the searcher profile estimates instead of counting: counters of ") != NULL);
        CHECK_OK(qn_live_counters_read(live, NULL, NULL, 0, &test));
        CHECK(test.counters == NULL && test.run_seconds == 0);
    }
    qn_live_counters_close(&live);
    CHECK(live == NULL);
    qn_tuning_model_destroy(&model);
    qn_space_destroy(&space);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(
            qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .log = keep_log}, &context)))
        return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (CHECK(device != NULL)) {
        RUN(counters_are_copied_to_their_columns);
        RUN(tuning_works_with_and_without_counters);
    }
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
