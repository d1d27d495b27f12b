#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "format/tests/compounds.h"

#define HEAD "acetate\n  Someone 11212619213D\n\n"

/* Acetate with a deuterium instead of one hydrogen, as V2000 and V3000. */
static const char acetate_v2000[] = HEAD "  5  4  0  0  0  0            999 V2000\n"
                                         "    1.0000   -2.5000    3.1250 C   0  0\n"
                                         "   -0.5000    0.0001    0.0000 C   0  3  0  0  0  0\n"
                                         "    9.9999    1.0000   -1.0000 O   0  0\n"
                                         "10000.0000-1000.0000   -0.0001 O   0  5\n"
                                         "    0.0000    0.0000    0.0000 H   1  0\n"
                                         "  1  2  1  0\n"
                                         "  2  3  2  0\n"
                                         "  4  2  1  0\n"
                                         "  1  5  1\n"
                                         "M  CHG  1   4  -1\n"
                                         "M  END\n"
                                         ">  <ID>  (1) \n"
                                         "A-7\n"
                                         "\n"
                                         "> 25 <two lines>\n"
                                         " first\n"
                                         "second \n"
                                         "\n"
                                         "> <empty>\n"
                                         "\n"
                                         "\n"
                                         "> DT12\n"
                                         "4\n"
                                         "\n"
                                         "$$$$\n";

static const char acetate_v3000[] = HEAD "  0  0  0     0  0            999 V3000\n"
                                         "M  V30 BEGIN CTAB\n"
                                         "M  V30 COUNTS 5 5 0 0 0\n"
                                         "M  V30 BEGIN ATOM\n"
                                         "M  V30 1 C 1 -2.5 3.125 0\n"
                                         "M  V30 2 C -0.5 1e-4 0 0\n"
                                         "M  V30 3 O 9.9999 1 -1 0 CFG=1\n"
                                         "M  V30 14 O 10000 -1000 -\n"
                                         "M  V30 -.0001 0 CHG=-1 -\n"
                                         "M  V30 RAD=1\n"
                                         "M  V30 9 H 0 0 0 0 MASS=2\n"
                                         "M  V30 END ATOM\n"
                                         "M  V30 BEGIN BOND\n"
                                         "M  V30 1 1 1 2\n"
                                         "M  V30 2 2 2 3\n"
                                         "M  V30 5 10 3 9\n"
                                         "M  V30 3 9 14 2 CFG=3\n"
                                         "M  V30 4 1 1 9\n"
                                         "M  V30 END BOND\n"
                                         "M  V30 BEGIN SGROUP\n"
                                         "M  V30 END SGROUP\n"
                                         "M  V30 END CTAB\n"
                                         "M  END\n";

static void check_acetate(const qn_compound *c)
{
    static const char *const elements[] = {"C", "C", "O", "O", "D"};
    static const qn_bond_order orders[] = {QN_BOND_SINGLE, QN_BOND_DOUBLE, QN_BOND_SINGLE, QN_BOND_SINGLE};
    CHECK_TEXT(c->name, "acetate");
    if (!CHECK(c->atom_count == 5 && c->bond_count == 4 && c->conformer_count == 1)) return;
    for (int i = 0; i < 5; i++) {
        CHECK_TEXT(c->atoms[i].element, elements[i]);
        CHECK(c->atoms[i].charge_e == (i == 3 ? -1 : 0) && c->atoms[i].hydrogens == -1);
        CHECK(!c->atoms[i].has_partial_charge && c->atoms[i].name[0] == '\0');
    }
    for (int i = 0; i < 4; i++) CHECK(c->bonds[i].order == orders[i]);
    CHECK(c->bonds[2].first == 3 && c->bonds[2].second == 1);
    const double *p = c->positions_angstrom;
    CHECK(p[0] == 1 && p[1] == -2.5 && p[2] == 3.125 && p[4] == 0.0001 && p[6] == 9.9999);
    CHECK(p[9] == 10000 && p[10] == -1000 && p[11] == -0.0001 && !c->flat);
}

static void v2000_is_read_correctly(void)
{
    qn_compound *c;
    if (!CHECK_OK(read_record(QN_COMPOUND_SDF, acetate_v2000, &c))) return;
    check_acetate(c);
    CHECK(c->property_count == 4);
    CHECK_TEXT(qn_compound_property_value(c, "ID"), "A-7");
    CHECK_TEXT(qn_compound_property_value(c, "two lines"), " first\nsecond ");
    CHECK_TEXT(qn_compound_property_value(c, "empty"), "");
    CHECK_TEXT(qn_compound_property_value(c, "DT12"), "4");
    qn_compound_destroy(&c);
}

static void v3000_is_read_correctly(void)
{
    qn_compound *c;
    if (!CHECK_OK(read_record(QN_COMPOUND_SDF, acetate_v3000, &c))) return;
    check_acetate(c);
    CHECK(c->property_count == 0);
    qn_compound_destroy(&c);
}

static void windows_line_ends_are_read(void)
{
    char text[2 * sizeof acetate_v2000];
    qn_compound *c;
    size_t length = 0;
    for (const char *from = acetate_v2000; *from; from++) {
        if (*from == '\n') text[length++] = '\r';
        text[length++] = *from;
    }
    text[length] = '\0';
    if (!CHECK_OK(read_record(QN_COMPOUND_SDF, text, &c))) return;
    check_acetate(c);
    CHECK_TEXT(qn_compound_property_value(c, "two lines"), " first\nsecond ");
    qn_compound_destroy(&c);
}

/* A value continues after a blank line until an item begins. */
static void values_may_hold_blank_lines(void)
{
    qn_compound *c;
    const char text[] = "\n\n\n  1  0  0  0  0  0            999 V2000\n"
                        "    0.0000    0.0000    0.0000 Cl  0  5\n"
                        "M  END\n> <A>\none\n>two\n\nthree\n\n\n> <B>\nfour\n";
    if (!CHECK_OK(read_record(QN_COMPOUND_SDF, text, &c))) return;
    CHECK_TEXT(qn_compound_property_value(c, "A"), "one\n>two\n\nthree");
    CHECK_TEXT(qn_compound_property_value(c, "B"), "four");
    CHECK_TEXT(c->atoms[0].element, "CL");
    CHECK(c->atoms[0].charge_e == -1 && !c->flat && c->name[0] == '\0');
    qn_compound_destroy(&c);
}

static void charges_of_property_lines_replace_the_atom_block(void)
{
    qn_compound *c;
    const char text[] = "\n\n\n  3  2  0  0  0  0            999 V2000\n"
                        "    0.0000    0.0000    0.0000 N   0  3\n"
                        "    1.0000    0.0000    0.0000 C   0  1  0  0  0  4\n"
                        "    2.0000    0.0000    0.0000 H   0  0\n"
                        "  1  2  2\n  2  3  1\n"
                        "A    1\nM  CHG  1   1   5\n" /* the text of an alias, not a property */
                        "M  ISO  1   3   3\n"
                        "M  RAD  1   2   2\n"
                        "M  CHG  2   2   1   3  -2\n"
                        "M  END\n";
    if (!CHECK_OK(read_record(QN_COMPOUND_SDF, text, &c))) return;
    CHECK(c->atoms[0].charge_e == 0 && c->atoms[1].charge_e == 1 && c->atoms[2].charge_e == -2);
    CHECK(c->atoms[1].hydrogens == 1 && c->atoms[0].hydrogens == -1); /* valence 4, of which the bonds take 3 */
    CHECK_TEXT(c->atoms[2].element, "T");
    CHECK(c->flat); /* all z are 0, and nothing states 3D */
    qn_compound_destroy(&c);
}

#define COUNTS(text) "\n\n\n" text "            999 V2000\n"
#define CARBON "    0.0000    0.0000    0.0000 C   0  0\n"

/* A line of radicals alone also replaces all charges; 15 means a valence of 0; a planar molecule counts as a drawing
 * unless 3D is stated. */
static void rare_fields_are_read(void)
{
    qn_compound *c;
    const char radical[] = COUNTS("  2  1  0  0  0  0") "    0.0000    0.0000    0.0000 O   0  5\n" CARBON
                                                        "  1  2  1\nM  RAD  1   2   2\nM  END\n";
    if (CHECK_OK(read_record(QN_COMPOUND_SDF, radical, &c))) CHECK(c->atoms[0].charge_e == 0 && c->flat);
    qn_compound_destroy(&c);
    const char bare[] = COUNTS("  1  0  0  0  0  0") "    0.0000    0.0000    0.0000 Na  0  3  0  0  0 15\nM  END\n";
    if (CHECK_OK(read_record(QN_COMPOUND_SDF, bare, &c)))
        CHECK(c->atoms[0].hydrogens == 0 && c->atoms[0].charge_e == 1);
    qn_text text = {0};
    CHECK_OK(qn_compound_write_sdf(c, NULL, &text));
    qn_compound_destroy(&c);
    if (CHECK_OK(read_record(QN_COMPOUND_SDF, text.data, &c))) CHECK(c->atoms[0].hydrogens == 0);
    qn_text_clear(&text);
    qn_compound_destroy(&c);
    const char planar[] =
        "\n  Someone 11212619213D\n\n  2  0  0  0  0  0            999 V2000\n" CARBON CARBON "M  END\n";
    if (CHECK_OK(read_record(QN_COMPOUND_SDF, planar, &c))) CHECK(!c->flat);
    qn_compound_destroy(&c);
}

/* Nineteen charges take three lines of at most eight. */
static void many_charges_are_written(void)
{
    qn_compound *c, *back;
    qn_text text = {0};
    if (!CHECK_OK(qn_compound_create("ions", 20, 0, 1, &c))) return;
    for (int i = 0; i < 20; i++) {
        strcpy(c->atoms[i].element, "CL");
        c->atoms[i].charge_e = (signed char)(i == 4 ? 0 : i % 2 ? -1 : 5);
    }
    CHECK_OK(qn_compound_write_sdf(c, NULL, &text));
    CHECK(strstr(text.data, "\nM  CHG  8   1   5") && strstr(text.data, "\nM  CHG  3  18  -1  19   5  20  -1\nM  END"));
    if (CHECK_OK(read_record(QN_COMPOUND_SDF, text.data, &back))) check_same(c, back, 0);
    qn_compound_destroy(&back);
    qn_compound_destroy(&c);
    qn_text_clear(&text);
}

static void errors_are_reported(void)
{
    static const bad_record cases[] = {
        {"title\n\n", "lib:13: the record ends within its header; expected three lines and one of counts"},
        {"\n\n\nATOM  1\n", "lib:14: counts line \"ATOM  1\"; expected the numbers of atoms and bonds in columns 1-3 "
                            "and 4-6"},
        {COUNTS("  0  0  0  0  0  0") "M  END\n", "lib:14: 0 atoms and 0 bonds; expected at least one atom"},
        {COUNTS("  2  0  0  0  0  0") CARBON "M  END\n",
         "lib:16: the molecule ends after 1 of its 2 atoms and 0 of its 0 bonds"},
        {COUNTS("  2  1  0  0  0  0") CARBON CARBON,
         "lib:17: the molecule ends after 2 of its 2 atoms and 0 of its 1 bonds"},
        {COUNTS("  1  0  0  0  0  0") CARBON, "lib:16: the molecule ends without \"M  END\""},
        {COUNTS("  1  0  0  0  0  0") "    0.0000    0.00x0    0.0000 C   0  0\nM  END\n",
         "lib:15: y coordinate \"    0.00x0\" is not a number"},
        {COUNTS("  1  0  0  0  0  0") "    0.0000    0.0000       nan C   0  0\nM  END\n",
         "lib:15: z coordinate \"       nan\" is not a number"},
        {COUNTS("  1  0  0  0  0  0") "999999.000    0.0000    0.0000 C   0  0\nM  END\n",
         "lib:15: x coordinate \"999999.000\" is out of range; expected less than 100000 Å"},
        {COUNTS("  1  0  0  0  0  0") "    0.0000    0.0000    0.0000 R#  0  0\nM  END\n",
         "lib:15: atom 1 is \"R#\"; expected the symbol of an element"},
        {COUNTS("  1  0  0  0  0  0") "    0.0000    0.0000    0.0000 *   0  0\nM  END\n",
         "lib:15: atom 1 is \"*\"; expected the symbol of an element"},
        {COUNTS("  1  0  0  0  0  0") "    0.0000    0.0000    0.0000\nM  END\n",
         "lib:15: atom 1 is \"\"; expected the symbol of an element"},
        {COUNTS("  1  0  0  0  0  0") "    0.0000    0.0000    0.0000 C   0  9\nM  END\n",
         "lib:15: charge code 9; expected 0 to 7 (columns 37-39)"},
        {COUNTS("  1  0  0  0  0  0") "    0.0000    0.0000    0.0000 C   0  x\nM  END\n",
         "lib:15: charge code \"  x\" is not a whole number (columns 37-39)"},
        {COUNTS("  2  1  0  0  0  0") CARBON CARBON "  1  3  1\nM  END\n",
         "lib:17: a bond names atom 3; expected 1 to 2"},
        {COUNTS("  2  1  0  0  0  0") CARBON CARBON "  2  2  1\nM  END\n",
         "lib:17: a bond joins atom 2 to itself; expected two atoms"},
        {COUNTS("  2  1  0  0  0  0") CARBON CARBON "  1  2  6\nM  END\n",
         "lib:17: bond of type 6; expected 1 to 4, single, double, triple or aromatic"},
        {COUNTS("  2  1  0  0  0  0") CARBON CARBON "1 2 1\nM  END\n",
         "lib:17: bond line \"1 2 1\"; expected two atoms and a type in columns 1-9"},
        {COUNTS("  2  2  0  0  0  0") CARBON CARBON "  1  2  1\n  2  1  1\nM  END\n",
         "lib:11: atoms 1 and 2 of the record are joined by two bonds; expected one"},
        {COUNTS("  1  0  0  0  0  0") CARBON "M  CHG  1   2  -1\nM  END\n",
         "lib:16: property line \"M  CHG  1   2  -1\"; expected a count, then atoms (1 to 1) and values"},
    };
    check_refusals(QN_COMPOUND_SDF, cases, sizeof cases / sizeof *cases);
}

#define V3000 "\n\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\n"

static void v3000_errors_are_reported(void)
{
    static const bad_record cases[] = {
        {V3000 "M  V30 COUNTS 1 x\n", "lib:16: \"x\" in \"COUNTS 1 x\"; expected the number of bonds"},
        {V3000 "M  V30 COUNTS 1000 0\n",
         "lib:16: 1000 atoms and 0 bonds; expected no more than the record has room for"},
        {V3000 "M  V30 COUNTS 0 0\n",
         "lib:16: 0 atoms and 0 bonds; expected 1 to 1000000 atoms and up to as many bonds"},
        {V3000 "M  V30 COUNTS 1 0 -\nM  END\n", "lib:17: \"M  END\"; expected a line that begins with \"M  V30 \""},
        {V3000 "M  V30 COUNTS 1 0\nM  V30 BEGIN BOND\n", "lib:17: \"BEGIN BOND\"; expected BEGIN ATOM"},
        {V3000 "M  V30 COUNTS 2 0\nM  V30 BEGIN ATOM\nM  V30 1 C 0 0 0 0\nM  V30 END ATOM\n",
         "lib:19: the list of atoms ends after 1; expected 2"},
        {V3000 "M  V30 COUNTS 1 0\nM  V30 BEGIN ATOM\nM  V30 1 R# 0 0 0 0\n",
         "lib:18: atom 1 is \"R#\"; expected the symbol of an element"},
        {V3000 "M  V30 COUNTS 1 0\nM  V30 BEGIN ATOM\nM  V30 1 C 0 0 0 0 CHG=a\n",
         "lib:18: \"CHG=a\"; expected CHG= and a whole number"},
        {V3000 "M  V30 COUNTS 1 0\nM  V30 BEGIN ATOM\nM  V30 1 C 0 0 0 0 CHG=16\n",
         "lib:18: charge 16; expected -15 to 15"},
        {V3000 "M  V30 COUNTS 2 0\nM  V30 BEGIN ATOM\nM  V30 7 C 0 0 0 0\nM  V30 7 C 1 0 0 0\nM  V30 END ATOM\n",
         "lib:20: two atoms have the number 7; expected all different"},
        {V3000 "M  V30 COUNTS 2 1\nM  V30 BEGIN ATOM\nM  V30 7 C 0 0 0 0\nM  V30 8 C 1 0 0 0\nM  V30 END ATOM\n"
               "M  V30 BEGIN BOND\nM  V30 1 1 7 9\n",
         "lib:22: a bond names atom 9; expected one of the list"},
        {V3000 "M  V30 COUNTS 1 0\nM  V30 BEGIN ATOM\nM  V30 1 C 0 0 0 0\nM  V30 END ATOM\nM  V30 END CTAB\n",
         "lib:21: the molecule ends without \"M  END\""},
    };
    check_refusals(QN_COMPOUND_SDF, cases, sizeof cases / sizeof *cases);
}

static void written_records_are_read_back_unchanged(void)
{
    const char *const texts[] = {acetate_v2000, acetate_v3000};
    for (int i = 0; i < 2; i++) {
        qn_compound *c, *back;
        qn_text text = {0};
        if (!CHECK_OK(read_record(QN_COMPOUND_SDF, texts[i], &c))) return;
        CHECK_OK(qn_compound_add_property(c, "odd", "$$$$"));
        c->atoms[0].hydrogens = 2;
        c->atoms[1].hydrogens = 0;
        c->bonds[0].order = QN_BOND_SINGLE;
        CHECK_OK(qn_compound_write_sdf(c, NULL, &text));
        if (CHECK_OK(read_record(QN_COMPOUND_SDF, text.data, &back))) {
            CHECK_TEXT(qn_compound_property_value(back, "odd"), " $$$$");
            c->properties[c->property_count - 1].value[0] = '\0',
                                              back->properties[back->property_count - 1].value[0] = '\0';
            check_same(c, back, 0);
            qn_compound_destroy(&back);
        }
        qn_text_clear(&text);
        qn_compound_destroy(&c);
    }
}

/* Positions may be replaced when writing; more than 999 atoms make a V3000 record. */
static void large_compounds_are_written_as_v3000(void)
{
    qn_compound *c, *back;
    qn_text text = {0};
    if (!CHECK_OK(qn_compound_create("chain", 1200, 1199, 1, &c))) return;
    double *positions = malloc(sizeof *positions * 3600);
    for (int i = 0; i < 1200; i++) {
        strcpy(c->atoms[i].element, i == 7 ? "BR" : "C");
        if (i > 0) c->bonds[i - 1] = (qn_compound_bond){i - 1, i, i == 3 ? QN_BOND_UNKNOWN : QN_BOND_AROMATIC};
        for (int axis = 0; axis < 3; axis++) positions[3 * i + axis] = 0.5 * i - axis - 100;
    }
    c->atoms[1199].charge_e = 2;
    CHECK_OK(qn_compound_write_sdf(c, positions, &text));
    CHECK(strstr(text.data, "V3000") != NULL && strstr(text.data, " Br ") != NULL);
    if (CHECK_OK(read_record(QN_COMPOUND_SDF, text.data, &back))) {
        memcpy(c->positions_angstrom, positions, sizeof *positions * 3600);
        check_same(c, back, 0);
        qn_compound_destroy(&back);
    }
    positions[5] = NAN;
    CHECK_FAILS(qn_compound_write_sdf(c, positions, &text), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("chain: atom 2 has no finite position");
    free(positions);
    qn_text_clear(&text);
    qn_compound_destroy(&c);
}

int main(void)
{
    RUN(v2000_is_read_correctly);
    RUN(v3000_is_read_correctly);
    RUN(windows_line_ends_are_read);
    RUN(values_may_hold_blank_lines);
    RUN(charges_of_property_lines_replace_the_atom_block);
    RUN(rare_fields_are_read);
    RUN(many_charges_are_written);
    RUN(errors_are_reported);
    RUN(v3000_errors_are_reported);
    RUN(written_records_are_read_back_unchanged);
    RUN(large_compounds_are_written_as_v3000);
    return check_finish();
}
