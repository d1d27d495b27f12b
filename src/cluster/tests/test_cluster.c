/* devices: host checking:host */
/* labels: threads@host */
/* Whole runs of quern cluster on made structures with known groups: results, files, inputs in memory and as files of
 * distances, degenerate sets, refusals. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <quern/cluster.h>
#include <quern/molecule.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "check.h"
#include "math/random.h"

enum { ATOMS = 12, FRAMES_MAX = 64 };

static qn_context *context;
static const char *device_name;
static qn_topology *topology;
static float positions[FRAMES_MAX][ATOMS][3];
static double times_ps[FRAMES_MAX];
static qn_frame_array frames;

static const char *scratch(const char *name)
{
    static char paths[16][512];
    static int turn;
    char *path = paths[turn++ % 16];
    snprintf(path, sizeof paths[0], "%s/%s", check_scratch_folder(), name);
    return path;
}

static void make_topology(void)
{
    if (!CHECK_OK(qn_topology_create("made.pdb", &topology))) return;
    for (int i = 0; i < ATOMS; i += 2) {
        CHECK_OK(qn_topology_append_residue(topology,
                                            &(qn_topology_residue){.number = i / 2 + 1, .name = "GLY", .chain = "A"}));
        CHECK_OK(qn_topology_append_atom(topology, &(qn_topology_atom){.name = "CA", .element = "C"}));
        CHECK_OK(qn_topology_append_atom(topology, &(qn_topology_atom){.name = "O", .element = "O"}));
    }
    CHECK_OK(qn_topology_finish(topology, QN_MOLECULES_OF_BONDS));
}

/* Shapes: frame f is a chain of shape group[f], stretched by a factor of its own, with noise of `noise` nm. */
static void make_frames(size_t count, const int *group, double noise)
{
    for (size_t f = 0; f < count; f++) {
        times_ps[f] = 10 * (double)f;
        for (int i = 0; i < ATOMS; i++) {
            const double stretch = 0.1 * (1 + 0.5 * group[f]), bend = 0.3 * group[f] * i;
            const double shape[3] = {stretch * i, 0.2 * sin(bend), 0.2 * cos(bend) + 0.05 * (i % 2)};
            for (int axis = 0; axis < 3; axis++)
                positions[f][i][axis] =
                    (float)(shape[axis] + noise * (qn_random_uniform(5, f, (uint64_t)(3 * i + axis)) - 0.5));
        }
    }
    frames = (qn_frame_array){
        .positions_nm = &positions[0][0][0], .frame_count = count, .atom_count = ATOMS, .times_ps = times_ps};
}

static qn_cluster_options options_of_frames(void)
{
    qn_cluster_options options = qn_cluster_default_options();
    options.run.device = device_name;
    options.run.tune = QN_TUNE_OFF;
    options.structures.topology = topology;
    options.structures.frames = &frames;
    options.structures.select = "all";
    return options;
}

static const int groups[] = {1, 0, 0, 2, 1, 0, 1, 0, 0, 2, 1, 0, 0, 2, 0, 1};
enum { COUNT = sizeof groups / sizeof *groups };

/* Group 0 has eight structures, group 1 five, group 2 three. */
static void check_groups(const qn_cluster_result *result)
{
    CHECK(result->count == COUNT && result->cluster_count == 3 && result->noise_count == 0);
    for (size_t i = 0; i < COUNT; i++) CHECK(result->labels[i] == (uint32_t)groups[i]);
    const size_t sizes[] = {8, 5, 3};
    for (size_t c = 0; c < 3; c++) {
        CHECK(result->clusters[c].size == sizes[c]);
        CHECK(result->labels[result->clusters[c].medoid] == c);
        CHECK(result->medoid_distances[result->clusters[c].medoid] == 0);
    }
    CHECK(result->silhouette > 0.5 && result->davies_bouldin < 1);
}

static void every_method_finds_the_groups(void)
{
    make_frames(COUNT, groups, 0.02);
    for (int method = QN_CLUSTER_AVERAGE; method <= QN_CLUSTER_DBSCAN; method++) {
        qn_cluster_options options = options_of_frames();
        qn_cluster_result *result;
        options.method = (qn_cluster_method)method;
        if (method == QN_CLUSTER_GROMOS || method == QN_CLUSTER_DBSCAN)
            options.cutoff = 0.05;
        else
            options.clusters = 3;
        options.units = QN_CLUSTER_IN_NM;
        options.least_items = 3;
        if (!CHECK_OK(qn_cluster_run(context, &options, &result))) continue;
        check_groups(result);
        CHECK((result->merges != NULL) == (method <= QN_CLUSTER_WARD));
        if (result->merges) CHECK(result->merges[COUNT - 2].size == COUNT && result->cophenetic > 0.5);
        CHECK_TEXT(result->names[3], "frame 3");
        qn_cluster_result_destroy(&result);
    }
}

static void a_cutoff_is_in_its_unit(void)
{
    const double cutoffs[] = {0.5, 0.05};
    make_frames(COUNT, groups, 0.02);
    for (int units = 0; units < 2; units++) {
        qn_cluster_options options = options_of_frames();
        qn_cluster_result *result;
        options.cutoff = cutoffs[units];
        options.units = (qn_cluster_units)units;
        if (!CHECK_OK(qn_cluster_run(context, &options, &result))) continue;
        check_groups(result);
        CHECK_NEAR(result->cutoff, 0.5, 1e-9);
        CHECK_TEXT(result->unit, "Å");
        qn_cluster_result_destroy(&result);
    }
}

static float *measure_all(const qn_cluster_options *options)
{
    qn_distance_options distance = qn_distance_default_options();
    qn_distance_result *result;
    distance.run = options->run;
    distance.run.overwrite = false;
    distance.structures = options->structures;
    distance.measure = options->measure;
    if (!CHECK_OK(qn_distance_run(context, &distance, &result))) return NULL;
    float *values = malloc(result->value_count * sizeof *values);
    memcpy(values, result->values, result->value_count * sizeof *values);
    qn_distance_result_destroy(&result);
    return values;
}

/* Distance of two structures among those of all pairs in pdist's order. */
static double distance_of(const float *values, size_t i, size_t j)
{
    const size_t low = i < j ? i : j, high = i < j ? j : i;
    return i == j ? 0 : (double)values[COUNT * low - low * (low + 1) / 2 + high - low - 1];
}

/* Davies–Bouldin index and medoid silhouettes by their definitions. */
static void check_measures_to_medoids(const qn_cluster_result *result, const float *values)
{
    double index = 0, mean = 0;
    for (size_t i = 0; i < COUNT; i++) {
        const uint32_t own = result->labels[i];
        const double a = distance_of(values, i, result->clusters[own].medoid);
        double b = INFINITY;
        for (uint32_t c = 0; c < 3; c++)
            if (c != own) b = fmin(b, distance_of(values, i, result->clusters[c].medoid));
        CHECK_NEAR(result->silhouettes[i], (b - a) / fmax(a, b), 1e-4);
        CHECK_NEAR((double)result->medoid_distances[i], a, 1e-4);
        mean += result->silhouettes[i] / COUNT;
    }
    CHECK_NEAR(result->silhouette, mean, 1e-9);
    for (size_t c = 0; c < 3; c++) {
        double worst = 0;
        for (size_t d = 0; d < 3; d++) {
            const qn_cluster_facts *one = &result->clusters[c], *other = &result->clusters[d];
            const double within = one->mean_medoid * (double)(one->size - 1) / (double)one->size +
                                  other->mean_medoid * (double)(other->size - 1) / (double)other->size;
            if (d != c) worst = fmax(worst, within / distance_of(values, one->medoid, other->medoid));
        }
        index += worst / 3;
    }
    CHECK_NEAR(result->davies_bouldin, index, 1e-4);
}

static void groups_are_found_without_stored_distances(void)
{
    make_frames(COUNT, groups, 0.02);
    for (int method = QN_CLUSTER_GROMOS; method <= QN_CLUSTER_DBSCAN; method++) {
        qn_cluster_options options = options_of_frames();
        qn_cluster_result *result;
        options.measure = QN_DISTANCE_RMSD;
        options.method = (qn_cluster_method)method;
        options.matrix = QN_CLUSTER_WITHOUT;
        if (method == QN_CLUSTER_KMEDOIDS)
            options.clusters = 3;
        else
            options.cutoff = 0.5;
        options.least_items = 3;
        options.output = scratch("without");
        options.run.overwrite = true;
        if (!CHECK_OK(qn_cluster_run(context, &options, &result))) continue;
        check_groups(result);
        float *values = measure_all(&options);
        if (values) check_measures_to_medoids(result, values);
        free(values);
        CHECK(isnan(result->clusters[0].mean_pair) && isnan(result->clusters[0].diameter));
        qn_cluster_result_destroy(&result);
    }
}

static bool has_text(const char *file, const char *text)
{
    char *data;
    size_t size;
    if (!CHECK_OK(qn_file_read(file, &data, &size))) return false;
    const bool found = strstr(data, text) != NULL;
    free(data);
    return found;
}

static size_t count_lines(const char *file)
{
    char *data;
    size_t size, lines = 0;
    if (!CHECK_OK(qn_file_read(file, &data, &size))) return 0;
    for (size_t i = 0; i < size; i++) lines += data[i] == '\n';
    free(data);
    return lines;
}

/* The medoid's file has all atoms at their places. */
static void check_representative(const char *path, size_t frame)
{
    qn_molecule *molecule;
    if (!CHECK_OK(qn_molecule_read(NULL, path, NULL, &molecule))) return;
    CHECK(molecule->atom_count == ATOMS && molecule->residue_count == ATOMS / 2);
    for (size_t i = 0; i < molecule->atom_count; i++)
        for (int axis = 0; axis < 3; axis++)
            CHECK_NEAR(molecule->atoms[i].position_angstrom[axis], 10 * (double)positions[frame][i][axis], 6e-4);
    CHECK_TEXT(molecule->atoms[1].name, "O");
    qn_molecule_destroy(&molecule);
}

static void files_have_the_results(void)
{
    make_frames(COUNT, groups, 0.02);
    qn_cluster_options options = options_of_frames();
    qn_cluster_result *result;
    options.structures.select = "name CA";
    options.clusters = 3;
    options.write_matrix = true;
    options.output = scratch("files");
    if (!CHECK_OK(qn_cluster_run(context, &options, &result))) return;
    check_groups(result);
    CHECK(count_lines(scratch("files/assignments.csv")) == COUNT + 1);
    CHECK(has_text(scratch("files/assignments.csv"), "\n3,frame 3,the frames in memory,3,30,3,"));
    CHECK(count_lines(scratch("files/clusters.csv")) == 4);
    CHECK(has_text(scratch("files/clusters.csv"), ",representatives/cluster_03.pdb\n"));
    CHECK(count_lines(scratch("files/linkage.csv")) == COUNT);
    CHECK(has_text(scratch("files/dendrogram.nwk"), "'frame 15'"));
    CHECK(has_text(scratch("files/dendrogram.svg"), "</svg>"));
    CHECK(has_text(scratch("files/report.html"), "Dendrogram"));
    CHECK(has_text(scratch("files/view.pml"), "load representatives/cluster_03.pdb"));
    CHECK(has_text(scratch("files/view.cxc"), "open representatives/cluster_03.pdb"));
    CHECK(has_text(scratch("files/run.json"), "\"cophenetic_correlation\""));
    for (size_t c = 0; c < 3; c++) {
        char name[64];
        snprintf(name, sizeof name, "files/representatives/cluster_%02zu.pdb", c + 1);
        check_representative(scratch(name), result->clusters[c].medoid);
    }
    /* The same from the file of distances alone. */
    qn_cluster_result *again;
    options.structures = (qn_structure_input){
        .select = "all", .begin_ps = -INFINITY, .end_ps = INFINITY, .last_frame = UINT64_MAX, .stride = 1};
    options.distances = scratch("files/matrix.npy");
    options.write_matrix = false;
    options.output = NULL;
    if (CHECK_OK(qn_cluster_run(context, &options, &again))) {
        check_groups(again);
        CHECK(memcmp(again->merges, result->merges, (COUNT - 1) * sizeof *result->merges) == 0);
        CHECK_TEXT(again->names[3], "item 3");
        qn_cluster_result_destroy(&again);
    }
    qn_cluster_result_destroy(&result);
}

/* Distances of a measure of likeness are the same whether they are measured or come from a file of either command. */
static void likeness_becomes_distance_once(void)
{
    static const char *const outputs[] = {"like/matrix.npy", "like.npy"};
    make_frames(COUNT, groups, 0.02);
    qn_cluster_options options = options_of_frames();
    qn_cluster_result *result, *again;
    options.measure = QN_DISTANCE_GDT_TS;
    options.clusters = 3;
    options.write_matrix = true;
    options.output = scratch("like");
    if (!CHECK_OK(qn_cluster_run(context, &options, &result))) return;
    check_groups(result);
    qn_distance_options distance = qn_distance_default_options();
    distance.run = options.run;
    distance.structures = options.structures;
    distance.measure = QN_DISTANCE_GDT_TS;
    distance.output = scratch("like.npy");
    CHECK_OK(qn_distance_run(context, &distance, NULL));
    for (int k = 0; k < 2; k++) {
        options.measure = QN_DISTANCE_DRMSD; /* the run.json knows better */
        options.distances = scratch(outputs[k]);
        options.write_matrix = false;
        options.output = NULL;
        if (!CHECK_OK(qn_cluster_run(context, &options, &again))) continue;
        CHECK_TEXT(again->unit, "");
        for (size_t m = 0; m + 1 < COUNT; m++)
            CHECK_NEAR((double)again->merges[m].height, (double)result->merges[m].height, 1e-6);
        qn_cluster_result_destroy(&again);
    }
    qn_cluster_result_destroy(&result);
}

/* The motion in view.cxc puts a medoid onto the first one: both are the same shape here, the second one turned. */
static void scripts_superpose_the_medoids(void)
{
    static const int same[] = {0, 0};
    make_frames(2, same, 0);
    for (int i = 0; i < ATOMS; i++) { /* a quarter turn about z, and a shift */
        const float x = positions[0][i][0], y = positions[0][i][1];
        positions[1][i][0] = -y + 1, positions[1][i][1] = x + 2, positions[1][i][2] = positions[0][i][2] + 3;
    }
    qn_cluster_options options = options_of_frames();
    options.clusters = 2;
    options.output = scratch("turned");
    positions[1][0][0] += 0.001f; /* so that the two are not identical */
    if (!CHECK_OK(qn_cluster_run(context, &options, NULL))) return;
    char *data;
    size_t size;
    double m[12];
    if (!CHECK_OK(qn_file_read(scratch("turned/view.cxc"), &data, &size))) return;
    const char *at = strstr(data, "view matrix models #2");
    if (CHECK(at != NULL)) {
        at += strlen("view matrix models #2");
        for (int k = 0; k < 12; k++) m[k] = strtod(at + 1, (char **)&at);
        for (int i = 1; i < ATOMS; i++)
            for (int row = 0; row < 3; row++) {
                const float *p = positions[1][i];
                const double moved = m[4 * row] * (double)p[0] * 10 + m[4 * row + 1] * (double)p[1] * 10 +
                                     m[4 * row + 2] * (double)p[2] * 10 + m[4 * row + 3];
                CHECK_NEAR(moved, 10 * (double)positions[0][i][row], 0.02);
            }
    }
    free(data);
}

/* ---- degenerate sets ---- */

static void one_structure_is_one_cluster(void)
{
    static const int one[] = {0};
    make_frames(1, one, 0);
    qn_cluster_options options = options_of_frames();
    qn_cluster_result *result;
    options.clusters = 1;
    options.output = scratch("one");
    if (!CHECK_OK(qn_cluster_run(context, &options, &result))) return;
    CHECK(result->cluster_count == 1 && result->labels[0] == 0 && result->clusters[0].size == 1);
    CHECK(isnan(result->silhouette) && isnan(result->davies_bouldin));
    CHECK(result->warning_count == 1 && strstr(result->warnings[0], "only 1 structure"));
    CHECK(count_lines(scratch("one/assignments.csv")) == 2);
    CHECK(has_text(scratch("one/dendrogram.nwk"), "'frame 0';"));
    check_representative(scratch("one/representatives/cluster_01.pdb"), 0);
    qn_cluster_result_destroy(&result);
}

static void identical_structures_are_one_cluster(void)
{
    static const int same[] = {1, 1, 1, 1, 1, 1};
    make_frames(6, same, 0);
    for (int method = QN_CLUSTER_AVERAGE; method <= QN_CLUSTER_DBSCAN; method++) {
        qn_cluster_options options = options_of_frames();
        qn_cluster_result *result;
        options.method = (qn_cluster_method)method;
        if (method == QN_CLUSTER_GROMOS || method == QN_CLUSTER_DBSCAN)
            options.cutoff = 1;
        else
            options.clusters = method == QN_CLUSTER_KMEDOIDS ? 1 : 2;
        options.output = scratch("same");
        options.run.overwrite = true;
        if (!CHECK_OK(qn_cluster_run(context, &options, &result))) continue;
        CHECK(result->cluster_count == 1 && result->clusters[0].size == 6 && result->clusters[0].diameter == 0);
        if (method <= QN_CLUSTER_WARD)
            CHECK(result->warning_count == 1 && strstr(result->warnings[0], "1 cluster instead of 2"));
        qn_cluster_result_destroy(&result);
    }
}

static void lone_structures_are_noise(void)
{
    static const int lone[] = {0, 0, 0, 0, 2, 1, 0, 0};
    make_frames(8, lone, 0.01);
    qn_cluster_options options = options_of_frames();
    qn_cluster_result *result;
    options.method = QN_CLUSTER_DBSCAN;
    options.cutoff = 0.3;
    options.least_items = 4;
    options.output = scratch("noise");
    if (!CHECK_OK(qn_cluster_run(context, &options, &result))) return;
    CHECK(result->cluster_count == 1 && result->noise_count == 2 && result->clusters[0].size == 6);
    CHECK(result->labels[4] == QN_CLUSTER_NONE && result->labels[5] == QN_CLUSTER_NONE);
    CHECK(isnan(result->medoid_distances[4]) && isnan(result->silhouettes[4]));
    CHECK(has_text(scratch("noise/assignments.csv"), ",40,0,0,,\n"));
    qn_cluster_result_destroy(&result);
}

static void all_may_be_noise(void)
{
    static const int lone[] = {0, 1, 2};
    make_frames(3, lone, 0);
    qn_cluster_options options = options_of_frames();
    qn_cluster_result *result;
    options.method = QN_CLUSTER_DBSCAN;
    options.cutoff = 0.01;
    options.output = scratch("all_noise");
    if (!CHECK_OK(qn_cluster_run(context, &options, &result))) return;
    CHECK(result->cluster_count == 0 && result->noise_count == 3);
    qn_cluster_result_destroy(&result);
}

/* ---- refusals ---- */

static void refuse(qn_cluster_options *options, const char *part)
{
    qn_cluster_result *result = (qn_cluster_result *)&result;
    CHECK(qn_cluster_run(context, options, &result) != QN_OK);
    CHECK_MESSAGE_HAS(part);
    CHECK(result == NULL);
    qn_error_clear();
}

static void write_bytes(const char *name, const void *data, size_t size)
{
    CHECK_OK(qn_file_write(scratch(name), data, size));
}

static void aims_that_do_not_fit_are_refused(void)
{
    static const int few[] = {0, 1, 2};
    make_frames(3, few, 0);
    qn_cluster_options options = options_of_frames();
    refuse(&options, "neither --clusters nor a --cutoff");
    options.clusters = 2, options.cutoff = 1;
    refuse(&options, "--clusters and --cutoff are both given");
    options.method = QN_CLUSTER_GROMOS;
    refuse(&options, "gromos needs a --cutoff");
    options.method = QN_CLUSTER_KMEDOIDS;
    refuse(&options, "kmedoids needs --clusters");
    options.cutoff = 0, options.clusters = 4;
    refuse(&options, "--clusters is \"4\"; expected at most 3");
}

static void files_of_distances_that_do_not_fit_are_refused(void)
{
    static const int few[] = {0, 1, 2};
    static const char head[] =
        "\x93NUMPY\x01\x00\x46\x00{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }%*s\n";
    const float values[6] = {1, 2, 3, 4, 5, 6}, bad[3] = {1, -2, 3};
    char file[256];
    make_frames(3, few, 0);
    qn_cluster_options options = options_of_frames();
    options.clusters = 2;
    options.distances = scratch("missing.npy");
    refuse(&options, "missing.npy: cannot be opened");
    write_bytes("none.npy", "this is a text, not an array", 28);
    options.distances = scratch("none.npy");
    refuse(&options, "is no array of NumPy");
    const struct {
        const char *shape, *message;
        const float *values;
        size_t count;
    } cases[] = {{"6,", "has the distances of 4 structures, but 3 are given", values, 6},
                 {"5,", "has 5 values; expected n(n − 1)/2", values, 5},
                 {"6,", "has 20 bytes of values; expected 24", values, 5},
                 {"2, 3", "its shape is 'shape': (2, 3", values, 6},
                 {"3,", "items 1 and 3 is -2", bad, 3}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const int shape = (int)strlen(cases[k].shape);
        memcpy(file, head, 10);
        snprintf(file + 10, sizeof file - 10, head + 10, cases[k].shape, 13 - shape, "");
        memcpy(file + 80, cases[k].values, cases[k].count * sizeof(float));
        write_bytes("bad.npy", file, 80 + cases[k].count * sizeof(float));
        options.distances = scratch("bad.npy");
        refuse(&options, cases[k].message);
    }
}

int main(int argc, char **argv)
{
    device_name = argc > 1 ? argv[1] : "host";
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context)))
        return check_finish();
    make_topology();
    RUN(every_method_finds_the_groups);
    RUN(a_cutoff_is_in_its_unit);
    RUN(groups_are_found_without_stored_distances);
    RUN(files_have_the_results);
    RUN(likeness_becomes_distance_once);
    RUN(scripts_superpose_the_medoids);
    RUN(one_structure_is_one_cluster);
    RUN(identical_structures_are_one_cluster);
    RUN(lone_structures_are_noise);
    RUN(all_may_be_noise);
    RUN(aims_that_do_not_fit_are_refused);
    RUN(files_of_distances_that_do_not_fit_are_refused);
    qn_topology_destroy(&topology);
    qn_context_destroy(&context);
    return check_finish();
}
