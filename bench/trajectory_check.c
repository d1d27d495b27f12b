/* Compare the trajectory program with its reference data: quern_bench_trajectory_check [DEVICE [FOLDER]] [--small]
 *
 * Every folder below FOLDER (default $QUERN_REFERENCE_DATA/trajectory) that has a `ref` is read through the whole
 * engine on DEVICE (default host): one plan with a query for each result in `ref`, and one for each frame that has
 * distance histograms. A line for each file gives the largest error and its tolerance; a file of an unknown kind fails.
 * --small skips folders of more than 50,000 atoms, which take minutes on slow devices.
 *
 * Exit status: 0 all files within their tolerances, 1 a file outside, 2 wrong arguments or no data.
 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "format/trajectory/trajectory_stream.h"
#include "pairs/tests/near_pairs.h"
#include "runtime/device.h"
#include "trajectory/query/series.h"
#include "trajectory/run.h"
#include "trajectory/tests/query_parameters.h"
#include "trajectory/tests/reference_results.h"

enum { FILES_MAX = 64, QUERIES_MAX = 96, PARAMETERS_MAX = 4, SELECTIONS_MAX = 4, BINS_MAX = 4096 };
enum { ALL_FRAMES = -1 };

/* Folders of data. The reference of argon has masses that its GRO file does not contain. */
static const struct folder_of_data {
    const char *name, *topology, *trajectory;
    bool is_large;
} folders[] = {
    {"water3k", "water3k.tpr", "water3k.xtc", false},
    {"adk_oplsaa", "adk_oplsaa.tpr", "adk_oplsaa.xtc", false},
    {"cobrotoxin", "cobrotoxin.tpr", "cobrotoxin.trr", false},
    {"argon_tng", "atoms.tsv.gz", "argon_from_tng.xtc", false},
    {"ace_tip3p", "ace_tip3p.parm7", "ace_tip3p.nc", false},
    {"adk_dims", "adk.psf", "adk_dims.dcd", false},
    {"water98k", "water98k.tpr", "water98k_10fr.xtc", true},
};

typedef struct asked_query {
    char name[16], words[QUERY_PARAMETERS_BYTES], select[64], with[64];
    qn_trajectory_parameter parameters[PARAMETERS_MAX];
} asked_query;

/* A run: first its queries, then its results. */
typedef struct check_plan {
    asked_query asked[QUERIES_MAX];
    qn_trajectory_query queries[QUERIES_MAX];
    size_t count;
    long frame; /* the only frame to read, or ALL_FRAMES */
    const qn_trajectory_results *results;
} check_plan;

struct reference_kind;

typedef struct reference_file {
    char name[64];
    const struct reference_kind *kind;
    long frame;
    size_t queries[SELECTIONS_MAX * (REFERENCE_ONEBODY + 1)]; /* their places in the plan */
} reference_file;

typedef struct check_run {
    qn_context *context;
    const char *device, *root;
    const struct folder_of_data *folder;
    reference_file files[FILES_MAX];
    size_t file_count;
    check_plan plan;
    reference_columns columns; /* columns of the reference file that is compared */
    bool failed;
} check_run;

/* A kind of reference file, recognised by the beginning of its name: its queries and its comparison. */
typedef struct reference_kind {
    const char *prefix;
    void (*ask)(check_run *run, reference_file *file);
    void (*compare)(check_run *run, const reference_file *file);
} reference_kind;

/* ---- queries ---- */

/* Return a path below the folder; valid until the next call. */
static const char *path_of(const check_run *run, const char *part, const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s/%s%s", run->root, run->folder->name, part, name);
    return path;
}

static void read_columns(check_run *run, const reference_file *file)
{
    reference_read(path_of(run, "ref/", file->name), &run->columns);
}

/* Add a query to the plan. `select` NULL: it takes no selection. Returns the query's index in the plan. */
static size_t ask(check_run *run, const char *query_class, const char *select, const char *with, const char *parameters,
                  qn_trajectory_choice whole)
{
    check_plan *plan = &run->plan;
    const size_t place = plan->count++;
    asked_query *asked = &plan->asked[place];
    qn_trajectory_query *query = &plan->queries[place];
    snprintf(asked->name, sizeof asked->name, "q%zu", place);
    snprintf(asked->select, sizeof asked->select, "%s", select ? select : "");
    snprintf(asked->with, sizeof asked->with, "%s", with ? with : "");
    *query = (qn_trajectory_query){.size = sizeof(qn_trajectory_query),
                                   .query_class = query_class,
                                   .name = asked->name,
                                   .select = select ? asked->select : NULL,
                                   .with = with ? asked->with : NULL,
                                   .whole = whole,
                                   .parameters = asked->parameters};
    query->parameter_count = query_parameters(parameters, asked->words, asked->parameters);
    return place;
}

static const qn_query_filled_table *table_of(const check_run *run, size_t query, const char *name)
{
    return reference_table(run->plan.results->queries[query].tables, name);
}

static void report(check_run *run, const reference_file *file, const char *query, const reference_comparison *all)
{
    const bool holds = reference_holds(all);
    printf("%-11s %-28s %-34s %10.3g %10.3g  %s\n", run->folder->name, file->name, query, all->difference, all->allowed,
           holds ? "pass" : "FAIL");
    fflush(stdout);
    run->failed |= !holds;
}

static void must(qn_status status)
{
    if (status == QN_OK) return;
    fprintf(stderr, "%s\n", qn_error_message());
    exit(1);
}

/* ---- query classes of this program, which measure the scales of the tolerances ---- */

typedef struct scale_state {
    qn_series series;
} scale_state;

static qn_status create_scale(const qn_query_setup *setup, void **state)
{
    static const qn_query_column columns[] = {{"scale", "e nm", 1}};
    static const qn_series_layout layout = {{{"", "Scale of the dipole", columns, 1, 0, NULL}}};
    scale_state *scale = calloc(1, sizeof *scale);
    (void)setup;
    if (!scale) return QN_FAIL(QN_OUT_OF_MEMORY, "no memory for the state of a query");
    qn_series_start(&scale->series, &layout);
    *state = scale;
    return QN_OK;
}

static qn_status measure_scale(const void *state, const qn_query_frame *frame, double *partial)
{
    (void)state;
    *partial = reference_dipole_scale(frame->topology, frame->frame, frame->atoms[0], frame->atom_count[0]);
    return QN_OK;
}

static void destroy_scale(void *state)
{
    qn_series_clear(&((scale_state *)state)->series);
    free(state);
}

static const qn_query_class scale_class = {.size = sizeof(qn_query_class),
                                           .name = "dipole-scale",
                                           .meaning = "sum of charges times distances from the centre of mass",
                                           .selections = 1,
                                           .needs = QN_QUERY_MASSES,
                                           .create = create_scale,
                                           .partial_count = qn_series_partial_count,
                                           .measure = measure_scale,
                                           .collect = qn_series_collect,
                                           .finish = qn_series_finish,
                                           .destroy = destroy_scale};

typedef double slab_edges[REFERENCE_SLABS][REFERENCE_EDGE_KINDS];

static qn_status create_edges(const qn_query_setup *setup, void **state)
{
    (void)setup;
    *state = calloc(1, sizeof(slab_edges));
    if (!*state) return QN_FAIL(QN_OUT_OF_MEMORY, "no memory for the state of a query");
    return QN_OK;
}

static size_t count_edges(const void *state)
{
    (void)state;
    return sizeof(slab_edges) / sizeof(double);
}

static qn_status measure_edges(const void *state, const qn_query_frame *frame, double *partial)
{
    memset(partial, 0, count_edges(state) * sizeof *partial);
    reference_add_edges(frame->topology, frame->frame, (double(*)[REFERENCE_EDGE_KINDS])partial);
    return QN_OK;
}

static qn_status collect_edges(void *state, const qn_trajectory_frame *frame, const double *partial)
{
    double *sums = state;
    (void)frame;
    for (size_t k = 0; k < count_edges(state); k++) sums[k] += partial[k];
    return QN_OK;
}

static qn_status finish_edges(const void *state, qn_query_tables *tables)
{
    static const qn_query_column columns[] = {{"mass", "", 0}, {"number", "", 0}, {"charge", "", 0}};
    const double *sums = state;
    QN_TRY(qn_query_tables_begin(tables, &(qn_query_table){"", "Edges", columns, REFERENCE_EDGE_KINDS, 0, NULL}));
    for (int row = 0; row < REFERENCE_SLABS; row++)
        QN_TRY(qn_query_tables_row(tables, sums + REFERENCE_EDGE_KINDS * row));
    return QN_OK;
}

static const qn_query_class edges_class = {.size = sizeof(qn_query_class),
                                           .name = "slab-edges",
                                           .meaning = "quantities at the edges of slabs",
                                           .needs = QN_QUERY_BOX | QN_QUERY_WHOLE,
                                           .create = create_edges,
                                           .partial_count = count_edges,
                                           .measure = measure_edges,
                                           .collect = collect_edges,
                                           .finish = finish_edges,
                                           .destroy = free};

static const qn_query_class *const own_classes[] = {&scale_class, &edges_class, NULL};

/* ---- onebody.json: for each selection its queries, then the scale of the dipole ---- */

static void ask_onebody(check_run *run, reference_file *file)
{
    json_t *reference = json_load_file(path_of(run, "ref/", file->name), 0, NULL), *selection;
    const char *name;
    size_t *place = file->queries;
    json_object_foreach(json_object_get(reference, "selections"), name, selection)
    {
        const char *text = json_string_value(json_object_get(selection, "expr"));
        for (int k = 0; k < REFERENCE_ONEBODY; k++)
            *place++ = ask(run, reference_onebody_classes[k], text, NULL, "", QN_NO);
        *place++ = ask(run, scale_class.name, text, NULL, "", QN_NO);
    }
    json_decref(reference);
}

static void compare_onebody(check_run *run, const reference_file *file)
{
    json_t *reference = json_load_file(path_of(run, "ref/", file->name), 0, NULL), *selection;
    const json_t *frames = json_object_get(reference, "frames");
    reference_comparison all[REFERENCE_ONEBODY] = {{0}};
    const char *name;
    const size_t *place = file->queries;
    json_object_foreach(json_object_get(reference, "selections"), name, selection)
    {
        reference_onebody tables = {.selection = name, .mass = json_number_value(json_object_get(selection, "mass"))};
        for (int k = 0; k < REFERENCE_ONEBODY; k++) tables.tables[k] = table_of(run, *place++, "");
        const qn_query_filled_table *scales = table_of(run, *place++, "");
        for (size_t row = 0; row < json_array_size(frames); row++)
            reference_compare_onebody(&tables, json_array_get(frames, row), row, reference_value(scales, row, 1), all);
    }
    for (int k = 0; k < REFERENCE_ONEBODY; k++)
        if (all[k].count > 0) report(run, file, reference_onebody_classes[k], &all[k]);
    if (json_array_size(frames) == 0) report(run, file, "frames", &all[0]);
    json_decref(reference);
}

/* ---- GROMACS' one-body results ---- */

static void ask_gyration(check_run *run, reference_file *file)
{
    file->queries[0] = ask(run, "gyration", NULL, NULL, "", QN_YES);
}

/* gyrate prints Rg about x, y and z; gyrate -p about the principal axes. */
static void compare_gyration(check_run *run, const reference_file *file)
{
    const bool principal = strstr(file->name, "principal") != NULL;
    const qn_query_filled_table *table = table_of(run, file->queries[0], "");
    const double scale = reference_mass_rounding(run->plan.results->topology);
    reference_comparison all = {0};
    read_columns(run, file);
    reference_compare_columns(&run->columns, table, 1, principal ? 1 : 4, scale, 2e-5, &all);
    for (size_t row = 0; row < run->columns.rows && principal; row++)
        for (size_t k = 0; k < 3; k++)
            reference_compare(&all, scale * reference_value(table, row, 5 + k), run->columns.values[row][2 + k],
                              2e-5 * run->columns.values[row][1]);
    report(run, file, "gyration, whole", &all);
}

static void ask_inertia(check_run *run, reference_file *file)
{
    file->queries[0] = ask(run, "inertia", NULL, NULL, "", QN_YES);
}

static void compare_inertia(check_run *run, const reference_file *file)
{
    reference_comparison all = {0};
    read_columns(run, file);
    reference_compare_moments(&run->columns, table_of(run, file->queries[0], ""), &all);
    report(run, file, "inertia, whole", &all);
}

static void ask_com(check_run *run, reference_file *file)
{
    file->queries[0] = ask(run, "com", NULL, NULL, "", QN_NO);
}

static void compare_com(check_run *run, const reference_file *file)
{
    reference_comparison all = {0};
    read_columns(run, file);
    reference_compare_columns(&run->columns, table_of(run, file->queries[0], ""), 1, 3, 1, 2e-5, &all);
    report(run, file, "com", &all);
}

static void ask_dipole(check_run *run, reference_file *file)
{
    file->queries[0] = ask(run, "dipole", "resname SOL", NULL, REFERENCE_DIPOLE_PARAMETERS, QN_YES);
}

static void compare_moment(check_run *run, const reference_file *file)
{
    reference_comparison all = {0};
    read_columns(run, file);
    reference_compare_columns(&run->columns, table_of(run, file->queries[0], ""), 5, 4, 1, 1e-4, &all);
    report(run, file, "dipole", &all);
}

static void compare_distribution(check_run *run, const reference_file *file)
{
    reference_comparison all = {0};
    read_columns(run, file);
    reference_compare_distribution(&run->columns, table_of(run, file->queries[0], "distribution"), &all);
    report(run, file, "dipole: distribution", &all);
}

static void compare_epsilon(check_run *run, const reference_file *file)
{
    reference_comparison all = {0};
    read_columns(run, file);
    reference_compare_columns(&run->columns, table_of(run, file->queries[0], "epsilon"), 1, 3, 1, 2e-3, &all);
    report(run, file, "dipole: epsilon, G_k, g_k", &all);
}

/* ⟨M²⟩ and ⟨M⟩², printed with four digits. */
static void compare_averages(check_run *run, const reference_file *file)
{
    reference_comparison all = {0};
    read_columns(run, file);
    reference_compare_columns(&run->columns, table_of(run, file->queries[0], "epsilon"), 4, 2, 1, 6e-4, &all);
    report(run, file, "dipole: mean squares", &all);
}

static int density_kind(const reference_file *file)
{
    return strstr(file->name, "number") ? 1 : strstr(file->name, "charge") ? 2 : 0;
}

static void ask_density(check_run *run, reference_file *file)
{
    static const char *const parameters[] = {"bins=50", "bins=50 quantity=number", "bins=50 quantity=charge"};
    file->queries[0] = ask(run, "density", NULL, NULL, parameters[density_kind(file)], QN_YES);
    file->queries[1] = ask(run, edges_class.name, NULL, NULL, "", QN_YES);
}

static void compare_density(check_run *run, const reference_file *file)
{
    static const char *const names[] = {"density of mass, whole", "density of number, whole",
                                        "density of charge, whole"};
    const int kind = density_kind(file);
    const qn_query_filled_table *edges = table_of(run, file->queries[1], "");
    reference_comparison all = {0};
    slab_edges sums;
    read_columns(run, file);
    memcpy(sums, edges->values, sizeof sums);
    reference_compare_density(&run->columns, table_of(run, file->queries[0], ""), sums, kind,
                              (size_t)run->plan.results->frames, &all);
    report(run, file, names[kind], &all);
}

/* ---- pairs ---- */

/* The two selections of a reference file; the second is empty where both are the same. */
typedef struct pair_selections {
    char first[64], second[64];
} pair_selections;

/* Read the selections from the head of the MDAnalysis file: "# MDAnalysis 2.4.2 InterRDF name OW - name HW1 HW2, 51
 * frames, bin 0.01 nm". GROMACS' results with the same ending of the name have the same selections. */
static pair_selections read_pair(check_run *run, const reference_file *file)
{
    pair_selections pair = {"", ""};
    char name[80];
    reference_columns *columns = &run->columns;
    const char *ending = strstr(file->name, "rdf_") ? strstr(file->name, "rdf_") + 4 : strstr(file->name, "cn_") + 3;
    snprintf(name, sizeof name, "mda_rdf_%.*s.txt", (int)strcspn(ending, "."), ending);
    reference_read(path_of(run, "ref/", name), columns);
    const char *head = strstr(columns->head, "InterRDF ");
    if (head) sscanf(head, "InterRDF %63[^-] - %63[^,]", pair.first, pair.second);
    size_t length = strlen(pair.first);
    if (length > 0 && pair.first[length - 1] == ' ') pair.first[length - 1] = '\0';
    if (strcmp(pair.first, pair.second) == 0) pair.second[0] = '\0';
    return pair;
}

static double bin_width(const reference_columns *columns)
{
    return (columns->values[columns->rows - 1][0] - columns->values[0][0]) / (double)(columns->rows - 1);
}

static void ask_pairs(check_run *run, reference_file *file, const char *more)
{
    const pair_selections pair = read_pair(run, file);
    char parameters[128];
    read_columns(run, file);
    const double width = round(1e6 * bin_width(&run->columns)) / 1e6;
    snprintf(parameters, sizeof parameters, "bin=%g max=%g%s", width, width * (double)run->columns.rows, more);
    file->queries[0] = ask(run, "rdf", pair.first, pair.second[0] ? pair.second : NULL, parameters, QN_NO);
}

static void ask_mda_rdf(check_run *run, reference_file *file)
{
    ask_pairs(run, file, " norm=mean-volume");
}

static void ask_gmx_rdf(check_run *run, reference_file *file)
{
    ask_pairs(run, file, " centred=yes");
}

static void ask_gmx_cn(check_run *run, reference_file *file)
{
    ask_pairs(run, file, "");
}

/* Compare a column that is printed with three decimals. */
static void compare_printed(check_run *run, const reference_file *file, size_t column, const char *name)
{
    const qn_query_filled_table *table = table_of(run, file->queries[0], "");
    reference_comparison all = {0};
    read_columns(run, file);
    for (size_t row = 0; row < run->columns.rows; row++) {
        const double expected = run->columns.values[row][1];
        reference_compare(&all, reference_value(table, row, column), expected, 0.0006 + 1e-4 * fabs(expected));
    }
    report(run, file, name, &all);
}

static void compare_gmx_rdf(check_run *run, const reference_file *file)
{
    compare_printed(run, file, 1, "rdf, bins centred");
}

/* Compare cumulative numbers; a row counts up to r, the upper edge of a bin. */
static void compare_gmx_cn(check_run *run, const reference_file *file)
{
    compare_printed(run, file, 2, "rdf: coordination number");
}

/* Reads the selected atoms frame by frame. */
typedef struct frame_reader {
    qn_topology *topology;
    qn_selections *selections;
    qn_trajectory_stream *stream;
    qn_frame_bytes bytes;
    qn_trajectory_frame frame;
} frame_reader;

static void reader_close(frame_reader *reader)
{
    free(reader->frame.positions_nm);
    qn_frame_bytes_clear(&reader->bytes);
    if (reader->stream) qn_trajectory_stream_close(&reader->stream);
    if (reader->selections) qn_selections_destroy(&reader->selections);
    qn_topology_destroy(&reader->topology);
}

static qn_status reader_open(const check_run *run, frame_reader *reader)
{
    *reader = (frame_reader){0};
    QN_TRY(qn_topology_read(NULL, path_of(run, "", run->folder->topology), &reader->topology));
    QN_TRY(qn_selections_create(reader->topology, 1, true, &reader->selections));
    const size_t atoms = reader->topology->atom_count;
    reader->frame.positions_nm = calloc(3 * atoms, sizeof(float));
    if (!reader->frame.positions_nm) return QN_FAIL(QN_OUT_OF_MEMORY, "no memory for positions of %zu atoms", atoms);
    return qn_trajectory_stream_open(path_of(run, "", run->folder->trajectory), atoms, &reader->stream);
}

static qn_status select_atoms(frame_reader *reader, const char *text, int which, near_pairs *pairs)
{
    int node;
    QN_TRY(qn_selections_add(reader->selections, text, &node));
    qn_selections_fixed_atoms(reader->selections, node, &pairs->atoms[which], &pairs->counts[which]);
    return QN_OK;
}

/* Count the pairs near each bin edge, in all frames or in the one frame that the reference file is for. */
static qn_status count_near(const check_run *run, const reference_file *file, const qn_trajectory_query *query,
                            bool periodic, frame_reader *reader, near_pairs *pairs, uint64_t *near)
{
    QN_TRY(reader_open(run, reader));
    QN_TRY(select_atoms(reader, query->select, 0, pairs));
    if (query->with) QN_TRY(select_atoms(reader, query->with, 1, pairs));
    if (file->frame > 0) QN_TRY(qn_trajectory_stream_skip(reader->stream, (uint64_t)file->frame, NULL));
    for (bool end = false; !end;) {
        QN_TRY(qn_trajectory_stream_read(reader->stream, &reader->bytes, &end));
        if (end) break;
        QN_TRY(qn_trajectory_stream_decode(reader->stream, &reader->bytes, &reader->frame));
        QN_TRY(near_pairs_add(pairs, qn_context_pool(run->context), &reader->frame, periodic, near));
        end = file->frame != ALL_FRAMES;
    }
    return QN_OK;
}

/* Counts of bins, and how often each ordered pair is counted in them. */
typedef struct counts_compared {
    const double *counts, *expected;
    size_t bins;
    double width_nm;
    int multiplicity;
    bool periodic;
} counts_compared;

/* Cumulative counts may differ by the pairs near a bin's edge. Those pairs are counted only when some counts differ. */
static void compare_counts(check_run *run, const reference_file *file, const counts_compared *compared,
                           reference_comparison *all)
{
    uint64_t near[BINS_MAX + 1] = {0};
    bool differ = false;
    for (size_t k = 0; k < compared->bins; k++) differ |= compared->counts[k] != compared->expected[k];
    if (differ) {
        frame_reader reader;
        near_pairs pairs = {.width_nm = compared->width_nm, .bins = (int)compared->bins};
        must(count_near(run, file, &run->plan.queries[file->queries[0]], compared->periodic, &reader, &pairs, near));
        reader_close(&reader);
    }
    double sum = 0, expected_sum = 0;
    for (size_t k = 0; k < compared->bins; k++) {
        sum += compared->counts[k];
        expected_sum += compared->expected[k];
        reference_compare(all, sum, expected_sum, compared->multiplicity * (double)near[k + 1]);
    }
}

/* Compare summed counts of ordered pairs, which include each atom with itself; then g from the same counts. */
static void compare_mda_rdf(check_run *run, const reference_file *file)
{
    static double counts[BINS_MAX], expected[BINS_MAX];
    const qn_query_filled_table *table = table_of(run, file->queries[0], "");
    const qn_query_result *result = &run->plan.results->queries[file->queries[0]];
    const bool same = run->plan.queries[file->queries[0]].with == NULL;
    reference_comparison pairs = {0}, functions = {0};
    read_columns(run, file);
    for (size_t k = 0; k < run->columns.rows; k++) {
        counts[k] = reference_value(table, k, 3);
        expected[k] = run->columns.values[k][2];
        if (k > 0 && expected[k] > 0 && counts[k] > 0)
            reference_compare(&functions,
                              reference_value(table, k, 1) / counts[k] / (run->columns.values[k][1] / expected[k]), 1,
                              1e-6);
    }
    if (same) expected[0] -= (double)result->atom_counts[0] * (double)run->plan.results->frames;
    compare_counts(
        run, file,
        &(counts_compared){counts, expected, run->columns.rows, bin_width(&run->columns), same ? 2 : 1, true}, &pairs);
    report(run, file, "rdf: cumulative pairs", &pairs);
    report(run, file, "rdf: g of the same pairs, relative", &functions);
}

/* Facts of a histogram's head line: "… selection "name OW" (1054 atoms), frame 25, width 0.02 nm, 300 bins, pbc=1 …" */
typedef struct histogram_head {
    char selection[64];
    long frame;
    double width_nm;
    int bins, pbc;
} histogram_head;

static bool read_histogram_head(check_run *run, const reference_file *file, histogram_head *head)
{
    read_columns(run, file);
    const char *at = strstr(run->columns.head, "selection \"");
    return at && sscanf(at, "selection \"%63[^\"]\" (%*d atoms), frame %ld, width %lf nm, %d bins, pbc=%d",
                        head->selection, &head->frame, &head->width_nm, &head->bins, &head->pbc) == 5;
}

static void ask_histogram(check_run *run, reference_file *file)
{
    histogram_head head = {0};
    char parameters[128];
    (void)read_histogram_head(run, file, &head);
    snprintf(parameters, sizeof parameters, "bin=%g max=%g pbc=%s", head.width_nm, head.width_nm * head.bins,
             head.pbc ? "yes" : "no");
    file->queries[0] = ask(run, "sdh", head.selection, NULL, parameters, QN_NO);
}

static void compare_histogram(check_run *run, const reference_file *file)
{
    static double counts[BINS_MAX], expected[BINS_MAX];
    const size_t query = file->queries[0];
    const qn_query_tables *tables = run->plan.results->queries[query].tables;
    const qn_query_filled_table *table = table_of(run, query, "");
    histogram_head head = {0};
    double total = 0, expected_total = 0;
    reference_comparison all = {0}, totals = {0};
    (void)read_histogram_head(run, file, &head);
    const size_t bins = (size_t)head.bins;
    for (size_t k = 0; k < run->columns.rows; k++) {
        expected[k] = run->columns.values[k][1];
        counts[k] = k < bins ? reference_value(table, k, 1) : tables->numbers[0].value;
        total += counts[k];
        expected_total += expected[k];
    }
    reference_compare(&totals, total, expected_total, 0);
    reference_compare(&totals, (double)run->columns.rows, (double)bins + 1, 0);
    compare_counts(run, file, &(counts_compared){counts, expected, bins, head.width_nm, 1, head.pbc != 0}, &all);
    report(run, file, "sdh: total", &totals);
    report(run, file, head.pbc ? "sdh: cumulative, nearest images" : "sdh: cumulative", &all);
}

/* ---- all files ---- */

static const reference_kind kinds[] = {
    {"onebody.json", ask_onebody, compare_onebody},
    {"gmx_gyrate", ask_gyration, compare_gyration},
    {"gmx_moments_of_inertia", ask_inertia, compare_inertia},
    {"gmx_com", ask_com, compare_com},
    {"gmx_Mtot", ask_dipole, compare_moment},
    {"gmx_dipdist", ask_dipole, compare_distribution},
    {"gmx_epsilon", ask_dipole, compare_epsilon},
    {"gmx_aver", ask_dipole, compare_averages},
    {"gmx_density", ask_density, compare_density},
    {"gmx_rdf", ask_gmx_rdf, compare_gmx_rdf},
    {"gmx_cn", ask_gmx_cn, compare_gmx_cn},
    {"mda_rdf", ask_mda_rdf, compare_mda_rdf},
    {"sdh", ask_histogram, compare_histogram},
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const reference_file *)a)->name, ((const reference_file *)b)->name);
}

/* List the files of the folder's `ref`; a file of an unknown kind fails. */
static bool list_files(check_run *run)
{
    DIR *folder = opendir(path_of(run, "ref", ""));
    run->file_count = 0;
    if (!folder) return false;
    for (struct dirent *entry; (entry = readdir(folder)) && run->file_count < FILES_MAX;) {
        reference_file *file = &run->files[run->file_count];
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "commands.txt") == 0) continue;
        *file = (reference_file){.frame = ALL_FRAMES};
        snprintf(file->name, sizeof file->name, "%.63s", entry->d_name);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (strncmp(file->name, kinds[k].prefix, strlen(kinds[k].prefix)) == 0) file->kind = &kinds[k];
        histogram_head head = {0};
        if (file->kind && file->kind->compare == compare_histogram)
            file->frame = read_histogram_head(run, file, &head) ? head.frame : 0;
        if (file->kind)
            run->file_count++;
        else
            report(run, file, "unknown kind of reference file", &(reference_comparison){0});
    }
    closedir(folder);
    qsort(run->files, run->file_count, sizeof *run->files, by_name);
    return true;
}

static qn_status compare_all(const qn_trajectory_results *results, void *user)
{
    check_run *run = user;
    if (!results->complete) return QN_OK;
    run->plan.results = results;
    for (size_t i = 0; i < run->file_count; i++)
        if (run->files[i].frame == run->plan.frame) run->files[i].kind->compare(run, &run->files[i]);
    return QN_OK;
}

static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    char name[1024];
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.') unlink(name);
    }
    if (folder) closedir(folder);
    rmdir(path);
}

/* Run once over all frames, or over one frame, for the files that need it. */
static void check_frames(check_run *run, long frame)
{
    char topology[1024], trajectory[1024], output[] = "/tmp/quern_trajectory_check_XXXXXX";
    const char *const trajectories[] = {trajectory};
    qn_trajectory_options options = qn_trajectory_default_options();
    run->plan.count = 0;
    run->plan.frame = frame;
    for (size_t i = 0; i < run->file_count; i++)
        if (run->files[i].frame == frame) run->files[i].kind->ask(run, &run->files[i]);
    if (run->plan.count == 0 || !mkdtemp(output)) return;
    snprintf(topology, sizeof topology, "%s", path_of(run, "", run->folder->topology));
    snprintf(trajectory, sizeof trajectory, "%s", path_of(run, "", run->folder->trajectory));
    options.topology = topology;
    options.trajectories = trajectories;
    options.trajectory_count = 1;
    options.queries = run->plan.queries;
    options.query_count = run->plan.count;
    options.user_classes = own_classes;
    options.output = output;
    options.run.device = run->device;
    if (frame != ALL_FRAMES) options.first_frame = options.last_frame = (uint64_t)frame;
    if (qn_trajectory_run_to(run->context, &options, compare_all, run, NULL) != QN_OK) {
        printf("%-11s FAIL: %s\n", run->folder->name, qn_error_message());
        run->failed = true;
    }
    remove_folder(output);
}

static void check_folder(check_run *run)
{
    long previous = ALL_FRAMES;
    if (!list_files(run)) return;
    check_frames(run, ALL_FRAMES);
    while (true) { /* the frames that files need, ascending */
        long next = -1;
        for (size_t i = 0; i < run->file_count; i++)
            if (run->files[i].frame > previous && (next < 0 || run->files[i].frame < next)) next = run->files[i].frame;
        if (next < 0) return;
        check_frames(run, next);
        previous = next;
    }
}

int main(int argc, char **argv)
{
    static check_run run;
    static char root[1024];
    const char *arguments[2] = {"host", NULL}, *data = getenv("QUERN_REFERENCE_DATA");
    bool small = false;
    size_t checked = 0;
    int count = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--small") == 0)
            small = true;
        else if (argv[i][0] != '-' && count < 2)
            arguments[count++] = argv[i];
        else
            count = 3;
    }
    snprintf(root, sizeof root, "%s/trajectory", data ? data : ".");
    run.device = arguments[0];
    run.root = arguments[1] ? arguments[1] : root;
    if (count > 2 || access(run.root, R_OK) != 0) {
        fprintf(stderr, "usage: quern_bench_trajectory_check [DEVICE [FOLDER]] [--small]; %s is not a folder of data\n",
                run.root);
        return 2;
    }
    must(qn_context_create(NULL, &run.context));
    printf("%-11s %-28s %-34s %10s %10s\n", "folder", "file", "query", "worst", "allowed");
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        run.folder = &folders[i];
        if (small && run.folder->is_large) continue;
        check_folder(&run);
        checked += run.file_count;
    }
    qn_context_destroy(&run.context);
    printf("%zu files on %s: %s\n", checked, run.device, checked > 0 && !run.failed ? "all within limits" : "FAIL");
    return checked == 0 ? 2 : run.failed;
}
