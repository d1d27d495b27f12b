#include "check.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "dock/known/restraints.h"

static qn_molecule *receptor, *ligand;
static char path[4096];

static void add(qn_molecule *molecule, const char *chain, int number, const char *name)
{
    qn_residue residue = {.number = number};
    strcpy(residue.chain, chain);
    strcpy(residue.name, name);
    CHECK_OK(qn_molecule_append_residue(molecule, &residue));
}

static void add_atom(qn_molecule *molecule, const char *name, const char *element, double x, double y, double z)
{
    qn_atom atom = {.position_angstrom = {x, y, z}};
    strcpy(atom.name, name);
    strcpy(atom.element, element);
    CHECK_OK(qn_molecule_append_atom(molecule, &atom));
}

static void build(void)
{
    CHECK_OK(qn_molecule_create("receptor.pdb", &receptor));
    add(receptor, "A", 30, "GLY");
    add_atom(receptor, "N", "N", 9, 9, 9);
    add_atom(receptor, "CA", "C", 1, 2, 3);
    add(receptor, "A", 31, "DA"); /* a nucleotide with phosphate, */
    add_atom(receptor, "OP1", "O", 9, 9, 9);
    add_atom(receptor, "P", "P", 4, 5, 6);
    add_atom(receptor, "C1'", "C", 9, 9, 9);
    add(receptor, "A", 32, "DG"); /* a nucleotide without phosphate, */
    add_atom(receptor, "O5'", "O", 9, 9, 9);
    add_atom(receptor, "C1'", "C", 7, 8, 9);
    add(receptor, "A", 33, "CA"); /* and an ion called CA */
    add_atom(receptor, "CA", "CA", 0, 0, 1);
    add(receptor, "A", 34, "LIG");
    add_atom(receptor, "H1", "H", 9, 9, 9);
    add_atom(receptor, "O1", "O", 0, 1, 0);
    add(receptor, "A", 35, "HYD");
    add_atom(receptor, "H1", "H", 9, 9, 9);
    CHECK_OK(qn_molecule_create("ligand.pdb", &ligand));
    add(ligand, "B", 101, "ALA");
    add_atom(ligand, "CA", "C", 10, 0, 0);
    add(ligand, "B", 102, "ALA");
    add_atom(ligand, "CA", "C", 0, 10, 0);
}

static qn_status read_text(const char *text, qn_dock_restraints *restraints)
{
    CHECK_OK(qn_file_write(path, text, strlen(text)));
    return qn_dock_restraints_read(path, receptor, ligand, restraints);
}

static void files_are_read(void)
{
    qn_dock_restraints restraints;
    CHECK_OK(read_text("# cross-links\n\nreceptor:A:30 ligand:B:101 25.0 # the first\r\n"
                       " \t ligand:B:102\treceptor:A:31   1e1\nreceptor:A:30 ligand:B:101 1000",
                       &restraints));
    if (CHECK(restraints.count == 3)) {
        static const double first[3] = {1, 2, 3}, second[3] = {4, 5, 6}, of_ligand[3] = {0, 10, 0};
        CHECK(memcmp(restraints.pairs[0].receptor_angstrom, first, sizeof first) == 0);
        CHECK(memcmp(restraints.pairs[1].receptor_angstrom, second, sizeof second) == 0);
        CHECK(memcmp(restraints.pairs[1].ligand_angstrom, of_ligand, sizeof of_ligand) == 0);
        CHECK(restraints.pairs[0].maximum_angstrom == 25 && restraints.pairs[1].maximum_angstrom == 10);
        CHECK(restraints.pairs[2].maximum_angstrom == 1000);
    }
    qn_dock_restraints_clear(&restraints);
    CHECK(restraints.count == 0 && restraints.pairs == NULL);
}

static void measured_atom_depends_on_the_residue(void)
{
    static const double expected[5][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {0, 0, 1}, {0, 1, 0}};
    for (int i = 0; i < 5; i++) {
        qn_dock_restraints restraints;
        char text[80];
        snprintf(text, sizeof text, "receptor:A:%d ligand:B:101 5\n", 30 + i);
        CHECK_OK(read_text(text, &restraints));
        CHECK(memcmp(restraints.pairs[0].receptor_angstrom, expected[i], sizeof expected[i]) == 0);
        qn_dock_restraints_clear(&restraints);
    }
}

static void satisfied_restraints_are_counted(void)
{
    /* Ligand atoms at (10, 0, 0) and (0, 10, 0); receptor atoms at (1, 2, 3) and (4, 5, 6). A quarter turn about z
     * takes x to y and y to −x. */
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, quarter[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    static const double none[3] = {0, 0, 0}, shift[3] = {1, -6, 3};
    qn_dock_restraints restraints;
    CHECK_OK(read_text("receptor:A:30 ligand:B:101 4\nreceptor:A:31 ligand:B:102 8.8\n", &restraints));
    /* |(9, −2, −3)| = 9.70; |(−4, 5, −6)| = 8.775 */
    CHECK(qn_dock_restraints_satisfied(&restraints, identity, none) == 1);
    /* (0, 10, 0) + shift = (1, 4, 3), 2 Å off; (−10, 0, 0) + shift = (−9, −6, 3), 17.3 Å off */
    CHECK(qn_dock_restraints_satisfied(&restraints, quarter, shift) == 1);
    restraints.pairs[0].maximum_angstrom = 2; /* a distance equal to the maximum is within it */
    CHECK(qn_dock_restraints_satisfied(&restraints, quarter, shift) == 1);
    restraints.pairs[0].maximum_angstrom = 1.999;
    CHECK(qn_dock_restraints_satisfied(&restraints, quarter, shift) == 0);
    restraints.pairs[0].maximum_angstrom = restraints.pairs[1].maximum_angstrom = 1000;
    CHECK(qn_dock_restraints_satisfied(&restraints, identity, none) == 2);
    qn_dock_restraints_clear(&restraints);
}

static void bad_lines_are_refused_with_their_number(void)
{
#define GOOD "receptor:A:30 ligand:B:101 25.0\n"
#define EXAMPLE "; expected 3: two residues and a distance in Å, such as receptor:A:30 ligand:B:101 25.0"
    static const struct {
        const char *line;
        qn_status status;
        const char *sentence;
    } bad[] = {
        {"receptor:A:30 ligand:B:101", QN_BAD_FORMAT, "2 fields, the first \"receptor:A:30\"" EXAMPLE},
        {"receptor:A:30", QN_BAD_FORMAT, "1 field, the first \"receptor:A:30\"" EXAMPLE},
        {"receptor:A:30 ligand:B:101 25 A", QN_BAD_FORMAT, "4 fields, the first \"receptor:A:30\"" EXAMPLE},
        {"receptor:A:30 ligand:B:101 far", QN_BAD_FORMAT,
         "the distance \"far\" is not a number; expected Å, such as 25.0"},
        {"receptor:A:30 ligand:B:101 25A", QN_BAD_FORMAT,
         "the distance \"25A\" is not a number; expected Å, such as 25.0"},
        {"receptor:A:30 ligand:B:101 nan", QN_BAD_FORMAT,
         "the distance \"nan\" is not a number; expected Å, such as 25.0"},
        {"receptor:A:30 ligand:B:101 0x10", QN_BAD_FORMAT,
         "the distance \"0x10\" is not a number; expected Å, such as 25.0"},
        {"receptor:A:30 ligand:B:101 e", QN_BAD_FORMAT, "the distance \"e\" is not a number; expected Å, such as 25.0"},
        {"receptor:A:30 ligand:B:101 0", QN_BAD_FORMAT,
         "the distance 0 is out of range; expected more than 0 and at most 1000 Å"},
        {"receptor:A:30 ligand:B:101 -5", QN_BAD_FORMAT,
         "the distance -5 is out of range; expected more than 0 and at most 1000 Å"},
        {"receptor:A:30 ligand:B:101 1000.1", QN_BAD_FORMAT,
         "the distance 1000.1 is out of range; expected more than 0 and at most 1000 Å"},
        {"receptor:A:30 ligand:B:101 1e999", QN_BAD_FORMAT,
         "the distance 1e999 is out of range; expected more than 0 and at most 1000 Å"},
        {"receptor:A:30 receptor:A:31 25", QN_BAD_FORMAT,
         "both \"receptor:A:30\" and \"receptor:A:31\" are of the receptor; expected one residue of each partner"},
        {"ligand:B:101 ligand:B:102 25", QN_BAD_FORMAT,
         "both \"ligand:B:101\" and \"ligand:B:102\" are of the ligand; expected one residue of each partner"},
        {"receptor:A:40 ligand:B:101 25", QN_NOT_FOUND,
         "selection \"receptor:A:40\": chain A of the receptor has no residue 40; the nearest there are 30-35"},
        {"receptor:A:30 ligand:C:101 25", QN_NOT_FOUND,
         "selection \"ligand:C:101\": the ligand has no chain \"C\"; expected one of its chains: B"},
        {"receptor:A:30-31 ligand:B:101 25", QN_INVALID_ARGUMENT,
         "selection \"receptor:A:30-31\": it names 2 residues; expected a single one"},
        {"receptor:A:30 ligand:B 25", QN_INVALID_ARGUMENT,
         "selection \"ligand:B\": it names 2 residues; expected a single one"},
        {"receptor:A:35 ligand:B:101 25", QN_BAD_FORMAT,
         "the residue \"receptor:A:35\" has no heavy atom; expected one to measure from"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        qn_dock_restraints restraints;
        char text[200], sentence[8192];
        snprintf(text, sizeof text, "# links\n" GOOD "%s\n" GOOD, bad[i].line);
        snprintf(sentence, sizeof sentence, "%s:3: %s", path, bad[i].sentence);
        CHECK_FAILS(read_text(text, &restraints), bad[i].status);
        CHECK_TEXT(qn_error_message(), sentence);
        CHECK(restraints.count == 0 && restraints.pairs == NULL);
    }
}

static void files_without_restraints_are_refused(void)
{
    qn_dock_restraints restraints;
    char sentence[8192];
    snprintf(sentence, sizeof sentence,
             "%s: there is no restraint in it; expected lines such as receptor:A:30 ligand:B:101 25.0", path);
    CHECK_FAILS(read_text("", &restraints), QN_BAD_FORMAT);
    CHECK_TEXT(qn_error_message(), sentence);
    CHECK_FAILS(read_text("# nothing\n\n   \n", &restraints), QN_BAD_FORMAT);
    CHECK_TEXT(qn_error_message(), sentence);
    CHECK_OK(qn_file_write(path, GOOD "\0\n", sizeof(GOOD "\0\n") - 1));
    CHECK_FAILS(qn_dock_restraints_read(path, receptor, ligand, &restraints), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("it holds a zero byte; expected a text file of restraints");
    CHECK_FAILS(qn_dock_restraints_read("/nowhere/at/all", receptor, ligand, &restraints), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("/nowhere/at/all");
}

int main(void)
{
    build();
    snprintf(path, sizeof path, "%s/links.txt", check_scratch_folder());
    RUN(files_are_read);
    RUN(measured_atom_depends_on_the_residue);
    RUN(satisfied_restraints_are_counted);
    RUN(bad_lines_are_refused_with_their_number);
    RUN(files_without_restraints_are_refused);
    qn_molecule_destroy(&receptor);
    qn_molecule_destroy(&ligand);
    return check_finish();
}
