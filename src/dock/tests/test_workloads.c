/* devices: host opencl:0 cuda:0 checking:host */
#define _DEFAULT_SOURCE
/* The workloads of the docking families: right answers pass, wrong ones do not, and what tuning them finds is what a
 * search of such sizes looks up. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <quern/tune.h>

#include "base/memory.h"
#include "dock/kernels/ligand_grids.h"
#include "dock/search.h"
#include "tune/session.h"

enum { CORRELATE, LIGAND_GRIDS, BEST_CELLS, FAMILIES };

static const char *const names[FAMILIES] = {"dock/correlate", "dock/ligand_grids", "dock/best_cells"};
static const int small[FAMILIES][QN_WORKLOAD_SIZES] = {{14, 3, 2}, {100, 7, 18}, {13, 8, 16}};

static qn_context *context;
static qn_device *device;
static qn_queue *queue;

static const qn_workload *find(int number)
{
    const qn_workload *workload = NULL;
    CHECK_OK(qn_workload_find(names[number], &workload));
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

/* A configuration that is named runs, every kernel of it; else the context is asked. */
static void named_configurations_run(void)
{
    for (int w = 0; w < FAMILIES; w++) {
        const qn_workload *workload = find(w);
        const qn_configuration fallback = qn_family_fallback(workload->family);
        void *state = NULL;
        int questions = 0;
        if (!CHECK_OK(workload->create(queue, small[w], 5, &state))) continue;
        qn_context_set_configuration_source(context,
                                            &(qn_configuration_source){.choose = count_question, .user = &questions});
        CHECK_OK(workload->run(state, queue, &fallback, NULL));
        CHECK(questions == 0);
        CHECK_OK(workload->run(state, queue, NULL, NULL));
        CHECK(questions == workload->family->kernel_count);
        qn_context_set_configuration_source(context, NULL);
        workload->destroy(&state);
    }
}

static void runs_pass_and_nothing_else(void)
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
        if (!CHECK_OK(workload->create(queue, small[w], 5, &state))) continue;
        CHECK_OK(workload->clear(state, queue));
        CHECK(error_of(workload, state) > 1);
        for (int again = 0; again < 2; again++) { /* what a run leaves behind does not disturb the next */
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

/* A search as `quern dock` makes it, of sizes that are known here: a cube of noise and atoms at its centre. */
enum { CELLS = 24, BOX = 16, ATOMS = 60, TURNS = 1024, SETS = 2, KEPT = 2, VOLUME = CELLS * CELLS * CELLS };

static int32_t sites[ATOMS * QN_LIGAND_ATOM_INTS], weights[ATOMS], rotations[TURNS * QN_ROTATION_INTS];
static float noise[VOLUME];

static qn_dock_search *create_search(int batch)
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
    const qn_dock_search_options options = {.batch = batch, .per_rotation = KEPT, .exclusion_cells = 1};
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

static void run_search(int batch)
{
    static qn_dock_hit hits[16 * SETS * KEPT];
    qn_dock_search *search = create_search(batch);
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
        if (strcmp(launch->family->name, names[w]) == 0)
            snprintf(asked[w], sizeof asked[w], "%s", launch->problem_class);
    return NULL;
}

static void classes_are_those_of_a_search(void)
{
    enum { BATCH = 3 };
    const int sizes[FAMILIES][QN_WORKLOAD_SIZES] = {
        {CELLS, BATCH, SETS}, {ATOMS, BATCH, BOX}, {CELLS, BATCH * SETS, KEPT}};
    qn_context_set_configuration_source(context, &(qn_configuration_source){.choose = note_class});
    run_search(BATCH);
    qn_context_set_configuration_source(context, NULL);
    for (int w = 0; w < FAMILIES; w++) {
        char text[64] = "";
        find(w)->problem_class(sizes[w], text);
        CHECK_TEXT(text, asked[w]);
        CHECK(text[0] != '\0');
    }
}

/* The sizes that a workload has by default are those of a search's own batches, with the usual three sets. */
static void defaults_are_those_of_a_search(void)
{
    const int none[QN_WORKLOAD_SIZES] = {0};
    int sizes[QN_WORKLOAD_SIZES];
    qn_dock_search *search = create_search(0);
    if (!search) return;
    const int batch = qn_dock_search_batch(search);
    qn_dock_search_destroy(&search);
    for (int w = 0; w < FAMILIES; w++) {
        qn_tune_workload_sizes(find(w), qn_device_get_info(device), none, sizes);
        if (!CHECK(sizes[1] == (w == BEST_CELLS ? 3 * batch : batch)))
            fprintf(stderr, "  %s: %d, a search has %d\n", names[w], sizes[1], batch);
    }
}

static void a_search_finds_what_was_tuned(void)
{
    enum { BATCH = 2, MOST = 16 };
    char path[512];
    qn_tune_store *store = NULL;
    qn_tune_result result;
    qn_tune_gain gains[MOST];
    size_t count = 0;
    bool found = false;
    snprintf(path, sizeof path, "%s/tuned.db", check_scratch_folder());
    if (!CHECK_OK(qn_tune_store_open(path, &store))) return;
    const qn_tune_options options = {.tuner = {.searcher = "random", .seed = 1, .tests = 5},
                                     .sizes = {CELLS, BATCH, SETS},
                                     .most_repeats = 3,
                                     .store = store};
    qn_workload workload = *find(CORRELATE);
    workload.work = NULL; /* measuring the device's limit takes long on slow ones */
    CHECK_OK(qn_tune_run(device, &workload, &options, &result));
    CHECK(result.tests == 5 && result.failed[QN_TEST_WRONG] == 0);
    CHECK_OK(qn_tune_attach(context, &(qn_tune_attach_options){.mode = QN_TUNE_KNOWN, .store = store}));
    run_search(BATCH);
    CHECK_OK(qn_tune_gains(context, gains, MOST, &count));
    for (size_t i = 0; i < count && i < MOST; i++) {
        const bool tuned = strcmp(gains[i].family, "dock/correlate") == 0;
        CHECK_TEXT(gains[i].origin, tuned ? "store" : "fallback");
        if (tuned) CHECK_TEXT(gains[i].configuration, result.text);
        found |= tuned;
    }
    CHECK(found);
    qn_tune_detach(context);
    qn_tune_store_close(&store);
}

int main(int argc, char **argv)
{
    const char *identifier = argc > 1 ? argv[1] : "host";
    setenv("QUERN_TUNING_STORE", "off", 1);
    if (qn_context_create(&(qn_context_options){.threads = 2}, &context) != QN_OK) return 1;
    if (qn_device_open(context, identifier, &device) != QN_OK) check_skip(identifier, qn_error_message());
    CHECK_OK(qn_queue_create(device, &queue));
    RUN(runs_pass_and_nothing_else);
    RUN(named_configurations_run);
    RUN(classes_are_those_of_a_search);
    RUN(defaults_are_those_of_a_search);
    RUN(a_search_finds_what_was_tuned);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
