/* devices: host opencl:0 cuda:0 */
/* Screens of flexible molecules: what is written agrees with the written poses, minimising lowers energies and keeps
 * bonds, stated types come from the file, resuming changes nothing. */
#include "screen/tests/small_screen.h"

#include "chemistry/symmetry.h"
#include "flexible/energy.h"
#include "format/compound/compound_stream.h"
#include "score/ligand.h"

static double item(const qn_compound *compound, const char *name)
{
    const char *value = qn_compound_property_value(compound, name);
    return CHECK(value != NULL) ? strtod(value, NULL) : NAN;
}

static qn_screen_options flexible_options(const char *name)
{
    qn_screen_options options = options_for(name);
    options.score_only = true;
    for (int d = 0; d < 3; d++) options.box_centre_angstrom[d] = options.box_side_angstrom[d] = 0;
    return options;
}

/* Written with five digits, so that the terms are right to about 1e-4 kcal/mol per pair in contact. */
static void check_pose(qn_compound *pose, const qn_flexible_receptor *receptor)
{
    qn_flexible_tree tree;
    qn_flexible_pose given;
    qn_flexible_energy energy;
    if (!CHECK_OK(qn_score_ligand_prepare(pose)) ||
        !CHECK_OK(qn_flexible_tree_create(pose, QN_FLEXIBLE_TYPES_OWN, -1, &tree)))
        return;
    qn_flexible_pose_given(&tree, &given);
    qn_flexible_evaluate(&tree, receptor, &given, QN_FLEXIBLE_HARD, &energy, NULL);
    const double inter = energy.inter_bent, intra = energy.bent - inter;
    CHECK_NEAR(item(pose, "quern_inter"), inter, 0.02 + 1e-3 * fabs(inter));
    CHECK_NEAR(item(pose, "quern_intra"), intra, 0.02);
    CHECK_NEAR(item(pose, "quern_unbound"), -item(pose, "quern_intra"), 1e-9);
    CHECK_NEAR(item(pose, "quern_energy"), inter / (1 + QN_VINA_TORSION * tree.torsion_count),
               0.02 + 1e-3 * fabs(inter));
    CHECK_NEAR(item(pose, "quern_energy"),
               item(pose, "quern_inter") + item(pose, "quern_intra") + item(pose, "quern_torsional") +
                   item(pose, "quern_unbound"),
               3e-4);
    qn_flexible_tree_clear(&tree);
}

/* Bonds keep their lengths in a pose. */
static void check_bonds(qn_compound *pose, qn_compound *original)
{
    const double *a = qn_compound_positions(pose, 0), *b = qn_compound_positions(original, 0);
    if (!CHECK(pose->bond_count == original->bond_count)) return;
    for (size_t i = 0; i < pose->bond_count; i++) {
        const size_t first = 3 * (size_t)pose->bonds[i].first, second = 3 * (size_t)pose->bonds[i].second;
        CHECK_NEAR(hypot(hypot(a[first] - a[second], a[first + 1] - a[second + 1]), a[first + 2] - a[second + 2]),
                   hypot(hypot(b[first] - b[second], b[first + 1] - b[second + 1]), b[first + 2] - b[second + 2]),
                   3e-4);
    }
}

/* Read the library's molecules; NULL: the broken one. */
static void read_library(qn_compound *originals[MOLECULES])
{
    qn_compound_stream *stream;
    qn_compound_record record = {0};
    if (!CHECK_OK(qn_compound_stream_open(library_path, &stream))) return;
    for (int i = 0; i < MOLECULES && CHECK_OK(qn_compound_stream_next(stream, &record)); i++)
        if (i != BROKEN) CHECK_OK(qn_compound_read(&record, &originals[i]));
    qn_compound_record_clear(&record);
    qn_compound_stream_close(&stream);
}

/* hits.pdbqt has the poses of hits.sdf, without the hydrogens of carbons. */
static void check_pdbqt(const char *folder, qn_compound *const *hits, size_t count)
{
    char path[800];
    qn_compound **models = NULL;
    size_t model_count = 0;
    snprintf(path, sizeof path, "%s/hits.pdbqt", folder);
    if (!CHECK_OK(qn_compound_read_file(path, &models, &model_count))) return;
    CHECK(model_count == count);
    for (size_t m = 0; m < model_count; m++) {
        size_t found = 0;
        CHECK_TEXT(models[m]->name, hits[m]->name);
        CHECK(models[m]->tree.piece_count > 0 && !models[m]->tree.glued);
        for (size_t i = 0; i < models[m]->atom_count; i++) {
            const double *at = models[m]->positions_angstrom + 3 * i;
            for (size_t j = 0; j < hits[m]->atom_count; j++) {
                const double *other = hits[m]->positions_angstrom + 3 * j;
                if (strcmp(models[m]->atoms[i].element, hits[m]->atoms[j].element) != 0) continue;
                found += hypot(hypot(at[0] - other[0], at[1] - other[1]), at[2] - other[2]) < 2e-3;
            }
        }
        CHECK(found == models[m]->atom_count);
    }
    for (size_t m = 0; m < model_count; m++) qn_compound_destroy(&models[m]);
    qn_release(&models);
}

static void check_hits(const char *folder)
{
    static const qn_ligand_score vina = {.kind = QN_SCORE_VINA};
    char path[800];
    qn_compound **hits = NULL, *originals[MOLECULES] = {NULL};
    size_t count = 0;
    qn_score_receptor receptor;
    qn_flexible_receptor *sorted = NULL;
    read_library(originals);
    snprintf(path, sizeof path, "%s/hits.sdf", folder);
    if (CHECK_OK(qn_score_receptor_read(receptor_path, &vina, &receptor)) &&
        CHECK_OK(qn_flexible_receptor_create(&receptor, &sorted)) &&
        CHECK_OK(qn_compound_read_file(path, &hits, &count)) && CHECK(count == MOLECULES - 1))
        for (size_t i = 0; i < count; i++) {
            const int index = (int)item(hits[i], "quern_index");
            if (!CHECK(index >= 0 && index < MOLECULES && originals[index])) continue;
            check_bonds(hits[i], originals[index]);
            check_pose(hits[i], sorted);
        }
    check_pdbqt(folder, hits, count);
    for (size_t i = 0; i < count; i++) qn_compound_destroy(&hits[i]);
    for (size_t i = 0; i < MOLECULES; i++) qn_compound_destroy(&originals[i]);
    qn_release(&hits);
    qn_flexible_receptor_destroy(&sorted);
    qn_score_receptor_clear(&receptor);
}

static void poses_have_the_energies_that_they_state(void)
{
    qn_screen_options options = flexible_options("scored");
    qn_screen_result *scored = NULL, *minimised = NULL;
    CHECK_OK(qn_screen_run(context, &options, &scored));
    check_hits(options.output);
    options = flexible_options("minimised");
    options.score_only = false;
    options.local_only = true;
    CHECK_OK(qn_screen_run(context, &options, &minimised));
    check_hits(options.output);
    char *facts = read_result(options.output, "run.json");
    CHECK(facts && strstr(facts, "\"method\": \"local only\"") && strstr(facts, "\"score\": \"vina\""));
    CHECK(facts && !strstr(facts, "\"winners\"")); /* of searches of rigid molecules */
    qn_release(&facts);
    if (CHECK(scored && minimised && scored->molecule_count == minimised->molecule_count)) {
        CHECK(scored->molecule_count == MOLECULES - 1 && scored->pose_count == MOLECULES - 1);
        CHECK(scored->term_count == 4 && strcmp(scored->term_names[1], "intra") == 0);
        int lower = 0;
        for (size_t i = 0; i < scored->molecule_count; i++) {
            const double *after = minimised->molecules[i].terms, *before = scored->molecules[i].terms;
            CHECK(after[0] + after[1] <= before[0] + before[1]); /* equal: rigid, and out of the receptor's reach */
            lower += after[0] + after[1] < before[0] + before[1] - 0.1;
        }
        CHECK(lower >= 5);
    }
    qn_screen_result_destroy(&scored);
    qn_screen_result_destroy(&minimised);
}

/* Poses that are moved by 300 Å have no pairs with the receptor: the run says so. */
static void poses_far_away_are_told(void)
{
    char far[600];
    qn_compound *originals[MOLECULES] = {NULL};
    qn_text text = {0};
    qn_screen_options options = flexible_options("moved away");
    snprintf(far, sizeof far, "%s/moved_away.sdf", check_scratch_folder());
    read_library(originals);
    for (int i = 0; i < MOLECULES; i++) {
        if (!originals[i]) continue;
        for (size_t a = 0; a < originals[i]->atom_count; a++)
            originals[i]->positions_angstrom[3 * a] += i == 0 ? 0 : 300;
        CHECK_OK(qn_compound_write_sdf(originals[i], NULL, &text));
        qn_compound_destroy(&originals[i]);
    }
    CHECK_OK(qn_file_write(far, text.data, text.length));
    qn_text_clear(&text);
    options.libraries = (const char *const[]){far};
    for (int local = 0; local < 2; local++) {
        qn_screen_result *result = NULL;
        options.score_only = local == 0;
        options.local_only = local == 1;
        options.run.overwrite = local == 1;
        if (!CHECK_OK(qn_screen_run(context, &options, &result))) continue;
        size_t away = 0;
        for (size_t i = 0; i < result->molecule_count; i++) {
            const bool is_away = result->molecules[i].least_distance_angstrom >= 8; /* Vina's cutoff */
            away += is_away;
            CHECK((fabs(result->molecules[i].energy) < 1e-9) == is_away);
        }
        CHECK(away >= 5 && result->far_count == away);
        qn_screen_result_destroy(&result);
        for (int file = 0; file < 2; file++) {
            char *content = read_result(options.output, file ? "run.json" : "report.html");
            CHECK(content && strstr(content, "touch nothing, 8 Å or more away from the receptor"));
            qn_release(&content);
        }
    }
}

/* Where side chains have not turned, the ligand meets the same atoms; when they turn, energies fall at least as far. */
static void a_side_chain_turns(void)
{
    static const char *const flex[] = {"A:ASP381,A:VAL299"};
    qn_screen_options options = flexible_options("rigid");
    qn_screen_result *rigid = NULL, *turning = NULL, *minimised = NULL;
    CHECK_OK(qn_screen_run(context, &options, &rigid));
    options = flexible_options("turning");
    options.flex = flex;
    options.flex_count = 1;
    CHECK_OK(qn_screen_run(context, &options, &turning));
    options = flexible_options("turning, minimised");
    options.flex = flex;
    options.flex_count = 1;
    options.score_only = false;
    options.local_only = true;
    CHECK_OK(qn_screen_run(context, &options, &minimised));
    if (CHECK(rigid && turning && minimised && turning->molecule_count == rigid->molecule_count))
        for (size_t i = 0; i < rigid->molecule_count; i++) {
            const double *terms = turning->molecules[i].terms, *after = minimised->molecules[i].terms;
            const double inter = rigid->molecules[i].terms[0];
            if (inter < 0) CHECK_NEAR(terms[0], inter, 0.01);
            CHECK(fabs(terms[1] - rigid->molecules[i].terms[1]) > 0.1);
            CHECK(after[0] + after[1] <= terms[0] + terms[1]);
            CHECK_NEAR(turning->molecules[i].least_distance_angstrom, rigid->molecules[i].least_distance_angstrom, 0);
            CHECK(turning->molecules[i].clashes == rigid->molecules[i].clashes);
        }
    qn_screen_result_destroy(&rigid);
    qn_screen_result_destroy(&turning);
    qn_screen_result_destroy(&minimised);
}

/* Poses of a molecule differ by more than the diversity, also when equivalent atoms change places. */
static void check_diversity(const char *folder)
{
    char path[800];
    qn_compound **hits = NULL;
    size_t count = 0, pairs = 0;
    snprintf(path, sizeof path, "%s/hits.sdf", folder);
    if (!CHECK_OK(qn_compound_read_file(path, &hits, &count))) return;
    for (size_t i = 0; i < count; i++) {
        qn_symmetry symmetry;
        if (!CHECK_OK(qn_symmetry_find(hits[i], 1000, &symmetry, NULL))) break;
        for (size_t j = 0; j < i; j++) {
            if (item(hits[i], "quern_index") != item(hits[j], "quern_index")) continue;
            pairs++;
            CHECK(qn_symmetry_rmsd_angstrom(&symmetry, hits[i]->positions_angstrom, hits[j]->positions_angstrom) >
                  diversity - 1e-3);
        }
        qn_symmetry_clear(&symmetry);
    }
    CHECK(pairs > 0);
    for (size_t i = 0; i < count; i++) qn_compound_destroy(&hits[i]);
    qn_release(&hits);
}

/* The search finds what --local-only finds from the library's poses, or better, and a device finds what the host finds:
 * with eight chains of few steps the first holds only for most molecules. */
static void a_search_finds_poses(void)
{
    char first[800];
    qn_screen_options options = options_for("searched");
    qn_screen_result *searched = NULL;
    options.walkers = 8;
    options.effort = 0.05;
    snprintf(first, sizeof first, "%s", options.output);
    CHECK_OK(qn_screen_run(context, &options, &searched));
    if (CHECK(searched && searched->molecule_count == MOLECULES - 1 && searched->pose_count > MOLECULES - 1)) {
        CHECK(searched->best_energy < -5);
        for (size_t i = 0; i < searched->pose_count; i++) {
            const qn_screen_result_pose *pose = &searched->poses[i];
            double centre[3] = {0, 0, 0};
            for (size_t a = 0; a < pose->atom_count; a++)
                for (size_t d = 0; d < 3; d++)
                    centre[d] += pose->positions_angstrom[3 * a + d] / (double)pose->atom_count;
            for (int d = 0; d < 3; d++) CHECK(fabs(centre[d] - box_centre[d]) < box_side / 2 + 2);
            CHECK_NEAR(pose->energy, pose->terms[0] + pose->terms[1] + pose->terms[2] + pose->terms[3], 1e-9);
        }
    }
    qn_screen_result_destroy(&searched);
    device = "host";
    options = options_for("searched on the host");
    options.walkers = 8;
    options.effort = 0.05;
    CHECK_OK(qn_screen_run(context, &options, NULL));
    check_same(first, options.output);
}

/* Side chains are searched with the molecules, on a device as on the host. */
static void a_search_turns_side_chains(void)
{
    static const char *const flex[] = {"A:ASP381,A:VAL299"};
    char first[800];
    qn_screen_result *searched = NULL;
    const char *const here = device;
    for (int host = 0; host < 2; host++) {
        qn_screen_options options = options_for(host ? "sides on the host" : "sides");
        options.walkers = 4;
        options.effort = 0.02;
        options.keep = 1;
        options.flex = flex;
        options.flex_count = 1;
        CHECK_OK(qn_screen_run(context, &options, host ? NULL : &searched));
        if (host) check_same(first, options.output);
        snprintf(first, sizeof first, "%s", options.output);
        device = "host";
    }
    device = here;
    if (CHECK(searched && searched->molecule_count == MOLECULES - 1)) {
        CHECK(searched->best_energy < -3);
        for (size_t i = 0; i < searched->pose_count; i++)
            CHECK_NEAR(searched->poses[i].energy,
                       searched->poses[i].terms[0] + searched->poses[i].terms[1] + searched->poses[i].terms[2] +
                           searched->poses[i].terms[3],
                       1e-9);
    }
    qn_screen_result_destroy(&searched);
}

/* 1,4-difluorobenzene, which eight mappings leave as it is, lies in a small box in many ways that are the same. */
static void poses_differ_by_symmetry(void)
{
    qn_text text = {0};
    qn_screen_options options = options_for("symmetric");
    CHECK_OK(qn_text_append(&text, "difluorobenzene\n\n\n  8  8  0  0  0  0  0  0  0  0999 V2000\n"));
    for (int i = 0; i < 8; i++) {
        const double angle = (i < 6 ? i : 3 * (i - 6)) * 3.14159265358979323846 / 3, radius = i < 6 ? 1.39 : 2.74;
        CHECK_OK(qn_text_append(&text, "%10.4f%10.4f%10.4f %s  0  0  0  0  0  0  0  0  0  0  0  0\n",
                                radius * cos(angle), radius * sin(angle), 0.0001 * i, i < 6 ? "C " : "F "));
    }
    for (int i = 0; i < 8; i++)
        CHECK_OK(qn_text_append(&text, "%3d%3d%3d  0\n", i < 6 ? i + 1 : 3 * (i - 6) + 1,
                                i < 6 ? (i + 1) % 6 + 1 : i + 1, i < 6 && i % 2 == 0 ? 2 : 1));
    CHECK_OK(qn_text_append(&text, "M  END\n$$$$\n"));
    const qn_screen_content library = {.name = "l.sdf", .bytes = text.data, .size = text.length};
    options.libraries = NULL;
    options.library_count = 0;
    options.library_contents = &library;
    options.library_content_count = 1;
    options.walkers = 24;
    options.effort = 0.01;
    options.keep = 8;
    CHECK_OK(qn_screen_run(context, &options, NULL));
    check_diversity(options.output);
    qn_text_clear(&text);
}

/* Poses that are ranked by exact energies are seldom worse than those that are ranked on maps. */
static void exact_energies_choose_poses(void)
{
    qn_screen_result *results[2] = {NULL, NULL};
    for (int exact = 0; exact < 2; exact++) {
        qn_screen_options options = options_for(exact ? "by exact energies" : "by maps");
        options.walkers = 8;
        options.effort = 0.02;
        options.receptor_energy = exact ? QN_SCREEN_RECEPTOR_EXACT : QN_SCREEN_RECEPTOR_MAPS;
        options.output = NULL;
        CHECK_OK(qn_screen_run(context, &options, &results[exact]));
    }
    if (CHECK(results[0] && results[1] && results[0]->molecule_count == results[1]->molecule_count)) {
        size_t no_worse = 0;
        for (size_t i = 0; i < results[0]->molecule_count; i++)
            no_worse += results[1]->molecules[i].energy <= results[0]->molecules[i].energy + 0.05;
        CHECK(no_worse + 2 >= results[0]->molecule_count);
    }
    for (int exact = 0; exact < 2; exact++) qn_screen_result_destroy(&results[exact]);
}

/* A pose whose coordinates do not fit into a PDBQT is in all other files. */
static void a_molecule_far_away_is_scored(void)
{
    char path[800];
    qn_text text = {0};
    qn_screen_options options = flexible_options("far");
    qn_screen_result *result = NULL;
    for (int i = 0; i < 2; i++) {
        CHECK_OK(qn_text_append(&text, "ethane %d\n\n\n  2  1  0  0  0  0  0  0  0  0999 V2000\n", i));
        for (int a = 0; a < 2; a++)
            CHECK_OK(qn_text_append(&text, "%10.4f%10.4f%10.4f C   0  0  0  0  0  0  0  0  0  0  0  0\n",
                                    99000.0 * i + 1.5 * a, 0.0, 0.1 * a));
        CHECK_OK(qn_text_append(&text, "  1  2  1  0\nM  END\n$$$$\n"));
    }
    const qn_screen_content library = {.name = "far.sdf", .bytes = text.data, .size = text.length};
    options.libraries = NULL;
    options.library_count = 0;
    options.library_contents = &library;
    options.library_content_count = 1;
    CHECK_OK(qn_screen_run(context, &options, &result));
    CHECK(result && result->molecule_count == 2);
    for (int pdbqt = 0; pdbqt < 2; pdbqt++) {
        qn_compound **hits = NULL;
        size_t count = 0;
        snprintf(path, sizeof path, "%s/hits.%s", options.output, pdbqt ? "pdbqt" : "sdf");
        CHECK_OK(qn_compound_read_file(path, &hits, &count));
        CHECK(count == (pdbqt ? 1 : 2));
        for (size_t i = 0; i < count; i++) qn_compound_destroy(&hits[i]);
        qn_release(&hits);
    }
    qn_screen_result_destroy(&result);
    qn_text_clear(&text);
}

static void a_resumed_run_gives_the_same(void)
{
    char first[800];
    qn_screen_options options = flexible_options("one");
    snprintf(first, sizeof first, "%s", options.output);
    CHECK_OK(qn_screen_run(context, &options, NULL));
    options = flexible_options("again");
    CHECK_OK(qn_screen_run(context, &options, NULL));
    options.run.resume = true;
    options.top = 5;
    CHECK_OK(qn_screen_run(context, &options, NULL));
    options.top = 100;
    CHECK_OK(qn_screen_run(context, &options, NULL));
    check_same(first, options.output);
    options.local_only = true;
    options.score_only = false;
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_ALREADY_EXISTS);
}

/*      columns 1 …                                                     55    61        71     78 */
#define ATOM(number, name, place, type) \
    "ATOM  " number " " name " LIG     1    " place "  1.00  0.00     0.000 " type "\n"

/* Two pieces beside one donor of a receptor: with the stated type OA the oxygen accepts a hydrogen bond of length 2.9,
 * d = 2.9 − 1.7 − 1.8 = −0.6; with the type "O " it does not. */
static double stated_energy(const char *type)
{
    static const char receptor_text[] =
        ATOM("    1", " N  ", "   0.000   0.000   0.000", "N ") ATOM("    2", " H  ", "   1.000   0.000   0.000", "HD");
    char path[800], text[1000];
    qn_screen_options options = flexible_options(type[1] == 'A' ? "accepts" : "plain");
    const qn_screen_content library = {.name = "l.pdbqt", .bytes = text};
    qn_screen_content sized = library;
    qn_screen_result *result = NULL;
    snprintf(path, sizeof path, "%s/stated.pdbqt", check_scratch_folder());
    CHECK_OK(qn_file_write(path, receptor_text, strlen(receptor_text)));
    snprintf(
        text, sizeof text,
        "ROOT\nATOM      1  O   LIG     1       2.900   0.000   0.000  1.00  0.00     0.000 %s\nATOM      2  C   LIG "
        "    1       4.300   0.000   0.000  1.00  0.00     0.000 C \nENDROOT\nBRANCH   2   3\nATOM      3  C   LIG  "
        "   1       5.000   1.300   0.000  1.00  0.00     0.000 C \nATOM      4  C   LIG     1       6.500   1.300   "
        "0.000  1.00  0.00     0.000 C \nENDBRANCH   2   3\nTORSDOF 1\n",
        type);
    sized.size = strlen(text);
    options.receptor = path;
    options.libraries = NULL;
    options.library_count = 0;
    options.library_contents = &sized;
    options.library_content_count = 1;
    options.types = QN_SCREEN_TYPES_FILE;
    options.output = NULL;
    if (!CHECK_OK(qn_screen_run(context, &options, &result))) return NAN;
    const double inter = result->molecules[0].terms[0];
    CHECK_NEAR(result->molecules[0].energy, inter / 1.05846, 1e-9);
    qn_screen_result_destroy(&result);
    return inter;
}

/* The difference is the term of the hydrogen bond, −0.587439 · 0.6 / 0.7, as Vina's bins of 1/32 Å² round it. */
static void stated_types_come_from_the_file(void)
{
    CHECK_NEAR(stated_energy("OA") - stated_energy("O "), -0.587439 * 0.6 / 0.7, 0.003);
}

/* ---- Troubles ---- */

/* Append a molecule: a zigzag of carbons, a piece for every `of_piece` of them. */
static void add_chain(const char *name, int atoms, int of_piece, qn_text *text)
{
    CHECK_OK(qn_text_append(text, "REMARK  Name = %s\nROOT\n", name));
    for (int i = 0; i < atoms; i++) {
        if (i > 0 && i % of_piece == 0)
            CHECK_OK(qn_text_append(text, "%sBRANCH %3d %3d\n", i == of_piece ? "ENDROOT\n" : "", i, i + 1));
        CHECK_OK(qn_text_append(text, "ATOM  %5d  C   LIG     1    %8.3f%8.3f   0.000  1.00  0.00     0.000 C \n",
                                i + 1, 1.25 * i - 100, i % 2 ? 0.8 : 0));
    }
    if (atoms <= of_piece) CHECK_OK(qn_text_append(text, "ENDROOT\n"));
    for (int i = atoms - 1; i > 0; i--)
        if (i % of_piece == 0) CHECK_OK(qn_text_append(text, "ENDBRANCH %3d %3d\n", i, i + 1));
    CHECK_OK(qn_text_append(text, "TORSDOF %d\n", (atoms - 1) / of_piece));
}

/* Append a molecule of two atoms. */
static void add_pair(const char *name, const char *second, qn_text *text)
{
    CHECK_OK(qn_text_append(text, "REMARK  Name = %s\nROOT\n%s%sENDROOT\nTORSDOF 0\n", name,
                            ATOM("    1", " C  ", "   2.900   0.000   0.000", "C "), second));
}

/* Each molecule that cannot be used is rejected with a sentence; two molecules of one name are two molecules. */
static void troubles_are_told(void)
{
    static const char *const reasons[] = {
        "apart: no bonds join atom 2 to atom 1; expected one molecule",
        "twisted: more than 48 torsions",
        "large: 257 heavy atoms; expected at most 256",
        "glued: glue atoms (types G, CG) hold an opened ring together; expected a closed ring, which stays rigid",
        "t.pdbqt:487: atom 2 has type \"Qx\"; expected one of AutoDock's (columns 78-80)",
        "t.pdbqt:493: y coordinate \"     nan\" is not a number",
    };
    char path[800];
    qn_text text = {0};
    qn_screen_options options = flexible_options("troubled");
    qn_screen_result *result = NULL;
    snprintf(path, sizeof path, "%s/stated.pdbqt", check_scratch_folder());
    add_pair("apart", ATOM("    2", " C  ", "   6.900   0.000   0.000", "C "), &text);
    add_chain("twisted", 2 * 52, 2, &text);
    add_chain("large", 257, 300, &text);
    add_pair("glued", ATOM("    2", " G  ", "   4.400   0.000   0.000", "G0"), &text);
    add_pair("unknown", ATOM("    2", " C  ", "   4.400   0.000   0.000", "Qx"), &text);
    add_pair("nowhere", ATOM("    2", " C  ", "   4.400     nan   0.000", "C "), &text);
    add_pair("twin", ATOM("    2", " C  ", "   4.400   0.000   0.000", "C "), &text);
    add_pair("twin", ATOM("    2", " O  ", "   4.200   0.000   0.000", "OA"), &text);
    const qn_screen_content library = {.name = "t.pdbqt", .bytes = text.data, .size = text.length};
    options.receptor = path;
    options.libraries = NULL;
    options.library_count = 0;
    options.library_contents = &library;
    options.library_content_count = 1;
    options.types = QN_SCREEN_TYPES_FILE;
    options.output = NULL;
    if (CHECK_OK(qn_screen_run(context, &options, &result))) {
        if (CHECK(result->rejection_count == 6))
            for (int i = 0; i < 6; i++) CHECK_TEXT(result->rejections[i].reason, reasons[i]);
        if (CHECK(result->molecule_count == 2)) {
            CHECK_TEXT(result->molecules[0].name, "twin");
            CHECK_TEXT(result->molecules[1].name, "twin");
            CHECK(result->molecules[0].index == 6 && result->molecules[1].index == 7);
        }
    }
    qn_screen_result_destroy(&result);
    qn_text_clear(&text);
}

static void wrong_options_are_refused(void)
{
    qn_screen_options options = flexible_options("refused");
    options.score_only = false;
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    options = flexible_options("refused");
    options.types = QN_SCREEN_TYPES_FILE;
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_BAD_FORMAT); /* the receptor is a PDB file */
    options = flexible_options("refused");
    options.conformers = 3;
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--conformers is of rigid molecules, but bonds turn; expected --rigid too, or no --conformers");
    options = flexible_options("refused");
    options.score = QN_SCREEN_BUDE;
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--score bude is of rigid molecules, but bonds turn; expected --rigid too, or no --score bude");
    options = flexible_options("refused");
    options.rigid = true;
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--score-only is of molecules whose bonds turn, but --rigid is given");
    options.score_only = false;
    options.flex = (const char *const[]){"A:ASP381,A:VAL299"};
    options.flex_count = 1;
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--flex is of molecules whose bonds turn, but --rigid is given");
    options.rigid = false;
    options.score_only = true;
    options.flex = (const char *const[]){"A:TRP381"};
    CHECK_FAILS(qn_screen_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--flex has \"A:TRP381\", but residue 381 of chain A of pocket.pdb is ASP");
}

int main(int argc, char **argv)
{
    device = argc > 1 ? argv[1] : "host";
    qn_device *opened;
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context)))
        return check_finish();
    if (qn_device_open(context, device, &opened) != QN_OK) check_skip(device, qn_error_message());
    qn_device_release(&opened);
    write_receptor();
    write_library();
    RUN(poses_have_the_energies_that_they_state);
    RUN(poses_far_away_are_told);
    RUN(a_side_chain_turns);
    RUN(a_search_finds_poses);
    RUN_LONG(a_search_turns_side_chains);
    RUN(poses_differ_by_symmetry);
    RUN(exact_energies_choose_poses);
    RUN(a_molecule_far_away_is_scored);
    RUN(a_resumed_run_gives_the_same);
    RUN(stated_types_come_from_the_file);
    RUN(troubles_are_told);
    RUN(wrong_options_are_refused);
    qn_context_destroy(&context);
    return check_finish();
}
