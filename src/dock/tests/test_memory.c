/* devices: host */
/* labels: threads@host */
/* Docking from memory to memory: results are equal to those in files in all digits, and without an output nothing is
 * written. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <dirent.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <quern/dock.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/csv.h"

enum { ROTATIONS = 24, PATH = 700 };

static qn_context *context;
static const char *device;
static char receptor_path[PATH], ligand_path[PATH];
static qn_molecule *receptor, *ligand; /* with the waters of their files, which docking drops */

/* Two coefficient sets on a coarse grid. */
static qn_dock_options small_options(void)
{
    qn_dock_options options = qn_dock_default_options();
    options.run.device = device;
    options.run.tune = QN_TUNE_OFF;
    options.run.batch = 2;
    options.coefficients = "balanced,neutral";
    options.rotations = ROTATIONS;
    options.spacing_angstrom = 3;
    options.pair_terms = 1;
    options.per_rotation = 3;
    options.keep = 60;
    options.clusters = 4;
    return options;
}

static qn_dock_options options_for(const char *name, char folder[PATH])
{
    qn_dock_options options = small_options();
    snprintf(folder, PATH, "%s/%s", check_scratch_folder(), name);
    options.receptor = receptor_path;
    options.ligand = ligand_path;
    options.output = folder;
    return options;
}

static qn_dock_options options_in_memory(void)
{
    qn_dock_options options = small_options();
    options.receptor_molecule = receptor;
    options.ligand_molecule = ligand;
    return options;
}

/* ---- results in the format of the files ---- */

static void add_terms(const qn_dock_result *result, double energy, const double *terms, qn_text *csv)
{
    CHECK_OK(qn_csv_number(csv, energy, 6));
    for (size_t i = 0; i < result->term_count; i++) CHECK_OK(qn_csv_number(csv, terms[i], 6));
}

static void add_poses(const qn_dock_result *result, const qn_dock_result_set *set, qn_text *csv)
{
    CHECK_OK(qn_text_append(csv, "rank,cluster,rotation,r11,r12,r13,r21,r22,r23,r31,r32,r33,tx_angstrom,ty_angstrom,"
                                 "tz_angstrom,coefficients,energy"));
    for (size_t i = 0; i < result->term_count; i++) CHECK_OK(qn_text_append(csv, ",%s", result->term_names[i]));
    CHECK_OK(qn_text_append(csv, "\n"));
    for (size_t i = 0; i < set->pose_count; i++) {
        const qn_dock_result_pose *pose = &set->poses[i];
        CHECK_OK(qn_csv_integer(csv, (long long)i + 1));
        CHECK_OK(pose->cluster < 0 ? qn_csv_text(csv, "") : qn_csv_integer(csv, pose->cluster + 1));
        CHECK_OK(qn_csv_integer(csv, pose->rotation_index));
        for (int k = 0; k < 9; k++) CHECK_OK(qn_csv_number(csv, pose->rotation[k], 10));
        for (int axis = 0; axis < 3; axis++) CHECK_OK(qn_csv_number(csv, pose->translation_angstrom[axis], 5));
        CHECK_OK(qn_csv_text(csv, result->sets[pose->set].name));
        add_terms(result, pose->energy, pose->terms, csv);
        CHECK_OK(qn_csv_end_row(csv));
    }
}

static void add_clusters(const qn_dock_result *result, const qn_dock_result_set *set, qn_text *csv)
{
    CHECK_OK(qn_text_append(csv, "cluster,size,centre_rank,coefficients,centre_energy"));
    for (size_t i = 0; i < result->term_count; i++) CHECK_OK(qn_text_append(csv, ",centre_%s", result->term_names[i]));
    CHECK_OK(qn_text_append(csv, ",lowest_energy,refined_energy,model,score,restraints_satisfied,restraints_share\n"));
    for (size_t i = 0; i < set->cluster_count; i++) {
        const qn_dock_result_cluster *cluster = &set->clusters[i];
        const qn_dock_result_pose *centre = &set->poses[cluster->centre];
        char name[32];
        snprintf(name, sizeof name, "cluster_%02zu.pdb", i + 1);
        CHECK_OK(qn_csv_integer(csv, (long long)i + 1));
        CHECK_OK(qn_csv_integer(csv, (long long)cluster->pose_count));
        CHECK_OK(qn_csv_integer(csv, (long long)cluster->centre + 1));
        CHECK_OK(qn_csv_text(csv, result->sets[centre->set].name));
        add_terms(result, centre->energy, centre->terms, csv);
        CHECK_OK(qn_csv_number(csv, cluster->lowest_energy, 6));
        CHECK_OK(qn_csv_number(csv, cluster->model.energy, 6));
        CHECK_OK(qn_csv_text(csv, name));
        const bool scored = set->clusters == result->clusters && result->cluster_scores;
        CHECK_OK(qn_csv_number(csv, scored ? result->cluster_scores[i] : (double)NAN, 6));
        CHECK_OK(qn_csv_text(csv, "")); /* no restraints */
        CHECK_OK(qn_csv_text(csv, ""));
        CHECK_OK(qn_csv_end_row(csv));
    }
}

static void add_contacts(const qn_molecule *molecule, const char *partner, const double *shares, qn_text *csv)
{
    for (size_t i = 0; i < molecule->residue_count; i++) {
        const qn_residue *residue = &molecule->residues[i];
        const char insertion[2] = {residue->insertion, '\0'};
        CHECK_OK(qn_csv_text(csv, partner));
        CHECK_OK(qn_csv_text(csv, residue->chain));
        CHECK_OK(qn_csv_integer(csv, residue->number));
        CHECK_OK(qn_csv_text(csv, insertion));
        CHECK_OK(qn_csv_text(csv, residue->name));
        CHECK_OK(qn_csv_number(csv, shares[i], 4));
        CHECK_OK(qn_csv_end_row(csv));
    }
}

static char *read_file(const char *folder, const char *subfolder, const char *name)
{
    char path[2 * PATH], *data = NULL;
    size_t size;
    snprintf(path, sizeof path, "%s/%s%s", folder, subfolder, name);
    CHECK_OK(qn_file_read(path, &data, &size));
    return data;
}

static void compare(const char *folder, const char *subfolder, const char *name, qn_text *text)
{
    char *file = read_file(folder, subfolder, name);
    CHECK(file && text->data && strcmp(file, text->data) == 0);
    qn_release(&file);
    qn_text_clear(text);
}

/* Compare the model of a cluster, written to a file, with the model file of the run without its remarks. */
static void compare_model(const qn_dock_result *result, const qn_dock_result_cluster *cluster, const char *folder,
                          const char *name)
{
    char path[PATH];
    qn_molecule *model;
    if (!CHECK_OK(qn_dock_result_model(result, cluster, &model))) return;
    snprintf(path, sizeof path, "%s/model.pdb", check_scratch_folder());
    const qn_molecule *models[] = {model};
    CHECK_OK(qn_molecule_write(path, QN_STRUCTURE_PDB, models, 1, NULL));
    char *own = read_file(check_scratch_folder(), "", "model.pdb"), *file = read_file(folder, "", name);
    const char *atoms = file ? strstr(file, "\nATOM") : NULL;
    CHECK(own && atoms && strncmp(file, "REMARK", 6) == 0 && strcmp(own, atoms + 1) == 0);
    qn_release(&own);
    qn_release(&file);
    qn_molecule_destroy(&model);
    CHECK(remove(path) == 0);
}

/* Compare the poses, clusters and contacts of an answer with its files in a folder below the output; "": the main
 * answer. */
static void check_set(const qn_dock_result *result, const qn_dock_result_set *set, const char *folder,
                      const char *subfolder)
{
    qn_text text = {0};
    add_poses(result, set, &text);
    compare(folder, subfolder, "poses.csv", &text);
    add_clusters(result, set, &text);
    compare(folder, subfolder, "clusters.csv", &text);
    CHECK_OK(qn_text_append(&text, "partner,chain,residue,insertion,name,share_of_poses\n"));
    add_contacts(result->receptor, "receptor", set->receptor_contacts, &text);
    add_contacts(result->ligand, "ligand", set->ligand_contacts, &text);
    compare(folder, subfolder, "contacts.csv", &text);
}

static void check_equals_files(const qn_dock_result *result, const char *folder)
{
    if (!CHECK(result != NULL)) return;
    CHECK(result->pose_count > 60 && result->cluster_count == 4 && result->set_count == 2);
    CHECK(result->best_energy == result->poses[0].energy && result->rotation_count == ROTATIONS);
    const qn_dock_result_set merged = {NULL,
                                       result->poses,
                                       result->pose_count,
                                       result->clusters,
                                       result->cluster_count,
                                       result->receptor_contacts,
                                       result->ligand_contacts};
    check_set(result, &merged, folder, "");
    CHECK_TEXT(result->sets[0].name, "balanced");
    check_set(result, &result->sets[0], folder, "balanced/");
    check_set(result, &result->sets[1], folder, "neutral/");
    compare_model(result, &result->clusters[0], folder, "cluster_01.pdb");
    compare_model(result, &result->sets[1].clusters[1], folder, "neutral/cluster_02.pdb");
}

/* ---- tests ---- */

static char files_folder[PATH]; /* output of the first run, from files to files */

static void results_equal_files(void)
{
    qn_dock_options options = options_for("files", files_folder);
    qn_dock_result *result;
    CHECK_OK(qn_dock_run(context, &options, &result));
    check_equals_files(result, files_folder);
    CHECK(result && strstr(result->report, "files/report.html") && result->rotations_per_s > 0);
    CHECK(result && !result->page);
    qn_dock_result_destroy(&result);
    CHECK(result == NULL);
}

/* Take the links out of a page: the tags, not their texts. */
static void drop_links(char *page)
{
    char *to = page;
    for (const char *from = page; *from;) {
        if (strncmp(from, "<a ", 3) == 0 || strncmp(from, "</a>", 4) == 0)
            from = strchr(from, '>') + 1;
        else
            *to++ = *from++;
    }
    *to = '\0';
}

/* The page in memory is that of the files but for times, links, and names of files, which are not there. */
static void check_page(const qn_dock_result *result)
{
    char *file = read_file(files_folder, "", "report.html");
    if (CHECK(file && result && result->page)) {
        CHECK(strstr(file, "<a href=\"cluster_01.pdb\">") && !strstr(result->page, "<a href=\"cluster"));
        drop_links(file);
        const char *own_table = strstr(result->page, "<tbody"), *other_table = strstr(file, "<tbody");
        const char *table_end = own_table ? strstr(own_table, "</tbody>") : NULL;
        CHECK(own_table && other_table && table_end &&
              strncmp(own_table, other_table, (size_t)(table_end - own_table)) == 0);
        CHECK(strstr(result->page, "</html>") && !strstr(result->page, "contacts.csv"));
        CHECK(!strstr(result->page, "run.json") && strstr(file, "run.json") && strstr(file, "contacts.csv"));
    }
    qn_release(&file);
}

static int count_files(void)
{
    int count = 0;
    DIR *folder = opendir(".");
    while (folder && readdir(folder)) count++;
    if (folder) closedir(folder);
    return count - 2; /* "." and ".." */
}

static void nothing_is_written_without_an_output(void)
{
    char folder[PATH], before[PATH];
    qn_dock_options options = options_in_memory();
    qn_dock_result *result;
    snprintf(folder, sizeof folder, "%s/empty", check_scratch_folder());
    CHECK_OK(qn_folder_create(folder));
    if (!CHECK(getcwd(before, sizeof before) && chdir(folder) == 0)) return;
    CHECK_OK(qn_dock_run(context, &options, &result));
    CHECK(count_files() == 0);
    CHECK(chdir(before) == 0);
    check_equals_files(result, files_folder);
    CHECK(result && result->report[0] == '\0');
    check_page(result);
    qn_dock_result_destroy(&result);
    CHECK_OK(qn_dock_run(context, &options, NULL));
}

static int stop_after_a_third(const qn_progress *progress, void *user)
{
    (void)user;
    return progress->done >= ROTATIONS / 3;
}

static void resumed_run_has_the_same_results(void)
{
    char folder[PATH];
    qn_dock_options options = options_for("resumed", folder);
    qn_dock_result *result = (qn_dock_result *)folder;
    options.run.progress = stop_after_a_third;
    CHECK_FAILS(qn_dock_run(context, &options, &result), QN_CANCELLED);
    CHECK_MESSAGE_HAS("--resume");
    CHECK(result == NULL);
    options.run.progress = NULL;
    options.run.resume = true;
    CHECK_OK(qn_dock_run(context, &options, &result));
    check_equals_files(result, files_folder);
    check_equals_files(result, folder);
    CHECK(result && result->resumed_rotations >= ROTATIONS / 3 && result->resumed_rotations < ROTATIONS);
    qn_dock_result_destroy(&result);
    CHECK_OK(qn_dock_run(context, &options, &result)); /* resume a finished run */
    check_equals_files(result, files_folder);
    CHECK(result && result->resumed_rotations == ROTATIONS && result->rotations_per_s == 0);
    qn_dock_result_destroy(&result);
}

/* The key of a run contains the molecules in memory: with the same molecules the run resumes, with others it does not.
 */
static void runs_of_molecules_in_memory_resume(void)
{
    char folder[PATH];
    qn_dock_options options = options_for("from_memory", folder);
    qn_dock_result *result;
    options.receptor = options.ligand = NULL;
    options.receptor_molecule = receptor;
    options.ligand_molecule = ligand;
    CHECK_OK(qn_dock_run(context, &options, NULL));
    options.run.resume = true;
    CHECK_OK(qn_dock_run(context, &options, &result));
    check_equals_files(result, folder);
    check_equals_files(result, files_folder);
    qn_dock_result_destroy(&result);
    ligand->atoms[0].position_angstrom[0] += 0.001;
    CHECK_FAILS(qn_dock_run(context, &options, &result), QN_ALREADY_EXISTS);
    CHECK_MESSAGE_HAS("ligand");
    ligand->atoms[0].position_angstrom[0] -= 0.001;
}

static void refuse(const qn_dock_options *options, qn_status expected, const char *message)
{
    qn_dock_result *result;
    CHECK_FAILS(qn_dock_run(context, options, &result), expected);
    CHECK_MESSAGE_HAS(message);
    CHECK(result == NULL);
}

static void bad_inputs_are_refused(void)
{
    qn_dock_options options = options_in_memory();
    qn_molecule *bad;
    options.receptor = receptor_path;
    refuse(&options, QN_INVALID_ARGUMENT, "receptor and receptor_molecule are both given; expected one of the two");
    options.receptor = NULL;
    options.ligand_molecule = NULL;
    refuse(&options, QN_INVALID_ARGUMENT, "neither ligand nor ligand_molecule is given; expected one of the two");
    CHECK_OK(qn_molecule_create("bad", &bad));
    options.ligand_molecule = bad;
    refuse(&options, QN_BAD_FORMAT, "ligand: bad: has no atoms; expected at least one");
    qn_molecule_destroy(&bad);
    CHECK_OK(qn_molecule_copy(ligand, &bad));
    bad->atoms[7].position_angstrom[1] = NAN;
    options.ligand_molecule = bad;
    refuse(&options, QN_BAD_FORMAT, "coordinate y of atom 7 is nan; expected a number from -100000 to 100000");
    qn_molecule_destroy(&bad);
    options.ligand_molecule = ligand;
    options.write_zdock = true;
    refuse(&options, QN_INVALID_ARGUMENT, "--zdock asks for a file, but there is no output; expected an output");
    options.write_zdock = false;
    options.run.resume = true;
    refuse(&options, QN_INVALID_ARGUMENT, "--resume is asked for, but there is no output");
}

/* A stopped run in memory cannot be resumed, so that its message does not mention --resume. */
static void stopped_run_in_memory_has_no_result(void)
{
    qn_dock_options options = options_in_memory();
    options.run.progress = stop_after_a_third;
    refuse(&options, QN_CANCELLED, "stopped after ");
    CHECK(strstr(qn_error_message(), "--resume") == NULL);
}

int main(int count, char **arguments)
{
    device = count > 1 ? arguments[1] : "host";
    snprintf(receptor_path, sizeof receptor_path, "%s", check_data("../../examples/1ppe/1PPE_r_u.pdb"));
    snprintf(ligand_path, sizeof ligand_path, "%s", check_data("../../examples/1ppe/1PPE_l_u_rnd.pdb"));
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context)))
        return check_finish();
    CHECK_OK(qn_molecule_read(NULL, receptor_path, NULL, &receptor));
    CHECK_OK(qn_molecule_read(NULL, ligand_path, NULL, &ligand));
    RUN(results_equal_files);
    RUN(nothing_is_written_without_an_output);
    RUN(resumed_run_has_the_same_results);
    RUN(runs_of_molecules_in_memory_resume);
    RUN(bad_inputs_are_refused);
    RUN(stopped_run_in_memory_has_no_result);
    qn_molecule_destroy(&receptor);
    qn_molecule_destroy(&ligand);
    qn_context_destroy(&context);
    return check_finish();
}
