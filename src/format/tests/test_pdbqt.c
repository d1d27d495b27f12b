#include "check.h"

#include <quern/molecule.h>
#include <stdlib.h>

#include "format/structure/autodock_types.h"
#include "format/structure/structure.h"
#include "format/tests/compounds.h"

/*      columns 1 ...                                             55    61        71     78 */
#define ATOM(number, name, x, charge, type) \
    "ATOM  " number " " name " LIG     1    " x "  -2.500   3.125  1.00  0.00    " charge " " type "\n"
#define LIGAND                                                                          \
    "ROOT\n" ATOM("    1", " C1 ", "   1.000", " 0.176", "A ")                          \
        ATOM("    2", " N2 ", "   2.000", "-0.346",                                     \
             "NA") "ENDROOT\n"                                                          \
                   "BRANCH   1   3\n" ATOM("    3", "CL3 ", "   3.000", "+0.100", "Cl") \
                       ATOM("    4", " H  ", "   4.000", " 0.163", "HD") "ENDBRANCH   1   3\nTORSDOF 1\n"

static void a_ligand_is_read_correctly(void)
{
    static const char *const elements[] = {"C", "N", "CL", "H"}, *const types[] = {"A", "NA", "Cl", "HD"};
    static const char *const names[] = {"C1", "N2", "CL3", "H"};
    qn_compound *c;
    const char text[] = "REMARK  Name = some ligand \nREMARK SMILES CC\nREMARK SMILES IDX 1 1\n" LIGAND;
    if (!CHECK_OK(read_record(QN_COMPOUND_PDBQT, text, &c))) return;
    CHECK_TEXT(c->name, "some ligand");
    CHECK_TEXT(qn_compound_property_value(c, "SMILES"), "CC");
    if (!CHECK(c->atom_count == 4 && c->bond_count == 0 && c->conformer_count == 1)) return;
    for (int i = 0; i < 4; i++) {
        CHECK_TEXT(c->atoms[i].element, elements[i]);
        CHECK_TEXT(c->atoms[i].type, types[i]);
        CHECK_TEXT(c->atoms[i].name, names[i]);
        CHECK(c->positions_angstrom[3 * i] == 1 + i && c->positions_angstrom[3 * i + 1] == -2.5);
        CHECK(c->atoms[i].has_partial_charge);
    }
    CHECK_NEAR((double)c->atoms[1].partial_charge_e, -0.346, 1e-7);
    qn_compound_destroy(&c);
}

#define CLOSER ATOM("    1", " C1 ", "   1.000", " 0.176", "CG0")
#define GLUE ATOM("    2", " G  ", "   2.000", " 0.000", "G0")
#define WATER ATOM("    3", " W  ", "   2.000", " 0.000", "W ")
#define LYSINE ATOM("    1", " CA ", "   9.000", " 0.176", "C ")
#define LAST ATOM("    4", " O  ", "   4.000", " 0.176", "OA")

/* Glue and water of hydrated docking are not atoms; a pose's flexible residue belongs to the receptor. */
static void atoms_of_the_receptor_are_not_read(void)
{
    qn_compound *c;
    const char text[] = "MODEL 1\n"
                        "REMARK VINA RESULT:     -7.1      0.000      0.000\n"
                        "REMARK VINA RESULT:     -6.1      0.000      0.000\n" CLOSER GLUE WATER
                        "BEGIN_RES LYS A 1\n" LYSINE "END_RES LYS A 1\n" LAST "ENDMDL\n";
    if (!CHECK_OK(read_record(QN_COMPOUND_PDBQT, text, &c))) return;
    if (CHECK(c->atom_count == 2 && c->positions_angstrom[0] == 1 && c->positions_angstrom[3] == 4)) {
        CHECK_TEXT(c->atoms[0].element, "C");
        CHECK_TEXT(c->atoms[1].element, "O");
    }
    CHECK_TEXT(qn_compound_property_value(c, "VINA RESULT"), "-7.1      0.000      0.000");
    qn_compound_destroy(&c);
}

/* Four pieces: 1-2 is the root, 3-4 hangs on 1, 5 on 4, 6 on 2. */
static void the_tree_is_read(void)
{
    static const int pieces[] = {0, 0, 1, 1, 2, 3}, first[] = {0, 3, 1}, second[] = {2, 4, 5};
    qn_compound *c;
    const char text[] = "ROOT\n" ATOM("   11", " C1 ", "   1.000", " 0.176", "A ") ATOM(
        "   12", " N2 ", "   2.000", "-0.346", "NA") "ENDROOT\nBRANCH  11  13\n" ATOM("   13", " C3 ", "   3.000",
                                                                                      "+0.100", "C ")
        ATOM("   14", " C4 ", "   4.000", " 0.163", "C ") "BRANCH  14  15\n" ATOM(
            "   15", " C5 ", "   5.000", "+0.100",
            "C ") "ENDBRANCH  14  15\nENDBRANCH  11  13\nBRANCH  12  16\n" ATOM("   16", " C6 ", "   6.000", "+0.100",
                                                                                "C ") "ENDBRANCH  12  16\nTORSDOF 3\n";
    if (!CHECK_OK(read_record(QN_COMPOUND_PDBQT, text, &c))) return;
    if (CHECK(c->tree.piece_count == 4 && !c->tree.glued)) {
        for (int i = 0; i < 6; i++) CHECK(c->tree.piece[i] == pieces[i]);
        for (int i = 0; i < 3; i++) CHECK(c->tree.branches[i].first == first[i]);
        for (int i = 0; i < 3; i++) CHECK(c->tree.branches[i].second == second[i]);
    }
    qn_compound_destroy(&c);
    if (!CHECK_OK(read_record(QN_COMPOUND_PDBQT, CLOSER LAST, &c))) return;
    CHECK(c->tree.piece_count == 0 && !c->tree.piece);
    qn_compound_destroy(&c);
    if (!CHECK_OK(read_record(QN_COMPOUND_PDBQT, "ROOT\n" CLOSER GLUE "ENDROOT\n", &c))) return;
    CHECK(c->tree.piece_count == 1 && c->tree.glued);
    qn_compound_destroy(&c);
}

/* A written file is read again: names, types, tree, positions; a merged hydrogen is left out, a side chain skipped. */
static void a_written_tree_is_read(void)
{
    static const char side_chain[] = "BEGIN_RES CL3 B  -7A\nROOT\n"
                                     "ATOM      1  C1  CL3 B  -7A      1.000  -2.500   3.125  1.00  0.00     0.176 A \n"
                                     "ATOM      2  N2  CL3 B  -7A      2.000  -2.500   3.125  1.00  0.00    -0.346 NA\n"
                                     "ENDROOT\nBRANCH   1   3\n"
                                     "ATOM      3  CL3 CL3 B  -7A      3.000  -2.500   3.125  1.00  0.00     0.100 Cl\n"
                                     "ENDBRANCH   1   3\nEND_RES CL3 B  -7A\n";
    const qn_residue residue = {.name = "CL3", .chain = "B", .number = -7, .insertion = 'A'};
    qn_compound *c, *again;
    qn_text text = {0}, side = {0};
    double positions[12];
    if (!CHECK_OK(read_record(QN_COMPOUND_PDBQT, LIGAND, &c))) return;
    strcpy(c->atoms[3].type, "H");
    for (int i = 0; i < 12; i++) positions[i] = c->positions_angstrom[i] - 30;
    CHECK_OK(qn_compound_write_pdbqt(c, positions, "LIG", &text));
    CHECK_OK(qn_compound_write_pdbqt_side(c, NULL, &residue, &side));
    CHECK_TEXT(side.data, side_chain);
    CHECK_OK(qn_text_append_bytes(&text, side.data, side.length));
    if (CHECK_OK(read_record(QN_COMPOUND_PDBQT, text.data, &again))) {
        if (CHECK(again->atom_count == 3 && again->tree.piece_count == 2))
            for (int i = 0; i < 3; i++) {
                CHECK_TEXT(again->atoms[i].name, c->atoms[i].name);
                CHECK_TEXT(again->atoms[i].type, c->atoms[i].type);
                CHECK(again->tree.piece[i] == c->tree.piece[i]);
                CHECK_NEAR(again->positions_angstrom[3 * i], positions[3 * i], 1e-9);
            }
        CHECK(again->tree.branches[0].first == 0 && again->tree.branches[0].second == 2);
        qn_compound_destroy(&again);
    }
    qn_compound_destroy(&c);
    qn_text_clear(&text);
    qn_text_clear(&side);
}

static void broken_trees_are_refused(void)
{
    static const bad_record cases[] = {
        {"ROOT\n" LAST "ENDROOT\nBRANCH   4\n", "lib:14: \"\" is not the serial number of an atom"},
        {"ROOT\n" LAST "ENDROOT\nBRANCH   4   1\n" CLOSER, "lib:14: BRANCH 4 1 is not closed; expected its ENDBRANCH"},
        {"ROOT\n" LAST "ENDROOT\nENDBRANCH   4   1\n", "lib:14: ENDBRANCH 4 1, but no BRANCH is open"},
        {"ROOT\n" LAST "ENDROOT\nBRANCH   4   1\n" CLOSER "ENDBRANCH   1   4\n",
         "lib:16: ENDBRANCH 1 4; expected the end of BRANCH 4 1 of line 14"},
        {"ROOT\n" LAST "ENDROOT\nBRANCH   4   2\n" CLOSER "ENDBRANCH   4   2\n",
         "lib:14: BRANCH 4 2: the piece that it begins has no atom 2"},
        {"ROOT\n" LAST "ENDROOT\nBRANCH   3   1\n" CLOSER "ENDBRANCH   3   1\n",
         "lib:14: BRANCH 3 1: the piece around it has no atom 3"},
        {"ROOT\n" LAST, "lib:11: ROOT is not closed; expected ENDROOT before branches and the end"},
        {"ROOT\n" LAST "BRANCH   4   1\n" CLOSER "ENDBRANCH   4   1\nENDROOT\n",
         "lib:11: ROOT is not closed; expected ENDROOT before branches and the end"},
        {"ROOT\n" LAST "ENDROOT\nENDROOT\n", "lib:14: ENDROOT, but no ROOT is open"},
        {"ROOT\n" LAST "ENDROOT\nROOT\nENDROOT\n",
         "lib:14: a second ROOT, after that of line 11; expected one for each molecule"},
        {"ROOT\nROOT\n" LAST "ENDROOT\n",
         "lib:12: a second ROOT, after that of line 11; expected one for each molecule"},
        {"ROOT\n" LAST "ENDROOT\nTORSDOF -5\n", "lib:14: TORSDOF \"-5\"; expected a whole number of 0 or more"},
        {"ROOT\n" LAST "ENDROOT\nTORSDOF nan\n", "lib:14: TORSDOF \"nan\"; expected a whole number of 0 or more"},
        {"ROOT\n" LAST "ENDROOT\nTORSDOF\n", "lib:14: TORSDOF \"\"; expected a whole number of 0 or more"},
    };
    check_refusals(QN_COMPOUND_PDBQT, cases, sizeof cases / sizeof *cases);
}

static size_t count_records(const char *text, size_t *lines)
{
    char path[600];
    qn_compound_stream *stream;
    qn_compound_record record = {0};
    size_t count = 0;
    snprintf(path, sizeof path, "%s/poses.txt", check_scratch_folder());
    CHECK_OK(qn_file_write(path, text, strlen(text)));
    if (!CHECK_OK(qn_compound_stream_open(path, &stream))) return 0;
    while (CHECK_OK(qn_compound_stream_next(stream, &record)) && record.size > 0) {
        qn_compound *compound;
        CHECK(record.format == QN_COMPOUND_PDBQT && record.index == count);
        if (CHECK_OK(qn_compound_read(&record, &compound))) qn_compound_destroy(&compound);
        lines[count++] = record.line;
    }
    qn_compound_record_clear(&record);
    qn_compound_stream_close(&stream);
    return count;
}

/* Between molecules the reader skips lines that begin with END, except ends of parts. */
static void ends_behind_the_last_molecule_are_refused(void)
{
    static const char *const cases[][2] = {{LIGAND "ENDBRANCH   1   3\n", "10: ENDBRANCH 1 3, but no BRANCH is open"},
                                           {LIGAND "ENDROOT\nEND\n", "10: ENDROOT, but no ROOT is open"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[600];
        qn_compound **c;
        size_t count;
        snprintf(path, sizeof path, "%s/ends.pdbqt", check_scratch_folder());
        CHECK_OK(qn_file_write(path, cases[i][0], strlen(cases[i][0])));
        CHECK_FAILS(qn_compound_read_file(path, &c, &count), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS(cases[i][1]);
    }
}

static void models_and_molecules_are_separated(void)
{
    size_t lines[8];
    CHECK(count_records("REMARK head\nMODEL 1\n" LIGAND "ENDMDL\nMODEL 2\n" LIGAND "ENDMDL\nEND\n\n", lines) == 2);
    CHECK(lines[0] == 1 && lines[1] == 13);
    CHECK(count_records(LIGAND "REMARK second\n" LIGAND, lines) == 2);
    CHECK(lines[1] == 10);
    CHECK(count_records("MODEL 1\n" LIGAND "MODEL 2\n" LIGAND, lines) == 2); /* ENDMDL is missing */
    CHECK(count_records(ATOM("    1", " N  ", "   1.000", " 0.176", "N ") "TER\nEND\n", lines) == 1);
}

static void errors_are_reported(void)
{
    static const bad_record cases[] = {
        {"REMARK\nEND\n", "lib:11: the molecule has no atoms; expected ATOM or HETATM records"},
        {ATOM("    1", " C1 ", "   1.0x0", " 0.176", "C "), "lib:11: x coordinate \"   1.0x0\" is not a number"},
        {ATOM("    1", " C1 ", "   1.000", " 0.1-6", "C "),
         "lib:11: charge \" 0.1-6\" is not a number (columns 71-76)"},
        {ATOM("    1", " C1 ", "   1.000", " 0.176", "Qz"),
         "lib:11: atom 1 has type \"Qz\"; expected one of AutoDock's (columns 78-80)"},
        {"ROOT\nATOM      1  C   LIG     1       1.000  -2.500   3.125  1.00  0.00\n",
         "lib:12: atom 1 has type \"\"; expected one of AutoDock's (columns 78-80)"},
    };
    check_refusals(QN_COMPOUND_PDBQT, cases, sizeof cases / sizeof *cases);
}

/* Files of docked poses rarely name their molecule; then the name of the file is used. */
static void molecules_without_a_name_get_the_name_of_the_file(void)
{
    static const struct {
        const char *path, *name;
    } cases[] = {{"out/ligand_7.pdbqt", "ligand_7"},
                 {"a.b.pdbqt.gz", "a.b"},
                 {"plain", "plain"},
                 {".pdbqt", ".pdbqt"},
                 {"standard input", ""}};
    static char text[] = "REMARK VINA RESULT:  -7.1 0 0\n" ATOM("    1", " C1 ", "   1.000", "+0.150", "C ");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        qn_compound *c = NULL;
        qn_compound_record record = {
            .format = QN_COMPOUND_PDBQT, .line = 1, .path = cases[i].path, .text = text, .size = strlen(text)};
        if (CHECK_OK(qn_compound_read(&record, &c))) CHECK_TEXT(c->name, cases[i].name);
        qn_compound_destroy(&c);
    }
}

/* Types determine the element, even where names differ; charges are not read as segment or chain. */
static void receptors_get_elements_from_types(void)
{
    static const char *const elements[] = {"N", "C", "CA", "NA", "O"};
    qn_molecule *m;
    const char text[] = ATOM("    1", " NA ", "   1.000", " 0.176", "NA")
        ATOM("    2", " CA ", "   2.000", " 0.176", "A ") ATOM("    3", "CA  ", "   3.000", " 2.000", "Ca")
            ATOM("    4", "NA  ", "   4.000", " 1.000", "Na") ATOM("    5", " OA ", "   5.000", "-0.300", "OA");
    if (!CHECK_OK(qn_structure_read_memory("r", text, strlen(text), NULL, NULL, &m))) return;
    if (CHECK(m->atom_count == 5))
        for (int i = 0; i < 5; i++) CHECK_TEXT(m->atoms[i].element, elements[i]);
    CHECK_TEXT(m->residues[0].chain, "");
    CHECK(m->atoms[2].charge_e == 0);
    qn_molecule_destroy(&m);
    const char bad[] =
        ATOM("    1", " C1 ", "   1.000", " 0.176", "C ") ATOM("    2", " C1 ", "   1.000", " 0.176", "Qz");
    CHECK_FAILS(qn_structure_read_memory("r", bad, strlen(bad), NULL, NULL, &m), QN_BAD_FORMAT);
    CHECK_TEXT(qn_error_message(), "r:2: type \"Qz\" is none of AutoDock's (columns 78-80)");
}

/* The charge and segment columns of a PDB file do not make it PDBQT. */
static void pdb_files_are_not_recognised_as_pdbqt(void)
{
    const char *const texts[] = {"ATOM      1  N   GLY A   1      11.104   6.134  -6.504  1.00  0.00           N  \n",
                                 "ATOM      1  N   GLY A   1      11.104   6.134  -6.504  1.00  0.00      A    N  \n",
                                 "ATOM      1  N   GLY A   1      11.104   6.134  -6.504  1.00  0.00\n",
                                 "HETATM    1 ZN    ZN A   1      11.104   6.134  -6.504  1.00  0.00      2.00ZN2+\n",
                                 ""};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) CHECK(!qn_pdbqt_recognise(texts[i], strlen(texts[i])));
}

/* Counts were made with grep. */
static void real_files_are_read(void)
{
    static const struct {
        const char *file;
        size_t molecules, atoms;
    } cases[] = {{"docking/ligand/1iep/1iep_ligand.pdbqt", 1, 40},
                 {"docking/ligand/1iep/1iep_ligand_vina_out.pdbqt", 4, 40},
                 {"docking/ligand/1iep/1iep_ligand_ad4_out.pdbqt", 3, 40},
                 {"docking/ligand/1stp/1stp_ligand.pdbqt", 1, 18},
                 {"docking/ligand/3ce3/3ce3_ligand.pdbqt", 1, 37}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = check_reference_data(cases[i].file);
        qn_compound **c;
        size_t count;
        if (!path) {
            CHECK(true);
            return;
        }
        if (!CHECK_OK(qn_compound_read_file(path, &c, &count))) continue;
        CHECK(count == cases[i].molecules);
        for (size_t k = 0; k < count; k++) {
            CHECK(c[k]->atom_count == cases[i].atoms);
            qn_compound_destroy(&c[k]);
        }
        qn_release(&c);
    }
}

/* Proteins, whose atom names begin with the element; counts were made with grep. */
static void real_receptors_are_read(void)
{
    static const struct {
        const char *file, *residue;
        size_t atoms, heavy;
    } cases[] = {{"docking/ligand/1iep/1iep_receptor.pdbqt", "SER", 2702, 2229},
                 {"docking/ligand/1stp/1stp_protein.pdbqt", "ALA", 1116, 901},
                 {"docking/ligand/3ce3/3ce3_protein.pdbqt", "ASP", 2836, 2323}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *path = check_reference_data(cases[k].file);
        qn_molecule *m;
        size_t heavy = 0;
        if (!path) {
            CHECK(true);
            return;
        }
        if (!CHECK_OK(qn_molecule_read(NULL, path, NULL, &m))) continue;
        for (size_t i = 0; i < m->atom_count; i++) {
            const qn_atom *atom = &m->atoms[i];
            heavy += strcmp(atom->element, "H") != 0;
            CHECK(atom->element[0] == atom->name[strspn(atom->name, "0123456789")] && atom->element[1] == '\0');
        }
        CHECK(m->atom_count == cases[k].atoms && heavy == cases[k].heavy);
        CHECK_TEXT(m->residues[0].name, cases[k].residue);
        qn_molecule_destroy(&m);
    }
}

int main(void)
{
    RUN(molecules_without_a_name_get_the_name_of_the_file);
    RUN(a_ligand_is_read_correctly);
    RUN(atoms_of_the_receptor_are_not_read);
    RUN(models_and_molecules_are_separated);
    RUN(ends_behind_the_last_molecule_are_refused);
    RUN(the_tree_is_read);
    RUN(a_written_tree_is_read);
    RUN(broken_trees_are_refused);
    RUN(errors_are_reported);
    RUN(receptors_get_elements_from_types);
    RUN(pdb_files_are_not_recognised_as_pdbqt);
    RUN(real_files_are_read);
    RUN(real_receptors_are_read);
    return check_finish();
}
