/* Contacts of hand-made pockets, flat drawings of known molecules, and their SVG. */
#include "screen/scene/contacts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "html_page.h"
#include "score/vina.h"
#include "score/vina_rows.h"
#include "screen/scene/diagram.h"
#include "screen/scene/layout.h"

/* ---- a pocket of five residues, one heavy atom each, but two in the second ---- */

enum { ATOMS = 6, RESIDUES = 5 };

static double pocket_places[3 * ATOMS];
static int pocket_types[ATOMS], pocket_residues[ATOMS] = {0, 1, 1, 2, 3, 4};
static qn_atom pocket_atoms[ATOMS];
static qn_residue residues[RESIDUES];
static qn_molecule molecule = {
    .atom_count = ATOMS, .residue_count = RESIDUES, .atoms = pocket_atoms, .residues = residues};

static qn_score_receptor pocket(qn_ligand_score_kind kind)
{
    return (qn_score_receptor){.score = {.kind = kind},
                               .molecule = &molecule,
                               .atom_count = ATOMS,
                               .positions_angstrom = pocket_places,
                               .types = pocket_types,
                               .residues = pocket_residues};
}

static void put(int atom, const char *name, const char *element, int row, double x, double y, double z)
{
    const double place[3] = {x, y, z};
    qn_residue *residue = &residues[pocket_residues[atom]];
    pocket_atoms[atom] = (qn_atom){.residue = pocket_residues[atom]};
    strcpy(pocket_atoms[atom].name, name);
    strcpy(pocket_atoms[atom].element, element);
    memcpy(pocket_atoms[atom].position_angstrom, place, sizeof place);
    memcpy(pocket_places + 3 * atom, place, sizeof place);
    pocket_types[atom] = row;
    if (residue->atom_count == 0) residue->first_atom = (size_t)atom;
    residue->atom_count++;
}

static void name_residues(void)
{
    static const char *const names[RESIDUES] = {"SER", "LEU", "<Q>", "ALA", "FAR"};
    memset(residues, 0, sizeof residues);
    for (int i = 0; i < RESIDUES; i++) {
        strcpy(residues[i].name, names[i]);
        strcpy(residues[i].chain, "B");
        residues[i].number = 10 * i - 10;
    }
}

/* Formaldehyde and a carbon chain: O=C, and 6 Å apart C–C. Hydrogens are left to the types. */
static qn_compound *make_ligand(void)
{
    static const double places[4][3] = {{0, 0, 0}, {1.2, 0, 0}, {8, 0, 0}, {9.5, 0, 0}};
    qn_compound *compound;
    if (!CHECK_OK(qn_compound_create("ligand", 4, 2, 1, &compound))) exit(1);
    for (int i = 0; i < 4; i++) strcpy(compound->atoms[i].element, i == 0 ? "O" : "C");
    memcpy(compound->positions_angstrom, places, sizeof places);
    compound->bonds[0] = (qn_compound_bond){0, 1, QN_BOND_DOUBLE};
    compound->bonds[1] = (qn_compound_bond){2, 3, QN_BOND_SINGLE};
    return compound;
}

/* Radii of Vina: C 1.9, O 1.7, N 1.8 Å. The first residue's nitrogen is 3.4 Å from the oxygen, 0.1 Å below the sum of
 * radii. The second has a carbon 4.2 Å from the last carbon, and a nearer nitrogen, which is only near. The third has a
 * donor 3.6 Å from the oxygen, beyond the radii; it is near. The fourth has a carbon 4.4 Å from the third: 0.6 Å beyond
 * the radii. The last is far. */
static void fill_pocket(void)
{
    name_residues();
    put(0, "N", "N", N_D, -3.4, 0, 0);
    put(1, "ND", "N", N_P, 9.5, 3.9, 0);
    put(2, "CB", "C", C_H, 9.5, 0, 4.2);
    put(3, "OG", "O", O_DA, 0, -3.6, 0);
    put(4, "CB", "C", C_H, 8, 4.4, -0.01);
    put(5, "CB", "C", C_H, 40, 0, 0);
}

static void kinds_are_those_of_the_terms(void)
{
    qn_compound *ligand = make_ligand();
    qn_contact *contacts;
    size_t count;
    fill_pocket();
    qn_score_receptor receptor = pocket(QN_SCORE_VINA);
    CHECK_OK(qn_contacts_find(&receptor, ligand, &contacts, &count));
    if (CHECK(count == 3)) {
        CHECK(contacts[0].kind == QN_CONTACT_HYDROGEN_BOND && contacts[0].residue == 0 && contacts[0].atom == 0);
        CHECK_NEAR(contacts[0].distance_angstrom, 3.4, 1e-12);
        CHECK(contacts[1].kind == QN_CONTACT_HYDROPHOBIC && contacts[1].residue == 1 && contacts[1].partner == 2);
        CHECK(contacts[1].atom == 3);
        CHECK(contacts[2].kind == QN_CONTACT_NEAR && contacts[2].residue == 2);
    }
    qn_release(&contacts);
    /* with BUDE's score elements and distances count: O and N at 3.4 Å, C and C at 4.2 Å; O and O at 3.6 Å are near */
    receptor = pocket(QN_SCORE_BUDE);
    CHECK_OK(qn_contacts_find(&receptor, ligand, &contacts, &count));
    if (CHECK(count == 3)) {
        CHECK(contacts[0].kind == QN_CONTACT_POLAR && contacts[0].residue == 0);
        CHECK(contacts[1].kind == QN_CONTACT_HYDROPHOBIC && contacts[1].residue == 1);
        CHECK(contacts[2].kind == QN_CONTACT_NEAR && contacts[2].residue == 2);
    }
    qn_release(&contacts);
    qn_compound_destroy(&ligand);
}

/* A metal 2.1 Å from the oxygen is a contact with a metal, and ranks before the hydrogen bond. */
static void metals_come_first(void)
{
    qn_compound *ligand = make_ligand();
    qn_contact *contacts;
    size_t count;
    fill_pocket();
    put(5, "ZN", "ZN", METAL, 0, 0, 2.1);
    const qn_score_receptor receptor = pocket(QN_SCORE_VINA);
    CHECK_OK(qn_contacts_find(&receptor, ligand, &contacts, &count));
    CHECK(count == 4 && contacts[0].kind == QN_CONTACT_METAL && contacts[0].residue == 4);
    CHECK(contacts[1].kind == QN_CONTACT_HYDROGEN_BOND);
    qn_release(&contacts);
    qn_compound_destroy(&ligand);
}

/* ---- layouts ---- */

static double apart(const qn_layout *layout, size_t a, size_t b)
{
    return hypot(layout->places[a][0] - layout->places[b][0], layout->places[a][1] - layout->places[b][1]);
}

/* A ring of six that is bent in space, with a tail of four carbons and a hydrogen that is not drawn. */
static qn_compound *make_ring(void)
{
    enum { RING = 6, TAIL = 4 };
    qn_compound *compound;
    if (!CHECK_OK(qn_compound_create("ring", RING + TAIL + 1, RING + TAIL + 1, 1, &compound))) exit(1);
    for (int i = 0; i < RING + TAIL + 1; i++) {
        double *at = compound->positions_angstrom + 3 * (size_t)i;
        const double angle = i * 1.0471975511965976;
        strcpy(compound->atoms[i].element, i < RING + TAIL ? "C" : "H");
        at[0] = i < RING ? 1.4 * cos(angle) : 1.4 + 1.2 * (i - RING + 1);
        at[1] = i < RING ? 1.4 * sin(angle) : 0.8 * (i % 2);
        at[2] = i < RING ? 0.5 * (i % 2) : 0.4 * i;
        compound->bonds[i] = i < RING          ? (qn_compound_bond){i, (i + 1) % RING, QN_BOND_AROMATIC}
                             : i < RING + TAIL ? (qn_compound_bond){i == RING ? 0 : i - 1, i, QN_BOND_SINGLE}
                                               : (qn_compound_bond){i - 1, i, QN_BOND_SINGLE};
    }
    return compound;
}

/* 0.12 of a bond: the stress of pairs across the molecule bends its ideal shape by up to that. */
static void layouts_have_the_shape_of_drawings(void)
{
    qn_compound *ring = make_ring();
    qn_layout layout;
    double sum[2] = {0};
    CHECK_OK(qn_layout_create(ring, &layout));
    if (!CHECK(layout.count == 10)) return;
    for (size_t i = 0; i < 10; i++) CHECK(layout.atoms[i] == i);
    for (size_t i = 0; i < 6; i++) {
        CHECK_NEAR(apart(&layout, i, (i + 1) % 6), 1, 0.12);
        CHECK_NEAR(apart(&layout, i, (i + 2) % 6), sqrt(3), 0.12);
        CHECK_NEAR(apart(&layout, i, (i + 3) % 6), 2, 0.12);
    }
    for (size_t i = 6; i + 1 < 10; i++) CHECK_NEAR(apart(&layout, i, i + 1), 1, 0.12);
    for (size_t i = 0; i < 10; i++)
        for (size_t j = 0; j < i; j++) CHECK(apart(&layout, i, j) > 0.85);
    for (size_t i = 0; i < 10; i++)
        for (int k = 0; k < 2; k++) sum[k] += layout.places[i][k];
    CHECK_NEAR(sum[0], 0, 1e-9);
    CHECK_NEAR(sum[1], 0, 1e-9);
    /* the tail stays on the side of the pose's x axis that it has in space */
    CHECK((layout.places[9][0] - layout.places[3][0]) * layout.axes[0][0] > 4);
    qn_layout_clear(&layout);
    qn_compound_destroy(&ring);
}

/* ---- drawings ---- */

static void drawings_have_residues_lines_and_letters(void)
{
    qn_compound *ligand = make_ligand();
    qn_contact *contacts;
    size_t count;
    qn_text svg = {0};
    static const char head[] = "<!DOCTYPE html>"; /* for the check of tags */
    fill_pocket();
    const qn_score_receptor receptor = pocket(QN_SCORE_VINA);
    CHECK_OK(qn_contacts_find(&receptor, ligand, &contacts, &count));
    CHECK_OK(qn_text_append(&svg, "%s", head));
    CHECK_OK(qn_diagram_svg(&receptor, ligand, contacts, count, &svg));
    CHECK(html_is_balanced(svg.data));
    CHECK(strstr(svg.data, ">B SER -10<") && strstr(svg.data, ">B LEU 0<") && strstr(svg.data, ">B &lt;Q&gt; 10<"));
    CHECK(!strstr(svg.data, "ALA") && !strstr(svg.data, "FAR"));
    CHECK(html_occurrences(svg.data, "stroke-dasharray=\"6 4\"") == 1);   /* the hydrogen bond */
    CHECK(html_occurrences(svg.data, "stroke-dasharray=\"1.5 4\"") == 1); /* the hydrophobic contact */
    CHECK(strstr(svg.data, ">3.4</text>") != NULL);
    CHECK(html_occurrences(svg.data, ">O</text>") == 1 && !strstr(svg.data, ">C</text>"));
    CHECK(html_occurrences(svg.data, "<path d=\"M") == 5); /* two lines of the double bond, a bond, two contacts */
    qn_text_clear(&svg);
    CHECK_OK(qn_text_append(&svg, "%s", head));
    CHECK_OK(qn_diagram_molecule_svg(ligand, &svg));
    CHECK(html_is_balanced(svg.data) && html_occurrences(svg.data, "<path d=\"M") == 3 && !strstr(svg.data, "SER"));
    qn_text_clear(&svg);
    qn_release(&contacts);
    qn_compound_destroy(&ligand);
}

int main(void)
{
    RUN(kinds_are_those_of_the_terms);
    RUN(metals_come_first);
    RUN(layouts_have_the_shape_of_drawings);
    RUN(drawings_have_residues_lines_and_letters);
    return check_finish();
}
