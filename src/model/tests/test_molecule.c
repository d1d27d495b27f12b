#include "check.h"

#include <math.h>
#include <quern/molecule.h>
#include <stdio.h>
#include <string.h>

/* Two residues, three atoms. */
static qn_molecule *small_molecule(void)
{
    qn_molecule *molecule = NULL;
    CHECK_OK(qn_molecule_create("small", &molecule));
    CHECK_OK(qn_molecule_append_residue(molecule, &(qn_residue){.number = 7, .name = "ALA", .chain = "A"}));
    CHECK_OK(
        qn_molecule_append_atom(molecule, &(qn_atom){.position_angstrom = {1, 2, 3}, .name = "N", .element = "N"}));
    CHECK_OK(
        qn_molecule_append_atom(molecule, &(qn_atom){.position_angstrom = {4, 5, 6}, .name = "CA", .element = "C"}));
    CHECK_OK(qn_molecule_append_residue(molecule, &(qn_residue){.number = 8, .name = "GLY", .chain = "A"}));
    CHECK_OK(
        qn_molecule_append_atom(molecule, &(qn_atom){.position_angstrom = {7, 8, 9}, .name = "N", .element = "N"}));
    return molecule;
}

static void atoms_belong_to_the_residue_before_them(void)
{
    qn_molecule *molecule = small_molecule();
    CHECK(molecule->residue_count == 2 && molecule->atom_count == 3);
    CHECK(molecule->residues[0].first_atom == 0 && molecule->residues[0].atom_count == 2);
    CHECK(molecule->residues[1].first_atom == 2 && molecule->residues[1].atom_count == 1);
    CHECK(molecule->atoms[1].residue == 0 && molecule->atoms[2].residue == 1);
    CHECK_TEXT(molecule->name, "small");
    qn_molecule_destroy(&molecule);
    CHECK(molecule == NULL);
    qn_molecule_destroy(&molecule);
}

static void an_atom_needs_a_residue(void)
{
    qn_molecule *molecule;
    CHECK_OK(qn_molecule_create("bare", &molecule));
    CHECK_FAILS(qn_molecule_append_atom(molecule, &(qn_atom){.name = "N"}), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("bare: an atom was appended before any residue");
    qn_molecule_destroy(&molecule);
}

/* The record handed in may be one of the molecule's own, in an array that has to move. */
static void own_atoms_and_residues_can_be_appended(void)
{
    qn_molecule *molecule = small_molecule();
    for (int i = 0; i < 2000; i++) {
        CHECK_OK(qn_molecule_append_residue(molecule, &molecule->residues[0]));
        CHECK_OK(qn_molecule_append_atom(molecule, &molecule->atoms[1]));
    }
    CHECK(molecule->atom_count == 2003);
    for (size_t i = 3; i < molecule->atom_count; i++)
        CHECK(molecule->atoms[i].position_angstrom[2] == 6 &&
              molecule->residues[molecule->atoms[i].residue].number == 7);
    qn_molecule_destroy(&molecule);
}

static void a_copy_is_equal_and_its_own(void)
{
    qn_molecule *molecule = small_molecule(), *copy;
    molecule->dropped_waters = 3;
    molecule->residues[1].chain_break = true;
    CHECK_OK(qn_molecule_copy(molecule, &copy));
    CHECK(copy->atom_count == 3 && copy->residue_count == 2 && copy->dropped_waters == 3);
    CHECK(memcmp(copy->atoms, molecule->atoms, 3 * sizeof(qn_atom)) == 0);
    CHECK(copy->residues[1].chain_break && copy->residues[1].first_atom == 2);
    CHECK_TEXT(copy->name, "small");
    copy->atoms[0].position_angstrom[0] = 99;
    CHECK(molecule->atoms[0].position_angstrom[0] == 1);
    qn_molecule_destroy(&molecule);
    qn_molecule_destroy(&copy);
}

/* A quarter turn about z takes x to y and y to −x; then the shift. */
static void transform_rotates_then_shifts(void)
{
    static const double quarter_turn[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1}, shift[3] = {10, 20, 30};
    qn_molecule *molecule = small_molecule();
    qn_molecule_transform(molecule, quarter_turn, shift);
    CHECK_NEAR(molecule->atoms[1].position_angstrom[0], 5, 1e-12);
    CHECK_NEAR(molecule->atoms[1].position_angstrom[1], 24, 1e-12);
    CHECK_NEAR(molecule->atoms[1].position_angstrom[2], 36, 1e-12);
    qn_molecule_destroy(&molecule);
}

static void pdb_columns_have_limits(void)
{
    qn_molecule *molecule = small_molecule();
    qn_residue *residue = &molecule->residues[1];
    double *x = &molecule->atoms[2].position_angstrom[0];
    CHECK(qn_molecule_fits_pdb(molecule));
    residue->number = 9999;
    CHECK(qn_molecule_fits_pdb(molecule));
    residue->number = 10000;
    CHECK(!qn_molecule_fits_pdb(molecule));
    residue->number = -999;
    CHECK(qn_molecule_fits_pdb(molecule));
    residue->number = -1000;
    CHECK(!qn_molecule_fits_pdb(molecule));
    residue->number = 1;
    strcpy(residue->chain, "AB");
    CHECK(!qn_molecule_fits_pdb(molecule));
    strcpy(residue->chain, "A");
    strcpy(residue->name, "TIP3");
    CHECK(!qn_molecule_fits_pdb(molecule));
    strcpy(residue->name, "TIP");
    strcpy(molecule->atoms[2].name, "HO5'1");
    CHECK(!qn_molecule_fits_pdb(molecule));
    strcpy(molecule->atoms[2].name, "HO5'");
    static const double good[] = {-999.999, 9999.999}, bad[] = {-1000, 10000, NAN, INFINITY};
    for (int i = 0; i < 2; i++) *x = good[i], CHECK(qn_molecule_fits_pdb(molecule));
    for (int i = 0; i < 4; i++) *x = bad[i], CHECK(!qn_molecule_fits_pdb(molecule));
    qn_molecule_destroy(&molecule);
}

static void pdb_serial_numbers_have_five_digits(void)
{
    qn_molecule *molecule = small_molecule();
    while (molecule->atom_count < 99999) CHECK_OK(qn_molecule_append_atom(molecule, &molecule->atoms[0]));
    CHECK(qn_molecule_fits_pdb(molecule));
    CHECK_OK(qn_molecule_append_atom(molecule, &molecule->atoms[0]));
    CHECK(!qn_molecule_fits_pdb(molecule));
    qn_molecule_destroy(&molecule);
}

int main(void)
{
    RUN(atoms_belong_to_the_residue_before_them);
    RUN(an_atom_needs_a_residue);
    RUN(own_atoms_and_residues_can_be_appended);
    RUN(a_copy_is_equal_and_its_own);
    RUN(transform_rotates_then_shifts);
    RUN(pdb_columns_have_limits);
    RUN(pdb_serial_numbers_have_five_digits);
    return check_finish();
}
