/* Files of a run with made-up tables: their numbers, units, texts and layout. */
#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "trajectory/results.h"

static const qn_query_parameter parameters[] = {
    {.name = "max", .kind = QN_PARAMETER_LENGTH, .fallback = "1.2", .meaning = "end"},
    {.name = "cn", .kind = QN_PARAMETER_FLAG, .fallback = "no", .meaning = "coordination"},
    {.name = "norm", .kind = QN_PARAMETER_CHOICE, .fallback = "frame", .choices = "frame mean", .meaning = "volume"},
    {0}};
static const qn_query_class made_up = {
    .size = sizeof(qn_query_class), .name = "made-up", .meaning = "for this test", .parameters = parameters};

static const qn_query_column columns[] = {
    {"time", "ps", 0}, {"radius of gyration", "nm", 1}, {"area \"s\"", "nm²", 2}, {"density ρ", "1/nm³", -3}};

enum { ROWS = 5 };
static const double rows[ROWS][4] = {{0, 1.5, 2.25, 1000},
                                     {0.1, -0.125, 3, 33.4},
                                     {0.2, (double)NAN, 1e-7, 12345678901234.0},
                                     {0.3, 1.0 / 3, 0, -1},
                                     {0.4, 2, 1, 0}};

static qn_context *context;

typedef struct made_run {
    qn_job job;
    qn_trajectory_options options;
    qn_topology topology;
    qn_trajectory_query query;
    qn_query_result result;
    qn_query_tables *tables;
    qn_trajectory_results results;
    const char *files[2];
    qn_frame_file_facts facts[2];
} made_run;

static void set(made_run *scene)
{
    memset(scene, 0, sizeof *scene);
    scene->files[0] = "first.xtc", scene->files[1] = "second.xtc";
    scene->options = (qn_trajectory_options){.size = sizeof(qn_trajectory_options),
                                             .topology = "topol.tpr",
                                             .trajectories = scene->files,
                                             .trajectory_count = 2,
                                             .output = check_scratch_folder(),
                                             .format = QN_TRAJECTORY_BOTH,
                                             .begin_ps = (double)-INFINITY,
                                             .end_ps = (double)INFINITY,
                                             .last_frame = UINT64_MAX,
                                             .stride = 1};
    CHECK_OK(qn_job_open(context, "trajectory", &scene->options.run, &scene->job));
    scene->job.output = (qn_output){.folder = check_scratch_folder()};
    scene->topology = (qn_topology){.atom_count = 30, .residue_count = 10, .molecule_count = 10};
    CHECK_OK(qn_query_tables_create(&scene->tables));
    scene->result = (qn_query_result){.query_class = &made_up,
                                      .query = &scene->query,
                                      .name = "sizes",
                                      .select = "name OW",
                                      .atom_counts = {10},
                                      .fixed = {true},
                                      .whole = true,
                                      .device = "",
                                      .seconds = 0.5,
                                      .tables = scene->tables};
    scene->facts[0] = (qn_frame_file_facts){.path = scene->files[0], .format = "XTC"};
    scene->facts[1] = (qn_frame_file_facts){.path = scene->files[1], .format = "XTC"};
    scene->results = (qn_trajectory_results){.options = &scene->options,
                                             .files = scene->facts,
                                             .file_count = 2,
                                             .job = &scene->job,
                                             .topology = &scene->topology,
                                             .queries = &scene->result,
                                             .query_count = 1,
                                             .frames = ROWS,
                                             .bytes = 4000000,
                                             .last_ps = 0.4,
                                             .analyse_s = 2,
                                             .complete = true};
}

static void clear(made_run *scene)
{
    qn_query_tables_destroy(&scene->tables);
    CHECK_OK(qn_job_close(&scene->job, QN_OK));
}

static void add_table(const made_run *scene, const char *name, const char *note)
{
    CHECK_OK(qn_query_tables_begin(
        scene->tables,
        &(qn_query_table){.name = name, .title = "Sizes", .columns = columns, .column_count = 4, .note = note}));
    for (int i = 0; i < ROWS; i++) CHECK_OK(qn_query_tables_row(scene->tables, rows[i]));
}

/* Read a file of the output; released by the caller with free. */
static char *content(const char *name)
{
    char *path, *data;
    size_t size;
    CHECK_OK(qn_path_join(check_scratch_folder(), name, &path));
    if (!CHECK_OK(qn_file_read(path, &data, &size))) data = calloc(1, 1);
    qn_release(&path);
    return data;
}

static void check_has(const char *text, const char *part)
{
    if (!CHECK(strstr(text, part) != NULL)) printf("no \"%s\" in:\n%.2000s\n", part, text);
}

/* Read the numbers of an xvg file as other programs do: from lines that begin with neither # nor @. */
static size_t read_xvg(const char *text, double *values, size_t most)
{
    size_t count = 0;
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        if (*line == '#' || *line == '@') continue;
        const char *end = line + strcspn(line, "\n");
        for (char *at = (char *)line; at < end && count < most;) {
            values[count++] = strtod(at, &at);
            while (*at == ' ') at++;
        }
    }
    return count;
}

static void xvg_has_the_lines_that_grace_reads(void)
{
    made_run scene;
    double values[64];
    set(&scene);
    add_table(&scene, "", "Made up.");
    CHECK_OK(qn_trajectory_output_write(&scene.results));
    char *text = content("sizes.xvg");
    check_has(text, "# Sizes\n# made-up of \"name OW\" (10 atoms), max 1.2 nm, norm frame, molecules made whole\n");
    check_has(text, "# topology topol.tpr, first.xtc, second.xtc\n# 5 frames from 0 to 0.4 ps; made by Quern ");
    check_has(text, "# Made up.\n@    title \"Sizes\"\n@    xaxis  label \"Time (ps)\"\n@    yaxis  label \"Sizes\"\n");
    check_has(text, "@TYPE xy\n");
    check_has(text, "@    s0 legend \"radius of gyration (nm)\"\n@    s1 legend \"area \\\"s\\\" (nm\\S2\\N)\"\n"
                    "@    s2 legend \"density \\xr\\f{} (1/nm\\S3\\N)\"\n");
    CHECK(read_xvg(text, values, 64) == 4 * (size_t)ROWS);
    for (int i = 0; i < 4 * ROWS; i++) {
        const double expected = (&rows[0][0])[i];
        if (isnan(expected))
            CHECK(isnan(values[i]));
        else
            CHECK_NEAR(values[i], expected, 1e-9 * fabs(expected));
    }
    check_has(text, " 12345678901234\n");
    free(text);
    text = content("sizes.csv");
    CHECK(strncmp(
              text, "time (ps),radius of gyration (nm),\"area \"\"s\"\" (nm²)\",density ρ (1/nm³)\n0,1.5,2.25,1000\n",
              strlen(
                  "time (ps),radius of gyration (nm),\"area \"\"s\"\" (nm²)\",density ρ (1/nm³)\n0,1.5,2.25,1000\n")) ==
          0);
    check_has(text, "\n0.2,,1e-07,12345678901234\n");
    free(text);
    clear(&scene);
}

/* 1.5 nm = 15 Å, 2.25 nm² = 225 Å², 1000 / nm³ = 1 / Å³. */
static void lengths_are_in_angstrom_on_request(void)
{
    made_run scene;
    double values[64];
    const qn_trajectory_parameter given[] = {{"norm", "mean"}, {"cn", "true"}};
    set(&scene);
    scene.options.units = QN_TRAJECTORY_ANGSTROM;
    scene.query.parameters = given;
    scene.query.parameter_count = 2;
    add_table(&scene, "part", NULL);
    CHECK_OK(qn_query_tables_number(scene.tables, "size", 0.25, "nm", 1));
    CHECK_OK(qn_trajectory_output_write(&scene.results));
    char *text = content("sizes_part.xvg");
    check_has(text, "max 12 Å, cn, norm mean");
    check_has(text, "s0 legend \"radius of gyration (\\cE\\C)\"");
    CHECK(read_xvg(text, values, 64) == 4 * (size_t)ROWS);
    CHECK_NEAR(values[1], 15, 1e-9);
    CHECK_NEAR(values[2], 225, 1e-9);
    CHECK_NEAR(values[3], 1, 1e-12);
    free(text);
    text = content("sizes_part.csv");
    check_has(text, "(Å),\"area \"\"s\"\" (Å²)\",density ρ (1/Å³)");
    free(text);
    text = content("run.json");
    json_t *run = json_loads(text, 0, NULL);
    json_t *query = json_array_get(json_object_get(run, "queries"), 0);
    json_t *number = json_array_get(json_object_get(query, "numbers"), 0);
    CHECK_NEAR(json_real_value(json_object_get(number, "value")), 2.5, 1e-12);
    CHECK_TEXT(json_string_value(json_object_get(number, "unit")), "Å");
    json_t *told = json_object_get(query, "parameters");
    CHECK_TEXT(json_string_value(json_object_get(told, "max")), "12");
    CHECK_TEXT(json_string_value(json_object_get(told, "norm")), "mean");
    json_decref(run);
    free(text);
    clear(&scene);
}

static void grids_are_written_as_opendx(void)
{
    const double values[6] = {0, 1, 2, 3.5, 4, 5};
    made_run scene;
    set(&scene);
    CHECK_OK(qn_query_tables_grid(scene.tables, &(qn_query_grid){.name = "",
                                                                 .title = "Number density",
                                                                 .unit = "1/nm³",
                                                                 .length_power = -3,
                                                                 .counts = {1, 2, 3},
                                                                 .origin_nm = {1, 0, 0},
                                                                 .step_nm = {0.1, 0.2, 0.3},
                                                                 .values = values}));
    CHECK_OK(qn_trajectory_output_write(&scene.results));
    char *text = content("sizes.dx");
    /* z runs fastest; positions are the middles of cells, in Å */
    check_has(text, "object 1 class gridpositions counts 1 2 3\norigin 10.5 1 1.5\ndelta 1 0 0\ndelta 0 2 0\n"
                    "delta 0 0 3\nobject 2 class gridconnections counts 1 2 3\n"
                    "object 3 class array type double rank 0 items 6 data follows\n0 1 2\n3.5 4 5\nattribute");
    free(text);
    clear(&scene);
}

static void run_json_describes_the_run(void)
{
    static const char warning[] = "first.xtc ends inside frame 5";
    const qn_frame_file_facts files[2] = {
        {.path = "first.xtc", .format = "XTC", .bytes = 4000000, .frames = 5, .ending = "inside frame 5"},
        {.path = "second.xtc"}};
    made_run scene;
    set(&scene);
    add_table(&scene, "", NULL);
    CHECK_OK(qn_job_warn(&scene.job, "%s", warning));
    scene.results.files = files;
    scene.results.file_count = 2;
    CHECK_OK(qn_trajectory_output_write(&scene.results));
    char *text = content("run.json");
    json_t *run = json_loads(text, 0, NULL), *frames = json_object_get(run, "frames");
    if (CHECK(run != NULL)) {
        CHECK(json_is_true(json_object_get(run, "complete")));
        CHECK(json_is_null(json_object_get(run, "live")));
        CHECK(json_integer_value(json_object_get(frames, "analysed")) == ROWS);
        CHECK_NEAR(json_real_value(json_object_get(frames, "per_s")), 2.5, 1e-12);
        CHECK_NEAR(json_real_value(json_object_get(frames, "megabytes_per_s")), 2, 1e-12);
        json_t *query = json_array_get(json_object_get(run, "queries"), 0), *file = json_object_get(query, "files");
        CHECK_TEXT(json_string_value(json_array_get(file, 0)), "sizes.xvg");
        CHECK_TEXT(json_string_value(json_array_get(file, 1)), "sizes.csv");
        CHECK_TEXT(json_string_value(json_object_get(json_object_get(query, "select"), "text")), "name OW");
        CHECK(json_is_null(json_object_get(query, "with")));
        json_t *second = json_array_get(json_object_get(run, "trajectories"), 1);
        CHECK(json_is_null(json_object_get(second, "format")));
        CHECK_TEXT(json_string_value(json_array_get(json_object_get(run, "warnings"), 0)), warning);
        CHECK(json_is_null(json_object_get(json_object_get(run, "options"), "begin_ps")));
    }
    json_decref(run);
    free(text);
    text = content("report.html");
    check_has(text, "<title>Trajectory first.xtc and 1 more</title>");
    check_has(text, "first.xtc ends inside frame 5");
    check_has(text, "not read, as no more frames were needed");
    /* three units, three plots */
    int figures = 0;
    for (const char *at = text; (at = strstr(at, "<figure")); at++) figures++;
    CHECK(figures == 3);
    free(text);
    clear(&scene);
}

/* A column "error of value" gives the plot bars; a table over frames gets its means, rounded by their errors; a number
 * is shown with the difference of its halves. */
static void errors_are_shown(void)
{
    enum { COUNT = 40 };
    const qn_query_column profile[] = {{"z", "nm", 1}, {"value", "", 0}, {"error of value", "", 0}};
    const qn_query_column series[] = {{"time", "ps", 0}, {"length", "nm", 1}};
    made_run scene;
    set(&scene);
    CHECK_OK(qn_query_tables_begin(scene.tables, &(qn_query_table){"profile", "Profile", profile, 3, 1, NULL}));
    for (int i = 0; i < 5; i++) CHECK_OK(qn_query_tables_row(scene.tables, (const double[]){i, 10 * i, i ? 2 : NAN}));
    CHECK_OK(qn_query_tables_begin(scene.tables, &(qn_query_table){"frames", "Length", series, 2, 0, NULL}));
    scene.tables->tables[scene.tables->table_count - 1].over_frames = true;
    /* blocks of four frames have the means 2.99 and 3.01 in turn: ten of them, error √(10 · 10⁻⁴ / 90) */
    for (int i = 0; i < COUNT; i++)
        CHECK_OK(qn_query_tables_row(scene.tables, (const double[]){i, i / 4 % 2 ? 3.01 : 2.99}));
    CHECK_OK(qn_query_tables_number(scene.tables, "speed", 2.2474, "10⁻⁵ cm²/s", 0));
    CHECK_OK(qn_query_tables_number(scene.tables, "difference of its halves", 0.4068, "10⁻⁵ cm²/s", 0));
    CHECK_OK(qn_query_tables_number(scene.tables, "clusters", 12345, "", 0));
    CHECK_OK(qn_query_tables_number(scene.tables, "constant", 71.234, "", 0));
    CHECK_OK(qn_query_tables_number(scene.tables, "error of constant", 4.2, "", 0));
    CHECK_OK(qn_trajectory_output_write(&scene.results));
    char *text = content("report.html");
    check_has(text, "<path class=\"o\" d=\"M");
    check_has(text, "1, 10 ± 2</title>");
    check_has(text, "Bars, or a band, show the standard error of each mean.");
    check_has(text, ">3.000 ± 0.003</td>");
    check_has(text, ">0.010</td>");
    check_has(text, "means over 10 blocks of 4 frames.");
    check_has(text, "<dt>speed</dt><dd class=\"long\">(2.2 ± 0.4) × 10⁻⁵ cm²/s</dd>");
    check_has(text, "<dt>clusters</dt><dd>12345</dd>");
    check_has(text, "<dt>constant</dt><dd>71 ± 4</dd>");
    CHECK(!strstr(text, ">Error of value<") && !strstr(text, ">error of constant<"));
    free(text);
    clear(&scene);
}

/* The last row but one has a peak. The thinned plot still shows it, and the report is below 1 MB. */
static void long_tables_are_thinned_in_plots_only(void)
{
    enum { MANY = 300000 };
    const qn_query_column pair[] = {{"time", "ps", 0}, {"value", "", 0}};
    made_run scene;
    set(&scene);
    CHECK_OK(qn_query_tables_begin(scene.tables, &(qn_query_table){"", "Many", pair, 2, 0, NULL}));
    for (int i = 0; i < MANY; i++)
        CHECK_OK(qn_query_tables_row(scene.tables, (const double[]){i, i == MANY - 2 ? 4321 : sin(i)}));
    CHECK_OK(qn_trajectory_output_write(&scene.results));
    char *text = content("report.html");
    CHECK(strlen(text) < 1000000);
    check_has(text, "4321");
    check_has(text, "the least and the greatest are shown");
    free(text);
    text = content("sizes.xvg");
    size_t lines = 0;
    for (const char *at = text; *at; at++) lines += *at == '\n' && at[1] != '@' && at[1] != '#' && at[1];
    CHECK(lines == MANY);
    free(text);
    clear(&scene);
}

static void intermediate_results_are_marked_and_replaced(void)
{
    const qn_live_facts facts = {.version = 3, .received = 12, .pauses = 2};
    made_run scene;
    set(&scene);
    add_table(&scene, "", NULL);
    scene.options.live = "localhost:8888";
    scene.results.live = &facts;
    scene.results.complete = false;
    for (int again = 0; again < 2; again++) CHECK_OK(qn_trajectory_output_write(&scene.results));
    char *text = content("report.html");
    check_has(text, "still running");
    check_has(text, "IMD version 3");
    free(text);
    text = content("sizes.xvg");
    check_has(text, "simulation localhost:8888");
    check_has(text, " so far; made by");
    free(text);
    text = content("run.json");
    json_t *run = json_loads(text, 0, NULL);
    CHECK(json_is_false(json_object_get(run, "complete")));
    CHECK(json_integer_value(json_object_get(json_object_get(run, "live"), "pauses")) == 2);
    json_decref(run);
    free(text);
    clear(&scene);
}

/* A selection of several lines, which YAML allows, adds no rows. */
static void line_breaks_in_texts_of_the_user_are_removed(void)
{
    made_run scene;
    double values[64];
    set(&scene);
    add_table(&scene, "", NULL);
    scene.result.select = "name OW\n1 2 3 4\nor name \"HW1\"";
    scene.options.topology = "a\n5 6 7 8.tpr";
    CHECK_OK(qn_trajectory_output_write(&scene.results));
    char *text = content("sizes.xvg");
    CHECK(read_xvg(text, values, 64) == 4 * (size_t)ROWS);
    CHECK_NEAR(values[1], 1.5, 0);
    free(text);
    clear(&scene);
}

static void few_rows_are_shown_as_a_table(void)
{
    made_run scene;
    set(&scene);
    CHECK_OK(qn_query_tables_begin(scene.tables, &(qn_query_table){"", "One", columns, 4, 0, NULL}));
    CHECK_OK(qn_query_tables_row(scene.tables, rows[1]));
    scene.results.first_ps = scene.results.last_ps = (double)NAN;
    CHECK_OK(qn_trajectory_output_write(&scene.results));
    char *text = content("report.html");
    check_has(text, "<table");
    check_has(text, "33.4");
    CHECK(strstr(text, "<figure") == NULL);
    free(text);
    clear(&scene);
}

int main(void)
{
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context)))
        return check_finish();
    setlocale(LC_ALL, "");
    RUN(xvg_has_the_lines_that_grace_reads);
    RUN(lengths_are_in_angstrom_on_request);
    RUN(grids_are_written_as_opendx);
    RUN(run_json_describes_the_run);
    RUN(errors_are_shown);
    RUN(long_tables_are_thinned_in_plots_only);
    RUN(intermediate_results_are_marked_and_replaced);
    RUN(line_breaks_in_texts_of_the_user_are_removed);
    RUN(few_rows_are_shown_as_a_table);
    qn_context_destroy(&context);
    return check_finish();
}
