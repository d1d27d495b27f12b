/* quern distance as a library function: inputs of every kind, and values against reference data. */
#include "check.h"

#include <math.h>
#include <quern/distance.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/measure/measure.h"

enum { ATOMS = 5, PATH = 600 };

static qn_context *context;

/* ---- models of five atoms ---- */

static const char *in_scratch(const char *name)
{
    static char paths[8][PATH];
    static int turn;
    char *path = paths[turn = (turn + 1) % 8];
    snprintf(path, PATH, "%s/%s", check_scratch_folder(), name);
    return path;
}

/* Coordinates of model k: a bent chain whose last atom moves by k Å along z. */
static double coordinate(int k, int atom, int axis)
{
    static const double chain[ATOMS][3] = {{0, 0, 0}, {3, 1, 0}, {5, 3, 1}, {8, 2, 3}, {9, 5, 4}};
    return chain[atom][axis] + (atom == ATOMS - 1 && axis == 2 ? k : 0);
}

/* The definition, for models k and l. */
static double expected(int k, int l)
{
    double sum = 0;
    for (int a = 0; a < ATOMS; a++)
        for (int b = a + 1; b < ATOMS; b++) {
            double squares[2] = {0, 0};
            for (int axis = 0; axis < 3; axis++) {
                squares[0] += pow(coordinate(k, a, axis) - coordinate(k, b, axis), 2);
                squares[1] += pow(coordinate(l, a, axis) - coordinate(l, b, axis), 2);
            }
            sum += pow(sqrt(squares[0]) - sqrt(squares[1]), 2);
        }
    return sqrt(2 * sum / (ATOMS * (ATOMS - 1)));
}

static void write_atoms(FILE *file, int model, int atoms)
{
    for (int i = 0; i < atoms; i++) {
        fprintf(file, "ATOM  %5d  CA  ALA A%4d    %8.3f%8.3f%8.3f  1.00  0.00           C\n", 2 * i + 1, i + 1,
                coordinate(model, i, 0), coordinate(model, i, 1), coordinate(model, i, 2));
        fprintf(file, "ATOM  %5d  N   ALA A%4d    %8.3f%8.3f%8.3f  1.00  0.00           N\n", 2 * i + 2, i + 1, 50.0,
                50.0, 50.0 + model);
    }
}

/* Write models first … first + count − 1 with `atoms` residues each. */
static const char *write_models(const char *name, int first, int count, int atoms)
{
    const char *path = in_scratch(name);
    FILE *file = fopen(path, "w");
    if (!CHECK(file != NULL)) return path;
    for (int k = first; k < first + count; k++) {
        if (count > 1) fprintf(file, "MODEL     %4d\n", k + 1);
        write_atoms(file, k, atoms);
        if (count > 1) fputs("ENDMDL\n", file);
    }
    fputs("END\n", file);
    fclose(file);
    return path;
}

static const char *write_text(const char *name, const char *format, ...) QN_PRINTF_LIKE(2, 3);
static const char *write_text(const char *name, const char *format, ...)
{
    const char *path = in_scratch(name);
    FILE *file = fopen(path, "w");
    va_list values;
    if (!CHECK(file != NULL)) return path;
    va_start(values, format);
    vfprintf(file, format, values);
    va_end(values);
    fclose(file);
    return path;
}

static qn_distance_options options_for(const char *const *files, size_t count)
{
    qn_distance_options options = qn_distance_default_options();
    options.run.device = "host";
    options.run.tune = QN_TUNE_OFF;
    options.structures.files = files;
    options.structures.file_count = count;
    return options;
}

/* Measure; the result is NULL after a failure that was not expected. */
static qn_distance_result *measure(const qn_distance_options *options)
{
    qn_distance_result *result = NULL;
    CHECK_OK(qn_distance_run(context, options, &result));
    return result;
}

/* The values are those of models first, first + step, … */
static void check_triangle(qn_distance_result *result, int first, int step, size_t count)
{
    size_t place = 0;
    if (!CHECK(result && result->count == count && result->values)) return;
    CHECK(result->atom_count == ATOMS && result->value_count == count * (count - 1) / 2);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            CHECK_NEAR(result->values[place++], expected(first + step * (int)i, first + step * (int)j), 2e-5);
    qn_distance_result_destroy(&result);
    CHECK(result == NULL);
}

/* ---- inputs ---- */

static void models_of_one_file_are_compared(void)
{
    const char *const files[] = {write_models("all.pdb", 0, 7, ATOMS)};
    qn_distance_options options = options_for(files, 1);
    qn_distance_result *result = measure(&options);
    if (!CHECK(result != NULL)) return;
    CHECK(strstr(result->names[2], "all.pdb#3") != NULL);
    CHECK_TEXT(result->unit, "Å");
    CHECK_NEAR(result->largest, expected(0, 6), 2e-5);
    check_triangle(result, 0, 1, 7);
    options.structures.first_frame = 1, options.structures.last_frame = 5, options.structures.stride = 2;
    check_triangle(measure(&options), 1, 2, 3);
}

static void models_of_many_files_are_compared(void)
{
    const char *const files[] = {write_models("a.pdb", 0, 1, ATOMS), write_models("b.pdb", 1, 3, ATOMS),
                                 write_models("c.pdb", 4, 1, ATOMS)};
    qn_distance_options options = options_for(files, 3);
    qn_distance_result *result = measure(&options);
    if (!CHECK(result != NULL)) return;
    CHECK_TEXT(result->names[0], files[0]);
    CHECK(strstr(result->names[3], "b.pdb#3") != NULL);
    CHECK_TEXT(result->names[4], files[2]);
    check_triangle(result, 0, 1, 5);
    options.structures.first_frame = 1, options.structures.stride = 3;
    check_triangle(measure(&options), 1, 3, 2);
    options = options_for(files, 1);
    options.structures.list = write_text("list", "# more files\n%s\r\n\n%s  \n", files[1], files[2]);
    check_triangle(measure(&options), 0, 1, 5);
    options.structures.list = write_text("list", "# none\n");
    CHECK_FAILS(qn_distance_run(context, &options, NULL), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("names no file");
    options.structures.list = write_text("list", "# one file\n%s\n\nMODEL        1\n", files[1]);
    CHECK_FAILS(qn_distance_run(context, &options, NULL), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("list:4: there is no file \"MODEL        1\"; expected the name of a file of models");
    options.structures.list = NULL;
    options.between = write_text("list", "%s\nnone.pdb\n", files[1]);
    CHECK_FAILS(qn_distance_run(context, &options, NULL), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("list:2: there is no file \"none.pdb\"");
}

static void references_are_columns(void)
{
    const char *const files[] = {write_models("all.pdb", 0, 4, ATOMS)};
    const char *const references[] = {write_models("one.pdb", 2, 1, ATOMS), write_models("two.pdb", 5, 2, ATOMS)};
    qn_distance_options options = options_for(files, 1);
    for (int way = 0; way < 2; way++) {
        options.to = way == 0 ? references : NULL;
        options.to_count = way == 0 ? 2 : 0;
        options.between = way == 0 ? NULL : write_text("references", "%s\n%s\n", references[0], references[1]);
        qn_distance_result *result = measure(&options);
        if (!CHECK(result && result->count == 4 && result->reference_count == 3 && result->value_count == 12)) return;
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 3; j++)
                CHECK_NEAR(result->values[3 * i + j], expected(i, (const int[]){2, 5, 6}[j]), 2e-5);
        CHECK(strstr(result->names[5], "two.pdb#1") != NULL);
        qn_distance_result_destroy(&result);
    }
    options.to = references, options.to_count = 1;
    CHECK_FAILS(qn_distance_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--to and --between");
    options = options_for((const char *const[]){references[0]}, 1);
    options.to = references + 1, options.to_count = 1;
    qn_distance_result *single = measure(&options); /* one model is enough here */
    if (!CHECK(single && single->value_count == 2)) return;
    CHECK_NEAR(single->values[1], expected(2, 6), 2e-5);
    qn_distance_result_destroy(&single);
}

/* Of alternate locations the first is taken; atoms of one name without locations are all taken. */
static void alternate_locations_are_taken_once(void)
{
    const char *path = in_scratch("alternates.pdb");
    const char *const files[] = {path, write_models("b.pdb", 1, 1, ATOMS)};
    FILE *file = fopen(path, "w");
    if (!CHECK(file != NULL)) return;
    for (int i = 0; i < ATOMS; i++)
        for (int copy = 0; copy < (i == 2 ? 2 : 1); copy++)
            fprintf(file, "ATOM  %5d  CA %cALA A%4d    %8.3f%8.3f%8.3f  0.50  0.00           C\n", i + 1,
                    i == 2 ? 'A' + copy : ' ', i + 1, coordinate(0, i, 0) + 7 * copy, coordinate(0, i, 1),
                    coordinate(0, i, 2));
    fclose(file);
    qn_distance_options options = options_for(files, 2);
    check_triangle(measure(&options), 0, 1, 2);
}

static void frames_of_a_trajectory_are_compared(void)
{
    static const char atoms[] = "index\tresid\tresname\tname\ttype\tmass\tcharge\n";
    const char *xyz = in_scratch("frames.xyz"), *topology = in_scratch("topology.tsv");
    FILE *file = fopen(topology, "w"), *frames = fopen(xyz, "w");
    if (!CHECK(file && frames)) return;
    fputs(atoms, file);
    for (int i = 0; i < ATOMS; i++) fprintf(file, "%d\t%d\tALA\tCA\tC\t12.0\t0.0\n", i, i + 1);
    for (int k = 0; k < 6; k++) {
        fprintf(frames, "%d\nframe %d\n", ATOMS, k);
        for (int i = 0; i < ATOMS; i++)
            fprintf(frames, "C %.4f %.4f %.4f\n", coordinate(k, i, 0), coordinate(k, i, 1), coordinate(k, i, 2));
    }
    fclose(file);
    fclose(frames);
    const char *const files[] = {topology, xyz};
    qn_distance_options options = options_for(files, 2);
    qn_distance_result *result = measure(&options);
    if (!CHECK(result != NULL)) return;
    CHECK_TEXT(result->names[4], "frame 4");
    check_triangle(result, 0, 1, 6);
    options.structures.first_frame = 1, options.structures.stride = 4;
    check_triangle(measure(&options), 1, 4, 2);
    options.structures.first_frame = 6;
    CHECK_FAILS(qn_distance_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("frames.xyz: has no frame in the chosen range");
}

static qn_topology *make_topology(bool with_bonds)
{
    qn_topology *topology;
    if (!CHECK_OK(qn_topology_create("chain", &topology))) exit(1);
    CHECK_OK(qn_topology_append_residue(topology, &(qn_topology_residue){.number = 1, .name = "ALA"}));
    for (int i = 0; i < ATOMS; i++)
        CHECK_OK(qn_topology_append_atom(topology, &(qn_topology_atom){.name = "CA", .element = "C", .mass_u = 12}));
    for (int i = 0; i + 1 < ATOMS && with_bonds; i++)
        CHECK_OK(qn_topology_append_bond(topology, (size_t)i, (size_t)i + 1));
    topology->has_bonds = with_bonds;
    CHECK_OK(qn_topology_finish(topology, QN_MOLECULES_OF_BONDS));
    return topology;
}

/* A box of 2 nm cuts the chain in the second frame, and the molecule is made whole where bonds are known. */
static void frames_in_memory_are_made_whole(void)
{
    float positions[3][ATOMS][3];
    double boxes[3][9] = {{2, 0, 0, 0, 2, 0, 0, 0, 2}, {2, 0, 0, 0, 2, 0, 0, 0, 2}, {2, 0, 0, 0, 2, 0, 0, 0, 2}};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < ATOMS; i++)
            for (int axis = 0; axis < 3; axis++)
                positions[k][i][axis] = (float)coordinate(k, i, axis) / 10 + (k == 1 && i == 3 ? 2 : 0);
    const qn_frame_array frames = {
        .positions_nm = &positions[0][0][0], .frame_count = 3, .atom_count = ATOMS, .boxes_nm = &boxes[0][0]};
    for (int bonds = 1; bonds >= 0; bonds--) {
        qn_topology *topology = make_topology(bonds);
        qn_distance_options options = options_for(NULL, 0);
        options.structures.topology = topology;
        options.structures.frames = &frames;
        qn_distance_result *result = measure(&options);
        if (bonds)
            check_triangle(result, 0, 1, 3);
        else if (CHECK(result != NULL))
            CHECK(result->values[0] > 5);
        if (!bonds) qn_distance_result_destroy(&result);
        options.structures.whole = QN_WHOLE_YES;
        if (!bonds) CHECK_FAILS(qn_distance_run(context, &options, NULL), QN_INVALID_ARGUMENT);
        qn_topology_destroy(&topology);
    }
}

/* ---- inputs that are refused ---- */

static void refused(const qn_distance_options *options, qn_status status, const char *part)
{
    qn_distance_result *result = (void *)&result;
    CHECK_FAILS(qn_distance_run(context, options, &result), status);
    CHECK_MESSAGE_HAS(part);
    CHECK(result == NULL);
}

static void wrong_inputs_are_refused(void)
{
    const char *const files[] = {write_models("a.pdb", 0, 2, ATOMS), write_models("short.pdb", 0, 2, ATOMS - 1)};
    qn_distance_options options = options_for(files, 2);
    refused(&options, QN_BAD_FORMAT, "short.pdb: \"name CA\" selects 4 atoms, but 5 of");
    options = options_for(files, 1);
    options.structures.select = "name CB";
    refused(&options, QN_INVALID_ARGUMENT, "selects none of the 10 atoms of");
    options.structures.select = "x < 2";
    refused(&options, QN_INVALID_ARGUMENT, "may select different atoms");
    options.structures.select = "resid 1";
    options.structures.last_frame = 0;
    refused(&options, QN_INVALID_ARGUMENT, "only 1 structure");
    options = options_for(files, 1);
    options.structures.select = "resid 2 and name CA";
    refused(&options, QN_INVALID_ARGUMENT, "the models have 1 atom");
    options = options_for(files, 1);
    options.run.memory_bytes = 100;
    refused(&options, QN_OUT_OF_MEMORY, "2 structures of 5 atoms");
    options = options_for((const char *const[]){in_scratch("absent.pdb")}, 1);
    refused(&options, QN_NOT_FOUND, "absent.pdb");
    options = options_for(NULL, 0);
    refused(&options, QN_INVALID_ARGUMENT, "neither as files nor in memory");
    options = options_for(files, 1);
    options.output = "matrix.txt";
    refused(&options, QN_INVALID_ARGUMENT, "ends in .npy or .csv");
    options.output = ".npy";
    refused(&options, QN_INVALID_ARGUMENT, "ends in .npy or .csv");
}

static void numbers_that_are_none_are_refused(void)
{
    float positions[2][ATOMS][3] = {{{0}}};
    qn_topology *topology = make_topology(false);
    const qn_frame_array frames = {.positions_nm = &positions[0][0][0], .frame_count = 2, .atom_count = ATOMS};
    qn_distance_options options = options_for(NULL, 0);
    positions[1][2][1] = NAN;
    options.structures.topology = topology;
    options.structures.frames = &frames;
    refused(&options, QN_INVALID_ARGUMENT, "nan");
    positions[1][2][1] = 0;
    qn_distance_result *result = measure(&options); /* all atoms at one point */
    if (CHECK(result != NULL)) CHECK(result->values[0] == 0);
    qn_distance_result_destroy(&result);
    qn_topology_destroy(&topology);
}

/* ---- results ---- */

static void mirror_images_are_told(void)
{
    float positions[3][ATOMS][3];
    qn_topology *topology = make_topology(false);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < ATOMS; i++)
            for (int axis = 0; axis < 3; axis++)
                positions[k][i][axis] = (float)coordinate(k % 2, i, axis) / 10 * (k == 2 && axis == 2 ? -1 : 1);
    const qn_frame_array frames = {.positions_nm = &positions[0][0][0], .frame_count = 3, .atom_count = ATOMS};
    qn_distance_options options = options_for(NULL, 0);
    options.structures.topology = topology;
    options.structures.frames = &frames;
    qn_distance_result *result = measure(&options);
    if (CHECK(result && result->warning_count == 1)) {
        CHECK(strstr(result->warnings[0],
                     "1 of 3 structures looks like the mirror image of frame 0, such as frame 2") != NULL);
        CHECK_NEAR(result->values[1], 0, 2e-5);
    }
    qn_distance_result_destroy(&result);
    qn_topology_destroy(&topology);
}

static void sixteen_bits_are_steps(void)
{
    const char *const files[] = {write_models("all.pdb", 0, 3, ATOMS)};
    qn_distance_options options = options_for(files, 1);
    options.matrix = QN_DISTANCE_UINT16;
    qn_distance_result *result = measure(&options);
    if (!CHECK(result && result->steps && !result->values)) return;
    CHECK_NEAR(result->steps[1] * (double)result->step, expected(0, 2), 0.0005 + 2e-5);
    qn_distance_result_destroy(&result);
}

/* Compare with a table of reference values, computed with NumPy in double precision. */
static void check_reference(const char *models, const char *table, size_t count)
{
    char path[PATH];
    const char *found = check_reference_data(models);
    if (!found) return;
    snprintf(path, sizeof path, "%s", found);
    qn_distance_options options = options_for((const char *const[]){path}, 1);
    qn_distance_result *result = measure(&options);
    FILE *file = fopen(check_reference_data(table), "r");
    double worst = 0, value;
    size_t place = 0;
    if (!CHECK(result && file && result->count == count)) return;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            if (!CHECK(fscanf(file, "%lf%*[,\n]", &value) == 1)) return;
            if (j > i) worst = fmax(worst, fabs(value - (double)result->values[place++]));
        }
    CHECK(worst <= 1e-4);
    fclose(file);
    qn_distance_result_destroy(&result);
}

static void values_are_those_of_reference_data(void)
{
    check_reference("cluster/adk_dims_ca.pdb", "cluster/adk_dims_ca_drmsd.csv", 200);
    check_reference("cluster/itasser_decoys_ca.pdb", "cluster/itasser_decoys_ca_drmsd.csv", 23);
}

/* The option's choices, the enum and the table have one order. */
static void names_of_measures_have_one_order(void)
{
    static const char names[] = QN_MEASURE_NAMES;
    const char *name = names;
    qn_option row;
    if (!CHECK(qn_option_find(qn_distance_option_table(), "measure", &row))) return;
    CHECK_TEXT(row.choices, names);
    for (size_t i = 0; qn_measures[i]; i++) {
        const size_t length = strlen(qn_measures[i]->name);
        CHECK(strncmp(name, qn_measures[i]->name, length) == 0 && (name[length] == ' ' || name[length] == '\0'));
        name += length + (name[length] == ' ');
    }
    CHECK(*name == '\0');
    CHECK_TEXT(qn_measures[QN_DISTANCE_DRMSD]->name, "drmsd");
    CHECK_TEXT(qn_measures[QN_DISTANCE_RMSD]->name, "rmsd");
}

int main(void)
{
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    RUN(names_of_measures_have_one_order);
    RUN(models_of_one_file_are_compared);
    RUN(models_of_many_files_are_compared);
    RUN(references_are_columns);
    RUN(alternate_locations_are_taken_once);
    RUN(frames_of_a_trajectory_are_compared);
    RUN(frames_in_memory_are_made_whole);
    RUN(wrong_inputs_are_refused);
    RUN(numbers_that_are_none_are_refused);
    RUN(mirror_images_are_told);
    RUN(sixteen_bits_are_steps);
    if (check_reference_data("cluster/adk_dims_ca.pdb")) RUN(values_are_those_of_reference_data);
    qn_context_destroy(&context);
    return check_finish();
}
