#include "check.h"

#include <string.h>

#include "model/compound.h"

static void a_new_compound_has_zeroed_atoms_and_bonds(void)
{
    qn_compound *c;
    if (!CHECK_OK(qn_compound_create("water", 3, 2, 1, &c))) return;
    CHECK_TEXT(c->name, "water");
    CHECK(c->atom_count == 3 && c->bond_count == 2 && c->conformer_count == 1 && c->property_count == 0);
    CHECK(c->atoms[2].hydrogens == -1 && c->atoms[2].charge_e == 0 && c->atoms[2].name[0] == '\0');
    CHECK(c->positions_angstrom[8] == 0 && !c->flat);
    qn_compound_destroy(&c);
    CHECK(c == NULL);
    qn_compound_destroy(&c);
    CHECK_FAILS(qn_compound_create("big", (size_t)1 << 40, 0, 1, &c), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("big: 1099511627776 atoms");
}

static void properties_are_found_by_name(void)
{
    qn_compound *c;
    char name[16] = "ID";
    if (!CHECK_OK(qn_compound_create("", 1, 0, 1, &c))) return;
    CHECK_OK(qn_compound_add_property(c, name, "7"));
    strcpy(name, "note"); /* the compound keeps copies */
    CHECK_OK(qn_compound_add_property(c, name, "two\nlines"));
    for (int i = 0; i < 40; i++) CHECK_OK(qn_compound_add_property(c, "more", "x"));
    CHECK_TEXT(qn_compound_property_value(c, "ID"), "7");
    CHECK_TEXT(qn_compound_property_value(c, "note"), "two\nlines");
    CHECK(qn_compound_property_value(c, "id") == NULL && c->property_count == 42);
    qn_compound_destroy(&c);
}

static void conformers_are_kept_when_their_number_changes(void)
{
    qn_compound *c;
    if (!CHECK_OK(qn_compound_create("", 2, 0, 1, &c))) return;
    for (int i = 0; i < 6; i++) qn_compound_positions(c, 0)[i] = 1 + i;
    CHECK_OK(qn_compound_set_conformer_count(c, 3));
    CHECK(qn_compound_positions(c, 0)[5] == 6 && qn_compound_positions(c, 1)[0] == 0);
    qn_compound_positions(c, 2)[5] = 9;
    CHECK_OK(qn_compound_set_conformer_count(c, 2));
    CHECK_OK(qn_compound_set_conformer_count(c, 3)); /* the memory is reused, and cleared */
    CHECK(qn_compound_positions(c, 2)[5] == 0 && qn_compound_positions(c, 0)[5] == 6 && c->conformer_count == 3);
    CHECK(qn_compound_positions(c, 1) == c->positions_angstrom + 6);
    qn_compound_destroy(&c);
}

static void neighbours_come_with_their_bonds(void)
{
    static const qn_compound_bond bonds[] = {{1, 0, QN_BOND_SINGLE}, {1, 2, QN_BOND_DOUBLE}, {4, 1, QN_BOND_SINGLE}};
    qn_compound *c;
    qn_compound_neighbours n;
    if (!CHECK_OK(qn_compound_create("", 5, 3, 1, &c))) return;
    memcpy(c->bonds, bonds, sizeof bonds);
    if (CHECK_OK(qn_compound_find_neighbours(c, &n))) {
        CHECK(n.start[0] == 0 && n.start[1] == 1 && n.start[2] == 4 && n.start[3] == 5 && n.start[4] == 5 &&
              n.start[5] == 6);
        CHECK(n.neighbour[0] == 1 && n.neighbour[1] == 0 && n.neighbour[2] == 2 && n.neighbour[3] == 4);
        CHECK(n.bond[0] == 0 && n.bond[1] == 0 && n.bond[2] == 1 && n.bond[3] == 2 && n.bond[5] == 2);
        qn_compound_neighbours_clear(&n);
    }
    qn_compound_destroy(&c);
}

static void isotopes_of_hydrogen_are_hydrogens(void)
{
    CHECK(qn_compound_atom_is_hydrogen(&(qn_compound_atom){.element = "H"}));
    CHECK(qn_compound_atom_is_hydrogen(&(qn_compound_atom){.element = "D"}));
    CHECK(!qn_compound_atom_is_hydrogen(&(qn_compound_atom){.element = "HG"}));
    CHECK(!qn_compound_atom_is_hydrogen(&(qn_compound_atom){.element = "C"}));
}

int main(void)
{
    RUN(a_new_compound_has_zeroed_atoms_and_bonds);
    RUN(properties_are_found_by_name);
    RUN(conformers_are_kept_when_their_number_changes);
    RUN(neighbours_come_with_their_bonds);
    RUN(isotopes_of_hydrogen_are_hydrogens);
    return check_finish();
}
