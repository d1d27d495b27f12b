#include "check.h"

#include "format/tests/compounds.h"

/* Alanine's zwitterion without the hydrogens of its methyl group; comments and blank lines stand between the sections,
 * as in real files. */
static const char alanine[] = "# made by hand\n"
                              "\n"
                              "@<TRIPOS>MOLECULE\n"
                              " alanine  \n"
                              "# a comment\n"
                              " 7 7 1 0 0\n"
                              "SMALL\n"
                              "USER_CHARGES\n"
                              "\n"
                              "@<TRIPOS>ATOM\n"
                              "   1 N     0.1000  0.2000 -0.3000 N.4  1 ALA1 -0.5\n"
                              "   2 CA    1.5     1e-1    0      C.3  1 ALA1  0.25\n"
                              "\n"
                              "# another comment\n"
                              "  30 C     2.5     0       0      C.2  1 ALA1  0.6\n"
                              "   4 O1    3.1     1       0      O.co2 1 ALA1 -0.8 BACKBONE\n"
                              "   5 O2    3.1    -1       0      O.co2 1 ALA1 -0.8\n"
                              "   6 CB    1.5     0       1.5    C.3\n"
                              "   7 HA_long1 1.5  0      -1.5    H\r\n"
                              "@<TRIPOS>BOND\n"
                              " 1 1 2 1\n"
                              " 2 2 30 1 BACKBONE\n"
                              " 3 30 4 ar\n"
                              " 4 30 5 ar\n"
                              " 5 2 6 un\n"
                              " 6 2 7 1\n"
                              " 7 1 30 nc\n"
                              "@<TRIPOS>SUBSTRUCTURE\n"
                              " 1 ALA1 1\n";

static void a_molecule_is_read_correctly(void)
{
    static const char *const elements[] = {"N", "C", "C", "O", "O", "C", "H"};
    static const char *const types[] = {"N.4", "C.3", "C.2", "O.co2", "O.co2", "C.3", "H"};
    qn_compound *c;
    qn_compound_record record = {.format = QN_COMPOUND_MOL2, .line = 3, .path = "lib"};
    record.text = strstr(alanine, "@<TRIPOS>MOLECULE");
    record.size = strlen(record.text);
    if (!CHECK_OK(qn_compound_read(&record, &c))) return;
    CHECK_TEXT(c->name, "alanine");
    if (!CHECK(c->atom_count == 7 && c->bond_count == 6 && c->conformer_count == 1 && !c->flat)) return;
    for (int i = 0; i < 7; i++) {
        CHECK_TEXT(c->atoms[i].element, elements[i]);
        CHECK_TEXT(c->atoms[i].type, types[i]);
        CHECK(c->atoms[i].charge_e == (i == 0 ? 1 : i == 4 ? -1 : 0) && c->atoms[i].has_partial_charge == (i < 5));
    }
    CHECK_TEXT(c->atoms[6].name, "HA_long");
    CHECK_NEAR((double)c->atoms[3].partial_charge_e, -0.8, 1e-7);
    CHECK(c->positions_angstrom[0] == 0.1 && c->positions_angstrom[2] == -0.3 && c->positions_angstrom[4] == 0.1);
    CHECK(c->bonds[2].first == 2 && c->bonds[2].second == 3 && c->bonds[2].order == QN_BOND_DOUBLE);
    CHECK(c->bonds[3].order == QN_BOND_SINGLE && c->bonds[4].order == QN_BOND_UNKNOWN);
    qn_compound_destroy(&c);
}

/* SYBYL types, GAFF's lower-case types, types that stand for no element, and types that are not recognised (NULL). */
static void elements_follow_from_types(void)
{
    static const struct {
        const char *type, *name, *element;
    } cases[] = {
        {"C.ar", "X1", "C"}, {"S.o2", "S", "S"},   {"Cl", "C1", "CL"}, {"Cr.th", "CR", "CR"}, {"Fe.2", "FE", "FE"},
        {"N.ani", "N", "N"}, {"cl", "C1", "CL"},   {"ca", "C1", "C"},  {"hn", "H", "H"},      {"Ca", "CA", "CA"},
        {"ZN", "ZN", "ZN"},  {"CL", "Cl12", "CL"}, {"Du", "D", "X"},   {"Hev", "L", "X"},     {"Any", "A", "X"},
        {"CA", "CG", NULL},  {"CT", "CT", NULL},   {"Q.3", "Q", NULL}, {"x", "C", NULL},      {"C.AR", "C1", "C"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        qn_compound *c;
        snprintf(text, sizeof text,
                 "@<TRIPOS>MOLECULE\n*****\n1\nSMALL\nNO_CHARGES\n@<TRIPOS>ATOM\n1 %s 1 2 3 %s 1 L 0\n", cases[i].name,
                 cases[i].type);
        if (!cases[i].element) {
            CHECK_FAILS(read_record(QN_COMPOUND_MOL2, text, &c), QN_BAD_FORMAT);
        } else if (CHECK_OK(read_record(QN_COMPOUND_MOL2, text, &c))) {
            CHECK_TEXT(c->atoms[0].element, cases[i].element);
            CHECK(c->name[0] == '\0' && !c->atoms[0].has_partial_charge);
            qn_compound_destroy(&c);
        }
    }
}

#define METHANOL                                                                         \
    "@<TRIPOS>MOLECULE\nmethanol\n3 2\nSMALL\nGASTEIGER\n@<TRIPOS>ATOM\n1 C 0 0 0 C.3\n" \
    "2 HO 2 1 0.5 H\n3 O 1.4 0 0 O.3\n@<TRIPOS>BOND\n1 1 3 1\n2 3 2 1\n"

static void conformers_of_all_atoms_are_added(void)
{
    qn_compound *c;
    const char text[] = METHANOL "@<BUDE>CONF 0\n0 0 0\n2 1 0.5\n1.4 0 0\n" /* repeats the ATOM section */
                                 "@<BUDE>CONF 1\n# comment\n1 1 1\n% comment\n2 2 2\n3 3 3\n"
                                 "@<BUDE>CONF 2\n4 4 4\n5 5 5\n\n6 6 -6.5\n";
    if (!CHECK_OK(read_record(QN_COMPOUND_MOL2, text, &c))) return;
    CHECK(c->conformer_count == 3 && c->atom_count == 3);
    CHECK(qn_compound_positions(c, 0)[3] == 2 && qn_compound_positions(c, 1)[8] == 3);
    CHECK(qn_compound_positions(c, 2)[8] == -6.5);
    qn_compound_destroy(&c);
}

static void conformers_of_heavy_atoms_make_hydrogens_implicit(void)
{
    qn_compound *c;
    const char text[] = METHANOL "@<BUDE>CONF 1\n1 1 1\n3 3 3\n@<BUDE>CONF 2\n4 4 4\n6 6 -6.5\n";
    if (!CHECK_OK(read_record(QN_COMPOUND_MOL2, text, &c))) return;
    CHECK(c->conformer_count == 3 && c->atom_count == 2 && c->bond_count == 1);
    CHECK(c->bonds[0].first == 0 && c->bonds[0].second == 1);
    CHECK_TEXT(c->atoms[1].name, "O");
    CHECK(c->atoms[0].hydrogens == 0 && c->atoms[1].hydrogens == 1);
    CHECK(qn_compound_positions(c, 0)[3] == 1.4 && qn_compound_positions(c, 1)[3] == 3);
    CHECK(qn_compound_positions(c, 2)[5] == -6.5);
    qn_compound_destroy(&c);
}

static void without_bonds_no_hydrogens_are_counted(void)
{
    qn_compound *c;
    const char text[] = "@<TRIPOS>MOLECULE\nmethanol\n3\nSMALL\nGASTEIGER\n@<TRIPOS>ATOM\n1 C 0 0 0 C.3\n"
                        "2 HO 2 1 0.5 H\n3 O 1.4 0 0 O.3\n@<BUDE>CONF 1\n1 1 1\n3 3 3\n";
    if (!CHECK_OK(read_record(QN_COMPOUND_MOL2, text, &c))) return;
    CHECK(c->conformer_count == 2 && c->atom_count == 2 && c->bond_count == 0);
    CHECK(c->atoms[0].hydrogens == -1 && c->atoms[1].hydrogens == -1);
    qn_compound_destroy(&c);
}

/* SYBYL writes lone pairs as atoms; they are dropped from all conformers. */
static void lone_pairs_are_dropped(void)
{
    qn_compound *c;
    const char text[] = "@<TRIPOS>MOLECULE\nwater\n5 4\nSMALL\nNO_CHARGES\n@<TRIPOS>ATOM\n1 L1 9 9 9 LP\n"
                        "2 O 1 2 3 O.3\n3 L2 8 8 8 LP\n4 H1 4 5 6 H\n5 H2 7 8 9 H\n"
                        "@<TRIPOS>BOND\n1 1 2 1\n2 2 4 1\n3 3 2 1\n4 2 5 1\n"
                        "@<BUDE>CONF 1\n0 0 0\n2 2 2\n0 0 0\n3 3 3\n4 4 4\n";
    if (!CHECK_OK(read_record(QN_COMPOUND_MOL2, text, &c))) return;
    if (CHECK(c->atom_count == 3 && c->bond_count == 2 && c->conformer_count == 2)) {
        CHECK_TEXT(c->atoms[0].element, "O");
        CHECK(c->bonds[0].first == 0 && c->bonds[0].second == 1 && c->bonds[1].second == 2);
        CHECK(qn_compound_positions(c, 0)[0] == 1 && qn_compound_positions(c, 0)[3] == 4);
        CHECK(qn_compound_positions(c, 1)[0] == 2 && qn_compound_positions(c, 1)[8] == 4);
        CHECK(c->atoms[0].hydrogens == -1);
    }
    qn_compound_destroy(&c);
    CHECK_FAILS(
        read_record(QN_COMPOUND_MOL2, "@<TRIPOS>MOLECULE\nx\n1\nSMALL\nNO_CHARGES\n@<TRIPOS>ATOM\n1 L1 9 9 9 LP\n", &c),
        QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("nothing but lone pairs");
}

static void sulfates_have_two_double_bonds(void)
{
    qn_compound *c;
    const char text[] = "@<TRIPOS>MOLECULE\nsulfate\n5 4\nSMALL\nNO_CHARGES\n@<TRIPOS>ATOM\n"
                        "1 S 0 0 1 S.o2\n2 O 0 0 1 O.co2\n3 O 0 0 1 O.co2\n4 O 0 0 1 O.co2\n5 O 0 0 1 O.co2\n"
                        "@<TRIPOS>BOND\n1 1 2 ar\n2 1 3 ar\n3 1 4 ar\n4 1 5 ar\n";
    int order = 0, charge = 0;
    if (!CHECK_OK(read_record(QN_COMPOUND_MOL2, text, &c))) return;
    for (int i = 0; i < 4; i++) order += (int)c->bonds[i].order;
    for (int i = 0; i < 5; i++) charge += c->atoms[i].charge_e;
    CHECK(order == 6 && charge == -2);
    qn_compound_destroy(&c);
}

/* Phosphate, sulfonate, guanidinium; formal charges of attributes take precedence. */
static void aromatic_bonds_of_ions_become_single_or_double(void)
{
    qn_compound *c;
    const char text[] = "@<TRIPOS>MOLECULE\nions\n12 9\nSMALL\nNO_CHARGES\n@<TRIPOS>ATOM\n"
                        "1 P 0 0 1 P.3\n2 O 0 0 1 O.co2\n3 O 0 0 1 O.co2\n4 O 0 0 1 O.co2\n"
                        "5 S 0 0 1 S.o2\n6 O 0 0 1 O.co2\n7 O 0 0 1 O.co2\n8 O 0 0 1 O.co2\n"
                        "9 C 0 0 1 C.cat\n10 N 0 0 1 N.pl3\n11 N 0 0 1 N.pl3\n12 N 0 0 1 N.pl3\n"
                        "@<TRIPOS>BOND\n1 1 2 ar\n2 1 3 ar\n3 1 4 ar\n4 5 6 ar\n5 5 7 ar\n6 5 8 ar\n"
                        "7 9 10 ar\n8 9 11 ar\n9 9 12 ar\n"
                        "@<TRIPOS>UNITY_ATOM_ATTR\n10 2\nsomething x\ncharge 1\n2 1\ncharge -1\n";
    static const int charges[] = {0, -1, 0, -1, 0, 0, 0, -1, 0, 1, 0, 0};
    static const qn_bond_order orders[] = {1, 2, 1, 2, 2, 1, 2, 1, 1};
    if (!CHECK_OK(read_record(QN_COMPOUND_MOL2, text, &c))) return;
    for (int i = 0; i < 12; i++) CHECK(c->atoms[i].charge_e == charges[i]);
    for (int i = 0; i < 9; i++) CHECK(c->bonds[i].order == orders[i]);
    qn_compound_destroy(&c);
}

static void ions_have_the_charge_of_their_file(void)
{
    qn_compound *c;
    const char text[] = "@<TRIPOS>MOLECULE\nions\n3\nSMALL\nUSER_CHARGES\n@<TRIPOS>ATOM\n1 Mg1 0 0 1 Mg 1 U 2.0\n"
                        "2 Cl1 5 0 1 Cl 1 U -1.0\n3 N1 9 0 1 N.4 1 U 0.1\n@<TRIPOS>BOND\n";
    if (!CHECK_OK(read_record(QN_COMPOUND_MOL2, text, &c))) return;
    CHECK(c->atoms[0].charge_e == 2 && c->atoms[1].charge_e == -1 && c->atoms[2].charge_e == 1);
    qn_compound_destroy(&c);
}

#define HEAD "@<TRIPOS>MOLECULE\nx\n2 1\nSMALL\nGASTEIGER\n"
#define ATOMS "@<TRIPOS>ATOM\n1 C 0 0 0 C.3\n2 C 0 0 1 C.3\n"

static void errors_are_reported(void)
{
    static const bad_record cases[] = {
        {"@<TRIPOS>MOLECULE\nx\n", "lib:13: the MOLECULE section ends before its counts; expected the number of atoms"},
        {"@<TRIPOS>MOLECULE\nx\nSMALL\n", "lib:13: \"SMALL\" in \"SMALL\"; expected the number of atoms"},
        {"@<TRIPOS>MOLECULE\nx\n2 one\n", "lib:13: \"one\" in \"2 one\"; expected the number of bonds"},
        {"@<TRIPOS>MOLECULE\nx\n0 0\n", "lib:13: 0 atoms and 0 bonds; expected at least one atom and no more than the "
                                        "record has room for"},
        {"@<TRIPOS>MOLECULE\nx\n5000 0\n", "lib:13: 5000 atoms and 0 bonds; expected at least one atom and no more "
                                           "than the record has room for"},
        {HEAD, "lib:11: the molecule has no ATOM section"},
        {HEAD ATOMS, "lib:11: the molecule has no BOND section; expected one of 1 bonds"},
        {HEAD "@<TRIPOS>ATOM\n1 C 0 0 0 C.3\n", "lib:18: the ATOM section ends after 1 atoms; expected 2"},
        {HEAD ATOMS "3 C 0 0 0 C.3\n", "lib:19: \"3 C 0 0 0 C.3\" after all 2 atoms; expected another section"},
        {HEAD "@<TRIPOS>ATOM\n1 C 0 0\n", "lib:17: z coordinate \"\" is not a number"},
        {HEAD "@<TRIPOS>ATOM\na C 0 0 0 C.3\n", "lib:17: \"a\" in \"a C 0 0 0 C.3\"; expected the number of an atom"},
        {HEAD "@<TRIPOS>ATOM\n1 C 0 0 1e6 C.3\n",
         "lib:17: z coordinate \"1e6\" is out of range; expected less than 100000 Å"},
        {HEAD "@<TRIPOS>ATOM\n1 C 0 0 0 Qq.3\n", "lib:17: atom 1 has type \"Qq.3\"; expected a SYBYL type such as C.3"},
        {HEAD "@<TRIPOS>ATOM\n1 C 0 0 0 C.3 1 LIG x\n", "lib:17: charge \"x\"; expected a number from -100 to 100"},
        {HEAD "@<TRIPOS>ATOM\n2 C 0 0 0 C.3\n2 C 0 0 0 C.3\n",
         "lib:19: two atoms have the number 2; expected all different"},
        {HEAD ATOMS "@<TRIPOS>ATOM\n", "lib:19: a second ATOM section; expected one per molecule"},
        {HEAD ATOMS "@<TRIPOS>BOND\n1 1 3 1\n", "lib:20: a bond names atom 3; expected one of the list"},
        {HEAD ATOMS "@<TRIPOS>BOND\n1 1 1 1\n", "lib:20: a bond joins atom 1 to itself; expected two atoms"},
        {HEAD ATOMS "@<TRIPOS>BOND\n1 1 2 4\n", "lib:20: bond of type \"4\"; expected 1, 2, 3, am, ar, du, un or nc"},
        {HEAD ATOMS "@<TRIPOS>BOND\n", "lib:20: the BOND section ends after 0 bonds; expected 1"},
        {HEAD ATOMS "@<TRIPOS>BOND\n1 1 2 1\n2 2 1 1\n",
         "lib:21: \"2 2 1 1\" after all 1 bonds; expected another section"},
        {HEAD "@<TRIPOS>BOND\n1 1 2 1\n", "lib:17: a bond names atom 1; expected one of the list"},
        {HEAD ATOMS "@<TRIPOS>BOND\n1 1 2 1\n@<BUDE>CONF 1\n1 2 3\n",
         "lib:21: a CONF section of 1 lines; expected one for each of 2 atoms"},
        {HEAD "@<BUDE>CONF 1\n1 2 3\n", "lib:16: a CONF section before the atoms; expected the ATOM section first"},
        {HEAD ATOMS "@<TRIPOS>BOND\n1 1 2 1\n@<BUDE>CONF 1\n1 2 3\n1 2\n", "lib:23: z coordinate \"\" is not a number"},
    };
    check_refusals(QN_COMPOUND_MOL2, cases, sizeof cases / sizeof *cases);
}

static void molecules_are_separated_and_comments_skipped(void)
{
    char path[600], text[2000];
    qn_compound_stream *stream;
    qn_compound_record record = {0};
    snprintf(path, sizeof path, "%s/two.mol2", check_scratch_folder());
    snprintf(text, sizeof text, "%s# between\n" METHANOL, alanine);
    CHECK_OK(qn_file_write(path, text, strlen(text)));
    if (!CHECK_OK(qn_compound_stream_open(path, &stream))) return;
    CHECK_OK(qn_compound_stream_next(stream, &record));
    CHECK(record.format == QN_COMPOUND_MOL2 && record.index == 0 && record.line == 3);
    CHECK_OK(qn_compound_stream_next(stream, &record));
    CHECK(record.index == 1 && record.line == 31 && strncmp(record.text, METHANOL, strlen(METHANOL)) == 0);
    CHECK_OK(qn_compound_stream_next(stream, &record));
    CHECK(record.size == 0);
    qn_compound_record_clear(&record);
    qn_compound_stream_close(&stream);
}

int main(void)
{
    RUN(a_molecule_is_read_correctly);
    RUN(elements_follow_from_types);
    RUN(conformers_of_all_atoms_are_added);
    RUN(conformers_of_heavy_atoms_make_hydrogens_implicit);
    RUN(without_bonds_no_hydrogens_are_counted);
    RUN(lone_pairs_are_dropped);
    RUN(sulfates_have_two_double_bonds);
    RUN(aromatic_bonds_of_ions_become_single_or_double);
    RUN(ions_have_the_charge_of_their_file);
    RUN(errors_are_reported);
    RUN(molecules_are_separated_and_comments_skipped);
    return check_finish();
}
