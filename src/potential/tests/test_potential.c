/* devices: host opencl:0 cuda:0 checking:host */
/* Whole runs on one device: AutoGrid's reference maps line by line, results in memory, slabs, receptors that are
 * refused. */
#define _XOPEN_SOURCE 700
#include "check.h"

#include <math.h>
#include <quern/file.h>
#include <quern/potential.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

static const char *device = "host";
static qn_context *context;

static qn_potential_options options_of(const char *receptor)
{
    qn_potential_options options = qn_potential_default_options();
    options.run.device = device;
    options.run.tune = QN_TUNE_OFF;
    options.receptor = receptor;
    return options;
}

/* ---- reference maps ---- */

static char *read_text(const char *path)
{
    char *text = NULL;
    size_t size;
    CHECK_OK(qn_file_read(path, &text, &size));
    return text;
}

/* Whether lines are the same, apart from the last digits of a number; counts lines whose text differs. */
static int count_wrong_lines(const char *ours, const char *theirs, int *other_text)
{
    int wrong = 0;
    while (*ours && *theirs) {
        const size_t length = strcspn(ours, "\n"), wanted = strcspn(theirs, "\n");
        if (length != wanted || memcmp(ours, theirs, length) != 0) {
            const double value = strtod(ours, NULL), expected = strtod(theirs, NULL);
            ++*other_text;
            if (!(fabs(value - expected) <= 0.002 + 1e-6 * fabs(expected))) wrong++;
        }
        ours += length + (ours[length] == '\n');
        theirs += wanted + (theirs[wanted] == '\n');
    }
    return wrong + (*ours != *theirs);
}

/* Check a map that AutoGrid wrote: no value is beyond the tolerance, and most lines are the same. */
static void check_map(const char *ours, const char *theirs)
{
    char *mine = read_text(ours), *reference = read_text(theirs);
    int other_text = 0;
    if (mine && reference) {
        const int wrong = count_wrong_lines(mine, reference, &other_text);
        if (!CHECK(wrong == 0)) printf("  %s: %d lines\n", ours, wrong);
        CHECK(other_text < (int)strlen(reference) / 8 / 5);
    }
    qn_release(&mine);
    qn_release(&reference);
}

static void run_in(const char *folder, const char *gpf, const char *output)
{
    char home[4096];
    qn_potential_options options = options_of(NULL);
    options.gpf = gpf, options.output = output;
    if (!CHECK(getcwd(home, sizeof home) != NULL) || !CHECK(chdir(folder) == 0)) return;
    CHECK_OK(qn_potential_run(context, &options, NULL));
    CHECK(chdir(home) == 0);
}

static void check_maps(const char *folder, const char *gpf, const char *stem, const char *const *maps,
                       const char *ending)
{
    char output[600], ours[1024], theirs[4096];
    snprintf(output, sizeof output, "%s/%s", check_scratch_folder(), gpf);
    run_in(folder, gpf, output);
    for (; *maps; maps++) {
        snprintf(ours, sizeof ours, "%s/%s.%s%s", output, stem, *maps, ending);
        snprintf(theirs, sizeof theirs, "%s/%s.%s%s", folder, stem, *maps, ending);
        check_map(ours, theirs);
    }
}

static void reference_maps_are_reproduced(void)
{
    static const char *const all[] = {"A", "C", "HD", "N", "NA", "OA", "e", "d", NULL}, *const only[] = {"e", NULL};
    const char *file = check_reference_data("maps/1iep_ddd.gpf");
    char folder[4096];
    CHECK(true);
    if (!file) return;
    snprintf(folder, sizeof folder, "%.*s", (int)(strlen(file) - strlen("/1iep_ddd.gpf")), file);
    check_maps(folder, "1iep_ddd.gpf", "1iep_receptor", all, ".map");
    check_maps(folder, "1iep_const.gpf", "1iep_receptor_const", only, ".map");
    strcat(folder, "/hsg1_sm");
    check_maps(folder, "hsg1_sm.gpf", "hsg1_sm", all, ".map");
}

/* ---- results ---- */

static qn_potential_options pocket(void)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s", check_data("potential/pocket.pdbqt"));
    qn_potential_options options = options_of(path);
    options.centre = "15.19,53.903,16.917";
    options.npts[0] = 20;
    options.types = "C,OA,HD";
    return options;
}

/* Value of a line of a map's file. */
static double line_of(const char *path, size_t value)
{
    char *text = read_text(path), *place = text;
    for (size_t i = 0; place && i < value + 6; i++) {
        place = strchr(place, '\n');
        if (place) place++;
    }
    const double number = place ? strtod(place, NULL) : NAN;
    qn_release(&text);
    return number;
}

static void results_in_memory_are_those_of_files(void)
{
    char output[600];
    qn_potential_result *memory = NULL, *files = NULL;
    qn_potential_options options = pocket();
    if (!CHECK_OK(qn_potential_run(context, &options, &memory))) return;
    snprintf(output, sizeof output, "%s/files", check_scratch_folder());
    options.output = output, options.keep_maps = true;
    if (!CHECK_OK(qn_potential_run(context, &options, &files))) return;
    CHECK(memory->map_count == 5 && files->map_count == 5 && memory->atom_count == 212);
    CHECK(memory->points[0] == 21 && memory->points[2] == 21 && memory->spacing_angstrom == 0.375);
    CHECK_TEXT(memory->maps[1].name, "OA");
    CHECK_TEXT(memory->maps[3].name, "e");
    CHECK(memory->maps[0].file == NULL && files->maps[0].file != NULL);
    for (size_t map = 0; map < 5; map++) {
        CHECK(memcmp(memory->maps[map].values, files->maps[map].values, 9261 * sizeof(float)) == 0);
        CHECK(memory->maps[map].least == files->maps[map].least && memory->maps[map].most == files->maps[map].most);
        for (size_t i = 0; i < 9261; i += 977)
            CHECK_NEAR(line_of(files->maps[map].file, i), (double)files->maps[map].values[i],
                       0.0005 + 1e-7 * fabs((double)files->maps[map].values[i]));
    }
    qn_potential_result_destroy(&memory);
    qn_potential_result_destroy(&files);
}

static bool same_files(const char *first, const char *second)
{
    char *one = read_text(first), *other = read_text(second);
    const bool same = one && other && strcmp(one, other) == 0;
    qn_release(&one);
    qn_release(&other);
    return same;
}

/* With little memory the maps are written in several passes over the journals. */
static void little_memory_gives_the_same_files(void)
{
    char outputs[2][600], paths[2][700];
    for (int i = 0; i < 2; i++) {
        qn_potential_options options = pocket();
        snprintf(outputs[i], sizeof outputs[i], "%s/memory%d", check_scratch_folder(), i);
        options.output = outputs[i];
        options.npts[0] = 180, options.npts[1] = 16, options.npts[2] = 300;
        options.spacing_angstrom = 0.2;
        options.run.memory_bytes = i ? (uint64_t)40 << 20 : 0;
        CHECK_OK(qn_potential_run(context, &options, NULL));
    }
    static const char *const names[] = {"C.map", "HD.map", "e.map", "d.map", "maps.fld"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        for (int i = 0; i < 2; i++) snprintf(paths[i], sizeof paths[i], "%s/pocket.%s", outputs[i], names[k]);
        CHECK(same_files(paths[0], paths[1]));
    }
    qn_potential_options options = pocket();
    options.run.memory_bytes = 1 << 20;
    options.npts[0] = 200;
    CHECK_FAILS(qn_potential_run(context, &options, NULL), QN_OUT_OF_MEMORY);
    CHECK_MESSAGE_HAS("1 MiB are allowed");
}

/* ---- refusals ---- */

static const char *write_file(const char *name, const char *text)
{
    static char path[2][600];
    static int turn;
    char *own = path[turn = !turn];
    snprintf(own, 600, "%s/%s", check_scratch_folder(), name);
    CHECK_OK(qn_file_write(own, text, strlen(text)));
    return own;
}

static void check_receptor(const char *line, const char *part)
{
    qn_potential_options options = options_of(write_file("bad.pdbqt", line));
    options.npts[0] = 4;
    CHECK(qn_potential_run(context, &options, NULL) != QN_OK);
    CHECK_MESSAGE_HAS(part);
}

static void receptors_are_checked(void)
{
    check_receptor("ATOM      1  C   SER A   1         nan  66.182  33.926  1.00  0.00     0.244 C \n",
                   "bad.pdbqt:1: x coordinate \"     nan\" is not a number");
    check_receptor("\nATOM      1  C   SER A   1      11.317  66.182  33.926  1.00  0.00       inf C \n",
                   "bad.pdbqt:2: charge \"   inf\" is not a number");
    check_receptor("ATOM      1  C   SER A   1      11.317  66.182  33.926  1.00  0.00     -1e39 C \n",
                   "bad.pdbqt:1: charge \" -1e39\"; expected at most 1000 e");
    check_receptor("ATOM      1  C   SER A   1      11.317  66.182  33.926  1.00  0.00     0.244\n", "has no type");
    check_receptor("ATOM      1  C   SER A   1      11.317  66.182  33.926  1.00  0.00     0.244 Cx\n",
                   "bad.pdbqt:1: atom type \"Cx\" has no parameters; expected one of AutoDock's, or a parameter_file");
    check_receptor("REMARK nothing\n", "holds no atoms");
    qn_potential_options options = options_of("/nowhere/r.pdbqt");
    options.npts[0] = 4;
    CHECK_FAILS(qn_potential_run(context, &options, NULL), QN_NOT_FOUND);
    options = pocket();
    options.dielectric = 1e-300;
    CHECK_FAILS(qn_potential_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--dielectric is 1e-300; expected a constant from 0.001 on");
    options = pocket();
    options.types = "C,Xy";
    CHECK(qn_potential_run(context, &options, NULL) != QN_OK);
    CHECK_MESSAGE_HAS("--types has \"Xy\", which has no parameters");
}

/* The probe Z has no meaning without the well of a covalent map. */
static void a_covalent_probe_needs_its_well(void)
{
    char text[700];
    qn_potential_options options = pocket();
    options.types = "C,Z";
    CHECK_FAILS(qn_potential_run(context, &options, NULL), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("--types has \"Z\", the probe of a covalent map, whose well is not given");
    for (int given = 0; given < 2; given++) {
        snprintf(text, sizeof text,
                 "npts 4 4 4\ngridfld x.maps.fld\nligand_types Z\nmap x.Z.map\nelecmap x.e.map\ndsolvmap x.d.map\n"
                 "receptor %s\n%s",
                 check_data("potential/pocket.pdbqt"), given ? "covalentmap 5 1000 1 2 3\n" : "");
        options = options_of(NULL);
        options.gpf = write_file("run.gpf", text), options.in_memory = true;
        CHECK((qn_potential_run(context, &options, NULL) == QN_OK) == given);
        if (!given) CHECK_MESSAGE_HAS("run.gpf:3: ligand_types has \"Z\", the probe of a covalent map");
    }
}

static void a_missing_receptor_type_is_named(void)
{
    char text[700];
    snprintf(text, sizeof text,
             "npts 4 4 4\ngridfld x.maps.fld\nreceptor_types A C HD N NA OA S\nligand_types C\nmap x.C.map\n"
             "elecmap x.e.map\ndsolvmap x.d.map\nreceptor %s\n",
             check_data("potential/pocket.pdbqt"));
    qn_potential_options options = options_of(NULL);
    options.gpf = write_file("run.gpf", text), options.in_memory = true;
    CHECK_FAILS(qn_potential_run(context, &options, NULL), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("run.gpf:3: receptor_types lacks type SA of line ");
    CHECK_MESSAGE_HAS("expected the line \"receptor_types A C HD N NA OA S SA\"");
}

int main(int argc, char **argv)
{
    if (argc > 1) device = argv[1];
    qn_device *opened = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, device, &opened) == QN_NO_DEVICE) check_skip(device, qn_error_message());
    qn_device_release(&opened);
    RUN(results_in_memory_are_those_of_files);
    RUN(reference_maps_are_reproduced);
    RUN(little_memory_gives_the_same_files);
    RUN(receptors_are_checked);
    RUN(a_covalent_probe_needs_its_well);
    RUN(a_missing_receptor_type_is_named);
    qn_context_destroy(&context);
    return check_finish();
}
