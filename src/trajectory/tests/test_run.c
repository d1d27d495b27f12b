/* labels: threads */
/* Whole runs with the library's own queries: compared with reference results, and on a simulation played by the test.
 */
#define _POSIX_C_SOURCE 200809L
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "imd_server.h"
#include "trajectory/run.h"

enum { QUERIES_MAX = 4, VALUES_MAX = 4096 };

/* The main table of each query. */
typedef struct captured {
    double values[QUERIES_MAX][VALUES_MAX];
    size_t rows[QUERIES_MAX], columns[QUERIES_MAX];
    uint64_t frames;
    size_t writes;
    bool complete, live;
} captured;

static captured seen;

static qn_status capture(const qn_trajectory_results *results, void *user)
{
    captured *to = user;
    for (size_t i = 0; i < results->query_count && i < QUERIES_MAX; i++) {
        const qn_query_filled_table *table = &results->queries[i].tables->tables[0];
        const size_t count = table->row_count * table->table.column_count;
        to->rows[i] = table->row_count;
        to->columns[i] = table->table.column_count;
        if (count <= VALUES_MAX) memcpy(to->values[i], table->values, count * sizeof(double));
    }
    to->frames = results->frames;
    to->complete = results->complete;
    to->live = results->live != NULL;
    to->writes++;
    return QN_OK;
}

static qn_status run(const qn_trajectory_options *options)
{
    qn_context *context;
    seen = (captured){0};
    QN_TRY(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context));
    qn_status status = qn_trajectory_run_to(context, options, capture, &seen, NULL);
    qn_context_destroy(&context);
    return status;
}

static qn_trajectory_options options_for(const qn_trajectory_query *queries, size_t count)
{
    static char folders[8][512];
    static int next;
    char *folder = folders[next++ % 8];
    qn_trajectory_options options = qn_trajectory_default_options();
    snprintf(folder, sizeof folders[0], "%s/run%d", check_scratch_folder(), next);
    options.queries = queries;
    options.query_count = count;
    options.output = folder;
    return options;
}

/* ---- reference results ---- */

static void check_centre(const json_t *frame, const char *selection, const char *what, const double *row)
{
    const json_t *expected = json_object_get(json_object_get(frame, selection), what);
    CHECK_NEAR(row[0], json_number_value(json_object_get(frame, "time")), 1e-3);
    for (size_t axis = 0; axis < 3; axis++) /* within 1e-6 of the box length, 3.2 nm */
        CHECK_NEAR(row[1 + axis], json_number_value(json_array_get(expected, axis)), 3.2e-6);
}

static void centres_equal_those_of_the_reference(void)
{
    static const qn_trajectory_query queries[] = {
        {.size = sizeof(qn_trajectory_query), .query_class = "com", .name = "all-com"},
        {.size = sizeof(qn_trajectory_query), .query_class = "com", .name = "oxygen-com", .select = "name OW"},
        {.size = sizeof(qn_trajectory_query), .query_class = "cog", .name = "oxygen-cog", .select = "oxygens"},
        {.size = sizeof(qn_trajectory_query), .query_class = "count", .name = "near", .select = "within 5 of index 0"}};
    static const qn_trajectory_selection selections[] = {{"oxygens", "name OW"}};
    char topology[512], trajectory[512];
    snprintf(topology, sizeof topology, "%s", check_reference_data("trajectory/water3k/atoms.tsv.gz"));
    snprintf(trajectory, sizeof trajectory, "%s", check_reference_data("trajectory/water3k/water3k.xtc"));
    json_t *reference = json_load_file(check_reference_data("trajectory/water3k/ref/onebody.json"), 0, NULL);
    const json_t *frames = json_object_get(reference, "frames");
    qn_trajectory_options options = options_for(queries, 4);
    options.topology = topology;
    options.trajectories = (const char *const[]){trajectory};
    options.trajectory_count = 1;
    options.units = QN_TRAJECTORY_ANGSTROM; /* for the selection within 5 Å; captured results are in nm all the same */
    options.selections = selections;
    options.selection_count = 1;
    if (CHECK_OK(run(&options)) && CHECK(json_array_size(frames) == 51) && CHECK(seen.frames == 51)) {
        for (size_t i = 0; i < 51; i++) {
            const json_t *frame = json_array_get(frames, i);
            check_centre(frame, "all", "com", seen.values[0] + 4 * i);
            check_centre(frame, "OW", "com", seen.values[1] + 4 * i);
            check_centre(frame, "OW", "cog", seen.values[2] + 4 * i);
            const double near = seen.values[3][seen.columns[3] * i + 1];
            CHECK(near > 30 && near < 80); /* water has 100 atoms per nm³, the sphere has 0.52 nm³ */
        }
        CHECK(seen.rows[0] == 51 && seen.columns[0] == 4 && seen.complete && !seen.live);
    }
    json_decref(reference);
}

/* ---- a running simulation ---- */

enum { ATOMS = 6, FRAMES = 40 };

static float angstrom[FRAMES][ATOMS][3];

static const char *make_topology(void)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/atoms.tsv", check_scratch_folder());
    FILE *file = fopen(path, "w");
    fprintf(file, "#index0\tresid\tresname\tname\ttype\tmass\tcharge\n");
    for (int i = 0; i < ATOMS; i++) fprintf(file, "%d\t1\tMOL\tC\tC\t12\t0\n", i);
    fclose(file);
    return path;
}

static imd_server *start_simulation(int delay_ms, char address[32])
{
    for (int frame = 0; frame < FRAMES; frame++)
        for (int atom = 0; atom < ATOMS; atom++) angstrom[frame][atom][0] = (float)(10 * frame + atom);
    const imd_server_options played = {.version = 3,
                                       .session = {true, false, false, true, false, false, false},
                                       .atom_count = ATOMS,
                                       .frames = FRAMES,
                                       .positions_angstrom = &angstrom[0][0][0],
                                       .step_stride = 10,
                                       .time_step_ps = 0.002,
                                       .missing_frame = -1,
                                       .delay_ms = delay_ms};
    imd_server *server = imd_server_start(&played);
    snprintf(address, 32, "127.0.0.1:%d", imd_server_port(server));
    return server;
}

static const qn_trajectory_query live_query[] = {{.size = sizeof(qn_trajectory_query), .query_class = "cog"}};

static void results_of_a_live_run_are_written_while_it_runs(void)
{
    char address[32];
    imd_server *server = start_simulation(10, address);
    qn_trajectory_options options = options_for(live_query, 1);
    options.topology = make_topology();
    options.live = address;
    options.live_interval_s = 0.05;
    CHECK_OK(run(&options));
    imd_server_finish(&server);
    CHECK(seen.frames == FRAMES && seen.complete && seen.live && seen.writes > 2);
    for (int i = 0; i < FRAMES; i++) CHECK_NEAR(seen.values[0][4 * i + 1], i + 0.25, 1e-4); /* nm: mean of 0 … 5 Å */
}

static int stop_behind_three(const qn_progress *progress, void *user)
{
    (void)user;
    return progress->done >= 3;
}

static void a_stopped_live_run_keeps_the_received_frames(void)
{
    char address[32];
    imd_server *server = start_simulation(20, address);
    qn_trajectory_options options = options_for(live_query, 1);
    options.topology = make_topology();
    options.live = address;
    options.run.progress = stop_behind_three;
    CHECK_OK(run(&options)); /* stopping is no failure: most live runs end so */
    imd_server_finish(&server);
    CHECK(seen.frames >= 3 && seen.frames < FRAMES && seen.writes == 1 && seen.complete);
    options.run.resume = true;
    CHECK_FAILS(run(&options), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--resume cannot be used with --live");
}

int main(void)
{
    if (check_reference_data("trajectory/water3k")) RUN(centres_equal_those_of_the_reference);
    RUN(results_of_a_live_run_are_written_while_it_runs);
    RUN(a_stopped_live_run_keeps_the_received_frames);
    return check_finish();
}
