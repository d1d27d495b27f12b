/* devices: host opencl:0 cuda:0 checking:host checking:opencl:0 checking:cuda:0 */
#define _DEFAULT_SOURCE
/* Known configurations before a run: the store, shipped texts, the fallback. Stale results are listed and not used. */
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
    strcpy(other.hardware.name, "another device");
    strcpy(other.hardware.architecture, "another");
    strcpy(other.hardware.vendor, "another");
    CHECK_OK(qn_text_append(&text, "# a comment\n"));
    CHECK_OK(qn_shipped_append_device(&other, &text));
    CHECK_OK(qn_shipped_append(&other, "FAULT=0 DELAY=1", 0.5, &text));
    CHECK_OK(qn_shipped_append_device(&key, &text));
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
    static const qn_tune_origin origins[] = {QN_TUNE_ORIGIN_STORE, QN_TUNE_ORIGIN_STORE, QN_TUNE_ORIGIN_SHIPPED,
                                             QN_TUNE_ORIGIN_SHIPPED, QN_TUNE_ORIGIN_FALLBACK};
    static const bool stales[] = {false, true, true, false, false};
    for (int i = 0, used[2] = {0}; i < 5; i++) { /* the two from the store may come in either order */
        CHECK(known[i].origin == origins[i] && known[i].nearness == QN_TUNE_THIS_DEVICE);
        const bool stale_one = known[i].use == QN_TUNE_STALE;
        if (i < 2) {
            CHECK(stale_one == (known[i].configuration.value[DELAY] == 4));
            used[stale_one]++;
            if (i == 1) CHECK(used[0] == 1 && used[1] == 1);
            if (!stale_one) CHECK(known[i].configuration.value[DELAY] == 6 && known[i].seconds == 0.2);
            if (!stale_one) CHECK(known[i].tests == 2);
        } else {
            CHECK(stale_one == stales[i] && known[i].configuration.value[DELAY] == delays[i]);
        }
    }
    CHECK_OK(qn_tune_lookup(device, NULL, &honest_family, "n=8", known, 8, &count));
    CHECK(count == 1);
    CHECK_OK(qn_tune_lookup(device, store, &honest_family, NULL, known, 8, &count));
    CHECK(count == 3); /* every class: both of the store, the fallback */
}

/* An H100 with 132 units and 80 GiB (79.6 GiB usable). */
static const qn_hardware h100 = {"cuda", "NVIDIA H100 80GB HBM3", "cuda 9.0", "NVIDIA", false, 132, 79.6};

static void nearness_is_by_architecture_then_vendor(void)
{
    const qn_hardware h200 = {"cuda", "NVIDIA H200", "cuda 9.0", "NVIDIA", false, 132, 139.8};
    const qn_hardware pcie = {"cuda", "NVIDIA H100 PCIe", "cuda 9.0", "NVIDIA", false, 114, 79.6};
    const qn_hardware a100 = {"cuda", "NVIDIA A100", "cuda 8.0", "NVIDIA", false, 108, 79.6};
    const qn_hardware through_opencl = {"opencl", "NVIDIA H100 80GB HBM3", "cuda 9.0", "NVIDIA", false, 132, 79.6};
    const qn_hardware zen3 = {"host", "AMD EPYC", "x86-64-v3", "AuthenticAMD", true, 2, 24};
    const qn_hardware zen4 = {"host", "AMD EPYC", "x86-64-v4", "AuthenticAMD", true, 2, 24};
    const qn_hardware wide = {"host", "AMD EPYC", "x86-64-v4", "AuthenticAMD", true, 64, 24};
    const qn_hardware intel = {"host", "Intel Xeon", "x86-64-v4", "GenuineIntel", true, 2, 24};
    const qn_hardware old_intel = {"host", "Intel Xeon", "x86-64-v3", "GenuineIntel", true, 2, 24};
    CHECK(qn_hardware_nearness(&h100, &h100) == QN_TUNE_THIS_DEVICE);
    CHECK(qn_hardware_nearness(&h100, &h200) == QN_TUNE_SAME_ARCHITECTURE);
    CHECK(qn_hardware_nearness(&h100, &a100) == QN_TUNE_SAME_VENDOR);
    CHECK(qn_hardware_nearness(&h100, &through_opencl) == QN_TUNE_UNRELATED);
    CHECK(qn_hardware_nearness(&zen3, &zen4) == QN_TUNE_SAME_VENDOR); /* one name, two instruction sets */
    CHECK(qn_hardware_nearness(&zen4, &wide) == QN_TUNE_SAME_ARCHITECTURE);
    CHECK(qn_hardware_nearness(&zen4, &intel) == QN_TUNE_SAME_ARCHITECTURE);
    CHECK(qn_hardware_nearness(&zen4, &old_intel) == QN_TUNE_UNRELATED);
    /* ln(139.8 / 79.6) = 0.563, ln(132 / 114) = 0.147 */
    CHECK_NEAR(qn_hardware_distance(&h100, &h200), 0.563, 1e-3);
    CHECK_NEAR(qn_hardware_distance(&pcie, &h100), 0.147, 1e-3);
    CHECK(qn_hardware_distance(&zen4, &zen4) == 0);
}

static void lines_of_devices_are_read_back(void)
{
    static const char *const wrong[] = {"",
                                        "cuda NVIDIA H200",
                                        "cuda\tNVIDIA H200\tcuda 9.0\tNVIDIA\t132 units",
                                        "cuda\tNVIDIA H200\tcuda 9.0\tNVIDIA\t132 cores\t80 GiB",
                                        "cuda\tNVIDIA H200\tcuda 9.0\tNVIDIA\t0 units\t80 GiB",
                                        "cuda\tNVIDIA H200\tcuda 9.0\tNVIDIA\t132 units\t80",
                                        "cuda\t\tcuda 9.0\tNVIDIA\t132 units\t80 GiB",
                                        "cuda\tNVIDIA H200\tcuda 9.0\tNVIDIA\t132 units\t80 GiB\tmore"};
    char line[QN_HARDWARE_LINE];
    qn_hardware back;
    qn_hardware_line(&h100, line);
    CHECK_TEXT(line, "cuda\tNVIDIA H100 80GB HBM3\tcuda 9.0\tNVIDIA\t132 units\t79.6 GiB");
    CHECK(qn_hardware_read(line, &back));
    CHECK(qn_hardware_nearness(&h100, &back) == QN_TUNE_THIS_DEVICE && qn_hardware_distance(&h100, &back) == 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (!CHECK(!qn_hardware_read(wrong[i], &back))) fprintf(stderr, "  \"%s\"\n", wrong[i]);
}

/* The key of another device, with as much memory and `times` the units of this one. */
static qn_tune_key neighbour(const char *name, const char *architecture, const char *vendor, int times)
{
    qn_tune_key other = key;
    strcpy(other.hardware.name, name);
    strcpy(other.hardware.architecture, architecture);
    strcpy(other.hardware.vendor, vendor);
    other.hardware.units *= times;
    snprintf(other.device, sizeof other.device, "%s of another machine", name);
    return other;
}

/* Devices of the same architecture come first, the one with the most similar units before the others; then those of the
 * same vendor. Stored and shipped results are treated alike. */
static void other_devices_come_in_order_of_nearness(void)
{
    char path[600];
    const char *architecture = key.hardware.architecture, *vendor = key.hardware.vendor;
    const qn_tune_key near = neighbour("near", architecture, "Nobody", 2);
    const qn_tune_key far = neighbour("far", architecture, vendor, 8);
    const qn_tune_key cousin = neighbour("cousin", "other 1.0", vendor, 1);
    const qn_tune_key stranger = neighbour("stranger", "other 1.0", "Nobody", 1);
    const qn_tune_key stored = neighbour("stored", architecture, vendor, 4);
    const qn_tune_key *const shipped[] = {&stranger, &cousin, &far, &near};
    static const char *const configurations[] = {"FAULT=0 DELAY=1", "FAULT=0 DELAY=2", "FAULT=0 DELAY=3",
                                                 "FAULT=1 DELAY=2"}; /* the last breaks a constraint */
    qn_tune_store *own = NULL, *before = store;
    qn_text text = {0};
    qn_tune_known known[8];
    size_t count;
    for (int i = 0; i < 4; i++) {
        CHECK_OK(qn_shipped_append_device(shipped[i], &text));
        CHECK_OK(qn_shipped_append(shipped[i], configurations[i], 0.5, &text));
    }
    snprintf(path, sizeof path, "%s/device.txt", check_scratch_folder());
    CHECK_OK(qn_file_write(path, text.data, text.length));
    qn_text_clear(&text);
    snprintf(path, sizeof path, "%s/neighbours.db", check_scratch_folder());
    if (!CHECK_OK(qn_tune_store_open(NULL, path, &own))) return;
    store = own;
    keep(&stored, "FAULT=0 DELAY=6", 0.2);
    store = before;
    setenv("QUERN_TUNED_DIR", check_scratch_folder(), 1);
    CHECK_OK(qn_tune_lookup(device, own, &honest_family, "n=7", known, 8, &count));
    unsetenv("QUERN_TUNED_DIR");
    static const char *const names[] = {"near", "stored", "far", "cousin", ""};
    static const int delays[] = {2, 6, 3, 2, 0};
    if (CHECK(count == 5))
        for (int i = 0; i < 5; i++) {
            CHECK(strncmp(known[i].found_on, names[i], strlen(names[i])) == 0);
            CHECK(known[i].configuration.value[DELAY] == delays[i]);
            CHECK(known[i].use == (i == 0 ? QN_TUNE_MISFIT : QN_TUNE_USABLE));
            CHECK(known[i].nearness == (i < 3    ? QN_TUNE_SAME_ARCHITECTURE
                                        : i == 3 ? QN_TUNE_SAME_VENDOR
                                                 : QN_TUNE_THIS_DEVICE));
        }
    char origin[256];
    qn_tune_origin_text(known[1].origin, known[1].nearness, known[1].found_on, origin, sizeof origin);
    CHECK(strncmp(origin, "found on stored", 15) == 0 && strstr(origin, ", of the same architecture") != NULL);
    qn_tune_origin_text(known[3].origin, known[3].nearness, known[3].found_on, origin, sizeof origin);
    CHECK(strncmp(origin, "found on cousin", 15) == 0 && strstr(origin, ", of the same vendor") != NULL);
    qn_tune_origin_text(QN_TUNE_ORIGIN_STORE, QN_TUNE_THIS_DEVICE, "any", origin, sizeof origin);
    CHECK_TEXT(origin, "tuned here");
    qn_tune_origin_text(QN_TUNE_ORIGIN_SHIPPED, QN_TUNE_THIS_DEVICE, "any", origin, sizeof origin);
    CHECK_TEXT(origin, "shipped for this device");
    qn_tune_origin_text(known[4].origin, known[4].nearness, known[4].found_on, origin, sizeof origin);
    CHECK_TEXT(origin, "fallback");
    qn_tune_store_close(&own);
}

static int delay_used;

static qn_geometry watched_geometry(const qn_configuration *configuration, const void *problem)
{
    delay_used = configuration->value[DELAY];
    return planted_geometry(configuration, problem);
}

/* With the tuner attached, a family runs with the known result; one warning says that a stale result is not used. */
static void known_results_are_used(void)
{
    static qn_kernel_declaration kernel; /* the device keeps the programs of a family: both outlive it */
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
    const qn_tune_attach_options options = {.size = sizeof options, .mode = QN_TUNE_KNOWN, .store = store};
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

/* With the tuner attached, the nearest device's result that can be built is used: the nearest of all does not compile,
 * the next one asks for too much local memory. On the host nothing is built, and the launch fails. */
static void results_that_do_not_fit_are_skipped(void)
{
    static const char *const constraints[] = {"FAULT != 1 && FAULT != 5"};
    static qn_kernel_declaration kernel;
    static qn_family family;
    planted_state *state = NULL;
    void *made = NULL;
    char path[600];
    qn_text text = {0};
    const qn_tune_key near = neighbour("near", key.hardware.architecture, "Nobody", 2);
    const qn_tune_key next = neighbour("next", key.hardware.architecture, "Nobody", 4);
    const qn_tune_key last = neighbour("last", key.hardware.architecture, "Nobody", 8);
    const qn_tune_key *const shipped[] = {&last, &near, &next};
    static const char *const configurations[] = {"FAULT=0 DELAY=6", "FAULT=3 DELAY=2", "FAULT=4 DELAY=2"};
    kernel = planted_kernels[0];
    kernel.geometry = watched_geometry;
    family = planted_family;
    family.kernels = &kernel;
    family.name = "test/misfit";
    family.constraints = constraints;
    for (int i = 0; i < 3; i++) {
        qn_tune_key under = *shipped[i];
        strcpy(under.family, family.name);
        CHECK_OK(qn_shipped_append_device(&under, &text));
        CHECK_OK(qn_shipped_append(&under, configurations[i], 0.5, &text));
    }
    snprintf(path, sizeof path, "%s/device.txt", check_scratch_folder());
    CHECK_OK(qn_file_write(path, text.data, text.length));
    qn_text_clear(&text);
    setenv("QUERN_TUNED_DIR", check_scratch_folder(), 1);
    CHECK_OK(create_of(&family, queue, (const int[3]){7}, &made));
    state = made;
    CHECK_OK(qn_tune_attach(context,
                            &(qn_tune_attach_options){.size = sizeof(qn_tune_attach_options), .mode = QN_TUNE_KNOWN}));
    for (int i = 0; i < 3; i++) CHECK_OK(planted_launch(state, queue, NULL, NULL));
    CHECK(delay_used == 6);
    qn_tune_gain gain;
    size_t count;
    CHECK_OK(qn_tune_gains(context, &gain, 1, &count));
    CHECK(count == 1 && gain.origin == QN_TUNE_ORIGIN_SHIPPED && gain.nearness == QN_TUNE_SAME_ARCHITECTURE);
    CHECK(strncmp(gain.found_on, "last", 4) == 0);
    qn_tune_detach(context);
    unsetenv("QUERN_TUNED_DIR");
    planted_destroy(&made);
}

/* The device was tuned under another name: a run begins with the stored result, as with one of the nearest device. */
static void a_renamed_device_begins_with_its_results(void)
{
    static qn_kernel_declaration kernel;
    static qn_family family;
    planted_state *state = NULL;
    void *made = NULL;
    char path[600];
    qn_tune_store *own = NULL, *before = store;
    qn_tune_key renamed = neighbour("a device of another name", key.hardware.architecture, key.hardware.vendor, 1);
    qn_tune_gain gain;
    size_t count;
    kernel = planted_kernels[0];
    kernel.geometry = watched_geometry;
    family = honest_family;
    family.kernels = &kernel;
    family.name = "test/renamed";
    strcpy(renamed.family, family.name);
    snprintf(path, sizeof path, "%s/renamed.db", check_scratch_folder());
    if (!CHECK_OK(qn_tune_store_open(NULL, path, &own))) return;
    store = own;
    keep(&renamed, "FAULT=0 DELAY=6", 0.2);
    store = before;
    CHECK_OK(create_of(&family, queue, (const int[3]){7}, &made));
    state = made;
    CHECK_OK(qn_tune_attach(context, &(qn_tune_attach_options){
                                         .size = sizeof(qn_tune_attach_options), .mode = QN_TUNE_KNOWN, .store = own}));
    CHECK_OK(planted_launch(state, queue, NULL, NULL));
    CHECK(delay_used == 6);
    CHECK_OK(qn_tune_gains(context, &gain, 1, &count));
    CHECK(count == 1 && gain.origin == QN_TUNE_ORIGIN_STORE && gain.nearness == QN_TUNE_SAME_ARCHITECTURE);
    CHECK(strncmp(gain.found_on, "a device of another name", 24) == 0);
    qn_tune_detach(context);
    qn_tune_store_close(&own);
    planted_destroy(&made);
}

static void texts_of_configurations_are_read_back(void)
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
    if (!CHECK_OK(qn_context_create(
            &(qn_context_options){.size = sizeof(qn_context_options), .threads = 1, .log = count_warnings}, &context)))
        return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue)) ||
        !CHECK_OK(qn_tune_store_open(NULL, path, &store)) ||
        !CHECK_OK(qn_tune_key_make(&honest_family, device, "n=7", &key)))
        return check_finish();
    RUN(the_store_comes_first_then_shipped_then_the_fallback);
    RUN(known_results_are_used);
    RUN(nearness_is_by_architecture_then_vendor);
    RUN(lines_of_devices_are_read_back);
    RUN(other_devices_come_in_order_of_nearness);
    RUN(results_that_do_not_fit_are_skipped);
    RUN(a_renamed_device_begins_with_its_results);
    RUN(texts_of_configurations_are_read_back);
    qn_tune_store_close(&store);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
