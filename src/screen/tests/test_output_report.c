/* report.html of invented screens, with a stand-in for Open Babel. */
#define _POSIX_C_SOURCE 200809L

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/compound/compound_stream.h"
#include "screen/depictions.h"
#include "screen/enrichment.h"
#include "screen/output.h"

enum { ROWS = 40, HITS = 3 };

static qn_context *context;
static char folder[400]; /* of programs: "timeout" and a stand-in for "obabel" */

static void write_program(const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    CHECK_OK(qn_file_write(path, text, strlen(text)));
    CHECK(chmod(path, 0755) == 0);
}

/* Write a drawing with the title of each record of hits.sdf (the input, $1), except for the second record. */
static const char draw[] = "#!/bin/sh\n"
                           "[ \"$2 $3 $4 $5\" = '-osvg -d -m -O' ] || exit 3\n"
                           "n=0; new=1\n"
                           "while IFS= read -r line; do\n"
                           "  if [ $new = 1 ]; then n=$((n+1)); new=0\n"
                           "    if [ $n != 2 ]; then printf '<svg width=\"9\"><title>%s - Drawing</title><svg x=\"0\" "
                           "viewBox=\"0 0 7 5\"><line x1=\"%s\"/></svg></svg>' \"$line\" \"$line\"\n"
                           "    fi >\"${6%.svg}$n.svg\"\n"
                           "  fi\n"
                           "  if [ \"$line\" = '$$$$' ]; then new=1; fi\n"
                           "done <\"$1\"\n";

static qn_compound *make_molecule(const char *name)
{
    qn_compound *compound = NULL;
    if (!CHECK_OK(qn_compound_create(name, 2, 1, 1, &compound))) exit(check_finish());
    strcpy(compound->atoms[0].element, "C");
    strcpy(compound->atoms[1].element, "O");
    compound->bonds[0] = (qn_compound_bond){0, 1, QN_BOND_SINGLE};
    compound->positions_angstrom[3] = 1.4;
    compound->positions_angstrom[5] = 0.1;
    return compound;
}

static void each_drawing_belongs_to_its_molecule(void)
{
    qn_compound *compounds[3];
    char *svg[3];
    const char *why = "";
    for (int i = 0; i < 3; i++) compounds[i] = make_molecule("<title>9");
    write_program("obabel", draw);
    CHECK_OK(qn_screen_depict(compounds, 3, svg, &why));
    CHECK(why == NULL && svg[1] == NULL);
    CHECK_TEXT(svg[0], "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 7 5\"><line x1=\"0\"/></svg>");
    CHECK_TEXT(svg[2], "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 7 5\"><line x1=\"2\"/></svg>");
    for (int i = 0; i < 3; i++) qn_release(&svg[i]);

    write_program("obabel", "#!/bin/sh\nexit 1\n");
    CHECK_OK(qn_screen_depict(compounds, 3, svg, &why));
    CHECK_TEXT(why, "failed");
    CHECK(!svg[0] && !svg[1] && !svg[2]);
    write_program("obabel", "#!/bin/sh\nexit 0\n");
    CHECK_OK(qn_screen_depict(compounds, 3, svg, &why));
    CHECK_TEXT(why, "drew nothing");
    char path[512];
    snprintf(path, sizeof path, "%s/obabel", folder);
    CHECK(remove(path) == 0);
    CHECK_OK(qn_screen_depict(compounds, 3, svg, &why));
    CHECK_TEXT(why, "is not installed");
    for (int i = 0; i < 3; i++) qn_compound_destroy(&compounds[i]);
}

typedef struct made_screen {
    qn_job job;
    qn_screen_state run;
    qn_screen_options options;
    qn_screen_row rows[ROWS];
    qn_screen_rejection rejections[4];
    char names[ROWS][24];
    const char *libraries[1];
} made_screen;

/* Write two poses for each of the best molecules; only the first one is drawn. */
static void write_hits(const made_screen *made)
{
    qn_text text = {0};
    char path[512];
    for (size_t i = 0; i < HITS; i++)
        for (int pose = 1; pose <= 2; pose++) {
            qn_compound *compound = make_molecule(made->names[i]);
            char number[24];
            snprintf(number, sizeof number, "%zu", i + 1);
            CHECK_OK(qn_compound_add_property(compound, "quern_rank", number));
            CHECK_OK(qn_compound_add_property(compound, "quern_pose", pose == 1 ? "1" : "2"));
            CHECK_OK(qn_compound_write_sdf(compound, NULL, &text));
            qn_compound_destroy(&compound);
        }
    snprintf(path, sizeof path, "%s/hits.sdf", made->options.output);
    CHECK_OK(qn_file_write(path, text.data, text.length));
    qn_text_clear(&text);
}

/* Make a screen of forty molecules; the first and the third are active. */
static void make_screen(made_screen *made)
{
    *made = (made_screen){.libraries = {"some/library.sdf"}};
    made->options = qn_screen_default_options();
    made->options.rigid = true;
    made->options.score = QN_SCREEN_BUDE;
    made->options.receptor = "some/receptor.pdb";
    made->options.libraries = made->libraries;
    made->options.library_count = 1;
    made->options.output = check_scratch_folder();
    made->options.top = HITS;
    for (int i = 0; i < ROWS; i++) {
        snprintf(made->names[i], sizeof made->names[i], i == 1 ? "<b>&co" : "molecule %d", i);
        made->rows[i] = (qn_screen_row){.index = (uint64_t)i,
                                        .name = made->names[i],
                                        .energy = -50 + i,
                                        .terms = {3, -20, -33 + i},
                                        .least_distance_angstrom = 2.71,
                                        .clashes = i % 3,
                                        .heavy_atoms = 25,
                                        .conformers = 4,
                                        .conformer = 1,
                                        .active = i == 0 || i == 2};
    }
    made->run = (qn_screen_state){.options = &made->options,
                                  .job = &made->job,
                                  .search = qn_screen_search_default_options(),
                                  .rows = made->rows,
                                  .row_count = ROWS,
                                  .molecules = ROWS,
                                  .conformers = 4 * ROWS};
    made->run.score.kind = QN_SCORE_BUDE;
    made->run.term_count = qn_screen_term_names(QN_SCORE_BUDE, false, &made->run.term_names);
    CHECK_OK(qn_job_open(context, "screen", &made->options.run, &made->job));
    made->job.output = (qn_output){.folder = check_scratch_folder()};
    write_hits(made);
}

/* Write and read the page, which the caller releases, and clear the screen. */
static char *write_and_read(made_screen *made)
{
    char path[512], *page = NULL;
    size_t size;
    CHECK_OK(qn_screen_write_report(&made->run));
    snprintf(path, sizeof path, "%s/report.html", made->options.output);
    if (!CHECK_OK(qn_file_read(path, &page, &size))) exit(check_finish());
    CHECK_OK(qn_job_close(&made->job, QN_OK));
    return page;
}

static size_t occurrences(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text += strlen(part)) count++;
    return count;
}

static void hits_have_pictures_and_numbers(void)
{
    made_screen made;
    write_program("obabel", draw);
    make_screen(&made);
    char *page = write_and_read(&made);
    CHECK(strstr(page, "receptor.pdb screened with library.sdf") != NULL);
    CHECK(occurrences(page, "<img alt=\"Picture of ") == HITS - 1); /* the second was not drawn */
    CHECK(occurrences(page, "data:image/svg+xml;base64,PHN2ZyB4bWxucz0i") == HITS - 1);
    CHECK(strstr(page, "2. &lt;b&gt;&amp;co") && !strstr(page, "<b>&co"));
    CHECK(strstr(page, "−50.0 kJ/mol") != NULL);
    CHECK(strstr(page, ">−50.00<") && strstr(page, ">−2.00<") && strstr(page, ">Conformer<") &&
          strstr(page, ">2 of 4<") && strstr(page, ">2.71<"));
    CHECK(!strstr(page, "molecule 3<")); /* as many as hits */
    CHECK(strstr(page, "Distribution of energies") && !strstr(page, "known actives") && !strstr(page, "Rejected</h2>"));
    qn_release(&page);
}

static void without_open_babel_the_report_says_so(void)
{
    made_screen made;
    char path[512];
    snprintf(path, sizeof path, "%s/obabel", folder);
    remove(path);
    make_screen(&made);
    made.run.conformers = ROWS; /* one conformer for each molecule */
    char *page = write_and_read(&made);
    CHECK(!strstr(page, ">Conformer<") && !strstr(page, ">2 of 4<"));
    CHECK(
        strstr(page, "because Open Babel (<code>obabel</code>), which draws them with more care, is not installed.") !=
        NULL);
    CHECK(occurrences(page, "<img alt=\"Picture of ") == HITS && strstr(page, "class=\"cards\""));
    qn_release(&page);
}

/* Ranks 1 and 3 of 40 are active: 75 of 76 pairs are right; the best 1 % is one place, the best 5 % two. */
static void known_actives_get_an_enrichment(void)
{
    made_screen made;
    char path[512];
    static const char names[] = "molecule 0\nmolecule 2\nelsewhere\n";
    snprintf(path, sizeof path, "%s/actives.txt", check_scratch_folder());
    CHECK_OK(qn_file_write(path, names, sizeof names - 1));
    make_screen(&made);
    made.options.actives = path;
    CHECK_OK(qn_screen_labels_read(path, &made.run.labels));
    char *page = write_and_read(&made);
    CHECK(strstr(page, "names 3 actives, but only 2 of") != NULL);
    CHECK(strstr(page, "2 of 40") != NULL);
    CHECK(strstr(page, "0.987 (0.95 to 1.00)") != NULL);
    CHECK(strstr(page, "20.0 of 20.0") != NULL); /* one place, an active in it, 0.05 expected */
    CHECK(strstr(page, "10.0 of 20.0") != NULL); /* two places, one of two */
    CHECK(strstr(page, "ROC curve") && strstr(page, "known actives"));
    qn_release(&page);
    qn_screen_labels_destroy(&made.run.labels);

    make_screen(&made);
    made.options.actives = path;
    made.run.row_count = 1;
    page = write_and_read(&made);
    CHECK(!strstr(page, "ROC curve")); /* there are no labels */
    qn_release(&page);
    make_screen(&made);
    made.options.actives = path;
    CHECK_OK(qn_screen_labels_read(path, &made.run.labels));
    made.run.row_count = 1;
    page = write_and_read(&made);
    CHECK(strstr(page, "1 of 1 molecule is known to be active: enrichment needs some of both kinds.") != NULL);
    qn_release(&page);
    qn_screen_labels_destroy(&made.run.labels);
}

static void reasons_that_differ_in_quoted_text_are_counted_together(void)
{
    static const qn_screen_rejection rejections[] = {
        {40, "lib.sdf", 0, 12, "one", "lib.sdf:15: x coordinate \"junk\" is not a number"},
        {41, "lib.sdf", 0, 19, "flat", "flat: a flat drawing (all z are 0)"},
        {42, "lib.sdf", 0, 30, "", "lib.sdf:31: x coordinate \"more\" is not a number"},
        {43, "lib.sdf", 0, 44, "three", "lib.sdf:49: x coordinate \"12-\" is not a number"}};
    made_screen made;
    make_screen(&made);
    memcpy(made.rejections, rejections, sizeof rejections);
    made.run.rejections = made.rejections;
    made.run.rejection_count = 4;
    made.run.molecules = ROWS + 4;
    char *page = write_and_read(&made);
    const char *merged = strstr(page, ">x coordinate &quot;…&quot; is not a number<");
    const char *single = strstr(page, ">a flat drawing (all z are 0)<");
    CHECK(strstr(page, "4 of 44 molecules could not be used") != NULL);
    CHECK(merged && single && merged < single);
    CHECK(merged && strncmp(merged - strlen("<td class=\"n\">3</td><td"), "<td class=\"n\">3</td><td", 20) == 0);
    qn_release(&page);
}

static void a_screen_without_scores_says_so(void)
{
    made_screen made;
    make_screen(&made);
    made.run.row_count = 0;
    char *page = write_and_read(&made);
    CHECK(strstr(page, "No molecule could be scored.") && !strstr(page, "<table"));
    qn_release(&page);
}

static void one_of_a_kind_is_in_the_singular(void)
{
    made_screen made;
    make_screen(&made);
    made.options.keep = 1;
    made.run.receptor.atom_count = 1;
    made.run.search.rounds = 1;
    made.run.search.generations = 1;
    char *page = write_and_read(&made);
    CHECK(strstr(page, ", 1 heavy atom<") != NULL);
    CHECK(strstr(page, "up to 1 pose of each") != NULL);
    CHECK(strstr(page, "in up to 1 round of 1 generation of") != NULL);
    CHECK(strstr(page, "1 process with 1 thread, ") != NULL);
    qn_release(&page);
}

int main(void)
{
    snprintf(folder, sizeof folder, "%s/bin", check_scratch_folder());
    CHECK_OK(qn_folder_create(folder));
    CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 1}, &context));
    write_program("timeout", "#!/bin/sh\nPATH=/usr/bin:/bin:$PATH\n[ -x \"${0%/*}/$2\" ] || exit 127\n"
                             "shift\nprogram=$1\nshift\nexec \"${0%/*}/$program\" \"$@\"\n");
    char *path = NULL; /* restored below, because the test harness runs programs */
    CHECK_OK(qn_text_copy(getenv("PATH"), &path));
    CHECK(setenv("PATH", folder, 1) == 0);
    RUN(each_drawing_belongs_to_its_molecule);
    RUN(hits_have_pictures_and_numbers);
    RUN(without_open_babel_the_report_says_so);
    RUN(known_actives_get_an_enrichment);
    RUN(reasons_that_differ_in_quoted_text_are_counted_together);
    RUN(a_screen_without_scores_says_so);
    RUN(one_of_a_kind_is_in_the_singular);
    qn_context_destroy(&context);
    CHECK(setenv("PATH", path, 1) == 0);
    qn_release(&path);
    return check_finish();
}
