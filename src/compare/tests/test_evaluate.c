/* Evaluation of files: folders, remarks, choice of chains, errors. The test makes the complexes and writes them to
 * files.
 */
#include <stdio.h>
#include <sys/stat.h>

#include <quern/evaluate.h>

#include "check.h"
#include "compare/tests/made_complex.h"

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
static made_molecule receptor, ligand, model_receptor, model_ligand;
static char receptor_path[1200], ligand_path[1200];
static qn_context *context;

static const char *place(const char *name)
{
    static char paths[4][1200];
    static int next;
    char *path = paths[next = (next + 1) % 4];
    snprintf(path, sizeof paths[0], "%s/%s", check_scratch_folder(), name);
    return path;
}

static void write_pdb_atoms(FILE *file, const made_molecule *made)
{
    for (size_t i = 0; i < made->molecule.atom_count; i++) {
        const qn_atom *atom = &made->atoms[i];
        const qn_residue *residue = &made->residues[atom->residue];
        const double *x = atom->position_angstrom;
        fprintf(file, "ATOM  %5zu  %-3s %3s %1s%4d    %8.3f%8.3f%8.3f  1.00  0.00          %2s\n", i + 1, atom->name,
                residue->name, residue->chain, residue->number, x[0], x[1], x[2], atom->element);
    }
}

static void write_mmcif_atoms(FILE *file, const made_molecule *made)
{
    for (size_t i = 0; i < made->molecule.atom_count; i++) {
        const qn_atom *atom = &made->atoms[i];
        const qn_residue *residue = &made->residues[atom->residue];
        const double *x = atom->position_angstrom;
        fprintf(file, "ATOM %zu %s %s . %s %s %d %d ? %.3f %.3f %.3f 1.00 0.00 %d %s\n", i + 1, atom->element,
                atom->name, residue->name, residue->chain, residue->number, residue->number, x[0], x[1], x[2],
                residue->number, residue->chain);
    }
}

static const char mmcif_head[] =
    "loop_\n_atom_site.group_PDB\n_atom_site.id\n_atom_site.type_symbol\n_atom_site.label_atom_id\n"
    "_atom_site.label_alt_id\n_atom_site.label_comp_id\n_atom_site.label_asym_id\n_atom_site.label_entity_id\n"
    "_atom_site.label_seq_id\n_atom_site.pdbx_PDB_ins_code\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n"
    "_atom_site.Cartn_z\n_atom_site.occupancy\n_atom_site.B_iso_or_equiv\n_atom_site.auth_seq_id\n"
    "_atom_site.auth_asym_id\n";

/* Write a model, in mmCIF if the name contains ".cif", else in PDB format. `remarks` is copied; `second` may be NULL.
 */
static void write_model(const char *name, const char *remarks, const made_molecule *first, const made_molecule *second)
{
    const char *path = place(name);
    int mmcif = strstr(name, ".cif") != NULL;
    FILE *file = fopen(path, "w");
    if (!CHECK(file != NULL)) return;
    if (mmcif) fputs("data_model\n", file);
    fputs(remarks, file);
    if (mmcif) fputs(mmcif_head, file);
    (mmcif ? write_mmcif_atoms : write_pdb_atoms)(file, first);
    if (second) (mmcif ? write_mmcif_atoms : write_pdb_atoms)(file, second);
    fputs(mmcif ? "#\n" : "END\n", file);
    fclose(file);
}

static void rename_all(made_molecule *made, const char *from, const char *to)
{
    for (size_t i = 0; i < made->molecule.residue_count; i++)
        if (strcmp(made->residues[i].chain, from) == 0) strcpy(made->residues[i].chain, to);
}

static void start(void)
{
    made_receptor(&receptor);
    made_ligand(&ligand);
    made_copy(&receptor, &model_receptor);
    made_copy(&ligand, &model_ligand);
    write_model("receptor_bound.pdb", "", &receptor, NULL);
    write_model("ligand_bound.pdb", "", &ligand, NULL);
    snprintf(receptor_path, sizeof receptor_path, "%s", place("receptor_bound.pdb"));
    snprintf(ligand_path, sizeof ligand_path, "%s", place("ligand_bound.pdb"));
}

static qn_status evaluate(const char *model, const char *receptor_chains, const char *ligand_chains,
                          qn_evaluate_result **result)
{
    char path[1200];
    const char *const models[] = {path};
    snprintf(path, sizeof path, "%s", place(model));
    return qn_evaluate_run(context,
                           &(qn_evaluate_options){.size = sizeof(qn_evaluate_options),
                                                  .models = models,
                                                  .model_count = 1,
                                                  .receptor_reference = receptor_path,
                                                  .ligand_reference = ligand_path,
                                                  .receptor_chains = receptor_chains,
                                                  .ligand_chains = ligand_chains},
                           result);
}

static void check_l_rmsd(const char *model, const char *receptor_chains, const char *ligand_chains, double expected)
{
    qn_evaluate_result *result;
    if (CHECK_OK(evaluate(model, receptor_chains, ligand_chains, &result)) && CHECK(result->model_count == 1))
        CHECK_NEAR(result->models[0].ligand_rmsd_angstrom, expected, 1e-3); /* files have three decimals */
    qn_evaluate_result_destroy(&result);
    CHECK(result == NULL);
}

static void models_of_a_folder_are_in_order(void)
{
    static const char remarks[] = "REMARK 900 QUERN RECEPTOR CHAINS A,B\nREMARK 900 QUERN LIGAND CHAINS C\n";
    static const char *const names[] = {"cluster_01.pdb", "cluster_02.pdb", "cluster_10.pdb", "cluster_100.pdb"};
    qn_evaluate_result *result;
    start();
    mkdir(place("out"), 0777);
    for (int i = 3; i >= 0; i--) {
        char name[64];
        made_copy(&ligand, &model_ligand);
        made_move(&model_ligand, identity, 0, 0, 2 * i);
        snprintf(name, sizeof name, "out/%s", names[i]);
        write_model(name, remarks, &model_receptor, &model_ligand);
    }
    write_model("out/cluster_01_unrefined.pdb", remarks, &model_receptor, &model_ligand);
    write_model("out/other.pdb", remarks, &model_receptor, &model_ligand);
    if (CHECK_OK(evaluate("out", NULL, NULL, &result)) && CHECK(result->model_count == 4))
        for (int i = 0; i < 4; i++) {
            CHECK_TEXT(result->models[i].name, names[i]);
            CHECK_NEAR(result->models[i].ligand_rmsd_angstrom, 2 * i, 1e-3);
        }
    if (result) {
        CHECK(result->models[0].capri == QN_CAPRI_HIGH);
        CHECK_NEAR(result->models[0].fnat, 1, 0);
        CHECK_NEAR(result->models[0].dockq, 1, 1e-6);
    }
    qn_evaluate_result_destroy(&result);
}

/* The output of a run with several coefficient sets has a folder for each set. */
static void models_in_folders_of_sets_are_found(void)
{
    qn_evaluate_result *result;
    start();
    mkdir(place("sets"), 0777);
    mkdir(place("sets/neutral"), 0777);
    mkdir(place("sets/balanced"), 0777);
    write_model("sets/neutral/cluster_01.pdb", "", &model_receptor, &model_ligand);
    write_model("sets/balanced/cluster_01.pdb", "", &model_receptor, &model_ligand);
    if (CHECK_OK(evaluate("sets", NULL, NULL, &result)) && CHECK(result->model_count == 2)) {
        CHECK_TEXT(result->models[0].name, "balanced/cluster_01.pdb");
        CHECK_TEXT(result->models[1].name, "neutral/cluster_01.pdb");
    }
    qn_evaluate_result_destroy(&result);
}

/* Both references have a chain A, so that Quern renamed the ligand's chain in the model. */
static void remarks_restore_chain_names(void)
{
    start();
    rename_all(&ligand, "C", "A");
    write_model("ligand_bound.pdb", "", &ligand, NULL);
    made_move(&model_ligand, identity, 0, 3, 0);
    rename_all(&model_ligand, "C", "D");
    write_model("renamed.pdb",
                "REMARK   1 MADE FOR A TEST\nREMARK 900 QUERN RECEPTOR CHAINS A,B\nREMARK 900 QUERN LIGAND CHAINS D\n"
                "REMARK 900 QUERN LIGAND CHAIN D WAS A\n",
                &model_receptor, &model_ligand);
    check_l_rmsd("renamed.pdb", NULL, NULL, 3);
    rename_all(&model_ligand, "D", "LIG");
    write_model("renamed.cif",
                "# QUERN RECEPTOR CHAINS A,B\n# QUERN LIGAND CHAINS LIG\n# QUERN LIGAND CHAIN LIG WAS A\n",
                &model_receptor, &model_ligand);
    check_l_rmsd("renamed.cif", NULL, NULL, 3);
    check_l_rmsd("renamed.cif", "AB", "LIG", 3); /* one chain LIG, not three chains */
    check_l_rmsd("renamed.cif", "B,A", ",LIG", 3);
}

/* Two equal chains are renamed in the file; only the original names in the remarks distinguish them. */
static void restored_names_distinguish_copies(void)
{
    double half_turn[9];
    start();
    made_rotation(0, 0, 1, 3.14159265358979323846, half_turn);
    made_start(&receptor);
    made_helix(&receptor, "A", 1, 40, 11, (const double[2]){5, 0});
    made_start(&model_receptor);
    made_helix(&model_receptor, "B", 1, 40, 11, (const double[2]){5, 0});
    made_move(&model_receptor, half_turn, 0, 0, 0);
    write_model("receptor_bound.pdb", "", &receptor, &model_receptor);
    made_move(&ligand, identity, 5, 0, 0);
    write_model("ligand_bound.pdb", "", &ligand, NULL);
    made_copy(&ligand, &model_ligand);
    made_move(&model_ligand, half_turn, 0, 0, 0);
    rename_all(&receptor, "A", "X");
    rename_all(&model_receptor, "B", "Y");
    made_molecule *both = malloc(sizeof *both);
    made_copy(&receptor, both);
    for (size_t i = 0; i < model_receptor.molecule.residue_count; i++) {
        made_residue(both, "Y", (int)i + 1, model_receptor.residues[i].name);
        for (size_t k = 0; k < 6; k++) {
            const qn_atom *atom = &model_receptor.atoms[6 * i + k];
            const double *x = atom->position_angstrom;
            made_atom(both, atom->name, atom->element, x[0], x[1], x[2]);
        }
    }
    static const char chains[] = "REMARK 900 QUERN RECEPTOR CHAINS X,Y\nREMARK 900 QUERN LIGAND CHAINS C\n";
    char named[512];
    snprintf(named, sizeof named,
             "%sREMARK 900 QUERN RECEPTOR CHAIN X WAS A\nREMARK 900 QUERN RECEPTOR CHAIN Y WAS B\n", chains);
    write_model("copies.pdb", chains, both, &model_ligand);
    write_model("named.pdb", named, both, &model_ligand);
    free(both);
    check_l_rmsd("copies.pdb", NULL, NULL, 0);
    qn_evaluate_result *result;
    if (CHECK_OK(evaluate("named.pdb", NULL, NULL, &result))) CHECK(result->models[0].ligand_rmsd_angstrom > 20);
    qn_evaluate_result_destroy(&result);
}

/* Chain names may be blank. */
static void chain_names_may_be_blank(void)
{
    start();
    rename_all(&ligand, "C", "");
    write_model("ligand_bound.pdb", "", &ligand, NULL);
    made_move(&model_ligand, identity, 0, 0, 4);
    rename_all(&model_ligand, "C", "");
    write_model("blank.pdb", "", &model_receptor, &model_ligand);
    check_l_rmsd("blank.pdb", NULL, NULL, 4);
}

static void chosen_chains_are_used(void)
{
    start();
    made_move(&model_ligand, identity, 0, 0, 4);
    rename_all(&model_receptor, "A", "H");
    rename_all(&model_receptor, "B", "L");
    rename_all(&model_ligand, "C", "X");
    write_model("plain.pdb", "", &model_receptor, &model_ligand);
    check_l_rmsd("plain.pdb", "HL", "X", 4);
    check_l_rmsd("plain.pdb", "H,L", "X", 4);
    qn_evaluate_result *result;
    CHECK_FAILS(evaluate("plain.pdb", NULL, NULL, &result), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("plain.pdb: no chain \"A\" of the receptor; chains present: H, L, X");
    CHECK_FAILS(evaluate("plain.pdb", "HL", NULL, &result), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("no chain \"C\" of the ligand");
    CHECK_FAILS(evaluate("plain.pdb", "HL", "L", &result), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("chain \"L\" cannot be both");
    CHECK_FAILS(evaluate("plain.pdb", "HL", ",", &result), QN_INVALID_ARGUMENT);
    CHECK_FAILS(evaluate("plain.pdb", "X", "HL", &result), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("plain.pdb: the model's receptor is another molecule");
    CHECK(result == NULL);
}

static void errors_name_the_cause(void)
{
    qn_evaluate_result *result;
    start();
    mkdir(place("empty"), 0777);
    CHECK_FAILS(evaluate("empty", NULL, NULL, &result), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("empty: the folder has no models");
    CHECK_FAILS(evaluate("absent.pdb", NULL, NULL, &result), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("absent.pdb");
    write_model("receptor_only.pdb", "REMARK 900 QUERN RECEPTOR CHAINS A,B\n", &model_receptor, NULL);
    CHECK_FAILS(evaluate("receptor_only.pdb", NULL, NULL, &result), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("no chain \"C\" of the ligand; chains present: A, B");
    write_model("good.pdb", "", &model_receptor, &model_ligand);
    strcat(ligand_path, ":Q");
    CHECK_FAILS(evaluate("good.pdb", NULL, NULL, &result), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("Q");
    CHECK_FAILS(qn_evaluate_run(context, &(qn_evaluate_options){.size = sizeof(qn_evaluate_options), .model_count = 0},
                                &result),
                QN_INVALID_ARGUMENT);
    qn_evaluate_result_destroy(NULL);
}

/* The molecules are read from their files, so that coordinates have three decimals in both cases. */
static void molecules_in_memory_have_the_quality_of_their_files(void)
{
    qn_evaluate_result *of_files, *of_memory = NULL;
    qn_evaluate_options options = qn_evaluate_default_options();
    qn_molecule *complex, *references[2];
    start();
    made_move(&model_ligand, identity, 1, 0.5, 3);
    write_model("moved.pdb", "", &model_receptor, &model_ligand);
    CHECK_OK(qn_molecule_read(NULL, place("moved.pdb"), NULL, &complex));
    CHECK_OK(qn_molecule_read(NULL, receptor_path, NULL, &references[0]));
    CHECK_OK(qn_molecule_read(NULL, ligand_path, NULL, &references[1]));
    options.model_molecules = (const qn_molecule *const[]){complex};
    options.model_molecule_count = 1;
    options.receptor_reference_molecule = references[0];
    options.ligand_reference_molecule = references[1];
    if (CHECK_OK(evaluate("moved.pdb", NULL, NULL, &of_files)) &&
        CHECK_OK(qn_evaluate_run(context, &options, &of_memory)) && CHECK(of_memory->model_count == 1)) {
        const qn_evaluate_model *file = &of_files->models[0], *memory = &of_memory->models[0];
        CHECK(file->fnat == memory->fnat && file->dockq == memory->dockq && file->capri == memory->capri);
        CHECK(file->interface_rmsd_angstrom == memory->interface_rmsd_angstrom && memory->ligand_rmsd_angstrom > 3);
        CHECK(file->ligand_rmsd_angstrom == memory->ligand_rmsd_angstrom);
        CHECK_TEXT(memory->name, "moved.pdb");
    }
    qn_evaluate_result_destroy(&of_files);
    qn_evaluate_result_destroy(&of_memory);
    CHECK_OK(qn_evaluate_run(context, &options, NULL));
    options.receptor_reference = receptor_path;
    CHECK_FAILS(qn_evaluate_run(context, &options, &of_memory), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("the reference of the receptor: given both ways");
    options.receptor_reference_molecule = NULL; /* one reference is a file, the other one a molecule */
    CHECK_OK(qn_evaluate_run(context, &options, NULL));
    options.receptor_reference = NULL;
    options.receptor_reference_molecule = references[0];
    options.ligand_reference_molecule = NULL;
    CHECK_FAILS(qn_evaluate_run(context, &options, &of_memory), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("the reference of the ligand: given neither way");
    options.ligand_reference_molecule = references[1];
    complex->atoms[3].position_angstrom[2] = (double)NAN;
    CHECK_FAILS(qn_evaluate_run(context, &options, &of_memory), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("model: moved.pdb: coordinate z of atom 3 is nan; expected a number from -100000 to 100000");
    options.model_molecule_count = 0;
    CHECK_FAILS(qn_evaluate_run(context, &options, &of_memory), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("the models: given neither way");
    CHECK(of_memory == NULL);
    qn_molecule_destroy(&complex);
    qn_molecule_destroy(&references[0]);
    qn_molecule_destroy(&references[1]);
}

static char warning[512];
static int warnings;

static void on_log(qn_log_level level, const char *message, void *user)
{
    (void)user;
    if (level != QN_LOG_WARNING) return;
    snprintf(warning, sizeof warning, "%s", message);
    warnings++;
}

static void missing_contacts_are_reported_once(void)
{
    qn_evaluate_result *result;
    start();
    made_remove(&model_ligand, 10);
    for (size_t i = 0; i < model_ligand.molecule.atom_count; i++) model_ligand.atoms[i].residue = (int)i / 6;
    mkdir(place("lost"), 0777);
    write_model("lost/cluster_01.pdb", "", &model_receptor, &model_ligand);
    write_model("lost/cluster_02.pdb", "", &model_receptor, &model_ligand);
    if (CHECK_OK(evaluate("lost", NULL, NULL, &result))) CHECK(result->models[1].fnat < 1);
    CHECK(warnings == 1 && strstr(warning, "count as missing"));
    qn_evaluate_result_destroy(&result);
}

int main(void)
{
    if (!CHECK_OK(qn_context_create(
            &(qn_context_options){.size = sizeof(qn_context_options), .threads = 2, .log = on_log}, &context)))
        return check_finish();
    RUN(molecules_in_memory_have_the_quality_of_their_files);
    RUN(models_of_a_folder_are_in_order);
    RUN(models_in_folders_of_sets_are_found);
    RUN(remarks_restore_chain_names);
    RUN(restored_names_distinguish_copies);
    RUN(chain_names_may_be_blank);
    RUN(chosen_chains_are_used);
    RUN(errors_name_the_cause);
    RUN(missing_contacts_are_reported_once);
    qn_context_destroy(&context);
    return check_finish();
}
