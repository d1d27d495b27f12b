#include "check.h"

#include <stdio.h>
#include <string.h>

#include "model/residue_selection.h"

enum { RESIDUES_MAX = 32 };

static qn_molecule *receptor, *ligand;

/* Append residues by their names: "30 31 52 52A -3". */
static void add_residues(qn_molecule *molecule, const char *chain, const char *names)
{
    int used, number;
    for (; sscanf(names, "%d%n", &number, &used) == 1; names += *names == ' ') {
        qn_residue residue = {.number = number, .name = "GLY"};
        qn_atom atom = {.name = "CA", .element = "C"};
        strcpy(residue.chain, chain);
        names += used;
        if (*names && *names != ' ') residue.insertion = *names++;
        CHECK_OK(qn_molecule_append_residue(molecule, &residue));
        CHECK_OK(qn_molecule_append_atom(molecule, &atom));
    }
}

static void build(void)
{
    CHECK_OK(qn_molecule_create("receptor.pdb", &receptor));
    add_residues(receptor, "A", "-3 -2 -1 1 2 30 31 32");
    add_residues(receptor, "H", "51 52 52A 52B 52C 53 100 101");
    add_residues(receptor, "A", "500"); /* cofactors are often listed after the other chains */
    CHECK_OK(qn_molecule_create("ligand.cif", &ligand));
    add_residues(ligand, "BB", "101 102 105 7 7 8B 8 9");
    add_residues(ligand, "", "1 2");
}

/* Names of the marked residues, in the order of the file. */
static const char *marked(const qn_molecule *molecule, const bool *marks)
{
    static char text[400];
    size_t length = 0;
    text[0] = '\0';
    for (size_t r = 0; r < molecule->residue_count; r++) {
        const qn_residue *residue = &molecule->residues[r];
        char insertion[2] = {residue->insertion, '\0'};
        if (marks[r])
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%s%d%s", length ? " " : "",
                                       residue->chain, residue->number, insertion);
    }
    return text;
}

static void check_marks(const char *text, const char *of_receptor, const char *of_ligand)
{
    bool receptor_marks[RESIDUES_MAX] = {false}, ligand_marks[RESIDUES_MAX] = {false};
    CHECK_OK(qn_residue_selection_mark(text, receptor, ligand, receptor_marks, ligand_marks));
    CHECK_TEXT(marked(receptor, receptor_marks), of_receptor);
    CHECK_TEXT(marked(ligand, ligand_marks), of_ligand);
}

static void check_refused(const char *text, qn_status status, const char *sentence)
{
    bool receptor_marks[RESIDUES_MAX], ligand_marks[RESIDUES_MAX];
    CHECK_FAILS(qn_residue_selection_mark(text, receptor, ligand, receptor_marks, ligand_marks), status);
    CHECK_TEXT(qn_error_message(), sentence);
}

static void selections_mark_the_residues_that_they_name(void)
{
    check_marks("receptor:A:30", "A30", "");
    check_marks("receptor:A:30-32", "A30 A31 A32", "");
    check_marks("receptor:A:32,30", "A30 A32", "");
    check_marks("ligand:BB:101,105", "", "BB101 BB105");
    check_marks("ligand:BB:101-105", "", "BB101 BB102 BB105");
    check_marks("receptor:H:100,52A-52C", "H52A H52B H52C H100", "");
    check_marks("receptor:H:52C-101", "H52C H53 H100 H101", "");
    check_marks("receptor:H:52-52", "H52", "");
    check_marks("receptor:H", "H51 H52 H52A H52B H52C H53 H100 H101", "");
    check_marks("ligand::1-2", "", "1 2"); /* a chain without a name */
    check_marks("ligand::2", "", "2");
}

static void negative_numbers_are_not_read_as_ranges(void)
{
    check_marks("receptor:A:-3", "A-3", "");
    check_marks("receptor:A:-3--1", "A-3 A-2 A-1", "");
    check_marks("receptor:A:-2-2", "A-2 A-1 A1 A2", "");
}

static void ranges_follow_the_file(void)
{
    check_marks("receptor:A:32-500", "A32 A500", ""); /* the chain listed in between is not marked */
    check_marks("ligand:BB:8B-9", "", "BB8B BB8 BB9");
}

static void marks_of_other_residues_do_not_change(void)
{
    bool receptor_marks[RESIDUES_MAX] = {true}, ligand_marks[RESIDUES_MAX] = {false};
    CHECK_OK(qn_residue_selection_mark("receptor:A:2", receptor, ligand, receptor_marks, ligand_marks));
    CHECK_OK(qn_residue_selection_mark("ligand:BB:9", receptor, ligand, receptor_marks, ligand_marks));
    CHECK_TEXT(marked(receptor, receptor_marks), "A-3 A2");
    CHECK_TEXT(marked(ligand, ligand_marks), "BB9");
}

static void malformed_texts_are_refused(void)
{
#define SYNTAX "expected partner:chain or partner:chain:residues, such as receptor:A:30-40,52A"
#define PIECE " is neither a residue nor a range; expected a number such as 30, 52A or -3, or two of them such as 30-40"
    static const char *const junk[] = {"x", "30-", "-", "30-40-50", "3 0", "30AB", "--3", "A30", "30:B", "2147483648"};
    check_refused("", QN_INVALID_ARGUMENT, "selection \"\": it is empty; " SYNTAX);
    check_refused("receptor", QN_INVALID_ARGUMENT,
                  "selection \"receptor\": no chain is named after \"receptor\"; " SYNTAX);
    check_refused(
        "target:A:3", QN_INVALID_ARGUMENT,
        "selection \"target:A:3\": the partner \"target\" is unknown; expected receptor or ligand, then :chain");
    check_refused(":A:3", QN_INVALID_ARGUMENT,
                  "selection \":A:3\": the partner \"\" is unknown; expected receptor or ligand, then :chain");
    check_refused(
        "receptor:A:", QN_INVALID_ARGUMENT,
        "selection \"receptor:A:\": a residue is missing after \":\"; expected a number such as 30 or a range");
    check_refused(
        "receptor:A:30,,31", QN_INVALID_ARGUMENT,
        "selection \"receptor:A:30,,31\": a residue is missing after \",\"; expected a number such as 30 or a "
        "range");
    check_refused("receptor:A:30,", QN_INVALID_ARGUMENT,
                  "selection \"receptor:A:30,\": a residue is missing after \",\"; expected a number such as 30 or a "
                  "range");
    for (size_t i = 0; i < sizeof junk / sizeof *junk; i++) {
        char text[80], sentence[300];
        snprintf(text, sizeof text, "receptor:A:1,%s", junk[i]);
        snprintf(sentence, sizeof sentence, "selection \"%s\": \"%s\"" PIECE, text, junk[i]);
        check_refused(text, QN_INVALID_ARGUMENT, sentence);
    }
}

static void reversed_ranges_are_refused(void)
{
    check_refused("receptor:A:32-30", QN_INVALID_ARGUMENT,
                  "selection \"receptor:A:32-30\": the range 32-30 is reversed, as 32 comes after 30 in chain A of the "
                  "receptor; expected 30-32");
    check_refused("ligand:BB:8-8B", QN_INVALID_ARGUMENT,
                  "selection \"ligand:BB:8-8B\": the range 8-8B is reversed, as 8 comes after 8B in chain BB of the "
                  "ligand; expected 8B-8");
}

static void absent_chains_are_refused_with_those_present(void)
{
    check_refused("receptor:B:1", QN_NOT_FOUND,
                  "selection \"receptor:B:1\": the receptor has no chain \"B\"; expected one of its chains: A, H");
    check_refused("receptor::1", QN_NOT_FOUND,
                  "selection \"receptor::1\": the receptor has no chain \"\"; expected one of its chains: A, H");
    check_refused(
        "ligand:B", QN_NOT_FOUND,
        "selection \"ligand:B\": the ligand has no chain \"B\"; expected one of its chains: BB, one without a "
        "name");
    check_refused(
        "ligand:ABCDEFGHIJ:1", QN_NOT_FOUND,
        "selection \"ligand:ABCDEFGHIJ:1\": the ligand has no chain \"ABCDEFGHIJ\"; expected one of its chains: "
        "BB, one without a name");
}

static void absent_residues_are_refused_with_the_nearest(void)
{
    check_refused(
        "receptor:A:35", QN_NOT_FOUND,
        "selection \"receptor:A:35\": chain A of the receptor has no residue 35; the nearest there are 30-32");
    check_refused(
        "receptor:A:30-33", QN_NOT_FOUND,
        "selection \"receptor:A:30-33\": chain A of the receptor has no residue 33; the nearest there are 30-32");
    check_refused(
        "receptor:A:28", QN_NOT_FOUND,
        "selection \"receptor:A:28\": chain A of the receptor has no residue 28; the nearest there are 30-32");
    check_refused(
        "receptor:A:9999", QN_NOT_FOUND,
        "selection \"receptor:A:9999\": chain A of the receptor has no residue 9999; the nearest there is 500");
    check_refused(
        "receptor:H:52D", QN_NOT_FOUND,
        "selection \"receptor:H:52D\": chain H of the receptor has no residue 52D; the nearest there are 52-52C");
    check_refused(
        "receptor:A:-2147483647", QN_NOT_FOUND,
        "selection \"receptor:A:-2147483647\": chain A of the receptor has no residue -2147483647; the nearest "
        "there are -3--1");
}

static void numbers_that_two_residues_share_are_refused(void)
{
    check_refused(
        "ligand:BB:7", QN_INVALID_ARGUMENT,
        "selection \"ligand:BB:7\": chain BB of the ligand has residue 7 twice (GLY and GLY); expected a number "
        "that stands for one residue");
}

static void long_texts_are_cut_in_messages(void)
{
    char text[2000] = "receptor:A:1";
    for (size_t i = 12; i + 1 < sizeof text; i++) text[i] = i % 2 ? '1' : ','; /* ",1,1,1 … ,x" */
    text[sizeof text - 3] = 'x';
    text[sizeof text - 2] = '\0';
    bool receptor_marks[RESIDUES_MAX], ligand_marks[RESIDUES_MAX];
    CHECK_FAILS(qn_residue_selection_mark(text, receptor, ligand, receptor_marks, ligand_marks), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("selection \"receptor:A:1,1,1");
    CHECK_MESSAGE_HAS("...\": \"x\" is neither");
}

static void single_residues_are_found(void)
{
    bool of_ligand;
    size_t residue;
    CHECK_OK(qn_residue_selection_residue("ligand:BB:105", receptor, ligand, &of_ligand, &residue));
    CHECK(of_ligand && residue == 2);
    CHECK_OK(qn_residue_selection_residue("receptor:H:52A", receptor, ligand, &of_ligand, &residue));
    CHECK(!of_ligand && residue == 10);
    CHECK_FAILS(qn_residue_selection_residue("receptor:A:30-32", receptor, ligand, &of_ligand, &residue),
                QN_INVALID_ARGUMENT);
    CHECK_TEXT(qn_error_message(), "selection \"receptor:A:30-32\": it names 3 residues; expected a single one");
    CHECK_FAILS(qn_residue_selection_residue("receptor:B", receptor, ligand, &of_ligand, &residue), QN_NOT_FOUND);
}

int main(void)
{
    build();
    RUN(selections_mark_the_residues_that_they_name);
    RUN(negative_numbers_are_not_read_as_ranges);
    RUN(ranges_follow_the_file);
    RUN(marks_of_other_residues_do_not_change);
    RUN(malformed_texts_are_refused);
    RUN(reversed_ranges_are_refused);
    RUN(absent_chains_are_refused_with_those_present);
    RUN(absent_residues_are_refused_with_the_nearest);
    RUN(numbers_that_two_residues_share_are_refused);
    RUN(long_texts_are_cut_in_messages);
    RUN(single_residues_are_found);
    qn_molecule_destroy(&receptor);
    qn_molecule_destroy(&ligand);
    return check_finish();
}
