/* Receptors, sites and types as users give them: runs in memory, checked by hand calculation and reference maps. */
#include "check.h"

#include <quern/molecule.h>
#include <quern/potential.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static qn_context *context;
static char receptor[1024], ligand[1024];

static qn_potential_options options_of_abl(void)
{
    qn_potential_options options = qn_potential_default_options();
    options.receptor = receptor;
    options.in_memory = true;
    options.run.device = "host";
    options.run.quiet = true;
    return options;
}

/* Extent of imatinib's heavy atoms, read from the SDF's columns. */
static void find_extent(double low[3], double high[3])
{
    char line[128], element[4];
    double place[3];
    FILE *file = fopen(ligand, "r");
    for (int k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%lf %lf %lf %3s", &place[0], &place[1], &place[2], element) != 4) continue;
        if (strcmp(element, "H") == 0 || element[0] < 'A') continue;
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], place[k]);
            high[k] = fmax(high[k], place[k]);
        }
    }
    if (file) fclose(file);
}

static void a_site_gives_the_box_and_a_ligand_the_types(void)
{
    static const char *const names[] = {"A", "C", "HD", "N", "NA", "OA", "e", "d", "C_H", "C_P", "N_D", "N_A", "O_A"};
    qn_potential_options options = options_of_abl();
    qn_potential_result *result = NULL;
    double low[3], high[3];
    find_extent(low, high);
    options.site = options.ligand = ligand;
    options.margin_angstrom = 1;
    options.spacing_angstrom = 1.5;
    options.score = QN_POTENTIAL_BOTH;
    if (!CHECK_OK(qn_potential_run(context, &options, &result))) return;
    for (int k = 0; k < 3; k++) {
        const double extent = (result->points[k] - 1) * 1.5, wanted = high[k] - low[k] + 2;
        CHECK_NEAR(result->centre_angstrom[k], (low[k] + high[k]) / 2, 0.00051);
        CHECK(result->points[k] % 2 == 1 && extent >= wanted && extent < wanted + 3);
    }
    if (CHECK(result->map_count == sizeof names / sizeof *names))
        for (size_t i = 0; i < result->map_count; i++) CHECK_TEXT(result->maps[i].name, names[i]);
    qn_potential_result_destroy(&result);
}

/* The values that AutoGrid computes for AutoDockTools' preparation of the same receptor, where neither charges (0.002 e
 * apart) nor the thiolates of Cys (which accept hydrogen bonds here) matter. */
static void a_pdb_gives_the_maps_of_its_pdbqt(void)
{
    char line[64];
    qn_potential_options options = options_of_abl();
    qn_potential_result *result = NULL;
    const char *path = check_reference_data("maps/1iep_receptor.OA.map");
    if (!path) return;
    options.centre = "15.190,53.903,16.917";
    options.npts[0] = 40;
    options.types = "OA";
    if (!CHECK_OK(qn_potential_run(context, &options, &result))) return;
    FILE *file = fopen(path, "r");
    for (int i = 0; file && i < 6; i++) CHECK(fgets(line, sizeof line, file) != NULL);
    int compared = 0;
    double worst = 0;
    for (int i = 0; file && i < 41 * 41 * 41 && fgets(line, sizeof line, file); i++) {
        const double expected = strtod(line, NULL);
        if (expected > 10) continue; /* overlap: a step of a table is more than the difference */
        worst = fmax(worst, fabs((double)result->maps[0].values[i] - expected));
        compared++;
    }
    CHECK(compared > 25000);
    CHECK(worst < 0.0021);
    if (file) fclose(file);
    qn_potential_result_destroy(&result);
}

/* The first record of this file is water; some of the others are broken. */
static void broken_molecules_of_a_library_give_no_types(void)
{
    static char mixed[1024];
    qn_potential_options options = options_of_abl();
    qn_potential_result *result = NULL;
    snprintf(mixed, sizeof mixed, "%s", check_data("format/mixed.sdf"));
    options.npts[0] = 2;
    options.ligand = mixed;
    options.score = QN_POTENTIAL_BOTH;
    if (CHECK_OK(qn_potential_run(context, &options, &result))) {
        bool donor = false, oxygen = false;
        for (size_t i = 0; i < result->map_count; i++) {
            oxygen |= strcmp(result->maps[i].name, "OA") == 0;
            donor |= strcmp(result->maps[i].name, "O_DA") == 0;
        }
        CHECK(oxygen && donor);
    }
    qn_potential_result_destroy(&result);
}

static void types_are_named_or_all(void)
{
    qn_potential_options options = options_of_abl();
    qn_potential_result *result = NULL;
    options.npts[0] = 2;
    options.types = "all";
    if (CHECK_OK(qn_potential_run(context, &options, &result))) CHECK(result->map_count == 13 + 2);
    qn_potential_result_destroy(&result);
    options.score = QN_POTENTIAL_VINA;
    if (CHECK_OK(qn_potential_run(context, &options, &result))) CHECK(result->map_count == 18);
    qn_potential_result_destroy(&result);
    options.types = "o_da,C_H";
    if (CHECK_OK(qn_potential_run(context, &options, &result))) {
        CHECK(result->map_count == 2);
        CHECK_TEXT(result->maps[0].name, "O_DA");
    }
    qn_potential_result_destroy(&result);
}

/* Every pseudo-atom lies on a point of the only map, whose value is its B factor; none is nearer than 2 Å to another.
 */
static void check_spots(const char *folder, const qn_potential_result *result)
{
    char path[1200];
    qn_molecule *spots = NULL;
    snprintf(path, sizeof path, "%s/hot_spots.pdb", folder);
    if (!CHECK_OK(qn_molecule_read(NULL, path, NULL, &spots))) return;
    CHECK(spots->atom_count > 2 && spots->atom_count <= 10);
    CHECK_NEAR(spots->atoms[0].b_factor_angstrom2, result->maps[0].least, 0.0051);
    for (size_t i = 0; i < spots->atom_count; i++) {
        const qn_atom *atom = &spots->atoms[i];
        size_t point[3];
        for (int k = 0; k < 3; k++)
            point[k] =
                (size_t)lround((atom->position_angstrom[k] - result->centre_angstrom[k]) / result->spacing_angstrom +
                               result->points[k] / 2);
        const size_t nx = (size_t)result->points[0], ny = (size_t)result->points[1];
        const float value = result->maps[0].values[(point[2] * ny + point[1]) * nx + point[0]];
        CHECK_NEAR(value, atom->b_factor_angstrom2, 0.0051);
        CHECK(value < -0.3F);
        for (size_t k = 0; k < i; k++) {
            double square = 0;
            for (int d = 0; d < 3; d++)
                square += pow(atom->position_angstrom[d] - spots->atoms[k].position_angstrom[d], 2);
            CHECK(square > 1.999 * 1.999);
        }
    }
    qn_molecule_destroy(&spots);
}

static void a_folder_has_a_report_and_hot_spots(void)
{
    static const char *const files[] = {"report.html",
                                        "hot_spots.pdb",
                                        "view.pml",
                                        "view.cxc",
                                        "1iep_receptor.pdbqt",
                                        "1iep_receptor.O_A.map",
                                        "1iep_receptor.O_A.dx",
                                        "1iep_receptor.O_A.mrc",
                                        "run.json"};
    char folder[1024], path[1200];
    qn_potential_options options = options_of_abl();
    qn_potential_result *result = NULL;
    snprintf(folder, sizeof folder, "%s/maps", check_scratch_folder());
    options.in_memory = false;
    options.keep_maps = true;
    options.output = folder;
    options.site = ligand;
    options.spacing_angstrom = 0.75;
    options.score = QN_POTENTIAL_VINA;
    options.types = "O_A";
    options.format = "map,dx,mrc";
    if (!CHECK_OK(qn_potential_run(context, &options, &result))) return;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        FILE *file = fopen(path, "r");
        if (!CHECK(file != NULL)) printf("  %s is missing\n", files[i]);
        if (file) fclose(file);
    }
    check_spots(folder, result);
    qn_potential_result_destroy(&result);
}

static void impossible_wishes_are_refused(void)
{
    static const char atom[] = "HETATM    1 SI   LIG A   1      15.190  53.903  16.917  1.00  0.00     0.000 Si\n";
    char silicon[1024];
    snprintf(silicon, sizeof silicon, "%s/silicon.pdbqt", check_scratch_folder());
    CHECK_OK(qn_file_write(silicon, atom, strlen(atom)));
    qn_potential_options options = options_of_abl();
    options.npts[0] = 2;
    options.types = "C";
    options.ligand = ligand;
    CHECK_FAILS(qn_potential_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--ligand and --types are both given");
    options.ligand = NULL;
    options.score = QN_POTENTIAL_VINA;
    options.types = "C_H,OA";
    CHECK_FAILS(qn_potential_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("expected Vina's types");
    options.types = "C_H,C_H";
    CHECK_FAILS(qn_potential_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("expected each type once");
    options = options_of_abl();
    options.npts[0] = 2;
    options.ligand = silicon;
    CHECK_FAILS(qn_potential_run(context, &options, NULL), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("silicon.pdbqt gives \"Si\", which has no parameters");
    options = options_of_abl();
    options.site = "missing.sdf";
    CHECK_FAILS(qn_potential_run(context, &options, NULL), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("missing.sdf");
}

int main(void)
{
    snprintf(receptor, sizeof receptor, "%s", check_data("../../examples/1iep/1iep_receptor.pdb"));
    snprintf(ligand, sizeof ligand, "%s", check_data("../../examples/1iep/1iep_ligand.sdf"));
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    RUN(a_site_gives_the_box_and_a_ligand_the_types);
    if (check_reference_data("maps/1iep_receptor.OA.map")) RUN(a_pdb_gives_the_maps_of_its_pdbqt);
    RUN(broken_molecules_of_a_library_give_no_types);
    RUN(types_are_named_or_all);
    RUN(a_folder_has_a_report_and_hot_spots);
    RUN(impossible_wishes_are_refused);
    qn_context_destroy(&context);
    return check_finish();
}
