#include "check.h"

#include <quern/device.h>
#include <quern/molecule.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "format/element.h"
#include "format/structure/structure.h"

static qn_status read_text(const char *text, qn_molecule **molecule)
{
    return qn_structure_read_memory("in.pdb", text, strlen(text), NULL, NULL, molecule);
}

static qn_molecule *read_data(const char *name, const qn_molecule_options *options)
{
    qn_molecule *molecule = NULL;
    CHECK_OK(qn_molecule_read(NULL, check_data(name), options, &molecule));
    return molecule;
}

typedef struct expected_atom {
    double x;
    const char *name, *element, *residue, *chain;
    int number;
} expected_atom;

/* Short lines, old columns, lower case, four-letter residues, numbers past their columns, CRLF, no final newline. */
static void files_of_other_programs_are_read(void)
{
    static const expected_atom expected[] = {
        {1, "1HB", "H", "ALA", "A", 1},    {2, "CA", "C", "GLY", "A", 2},    {3, "CA", "CA", "CA", "A", 3},
        {4, "CL1", "CL", "LIG", "A", 4},   {5, "HG11", "H", "VAL", "A", 5},  {6, "CA", "C", "GLY", "A", 6},
        {7, "CA", "C", "GLY", "A", 10000}, {8, "CA", "C", "GLY", "A", 8},    {9, "OH2", "O", "TIP3", "W", 9},
        {10, "OH2", "O", "TIP3", "W", 8},  {11, "OH2", "O", "TIP3", "W", 9}, {12, "CA", "C", "GLY", "B", 12},
        {13, "ca", "C", "GLY", "B", 13},   {14, "FE", "FE", "HEM", "C", 14},
    };
    const size_t count = sizeof expected / sizeof *expected;
    qn_molecule *molecule = read_data("structures/other_programs.pdb", NULL);
    if (!molecule || !CHECK(molecule->atom_count == count && molecule->residue_count == count)) return;
    for (size_t i = 0; i < count; i++) {
        const qn_atom *atom = &molecule->atoms[i];
        CHECK_NEAR(atom->position_angstrom[0], expected[i].x, 0);
        CHECK_TEXT(atom->name, expected[i].name);
        CHECK_TEXT(atom->element, expected[i].element);
        CHECK_TEXT(molecule->residues[i].name, expected[i].residue);
        CHECK_TEXT(molecule->residues[i].chain, expected[i].chain);
        CHECK(molecule->residues[i].number == expected[i].number);
    }
    /* Serials: as written, 5 + 1 for asterisks, hybrid-36's A0000 = 100000, then six digits of which five are read. */
    CHECK(molecule->atoms[4].serial == 5 && molecule->atoms[5].serial == 6 && molecule->atoms[6].serial == 100000);
    CHECK_NEAR((double)molecule->atoms[0].occupancy, 1, 0);
    CHECK_NEAR((double)molecule->atoms[5].b_factor_angstrom2, 0, 0);
    qn_molecule_destroy(&molecule);
    molecule = read_data("structures/other_programs.pdb",
                         &(qn_molecule_options){.size = sizeof(qn_molecule_options), .drop_water = true});
    CHECK(molecule->dropped_waters == 3 && molecule->atom_count == count - 3);
    qn_molecule_destroy(&molecule);
}

/* One letter is chosen for a whole residue, by mean occupancy; the file's x coordinates number its atoms. */
static void alternates_are_chosen_residue_by_residue(void)
{
    static const double kept[] = {1, 3, 5, 7, 9, 11, 12, 15, 17, 19, 22, 23, 24};
    static const char *const residues[] = {"LEU", "SER", "THR", "THR", "GLY", "HOH"};
    const size_t count = sizeof kept / sizeof *kept;
    qn_molecule *molecule = read_data("structures/alternates.pdb", NULL);
    if (!molecule || !CHECK(molecule->atom_count == count && molecule->residue_count == 6)) return;
    for (size_t i = 0; i < count; i++) CHECK_NEAR(molecule->atoms[i].position_angstrom[0], kept[i], 0);
    for (size_t i = 0; i < 6; i++) CHECK_TEXT(molecule->residues[i].name, residues[i]);
    CHECK(molecule->dropped_alternates == 25 - count);
    qn_molecule_destroy(&molecule);
    molecule = read_data("structures/alternates.pdb",
                         &(qn_molecule_options){.size = sizeof(qn_molecule_options), .drop_water = true});
    CHECK(molecule->dropped_waters == 1); /* one water at two places */
    qn_molecule_destroy(&molecule);
    molecule = read_data("structures/alternates.pdb",
                         &(qn_molecule_options){.size = sizeof(qn_molecule_options), .keep_alternates = true});
    CHECK(molecule->atom_count == 25 && molecule->residue_count == 7 && molecule->dropped_alternates == 0);
    /* The two amino acids at place 4, which alternate in the file, are separate, each with its atoms together. */
    CHECK_TEXT(molecule->residues[3].name, "SER");
    CHECK(molecule->residues[3].atom_count == 3 && molecule->residues[4].atom_count == 2);
    qn_molecule_destroy(&molecule);
}

/* Models with numbers, without numbers, without a MODEL record, and a number used twice, of which the first model is
 * read. */
static void models_are_distinguished(void)
{
    static const double x_of_model[] = {2, 0, 2, 3, 4};
    for (int model = 0; model <= 4; model++) {
        if (model == 1) continue;
        qn_molecule *molecule = read_data("structures/models.pdb",
                                          &(qn_molecule_options){.size = sizeof(qn_molecule_options), .model = model});
        if (!molecule || !CHECK(molecule->atom_count == 1)) continue;
        CHECK_NEAR(molecule->atoms[0].position_angstrom[0], x_of_model[model], 0);
        qn_molecule_destroy(&molecule);
    }
    qn_molecule *molecule;
    CHECK_FAILS(qn_molecule_read(NULL, check_data("structures/models.pdb"),
                                 &(qn_molecule_options){.size = sizeof(qn_molecule_options), .model = 9}, &molecule),
                QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("models.pdb: there is no model 9; the file has 2, 3, 4, 2");
}

#define START "ATOM      1  N   GLY A   1    "
#define REST "   6.134  -6.504  1.00  0.00           N\n"

static void broken_records_are_refused(void)
{
    static const struct {
        const char *text, *message;
    } inputs[] = {
        {START "  1e0000" REST, "in.pdb:1: x coordinate \"  1e0000\" is not a number (columns 31-38)"},
        {START "    0x10" REST, "x coordinate \"    0x10\""},
        {START "  1 .104" REST, "x coordinate \"  1 .104\""},
        {START "  1.10.4" REST, "x coordinate \"  1.10.4\""},
        {START "       ." REST, "x coordinate \"       .\""},
        {START "     1,5" REST, "x coordinate \"     1,5\""},
        {START "********" REST, "x coordinate \"********\""},
        {START "        " REST, "x coordinate \"        \""},
        {START "-inf    " REST, "x coordinate \"-inf    \""},
        {START "-9999999" REST, "in.pdb:1: x coordinate \"-9999999\" is out of range (columns 31-38)"},
        {START "  11.104" REST START "  11.104\n", "in.pdb:2: the line ends at column 38"},
        {START "  11.104" REST "HETA", "in.pdb:2: the file ends within a record"},
        {START "  11.104" REST "ATO", "in.pdb:2: the file ends within a record"},
        {"ATOM\t1\tN\tGLY\tA\t1\t11.104\t6.134\t-6.504\n", "in.pdb:1: column 5 holds a tab"},
        {"ATOMX     1  N   GLY A   1      11.104" REST, "in.pdb:1: column 5 holds another character"},
        {"atom      1  N   GLY A   1        junk" REST, "in.pdb:1: x coordinate \"    junk\""},
        {"ATOM      1  N\t  GLY A   1      11.104" REST, "in.pdb:1: column 15 holds a tab"},
        {"ATOM      1  N\xC3\xA9 GLY A   1      11.104" REST, "in.pdb:1: column 15 holds an unprintable byte"},
        {"ATOM      1  N   GLY A          11.104" REST, "in.pdb:1: residue number \"    \" is not a whole number"},
        {"ATOM      1  N   GLY A 1.5      11.104" REST, "in.pdb:1: residue number \" 1.5\""},
        {"ATOM      1  N   GLY A*000      11.104" REST, "in.pdb:1: residue number \"*000\""},
        {"REMARK\nTER\nEND\n", "in.pdb: holds no ATOM or HETATM record in 3 lines; expected a PDB or mmCIF file"},
        {"\xEF\xBB\xBF \n", "in.pdb: is empty; expected a PDB or mmCIF file"},
        {"\x7F"
         "ELF\x02\x01\x01",
         "in.pdb: holds no ATOM or HETATM record"},
    };
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        qn_molecule *molecule;
        CHECK_FAILS(read_text(inputs[i].text, &molecule), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS(inputs[i].message);
        CHECK(molecule == NULL);
    }
}

/* Records without coordinates are ignored, whatever they contain. */
static void other_records_are_ignored(void)
{
    qn_molecule *molecule;
    CHECK_OK(read_text("\xEF\xBB\xBF"
                       "ANISOU out of place\nSSBOND   1 CYS A    5    CYS A   55\nLINK\nCRYST1 junk\nSCALE1 x\n"
                       "REMARK 350   BIOMT1 x\nSEQRES\nATO\nHETATX\n" START "  11.104" REST
                       "\nMASTER\nsome more\nEND\njunk\n",
                       &molecule));
    CHECK(molecule->atom_count == 1 && molecule->residues[0].chain_break);
    qn_molecule_destroy(&molecule);
}

/* END ends a model: later atoms are not mixed into the first model. */
static void an_end_record_ends_the_model(void)
{
    static const char text[] = START "  11.104" REST "END\n" START "  22.104" REST;
    qn_molecule *molecule;
    CHECK_OK(read_text(text, &molecule));
    CHECK(molecule->atom_count == 1);
    qn_molecule_destroy(&molecule);
    CHECK_OK(qn_structure_read_memory("in", text, strlen(text), NULL,
                                      &(qn_molecule_options){.size = sizeof(qn_molecule_options), .model = 2},
                                      &molecule));
    CHECK_NEAR(molecule->atoms[0].position_angstrom[0], 22.104, 0);
    qn_molecule_destroy(&molecule);
}

/* Columns 79-80, with charges in both orders that are in use; free text there is no charge. */
static void charges_are_read(void)
{
    static const struct {
        const char *columns;
        int charge_e;
    } inputs[] = {{"2+", 2}, {"1-", -1}, {"+2", 2}, {"-3", -3}, {"12", 0}, {"x+", 0}, {"  ", 0}, {"2", 0}, {"", 0}};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        char text[100];
        qn_molecule *molecule;
        snprintf(text, sizeof text, "%s  11.104   6.134  -6.504  1.00  0.00           N%s\n", START, inputs[i].columns);
        if (!CHECK_OK(read_text(text, &molecule))) continue;
        CHECK(molecule->atoms[0].charge_e == inputs[i].charge_e);
        qn_molecule_destroy(&molecule);
    }
}

/* Without element columns, alignment, residue and letter case determine the element. */
static void elements_follow_from_names(void)
{
    static const struct {
        const char *columns, *residue, *element;
    } inputs[] = {
        {" CA ", "ALA", "C"},  {"CA  ", "ALA", "C"},  {"CA  ", "CA", "CA"},  {" CA ", "CA", "CA"},
        {"CA  ", "BTN", "C"},  {" CB ", "ALA", "C"},  {"CD  ", "CD", "CD"},  {"CD1 ", "LIG", "C"},
        {"HG  ", "HG", "HG"},  {" HG ", "SER", "H"},  {"HG  ", "SER", "H"},  {"HG11", "VAL", "H"},
        {"HE21", "LIG", "H"},  {"1HB ", "ALA", "H"},  {" ZN ", "ZN", "ZN"},  {"ZN  ", "ZN2", "ZN"},
        {"CL1 ", "LIG", "CL"}, {"CL12", "LIG", "CL"}, {"BR  ", "LIG", "BR"}, {"SE  ", "MSE", "SE"},
        {"FE  ", "HEM", "FE"}, {" NA ", "HEM", "N"},  {"NA  ", "NA", "NA"},  {"Na+ ", "Na+", "NA"},
        {"Cl- ", "Cl-", "CL"}, {"C101", "LIG", "C"},  {" P  ", "DA", "P"},   {" O5'", "DA", "O"},
        {" D  ", "DOD", "D"},  {" Q1 ", "LIG", "X"},  {"1234", "LIG", "X"},  {" SD ", "MET", "S"},
        {"SD  ", "MET", "S"},  {"NE2 ", "HIS", "N"},  {" K  ", "K", "K"},    {"MG  ", "MG", "MG"},
        {"OXT ", "ALA", "O"},  {" CL ", "CL", "CL"},  {" DM ", "LIG", "X"},  {"DM1 ", "DUM", "X"},
        {"DUM ", "DUM", "X"},  {" DA ", "ALA", "D"},  {" DE2", "GLN", "D"},
    };
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        char symbol[4];
        qn_element_deduce(inputs[i].columns, inputs[i].residue, symbol);
        if (!CHECK_TEXT(symbol, inputs[i].element)) printf("  of \"%s\" in %s\n", inputs[i].columns, inputs[i].residue);
    }
}

/* A TER record breaks a chain that continues under the same name. */
static void ter_breaks_a_chain(void)
{
    static const char second[] = "ATOM      2  N   GLY A   2      12.104   6.134  -6.504\n";
    char text[300];
    for (int ter = 0; ter < 2; ter++) {
        qn_molecule *molecule;
        snprintf(text, sizeof text, START "  11.104" REST "%s%s", ter ? "TER\n" : "", second);
        if (!CHECK_OK(read_text(text, &molecule))) continue;
        CHECK(molecule->residue_count == 2 && molecule->residues[0].chain_break == (ter == 1));
        CHECK(molecule->residues[1].chain_break);
        qn_molecule_destroy(&molecule);
    }
}

/* The mean is compared, not the sum, so that an amino acid with more atoms has no advantage. */
static void mean_occupancies_are_compared(void)
{
    static const char text[] = "ATOM      1  CA AGLY A   1       1.000   2.000   3.000  0.60  0.00           C\n"
                               "ATOM      2  N  BTHR A   1       1.000   2.000   3.000  0.40  0.00           N\n"
                               "ATOM      3  CA BTHR A   1       1.000   2.000   3.000  0.40  0.00           C\n"
                               "ATOM      4  CB BTHR A   1       1.000   2.000   3.000  0.40  0.00           C\n";
    qn_molecule *molecule;
    CHECK_OK(read_text(text, &molecule));
    CHECK(molecule->residue_count == 1 && molecule->dropped_alternates == 3);
    CHECK_TEXT(molecule->residues[0].name, "GLY");
    qn_molecule_destroy(&molecule);
}

static const char *scratch_file(const char *name)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", check_scratch_folder(), name);
    return path;
}

static void keep_message(qn_log_level level, const char *message, void *user)
{
    if (level == QN_LOG_WARNING) snprintf(user, 200, "%s", message);
}

/* A warning reports values that are read differently from how they are written. */
static void doubtful_files_give_a_warning(void)
{
    char warning[200] = "";
    qn_molecule *molecule;
    qn_log_target heard = {.callback = keep_message, .user = warning, .mutex = PTHREAD_MUTEX_INITIALIZER};
    const qn_log_scope outer = qn_log_enter(&heard);
    CHECK_OK(read_text(START "  11.104" REST "END\n" START "  22.104" REST, &molecule));
    CHECK_TEXT(warning, "in.pdb:3: the atoms after END (line 2) are read as another model");
    qn_molecule_destroy(&molecule);
    CHECK_OK(read_text("ATOM      1  CA  GLY A   1      11.104   6.134  -6.504  1.00  0.00           H\n", &molecule));
    CHECK_TEXT(warning,
               "in.pdb: 1 atom has an element column that says hydrogen and a name that does not; the name is used");
    qn_molecule_destroy(&molecule);
    qn_log_return(outer);
}

/* Read a file without a context, and in each of two contexts. */
static void warnings_go_to_the_context_that_is_given(void)
{
    char warnings[2][200] = {"", ""};
    qn_context *contexts[2];
    qn_molecule *molecule;
    FILE *file = fopen(scratch_file("hydrogen.pdb"), "w");
    if (!CHECK(file != NULL)) return;
    fputs("ATOM      1  CA  GLY A   1      11.104   6.134  -6.504  1.00  0.00           H\n", file);
    fclose(file);
    for (int i = 0; i < 2; i++) {
        const qn_context_options options = {
            .size = sizeof options, .threads = 1, .log = keep_message, .log_user = warnings[i]};
        CHECK_OK(qn_context_create(&options, &contexts[i]));
    }
    CHECK_OK(qn_molecule_read(NULL, scratch_file("hydrogen.pdb"), NULL, &molecule));
    qn_molecule_destroy(&molecule);
    CHECK(!warnings[0][0] && !warnings[1][0]);
    for (int i = 1; i >= 0; i--) {
        CHECK_OK(qn_molecule_read(contexts[i], scratch_file("hydrogen.pdb"), NULL, &molecule));
        qn_molecule_destroy(&molecule);
        CHECK(strstr(warnings[i], "1 atom has an element column") && !warnings[!i][0]);
        warnings[i][0] = '\0';
    }
    for (int i = 0; i < 2; i++) qn_context_destroy(&contexts[i]);
}

/* Found by fuzzing: a chain that continues after another one is broken there even if the other chain is not kept. */
static void a_chain_ends_where_another_begins(void)
{
    static const char text[] = "HETATM    1  C   LIG B   1       1.000   2.000   3.000  1.00  0.00           C\n"
                               "HETATM    2  O   HOH W   1       1.000   2.000   3.000  1.00  0.00           O\n"
                               "HETATM    3  C   LIG B   1       1.000   2.000   3.000  1.00  0.00           C\n";
    qn_molecule *molecule;
    CHECK_OK(qn_structure_read_memory("in", text, strlen(text), NULL,
                                      &(qn_molecule_options){.size = sizeof(qn_molecule_options), .drop_water = true},
                                      &molecule));
    CHECK(molecule->residue_count == 2 && molecule->residues[0].chain_break);
    qn_molecule_destroy(&molecule);
}

/* Found by fuzzing: repeated names within one place are the same residue, so that the molecule is read back as
 * written. */
static void atoms_with_one_residue_name_in_a_place_are_one_residue(void)
{
    static const char text[] = "ATOM      1  N  AGLY A   1       1.000   2.000   3.000  1.00  0.00           N\n"
                               "ATOM      2  N   SER A   1       1.000   2.000   3.000  1.00  0.00           N\n"
                               "ATOM      3  CA AGLY A   1       1.000   2.000   3.000  1.00  0.00           C\n"
                               "ATOM      4  CA  SER A   1       1.000   2.000   3.000  1.00  0.00           C\n";
    qn_molecule *molecule;
    CHECK_OK(read_text(text, &molecule));
    CHECK(molecule->residue_count == 2 && molecule->atom_count == 4);
    CHECK(molecule->residues[1].atom_count == 2);
    qn_molecule_destroy(&molecule);
}

static void symbols_have_atomic_numbers(void)
{
    static const struct {
        const char *symbol;
        int number;
    } expected[] = {{"H", 1},   {"D", 1},  {"HE", 2},   {"C", 6}, {"O", 8}, {"CL", 17},
                    {"ZN", 30}, {"U", 92}, {"OG", 118}, {"X", 0}, {"", 0},  {"QQ", 0}};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
        CHECK(qn_element_number(expected[k].symbol) == expected[k].number);
}

int main(void)
{
    RUN(files_of_other_programs_are_read);
    RUN(alternates_are_chosen_residue_by_residue);
    RUN(models_are_distinguished);
    RUN(broken_records_are_refused);
    RUN(other_records_are_ignored);
    RUN(an_end_record_ends_the_model);
    RUN(charges_are_read);
    RUN(elements_follow_from_names);
    RUN(ter_breaks_a_chain);
    RUN(mean_occupancies_are_compared);
    RUN(doubtful_files_give_a_warning);
    RUN(warnings_go_to_the_context_that_is_given);
    RUN(a_chain_ends_where_another_begins);
    RUN(atoms_with_one_residue_name_in_a_place_are_one_residue);
    RUN(symbols_have_atomic_numbers);
    return check_finish();
}
