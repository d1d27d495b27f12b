/* labels: threads */
/* Runs and conversions from memory to memory: results equal those in files in every digit, nothing is written without
 * an output, and invalid inputs in memory are refused. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "trajectory/output.h"
#include "trajectory/run.h"

enum { WATERS = 40, ATOMS = 3 * WATERS, FRAMES = 21 };

static float positions[FRAMES][ATOMS][3];
static double boxes[FRAMES][9], times[FRAMES];
static qn_context *context;

static const char *path_of(const char *name)
{
    static char paths[16][512];
    static int next;
    char *path = paths[next++ % 16];
    snprintf(path, sizeof paths[0], "%s/%s", check_scratch_folder(), name);
    return path;
}

/* Random numbers from 0 to 1, the same on every machine. */
static double random_of(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) / 16777216.0;
}

/* Make waters that move a little from frame to frame, in a box of 2 nm. Positions are rounded to 1/1000 nm as in XTC.
 */
static void make_frames(void)
{
    uint32_t state = 7;
    for (int frame = 0; frame < FRAMES; frame++) {
        times[frame] = 2.0 * frame;
        for (int k = 0; k < 3; k++) boxes[frame][4 * k] = 2;
        for (int water = 0; water < WATERS; water++)
            for (int axis = 0; axis < 3; axis++) {
                const double step = 0.1 * random_of(&state);
                const double at = frame ? (double)positions[frame - 1][3 * water][axis] + step : 2 * random_of(&state);
                const double rounded = rint(1000 * at);
                positions[frame][3 * water][axis] = (float)(rounded / 1000);
                for (int i = 1; i < 3; i++)
                    positions[frame][3 * water + i][axis] = (float)((rounded + (axis == i ? 95 : 10)) / 1000);
            }
    }
}

static qn_topology *make_topology(void)
{
    qn_topology *topology;
    if (!CHECK_OK(qn_topology_create("waters", &topology))) return NULL;
    topology->masses = QN_MASSES_FROM_FILE;
    topology->has_charges = topology->has_bonds = true;
    for (int i = 0; i < WATERS; i++) {
        const size_t first = topology->atom_count;
        qn_topology_residue residue = {.number = i + 1, .name = "SOL"};
        qn_topology_atom oxygen = {.name = "OW", .mass_u = 16, .charge_e = -0.8};
        qn_topology_atom hydrogen = {.name = "HW1", .mass_u = 1, .charge_e = 0.4};
        CHECK_OK(qn_topology_append_residue(topology, &residue));
        CHECK_OK(qn_topology_append_atom(topology, &oxygen));
        CHECK_OK(qn_topology_append_atom(topology, &hydrogen));
        hydrogen.name[2] = '2';
        CHECK_OK(qn_topology_append_atom(topology, &hydrogen));
        CHECK_OK(qn_topology_append_bond(topology, first + 1, first));
        CHECK_OK(qn_topology_append_bond(topology, first, first + 2));
    }
    qn_topology_complete_elements(topology);
    CHECK_OK(qn_topology_finish(topology, QN_MOLECULES_OF_BONDS));
    CHECK_OK(qn_topology_check(topology));
    return topology;
}

static const qn_frame_array packed = {.positions_nm = &positions[0][0][0],
                                      .frame_count = FRAMES,
                                      .atom_count = ATOMS,
                                      .boxes_nm = &boxes[0][0],
                                      .times_ps = times};

static const qn_trajectory_query queries[] = {
    {.size = sizeof(qn_trajectory_query), .query_class = "gyration"},
    {.size = sizeof(qn_trajectory_query), .query_class = "msd", .select = "name OW"},
    {.size = sizeof(qn_trajectory_query), .query_class = "dipole"},
    {.size = sizeof(qn_trajectory_query), .query_class = "count", .name = "near", .select = "within 0.5 of index 0"},
    {.size = sizeof(qn_trajectory_query), .query_class = "density-grid", .select = "name OW"}};
enum { QUERIES = sizeof queries / sizeof *queries };

static qn_trajectory_options options_for(const qn_topology *topology)
{
    qn_trajectory_options options = qn_trajectory_default_options();
    options.topology_in_memory = topology;
    options.frames = &packed;
    options.queries = queries;
    options.query_count = QUERIES;
    return options;
}

/* ---- comparisons ---- */

/* Compare a table of a result with the rows of its xvg file, as texts. */
static void check_file(const char *folder, const qn_trajectory_result_query *query,
                       const qn_trajectory_result_table *table)
{
    char path[700], line[4096], expected[4096];
    size_t rows = 0;
    snprintf(path, sizeof path, "%s/%s%s%s.xvg", folder, query->name, table->name[0] ? "_" : "", table->name);
    FILE *file = fopen(path, "r");
    if (!CHECK(file != NULL)) return;
    while (fgets(line, sizeof line, file)) {
        size_t length = 0;
        if (line[0] == '#' || line[0] == '@') continue;
        if (!CHECK(rows < table->row_count)) break;
        for (size_t i = 0; i < table->column_count; i++) {
            char number[32];
            qn_output_number(table->values[rows * table->column_count + i], number);
            length += (size_t)snprintf(expected + length, sizeof expected - length, "%s%s", i ? " " : "", number);
        }
        line[strcspn(line, "\n")] = '\0';
        CHECK_TEXT(line, expected);
        rows++;
    }
    CHECK(rows == table->row_count);
    fclose(file);
}

static void check_files(const char *folder, const qn_trajectory_result *result)
{
    for (size_t i = 0; i < result->query_count; i++)
        for (size_t k = 0; k < result->queries[i].table_count; k++)
            check_file(folder, &result->queries[i], &result->queries[i].tables[k]);
}

static void check_same_bits(const double *values, const double *others, size_t count)
{
    CHECK(memcmp(values, others, count * sizeof *values) == 0);
}

static void check_same(const qn_trajectory_result *result, const qn_trajectory_result *other)
{
    if (!CHECK(result->query_count == QUERIES && other->query_count == QUERIES)) return;
    CHECK(result->frame_count == other->frame_count && result->atom_count == other->atom_count);
    for (size_t i = 0; i < QUERIES; i++) {
        const qn_trajectory_result_query *one = &result->queries[i], *two = &other->queries[i];
        CHECK_TEXT(one->name, two->name);
        if (!CHECK(one->table_count == two->table_count && one->grid_count == two->grid_count)) continue;
        CHECK(one->table_count + one->grid_count > 0);
        for (size_t k = 0; k < one->table_count; k++)
            if (CHECK(one->tables[k].row_count == two->tables[k].row_count))
                check_same_bits(one->tables[k].values, two->tables[k].values,
                                one->tables[k].row_count * one->tables[k].column_count);
        for (size_t k = 0; k < one->grid_count; k++) {
            const int *counts = one->grids[k].counts;
            check_same_bits(one->grids[k].values, two->grids[k].values,
                            (size_t)counts[0] * (size_t)counts[1] * (size_t)counts[2]);
        }
        for (size_t k = 0; k < one->number_count; k++)
            check_same_bits(&one->numbers[k].value, &two->numbers[k].value, 1);
    }
}

static size_t entries_of(const char *folder)
{
    size_t count = 0;
    DIR *listing = opendir(folder);
    while (listing && readdir(listing)) count++;
    if (listing) closedir(listing);
    return count;
}

/* ---- runs ---- */

static void tables_equal_those_in_the_files(void)
{
    qn_topology *topology = make_topology();
    qn_trajectory_options options = options_for(topology);
    qn_trajectory_result *result;
    for (int angstrom = 0; angstrom < 2; angstrom++) {
        options.units = angstrom ? QN_TRAJECTORY_ANGSTROM : QN_TRAJECTORY_NM;
        options.output = path_of(angstrom ? "angstrom" : "nm");
        if (!CHECK_OK(qn_trajectory_run(context, &options, &result))) continue;
        CHECK(result->frame_count == FRAMES && result->atom_count == ATOMS && result->query_count == QUERIES);
        CHECK(result->first_ps == 0 && result->last_ps == 2.0 * (FRAMES - 1) && result->report[0]);
        CHECK_TEXT(result->queries[0].tables[0].columns[1].unit, angstrom ? "Å" : "nm");
        CHECK(result->queries[1].tables[0].row_count > 5);
        check_files(options.output, result);
        qn_trajectory_result_destroy(&result);
        CHECK(result == NULL);
    }
    qn_topology_destroy(&topology);
}

static int stop_early(const qn_progress *progress, void *user)
{
    (void)user;
    return progress->done >= 8;
}

static void a_resumed_run_has_the_same_results(void)
{
    qn_topology *topology = make_topology();
    qn_trajectory_options options = options_for(topology);
    qn_trajectory_result *whole, *resumed;
    if (CHECK_OK(qn_trajectory_run(context, &options, &whole))) {
        options.output = path_of("resumed");
        options.run.progress = stop_early;
        CHECK_FAILS(qn_trajectory_run(context, &options, &resumed), QN_CANCELLED);
        CHECK(resumed == NULL);
        options.run.progress = NULL;
        for (int again = 0; again < 2; again++) { /* resume an unfinished run, then a finished one */
            options.run.resume = true;
            if (!CHECK_OK(qn_trajectory_run(context, &options, &resumed))) continue;
            CHECK(again ? resumed->resumed_count == FRAMES : resumed->resumed_count >= 8);
            check_same(resumed, whole);
            check_files(options.output, resumed);
            qn_trajectory_result_destroy(&resumed);
        }
    }
    qn_trajectory_result_destroy(&whole);
    qn_topology_destroy(&topology);
}

static void results_do_not_depend_on_the_number_of_threads(void)
{
    qn_topology *topology = make_topology();
    qn_trajectory_options options = options_for(topology);
    qn_trajectory_result *one = NULL, *many = NULL;
    qn_context *others[2];
    for (int i = 0; i < 2; i++)
        CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = i ? 4 : 1},
                                   &others[i]));
    if (CHECK_OK(qn_trajectory_run(others[0], &options, &one)) &&
        CHECK_OK(qn_trajectory_run(others[1], &options, &many)))
        check_same(one, many);
    qn_trajectory_result_destroy(&one);
    qn_trajectory_result_destroy(&many);
    for (int i = 0; i < 2; i++) qn_context_destroy(&others[i]);
    qn_topology_destroy(&topology);
}

static void nothing_is_written_without_an_output(void)
{
    char folder[1024], home[1024];
    qn_topology *topology = make_topology();
    qn_trajectory_options options = options_for(topology);
    qn_trajectory_result *result = NULL;
    CHECK(mkdtemp(strcpy(folder, path_of("in_XXXXXX"))) != NULL);
    CHECK(getcwd(home, sizeof home) != NULL);
    CHECK(chdir(folder) == 0);
    CHECK_OK(qn_trajectory_run(context, &options, &result));
    CHECK(entries_of(".") == 2); /* . and .. */
    CHECK(chdir(home) == 0);
    if (result) CHECK(result->report[0] == '\0' && result->query_count == QUERIES);
    qn_trajectory_result_destroy(&result);
    CHECK_OK(qn_trajectory_run(context, &options, NULL));
    options.run.resume = true;
    CHECK_FAILS(qn_trajectory_run(context, &options, &result), QN_INVALID_ARGUMENT);
    CHECK(result == NULL);
    qn_topology_destroy(&topology);
}

/* ---- forms of frames ---- */

static qn_status next_frame(qn_trajectory_frame *frame, bool *end, void *user)
{
    int *next = user;
    if (*next == FRAMES) {
        *end = true;
        return QN_OK;
    }
    CHECK(frame->atom_count == ATOMS && frame->step == -1 && isnan(frame->time_ps));
    memcpy(frame->positions_nm, positions[*next], sizeof positions[0]);
    memcpy(frame->box_nm, boxes[*next], sizeof boxes[0]);
    frame->time_ps = times[*next];
    ++*next;
    return QN_OK;
}

/* A view of an array in another order: frames backwards along the fastest axis, then atoms, then x, y, z. */
static void views_and_functions_give_the_same_results(void)
{
    static float turned[3][ATOMS][FRAMES];
    qn_topology *topology = make_topology();
    qn_trajectory_options options = options_for(topology);
    qn_trajectory_result *plain = NULL, *other = NULL;
    int next = 0;
    for (int frame = 0; frame < FRAMES; frame++)
        for (int atom = 0; atom < ATOMS; atom++)
            for (int axis = 0; axis < 3; axis++) turned[axis][atom][FRAMES - 1 - frame] = positions[frame][atom][axis];
    qn_frame_array view = packed;
    view.positions_nm = &turned[0][0][FRAMES - 1];
    view.frame_stride_bytes = -(ptrdiff_t)sizeof(float);
    view.atom_stride_bytes = FRAMES * sizeof(float);
    view.axis_stride_bytes = ATOMS * FRAMES * sizeof(float);
    CHECK_OK(qn_trajectory_run(context, &options, &plain));
    options.frames = &view;
    if (CHECK_OK(qn_trajectory_run(context, &options, &other))) check_same(plain, other);
    qn_trajectory_result_destroy(&other);
    options.frames = NULL;
    options.next_frame = next_frame;
    options.next_frame_user = &next;
    if (CHECK_OK(qn_trajectory_run(context, &options, &other))) check_same(plain, other);
    qn_trajectory_result_destroy(&other);
    qn_trajectory_result_destroy(&plain);
    qn_topology_destroy(&topology);
}

/* Positions in units of 0.5 nm, so that the products are exact. */
static void frames_of_another_unit_give_the_same_results(void)
{
    static float doubled[FRAMES][ATOMS][3];
    qn_topology *topology = make_topology();
    qn_trajectory_options options = options_for(topology);
    qn_trajectory_result *plain = NULL, *other = NULL;
    qn_frame_array frames = packed;
    for (size_t i = 0; i < sizeof doubled / sizeof(float); i++) (&doubled[0][0][0])[i] = 2 * (&positions[0][0][0])[i];
    frames.positions_nm = &doubled[0][0][0];
    frames.nm_per_unit = 0.5;
    CHECK_OK(qn_trajectory_run(context, &options, &plain));
    options.frames = &frames;
    if (CHECK_OK(qn_trajectory_run(context, &options, &other))) check_same(plain, other);
    qn_trajectory_result_destroy(&other);
    qn_trajectory_result_destroy(&plain);
    frames.nm_per_unit = -1;
    CHECK_FAILS(qn_trajectory_run(context, &options, &other), QN_INVALID_ARGUMENT);
    CHECK(strstr(qn_error_message(), "nm_per_unit is -1") != NULL);
    qn_topology_destroy(&topology);
}

static void frames_are_chosen_as_from_files(void)
{
    qn_topology *topology = make_topology();
    qn_trajectory_options options = options_for(topology);
    qn_trajectory_result *result = NULL;
    options.query_count = 1;
    options.begin_ps = 4;
    options.end_ps = 17;
    options.stride = 3;
    if (CHECK_OK(qn_trajectory_run(context, &options, &result)) && CHECK(result->frame_count == 3))
        for (int i = 0; i < 3; i++)
            CHECK(result->queries[0].tables[0].values[(size_t)i * result->queries[0].tables[0].column_count] ==
                  4 + 6 * i);
    qn_trajectory_result_destroy(&result);
    qn_topology_destroy(&topology);
}

/* Convert frames in memory to XTC and back. Positions are multiples of 1/1000 nm, which XTC keeps within 1e-6. */
static void conversions_go_to_files_and_back(void)
{
    qn_topology *topology = make_topology();
    qn_trajectory_convert_options options = qn_trajectory_default_convert_options();
    qn_trajectory_convert_result *written = NULL, *read = NULL, *chosen = NULL;
    const char *const files[] = {path_of("frames.xtc")};
    options.frames = &packed;
    options.output = files[0];
    if (CHECK_OK(qn_trajectory_convert(context, &options, &written)))
        CHECK(written->frame_count == FRAMES && written->atom_count == ATOMS && !written->positions_nm);
    options = qn_trajectory_default_convert_options();
    options.trajectories = files;
    options.trajectory_count = 1;
    if (CHECK_OK(qn_trajectory_convert(context, &options, &read)) && CHECK(read->frame_count == FRAMES)) {
        const float *all = &positions[0][0][0];
        for (size_t i = 0; i < (size_t)FRAMES * ATOMS * 3; i++) CHECK_NEAR(read->positions_nm[i], all[i], 1e-6);
        for (int i = 0; i < FRAMES; i++) CHECK(read->times_ps[i] == times[i] && fabs(read->boxes_nm[9 * i] - 2) < 1e-6);
    }
    options.topology_in_memory = topology;
    options.select = "name OW";
    if (CHECK_OK(qn_trajectory_convert(context, &options, &chosen)) && CHECK(chosen->atom_count == WATERS))
        for (size_t i = 0; i < (size_t)FRAMES * WATERS; i++)
            CHECK(memcmp(chosen->positions_nm + 3 * i, read->positions_nm + 9 * i, 3 * sizeof(float)) == 0);
    CHECK_FAILS(qn_trajectory_convert(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("neither an output nor a result");
    qn_trajectory_convert_result_destroy(&written);
    qn_trajectory_convert_result_destroy(&read);
    qn_trajectory_convert_result_destroy(&chosen);
    qn_topology_destroy(&topology);
}

/* ---- callers of other versions ---- */

typedef struct newer_query {
    qn_trajectory_query query;
    void *unknown[2];
} newer_query;

static void queries_of_other_versions_are_read(void)
{
    qn_topology *topology = make_topology();
    qn_trajectory_options options = options_for(topology);
    qn_trajectory_result *result = NULL, *newer = NULL;
    newer_query grown[QUERIES];
    memset(grown, 0, sizeof grown);
    for (int i = 0; i < QUERIES; i++) {
        grown[i].query = queries[i];
        grown[i].query.size = sizeof grown[0];
    }
    CHECK_OK(qn_trajectory_run(context, &options, &result));
    options.queries = &grown[0].query;
    if (CHECK_OK(qn_trajectory_run(context, &options, &newer))) check_same(result, newer);
    qn_trajectory_result_destroy(&result);
    qn_trajectory_result_destroy(&newer);
    grown[1].unknown[1] = grown;
    CHECK_FAILS(qn_trajectory_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("the query options set something that this version of the library does not know");
    options.queries = &(qn_trajectory_query){.query_class = "gyration"};
    options.query_count = 1;
    CHECK_FAILS(qn_trajectory_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("the first query has the size 0; expected sizeof(qn_trajectory_query)");
    options.queries = queries;
    options.user_classes = (const qn_query_class *const[]){&(qn_query_class){.name = "unsized"}, NULL};
    options.queries = &(qn_trajectory_query){.size = sizeof(qn_trajectory_query), .query_class = "unsized"};
    CHECK_FAILS(qn_trajectory_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("a query class has the size 0; expected sizeof(qn_query_class)");
    qn_topology_destroy(&topology);
}

/* ---- refusals ---- */

static void expect_refusal(const qn_trajectory_options *options, const char *message)
{
    qn_trajectory_result *result = NULL;
    CHECK_FAILS(qn_trajectory_run(context, options, &result), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS(message);
    CHECK(result == NULL);
}

static qn_status other_atoms(qn_trajectory_frame *frame, bool *end, void *user)
{
    (void)user;
    (void)end;
    frame->atom_count = 5;
    return QN_OK;
}

static void inputs_must_be_given_exactly_once(void)
{
    qn_topology *topology = make_topology();
    qn_trajectory_options options = options_for(topology);
    options.topology = "waters.gro";
    expect_refusal(&options, "the topology: given as the file waters.gro and in memory; expected one of the two");
    options.topology = NULL;
    options.topology_in_memory = NULL;
    expect_refusal(&options, "the topology: given neither as a file nor in memory");
    options = options_for(topology);
    options.trajectories = (const char *const[]){"a.xtc"};
    options.trajectory_count = 1;
    expect_refusal(&options, "the frames: given as files and in memory; expected one of these");
    options = options_for(topology);
    options.next_frame = next_frame;
    expect_refusal(&options, "the frames: given as an array in memory and by a function; expected one of these");
    options = options_for(topology);
    options.frames = NULL;
    expect_refusal(&options, "waters has no positions and no trajectory is given");
    qn_topology_destroy(&topology);
}

static void lists_must_be_complete_and_names_different(void)
{
    qn_topology *topology = make_topology();
    qn_trajectory_options options = options_for(topology);
    const qn_trajectory_selection twice[] = {{"first", "all"}, {"first", "none"}}, unnamed = {"", "all"};
    qn_query_class user = *qn_query_classes()[0];
    qn_trajectory_query query = {.size = sizeof query, .query_class = "gyration", .parameter_count = 1};
    options.selections = twice;
    options.selection_count = 2;
    expect_refusal(&options, "two selections have the name \"first\"; expected another name");
    options.selections = &unnamed;
    options.selection_count = 1;
    expect_refusal(&options, "selection 1 has no name or no text; expected both");
    options.selections = NULL;
    expect_refusal(&options, "the list of selections is NULL; expected 1");
    options = options_for(topology);
    options.user_classes = (const qn_query_class *const[]){&user, NULL};
    expect_refusal(&options, "of a class of the library; expected another name");
    options = options_for(topology);
    options.queries = &query;
    options.query_count = 1;
    expect_refusal(&options, "query gyration: the list of parameters is NULL; expected 1");
    options.queries = NULL;
    expect_refusal(&options, "the list of queries is NULL; expected 1");
    options = options_for(topology);
    options.run.reserved[7] = 1;
    expect_refusal(&options, "in reserved[7]; expected 0");
    qn_topology_destroy(&topology);
}

/* A query without a selection takes all atoms, even if a selection is named "all". */
static void a_query_without_a_selection_takes_all_atoms(void)
{
    qn_topology *topology = make_topology();
    qn_trajectory_options options = options_for(topology);
    const qn_trajectory_selection selection = {"all", "index < 3"};
    qn_trajectory_query query = {.size = sizeof query, .query_class = "count"};
    qn_trajectory_result *result = NULL;
    options.selections = &selection;
    options.selection_count = 1;
    options.queries = &query;
    options.query_count = 1;
    if (CHECK_OK(qn_trajectory_run(context, &options, &result))) CHECK(result->queries[0].tables[0].values[1] == ATOMS);
    qn_trajectory_result_destroy(&result);
    qn_topology_destroy(&topology);
}

static void invalid_frames_are_refused(void)
{
    static float broken[FRAMES][ATOMS][3];
    qn_topology *topology = make_topology();
    qn_trajectory_options options = options_for(topology);
    qn_frame_array frames = packed;
    options.frames = &frames;
    frames.atom_count = 7;
    expect_refusal(&options, "the frames in memory: a frame has 7 atoms; expected 120, as waters has");
    frames = packed;
    frames.name = "mine";
    frames.frame_count = 0;
    expect_refusal(&options, "mine: there are 0 frames; expected positions of at least one");
    memcpy(broken, positions, sizeof broken);
    broken[12][5][1] = NAN;
    frames.frame_count = FRAMES;
    frames.positions_nm = &broken[0][0][0];
    expect_refusal(&options, "mine: frame 12: coordinate y of atom 5 is nan nm; expected a finite number");
    options.frames = NULL;
    options.next_frame = other_atoms;
    expect_refusal(&options, "frame 0 has 5 atoms; expected 120, as the topology has");
    qn_topology_destroy(&topology);
}

static void invalid_topologies_are_refused(void)
{
    qn_topology *topology = make_topology();
    qn_trajectory_options options = options_for(topology);
    topology->atoms[4].residue = 9;
    expect_refusal(&options, "waters: atom 4 names residue 9; expected 1, which it lies in");
    topology->atoms[4].residue = 1;
    topology->atoms[7].mass_u = NAN;
    expect_refusal(&options, "waters: the mass of atom 7 is nan u; expected a finite number from 0");
    topology->atoms[7].mass_u = 1;
    topology->bonds[3][1] = ATOMS;
    expect_refusal(&options, "waters: bond 3 is of atoms 3 and 120; expected two of 120 atoms");
    topology->bonds[3][1] = 5;
    memset(topology->atoms[1].name, 'C', sizeof topology->atoms[1].name);
    expect_refusal(&options, "waters: a name of atom 1 has no end");
    strcpy(topology->atoms[1].name, "HW1");
    topology->residues[2].atom_count = 2;
    expect_refusal(&options, "waters: residue 3 has 3 atoms from atom 9; expected its first atom to be 8");
    topology->residues[2].atom_count = 3;
    topology->atoms[0].molecule = 40;
    expect_refusal(&options, "waters: atom 0 names molecule 40; expected one of 40");
    topology->atoms[0].molecule = 0;
    CHECK_OK(qn_trajectory_run(context, &options, NULL));
    qn_topology_destroy(&topology);
}

int main(void)
{
    make_frames();
    CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context));
    RUN(tables_equal_those_in_the_files);
    RUN(a_resumed_run_has_the_same_results);
    RUN(results_do_not_depend_on_the_number_of_threads);
    RUN(nothing_is_written_without_an_output);
    RUN(views_and_functions_give_the_same_results);
    RUN(frames_of_another_unit_give_the_same_results);
    RUN(frames_are_chosen_as_from_files);
    RUN(conversions_go_to_files_and_back);
    RUN(queries_of_other_versions_are_read);
    RUN(inputs_must_be_given_exactly_once);
    RUN(lists_must_be_complete_and_names_different);
    RUN(a_query_without_a_selection_takes_all_atoms);
    RUN(invalid_frames_are_refused);
    RUN(invalid_topologies_are_refused);
    qn_context_destroy(&context);
    return check_finish();
}
