/* devices: host opencl:0 cuda:0 */
/* labels: threads@host */
/* A small screen from end to end: the numbers in its files agree with computation from the written poses. */
#include "screen/tests/small_screen.h"
#include "slow_compiler.h"

#include "chemistry/symmetry.h"
#include "format/compound/compound_stream.h"
#include "score/ligand.h"

static double item(const qn_compound *compound, const char *name)
{
    const char *value = qn_compound_property_value(compound, name);
    return CHECK(value != NULL) ? strtod(value, NULL) : NAN;
}

/* Check that the written coordinates give the written energy. Tolerance: rounding to 5e-5 Å, on about a hundred pairs
 * with slopes of up to 20 kJ/mol/Å, most of which cancel. */
static void check_energy(const qn_compound *pose, const qn_score_receptor *receptor)
{
    qn_score_ligand ligand;
    qn_bude_energy energy;
    double heavy[3 * 128], centroid[3] = {0, 0, 0};
    if (!CHECK_OK(qn_score_ligand_create(pose, &receptor->score, &ligand)) || !CHECK(ligand.atom_count <= 128)) return;
    for (int i = 0; i < ligand.atom_count; i++)
        for (int d = 0; d < 3; d++) {
            heavy[3 * i + d] = qn_compound_positions((qn_compound *)pose, 0)[3 * ligand.atom[i] + d];
            centroid[d] += heavy[3 * i + d] / ligand.atom_count;
        }
    for (int d = 0; d < 3; d++) CHECK(fabs(centroid[d] - box_centre[d]) <= box_side / 2 + 1e-3);
    qn_bude_energy_of(receptor->score.force_field, heavy, ligand.type, (size_t)ligand.atom_count,
                      receptor->positions_angstrom, receptor->types, receptor->atom_count, &energy);
    CHECK_NEAR(item(pose, "quern_energy"), energy.total, 0.02);
    CHECK_NEAR(item(pose, "quern_steric"), energy.steric, 0.02);
    CHECK_NEAR(item(pose, "quern_charge"), energy.charge, 0.02);
    CHECK_NEAR(item(pose, "quern_desolvation"), energy.desolvation, 0.02);
    CHECK_NEAR(item(pose, "quern_ligand_efficiency"), energy.total / ligand.atom_count, 0.001);
    qn_score_ligand_clear(&ligand);
}

static double distance(const double *positions, size_t a, size_t b)
{
    const double *p = positions + 3 * a, *q = positions + 3 * b;
    return hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]);
}

/* Check that the pose is the molecule of the library, with hydrogens, moved as a rigid body. */
static void check_rigid(qn_compound *pose, qn_compound *original)
{
    CHECK_TEXT(pose->name, original->name);
    if (!CHECK(pose->atom_count == original->atom_count && pose->bond_count == original->bond_count)) return;
    CHECK(pose->property_count >= original->property_count + 8);
    for (size_t i = 0; i < original->property_count; i++)
        CHECK_TEXT(pose->properties[i].value, original->properties[i].value);
    for (size_t a = 0; a < pose->atom_count; a++)
        for (size_t b = 0; b < a; b++)
            CHECK_NEAR(distance(qn_compound_positions(pose, 0), a, b),
                       distance(qn_compound_positions(original, 0), a, b), 3e-4);
}

static void check_unlike(qn_compound **poses, size_t count)
{
    qn_symmetry symmetry;
    if (!CHECK_OK(qn_symmetry_find(poses[0], 1000, &symmetry, NULL))) return;
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < a; b++)
            CHECK(qn_symmetry_rmsd_angstrom(&symmetry, qn_compound_positions(poses[a], 0),
                                            qn_compound_positions(poses[b], 0)) > diversity - 1e-3);
    qn_symmetry_clear(&symmetry);
}

static void destroy_all(qn_compound **compounds, size_t count)
{
    for (size_t i = 0; i < count; i++) qn_compound_destroy(&compounds[i]);
    qn_release(&compounds);
}

/* Read the molecules of the example, all of them intact. */
static void read_originals(qn_compound ***originals, size_t *count)
{
    CHECK_OK(qn_compound_read_file(check_data("../../examples/1iep/kinase_inhibitors.sdf"), originals, count));
    CHECK(*count >= MOLECULES);
}

static void hits_have_the_energies_and_the_geometry_that_they_state(void)
{
    const qn_screen_options options = rigid_options_for("hits");
    const qn_ligand_score score = {QN_SCORE_BUDE, qn_bude_find("2016")};
    qn_score_receptor receptor;
    qn_screen_result *result;
    qn_compound **poses = NULL, **originals = NULL;
    size_t count = 0, original_count = 0, begin = 0;
    char path[900];
    if (!CHECK_OK(qn_screen_run(context, &options, &result))) return;
    CHECK(result->molecule_count == MOLECULES - 1 && result->rejection_count == 1 &&
          result->conformer_count == MOLECULES - 1);
    CHECK(result->unsettled_count > 0 && result->unsettled_count <= MOLECULES - 1); /* so few poses settle little */
    CHECK(result->interactions > 0 && result->scoring_share > 0 && result->scoring_share <= 1);
    snprintf(path, sizeof path, "%s/hits.sdf", options.output);
    CHECK_OK(qn_score_receptor_read(receptor_path, &score, &receptor));
    CHECK_OK(qn_compound_read_file(path, &poses, &count));
    read_originals(&originals, &original_count);
    CHECK(count > MOLECULES && count <= (MOLECULES - 1) * KEEP);
    for (size_t i = 0; i < count; i++) {
        const size_t index = (size_t)item(poses[i], "quern_index");
        check_energy(poses[i], &receptor);
        if (CHECK(index < MOLECULES && index != BROKEN)) check_rigid(poses[i], originals[index]);
        const bool last = i + 1 == count || item(poses[i + 1], "quern_rank") != item(poses[i], "quern_rank");
        if (i == 0) CHECK_NEAR(item(poses[0], "quern_energy"), result->best_energy, 1e-4);
        if (i > begin) CHECK(item(poses[i], "quern_energy") >= item(poses[i - 1], "quern_energy"));
        if (last) check_unlike(poses + begin, i + 1 - begin);
        if (last) begin = i + 1;
    }
    destroy_all(poses, count);
    destroy_all(originals, original_count);
    qn_score_receptor_clear(&receptor);
    qn_screen_result_destroy(&result);
}

static int calls_left;
static size_t done_at_last;

static int stop_soon(const qn_progress *progress, void *user)
{
    (void)user;
    CHECK(progress->done <= progress->total);
    done_at_last = progress->done;
    return calls_left-- <= 0;
}

static int stop_after_a_piece(const qn_progress *progress, void *user)
{
    (void)user;
    return progress->done > 0;
}

/* A piece of eight large molecules may take minutes on a small machine. A run that recorded nothing leaves no folder.
 */
static void a_run_stopped_in_its_first_piece_leaves_no_folder(void)
{
    qn_screen_options options = rigid_options_for("at once");
    options.run.progress = stop_soon;
    options.run.batch = 1;
    calls_left = 3;
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_CANCELLED);
    CHECK(done_at_last == 0 && calls_left == -1);
    CHECK(!qn_file_exists(options.output));
}

static void a_foreign_journal_is_not_resumed(void)
{
    char path[900];
    qn_screen_options options = rigid_options_for("papers");
    options.run.resume = true;
    snprintf(path, sizeof path, "%s/journal.txt", options.output);
    CHECK_OK(qn_folder_create(options.output));
    CHECK_OK(qn_file_write(path, "Tuesday", 7));
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_ALREADY_EXISTS);
    CHECK_MESSAGE_HAS("holds journal.txt, which is not of a run of quern screen");
}

/* Stop after the first piece, and resume with another batch. */
static void a_stopped_run_is_resumed(void)
{
    char whole[700];
    qn_screen_result *result;
    snprintf(whole, sizeof whole, "%s/hits", check_scratch_folder());
    qn_screen_options options = rigid_options_for("stopped");
    options.run.progress = stop_after_a_piece;
    options.run.batch = 3;
    CHECK_FAILS(qn_screen_run(context, &options, &result), QN_CANCELLED);
    CHECK_MESSAGE_HAS("continue with --resume");
    CHECK(result == NULL);
    options.run.progress = NULL;
    CHECK_FAILS(qn_screen_run(context, &options, &result), QN_ALREADY_EXISTS);
    options.run.resume = true;
    options.run.batch = 2;
    CHECK_OK(qn_screen_run(context, &options, &result));
    if (CHECK(result != NULL)) CHECK(result->molecule_count == MOLECULES - 1 && result->rejection_count == 1);
    qn_screen_result_destroy(&result);
    check_same(options.output, whole);
    options.run.strict = true; /* fails at the end, and writes all files */
    CHECK_FAILS(qn_screen_run(context, &options, &result), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("1 of 11 molecules was rejected");
    check_same(options.output, whole);
}

/* Energy and conformer of each molecule of scores.csv, by its index. */
static void read_scores(const char *folder, double *energies, int *conformers)
{
    char *scores = read_result(folder, "scores.csv");
    int rows = 0;
    for (char *line = scores ? strchr(scores, '\n') : NULL; line && line[1]; line = strchr(line + 1, '\n')) {
        int index, conformer;
        double energy;
        if (!CHECK(sscanf(line, "\n%*d,%*[^,],%d,%lf,%*f,%*f,%*f,%*d,%*f,%d", &index, &energy, &conformer) == 3)) break;
        if (!CHECK(index >= 0 && index < MOLECULES)) break;
        energies[index] = energy;
        conformers[index] = conformer;
        rows++;
    }
    CHECK(rows == MOLECULES - 1);
    qn_release(&scores);
}

/* The conformer of the file is searched independently, so other conformers can only add better poses. */
static void more_conformers_find_no_worse_poses(void)
{
    qn_screen_options options = rigid_options_for("conformers");
    qn_screen_result *result;
    char alone[700];
    double with[MOLECULES] = {0}, without[MOLECULES] = {0};
    int conformers[MOLECULES] = {0}, unused[MOLECULES], others = 0;
    snprintf(alone, sizeof alone, "%s/hits", check_scratch_folder());
    options.conformers = 3;
    options.run.batch = 5;
    CHECK_OK(qn_screen_run(context, &options, &result));
    if (CHECK(result != NULL))
        CHECK(result->conformer_count > MOLECULES && result->conformer_count <= 3 * (MOLECULES - 1));
    qn_screen_result_destroy(&result);
    read_scores(options.output, with, conformers);
    read_scores(alone, without, unused);
    for (int i = 0; i < MOLECULES; i++) {
        CHECK(conformers[i] >= 0 && conformers[i] <= 3); /* 0: the rejected molecule */
        CHECK(conformers[i] > 1 ? with[i] <= without[i] : with[i] == without[i]);
        others += conformers[i] > 1;
    }
    CHECK(others > 0);
}

/* Energies, conformers and everything else of the best poses are the same for any number of poses that are kept. */
static void the_number_of_kept_poses_changes_no_score(void)
{
    static const int keeps[] = {1, 20, 64};
    char whole[700], name[16];
    snprintf(whole, sizeof whole, "%s/hits", check_scratch_folder());
    char *expected = read_result(whole, "scores.csv");
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "keep %d", keeps[i]);
        qn_screen_options options = rigid_options_for(name);
        options.keep = keeps[i];
        CHECK_OK(qn_screen_run(context, &options, NULL));
        char *scores = read_result(options.output, "scores.csv");
        if (CHECK(scores && expected)) CHECK(strcmp(scores, expected) == 0);
        qn_release(&scores);
    }
    qn_release(&expected);
}

/* Without hits there are no poses to find in the journals. */
static void a_screen_without_hits_has_scores(void)
{
    qn_screen_options options = rigid_options_for("no hits");
    qn_screen_result *result;
    options.top = 0;
    options.rounds = 1; /* one round is asked for, so nothing can be unsettled */
    CHECK_OK(qn_screen_run(context, &options, &result));
    if (CHECK(result != NULL)) CHECK(result->molecule_count == MOLECULES - 1 && result->pose_count == 0);
    if (CHECK(result != NULL)) CHECK(result->unsettled_count == 0);
    qn_screen_result_destroy(&result);
}

static void options_out_of_range_are_refused(void)
{
    qn_screen_options options = rigid_options_for("refused");
    options.keep = 0;
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    options = rigid_options_for("refused");
    options.score = (qn_screen_score)2;
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("expected one of: bude vina");
    options = rigid_options_for("refused");
    options.poses = 100;
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    options = rigid_options_for("refused");
    options.run.batch = 1025;
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--batch is \"1025\"; expected a whole number from 0 to 1024");
    options = rigid_options_for("refused");
    options.poses = (1 << 20) + 64;
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--poses is \"1048640\"; expected a whole number from 0 to 1048576");
    options = rigid_options_for("refused");
    options.run.tune = (qn_tune_mode)9;
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK(options.output && !qn_file_exists(options.output));
}

static void a_screen_with_vina_writes_its_terms(void)
{
    qn_screen_options options = rigid_options_for("vina");
    qn_screen_result *result;
    options.score = QN_SCREEN_VINA;
    CHECK_OK(qn_screen_run(context, &options, &result));
    if (CHECK(result != NULL)) CHECK(result->best_energy < 0);
    qn_screen_result_destroy(&result);
    char *scores = read_result(options.output, "scores.csv");
    CHECK(scores && strstr(scores, "rank,name,index,energy_kcal_per_mol,gauss1_kcal_per_mol,gauss2_kcal_per_mol,"
                                   "repulsion_kcal_per_mol,hydrophobic_kcal_per_mol,hydrogen_bond_kcal_per_mol,heavy"));
    qn_release(&scores);
}

int main(int argc, char **argv)
{
    device = argc > 1 ? argv[1] : "host";
    qn_device *opened;
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context)))
        return check_finish();
    if (qn_device_open(context, device, &opened) != QN_OK) check_skip(device, qn_error_message());
    const bool is_slow = compiles_slowly(qn_device_get_info(opened)); /* and takes ten seconds for a screen */
    qn_device_release(&opened);
    write_receptor();
    write_library();
    RUN(hits_have_the_energies_and_the_geometry_that_they_state);
    RUN(a_stopped_run_is_resumed);
    RUN(a_run_stopped_in_its_first_piece_leaves_no_folder);
    RUN(a_foreign_journal_is_not_resumed);
    if (!is_slow) RUN_LONG(more_conformers_find_no_worse_poses);
    if (!is_slow) RUN_LONG(the_number_of_kept_poses_changes_no_score);
    RUN(a_screen_without_hits_has_scores);
    RUN(options_out_of_range_are_refused);
    RUN_LONG(a_screen_with_vina_writes_its_terms);
    qn_context_destroy(&context);
    return check_finish();
}
