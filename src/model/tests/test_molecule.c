#include "check.h"

#include <math.h>
#include <quern/molecule.h>
#include <stdio.h>
#include <string.h>

#include "model/molecule_input.h"

/* Make a molecule of two residues and three atoms. */
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

/* The appended atom or residue may lie in the molecule's own array, which has to move. */
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

static void a_copy_is_equal_and_independent(void)
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

/* A quarter turn about z takes x to y and y to −x; the shift follows. */
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

/* ---- molecules that a caller passes ---- */

static void a_valid_molecule_is_accepted(void)
{
    qn_molecule *molecule = small_molecule();
    CHECK_OK(qn_molecule_check(molecule, "receptor"));
    qn_molecule_destroy(&molecule);
}

static void is_refused(const qn_molecule *molecule, const char *message)
{
    CHECK_FAILS(qn_molecule_check(molecule, "receptor"), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS(message);
}

static void an_invalid_molecule_is_refused(void)
{
    qn_molecule *molecule = small_molecule(), none = {.name = "none"};
    is_refused(&none, "receptor: none: has no atoms; expected at least one");
    molecule->atoms[1].position_angstrom[2] = (double)NAN;
    is_refused(molecule, "receptor: small: coordinate z of atom 1 is nan; expected a number from -100000 to 100000");
    molecule->atoms[1].position_angstrom[2] = 1e10;
    is_refused(molecule, "coordinate z of atom 1 is 1e+10; expected a number from -100000 to 100000");
    molecule->atoms[1].position_angstrom[2] = 6;
    molecule->atoms[1].b_factor_angstrom2 = NAN;
    is_refused(molecule, "the B factor of atom 1 is nan; expected a number from -1000000 to 1000000");
    molecule->atoms[1].b_factor_angstrom2 = 20;
    const qn_atom sound = molecule->atoms[1];
    memset(molecule->atoms[1].name, 'Q', sizeof molecule->atoms[1].name);
    is_refused(molecule, "a name of atom 1 is empty, not printable or has no end");
    molecule->atoms[1] = sound;
    molecule->atoms[1].name[0] = '\0';
    is_refused(molecule, "a name of atom 1 is empty, not printable or has no end");
    molecule->atoms[1] = sound;
    molecule->atoms[1].element[0] = '\n';
    is_refused(molecule, "a name of atom 1 is empty, not printable or has no end");
    molecule->atoms[1] = sound;
    const qn_residue residue = molecule->residues[1];
    memset(molecule->residues[1].chain, 'Q', sizeof molecule->residues[1].chain);
    is_refused(molecule, "a name of residue 1 is not printable or has no end");
    molecule->residues[1] = residue;
    qn_atom *atoms = molecule->atoms;
    molecule->atoms = NULL;
    is_refused(molecule, "the array of its atoms is NULL; expected 3");
    molecule->atoms = atoms;
    molecule->atoms[2].residue = 0;
    is_refused(molecule, "atom 2 names residue 0; expected 1");
    molecule->atoms[2].residue = 1;
    molecule->residues[1].first_atom = 1;
    is_refused(molecule, "residue 1 has 1 atoms from atom 1; expected its first atom to be 2");
    molecule->residues[1].first_atom = 2;
    molecule->residues[1].atom_count = 2;
    is_refused(molecule, "residue 1 has 2 atoms from atom 2");
    molecule->residues[1].atom_count = 0;
    is_refused(molecule, "atom 2 lies in no residue");
    molecule->residues[1].atom_count = 1;
    qn_molecule_destroy(&molecule);
}

static void digest_of(const qn_molecule *molecule, char digest[65])
{
    uint64_t bytes;
    qn_molecule_digest(molecule, &bytes, digest);
    CHECK(bytes > 0);
}

static void a_digest_depends_on_the_content_and_not_on_the_name(void)
{
    char first[65], second[65];
    qn_molecule *molecule = small_molecule(), *copy;
    CHECK_OK(qn_molecule_copy(molecule, &copy));
    copy->name[0] = 'S';
    digest_of(molecule, first);
    digest_of(copy, second);
    CHECK_TEXT(second, first);
    copy->atoms[2].position_angstrom[0] = 7.001;
    digest_of(copy, second);
    CHECK(strcmp(first, second) != 0);
    copy->atoms[2].position_angstrom[0] = 7;
    copy->residues[0].chain[0] = 'B';
    digest_of(copy, second);
    CHECK(strcmp(first, second) != 0);
    copy->residues[0].chain[0] = 'A';
    copy->atoms[0].name[0] = 'O';
    digest_of(copy, second);
    CHECK(strcmp(first, second) != 0);
    qn_molecule_destroy(&molecule);
    qn_molecule_destroy(&copy);
}

int main(void)
{
    RUN(atoms_belong_to_the_residue_before_them);
    RUN(an_atom_needs_a_residue);
    RUN(own_atoms_and_residues_can_be_appended);
    RUN(a_copy_is_equal_and_independent);
    RUN(transform_rotates_then_shifts);
    RUN(pdb_columns_have_limits);
    RUN(pdb_serial_numbers_have_five_digits);
    RUN(a_valid_molecule_is_accepted);
    RUN(an_invalid_molecule_is_refused);
    RUN(a_digest_depends_on_the_content_and_not_on_the_name);
    return check_finish();
}
