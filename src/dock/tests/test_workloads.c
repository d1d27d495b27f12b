/* devices: host opencl:0 cuda:0 checking:host */
/* labels: unsanitized@opencl unsanitized@checking */
#define _DEFAULT_SOURCE
/* The workloads of the docking families: correct results pass their checks, wrong results fail, and a search of the
 * same sizes finds the results of tuning. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <quern/tune.h>

#include "base/memory.h"
#include "dock/search/kernels/ligand_grids.h"
#include "dock/search/search.h"
#include "tune/session.h"

enum { CORRELATE, LIGAND_GRIDS, BEST_CELLS, CORRELATE_COLUMNS, LIGAND_PLANES, SCORE_PLANES, FAMILIES };
enum { FIRST_FUSED = CORRELATE_COLUMNS };

/* The kernels of the fused rotation are compiled for a grid. The workloads have the sizes of the search below, so that
 * fewer kernels are compiled. */
static const struct {
    const char *name;
    int small[QN_WORKLOAD_SIZES], kernels; /* sizes; number of kernels in a run */
    int rotations;                         /* index of the size "rotations" */
} workloads[FAMILIES] = {
    [CORRELATE] = {"dock/correlate", {14, 3, 2}, 1, 1},
    [LIGAND_GRIDS] = {"dock/ligand_grids", {100, 7, 18}, 2, 1},
    [BEST_CELLS] = {"dock/best_cells", {13, 8, 16}, 2, 1},
    [CORRELATE_COLUMNS] = {"dock/correlate_columns", {24, 16, 2, 2, 3}, 1, 4},
    [LIGAND_PLANES] = {"dock/ligand_planes", {24, 16, 3, 100, 2}, 2, 4},
    [SCORE_PLANES] = {"dock/score_planes", {24, 4}, 2, 1},
};

static qn_context *context;
static qn_device *device;
static qn_queue *queue;

static const qn_workload *find(int number)
{
    const qn_workload *workload = NULL;
    CHECK_OK(qn_workload_find(workloads[number].name, &workload));
    return workload;
}

static double error_of(const qn_workload *workload, void *state)
{
    double error = -1;
    CHECK_OK(workload->check(state, queue, &error));
    return error;
}

static const char *count_question(qn_family_launch *launch, void *user)
{
    (void)launch;
    ++*(int *)user;
    return NULL;
}

/* If a configuration is given, all kernels use it; else the context is asked for one for each kernel. */
static void given_configurations_are_used(void)
{
    for (int w = 0; w < FAMILIES; w++) {
        const qn_workload *workload = find(w);
        const qn_configuration fallback = qn_family_fallback(workload->family);
        void *state = NULL;
        int questions = 0;
        if (!CHECK_OK(workload->create(queue, workloads[w].small, 5, &state))) continue;
        qn_context_set_configuration_source(context,
                                            &(qn_configuration_source){.choose = count_question, .user = &questions});
        CHECK_OK(workload->run(state, queue, &fallback, NULL));
        CHECK(questions == 0);
        CHECK_OK(workload->run(state, queue, NULL, NULL));
        CHECK(questions == workloads[w].kernels);
        qn_context_set_configuration_source(context, NULL);
        workload->destroy(&state);
    }
}

static void only_results_of_runs_pass(void)
{
    for (int w = 0; w < FAMILIES; w++) {
        const qn_workload *workload = find(w);
        const qn_configuration fallback = qn_family_fallback(workload->family);
        const int nothing[QN_WORKLOAD_SIZES] = {0};
        void *state = NULL;
        double seconds = -1;
        qn_work work = {0};
        CHECK_FAILS(workload->create(queue, nothing, 1, &state), QN_INVALID_ARGUMENT);
        CHECK_MESSAGE_HAS(workload->name);
        CHECK_MESSAGE_HAS(workload->size_names[0]);
        if (!CHECK_OK(workload->create(queue, workloads[w].small, 5, &state))) continue;
        CHECK_OK(workload->clear(state, queue));
        CHECK(error_of(workload, state) > 1);
        for (int again = 0; again < 2; again++) { /* the state after a run must not disturb the next run */
            CHECK_OK(workload->run(state, queue, &fallback, &seconds));
            CHECK(seconds >= 0 && isfinite(seconds));
            CHECK(error_of(workload, state) <= 1);
        }
        CHECK_OK(workload->clear(state, queue));
        CHECK(error_of(workload, state) > 1);
        CHECK_OK(workload->run(state, queue, NULL, NULL));
        CHECK(error_of(workload, state) <= 1);
        workload->work(state, &work);
        CHECK(work.bytes_read > 0 && work.multiply_adds > 0);
        workload->destroy(&state);
        CHECK(state == NULL);
    }
}

/* A search as in `quern dock`, of known sizes: a cube of noise, and atoms at the centre of the ligand's box. */
enum { CELLS = 24, BOX = 16, ATOMS = 60, TURNS = 1024, SETS = 2, KEPT = 2, VOLUME = CELLS * CELLS * CELLS };

static int32_t sites[ATOMS * QN_LIGAND_ATOM_INTS], weights[ATOMS], rotations[TURNS * QN_ROTATION_INTS];
static float noise[VOLUME];

static qn_dock_search *create_search(qn_dock_path path, int batch)
{
    static double scale[1] = {1};
    static qn_dock_layer layer = {.values = noise};
    static qn_dock_set sets[SETS] = {{.weight = {1}, .scale = scale}, {.weight = {-1}, .scale = scale}};
    const qn_dock_energy energy = {.term_count = 1,
                                   .grid_count = 1,
                                   .trilinear_grid = -1,
                                   .layer_count = 1,
                                   .set_count = SETS,
                                   .layers = &layer,
                                   .sets = sets};
    const qn_dock_ligand ligand = {.site_count = ATOMS, .grid_count = 1, .sites = sites, .weights = weights};
    const qn_dock_search_options options = {.path = path, .batch = batch, .per_rotation = KEPT, .exclusion_cells = 1};
    qn_dock_grid grid = {.spacing_angstrom = 1, .box = BOX, .box_centre = BOX / 2};
    qn_dock_search *search = NULL;
    for (int axis = 0; axis < 3; axis++) {
        grid.cells[axis] = CELLS;
        grid.last_shift[axis] = CELLS - 1;
    }
    for (int i = 0; i < VOLUME; i++) noise[i] = (float)(i * 7919 % 1009);
    for (int i = 0; i < TURNS * QN_ROTATION_INTS; i++) rotations[i] = i % 9 % 4 == 0 ? 1 << 30 : 0; /* identities */
    CHECK_OK(qn_dock_search_create(device, &grid, &energy, &ligand, rotations, TURNS, &options, &search));
    return search;
}

static void run_search(qn_dock_path path, int batch)
{
    static qn_dock_hit hits[16 * SETS * KEPT];
    qn_dock_search *search = create_search(path, batch);
    if (!search) return;
    CHECK_OK(qn_dock_search_submit(search, 0, 0));
    CHECK_OK(qn_dock_search_collect(search, 0, hits));
    qn_dock_search_destroy(&search);
}

static char asked[FAMILIES][64];

static const char *note_class(qn_family_launch *launch, void *user)
{
    (void)user;
    for (int w = 0; w < FAMILIES; w++)
        if (strcmp(launch->family->name, workloads[w].name) == 0)
            snprintf(asked[w], sizeof asked[w], "%s", launch->problem_class);
    return NULL;
}

static void classes_equal_those_of_a_search(void)
{
    enum { BATCH = 3 };
    const int sizes[FAMILIES][QN_WORKLOAD_SIZES] = {{CELLS, BATCH, SETS},          {ATOMS, BATCH, BOX},
                                                    {CELLS, BATCH * SETS, KEPT},   {CELLS, BOX, 1, SETS, BATCH},
                                                    {CELLS, BOX, 1, ATOMS, BATCH}, {CELLS, BATCH * SETS}};
    qn_context_set_configuration_source(context, &(qn_configuration_source){.choose = note_class});
    run_search(QN_DOCK_PATH_LIBRARY, BATCH);
    run_search(QN_DOCK_PATH_FUSED, BATCH);
    qn_context_set_configuration_source(context, NULL);
    for (int w = 0; w < FAMILIES; w++) {
        char text[64] = "";
        find(w)->problem_class(sizes[w], text);
        CHECK_TEXT(text, asked[w]);
        CHECK(text[0] != '\0');
    }
}

/* Neighbouring sizes have the same class; other sizes of grids, and few rotations, have other classes. */
static void neighbouring_sizes_have_one_class(void)
{
    static const struct {
        int number, sizes[2][QN_WORKLOAD_SIZES];
        bool alike;
    } pairs[] = {{CORRELATE_COLUMNS, {{160, 84, 8, 1, 16}, {180, 60, 7, 1, 64}}, true},
                 {CORRELATE_COLUMNS, {{160, 84, 8, 1, 16}, {128, 84, 8, 1, 16}}, false},
                 {CORRELATE_COLUMNS, {{160, 84, 8, 1, 16}, {160, 84, 2, 1, 16}}, false},
                 {CORRELATE_COLUMNS, {{160, 84, 8, 1, 16}, {160, 84, 8, 1, 4}}, false},
                 {LIGAND_PLANES, {{160, 84, 8, 2048, 16}, {162, 80, 2, 500, 128}}, true},
                 {LIGAND_PLANES, {{160, 84, 8, 2048, 16}, {160, 48, 8, 2048, 16}}, false},
                 {SCORE_PLANES, {{160, 16}, {162, 256}}, true},
                 {SCORE_PLANES, {{160, 16}, {128, 16}}, false}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char one[64], other[64];
        find(pairs[i].number)->problem_class(pairs[i].sizes[0], one);
        find(pairs[i].number)->problem_class(pairs[i].sizes[1], other);
        if (!CHECK((strcmp(one, other) == 0) == pairs[i].alike)) fprintf(stderr, "  \"%s\", \"%s\"\n", one, other);
    }
}

/* The default sizes of a workload are those of the batches of a search, with three sets. Workloads of the fused
 * rotation are left out on GPUs, where their batches grow as the grid becomes smaller, and the grid of this search is
 * small. */
static void default_sizes_equal_those_of_a_search(void)
{
    const int none[QN_WORKLOAD_SIZES] = {0};
    const bool is_cpu = qn_device_get_info(device)->kind == QN_DEVICE_CPU;
    for (int w = 0; w < (is_cpu ? FAMILIES : FIRST_FUSED); w++) {
        int sizes[QN_WORKLOAD_SIZES];
        qn_dock_search *search = create_search(w < FIRST_FUSED ? QN_DOCK_PATH_LIBRARY : QN_DOCK_PATH_FUSED, 0);
        if (!search) return;
        const int batch = qn_dock_search_batch(search);
        qn_dock_search_destroy(&search);
        qn_tune_workload_sizes(find(w), qn_device_get_info(device), none, sizes);
        const int wanted = w == BEST_CELLS ? 3 * batch : batch, usual = sizes[workloads[w].rotations];
        if (!CHECK(usual == wanted)) fprintf(stderr, "  %s: %d; a search has %d\n", workloads[w].name, usual, wanted);
    }
}

static void check_search_finds_tuning_result(int number, const int sizes[QN_WORKLOAD_SIZES], uint64_t tests, int batch)
{
    enum { MAX = 16 };
    char path[512];
    qn_tune_store *store = NULL;
    qn_tune_result result;
    qn_tune_gain gains[MAX];
    size_t count = 0;
    bool found = false;
    snprintf(path, sizeof path, "%s/tuned_%d.db", check_scratch_folder(), number);
    if (!CHECK_OK(qn_tune_store_open(NULL, path, &store))) return;
    qn_tune_options options = {
        .size = sizeof options,
        .tuner = {.size = sizeof(qn_tuner_options), .searcher = "random", .seed = 1, .tests = tests},
        .most_repeats = 3,
        .store = store};
    memcpy(options.sizes, sizes, sizeof options.sizes);
    qn_workload workload = *find(number);
    workload.work = NULL; /* the measurement of the device's limits takes long on slow devices */
    CHECK_OK(qn_tune_run(device, &workload, &options, &result));
    CHECK(result.tests >= 1 && result.tests <= tests && result.failed[QN_TEST_WRONG] == 0);
    CHECK_OK(qn_tune_attach(
        context,
        &(qn_tune_attach_options){.size = sizeof(qn_tune_attach_options), .mode = QN_TUNE_KNOWN, .store = store}));
    run_search(number < FIRST_FUSED ? QN_DOCK_PATH_LIBRARY : QN_DOCK_PATH_FUSED, batch);
    CHECK_OK(qn_tune_gains(context, gains, MAX, &count));
    for (size_t i = 0; i < count && i < MAX; i++) {
        const bool tuned = strcmp(gains[i].family, workloads[number].name) == 0;
        CHECK(gains[i].origin == (tuned ? QN_TUNE_ORIGIN_STORE : QN_TUNE_ORIGIN_FALLBACK));
        if (tuned) CHECK_TEXT(gains[i].configuration, result.text);
        found |= tuned;
    }
    CHECK(found);
    qn_tune_detach(context);
    qn_tune_store_close(&store);
}

static void searches_find_tuning_results(void)
{
    check_search_finds_tuning_result(CORRELATE, (const int[QN_WORKLOAD_SIZES]){CELLS, 2, SETS}, 5, 2);
    check_search_finds_tuning_result(CORRELATE_COLUMNS, (const int[QN_WORKLOAD_SIZES]){CELLS, BOX, 1, SETS, 2}, 2, 2);
}

int main(int argc, char **argv)
{
    const char *identifier = argc > 1 ? argv[1] : "host";
    setenv("QUERN_TUNING_STORE", "off", 1);
    if (qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context) != QN_OK)
        return 1;
    if (qn_device_open(context, identifier, &device) != QN_OK) check_skip(identifier, qn_error_message());
    CHECK_OK(qn_queue_create(device, &queue));
    RUN(only_results_of_runs_pass);
    RUN(given_configurations_are_used);
    RUN(classes_equal_those_of_a_search);
    RUN(neighbouring_sizes_have_one_class);
    RUN(default_sizes_equal_those_of_a_search);
    RUN(searches_find_tuning_results);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
