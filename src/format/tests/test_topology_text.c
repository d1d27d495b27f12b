/* Topologies as text with masses, charges and bonds: PSF in its variants, and Amber's parm7. */
#include "check.h"

#include <quern/topology.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "format/tests/topologies.h"
#include "format/topology/topology_format.h"

enum { EVERYTHING = COMPARE_NAMES | COMPARE_RESIDUE_NAMES | COMPARE_TYPES | COMPARE_MASSES | COMPARE_CHARGES };

static qn_topology *read_text(const char *text)
{
    qn_topology *topology = NULL;
    CHECK_OK(qn_topology_read_memory("text", text, strlen(text), &topology));
    return topology;
}

/* The mixture was written in three formats, which must give equal topologies. */
static void the_mixture_is_the_same_in_every_format(void)
{
    static const char *const names[] = {"trajectory/mixture.psf", "trajectory/mixture.parm7"};
    qn_topology *tpr = NULL;
    if (!CHECK_OK(qn_topology_read(NULL, check_data("trajectory/mixture.tpr"), &tpr))) return;
    for (size_t i = 0; i < 2; i++) {
        qn_topology *other = NULL;
        if (!CHECK_OK(qn_topology_read(NULL, check_data(names[i]), &other))) continue;
        int numbers = i == 0 ? COMPARE_NAMES : 0; /* Amber's residues count from 1 */
        if (CHECK(other->atom_count == tpr->atom_count && other->residue_count == tpr->residue_count))
            CHECK(count_differences(tpr, other, (EVERYTHING & ~COMPARE_NAMES) | numbers | COMPARE_ELEMENTS) == 0);
        CHECK(other->molecule_count == tpr->molecule_count && other->has_bonds && other->has_charges);
        CHECK(other->masses == QN_MASSES_FROM_FILE && other->has_types && !other->positions_nm);
        if (CHECK(other->bond_count == tpr->bond_count))
            CHECK(memcmp(other->bonds, tpr->bonds, tpr->bond_count * sizeof *tpr->bonds) == 0);
        for (size_t k = 0; k < tpr->atom_count; k++) CHECK(other->atoms[k].molecule == tpr->atoms[k].molecule);
        CHECK_NEAR(other->box_nm[4], i == 0 ? 0 : 2, 1e-12);
        qn_topology_destroy(&other);
    }
    qn_topology_destroy(&tpr);
}

/* Bonds and molecules as counted by MDAnalysis 2.4.2 (bonds; connected fragments). */
static void reference_files_give_the_reference_tables(void)
{
    static const struct {
        const char *name, *table;
        size_t molecules, bonds;
    } cases[] = {{"trajectory/adk_dims/adk.psf", "trajectory/adk_dims/atoms.tsv.gz", 1, 3365},
                 {"trajectory/ace_tip3p/ace_tip3p.parm7", "trajectory/ace_tip3p/atoms.tsv.gz", 465, 1397}};
    for (size_t c = 0; c < 2; c++) {
        qn_topology *topology = read_reference(cases[c].name), *table = read_reference(cases[c].table);
        if (topology && table && CHECK(topology->atom_count == table->atom_count)) {
            CHECK(count_differences(table, topology, EVERYTHING) == 0);
            CHECK(topology->molecule_count == cases[c].molecules && topology->bond_count == cases[c].bonds);
        }
        qn_topology_destroy(&topology);
        qn_topology_destroy(&table);
    }
}

/* Numbers of 8 columns, polarisable columns at the end, a missing segment, letters after residue numbers. */
static void psf_variants_are_read(void)
{
    static const char head[] = "PSF CMAP CHEQ\r\n\r\n       1 !NTITLE\r\n* TITLE\r\n\r\n       4 !NATOM\r\n";
    char text[2048];
    strcpy(text, head);
    strcat(text, "       1 4AKE 1    MET  N      56  -0.300000       14.0070           0   0.00000     -0.301140E-02\n"
                 "       2      66   GLY  HA   H1     0.090000E+00    1.0080           0\n"
                 "       3 A    66B  GLY  CAL  CT1_LONGER_NAME 0.07 12.011 0\n"
                 "       4 SOLV 99999 SOD SOD  SOD    1.0            22.98977          0\n\n"
                 "       3 !NBOND: bonds\n       2       1       1       2\n       3       2\n");
    qn_topology *topology = read_text(text);
    if (!topology) return;
    CHECK(topology->atom_count == 4 && topology->residue_count == 4 && topology->molecule_count == 2);
    CHECK(topology->bond_count == 2); /* one bond is listed twice */
    CHECK_TEXT(topology->residues[0].segment, "4AKE");
    CHECK_TEXT(topology->residues[1].segment, "");
    CHECK_TEXT(topology->residues[1].name, "GLY");
    CHECK(topology->residues[1].number == 66 && topology->residues[1].insertion == '\0');
    CHECK(topology->residues[2].number == 66 && topology->residues[2].insertion == 'B');
    CHECK_TEXT(topology->atoms[2].type, "CT1_LONGER_NAME");
    CHECK_NEAR(topology->atoms[1].charge_e, 0.09, 1e-15);
    CHECK_TEXT(topology->atoms[0].type, "56");
    CHECK_TEXT(topology->atoms[3].element, "NA");
    CHECK(topology->residues[3].number == 99999);
    qn_topology_destroy(&topology);
}

/* Columns show which field is blank: numbers of 10, names of 8. */
static void extended_psf_may_leave_fields_blank(void)
{
    qn_topology *topology =
        read_text("PSF EXT XPLOR\n\n         2 !NATOM\n"
                  "         1          12345678 GLYCOGEN CA       CT1    -0.250000       12.0110\n"
                  "         2          12345678          CB       CT2    -0.250000       12.0110\n");
    if (!topology) return;
    CHECK_TEXT(topology->residues[0].segment, "");
    CHECK(topology->residues[0].number == 12345678);
    CHECK_TEXT(topology->residues[0].name, "GLYCOGEN");
    CHECK_TEXT(topology->residues[1].name, "");
    CHECK_TEXT(topology->atoms[1].name, "CB");
    CHECK_TEXT(topology->atoms[1].type, "CT2");
    CHECK_NEAR(topology->atoms[1].mass_u, 12.011, 1e-12);
    qn_topology_destroy(&topology);
}

static void psf_without_bonds_makes_molecules_of_residues(void)
{
    qn_topology *topology =
        read_text("PSF\n\n 2 !NATOM\n 1 A 1 TIP3 OH2 OT -0.8 15.9994 0\n 2 A 1 TIP3 H1 HT 0.4 1.008 0\n");
    if (!topology) return;
    CHECK(!topology->has_bonds && topology->molecule_count == 1);
    qn_topology_destroy(&topology);
}

static void broken_psf_is_refused(void)
{
#define ATOMS "PSF\n\n 2 !NATOM\n 1 A 1 X C C 0.1 12 0\n 2 A 1 X C C 0.1 12 0\n\n"
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"PSF\n\n", "text:3: the file ends before its atoms (!NATOM)"},
        {"PSF\n -1 !NATOM\n", "text:2: \"-1\" is not a number of atoms"},
        {"PSF\n 1 !NATOM\n 1 A 1 X C C zero 12 0\n", "text:3: \" 1 A 1 X C C zero 12 0\" is not an atom"},
        {"PSF\n 1 !NATOM\n 1 A 1 X C C 0 -12 0\n", "text:3: mass -12 is negative"},
        {"PSF\n 2 !NATOM\n 1 A 1 X C C 0 12 0\n", "text:4: the file ends after 1 of 2 atoms"},
        {ATOMS " 1 !NBOND\n 1 3\n", "text:8: a bond names atom 3; expected 1 to 2"},
        {ATOMS " 1 !NBOND\n 2 2\n", "text:8: a bond joins atom 2 to itself"},
        {ATOMS " 1 !NBOND\n 1 x\n", "text:8: \"x\" is not the number of an atom (bond 1 of 1)"},
        {ATOMS " 2 !NBOND\n 1 2\n", "text:9: the file ends after 1 of 2 bonds"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        qn_topology *topology;
        CHECK_FAILS(qn_topology_read_memory("text", cases[i].text, strlen(cases[i].text), &topology), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS(cases[i].message);
    }
}

/* Replace `old` by `new`, of the same length, at its first place after `flag`. */
static void broken_parm7_is_refused(void)
{
    static const struct {
        const char *flag, *old, *new, *message;
    } cases[] = {
        {"POINTERS", "      20", "      21", "flag ATOM_NAME ends after 20 of 21 values"},
        {"POINTERS", "      20", "  999999", "999999 of flag POINTERS (value 1) in a file of"},
        {"POINTERS", "(10I8)", "(10J8)", "of flag POINTERS; expected a format such as %FORMAT(10I8)"},
        {"FLAG CHARGE", "CHARGE", "CHARGF", "x.parm7: there is no flag CHARGE"},
        {"FLAG MASS", "E+01", "EE01", "of flag MASS is not a number (value 1 of 20)"},
        {"FLAG MASS", " 1.", "-1.", "is negative"},
        {"RESIDUE_POINTER", "       4", "       0", "residue 2 begins with atom 0; expected 2 to 20"},
        {"RESIDUE_POINTER", "       1", "       2", "the first residue begins with atom 2; expected 1"},
        {"BONDS_INC", "       3", "       4", "4 of flag BONDS_INC_HYDROGEN; expected three times the index"},
        {"BONDS_INC", "       3", "      60", "60 of flag BONDS_INC_HYDROGEN; expected three times the index"},
        {"BONDS_INC", "       3", "       0", "bond 1 of flag BONDS_INC_HYDROGEN joins atom 1 to itself"},
        {"BOX_DIM", "9.0", "999", "flag BOX_DIMENSIONS"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text;
        size_t size;
        qn_topology *topology;
        if (!CHECK_OK(qn_file_read(check_data("trajectory/mixture.parm7"), &text, &size))) return;
        char *flag = strstr(text, cases[i].flag), *place = flag ? strstr(flag, cases[i].old) : NULL;
        if (CHECK(place != NULL)) {
            memcpy(place, cases[i].new, strlen(cases[i].new));
            CHECK_FAILS(qn_topology_read_memory("x.parm7", text, size, &topology), QN_BAD_FORMAT);
            CHECK_MESSAGE_HAS(cases[i].message);
            CHECK_MESSAGE_HAS("x.parm7:");
        }
        qn_release(&text);
    }
}

/* Every cut of both files, and every flipped bit: the file is read, or refused with a message that names it. */
static void cut_and_flipped_files_are_refused_or_read(void)
{
    static const char *const names[] = {"trajectory/mixture.psf", "trajectory/mixture.parm7"};
    for (size_t f = 0; f < 2; f++) {
        char *data;
        size_t size, refused = 0, unnamed = 0, cut_and_read = 0;
        if (!CHECK_OK(qn_file_read(check_data(names[f]), &data, &size))) return;
        for (size_t trial = 0; trial < 9 * size; trial++) {
            qn_topology *topology;
            const size_t length = trial < size ? trial : size, bit = trial < size ? 0 : trial - size;
            if (trial >= size) data[bit / 8] = (char)(data[bit / 8] ^ 1 << bit % 8);
            if (qn_topology_read_memory("broken", data, length, &topology) == QN_OK) {
                cut_and_read += trial < size;
                qn_topology_destroy(&topology);
            } else {
                refused++;
                unnamed += strncmp(qn_error_message(), "broken:", 7) != 0;
            }
            if (trial >= size) data[bit / 8] = (char)(data[bit / 8] ^ 1 << bit % 8);
        }
        CHECK(refused > size && unnamed == 0);
        CHECK(cut_and_read < size / 10); /* cuts after the last required value, or before the bonds */
        qn_release(&data);
    }
}

int main(void)
{
    RUN(the_mixture_is_the_same_in_every_format);
    RUN(reference_files_give_the_reference_tables);
    RUN(psf_variants_are_read);
    RUN(extended_psf_may_leave_fields_blank);
    RUN(psf_without_bonds_makes_molecules_of_residues);
    RUN(broken_psf_is_refused);
    RUN(broken_parm7_is_refused);
    RUN(cut_and_flipped_files_are_refused_or_read);
    return check_finish();
}
