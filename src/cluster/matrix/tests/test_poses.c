/* RMSD of docked poses in whole runs: files of several programs, other orders of atoms, other molecules. */
#include "check.h"

#include <math.h>
#include <quern/distance.h>
#include <stdio.h>
#include <string.h>

static qn_context *context;

static const char *write_file(const char *name, const char *text)
{
    static char path[4][512];
    static int which;
    which = (which + 1) % 4;
    snprintf(path[which], sizeof path[which], "%s/%s", check_scratch_folder(), name);
    FILE *file = fopen(path[which], "w");
    if (CHECK(file != NULL)) {
        fputs(text, file);
        fclose(file);
    }
    return path[which];
}

static qn_status run(const char *const *files, size_t count, const char *reference, const char *molecule,
                     qn_distance_result **result)
{
    qn_distance_options options = qn_distance_default_options();
    options.run.device = "host";
    options.structures.files = files;
    options.structures.file_count = count;
    options.structures.molecule = molecule;
    options.to = &reference;
    options.to_count = reference != NULL;
    options.measure = QN_DISTANCE_LIGAND_RMSD;
    return qn_distance_run(context, &options, result);
}

#define ATOM(x, y, z, element) "    " x "    " y "    " z " " element "  0  0  0  0  0  0  0  0  0  0  0  0\n"

/* Acetate: C, C, O, O. Then the same moved by (1, 2, 2), with other atoms first, a hydrogen, and its oxygens exchanged.
 * Methanol is another molecule. */
static const char acetate[] = "acetate\n\n\n  4  3  0  0  0  0  0  0  0  0999 V2000\n" /* */
    ATOM("0.0000", "0.0000", "0.0000", "C") ATOM("1.5000", "0.0000", "0.0000", "C")
        ATOM("2.1000", "1.1000", "0.0000", "O") ATOM("2.1000", "0.0000", "1.1000", "O") /* */
    "  1  2  1  0\n  2  3  2  0\n  2  4  1  0\nM  END\n$$$$\n";
static const char moved[] = "acetate\n\n\n  5  4  0  0  0  0  0  0  0  0999 V2000\n" /* */
    ATOM("3.1000", "2.0000", "3.1000", "O") ATOM("3.1000", "3.1000", "2.0000", "O")
        ATOM("2.5000", "2.0000", "2.0000", "C") ATOM("0.5000", "2.5000", "2.0000", "H")
            ATOM("1.0000", "2.0000", "2.0000", "C") /* */
    "  1  3  2  0\n  2  3  1  0\n  3  5  1  0\n  4  5  1  0\nM  END\n$$$$\n";
static const char methanol[] = "methanol\n\n\n  2  1  0  0  0  0  0  0  0  0999 V2000\n" /* */
    ATOM("0.0000", "0.0000", "0.1000", "C") ATOM("1.4000", "0.0000", "0.0000", "O")      /* */
    "  1  2  1  0\nM  END\n$$$$\n";

static void atoms_are_matched(void)
{
    const char *files[2] = {write_file("first.sdf", acetate), write_file("moved.sdf", moved)};
    qn_distance_result *result = NULL;
    if (!CHECK_OK(run(files, 2, NULL, NULL, &result))) return;
    CHECK(result->atom_count == 4 && result->value_count == 1);
    CHECK_TEXT(result->unit, "Å");
    CHECK_NEAR((double)result->values[0], 3, 1e-6);
    qn_distance_result_destroy(&result);
}

static void other_molecules_are_refused_or_left_out(void)
{
    char all[2048];
    qn_distance_result *result = NULL;
    snprintf(all, sizeof all, "%s%s%s", acetate, methanol, moved);
    const char *file = write_file("hits.sdf", all);
    CHECK_FAILS(run(&file, 1, NULL, NULL, &result), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("molecule 2 (methanol) is another one than molecule 1");
    CHECK_FAILS(run(&file, 1, NULL, "ethanol", &result), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("no molecule has the name \"ethanol\"");
    if (!CHECK_OK(run(&file, 1, NULL, "acetate", &result))) return;
    CHECK(result->count == 2 && strstr(result->names[1], "hits.sdf#3") != NULL);
    CHECK_NEAR((double)result->values[0], 3, 1e-6);
    qn_distance_result_destroy(&result);
    /* A reference may have another title, but must be the same molecule. */
    snprintf(all, sizeof all, "crystal%s", acetate + strlen("acetate"));
    if (!CHECK_OK(run(&file, 1, write_file("crystal.sdf", all), "acetate", &result))) return;
    CHECK(result->count == 2 && result->reference_count == 1);
    CHECK_NEAR((double)result->values[1], 3, 1e-6);
    qn_distance_result_destroy(&result);
    CHECK_FAILS(run(&file, 1, write_file("methanol.sdf", methanol), "acetate", &result), QN_BAD_FORMAT);
    CHECK_FAILS(run(&file, 1, write_file("crystal.sdf", all), "ethanol", &result), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("no molecule has the name \"ethanol\"");
}

static void models_need_another_measure(void)
{
    qn_distance_options options = qn_distance_default_options();
    const char *file = write_file("hits.sdf", acetate);
    options.structures.files = &file;
    options.structures.file_count = 1;
    CHECK_FAILS(qn_distance_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("expected --measure ligand-rmsd");
    options.measure = QN_DISTANCE_LIGAND_RMSD;
    options.structures.select = "name C1";
    CHECK_FAILS(qn_distance_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("compares all heavy atoms");
}

/* Imatinib's four poses by AutoDock Vina, in PDBQT, with the crystal's ligand, in SDF and another order of atoms. The
 * values are those of Open Babel 3.1.1, after `obabel -ipdbqt poses.pdbqt -osdf -O K.sdf -f K -l K`:
 *
 *     obrms crystal.sdf K.sdf;  obrms 1.sdf K.sdf
 */
static void poses_of_vina_have_the_values_of_open_babel(void)
{
    static const double to_crystal[4] = {0.379094, 1.4293, 12.2857, 12.082},
                        to_first[4] = {0, 1.46329, 12.4136, 12.195};
    const char *poses = check_reference_data("docking/ligand/1iep/1iep_ligand_vina_out.pdbqt");
    char file[1024];
    if (!poses) return;
    snprintf(file, sizeof file, "%s", poses);
    const char *list = file, *crystal = check_reference_data("docking/ligand/1iep/1iep_ligand.sdf");
    qn_distance_result *result = NULL;
    if (!CHECK_OK(run(&list, 1, crystal, NULL, &result))) return;
    CHECK(result->count == 4);
    for (int k = 0; k < 4; k++) CHECK_NEAR((double)result->values[k], to_crystal[k], 1e-4);
    qn_distance_result_destroy(&result);
    if (!CHECK_OK(run(&list, 1, NULL, NULL, &result))) return;
    for (int k = 1; k < 4; k++) CHECK_NEAR((double)result->values[k - 1], to_first[k], 1e-4);
    qn_distance_result_destroy(&result);
}

int main(void)
{
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    RUN(atoms_are_matched);
    RUN(other_molecules_are_refused_or_left_out);
    RUN(models_need_another_measure);
    if (check_reference_data("docking/ligand/1iep/1iep_ligand_vina_out.pdbqt"))
        RUN(poses_of_vina_have_the_values_of_open_babel);
    qn_context_destroy(&context);
    return check_finish();
}
