/* devices: host opencl:0 checking:host */
/* alone: it measures times, which other tests would disturb */
#define _DEFAULT_SOURCE
/* The searcher profile in real tuning runs: with a model from the family, with a model from a file, and without a
 * model. */
#include "check.h"

#include <quern/log.h>

#include "base/memory.h"
#include "tune/guide.h"
#include "tune/model/expert.h"
#include "tune/model/static_model.h"
#include "tune/searcher/searcher.h"
#include "tune/session.h"
#include "tune/tests/planted.h"

static qn_context *context;
static qn_device *device;
static int warnings;
static char warning[256];

static void on_log(qn_log_level level, const char *message, void *user)
{
    (void)user;
    if (level != QN_LOG_WARNING) return;
    warnings++;
    snprintf(warning, sizeof warning, "%s", message);
}

/* ---- A simple family: items / GROUP groups, which keep 16 bytes per item in local memory if KEEP ---- */

static qn_geometry fold_geometry(const qn_configuration *configuration, const void *problem)
{
    return (qn_geometry){{*(const size_t *)problem, 1, 1}, {(size_t)configuration->value[0], 1, 1}};
}

static const qn_kernel_declaration fold_kernels[] = {{.name = "fold", .geometry = fold_geometry}};
static const qn_tunable fold_tunables[] = {{"GROUP", {64, 128, 256}, 3, 64, "work-items per group"},
                                           {"KEEP", {0, 1}, 2, 0, "whether local memory is used"}};
static const char *const fold_constraints[] = {"KEEP == 0 || 16 * GROUP <= device.local_memory_bytes"};
static const qn_family fold_family = {.name = "test/fold",
                                      .kernels = fold_kernels,
                                      .kernel_count = 1,
                                      .tunables = fold_tunables,
                                      .tunable_count = 2,
                                      .constraints = fold_constraints,
                                      .constraint_count = 1};
static const qn_device_info fold_device = {.driver = "opencl", .local_memory_bytes = 49152, .largest_group = 1024};

static double column(const double columns[QN_STATIC_COLUMNS], qn_expert_role role)
{
    for (size_t i = 0; i < QN_STATIC_COLUMNS; i++)
        if (strcmp(qn_static_column(i), qn_expert_column(role)) == 0) return columns[i];
    return NAN;
}

/* The model computed point by point and the table agree, without a work function. After a build the model uses the
 * compiler's report: 65536 registers suffice for 2 groups of 256 work-items with 128 registers each, 512 of 2048
 * work-items. */
static void static_models_agree_and_learn_from_builds(void)
{
    const size_t problem = 1 << 16;
    qn_space *space = NULL;
    qn_tuning_model *model = NULL, *table = NULL;
    qn_tuning_model_binding *binding = NULL, *table_binding = NULL;
    qn_static_family *description;
    qn_point point;
    double c[QN_STATIC_COLUMNS], t[QN_STATIC_COLUMNS];
    CHECK_OK(qn_tune_family_space(&fold_family, &fold_device, &space));
    CHECK_OK(qn_static_family_create(&fold_family, &problem, &fold_device, space, &description, &model));
    CHECK_OK(qn_static_model_of_family(&fold_family, &problem, &fold_device, space, &table));
    if (!CHECK_OK(qn_tuning_model_bind(model, space, &binding)) ||
        !CHECK_OK(qn_tuning_model_bind(table, space, &table_binding)))
        return;
    for (point = 0; point < qn_space_size(space); point++) {
        const qn_configuration chosen = qn_tune_configuration(space, point);
        qn_tuning_model_predict(model, binding, point, c);
        qn_tuning_model_predict(table, table_binding, point, t);
        CHECK(memcmp(c, t, sizeof c) == 0);
        CHECK_NEAR(column(c, QN_EXPERT_LOCAL_MEMORY), chosen.value[1] ? 16 * chosen.value[0] : 0, 0);
    }
    CHECK(qn_tune_point_of(space, &(qn_configuration){{256, 0}}, &point));
    qn_tuning_model_predict(model, binding, point, c);
    CHECK_NEAR(column(c, QN_EXPERT_WARPS_USE), 100, 0);
    CHECK_OK(qn_static_family_learn(description, point, &(qn_kernel_resources){.registers = 128, .local_bytes = 1000}));
    qn_tuning_model_predict(model, binding, point, c);
    CHECK_NEAR(column(c, QN_EXPERT_WARPS_USE), 25, 0);
    CHECK_NEAR(column(c, QN_EXPERT_LOCAL_MEMORY), 1000, 0);
    qn_tuning_model_unbind(&binding);
    qn_tuning_model_unbind(&table_binding);
    qn_tuning_model_destroy(&model);
    qn_tuning_model_destroy(&table);
    qn_space_destroy(&space);
}

/* If no rates are known, the nominal rates guide the search: points that read less are tried more often, although the
 * times have no real unit. */
static void without_rates_nominal_rates_guide_the_search(void)
{
    enum { SIDE = 200 };
    static double columns[SIDE * QN_STATIC_COLUMNS];
    int64_t values[SIDE];
    qn_space *space = NULL;
    qn_tuning_model *model = NULL;
    int less = 0;
    const qn_static_limits limits = qn_static_limits_of(NULL);
    for (int i = 0; i < SIDE; i++) values[i] = i;
    CHECK_OK(qn_space_create("line", &space));
    CHECK_OK(qn_space_add_integers(space, "A", values, SIDE, 0));
    CHECK_OK(qn_space_solve(space));
    for (int i = 0; i < SIDE; i++)
        qn_static_columns(&(qn_static_launch){.groups = 1e4, .group_items = 256, .bytes_read = 1e9 * (1 + i)}, &limits,
                          columns + i * QN_STATIC_COLUMNS);
    const char *names[QN_STATIC_COLUMNS];
    for (size_t i = 0; i < QN_STATIC_COLUMNS; i++) names[i] = qn_static_column(i);
    CHECK_OK(qn_tuning_model_from_table(space, names, QN_STATIC_COLUMNS, columns, &model));
    for (uint64_t seed = 0; seed < 100; seed++) {
        void *state;
        qn_point point;
        qn_searcher_problem problem = {.space = space, .seed = seed, .model = model};
        if (!CHECK_OK(qn_searcher_profile.create(&problem, &state))) break;
        CHECK_OK(qn_searcher_profile.tell(state, SIDE / 2, &(qn_test){.objective = 7e6}));
        CHECK_OK(qn_searcher_profile.ask(state, &point));
        less += point < SIDE / 2;
        qn_searcher_profile.destroy(&state);
    }
    if (!CHECK(less >= 80)) fprintf(stderr, "  %d of 100 read less\n", less); /* a random choice gives 50 ± 5 */
    qn_tuning_model_destroy(&model);
    qn_space_destroy(&space);
}

/* ---- Live ---- */

static qn_tune_options options_of(const char *model)
{
    warnings = 0;
    return (qn_tune_options){.size = sizeof(qn_tune_options),
                             .tuner = {.size = sizeof(qn_tuner_options), .searcher = "profile", .seed = 2},
                             .most_repeats = 5,
                             .model = model};
}

static void workloads_with_and_without_a_problem_are_tuned(void)
{
    qn_workload bare = honest_workload;
    qn_tune_result result;
    qn_tune_options options = options_of(NULL);
    CHECK_OK(qn_tune_run(device, &honest_workload, &options, &result));
    CHECK(result.configuration.value[DELAY] == BEST_DELAY && result.tests == DELAYS && warnings == 0);
    options = options_of(NULL);
    bare.problem = NULL;
    bare.work = NULL;
    CHECK_OK(qn_tune_run(device, &bare, &options, &result));
    CHECK(result.configuration.value[DELAY] == BEST_DELAY && warnings == 1);
    CHECK(strstr(warning, "goes without a model") != NULL);
    options.tuner.searcher = "auto"; /* auto uses no model */
    warnings = 0;
    CHECK_OK(qn_tune_run(device, &bare, &options, &result));
    CHECK(warnings == 0);
}

/* Write the file of a model of one parameter, trained on a recorded space of the delays. */
static void write_model(const char *parameter, const char *path)
{
    qn_test tests[DELAYS];
    char *counters[] = {"dram__sectors_read.sum"};
    double values[DELAYS];
    int64_t delays[DELAYS];
    qn_recorded_space record = {.device = "made up", .tests = tests, .counter_names = counters, .counter_count = 1};
    qn_tuning_model *model = NULL;
    for (int i = 0; i < DELAYS; i++) {
        delays[i] = i;
        tests[i] = (qn_test){.objective = 1};
        values[i] = 1e3 * delay_us[i];
    }
    record.counters = values;
    CHECK_OK(qn_space_create("made up", &record.space));
    CHECK_OK(qn_space_add_integers(record.space, parameter, delays, DELAYS, 0));
    CHECK_OK(qn_space_solve(record.space));
    CHECK_OK(qn_tuning_model_train(&record, &(qn_tuning_model_options){.seed = 1}, &model));
    CHECK_OK(qn_tuning_model_write(model, path));
    qn_tuning_model_destroy(&model);
    qn_space_destroy(&record.space);
}

static void a_model_can_be_read_from_a_file(void)
{
    char path[600];
    qn_tune_result result;
    qn_tune_options options = options_of(path);
    snprintf(path, sizeof path, "%s/delays.model", check_scratch_folder());
    CHECK_FAILS(qn_tune_run(device, &honest_workload, &options, &result), QN_NOT_FOUND);
    write_model("DELAY", path);
    CHECK_OK(qn_tune_run(device, &honest_workload, &options, &result));
    CHECK(result.configuration.value[DELAY] == BEST_DELAY && warnings == 0);
    write_model("SPEED", path);
    CHECK_FAILS(qn_tune_run(device, &honest_workload, &options, &result), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("no parameter SPEED");
}

static void profile_works_online(void)
{
    qn_queue *queue = NULL;
    void *state = NULL;
    qn_tune_gain gain = {.exploring = true};
    size_t count = 0;
    double began_s = planted_clock_s();
    warnings = 0;
    CHECK_OK(qn_queue_create(device, &queue));
    CHECK_OK(qn_tune_attach(context, &(qn_tune_attach_options){.size = sizeof(qn_tune_attach_options),
                                                               .mode = QN_TUNE_ONLINE,
                                                               .searcher = "profile",
                                                               .budget = 0.5}));
    CHECK_OK(create_of(&honest_family, queue, (const int[3]){7}, &state));
    while (gain.exploring && gain.tests < 2 && planted_clock_s() - began_s < 60)
        if (!CHECK_OK(planted_launch(state, queue, NULL, NULL)) || !CHECK_OK(qn_queue_finish(queue)) ||
            !CHECK_OK(qn_tune_gains(context, &gain, 1, &count)))
            break;
    CHECK(gain.tests >= 2 && gain.failed == 0 && warnings == 0);
    qn_tune_detach(context);
    planted_destroy(&state);
    qn_queue_destroy(&queue);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    setenv("QUERN_TUNING_STORE", "off", 1);
    setenv("QUERN_LOAD", "0", 1); /* a busy machine is warned of */
    if (!CHECK_OK(qn_context_create(
            &(qn_context_options){.size = sizeof(qn_context_options), .threads = 2, .log = on_log}, &context)))
        return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    RUN(static_models_agree_and_learn_from_builds);
    RUN(without_rates_nominal_rates_guide_the_search);
    RUN_LONG(workloads_with_and_without_a_problem_are_tuned);
    RUN(a_model_can_be_read_from_a_file);
    RUN(profile_works_online);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
