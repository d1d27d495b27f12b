/* devices: host */
/* Screens with inputs and results in memory: the results equal those in files to the digit, and without an output no
 * file is written. */
#define _POSIX_C_SOURCE 200809L
#include "screen/tests/small_screen.h"

#include <dirent.h>
#include <time.h>
#include <unistd.h>

#include "format/compound/compound_stream.h"
#include "report/csv.h"

/* ---- inputs in memory ---- */

static qn_molecule *receptor;
static qn_screen_content library;
static char *library_text;

/* Keep waters, if there are any, since a screen leaves them out itself. */
static void read_inputs(void)
{
    size_t size;
    CHECK_OK(qn_molecule_read(NULL, receptor_path, NULL, &receptor));
    CHECK_OK(qn_file_read(library_path, &library_text, &size));
    library = (qn_screen_content){library_path, library_text, size};
}

static qn_screen_options options_in_memory(void)
{
    qn_screen_options options = rigid_options_for("unused");
    options.receptor = NULL;
    options.receptor_molecule = receptor;
    options.libraries = NULL;
    options.library_count = 0;
    options.library_contents = &library;
    options.library_content_count = 1;
    options.output = NULL;
    return options;
}

/* ---- results as files have them ---- */

static void add_scores(const qn_screen_result *result, const char *path, bool with_actives, qn_text *csv)
{
    CHECK_OK(qn_text_append(csv, "rank,name,index,energy_kj_per_mol"));
    for (size_t term = 0; term < result->term_count; term++)
        CHECK_OK(qn_text_append(csv, ",%s_kj_per_mol", result->term_names[term]));
    CHECK_OK(
        qn_text_append(csv,
                       ",heavy_atoms,ligand_efficiency_kj_per_mol,conformer,conformers,clashes,least_distance_angstrom,"
                       "file,line%s\n",
                       with_actives ? ",active" : ""));
    for (size_t i = 0; i < result->molecule_count; i++) {
        const qn_screen_result_molecule *molecule = &result->molecules[result->ranking[i]];
        CHECK(molecule->rank == i + 1 && molecule->library == 0);
        CHECK_OK(qn_csv_integer(csv, (long long)i + 1));
        CHECK_OK(qn_csv_text(csv, molecule->name));
        CHECK_OK(qn_csv_integer(csv, (long long)molecule->index));
        CHECK_OK(qn_csv_number(csv, molecule->energy, 4));
        for (size_t term = 0; term < result->term_count; term++) CHECK_OK(qn_csv_number(csv, molecule->terms[term], 4));
        CHECK_OK(qn_csv_integer(csv, molecule->heavy_atoms));
        CHECK_OK(qn_csv_number(csv, molecule->energy / molecule->heavy_atoms, 4));
        CHECK_OK(qn_csv_integer(csv, molecule->conformer + 1));
        CHECK_OK(qn_csv_integer(csv, molecule->conformers));
        CHECK_OK(qn_csv_integer(csv, molecule->clashes));
        CHECK_OK(qn_csv_number(csv, molecule->least_distance_angstrom, 3));
        CHECK_OK(qn_csv_text(csv, path));
        CHECK_OK(qn_csv_integer(csv, (long long)molecule->line));
        if (with_actives) CHECK_OK(qn_csv_integer(csv, molecule->active));
        CHECK_OK(qn_csv_end_row(csv));
    }
}

static void add_rejections(const qn_screen_result *result, const char *path, qn_text *csv)
{
    CHECK_OK(qn_text_append(csv, "index,file,line,name,reason\n"));
    for (size_t i = 0; i < result->rejection_count; i++) {
        const qn_screen_result_rejection *rejection = &result->rejections[i];
        CHECK_OK(qn_csv_integer(csv, (long long)rejection->index));
        CHECK_OK(qn_csv_text(csv, path));
        CHECK_OK(qn_csv_integer(csv, (long long)rejection->line));
        CHECK_OK(qn_csv_text(csv, rejection->name));
        CHECK_OK(qn_csv_text(csv, rejection->reason));
        CHECK_OK(qn_csv_end_row(csv));
    }
}

static void add_hits(const qn_screen_result *result, qn_text *sdf)
{
    for (size_t i = 0; i < result->pose_count; i++) CHECK_OK(qn_text_append(sdf, "%s", result->poses[i].record));
}

static void compare(const char *folder, const char *name, qn_text *text)
{
    char *file = read_result(folder, name);
    CHECK(file && text->data && strcmp(file, text->data) == 0);
    qn_release(&file);
    qn_text_clear(text);
}

/* Check that the files of `folder` hold the digits of the result. */
static void check_equals_files(const qn_screen_result *result, const char *folder, bool with_actives)
{
    qn_text text = {0};
    if (!CHECK(result != NULL)) return;
    CHECK(result->molecule_count == MOLECULES - 1 && result->rejection_count == 1);
    CHECK(result->pose_count > MOLECULES && result->rejections[0].index == BROKEN);
    add_scores(result, library_path, with_actives, &text);
    compare(folder, "scores.csv", &text);
    add_rejections(result, library_path, &text);
    compare(folder, "rejected.csv", &text);
    add_hits(result, &text);
    compare(folder, "hits.sdf", &text);
}

/* Check that the numbers of a pose equal those of its record, which have four decimals, and that poses belong to their
 * molecules. */
static void check_poses(const qn_screen_result *result)
{
    for (size_t i = 0; i < result->pose_count; i++) {
        const qn_screen_result_pose *pose = &result->poses[i];
        const qn_screen_result_molecule *molecule = &result->molecules[pose->molecule];
        qn_compound **compounds;
        size_t count;
        if (!CHECK_OK(qn_compound_read_memory("pose", pose->record, strlen(pose->record), &compounds, &count))) return;
        CHECK(count == 1 && compounds[0]->atom_count == pose->atom_count);
        CHECK_TEXT(compounds[0]->name, molecule->name);
        for (size_t k = 0; k < 3 * pose->atom_count; k++)
            CHECK_NEAR(compounds[0]->positions_angstrom[k], pose->positions_angstrom[k], 5.001e-5);
        CHECK_NEAR(strtod(qn_compound_property_value(compounds[0], "quern_energy"), NULL), pose->energy, 5.001e-5);
        CHECK(pose->number > 0 || pose->energy == molecule->energy);
        CHECK(pose->number == 0 || pose->molecule == pose[-1].molecule);
        qn_compound_destroy(&compounds[0]);
        qn_release(&compounds);
    }
}

/* ---- tests ---- */

static int count_files(const char *folder)
{
    int count = 0;
    DIR *open = opendir(folder);
    if (!CHECK(open != NULL)) return -1;
    while (readdir(open)) count++;
    closedir(open);
    return count;
}

static char files_folder[700];

static void results_in_memory_equal_the_files(void)
{
    const qn_screen_options options = rigid_options_for("files");
    qn_screen_result *result;
    snprintf(files_folder, sizeof files_folder, "%s", options.output);
    if (!CHECK_OK(qn_screen_run(context, &options, &result))) return;
    check_equals_files(result, files_folder, false);
    check_poses(result);
    CHECK_TEXT(result->energy_unit, "kJ/mol");
    CHECK(strstr(result->report, "files/report.html") && result->enrichment == NULL && result->resumed_count == 0);
    for (size_t i = 1; i < result->molecule_count; i++)
        CHECK(result->molecules[i].index > result->molecules[i - 1].index);
    CHECK(result->best_energy == result->molecules[result->ranking[0]].energy);
    qn_screen_result_destroy(&result);
    CHECK(result == NULL);
    qn_screen_result_destroy(&result);
}

/* Compare with the files that the previous test wrote; the working directory stays empty. */
static void inputs_in_memory_give_the_digits_of_files(void)
{
    char work[700];
    const qn_screen_options options = options_in_memory();
    qn_screen_result *result;
    snprintf(work, sizeof work, "%s/work", check_scratch_folder());
    CHECK_OK(qn_folder_create(work));
    const int before = count_files(check_scratch_folder());
    CHECK(chdir(work) == 0);
    CHECK_OK(qn_screen_run(context, &options, &result));
    CHECK(count_files(work) == 2 && count_files(check_scratch_folder()) == before);
    check_equals_files(result, files_folder, false);
    if (result) CHECK_TEXT(result->report, "");
    qn_screen_result_destroy(&result);
    CHECK_OK(qn_screen_run(context, &options, NULL));
    CHECK(count_files(work) == 2);
}

/* Another thread records the pieces: give it time before the next conformer is searched. */
static int stop_after_a_piece(const qn_progress *progress, void *user)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    (void)user;
    if (progress->done == 0) nanosleep(&pause, NULL);
    return progress->done > 0;
}

static void a_resumed_run_gives_the_same_digits(void)
{
    qn_screen_options options = rigid_options_for("resumed");
    qn_screen_result *result;
    options.run.progress = stop_after_a_piece;
    options.run.batch = 1;
    CHECK_FAILS(qn_screen_run(context, &options, &result), QN_CANCELLED);
    CHECK(result == NULL);
    options.run.progress = NULL;
    options.run.resume = true;
    CHECK_OK(qn_screen_run(context, &options, &result));
    check_equals_files(result, files_folder, false);
    if (result) CHECK(result->resumed_count > 0 && result->resumed_count < MOLECULES);
    qn_screen_result_destroy(&result);
    CHECK_OK(qn_screen_run(context, &options, &result)); /* the journal has all results */
    check_equals_files(result, files_folder, false);
    if (result) CHECK(result->resumed_count == MOLECULES && result->interactions_per_s == 0);
    qn_screen_result_destroy(&result);
}

/* Poses are kept of the best molecules only. */
static void poses_are_kept_of_the_best_molecules_only(void)
{
    qn_screen_options options = options_in_memory();
    qn_screen_result *result;
    options.top = 2;
    options.keep = 1;
    if (!CHECK_OK(qn_screen_run(context, &options, &result))) return;
    CHECK(result->pose_count == 2 && result->molecule_count == MOLECULES - 1);
    for (size_t i = 0; i < result->pose_count; i++)
        CHECK(result->poses[i].molecule == result->ranking[i] && result->poses[i].number == 0);
    qn_screen_result_destroy(&result);
}

/* Two actives, at the first and at the last rank of ten molecules. Each forms 8 pairs with inactive molecules: the
 * first active wins all, the last one none, so the area is 1/2. The best 10 % are one molecule, which is active; the
 * expected number is 0.2. */
static void known_actives_give_the_enrichment(void)
{
    char path[700], text[400];
    qn_screen_options options = options_in_memory();
    qn_screen_result *result, *of_file;
    if (!CHECK_OK(qn_screen_run(context, &options, &result))) return;
    const char *first = result->molecules[result->ranking[0]].name;
    const char *last = result->molecules[result->ranking[MOLECULES - 2]].name;
    const char *const names[] = {last, first, first};
    snprintf(text, sizeof text, "%s\n%s\n", first, last);
    snprintf(path, sizeof path, "%s/actives.txt", check_scratch_folder());
    CHECK_OK(qn_file_write(path, text, strlen(text)));
    options.actives = path;
    CHECK_OK(qn_screen_run(context, &options, &of_file));
    options.actives = NULL;
    options.active_names = names;
    options.active_name_count = 3;
    qn_screen_result *with;
    if (CHECK_OK(qn_screen_run(context, &options, &with)) && CHECK(with->enrichment != NULL)) {
        CHECK(with->enrichment->molecule_count == MOLECULES - 1 && with->enrichment->active_count == 2);
        CHECK_NEAR(with->enrichment->auc, 0.5, 1e-12);
        CHECK_NEAR(with->enrichment->shares[2], 0.1, 0);
        CHECK_NEAR(with->enrichment->factors[2], 5, 1e-12);
        CHECK_NEAR(with->enrichment->factors_max[2], 5, 1e-12);
        CHECK(with->molecules[with->ranking[0]].active && !with->molecules[with->ranking[1]].active);
        if (CHECK(of_file && of_file->enrichment))
            CHECK(memcmp(with->enrichment, of_file->enrichment, sizeof *with->enrichment) == 0);
    }
    qn_screen_result_destroy(&with);
    qn_screen_result_destroy(&of_file);
    qn_screen_result_destroy(&result);
}

/* A ligand in the site, as a file and in memory. */
static void a_site_in_memory_gives_the_results_of_its_file(void)
{
    char path[700];
    char *text;
    size_t size;
    qn_screen_options options = options_in_memory();
    qn_screen_result *of_file, *of_content;
    snprintf(path, sizeof path, "%s", check_data("../../examples/1iep/1iep_ligand.sdf"));
    if (!CHECK_OK(qn_file_read(path, &text, &size))) return;
    for (int d = 0; d < 3; d++) options.box_centre_angstrom[d] = options.box_side_angstrom[d] = 0;
    options.margin_angstrom = 2;
    options.site = path;
    CHECK_OK(qn_screen_run(context, &options, &of_file));
    const qn_screen_content site = {"ligand.sdf", text, size};
    options.site = NULL;
    options.site_content = &site;
    CHECK_OK(qn_screen_run(context, &options, &of_content));
    if (CHECK(of_file && of_content))
        for (size_t i = 0; i < of_file->molecule_count; i++)
            CHECK(of_file->molecules[i].energy == of_content->molecules[i].energy);
    options.site = path;
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("site and site_content are both given; expected one of the two");
    qn_screen_result_destroy(&of_file);
    qn_screen_result_destroy(&of_content);
    qn_release(&text);
}

static void exactly_one_of_path_and_memory_is_required(void)
{
    qn_screen_result *result = NULL;
    qn_screen_options options = options_in_memory();
    options.receptor = receptor_path;
    CHECK_FAILS(qn_screen_run(context, &options, &result), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("receptor and receptor_molecule are both given; expected one of the two");
    CHECK(result == NULL);
    options.receptor = NULL;
    options.receptor_molecule = NULL;
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("neither receptor nor receptor_molecule is given; expected one of the two");
    options = options_in_memory();
    options.libraries = libraries;
    options.library_count = 1;
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("libraries and library_contents are both given; expected one of the two");
    options.library_count = options.library_content_count = 0;
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("neither libraries nor library_contents is given; expected one of the two");
    const qn_screen_content nameless = {NULL, library_text, 3}, empty = {"empty.sdf", NULL, 0};
    options.library_contents = &nameless;
    options.library_content_count = 1;
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("library_contents: the name is NULL");
    options.library_contents = &empty;
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("library_contents: the bytes of \"empty.sdf\" are NULL");
    options = options_in_memory();
    options.run.resume = true;
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_INVALID_ARGUMENT);
}

/* The text ends in the middle of a record: the molecule is rejected as from a file. */
static void damaged_text_is_rejected_as_from_a_file(void)
{
    char path[700];
    qn_screen_options options = options_in_memory();
    qn_screen_result *of_content, *of_file;
    const char *cut = strstr(library_text, "$$$$\n");
    if (!CHECK(cut != NULL)) return;
    snprintf(path, sizeof path, "%s/cut.sdf", check_scratch_folder());
    const qn_screen_content damaged = {path, library_text, (size_t)(cut - library_text) + 400};
    const char *const paths[] = {path};
    CHECK_OK(qn_file_write(path, damaged.bytes, damaged.size));
    options.library_contents = &damaged;
    CHECK_OK(qn_screen_run(context, &options, &of_content));
    options.library_content_count = 0;
    options.libraries = paths;
    options.library_count = 1;
    CHECK_OK(qn_screen_run(context, &options, &of_file));
    if (CHECK(of_content && of_file) && CHECK(of_content->rejection_count == 1 && of_file->rejection_count == 1)) {
        CHECK(of_content->rejections[0].index == 1 && of_content->rejections[0].line == of_file->rejections[0].line);
        CHECK_TEXT(of_content->rejections[0].name, of_file->rejections[0].name);
        CHECK_TEXT(of_content->rejections[0].reason, of_file->rejections[0].reason);
        CHECK(of_content->molecules[0].energy == of_file->molecules[0].energy);
    }
    qn_screen_result_destroy(&of_content);
    qn_screen_result_destroy(&of_file);
    const qn_screen_content junk = {"junk", "no library at all", 17};
    options.library_count = 0;
    options.library_contents = &junk;
    options.library_content_count = 1;
    CHECK_FAILS(qn_screen_run(context, &options, &of_content), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("junk");
    CHECK(of_content == NULL);
}

static void a_strict_run_in_memory_fails_after_a_rejection(void)
{
    qn_screen_options options = options_in_memory();
    qn_screen_result *result;
    options.run.strict = true;
    CHECK_FAILS(qn_screen_run(context, &options, &result), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("1 of 11 molecules was rejected; the first because");
    CHECK(result == NULL);
}

/* The bytes of a packed library in memory equal those of its file, and are screened in place. */
static void a_library_is_packed_into_memory(void)
{
    char path[700], *file = NULL;
    size_t size = 0;
    qn_screen_pack_options packing = qn_screen_pack_default_options();
    qn_screen_pack_result *packed, *written;
    packing.library_contents = &library;
    packing.library_content_count = 1;
    if (!CHECK_OK(qn_screen_pack(context, &packing, &packed))) return;
    snprintf(path, sizeof path, "%s/library.qlib", check_scratch_folder());
    packing.output = path;
    CHECK_OK(qn_screen_pack(context, &packing, &written));
    CHECK_OK(qn_file_read(path, &file, &size));
    CHECK(packed->molecule_count == MOLECULES - 1 && packed->rejection_count == 1);
    CHECK(packed->size == size && memcmp(packed->bytes, file, size) == 0);
    CHECK(packed->rejections[0].index == BROKEN && strstr(packed->rejections[0].reason, library_path));
    CHECK_TEXT(packed->rejections[0].name, "broken");
    if (CHECK(written != NULL)) CHECK(written->bytes == NULL && written->rejection_count == 1);
    const qn_screen_content content = {"library.qlib", packed->bytes, packed->size};
    qn_screen_options options = options_in_memory();
    qn_screen_result *result;
    options.library_contents = &content;
    if (CHECK_OK(qn_screen_run(context, &options, &result)))
        CHECK(result->molecule_count == MOLECULES - 1 && result->rejection_count == 0);
    qn_screen_result_destroy(&result);
    packing.library_content_count = 0;
    CHECK_FAILS(qn_screen_pack(context, &packing, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("neither libraries nor library_contents is given");
    qn_screen_pack_result_destroy(&packed);
    qn_screen_pack_result_destroy(&written);
    qn_release(&file);
}

int main(int argc, char **argv)
{
    device = argc > 1 ? argv[1] : "host";
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context)))
        return check_finish();
    write_receptor();
    write_library();
    read_inputs();
    RUN(results_in_memory_equal_the_files);
    RUN(inputs_in_memory_give_the_digits_of_files);
    RUN(a_resumed_run_gives_the_same_digits);
    RUN_LONG(poses_are_kept_of_the_best_molecules_only);
    RUN_LONG(known_actives_give_the_enrichment);
    RUN_LONG(a_site_in_memory_gives_the_results_of_its_file);
    RUN(exactly_one_of_path_and_memory_is_required);
    RUN(damaged_text_is_rejected_as_from_a_file);
    RUN(a_strict_run_in_memory_fails_after_a_rejection);
    RUN(a_library_is_packed_into_memory);
    qn_molecule_destroy(&receptor);
    qn_release(&library_text);
    qn_context_destroy(&context);
    return check_finish();
}
