/* Structures whose atoms are there twice, in a heap, in several locations, or Cα only. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "model/crowding.h"

static char warning[1000];

static void keep_warning(qn_log_level level, const char *message, void *user)
{
    (void)user;
    if (level == QN_LOG_WARNING) snprintf(warning, sizeof warning, "%s", message);
}

static qn_status checked(const qn_molecule *molecule)
{
    static qn_log_target heard = {.callback = keep_warning, .mutex = PTHREAD_MUTEX_INITIALIZER};
    warning[0] = '\0';
    const qn_log_scope outer = qn_log_enter(&heard);
    const qn_status status = qn_molecule_check_crowding(molecule, "made.pdb");
    qn_log_return(outer);
    return status;
}

/* Append `count` residues of N, CA, C and O, 1.5 Å apart along x, with residues 8 Å apart along y. */
static void append_residues(qn_molecule *molecule, int count)
{
    static const char names[4][4] = {"N", "CA", "C", "O"};
    for (int r = 0; r < count; r++) {
        CHECK_OK(qn_molecule_append_residue(molecule, &(qn_residue){.number = r + 1, .name = "GLY", .chain = "A"}));
        for (int i = 0; i < 4; i++) {
            qn_atom atom = {.position_angstrom = {1.5 * i, 8.0 * r, 0}, .occupancy = 1};
            memcpy(atom.name, names[i], sizeof names[i]);
            atom.element[0] = names[i][0];
            CHECK_OK(qn_molecule_append_atom(molecule, &atom));
        }
    }
}

static qn_molecule *made(int count)
{
    qn_molecule *molecule = NULL;
    CHECK_OK(qn_molecule_create("made", &molecule));
    append_residues(molecule, count);
    return molecule;
}

static void each_atom_once_is_in_order(void)
{
    qn_molecule *molecule = made(20);
    qn_atom hydrogen = {.position_angstrom = {4.5, 8.0 * 19, 0.3}, .name = "HO", .element = "H"};
    CHECK_OK(qn_molecule_append_atom(molecule, &hydrogen)); /* hydrogens are not looked at */
    CHECK_OK(checked(molecule));
    CHECK_TEXT(warning, "");
    qn_molecule_destroy(&molecule);
    CHECK_OK(qn_molecule_create("none", &molecule));
    CHECK_OK(checked(molecule));
    qn_molecule_destroy(&molecule);
}

static void a_structure_that_is_there_twice_is_refused(void)
{
    qn_molecule *molecule = made(20);
    append_residues(molecule, 20);
    CHECK_FAILS(checked(molecule), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS(
        "made.pdb: over a tenth of its 160 heavy atoms are less than 0.7 Å from another one, such as N of "
        "GLY A 1 and N of GLY A 1, 0.000 Å apart; expected each atom once, in one place");
    qn_molecule_destroy(&molecule);
}

static void a_heap_is_refused(void)
{
    qn_molecule *molecule = made(200);
    for (size_t i = 0; i < molecule->atom_count; i++) /* a cube of 10 × 10 × 8 atoms, 0.6 Å apart */
        for (int axis = 0; axis < 3; axis++)
            molecule->atoms[i].position_angstrom[axis] = 0.6 * (double)(i / (axis == 2 ? 100 : axis ? 10 : 1) % 10);
    CHECK_FAILS(checked(molecule), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("0.600 Å apart");
    qn_molecule_destroy(&molecule);
}

/* Without looking at all pairs of the 100,000 atoms. */
static void many_atoms_in_one_point_are_refused_at_once(void)
{
    qn_molecule *molecule = made(25000);
    for (size_t i = 0; i < molecule->atom_count; i++)
        memset(molecule->atoms[i].position_angstrom, 0, sizeof molecule->atoms[i].position_angstrom);
    CHECK_FAILS(checked(molecule), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("100000 heavy atoms");
    qn_molecule_destroy(&molecule);
}

static void a_few_doubled_atoms_are_a_warning(void)
{
    qn_molecule *molecule = made(20);
    CHECK_OK(qn_molecule_append_atom(molecule, &molecule->atoms[17])); /* CA of residue 5, again in the last one */
    CHECK_OK(checked(molecule));
    CHECK_TEXT(warning, "made.pdb: 2 heavy atoms are less than 0.7 Å from another one, such as CA of GLY A 5 and CA of "
                        "GLY A 20, 0.000 Å apart; all of them are scored");
    qn_molecule_destroy(&molecule);
}

static void alternate_locations_are_refused(void)
{
    qn_molecule *molecule = made(2);
    qn_atom side = {.position_angstrom = {1.5, 9.5, 0}, .name = "CB", .element = "C", .alternate = 'A'};
    CHECK_OK(qn_molecule_append_atom(molecule, &side));
    CHECK_OK(checked(molecule)); /* one location with a letter is the one that was chosen */
    side.alternate = 'B';
    side.position_angstrom[1] = 7;
    CHECK_OK(qn_molecule_append_atom(molecule, &side));
    CHECK_FAILS(checked(molecule), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS(
        "made.pdb: CB of GLY A 2 has the alternate locations A and B; expected one location of each atom");
    qn_molecule_destroy(&molecule);
}

static void c_alphas_alone_are_a_warning(void)
{
    qn_molecule *molecule = NULL;
    CHECK_OK(qn_molecule_create("trace", &molecule));
    for (int i = 0; i < 5; i++) {
        const qn_residue residue = {.number = i, .name = "GLY", .chain = "A"};
        const qn_atom atom = {.position_angstrom = {3.8 * i, 0, 0}, .name = "CA", .element = "C"};
        CHECK_OK(qn_molecule_append_residue(molecule, &residue));
        CHECK_OK(qn_molecule_append_atom(molecule, &atom));
    }
    CHECK_OK(checked(molecule));
    CHECK_TEXT(warning,
               "made.pdb: has Cα atoms only; scores are made for all heavy atoms, so the energies mean little");
    const qn_atom more = {.position_angstrom = {0, 1.5, 0}, .name = "CB", .element = "C"};
    CHECK_OK(qn_molecule_append_atom(molecule, &more));
    CHECK_OK(checked(molecule));
    CHECK_TEXT(warning, "");
    qn_molecule_destroy(&molecule);
}

int main(void)
{
    RUN(each_atom_once_is_in_order);
    RUN(a_structure_that_is_there_twice_is_refused);
    RUN(a_heap_is_refused);
    RUN(many_atoms_in_one_point_are_refused_at_once);
    RUN(a_few_doubled_atoms_are_a_warning);
    RUN(alternate_locations_are_refused);
    RUN(c_alphas_alone_are_a_warning);
    return check_finish();
}
