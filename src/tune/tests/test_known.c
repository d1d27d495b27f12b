/* devices: host opencl:0 cuda:0 checking:host checking:opencl:0 checking:cuda:0 */
#define _DEFAULT_SOURCE
/* What is taken before a run: the store, shipped texts, the fallback; stale results are told and not used. */
#include "check.h"

#include "base/file.h"
#include "tune/session.h"
#include "tune/shipped.h"
#include "tune/tests/planted.h"

#include <quern/log.h>

static qn_context *context;
static qn_device *device;
static qn_queue *queue;
static qn_tune_store *store;
static qn_tune_key key;
static int warnings;
static char last_warning[512];

static void count_warnings(qn_log_level level, const char *message, void *user)
{
    (void)user;
    if (level != QN_LOG_WARNING) return;
    warnings++;
    snprintf(last_warning, sizeof last_warning, "%s", message);
}

static void keep(const qn_tune_key *under, const char *configuration, double seconds)
{
    int64_t problem;
    const qn_test test = {.outcome = QN_TEST_CORRECT, .objective = seconds};
    CHECK_OK(qn_tune_store_problem(store, under, &problem));
    CHECK_OK(qn_tune_store_finish(store, problem, configuration, &test, 0));
}

static void the_store_comes_first_then_shipped_then_the_fallback(void)
{
    char path[600];
    qn_text text = {0};
    qn_tune_known known[8];
    size_t count;
    qn_tune_key stale = key, other = key;
    strcpy(stale.source, "ffffffffffffffff");
    strcpy(other.device, "another device");
    CHECK_OK(qn_text_append(&text, "# a comment\ndevice %s\n", other.device));
    CHECK_OK(qn_shipped_append(&other, "FAULT=0 DELAY=1", 0.5, &text));
    CHECK_OK(qn_text_append(&text, "device %s\n", key.device));
    CHECK_OK(qn_shipped_append(&stale, "FAULT=0 DELAY=2", 0.25, &text));
    CHECK_OK(qn_shipped_append(&key, "FAULT=0 DELAY=3", 0.125, &text));
    CHECK_OK(qn_text_append(&text, "not a result\n"));
    snprintf(path, sizeof path, "%s/device.txt", check_scratch_folder());
    CHECK_OK(qn_file_write(path, text.data, text.length));
    qn_text_clear(&text);
    setenv("QUERN_TUNED_DIR", check_scratch_folder(), 1);
    keep(&stale, "FAULT=0 DELAY=4", 0.1);
    keep(&key, "FAULT=0 DELAY=6", 0.2);
    keep(&key, "FAULT=0 DELAY=7", 0.3);
    CHECK_OK(qn_tune_lookup(device, store, &honest_family, "n=7", known, 8, &count));
    unsetenv("QUERN_TUNED_DIR");
    CHECK(warnings == 1);
    CHECK(strstr(last_warning, "device.txt:7") != NULL);
    if (!CHECK(count == 5)) return;
    static const int delays[] = {6, 4, 2, 3, 0};
    static const char *const origins[] = {"store", "store", "shipped", "shipped", "fallback"};
    static const bool stales[] = {false, true, true, false, false};
    for (int i = 0, used[2] = {0}; i < 5; i++) { /* the store's two come in either order: the later problem first */
        CHECK_TEXT(known[i].origin, origins[i]);
        if (i < 2) {
            CHECK(known[i].stale == (known[i].configuration.value[DELAY] == 4));
            used[known[i].stale]++;
            if (i == 1) CHECK(used[0] == 1 && used[1] == 1);
            if (!known[i].stale) CHECK(known[i].configuration.value[DELAY] == 6 && known[i].seconds == 0.2);
            if (!known[i].stale) CHECK(known[i].tests == 2);
        } else {
            CHECK(known[i].stale == stales[i] && known[i].configuration.value[DELAY] == delays[i]);
        }
    }
    CHECK_OK(qn_tune_lookup(device, NULL, &honest_family, "n=8", known, 8, &count));
    CHECK(count == 1);
    CHECK_OK(qn_tune_lookup(device, store, &honest_family, NULL, known, 8, &count));
    CHECK(count == 3); /* every class: both of the store, the fallback */
}

static int delay_used;

static qn_geometry watched_geometry(const qn_configuration *configuration, const void *problem)
{
    delay_used = configuration->value[DELAY];
    return planted_geometry(configuration, problem);
}

/* Attached, a family runs with what is known; of a stale result it is said once that it is not used. */
static void known_results_are_used(void)
{
    static qn_kernel_declaration kernel; /* what is built of a family stays with the device: both outlive it */
    static qn_family family;
    qn_tune_key own = key;
    planted_state *state = NULL;
    void *made = NULL;
    kernel = planted_kernels[0];
    kernel.geometry = watched_geometry;
    family = honest_family;
    family.kernels = &kernel;
    family.name = "test/watched";
    CHECK_OK(honest_create(queue, (const int[3]){7}, 0, &made));
    state = made;
    state->family = &family;
    const qn_tune_attach_options options = {.mode = QN_TUNE_KNOWN, .store = store};
    strcpy(own.family, "test/watched");
    for (int step = 0; step < 2; step++) {
        qn_tune_key under = own;
        if (step == 0) strcpy(under.source, "0000000000000000");
        keep(&under, "FAULT=0 DELAY=6", 0.2);
        warnings = 0;
        CHECK_OK(qn_tune_attach(context, &options));
        for (int i = 0; i < 3; i++) CHECK_OK(planted_launch(state, queue, NULL, NULL));
        CHECK(delay_used == (step == 0 ? 0 : 6));
        CHECK(warnings == (step == 0));
        qn_tune_detach(context);
    }
    CHECK_OK(planted_launch(state, queue, NULL, NULL));
    CHECK(delay_used == 0);
    planted_destroy(&made);
}

static void texts_of_configurations_come_back(void)
{
    qn_configuration configuration = {{0}};
    char text[64];
    CHECK(qn_tune_configuration_read(&honest_family, "DELAY=4 FAULT=1", &configuration));
    CHECK(configuration.value[FAULT] == 1 && configuration.value[DELAY] == 4);
    qn_tune_configuration_text(&honest_family, &configuration, text, sizeof text);
    CHECK_TEXT(text, "FAULT=1 DELAY=4");
    CHECK(!qn_tune_configuration_read(&honest_family, "DELAY=4", &configuration));
    CHECK(!qn_tune_configuration_read(&honest_family, "DELAY=9 FAULT=0", &configuration));
    CHECK(!qn_tune_configuration_read(&honest_family, "DELAY=4 FAULT=0 MORE=1", &configuration));
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    char path[600];
    setenv("QUERN_TUNING_STORE", "off", 1);
    unsetenv("QUERN_TUNED_DIR");
    snprintf(path, sizeof path, "%s/known.db", check_scratch_folder());
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.threads = 1, .log = count_warnings}, &context)))
        return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue)) ||
        !CHECK_OK(qn_tune_store_open(NULL, path, &store)) ||
        !CHECK_OK(qn_tune_key_make(&honest_family, device, "n=7", &key)))
        return check_finish();
    RUN(the_store_comes_first_then_shipped_then_the_fallback);
    RUN(known_results_are_used);
    RUN(texts_of_configurations_come_back);
    qn_tune_store_close(&store);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
