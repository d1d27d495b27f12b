/* devices: host opencl:0 cuda:0 */
/* labels: threads@host */
/* A small screen from end to end: what stands in its files is true. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <quern/screen.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "chemistry/symmetry.h"
#include "format/compound/compound_stream.h"
#include "score/ligand.h"

enum { MOLECULES = 11, BROKEN = 4, KEEP = 3 };

static const double box_centre[3] = {15.2, 53.9, 16.9}, box_side = 4, diversity = 1.5;
static const char *device;
static qn_context *context;
static char receptor_path[700], library_path[700];
static const char *libraries[] = {library_path};

/* Atoms of Abl kinase within 9 Å of the site's middle. */
static void write_receptor(void)
{
    char *data;
    size_t size;
    qn_text text = {0};
    CHECK_OK(qn_file_read(check_data("../../examples/1iep/1iep_receptor.pdb"), &data, &size));
    for (char *line = strtok(data, "\n"); line; line = strtok(NULL, "\n")) {
        double x, y, z;
        if (strncmp(line, "ATOM", 4) != 0 || sscanf(line + 30, "%8lf%8lf%8lf", &x, &y, &z) != 3) continue;
        if (hypot(hypot(x - box_centre[0], y - box_centre[1]), z - box_centre[2]) < 9)
            CHECK_OK(qn_text_append(&text, "%s\n", line));
    }
    snprintf(receptor_path, sizeof receptor_path, "%s/pocket.pdb", check_scratch_folder());
    CHECK_OK(qn_file_write(receptor_path, text.data, text.length));
    qn_release(&data);
    qn_text_clear(&text);
}

/* The first inhibitors of the example; one of them has lost its atoms. */
static void write_library(void)
{
    char *data;
    size_t size;
    qn_text text = {0};
    CHECK_OK(qn_file_read(check_data("../../examples/1iep/kinase_inhibitors.sdf"), &data, &size));
    const char *at = data;
    for (int i = 0; i < MOLECULES; i++) {
        const char *end = strstr(at, "$$$$\n");
        if (!CHECK(end != NULL)) break;
        if (i == BROKEN)
            CHECK_OK(qn_text_append(&text, "broken\n\n\n  5  4  0  0  0  0  0  0  0  0999 V2000\nM  END\n$$$$\n"));
        else
            CHECK_OK(qn_text_append_bytes(&text, at, (size_t)(end + 5 - at)));
        at = end + 5;
    }
    snprintf(library_path, sizeof library_path, "%s/library.sdf", check_scratch_folder());
    CHECK_OK(qn_file_write(library_path, text.data, text.length));
    qn_release(&data);
    qn_text_clear(&text);
}

static qn_screen_options options_for(const char *name)
{
    static char folder[700];
    qn_screen_options options = qn_screen_default_options();
    snprintf(folder, sizeof folder, "%s/%s", check_scratch_folder(), name);
    options.receptor = receptor_path;
    options.libraries = libraries;
    options.library_count = 1;
    options.output = folder;
    options.run.device = device;
    options.poses = 64;
    options.generations = 2;
    options.keep = KEEP;
    options.diversity_angstrom = diversity;
    options.run.tune = "off";
    for (int d = 0; d < 3; d++) {
        options.box_centre_angstrom[d] = box_centre[d];
        options.box_side_angstrom[d] = box_side;
    }
    return options;
}

static char *read_result(const char *folder, const char *name)
{
    char path[1500], *data = NULL;
    size_t size;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    CHECK_OK(qn_file_read(path, &data, &size));
    return data;
}

static void check_same(const char *folder, const char *other)
{
    static const char *const names[] = {"scores.csv", "hits.sdf", "rejected.csv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *first = read_result(folder, names[i]), *second = read_result(other, names[i]);
        CHECK(first && second && strcmp(first, second) == 0);
        qn_release(&first);
        qn_release(&second);
    }
}

static double item(const qn_compound *compound, const char *name)
{
    const char *value = qn_compound_property_value(compound, name);
    return CHECK(value != NULL) ? strtod(value, NULL) : NAN;
}

/* The written coordinates, of four decimals, have the written energy: 5e-5 Å on some hundred pairs with slopes of up to
 * 20 kJ/mol/Å, most of which cancel. */
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

/* Moved as one body, hydrogens too; everything else as the library has it. */
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

/* A library's molecules as they were before one of them was broken. */
static void read_originals(qn_compound ***originals, size_t *count)
{
    CHECK_OK(qn_compound_read_file(check_data("../../examples/1iep/kinase_inhibitors.sdf"), originals, count));
    CHECK(*count >= MOLECULES);
}

static void hits_are_what_they_say(void)
{
    const qn_screen_options options = options_for("hits");
    const qn_ligand_score score = {QN_SCORE_BUDE, qn_bude_find("2016")};
    qn_score_receptor receptor;
    qn_screen_summary summary;
    qn_compound **poses = NULL, **originals = NULL;
    size_t count = 0, original_count = 0, begin = 0;
    char path[900];
    if (!CHECK_OK(qn_screen_run(context, &options, &summary))) return;
    CHECK(summary.molecules == MOLECULES && summary.rejected == 1 && summary.conformers == MOLECULES - 1);
    CHECK(summary.interactions > 0 && summary.scoring_share > 0 && summary.scoring_share <= 1);
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
        if (i == 0) CHECK_NEAR(item(poses[0], "quern_energy"), summary.best_energy, 1e-4);
        if (i > begin) CHECK(item(poses[i], "quern_energy") >= item(poses[i - 1], "quern_energy"));
        if (last) check_unlike(poses + begin, i + 1 - begin);
        if (last) begin = i + 1;
    }
    destroy_all(poses, count);
    destroy_all(originals, original_count);
    qn_score_receptor_clear(&receptor);
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

/* A piece of eight large molecules may take minutes on a small machine; what has recorded nothing leaves nothing. */
static void a_run_stops_within_a_piece_and_leaves_nothing(void)
{
    qn_screen_options options = options_for("at once");
    options.run.progress = stop_soon;
    options.run.batch = 1;
    calls_left = 3;
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_CANCELLED);
    CHECK(done_at_last == 0 && calls_left == -1);
    CHECK(!qn_file_exists(options.output));
}

static void only_a_run_is_resumed(void)
{
    char path[900];
    qn_screen_options options = options_for("papers");
    options.run.resume = true;
    snprintf(path, sizeof path, "%s/journal.txt", options.output);
    CHECK_OK(qn_folder_create(options.output));
    CHECK_OK(qn_file_write(path, "Tuesday", 7));
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_ALREADY_EXISTS);
    CHECK_MESSAGE_HAS("holds journal.txt, which is not of a run of quern screen");
}

/* Stopped after the first piece; --resume with other numbers of conformers a launch and poses of hits. */
static void a_stopped_run_goes_on(void)
{
    char whole[700];
    qn_screen_summary summary;
    snprintf(whole, sizeof whole, "%s/hits", check_scratch_folder());
    qn_screen_options options = options_for("stopped");
    options.run.progress = stop_after_a_piece;
    options.run.batch = 3;
    CHECK_FAILS(qn_screen_run(context, &options, &summary), QN_CANCELLED);
    CHECK_MESSAGE_HAS("continue with --resume");
    options.run.progress = NULL;
    CHECK_FAILS(qn_screen_run(context, &options, &summary), QN_ALREADY_EXISTS);
    options.run.resume = true;
    options.run.batch = 2;
    CHECK_OK(qn_screen_run(context, &options, &summary));
    CHECK(summary.molecules == MOLECULES && summary.rejected == 1);
    check_same(options.output, whole);
    options.run.strict = true; /* says so at the end, and writes all the same */
    CHECK_FAILS(qn_screen_run(context, &options, &summary), QN_BAD_FORMAT);
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

/* The file's conformer is searched as if it were alone, so others can only add better poses. */
static void more_conformers_find_no_worse_poses(void)
{
    qn_screen_options options = options_for("conformers");
    qn_screen_summary summary;
    char alone[700];
    double with[MOLECULES] = {0}, without[MOLECULES] = {0};
    int conformers[MOLECULES] = {0}, unused[MOLECULES], others = 0;
    snprintf(alone, sizeof alone, "%s/hits", check_scratch_folder());
    options.conformers = 3;
    options.run.batch = 5;
    CHECK_OK(qn_screen_run(context, &options, &summary));
    CHECK(summary.conformers > MOLECULES && summary.conformers <= 3 * (MOLECULES - 1));
    read_scores(options.output, with, conformers);
    read_scores(alone, without, unused);
    for (int i = 0; i < MOLECULES; i++) {
        CHECK(conformers[i] >= 0 && conformers[i] <= 3); /* 0: the rejected one */
        CHECK(conformers[i] > 1 ? with[i] <= without[i] : with[i] == without[i]);
        others += conformers[i] > 1;
    }
    CHECK(others > 0);
}

static void options_out_of_range_are_refused(void)
{
    qn_screen_options options = options_for("refused");
    options.keep = 0;
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    options = options_for("refused");
    options.score = "best";
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--score is \"best\"; expected one of: bude vina");
    options = options_for("refused");
    options.poses = 100;
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    options = options_for("refused");
    options.run.batch = 1025;
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--batch is \"1025\"; expected a whole number from 0 to 1024");
    options = options_for("refused");
    options.poses = (1 << 20) + 64;
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--poses is \"1048640\"; expected a whole number from 0 to 1048576");
    options = options_for("refused");
    options.run.tune = "sometimes";
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK(options.output && !qn_file_exists(options.output));
}

static void vina_scores_too(void)
{
    qn_screen_options options = options_for("vina");
    qn_screen_summary summary;
    options.score = "vina";
    CHECK_OK(qn_screen_run(context, &options, &summary));
    CHECK(summary.best_energy < 0);
    char *scores = read_result(options.output, "scores.csv");
    CHECK(scores && strstr(scores, "rank,name,index,energy,gauss1,gauss2,repulsion,hydrophobic,hydrogen_bond,heavy"));
    qn_release(&scores);
}

int main(int argc, char **argv)
{
    device = argc > 1 ? argv[1] : "host";
    qn_device *opened;
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.threads = 2}, &context))) return check_finish();
    if (qn_device_open(context, device, &opened) != QN_OK) check_skip(device, qn_error_message());
    qn_device_release(&opened);
    write_receptor();
    write_library();
    RUN(hits_are_what_they_say);
    RUN(a_stopped_run_goes_on);
    RUN(a_run_stops_within_a_piece_and_leaves_nothing);
    RUN(only_a_run_is_resumed);
    RUN(more_conformers_find_no_worse_poses);
    RUN(options_out_of_range_are_refused);
    RUN(vina_scores_too);
    qn_context_destroy(&context);
    return check_finish();
}
