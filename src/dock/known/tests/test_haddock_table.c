/* HADDOCK's tables: which atoms their selections name, what they ask for, and the refusal of wrong ones. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "dock/known/restraints.h"

static qn_molecule *receptor, *ligand;
static char path[4096];

static void add(qn_molecule *molecule, const char *chain, int number, char insertion, double x)
{
    qn_residue residue = {.number = number, .insertion = insertion, .name = "ALA"};
    strcpy(residue.chain, chain);
    CHECK_OK(qn_molecule_append_residue(molecule, &residue));
    CHECK_OK(qn_molecule_append_atom(molecule, &(qn_atom){{x, 0, 0}, .name = "CA", .element = "C"}));
    CHECK_OK(qn_molecule_append_atom(molecule, &(qn_atom){{x, 1, 0}, .name = "CB", .element = "C"}));
    CHECK_OK(qn_molecule_append_atom(molecule, &(qn_atom){{x, 2, 0}, .name = "HA", .element = "H"}));
}

/* Receptor A 30, 31, 52, 52A and S -3; ligand B 5, 6, 7 and S 9. */
static void build(void)
{
    CHECK_OK(qn_molecule_create("receptor.pdb", &receptor));
    add(receptor, "A", 30, '\0', 30);
    add(receptor, "A", 31, '\0', 31);
    add(receptor, "A", 52, '\0', 52);
    add(receptor, "A", 52, 'A', 52.5);
    add(receptor, "S", -3, '\0', -3);
    CHECK_OK(qn_molecule_create("ligand.pdb", &ligand));
    add(ligand, "B", 5, '\0', 5);
    add(ligand, "B", 6, '\0', 6);
    add(ligand, "B", 7, '\0', 7);
    add(ligand, "S", 9, '\0', 9);
}

static qn_status read_text(const char *text, qn_dock_restraints *restraints)
{
    CHECK_OK(qn_file_write(path, text, strlen(text)));
    return qn_dock_restraints_read(path, receptor, ligand, restraints);
}

/* Describe the atoms of a side of a restraint by their x, which is the residue's number, and y, 0 for CA. */
static void describe(const qn_dock_ambiguous *of, size_t index, int side, char text[200])
{
    const qn_dock_ambiguous_restraint *one = &of->list[index];
    text[0] = '\0';
    for (size_t r = 0; r < one->count[side]; r++) {
        const qn_dock_residue_atoms *residue = &of->sides[side].residues[one->first[side] + r];
        for (size_t i = 0; i < residue->count; i++) {
            const double *point = of->sides[side].points_angstrom + 3 * (residue->first + i);
            snprintf(text + strlen(text), 200 - strlen(text), "%g%s ", point[0], point[1] == 0 ? "" : "b");
        }
    }
}

static void selections_name_atoms(void)
{
    static const struct {
        const char *selection, *atoms;
        int side;
    } cases[] = {
        {"(resid 30 and segid A)", "30 30b ", 0},
        {"(RESI 52 AND SEGI A)", "52 52b ", 0},
        {"(resid 52A)", "52.5 52.5b ", 0},
        {"(resid 31:52 and segid \"A\" and name ca)", "31 52 52.5 ", 0},
        {"(resid -3)", "-3 -3b ", 0},
        {"((resid 5 and segid B) or (resid 7 and chain B))", "5 5b 7 7b ", 1},
        {"(segid B and not resid 6)", "5 5b 7 7b ", 1},
        {"( segid B and ( resid 5 or resid 6 ) and name CB )", "5b 6b ", 1},
        {"(resid 5 or resid 6 and name CA)", "5 5b 6 ", 1}, /* and binds before or */
        {"(not not (resid 9))", "9 9b ", 1},
        {"(segid S and resid 9)", "9 9b ", 1}, /* a chain of both partners with a residue of one */
        {"(segid B and resn ala and name CA or resid 99)", "5 6 7 ", 1},
        {"(segid B and (name HA or name CB))", "5b 6b 7b ", 1}, /* hydrogens do not count */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400], atoms[200];
        qn_dock_restraints restraints;
        const char *other = cases[i].side ? "(segid A)" : "(segid B)";
        for (int swapped = 0; swapped < 2; swapped++) {
            snprintf(text, sizeof text, "! a comment {\nassign %s\n %s 2.0 2.0 0.5\n",
                     swapped ? other : cases[i].selection, swapped ? cases[i].selection : other);
            if (!CHECK_OK(read_text(text, &restraints))) continue;
            CHECK(restraints.count == 0 && restraints.ambiguous.count == 1);
            CHECK(restraints.ambiguous.list[0].maximum_angstrom == 2.5);
            describe(&restraints.ambiguous, 0, cases[i].side, atoms);
            CHECK_TEXT(atoms, cases[i].atoms);
            qn_dock_restraints_clear(&restraints);
        }
    }
}

static void statements_follow_each_other(void)
{
    static const char text[] = "{ braces\n over lines } assi (resid 30 and segid A)(resid 5 and segid B)25 0 0\n"
                               "assign(resid 31)((resid 5)or(resid 6)) 2.0 2.0 0.0 ! the last\n"
                               "ASSIGN (segid B and resid 7) (segid A) 6 1 0";
    qn_dock_restraints restraints;
    CHECK_OK(read_text(text, &restraints));
    if (CHECK(restraints.ambiguous.count == 3)) {
        const qn_dock_ambiguous_restraint *list = restraints.ambiguous.list;
        CHECK(list[0].maximum_angstrom == 25 && list[1].maximum_angstrom == 2 && list[2].maximum_angstrom == 6);
        CHECK(list[0].single && !list[1].single && !list[2].single);
        CHECK(list[2].count[0] == 4 && list[2].count[1] == 1);
    }
    /* Only residue 31 attracts: 25 and 6 Å are no contact. */
    for (size_t r = 0; r < receptor->residue_count; r++)
        CHECK(restraints.attracting[0][r] == (receptor->residues[r].number == 31));
    for (size_t r = 0; r < ligand->residue_count; r++) CHECK(!restraints.attracting[1][r]);
    /* Without a number, the restraint between two residues must be satisfied, and no other; with one, any. */
    CHECK_OK(qn_dock_restraints_require(0, path, &restraints));
    CHECK(restraints.required == 1 && qn_dock_restraints_total(&restraints) == 1);
    CHECK_OK(qn_dock_restraints_require(-50, path, &restraints));
    CHECK(restraints.required == 2 && qn_dock_restraints_total(&restraints) == 3);
    qn_dock_restraints_clear(&restraints);
}

#define A "(resid 30 and segid A)"
#define B "(resid 5 and segid B)"
static const struct {
    const char *text;
    qn_status status;
    const char *sentence;
} wrong[] = {
    {"assign resid 30 " B " 2 2 0", QN_BAD_FORMAT,
     "2: \"resid\"; expected a selection in parentheses, such as (resid 30 and segid A)"},
    {"assign " A, QN_BAD_FORMAT,
     "3: the file ends; expected a selection in parentheses, such as (resid 30 and segid A)"},
    {"assign " A " " B "\n2.0 far 0", QN_BAD_FORMAT,
     "3: \"far\"; expected the part below the distance (dminus) in Å, a number from 0 to 1000"},
    {"assign " A " " B " 2.0 2.0", QN_BAD_FORMAT,
     "3: the file ends; expected the part above the distance (dplus) in Å, a number from 0 to 1000"},
    {"assign " A " " B " -2 0 0", QN_BAD_FORMAT, "2: \"-2\"; expected the distance in Å, a number from 0 to 1000"},
    {"assign " A " " B " nan 0 0", QN_BAD_FORMAT, "2: \"nan\"; expected the distance in Å, a number from 0 to 1000"},
    {"assign " A " " B " 0x2 0 0", QN_BAD_FORMAT, "2: \"0x2\"; expected the distance in Å, a number from 0 to 1000"},
    {"assign " A " " B " 0 0 0", QN_BAD_FORMAT,
     "2: the upper bound, distance + dplus, is 0 Å; expected more than 0 and at most 1000 Å"},
    {"assign " A " " B " 900 0 200", QN_BAD_FORMAT,
     "2: the upper bound, distance + dplus, is 1100 Å; expected more than 0 and at most 1000 Å"},
    {"assign " A " " B " 2 2 0 or (resid 31) " B, QN_BAD_FORMAT, "2: \"or\"; expected an assign statement"},
    {"assign (resid 30 or) " B " 2 2 0", QN_BAD_FORMAT,
     "2: \")\"; expected resid, segid, chain, resn, name, not or a parenthesis"},
    {"assign (resid 30 segid A) " B " 2 2 0", QN_BAD_FORMAT, "2: \"segid\"; expected and, or or a closing parenthesis"},
    {"assign (atom 30) " B " 2 2 0", QN_BAD_FORMAT,
     "2: \"atom\"; expected resid, segid, chain, resn, name, not or a parenthesis"},
    {"assign (resid x) " B " 2 2 0", QN_BAD_FORMAT,
     "2: \"x\"; expected a residue after resid, such as 30, 52A or 30:40"},
    {"assign (resid 40:30) " B " 2 2 0", QN_BAD_FORMAT,
     "2: \"40:30\"; expected a residue after resid, such as 30, 52A or 30:40"},
    {"assign (segid ) " B " 2 2 0", QN_BAD_FORMAT, "2: \")\"; expected the name of a chain"},
    {"assign (resid 99 and segid A) " B " 2 2 0", QN_NOT_FOUND,
     "2: the first selection names no heavy atom; expected residues of the receptor's chains (A, S) or of the "
     "ligand's (B, S)"},
    {"assign " A "\n(segid B and name HA) 2 2 0", QN_NOT_FOUND,
     "3: the second selection names no heavy atom; expected residues of the receptor's chains (A, S) or of the "
     "ligand's (B, S)"},
    {"assign (segid S) " B " 2 2 0", QN_BAD_FORMAT,
     "2: the first selection names atoms of both partners; expected chains whose names differ"},
    {"assign " A " (resid 31) 2 2 0", QN_BAD_FORMAT,
     "2: both selections are of the receptor; expected one of each partner"},
    {"assign " B " (resid 6) 2 2 0", QN_BAD_FORMAT,
     "2: both selections are of the ligand; expected one of each partner"},
};

static void wrong_tables_are_refused_with_their_line(void)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        qn_dock_restraints restraints;
        char text[400], sentence[8192];
        snprintf(text, sizeof text, "assign " A " " B " 2 2 0\n%s\n", wrong[i].text);
        snprintf(sentence, sizeof sentence, "%s:%s", path, wrong[i].sentence);
        CHECK_FAILS(read_text(text, &restraints), wrong[i].status);
        CHECK_TEXT(qn_error_message(), sentence);
        CHECK(!restraints.ambiguous.list && !restraints.attracting[0] && !restraints.attracting[1]);
    }
    char deep[200] = "assign ";
    qn_dock_restraints restraints;
    for (int i = 0; i < 40; i++) strcat(deep, "(");
    CHECK_FAILS(read_text(deep, &restraints), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS(":1: \"(\"; expected at most 32 parentheses inside each other");
}

int main(void)
{
    build();
    snprintf(path, sizeof path, "%s/ambig.tbl", check_scratch_folder());
    RUN(selections_name_atoms);
    RUN(statements_follow_each_other);
    RUN(wrong_tables_are_refused_with_their_line);
    qn_molecule_destroy(&receptor);
    qn_molecule_destroy(&ligand);
    return check_finish();
}
