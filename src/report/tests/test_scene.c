/* Views of molecules: the page has every place to half a step, the poses, links, and refuses counts that disagree. */
#include "report/scene.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "check.h"
#include "html_page.h"

enum { ATOMS = 5 };

static const double places[3 * ATOMS] = {-400, 2, 3, 250.004, -7.25, 0, 1, 1, 1, 0.0049, -99.9951, 12.3456, 4, 5, 6};
static const qn_scene_residue residues[] = {{"A <1>", 3, 1}, {"A GLY 2", 2, SIZE_MAX}};

static qn_scene_body body_of(const double *coordinates)
{
    return (qn_scene_body){.name = "receptor",
                           .places = coordinates,
                           .elements = "CNOSX",
                           .atom_count = ATOMS,
                           .residues = residues,
                           .residue_count = 2};
}

static qn_status page_of(const qn_scene *scene, qn_text *page)
{
    qn_report *report = NULL;
    CHECK_OK(qn_report_create("view", &report));
    qn_status status = qn_report_scene(report, scene);
    if (status == QN_OK) status = qn_report_page(report, page);
    qn_report_destroy(&report);
    return status;
}

static void places_are_kept_to_half_a_step(void)
{
    const qn_scene_body bodies[2] = {body_of(places), body_of(places)};
    const qn_scene_model model = {"Model 1", NULL, "a&b.pdb", 1, {0, -1, 0, 1, 0, 0, 0, 0, 1}, {1.5, -2.25, 1000}};
    const qn_scene scene = {"The models", "A caption with <signs>.", bodies, 2, &model, 1, false};
    qn_text page = {0};
    CHECK_OK(page_of(&scene, &page));
    if (!CHECK(page.data != NULL)) return;
    CHECK(html_is_balanced(page.data) && html_occurrences(page.data, "class=\"body\"") == 2);
    const char *tag = strstr(page.data, "<div class=\"body\"");
    if (!CHECK(tag != NULL)) return;
    const double step = html_attribute(tag, "data-step");
    double origin[3];
    CHECK(sscanf(html_value(tag, "data-origin"), "%lf %lf %lf", &origin[0], &origin[1], &origin[2]) == 3);
    CHECK(step > 325.002 / 32767 - 1e-9 && step < 0.01); /* half of the longest side, in 15 bits */
    for (size_t i = 0; i < 3 * ATOMS; i++) {
        const double read = origin[i % 3] + step * html_integer(html_value(tag, "data-places"), i);
        CHECK(fabs(read - places[i]) <= 0.5 * step + 1e-5); /* 1e-5: the decimals of origin and step */
    }
    const char *table = html_value(tag, "data-residues");
    CHECK(html_integer(table, 0) == 3 && html_integer(table, 1) == 1 && html_integer(table, 2) == 2);
    CHECK(html_integer(table, 3) == -1);
    CHECK(strncmp(html_value(tag, "data-labels"), "A &lt;1&gt;|A GLY 2\"", 20) == 0);
    CHECK(strncmp(html_value(tag, "data-elements"), "CNOSX\"", 6) == 0);
    CHECK(strstr(page.data, "data-pose=\"0 -1 0 1 0 0 0 0 1 1.5000 -2.2500 1000.0000\"") != NULL);
    CHECK(strstr(page.data, "<a href=\"a&amp;b.pdb\">a&amp;b.pdb</a>") != NULL);
    CHECK(html_occurrences(page.data, "webgl2") == 1 && !strstr(page.data, "#line"));
    CHECK(!strstr(page.data, "src=\"http") && !strstr(page.data, "import("));
    qn_text_clear(&page);
}

static void pages_without_a_view_have_no_script_of_it(void)
{
    const qn_scene_body bodies[2] = {body_of(places), body_of(places)};
    const qn_scene scene = {"The models", "None.", bodies, 2, NULL, 0, false};
    qn_text page = {0};
    CHECK_OK(page_of(&scene, &page));
    CHECK(page.data && !strstr(page.data, "webgl2") && !strstr(page.data, "<figure"));
    qn_text_clear(&page);
}

/* Two bodies of the most atoms with residues of 8 atoms, as in proteins. */
static void the_largest_view_is_below_two_mebibytes(void)
{
    void *memory;
    enum { PER_RESIDUE = 8, RESIDUES = QN_SCENE_ATOMS / PER_RESIDUE };
    CHECK_OK(qn_allocate(3 * QN_SCENE_ATOMS, sizeof(double), &memory));
    double *many = memory;
    for (int i = 0; i < 3 * QN_SCENE_ATOMS; i++) many[i] = 0.37 * (i % 1733);
    CHECK_OK(qn_allocate(QN_SCENE_ATOMS, 1, &memory));
    char *elements = memory;
    memset(elements, 'C', QN_SCENE_ATOMS);
    CHECK_OK(qn_allocate(RESIDUES, sizeof(qn_scene_residue), &memory));
    qn_scene_residue *all = memory;
    for (int i = 0; i < RESIDUES; i++) all[i] = (qn_scene_residue){"AA ARG 10000", PER_RESIDUE, 1};
    qn_scene_body body = {"receptor", many, elements, QN_SCENE_ATOMS, all, RESIDUES, false};
    const qn_scene_body bodies[2] = {body, body};
    const qn_scene_model model = {"Model 1", NULL, NULL, 1, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0}};
    const qn_scene scene = {"The models", "Large.", bodies, 2, &model, 1, false};
    qn_text page = {0};
    CHECK_OK(page_of(&scene, &page));
    CHECK(page.length > 1000000 && page.length < 1572864); /* 1.5 MiB: the rest of a report has 0.5 MiB */
    qn_text_clear(&page);
    qn_release(&all);
    qn_release(&elements);
    qn_release(&many);
}

static void counts_that_disagree_are_refused(void)
{
    qn_scene_body bodies[2] = {body_of(places), body_of(places)};
    qn_scene_model model = {"Model 7", NULL, NULL, 2, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0}};
    const qn_scene scene = {"The models", "", bodies, 2, &model, 1, false};
    qn_text page = {0};
    CHECK_FAILS(page_of(&scene, &page), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("Model 7");
    model.body = 1;
    bodies[1].atom_count = ATOMS - 1;
    CHECK_FAILS(page_of(&scene, &page), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("4 atoms and 5 in its residues");
    bodies[1].atom_count = QN_SCENE_ATOMS + 1;
    CHECK_FAILS(page_of(&scene, &page), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("60001");
    qn_text_clear(&page);
}

/* Atoms go to the residue begun last; the first traced atom of a residue is its trace. */
static void a_body_is_filled_residue_by_residue(void)
{
    qn_scene_filled filled;
    CHECK_OK(qn_scene_filled_create("ligand", 3, ATOMS, &filled));
    qn_scene_filled_residue(&filled, "A", "ARG", 42, 'B');
    qn_scene_filled_atom(&filled, places, "N", false);
    qn_scene_filled_atom(&filled, places + 3, "C", true);
    qn_scene_filled_atom(&filled, places + 6, "C", true);
    qn_scene_filled_residue(&filled, "L", "HOH", -1, '\0');
    qn_scene_filled_atom(&filled, places + 9, "O", false);
    qn_scene_filled_residue(&filled, "", "", 1, '\0');
    qn_scene_filled_atom(&filled, places + 12, "Zn", true);
    CHECK(filled.body.atom_count == ATOMS && filled.body.residue_count == 3 && !filled.body.coarse);
    CHECK(memcmp(filled.body.places, places, sizeof places) == 0);
    CHECK(memcmp(filled.body.elements, "NCCOX", ATOMS) == 0);
    CHECK_TEXT(filled.body.residues[0].label, "A ARG 42B");
    CHECK_TEXT(filled.body.residues[1].label, "L HOH -1");
    const qn_scene_residue *of = filled.body.residues;
    CHECK(of[0].atom_count == 3 && of[1].atom_count == 1 && of[2].atom_count == 1);
    CHECK(of[0].trace == 1 && of[1].trace == SIZE_MAX && of[2].trace == 0);
    qn_scene_filled_clear(&filled);
}

int main(void)
{
    RUN(places_are_kept_to_half_a_step);
    RUN(pages_without_a_view_have_no_script_of_it);
    RUN(the_largest_view_is_below_two_mebibytes);
    RUN(counts_that_disagree_are_refused);
    RUN(a_body_is_filled_residue_by_residue);
    return check_finish();
}
